"""Every operation of the table, recorded: its value and gradient are those that the
source gives, for other arguments too, or it is refused as `refused.txt` says.

`make test` tries a part, `make fuzz-tests` all of it.
"""

import contextlib
import copy
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from ..operations import OPERATIONS
from ..table.refused import read, written

PATH = Path(__file__).parent / "refused.txt"
HEAD = """\
# The operations of the table that are refused where they are recorded by values.
# `make fuzz-tests PYTEST_ARGS='tests/recording --rewrite-golden'` rewrites it.
"""
ENDS_UNSET = ("np.empty_like(x)", "np.pad(x, 2, 'empty')")  # any numbers at all


def named():
    """The operations by names of their own."""
    seen = Counter()
    for op in OPERATIONS:
        if str(op) not in ENDS_UNSET:
            seen[str(op)] += 1
            yield f"recorded: {op}, use {seen[str(op)]}", op


CASES = dict(named())
REFUSED = read(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}


def seed_of(value):
    """A cotangent of the structure of a value."""
    if isinstance(value, (tuple, list)):
        return [seed_of(item) for item in value]
    value = np.asarray(value)
    seed = np.cos(np.arange(value.size, dtype=float)).reshape(value.shape)
    seed = seed * (1 + 0.5j) if value.dtype.kind == "c" else seed
    return seed if value.shape else seed.item()


def assert_close(one, other):
    if isinstance(other, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(other, (tuple, list)):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_close(*pair)
    elif other is None or isinstance(other, str):
        assert one == other
    else:
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def copies(args):
    """The arguments, by position."""
    return copy.deepcopy(list(args.values()))


def gradients(fn, args, seed):
    """By the names of arguments; the refusal, where there is one."""
    try:
        found = ya.grad(fn, *copies(args), seed=seed)[1]
    except (ya.YotaError, TypeError) as error:
        return error
    return {name: found[name] for name in args if name in found}


def outcome(op):
    """'' where all is right, else the message of the refusal."""
    args, others = op.sample(), op.sample(1)
    value = op.fn(*copies(args))
    try:
        tape = ya.trace(op.fn, *copies(args), tracer="values")[1]
    except ya.YotaError as error:
        return f"{type(error).__name__}: {error}"
    fn = ya.compile(tape)
    assert_close(fn(*copies(args)), value)
    expected = op.fn(*copies(others))
    with contextlib.suppress(ValueError):  # it was recorded for another branch
        assert_close(fn(*copies(others)), expected)
    seed = seed_of(value)
    first, second = (gradients(f, args, seed) for f in (op.fn, fn))
    if not isinstance(first, Exception):
        if isinstance(second, Exception):
            return f"{type(second).__name__}: {second}"
        assert_close(second, first)
    return ""


@pytest.fixture(scope="module")
def seen(request):
    """Take what becomes of each operation; written at the end, if asked to."""
    found = {}
    yield found
    if request.config.getoption("--rewrite-golden"):
        left = {k: v for k, v in REFUSED.items() if k in CASES and k not in found}
        refused = left | {k: v for k, v in found.items() if v}
        text = written(refused, len(CASES), HEAD)
        PATH.write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.part(12)
@pytest.mark.parametrize("name", list(CASES))
def test_an_operation(name, seen, request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message = seen[name] = outcome(CASES[name])
    if not request.config.getoption("--rewrite-golden"):
        assert message == REFUSED.get(name, "")


def test_few_are_refused():
    assert len(REFUSED) < 90
    assert {*REFUSED} <= {*CASES}
