"""What lowering knows at one moment: the variables, the ops so far, the place.

The classes of this package's `lower*` files are layers of one interpreter, `Lowering`;
this is the lowest.  All that a branch or a discarded pass over a loop must be able to
undo is in `Snapshot`.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NoReturn, TypeAlias

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.errors import Location, UnsupportedCall, UnsupportedSyntax, YotaError
from yota_ast.frontend.calls.explain_hooks import How, Watch
from yota_ast.frontend.calls.large_functions import Foresight
from yota_ast.frontend.calls.nested_code import NestedCode
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Either,
    Frame,
    Lazy,
    Node,
    OneOf,
    Ref,
    Slot,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.materialisation import Lent
from yota_ast.frontend.interpret.folding import told_by
from yota_ast.frontend.library.array_subclasses import told_of_unlike
from yota_ast.ir.abstract_values import (
    NOTHING,
    UNKNOWN,
    Fact,
    fact_of_constant,
    named_apart,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    Block,
    Form,
    Op,
    Origin,
    Raise,
    Read,
    new_var,
)
from yota_ast.ir.optional_values import presents
from yota_ast.support.file_owners import is_ours, is_users
from yota_ast.syntax import print_expr, print_stmts, width
from yota_ast.syntax.value_literals import Keys
from yota_ast.syntax.value_paths import PathStep

Spot = tuple[str, int, int, tuple[str, ...], tuple[int, ...]]
"""A place in the source, and the calls that lead to it, with the columns of these."""
GlobalName = tuple[int, str]
"""The identity of a module's namespace, and a name in it."""
Infer = Callable[
    [Callable[..., object], Sequence[Atom], Sequence[tuple[str, Atom]]], Fact
]
IsPrimitive = Callable[[object], bool]

LINE_WIDTH: Final = 400


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
    of the block that it was read in. changed: it has been changed there.
    """

    now: tuple[Reached, ...]
    owners: tuple[Ref, ...]
    value: Value
    held: Reached
    ops: list[Op]
    changed: bool = False


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
class Standing:
    """Where lowering stands: in which function, at which node, within which loops."""

    frame: Frame
    node: Node
    whole: Node
    loops: tuple[tuple[frozenset[str], frozenset[str]], ...]
    calls: list[Call]
    live: frozenset[str]


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


class Owned(Exception):  # noqa: N818 - no error
    """An argument, or a part of one, turns out to be written: lowering begins again.

    Its arguments: the name of the parameter, the path of the part, and the place.
    """


class Sliced(Exception):  # noqa: N818 - no error
    """What np.split cuts is written: lowering begins again, with slices in its place.

    Its arguments: the places of the calls.
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


class LeavesOps(Exception):  # noqa: N818  caught where a try is tried without its handlers
    """The body of a `try` leaves something to do in the text."""


class NeverReturns(Exception):  # noqa: N818  caught where control may go another way
    """A call within the body of a function of which no result is known yet."""


class State:
    """The variables, the ops of the current block, and the place in the source."""

    has_effect: IsPrimitive = staticmethod(lambda _: False)
    """Whether a call of a primitive must happen once, in its place: random draws."""
    watch: Watch | None = None
    """Who is told of each statement, call and constant."""

    def __init__(  # noqa: PLR0915  all that there is to know, a line each
        self, is_primitive: IsPrimitive, infer: Infer
    ) -> None:
        self.is_primitive = is_primitive
        self.infer = infer
        self.heap: dict[int, Cell] = {}
        self.current: dict[str, str] = {}  # root: name of its last state
        self.ended = False  # the block cannot go on: it has raised
        self.rebound: dict[GlobalName, tuple[Const, Location]] = {}  # rebound here
        self.ops: list[Op] = []
        self.reads: dict[tuple[object, ...], Read] = {}
        self.keys_found: dict[tuple[int, str], list[Op]] = {}  # see keyed.py
        self.choices_open: dict[Slot, Sequence[Value]] = {}  # see alternatives.py
        self.stand_ins: dict[int, Slot] = {}  # objects for what a loop makes, likewise
        self.wanting: dict[Slot, Cell] = {}  # of what structure they are
        self.paths: dict[str, tuple[Var, tuple[PathStep, ...]]] = {}
        self.memory: dict[str, Memory] = {}
        self.successors: dict[str, Var] = {}  # a written array as it is now
        self.views: dict[str, Apply] = {}  # the ops that took views
        self.renewed: dict[str, Var] = {}  # views taken again: as they were first
        self.elements: dict[str, int] = {}  # items of arrays, by the loop over them
        self.splits: dict[
            Spot, frozenset[str]
        ] = {}  # calls of np.split, of what memory
        self.sliced: frozenset[Spot] = frozenset()  # those that are slices instead
        self.rows: dict[str, Row] = {}  # lists that were taken out of lists
        self.lent_rows: dict[
            str, tuple[Var, tuple[Atom, ...]]
        ] = {}  # of lists known by items
        self.split: set[str] = set()  # built of lists that are known item by item still
        self.holding = True  # whether those may be held as a whole from then on
        self.seen_through: set[str] = set()  # those of which items are read elsewhere
        self.loops_entered = 0  # over items of arrays
        self.over_items: tuple[int, ...] = ()  # those of them that are around
        self.dense: set[str] = set()  # arrays that lie in memory without gaps
        self.checked: dict[str, tuple[list[Op], int]] = {}  # where the text tests views
        self.built: dict[str, Apply] = {}  # ops that build containers, or take sets
        self.born: dict[str, int] = {}  # in how many loops a variable was made
        self.turns = 0  # how many loops are around
        self.arms_open = 0  # how many arms of branches are around
        self.written: dict[str, None] = {}  # the caller's arrays that are written
        self.lent = Lent()  # containers that are in the text as well
        self.holders: set[str] = set()  # the roots that are containers of known items
        self.arms: tuple[Snapshot, Snapshot]
        self.known: dict[str, object] = {}  # values that facts prove: ranks
        self.asked: dict[str, Atom] = {}  # of what they are the ranks
        self.present: set[str] = set()  # what is there, as was asked: not None
        self.told: dict[str, tuple[str, ...]] = {}  # what was asked for its kind, types
        self.excluded: dict[str, dict[type, None]] = {}  # what it must not be for that
        self.changed_items: list[str] = []  # of lists: `xs[i] += e`
        self.samples: dict[tuple[str, tuple[PathStep, ...]], tuple[str, object]] = {}
        self.ranks: set[str] = set()  # what of that is the rank of an array
        self.ranked = False  # the text is made for the ranks of its arguments
        self.assuming = False  # whether the text may check what lengths are equal
        self.equal: dict[tuple[Dim, Dim], None] = {}  # lengths taken for equal
        self.cuts: dict[str, slice] = {}  # which part of a shape a tuple is
        self.not_of: dict[tuple[str, type], Var] = {}  # classes that they are not of
        self.checks: dict[str, Check] = {}  # what is taken for granted of arguments
        self.opened_from: dict[int, Argument] = {}  # of cells: whose parts they are
        self.held: dict[str, tuple[str, object]] = {}  # functions in arguments
        self.brought: dict[int, Const] = {}  # defaults, what methods and partials bind
        self.example_values: dict[str, object] = {}  # what comes of tables, there
        self.first_items: dict[str, object] = {}  # of what loops go over, likewise
        self.of_tables: dict[str, bool | None] = {}  # see data_alone.py
        self.foreign: set[str] = set()  # results of calls that are not followed
        self.classes_called: dict[str, type] = {}  # of which they are, if of classes
        self.flats: set[str] = set()  # y.flat, of which a slice is a copy
        self.factories: dict[int, Value] = {}  # of cells that are defaultdicts
        self.guesses: dict[str, Spot] = {}  # messages of guesses that may be wrong
        self.spots: dict[str, Spot] = {}  # where what may be a view was made
        self.given_up: dict[str, YotaError] = {}  # what raises in the text, and why
        self.title = ""  # the name of the function that is lowered
        self.own_cells: frozenset[str] = frozenset()  # its outside names that vary
        self.frozen: dict[tuple[str, str], Const] = {}  # and of globals
        self.sized: dict[tuple[str, str], Const] = {}  # containers taken item by item
        self.keyed: dict[tuple[str, str, object], Const] = {}  # dicts asked for a key
        self.iterations: dict[Hashable, Any] = {}  # iterators; see passing.py
        self.owned_cells: dict[tuple[str, tuple[PathStep, ...]], Ref] = {}
        self.sources: dict[types.FunctionType, Any] = {}
        self.nested_code = NestedCode()
        self.used: dict[int, object] = {}
        self.constants: dict[tuple[str, str], object] = {}
        self.hints: dict[str, Hint] = {}
        self.counter = 0
        self.shapes = 0  # names of shapes; none is ever given twice
        self.cells_made = 0
        self.made_before = sys.maxsize  # of these, before the call at hand
        self.statements = 0
        self.origin: Origin = NOWHERE
        self.last_return: Origin = NOWHERE
        self.locked = False  # statements of callees count as the caller's
        self.node: Node = None
        self.frame: Frame
        self.calls: list[Call] = []
        self.wrappers: list[tuple[object, Callable[[], Location] | None]] = []
        """The functions at hand that may be a decorator's wrappers."""
        self.whole: Node = None  # the call that is a statement's whole right side
        self.live: frozenset[str] = frozenset()  # names read after the statement
        self.caught: tuple[Var, ...] = ()  # the errors being handled
        self.first_reads: dict[Any, FirstRead] = {}  # of what is cached
        self.blocks_open: list[list[Op]] = []  # the ops of the blocks that are around
        self.tried: list[Op] | None = None  # of a try that may leave nothing to do
        self.tries = 0  # how many `try` with handlers are around
        self.finals: frozenset[str] = frozenset()  # what `finally` around will read
        self.tries_of_names = 0  # those that catch what names without a value raise
        self.loops: tuple[tuple[frozenset[str], frozenset[str]], ...] = ()
        self.outlining = True  # large functions too; else those that call themselves
        self.looping = False  # loops over known items too, where copies are too many
        self.kept_loops = False  # whether there are such loops
        self.recursive: dict[object, None] = {}  # code that calls itself
        self.inlined: dict[object, tuple[int, int]] = {}  # how often, and how large
        self.foresight = Foresight()  # what the code tells of how often it is called
        self.foreseen: frozenset[object] = frozenset()  # large code, before it is met
        self.unforeseen: frozenset[object] = frozenset()  # of which that was wrong
        self.much_called: frozenset[object] = frozenset()  # large code, from before
        self.compiled: set[object] = set()  # code that Numba compiles
        # whole numbers computed of those of modules: what they are now, and of which
        self.of_modules: dict[str, tuple[int, tuple[Const, ...]]] = {}
        self.multiplied: set[str] = set()  # whole numbers there that are products
        self.unfollowed: dict[object, None] = {}  # called as they are
        self.large: dict[object, None] = {}  # large code that is outlined
        self.inlinable: dict[object, None] = {}  # large code that cannot be outlined
        self.emitted = 0  # how many ops there are, those of blocks included
        self.pending: dict[Any, Any] = {}  # outlines whose body is being lowered
        self.outlines: dict[Any, tuple[Any, ...]] = {}  # those that are done
        self.capturing: dict[Any, tuple[Any, ...]] = {}  # those that capture variables
        self.in_common: dict[object, Mapping[Any, Any] | None] = {}
        """What calls of outlined code have in common, by parameter; None where no
        function serves several."""
        self.generalised: dict[object, None] = {}  # of which code it is found here
        self.given_before: dict[object, Mapping[Any, Any]] = {}  # to the call before
        self.code_of: dict[str, object] = {}  # of an outlined function
        self.size_of: dict[str, int] = {}  # how many ops its body has taken
        self.functions: dict[str, Function] = {}
        self.sealed: dict[str, str] = {}  # roots from outside a function: which it is

    # ------------------------------------------------------------ names and ops

    def var(self, fact: Fact, hint: str | None = None, frame: int = 0) -> Var:
        """A new variable. Names are made to read well when all is lowered."""
        return self.var_called(f"%{self.next_number()}", fact, hint, frame)

    def var_called(
        self, name: str, fact: Fact, hint: str | None = None, frame: int = 0
    ) -> Var:
        """A new variable of this name."""
        if name in self.born:  # a pass over a loop that was given up has used it
            self.forget(name)
        self.born[name] = self.turns
        if hint is not None:
            self.hint(name, hint, frame)
        self.shapes += 1
        return new_var(name, named_apart(fact, str(self.shapes)), hint)

    def forget(self, name: str) -> None:
        """Forget what was known of a variable that is no more."""
        notes: dict[str, Any]
        for notes in (
            self.hints, self.memory, self.views, self.known, self.built, self.renewed,
            self.elements, self.asked, self.rows, self.lent_rows, self.of_modules,
            self.classes_called, self.example_values, self.first_items, self.of_tables,
        ):  # fmt: skip
            notes.pop(name, None)
        self.seen_through.discard(name)
        self.split.discard(name)
        self.foreign.discard(name)
        self.flats.discard(name)
        self.dense.discard(name)
        self.multiplied.discard(name)
        if self.watch is not None:
            self.watch.lost.discard(name)

    def is_one_view(self, one: object, two: object) -> bool:
        """Whether two variables are a view as it was taken, and taken again since."""
        if not isinstance(one, Var) or not isinstance(two, Var):
            return False
        first = self.renewed.get(one.name, one), self.renewed.get(two.name, two)
        return first[0] == first[1]

    def hint(self, name: str, hint: str, frame: int = 0) -> None:
        """Call a variable as the user does: of nested calls the outermost decides."""
        depth = len(self.calls)
        if hint.startswith("%"):  # a name of lowering's own
            return
        if name not in self.hints or depth < self.hints[name].depth:
            self.hints[name] = Hint(hint, frame or self.frame.cell, depth)

    def emit(self, op: Op) -> None:
        """Append an op to the current block."""
        self.emitted += 1
        self.ops.append(op)
        if self.watch is not None:
            primitive = isinstance(op, Apply) and self.is_primitive(op.fn)
            self.watch.emitted(len(self.calls), op, primitive=primitive)

    def apply(
        self,
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]] = (),
        *,
        form: Form = "call",
        spelling: str = "",
        fact: Fact | None = None,
        effect: bool = False,
        hint: str | None = None,
    ) -> Var:
        """Append an Apply, and return its result."""
        args = presents(fn, args)
        if why := told_of_unlike(fn, (*args, *(v for _, v in kwargs))):
            self.refuse_call(*why)
        if fact is None:
            fact = self.inferred(fn, args, kwargs)
        out = self.var(fact, hint)
        effect = effect or self.has_effect(fn)
        op = Apply(
            out, fn, tuple(args), tuple(kwargs), form, spelling, self.origin, effect
        )
        self.emit(op)
        self.remember(op)
        told = told_by(fn, self.fact(args[0])) if len(args) == 1 else None
        if told is not None:
            self.known[out.name], self.asked[out.name] = told, args[0]
        return out

    def inferred(
        self,
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]],
    ) -> Fact:
        """The fact of fn's result; errors get a place."""
        if any(isinstance(a, Var) and a.fact.kind == "nothing" for a in args):
            return NOTHING  # computed from what is not known yet; see expecting.py
        try:
            return self.infer(fn, args, kwargs)
        except YotaError as error:
            raise error.located(self.location()) from None

    def remember(self, op: Apply) -> None:
        """Note whose memory the result shares; see memory.py."""
        raise NotImplementedError

    def fact(self, value: Value) -> Fact:
        """What is known of a value."""
        if isinstance(value, Var):
            return value.fact
        if isinstance(value, Const):
            return fact_of_constant(value.value)
        if isinstance(value, Argument):
            return value.fact
        if isinstance(value, TupleValue):
            items = tuple(self.fact(v) for v in value.items)
            return Fact("tuple", items=items, cls=value.cls)
        if isinstance(value, Ref):
            return self.cell_fact(self.heap[value.cell])
        if isinstance(value, (Either, OneOf)):
            return self.fact_of_chosen(value)
        return Fact("callable")

    def fact_of_chosen(self, value: Either | OneOf) -> Fact:
        """What is known of a value that was chosen; see choosing.py."""
        raise NotImplementedError

    def cell_fact(self, cell: Cell) -> Fact:
        """What is known of a container or an object made while lowering."""
        if cell.var is not None:
            return cell.var.fact
        if cell.kind == "object":
            return Fact("object", cls=cell.cls)
        if cell.kind in ("list", "dict"):
            items = tuple(self.fact(v) for v in cell.items.values())
            keys = Keys(cell.items) if cell.kind == "dict" else None
            kind: Any = cell.kind
            return Fact(kind, items=items, keys=keys, cls=cell.cls)
        return Fact("other", cls=cell.cls)

    # ------------------------------------------------------------ cells

    def new_cell(self, cell: Cell) -> Ref:
        """A new container, object or frame."""
        self.cells_made += 1
        self.heap[self.cells_made] = cell
        return Ref(self.cells_made)

    def get(self, slot: Slot) -> Value | None:
        """The value of a slot, or None."""
        cell = self.heap.get(slot[0])
        return None if cell is None else cell.items.get(slot[1])

    def items_in_order(self, cell: int) -> Mapping[Any, Value]:
        """Those items where their order matters, which must be known, too."""
        if self.heap[cell].unordered:
            self.refuse(
                "the order of the keys of the dict depends on a branch",
                "Set the keys in one order in both arms.",
            )
        return self.items_held(cell)

    def items_held(self, cell: int) -> Mapping[Any, Value]:
        """The items of a cell, of which it must be known here which they are."""
        if self.heap[cell].var is not None:
            self.refuse(
                "the keys of the dict depend on a branch or a loop",
                "Set every key before it, and change only its value there.",
            )
        return self.heap[cell].items

    def put(self, cell: int, key: object, value: Value) -> None:
        """Set one item of a cell."""
        self.items_held(cell)
        self.check_fixed(self.heap[cell])
        self.heap[cell] = self.heap[cell].with_item(key, value)

    def refuse_one_of_several(self) -> NoReturn:
        """Refuse to change a list or a dict of which it is not known which it is."""
        self.refuse(
            "the function changes a list or dict that may be one of several",
            "Use if and else, and change it in each arm.",
        )

    def check_fixed(self, cell: Cell) -> None:
        """Refuse to change what may have another name by a branch."""
        if cell.fixed:
            if isinstance(cell.source, Argument):
                self.begin_again(cell.source)
            self.refuse(
                "the function changes a container that a branch or a loop has chosen",
                "Make a copy first: list(x), dict(x).",
            )

    def drop(self, cell: int, key: object) -> None:
        """Remove one item of a cell."""
        held = self.items_held(cell)
        self.check_fixed(self.heap[cell])
        items = {k: v for k, v in held.items() if k != key}
        self.heap[cell] = self.heap[cell].with_items(items)

    # ------------------------------------------------------------ snapshots, blocks

    def snapshot(self) -> Snapshot:
        """The state that a branch starts from."""
        memory = dict(self.current), dict(self.successors)
        rebound, capturing = dict(self.rebound), dict(self.capturing)
        return Snapshot(dict(self.heap), *memory, self.ended, rebound, capturing)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a state."""
        self.heap = dict(snapshot.heap)
        self.current = dict(snapshot.current)
        self.successors = dict(snapshot.successors)
        self.ended = snapshot.ended
        self.capturing = dict(snapshot.capturing)
        self.rebound = dict(snapshot.globals)

    @contextmanager
    def block(self) -> Iterator[list[Op]]:
        """Collect the ops of an inner block."""
        outer, self.ops = self.ops, []
        self.blocks_open.append(outer)
        try:
            yield self.ops
            if self.first_reads:
                self.note_changes()
        finally:
            self.blocks_open.pop()
            self.ops = outer

    @contextmanager
    def appending(self, ops: list[Op]) -> Iterator[None]:
        """Append to the ops of a block that is lowered already."""
        outer, self.ops = self.ops, ops
        try:
            yield
        finally:
            self.ops = outer

    @contextmanager
    def seeing(self, heap: Mapping[int, Cell]) -> Iterator[None]:
        """See the cells as they are elsewhere."""
        outer, self.heap = self.heap, dict(heap)
        try:
            yield
        finally:
            self.heap = outer

    @contextmanager
    def in_arm(self) -> Iterator[None]:
        """Be in one arm of a branch."""
        self.arms_open += 1
        try:
            yield
        finally:
            self.arms_open -= 1

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """Be in the body of a loop of the text."""
        self.turns += 1
        try:
            yield
        finally:
            self.turns -= 1

    @contextmanager
    def in_try(self, *, of_names: bool = False) -> Iterator[None]:
        """Be in a `try` with handlers; of_names: one that catches what names without a
        value raise."""
        self.tries += 1
        self.tries_of_names += of_names
        try:
            yield
        finally:
            self.tries -= 1
            self.tries_of_names -= of_names

    @contextmanager
    def trying(self, ops: list[Op]) -> Iterator[None]:
        """Lower the body of a `try` that may leave no ops."""
        outer, self.tried = self.tried, ops
        try:
            yield
        finally:
            self.tried = outer

    @contextmanager
    def handling(self, error: Var) -> Iterator[None]:
        """Handle an error."""
        outer, self.caught = self.caught, (*self.caught, error)
        try:
            yield
        finally:
            self.caught = outer

    @contextmanager
    def finally_reads(self, names: frozenset[str]) -> Iterator[None]:
        """Be in a `try` of which `finally` reads some names."""
        outer, self.finals = self.finals, self.finals | names
        try:
            yield
        finally:
            self.finals = outer

    def end_block(self) -> None:
        """Note that control cannot go on in the block: it has raised."""
        self.ended = True

    def set_states(self, current: Mapping[str, str]) -> None:
        """Set the states that roots are in after a branch."""
        self.current = dict(current)

    def rebind_globals(
        self, rebound: Mapping[GlobalName, tuple[Const, Location]]
    ) -> None:
        """Set the globals that have another value after a branch."""
        self.rebound = dict(rebound)

    def note_changes(self) -> None:
        """Note what is changed of what was cached in a block; see cached.py."""
        raise NotImplementedError

    def is_open(self, ops: list[Op]) -> bool:
        """Whether the block of some ops is the current one, or around it."""
        return ops is self.ops or any(ops is outer for outer in self.blocks_open)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Be in a function of its own, where no block around is open."""
        around, known, self.blocks_open = self.blocks_open, dict(self.first_reads), []
        try:
            yield
        finally:
            self.blocks_open = around
            self.first_reads = {**self.first_reads, **known}

    @contextmanager
    def comes_back(self) -> Iterator[None]:
        """What calls a function of which no result is known yet ends like a raise."""
        try:
            yield
        except NeverReturns:
            self.end_block()

    def check_open(self) -> None:
        """A way that has ended does not come back: nothing is to be made of it."""
        if self.ended and any(o.known.result is None for o in self.pending.values()):
            raise NeverReturns

    def mark(self) -> Mark:
        """A point to go back to if what follows cannot be lowered."""
        counts = dict(self.inlined), dict(self.first_reads)
        numbers = self.counter, self.statements, self.cells_made
        return Mark(self.snapshot(), len(self.ops), self.emitted, *counts, numbers)

    def back_to(self, mark: Mark, *, renumber: bool = False) -> None:
        """Forget what was lowered since; renumber: give the numbers of its variables
        and statements again."""
        self.restore(mark.snapshot)
        del self.ops[mark.ops :]
        self.emitted, self.inlined = mark.emitted, dict(mark.inlined)
        self.first_reads = dict(mark.first_reads)
        if renumber:
            self.counter, self.statements, _ = mark.numbers

    def back_to_cells(self, mark: Mark) -> None:
        """Forget what was lowered since, and give the numbers of its variables and
        cells again."""
        self.back_to(mark)
        self.counter, _, self.cells_made = mark.numbers

    def next_number(self) -> int:
        """A number that no variable has, and no state of an array."""
        self.counter += 1
        return self.counter

    def refuse_dict(self) -> NoReturn:
        """Refuse to write the fields of an object as a dict."""
        self.refuse(
            "the function writes into `__dict__` of an object",
            "Assign its attributes by name.",
        )

    def begin_again(self, argument: Argument) -> NoReturn:
        """Begin again, with an argument in mind that turns out to be written here."""
        if ("attr", "__dict__") in argument.path:
            self.refuse_dict()
        raise Owned(argument.root.name, argument.path, self.location())

    # ------------------------------------------------------------ places and refusals

    def location(self, node: Node = None) -> Location:
        """The place of a node (of the current one) in the user's source."""
        if not hasattr(node, "lineno"):  # None, or put there by the compiler
            node = self.node
        scope = self.frame.scope
        lineno = getattr(node, "lineno", 1)
        text = scope.lines[lineno - 1] if 0 < lineno <= len(scope.lines) else ""
        end = len(text.rstrip().encode("utf-8", "replace"))
        if getattr(node, "end_lineno", None) == lineno:
            end = node.end_col_offset
        chain = tuple(call.site for call in reversed(self.calls[1:]))
        column = getattr(node, "col_offset", 0)
        place = Location(scope.filename, lineno, column, end, text.rstrip("\n"), chain)
        return place if is_users(scope.filename) else self._called_by_user(place)

    def _called_by_user(self, place: Location) -> Location:
        """A place in a library, with the call in the user's code that leads there."""
        for call in reversed(self.calls[1:]):
            if call.where is not None and is_users(call.where.filename):
                called = "" if is_ours(place.filename) else call.name
                return replace(place, caller=call.where, called=called)
        return place

    def refuse(self, reason: str, remedy: str = "", node: Node = None) -> NoReturn:
        """Refuse a construct of the language."""
        raise UnsupportedSyntax(reason, at=self.location(node), remedy=remedy)

    def given_up_on_memory(self, remedy: str) -> UnsupportedSyntax:
        """The refusal of a write to what may be a view."""
        return UnsupportedSyntax(
            "the function writes into an array that may be a view or a copy",
            at=self.location(),
            remedy=remedy,
        )

    def spot(self) -> Spot:
        """The current place, and the calls that lead to it."""
        at = self.location()
        columns = tuple(
            call.where.col_offset if call.where else 0 for call in self.calls
        )
        return at.filename, at.lineno, at.col_offset, at.chain, columns

    def refuse_call(self, reason: str, remedy: str = "", node: Node = None) -> NoReturn:
        """Refuse a call."""
        raise UnsupportedCall(reason, at=self.location(node), remedy=remedy)

    def begin(self, title: str, frame: Frame, node: Node) -> None:
        """Begin with a function of this name."""
        self.title, self.frame, self.node = title, frame, node

    def move_to(self, node: Node) -> Node:
        """Go to a node, if it is the user's; return where lowering stood."""
        outer = self.node
        if hasattr(node, "lineno"):
            self.node = node
        return outer

    def move_back(self, node: Node) -> None:
        """Go back to where lowering stood."""
        self.node = node

    @contextmanager
    def at(self, node: Node) -> Iterator[None]:
        """Be at a node, if it is the user's."""
        outer = self.move_to(node)
        try:
            yield
        finally:
            self.node = outer

    @contextmanager
    def in_frame(self, frame: Frame) -> Iterator[None]:
        """Be inside a frame: names are looked up from there."""
        outer, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = outer

    @contextmanager
    def in_call(self, call: Call, frame: Frame) -> Iterator[None]:
        """Be in the body of a function that is inlined."""
        outer = (self.frame, self.node, self.whole, self.loops, self.origin)
        self.calls.append(call)
        self.frame, self.whole, self.loops = frame, None, ()
        try:
            yield
        finally:
            self.calls.pop()
            self.frame, self.node, self.whole, self.loops, self.origin = outer

    @contextmanager
    def own_function(self, who: str) -> Iterator[None]:
        """Be in a function of the tape; who: what it is called where it writes into
        what is outside."""
        outer = (self.origin, self.locked, self.last_return, self.turns, self.caught)
        sealed, self.sealed = self.sealed, dict.fromkeys(self.current, who)
        self.locked, self.turns, self.caught = False, 0, ()
        try:
            yield
        finally:
            self.sealed = sealed
            self.origin, self.locked, self.last_return, self.turns, self.caught = outer

    def standing(self) -> Standing:
        """Where lowering stands."""
        return Standing(
            self.frame, self.node, self.whole, self.loops, self.calls, self.live
        )

    @contextmanager
    def standing_at(self, place: Standing) -> Iterator[None]:
        """Stand elsewhere."""
        outer = self.standing()
        self.stand(place)
        try:
            yield
        finally:
            self.stand(outer)

    def stand(self, place: Standing) -> None:
        """Stand at a place from now on."""
        self.frame, self.node, self.whole = place.frame, place.node, place.whole
        self.loops, self.calls, self.live = place.loops, place.calls, place.live

    @contextmanager
    def own_calls(self) -> Iterator[None]:
        """Have a list of calls that stays as it is while the caller goes on."""
        outer, self.calls = self.calls, [*self.calls]
        try:
            yield
        finally:
            self.calls = outer

    @contextmanager
    def looping_to(self, after: frozenset[str], head: frozenset[str]) -> Iterator[None]:
        """Be in a loop; what is read after it, and at the head of its body."""
        outer, self.loops = self.loops, (*self.loops, (after, head))
        try:
            yield
        finally:
            self.loops = outer

    @contextmanager
    def read_later(self, names: frozenset[str]) -> Iterator[None]:
        """Be at a statement after which some names are read."""
        outer, self.live = self.live, names
        try:
            yield
        finally:
            self.live = outer

    def expect_whole(self, node: Node) -> None:
        """Note the whole right side of a statement."""
        self.whole = node

    def take_whole(self, node: Node) -> bool:
        """Whether a call is the whole right side; within it none is."""
        whole, self.whole = self.whole is node, None
        return whole

    @contextmanager
    def originating(self, origin: Origin) -> Iterator[None]:
        """Be at a statement that was entered before."""
        outer, self.origin = self.origin, origin
        try:
            yield
        finally:
            self.origin = outer

    def stand_within(self, node: Node) -> None:
        """Go within the current statement, to a place in a function it calls."""
        self.origin = replace(self.origin, inner=self.location(node))

    def note_return(self) -> None:
        """Note that the current statement is the last that has returned."""
        self.last_return = self.origin

    def stand_at_return(self) -> None:
        """Go to the statement that has returned last."""
        self.origin = self.last_return

    def begin_call(self, cells: int = sys.maxsize) -> None:
        """Note how many cells there were before the call at hand."""
        self.made_before = cells

    def restore_hints(self, hints: dict[str, Hint]) -> None:
        """Call variables as they were called before."""
        self.hints = hints

    def foresee(self, code: object) -> None:
        """Take a code for large from now on."""
        self.foreseen |= {code}

    def restore_given_up(self, given_up: Mapping[str, YotaError]) -> None:
        """Forget what was given up since."""
        self.given_up = dict(given_up)

    def restore_inlined(self, inlined: dict[object, tuple[int, int]]) -> None:
        """Count what has been inlined as it was counted elsewhere."""
        self.inlined = inlined

    def depend_on_ranks(self) -> None:
        """Note that the text is made for the ranks of its arguments."""
        self.ranked = True

    def keep_loop(self) -> None:
        """Note that a loop over known items stays a loop."""
        self.kept_loops = True

    @contextmanager
    def statement(self, node: Node) -> Iterator[None]:
        """Be at a statement: its ops have an origin of their own unless locked."""
        outer, at = self.origin, self.node
        if not self.locked:
            self.statements += not hasattr(node, "goes_on")  # the second half of one
            text = header(node)
            node.header = text
            self.origin = Origin(self.location(node), self.statements, text)
        else:
            self.origin = replace(outer, inner=self.location(node))
        if hasattr(node, "lineno"):
            self.node = node
        try:
            yield
        finally:
            self.origin, self.node = outer, at

    @contextmanager
    def lock(self, *, locked: bool) -> Iterator[None]:
        """Attribute what follows to the current statement, or not."""
        outer = self.locked
        self.locked = outer or locked
        try:
            yield
        finally:
            self.locked = outer

    def use(self, thing: object, home: str = "", path: str = "") -> None:
        """Note that the text depends on a function or a constant, and where it is."""
        if not isinstance(thing, types.ModuleType):
            self.used[id(thing)] = thing
            if path:
                self.constants[home, path] = thing

    # ------------------------------------------------------------ what other layers do

    def passes_by(self, stmt: Node) -> bool:
        """Note a statement; whether it is one to leave out; see watched.py."""
        raise NotImplementedError

    def reaches(self, stmt: Node) -> bool:
        """Note what a lambda gives; whether it is to be left out; see watched.py."""
        raise NotImplementedError

    def made_of(self, stmt: Node) -> Var:
        """A value that stands for what is left out; see watched.py."""
        raise NotImplementedError

    def noted(self, how: How, name: str = "", detail: object = None) -> None:
        """Note something of the current statement."""
        raise NotImplementedError

    def noted_of(self, stmt: Node, how: How, detail: object = None) -> None:
        """Note something of a statement that may not be the current one."""
        raise NotImplementedError

    def failing(self, error: type[Exception], what: object) -> Value:
        """What surely raises here: the text does."""
        raised = self.apply(error, (Const(what),), fact=UNKNOWN)
        self.emit(Raise(raised, self.origin))
        self.end_block()
        return NULL

    def floatless(self, value: Value) -> bool:
        """Whether no float that depends on the arguments is in a value."""
        raise NotImplementedError

    def fails_on(self, value: Value, text: str, *, whole: bool = False) -> bool:
        """Whether in a `try` a number surely raises TypeError; see attributes.py."""
        raise NotImplementedError

    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        raise NotImplementedError

    def execute(self, stmts: Sequence[Node], live: frozenset[str]) -> None:
        """Run statements; `live` are the names read after them."""
        raise NotImplementedError

    def assign(self, target: Node, value: Value) -> None:
        """Bind a target to a value."""
        raise NotImplementedError

    def call(
        self,
        function: Value,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]] = (),
    ) -> Value:
        """Call a value."""
        raise NotImplementedError

    def attribute(self, owner: Value, name: str) -> Value:
        """owner.name."""
        raise NotImplementedError

    def subscript(self, owner: Value, index: Value) -> Value:
        """owner[index]."""
        raise NotImplementedError

    def operate(self, fn: Callable[..., object], *operands: Value) -> Value:
        """An operator applied to values."""
        raise NotImplementedError

    def truth(self, value: Value) -> bool | Atom:
        """Whether a value is true: known, or the atom that the text tests."""
        raise NotImplementedError

    def is_iterator(self, value: Value | None) -> bool:
        """Whether a value gives its items once; see operators.py."""
        raise NotImplementedError

    def is_view(self, value: Value) -> bool:
        """Whether a value is the view of a dict; see passing.py."""
        raise NotImplementedError

    def refuse_as_list(self) -> NoReturn:
        """Refuse to ask of an iterator what a list would tell; see operators.py."""
        raise NotImplementedError

    def fresh(self, var: Var) -> Var:
        """The variable, or what stands for it now; see memory.py."""
        raise NotImplementedError

    def run_through(self, value: Value) -> Value:
        """The list of what a generator yields; another value as it is."""
        raise NotImplementedError

    def once(
        self,
        value: Value,
        names: frozenset[str] = frozenset(),
        held: Sequence[Value] = (),
        again: Callable[[], Value] | None = None,
    ) -> Value:
        """Note an iterator that has been made; see passing.py."""
        raise NotImplementedError

    def around(
        self, stmt: Node, iterable: Value | None, source: Value
    ) -> AbstractContextManager[None]:
        """While a loop is lowered; see passing.py."""
        raise NotImplementedError

    def unchanged_while(self, source: Value) -> AbstractContextManager[None]:
        """While the one body of a loop is lowered; see passing.py."""
        raise NotImplementedError

    def memory_of(self, atom: object) -> Memory:
        """What memory an atom may refer to; see memory.py."""
        raise NotImplementedError

    def check_running(self, cell: int) -> None:
        """Refuse to take items of an iterator in a loop over it; see passing.py."""
        raise NotImplementedError

    def items_as_they_are(
        self, source: Value, items: tuple[Value, ...]
    ) -> Callable[[int], tuple[Value, ...]]:
        """What gives the items of a loop after an iteration; see passing.py."""
        raise NotImplementedError

    def list_of_lazy(self, lazy: Lazy) -> Value:
        """map or filter of something long, as a list; see applied.py."""
        raise NotImplementedError

    def items_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items over which iteration goes, where their number is known."""
        raise NotImplementedError

    def parts_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple that an op gives; see expressions.py."""
        raise NotImplementedError

    def atom(self, value: Value) -> Atom:
        """The value as an atom: containers are built."""
        raise NotImplementedError


def header(stmt: Node) -> str:
    """A statement on one line; of a compound statement its first line."""
    if hasattr(stmt, "header"):
        return str(stmt.header)
    kind = type(stmt).__name__
    if kind in ("If", "While"):
        word = kind.lower()
        return f"{word} {print_expr(stmt.test)}:"
    if kind == "For":
        return f"for {print_expr(stmt.target)} in {print_expr(stmt.iter)}:"
    if kind in ("With", "Try", "Match", "FunctionDef", "ClassDef"):
        text = print_stmts([stmt]).lstrip("\n").splitlines()[0]
    else:
        with width(sys.maxsize):
            text = " ".join(print_stmts([stmt]).split("\n")).strip()
    return text if len(text) <= LINE_WIDTH else text[: LINE_WIDTH - 3] + "..."


def block(ops: Sequence[Op]) -> Block:
    """The block of some ops."""
    return Block(tuple(ops))
