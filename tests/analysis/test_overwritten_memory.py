"""Memory that an iteration makes, and that a later iteration writes."""

import numpy as np
import pytest

import yota_ast as ya
from tests.tapes import variables
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.built_values import build_list
from yota_ast.ir.nodes import Apply, Block, Carry, For, Store
from yota_ast.ir.store_changes import AppendItem

A = array_fact("f8", (None,))


def windows(v, n):
    """It calls itself, and saves views of `v` that no index tells again."""
    if n == 0:
        return np.sum(v[:2] ** 3)
    w = v[:2] if np.sum(v) > 1.0 else v[1:]
    for j in range(n):
        w = w[::-1] if j % 2 else w[:]
    return windows(v, n - 1) * np.sum(w**3)


def carried(x, n):
    before = np.zeros(3)
    s = 0.0
    for i in range(3):
        before[0] = 7.0
        a = np.cumsum(np.sin(x)) * (i + 1.0)
        s += windows(a, n)
        before = a
    return s


def carried_as_a_view(x, n):
    before = np.zeros(2)
    s = 0.0
    for i in range(3):
        before *= 2.0
        a = np.cumsum(np.sin(x)) * (i + 1.0)
        s += windows(a, n)
        before = a[1:]
    return s


def carried_in_turn(x, n):
    older, before = np.zeros(3), np.zeros(3)
    s = 0.0
    for i in range(4):
        older[1] = 0.5
        a = np.cumsum(np.sin(x)) * (i + 1.0)
        s += windows(a, n)
        older, before = before, a
    return s + np.sum(older * before)


def carried_if_it_grows(x, n):
    before = np.zeros(3)
    s = 0.0
    for i in range(3):
        before[2] += 1.0
        a = np.cumsum(np.sin(x)) * (i + 1.0)
        s += windows(a, n)
        if np.sum(a) > 0.1:
            before = a
    return s


def kept_in_a_list(x, n):
    rows = [np.zeros(3)]
    s = 0.0
    for i in range(3):
        rows[i][0] = 7.0
        a = np.cumsum(np.sin(x)) * (i + 1.0)
        s += windows(a, n)
        rows.append(a)
    return s


def carried_round_an_inner_loop(x, n):
    before = np.zeros(3)
    s = 0.0
    for i in range(2):
        for j in range(2):
            before[0] = 7.0
            a = np.cumsum(np.sin(x)) * (i + j + 1.0)
            s += windows(a, n)
            before = a
    return s


LATE = [
    carried,
    carried_as_a_view,
    carried_in_turn,
    carried_if_it_grows,
    kept_in_a_list,
    carried_round_an_inner_loop,
]


@pytest.mark.parametrize("fn", LATE)
def test_what_a_call_saves_is_written_in_the_next_iteration(fn):
    x = np.array([0.3, 0.5, 0.7])
    slope = [(fn(x + e, 2) - fn(x - e, 2)) / 2e-6 for e in np.eye(3) * 1e-6]
    _, dx = ya.value_and_grad(fn, wrt="x")(x, 2)
    np.testing.assert_allclose(dx, slope, rtol=1e-6, atol=1e-5)


def loop(*ops):
    """A loop that carries the array `m` of each iteration to the next as `p`."""
    x, p, m, out = variables("x p m out")
    body = Block((*ops, Apply(m, np.copy, (x,))))
    return For((Var("i", Fact("int")),), Const(range(3)), body, (Carry(out, x, p, m),))


def test_what_a_loop_carries_on_is_written_by_the_next_iteration():
    p, q, m, n = (Var(name, A) for name in "pqmn")
    memory = Memory(Block((loop(Store(q, p, Const(0), Const(1.0))),)))
    assert memory.overwritten(m)
    alone = Memory(Block((loop(Apply(q, np.copy, (p,)), Store(n, q, Const(0), p)),)))
    assert not alone.overwritten(m)


def test_a_list_within_a_list_holds_what_comes_later():
    inner, outer, later = (Var(name, Fact("list")) for name in ("a", "b", "c"))
    row = Var("row", A)
    block = Block(
        (
            Apply(inner, build_list, (), form="build"),
            Apply(outer, build_list, (inner,), form="build"),
            Apply(row, np.zeros, (Const(3),)),
            Store(later, inner, Const(None), row, AppendItem()),
        )
    )
    assert PointsTo(block).memory(outer) == {"a", "b", "row"}
