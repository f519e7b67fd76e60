"""Arrays that are written as a whole: new values where no other name is read later."""

import operator

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.saving.rebound_arrays import with_updates_again
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, For, Store
from yota_ast.ir.store_changes import Update

V = np.array([0.3, -1.2, 0.7, 0.4])


@pytest.fixture(params=["all", "-rebound", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def divided(x):
    w = np.exp(x)
    w /= w.sum()
    return w @ V


def stored(x):
    y = np.empty_like(x)
    y[:] = np.sin(x)
    np.exp(y, out=y)
    y[...] = y * x
    return y @ V


def chained(x):
    w = x * 2.0
    w *= w
    w -= w.mean()
    w /= 1.0 + w[0] ** 2
    return w @ V


def view_read_later(x):
    w = np.exp(x)
    first = w[:2]
    w /= w.sum()
    return np.sum(first**2) + w @ V


def view_kept(x):
    w = 3.0 * x
    total = np.sum(w[:2] ** 3)
    w *= 2.0
    return total + w @ V


def view_of_an_argument(x):
    y = x[::-1]
    y *= 2.0
    y *= y
    return y @ V


def shared_list(x):
    rows = [np.exp(x), np.sin(x)]
    for row in rows:
        row *= row
    rows[0] *= rows[1]
    return rows[0] @ V


def view_written_later(x):
    w = np.exp(x)
    first = w[:2]
    w *= w
    first += 1.0
    return w @ V


def view_of_the_second(x):
    w = np.exp(x)
    w *= 2.0 * w
    first = w[:2]
    w *= w
    return np.sum(first) + w @ V


def held_by_a_list(x):
    w = np.exp(x)
    kept = [w, w * 2.0]
    w /= w.sum()
    return np.sum(kept[0] ** 2) + kept[1] @ V


def held_by_a_growing_list(x):
    kept = []
    for k in range(3):
        w = np.exp(x * k)
        kept.append(w)
        w /= w.sum()
    return sum(np.sum(w * w) for w in kept)


def second_name(x):
    w = np.exp(x)
    u = w
    w *= x
    return u @ V + np.sum(w)


def reshaped(x):
    w = np.exp(x).reshape(2, 2)
    flat = w.ravel()
    w /= w.sum(axis=1)[:, None]
    return flat @ V


def on_one_way(x):
    w = np.exp(x)
    if x[0] > 0.0:
        w /= w.sum()
    return w @ V


def within_an_arm(x):
    total = 0.0
    if x[0] > 0.0:
        w = np.exp(x)
        w /= w.sum()
        total = w @ V
    return total + np.sum(x)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        w = np.exp(x * k)
        w /= w.sum()
        w *= w
        total = total + w @ V
    return total


def carried(x):
    w = np.exp(x)
    for _ in range(3):
        w /= 1.0 + w.sum()
        w *= w
    return w @ V


def in_a_try(x):
    w = np.exp(x)
    try:
        w *= w
        w *= V[int(x[0] > 0.0) + 3]
    except IndexError:
        w += 1.0
    return w @ V


def in_a_with(x):
    w, u = np.exp(x), np.sin(x)
    with np.errstate(all="ignore"):
        u[:] = w * w
        w -= w.mean()
        y = np.cos(w)
        y *= u
        y -= y.mean()
    return w @ V + y @ y


def by_a_function(x):
    def scaled(u):
        u *= u.sum()
        return u

    w = np.exp(x)
    u = scaled(w)
    return w @ V + u @ u


def stored_again(x):
    u, total = np.sin(x), 0.0
    for _ in range(len(x)):
        y = np.empty_like(x)
        y[:] = u
        y *= 2.0
        total = total + y @ V
    return total


def stored_and_read(x):
    w = np.exp(x)
    u = np.sin(x)
    w[:] = u
    u *= 2.0
    return w @ V + u @ u


def stored_in_turn(x):
    y, z = np.ones_like(x), np.cos(x)
    z[...] = np.sin(x) * x
    y[:] = z
    y *= x
    u = np.empty_like(x)
    u[:] = y
    return np.sum(u**2)


def read_between(x):
    w = np.exp(x)
    u = w * np.sin(x)
    total = w @ V
    w[...] = u
    return total + w @ w


def of_an_argument(x):
    y = x.copy()
    y -= y.max()
    e = np.exp(y)
    e /= e.sum()
    return e @ V


PROGRAMS = (
    divided, stored, chained, view_read_later, view_kept, view_of_an_argument,
    shared_list, view_written_later, view_of_the_second, held_by_a_list,
    held_by_a_growing_list, second_name, reshaped, on_one_way, within_an_arm,
    in_a_loop, carried, in_a_try, in_a_with, by_a_function, stored_again,
    stored_and_read, stored_in_turn, read_between, of_an_argument,
)  # fmt: skip
POINTS = (np.array([0.5, -0.3, 0.2, 1.1]), np.array([-0.5, 0.9, 0.1, -0.4]))


def slope(f, x, h=1e-6):
    eye = np.eye(len(x)) * h
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in eye])


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_gradient(f):
    for like in POINTS:
        df = ya.simplegrad(f, like)
        for x in POINTS:
            value, dx = df(x.copy())
            assert value == f(x.copy())
            assert dx == pytest.approx(slope(f, x), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", PROGRAMS)
def test_the_second_derivative(f):
    x, v = POINTS[0], np.array([0.2, 1.0, -0.7, 0.3])
    h = 1e-5
    up, down = (ya.simplegrad(f, x)(x + s * h * v)[1] for s in (1, -1))
    found = ya.hvp(f)(x, v)
    assert found == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-7)


def over(w, s):
    w = np.sin(w)
    w -= s * w * w
    return np.sum(w)


def put(w, s):
    y = np.empty_like(w)
    y[:] = s * w
    return np.sum(y * y)


def over_root(w, n):
    w = np.sin(w)
    w += w * w * np.sqrt(n)
    return np.sum(w * w)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("of_w", ["f4", "f8"])
@pytest.mark.parametrize("of_s", ["f4", "f8"])
@pytest.mark.parametrize("f", [over, put])
def test_floats_of_two_widths(f, of_w, of_s):
    """The array stays as wide as it is."""
    w = np.array([0.3, 0.7, -0.2])
    s = np.array([1.3, 0.7, 2.0])
    df = ya.simplegrad(f, w, s, wrt=("w",))
    given = w.astype(of_w), s.astype(of_s)
    value, dw = df(*given)
    assert value == f(*given)
    assert value.dtype == dw.dtype == of_w


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("of_w", ["f4", "f8"])
def test_numbers_of_numpy(of_w):
    """np.sqrt(3) is a double, which makes no array of doubles in place."""
    w = np.array([0.3, 0.7, -0.2]).astype(of_w)
    value, dw = ya.simplegrad(over_root, w.astype(float), 3, wrt=("w",))(w, 3)
    assert value == over_root(w, 3)
    assert value.dtype == dw.dtype == of_w


def squared_view(x):
    w = np.tanh(x)
    u = w.reshape(2, 2)
    w *= w
    return np.sum(u**2) + np.sum(w)


@pytest.mark.usefixtures("passes")
def test_a_view_that_the_text_tests():
    """It asks whether a view lies where the array does, which a new value does not."""
    x = np.array([[0.3, 0.7], [-0.2, 0.5]])
    value, dx = ya.simplegrad(squared_view, x)(x)
    y = np.tanh(x)
    assert value == squared_view(x)
    assert dx == pytest.approx((4 * y**3 + 2 * y) * (1 - y * y))


def test_what_is_stored_in_turn_is_one_value():
    forward = ya.simplegrad(stored_in_turn, POINTS[0]).source.split("# reverse")[0]
    assert "    u = y * x\n" in forward


def test_what_is_read_later_is_not_written():
    x, w, z, r = (Var(name, array_fact("f8", (3,))) for name in "xwzr")
    made, new = Apply(w, np.exp, (x,)), Apply(z, operator.mul, (w, x))
    stores = {"z": Store(z, w, Const(...), x, Update(operator.mul))}
    read = Block((made, new, Apply(r, np.sin, (w,))))
    assert with_updates_again(read, Block(), stores, [z, r]) is read
    again = with_updates_again(Block(read.ops[:2]), Block(), stores, [z])
    assert again.ops == (made, stores["z"])


def test_what_is_made_before_a_loop_is_not_written_in_each_turn():
    x, w, z, k = (Var(name, array_fact("f8", (3,))) for name in "xwzk")
    made, new = Apply(w, np.exp, (x,)), Apply(z, operator.mul, (w, x))
    stores = {"z": Store(z, w, Const(...), x, Update(operator.mul))}
    block = Block((made, For((k,), Const(range(3)), Block((new,)))))
    assert with_updates_again(block, Block(), stores, []) is block


def weights(s, x):
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    return np.sum((w @ x) ** 2)


def test_the_text():
    """A softmax is one, whether it is divided in place or not."""
    source = ya.simplegrad(weights, np.ones((2, 3)), np.ones((3, 2)), wrt=("s",)).source
    assert source.partition("    # forward\n")[2] == TEXT


TEXT = """\
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    t1 = w @ x
    val = np.sum(t1**2)

    # reverse
    # return np.sum((w @ x) ** 2)
    dw = (2 * seed) * t1 @ x.T
    # w = np.exp(s - s.max(axis=-1, keepdims=True))
    ds = w * (dw - (dw * w).sum(axis=1, keepdims=True))

    return val, ds
"""
