"""Functions and arguments -> what a gradient made from them depends on beside them.

Globals, closure cells, defaults, attributes of modules, classes and objects under the
names that the code reads: all that may be bound anew while the function stays the same.

>>> SCALE = 2.0
>>> def scaled(x):
...     return SCALE * x
>>> scaled.__globals__["SCALE"] = 2.0
>>> watched = Dependencies.of([scaled])
>>> watched.hold
True
>>> scaled.__globals__["SCALE"] = 3.0
>>> watched.hold
False
"""

from __future__ import annotations

import abc
import functools
import sys
import types
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeGuard

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.cache.code_names import (
    asked_for,
    names_in,
    of_modules,
    of_objects,
    reads_of,
)
from yota_ast.api.values.leaves import is_leaf
from yota_ast.ir.abstract_values import fact_of, fields_of
from yota_ast.ir.atoms import Const
from yota_ast.support.array_classes import is_array, spelled_dtype
from yota_ast.support.kept_functions import stems_of
from yota_ast.support.proxies import is_a, items_within
from yota_ast.support.public_names import is_written_in_python

MISSING: Final = object()
"""What a name stands for that is bound to nothing."""
_DEPTH: Final = 12  # how far attributes of attributes are followed
_DATA: Final = frozenset((float, int, bool, complex, str, type(None)))
"""The types of what has no attributes that a user's code may change."""


class Scope(Protocol):
    """Where names stand for values."""

    def get(self, name: str, default: object, /) -> object:
        """What a name stands for."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A closure cell, as a scope of one name."""

    cell: Any

    def get(self, _name: str, default: object, /) -> object:
        """What the cell holds."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return default


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of a function that `vars` does not hold."""

    owner: object

    def get(self, name: str, default: object, /) -> object:
        """The attribute."""
        return getattr(self.owner, name, default)


@dataclass(frozen=True, slots=True)
class Registry:
    """What is registered as derived from an abstract class, and from those below."""

    cls: abc.ABCMeta

    def get(self, _name: str, default: object, /) -> object:
        """The classes."""
        dump: Any = getattr(abc, "_get_dump", None)
        if dump is None:
            return default
        found: dict[int, type] = {}
        pending: list[Any] = [self.cls]
        while pending:
            cls = pending.pop()
            below = [made for ref in dump(cls)[0] if (made := ref()) is not None]
            found |= {id(made): made for made in below}
            pending += [c for c in type.__subclasses__(cls) if type(c) is abc.ABCMeta]
        return tuple(found[key] for key in sorted(found))


@dataclass(frozen=True, slots=True)
class Methods:
    """Which special methods a class has, and which properties of some names: one that
    is added later says what is computed with its objects, too."""

    held: Mapping[str, object]
    names: frozenset[str]

    def get(self, _name: str, _default: object, /) -> tuple[int, tuple[str, ...]]:
        """How much the class holds, and the names of these."""
        read = (n for n in self.held if n[:2] == "__" or n in self.names)
        found = (n for n in read if hasattr(type(self.held[n]), "__get__"))
        return len(self.held), tuple(found)

    def are(self, known: tuple[int, tuple[str, ...]]) -> bool:
        """Whether they are those that were found: where the class holds as much as
        then, they are."""
        count, names = known
        return len(self.held) == count or self.get("", MISSING)[1] == names


@dataclass(frozen=True, slots=True)
class Watch:
    """A name, and what it stood for; content: what a container held, but what the
    function writes itself, by its identity."""

    scope: Scope
    name: str
    value: object
    content: Hashable
    written: frozenset[int] = frozenset()

    @property
    def now(self) -> object:
        """What the name stands for now."""
        return self.scope.get(self.name, MISSING)

    @property
    def path(self) -> str:
        """The name, of an attribute of a function that of its owner before it."""
        if isinstance(self.scope, Attribute):
            return f"{getattr(self.scope.owner, '__name__', '?')}.{self.name}"
        return self.name

    def is_of(self, holder: Any, name: str) -> bool:
        """Whether it is a name that a module, a class or a function holds."""
        if self.name != name or not isinstance(self.scope, Mapping):
            return False
        scope, held = self.scope, vars(holder)
        if scope.keys() != held.keys():
            return False  # those of a class are another mapping at each look
        return scope is held or all(scope[key] is held[key] for key in held)

    @property
    def renewed(self) -> Watch:
        """The same of what the name stands for now."""
        now = self.now
        content = content_of(now, self.written)
        return Watch(self.scope, self.name, now, content, self.written)

    @property
    def holds(self) -> bool:
        """Whether it stands for the same."""
        if isinstance(self.scope, Methods):
            return self.scope.are(self.value)  # type: ignore[arg-type]
        found = self.now
        if found is self.value and self.content is None:
            return True
        if Const(found) != Const(self.value):
            return False
        return content_of(found, self.written) == self.content


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What was read of the world outside."""

    watches: tuple[Watch, ...]
    names: frozenset[str]

    @staticmethod
    def of(
        things: Iterable[object],
        values: Mapping[str, object] | None = None,
        captured: Container[str] = (),
        outside: Mapping[str, object] = MappingProxyType({}),
    ) -> Dependencies:
        """Watch what functions read, and what they read of the classes of arguments;
        captured: the names of the first that are arguments too. outside: what they
        write, which changes at each call."""
        things = [*things]
        functions = _functions_in(things)
        names = frozenset(n for fn in functions for n in names_in(fn.__code__))
        asked = frozenset(n for fn in functions for n in asked_for(fn.__code__))
        reads = [reads_of(fn.__code__) for fn in functions]
        fields = frozenset(n for read in reads for n in of_objects(read))
        written = frozenset(map(id, outside.values()))
        finder = _Finder(fields | asked, asked, functions, written)
        for fn, read in zip(functions, reads, strict=True):
            own = captured if fn is things[0] else ()
            finder.function(fn, (n for n in of_modules(read) if n not in own), own)
        classes = classes_in({**(values or {}), **outside}, names | asked)
        for cls in (*classes, *(t for t in things if isinstance(t, type))):
            finder.inside(cls, 0)
        return Dependencies(tuple(finder.found), names | asked)

    @property
    def renewed(self) -> Dependencies:
        """The same of what is there now."""
        return Dependencies(tuple(w.renewed for w in self.watches), self.names)

    def without(self, names: Iterable[tuple[Any, str]]) -> Dependencies:
        """The same but for names that modules, classes and functions hold."""
        kept = [w for w in self.watches if not any(w.is_of(*name) for name in names)]
        return Dependencies(tuple(kept), self.names)

    @property
    def hold(self) -> bool:
        """Whether everything is as it was."""
        return all(w.holds for w in self.watches)


class _Finder:
    def __init__(
        self, names: frozenset[str], asked: frozenset[str],
        functions: Iterable[types.FunctionType], written: frozenset[int],
    ) -> None:  # fmt: skip
        self.written = written
        self.names, self.interest = sorted(names), names
        self.functions = functions
        self.asked = asked  # also where there is no such attribute
        self.found: list[Watch] = []
        self.seen: dict[int, int] = {}  # how deep, where it was least so
        self.contents: dict[int, Hashable] = {}  # of the containers watched
        self.kinds: set[int] = set()  # the classes of which methods are watched

    def function(
        self, fn: types.FunctionType, names: Iterable[str], captured: Container[str]
    ) -> None:
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self.watch(Attribute(fn), name, _DEPTH)
        for name, cell in zip(
            fn.__code__.co_freevars, fn.__closure__ or (), strict=True
        ):
            if name not in captured:
                self.watch(Cell(cell), name, 0)
        for name in sorted(set(names)):
            self.watch(fn.__globals__, name, 0)

    def watch(self, scope: Scope, name: str, depth: int) -> None:
        value = scope.get(name, MISSING)
        if value is sys.modules:
            self.modules(scope, name)
            return
        content = self.contents.get(id(value))
        if content is None:
            content = self.contents[id(value)] = content_of(value, self.written)
        self.found.append(Watch(scope, name, value, content, self.written))
        self.inside(value, depth + 1)

    def modules(self, scope: Scope, name: str) -> None:
        """Watch which of the modules that are written in the functions are loaded:
        others come with every import, and say nothing."""
        self.found.append(Watch(scope, name, sys.modules, None))
        written = {
            each
            for fn in self.functions
            for given in (fn.__code__, fn.__defaults__, fn.__kwdefaults__)
            for each in _written(given)
        }
        for each in sorted(written):
            loaded: object = sys.modules.get(each, MISSING)
            self.found.append(Watch(sys.modules, each, loaded, None))

    def inside(self, value: object, depth: int) -> None:
        """Watch the attributes that the code may read of a value."""
        if depth > _DEPTH or depth >= self.seen.get(id(value), depth + 1):
            return
        if id(value) in self.written:
            return
        if _is_of_numpy(value):
            self.functions_of(value, depth)
            return
        scopes = list(_scopes(value))
        self.class_of(value, scopes)
        if scopes or isinstance(value, (dict, list, tuple)):
            self.seen[id(value)] = depth
        for item in _parts(value):
            if type(item) not in _DATA:
                self.inside(item, depth + 1)
        # That of a class is another at each look.
        fields = _has_fields(value) and not isinstance(value, type)
        if fields and "__dict__" in self.names:
            self.watch(Attribute(value), "__dict__", _DEPTH)
        if not scopes:
            return
        kind: type = value if is_a(value, type) else type(value)
        made_up = hasattr(kind, "__getattr__")  # of the class of an argument, too
        for name in self.names:
            # In all of them: what one does not have may come to hide another's.
            asked = made_up or name in self.asked
            if asked or any(name in scope for scope in scopes):
                for scope in scopes:
                    self.watch(scope, name, depth)

    def functions_of(self, module: types.ModuleType, depth: int) -> None:
        """Watch the names that the code may read of a module of NumPy, which may be
        bound anew too; not what is within its functions."""
        self.seen[id(module)] = depth
        scope = vars(module)
        for name in self.names:
            if name in scope:
                self.found.append(Watch(scope, name, scope[name], None))
                if isinstance(scope[name], types.ModuleType):
                    self.inside(scope[name], depth + 1)

    def class_of(self, value: object, scopes: list[Mapping[str, object]]) -> None:
        """Watch of which class an object is, which methods define the operators, and
        what is registered as derived from a class."""
        kind: type = value if is_a(value, type) else type(value)
        if not scopes or not is_written_in_python(kind):
            return
        if kind is not value:
            self.watch(Attribute(value), "__class__", _DEPTH)
        elif type(kind) is abc.ABCMeta:
            self.watch(Registry(kind), f"{kind.__name__}.register", _DEPTH)
        if id(kind) in self.kinds:
            return
        self.kinds.add(id(kind))
        for scope in _scopes(kind):
            methods = Methods(scope, self.interest)
            told = f"the set of methods of {kind.__name__}"
            self.found.append(Watch(methods, told, methods.get("", MISSING), None))
            for name, method in scope.items():
                if name[:2] == "__" and isinstance(method, types.FunctionType):
                    if name not in self.names:
                        self.found.append(Watch(scope, name, method, None))


def _functions_in(things: Iterable[object]) -> list[types.FunctionType]:
    """The functions among things, and those that they were made from."""
    stems = (t for thing in things for t in (*_all_stems(thing), thing))
    return [t for t in stems if is_a(t, types.FunctionType)]


def _all_stems(thing: object) -> Iterator[object]:
    """What generated functions were made from."""
    for stem in stems_of(thing):
        yield from _all_stems(stem)
        yield stem


def _is_of_numpy(value: object) -> TypeGuard[types.ModuleType]:
    """Whether a value is a module of NumPy."""
    if not is_a(value, types.ModuleType):
        return False
    return value.__name__.partition(".")[0] == "numpy"


def _scopes(value: object) -> Iterator[Mapping[str, object]]:
    """The namespaces in which the attributes of a user's value are looked up."""
    if is_a(value, types.ModuleType):
        yield vars(value)
    elif is_a(value, type):
        for cls in value.__mro__:
            if cls.__module__ not in ("builtins", "typing", "abc"):
                yield vars(cls)
    elif is_a(value, types.FunctionType):
        yield vars(value)
    elif _has_fields(value):
        yield fields_of(value)
        yield from _scopes(type(value))


def _parts(value: object) -> Iterable[object]:
    """What a container holds, or a function that is made of another."""
    if is_a(value, functools.partial):
        return (value.func, *value.args, *value.keywords.values())
    if is_a(value, types.MethodType):
        return (value.__self__,)
    return (held for _, held in items_within(value))


def _has_fields(value: object) -> bool:
    if is_leaf(value) or isinstance(value, types.FunctionType):
        return False
    return type(value).__module__ not in ("builtins", "numpy", "functools")


def _written(value: object) -> Iterator[str]:
    """What may be names of modules among the strings that a value holds, code too."""
    if isinstance(value, str) and value.replace(".", "_").isidentifier():
        yield value
    elif isinstance(value, types.CodeType):
        yield from _written(value.co_consts)
    elif isinstance(value, dict):
        yield from _written(tuple(value.values()))
    elif isinstance(value, (tuple, list, frozenset)):
        for each in value:
            yield from _written(each)


def content_of(value: object, written: frozenset[int] = frozenset()) -> Hashable:
    """What a container holds, by identity; None for all that is no container, for what
    is written, by its identity, and for the modules that are loaded, of which only some
    count."""
    if value is sys.modules or id(value) in written:
        return None
    if is_a(value, (list, tuple)):
        each = (v for _, v in items_within(value))
        return tuple((Const(v), content_of(v, written)) for v in each)
    if is_a(value, dict):
        pairs = items_within(value)
        return tuple((Const(k), Const(v), content_of(v, written)) for k, v in pairs)
    if is_a(value, set):
        return frozenset(map(Const, set.__iter__(value)))
    if is_a(value, frozenset):
        return frozenset(map(Const, frozenset.__iter__(value)))
    return None


# ---------------------------------------------------------------- arguments


def shape_of(
    values: Mapping[str, object],
    names: frozenset[str],
    growing: frozenset[int] = frozenset(),
) -> Hashable:
    """What a text takes for granted of objects that are arguments.

    Their classes, the kinds of the fields that the code may read, which functions they
    hold, and which arguments or fields are one object. growing: lists of any length, by
    identity.
    """
    shapes = _Shapes(names)
    shapes.met.update((number, -1) for number in growing)
    return shapes.of(tuple(values.values()), "")


def classes_in(values: Mapping[str, object], names: frozenset[str]) -> list[type]:
    """The classes of the objects among the arguments and their fields."""
    shapes = _Shapes(names)
    shapes.of(tuple(values.values()), "")
    return list(shapes.classes)


class _Shapes:
    def __init__(self, names: frozenset[str]) -> None:
        self.names = sorted(names)
        self.whole = not names.isdisjoint(("vars", "__dict__"))
        self.met: dict[int, int] = {}
        self.classes: dict[type, None] = {}

    def of(self, value: Any, path: str) -> Hashable:
        if is_leaf(value):
            number = self.number(value) if is_array(value) else 0
            return (number, _key(fact_of(value, path)))
        if value is None or isinstance(value, str):
            return Const(type(value))
        if id(value) in self.met:
            return self.met[id(value)]
        number = self.number(value)
        if is_a(value, (tuple, list)):
            items = tuple(self.of(v, path) for _, v in items_within(value))
            return (number, type(value), items)
        if is_a(value, dict):
            pairs = tuple((Const(k), self.of(v, path)) for k, v in items_within(value))
            return (number, type(value), pairs)
        return (number, self.fields(value, path))

    def number(self, value: object) -> int:
        return self.met.setdefault(id(value), len(self.met))

    def fields(self, value: Any, path: str) -> Hashable:
        """What is known of the fields of an object; a function is what it is."""
        held = fields_of(value)
        if fact_of(value).kind == "callable":
            return Const(value)
        self.classes[type(value)] = None
        slots = (n for c in type(value).__mro__ for n in _slots(c))
        found: list[Hashable] = [Const(type(value))]
        # `vars(o)` has them all, in their order.
        read = list(held) if self.whole else [n for n in self.names if n in held]
        found += [(n, self.of(held[n], path)) for n in read]
        read = [n for n in slots if n in self.names and hasattr(value, n)]
        found += [(n, self.of(getattr(value, n), path)) for n in read]
        if not held and len(found) == 1 and callable(value):
            return Const(value)
        return tuple(found)


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _key(fact: Any) -> Hashable:
    units = tuple(d is not None and d.is_unit for d in fact.shape or ())
    return (fact.kind, spelled_dtype(fact.dtype), units)
