# ruff: noqa: NPY002
"""`gradcheck`: right where the gradient is, false where it is not, and what it says."""

import copy
import dataclasses
import functools
import random
import types
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import fsolve

import yota_ast as ya
from yota_ast.errors import YotaError
from yota_ast.rules.notation.rule import BOOK
from yota_ast.tools.gradcheck.value_parts import same_bits

X = np.array([0.4, -1.3, 2.2])
W = np.array([[0.3, -0.8, 0.45], [1.1, 0.52, -0.7]])


def loss(W, b, x, n=3):
    return np.mean(np.tanh(W @ x + b) ** n)


class Pair(NamedTuple):
    a: float
    b: np.ndarray


@dataclasses.dataclass(frozen=True)
class Frozen:
    rate: float
    W: np.ndarray
    name: str = "frozen"


class Linear:
    def __init__(self):
        self.W, self.b, self.layers = W.copy(), 0.5, [X.copy(), "text"]
        self.calls = 0

    def __call__(self, x):
        return np.sum((self.W @ x + self.b) ** 2) + np.sum(self.layers[0] ** 3)


def of_pair(p):
    return p.a * np.sum(p.b**2)


def of_places(y, h):
    """Some items of y, and where they are."""
    before, places = None, []
    for n, item in enumerate(y):
        if n == 0:
            before = item
            places.append(n)
            continue
        if np.abs(item - before) > h:
            before = item
            places.append(n)
    places = np.array(places, dtype=int)
    return y[places], places


def of_library(x, xp=np):
    return xp.sum(xp.sin(x))


def of_frozen(m, x):
    return np.sum((m.W @ x) ** 2) * m.rate


def of_model(m, x):
    return m(x)


def of_containers(p):
    return p["a"] * p["b"][0] + np.sum(p["b"][1] ** 2) * p["t"][1]


def structured(x):
    return np.sin(x), {"a": x[0] * 2.0, "n": 3, "s": "text"}, [x[1]]


def of_complex(z):
    return np.abs(z) ** 2 + 1j * z * z


def real_of_complex(z):
    return np.sum(np.abs(z) ** 2)


def writes(x):
    x[0] = x[1] * x[2]
    x *= 2
    return np.sum(x**2)


def drawing(x):
    return np.sum(x * np.random.normal(size=3)) * random.random()


def given_generator(x, rng):
    return np.sum(x**2 * rng.normal(size=3))


def prints(x):
    print("once")
    return x * x


def many(x):
    return x**2 * np.exp(x)


CASES = {
    "arrays": (loss, (W, X[:2], X)),
    "integers": (loss, (W, X[:2], X, 2)),
    "float": (lambda x: x**3, (0.7,)),
    "zero_d": (lambda x: np.exp(x), (np.array(0.7),)),
    "numpy_scalar": (lambda x: np.exp(x), (np.float64(0.7),)),
    "float32": (loss, (W.astype("f4"), X[:2].astype("f4"), X.astype("f4"))),
    "float32_scalar": (lambda x: np.exp(x), (np.float32(0.7),)),
    "mixed_precision": (loss, (W.astype("f4"), X[:2], X)),
    "named_tuple": (of_pair, (Pair(1.5, X),)),
    "frozen": (of_frozen, (Frozen(0.3, W), X)),
    "object": (of_model, (Linear(), X)),
    "callable_object": (Linear(), (X,)),
    "containers": (of_containers, ({"a": 1.5, "b": [2.0, X], "t": (1, 0.5)},)),
    "structured": (structured, (X,)),
    "complex": (of_complex, (1.5 - 0.3j,)),
    "complex_array": (of_complex, (X + 0.5j,)),
    "real_of_complex": (real_of_complex, (X + 0.5j,)),
    "tiny": (lambda h, x: h * x / 1e-34, (6.626e-34, X)),
    "huge": (lambda x: np.sum(x**2), (1e150 * X[:2],)),
    "writes": (writes, (X,)),
    "draws": (drawing, (X,)),
    "generator": (given_generator, (X, np.random.default_rng(3))),
    "partial": (functools.partial(loss, W), (X[:2], X)),
    "edge": (lambda x: x**1.5, (0.0,)),
    "zeros": (lambda x: np.sum(x**2), (np.zeros(3),)),
    "no_slope": (lambda x, y: np.sum(np.floor(x)) + y, (X, 2.0)),
    "numbers_and_places": (of_places, (X, 0.05)),
    "the_library_is_an_argument": (of_library, (X,)),
    "empty": (lambda x: np.sum(x**2) + 1.0, (np.zeros(0),)),
}


@pytest.mark.parametrize("kind", [types.ModuleType, types.SimpleNamespace])
def test_an_argument_may_hold_itself(kind):
    """A library does, by its modules, and an object with a parent."""
    held = kind("held") if kind is types.ModuleType else kind()
    held.factor, held.held = 2.0, held
    assert ya.gradcheck(lambda x, m: np.sum(x**2) * m.factor, X, held, wrt="x")


@pytest.mark.parametrize("name", CASES)
def test_holds(name):
    fn, args = CASES[name]
    found = ya.gradcheck(fn, *args)
    assert found, str(found)
    assert all(row.verdict in ("agrees", "no derivative") for row in found.rows)
    for row in found.rows:
        assert row.verdict != "agrees" or row.digits >= 6, str(found)
        assert row.forward is None or row.forward >= 6, str(found)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("factor", [1.001, 0.999])
def test_a_gradient_off_by_a_thousandth_does_not_hold(name, factor, monkeypatch):
    """Whatever the arguments: a function whose text gives a thousandth more."""
    from yota_ast.tools.gradcheck import gradient_check

    fn, args = CASES[name]
    right = gradient_check.parts_of

    def wrong(value, gradient):
        for part in right(value, gradient):
            yield dataclasses.replace(part, gradient=part.gradient * factor)

    monkeypatch.setattr(gradient_check, "parts_of", wrong)
    found = ya.gradcheck(fn, *args)
    wrong_now = [row for row in found.rows if row.gradient]
    assert bool(found) == (not wrong_now), str(found)


def test_nothing_of_the_callers_is_changed():
    model, x = Linear(), X.copy()
    kept = copy.deepcopy(vars(model))
    ya.gradcheck(of_model, model, x)
    ya.gradcheck(model, x)
    ya.gradcheck(writes, x)
    assert same_bits(x, X)
    assert same_bits(vars(model), kept)


def test_shared_generators_go_on_where_they_were():
    np.random.seed(4)
    random.seed(4)
    expected = np.random.random(), random.random()
    np.random.seed(4)
    random.seed(4)
    assert ya.gradcheck(drawing, X)
    assert (np.random.random(), random.random()) == expected


def test_the_function_prints_once_for_itself_and_once_for_its_gradient(capsys):
    assert ya.gradcheck(prints, 2.0)
    assert capsys.readouterr().out == "once\nonce\n"


def softplus(x):
    return np.logaddexp(0.0, x)


def square(x):
    return x * x


def uses_softplus(x, y):
    return np.sum(softplus(x) * y)


@pytest.fixture
def rule():
    """Registers an adjoint of `softplus`, or of `square`, that may be wrong."""

    def register(text, call="softplus(x)"):
        ya.diffrule(call, "x", text)

    yield register
    for made in (*BOOK.rules_of(softplus), *BOOK.rules_of(square)):
        BOOK.remove(made)


def test_a_users_rule_that_is_right(rule):
    rule("dy / (1 + np.exp(-x))")
    assert ya.gradcheck(uses_softplus, X, 2 * X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1, 3, 1000, 100_000])
def test_a_users_rule_off_by_a_thousandth(rule, dtype, size):
    rule("1.001 * dy / (1 + np.exp(-x))")
    x, y = (np.resize(X, size) * np.linspace(1, 1.1, size)).astype(dtype), np.ones(size)
    found = ya.gradcheck(uses_softplus, x, y)
    assert not found
    by_name = {row.argument: row for row in found.rows}
    assert by_name["x"].verdict == "differs"
    assert 2.9 < by_name["x"].digits < 3.1
    assert by_name["y"].verdict == "agrees"


def test_the_worst_element_is_named(rule):
    rule("dy / (1 + np.exp(-x)) + np.array([0.0, 0.0, 0.125])")
    found = ya.gradcheck(uses_softplus, X, X)
    assert not found
    [note] = found.notes
    slope = X[2] / (1 + np.exp(-X[2]))
    gradient = f"{slope + 0.125:.8g}"
    assert note == f"x[2]: the gradient is {gradient}, the slope {slope:.8g}"


# ---------------------------------------------------------------- kinks and edges


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (lambda x: abs(x), 0.0),
        (lambda x: np.maximum(x, 0.0), 0.0),
        (lambda x: np.linalg.norm(x), np.zeros(1)),
        (lambda x: np.linalg.norm(x), np.zeros(3)),
        (lambda x: np.max(x), np.array([1.0, 1.0])),
        (lambda x: np.max(x), np.ones(5)),
        (lambda x: np.sort(x)[0] ** 2, np.ones(3)),
        (lambda x: np.sum(np.abs(x)), np.array([0.0, 2.0, 0.0])),
        (lambda x: np.where(x > 1, 2 * x - 1, x), 1.0),
    ],
)
def test_kinks_are_told_and_are_no_failure(fn, x):
    found = ya.gradcheck(fn, x)
    assert found, str(found)
    assert found.rows[0].verdict == "kink"
    assert any("a kink" in note for note in found.notes)


def test_a_kink_of_one_element_is_named_and_the_others_are_held():
    def hinge(x):
        return np.sum(np.abs(x) ** 3 + np.abs(x))

    x = np.array([1.5, 0.0, -2.0, 0.0])
    found = ya.gradcheck(hinge, x)
    assert found
    assert found.notes[0].startswith("x[1], x[3]: a kink; the slope is ")
    assert found.rows[0].digits > 6


def test_beside_a_kink_the_rest_is_still_compared(rule):
    rule("1.001 * dy / (1 + np.exp(-x))")

    def hinge(x):
        return np.sum(softplus(x) + np.abs(x))

    found = ya.gradcheck(hinge, np.array([1.5, 0.0, -2.0]))
    assert not found
    assert found.rows[0].verdict == "differs"


def test_nearer_than_any_step_to_a_kink():
    assert ya.gradcheck(lambda x: abs(x), 1e-12)
    assert ya.gradcheck(lambda x: np.sum(np.abs(x - 1.0)), 1.0 + np.array([1e-5, 1e-3]))


def test_where_a_function_ends_its_slope_is_from_one_side():
    found = ya.gradcheck(lambda x: x**1.5 + 2 * x, 0.0)
    assert found
    assert found.rows[0].method == "from the right"
    assert found.notes == ("x: f ends here; its slope is that of one side",)


def test_an_infinite_slope_is_not_decided():
    found = ya.gradcheck(lambda x: np.sqrt(x), 0.0)
    assert not found
    assert "the differences are too rough" in str(found)


def test_where_a_function_jumps_its_slope_is_from_one_side():
    found = ya.gradcheck(lambda x: np.floor(x) + x, 2.0)
    assert found
    assert found.notes == ("x: f jumps here; its slope is that of one side",)
    nowhere = ya.gradcheck(lambda x: np.sign(x) + x, 0.0)
    assert not nowhere
    assert nowhere.notes == ("x: f jumps here",)


# ---------------------------------------------------------------- what is refused


def test_a_function_that_is_never_the_same_is_refused():
    def noisy(x):
        return np.sum(x) * RNG.normal()

    with pytest.raises(YotaError, match="another value each time") as caught:
        ya.gradcheck(noisy, X)
    assert "generator as an argument" in caught.value.remedy


RNG = np.random.default_rng(0)


def drawing_above(x):
    if x > 0.7:
        x = x + (x - 0.7) * np.random.normal()
    return x


def test_each_run_draws_the_same_where_only_those_nearby_draw():
    before = np.random.get_state()[1].copy()
    found = ya.gradcheck(drawing_above, 0.7)
    assert found
    assert any("a kink" in note for note in found.notes), found
    assert any("are drawn" in note for note in found.notes), found
    assert np.array_equal(before, np.random.get_state()[1])


def test_draws_are_told():
    found = ya.gradcheck(drawing, X)
    said = "random numbers are drawn: each run began with the same ones"
    assert said in found.notes


def test_errors_of_the_function_pass_through():
    def fails(x):
        raise ZeroDivisionError("its own")

    with pytest.raises(ZeroDivisionError, match="its own"):
        ya.gradcheck(fails, 1.0)


def test_refusals_of_the_compiler_pass_through():
    def refused(x):
        global RNG
        RNG = x
        return x

    kept = RNG
    try:
        with pytest.raises(YotaError, match="the function assigns the global `RNG`"):
            ya.gradcheck(refused, 1.0)
    finally:
        globals()["RNG"] = kept


def test_options_that_may_be_parameters():
    def own(x, rng):
        return x * rng

    assert ya.gradcheck(own, 2.0, 3.0)
    with pytest.raises(YotaError, match="an option of `gradcheck`, and a parameter"):
        ya.gradcheck(own, 2.0, rng=3.0)


def test_wrt():
    found = ya.gradcheck(loss, np.abs(W), np.abs(X[:2]), np.abs(X), wrt=["b", "n"])
    assert found, str(found)
    verdicts = {row.argument: row.verdict for row in found.rows}
    assert verdicts == {
        "W": "no derivative", "b": "agrees", "x": "no derivative", "n": "agrees",
    }  # fmt: skip
    with pytest.raises(YotaError, match="no argument 'q'"):
        ya.gradcheck(loss, W, X[:2], X, wrt="q")


def test_where_forward_mode_is_refused_it_is_told():
    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

    found = ya.gradcheck(power, 1.5, 3)
    assert found.rows[0].forward is None or found.rows[0].forward > 10
    assert found


def test_decorated_functions():
    @ya.differentiable
    def energy(x):
        return np.sum(x**2)

    assert ya.gradcheck(energy, X)


# ---------------------------------------------------------------- the table


def test_the_whole_table():
    def model(m, x, n=2):
        return of_model(m, x) * n + np.sum(np.abs(x))

    found = ya.gradcheck(model, Linear(), np.array([1.0, 0.0, 2.0]))
    text = str(found)
    assert repr(found) == text
    head, columns, *rows = text.splitlines()
    assert head == "gradcheck of model: the gradient agrees with differences"
    assert columns.split() == "argument is gradient slope digits by forward".split()
    names = [row.split()[0] for row in rows]
    assert names == ["m.W", "m.b", "m.layers[0]", "x", "n", "x[1]:"]
    assert all(len(row) <= 88 for row in text.splitlines())
    assert str(ya.gradcheck(loss, W, X[:2], X)) == str(ya.gradcheck(loss, W, X[:2], X))
    other = ya.gradcheck(loss, W, X[:2], X, rng=1)
    assert str(ya.gradcheck(loss, W, X[:2], X)) != str(other)


def test_what_cannot_be_copied_is_refused():
    import threading

    class Locked:
        def __init__(self):
            self.W, self.lock = X.copy(), threading.Lock()

    def of_locked(m):
        return np.sum(m.W**2)

    with pytest.raises(YotaError, match="the arguments cannot be copied"):
        ya.gradcheck(of_locked, Locked())


def test_values_rounded_within_are_no_failure():
    def rounded(x):
        return float(np.sum(np.sin(x)).astype(np.float32))

    found = ya.gradcheck(rounded, X)
    assert found, str(found)
    assert 3 < found.rows[0].digits < 8


class Layer:
    def __init__(self, scale):
        self.W, self.b, self.name = scale * np.eye(3), 0.1 * X, "layer"


def test_objects_within_containers():
    def net(layers, x):
        for layer in layers["all"]:
            x = np.tanh(layer.W @ x + layer.b)
        return np.sum(x) * layers["rate"]

    found = ya.gradcheck(net, {"all": [Layer(0.5), Layer(0.7)], "rate": 0.3}, X)
    assert found, str(found)
    assert [row.argument for row in found.rows] == [
        "layers['all'][0].W", "layers['all'][0].b", "layers['all'][1].W",
        "layers['all'][1].b", "layers['rate']", "x",
    ]  # fmt: skip
    assert all(row.forward > 12 and row.gradient != 0 for row in found.rows)


# ---------------------------------------------------------------- slopes hard to find


CANCELLING = {
    "softmax": lambda x: np.sum(np.exp(x) / np.sum(np.exp(x))),
    "circle": lambda x: np.sum(np.sin(x) ** 2 + np.cos(x) ** 2),
    "normalized": lambda x: np.linalg.norm(x / np.linalg.norm(x)),
    "of itself": lambda x: np.dot(x, x) / np.sum(x * x),
    "columns": lambda x: np.sum(np.linalg.qr(np.outer(x, x) + np.eye(len(x)))[0] ** 2),
    "centered": lambda x: np.sum(x - np.mean(x)),
    "thirds": lambda x: np.sum(x - x / 3 - x / 3 - x / 3),
    "inverse": lambda x: np.sum(np.diag(x + 3) @ np.linalg.inv(np.diag(x + 3))) * 1e3,
}


@pytest.mark.parametrize("name", CANCELLING)
def test_slopes_that_cancel_are_no_failure(name):
    for x in (X, np.array([0.3, 1.7, -0.4, 0.9]), np.ones(3)):
        found = ya.gradcheck(CANCELLING[name], x)
        assert found, str(found)


def test_a_slope_that_is_nothing():
    assert ya.gradcheck(lambda a: np.linalg.det(a), np.ones((3, 3)))


@pytest.mark.parametrize(("left", "verdict"), [(1e-16, "agrees"), (1e-13, "differs")])
def test_what_rounding_leaves_where_values_and_slopes_are_nothing(rule, left, verdict):
    # BLAS leaves such in the gradient of `det` of ones: what, differs by machine.
    rule(f"2 * dy * x + {left}", "square(x)")
    for x in (0.0, np.zeros(3)):
        [row] = ya.gradcheck(lambda x: np.sum(square(x)), x).rows
        assert row.verdict == verdict


@pytest.mark.parametrize("often", [1e2, 1e3, 1e4, 1e5, 1e6])
def test_what_swings_is_not_said_to_differ(often):
    for x in (0.3, 1.0, 1.7):
        found = ya.gradcheck(lambda x: np.sin(often * x), x)
        assert found.rows[0].verdict in ("agrees", "undecided"), str(found)
        assert found or often > 1e5


def test_kinks_one_beside_the_other():
    """Of np.clip the gradient is 1 on both edges: between the sides of each."""
    found = ya.gradcheck(lambda x: np.sum(np.clip(x, 0, 1)), np.array([0.0, 1.0, 0.5]))
    assert found, str(found)
    assert found.rows[0].verdict == "kink"


@pytest.mark.parametrize("by", [[0.5, 0.5], [-0.5, -0.5], [0.0, 0.6]])
def test_kinks_that_are_not(monkeypatch, by):
    """Of the greatest each share is between 0 and 1, and all together are 1."""

    from yota_ast.tools.gradcheck import gradient_check

    def greatest(x):
        return np.max(x)

    right = gradient_check.parts_of

    def wrong(value, gradient):
        for part in right(value, gradient):
            yield dataclasses.replace(part, gradient=part.gradient + np.array(by))

    assert ya.gradcheck(greatest, np.ones(2))
    monkeypatch.setattr(gradient_check, "parts_of", wrong)
    assert not ya.gradcheck(greatest, np.ones(2))


@pytest.mark.parametrize("small", [1e-3, 0.0])
def test_what_goes_under_beside_others_is_looked_at(monkeypatch, small):
    from yota_ast.tools.gradcheck import gradient_check

    x, right = np.array([1e4, small]), gradient_check.parts_of

    def wrong(value, gradient):
        for part in right(value, gradient):
            yield dataclasses.replace(part, gradient=part.gradient + np.array([0, 1.0]))

    assert ya.gradcheck(lambda x: np.sum(x**2), x)
    monkeypatch.setattr(gradient_check, "parts_of", wrong)
    assert not ya.gradcheck(lambda x: np.sum(x**2), x)


def root_of_two(k):
    return fsolve(lambda t: t * t - k, 1.0)[0]


def test_callbacks_that_take_no_complex_numbers_print_nothing(capsys):
    assert ya.gradcheck(root_of_two, 0.5)
    assert capsys.readouterr().err == ""
