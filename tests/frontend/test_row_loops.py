"""Loops over rows of numbers that are given: one body for all of them."""

import re

import numpy as np
import pytest

import yota_ast as ya

RNG = np.random.default_rng(7)
EDGES = [(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)]


def energy(x, edges):
    total = 0.0
    for i, j in edges:
        total += (x[i] - x[j]) ** 2
    return total


def weighted(x, edges):
    total = 0.0
    for e, (i, j) in enumerate(edges):
        total += e * x[i] * x[j]
    for (i, j), w in zip(edges, x):
        total += w * x[i] * x[j]
    return total


def assembled(x, edges):
    K = np.eye(5)
    for i, j in edges:
        a, b = slice(i, i + 2), slice(j, j + 2)
        K[a, b] += x[i] * np.ones((2, 2))
    return np.sum(np.linalg.solve(K, x) ** 2)


def broken_off(x, edges):
    total = 1.0
    for i, j in edges:
        if i == j:
            break
        total = total * (1 + x[i] * x[j])
    else:
        total += x[0]
    return total


def gathered(x, edges):
    return sum(x[i] * x[j] for i, j in edges) + x[edges[0][1]] * len(edges)


def taken_apart(x, edges):
    p, h = 0, np.ones(2)
    for i, j in edges:
        h = np.tanh(x[p : p + 2] * h * (i + 1) + j)
        p = (p + 1) % 3
    return np.sum(h)


STAY = [energy, weighted, assembled, broken_off, gathered, taken_apart]


def layers(x, shapes):
    p, weights = 0, []
    for n, m in shapes:
        weights.append(x[p : p + n + m])
        p += 1
    return np.sum(weights[0] ** 2) + np.sum(np.tanh(weights[-1]))


def by_names(x, shapes):
    parts = {}
    for k, (n, m) in enumerate(shapes):
        parts[f"W{k}"] = x[n] * x[m]
    return parts["W0"] * parts["W1"] + sum(parts.values())


def functions(x, spec):
    calls = [np.tanh, np.sin, np.cos, np.exp]
    for i, j in spec:
        x = calls[i](x) * (j + 1)
    return np.sum(x)


TAKEN = [layers, by_names, functions]


@pytest.mark.parametrize("fn", STAY + TAKEN)
def test_it_is_right(fn):
    x, v = RNG.normal(size=5), RNG.normal(size=5)
    for edges in (
        EDGES,
        EDGES[:3],
        [*EDGES, (2, 2), (0, 3)] * 3,
        [list(e) for e in EDGES],
    ):
        assert ya.gradcheck(fn, x, edges)
    step = 1e-5
    ahead, back = (ya.grad(fn, x + s * v, EDGES)[1]["x"] for s in (step, -step))
    np.testing.assert_allclose(
        ya.hvp(fn)(x, v, EDGES), (ahead - back) / (2 * step), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("fn", STAY)
def test_one_body_stands_for_all(fn):
    lines = [
        len(ya.simplegrad(fn, np.ones(5), EDGES * n).source.splitlines())
        for n in (1, 9)
    ]
    assert lines[1] <= lines[0] + 6 < 60


def test_the_loop_is_printed_as_it_was_written():
    def numbered(x, edges):
        total = 0.0
        for e, (i, j) in enumerate(edges):
            total += e * x[i] * x[j]
        return total

    source = ya.simplegrad(numbered, np.ones(5), EDGES).source
    assert "for e, (i, j) in enumerate(edges):" in source


@pytest.mark.parametrize("fn", TAKEN)
def test_what_a_short_loop_builds_stays_known(fn):
    assert "    for " not in ya.simplegrad(fn, np.ones(5), EDGES[:4]).source


def misfit(x, data):
    total = 0.0
    for t, y in data:
        total += (x[0] * np.exp(-x[1] * t) - y) ** 2
    return total


def misfit_of_records(x, data):
    total = 0.0
    for row in data:
        total += (x[0] * np.exp(-x[1] * row["t"]) - row["y"]) ** 2
    return total


def numbered(x, data):
    return sum(y * x[k] for k, y in enumerate(y for _, y in data) if k < 5)


DATA = [(0.1 * k, 1.0 + 0.3 * k) for k in range(9)]
RECORDS = [{"t": t, "y": y} for t, y in DATA]


@pytest.mark.parametrize(
    ("fn", "data"), [(misfit, DATA), (misfit_of_records, RECORDS), (numbered, DATA)]
)
def test_measured_values(fn, data):
    """The values may vary, too: what goes back is added item by item."""
    x, v = RNG.normal(size=5), RNG.normal(size=5)
    assert ya.gradcheck(fn, x, data)
    assert ya.gradcheck(fn, x, data[:3])
    step = 1e-5
    ahead, back = (ya.grad(fn, x + s * v, data)[1]["x"] for s in (step, -step))
    np.testing.assert_allclose(
        ya.hvp(fn)(x, v, data), (ahead - back) / (2 * step), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(("fn", "data"), [(misfit, DATA), (misfit_of_records, RECORDS)])
def test_one_body_stands_for_all_values(fn, data):
    source = ya.simplegrad(fn, np.ones(5), data * 4, wrt="x").source
    assert len(source.splitlines()) < 40


def test_what_each_row_has_is_asked_at_once():
    gradient = ya.simplegrad(misfit, np.ones(5), DATA).fn
    message = (
        "misfit_grad: made for data of 9 items; each item of data of 2 items; x (n,), "
        "floats; numbers in the items of data"
    )
    for row in ((1.0, 2.0, 3.0), (1.0, np.ones(2)), 3.0):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            gradient(np.ones(5), [*DATA[:-1], row])


def test_numba_takes_a_body_for_each():
    pytest.importorskip("numba")
    x = RNG.normal(size=5)
    loops = ya.simplegrad(misfit, x, DATA[:4], wrt="x", backend="numba")
    wanted = ya.grad(misfit, x, DATA[:4], wrt="x")[1]["x"]
    np.testing.assert_allclose(loops(x, DATA[:4])[1], wanted, rtol=1e-12)


def other_items_beside(x, p):
    (a, b), (c, d), (e, f), (g, h), w = p
    return x[0] * (a * b + c * d + e * f + g * h) + np.sum(w) * x[1]


def longer_items_within(x, p):
    return x[0] * (p[0][0] + p[1][0] + p[2][0] + p[3][0]) + p[4][0][0]


@pytest.mark.parametrize(
    ("fn", "p"),
    [
        (other_items_beside, [*DATA[:4], np.ones(3)]),
        (longer_items_within, [[1.0], [2.0], [0.5], [3.0], [[2.0, 1.0]]]),
    ],
)
def test_what_some_items_have_is_asked_of_those(fn, p):
    x = np.ones(3)
    assert ya.simplegrad(fn, x, p)(x, p)[0] == fn(x, p)
