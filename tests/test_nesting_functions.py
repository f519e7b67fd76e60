"""Any function nests: made inside, kept in a name, a method, a transform itself."""

import functools
import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import direction, inner, moved, same_bits, still

X, A = np.array([0.3, 1.2, 0.7]), np.array([1.1, 0.4, 0.9])
GRID = np.array([0.2, -0.5, 0.8])
RATE = 0.1


def coupled(x, a):
    return np.sum(np.sin(x) * a * x + x**3)


def vector(x, a):
    return np.tanh(x) * a


def tree(p):
    return np.sum(p["w"] ** 3) * p["b"] + p["b"] ** 2


# ---------------------------------------------------------------- made inside


def of_a_lambda(x, a):
    return np.sum(ya.value_and_grad(lambda t: coupled(t, a) * np.sum(x))(x)[1] ** 2)


def of_a_def(x, a):
    scale = np.sum(a)

    def inside(t, by=2.0):
        y = t * by + scale
        if np.sum(y) > 0:
            y = y * y
        return np.sum(y * GRID)

    return ya.value_and_grad(inside)(x)[1] @ a


def of_one_that_calls_another(x, a):
    def bent(t):
        return np.sin(t) * a

    return np.sum(ya.jacobian(lambda t: bent(t) * x)(x) ** 2)


def descended(x, a):
    w = x
    for k in range(3):
        w = (
            w
            - RATE
            * (k + 1)
            * ya.value_and_grad(lambda t: np.mean((a * t - 1) ** 2))(w)[1]
        )
    return np.sum(w * w)


def in_one_arm(x, a):
    if x[0] > 0:
        d = ya.grad(lambda t: np.sum(t**3 * a), x)[1][0]
    else:
        d = x
    return np.sum(d * d)


def of_a_partial(x, a):
    return np.sum(ya.value_and_grad(functools.partial(coupled, a=a))(x)[1] ** 2)


def within_another(x, a):
    """Each derivative is over its own variable alone."""
    t = np.sum(x)
    outer = ya.jvp(lambda u: u * ya.jvp(lambda v: u * v * v)(t, 1.0)[1])(t, 1.0)
    return outer[1] * a[0]


# ---------------------------------------------------------------- kept in a name

task_slope = ya.value_and_grad(coupled)
both_slopes = ya.value_and_grad(coupled, wrt=["x", "a"])
pulled = ya.vjp(vector)
pushed = ya.jvp(vector)
curved = ya.hessian(coupled)
turned = ya.hvp(coupled)
spread = ya.jacobian(vector)
twice = ya.jacobian(spread)


def by_kept(x, a):
    return coupled(x - 0.01 * task_slope(x, a)[1], a)


def by_kept_of_two(x, a):
    _, (dx, da) = both_slopes(x, a)
    return np.sum(dx * da)


def by_kept_pullback(x, a):
    value, pull = pulled(x, a)
    return np.sum(pull(value * a) ** 2)


def by_kept_tangent(x, a):
    return np.sum(pushed(x, a, a * x, None)[1] ** 2)


def by_kept_hessian(x, a):
    return np.sum(curved(x, a) ** 2) + np.sum(turned(x, a, a) * x)


def by_kept_of_kept(x, a):
    return np.sum(twice(x, a) ** 2) + np.sum(ya.hessian(by_kept)(x, a))


# ---------------------------------------------------------------- containers, objects


def of_a_dict(x, a):
    g = ya.grad(tree, {"w": x, "b": np.sum(a), "name": "first"})[1][0]
    return np.sum(g["w"] ** 2) + g["b"]


def of_a_list(x, a):
    _, g = ya.value_and_grad(lambda ws: np.sum(ws[0] * ws[1][0]) ** 2)([x, (a, 3)])
    return np.sum(g[0] * g[1][0])


class Pair(NamedTuple):
    u: np.ndarray
    v: np.ndarray


def of_a_named_tuple(x, a):
    g = ya.grad(lambda p: np.sum(p.u**2 * p.v), Pair(x, a))[1][0]
    return np.sum(g[0] * g[1])


@dataclass
class Net:
    W: np.ndarray
    b: float

    def loss(self, x):
        return np.sum(np.tanh(self.W * x + self.b) ** 2)


def of_a_method(x, a):
    return np.sum(ya.value_and_grad(Net(a, 0.5).loss)(x)[1] ** 2)


def of_an_object(x, a):
    g = ya.grad(lambda net: net.loss(x), Net(a, 0.5))[1][0]
    return np.sum(g[("W",)] ** 2) + g[("b",)]


# ---------------------------------------------------------------- early returns, writes


def guarded(x, a):
    if np.sum(x) < 0:
        return RATE
    for k in range(int(a[0] > 5)):
        return 0.5 * x[k]
    return np.sum(x * a)


def of_a_guard(x, a):
    value, (dx, da) = ya.value_and_grad(guarded, wrt=[0, 1])(x, a)
    return value + np.sum(dx**2) + np.sum(da * a)


def overwritten(x, a):
    x *= 2.0
    x[0] += a[1]
    return np.sum(x**2 * a)


def of_a_writer(x, a):
    y = x * 1.0
    value, d = ya.value_and_grad(overwritten)(y, a)
    return np.sum(y * d) + value


def tangent_of_a_writer(x, a):
    y = x * 1.0
    value, change = ya.jvp(overwritten)(y, a, a * x, x)
    return np.sum(y) * change + value


def energy(A):
    return np.log(np.sum(np.exp(np.linalg.eigvalsh(A + A.T))))


def of_a_square_matrix(x, a):
    """Lengths that are equal are told of the inner variable, not of the outer one."""
    y = np.outer(x, a) + np.diag(x)
    d = ya.grad(lambda A: energy(A), y)[1][0]
    return np.sum(d * d) + np.sum(
        ya.value_and_grad(lambda A: np.sum(A.T * y))(y)[1] ** 2
    )


CASES = [
    of_a_square_matrix, of_a_guard, of_a_writer, tangent_of_a_writer,
    of_a_lambda, of_a_def, of_one_that_calls_another, descended, in_one_arm,
    of_a_partial, within_another, by_kept, by_kept_of_two, by_kept_pullback,
    by_kept_tangent, by_kept_hessian, by_kept_of_kept, of_a_dict, of_a_list,
    of_a_named_tuple, of_a_method, of_an_object,
]  # fmt: skip


def slope(f, args, v, h=1e-4):
    def at(step):
        given = [moved(x, d, step) for x, d in zip(args, v, strict=True)]
        return f(*given)

    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_it_nests(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, g = ya.grad(f, X, A)
    assert same_bits(value, f(X, A))
    rng = np.random.default_rng(3)
    for k in range(2):
        v = [direction(x, rng) if j == k else still(x) for j, x in enumerate((X, A))]
        assert np.isclose(inner(g[k], v[k]), slope(f, (X, A), v), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_it_has_a_tangent(f):
    _, g = ya.grad(f, X, A)
    value, change = ya.jvp(f)(X, A, A, X)
    assert same_bits(value, f(X, A))
    assert np.isclose(change, np.sum(g[0] * A) + np.sum(g[1] * X), rtol=1e-9)


def test_a_function_that_writes_into_its_argument_writes_once():
    def f(x, a):
        return np.sum(ya.value_and_grad(overwritten)(x, a)[1])

    here, there = X.copy(), X.copy()
    value, _ = ya.grad(f, here, A)
    assert same_bits(value, f(there, A))
    assert same_bits(here, there)


def of_arguments(p, net, x):
    g = ya.grad(tree, p)[1][0]
    h = ya.grad(lambda n, t: n.loss(t), net, x)[1]
    return np.sum(g["w"]) + np.sum(h[0][("W",)] * h["t"]) + net.b


def test_arguments_that_are_containers_nest():
    args = ({"w": X, "b": 0.7}, Net(A, 0.5), np.array([0.1, -0.4, 0.6]))
    value, g = ya.grad(of_arguments, *args)
    assert same_bits(value, of_arguments(*args))

    def moved_by(step):
        p = {"w": X + step * A, "b": 0.7 + step}
        net = Net(A + step * X, 0.5 - step)
        return of_arguments(p, net, args[2] + step)

    h = 1e-5
    expected = (moved_by(h) - moved_by(-h)) / (2 * h)
    got = np.sum(g[0]["w"] * A) + g[0]["b"] + np.sum(g[1][("W",)] * X)
    got += -g[1][("b",)] + np.sum(g[2])
    assert np.isclose(got, expected, rtol=1e-7)


@pytest.mark.parametrize(
    ("made", "name", "signature", "shown"),
    [
        (task_slope, "coupled_value_and_grad", "(x, a)", "value_and_grad(coupled)"),
        (both_slopes, "coupled_value_and_grad", "(x, a)",
         "value_and_grad(coupled, wrt=['x', 'a'])"),
        (pushed, "vector_jvp", "(x, a, dx, da, /)", "jvp(vector)"),
        (turned, "coupled_hvp", "(x, v, a, /)", "hvp(coupled)"),
        (twice, "vector_jacobian_jacobian", "(x, a)", "jacobian(vector_jacobian)"),
    ],
)  # fmt: skip
def test_what_a_transform_gives_is_a_function(made, name, signature, shown):
    assert (made.__name__, str(inspect.signature(made)), repr(made)) == (
        name, signature, shown,
    )  # fmt: skip


def test_what_a_transform_gives_pickles():
    again = pickle.loads(pickle.dumps(both_slopes))
    assert same_bits(again(X, A)[0], both_slopes(X, A)[0])
    assert repr(again) == repr(both_slopes)


def test_a_file_of_a_nested_gradient_runs_alone(tmp_path):
    path = tmp_path / "by_kept_grad.py"
    ya.simplegrad(by_kept_of_two, X, A).save(path)
    value, g = ya.grad(by_kept_of_two, X, A)
    program = f"""
import sys
sys.modules["yota_ast"] = None
sys.path.insert(0, {str(tmp_path)!r})
import numpy as np
from by_kept_grad import by_kept_of_two_grad
value, dx, da = by_kept_of_two_grad(np.array({X.tolist()}), np.array({A.tolist()}))
print(value.hex(), [d.hex() for d in dx.tolist()])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"{value.hex()} {[d.hex() for d in g[0].tolist()]}"
