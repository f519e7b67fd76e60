"""Every operation of the table, of one example: a batch is the loop, or is refused.

Each argument that holds numbers has an example for each index, or is shared. What is
refused is counted, so that no more is. `make test` tries a part, `make fuzz-tests` all.
"""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from typing import Any

import hypothesis
import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import YotaError

from ..fuzzing.modes.batched import _alike, _example
from ..table.cases import TABLE

EXAMPLES = 3
LONG = hypothesis.settings.get_current_profile_name() == "fuzz"
STEP = 12
CASES = TABLE if LONG else TABLE[::STEP]
MOST_REFUSED = 0.75
"""Of the operations of the table; of those that users meet, few are."""
SEEN: Counter[str] = Counter()


def _args(case: Any, mapped: set[int]) -> tuple[list[Any], tuple[int | None, ...]]:
    """The arguments, and the axes: examples that differ by a factor."""
    args, axes = copy.deepcopy(case.args), []
    for k, x in enumerate(args):
        if k in mapped:
            factors = [1.0, 1.02, 1.05]
            args[k] = np.stack([np.asarray(x) * f for f in factors])
        axes.append(0 if k in mapped else None)
    return args, tuple(axes)


def _floats(case: Any) -> list[int]:
    """The arguments that are numbers or arrays."""
    return [
        k for k, x in enumerate(case.args)
        if isinstance(x, (float, complex))
        or (type(x) is np.ndarray and x.dtype.kind in "fc")
    ]  # fmt: skip


def _wrong(fn: Any, args: list[Any], axes: tuple[int | None, ...]) -> str:
    """What is wrong with a batch; "refused", or ""."""
    batch, given = ya.vmap(fn, in_axes=axes), copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            found = batch(*given)
    except YotaError:
        return "refused"
    own = copy.deepcopy(args)
    with np.errstate(all="ignore"):
        try:
            wanted = [
                fn(*(a if k is None else a[i] for a, k in zip(own, axes, strict=True)))
                for i in range(EXAMPLES)
            ]
        except (YotaError, TypeError, AttributeError):
            return "refused"  # of NumPy's numbers in place of Python's
    for i, one in enumerate(wanted):
        if not _alike(_example(found, i), one):
            return f"{_example(found, i)!r}, not {one!r} {axes}\n{batch.source}"
    return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_operation(case):
    floats = _floats(case)
    for count in range(1, len(floats) + 1):
        for mapped in itertools.combinations(floats, count):
            args, axes = _args(case, {*mapped})
            found = _wrong(case.fn, args, axes)
            SEEN[found or "right"] += 1
            assert found in ("", "refused")
            if found or len(mapped) not in (1, len(floats)):
                continue
            args += case.weights.values()
            axes += (None,) * len(case.weights)
            names = [n for n in case.asked if n in [*case.values][: len(case.args)]]
            slopes = ya.value_and_grad(case.total, wrt=names)
            found = _wrong(slopes, args, axes)
            SEEN[found or "right"] += 1
            assert found in ("", "refused")


def test_most_is_not_refused():
    """Of what this process has seen, if that is more than a few operations."""
    if SEEN.total() < len(CASES):
        pytest.skip("another process tries most operations")
    assert SEEN["refused"] <= MOST_REFUSED * SEEN.total()
