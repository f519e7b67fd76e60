"""The arguments of a call -> what decides which generated code serves them.

A call is like another where its arguments are given in the same form, where their
types, dtypes, ranks and axes of length 1 are the same, and where the same of them are
one array.

>>> kinds_of([2.0, np.ones((3, 1))])
(<class 'float'>, (dtype('float64'), (False, True)))
>>> kinds_of([{"k": [2.0]}])
((<class 'dict'>, ('k',), (<class 'list'>, (), <class 'float'>)),)
>>> kinds_of([abs]) is None
True
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import fact_of

_NUMBERS: Final = (
    np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64,
    np.int64, np.int32, np.int16, np.int8, np.bool_,
)  # fmt: skip
_SCALARS: Final = frozenset((float, int, bool, complex, str, type(None), *_NUMBERS))
_DEEPEST: Final = 8
OBJECT: Final = object()
"""The kind of objects, before their class."""
Kinds = tuple[Hashable, ...]


def kinds_of(values: Iterable[Any]) -> Kinds | None:
    """Return what decides which generated code serves values; None where that is more
    than is looked at here. What is in objects is looked at apart."""
    kinds: list[Hashable] = []
    met: list[int] = []
    for value in values:
        cls: Any = type(value)
        if cls is np.ndarray:
            shape, dtype = value.shape, value.dtype
            if dtype.hasobject:
                return None
            units = tuple([n == 1 for n in shape]) if 1 in shape else len(shape)
            kinds.append((dtype, units))
            met.append(id(value))
        elif cls in _SCALARS:
            kinds.append(cls)
        else:
            kind = _of_structure(value, met, 0)
            if kind is None:
                return None
            kinds.append(kind)
    if len(met) > 1 and len({*met}) < len(met):
        kinds.append(tuple(map(met.index, met)))
    return tuple(kinds)


def _of_structure(value: Any, met: list[int], depth: int) -> Hashable:
    """The kind of a container of Python's own, or of an object; None of another.

    met: the ids of the arrays, containers and objects so far.
    """
    cls: Any = type(value)
    if depth > _DEEPEST or (cls is np.ndarray and value.dtype.hasobject):
        return None
    if cls in _SCALARS:
        found: Hashable = cls
        return found
    met.append(id(value))
    if cls is np.ndarray:
        return (value.dtype, tuple([n == 1 for n in value.shape]))
    keys: tuple[object, ...] = ()
    if cls is dict:
        keys, value = tuple(value), tuple(value.values())
        if not all(type(key) is str for key in keys):
            return None
    elif cls is not tuple and cls is not list:
        return (OBJECT, cls) if fact_of(value).kind == "object" else None
    items = [_of_structure(item, met, depth + 1) for item in value]
    return None if None in items else (cls, keys, *items)


def holds_objects(kinds: object) -> bool:
    """Whether there are objects among what has some kinds."""
    if kinds is OBJECT:
        return True
    return isinstance(kinds, tuple) and any(map(holds_objects, kinds))


_DATA: Final = _SCALARS - {bool, np.bool_, str, type(None)}


def is_simple(value: object) -> bool:
    """Whether a value is a number, an array, a string or None."""
    return type(value) in _SCALARS or type(value) is np.ndarray


def is_data(value: object) -> bool:
    """Whether a value is a number or an array, of which the type tells enough."""
    cls = type(value)
    return cls in _DATA or (cls is np.ndarray and not value.dtype.hasobject)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Form:
    """How the parameters of a function are filled in a call of one form.

    order: for each parameter, the place of its value among what is given, then the
    defaults that the call leaves out. keywords: the last parameters, given by name.
    defaults, keyword_defaults: those left out. count: how many defaults there are.
    is_plain: the values are the arguments that are given by position.
    """

    order: tuple[int, ...] | None
    keywords: tuple[str, ...]
    defaults: tuple[int, ...]
    keyword_defaults: tuple[str, ...]
    count: int
    is_plain: bool

    @staticmethod
    def of(f: FunctionType, positional: int, named: Sequence[str]) -> Form:
        """The form of a call that Python accepts, of a function without `*args`."""
        code = f.__code__
        count = len(f.__defaults__ or ())
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        places = {name: k for k, name in enumerate(own[:positional])}
        places |= {name: positional + k for k, name in enumerate(named)}
        left = [k for k in range(positional, code.co_argcount) if own[k] not in places]
        keywords = own[code.co_argcount :]
        left_named = [name for name in keywords if name not in places]
        for name in (*(own[k] for k in left), *left_named):
            places[name] = len(places)
        order = tuple(places[name] for name in own)
        defaults = tuple(k - code.co_argcount for k in left)
        in_order = order == tuple(range(len(own)))
        plain = positional == len(own)
        return Form(
            None if in_order else order, keywords, defaults, tuple(left_named), count,
            plain,
        )  # fmt: skip

    def values(
        self, f: FunctionType, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[object, ...] | None:
        """The values of the parameters, in their order."""
        given = (*args, *kwargs.values()) if kwargs else args
        if self.defaults:
            defaults = f.__defaults__ or ()
            if len(defaults) != self.count:
                return None
            given = (*given, *(defaults[k] for k in self.defaults))
        if self.keyword_defaults:
            named = f.__kwdefaults__ or {}
            if not all(name in named for name in self.keyword_defaults):
                return None
            given = (*given, *(named[name] for name in self.keyword_defaults))
        return given if self.order is None else tuple([given[k] for k in self.order])


def plain_call(
    f: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, tuple[Any, ...], Mapping[str, Any], Hashable]:
    """The function behind a method or a `functools.partial`, the arguments that it
    gets, and what tells how the user's are told apart from these.

    >>> plain_call("ab".join, (["c"],), {})[1:]
    ((['c'],), {}, None)
    """
    if type(f) is MethodType:
        return f.__func__, (f.__self__, *args), kwargs, MethodType
    if type(f) is partial and not f.__dict__:  # what it wraps tells its signature
        mark = (partial, len(f.args), *f.keywords)
        return f.func, (*f.args, *args), {**f.keywords, **kwargs}, mark
    return f, args, kwargs, None
