"""What a tape, a program and an outlined function have in common, and their parameters.

In: blocks.  Out: what can be listed, verified and played without knowing which of the
three it is.

>>> from yota_ast.ir.nodes import Apply
>>> x, y = Var("x"), Var("y")
>>> f = Function("f", (x,), Block((Apply(y, abs, (x,)),)), y)
>>> f.heading, f.variables, f.returned
('Function f', (x::?,), (y::?,))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Block

OUTSIDE: Final = "outside"
"""The kind of a parameter that the text binds itself, in its first lines."""


class Code(Protocol):
    """Blocks that run one after the other, of parameters to results."""

    @property
    def name(self) -> str:
        """The name by which it is called."""

    @property
    def heading(self) -> str:
        """The first line of its listing."""

    @property
    def variables(self) -> tuple[Var, ...]:
        """The variables of the parameters."""

    @property
    def sweeps(self) -> tuple[Block, ...]:
        """The blocks in order: one, or a forward and a reverse sweep."""

    @property
    def returned(self) -> tuple[Atom, ...]:
        """The results: the value first."""

    @property
    def callees(self) -> Sequence[Code]:
        """The functions that it defines and calls."""


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

    @property
    def heading(self) -> str:
        """The first line of the listing."""
        return f"Function {self.name}"

    @property
    def variables(self) -> tuple[Var, ...]:
        """The variables of the parameters."""
        return self.params

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
        """None: the tape or the program has them."""
        return ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as the text's signature prints it.

    kind: "positional", "args", "keyword", "kwargs", "positional-only", or `OUTSIDE`.
    default: None where there is none. outside: what it stands for where it is no
    parameter of the text's, but an object from outside that the function writes.
    """

    var: Var
    kind: str = "positional"
    default: Const | None = None
    annotation: str = ""
    outside: Const | None = None
