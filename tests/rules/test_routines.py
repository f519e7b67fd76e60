"""Programs that call LAPACK, BLAS, filters that pick elements, and estimates of
spectra and lines, in all modes."""

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import linalg, ndimage, signal, spatial, stats
from scipy.linalg import blas, lapack

import yota_ast as ya

rng = np.random.default_rng(3)
ROOT = rng.normal(size=(4, 4))
MATRIX = ROOT @ ROOT.T + 4 * np.eye(4)
RIGHT = rng.normal(size=4)
IMAGE = rng.normal(size=(5, 6))


def log_likelihood(k, y):
    factor, info = lapack.dpotrf(k, lower=1)
    if info != 0:
        return -np.inf
    z, _ = lapack.dpotrs(factor, y, lower=1)
    return -0.5 * y @ z - np.sum(np.log(np.diag(factor)))


def not_cleaned(k, y):
    factor = lapack.dpotrf(k, 0, 0)[0]
    inverse = lapack.dpotri(factor)[0]
    return np.sum(np.triu(inverse) ** 2) + np.sum(lapack.dtrtri(factor)[0] * k) + y[0]


def half_inverse(k, y):
    factor = np.asfortranarray(lapack.dpotrf(k, lower=1)[0])
    inverse = lapack.dtrtrs(factor, np.eye(len(k)), lower=1)[0]
    return np.sum(inverse**2) + np.sum(lapack.dtrtrs(factor, y, 1, 1)[0])


def by_rows_and_columns(k, y):
    lu, piv, x, _ = lapack.dgesv(k, y)
    again = lapack.dgetrs(*lapack.dgetrf(k)[:2], y, trans=1)[0]
    return np.sum(x**2) + np.sum(np.log(np.abs(np.diag(lu)))) + np.sum(again**3)


def in_a_loop(k, y):
    total = 0.0
    for n in range(1, 4):
        values, vectors, _ = lapack.dsyev(k + n * np.eye(4), lower=n % 2)
        total += np.sum(values * vectors[0] ** 2) / n
        k = blas.dgemm(alpha=0.1, a=k.T, b=k, trans_a=True)
    return total + blas.ddot(y, y)


def shaped(k, y):
    wide = np.multiply.outer(y, k[0])
    opened = ndimage.grey_opening(wide, size=2)
    edges = ndimage.morphological_gradient(wide, footprint=np.tri(2))
    hats = ndimage.white_tophat(wide, 2) - ndimage.black_tophat(wide, size=(3, 2))
    lines = ndimage.maximum_filter1d(wide, 3, axis=0) + ndimage.minimum_filter1d(
        wide, size=2, origin=-1
    )
    return np.sum((opened + edges + hats + ndimage.prewitt(wide)) * lines**2)


def spectra(k, y):
    x = np.ravel(k)
    v = np.concatenate((y, x[4:] ** 2))
    freqs, whole = signal.periodogram(x, fs=2.0, window="hann", nfft=20)
    short = signal.periodogram(v, nfft=9, detrend="linear")[1]
    alike = signal.coherence(x, v, nperseg=6)[1]
    cross = signal.csd(x, v, 2.0, nperseg=5)[1]
    return np.sum(whole * freqs) + np.sum(short**2) + np.sum(alike) + np.abs(cross[1])


def lines(k, y):
    total = 0.0
    for row in k:
        found = stats.linregress(row, y)
        slope, intercept, *_ = found
        total += slope * found.rvalue + intercept**2 + found.stderr + found.pvalue
    return total


def samples(k, y):
    rows = stats.moment(k, 3, axis=1) + stats.moment(k, order=2)
    ends = stats.trim_mean(k, 0.3) * stats.trim_mean(y, 0.25)
    among = stats.scoreatpercentile(k, 30) + stats.scoreatpercentile(y, per=75)
    spread = stats.median_abs_deviation(k, axis=1, scale="normal")
    lengths = stats.boxcox(np.exp(k[0] / 4), 0.3)
    return np.sum(rows * ends + among * spread * lengths)


def compared(k, y):
    pairs = stats.ttest_rel(k[0], y)
    t, p = stats.ttest_ind(k, k.T**2 / 4, axis=None, alternative="less")
    found = stats.ttest_1samp(a=k, popmean=y[0], axis=1)
    alike = stats.pearsonr(k[1], y)
    total = pairs.statistic + pairs.pvalue + t + p + alike.statistic * alike.pvalue
    return total + np.sum(found.statistic) + np.sum(signal.medfilt(k, 3) ** 2)


def overwritten(a, **settings):
    return linalg.cholesky(a, lower=True, overwrite_a=True, **settings)


def that_may_overwrite(k, y):
    potrf, potrs = linalg.get_lapack_funcs(("potrf", "potrs"), (k, y))
    total, again = linalg.get_blas_funcs("dot", [y])(y, y), np.empty_like(k)
    for n in range(1, 4):
        again[:] = k * n
        factor, info = potrf(again.copy(), lower=1, overwrite_a=n)
        if info > 0:
            raise np.linalg.LinAlgError("not positive definite")
        total += potrs(factor, y**2, lower=1, overwrite_b=1)[0] @ y / len(k)
    if total > 0:
        total += overwritten(again, check_finite=False)[1, 0]
    else:
        total += again[0, 0]
    return total * linalg.solve(a=k + np.eye(4), b=2 * y, overwrite_a=True)[0]


def spreads(k, y):
    total = stats.ttest_ind(y**2, k[:3, 0])[0]
    for n in range(2):
        if y[n] > 0:
            total = total + stats.iqr(k * y[n])
        else:
            total = total + stats.iqr(k, axis=n) ** 2
    return np.sum(total * y)


PROGRAMS = [
    spreads,
    that_may_overwrite,
    samples,
    compared,
    spectra,
    lines,
    log_likelihood,
    not_cleaned,
    half_inverse,
    by_rows_and_columns,
    in_a_loop,
    shaped,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_all_modes(f, tmp_path):
    assert ya.gradcheck(f, MATRIX, RIGHT)
    direction = ROOT + ROOT.T if f is not by_rows_and_columns else ROOT
    curvature = ya.hvp(f)(MATRIX, direction, RIGHT)
    there, back = (
        ya.grad(f, MATRIX + h * direction, RIGHT)[1][0] for h in (1e-5, -1e-5)
    )
    np.testing.assert_allclose(curvature, (there - back) / 2e-5, rtol=1e-4, atol=1e-5)
    made = ya.simplegrad(f, MATRIX, RIGHT)
    made.save(tmp_path / "made.py")
    names = {}
    exec((tmp_path / "made.py").read_text(), names)
    value, *gradient = names[f"{f.__name__}_grad"](MATRIX + 1, RIGHT)
    assert value == f(MATRIX + 1, RIGHT)
    np.testing.assert_allclose(gradient[0], ya.grad(f, MATRIX + 1, RIGHT)[1][0])


@pytest.mark.parametrize("axis", [None, 1])
def test_an_item_of_a_result_is_written(axis):
    def f(k, y):
        total = stats.ttest_ind(k, k.T[:, ::-1] ** 2, axis=axis).statistic
        for n in range(2):
            total += stats.iqr(k * y[n])
        return np.sum(total * y)

    assert ya.gradcheck(f, MATRIX, RIGHT)
    value, slope = ya.jvp(f, wrt="k")(MATRIX, RIGHT, MATRIX)
    dk = ya.grad(f, MATRIX, RIGHT)[1][0]
    assert slope == pytest.approx(np.sum(dk * MATRIX))


def test_a_failed_factor_has_no_gradient():
    def ignores_info(k):
        return np.sum(lapack.dpotrf(k)[0])

    assert ya.grad(log_likelihood, -MATRIX, RIGHT)[0] == -np.inf
    assert not ya.grad(log_likelihood, -MATRIX, RIGHT)[1][0].any()
    with pytest.raises(ValueError, match="where a routine of LAPACK failed"):
        ya.grad(ignores_info, -MATRIX)


def by_another_name(k):
    turned, a = [k.T], k
    return np.sum(overwritten(a)) + np.sum(turned[0])


def in_the_next_iteration(k):
    total = 0.0
    for _ in range(2):
        total += np.sum(overwritten(k))
    return total


def handed_on(k):
    for _ in range(2):
        a = k * 2
        c = overwritten(a) if k[0, 0] > 0 else k
        k = c @ a
    return k[0, 0]


def given_back(k):
    a = 2 * k
    overwritten(a)
    return a


def within(k, n):
    if n == 0:
        return np.sum(overwritten(k))
    return within(k, n - 1) + within(2 * k, n - 1)


def by_a_caller(k):
    return within(k, 2)


@pytest.mark.parametrize(
    "f", [by_another_name, in_the_next_iteration, handed_on, given_back, by_a_caller]
)
def test_what_may_be_overwritten_is_not_read_later(f):
    with pytest.raises(ya.UnsupportedCall, match="reads an array later"):
        ya.jvp(f)(MATRIX, MATRIX)


def test_what_is_given_stays_as_it_is():
    k = np.asfortranarray(MATRIX)
    ya.grad(lambda k: np.sum(overwritten(k)), k)
    np.testing.assert_array_equal(k, MATRIX)


def test_routines_are_those_of_the_type():
    def f(k):
        return linalg.get_lapack_funcs("potrf", (k,))(k, lower=1)[0][0, 0]

    with pytest.raises(ValueError, match="float64"):
        ya.simplegrad(f, MATRIX)(MATRIX.astype("f4"))


@pytest.mark.parametrize("window", [{"size": 3}, {"footprint": np.eye(2)}])
def test_ties_share_evenly(window):
    def f(x):
        return np.sum(ndimage.grey_dilation(x, **window))

    flat = np.ones((4, 4))
    dx = ya.grad(f, flat)[1][0]
    assert dx.sum() == pytest.approx(16)
    assert ya.jvp(f)(flat, flat)[1] == pytest.approx(16)


def by_name(x):
    y = np.transpose(a=np.exp(x)).T
    return np.sum(a=np.clip(a=y, a_min=0.5, a_max=3.0), axis=0) @ np.ravel(a=x)[:3]


def test_the_first_argument_by_name():
    assert ya.gradcheck(by_name, ROOT[:3, :3])
    ya.hvp(by_name)(ROOT[:3, :3], ROOT[:3, :3])


def test_signals_of_other_lengths_are_refused():
    def f(x):
        return signal.csd(x, x[:5], nperseg=4)[1].real.sum()

    with pytest.raises(ValueError, match="two signals of the same shape"):
        ya.grad(f, RIGHT.repeat(2))


def test_a_field_beside_the_items_is_refused():
    def f(x):
        return stats.linregress(x, RIGHT).intercept_stderr

    with pytest.raises(ya.YotaError, match="`intercept_stderr` is no item of the resu"):
        ya.grad(f, ROOT[0])


def nearest(p, q):
    tree = spatial.KDTree(p)
    total = spatial.cKDTree([[q[0], 1.0], [2.0, q[1]]]).query(q[:2])[0]
    for point in q.reshape(-1, 2):
        distances, places = tree.query(point, k=[1, 3])
        total = total + np.sum(distances * p[places, 0])
    bounded = tree.query(p, k=2, p=1, distance_upper_bound=1.5)[0]
    return total + np.sum(bounded[np.isfinite(bounded)] ** 2)


def test_distances_to_the_nearest_points():
    assert ya.gradcheck(nearest, IMAGE[:, :2], RIGHT)
    direction = np.ones((5, 2)) * [[1.0, -0.5]]
    curvature = ya.hvp(nearest)(IMAGE[:, :2], direction, RIGHT)
    there, back = (
        ya.grad(nearest, IMAGE[:, :2] + h * direction, RIGHT)[1][0]
        for h in (1e-5, -1e-5)
    )
    np.testing.assert_allclose(curvature, (there - back) / 2e-5, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("settings", [{"p": np.inf}, {"boxsize": 9.0}])
def test_distances_without_a_gradient(settings):
    def f(x, settings):
        box = settings.get("boxsize")
        return spatial.KDTree(x, boxsize=box).query(x[0], p=settings.get("p", 2.0))[0]

    with pytest.raises(ValueError, match="no gradient of"):
        ya.grad(f, np.abs(IMAGE) + 0.1, settings, wrt="x")


def test_what_a_model_does_not_take_is_refused_by_name():
    def f(x):
        return stats.boxcox(x)[0].sum()

    with pytest.raises(ya.NoRule, match="boxcox has no rule"):
        ya.grad(f, np.abs(RIGHT))
