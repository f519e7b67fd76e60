"""Of which kind results are, whatever the functions are given.

>>> import numpy as np
>>> info(np.zeros_like).always, info(len).always, info(np.sum).always
('array', 'no array', 'unknown')
"""

from __future__ import annotations

import operator

from yota_ast.ir.built_values import build_slice
from yota_ast.ops.registry import info, named, state
from yota_ast.runtime import expand

state(
    *named("numpy", "zeros ones empty full zeros_like ones_like empty_like full_like"),
    *named("runtime", "ungetitem unset"),
    always="array",
)
state(
    *named("numpy", "array asarray asarray_chkfinite ascontiguousarray"),
    *named("numpy", "asfortranarray"),
    *named("numpy.ma", "filled getdata getmask getmaskarray"),
    plain=True,
)
state(*named("numpy", "array asarray asanyarray"), converts=True)
state(*named("numpy", "matrix asmatrix bmat"), makes="matrix")
state(*named("scipy.sparse.linalg", "splu spilu"), makes="factors")
state(
    *named(
        "scipy.sparse",
        "block_array block_diag bmat diags diags_array eye eye_array hstack identity"
        " kron kronsum random random_array spdiags tril triu vstack",
    ),
    *named(
        "scipy.sparse",
        "*.transpose *.tocsr *.tocsc *.tocoo *.tolil *.todok *.todia *.tobsr *.copy"
        " *.conj *.conjugate *.power *.astype *.multiply",
    ),
    makes="sparse",
)
state(
    *named("builtins", "len int range"),
    operator.index,
    build_slice,
    always="no array",
)


def allocates(fn: object) -> bool:
    """Whether a function makes memory that a sweep may write into.

    >>> allocates(expand), allocates(len)
    (True, False)
    """
    known = info(fn)
    return known.fill != "unknown" or known.copies or fn is expand
