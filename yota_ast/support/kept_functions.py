"""A function with text, and what keeps that as the functions are it was made from.

>>> def double(x):
...     return 2 * x
>>> made = Kept(double)
>>> made.kept() is double
True
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final

_STEMS: Final = "_stems_from"
_COPY: Final = "_copy_of"
_GRANTED: Final = "_takes_for_granted"
_FORMS: Final = "_other_forms"
_ORIGINS: Final = "__origins__"
"""In the module of generated code, where its names come from."""


class _Origins(dict[str, tuple[str, str]]):
    """A user's module may have something else of this name."""


class Kept:
    """A function, `fn`, and what is to be called before it is used."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.keeper: Callable[[], None] | None = None
        """Raises ValueError where the text is no longer right."""

    def kept(self) -> Callable[..., Any]:
        """The bare function, which reads what is bound now."""
        if self.keeper is not None:
            self.keeper()
        return self.fn


def note_form(fn: Callable[..., Any], kind: str, make: Callable[[], Kept]) -> None:
    """Note what makes another form of a gradient, one of `Program.forms`."""
    vars(fn).setdefault(_FORMS, {})[kind] = functools.cache(make)


def marked_form(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function that is differentiated in the place of one."""
    return form_of(fn, "marked")


def form_of(fn: Callable[..., Any], kind: str) -> Callable[..., Any]:
    """The function noted in the place of one, or that one itself; it reads what that
    reads."""
    make = getattr(fn, "__dict__", {}).get(_FORMS, {}).get(kind)
    if make is None:
        return fn
    made: Any = make()
    read: dict[str, Any] = fn.__globals__
    made.fn.__globals__.update({k: read[k] for k in made.namespace if k in read})
    found: Callable[..., Any] = made.fn
    return found


def note_granted(fn: Callable[..., Any], granted: object) -> None:
    """Note what the text of a function takes for granted and does not check."""
    vars(fn)[_GRANTED] = granted


def granted_by(fn: object) -> object:
    """What was noted of a function so, or None."""
    return inspect.getattr_static(fn, _GRANTED, None)


def note_stems(fn: Callable[..., Any], used: Sequence[object]) -> None:
    """Note which functions the text of another was made from."""
    vars(fn)[_STEMS] = tuple(used)


def stems_of(fn: object) -> tuple[object, ...]:
    """The functions that the text of another was made from."""
    return tuple(inspect.getattr_static(fn, _STEMS, ()))


def note_origins(scope: dict[str, Any], found: Iterable[tuple[str, str, str]]) -> None:
    """Note where the names of a generated module come from: each name, the module that
    it is read from, and the path in there; "" where that is unknown.

    >>> scope = {"SCALE_2": 2.0}
    >>> note_origins(scope, [("SCALE_2", "shop.model", "SCALE")])
    >>> origin_of(scope, "SCALE_2")
    ('shop.model', 'SCALE')
    """
    known = scope.setdefault(_ORIGINS, _Origins())
    known |= {name: (home, path) for name, home, path in found}


def origin_of(scope: Mapping[str, Any], name: str) -> tuple[str, str]:
    """The module that a name of a scope is read from, and the path in there: of a name
    of generated code those of the user's.

    >>> origin_of({"__name__": "shop.model", "SCALE": 2.0}, "SCALE")
    ('shop.model', 'SCALE')
    """
    own = (str(scope.get("__name__", "")), name)
    origins = scope.get(_ORIGINS)
    return origins.get(name, own) if type(origins) is _Origins else own


def note_copy(fn: Callable[..., object], helper: Callable[..., object]) -> None:
    """Note which helper a function of a text is a copy of."""
    vars(fn)[_COPY] = helper


def helper_of_text(fn: object) -> Callable[..., object] | None:
    """Return the helper that a function of a text is a copy of: it has rules. One that
    is only called like a helper is none.

    >>> helper_of_text(note_copy) is None
    True
    """
    return vars(fn).get(_COPY) if isinstance(fn, FunctionType) else None
