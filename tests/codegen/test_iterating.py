# ruff: noqa: PERF401
"""Loops and comprehensions over items keep the header that the user wrote."""

import numpy as np
import pytest

import yota_ast as ya

X, Y = np.array([0.3, 0.7, 1.1]), np.array([2.0, 1.0, 0.5])


def over_items(xs):
    out = np.zeros_like(xs)
    total = 0.0
    for x in xs:
        total = total * x + 1
    return total + out.sum()


def counted(xs):
    out = np.zeros_like(xs)
    for k, x in enumerate(xs):
        out[k] = x**2
    return out.sum()


def saved(xs):
    total = 0.0
    for x in xs:
        total += np.exp(x)
    return total


def in_step(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total += x * y
    return total


def in_step_saved(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total += np.exp(x) * y
    return total


def listed(xs):
    values = [x**3 for x in xs]
    return np.sum(np.array(values) ** 2)


def listed_in_step(xs, ys):
    return sum([x * y for x, y in zip(xs, ys)])


def by_index(xs):
    total = 0.0
    for i in range(len(xs)):
        x = xs[i]
        total += x * x
    return total


def appended(xs):
    values = []
    for i in range(len(xs)):
        values.append(xs[i] ** 2)
    return np.sum(np.array(values) ** 2)


def rebound(xs):
    total = 0.0
    for x in xs:
        xs = xs * x
        total += np.sum(xs)
    return total


def written(xs):
    xs = xs * 1.0
    total = 0.0
    for k, x in enumerate(xs):
        xs[-1] += x**2
        total += x * k
    return total + xs.sum()


def some(xs):
    return np.sum(np.array([x**2 for x in xs if x > 0.5]))


def rows(xs):
    table = np.outer(xs, xs)
    return sum([np.sqrt(row @ row) for row in table])


def pairs_of(xs):
    before = xs[0]
    for x in xs[1:]:
        yield before, x
        before = x


def in_turn(xs):
    total = 0.0
    for p, q in pairs_of(xs):
        total += p * q
    return total


def history(xs):
    out = [xs]
    for _ in range(3):
        xs = np.sin(xs)
        out.append(xs)
    return np.sum(np.array(out) ** 2)


HEADERS = [
    (over_items, "for i, x in enumerate(xs):"),
    (counted, "for k, x in enumerate(xs):"),
    (saved, "for i, x in enumerate(xs):"),
    (in_step, "for i, (x, y) in enumerate(zip(xs, ys)):"),
    (in_step_saved, "for i, (x, y) in enumerate(zip(xs, ys)):"),
    (listed, "values = [x**3 for x in xs]"),
    (listed_in_step, "t1 = [x * y for x, y in zip(xs, ys)]"),
    (by_index, "for i in range(len(xs)):"),
    (appended, "for i in range(len(xs)):"),
    (some, "for x in xs:"),
]
OTHERS = (rebound, written, rows, in_turn)


@pytest.mark.parametrize(("fn", "header"), HEADERS, ids=lambda v: str(v)[:20])
def test_the_header(fn, header):
    args = (X, Y)[: fn.__code__.co_argcount]
    forward, _, _ = ya.simplegrad(fn, *args).source.partition("# reverse")
    assert header in [line.strip() for line in forward.splitlines()], forward


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [f for f, _ in HEADERS] + list(OTHERS))
def test_against_differences(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for size in (3, 1) if fn is in_turn else (3, 1, 0):
        args = [a[:size].copy() for a in (X, Y)[: fn.__code__.co_argcount]]
        val, g = ya.grad(fn, *args)
        assert val == fn(*[a.copy() for a in args])
        for k, a in enumerate(args):
            for i in range(size):
                ends = []
                for step in (1e-6, -1e-6):
                    moved = [b.copy() for b in args]
                    moved[k][i] += step
                    ends.append(fn(*moved))
                slope = (ends[0] - ends[1]) / 2e-6
                assert g[k][i] == pytest.approx(slope, rel=1e-6, abs=1e-7), a


def test_a_counter_that_nobody_named():
    source = ya.simplegrad(history, X).source
    assert "for i in range(3):" in source
    assert "dxs += dout[i + 1]" in source.replace("dt1", "dout")
    assert "_ " not in source
