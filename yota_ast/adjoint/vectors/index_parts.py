"""An index -> its parts, one for each axis of what is indexed, and new axes.

`np.newaxis, i:j` of a matrix has the parts `None`, `i:j` and `:`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.built_values import build_tuple

NEW: Final = Const(None)
WHOLE: Final = Const(slice(None))
_REST: Final = Const(...)


def parts_of_index(r: Rewriter, index: Atom, rank: int | None) -> list[Atom] | None:
    """The parts of an index of an array of so many axes, those left out written; None
    where they are not known."""
    made = r.maker_of(index)
    parts: list[Atom]
    if isinstance(index, Const):
        values = index.value if isinstance(index.value, tuple) else (index.value,)
        parts = [Const(value) for value in values]
    elif made is not None and made.fn is build_tuple:
        parts = [NEW if _is_new(part) else part for part in made.args]
    else:
        return None
    taken = sum(part not in (NEW, _REST) for part in parts)
    if rank is None or taken > rank or parts.count(_REST) > 1:
        return None
    missing = [WHOLE] * (rank - taken)
    at = parts.index(_REST) if _REST in parts else len(parts)
    return [*parts[:at], *missing, *parts[at + 1 :]]


def index_of(r: Rewriter, parts: Sequence[Atom]) -> Atom:
    """The index of some parts."""
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, Const) for part in parts):
        return Const((*(part.value for part in parts if isinstance(part, Const)),))
    known = Fact("tuple", items=tuple(map(fact_of_atom, parts)))
    return r.apply(build_tuple, *parts, form="build", fact=known)


def _is_new(part: Atom) -> bool:
    """Whether a part is `None`, also as `np.newaxis`."""
    return isinstance(part, Const) and part.value is None
