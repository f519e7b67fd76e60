"""Rules at the edges of what they take: axes of length 1 that spread, cut-offs, mixed
precisions, matrices that lack rank.

Everything runs through `ya.grad` with all passes on and off, against central
differences or a formula of its own.
"""

import math

import numpy as np
import pytest
from scipy import signal

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
    a, b = np.outer(some(5), some(3, seed=1)), some(5, seed=2)
    if np.isnan(f(a, b)):  # SciPy 1.18 has nan for residuals then
        assert np.all(np.isnan(ya.grad(f, a, b, wrt=[1])[1][1]))
    else:
        check(f, [a, b], wrt=[1])


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
    with pytest.raises(ValueError, match="cuts off values that are not 0"):
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
    with pytest.raises(ValueError, match="needs more points than the degree"):
        ya.grad(fitted, np.array([1.0, 1.0, 2.0]), some(3))


# ---------------------------------------------------------------- axes that spread

SPREADING = [
    ("np.sum(np.var(x, 0, ddof=1, mean=m) ** 2)", (3, 1, 4), (1, 3, 4)),
    ("np.sum(np.std(x, 0, mean=m) ** 2)", (1, 3, 1), (1, 3, 4)),
    ("np.sum(np.trapezoid(x, m, axis=0) ** 2)", (5, 1), (5, 2)),
    ("np.sum(np.trapezoid(x, m, axis=0) ** 2)", (5, 2), (5, 1)),
    ("np.sum(np.linalg.cond(x) * m)", (1, 3), (2,)),
    ("np.sum(np.linalg.cond(x, -2) * m)", (2, 3, 1), (2,)),
]


@pytest.mark.parametrize(("text", "one", "other"), SPREADING)
def test_axes_of_length_1_spread(text, one, other):
    values = {"x": some(*one), "m": some(*other, seed=1)}
    check(use(text, **values).fn, list(values.values()))


@pytest.mark.parametrize("shapes", [((1, 3), (2, 2)), ((3, 4), (1, 2))])
def test_take_along_axis_of_axes_that_spread(shapes):
    one, other = shapes
    i = np.arange(other[0] * other[1]).reshape(other) % one[1]
    f = use("np.sum(np.take_along_axis(x, i, 1) ** 2)", x=some(*one), i=i).fn
    check(f, [some(*one), i], wrt=[0])


def log_of_sum(x, w):
    return np.sum(special.logsumexp(x, axis=1, b=w) ** 2)


special = pytest.importorskip("scipy.special")


@pytest.mark.parametrize("shapes", [((1, 4), (3, 4)), ((3, 1), (4,)), ((3, 4), (3, 1))])
def test_logsumexp_of_weights_that_spread(shapes):
    check(log_of_sum, [some(*shapes[0]), np.abs(some(*shapes[1])) + 0.1])


# ---------------------------------------------------------------- fewer digits

NARROWED = [
    "return np.float32(x)[1]",
    "return np.array(x, np.float32)[1]",
    "return np.asarray([x, x], np.float32)[1, 1]",
    "return np.full(3, x, dtype=np.float32)[1]",
    "return np.full_like(np.ones(3, np.float32), x)[1]",
    "return np.cumsum(np.stack([x, x], dtype=np.float32, casting='unsafe')[0])[1]",
    "return np.cumsum(x, dtype=np.float32)[1]",
    "return np.insert(np.ones(3, np.float32), 1, x)[2]",
    "return np.gradient(np.arange(3, dtype=np.float32) ** 2, x)[1]",
    "y = np.zeros(3, np.float32)|y[:] = x|return y[1]",
    "y = np.zeros(3, np.float32)|y += x|return y[1]",
    "y = np.ones(3, np.float32)|y *= x|return y[1]",
    "y = np.zeros(3, np.float32)|np.exp(x, out=y)|return y[1]",
    "y = np.zeros((2, 3), 'f4')|for k in range(2):|    y[k] = x * k|return y[1, 1]",
    "y = np.zeros(3, np.float32)|np.add.at(y, [0, 1, 1], x)|return y[1]",
]


@pytest.mark.parametrize("text", NARROWED)
def test_what_is_stored_with_fewer_digits(text):
    x = np.array([0.5, 1.5, 2.5])
    f = use(text.replace("|", "\n"), x=x).fn
    more = use(text.replace("|", "\n").replace("return ", "return x @ w + "), x=x, w=x)
    _, g = ya.grad(f, x)
    assert g["x"].dtype == float
    w = np.array([1.0, 2.0, 3.0]) / 7
    _, both = ya.grad(more.fn, x, w, wrt=["x"])
    np.testing.assert_allclose(both["x"] - g["x"], w, rtol=1e-14, atol=1e-14)


def test_products_of_mixed_precisions():
    u, v = some(3, dtype="f4"), some(3, seed=1)
    _, g = ya.grad(use("np.dot(u, v)", u=u, v=v).fn, u, v)
    assert (g["u"].dtype, g["v"].dtype) == ("f4", float)


def test_full_of_a_number():
    check(use("np.sum(np.full(3, x) ** 2)", x=1.3).fn, [1.3])


# ---------------------------------------------------------------- settings that vary

VARIED = [
    "np.sum(np.nan_to_num(a * np.inf, posinf=x, neginf=x * x, nan=x))",
    "np.sum(np.nan_to_num(a * np.nan, nan=x))",
    "np.sum(np.unwrap(5 * a, period=x) ** 2)",
]
REFUSED = [
    "np.interp(0.7, [0.0, 1.0], [1.0, 2.0], period=x)",
    "np.var(a, ddof=x)",
    "np.nanstd(a, ddof=x)",
    "np.std(a, ddof=x, where=a > 0)",
    "np.linalg.norm(a, x)",
    "np.linalg.vector_norm(a, ord=x)",
    "np.histogram(a, 4, range=(-3.0, x))[1][1]",
    "np.sum(np.kaiser(7, x))",
]


@pytest.mark.parametrize("text", VARIED)
def test_settings_with_slopes(text):
    a = some(9)
    check(use(text, x=1.3, a=a).fn, [1.3, a], wrt=[0])


@pytest.mark.parametrize("text", REFUSED)
def test_settings_that_vary_are_refused(text):
    f = use(text, x=1.3, a=some(9)).fn
    with pytest.raises(ya.NoRule, match="give no derivative with respect to"):
        ya.grad(f, 1.3, some(9))
    with pytest.raises(ya.NoRule, match="give no derivative with respect to"):
        ya.jvp(f)(1.3, some(9), 1.0, None)


def test_settings_of_which_nothing_is_known_are_settings():
    f = use("np.linalg.norm(x, p) + np.var(x, ddof=d)", x=some(3), p=3, d=1).fn
    assert "dp" not in ya.simplegrad(f, wrt=["x"]).source
    x = some(3)
    check(f, [x, 3, 1], wrt=[0])


def filtered(x, delta):
    return np.sum(scipy_signal.savgol_filter(x, 5, 2, deriv=1, delta=delta) ** 2)


def entropy_in(p, base):
    return stats.entropy(p, base=base)


def filled(x, v):
    return interpolate.interp1d(x, x**2, bounds_error=False, fill_value=v)(9.0)


scipy_signal = pytest.importorskip("scipy.signal")
stats = pytest.importorskip("scipy.stats")
interpolate = pytest.importorskip("scipy.interpolate")


def test_settings_of_scipy():
    check(filtered, [some(9), 1.3])
    check(entropy_in, [np.abs(some(5)) + 0.1, 2.5])
    with pytest.raises(ya.NoRule, match="fill_value: what it fills is not followed"):
        ya.grad(filled, np.arange(4.0), 1.5, wrt=["v"])


# ---------------------------------------------------------------- solvers

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")


def sampled_at(a):
    return np.sum(integrate.odeint(lambda y, t: -y, 1.0, np.linspace(0, 1, 5) * a))


def root_and_slope(a):
    return np.sum(
        optimize.root(lambda x: (x**3 - a, np.diag(3 * x**2)), np.ones(2), jac=True).x
    )


def root_scalar_and_slope(a):
    return optimize.root_scalar(
        lambda x: (x**3 - a, 3 * x**2), x0=1.0, fprime=True
    ).root


def least_and_slope(a):
    return optimize.minimize(
        lambda x: (np.sum((x - a) ** 2 + 1), 2 * (x - a)), np.zeros(2), jac=True
    ).fun


SOLVED = [
    (sampled_at, "`t` of `odeint` depends on a differentiated value"),
    (root_and_slope, "the result of `root` has no known derivative with `jac`"),
    (
        root_scalar_and_slope,
        "the result of `root_scalar` has no known derivative with `fprime`",
    ),
    (least_and_slope, "only the solution of `minimize` has a derivative"),
]


@pytest.mark.parametrize(("f", "reason"), SOLVED)
def test_what_solvers_are_refused_with(f, reason):
    with pytest.raises(ya.YotaError, match=reason):
        ya.grad(f, 1.7)


# ---------------------------------------------------------------- layouts, small ints

BYTES = np.array([3, 200, 7, 150], np.uint8)
OF_BYTES = [
    ("np.sum(np.interp(x, [0.0, 1.0, 2.0, 3.0], b))", some(3) + 1.5),
    ("np.sum(np.interp([0.5, 1.5], np.sort(x), b))", some(4) + 1.5),
    ("np.sum(np.gradient(b, x) ** 2)", np.array([0.0, 1.0, 2.5, 3.0])),
    ("np.sum(np.gradient(x, np.sort(b)) ** 2)", some(4)),
    ("np.percentile(b, x)", 30.0),
    ("np.sum(b**x)", np.array([0.5, 1.2, 0.3, 0.1])),
    ("np.sum(np.arctan2(b, x))", some(4)),
    ("np.sum(np.hypot(x, b))", 100 * some(4)),
    ("np.sum(b / x)", some(4) + 3),
]


@pytest.mark.parametrize(("text", "x"), OF_BYTES)
def test_beside_small_integers(text, x):
    check(use(text, x=x, b=BYTES).fn, [x, BYTES], wrt=[0])


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take_of_columns_in_memory(mode):
    x = np.asfortranarray(some(3, 4))
    f = use(f"np.sum(np.take(x, [0, 5, 7], mode={mode!r}) ** 2)", x=x).fn
    check(f, [x])
    check(f, [x], general=True)


@pytest.mark.parametrize("name", ["max", "min", "sum", "prod", "mean", "var"])
def test_over_no_axis(name):
    x, w = some(2, 3), some(2, 3, seed=1)
    check(use(f"np.sum(np.{name}(x, axis=()) * w)", x=x, w=w).fn, [x, w])


def test_ramps_of_several_axes():
    f = use("np.sum(np.pad(x, 2, 'linear_ramp', end_values=v) ** 2)", x=1, v=1).fn
    check(f, [some(2, 3), np.array([3.0, -1.0])])
    check(f, [some(2, 3, 2), 1.5])


@pytest.mark.parametrize("text", ["np.median(x, {})", "np.quantile(x, 0.3, {})"])
def test_overwritten_inputs_are_refused(text):
    f = use(text.format("overwrite_input=True"), x=some(5)).fn
    with pytest.raises(ya.UnsupportedCall, match="overwrite_input"):
        ya.grad(f, some(5))


def written_flat(x):
    y = x * 1.0
    y.flat[3] = x[0, 0] * 2
    return np.sum(y**3)


def test_flat_is_never_a_copy():
    check(written_flat, [some(3, 4)])
    with pytest.raises(ya.UnsupportedSyntax, match="may be a view or a copy"):
        ya.grad(written_flat, np.asfortranarray(some(3, 4)))


# ---------------------------------------------------------------- lists, axes, steps


def by_lists(a, x):
    y = signal.lfilter([a], [1.0, a - 1.0], x)
    return np.sum(y**2) + np.sum(signal.lfilter([a, 1.0], 1.0, x) * x)


def convolved(a, x):
    return np.sum(signal.convolve(x, [1.0, a, a * a], "same") ** 2)


def scaled(b, a, x):
    return np.sum(signal.lfilter(b, a, x) ** 2)


def test_lists_and_numbers_as_filters():
    check(by_lists, [0.3, some(5)])
    check(convolved, [0.3, some(5)])
    check(scaled, [1.5, 2.0, some(5)])
    check(scaled, [some(2), 2.0, some(5)])


@pytest.mark.parametrize(
    ("p", "q"), [((2, 4, 3), (4, 3)), ((4, 3), (3,)), ((1, 3), (4, 1)), ((3,), (4, 3))]
)
@pytest.mark.parametrize("axis", [0, -1])
def test_relative_entropy_of_what_spreads(p, q, axis):
    def f(p, q):
        return np.sum(stats.entropy(p, q, axis=axis) ** 2)

    check(f, [np.exp(some(*p)), np.exp(some(*q, seed=1))])


@pytest.mark.parametrize("axis", [0, -1])
def test_trapezoids_over_places_of_more_axes(axis):
    def f(u, x):
        y = np.trapezoid(u, x, axis=axis)
        return np.sum(y * y)

    check(f, [some(3), some(2, 3)]) if axis else check(f, [some(3, 3), some(3)])
    check(f, [some(2, 3), some(2, 3)])
    check(f, [some(2, 3, 4), some(3, 4)]) if axis else None


def test_the_next_number_moves_as_the_number_does():
    check(lambda x, y: np.sum(np.nextafter(x, y) ** 2), [some(3), some(3, seed=1)])
    g = ya.grad(lambda x: math.nextafter(x, 9.0) ** 2, 1.5)[1][0]
    assert abs(g - 3.0) < 1e-12


SYSTEMS = {
    "sylvester": lambda a, q: scipy_linalg.solve_sylvester(a, a + np.eye(3), q),
    "lyapunov": scipy_linalg.solve_continuous_lyapunov,
    "discrete": lambda a, q: scipy_linalg.solve_discrete_lyapunov(a / 9, q),
    "positive": lambda a, q: scipy_linalg.solve(
        a @ np.swapaxes(a, -1, -2), q, assume_a="pos"
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("stacked", [(False, False), (False, True), (True, False)])
def test_one_matrix_beside_a_stack(name, stacked):
    rng = np.random.default_rng(4)
    shapes = [(2, 3, 3) if each else (3, 3) for each in stacked]
    args = [rng.random(shape) + 3 * np.eye(3) for shape in shapes]

    def total(a, q):
        return np.sum(SYSTEMS[name](a, q) ** 2)

    _, g = ya.grad(total, *args)
    for k, x in enumerate(args):
        assert g[k].shape == x.shape
        along = rng.random(x.shape)
        sides = [
            total(*(v + s * 1e-6 * along if j == k else v for j, v in enumerate(args)))
            for s in (1, -1)
        ]
        slope = (sides[0] - sides[1]) / 2e-6
        assert np.sum(g[k] * along) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("wrt", ["x", "xp", "fp"])
def test_interp_between_knots_out_of_order_is_refused(wrt):
    def f(x, xp, fp):
        return np.interp(x, xp, fp)

    def folded(x, xp, fp):
        return np.interp(x, xp, fp, period=3.0)

    args = {"x": 0.7, "xp": np.array([0.0, 2.0, 1.0]), "fp": np.array([1.0, 3.0, 0.0])}
    with pytest.raises(ValueError, match="knots in increasing order"):
        ya.grad(f, **args, wrt=wrt)
    tangents = [np.ones_like(v) if k == wrt else None for k, v in args.items()]
    with pytest.raises(ValueError, match="knots in increasing order"):
        ya.jvp(f)(*args.values(), *tangents)
    assert ya.gradcheck(folded, *args.values(), wrt=wrt)


VALUES = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
AT_KNOTS = {
    "all": lambda x: np.interp(x, x, VALUES),
    "turned": lambda x: np.interp(x[::-1], x, x**2),
    "ends": lambda x: np.interp(x[[0, -1]], x, VALUES),
    "outside too": lambda x: np.interp(x * [0, 1, 1, 1, 2], x, VALUES),
    "with ends": lambda x: np.interp(x, x, VALUES, left=0.5, right=2.5),
    "period": lambda x: np.interp(x, x, VALUES, period=10.0),
    "one knot": lambda x: np.interp(x, x[:1], x[:1] * x[1]),
    "one number": lambda x: np.interp(x[1], x, VALUES) * x,
}


@pytest.mark.parametrize("name", AT_KNOTS)
def test_interp_at_its_own_knots(name):
    """The value stays where a knot moves with the point at it, though either alone
    bends it there: to both the slope is the mean of those on its sides."""
    x = np.array([0.5, 0.9, 1.4, 2.2, 2.7])

    def total(x):
        return np.sum(AT_KNOTS[name](x) * np.array([1.0, 0.7, -0.3, 0.4, 2.0])[:n])

    n = np.size(AT_KNOTS[name](x))
    check(total, (x,))
    direction = np.array([0.3, -1.0, 0.6, 0.2, 0.9])
    along = ya.jvp(total)(x, direction)[1]
    assert along == pytest.approx(ya.grad(total, x)[1][0] @ direction, abs=1e-12)


def test_repeated_knots_share_no_slope():
    xp, fp = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0, 3.5])
    _, g = ya.grad(np.interp, 1.0, xp, fp)
    assert g[0] == pytest.approx((1.0 + 0.5) / 2)
    np.testing.assert_allclose(g[1], [0.0, -0.5, -0.25, 0.0])


def test_transposed_without_axes():
    for f in (lambda x: np.array(x).T, lambda x: np.transpose(np.asarray(x * x)) * x):
        assert ya.gradcheck(f, 2.0)
        assert type(ya.grad(f, 2.0)[1][0]) is float
