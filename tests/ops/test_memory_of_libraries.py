"""The functions without a rule whose memory is stated, called and looked at."""

from __future__ import annotations

import numpy as np
import pytest

from yota_ast.ops import info
from yota_ast.ops.registry import REGISTRY, Path
from yota_ast.rules.notation.display_names import display_name

from .truth import arrays

X = np.array([3.0, 1.0, 2.0])
I = np.array([2, 0, 1])
M = np.arange(9.0).reshape(3, 3)
BITS = np.array([1, 0, 1, 1, 0, 0, 1, 0], np.uint8)
DAYS = np.array(["2024-01-02", "2024-01-03"], "datetime64[D]")
CALLS = {
    "np.apply_along_axis": (lambda v: v, 0, M), "np.array2string": (X,),
    "np.array_repr": (X,), "np.array_str": (X,), "np.base_repr": (5,),
    "np.binary_repr": (5,), "np.busday_count": (DAYS, DAYS),
    "np.busday_offset": (DAYS, 1), "np.can_cast": ("f4", "f8"), "np.common_type": (X,),
    "np.datetime_as_string": (DAYS,), "np.diag_indices_from": (M,),
    "np.einsum_path": ("ij->ji", M), "np.format_float_positional": (1.5,),
    "np.format_float_scientific": (1.5,), "np.histogram_bin_edges": (X,),
    "np.intersect1d": (X, X), "np.is_busday": (DAYS,),
    "np.isdtype": (np.dtype(float), "real floating"),
    "np.isfortran": (M,), "np.isnat": (DAYS,), "np.issubdtype": (float, np.floating),
    "np.iterable": (X,), "np.mask_indices": (3, np.triu),
    "np.may_share_memory": (X, X), "np.min_scalar_type": (X,),
    "np.mintypecode": ("fd",), "np.packbits": (BITS,),
    "np.piecewise": (X, [X > 0], [lambda v: v]), "np.promote_types": ("f4", "f8"),
    "np.ravel_multi_index": ((I, I), (3, 3)), "np.setdiff1d": (X, np.array([9.0])),
    "np.setxor1d": (X, np.array([9.0])), "np.shares_memory": (X, X),
    "np.sort_complex": (X + 0j,), "np.tril_indices_from": (M,),
    "np.triu_indices_from": (M,), "np.typename": ("d",), "np.union1d": (X, X),
    "np.unique_all": (X,), "np.unique_counts": (X,), "np.unique_inverse": (X,),
    "np.unique_values": (X,), "np.unpackbits": (BITS,),
    "np.ndarray.choose": (I, [X] * 3),
    "np.ndarray.clip": (X, 0.0, 9.0), "np.ndarray.repeat": (X, 1),
    "np.ndarray.searchsorted": (np.sort(X), X), "np.ndarray.take": (X, I),
    "np.ndarray.argpartition": (X, 1), "np.ndarray.swapaxes": (M, 0, 1),
    "np.ndarray.view": (X,), "np.ndarray.diagonal": (M,), "np.ndarray.trace": (M,),
}  # fmt: skip
"""The arguments of those that one array is not enough for, or is too much."""
STATED = [fn for fn in REGISTRY.stating("memory") if not isinstance(fn, Path)]


@pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning")
@pytest.mark.parametrize("fn", STATED, ids=display_name)
def test_memory(fn):
    args = CALLS.get(display_name(fn), (X,))
    result = fn(*args)
    shared = any(
        np.shares_memory(made, given)
        for made in arrays(result)
        for given in arrays(list(args))
    )
    assert shared == (info(fn).memory != "fresh")


def test_the_calls_are_those_of_functions_that_are_stated():
    assert CALLS.keys() <= {display_name(fn) for fn in STATED}
