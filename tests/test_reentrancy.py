"""Generated functions hold nothing between calls: threads and repeated calls agree."""

import copy
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import yota_ast as ya

from .adjoint.checking import arrays, leaves, same_bits, seed_for
from .adjoint.programs import CASES
from .golden.functions import GOLDEN

OBJECTS = [c for c in GOLDEN if str(c) == "net"]
PLAIN = [*CASES, *(c for c in GOLDEN if c not in OBJECTS)]
ROUNDS = 20


def asked(case):
    """The names of the arguments with floats."""
    wrt = getattr(case, "options", {}).get("wrt", getattr(case, "wrt", None))
    if wrt is not None:
        return list(wrt)
    return [k for k, x in enumerate(case.args) if list(leaves(x))]


def gradient_of(case):
    """The generated function, and a seed for it."""
    with np.errstate(all="ignore"):
        value = case.fn(*copy.deepcopy(case.args))
    seed = seed_for(value, np.random.default_rng(5))
    made = ya.simplegrad(case.fn, *case.args, wrt=asked(case))

    def run(args):
        with np.errstate(all="ignore"):
            return made(*args, seed=seed)

    return run, seed


@pytest.mark.parametrize("case", PLAIN, ids=str)
def test_calls_one_after_the_other_and_in_threads_agree(case):
    run, seed = gradient_of(case)
    before = copy.deepcopy(seed)
    first, second = (run(copy.deepcopy(case.args)) for _ in range(2))
    assert same_bits(first, second)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            given = [copy.deepcopy(case.args) for _ in range(ROUNDS)]
            results = list(pool.map(run, given))
    finally:
        sys.setswitchinterval(interval)
    assert all(same_bits(first, r) for r in results)
    assert same_bits(seed, before), "the seed was changed"


@pytest.mark.parametrize("case", PLAIN, ids=str)
def test_what_a_call_gives_is_its_own(case):
    """No memory shared among gradients, arguments, seed and value, nor with the next
    call's; arguments end as the function leaves them."""
    run, seed = gradient_of(case)
    mine, primal = copy.deepcopy(case.args), copy.deepcopy(case.args)
    value, *gradients = run(mine)
    with np.errstate(all="ignore"):
        expected = case.fn(*primal)
    assert same_bits(value, expected)
    assert same_bits(mine, primal), "an argument was changed"
    _, *again = run(copy.deepcopy(case.args))
    others = arrays([value, seed, list(mine), again])
    found = arrays(gradients)
    for k, d in enumerate(found):
        assert d.flags.writeable
        assert not any(np.shares_memory(d, e) for e in (*found[:k], *others))


@pytest.mark.parametrize("case", OBJECTS, ids=str)
def test_objects_too(case):
    made = ya.simplegrad(case.fn, *case.args)
    value, *gradients = made(*case.args)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: made(*case.args), range(ROUNDS)))
    assert all(same_bits((value, *gradients), tuple(r)) for r in results)
    fields = [vars(case.args[0].first), vars(case.args[0].last)]
    found = arrays(gradients)
    for k, d in enumerate(found):
        others = (*found[:k], *arrays([list(case.args[1:]), fields]))
        assert not any(np.shares_memory(d, e) for e in others)


def test_threads_that_ask_for_one_gradient_at_once():
    def curve(x, n):
        for _ in range(n):
            x = np.sin(x) * x
        return np.sum(x)

    x = np.ones(3)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: ya.grad(curve, x, 3)[1][0], range(8)))
    assert all(same_bits(found[0], g) for g in found)
