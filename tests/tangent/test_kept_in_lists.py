"""Arrays that a list, a dict or an object keeps while the name goes on to another: the
tangent that the container keeps must not be added to in place."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.pipeline import compiled, tangent_program


def appended(x, n):
    kept = [x]
    y = x * 1.5
    for k in range(n):
        kept.append(y)
        y = y + x * k
    return np.sum(np.array(kept) ** 2)


def a_view_appended(x, n):
    kept = [x[1:]]
    y = x * 1.0
    for _ in range(n):
        kept.append(y[1:])
        y = y + 0.1 * x
    return np.sum(np.array(kept) ** 2)


def put_at_an_index(x, n):
    rows = [x] * n
    y = x * 2.0
    for k in range(n):
        rows[k] = y
        y = y - x * 0.5
    return sum(np.sum(r**2) for r in rows)


def joined_on(x, n):
    kept = []
    y = x * 2.0
    for k in range(n):
        kept += [y]
        y = y + x
        if k % 2:
            y = y + x * x
    return np.sum(np.stack(kept) ** 3)


def read_from_the_list(x, n):
    kept = []
    y = x * 1.5
    for k in range(n):
        kept.append(y)
        y = y + kept[-2] * 0.3 if k > 0 else y + x
    return np.sum(kept[0] * y) + np.sum(kept[-1])


def in_a_pair(x, n):
    kept = []
    y = x * 1.5
    for k in range(n):
        kept.append((k, y))
        y = y + x
    return sum(np.sum(b * b) * a for a, b in kept)


class Log:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)


def in_an_object(x, n):
    log = Log()
    y = x * 1.5
    for k in range(n):
        log.add(y)
        y = y + x * k
    return np.sum(np.array(log.items) ** 2)


def pairs_of_what_goes_on(x, n):
    rows, y = [], np.sin(x)
    for k in range(n):
        z = np.sin(y) * x
        rows.append((y, [z, k]))
        y = z - 0.1 * z * x
    return np.sum(np.array([np.sum(a * b[0]) for a, b in rows]) ** 2)


PROGRAMS = [
    pairs_of_what_goes_on,
    appended, a_view_appended, put_at_an_index, joined_on, read_from_the_list,
    in_a_pair, in_an_object,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_tangent_is_that_of_the_gradient(program, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, v = np.array([1.0, 2.0, 3.0]), np.array([0.3, -1.0, 2.0])
    value, dvalue = ya.jvp(program)(x, 4, v, None)
    assert value == program(x, 4)
    _, g = ya.grad(program, x, 4)
    np.testing.assert_allclose(dvalue, g[0] @ v, rtol=1e-12)


@pytest.mark.parametrize("program", [appended, pairs_of_what_goes_on])
def test_what_was_appended_is_read_without_a_copy(program):
    _, tape = ya.trace(program, np.ones(3), 4)
    text = compiled(tangent_program(tape, ["x"])).source
    assert "copy" not in text
    space = {}
    exec(text, space)
    x, v = np.array([1.0, 2.0, 3.0]), np.array([0.3, -1.0, 2.0])
    _, dvalue = space[f"{program.__name__}_jvp"](x, 4, v)
    np.testing.assert_allclose(dvalue, ya.grad(program, x, 4)[1][0] @ v, rtol=1e-12)


def steps_of_a_flow(x, n):
    y = x * 1.0
    for _ in range(n):
        y = y + 0.3 * np.sin(y)
    return np.sum(y**2)


def until_it_is_large(x, n):
    y, cost = x * 1.0, 0.0
    while np.sum(y) < n:
        for k in range(2):
            y = y + 0.2 * x * y + k
        cost = cost + np.sum(y * x)
    return cost


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("program", [steps_of_a_flow, until_it_is_large])
def test_products_with_the_hessian(program, passes, monkeypatch):
    """The gradient keeps what the loop has overwritten in a list of its own."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, v, h = np.array([1.0, 2.0, 0.5]), np.array([0.3, -1.0, 0.7]), 1e-5
    ahead, back = (ya.grad(program, x + s * v, 9)[1][0] for s in (h, -h))
    product = ya.hvp(program)(x, v, 9)
    np.testing.assert_allclose(product, (ahead - back) / (2 * h), rtol=1e-6)
