"""Classes of components, in order -> one interpreter that is made of them.

A component is one part of the interpreter, with methods and state of its own. What it
needs of others it says in its body. A lower component leaves points that higher ones
extend or provide; all who call the method of such a point get the outermost definition.

>>> class Cells(Component):
...     @extensible
...     def shown(self, value: object) -> str:
...         return str(value)
>>> class Printing(Component):
...     cells = uses(Cells)
...
...     def line(self, value: object) -> str:
...         return self.cells.shown(value) + "."
>>> class Quoting(Component):
...     @extends(Cells.shown)
...     def shown(self, rest: Callable[[object], str], value: object) -> str:
...         return f"'{rest(value)}'" if isinstance(value, str) else rest(value)
>>> parts = compose((Cells, Printing, Quoting), Settings(callable, print))
>>> printing = parts[Printing]
>>> printing.line(2), printing.line("a")
('2.', "'a'.")

A function that is no method is given any component, and finds another by its class:

>>> Cells.of(printing).shown("b")
"'b'"
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from types import MethodType
from typing import (
    Any,
    ClassVar,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from yota_ast.frontend.state.settings import Settings

Components: TypeAlias = dict[type, Any]
"""What an interpreter is made of: the settings, and a component of each class."""
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
C = TypeVar("C", bound="Component")


class _Use:
    """A line `name = uses(Class)`."""

    def __init__(self, part: type) -> None:
        self.part = part


def uses(part: type[T]) -> T:
    """Name a component that is needed, in the body of the class that needs it."""
    return cast("T", _Use(part))


class Component:
    """A part of an interpreter."""

    needs: ClassVar[tuple[tuple[str, type], ...]] = ()
    """The names of the components that it needs, and their classes."""
    extensions: ClassVar[tuple[_Extension, ...]] = ()
    """What it extends or provides."""

    def __init_subclass__(cls) -> None:
        found = dict(vars(cls))
        cls.needs = tuple(
            (name, use.part) for name, use in found.items() if isinstance(use, _Use)
        )
        for name, _ in cls.needs:
            delattr(cls, name)
        held = [v for v in found.values() if isinstance(v, _Extension)]
        cls.extensions = tuple(held)

    def __init__(self, parts: Components) -> None:
        self.parts = parts
        self.settings: Settings = parts[Settings]
        fields = self.__dict__
        for name, cls in self.needs:
            fields[name] = parts[cls]

    @classmethod
    def of(cls, any_part: Component) -> Self:
        """Return the component of this class of the interpreter that one belongs to."""
        return cast("Self", any_part.parts[cls])


class Extensible(Generic[P, R]):
    """A method that higher components extend or provide."""

    def __init__(self, first: Callable[Concatenate[Any, P], R]) -> None:
        self.first = first

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    @overload
    def __get__(self, part: None, owner: type) -> Extensible[P, R]: ...

    @overload
    def __get__(self, part: object, owner: type) -> Callable[P, R]: ...

    def __get__(
        self, part: object | None, owner: type
    ) -> Extensible[P, R] | Callable[P, R]:
        return self if part is None else MethodType(self.first, part)


def extensible(method: Callable[Concatenate[Any, P], R]) -> Extensible[P, R]:
    """Let higher components extend or provide a method."""
    return Extensible(method)


class _Extension:
    """What a higher component makes of a method; rest: whether it is given the next
    lower definition."""

    def __init__(
        self, point: Extensible[..., Any], method: Callable[..., Any], *, rest: bool
    ) -> None:
        self.point, self.method, self.rest = point, method, rest

    def __get__(self, part: Component | None, owner: type) -> Any:
        """Return the outermost definition of the method."""
        if part is None:
            return self
        return getattr(part.parts[self.point.owner], self.point.name)

    def join(self, parts: Components, part: Component) -> None:
        """Let the method of a component stand above the definitions made so far."""
        point = self.point
        low = parts[point.owner]
        if self.rest:
            below = low.__dict__.get(point.name) or MethodType(point.first, low)
            low.__dict__[point.name] = partial(self.method, part, below)
        else:
            low.__dict__[point.name] = MethodType(self.method, part)


def extends(point: Extensible[P, R]) -> Callable[[Callable[..., R]], _Extension]:
    """Extend a method of a lower component. The method is given, behind `self`, the
    next lower definition."""
    return lambda method: _Extension(point, method, rest=True)


def by_part(
    part: type[C], method: Callable[Concatenate[C, P], R]
) -> Callable[Concatenate[Component, P], R]:
    """Return a method of a component as a function of any component."""

    def function(any_part: Component, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return method(part.of(any_part), *args, **kwargs)

    return function


def provides(
    point: Extensible[P, R],
) -> Callable[[Callable[Concatenate[Any, P], R]], _Extension]:
    """Provide a method that a lower component declares."""
    return lambda method: _Extension(point, method, rest=False)


class Table:
    """Methods by keys: for each kind of nodes, say, the method that handles it.

    >>> ANSWERS = Table()
    >>> class Numbers(Component):
    ...     @ANSWERS.handles("two", "deux")
    ...     def two(self) -> int:
    ...         return 2
    >>> parts = compose((Numbers,), Settings(callable, print))
    >>> ANSWERS.method("deux", parts)()
    2
    >>> ANSWERS.method("three", parts) is None
    True
    """

    def __init__(self) -> None:
        self.entries: Final[dict[Hashable, tuple[type, str]]] = {}

    def handles(self, *keys: Hashable) -> Callable[[T], T]:
        """Enter a method of a component under some keys."""

        def entered(method: T) -> T:
            return cast("T", _Entry(self, keys, method))

        return entered

    def method(self, key: Hashable, parts: Components) -> Callable[..., Any] | None:
        """Return the method for a key, of the components of an interpreter."""
        found = self.entries.get(key)
        if found is None:
            return None
        method: Callable[..., Any] = getattr(parts[found[0]], found[1])
        return method


class _Entry:
    """A method that enters a table when its class is made; then it is itself again."""

    def __init__(self, table: Table, keys: tuple[Hashable, ...], method: Any) -> None:
        self.table, self.keys, self.method = table, keys, method

    def __set_name__(self, owner: type, name: str) -> None:
        if hasattr(self.method, "__set_name__"):
            self.method.__set_name__(owner, name)
        setattr(owner, name, self.method)
        self.table.entries.update(dict.fromkeys(self.keys, (owner, name)))


def compose(order: Sequence[type[Component]], settings: Settings) -> Components:
    """Make one component of each class, the lowest first, and join the methods that
    higher ones extend."""
    parts: Components = {Settings: settings}
    for cls in order:
        parts[cls] = cls(parts)
    for cls in order:
        for extension in cls.extensions:
            extension.join(parts, parts[cls])
    return parts


def dissolve(any_part: Component) -> None:
    """Let go of an interpreter, whose components hold one another: their memory is
    freed at once."""
    parts: Components = any_part.__dict__.get("parts", {})
    for part in parts.values():
        if isinstance(part, Component):
            part.__dict__.clear()
    parts.clear()
