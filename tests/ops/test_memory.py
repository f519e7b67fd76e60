"""What is said of the memory of a result, against np.shares_memory.

"fresh" must be fresh, "view" and "same" must share; "maybe" is always right. Calls with
the arguments that make the difference: no axes, no derivative, a type that it has, a
copy asked for or not.
"""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops import sharing

V = np.array([3.0, 1.0, 2.0])
M = np.arange(9.0).reshape(3, 3) + 4 * np.eye(3)
Z = V + 0j

ASTYPE = np.ndarray.astype
CALLS = [
    (np.array, (V,), {}, "fresh"),
    (np.array, (V,), {"copy": True}, "fresh"),
    (np.array, (V,), {"copy": 1}, "fresh"),
    (np.array, (V,), {"copy": None}, "same"),
    (np.array, (V,), {"copy": False}, "same"),
    (np.array, (V, float), {"copy": None}, "same"),
    (np.array, (V, "f4"), {"copy": None}, "fresh"),
    (np.array, (V,), {"copy": None, "ndmin": 2}, "maybe"),
    (np.array, (V,), {"copy": True, "ndmin": 2}, "fresh"),
    (np.asarray, (V,), {}, "same"),
    (np.float64, (V,), {}, "same"),
    (np.float32, (V,), {}, "fresh"),
    (np.complex128, (Z,), {}, "same"),
    (np.asarray, (V, "f4"), {}, "fresh"),
    (ASTYPE, (V, float), {}, "fresh"),
    (ASTYPE, (V, float), {"copy": True}, "fresh"),
    (ASTYPE, (V, float), {"copy": 1}, "fresh"),
    (ASTYPE, (V, float, "K", "unsafe", True, True), {}, "fresh"),
    (ASTYPE, (V, float, "K", "unsafe", True, False), {}, "maybe"),
    (ASTYPE, (V, float), {"copy": False}, "same"),
    (ASTYPE, (V, "f4"), {"copy": False}, "fresh"),
    (ASTYPE, (M, float), {"copy": False, "order": "F"}, "maybe"),
    (ASTYPE, (M, float), {"copy": True, "order": "F"}, "fresh"),
    (np.nan_to_num, (V,), {}, "fresh"),
    (np.nan_to_num, (V, True), {}, "fresh"),
    (np.nan_to_num, (V, False), {}, "maybe"),
    (np.nan_to_num, (V,), {"copy": False}, "maybe"),
    (np.diff, (V,), {}, "fresh"),
    (np.diff, (V, 0), {}, "maybe"),
    (np.diff, (V,), {"n": 0}, "maybe"),
    (np.polyint, (V, 1), {}, "fresh"),
    (np.polyint, (V, 0), {}, "maybe"),
    (np.fft.fft, (Z,), {}, "fresh"),
    (np.fft.fftn, (Z,), {}, "fresh"),
    (np.fft.fftn, (M,), {"axes": (0,)}, "fresh"),
    (np.fft.fftn, (Z,), {"axes": ()}, "maybe"),
    (np.fft.ifftn, (Z, (), ()), {}, "maybe"),
    (np.fft.ifft2, (M + 0j,), {"axes": ()}, "maybe"),
    (np.fft.fftn, (np.array(2.0 + 0j),), {}, "maybe"),
    (np.histogram, (V, np.array([0.0, 2.0, 4.0])), {}, "maybe"),
]  # fmt: skip


def of_call(fn, args, kwargs):
    """What is said of a call, and whether its result shares memory."""

    def atom(value, k):
        is_array = isinstance(value, np.ndarray)
        return Var(f"a{k}", fact_of(value, f"a{k}")) if is_array else Const(value)

    result = fn(*args, **kwargs)
    atoms = tuple(atom(v, k) for k, v in enumerate(args))
    named = tuple((k, Const(v)) for k, v in kwargs.items())
    said = sharing(Apply(Var("y", fact_of(result)), fn, atoms, named))
    parts = result if isinstance(result, tuple) else (result,)
    given = [a for a in args if isinstance(a, np.ndarray)]
    parts = [p for p in parts if isinstance(p, np.ndarray)]
    return said, any(np.shares_memory(p, a) for p in parts for a in given)


@pytest.mark.parametrize(
    ("fn", "args", "kwargs", "expected"),
    CALLS,
    ids=[f"{k}-{fn.__name__}" for k, (fn, *_) in enumerate(CALLS)],
)
def test_of_numpy(fn, args, kwargs, expected):
    said, shares = of_call(fn, args, kwargs)
    assert said == expected
    assert said == "maybe" or shares == (said != "fresh")


class TestOfSciPy:
    """SciPy's functions, also of what makes them hand on their argument elsewhere: an
    identity, one element, no order, an axis of one."""

    def test_fresh(self):
        pytest.importorskip("scipy")
        from scipy import fft, integrate, linalg, ndimage, signal, special, stats
        from scipy.spatial import distance

        eye, one, column = np.eye(3), np.ones(1), V.reshape(-1, 1)
        factors = linalg.lu_factor(M)
        calls = [
            *((getattr(linalg, name), (m,)) for m in (M, eye) for name in LINALG),
            *((getattr(fft, name), (x,)) for x in (V, Z, one) for name in FFT),
            *((getattr(integrate, n), (x,)) for x in (V, one) for n in INTEGRATE),
            *((getattr(signal, n), (V, one)) for n in SIGNAL),
            *((getattr(stats, n), (x,)) for x in (V, column) for n in STATS),
            *((getattr(special, n), (x,)) for x in (V, one) for n in SPECIAL),
            *((getattr(stats.rv_continuous, n), (stats.norm, V)) for n in LAWS),
            (linalg.solve, (eye, V)), (linalg.solve_triangular, (eye, V)),
            (linalg.lstsq, (eye, V)), (linalg.lu_solve, (factors, V)),
            (special.comb, (V, 0)), (special.polygamma, (0, V)),
            (signal.detrend, (V,)), (signal.hilbert, (V,)), (signal.resample, (V, 3)),
            (signal.lfilter, (one, one, V)), (signal.savgol_filter, (V, 1, 0)),
            (signal.resample_poly, (V, 1, 1)), (signal.filtfilt, (one, one, V)),
            (signal.sosfilt, (np.array([[1.0, 0, 0, 1, 0, 0]]), V)),
            (signal.sosfiltfilt, (np.array([[1.0, 0, 0, 1, 0.5, 0]]), V, -1, None)),
            (ndimage.gaussian_filter1d, (V, 1.0)), (ndimage.sobel, (V,)),
            (ndimage.uniform_filter, (V, 1)), (ndimage.uniform_filter1d, (V, 1)),
            (ndimage.laplace, (V,)), (ndimage.correlate1d, (V, one)),
            (ndimage.convolve1d, (V, one)), (ndimage.gaussian_filter, (V, 0.0)),
            (fft.fftn, (M,)),
            (distance.cdist, (M, M)), (distance.pdist, (M,)),
        ]  # fmt: skip
        for fn, args in calls:
            try:
                found = of_call(fn, args, {})
            except ValueError:  # one element is not enough for it
                assert len(args[0]) == 1
                continue
            assert found == ("fresh", False), fn.__name__

    def test_of_no_axes(self):
        fft = pytest.importorskip("scipy.fft")
        assert of_call(fft.fftn, (Z,), {"axes": ()}) == ("maybe", True)


LINALG = (
    "block_diag cho_factor circulant det eigvalsh expm inv logm lu lu_factor norm pinv "
    "polar qr schur sqrtm svd svdvals toeplitz"
).split()
FFT = "fft ifft fftshift ifftshift dct dst idct idst fftn ifftn hfft".split()
INTEGRATE = "cumulative_trapezoid simpson trapezoid".split()
SIGNAL = "convolve correlate fftconvolve oaconvolve".split()
STATS = "entropy gmean hmean kurtosis skew zscore".split()
SPECIAL = "log_softmax logsumexp softmax".split()
LAWS = "pdf logpdf cdf logcdf sf logsf".split()


def copied_by_astype(x):
    y = x.astype(float, copy=True)
    y[0] = 2 * x[1]
    return np.sum(x**2) + np.sum(y**3)


def copied_in_order(x):
    y = x.astype(np.float64, order="C", copy=1)
    y[0] = 2 * x[1]
    return np.sum(x**2) + np.sum(y**3)


def copied_by_array(x):
    y = np.array(x, copy=1)
    y[0] = 2 * x[1]
    return np.sum(x**2) + np.sum(y**3)


def not_copied(x):
    y = x.astype(float, copy=False)
    y[0] = 2 * x[1]
    return np.sum(x**2) + np.sum(y**3)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        y = x.astype(float, copy=True)
        y[k] *= 2.0 * x[0]
        total += np.sum(x * y)
    return total


def of_a_type_that_it_has(x):
    x = 1.0 * x
    y = np.float64(x)
    y[0] = 2 * x[1]
    return np.sum(x**2) + np.sum(y**3)


def part_of_the_flat_array(x):
    x = 1.0 * x
    y = x.flat[1:]
    y *= x[0]
    x.flat[:2] = y * x[2]
    return np.sum(x**2) + np.sum(y**3)


def of_a_name_for_the_flat_array(x):
    x = 1.0 * x
    flat = x.flat
    y = flat[:2]
    y[0] = 3.0
    x.flat[1:] += x.flat[:-1]
    return np.sum(x**2) + np.sum(y**3) + flat[0]


@pytest.mark.parametrize(
    "f",
    [
        copied_by_astype,
        copied_in_order,
        copied_by_array,
        not_copied,
        in_a_loop,
        of_a_type_that_it_has,
        part_of_the_flat_array,
        of_a_name_for_the_flat_array,
    ],
)
def test_a_copy_that_is_asked_for_is_one(f):
    """It was taken for the array itself: the value and the gradient were wrong."""
    assert ya.grad(f, V.copy())[0] == f(V.copy())
    assert ya.gradcheck(f, V)


def copied_by_a_flag(x):
    y = np.array(x, copy=bool(x[0] > 0))
    y[0] = 2 * x[1]
    return np.sum(x**2) + np.sum(y**3)


def along_no_axis(x):
    z = x + 0j
    y = np.fft.fftn(z, axes=())
    y[0] = 2 * y[0]
    return np.sum(z.real**2)


@pytest.mark.parametrize("f", [copied_by_a_flag, along_no_axis])
def test_what_may_be_the_array_itself_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax, match="may"):
        ya.grad(f, V)


def of_scipy_written(y, x):
    from scipy.integrate import cumulative_trapezoid

    c = cumulative_trapezoid(y, x=x, initial=0)
    c -= c[0]
    c /= c[-1]
    return np.interp(0.5, c, x)


def solved_and_written(a, b):
    from scipy import linalg

    x = linalg.solve(a, b)
    x[0] *= b[1]
    return np.sum(x**2) + np.sum(a @ b)


def test_what_scipy_makes_is_written_in_place():
    pytest.importorskip("scipy")
    assert ya.gradcheck(of_scipy_written, V, np.array([0.0, 1.0, 3.0]))
    assert ya.gradcheck(solved_and_written, M, V)
