"""Objects, dicts, lists and arrays of a module or of a closure that a function writes:
they are changed once, as the function changes them."""

import contextlib
import math
import re
import threading

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .every_mode import check_every_mode, slopes

X = np.array([0.7, 1.3, 2.1])
V = np.array([0.3, -0.5, 0.8])


class Model:
    def __init__(self):
        self.theta = np.ones(3)
        self.calls = 0
        self.mode = "train"
        self.losses = []
        self.part = Part()

    def set_params(self, theta):
        self.theta = theta

    def predict(self, x):
        return np.tanh(self.theta * x)

    def step(self, loss):
        self.calls += 1
        self.losses.append(self.part.rate * loss * self.calls)
        return self.losses[-1]


class Part:
    def __init__(self):
        self.rate = 0.5


MODEL = Model()
OTHER = MODEL
COUNT = {"calls": 0}
CACHE = {}
LOSSES = [0.5]
BUFFER = np.zeros(3)
LOG = {"losses": [], "n": 0}


@pytest.fixture(autouse=True)
def _fresh():
    as_at_first()


def as_at_first():
    """Have all stand as it stood at first."""
    vars(MODEL).clear()
    vars(MODEL).update(vars(Model()))
    COUNT["calls"] = 0
    CACHE.clear()
    LOSSES[:] = [0.5]
    BUFFER[:] = 0
    LOG.update(losses=[], n=0)


def state():
    """What stands outside, as text."""
    fields = {**vars(MODEL), "part": vars(MODEL.part)}
    return repr((fields, COUNT, CACHE, LOSSES, BUFFER, LOG))


def plain(x):
    COUNT["calls"] += 1
    MODEL.set_params(x)
    return np.sum(MODEL.predict(np.array([1.0, 2.0, 0.5])) ** 2)


def in_a_loop(x):
    for k in range(3):
        MODEL.theta = MODEL.theta * x[k]
        MODEL.calls += 1
    return np.sum(MODEL.theta) * MODEL.calls


def in_an_arm(x):
    if x[0] > 1:
        CACHE["large"] = x[0]
    else:
        CACHE["small"] = x[0] * 2
    return np.sum(x**2)


def predicted(x):
    MODEL.calls += 1
    return np.sum(MODEL.theta * x)


def in_a_helper(x):
    MODEL.theta = x**2
    return predicted(x) + predicted(2 * x)


def after_an_overwrite(x):
    y = x * 2
    MODEL.theta = y
    y[0] = 7 * x[1]
    MODEL.theta = MODEL.theta * x
    return np.sum(MODEL.theta * y)


def history(x):
    loss = np.sum(x**2)
    LOSSES.append(float(loss))
    return loss * LOSSES[0]


def differentiated_history(x):
    for v in x:
        LOSSES.append(v**2)  # noqa: PERF401
    return LOSSES[-1] * LOSSES[1] + len(LOSSES)


def history_of_a_method(x):
    loss = MODEL.step(x[0] * x[2]) * x[1]
    for v in x:
        loss += MODEL.step(np.sin(v))
    return loss + len(MODEL.losses)


def log(x):
    loss = np.sum(np.sin(x))
    LOG["losses"].append(float(loss))
    LOG["n"] += 1
    return loss


def buffer(x):
    BUFFER[:] = x
    BUFFER[0] *= 2
    return np.sum(BUFFER**2)


def array_of_a_field(x):
    MODEL.theta += x
    return np.sum(MODEL.theta * x)


def part_of_a_part(x):
    MODEL.part.rate = x[0] ** 2
    MODEL.calls += 1
    return MODEL.part.rate * x[1]


def by_mode(x):
    y = x * 2 if MODEL.mode == "train" else x * 3
    MODEL.mode = "test"
    return np.sum(y * x) if MODEL.mode == "test" else np.sum(y)


def looked_up(x):
    if "n" not in CACHE:
        CACHE["n"] = len(x)
    return np.sum(x**2) * CACHE["n"]


def in_a_try(x):
    try:
        MODEL.calls += 1
        v = math.log(x[0] - 1)
        MODEL.theta = x
    except ValueError:
        v = x[0] ** 2
    return v * MODEL.calls + np.sum(MODEL.theta)


EVERY = [
    plain,
    in_a_loop,
    in_an_arm,
    in_a_helper,
    after_an_overwrite,
    history,
    differentiated_history,
    history_of_a_method,
    log,
    buffer,
    array_of_a_field,
    part_of_a_part,
    by_mode,
    looked_up,
    in_a_try,
]


def from_start(call):
    """What a call gives where all stands as at first, and what it leaves."""
    as_at_first()
    found = call()
    return found, state()


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", EVERY)
def test_every_mode(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    expected, left = from_start(lambda: f(X))
    slope = slopes(lambda x: from_start(lambda: f(x))[0], X)
    (val, g), after = from_start(lambda: ya.grad(f, X))
    assert (val, after) == (expected, left)
    np.testing.assert_allclose(g[0], slope, atol=1e-6)
    (val, tangent), after = from_start(lambda: ya.jvp(f)(X, V))
    assert (val, after) == (expected, left)
    assert tangent == pytest.approx(slope @ V, abs=1e-5)


SECOND = [f for f in EVERY if f not in (in_an_arm, in_a_try)]


@pytest.mark.parametrize("f", SECOND)
def test_second_order(f):
    def bare(x):
        return from_start(lambda: ya.grad(f, x))[0][1][0]

    found, _ = from_start(lambda: ya.hvp(f)(X, V))
    curved = (bare(X + 1e-5 * V) - bare(X - 1e-5 * V)) / 2e-5
    np.testing.assert_allclose(found, curved, atol=1e-4)


@pytest.mark.parametrize(
    "f", [f for f in EVERY if f not in (looked_up, in_an_arm, in_a_try)]
)
def test_a_function_made_once_serves_every_state(f):
    """Twice in a row: the second call starts from what the first has left."""
    made = ya.simplegrad(f, X)
    for x in (X, X * 1.1):
        expected = f"{(f(x), state())}"
    as_at_first()
    for x in (X, X * 1.1):
        val, *_ = made(x)
        found = f"{(val, state())}"
    assert found == expected


def test_what_decides_is_checked():
    """A key that was missing is there at the second call."""
    made = ya.simplegrad(looked_up, X)
    made(X)
    with pytest.raises(ValueError, match="made for CACHE of 0 items"):
        made(X)
    assert ya.grad(looked_up, X)[0] == looked_up(X)


def test_the_code_reads_the_object_when_it_runs():
    source = ya.simplegrad(plain, X).source
    assert 'COUNT["calls"] = COUNT_calls + 1' in source
    assert "MODEL.theta = x" in source


def other_name(x):
    MODEL.theta = x * 2
    return np.sum(OTHER.theta * x)


@ya.primitive
def read_inside(x):
    return np.sum(MODEL.theta) + 0.0 * np.sum(x)


ya.nodiff("read_inside(x)", "x")


def read_by_a_primitive(x):
    MODEL.theta = x**2
    return np.sum(x) * read_inside(np.ones(3))


class Reader:
    def __call__(self, x):
        return np.sum(MODEL.theta) + 0.0 * np.sum(x)


READER = ya.primitive(Reader())
ya.nodiff("READER(x)", "x")


def read_by_an_object(x):
    MODEL.theta = x**2
    return np.sum(x) * READER(np.ones(3))


def given_and_outside(x, m):
    MODEL.theta = x
    return np.sum(m.theta * x)


SHARED = np.array([1.0, 2.0])
HELD = {"v": SHARED, "k": 2.0}
PART = SHARED[:1]


def array_in_a_dict(x):
    SHARED[0] = x[0]
    return np.sum(SHARED * x) * np.sum(HELD["v"])


def array_and_a_part(x):
    SHARED[0] = x[0]
    return np.sum(SHARED * x) * np.sum(PART)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a, self.b = 1.0, 2.0


SLOTTED = Slotted()
NEST = {"p": {"q": 1.0}}
INNER = {"q": 1.0}
OUTER = {"p": INNER}


def in_slots(x):
    SLOTTED.a = x[0] * 2
    return SLOTTED.a * SLOTTED.b


def within_a_dict(x):
    NEST["p"]["q"] = x[0]
    return NEST["p"]["q"] ** 2


def by_a_name_of_its_own(x):
    INNER["q"] = x[0]
    return INNER["q"] ** 2


def test_what_the_remedy_of_a_part_says():
    value, g = ya.grad(by_a_name_of_its_own, X)
    assert OUTER["p"]["q"] == X[0]
    assert value == X[0] ** 2
    assert g["x"].tolist() == [2 * X[0], *np.zeros(len(X) - 1)]


@pytest.mark.parametrize(
    ("f", "args", "told"),
    [
        (in_slots, (X,), "the function writes into `SLOTTED`\n"),
        (within_a_dict, (X,), "writes into `NEST['p']`, and reads what holds it\n"),
        (array_in_a_dict, (X,), "`SHARED`, which is also `HELD['v']`"),
        (array_and_a_part, (X,), "`SHARED`, which is also `PART`"),
        (other_name, (X,), "`MODEL`, which is also `OTHER`"),
        (read_by_a_primitive, (X,), "`read_inside`, a primitive, may read"),
        (read_by_an_object, (X,), "a primitive, may read"),
        (given_and_outside, (X, MODEL), "`MODEL`, which is also `m`"),
    ],
)
def test_what_cannot_be_followed(f, args, told):
    with pytest.raises(UnsupportedSyntax, match=re.escape(told)):
        ya.grad(f, *args, wrt=0)


@ya.primitive
def read_given(theta, x):
    return np.sum(theta) + 0.0 * np.sum(x)


ya.nodiff("read_given(t, x)", "t")
ya.nodiff("read_given(t, x)", "x")


def one_name(x):
    MODEL.theta = x * 2
    return np.sum(MODEL.theta * x)


def given_what_it_reads(x):
    MODEL.theta = x**2
    return np.sum(x) * read_given(MODEL.theta, np.ones(3))


@pytest.mark.parametrize("f", [one_name, given_what_it_reads])
def test_what_the_remedies_say(f):
    assert ya.grad(f, X)[0] == f(X)


def test_the_place_is_that_of_the_write():
    with pytest.raises(UnsupportedSyntax) as told:
        ya.grad(read_by_a_primitive, X)
    assert told.value.lineno == read_by_a_primitive.__code__.co_firstlineno + 1


def test_an_argument_that_is_another_object():
    other = Model()
    assert ya.grad(given_and_outside, X, other, wrt=0)[0] == np.sum(other.theta * X)
    assert MODEL.theta is X


def test_arrays_that_share_memory():
    made = ya.simplegrad(buffer, X)
    with pytest.raises(ValueError, match="share no memory"):
        made(BUFFER)


def test_a_list_that_holds_arrays_later():
    made = ya.simplegrad(history, X)
    LOSSES[0] = np.ones(2)
    with pytest.raises(ValueError, match="numbers in LOSSES"):
        made(X)


def test_a_closure():
    model = Model()

    def loss(theta):
        model.set_params(theta)
        return np.sum(model.predict(theta) ** 2)

    def free(theta):
        return np.sum(np.tanh(theta * theta) ** 2)

    val, g = ya.grad(loss, X)
    assert val == free(X)
    assert model.theta is X
    np.testing.assert_allclose(g[0], slopes(free, X), atol=1e-6)


def test_a_file(tmp_path):
    made = ya.simplegrad(plain, X)
    made.save(tmp_path / "plain_grad.py")
    text = (tmp_path / "plain_grad.py").read_text()
    assert re.search(r"MODEL = .*test_written_outside\.MODEL\n", text)


LOCAL = threading.local()


@contextlib.contextmanager
def options(**given):
    before = LOCAL.options.copy()
    LOCAL.options.update(given)
    try:
        yield
    finally:
        LOCAL.options.clear()
        LOCAL.options.update(before)


def with_options(x):
    total = np.sum(x) * LOCAL.options.copy()["scale"]
    with options(scale=5.0):
        total += np.sum(x**2) * LOCAL.options["scale"]
    return total * LOCAL.options["scale"]


def test_a_dict_that_no_object_of_a_class_in_python_holds():
    for scale in (2.0, 3.0):
        LOCAL.options = held = {"scale": scale}
        check_every_mode(with_options, X, V)
        assert LOCAL.options is held
        assert held == {"scale": scale}


def with_more_by_name(x, **more):
    COUNT["calls"] += 1
    if "scale" not in more:
        more["scale"] = 2 * x
    return x * more["scale"] * COUNT["calls"]


def with_more_by_position(x, *more, power=2):
    COUNT["calls"] += 1
    return x**power * sum(more, 1.0) * COUNT["calls"]


@pytest.mark.parametrize(
    ("f", "more", "named", "slope"),
    [
        (with_more_by_name, (), {}, 2.8),
        (with_more_by_name, (), {"scale": 3.0}, 3.0),
        (with_more_by_position, (), {}, 1.4),
        (with_more_by_position, (1.0, 2.0), {"power": 1}, 4.0),
    ],
)
def test_with_arguments_of_any_number(f, more, named, slope):
    def slope_of(f, x, *more, **named):
        value, g = ya.grad(f, x, *more, **named)
        return value, g[0]

    def tangent_of(f, x, *more, **named):
        return ya.jvp(f, wrt=[0])(x, *more, 1.0, **named)

    for transform in (slope_of, tangent_of):
        COUNT["calls"] = 0
        value, found = transform(f, 0.7, *more, **named)
        COUNT["calls"] = 0
        assert value == f(0.7, *more, **named)
        assert COUNT["calls"] == 1
        assert np.isclose(found, slope)


def test_such_a_dict_by_another_name():
    LOCAL.options = held = {"scale": 2.0}

    def f(x, given=held):
        LOCAL.options["scale"] = 3.0
        return x * LOCAL.options.get("scale") * given["scale"]

    with pytest.raises(UnsupportedSyntax, match="which is also `given`"):
        ya.grad(f, 0.7)


def emptied(x, d):
    d.pop("old")
    d["new"] = x[0] * 2
    return d["new"] * x[1]


def in_another_order(x, d):
    d["old"] = d.pop("old") * x[0]
    return d["old"] * x[1]


def on_one_way(x, d):
    if x[0] > 0:
        d["a"] = x[0]
    return np.sum(x**2)


@pytest.mark.parametrize("f", [emptied, in_another_order, on_one_way])
@pytest.mark.parametrize("x", [X, -X])
def test_keys_of_a_dict_that_is_given(f, x):
    one, two = {"old": 1.5, "kept": 2.0}, {"old": 1.5, "kept": 2.0}
    expected = f(x, one)
    assert ya.grad(f, x, two, wrt=0)[0] == expected
    assert [*one.items()] == [*two.items()]


def test_keys_of_a_dict_that_holds_containers():
    with pytest.raises(UnsupportedSyntax, match="which holds containers"):
        ya.grad(on_one_way, X, {"rows": [1.0]}, wrt=0)


HISTORY = []


class Counted:
    def __init__(self):
        self.calls = 0.0


COUNTED = Counted()


def noted(x):
    HISTORY.append(x[0])
    return x * HISTORY[-1]


def counted(x):
    COUNTED.calls = COUNTED.calls + 1.0
    return np.sum(x**2) * COUNTED.calls


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ya.jacobian(noted)(X), "`jacobian` runs the function once"),
        (lambda: ya.vjp(noted)(X), "the pullback runs the function again"),
        (lambda: ya.hessian(counted)(X), "`hessian` runs the gradient once"),
        (lambda: ya.vjp(counted)(X), "the pullback runs the function again"),
    ],
)
def test_what_would_happen_several_times(call, told):
    with pytest.raises(ya.UnsupportedCall, match=told):
        call()
    assert COUNTED.calls == 0.0


class Noting:
    def __init__(self):
        self.calls, self.losses = 0.0, []


NOTING = Noting()


def noted_in_an_object(x):
    NOTING.calls = NOTING.calls + 1.0
    NOTING.losses.append(x[0])
    return np.sum(x) * NOTING.calls


def test_the_head_names_what_the_text_reads():
    source = ya.simplegrad(noted_in_an_object, X).source
    assert source.startswith("# Values of this process: NOTING_2.\nimport")
    assert "setitem" not in source
