"""Arguments that may be None -> the same, of which is known what holds where they are
not: arithmetic on None raises.

>>> import operator
>>> from yota_ast.ir.abstract_values import FLOAT, NONE
>>> from yota_ast.ir.facts.joined_facts import join
>>> x = Var("x", join(NONE, FLOAT))
>>> x, present(operator.mul, x), present(operator.eq, x)
(x::float | None, x::float, x::float | None)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ops import info


@cache
def raises_on_none(fn: Any) -> bool:
    """Whether a function raises wherever an argument without a name is None."""
    known = info(fn)
    if not isinstance(fn, np.ufunc) or known.takes_none:
        return known.refuses_none
    made = any("O" in types for types in fn.types)  # np.frompyfunc, of what you like
    return not made or getattr(np, fn.__name__, None) is fn


def present(fn: Any, atom: Atom) -> Atom:
    """An argument of a call, as it is known once the call has given something."""
    if not isinstance(atom, Var) or atom.fact.present is None:
        return atom
    return replace(atom, fact=atom.fact.present) if _raises(fn) else atom


def presents(fn: Any, args: Sequence[Atom]) -> Sequence[Atom]:
    """The arguments of a call, as they are known once the call has given something."""
    for atom in args:
        if isinstance(atom, Var) and atom.fact.present is not None:
            return tuple(present(fn, a) for a in args)
    return args


def _raises(fn: Any) -> bool:
    try:
        return raises_on_none(fn)
    except TypeError:  # what has no hash
        return False
