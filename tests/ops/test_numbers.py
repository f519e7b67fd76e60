"""What is stated of the numbers of a result, against what NumPy and SciPy give."""

from __future__ import annotations

from typing import Any

import pytest

from yota_ast.ir.atoms import Atom, Const
from yota_ast.ops.dtypes.result_dtypes import WHOLE, is_stated, numbers_of

from .calls import Called, by_function, holds, of_types, recast

CALLS = by_function()
UNSTATED = {
    "print", "round", "frexp", "bincount", "histogram", "ix_", "lstsq", "lu_factor",
    "rankdata", "freqz", "eigvals", "seterr", "geterr", "csd", "welch", "iqr",
    "linregress", "pearsonr", "ttest_1samp", "ttest_ind",
}  # fmt: skip
"""Functions whose results are of several kinds at once, or of none of numbers."""


def span_of(values: dict[str, Any], atom: Atom) -> tuple[int, int]:
    found = holds(atom.value if isinstance(atom, Const) else values[atom.name])
    top = max(found, default=WHOLE)
    return top, top


def disagreement(call: Called) -> str:
    result = call.run()
    found = holds(result)
    if not found:
        return ""
    op, values = call.op()
    low, high = numbers_of(op, lambda a: span_of(values, a))
    if low <= min(found) and max(found) <= high:
        return ""
    given = [sorted(holds(a)) for a in call.args]
    return f"{call.text} of {given}: {sorted(found)}, and stated {(low, high)}"


@pytest.mark.parametrize("name", CALLS)
def test_of_a_function(name):
    calls = [e for c in CALLS[name] for e in (*recast(c), *of_types(c))]
    wrong = [d for each in calls if (d := disagreement(each))]
    assert not wrong, "\n".join(wrong)


def test_the_functions_of_libraries_are_stated():
    unknown = [n for n, calls in CALLS.items() if not is_stated(calls[0].fn)]
    of_libraries = {n for n in unknown if not n.startswith("yota_ast.")}
    assert {name.rpartition(".")[2] for name in of_libraries} <= UNSTATED
