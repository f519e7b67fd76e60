"""The tape: a block-structured SSA list of small frozen records.

In: what lowering and the passes build.  Out: a program that can be printed, verified,
played and compiled.  A variable's name is its identity within one tape; passes build
new blocks and never patch old ones.

An expression of the user's is one `Apply` an operation, in the order of evaluation; the
text that is printed nests them again. `Apply.form` says how the user spelled it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import Final, Literal, TypeVar

import numpy as np

from .checks import Check
from .errors import Location
from .facts import UNKNOWN, Dim, Fact, fact_of_constant
from .literals import literal_text
from .paths import PathStep
from .records import dataclass, field, maker, replacer

T = TypeVar("T")

# ---------------------------------------------------------------- atoms


@dataclass(frozen=True, slots=True)
class Var:
    """A variable, assigned once. Equal by name alone.

    hint: the name by which the text should call it: the user's own ("h"); None for a
    sub-expression, which the text nests where it is used once.
    """

    name: str
    fact: Fact = field(default=UNKNOWN, compare=False)
    hint: str | None = field(default=None, compare=False)

    # Both by hand: what the dataclass would make packs the name into a tuple first.
    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"{self.name}::{self.fact}"


LASTING: Final = ("math", "numpy")
"""Modules of which the numbers, `np.e`, are never others."""


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A literal, or what a name outside the function stands for.

    text: how the user spelled it where it is no literal ("SCALE", "config.RATE"); the
    printed text uses it. home: the module that holds it, "" for cells and defaults.
    made: the operator and the operands whose value it is, where `text` spells that.
    hint: what the user calls such a value.
    """

    value: object
    text: str | None = None
    home: str = ""
    made: tuple[Callable[..., object], tuple[Const, ...]] | None = field(
        default=None, repr=False
    )
    hint: str | None = field(default=None, repr=False)
    _key: tuple[object, ...] | None = field(default=None, init=False, repr=False)

    @property
    def is_live(self) -> bool:
        """Whether a text reads it from a module, where it may be bound anew."""
        return bool(self.text and self.home) and self.value is not None

    @property
    def reads(self) -> bool:
        """Whether it is computed of a constant that has a name: `SCALE - 1`."""
        parts = () if self.made is None else self.made[1]
        return any(p.text is not None and (p.made is None or p.reads) for p in parts)

    def key(self) -> tuple[object, ...]:
        """What makes two constants one: type and printed value of literals, identity
        of everything else. A module's number is none but itself: what reads it live
        may find another."""
        # Kept, for constants are compared, and looked up, more often than made.
        if self._key is None:
            object.__setattr__(self, "_key", self._made_key())
        return self._key  # type: ignore[return-value]

    def _made_key(self) -> tuple[object, ...]:
        told = _told(self.value)
        if told is not None:
            named = (self.home, self.text) if self.is_live else ()
            return (type(self.value), told, *named)
        if isinstance(self.value, tuple):
            items = tuple.__iter__(self.value)
            return (type(self.value), tuple(Const(v).key() for v in items))
        if isinstance(self.value, slice):
            s = self.value
            return (slice, *(Const(v).key() for v in (s.start, s.stop, s.step)))
        return (id(self.value),)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Const) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())


def _told(value: object) -> str | None:
    """What tells a number, a string or None from others of its exact type; None of what
    is told by its identity."""
    if type(value) in (float, complex):
        return str(value)
    if type(value) is int:
        return hex(value)
    if isinstance(value, np.generic) and type(value) is value.dtype.type:
        return None if value.dtype.kind in "VO" else str(value)
    return None if type(value) is tuple else literal_text(value)


Atom = Var | Const


class Undefined:
    """What a merge takes from an arm that does not define the variable."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED: Final = Undefined()

# ---------------------------------------------------------------- where ops come from


@dataclass(frozen=True, slots=True)
class Origin:
    """The statement an op belongs to, and where it stands.

    statement: numbers statements in the order in which lowering met them, anew for
    every inlining, so that equal numbers mean one line of the forward sweep.
    text: the statement on one line as the comments of the reverse sweep quote it.
    reverse: whether the op belongs to the reverse sweep of that statement.
    inner: where the op itself stands, if that is a function inlined into the statement.
    """

    location: Location | None = None
    statement: int = 0
    text: str = ""
    reverse: bool = False
    inner: Location | None = field(default=None, compare=False)

    @property
    def place(self) -> Location | None:
        """Where the op itself stands: in the statement, or in what it inlines."""
        return self.inner or self.location


NOWHERE: Final = Origin()

# ---------------------------------------------------------------- ops

Form = Literal[
    "call",
    "method",
    "attribute",
    "subscript",
    "operator",
    "augmented",
    "build",
    "unpack",
]
"""How an Apply was spelled. call: np.f(a, b); method: a.f(b); attribute: a.T;
subscript: a[b]; operator: a + b; augmented: the `a += b` of something that is not
written in place; build: (a, b), [a, b], {k: v}, a:b:c; unpack: one target of
`a, b = c`, the operator.getitem of a position; all targets in order."""


@dataclass(frozen=True, slots=True)
class Apply:
    """out = fn(*args, **kwargs), fn being the resolved function object.

    A method is the NumPy function of the same meaning where the arguments agree
    (`x.sum(0)` has fn np.sum), else the descriptor (np.ndarray.reshape); `spelling` is
    then the name of the method or attribute. For functions that are printed by another
    path than their own, `spelling` is that path.
    effect: the op must happen, once, in its place (print, random draws, raise).
    """

    out: Var
    fn: Callable[..., object]
    args: tuple[Atom, ...] = ()
    kwargs: tuple[tuple[str, Atom], ...] = ()
    form: Form = "call"
    spelling: str = ""
    origin: Origin = NOWHERE
    effect: bool = False


new_var: Final = maker(Var)
new_apply: Final = maker(Apply)
with_args: Final = replacer(Apply, "args", "kwargs")
with_out: Final = replacer(Apply, "out")
with_hint: Final = replacer(Var, "hint")
"""Quicker than the classes and `replace`, for what passes do to every op."""


@dataclass(frozen=True, slots=True)
class Read:
    """out = the field of an argument: `m.first.W`, `params["W"]`. Stands at the top.

    root: the parameter's variable. path: the steps from it.
    """

    out: Var
    root: Var
    path: tuple[PathStep, ...]
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Store:
    """out = target with target[index] = value (or, with augment "+", += value).

    Consumes `target`: the text writes into its memory, and target is not read again.
    augment "append": target.append(value) of a list; there is no index (None).
    augment "+at", "-at": np.add.at(target, index, value), for an index that repeats.
    A tuple of keys of a list is the way to an item within its items, `rows[i][j] = e`.
    augment "view": value is a view of that part of target, and has been written: the
    memory is as it should be, and the text shows nothing.
    """

    out: Var
    target: Var
    index: Atom
    value: Atom
    augment: str = ""  # "", "+", "-", "*", "/", ..., "append"
    origin: Origin = NOWHERE


def path_length(owner: Atom, index: Atom) -> int:
    """How many keys lead from a list to an item within its items, 0 of other indices:
    no list has a tuple for a key, so `rows[i, j]` of the tape is `rows[i][j]`.

    >>> rows, i = Var("rows", Fact("list")), Var("i", Fact("int"))
    >>> both = Var("both", Fact("tuple", items=(Fact("int"), Fact("int"))))
    >>> path_length(rows, both), path_length(rows, Const((0, 1))), path_length(rows, i)
    (2, 2, 0)
    """
    if not isinstance(owner, Var) or owner.fact.kind != "list":
        return 0
    if isinstance(index, Const):
        return len(index.value) if isinstance(index.value, tuple) else 0
    items = index.fact.items if index.fact.kind == "tuple" else None
    return len(items) if items is not None else 0


@dataclass(frozen=True, slots=True)
class Merge:
    """A variable that two arms define differently."""

    out: Var
    then: Atom | Undefined
    orelse: Atom | Undefined


@dataclass(frozen=True, slots=True)
class If:
    """A branch. Everything that leaves it does so through `merges`.

    form: "if" a statement; "ifexp" a conditional expression; "and", "or" the operators
    (then `test` is the left operand's truth and one arm is the right operand); "chain"
    the "and" within `a < b < c`.
    """

    test: Atom
    then: Block
    orelse: Block
    merges: tuple[Merge, ...] = ()
    form: Literal["if", "ifexp", "and", "chain", "or"] = "if"
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Carry:
    """A variable carried round a loop.

    inside: its value on entering an iteration: init at first, then next. out: its value
    after the loop (init where there was no iteration).
    """

    out: Var
    init: Atom | Undefined
    inside: Var
    next: Atom | Undefined


@dataclass(frozen=True, slots=True)
class For:
    """for targets in iterable: body.

    targets: one variable, or several where each item is unpacked.
    stop: a bool of the body after which, where true, the loop ends (break).
    stack: None, or the list to which each iteration appends `saved` (a tuple where
    there are several); the reverse loop runs over `stack[::-1]`.
    """

    targets: tuple[Var, ...]
    iterable: Atom
    body: Block
    carries: tuple[Carry, ...] = ()
    stop: Atom | None = None
    stack: Var | None = None
    saved: tuple[Var, ...] = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class While:
    """while test: body; `cond` computes `test` from what the carries have inside."""

    cond: Block
    test: Atom
    body: Block
    carries: tuple[Carry, ...] = ()
    stop: Atom | None = None
    stack: Var | None = None
    saved: tuple[Var, ...] = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Raise:
    """raise exc: nothing after it in its block runs."""

    exc: Atom
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class With:
    """with context: body. What the body defines is in scope after it."""

    context: Atom
    body: Block
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Try:
    """try: body; except caught as error: handler; else: orelse.

    caught: a class of errors or a tuple of them; several handlers are one, which tests
    the class of `error`. orelse runs where the body has not raised, and sees what it
    defines. merges: `then` is what holds after body and orelse, `orelse` after the
    handler. Nothing that the body defines is read in the handler.
    """

    body: Block
    caught: Atom
    error: Var
    handler: Block
    orelse: Block
    merges: tuple[Merge, ...] = ()
    origin: Origin = NOWHERE


Op = Apply | Read | Store | If | For | While | Raise | With | Try


@dataclass(frozen=True, slots=True)
class Block:
    """Ops in order."""

    ops: tuple[Op, ...] = ()

    def __iter__(self) -> Iterator[Op]:
        return iter(self.ops)

    def __len__(self) -> int:
        return len(self.ops)


# ---------------------------------------------------------------- whole programs


@dataclass(frozen=True, slots=True)
class Outlined:
    """What an `Apply` calls that the program itself defines: a `Function`, by name.

    Several results are a tuple, which the text unpacks. fresh: they are new memory,
    that no argument and no other result shares.
    """

    name: str
    fresh: bool = field(default=False, compare=False)

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Only a player that has the program can call it."""
        raise TypeError(f"{self.name} is defined by a program alone")


@dataclass(frozen=True, slots=True)
class Closed:
    """What an `Apply` calls that makes a function of an `Outlined`, by its name: the
    arguments of the op are those that it holds, `lambda x: _f(x, p)`.

    params: what the function made calls its own arguments. takes: for each parameter of
    the outlined one the position among them, or -1 - that among what is held. item: the
    one of several results that it gives. slope: the function whose root a minimum is;
    it holds the same.
    """

    name: str
    params: tuple[str, ...]
    takes: tuple[int, ...]
    item: int | None = None
    slope: Closed | None = None

    @property
    def __name__(self) -> str:
        return self.name

    def given(self, own: Sequence[T], held: Sequence[T]) -> tuple[T, ...]:
        """The arguments of the outlined function.

        >>> Closed("_f", ("x",), (0, -1)).given(["x"], ["p"])
        ('x', 'p')
        """
        return tuple(own[k] if k >= 0 else held[-1 - k] for k in self.takes)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Only a player that has the program can call it."""
        raise TypeError(f"{self.name} is defined by a program alone")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the user's that is not inlined, for it calls itself.

    Its variables are its own. result: an atom, or where it has several results the
    tuple of them. uncertain: whether a result may be, or share memory with, an argument
    or another result.
    """

    name: str
    params: tuple[Var, ...]
    block: Block
    result: Atom
    title: str = ""  # what the user calls it
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as the text's signature prints it.

    kind: "positional", "args", "keyword", "kwargs" or "positional-only".
    default: None where there is none.
    """

    var: Var
    kind: str = "positional"
    default: Const | None = None
    annotation: str = ""


@dataclass(frozen=True, slots=True)
class Tape:
    """A lowered function: its parameters, its ops, and the atom that is its value."""

    name: str  # "loss", for a method "Linear_loss"
    params: tuple[Parameter, ...]
    block: Block
    result: Atom
    doc: str = ""
    module: str = ""
    fn: Callable[..., object] | None = field(default=None, compare=False)
    used: tuple[object, ...] = field(default=(), compare=False)
    """The functions inlined, and the constants read, for caches and hashes."""
    distinct: tuple[tuple[str, str], ...] = ()
    """Arguments, as the text reads them, of which the first is written: they must share
    no memory. The text checks it at entry."""
    functions: tuple[Function, ...] = ()
    """What `Outlined` in the block and in these functions stands for."""
    checks: tuple[Check, ...] = ()
    """What was taken for granted of the arguments' values. The text checks that too."""
    given_up: tuple[tuple[str, Exception], ...] = field(default=(), compare=False)
    """The messages of errors that the text raises where control comes to what could not
    be lowered, and the refusals."""
    guesses: tuple[tuple[str, tuple[Hashable, ...]], ...] = field(
        default=(), compare=False
    )
    """The messages of errors that tell a wrong guess of what shares memory, and where
    it was made; none where the function cannot be run again."""
    read: tuple[tuple[str, str, object], ...] = field(default=(), compare=False)
    """The constants that were read: the module, the path in it, the value. A cell has
    the function for its module."""
    ranked: bool = False
    """Whether the ops are right for arguments of the ranks that the facts say alone."""
    equal: tuple[tuple[Dim, Dim], ...] = ()
    """Lengths that the facts take for equal. The text checks it."""
    held: tuple[tuple[str, str, object], ...] = field(default=(), compare=False)
    """The functions that arguments hold: where, as the text reads it, the parameter and
    the function, whose name the text checks."""
    kept_loops: bool = field(default=False, compare=False)
    """Whether loops over known items are some for their length alone."""
    compiled: list[Callable[..., object]] = field(
        default_factory=list, init=False, compare=False, repr=False
    )
    """The function compiled from the tape, once there is one; `replace` drops it."""

    def __str__(self) -> str:
        # Within the method: listing reads the records that this module defines.
        from .listing import listing

        return listing(self)

    def play(self, *args: object, **kwargs: object) -> object:
        """The value for these arguments; by the compiled function, if there is one."""
        if self.compiled:
            return self.compiled[-1](*args, **kwargs)
        from .playing import play

        return play(self, *args, **kwargs)


@dataclass(frozen=True, slots=True)
class Told:
    """An argument that acts in a loop through comparisons alone.

    name: what it is called, `c`, `m.c`, `p[0]`. argument: the parameter. place, text:
    the loop, or the call of what repeats itself.
    """

    name: str
    argument: str
    place: Location | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard clause of the function's top level, which returns its own gradients.

    before: the index in `Program.forward` of the op in front of which it stands.
    block: what is done where `test` is true, forward and reverse, before returning
    `value` and `results`. Nothing of it is seen by the ops that follow.
    """

    before: int
    test: Atom
    block: Block
    value: Atom
    results: tuple[Atom, ...] = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Program:
    """What codegen prints: a function of one forward and one reverse sweep.

    Ops of `forward` and `reverse` share one scope, top to bottom; a block of the
    reverse
    sees nothing of the forward's inner blocks but what merges, carries and stacks give.
    value: the primal value. results: what is returned after it, in order.
    """

    name: str
    params: tuple[Parameter, ...]
    forward: Block
    reverse: Block
    value: Atom
    results: tuple[Atom, ...] = ()
    doc: str = ""
    checks: tuple[Check, ...] = ()
    module: str = ""
    fn: Callable[..., object] | None = field(default=None, compare=False)
    used: tuple[object, ...] = field(default=(), compare=False)
    guards: tuple[Guard, ...] = ()
    seed: str = ""
    """The name of the parameter that is the cotangent of the value."""
    helpers: tuple[Program, ...] = ()
    """The functions that it calls, which stand below it: outlined ones, and the
    forward and the reverse sweep of each of which a derivative is taken."""
    wrt: tuple[str, ...] = ()
    """The parameters whose gradients are the results."""
    shaped: bool = False
    """Whether it takes ranks and lengths of arrays for granted."""
    aux: bool = False
    """Whether the value is a pair, and the seed the cotangent of its first item."""
    told: tuple[Told, ...] = field(default=(), compare=False)
    """The arguments of which the user is told that their derivative misses a part."""
    marked: Callable[[], Program] | None = field(default=None, compare=False)
    """What makes the same with marks where cotangents meet kinks, for what
    differentiates it."""

    def __str__(self) -> str:
        from .listing import listing

        return listing(self)


# ---------------------------------------------------------------- building values


def build_tuple(*items: object) -> tuple[object, ...]:
    """`(a, b)`."""
    return items


def build_list(*items: object) -> list[object]:
    """`[a, b]`."""
    return list(items)


def build_dict(*keys_and_values: object) -> dict[object, object]:
    """`{k: v}`, keys and values by turns."""
    return dict(zip(keys_and_values[::2], keys_and_values[1::2], strict=True))


def build_slice(start: object, stop: object, step: object) -> slice:
    """`start:stop:step` within a subscript."""
    return slice(start, stop, step)


def build_string(*parts: object) -> str:
    """An f-string: strings, and values already formatted."""
    return "".join(str(p) for p in parts)


def replaced(record: object, **items: object) -> object:
    """A tuple whose items have names, with others in their place."""
    replace: Callable[..., object] = record._replace  # type: ignore[attr-defined]
    return replace(**items)


def handed(saved: object) -> object:
    """What a reverse sweep is handed, to be taken apart: `h, t1 = saved`."""
    return saved


BUILDERS: Final = (build_tuple, build_list, build_dict, build_slice, build_string)


def is_record(fn: object) -> bool:
    """Whether a call makes a tuple whose items have names: of a NamedTuple's class.

    >>> is_record(tuple)
    False
    """
    return isinstance(fn, type) and issubclass(fn, tuple) and hasattr(fn, "_fields")


def builds(fn: object) -> bool:
    """Whether the result of an op is made of its arguments as they are."""
    return fn in BUILDERS or is_record(fn)


# ---------------------------------------------------------------- walking


def blocks_of(op: Op) -> tuple[Block, ...]:
    """The blocks within an op."""
    if isinstance(op, Apply):
        return ()
    if isinstance(op, If):
        return (op.then, op.orelse)
    if isinstance(op, For):
        return (op.body,)
    if isinstance(op, While):
        return (op.cond, op.body)
    if isinstance(op, With):
        return (op.body,)
    if isinstance(op, Try):
        return (op.body, op.orelse, op.handler)
    return ()


def defined_by(op: Op) -> tuple[Var, ...]:
    """The variables that an op defines for what follows it in its block."""
    if isinstance(op, (Apply, Read, Store)):
        return (op.out,)
    if isinstance(op, (If, Try)):
        return tuple(m.out for m in op.merges)
    if isinstance(op, Raise):
        return ()
    if isinstance(op, With):
        return tuple(v for inner in op.body for v in defined_by(inner))
    outs = tuple(c.out for c in op.carries)
    return outs if op.stack is None else (*outs, op.stack)


def fact_of_atom(atom: Atom) -> Fact:
    """What is known of an atom."""
    return atom.fact if isinstance(atom, Var) else fact_of_constant(atom.value)


def atoms_of(op: Op) -> tuple[Atom, ...]:
    """The atoms an op itself reads, those of its blocks not included."""
    if isinstance(op, Apply):
        return (*op.args, *[a for _, a in op.kwargs]) if op.kwargs else op.args
    if isinstance(op, Read):
        return (op.root,)
    if isinstance(op, Store):
        return (op.target, op.index, op.value)
    if isinstance(op, If):
        return (op.test,)
    if isinstance(op, Raise):
        return (op.exc,)
    if isinstance(op, With):
        return (op.context,)
    if isinstance(op, Try):
        return (op.caught,)
    inits = tuple(c.init for c in op.carries if not isinstance(c.init, Undefined))
    return (op.iterable, *inits) if isinstance(op, For) else inits


def walk(block: Block) -> Iterator[Op]:
    """All ops, outer before inner, in order."""
    pending = [iter(block.ops)]
    while pending:
        for op in pending[-1]:
            yield op
            # Most ops are such: nothing is asked of them.
            if op.__class__ is not Apply and (inner := blocks_of(op)):
                pending.append(chain.from_iterable(inner))
                break
        else:
            pending.pop()
