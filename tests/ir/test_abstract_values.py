"""Facts are equal where they say the same."""

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.facts.joined_facts import join


def test_an_unknown_dtype_is_not_float64():
    """NumPy takes None for float64 where it compares a dtype with it."""
    known, unknown = (
        Fact("array", dtype, (None,)) for dtype in (np.dtype(float), None)
    )
    assert known != unknown
    assert unknown != known
    assert join(known, unknown).dtype is None
    assert join(unknown, known).dtype is None
