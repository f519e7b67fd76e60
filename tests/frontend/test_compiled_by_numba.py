"""Functions that Numba compiles, where others call them."""

import functools
import math
import re
import types
from typing import NamedTuple

import numpy as np
import pytest
from scipy import optimize

import yota_ast as ya

numba = pytest.importorskip("numba")


@numba.njit
def squared(x):
    return x * x + 1


@numba.njit("f8(f8)")
def waved(x):
    return math.sin(x) * squared(x)


@numba.njit(parallel=True)
def weighted(x):
    total = 0.0
    for i in numba.prange(len(x)):
        total += waved(x[i]) * i
    return total


@numba.njit
def power(x, n):
    return 1.0 if n <= 0 else x * power(x, n - 1)


@numba.njit
def smoothed(x, a):
    y = np.empty(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + (1 - a) * x[i]
    return y


def of_many(fn):
    @functools.wraps(fn)
    def wrapper(x, *rest):
        if hasattr(x, "__iter__"):
            return np.fromiter((fn(item, *rest) for item in x), dtype=float)
        return fn(x, *rest)

    return wrapper


waved_of_many = of_many(waved)


def of_a_number(x):
    return waved(x) * 2


def of_a_parallel_loop(x):
    return weighted(x)


def of_itself(x):
    return power(x, 4)


def of_an_array(x):
    return np.sum(smoothed(x, 0.3) ** 2)


def of_a_wrapper(x):
    return np.sum(waved_of_many(x))


X = np.array([0.3, 0.9, 1.2])
CASES = [
    (of_a_number, 0.7),
    (of_a_parallel_loop, X),
    (of_itself, 1.3),
    (of_an_array, X),
    (of_a_wrapper, X),
]


@pytest.mark.parametrize(("f", "x"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_followed(f, x):
    step = np.ones(np.shape(x))
    slope = (f(x + 1e-6 * step) - f(x - 1e-6 * step)) / 2e-6
    made, g = ya.grad(f, x)
    for value, gradient in ((made, g[0]), ya.simplegrad(f)(x)):
        assert math.isclose(value, f(x), rel_tol=1e-14)
        assert math.isclose(np.sum(gradient), slope, rel_tol=1e-7)


@pytest.mark.parametrize("signature", ["i8(i8)", "f4(f4)", "i8(f8)", "f8(i8)"])
def test_types_that_change_floats_are_refused(signature):
    compiled = numba.njit(signature)(lambda x: x * 3)

    def scaled(x):
        return 2.0 * compiled(x)

    with pytest.raises(ya.UnsupportedCall, match="`compiled` has no rule"):
        ya.grad(scaled, 1.7)


def test_a_rule_of_ones_own_stands_first():
    @numba.njit
    def cubed(x):
        return x**3

    @ya.diffrule
    def _(x, *, dy):
        y = cubed(x)
        dx = 100.0 * dy

    def scaled(x):
        return 2.0 * cubed(x)

    assert ya.grad(scaled, 1.5)[1][0] == 200.0


SCALE = 2.0


@numba.njit
def scaled_by_a_global(x):
    return SCALE * x * x


def made_with(factor):
    @numba.njit
    def scaled(x):
        return factor * x * x

    return scaled


LIMITS = (0.5, "high")
NAN = math.nan


@numba.njit
def of_constants(x):
    low, name = LIMITS
    return x * low if name == "high" and NAN != x else x + NAN


EPS = np.finfo(float).eps
COUNT = np.int64(2)


@numba.njit
def of_numpys(x):
    return x * x * (COUNT + EPS)


KERNELS = [scaled_by_a_global, made_with(2.0), of_constants, of_numpys]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("already", [False, True])
def test_numbers_that_numba_keeps_are_those_of_the_text(kernel, already):
    if already:
        kernel(1.0)
    value, (slope,) = ya.grad(lambda x: kernel(x) + x, 3.0)
    assert value == kernel(3.0) + 3.0
    assert math.isclose(slope, 1.5 if kernel is of_constants else 13.0)
    text = ya.simplegrad(lambda x: kernel(x) + x).source
    assert not {"SCALE", "factor", "LIMITS", "EPS"} & set(re.findall(r"\w+", text))


def test_numbers_that_numba_has_kept_otherwise_are_refused(monkeypatch):
    """The text had the number that is there now, and another value."""
    kernel = numba.njit(scaled_by_a_global.py_func)
    fn = lambda x: kernel(x) + x
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert ya.grad(fn, 3.0)[0] == 48.0  # nothing is compiled yet
    assert kernel(3.0) == 45.0
    monkeypatch.setitem(globals(), "SCALE", 6.0)
    with pytest.raises(ya.UnsupportedSyntax, match="`SCALE` has changed since"):
        ya.grad(fn, 3.0)
    kernel.recompile()
    assert ya.grad(fn, 3.0)[0] == fn(3.0) == 57.0


@numba.njit("f8(f8)")
def even(x):
    return math.exp(-x) * x if x >= 0.0 else even(-x)


@pytest.mark.parametrize("x", [0.7, -0.7])
def test_recursion_compiled_by_its_decorator(x):
    value, grad = ya.grad(lambda x: even(x) * 2.0, x)
    assert value == 2.0 * even(x)
    assert np.isclose(grad[0], np.sign(x) * 2 * math.exp(-0.7) * 0.3)


TABLE = np.array([1.0, 2.0])


@numba.njit
def of_a_table(i, x):
    return x * TABLE[i]


def test_arrays_of_the_module_are_read_as_numba_found_them(monkeypatch):
    kernel = numba.njit(of_a_table.py_func)
    fn = lambda x: kernel(1, x)
    assert fn(3.0) == 6.0
    assert ya.grad(fn, 3.0)[1]["x"] == 2.0
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())
    assert ya.grad(fn, 3.0)[1]["x"] == 2.0
    monkeypatch.setitem(globals(), "TABLE", TABLE * 2.0)
    with pytest.raises(ya.UnsupportedSyntax, match="`TABLE` has changed since"):
        ya.grad(fn, 3.0)


class Range(NamedTuple):
    low: float
    high: float


RANGE = Range(1.0, 2.0)


@numba.njit
def of_a_record(x):
    return x * RANGE.high


@numba.njit
def place_of(k):
    return 1 if k < RANGE.low else 0


def test_other_things_that_numba_keeps_are_refused_where_floats_pass():
    with pytest.raises(ya.UnsupportedCall, match="Numba keeps `RANGE` as it was"):
        ya.grad(lambda x: of_a_record(x), 3.0)
    assert ya.grad(lambda x, k: x ** (place_of(k) + 1), 3.0, 0, wrt="x")[1]["x"] == 6.0


@numba.njit
def factorial(n):
    r = 1
    for i in range(2, n + 1):
        r *= i
    return r


@numba.njit
def hashed(n, k):
    for _ in range(k):
        n = n * 6364136223846793005 + 1442695040888963407
    return n


@numba.njit
def inverse(x, n):
    return n**-1 * x


@numba.njit
def shifted(x, n):
    return x * (1 << n)


@numba.njit
def cubed(x, n):
    return x * (n * n * n)


@numba.njit
def again(n):
    return 1 if n <= 1 else n * again(n - 1)


@numba.njit
def of_bytes(x, levels):
    return x * (levels[0] + levels[1])


@numba.njit
def scaled(row):
    return row[0] * 0.1


@numba.njit
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@numba.njit
def doubled(n):
    k = 1
    while n > 0:
        k += k
        n -= 1
    return k


@numba.njit
def now_and_then(n):
    r = 1
    for i in range(2, n + 1):
        if i % 2 == 0:
            r = r * i
    return r


@numba.njit
def nested(n):
    r = 1
    for i in range(1, n):
        k = r
        while k < r * i:
            k = k + r
        r = k
    return r


@numba.njit
def turned(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, 3 - a
        a = a - b * 3
    return a


@numba.njit
def halfway(n):
    r = 1
    for i in range(n):
        t = r + 1 if i % 2 else r
        r = t + t
    return r


@numba.njit
def by_pow(n):
    return pow(3, n)


@numba.njit
def modular(n, m):
    r = 1
    for _ in range(n):
        r = (r * 123456789012) % m
    return r


@numba.njit
def masked(n):
    k = 1
    for _ in range(n):
        k = (k * 3) & -2 | 1
    return k


@numba.njit
def in_a_list(n):
    xs = [1, 1]
    for _ in range(n):
        xs.append(xs[-1] + xs[-2])
    return xs[-1]


@numba.njit
def in_a_tuple(n):
    p = (1, 1)
    for _ in range(n):
        p = (p[1], p[0] + p[1])
    return p[0]


LEVELS = np.array([200, 100], dtype=np.uint8)


@numba.njit
def of_short_floats(x):
    return np.array([0.1, 0.7]).astype(np.float32) * x


@numba.njit
def lifted(levels):
    return levels + 100


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (lambda x, n: x / factorial(n), (0.7, 25)),
        (lambda x, n: x * (hashed(n, 3) % 7), (0.7, 5)),
        (lambda x, n: inverse(x, n), (0.7, 3)),
        (lambda x, n: shifted(x, n), (0.7, 70)),
        (lambda x, n: cubed(x, n), (0.7, 3_000_000)),
        (lambda x, n: x * again(n), (0.7, 25)),
        (lambda x, n: x * fibonacci(n), (0.7, 95)),
        (lambda x, n: x * doubled(n), (0.7, 64)),
        (lambda x, n: x * now_and_then(n), (0.7, 50)),
        (lambda x, n: x * nested(n), (0.7, 30)),
        (lambda x, n: x * turned(n), (0.7, 90)),
        (lambda x, n: x * halfway(n), (0.7, 90)),
        (lambda x, n: x * by_pow(n), (0.7, 60)),
        (lambda x, n: x * modular(n, 10**12 + 39), (0.7, 30)),
        (lambda x, n: x * masked(n), (0.7, 60)),
        (lambda x, n: x * in_a_list(n), (0.7, 95)),
        (lambda x, n: x * in_a_tuple(n), (0.7, 95)),
        (lambda x, levels: of_bytes(x, levels), (0.7, LEVELS)),
        (lambda x: scaled(x), (np.array([0.3, 0.7], np.float32),)),
        (lambda x: np.sum(of_short_floats(x)), (0.7,)),
        (lambda x, levels: x * lifted(levels)[0], (0.7, LEVELS)),
    ],
)  # fmt: skip
def test_whole_numbers_that_numba_computes_otherwise_are_refused(fn, args):
    """Each of these gave another value than the function does."""
    with pytest.raises((ya.UnsupportedSyntax, ya.UnsupportedCall)):
        ya.grad(fn, *args, wrt="x")


@numba.njit
def of_places(x, n, m):
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += x[i * m + j] * (2 * i + 1) * (j - 1) ** 2
    return s


def test_what_counts_something_may_be_multiplied():
    def fn(x, n, m):
        return of_places(x, n, m)

    x = np.array([0.3, 0.1, 0.7, 0.2, 0.9, 0.5])
    value, grads = ya.grad(fn, x, 2, 3)
    assert math.isclose(value, of_places(x, 2, 3), rel_tol=1e-14)
    want = [(2 * i + 1) * (j - 1) ** 2 for i in range(2) for j in range(3)]
    assert grads["x"].tolist() == want


def of_many_kinds(x):
    s = 0.0
    for i in range(len(x)):
        s += waved(x[i]) * SCALE + power(x[i], 2)
    return s


def test_what_is_compiled_is_differentiated_itself():
    """`grad(f)` of a compiled f was refused, though one that only calls it was not."""
    compiled = numba.njit(of_many_kinds)
    for fn in (compiled, functools.partial(compiled)):
        value, (dx,) = ya.grad(fn, X)
        _, want = ya.simplegrad(of_many_kinds)(X)
        assert math.isclose(value, compiled(X), rel_tol=1e-14)
        assert np.allclose(dx, want, rtol=1e-14)
        assert np.array_equal(ya.simplegrad(fn)(X)[1], dx)
        assert np.array_equal(ya.value_and_grad(fn)(X)[1], dx)
        assert np.array_equal(ya.vjp(fn)(X)[1](1.0), dx)
        assert math.isclose(ya.jvp(fn)(X, X)[1], dx @ X, rel_tol=1e-12)
        assert np.allclose(np.linalg.eigvalsh(ya.hessian(fn)(X)).sum(),
                           np.trace(ya.hessian(of_many_kinds)(X)))  # fmt: skip


def test_what_is_compiled_and_called_anew_is_read_anew(monkeypatch):
    compiled = numba.njit(scaled_by_a_global.py_func)
    assert ya.grad(compiled, 3.0)[0] == 18.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert ya.grad(compiled, 3.0)[0] == compiled(3.0) == 45.0
    monkeypatch.setitem(globals(), "SCALE", 6.0)
    with pytest.raises(ya.UnsupportedSyntax, match="`SCALE` has changed since"):
        ya.grad(compiled, 3.0)


@numba.njit
def series(x, tolerance):
    total, k, parts = 0.0, 0, 0
    while True:
        old = total
        total += (0.3 - 1 / (2 * k + 3)) * (2 * k + 2) * x**k
        k += 1
        if k % 3 == 0:
            parts += 1
        if abs(total - old) < tolerance:
            return total + parts


@numba.njit
def interpolated(x, xs, ys):
    lo, hi = 0, len(xs) - 1
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if xs[mid] > x:
            hi = mid
        else:
            lo = mid
    t = (x - xs[lo]) / (xs[hi] - xs[lo])
    return ys[lo] + t * (ys[hi] - ys[lo])


@numba.njit
def shaken(x, n):
    state = 12345
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        x = x * (0.5 + state / 2147483648)
    return x


@numba.njit
def ordered(x):
    n, swaps = len(x), 0
    y = x.copy()
    for i in range(n):
        for j in range(n - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
                swaps += 1
    return y[0] * (2 * swaps + 1)


COUNTS = np.array([3, 1, 2, 5])


@numba.njit
def tallied(x):
    k, s = 0, 0
    places = [0]
    while k < len(COUNTS):
        s += COUNTS[k]
        places.append(places[-1] + 1)
        k += 1
    return x * (2 * s + places[-1])


def test_what_counts_iterations_may_be_multiplied():
    """`2 * k` of a counter was refused, as if a loop had multiplied it."""
    slope = (series(0.5 + 1e-6, 1e-9) - series(0.5 - 1e-6, 1e-9)) / 2e-6
    value, g = ya.grad(series, 0.5, 1e-9)
    assert math.isclose(value, series(0.5, 1e-9), rel_tol=1e-13)
    assert math.isclose(g["x"], slope, rel_tol=1e-5)
    x = np.array([0.7, 0.2, 0.9, 0.4])
    knots = np.array([0.0, 1.0, 3.0, 4.0, 7.0])
    value, g = ya.grad(interpolated, 3.5, knots, knots**2, wrt="x")
    assert (value, g["x"]) == (interpolated(3.5, knots, knots**2), 7.0)
    value, g = ya.grad(shaken, 0.5, 20)
    assert math.isclose(value, shaken(0.5, 20), rel_tol=1e-14)
    assert math.isclose(g["x"], value / 0.5, rel_tol=1e-14)
    value, g = ya.grad(tallied, 0.5)
    assert (value, g["x"]) == (tallied(0.5), tallied(1.0))
    value, (dx,) = ya.grad(ordered, x)
    assert value == ordered(x)
    assert dx.tolist() == [0.0, 7.0, 0.0, 0.0]


@numba.njit
def summed(x):
    total, k = 0, 0
    while True:
        old = total
        total += (0.9 - 1 / (2 * k + 3)) * x**k
        k += 1
        if abs(total - old) < 1e-12:
            return total


@numba.njit
def summed_slopes(x):
    total, k = 0, 0
    while True:
        old = total
        total += (0.9 - 1 / (2 * k + 3)) * (2 * k + 3) * (2 * k + 2) * x**k
        k += 1
        if abs(total - old) < 1e-12:
            return total


@numba.njit
def equation(x, y):
    return summed(x * x) * x - y


@numba.njit
def equation_prime(x, y):
    return summed_slopes(x * x) + 0.0 * y


@numba.njit
def solved(y):
    x0 = 0.5 * y
    for _ in range(300):
        step = equation(x0, y) / equation_prime(x0, y)
        x = x0 - step
        if abs(x - x0) < 1e-9:
            return x
        x0 = x
    return np.nan


def test_a_pass_over_a_loop_that_is_given_up_leaves_nothing_behind():
    """What was a product in the first pass lent its name to a counter in the second."""
    slope = (solved(0.1 + 1e-5) - solved(0.1 - 1e-5)) / 2e-5
    value, g = ya.grad(solved, 0.1)
    assert math.isclose(value, solved(0.1), rel_tol=1e-13)
    assert math.isclose(g["y"], slope, rel_tol=1e-5)


@numba.njit
def within_a_comprehension(x):
    return sum([v * SCALE for v in (x, x * x)])


@pytest.mark.parametrize("name", ["SCALE", "TABLE"])
def test_a_text_that_is_kept_raises_where_numba_has_the_old_number(name, monkeypatch):
    """The text read the new one, and Numba's function did not."""
    fn = numba.njit((within_a_comprehension if name == "SCALE" else of_two).py_func)
    kept = ya.simplegrad(fn, 1.5)
    assert kept(1.5)[0] == fn(1.5)
    monkeypatch.setitem(globals(), name, globals()[name] * 2.0)
    with pytest.raises(ValueError, match=f"{name} has changed since this"):
        kept(1.5)
    with pytest.raises(ya.UnsupportedSyntax, match=f"`{name}` has changed since"):
        ya.grad(fn, 1.5)


@numba.njit
def of_two(x):
    return x * TABLE[1] + TABLE[0]


@numba.njit
def of_another_module(x):
    return x * SETTINGS.rate


SETTINGS = types.ModuleType("settings")
SETTINGS.rate = 2.0


def test_a_number_of_another_module_is_one_of_the_text(monkeypatch):
    kept = ya.simplegrad(of_another_module, 1.5)
    assert kept(1.5) == (3.0, 2.0)
    assert "val = x * 2.0\n" in kept.source
    monkeypatch.setattr(SETTINGS, "rate", 4.0)
    with pytest.raises(ValueError, match="rate has changed since this"):
        kept(1.5)


@numba.vectorize(["f8(f8, f8)"])
def soft(x, y):
    return math.exp(x) * y if x < 0 else 1 + x * y


@numba.vectorize
def whole_part(x):
    return math.ceil(x) if x < 0 else math.floor(x)


def of_elements(x):
    return np.sum(soft(x, x[0])) * soft(x[1], 2.0) * int(whole_part(x[2]))


def of_pairs(x):
    return np.sum(soft(x[:, np.newaxis], x))


@pytest.mark.parametrize("fn", [of_elements, of_pairs])
def test_functions_of_each_element_are_followed(fn):
    x = np.array([0.3, -1.2, 2.3])
    value, (slope,) = ya.grad(fn, x)
    assert value == fn(x)
    assert ya.gradcheck(fn, x)
    assert np.allclose(ya.jvp(fn)(x, np.ones(3))[1], slope.sum())


@numba.njit
def missed(y, x, power):
    return y**power - x


def root(x):
    power = float(re.findall("[0-9]", "y3")[0])
    return optimize.brentq(missed, 0.0, 3.0, args=(x, power))


def test_a_solver_is_given_what_numba_compiles():
    value, g = ya.grad(root, 2.0)
    assert value == root(2.0)
    assert g["x"] == pytest.approx(2.0 ** (1 / 3) / 6.0)


_READ_ONLY = numba.types.Array(numba.float64, 1, "C", readonly=True)


@numba.njit((_READ_ONLY, numba.int32))
def lagged(x, k):
    total = 0.0
    for i in range(k, x.size):
        total += x[i] * x[i - k] ** 2
    return total


def of_lags(x):
    return lagged(x, 1) + lagged(x, k=2)


def test_types_of_whole_numbers_and_of_arrays_that_are_read():
    x = np.array([0.3, 1.7, -0.4, 2.2])
    steps = 1e-6 * np.eye(4)
    slopes = [(of_lags(x + h) - of_lags(x - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(ya.grad(of_lags, x)[1]["x"], slopes, atol=1e-7)
