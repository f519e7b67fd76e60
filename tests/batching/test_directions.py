"""Every operation of the table: all directions at once give what one by one gives.

`make test` tries a part, `make fuzz-tests` all.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import hypothesis
import numpy as np
import pytest

import yota_ast as ya

from ..sweeping import alike, both_ways
from ..table.cases import TABLE

LONG = hypothesis.settings.get_current_profile_name() == "fuzz"
CASES = TABLE if LONG else TABLE[5::25]
MOST_ONE_BY_ONE = 0.4
"""Of the calls with several directions."""
SEEN: Counter[str] = Counter()


def _right(make: Any, args: list[Any]) -> bool:
    with np.errstate(all="ignore"):
        found, wanted, counts = both_ways(make, args)
    many = "many" if counts["many"] else "one"
    SEEN.update([many] if counts["many"] or counts["one"] > 1 else [])
    return alike(found, wanted, 1e-8)


@pytest.mark.part(2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_operation(case):
    for name in case.asked:
        for mode in ("forward", "reverse"):
            assert _right(lambda: ya.jacobian(case.fn, name, mode), case.args)
        args = [*case.args, *case.weights.values()]
        assert _right(lambda: ya.hessian(case.total, name), args)


def test_most_go_at_once():
    assert SEEN["one"] <= MOST_ONE_BY_ONE * SEEN.total()
