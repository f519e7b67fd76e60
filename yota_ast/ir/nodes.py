"""The operations of a tape, and the blocks that they stand in.

An expression of the user's is one `Apply` an operation, in the order of evaluation; the
printer nests them again. `Apply.form` says how the user spelled it.

>>> import operator
>>> from yota_ast.ir.atoms import Const, Var
>>> x, y = Var("x"), Var("y")
>>> block = Block((Apply(y, operator.mul, (x, Const(2.0))),))
>>> [defined_by(op) for op in walk(block)]
[(y::?,)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import is_
from typing import Any, ClassVar, Final, Literal, TypeVar, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, maker, replace, replacer
from yota_ast.errors import Location
from yota_ast.ir.atoms import (
    Atom,
    Const,
    T,
    Undefined,
    Var,
)
from yota_ast.ir.store_changes import PUT, Change
from yota_ast.syntax.loop_schedules import Schedule
from yota_ast.syntax.value_paths import PathStep

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


class Simple:
    """An op without blocks, as a simple statement of Python holds no others.

    READS, DEFINES: the fields that hold what it reads, and the variables it defines.
    """

    __slots__ = ()
    READS: ClassVar[tuple[str, ...]] = ()
    DEFINES: ClassVar[tuple[str, ...]] = ("out",)


class Compound:
    """An op with blocks, which `blocks_of` gives."""

    __slots__ = ()


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
class Apply(Simple):
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
class Read(Simple):
    """out = the field of an argument: `m.first.W`, `params["W"]`. Stands at the top.

    root: the parameter's variable. path: the steps from it.
    """

    out: Var
    root: Var
    path: tuple[PathStep, ...]
    origin: Origin = NOWHERE
    READS = ("root",)


@dataclass(frozen=True, slots=True)
class Store(Simple):
    """out = target with target[index] = value, or another change: see `Change`.

    Consumes `target`: the text writes into its memory, and target is not read again.
    A tuple of keys of a list is the way to an item within its items, `rows[i][j] = e`.
    """

    out: Var
    target: Var
    index: Atom
    value: Atom
    change: Change = PUT
    origin: Origin = NOWHERE
    READS = ("target", "index", "value")


def path_length(owner: Atom, index: Atom) -> int:
    """How many keys lead from a list to an item within its items, 0 of other indices:
    no list has a tuple for a key, so `rows[i, j]` of the tape is `rows[i][j]`.

    >>> from yota_ast.ir.abstract_values import Fact
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
class If(Compound):
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
class For(Compound):
    """for targets in iterable: body.

    targets: one variable, or several where each item is unpacked.
    stop: a bool of the body after which, where true, the loop ends (break).
    stack: None, or the list to which each iteration appends `saved` (a tuple where
    there are several); the reverse loop runs over `stack[::-1]`.
    schedule: None, or which iterations the reverse sweep is to find saved.
    """

    targets: tuple[Var, ...]
    iterable: Atom
    body: Block
    carries: tuple[Carry, ...] = ()
    stop: Atom | None = None
    stack: Var | None = None
    saved: tuple[Var, ...] = ()
    origin: Origin = NOWHERE
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class While(Compound):
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
class Raise(Simple):
    """raise exc: nothing after it in its block runs."""

    exc: Atom
    origin: Origin = NOWHERE
    READS = ("exc",)
    DEFINES = ()


@dataclass(frozen=True, slots=True)
class With(Compound):
    """with context: body. What the body defines is in scope after it."""

    context: Atom
    body: Block
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Try(Compound):
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


SimpleOp = Apply | Read | Store | Raise
Op = SimpleOp | If | For | While | With | Try
"""A function that tells the kinds apart is a `match` that ends in `assert_never`: the
type checker then names every place that a new kind needs."""


@dataclass(frozen=True, slots=True)
class Block:
    """Ops in order."""

    ops: tuple[Op, ...] = ()
    _walked: tuple[Op, ...] | None = field(
        default=None, init=False, compare=False, repr=False
    )

    def __iter__(self) -> Iterator[Op]:
        return iter(self.ops)

    def __len__(self) -> int:
        return len(self.ops)


# ---------------------------------------------------------------- functions


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


# ---------------------------------------------------------------- walking


def blocks_of(op: Op) -> tuple[Block, ...]:
    """The blocks within an op, in the order in which they run."""
    match op:
        case Simple():
            return ()
        case If():
            return (op.then, op.orelse)
        case For() | With():
            return (op.body,)
        case While():
            return (op.cond, op.body)
        case Try():
            return (op.body, op.orelse, op.handler)
        case _:
            assert_never(op)


def with_blocks(op: Op, blocks: Sequence[Block]) -> Op:
    """The op with other blocks, which stand in the order of `blocks_of`."""
    match op:
        case Simple():
            return op
        case If():
            then, orelse = blocks
            return replace(op, then=then, orelse=orelse)
        case For() | With():
            (body,) = blocks
            return replace(op, body=body)
        case While():
            cond, body = blocks
            return replace(op, cond=cond, body=body)
        case Try():
            body, orelse, handler = blocks
            return replace(op, body=body, orelse=orelse, handler=handler)
        case _:
            assert_never(op)


def map_blocks(op: Op, change: Callable[[Block], Block]) -> Op:
    """The op with its blocks changed: the op itself, if they stay the same ones.

    >>> def doubled(block: Block) -> Block:
    ...     return Block(tuple(map_blocks(op, doubled) for op in block for _ in "12"))
    >>> branch = If(Const(True), Block((Raise(Var("e")),)), Block())
    >>> len(doubled(Block((branch,)))), len(doubled(Block((branch,))).ops[0].then)
    (2, 2)
    """
    if op.__class__ is Apply:  # most ops are such
        return op
    inner = blocks_of(op)
    made = [change(block) for block in inner]
    return op if all(map(is_, made, inner)) else with_blocks(op, made)


def of_ops(block: Block, ops: tuple[Op, ...]) -> Block:
    """A block of these ops: the block itself, if they are its own."""
    same = len(ops) == len(block.ops) and all(map(is_, ops, block.ops))
    return block if same else Block(ops)


def defined_by(op: Op) -> tuple[Var, ...]:
    """The variables that an op defines for what follows it in its block."""
    match op:
        case Apply():
            return (op.out,)
        case Simple():
            return tuple([getattr(op, name) for name in op.DEFINES])
        case If() | Try():
            return tuple(m.out for m in op.merges)
        case With():
            return tuple(v for inner in op.body for v in defined_by(inner))
        case For() | While():
            outs = tuple(c.out for c in op.carries)
            return outs if op.stack is None else (*outs, op.stack)
        case _:
            assert_never(op)


def atoms_of(op: Op) -> tuple[Atom, ...]:
    """The atoms an op itself reads, those of its blocks not included."""
    match op:
        case Apply():
            return (*op.args, *[a for _, a in op.kwargs]) if op.kwargs else op.args
        case Simple():
            return tuple([getattr(op, name) for name in op.READS])
        case If():
            return (op.test,)
        case With():
            return (op.context,)
        case Try():
            return (op.caught,)
        case For():
            return (op.iterable, *_inits(op.carries))
        case While():
            return _inits(op.carries)
        case _:
            assert_never(op)


def with_atoms(op: SimpleOp, change: Callable[[Atom], Any]) -> SimpleOp:
    """An op without blocks that reads other atoms."""
    if isinstance(op, Apply):
        kwargs = tuple([(name, change(atom)) for name, atom in op.kwargs])
        return with_args(op, tuple(map(change, op.args)), kwargs)
    return replace(op, **{name: change(getattr(op, name)) for name in op.READS})


def _inits(carries: tuple[Carry, ...]) -> tuple[Atom, ...]:
    return tuple(c.init for c in carries if not isinstance(c.init, Undefined))


def walk(block: Block) -> Iterator[Op]:
    """All ops, outer before inner, in order."""
    # Kept, for each pass walks over the block that the one before has made.
    walked = block._walked  # noqa: SLF001
    if walked is None:
        walked = _all_ops(block)
        object.__setattr__(block, "_walked", walked)
    return iter(walked)


def _all_ops(block: Block) -> tuple[Op, ...]:
    found: list[Op] = []
    pending = [iter(block.ops)]
    while pending:
        for op in pending[-1]:
            found.append(op)
            # Most ops are such: nothing is asked of them.
            if op.__class__ is not Apply and (inner := blocks_of(op)):
                pending.append(chain.from_iterable(inner))
                break
        else:
            pending.pop()
    return block.ops if len(found) == len(block.ops) else tuple(found)


Kind = TypeVar("Kind", bound=Op)


def only(ops: Iterable[Op], kind: type[Kind]) -> Iterator[Kind]:
    """Those of some ops that are of one kind: `only(walk(block), Apply)`."""
    return (op for op in ops if isinstance(op, kind))
