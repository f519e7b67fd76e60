"""An operation on points in time -> what is known of its result.

The classes of datetime hold whole numbers, and nothing that has a derivative; the type
of what an operation gives follows from the types of what it is given, so that it is
tried on an example of each.

>>> import operator
>>> from datetime import datetime
>>> from yota_ast.ir.abstract_values import Fact
>>> now = Var("now", Fact("other", cls=datetime))
>>> fact_of_moments(operator.sub, (now, Const(datetime(2000, 1, 1))), ()).cls.__name__
'timedelta'
>>> fact_of_moments(getattr, (now, Const("hour")), ())
int
"""

from __future__ import annotations

import datetime as dt
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var

_EXAMPLES: Final[dict[type, object]] = {
    dt.datetime: dt.datetime(2000, 3, 1, 12),  # noqa: DTZ001
    dt.date: dt.date(2000, 3, 1),
    dt.time: dt.time(12),
    dt.timedelta: dt.timedelta(days=1),
    dt.timezone: dt.UTC,
    int: 1,
    float: 1.0,
    bool: True,
}
MOMENTS: Final = tuple(_EXAMPLES)[:5]
"""The classes of points in time, and of the time between them."""
_RESULTS: Final = (*_EXAMPLES, str)


def fact_of_moments(
    fn: Callable[..., Any], args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]
) -> Fact | None:
    """What is known of `fn(*args, **kwargs)`; None where no argument is such a class's,
    or where the types do not tell.

    Raises UnsupportedCall where a float goes into a time, which is rounded.
    """
    if not any(_class_of(a) in MOMENTS for a in args) or not _is_operation(fn):
        return None
    given = (*args, *(a for _, a in kwargs))
    if any(isinstance(a, Var) and a.fact.holds_floats for a in given):
        raise UnsupportedCall(
            "a time is made from a float, and rounded to microseconds",
            remedy="Compute with numbers first, and make the time from the result.",
        )
    try:
        result = fn(*map(_example, args), **{k: _example(a) for k, a in kwargs})
    except Exception:  # noqa: BLE001  it will raise itself, or not, by the values
        return None
    return fact_of(result) if type(result) in _RESULTS else None


def _is_operation(fn: object) -> bool:
    """Whether it is an operator, an attribute or a method of these classes."""
    signs = vars(operator).values()
    return fn is getattr or fn in signs or _is_method(fn)


def _is_method(fn: object) -> bool:
    return isinstance(fn, types.MethodDescriptorType) and fn.__objclass__ in MOMENTS


def _class_of(atom: Atom) -> type | None:
    return type(atom.value) if isinstance(atom, Const) else atom.fact.cls


def _example(atom: Atom) -> object:
    if isinstance(atom, Const):
        return atom.value
    cls: Any = atom.fact.cls if atom.fact.kind == "other" else None
    return _EXAMPLES[cls if cls is not None else _NUMBERS[atom.fact.kind]]


_NUMBERS: Final[dict[str, type]] = {"int": int, "float": float, "bool": bool}
