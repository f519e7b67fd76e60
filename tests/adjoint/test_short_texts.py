"""What needs no name has none: terms of sums, items of what is returned, numbers, and
the value of a loop. Where a name is needed it stays, and the gradient is right."""

import math
import operator

import numpy as np
import pytest

import yota_ast as ya
from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.early_sums import with_early_sums
from yota_ast.ir.abstract_values import FLOAT
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Origin

from .checking import PASSES, check

RNG = np.random.default_rng(3)
A, P = RNG.normal(0, 0.4, (2, 3, 3))
X = RNG.normal(size=(5, 3))


def text(fn, *args, **options):
    return ya.simplegrad(fn, *args, **options).source


def line_of(source, words):
    return next(k for k, line in enumerate(source.split("\n")) if words in line)


# ---------------------------------------------------------------- sums


def carried(A, P, X):
    m, total = X[0], 0.0
    for x in X:
        m = A @ m
        P = A @ P @ A.T
        total = total + m @ P @ x
    return total


@pytest.mark.parametrize("passes", PASSES)
def test_sums_that_stand_early_are_right(monkeypatch, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(carried, (A, P, X))


def test_a_sum_stands_before_what_its_term_reads_is_rebound(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-collect")
    source = text(carried, A, P, X)
    for term, rebound in (
        ("dA += dP.T @ ", "dP = A.T @ "),
        ("dA += np.outer(dm, m_in)", "dm = dm @ A"),
    ):
        assert line_of(source, term) < line_of(source, rebound)


def made(name, hint, fn, *args):
    return Apply(Var(name, FLOAT, hint), fn, args)


D, S = Var("d.1", FLOAT, "d"), Var("s.1", FLOAT, "s")
REBOUND = made("d.2", "d", operator.neg, D)
TERM = made("t.1", None, operator.mul, D, Const(2.0))
SUM = made("s.2", "s", operator.add, S, TERM.out)
WEIGHTED = made("w.1", None, operator.mul, S, Const(2.0))
REBOUND_BY_IT = made("d.2", "d", operator.sub, D, WEIGHTED.out)
READER = made("u.1", "u", operator.mul, S, REBOUND.out)


def test_a_sum_moves_with_its_term():
    found = with_early_sums(Block((REBOUND, TERM, SUM)), (SUM.out, REBOUND.out))
    assert found.ops == (TERM, SUM, REBOUND)
    found = with_early_sums(Block((TERM, REBOUND, SUM)), (SUM.out, REBOUND.out))
    assert found.ops == (TERM, SUM, REBOUND)


@pytest.mark.parametrize(
    ("ops", "also"),
    [
        ((REBOUND, READER, TERM, SUM), READER.out),  # reads the sum as it was
        ((TERM, SUM, REBOUND), REBOUND.out),
        ((made("s.1", "s", operator.neg, REBOUND.out), TERM, SUM), REBOUND.out),
        ((WEIGHTED, REBOUND_BY_IT, TERM, SUM), SUM.out),  # in another one's term
    ],
)
def test_a_sum_stays(ops, also):
    block = Block(ops)
    assert with_early_sums(block, (SUM.out, REBOUND.out, also)).ops == block.ops


READS_D = made("v.1", "v", operator.mul, D, Const(2.0))
IN_SUM = made("s.2", "s", operator.add, S, TERM.out)
BY_S = made("d.2", "d", operator.mul, D, S)
ELSEWHERE = Origin(statement=1)
ONCE_MORE = made("w.2", "w", operator.mul, REBOUND.out, Const(2.0))


def test_a_name_is_rebound_behind_what_reads_it():
    found = with_early_sums(Block((REBOUND, READS_D)), (READS_D.out, REBOUND.out))
    assert found.ops == (READS_D, REBOUND)
    block = Block((REBOUND, TERM, SUM))  # the term has a name anyway
    found = with_early_sums(block, (SUM.out, REBOUND.out, TERM.out))
    assert found.ops == (TERM, REBOUND, SUM)


@pytest.mark.parametrize(
    "ops",
    [
        (BY_S, TERM, IN_SUM),  # the sum rebinds another name that it reads
        (REBOUND, ONCE_MORE, READS_D),  # its value is read before
        (
            REBOUND,
            made("x.1", "x", operator.neg, S),
            replace(READS_D, origin=ELSEWHERE),
        ),
    ],
)
def test_a_name_is_rebound_where_it_was(ops):
    block = Block(ops)
    ends = tuple(op.out for op in ops if op != TERM)
    assert with_early_sums(block, ends).ops == block.ops


def test_a_number_that_a_later_statement_reads_stays_ahead():
    later = replace(made("q.1", "q", operator.neg, READS_D.out), origin=ELSEWHERE)
    block = Block((REBOUND, READS_D, later))
    assert with_early_sums(block, (REBOUND.out, later.out)).ops == block.ops


def gated(x, W, c):
    total = 0.0
    for row in x:
        f = np.tanh(row * W)
        c = f * c + (1 - f) * np.sin(row)
        total = total + np.sum(c * row)
    return total


def test_a_product_goes_on_under_its_name(monkeypatch):
    source = text(gated, X, X[1], X[2])
    assert "dc *= f\n" in source
    assert "dc_2" not in source
    monkeypatch.setenv("YOTA_AST_PASSES", "-inplace")
    assert "dc = dc * f\n" in text(gated, X, X[1], X[2])


@pytest.mark.parametrize("passes", PASSES)
def test_products_in_place_are_right(monkeypatch, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for c in (X[2], 0.5, X[2][:1], X[:2], X[2].astype(np.float32), np.array(0.5)):
        check(gated, (X, X[1], c))
    check(gated, (X[:0], X[1], X[2]))


# ---------------------------------------------------------------- what is returned


class Dense:
    def __init__(self, W, b):
        self.W, self.b = W, b


def layer(o, x):
    return np.sum(np.tanh(x @ o.W + o.b) ** 2)


def steps(o, x):
    for _ in range(3):
        x = np.tanh(x @ o.W + o.b)
    return np.sum(x)


def test_items_of_a_dict_are_written_there():
    made = Dense(A, X[0])
    source = text(layer, made, X, wrt="o")
    assert 'do = {("W",): x.T @ t2, ("b",): t2.sum(axis=0)}' in source
    _, got = ya.grad(layer, made, X, wrt="o")
    _, dW, db = ya.simplegrad(lambda W, b: layer(Dense(W, b), X), A, X[0])(A, X[0])
    np.testing.assert_allclose(got["o"]["W",], dW, rtol=1e-14)
    np.testing.assert_allclose(got["o"]["b",], db, rtol=1e-14)


def test_an_item_that_a_loop_adds_to_keeps_its_name():
    source = text(steps, Dense(A, X[0]), X[0], wrt="o")
    assert 'do = {("W",): do_W, ("b",): do_b}' in source


def of_vector(p, x):
    a, b, c = p
    return np.sum((a * np.exp(-b * x) + c) ** 2)


def test_items_of_a_list_are_written_there():
    source = text(of_vector, X[0], X[1], wrt="p")
    assert "dp = np.array([np.vdot(" in source
    check(of_vector, (X[0], X[1]))


# ---------------------------------------------------------------- numbers


def halved(a, b, c):
    return 0.5 * (np.sum(a * a * b) + np.sum(np.sin(b * c)) + np.sum(c**3))


def halved_in_a_loop(X, a, b):
    total = 0.0
    for x in X:
        total = total + 0.5 * (np.sum(x * a * b) + np.sum(np.sin(a) * x))
    return total


def halved_numbers(p, q, n):
    total = 0.0
    for _ in range(n):
        total = total + 0.5 * (p * q + math.sin(q))
    return total


def test_a_multiple_of_the_seed_is_written_where_it_is_read():
    assert text(halved, *X[:3]).count("0.5 * seed") > 1
    assert " = 0.5 * seed\n" not in text(halved, *X[:3])
    check(halved, tuple(X[:3]))


def test_in_loops_too_where_arrays_read_it():
    assert " = 0.5 * seed\n" not in text(halved_in_a_loop, X, *X[:2])
    check(halved_in_a_loop, (X, *X[:2]))


def test_not_in_loops_of_numbers():
    assert " = 0.5 * seed\n" in text(halved_numbers, 0.3, 0.7, 2)


# ---------------------------------------------------------------- the value of a loop


def summed(x):
    total = 0.0
    for v in x:
        total = total + v * v
    return total


def squared(x, n):
    for _ in range(n):
        x = math.exp(-x)
    return x


def test_the_value_of_a_loop_needs_no_other_name():
    assert "    return total, dx\n" in text(summed, X[0])
    assert "val" not in text(summed, X[0]).partition('"""\n')[2]


def test_one_that_the_reverse_sweep_uses_has_its_own():
    assert "    val = x\n" in text(squared, 0.9, 3, wrt="x")
    assert ya.grad(squared, 0.9, 3, wrt="x")[0] == squared(0.9, 3)
