"""Writes into arguments and through views, and calls that write."""

import numpy as np
import pytest

import yota_ast as ya
from tests.frontend.lowering import copied, same
from tests.frontend.writing import CASES, X, mixture, two
from yota_ast.ir.interpreter import play
from yota_ast.ir.verify import verify

NAMES = [f"{fn.__name__}{k}" for k, (fn, _) in enumerate(CASES)]


@pytest.mark.parametrize(("fn", "args"), CASES, ids=NAMES)
def test_tape_does_what_the_function_does_to_its_arguments(fn, args):
    mine, theirs = [copied(a) for a in args], [copied(a) for a in args]
    _, tape = ya.trace(fn, *map(copied, args))
    verify(tape)
    assert same(play(tape, *mine), fn(*theirs))
    assert same(mine, theirs)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("fn", "args"), CASES, ids=NAMES)
def test_gradient(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    theirs, mine = [copied(a) for a in args], [copied(a) for a in args]
    expected = fn(*theirs)
    seed = r_like(expected)
    extra = {} if np.ndim(expected) == 0 else {"seed": seed.copy()}
    val, g = ya.grad(fn, *mine, **extra)
    assert same(np.asarray(val), np.asarray(expected))
    assert same(mine, theirs)
    for k, x in enumerate(args):
        if np.asarray(x).dtype.kind == "f":
            np.testing.assert_allclose(
                g[k], differences(fn, args, k, seed), rtol=1e-5, atol=1e-6
            )


def r_like(value):
    shape = np.shape(value)
    return np.random.default_rng(1).normal(size=shape) if shape else 1.0


def differences(fn, args, k, seed, h=1e-6):
    found = np.zeros(np.shape(args[k]))
    for index in np.ndindex(found.shape):
        ends = []
        for step in (h, -h):
            given = [copied(a) for a in args]
            moved = np.array(given[k], dtype=float)
            moved[index] += step
            given[k] = moved if found.ndim else float(moved)
            ends.append(np.sum(fn(*given) * seed))
        found[index] = (ends[0] - ends[1]) / (2 * h)
    return found


def test_arguments_that_share_memory_are_refused_by_the_text():
    memory = X.copy()
    grad = ya.simplegrad(two, memory, X.copy())
    with pytest.raises(ValueError, match="`x` is written"):
        grad(memory, memory[:])


def test_items_of_a_list_by_computed_keys():
    _, g = ya.grad(mixture, [0.25, 0.75], [1.0, 2.0])
    assert g[0] == [1.0, 4.0]
    assert g[1] == [0.5, 3.0]
