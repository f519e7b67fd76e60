"""Of arrays of unknown dtype `infer` states no dtype that another would change.

Python compares `None == np.dtype(float)` as NumPy does, which takes None for float64.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("scipy")

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.facts.joined_facts import join
from yota_ast.rules import BOOK

from ..operations import OPERATIONS
from . import scipy_operations as table
from .check import call_of


def cast(value, dtype):
    """The value with its floats as those of a dtype."""
    if isinstance(value, np.ndarray) and value.dtype == float:
        clipped = np.clip(np.nan_to_num(value), -9, 9)
        return (
            np.rint(clipped * 4).astype(int) if dtype is int else clipped.astype(dtype)
        )
    return value


def without_dtype(atom):
    fact = atom.fact if isinstance(atom, Var) else None
    if fact is None or fact.kind not in ("array", "scalar") or fact.dtype != np.float64:
        return atom
    return Var(atom.name, replace(fact, dtype=None))


ALL = [*OPERATIONS, *table.OPERATIONS]
MANY = 60  # of them in one test: each takes a millisecond


@pytest.mark.parametrize("first", range(0, len(ALL), MANY))
def test_unknown_dtypes(first):
    for one in ALL[first : first + MANY]:
        for dtype in (np.float32, int, np.float64):
            check(one, dtype)


def check(one, dtype):
    call = call_of(one, one.sample(3))
    args = [without_dtype(a) for a in call.args]
    kwargs = [(k, without_dtype(a)) for k, a in call.kwargs]
    fact = BOOK.infer(call.fn, args, kwargs)
    if fact.kind not in ("array", "scalar") or fact.dtype is None:
        return
    call.values = {k: cast(v, dtype) for k, v in call.values.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            y = call.run()
        except Exception:
            return
    if isinstance(y, (np.ndarray, np.generic)):
        # Of complex numbers it is known that they are complex, not of how many digits.
        alike = (fact.is_complex and y.dtype.kind == "c") or y.dtype == fact.dtype
        assert alike, (str(one), dtype)


def test_numbers_of_unknown_dtype():
    n = Var("n", Fact("scalar", None, ()))
    assert BOOK.infer(np.arange, [n], ()).dtype is None
    assert BOOK.infer(np.histogram, [n], ()).items[1].dtype is None
    number = Fact("scalar", np.dtype(float), ())
    assert join(number, Fact("array", None, ())).dtype is None
