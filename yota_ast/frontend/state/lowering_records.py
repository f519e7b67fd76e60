"""Records of what lowering knows: memory of variables, snapshots, calls, and what makes
it begin again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import Location
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Closure,
    Frame,
    Node,
    Ref,
    Value,
)
from yota_ast.ir.abstract_values import (
    Fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    Op,
)

Spot = tuple[str, int, int, tuple[str, ...], tuple[int, ...]]
"""A place in the source, and the calls that lead to it, with the columns of these."""


GlobalName = tuple[int, str]
"""The identity of a module's namespace, and a name in it."""


Infer = Callable[
    [Callable[..., object], Sequence[Atom], Sequence[tuple[str, Atom]]], Fact
]


IsPrimitive = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class Row:
    """Where a list within a list stands: the cell of the outermost, and the keys.

    rows, items: which lists it held, and what they held, when this was taken.
    """

    cell: int
    keys: tuple[Atom, ...]
    rows: str
    items: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What memory a variable's value may share.

    roots: the arguments and allocations it may be, or be a view of. whole: it is all
    of one of them, not a view. seen: the state of each root when the variable was made;
    where the root has been written since, the variable is stale.
    """

    roots: tuple[str, ...]
    whole: bool = True
    seen: tuple[str, ...] = ()


NO_MEMORY: Final = Memory(())


Reached: TypeAlias = tuple[dict[int, dict[Any, Value]], dict[str, str | None]]
"""What an object held when a cached property was read: containers, states of arrays."""


@dataclass(frozen=True, slots=True)
class FirstRead:
    """Something cached, as it was read first.

    now: what the objects held that it was made of, and `held` what it held itself. ops:
    of the block that it was read in. changed: it has been changed there. acts: the
    call prints or draws.
    """

    now: tuple[Reached, ...]
    owners: tuple[Ref | Closure, ...]
    value: Value
    held: Reached
    ops: list[Op]
    changed: bool = False
    acts: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a branch starts from, and what it leaves behind."""

    heap: Mapping[int, Cell]
    current: Mapping[str, str]
    successors: Mapping[str, Var]
    ended: bool
    globals: Mapping[GlobalName, tuple[Const, Location]]
    capturing: Mapping[Any, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the lowering: what is known there, how much of the tape there is.

    numbers: the last numbers of variables, of statements and of cells.
    """

    snapshot: Snapshot
    ops: int
    emitted: int
    inlined: Mapping[object, tuple[int, int]]
    first_reads: Mapping[Any, FirstRead]
    numbers: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Call:
    """A call being inlined: the code, for recursion, and where it stands.

    given: its variables as it begins, which are its arguments. where: the place of the
    call, and name: of the function; of the outermost there is none.
    """

    code: object
    given: Mapping[Any, Any] = field(default_factory=dict)
    where: Location | None = None
    name: str = ""

    @property
    def site(self) -> str:
        """The place and the function, as a message tells them."""
        at = self.where
        return f"{at.filename}:{at.lineno} in {self.name}" if at else self.name


@dataclass(frozen=True, slots=True)
class Standing:
    """Where lowering stands: in which function, at which node, within which loops."""

    frame: Frame
    node: Node
    whole: Node
    loops: tuple[tuple[frozenset[str], frozenset[str]], ...]
    calls: list[Call]
    live: frozenset[str]


class Owned(Exception):  # noqa: N818 - no error
    """An argument, or a part of one, turns out to be written: lowering begins again.

    Its arguments: the name of the parameter, the path of the part, and the place.
    """


class SetOutside(Exception):  # noqa: N818 - no error
    """A name of a module, a class or a function is set: lowering begins again.

    Its argument: the identity of what holds the name, and the name.
    """


class Sliced(Exception):  # noqa: N818 - no error
    """What np.split cuts is written: lowering begins again, with slices in its place.

    Its arguments: the places of the calls.
    """


class Keyed(Exception):  # noqa: N818 - no error
    """A dict has keys that the text computes: lowering begins again, with a model.

    Its arguments: the places where such dicts are made.
    """


class MuchCalled(Exception):  # noqa: N818 - no error
    """Copies of large functions have been inlined: lowering begins again, without.

    Its arguments: the codes, each with the functions that it is given.
    """


@dataclass(frozen=True, slots=True)
class Hint:
    """By what name the user calls a value, in which frame, how deep in calls."""

    name: str
    frame: int
    depth: int


class SeldomCalled(Exception):  # noqa: N818 - no error
    """What was foreseen to be called often is not: lowering begins again.

    Its arguments: the codes.
    """


class YieldsOften(Exception):  # noqa: N818  caught where a list can be made instead
    """The body of a loop over a generator would stand at too many places."""


class LeavesOps(Exception):  # noqa: N818  caught where a try is tried without its handlers
    """The body of a `try` leaves something to do in the text."""


class NeverReturns(Exception):  # noqa: N818  caught where control may go another way
    """A call within the body of a function of which no result is known yet."""
