"""Jacobians and Hessians by one call of code for many directions, or one by one."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import direction_sweeps

from .sweeping import alike, both_ways, calls_counted, one_by_one

rng = np.random.default_rng(3)
X = np.array([0.7, -1.2, 0.4])


class Pair(NamedTuple):
    slope: object
    offset: object


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def logistic(w, data, labels):
    return np.mean(np.log1p(np.exp(-labels * (data @ w)))) + 0.01 * np.sum(w * w)


def network(p, data, labels):
    h = np.tanh(data @ p["W"] + p["b"])
    return np.mean((h @ p["v"] - labels) ** 2)


def in_a_loop(x):
    y = x[0]
    for k in range(1, len(x)):
        y = y * 0.5 + np.sin(y * x[k])
    return y


def written(x):
    y = np.zeros_like(x)
    for k in range(len(x)):
        y[k] = x[k] ** 3 * (x[k - 1] if k else 1.0)
    return np.sum(y)


def branching(x):
    return np.sum(x**3) if x[0] > 0 else x[1] * x[2] ** 2


def with_states(x):
    with np.errstate(invalid="ignore"):
        return np.sum(np.sqrt(np.abs(x) + 1.0))


def of_all_pairs(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-(d**2)))


def solved(x):
    A = np.outer(x, x) + 4.0 * np.eye(3)
    return np.sum(np.linalg.solve(A, x))


WEIGHTS = {"W": rng.normal(size=(8, 10)), "b": np.zeros(10), "v": rng.normal(size=10)}
DATA, LABELS = rng.normal(size=(20, 8)), rng.normal(size=20)
HUNDRED = rng.normal(size=100)
SIGNS = np.sign(rng.normal(size=50))
OF_MANY = {
    "rosenbrock": (rosenbrock, [HUNDRED]),
    "logistic": (logistic, [0.1 * HUNDRED, rng.normal(size=(50, 100)), SIGNS]),
    "network": (network, [WEIGHTS, DATA, LABELS]),
    "all pairs": (of_all_pairs, [HUNDRED]),
    "a loop": (in_a_loop, [0.1 * HUNDRED]),
    "writes": (written, [HUNDRED]),
}
PARTS = {"w": X, "n": 2, "s": "text", "l": [0.5, 1.5], "none": None, "m": {"b": 3.0}}


def of_parts(p):
    return np.sum(p["w"] ** p["n"]) * p["m"]["b"] + p["l"][0] * p["l"][1] ** 2


OF_STRUCTURES = {
    "a branch": (branching, [X]),
    "a with": (with_states, [X]),
    "a dict": (of_parts, [PARTS]),
    "a tuple": (lambda p: np.sum(np.sin(p[0])) * p[1], [(X, 2.0)]),
    "a named tuple": (lambda p: np.sum(p.slope**2) * p.offset, [Pair(X, 2.0)]),
    "a list": (lambda x: x[0] * x[1] ** 2, [[1.0, 2.0]]),
    "whole numbers": (lambda x: x[0] * x[1] ** 2, [[1, 2]]),
    "rows": (lambda p: p[0][0] * p[1][1] ** 2 + p[0][1], [[[1.0, 2.0], [3.0, 4.0]]]),
    "items gone through": (lambda p: sum(w * w * p[0] for w in p), [[1.0, 2.0]]),
    "an array of rows": (lambda p: np.sum(np.array(p) ** 2 * p[0][0]),
                         [[[1.0, 2.0], [3.0, 4.0]]]),
    "an array of a column": (lambda p: np.sum(np.array(p) ** 2), [[[1.0], [2.0]]]),
    "an array of a list": (lambda p: np.sum(np.array(p) ** 3), [[1.0, 2.0]]),
    "a mean": (lambda x: np.mean(x) ** 2 + np.std(x), [X]),
    "a matrix": (lambda A: np.sum(A @ A.T @ A), [rng.normal(size=(2, 2))]),
    "no axis": (lambda x: np.sin(x) ** 2, [np.array(0.5)]),
    "one": (lambda x: np.sum(x**3), [np.array([0.5])]),
    "a number": (lambda x: x**3, [0.5]),
    "nothing": (lambda x: np.sum(x**2), [np.zeros(0)]),
    "a linear function": (lambda x: np.sum(3.0 * x), [X]),
    "in part linear": (lambda p: np.sum(p["a"] ** 2) + np.sum(p["b"]),
                       [{"a": X, "b": X}]),
    "a constant": (lambda x: 3.0, [X]),
    "float32": (lambda x: np.sum(x**3 * np.exp(x)), [X.astype(np.float32)]),
    "float32 in a dict": (network, [
        {k: w.astype(np.float32) for k, w in WEIGHTS.items()},
        DATA.astype(np.float32), LABELS.astype(np.float32),
    ]),
    "numbers of float32": (lambda p: p[0] ** 2 * p[1],
                           [(np.float32(2), np.float32(3))]),
    "a kink": (lambda x: np.sum(np.abs(x) ** 3 + np.maximum(x, 0.0) ** 2),
               [np.zeros(3)]),
    "a tie": (lambda x: np.max(x) ** 2 + np.sum(x**2), [np.ones(3)]),
    "a norm at 0": (lambda x: np.linalg.norm(x) ** 4, [np.zeros(3)]),
    "infinite": (lambda x: np.sum(np.sqrt(x)), [np.array([0.0, 1.0])]),
    "division by 0": (lambda p: p[0] / p[1], [[1.0, 0.0]]),
    "an overflow": (lambda p: math.exp(p[0]) * p[1] ** 2, [[1e4, 2.0]]),
    "a logarithm": (lambda p: math.log(p[0]) * p[1] ** 2, [[-1.0, 2.0]]),
    "an index": (lambda x: (x[7], np.sum(x**2))[1], [X]),
    "a system": (solved, [X]),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_MANY)
def test_hundred_variables_by_one_call(name):
    f, args = OF_MANY[name]
    found, wanted, counts = both_ways(lambda: ya.hessian(f), args)
    assert alike(found, wanted)
    assert counts == {"many": 1}


@pytest.mark.parametrize("name", OF_STRUCTURES)
def test_hessians_are_those_of_a_loop(name):
    f, args = OF_STRUCTURES[name]
    found, wanted, _ = both_ways(lambda: ya.hessian(f), args)
    assert alike(found, wanted, 1e-5 if "float32" in name else 1e-12)


OF_VALUES = {
    "an array": (lambda x: np.outer(x, x) * 2.0, [X]),
    "a number": (lambda x: np.sum(x**3), [X]),
    "a number of one": (lambda x: x**3, [0.5]),
    "a tuple": (lambda x: (np.sum(x), 3 * x, x), [X]),
    "a dict": (lambda x: {"a": x**2, "s": "text", "b": x[0]}, [X]),
    "a list": (lambda x: [x[0] ** 2 * x[1], x[1]], [X]),
    "a list of a list": (lambda x: [x[0] ** 2 * x[1], x[1]], [[1.0, 2.0]]),
    "rows": (lambda x: [[x[0], 2.0 * x[1]], [x[2], 1.0]], [X]),
    "a named tuple": (lambda x: Pair(x**2, x[0]), [X]),
    "structures of both": (lambda p: {"a": p["w"] * p["b"], "b": p["b"]},
                           [{"w": X, "b": 2.0}]),
    "the argument": (lambda x: x, [X]),
    "a view": (lambda x: x[1:], [X]),
    "a constant": (lambda x: np.ones(3), [X]),
    "joined as floats": (lambda A: np.concatenate([A, A], axis=1, dtype=float),
                         [np.outer(X, X)]),
    "float32": (lambda x: x**2 * np.sin(x), [X.astype(np.float32)]),
    "no axis": (lambda x: x * np.ones(3), [np.array(0.5)]),
    "no numbers": (lambda x: x[:0], [X]),
    "complex": (lambda x: x * (1 + 2j), [X]),
    "of complex": (lambda z: np.real(z) ** 2 + np.imag(z), [X * (1 + 2j)]),
    "a loop": (lambda x: np.array([np.sum(x[:k] ** 2) for k in range(len(x))]), [X]),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize("name", OF_VALUES)
def test_jacobians_are_those_of_a_loop(name, mode):
    f, args = OF_VALUES[name]
    found, wanted, _ = both_ways(lambda: ya.jacobian(f, mode=mode), args)
    assert alike(found, wanted, 1e-5 if "float32" in name else 1e-12)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_jacobian_by_one_call(mode):
    def f(x, A):
        return np.tanh(A @ x)

    args = [HUNDRED[:40], rng.normal(size=(30, 40))]
    found, wanted, counts = both_ways(lambda: ya.jacobian(f, mode=mode), args)
    assert alike(found, wanted)
    assert counts == {"many": 1}


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_several_arguments(mode):
    def f(a, x, b):
        return a * np.exp(-b * x)

    def stacked():
        return ya.jacobian(f, wrt=["a", "b"], mode=mode, stack=True)

    found, wanted, _ = both_ways(stacked, [2.0, X, 0.5])
    assert alike(found, wanted)
    found, wanted, _ = both_ways(
        lambda: ya.jacobian(f, wrt=["a", "x"], mode=mode), [2.0, X, 0.5]
    )
    assert alike(found, wanted)


# ---------------------------------------------------------------- blocks


@pytest.mark.parametrize("most", [1, 300, 700, 10**6])
def test_blocks(monkeypatch, most):
    monkeypatch.setattr(direction_sweeps, "MOST", most)
    args = [HUNDRED]
    found, wanted, counts = both_ways(lambda: ya.hessian(rosenbrock), args)
    assert alike(found, wanted)
    assert counts == {"many": math.ceil(100 / max(most // 100, 1))}
    found, wanted, _ = both_ways(
        lambda: ya.jacobian(lambda x: (x[1:] * x[:-1], x[0]), mode="reverse"), args
    )
    assert alike(found, wanted)


def test_blocks_are_small_where_something_large_is_computed(monkeypatch):
    monkeypatch.setattr(direction_sweeps, "MOST", 10**5)
    found, wanted, counts = both_ways(lambda: ya.hessian(of_all_pairs), [HUNDRED])
    assert alike(found, wanted)
    assert counts == {"many": 10}  # 10,000 numbers for each direction


# ---------------------------------------------------------------- one by one


def tried(x):
    try:
        return np.sum(x**2) / len(x)
    except ZeroDivisionError:
        return 0.0


def raising(p):
    return p["a"] ** 2 / p["b"]


@pytest.mark.parametrize(("f", "arg"), [(tried, X), (raising, {"a": 1.0, "b": 2.0})])
def test_what_has_no_batched_form_goes_one_by_one(f, arg):
    found, wanted, counts = both_ways(lambda: ya.hessian(f), [arg])
    assert alike(found, wanted)
    assert counts == {"one": len(arg)}


def convolved(x):
    return np.sum(np.convolve(x, x[::-1]) ** 2)


def padded(x):
    return np.sum(np.pad(x, 1, mode="reflect") ** 3)


@pytest.mark.parametrize("f", [convolved, padded, np.prod])
def test_a_call_without_a_batched_form_is_called_for_each_direction(f):
    found, wanted, counts = both_ways(lambda: ya.hessian(f), [X])
    assert alike(found, wanted)
    assert counts == {"many": 1}
    h = ya.hessian(f)
    h(X)
    assert " for d in " in h.source


def test_what_may_be_a_view_that_is_written_is_not_stacked():
    def f(x):
        A = np.outer(x, x)
        d = np.diagonal(A)
        A[0, 0] = x[1]
        return d**2

    found, wanted, _ = both_ways(lambda: ya.jacobian(f, mode="forward"), [X])
    assert alike(found, wanted)


@pytest.mark.parametrize("most", [10**6, 3])
def test_what_is_written_into_arguments_is_written_once(monkeypatch, most):
    def scaled(x, k):
        x *= k
        k += 1.0
        return np.sum(x**3 * k)

    monkeypatch.setattr(direction_sweeps, "MOST", most)
    x, k = X.copy(), np.ones(3)
    found, wanted, counts = both_ways(lambda: ya.hessian(scaled), [x, k])
    assert alike(found, wanted)
    assert counts == {"many": 1 if most > 3 else 3}
    ya.hessian(scaled)(x, k)
    assert k.tolist() == [2.0] * 3


def test_what_draws_or_prints_is_refused_as_ever():
    def noisy(x):
        return np.sum(x**2 * rng.normal(size=3))

    def telling(x):
        print(x)
        return x**2

    with pytest.raises(ya.UnsupportedCall, match="once for each column"):
        ya.hessian(noisy)(X)
    with pytest.raises(ya.UnsupportedCall, match="once for each sweep"):
        ya.jacobian(telling)(X)


# ---------------------------------------------------------------- source


def test_the_source_is_the_code_of_the_latest_call():
    h = ya.hessian(rosenbrock)
    with pytest.raises(AttributeError, match="no source yet"):
        _ = h.source
    h(X)
    assert "Derivatives of rosenbrock_grad for each direction in" in h.source
    scope = {}
    exec(h.source, scope)
    fn = next(v for k, v in scope.items() if k.startswith("rosenbrock"))
    np.testing.assert_allclose(fn(X, **{_direction(h.source): np.eye(3)}), h(X))
    h(X[:1])
    assert "Value of rosenbrock_grad" in h.source


def _direction(source):
    return source.partition("for each direction in ")[2].partition(".")[0]


def test_the_source_of_several_arguments_is_that_of_all_texts():
    j = ya.jacobian(lambda x, y: x * y, wrt=["x", "y"], mode="forward")
    j(X, X)
    assert "for each direction in dx." in j.source
    assert "for each direction in dy." in j.source


def test_code_for_many_directions_is_made_once(monkeypatch):
    made = []
    batched = direction_sweeps.of_directions

    def counting(*args):
        made.append(args)
        return batched(*args)

    monkeypatch.setattr(direction_sweeps, "of_directions", counting)

    def cubes(x):
        return np.sum(x**3)

    for _ in range(3):
        ya.hessian(cubes)(X)
        ya.hessian(tried)(X)
    assert len(made) <= 2
    with one_by_one(), calls_counted() as counts:
        ya.hessian(cubes)(X)
    assert counts == {"one": 3}
