"""Forward mode against differences and against the reverse."""

import cmath
import copy
import functools
import math
import types
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from tests.golden_text import check_golden
from yota_ast.api.directional import tangent_source
from yota_ast.ir.abstract_values import fact_of

from . import programs
from .programs import CASES

rng = np.random.default_rng(11)


def direction(x):
    """A tangent of the structure of an argument, None of what does not vary."""
    if isinstance(x, float):
        return float(rng.standard_normal())
    if isinstance(x, (np.floating, np.ndarray)) and x.dtype.kind == "f":
        d = rng.standard_normal(x.shape).astype(x.dtype)
        return d if isinstance(x, np.ndarray) else x.dtype.type(d)
    if isinstance(x, (list, tuple)):
        parts = [direction(v) for v in x]
        if all(d is None for d in parts):
            return None
        return type(x)(0.0 if d is None else d for d in parts)
    if isinstance(x, dict):
        return {k: 0.0 if (d := direction(v)) is None else d for k, v in x.items()}
    return None


def moved(x, d, h):
    if d is None:
        return x
    if isinstance(x, (list, tuple)):
        return type(x)(moved(v, e, h) for v, e in zip(x, d, strict=True))
    if isinstance(x, dict):
        return {k: moved(v, d[k], h) for k, v in x.items()}
    return x + h * d


def flat(value):
    if isinstance(value, (list, tuple)):
        return np.concatenate([flat(v) for v in value])
    return np.ravel(value)


@pytest.mark.parametrize("passes", ["all", "none", "-tidy", "-inplace"])
@pytest.mark.parametrize("name", CASES)
def test_tangent_agrees_with_differences(name, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f, *args = CASES[name]
    along = [direction(a) for a in args]
    given = copy.deepcopy(args)
    value, tangent = ya.jvp(f)(*given, *along)
    expected = f(*copy.deepcopy(args))
    assert np.array_equal(flat(value), flat(expected))
    assert type(value) is type(expected)
    h = 1e-6
    ends = [
        flat(f(*copy.deepcopy([moved(a, d, s) for a, d in zip(args, along)])))
        for s in (h, -h)
    ]
    difference = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(flat(tangent), difference, rtol=1e-5, atol=1e-7)
    assert str(given) == str(args)


def dot(a, b):
    if a is None or b is None:
        return 0.0
    if isinstance(a, (list, tuple)):
        return sum(map(dot, a, b))
    if isinstance(a, dict):
        return sum(dot(a[k], b[k]) for k in a)
    return float(np.sum(np.real(np.conj(a) * b)))


def seed_like(value):
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(map(seed_like, value))
    value = np.asarray(value)
    if value.dtype.kind not in "fc":
        return np.zeros(value.shape) if value.shape else 0.0
    seed = rng.standard_normal(value.shape)
    return seed if value.shape else float(seed)


GOLDEN = ["mlp", "recurrence", "newton", "masked", "appended", "in place"]


@pytest.mark.parametrize("name", GOLDEN)
def test_text(name, request):
    f, *args = CASES[name]
    facts = {
        parameter: fact_of(value, parameter)
        for parameter, value in zip(f.__code__.co_varnames, args, strict=False)
    }
    path = Path(__file__).parent / "golden" / f"{name.replace(' ', '_')}.txt"
    text = tangent_source(f, facts=facts)
    check_golden(path, text, request.config.getoption("--rewrite-golden"))


def test_an_argument_held_fixed_has_no_tangent():
    x, w = np.array([1.0, 2.0]), np.array([0.5, 0.25])

    def f(x, w):
        return np.sum(x * w)

    assert ya.jvp(f)(x, w, None, np.ones(2))[1] == 3.0
    assert ya.jvp(f)(x, w, np.ones(2), None)[1] == 0.75


@pytest.mark.parametrize("x", [[1.5, 2], (3, 0.5), [2, 3, 0.5]])
def test_whole_numbers_in_a_list_are_held_fixed(x):
    def f(x):
        return np.sum(np.asarray(x) ** 2) * x[0]

    _, g = ya.grad(f, x)
    [moving] = [k for k, d in enumerate(g[0]) if d is not None]
    for fixed in (None, 0.0):
        along = [fixed] * len(x)
        along[moving] = 1.0
        _, tangent = ya.jvp(f)(x, type(x)(along))
        assert tangent == pytest.approx(g[0][moving])


def test_a_list_within_a_tuple_with_whole_numbers():
    def f(x, c):
        return np.sum(np.array(x[0]) * c) * x[1]

    x = ([1.0, 2], 3)
    _, g = ya.grad(f, x, 2.0)
    assert g[0] == ([6.0, None], None)
    assert ya.jvp(f)(x, 2.0, ([1.0, None], None), None)[1] == 6.0


def test_a_row_of_whole_numbers_beside_one_that_varies():
    def f(x):
        return np.sum(np.atleast_2d(x) ** 2)

    x = [[1.5, 2, 3], [2, 0, 0]]
    assert ya.gradcheck(f, x)
    assert ya.jvp(f)(x, [[1.0, None, None], None])[1] == 3.0


def test_a_string_beside_what_varies():
    def f(x, name):
        return {"x": x * 2.0, "name": name}

    assert ya.gradcheck(f, 1.5, "a")


DECOMPOSED = {
    "eigh": lambda m: np.linalg.eigh(m)[1][0, 0] * np.linalg.eigh(m)[0][0],
    "qr": lambda m: np.linalg.qr(m)[0][0, 0] * np.linalg.qr(m)[1][0, 1],
    "svd": lambda m: np.linalg.svd(m)[0][0, 0] * np.linalg.svd(m)[1][0],
}


@pytest.mark.parametrize("name", DECOMPOSED)
def test_several_results_of_a_nested_list(name):
    decomposed = DECOMPOSED[name]

    def f(x):
        return decomposed([[x[0], 0.0], [x[1], x[2]]])

    x, d = np.array([1.0, 0.5, 3.0]), np.array([0.3, -0.2, 0.1])
    _, g = ya.grad(f, x)
    assert ya.jvp(f)(x, d)[1] == pytest.approx(np.dot(g[0], d))


def test_the_tangent_shares_no_memory():
    def f(x):
        return x

    d = np.ones(2)
    _, tangent = ya.jvp(f)(np.zeros(2), d)
    assert not np.shares_memory(tangent, d)


def test_objects_have_tangents_by_paths():
    class Model:
        def __init__(self):
            self.W, self.b = np.array([1.0, 2.0]), 0.5

    def f(m, x):
        return np.sum(np.tanh(m.W * x + m.b))

    x = np.array([0.1, 0.2])
    _, tangent = ya.jvp(f)(Model(), x, {("W",): np.ones(2), ("b",): 1.0}, None)
    _, g = ya.grad(f, Model(), x)
    assert tangent == pytest.approx(np.sum(g[0][("W",)]) + g[0][("b",)])


class Table:
    def __init__(self, rows, scale):
        self.rows, self.scale = rows, scale


def by_number(t):
    total = 0.0
    for i in range(2):
        total += t.rows[i][0] * t.rows[0][1] * t.scale
    return total


def of_a_row(t):
    total, first = 0.0, t.rows[0]
    for i in range(2):
        total += first[i] * (i + 1) * t.scale
    return total


@pytest.mark.parametrize("f", [by_number, of_a_row])
def test_a_container_that_is_a_field_and_is_used_whole(f):
    table = Table([[1.0, 2.0], [3.0, 4.0]], 0.5)
    assert ya.gradcheck(f, table)
    _, g = ya.grad(f, table)
    along = dict.fromkeys(g[0], 1.0)
    assert ya.jvp(f)(table, along)[1] == pytest.approx(sum(g[0].values()))
    del along["rows", 0, 0]  # what is lacking is held fixed
    rest = sum(g[0].values()) - g[0]["rows", 0, 0]
    assert ya.jvp(f)(table, along)[1] == pytest.approx(rest)


def test_hessian_products():
    f, x = CASES["rosenbrock"]
    v = rng.standard_normal(x.shape)
    slope, h = ya.value_and_grad(f), 1e-5
    difference = (slope(x + h * v)[1] - slope(x - h * v)[1]) / (2 * h)
    np.testing.assert_allclose(ya.hvp(f)(x, v), difference, rtol=1e-6)
    H = ya.hessian(f)(x)
    np.testing.assert_allclose(H @ v, difference, rtol=1e-6)
    np.testing.assert_allclose(H, H.T, rtol=1e-12)
    assert ya.hessian(programs.scalar)(0.7) == pytest.approx(4.73338365, rel=1e-8)


def test_hessian_in_another_argument():
    f, *args = CASES["mlp"]
    H = ya.hessian(f, wrt="b2")(*args)
    assert H.shape == (2, 2)
    np.testing.assert_allclose(H, np.eye(2), atol=1e-12)


def twice(x):
    return x * x, 2 * x


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (
            lambda: ya.jvp(programs.scalar)(1.0),
            ya.YotaError,
            (
                "jvp: each argument needs a tangent\n"
                "Call `jvp(f)(x, y, dx, dy)`; None holds an argument fixed."
            ),
        ),
        (
            lambda: ya.jvp(programs.appended)(np.ones(3), np.ones(2)),
            ya.ShapeError,
            (
                "jvp: the tangent of 'x' has shape (2,), but 'x' has shape (3,)\n"
                "Give it the shape of its argument, or None."
            ),
        ),
        (
            lambda: ya.jvp(programs.swept)(np.ones(2), 3, np.ones(2), 1),
            ya.YotaError,
            (
                "jvp: 'n' is of type int, which has no tangent\n"
                "Give None in the place of its tangent."
            ),
        ),
        (
            lambda: ya.hessian(programs.mlp, wrt=["W1", "W2"]),
            ya.YotaError,
            (
                "hessian differentiates one argument, but `wrt` names several\n"
                "Call it once for each argument."
            ),
        ),
        (
            lambda: ya.hessian(twice)(0.5),
            ya.ShapeError,
            (
                "twice returns tuple[float, float], and a Hessian needs a "
                "real number\nReturn one number."
            ),
        ),
        (
            lambda: ya.hvp(twice)(0.5, 1.0),
            ya.ShapeError,
            (
                "twice returns tuple[float, float], and a Hessian needs a "
                "real number\nReturn one number."
            ),
        ),
    ],
)
def test_refusals(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.diagnostic == f"{kind.__name__}: {text}"


def reshaped(x):
    y = x * 1.0
    y.reshape(-1)[0] = x[1]
    return y


def halves(x):
    y = x * x
    head, tail = y[:1], y[1:]
    head += tail[0]
    tail[:] = tail[::-1] * head
    y[::-1][1:] *= x[0]
    return y


def parts_of_complex(x):
    y = x + 0j
    real, imag = y.real, y.imag
    imag -= real * x
    real *= imag
    return y * y


def turned(x):
    y = np.outer(x, x)
    for k in range(3):
        column = np.moveaxis(y, 0, 1)[k]
        column *= x
        np.swapaxes(y, 0, 1)[0] += column[k]
    return np.squeeze(y[None])[0]


def of_constants(x):
    y = np.ones((2, 3))
    row = y[1]
    row *= 3
    for _ in range(2):
        row[1:] *= x[:2]
    return y


@pytest.mark.parametrize(
    "f", [reshaped, halves, parts_of_complex, turned, of_constants]
)
def test_views_that_are_written(f):
    x, dx, h = np.array([0.3, 1.2, -0.5]), np.array([0.7, -0.2, 1.1]), 1e-6
    value, tangent = ya.jvp(f)(x, dx)
    assert value.tobytes() == f(x).tobytes()
    assert np.allclose(tangent, (f(x + h * dx) - f(x - h * dx)) / (2 * h), atol=1e-8)
    assert (x == [0.3, 1.2, -0.5]).all()
    assert (dx == [0.7, -0.2, 1.1]).all()


LIMIT = types.SimpleNamespace(at=0.35, value=np.array(0.2))


def guarded_return(x):
    """Out of a loop: what is returned has no value before that."""
    for _ in range(2):
        try:
            if LIMIT.at < x[0]:
                return LIMIT.value
        except KeyError:
            pass
    return np.sum(x)


def guarded_beside(x, n):
    try:
        by = math.sqrt(n)
    except ValueError:
        by = 0.5
    return x * x * by


def test_a_try_that_nothing_moves_in():
    assert ya.jvp(guarded_beside)(3.0, 4, 1.0, None) == (18.0, 12.0)
    assert ya.jvp(guarded_beside)(3.0, -4, 1.0, None) == (4.5, 3.0)


def test_what_forward_mode_does_not_follow():
    x = np.array([0.1, 0.2])
    with pytest.raises(ya.YotaError) as caught:
        ya.jvp(guarded_return)(x, direction(x))
    assert caught.value.reason == (
        "a `try` on the path of a derivative may give no value, in forward mode"
    )
    assert "Use reverse mode (`grad`), which handles it." in str(caught.value)


@pytest.mark.parametrize("name", ["pairs", "heads", "scattered", "appended"])
def test_forward_is_reverse_for_programs(name):
    f, *args = CASES[name]
    along = [direction(a) for a in args]
    asked = [k for k, d in enumerate(along) if d is not None]
    value, tangent = ya.jvp(f)(*copy.deepcopy(args), *along)
    seed = seed_like(value)
    _, g = ya.grad(f, *copy.deepcopy(args), wrt=asked, seed=seed)
    reverse = sum(dot(g[k], along[k]) for k in asked)
    assert dot(seed, tangent) == pytest.approx(reverse, rel=1e-9)


def test_names_of_tangents_are_no_keywords_and_no_builtins():
    def f(el, ef, ict, d_2):
        return np.sin(el) * ef * ict * d_2

    value, change = ya.jvp(f)(0.5, 2.0, 3.0, 4.0, 1.0, 0.0, 0.0, 0.0)
    assert value == f(0.5, 2.0, 3.0, 4.0)
    assert np.isclose(change, np.cos(0.5) * 24)
    found = ya.gradcheck(f, 0.5, 2.0, 3.0, 4.0)
    assert found, str(found)


@pytest.mark.parametrize("fn", [cmath.log, cmath.exp, cmath.sqrt, cmath.sin])
def test_a_complex_function_of_what_a_float_is_subtracted_from(fn):
    def f(x):
        t = complex(0.3, 0.4)
        return ((t - x) * fn(t - x)).real

    found = ya.gradcheck(f, 0.7)
    assert found, str(found)


def stores_in_two_arms(x, r):
    whole, part = np.broadcast_arrays(x, r)
    y = np.full_like(whole, np.nan)
    if np.any(part == 0.0):
        y[part == 0.0] = whole[part == 0.0] * 2
    if np.any(part > 0.0):
        y[part > 0.0] = whole[part > 0.0] * part[part > 0.0]
    return y.item()


def stores_twice(x, n):
    y = np.array(0.5)
    if n > 1:
        y[...] = x * 2
    if n > 0:
        y[()] = y * x
    return y * x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        *((stores_in_two_arms, (0.3, r)) for r in (0.5, 0.0)),
        *((stores_twice, (0.3, n)) for n in (0, 1, 2)),
    ],
)
def test_stores_into_arrays_without_axes(f, args):
    found = ya.gradcheck(f, *args)
    assert found, str(found)


def scaled(p, alpha, taken):
    if taken:
        p = np.take(p, [0, 0])
    q = p * 2.0
    q *= 1.0 + alpha
    return q


def scaled_twice(p, alpha, taken):
    if taken:
        p = np.take(p, [0, 0])
    q = p * 2.0
    for _ in range(2):
        q *= 1.0 + alpha
    return q


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("f", [scaled, scaled_twice])
def test_what_is_written_in_place_is_read_as_it_was(f, taken, passes, monkeypatch):
    """What may be a number or an array, along another argument alone."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, tangent = ya.jvp(f)(0.3, 0.05, taken, None, 1.0, None)
    ends = [f(0.3, 0.05 + h, taken) for h in (1e-6, -1e-6)]
    assert np.array_equal(value, f(0.3, 0.05, taken))
    assert np.allclose(tangent, (ends[0] - ends[1]) / 2e-6, atol=1e-8)


class Spring:
    def __init__(self):
        self.k = 2.0

    def energy(self, x, stretch=1.0):
        return self.k * np.sum(x**3) * stretch

    def __call__(self, x):
        return self.energy(x, 2.0)


def scaled(a, x, b=2.0, *, c=1.0):
    return np.sum(x**3) * a * b * c


@pytest.mark.parametrize(
    ("f", "factor"),
    [
        (Spring().energy, 2.0),
        (Spring(), 4.0),
        (functools.partial(scaled, 2.0, c=3.0), 12.0),
        (functools.partial(scaled, 2.0, b=5.0), 10.0),
    ],
)
def test_second_order_of_what_is_bound(f, factor):
    x, v = np.array([0.5, 1.0, 0.2]), np.array([1.0, 0.0, 2.0])
    np.testing.assert_allclose(ya.hvp(f)(x, v), factor * 6 * x * v)
    np.testing.assert_allclose(ya.hessian(f)(x), np.diag(factor * 6 * x))


def test_the_columns_of_a_hessian_know_the_seed():
    def crossed(A):
        B = np.kron(A, A[:1])
        return np.sum(B * B)

    A = np.array([[2.0, 0.3], [0.2, 1.5]])
    H = ya.hessian(crossed)(A)
    for v in np.eye(4).reshape(4, 2, 2):
        np.testing.assert_allclose(np.tensordot(H, v), ya.hvp(crossed)(A, v))


def _handed_on(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)

    return wrapper


@_handed_on
def _product(x, y):
    return x * y * y


def _of_several(x, *rest, gain=1.0):
    return x * np.sum(rest[0]) * rest[1] ** 2 * gain


class _Scaled:
    @_handed_on
    def at(self, x):
        return 3 * x


@pytest.mark.parametrize(
    ("along", "slope"), [((1.0, None), 9.0), ((None, 1.0), 12.0), ((1.0, 1.0), 21.0)]
)
def test_tangents_of_several_positional_arguments(along, slope):
    """One of the later ones alone gave the tangent of none."""
    assert ya.jvp(_product)(2.0, 3.0, *along) == (18.0, slope)


def test_tangents_of_arguments_that_follow_named_ones():
    v = np.array([1.0, 2.0])
    f = ya.jvp(_of_several)
    assert f(2.0, v, 3.0, None, None, 1.0, gain=2.0) == (108.0, 72.0)
    assert f(2.0, v, 3.0, None, np.ones(2), None, gain=2.0) == (108.0, 72.0)
    assert f(2.0, v, 3.0, 1.0, v, 1.0) == (54.0, 27.0 + 54.0 + 36.0)


def test_an_object_among_several_is_held_fixed():
    assert ya.jvp(_Scaled().at)(2.0, 1.0) == (6.0, 3.0)


def written(x):
    x *= 2.0
    return np.sum(x**3)


def test_the_columns_of_a_function_that_writes_are_of_one_place():
    x = np.array([0.3, 1.2])
    assert np.allclose(ya.hessian(written)(x), np.diag([14.4, 57.6]), rtol=1e-12)
    assert np.array_equal(x, [0.6, 2.4])


def test_a_direction_has_no_name():
    told = r"^written_hvp\(\) missing 1 required positional argument: 'v'$"
    with pytest.raises(TypeError, match=told):
        ya.hvp(written)(np.ones(2), v=np.ones(2))


def test_what_is_left_behind_by_a_break_and_never_read_has_no_tangent():
    def f(a, c):
        s = a * 2
        for q in c:
            if q > 0:
                a = np.max(np.abs(np.full(3, a))) + 1
                a -= 1 * a
                break
            s += a
        return s

    for c, expected in ([-1.0, 1.0], 3.0), ([1.0, 1.0], 2.0):
        assert ya.jvp(f, wrt="a")(1.3, np.array(c), 1.0)[1] == expected
