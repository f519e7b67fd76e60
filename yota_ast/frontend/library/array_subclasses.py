"""Calls with arrays that compute otherwise than arrays do -> why they are refused.

A masked array leaves elements out of sums and means, `*` of matrices is a product of
matrices: no rule holds of them. They may be asked for what they are, and for an array.

>>> import numpy as np
>>> C = np.ma.array([1.0, 2.0], mask=[False, True])
>>> told_of_unlike(np.multiply, [Const(2.0), Const(C)])[0]
'a masked array leaves elements out: the rules of arrays do not hold for it'
>>> told_of_unlike(np.ma.getmaskarray, [Const(C)])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from yota_ast.ir.atoms import Atom, Const
from yota_ast.ops import info
from yota_ast.support.value_classes import has_labels, is_unlike_arrays

_MASKS: Final = "numpy.ma"
_MASKED: Final = (
    "a masked array leaves elements out: the rules of arrays do not hold for it",
    "Use an array, and weights that are 0 where an element is left out.",
)
_MATRIX: Final = (
    "`*` of np.matrix is a matrix product: the rules of arrays do not hold for it",
    "Use an array, np.asarray(m), and `@` for products.",
)
_OTHERWISE: Final = (
    "an array of a class with its own operators: the rules of arrays do not hold",
    "Give its numbers: np.asarray(a).",
)
_HOMES: Final = ("numpy", "_operator", "builtins", "math", "scipy")


def told_of_unlike(
    fn: Callable[..., object], args: Sequence[Atom]
) -> tuple[str, str] | None:
    """Why a call cannot be followed, and what to write; None where it can."""
    home = str(getattr(fn, "__module__", None) or type(fn).__module__)
    if _only_asks(fn) or home.split(".", maxsplit=1)[0] not in _HOMES:
        return None
    found = (c for c in map(_class, args) if is_unlike_arrays(c) and not has_labels(c))
    given = next(found, None)
    masked = home.startswith(_MASKS) or hasattr(given, "mask")
    if given is None and not masked and info(fn).makes != "matrix":
        return None
    if masked:
        return _MASKED
    known = given is None or hasattr(given, "getA1")  # np.matrix
    return _MATRIX if known else _OTHERWISE


def _only_asks(fn: object) -> bool:
    """Whether a function asks what its arguments are, or for an array of them."""
    of = info(fn)
    asks = of.tells or of.text or of.asks_where or of.taking == "nothing"
    return asks or of.plain


def _class(atom: Atom) -> object:
    return type(atom.value) if isinstance(atom, Const) else atom.fact.cls
