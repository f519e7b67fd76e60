"""The statements of Yota's README and manual that have a meaning in Python."""

import operator
from numbers import Number

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import YotaError


class Linear:
    def __init__(self, W, b):
        self.W = W
        self.b = b


def forward(m: Linear, X):
    return m.W @ X


def loss(m: Linear, X):
    return np.sum(forward(m, X))


@pytest.fixture
def model():
    rng = np.random.default_rng(1)
    return Linear(rng.random((3, 4)), rng.random(3)), rng.random((4, 5))


# ---------------------------------------------------------------- usage


def test_structs_give_gradients_by_field_path(model):
    m, X = model
    val, g = ya.grad(loss, m, X)
    assert val == loss(m, X)
    assert list(g[0]) == [("W",)]  # one entry, as in the README: b is not read
    np.testing.assert_allclose(g[0]["W",], np.tile(X.sum(axis=1), (3, 1)))
    np.testing.assert_allclose(g[1], np.tile(m.W.sum(axis=0)[:, None], (1, 5)))
    assert len(g) == 2


def test_update_goes_down(model):
    m, X = model
    b, values = m.b.copy(), []
    for _ in range(100):
        val, g = ya.grad(loss, m, X)
        values.append(val)
        ya.update(m, g[0], lambda x, gx: x - 0.01 * gx)
    assert np.all(np.diff(values) < 0)
    assert values[-1] < 0  # "loss value quickly goes below zero"
    assert np.array_equal(m.b, b)


class CallableLinear(Linear):
    def __call__(self, X):
        return self.W @ X + self.b[:, None]


def call_loss(m: CallableLinear, X):
    return np.sum(m(X))


def test_objects_that_are_called(model):
    m, X = model
    _, g = ya.grad(call_loss, CallableLinear(m.W, m.b), X)
    np.testing.assert_allclose(g[0]["W",], np.tile(X.sum(axis=1), (3, 1)))
    np.testing.assert_allclose(g[0]["b",], np.full(3, 5.0))


# ---------------------------------------------------------------- custom derivatives


def logistic(x):
    return 1 / (1 + np.exp(-x))


def L(x):
    return np.sum(ya.broadcast(logistic, x))


@pytest.fixture
def x():
    return np.random.default_rng(2).random(5)


ya.diffrule("logistic(x: Number)", "x", "(logistic(x) * (1 - logistic(x)) * dy)")


def test_diffrule(x):
    val, g = ya.grad(L, x)
    y = logistic(x)
    assert val == np.sum(y)
    np.testing.assert_allclose(g[0], y * (1 - y))
    # The rule's `logistic(x)` is the value that the forward sweep has.
    assert "t1 = broadcast(logistic, x)" in g.source
    assert "t1 * (1 - t1)" in g.source


def cube(x):
    raise AssertionError(x)  # never run, nor read: the rule says all


@ya.diffrule
def _(x: Number, *, dy):
    y = cube(x)
    dx = 3 * x**2 * dy


def test_diffrule_as_a_function():
    dloss = ya.simplegrad(lambda x: cube(x) * 2.0, 1.5)
    assert "cube(x)" in dloss.source


def conv(x, w, pad=0):
    return np.convolve(np.pad(x, pad), w, "valid")


def conv_data(dy, w, pad=0):
    dx = np.convolve(dy, w[::-1])
    return dx[pad : len(dx) - pad]


def conv_filter(dy, x, pad=0):
    return np.convolve(np.pad(x, pad)[::-1], dy, "valid")


ya.diffrule_kw("conv(x, w)", "x", "conv_data(dy, w)")
ya.diffrule_kw("conv(x, w)", "w", "conv_filter(dy, x)")


def conv_loss(A, W):
    return np.sum(conv(A, W, pad=1) ** 2)


def test_diffrule_kw_hands_on_the_keywords():
    rng = np.random.default_rng(3)
    A, W = rng.random(6), rng.random(3)
    _, g = ya.grad(conv_loss, A, W)
    for k, argument in enumerate((A, W)):
        for i in range(len(argument)):
            step = np.zeros(len(argument))
            step[i] = 1e-6
            up, down = [A, W], [A, W]
            up[k], down[k] = argument + step, argument - step
            slope = (conv_loss(*up) - conv_loss(*down)) / 2e-6
            assert g[k][i] == pytest.approx(slope, rel=1e-6)
    assert "conv_data(" in g.source
    assert g.source.count("pad=1") == 4  # with the line quoted


def pick(x, k):
    return x[k]


def put(dy, x, k):
    dx = np.zeros_like(x)
    dx[k] = dy
    return dx


ya.diffrule("pick(x, k)", "x", "put(dy, x, k)")
ya.nodiff("pick(x, k)", "k")


def test_nodiff():
    _, g = ya.grad(lambda x, k: pick(x, k) * 2.0, np.ones(3), 1)
    assert g[0].tolist() == [0.0, 2.0, 0.0]


def bar(u, state):
    return u * state["scale"]


ya.diffrule("bar(u, _state)", "u", "dy * _state['scale']")


def test_placeholders():
    assert set("tuvwxijk") <= set(ya.DIFF_PHS)
    _, g = ya.grad(lambda u, state: bar(u, state) + 1, 2.0, {"scale": 3}, wrt="u")
    assert g[0] == 3.0


def test_a_placeholder_that_is_none():
    with pytest.raises(YotaError):
        ya.diffrule("bar(q)", "q", "dy")


# ---------------------------------------------------------------- tracer and tape


def test_trace(x):
    val, tape = ya.trace(L, x)
    assert val == L(x)
    assert str(tape) == (
        "Tape\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  const %2 = logistic\n"
        "  %3 = broadcast(%2, %1)::ndarray[float64, 1]\n"
        "  %4 = sum(%3)::float64\n"
        "  result %4"
    )
    assert ya.grad(L, x)[1].tape == tape


def test_primitives_are_recorded_as_is():
    assert operator.mul in ya.PRIMITIVES
    assert ya.broadcast in ya.PRIMITIVES
    assert logistic in ya.PRIMITIVES
    assert forward not in ya.PRIMITIVES


def helper(x):
    return 2 * x


def use(x):
    return np.sum(helper(x))


def test_custom_primitives(x):
    _, tape = ya.trace(use, x)
    assert "mul(2, %1)" in str(tape)
    assert "helper" not in str(tape)
    val, tape = ya.trace(use, x, primitives={helper})
    assert "helper(%1)" in str(tape)
    assert "mul" not in str(tape)
    assert val == use(x) == ya.play(tape, x)


def test_play_and_compile(x):
    _, tape = ya.trace(L, x)
    other = x + 1.0
    assert ya.play(tape, other) == tape.play(other) == L(other)
    compiled = ya.compile(tape)
    assert compiled(other) == ya.play(tape, other) == tape.play(other) == L(other)


# ---------------------------------------------------------------- static and dynamic


def iterative(x, n):
    for _ in range(n):
        x = 2 * x
    return np.sum(x)


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 1, 3, 2, 1)])
@pytest.mark.parametrize("options", [{}, {"dynamic": True}, {"dynamic": False}])
def test_every_trip_count_in_any_order(order, options):
    x = np.random.default_rng(4).random(4)
    for n in order:
        _, g = ya.grad(iterative, x, n, **options)
        assert g[0].tolist() == [2.0**n] * 4


def test_one_tape_for_every_trip_count():
    x = np.ones(4)
    _, tape = ya.trace(iterative, x, 1)
    assert [ya.play(tape, x, n) for n in (1, 2, 3)] == [8.0, 16.0, 32.0]


def test_one_text_for_every_trip_count():
    x = np.ones(4)
    texts = {ya.grad(iterative, x, n)[1].source for n in (1, 2, 3)}
    assert len(texts) == 1


# ---------------------------------------------------------------- the manual


def test_a_number():
    val, g = ya.grad(lambda x: 5 * x + 3, 10.0)
    assert (val, g[0]) == (53.0, 5.0)


def test_gradients_unpack():
    val, g = ya.grad(lambda x, y: x**2 + np.sqrt(y), 2.0, 3.0)
    dx, dy = g
    assert val == 4.0 + np.sqrt(3.0)
    assert dx == 4.0
    assert dy == pytest.approx(0.5 / np.sqrt(3.0))


def product(a, b):
    return a * b


def sine(a):
    return np.sin(a)


def two(x1, x2):
    return product(x1, x2) + sine(x1)


def test_the_numbers_of_the_manual():
    val, g = ya.grad(two, 2.0, 3.0)
    assert val == pytest.approx(6.909297426825682, rel=1e-15)
    assert g[0] == pytest.approx(2.5838531634528574, rel=1e-15)
    assert g[1] == 2.0


def test_nested_calls_are_inlined():
    _, tape = ya.trace(two, 2.0, 3.0)
    assert str(tape) == (
        "Tape\n"
        "  inp %1::float\n"
        "  inp %2::float\n"
        "  %3 = mul(%1, %2)::float\n"
        "  %4 = sin(%1)::float64\n"
        "  %5 = add(%3, %4)::float64\n"
        "  result %5"
    )


def affine(w, b, x):
    return w @ x + b[:, None]


def test_seed_and_pullback():
    rng = np.random.default_rng(5)
    w, b, x = rng.random((3, 4)), rng.random(3), rng.random((4, 5))
    val, g = ya.grad(affine, w, b, x, seed=np.ones((3, 5)))
    assert np.array_equal(val, affine(w, b, x))
    np.testing.assert_allclose(g["w"], np.ones((3, 5)) @ x.T)
    np.testing.assert_allclose(g["b"], np.full(3, 5.0))
    np.testing.assert_allclose(g["x"], w.T @ np.ones((3, 5)))
