"""Models of SciPy's functions: they take what the functions take, in the same places,
and a call of which they do not know all is refused."""

import inspect

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import fft, ndimage, signal, spatial, stats
from scipy.interpolate import CubicSpline
from scipy.linalg import lapack
from scipy.spatial.transform import Rotation

import yota_ast as ya
from yota_ast.frontend.models import image_models, sample_models, spectrum_models

rng = np.random.default_rng(5)
X = rng.normal(size=(6, 5))
POINTS = rng.normal(size=(7, 2))
LIBRARIES = {ndimage: image_models, stats: sample_models, signal: spectrum_models}
PAIRS = [
    pytest.param(getattr(library, name), model, id=name)
    for library, models in LIBRARIES.items()
    for name, model in models.MODELS.items()
]


@pytest.mark.parametrize(("fn", "model"), PAIRS)
def test_a_model_names_its_arguments_as_the_function_does(fn, model):
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD,)
    own = [p for p in inspect.signature(model).parameters.values() if p.kind in kinds]
    there = inspect.signature(fn).parameters
    assert [p.name for p in own] == list(there)[: len(own)]


def central(f, x, h=1e-6):
    """The gradient by central differences."""
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.reshape([(f(x + d) - f(x - d)) / (2 * h) for d in steps], x.shape)


def coherent(x):
    found = signal.coherence(x, x**2, 1.0, "hann", 4, None, None, "constant", 0)
    return np.sum(found[1] ** 2)


def means_along_an_axis(x):
    kept = stats.ttest_1samp(x, x[:, :1] ** 2, axis=1)[0]
    spread = stats.ttest_ind(x, x[:3, :1] ** 2)[0]
    return np.sum(kept**2) + np.sum(spread**3)


def edges_of_each_axis(x):
    return np.sum(ndimage.prewitt(x, mode=("wrap", "nearest")) ** 2)


def moments(x):
    total = np.sum(x[0] * stats.moment(x, 0) + stats.moment(x))
    for n in range(5):
        total = total + stats.moment(x[0], n) * x[1, n]
    return total


def one_length_and_axis(x):
    half = fft.rfftn(x, s=4, axes=0)
    along = fft.irfftn(fft.rfftn(x, axes=0), axes=(0,)) - abs(fft.ifftn(x, None, 1))
    first = np.sum(fft.irfftn(half, s=6, axes=0) ** 3)
    return first + np.sum(along**2) + np.sum(abs(fft.fftn(x, 3, 1)))


@pytest.mark.parametrize(
    "f",
    [coherent, means_along_an_axis, edges_of_each_axis, moments, one_length_and_axis],
)
@pytest.mark.parametrize("fast", [False, True])
def test_unusual_settings(f, fast):
    value, gradient = ya.simplegrad(f, X, fast=fast)(X + 0.1)
    np.testing.assert_allclose(value, f(X + 0.1), rtol=0 if not fast else 1e-12)
    np.testing.assert_allclose(gradient, central(f, X + 0.1), rtol=1e-5, atol=1e-5)


def test_images_of_bools():
    def f(x, w):
        found = ndimage.white_tophat(x, 3) + ndimage.black_tophat(x, size=2)
        return np.sum(found * w)

    value, gradient = ya.simplegrad(f, X > 0, X)(X > 0.2, X)
    assert value == f(X > 0.2, X)
    assert gradient.any()


def test_spectra_of_nothing():
    def f(x, n):
        return np.sum(signal.periodogram(x, nfft=n)[1]) + np.sum(
            signal.csd(x, x, nperseg=3)[1].real
        )

    made = ya.simplegrad(f, X[0], 4)
    value, gradient = made(X[0, :0], 4)
    assert value == 0
    assert gradient.shape == (0,)
    assert made(X[0], 0)[0] == f(X[0], 0)


def exponent_found(x):
    return np.sum(stats.boxcox(x, None)[0])


def several_orders(x):
    return np.sum(stats.moment(x, [2, 3]))


def high_order(x):
    return stats.moment(x, 9)


def several_percentiles(x):
    return np.sum(stats.scoreatpercentile(x, [30, 50]))


def not_an_argument(x):
    return np.sum(signal.coherence(x, x, scaling="spectrum")[1])


@pytest.mark.parametrize(
    "f",
    [exponent_found, several_orders, high_order, several_percentiles, not_an_argument],
)
def test_what_a_model_does_not_know_is_refused(f):
    with pytest.raises(ya.YotaError, match="has no rule"):
        ya.grad(f, np.exp(X[0]))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x, p: stats.scoreatpercentile(x, p), 101.0),
        (lambda x, p: stats.trim_mean(x, p), 0.8),
        (lambda x, p: np.sum(lapack.dgetrf(np.outer(x, x[:3]))[0]) * p, None),
        (lambda x, p: stats.linregress(np.outer(x, x), np.outer(x, x) ** 2)[0], None),
    ],
)
def test_errors_of_values(f, x):
    with pytest.raises(ValueError, match=r"percentile|big|square|two vectors"):
        ya.grad(f, X[0], 2.0 if x is None else x)


def tree_of_written_points(p, q):
    tree = spatial.KDTree(p)
    p[0] = 0.0
    return np.sum(tree.query(q)[0])


def tree_of_points_moved(p, q):
    tree = spatial.cKDTree(p)
    p += 1.0
    return np.sum(tree.query(q)[0])


def spline_of_written_knots(p, q):
    x = np.cumsum(p[:, 0] ** 2)
    spline = CubicSpline(x, p[:, 1])
    x[0] = -1.0
    return np.sum(spline(q[:, 0]))


@pytest.mark.parametrize(
    "f", [tree_of_written_points, tree_of_points_moved, spline_of_written_knots]
)
def test_models_of_arrays_that_are_written(f):
    with pytest.raises(ya.YotaError, match="may share memory with an array that has"):
        ya.grad(f, POINTS, POINTS[:3])


def test_a_tree_of_a_copy():
    def f(p, q):
        total = 0.0
        for k in range(3):
            tree = spatial.KDTree(p.copy())
            p[k] = q[k] * p[k]
            total += np.sum(tree.query(q)[0])
        return total

    assert ya.gradcheck(f, POINTS, POINTS[:3] + 0.1)


def test_rotations_keep_a_copy_of_their_own():
    def f(v, x):
        turn = Rotation.from_rotvec(v)
        v[0] = 1.0
        turned = Rotation.from_euler("z", v[1]) * turn
        return np.sum(turned.apply(x) ** 3) + np.sum(v)

    assert ya.gradcheck(f, X[0, :3], X[1, :3])
