"""`dataclasses.dataclass` and `replace`, quicker: for the classes and the records.

A compile makes records by the hundred thousand. What `dataclasses` generates for a
frozen one looks up `object.__setattr__` for each field; its `replace` asks each field
what it is; and it compiles six functions for each class, half of the time that the
package takes to be imported. These do the same with less.

>>> @dataclass(frozen=True, slots=True)
... class Point:
...     x: int
...     y: int = 0
>>> replace(Point(1, 2), y=3), Point(1)
(Point(x=1, y=3), Point(x=1, y=0))
>>> Point(1, 2).x = 5
Traceback (most recent call last):
dataclasses.FrozenInstanceError: cannot assign to field 'x'
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import reprlib
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final, NoReturn, ParamSpec, TypeVar

__all__ = ("dataclass", "field", "maker", "replace", "replacer")

_P = ParamSpec("_P")
_T = TypeVar("_T")
Values = Callable[[Any], tuple[Any, ...]]

if TYPE_CHECKING:
    # so that the names and types of the fields are checked
    from dataclasses import dataclass, replace

    def maker(cls: Callable[_P, _T]) -> Callable[_P, _T]:
        """What makes records of a class as a call of it does, in half the time."""
        return cls

    def replacer(cls: type[_T], *changed: str) -> Callable[..., _T]:
        """What replaces these fields of a record, given by position: `replace`, where
        it is called by the thousand."""
        raise NotImplementedError
else:

    def dataclass(
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        repr: bool = True,  # noqa: A002  as `dataclasses` has it
    ) -> Callable[[type], type]:
        """The class as `dataclasses.dataclass` makes it, its methods made at once.

        Only for a class without fields for keywords alone.
        """

        def made(cls: type) -> type:
            own = set(vars(cls))
            cls = _with_fields(cls, slots=slots)
            fields = dataclasses.fields(cls)
            methods: dict[str, Any] = {"__init__": _Init(cls, frozen=frozen)}
            if repr:
                methods["__repr__"] = _repr
            if eq:
                values = _values_of([f.name for f in fields if f.compare])
                methods |= {"__eq__": _eq(values), "__hash__": None}
                if frozen:
                    methods["__hash__"] = _hash(values)
            if frozen:
                methods |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
                methods |= {"__getstate__": _getstate, "__setstate__": _setstate}
            for name, method in methods.items():
                if name not in own:
                    setattr(cls, name, method)
            bare = all(
                "__slots__" in vars(b) and not b.__slots__ for b in cls.__mro__[1:-1]
            )
            plain = slots and bare and "__init__" not in own
            if plain and not hasattr(cls, "__post_init__"):
                _PLAIN.add(cls)
            return cls

        return made

    def replace(record: Any, /, **changes: Any) -> Any:
        """`dataclasses.replace` of a record whose fields are all given by position."""
        key = (record.__class__, *changes)
        made = _REPLACING.get(key)
        if made is None:
            seen = _RARE[key] = _RARE.get(key, 0) + 1
            if seen < _OFTEN:
                return _replaced(record, changes)
            made = _replacing(key, *key)
        return made(record, **changes)

    def maker(cls: type) -> Callable[..., Any]:
        """What makes records of a class as a call of it does, in half the time."""
        return _maker(cls)

    def replacer(cls: type, *changed: str) -> Callable[..., Any]:
        """What replaces these fields of a record, given by position: `replace`, where
        it is called by the thousand."""
        return _replacing((cls, *changed), cls, *changed)


_PLAIN: set[type] = set()
"""The classes of which `__init__` sets a slot for each field, and no more."""

_REPLACING: dict[tuple[Any, ...], Callable[..., Any]] = {}
"""What replaces fields, by the class of the record and the names of the fields."""

_RARE: dict[tuple[Any, ...], int] = {}
"""How often those were replaced for which there is no such function yet."""

_MANY: Final = 4
"""Fields of a record that are set faster as of another class."""

_OFTEN: Final = 12
"""As many times cost as much as to compile a function that does it."""


def _replaced(record: Any, changes: dict[str, Any]) -> Any:
    """A record with some fields replaced, without a function made for it."""
    fields = record.__class__.__dataclass_fields__.values()
    names = [f.name for f in fields if f.init]
    values = [
        changes.pop(name) if name in changes else getattr(record, name)
        for name in names
    ]
    return record.__class__(*values, **changes)


def _replacing(key: tuple[Any, ...], cls: type, *changed: str) -> Callable[..., Any]:
    """What makes a record of another: as its class does, or, where that only sets its
    slots, by setting them."""
    # What the function calls by itself ends in `_`, as no field does.
    known: dict[str, Any] = {"cls_": cls, "new_": object.__new__}
    given = {f.name: f"record_.{f.name}" for f in dataclasses.fields(cls) if f.init}
    taken = ", ".join(name if name in changed else v for name, v in given.items())
    unknown = "".join(f", {name}={name}" for name in changed if name not in given)
    lines = [f"return cls_({taken}{unknown})"]  # which refuses what it does not know
    given |= dict(zip(changed, changed, strict=True))
    if cls in _PLAIN and given.keys() == {f.name for f in dataclasses.fields(cls)}:
        known["open_"] = _open(cls)
        lines = _filled(given)
    head = f"def made(record_, /, {', '.join(changed)}):"
    exec("\n  ".join([head, *lines]), known)
    return _REPLACING.setdefault(key, known["made"])


def _maker(cls: type) -> Callable[..., Any]:
    """What makes records of a class as a call of the class does, in half the time."""
    fields = dataclasses.fields(cls)
    if cls not in _PLAIN or any(f.default_factory is not MISSING for f in fields):
        return cls
    known = {f"{f.name}_": f.default for f in fields if f.default is not MISSING}
    given = {f.name: f.name if f.init else f"{f.name}_" for f in fields}
    heads = [
        f"{f.name}={f.name}_" if f.default is not MISSING else f.name
        for f in fields
        if f.init
    ]
    known |= {"cls_": cls, "new_": object.__new__, "open_": _open(cls)}
    exec("\n  ".join([f"def made({', '.join(heads)}):", *_filled(given)]), known)
    return known["made"]  # type: ignore[no-any-return]


def _filled(given: dict[str, str]) -> list[str]:
    """The statements that make a record of a class `cls_` of values for its fields."""
    lines = [f"made_.{name} = {value}" for name, value in given.items()]
    return ["made_ = new_(open_)", *lines, "made_.__class__ = cls_", "return made_"]


def _open(cls: type) -> type:
    """A class with the same slots, which can be set as those of any object can: an
    object made as one is made a record by its `__class__`, once all are set."""
    found = _OPEN.get(cls)
    if found is None:
        found = _OPEN[cls] = type("Open", cls.__bases__, {"__slots__": cls.__slots__})  # type: ignore[attr-defined]
    return found


_OPEN: dict[Any, type] = {}


def _values_of(names: list[str]) -> Values:
    """What gives the values of these fields as a tuple."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Model:
    """A class of `dataclasses` itself: what it notes of a field and of a class."""

    x: int


_KIND: Final = getattr(dataclasses.fields(_Model)[0], "_field_type")  # noqa: B009
_NOTED: Final = {"__dataclass_params__": _Model.__dataclass_params__}  # type: ignore[attr-defined]

_FOUND: Final = ("__dataclass_fields__", "__match_args__")


def _with_fields(cls: type[Any], *, slots: bool) -> type[Any]:
    """The class with its fields and those it inherits, as `dataclasses` notes them;
    with slots it is another class of the same name."""
    fields: dict[str, Field[Any]] = {}
    for base in cls.__mro__[:0:-1]:
        fields |= getattr(base, "__dataclass_fields__", {})
    noted, own = dict(vars(cls)), inspect.get_annotations(cls)
    for name, annotation in own.items():
        fields[name] = _field(name, annotation, noted.pop(name, MISSING))
        if fields[name].default is not MISSING:
            noted[name] = fields[name].default
    names = tuple(name for name, f in fields.items() if f.init)
    noted |= {**_NOTED, **dict(zip(_FOUND, (fields, names), strict=True))}
    if not slots:
        for name in own.keys() & vars(cls).keys() - noted.keys():
            delattr(cls, name)
        for name in noted.keys() & {*own, *_NOTED, *_FOUND}:
            setattr(cls, name, noted[name])
        return cls
    held = {s for b in cls.__mro__[1:] for s in vars(b).get("__slots__", ())}
    for name in (*fields, "__dict__", "__weakref__"):
        noted.pop(name, None)
    noted["__slots__"] = tuple(name for name in fields if name not in held)
    kind: Any = type(cls)
    made: type[Any] = kind(cls.__name__, cls.__bases__, noted)
    made.__qualname__ = cls.__qualname__
    return made


def _field(name: str, annotation: Any, default: Any) -> Field[Any]:
    """The field of this name; the class gives its default, or the field itself."""
    found: Any = default
    if not isinstance(default, Field):
        given = not isinstance(default, MemberDescriptorType)
        found = field(default=default if given else MISSING)
    found.name, found.type = name, annotation
    found._field_type = _KIND  # noqa: SLF001  `fields` finds it by that
    return found  # type: ignore[no-any-return]


class _Init:
    """`__init__` of a class, made when it is first looked up: of many classes no record
    is ever made."""

    def __init__(self, cls: type[Any], *, frozen: bool) -> None:
        self.cls, self.frozen = cls, frozen

    def __get__(self, record: object, cls: type | None = None) -> Callable[..., None]:
        made = _init(self.cls, dataclasses.fields(self.cls), frozen=self.frozen)
        self.cls.__init__ = made
        return made if record is None else made.__get__(record)


def _init(
    cls: type[Any], fields: tuple[Field[Any], ...], *, frozen: bool
) -> Callable[..., None]:
    """`__init__`; with slots it sets them without a detour: many as of a class that can
    be set, which the record then is no more.

    Compiled once for all classes of as many fields: the names and the defaults are put
    in afterwards.
    """
    known: dict[str, Any] = {"MISSING": MISSING, "set_it": object.__setattr__}
    heads, lines, named, defaults = ["self"], list[str](), dict[str, str](), []
    quick: list[str] = []
    if opened := cls in _PLAIN and len(fields) >= _MANY:
        known |= {"cls_": cls, "open_": _open(cls), "class_": "__class__"}
    for k, f in enumerate(fields):
        value = name = f"f{k}"
        named[name] = f.name
        if f.init:
            heads.append(name)
        if f.default_factory is not MISSING:
            known[f"made_{name}"] = f.default_factory
            value = f"made_{name}()"
            if f.init:
                value = f"{value} if {name} is MISSING else {name}"
                defaults.append(MISSING)
        elif f.default is not MISSING and f.init:
            defaults.append(f.default)
        elif f.default is not MISSING:
            known[f"default_{name}"] = f.default
            value = f"default_{name}"
        elif not f.init:
            continue
        slot = getattr(cls, f.name, None)
        if opened:
            quick.append(f"    self.{name} = {value}")
        if not frozen:
            lines.append(f"  self.{name} = {value}")
        elif isinstance(slot, MemberDescriptorType):
            known[f"set_{name}"] = slot.__set__
            lines.append(f"  set_{name}(self, {value})")
        else:
            known[f"name_{name}"] = f.name
            lines.append(f"  set_it(self, name_{name}, {value})")
    if opened:  # a record of a subclass has other slots
        start = ["  if self.__class__ is cls_:", "    set_it(self, class_, open_)"]
        lines = [*start, *quick, "    self.__class__ = cls_", "    return", *lines]
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    text = f"def __init__({', '.join(heads)}):\n" + "\n".join(lines or ["  pass"])
    exec(_compiled(text), known)
    made = known["__init__"]
    made.__defaults__ = tuple(defaults)
    code = made.__code__
    made.__code__ = code.replace(
        co_varnames=tuple(named.get(n, n) for n in code.co_varnames),
        co_names=tuple(named.get(n, n) for n in code.co_names),
    )
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return made  # type: ignore[no-any-return]


_compiled = functools.lru_cache(256)(
    functools.partial(compile, filename="<string>", mode="exec", dont_inherit=True)
)


@reprlib.recursive_repr()
def _repr(self: Any) -> str:
    shown = (f for f in dataclasses.fields(self) if f.repr)
    values = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in shown)
    return f"{self.__class__.__qualname__}({values})"


def _eq(values: Values) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return __eq__


def _hash(values: Values) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _refuse_set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
