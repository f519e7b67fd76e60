"""The tape: a block-structured SSA list of small frozen records.

In: what lowering and the passes build.  Out: a program that can be printed, verified,
played and compiled.  A variable's name is its identity within one tape; passes build
new blocks and never patch old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.errors import Location
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Function, Parameter
from yota_ast.ir.granted import NOTHING, Granted
from yota_ast.ir.interpreter import play
from yota_ast.ir.nodes import NOWHERE, Apply, Block, Origin, only, walk
from yota_ast.ir.tape_printer import listing
from yota_ast.support.tracebacks import public

RECORDED: Final = "Recorded for "
"""How the lines of a docstring begin that say which branches a tape holds alone."""


@dataclass(frozen=True, slots=True)
class Tape:
    """A function as a list of operations: its parameters, operations and result."""

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
    granted: Granted = NOTHING
    """What the source takes for granted that it does not check. The text checks it."""
    compiled: list[Callable[..., object]] = field(
        default_factory=list, init=False, compare=False, repr=False
    )
    """The function compiled from the tape, once there is one; `replace` drops it."""

    @property
    def heading(self) -> str:
        """The first line of the listing."""
        return "Tape"

    @property
    def recorded(self) -> str:
        """What its docstring says of the branches that it holds alone."""
        lines = self.doc.splitlines()
        return "\n".join(line for line in lines if line.startswith(RECORDED))

    @property
    def variables(self) -> tuple[Var, ...]:
        """The variables of the parameters."""
        return tuple(p.var for p in self.params)

    @property
    def outside(self) -> dict[str, object]:
        """The objects of a module, or of a function around it, that the function
        writes, by what the text calls them."""
        given = ((p.var.name, p.outside) for p in self.params)
        return {name: const.value for name, const in given if const is not None}

    @property
    def set_outside(self) -> tuple[tuple[object, str], ...]:
        """The names that the function sets, of modules, classes and functions, with
        what holds them."""
        blocks = (self.block, *(f.block for f in self.functions))
        ops = (op for block in blocks for op in only(walk(block), Apply))
        found = (op.args[:2] for op in ops if op.fn is setattr)
        return tuple(
            (holder.value, str(name.value))
            for holder, name in found
            if isinstance(holder, Const) and isinstance(name, Const)
        )

    @property
    def growing(self) -> frozenset[int]:
        """Those of them that are lists of any length, by their identities."""
        lists = {p.var.name for p in self.params if p.var.fact.kind == "list"}
        return frozenset(id(v) for name, v in self.outside.items() if name in lists)

    @property
    def sweeps(self) -> tuple[Block, ...]:
        """The only block."""
        return (self.block,)

    @property
    def returned(self) -> tuple[Atom, ...]:
        """The only result."""
        return (self.result,)

    @property
    def callees(self) -> tuple[Function, ...]:
        """The functions that it defines and calls."""
        return self.functions

    def __str__(self) -> str:
        return listing(self)

    def __repr__(self) -> str:
        """The listing, which a notebook and an interpreter show."""
        return str(self)

    @public
    def play(self, *args: object, **kwargs: object) -> object:
        """Return the value. If the tape was compiled, the compiled function runs."""
        if self.compiled:
            return self.compiled[-1](*args, **kwargs)
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
class Fitting:
    """The names of results and of operands in whose memory these may be written, if
    nothing reads the operands later. parts: variables that hold a block of elements
    each, which may as well stay in memory. checks: what the text then tests."""

    pairs: frozenset[tuple[str, str]]
    parts: frozenset[str]
    checks: tuple[Check, ...]


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
    """The name of the parameter that is the cotangent of the value, if it has one."""
    helpers: tuple[Program, ...] = ()
    """The functions that it calls, which stand below it: outlined ones, and the
    forward and the reverse sweep of each of which a derivative is taken."""
    wrt: tuple[str, ...] = ()
    """The parameters whose gradients are the results."""
    granted: Granted = NOTHING
    """What it takes for granted of its arguments. The text checks it."""
    spread: bool = False
    """Whether statements on whole arrays stand for loops of numbers or windows."""
    aux: bool = False
    """Whether the value is a pair, and the seed the cotangent of its first item."""
    told: tuple[Told, ...] = field(default=(), compare=False)
    """The arguments of which the user is told that their derivative misses a part."""
    plain: Block | None = field(default=None, compare=False)
    """What both sweeps compute in any case, where their own ops stand in loops over
    blocks of elements."""
    fitting: Fitting | None = field(default=None, compare=False)
    """The results that may be written into memory of their operands."""
    choosing: Block | None = field(default=None, compare=False)
    """The reverse sweep without branches, if its own takes the way that was chosen."""
    forms: dict[str, Callable[[], Program]] = field(default_factory=dict, compare=False)
    """What makes its other forms: `marked` at kinks; `marks alone`, where nobody reads
    its values; `unchecked`, to be differentiated; `at_one`, the same for a seed of 1;
    and `in_loops`, without statements that stand for loops."""

    @property
    def heading(self) -> str:
        """The first line of the listing."""
        return "Program"

    @property
    def in_loops(self) -> Program:
        """The program for a back end of which loops are the better form."""
        made = self.forms.get("in_loops")
        return self if made is None else replace(made(), doc=self.doc)

    @property
    def without_branches(self) -> Program:
        """The program for what computes both ways: a batch, or arrays of JAX."""
        if self.choosing is None:
            return self
        return replace(self, reverse=self.choosing, choosing=None)

    @property
    def unchecked(self) -> Program:
        """The program to be differentiated: what is made of its source asks in its
        place what it takes for granted. What it takes for granted of objects outside,
        which its source alone names, it asks itself."""
        forms: dict[str, Callable[[], Program]] = {}
        if (marked := self.forms.get("marks alone")) is not None:
            forms["marked"] = lambda: marked().unchecked
        if any(p.outside is not None for p in self.params):
            return replace(self.without_branches, forms=forms)
        granted = replace(self.granted, checks=self.checks)
        return replace(self.without_branches, checks=(), granted=granted, forms=forms)

    @property
    def takes_seed(self) -> bool:
        """Whether the cotangent is a parameter; without one it is 1."""
        return any(p.var.name == self.seed for p in self.params)

    @property
    def variables(self) -> tuple[Var, ...]:
        """The variables of the parameters."""
        return tuple(p.var for p in self.params)

    @property
    def sweeps(self) -> tuple[Block, ...]:
        """The forward and the reverse sweep."""
        return (self.forward, self.reverse)

    @property
    def returned(self) -> tuple[Atom, ...]:
        """The value, and the results after it."""
        return (self.value, *self.results)

    @property
    def callees(self) -> tuple[Program, ...]:
        """The functions that it defines and calls."""
        return self.helpers

    def __str__(self) -> str:
        return listing(self)
