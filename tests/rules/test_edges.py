"""Rules at the edges of what they take: axes of length 1 that spread, cut-offs, mixed
precisions, matrices that lack rank.

Everything runs through `ya.grad` with all passes on and off, against central
differences or a formula of its own.
"""

import numpy as np
import pytest

import yota_ast as ya

from ..adjoint.checking import check
from .coverage_lists import use

pytestmark = pytest.mark.parametrize("passes", ["all", "none"])


@pytest.fixture(autouse=True)
def _passes(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)


def some(*shape, seed=0, dtype=float):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


# ---------------------------------------------------------------- einsum

EINSUMS = [
    ("ij,ij", (3, 4), (1, 4)),
    ("ij,ij", (1, 4), (3, 4)),
    ("ij,ij", (3, 1), (3, 4)),
    ("ij,jk->ik", (3, 1), (4, 5)),
    ("ij,jk->ik", (3, 4), (1, 5)),
    ("ij,ij->j", (3, 4), (1, 4)),
    ("i,i->i", (1,), (3,)),
    ("j,j,j->", (1,), (1,), (4,)),
    ("j,j,j->", (1,), (4,), (4,)),
    ("ij,->ij", (3, 4), ()),
]


@pytest.mark.parametrize(("labels", "shapes"), [(e[0], e[1:]) for e in EINSUMS])
def test_einsum_of_axes_that_spread(labels, shapes):
    names = "uvw"[: len(shapes)]
    values = {n: some(*s, seed=k) for k, (n, s) in enumerate(zip(names, shapes))}
    one = use(f"np.sum(np.einsum({labels!r}, {', '.join(names)}) ** 2)", **values)
    check(one.fn, list(values.values()))


# ---------------------------------------------------------------- least squares


def solved(a, b):
    return np.sum(np.linalg.lstsq(a, b, rcond=None)[0] ** 2)


def solved_and_more(a, b):
    x, residuals, _, s = np.linalg.lstsq(a, b, rcond=None)
    return np.sum(x**3) + np.sum(residuals**2) + np.sum(s**2)


def cut_off(a, b):
    return np.sum(np.linalg.lstsq(a, b, rcond=0.5)[0] ** 2)


def scipy_solved_and_more(a, b):
    linalg = pytest.importorskip("scipy.linalg")
    x, residuals, _, s = linalg.lstsq(a, b)
    return np.sum(x**3) + np.sum(residuals**2) + np.sum(s**2)


def scipy_solved(a):
    return np.sum(scipy_linalg.lstsq(a, B)[0] ** 2)


B = some(5, seed=7)
scipy_linalg = pytest.importorskip("scipy.linalg")
SPREAD = np.diag([2.0, 1.0, 0.5])


@pytest.mark.parametrize("dtypes", [(float, "f4"), ("f4", float), ("f4", "f4")])
@pytest.mark.parametrize("f", [solved, solved_and_more])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_lstsq_of_mixed_precisions(f, shape, dtypes):
    a, b = some(*shape), some(shape[0], seed=1)
    exact = ya.grad(f, a, b)[1]
    given = a.astype(dtypes[0]), b.astype(dtypes[1])
    g = ya.grad(f, *given)[1]
    wide = ya.grad(f, given[0].astype(float), given[1].astype(float))[1]
    for k in range(2):
        assert g[k].dtype == dtypes[k]
        np.testing.assert_allclose(g[k], exact[k], rtol=1e-4, atol=1e-4)
        if dtypes[k] is float:  # nothing of it was rounded to float32 between
            np.testing.assert_allclose(g[k], wide[k], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", [solved, scipy_solved_and_more])
def test_lstsq_of_a_matrix_that_lacks_rank(f):
    a = np.outer(some(5), some(3, seed=1))
    check(f, [a, some(5, seed=2)], wrt=[1])


def test_lstsq_in_float32_counts_what_double_counts():
    a = (some(20, 2) @ some(2, 15, seed=1)).astype("f4")  # of rank 15 once rounded
    b = some(20, seed=2)
    g = ya.grad(solved, a, b, wrt=[1])[1]
    inverse = np.linalg.pinv(a.astype(float), 20 * np.finfo(float).eps)
    np.testing.assert_allclose(g[1], 2 * inverse.T @ (inverse @ b), rtol=1e-3)


def test_scipy_lstsq_of_one_argument_alone():
    check(scipy_solved, [some(5, 3)])


CUT = [
    "np.linalg.lstsq(a, b, rcond=0.4)[0]",
    "np.linalg.lstsq(a, b, 0.4)[3]",
    "np.linalg.pinv(a, 0.4) @ b",
    "np.linalg.pinv(a, rtol=0.4) @ b",
]


@pytest.mark.parametrize("text", CUT)
def test_a_cut_off_of_what_is_not_0(text):
    one = use(f"np.sum({text})", a=SPREAD, b=np.ones(3))
    with pytest.raises(ValueError, match="cut-off of zeros alone"):
        ya.grad(one.fn, SPREAD, np.ones(3))


@pytest.mark.parametrize("text", [t.replace("0.4", "0.1") for t in CUT])
def test_a_cut_off_of_nothing(text):
    a = SPREAD + 0.1 * some(3, 3)
    one = use(f"np.sum({text})", a=a, b=np.ones(3))
    check(one.fn, [a, np.ones(3)])


# ---------------------------------------------------------------- polynomials


def fitted(t, y):
    return np.sum(np.polyfit(t, y, 2) * np.array([1e6, 1e3, 1.0]))


def test_polyfit_of_columns_of_many_magnitudes():
    t, y = np.linspace(1900.0, 2000.0, 11), some(11)
    g = ya.grad(fitted, t, y)[1]
    mp = pytest.importorskip("mpmath")
    with mp.workdps(50):
        exact = [float(slope_of_fit(mp, t, y, k)) for k in range(11)]
    np.testing.assert_allclose(g[0], exact, rtol=1e-9, atol=1e-9 * np.max(np.abs(g[0])))


def slope_of_fit(mp, t, y, k):
    def at(step):
        rows = [mp.mpf(v) + (step if j == k else 0) for j, v in enumerate(t)]
        a = mp.matrix([[v**2, v, 1] for v in rows])
        c = mp.lu_solve(a.T * a, a.T * mp.matrix([mp.mpf(v) for v in y]))
        return c[0] * 10**6 + c[1] * 1000 + c[2]

    h = mp.mpf(10) ** -15
    return (at(h) - at(-h)) / (2 * h)


@pytest.mark.filterwarnings("ignore:Polyfit may be poorly conditioned")
def test_polyfit_of_points_too_few():
    with pytest.raises(ValueError, match="points enough for the degree"):
        ya.grad(fitted, np.array([1.0, 1.0, 2.0]), some(3))
