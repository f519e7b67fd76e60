"""What is asked of the type of an array -> the answer, where all types of floats agree.

An array that is said to hold floats is of float64 or float32, which the text leaves
open: it checks the kind alone.

>>> from yota_ast.ir.abstract_values import array_fact
>>> dtype = Var("d", dtype_fact(array_fact("f8", (None,)).dtype))
>>> told_of_types(getattr, (dtype, Const("kind")))
'f'
>>> told_of_types(operator.eq, (dtype, Const("O")))
False
>>> told_of_types(operator.eq, (dtype, Const("f4"))) is None
True
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var

_NATIVE: Final = tuple(np.dtype(name) for name in ("f2", "f4", "f8", np.longdouble))
_FLOATS: Final = (*_NATIVE, *(dtype.newbyteorder("S") for dtype in _NATIVE))


def dtype_fact(dtype: np.dtype[Any] | None) -> Fact:
    """What is known of the type of an array of which that is known."""
    return Fact("other", cls=np.dtype, element=Fact("array", dtype))


def told_of_types(fn: Callable[..., Any], args: Sequence[object]) -> bool | str | None:
    """What a question about types of floats gives, whichever they are; else None."""
    if fn is getattr and tuple(args[1:]) == (Const("kind"),):
        return "f" if _is_of_floats(args[0]) else None
    asks = fn is operator.eq or fn is np.issubdtype or fn is np.isdtype
    if not asks or len(args) != 2 or not any(map(_is_of_floats, args)):
        return None
    try:
        answers = {bool(fn(*given)) for given in itertools.product(*map(_may_be, args))}
    except (TypeError, ValueError):  # the text raises it when it runs
        return None
    return answers.pop() if len(answers) == 1 else None


def _is_of_floats(atom: object) -> bool:
    if not isinstance(atom, Var) or atom.fact.cls is not np.dtype:
        return False
    of = atom.fact.element
    return of is not None and of.dtype is not None and of.dtype.kind == "f"


def _may_be(atom: object) -> Iterator[object]:
    """What an argument may be: of a type of floats, each; TypeError where unknown."""
    if _is_of_floats(atom):
        yield from _FLOATS
    elif isinstance(atom, Const):
        yield atom.value
    else:
        raise TypeError
