"""The memory of results of the functions of libraries that have no rule.

A function with a rule has it stated there; of one that is in neither place it is
unknown, and may be shared.
"""

from __future__ import annotations

import copy

import numpy as np

from yota_ast.ops.registry import named, state
from yota_ast.ops.result_memory import viewed
from yota_ast.ops.spellings import operators

state(copy.deepcopy, container="deep", memory="fresh")
state(list, sorted, list.copy, *operators("add mul"), container="new")
state(np.copy, np.ndarray.copy, copies=True)
state(np.shares_memory, np.may_share_memory, asks_where=True)
state(np.ndarray.view, memory=viewed)
state(
    *named(
        "numpy",
        "apply_along_axis array2string array_repr array_str base_repr binary_repr"
        " busday_count busday_offset can_cast common_type datetime_as_string"
        " diag_indices_from einsum_path format_float_positional"
        " format_float_scientific histogram_bin_edges intersect1d is_busday isdtype"
        " isfortran isnat issubdtype iterable mask_indices may_share_memory"
        " min_scalar_type mintypecode packbits piecewise promote_types"
        " ravel_multi_index setdiff1d setxor1d shares_memory sort_complex"
        " tril_indices_from triu_indices_from typename union1d unique_all"
        " unique_counts unique_inverse unique_values unpackbits",
    ),
    *named(
        "numpy.ndarray",
        "all any argmax argmin argpartition argsort choose clip cumprod cumsum max"
        " mean min nonzero prod repeat searchsorted std take tobytes trace var",
    ),
    memory="fresh",
)
state(*named("numpy.ndarray", "diagonal swapaxes"), memory="view")
state(*named("numpy.random", "permutation permuted bytes"), memory="fresh")
state(
    *named(
        "scipy.stats",
        "*.pdf *.logpdf *.cdf *.logcdf *.sf *.logsf *.ppf *.isf *.pmf *.logpmf",
    ),
    memory="fresh",
)
