"""A whole number of the caller's -> one that rules count with: it has a sign.

Rules say `signed(k)`. What Python's integers and literals are is known to be signed;
of NumPy's integers it is `int(k)`; the helper is for what is not known.

>>> from yota_ast.ir.builder import Builder, Names
>>> from yota_ast.ir.abstract_values import INT, Fact
>>> from yota_ast.ir.atoms import Var
>>> builder = Builder(lambda *_: INT, Names())
>>> signed_atom(builder, Var("k", INT)).name, len(builder.ops)
('k', 0)
>>> signed_atom(builder, Var("k", Fact("scalar", np.dtype(np.uint8), ()))).name
'%'
>>> builder.ops[0].fn
<class 'int'>
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import CONTAINERS, INT, PYTHON_SCALARS, Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.builder import Adding
from yota_ast.runtime import signed


def signed_atom(builder: Adding, n: Atom) -> Atom:
    """The number or numbers `n`, converted where they may have no sign."""
    known = fact_of_atom(n)
    if _is_signed(known):
        return n
    if known.is_scalar and known.kind in ("scalar", "array") and known.dtype:
        return builder.apply(int, n, fact=INT)
    if known.kind == "array" and known.rank:
        return builder.method("astype", n, Const(int, "int"))
    return builder.apply(signed, n)


def _is_signed(known: Fact) -> bool:
    """Whether 1 less than what is known as this is what it is for Python's integers."""
    if known.kind in CONTAINERS and known.items is not None:
        return all(map(_is_signed, known.items))
    if known.kind in ("scalar", "array") and known.dtype is not None:
        return known.dtype.kind not in "iub" or known.dtype == np.int64
    return known.kind in PYTHON_SCALARS or known.kind in ("none", "str")
