"""Where JAX makes floats of 32 bits of masks, and of whole numbers of few bits.

    np.mean(x > 0)     float64 in NumPy, float32 in JAX, whatever `jax_enable_x64` says

Beside a number of Python a mask is promoted before: `(x > 0) / 3` has 64 bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops.registry import info

_WHOLE: Final = np.dtype(int)


def is_narrow(op: Apply) -> bool:
    """Say whether JAX makes floats of 32 bits of what NumPy makes those of 64."""
    if not op.out.fact.is_floating or _says_its_dtype(op):
        return False
    atoms = [*op.args, *(value for _, value in op.kwargs)]
    facts = list(map(fact_of_atom, atoms))
    if any(fact.holds_floats for fact in facts):
        return False
    dtypes = {dtype for dtype in map(_dtype, facts) if dtype is not None}
    if not dtypes or _WHOLE in dtypes:
        return False
    has_numbers = any(fact.kind == "int" for fact in facts)
    is_promoted = has_numbers and dtypes == {np.dtype(bool)} and _is_elementwise(op)
    return not is_promoted


def _dtype(fact: Fact) -> np.dtype | None:
    """Return the dtype of what may be a mask or a whole number of an array."""
    return np.dtype(bool) if fact.kind == "bool" else fact.dtype


def _is_elementwise(op: Apply) -> bool:
    return isinstance(op.fn, np.ufunc) or info(op.fn).in_jax == "python"


def _says_its_dtype(op: Apply) -> bool:
    """Say whether a call names the dtype of what it makes: `m.astype(float)`."""
    is_named = any(name == "dtype" for name, _ in op.kwargs)
    return is_named or isinstance(op.fn, type) or any(map(_is_dtype, op.args))


def _is_dtype(atom: Atom) -> bool:
    return isinstance(atom, Const) and isinstance(atom.value, type | np.dtype | str)
