"""What a name of the user's program stands for while its function is lowered.

A value is an atom of the tape, or something that exists in the lowering alone: a tuple,
a function with its closure, a reference to a container.  Containers, objects and the
variables of functions are mutable: they live in cells, and a value holds a reference.

>>> literal(Const(0.5)), literal(Const(np.pi, "np.pi", "numpy"))
(True, False)
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.support.public_names import is_written_in_python
from yota_ast.support.value_classes import has_labels, is_sparse
from yota_ast.syntax.loop_schedules import Schedule
from yota_ast.syntax.value_paths import PathStep

Node = Any
"""A gast node."""

LITERAL_TYPES: Final = (int, float, complex, str, bytes, bool, type(None), type(...))


@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple of known length; `cls` is a NamedTuple's class."""

    items: tuple[Value, ...]
    cls: type = tuple


@dataclass(frozen=True, slots=True)
class SliceValue:
    """`start:stop:step`."""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to the cell of a list, dict, set or object: its identity."""

    cell: int


@dataclass(frozen=True, slots=True)
class Scope:
    """The text of one function and the names around it."""

    name: str
    filename: str
    lines: tuple[str, ...] = field(repr=False)
    globals: Mapping[str, object] = field(repr=False, compare=False)
    cells: Mapping[str, types.CellType] = field(repr=False, compare=False)
    locals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()  # by a global statement
    captured: frozenset[str] = frozenset()  # names that functions inside use
    mixed: bool = False  # whether values of several structures are returned
    changed: frozenset[str] = frozenset()  # names of containers that are changed
    owner: str = ""  # the class in whose text it stands
    own_cells: frozenset[str] = frozenset()  # that are parameters of the generated code
    own_globals: frozenset[str] = frozenset()  # those of them that are no cells

    def capturing(self, names: frozenset[str]) -> Scope:
        """The scope where some outside names are variables of the function itself."""
        if not names:
            return self
        cells = {name: cell for name, cell in self.cells.items() if name not in names}
        return replace(
            self, cells=cells, locals=self.locals | names, own_cells=names,
            own_globals=names.difference(self.cells),
        )  # fmt: skip

    def mangled(self, name: str) -> str:
        """The name of an attribute as Python writes it in the text of a class.

        A private name of a class ``Layer``, ``__w``, is ``_Layer__w``.
        """
        private = name.startswith("__") and not name.endswith("__")
        owner = self.owner.lstrip("_")
        return f"_{owner}{name}" if private and owner else name

    @property
    def module(self) -> str:
        """The module whose globals the function sees."""
        return str(self.globals.get("__name__", ""))


@dataclass(frozen=True, slots=True)
class Frame:
    """One activation of a function: the cell of its variables, and the frame around."""

    cell: int
    scope: Scope
    parent: Frame | None = None


@dataclass(frozen=True, slots=True)
class Closure:
    """A function defined while lowering: def, lambda; wraps: what functools.wraps says
    that it wraps."""

    node: Node
    name: str
    frame: Frame  # where it was defined
    defaults: tuple[Value, ...] = ()
    kwdefaults: tuple[tuple[str, Value], ...] = ()
    wraps: Value | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A method with its first argument."""

    function: Value
    owner: Value


@dataclass(frozen=True, slots=True)
class MethodOf:
    """A method of a number, array, string or container, to be called: `x.sum`."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """functools.partial(function, *args, **kwargs)."""

    function: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A function, an object, or None, that a branch has chosen: the branch is repeated
    where it is called or read."""

    test: Var | Const
    then: Value
    orelse: Value


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several objects, or None, that a loop or a key has chosen: which, a number
    says."""

    index: Var | Const
    of: tuple[tuple[int, Value], ...]


@dataclass(frozen=True, slots=True)
class Generator:
    """A call of a generator function, whose body has not been run yet."""

    node: Node
    frame: Frame
    code: object
    managed: bool = False  # made by contextlib.contextmanager


@dataclass(frozen=True, slots=True)
class Super:
    """super(): attributes looked up behind `cls` in the order of `owner`'s class."""

    cls: type
    owner: Value


@dataclass(frozen=True, slots=True)
class Lazy:
    """range, enumerate, zip, ... of something, not yet run through.

    `fn` is the builtin; a dict's views have dict.items and the like. schedule: which
    iterations over a range the reverse sweep is to find saved.
    """

    fn: Callable[..., object]
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...] = ()
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """A container or an object that the caller passes: read field by field."""

    root: Var
    path: tuple[PathStep, ...]
    fact: Fact = field(compare=False)
    example: object = field(default=None, compare=False)


def is_long(known: Fact) -> bool:
    """Whether a container of numbers has too many items to be taken apart."""
    items = known.items
    return items is None or (len(items) > 16 and all(f.is_numeric for f in items))


def holds_rows(known: Fact) -> bool:
    """Whether a container holds tuples of as many numbers each, or dicts of the same
    keys, as the edges of a graph and measured values are: one body stands for all of
    more than three."""
    items = known.items or ()
    forms = {_form_of_row(f) for f in items}
    return len(items) > 2 and len(forms) == 1 and None not in forms


def _form_of_row(known: Fact) -> object:
    """What rows of numbers have in common; None of anything else."""
    if not known.items or any(f.kind not in ("int", "float") for f in known.items):
        return None
    if known.kind == "dict" and known.keys is not None:
        return tuple(known.keys)
    return len(known.items) if known.kind in ("tuple", "list") else None


Value = (
    Var
    | Const
    | TupleValue
    | SliceValue
    | Ref
    | Closure
    | Bound
    | MethodOf
    | Partial
    | Either
    | OneOf
    | Generator
    | Super
    | Lazy
    | Argument
)

CellKind = Literal["frame", "list", "dict", "set", "object"]


@dataclass(frozen=True, slots=True)
class MadeIf:
    """The arm in which alone a container was made, in which other names may not stand
    for it: that of a test, which a loop may ask anew.

    loops: those around the branch.
    """

    test: Atom
    first: bool
    loops: object


LISTED: Final = "an item of a list"
NONE_UNSET: Final[Mapping[str, Var]] = {}


@dataclass(frozen=True, slots=True)
class Cell:
    """What a mutable thing holds now. Changing it puts another cell in its place.

    items: by name, position or key. var: where its length is not known, the variable
    that holds the container itself; then there are no items. fixed: it may be shared in
    a way that is not followed, and must not change. source: the argument that a fixed
    one is the parts of, the item of a list that it is, or LISTED. perhaps: the
    attributes of an object that it may be without. unordered: the keys of a dict stand
    in one order or in another.
    made_if: the arm in which alone a list or dict was made. unset: of names of a
    function that may have no value, a variable that has one where the name has.
    """

    kind: CellKind
    items: Mapping[Any, Value]
    cls: type | None = None
    var: Var | None = None
    fixed: bool = False
    source: object = None
    perhaps: frozenset[str] = frozenset()
    unordered: bool = False
    made_if: MadeIf | None = None
    unset: Mapping[str, Var] = NONE_UNSET

    def with_items(self, items: Mapping[Any, Value]) -> Cell:
        """The cell with other items."""
        return replace(self, items=dict(items))

    def with_item(self, key: object, value: Value) -> Cell:
        """The cell with one item set."""
        perhaps = self.perhaps and self.perhaps - {key}
        unset = self.unset and {k: v for k, v in self.unset.items() if k != key}
        items = {**self.items, key: value}
        return replace(self, items=items, perhaps=perhaps, unset=unset)

    def merged(
        self, items: Mapping[Any, Value], other: Cell, made: MadeIf | None = None
    ) -> Cell:
        """The items of this one or of another, as a branch decides."""
        perhaps = self.perhaps | other.perhaps
        if self.kind == "object":
            perhaps |= self.items.keys() ^ other.items.keys()
        unordered = self.unordered or other.unordered
        unordered = unordered or (self.kind == "dict" and not self.alike(other))
        unset = self.unset and {
            k: v for k, v in self.unset.items()
            if other.unset.get(k) == v and items.get(k) == self.items.get(k)
        }  # fmt: skip
        listed = LISTED if self.is_listed or other.is_listed else None
        return Cell(
            self.kind, items, self.cls, perhaps=frozenset(perhaps), source=listed,
            unordered=unordered, made_if=made, unset=unset,
        )  # fmt: skip

    @property
    def is_listed(self) -> bool:
        """Whether it is an object for which a dict stands in a list: nobody knows which
        item it is, so that it may not change."""
        return self.source is LISTED or isinstance(self.source, Var)

    def alike(self, other: Cell) -> bool:
        """Whether another has the same keys in the same order."""
        return [*self.items] == [*other.items]


Heap = Mapping[int, Cell]
Slot = tuple[int, Any]
"""A cell and the key of one of its items."""

MaybeValue = Value | Undefined


def reached(heap: Heap, value: MaybeValue) -> set[int]:
    """The cells of a value: of its items, and of what these hold."""
    found: set[int] = set()
    waiting: list[MaybeValue] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, TupleValue):
            waiting += one.items
        elif isinstance(one, (Either, OneOf)):
            waiting += candidates(one)
        elif isinstance(one, Ref) and one.cell not in found and one.cell in heap:
            found.add(one.cell)
            waiting += heap[one.cell].items.values()
    return found


def candidates(value: MaybeValue) -> tuple[Value, ...]:
    """What a value may be: all that a branch, a loop or a key may have chosen."""
    if isinstance(value, Either):
        return (*candidates(value.then), *candidates(value.orelse))
    if isinstance(value, OneOf):
        return tuple(v for _, v in value.of)
    return () if isinstance(value, Undefined) else (value,)


def variables_in(value: Any) -> Iterator[Var]:
    """The variables that a value is, or contains."""
    if isinstance(value, Var):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from variables_in(each)
    elif is_dataclass(value) and not isinstance(value, (type, Const, Frame, Cell)):
        for f in fields(value):
            yield from variables_in(getattr(value, f.name))


def refs_in(value: Any) -> Iterator[Ref]:
    """The containers and objects that a value is, or holds at once, or binds."""
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from refs_in(each)
    elif is_dataclass(value) and not isinstance(value, (type, Const, Frame, Cell, Var)):
        for f in fields(value):
            yield from refs_in(getattr(value, f.name))


NOT_ITERABLE: Final = "'{}' object is not iterable"
"""What Python says where a number is run over."""
NOT_WHOLE: Final = "'{}' object cannot be interpreted as an integer"
NULL: Final = Const(None)
LOST: Final = Const(object(), "lost")
"""What a name stands for that a `try` may have assigned or not."""
UNBOUND: Final = Const(object(), "unbound")
"""What a name stands for to which a branch or a loop has given no object."""


def is_literal_value(value: object) -> bool:
    """Whether a Python value can be written down: a number, a string, None, tuples."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(is_literal_value(v) for v in value)
    return type(value) in LITERAL_TYPES or isinstance(value, slice)


def literal(value: Value) -> bool:
    """Whether a value is known and belongs to the text: no global that may change."""
    return isinstance(value, Const) and not value.home and is_literal_value(value.value)


def is_function(value: object) -> bool:
    """Whether a Python object is a function written in Python."""
    return isinstance(value, types.FunctionType)


def is_user_class(cls: object) -> bool:
    """Whether instances of a class are taken apart: one that is written in Python."""
    if not isinstance(cls, type) or issubclass(cls, (np.ndarray, np.generic)):
        return False
    if is_sparse(cls) or has_labels(cls):
        return False
    if cls is Any:  # a class since Python 3.11
        return False
    return is_written_in_python(cls) and not issubclass(cls, BaseException)
