"""A tape -> its listing, as Yota prints it: one numbered line an op.

>>> from yota_ast.ir.abstract_values import FLOAT, array_fact
>>> from yota_ast.ir.functions import Parameter
>>> from yota_ast.ir.tape import Tape
>>> x, y, z = Var("x", array_fact("f8", (None,))), Var("y"), Var("z", FLOAT)
>>> ops = (Apply(y, np.exp, (x,)), Apply(z, np.sum, (y,), form="method"))
>>> print(listing(Tape("f", (Parameter(x),), Block(ops), z)))
Tape
  inp %1::ndarray[float64, 1]
  %2 = exp(%1)
  %3 = sum(%2)::float
  result %3

Loops name what they carry where they start, say what the next iteration gets for it
where the body ends, and what holds after the loop where they end:

    for %4 in %3 carrying %5 = %1:
      %6 = mul(2.0, %5)::ndarray[float64, 1]
      next %5 = %6
    %7 = %5 after the loop::ndarray[float64, 1]
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import NamedTuple, assert_never

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.built_values import BUILDERS
from yota_ast.ir.functions import Code
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
)
from yota_ast.ir.store_changes import (
    AppendItem,
    Change,
    Put,
    RemoveLast,
    SharedView,
    Update,
)
from yota_ast.ops.spellings import SIGN_OF
from yota_ast.support.escaping import terminal_line
from yota_ast.syntax.names import shown_name
from yota_ast.syntax.value_literals import literal_text, shown_text
from yota_ast.syntax.value_paths import path_text

_INDENT = "  "


class Row(NamedTuple):
    """A line of a listing, and the op that it shows, if it is one."""

    text: str
    op: Op | None = None


def listing(tape: Code) -> str:
    """The lines of a tape or of a program, without a line end at the end.

    The functions that it calls follow, each with numbers of its own.
    """
    return "\n".join(row.text for row in rows(tape))


def rows(tape: Code) -> Iterator[Row]:
    """The same lines, each with the op that it shows."""
    for each in (tape, *tape.callees):
        for row in _Lister().lines(each):
            yield Row(terminal_line(row.text), row.op)


def function_name(fn: Callable[..., object], spelling: str = "") -> str:
    """By what name a listing calls a function."""
    name = getattr(fn, "__name__", "")
    if fn in BUILDERS:
        return name.removeprefix("build_")
    return name or spelling or type(fn).__name__


def change_text(change: Change) -> str:
    """How a listing says what a store does.

    >>> import operator
    >>> change_text(Update(operator.add)), change_text(Update(operator.add, True))
    ('+', '+at')
    """
    match change:
        case Put():
            return ""
        case Update():
            return SIGN_OF[change.fn] + ("at" if change.repeats else "")
        case AppendItem():
            return "append"
        case RemoveLast():
            return "pop"
        case SharedView():
            return "view"
        case _:
            assert_never(change)


class _Lister:
    """Numbers variables in the order in which their lines come."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._constants: dict[Const, int] = {}
        self._count = 0

    def lines(self, tape: Code) -> Iterator[Row]:
        yield from (r if isinstance(r, Row) else Row(r) for r in self._lines(tape))

    def _lines(self, tape: Code) -> Iterator[Row | str]:
        yield tape.heading
        for var in tape.variables:
            yield f"{_INDENT}inp {self._new(var)}{_fact(var)}"
        for k, block in enumerate(tape.sweeps):
            if k:
                yield _INDENT + "reverse"
            yield from self._top(block)
        yield from self._last(tape.returned)

    def _last(self, atoms: tuple[Atom, ...]) -> Iterator[str]:
        for atom in atoms:
            yield from self._new_constants(atom)
        yield f"{_INDENT}result {', '.join(map(self._atom, atoms))}"

    # ------------------------------------------------------------ blocks

    def _top(self, block: Block) -> Iterator[Row | str]:
        for op in block:
            yield from self._constants_of(op)
            yield from self._indented(op)

    def _body(self, block: Block) -> Iterator[Row]:
        for op in block:
            yield from self._indented(op)

    def _indented(self, op: Op) -> Iterator[Row]:
        for line in self._op(op):
            text, inner = line if isinstance(line, Row) else (line, op)
            yield Row(_INDENT + text, inner)

    def _constants_of(self, op: Op) -> Iterator[str]:
        """Lines for the constants that an op, or its blocks, are the first to need.

        They stand outside, where all that follows can refer to them.
        """
        for atom in (*atoms_of(op), *_inner_atoms(op)):
            yield from self._new_constants(atom)
        for block in blocks_of(op):
            for inner in block:
                yield from self._constants_of(inner)

    def _new_constants(self, atom: Atom) -> Iterator[str]:
        if (
            isinstance(atom, Const)
            and not _inline(atom)
            and atom not in self._constants
        ):
            self._count += 1
            self._constants[atom] = self._count
            yield f"{_INDENT}const %{self._count} = {_constant_text(atom)}"

    # ------------------------------------------------------------ ops

    def _op(self, op: Op) -> Iterator[Row | str]:
        match op:
            case Apply():
                named = (f"{name}={self._atom(atom)}" for name, atom in op.kwargs)
                inside = ", ".join([*map(self._atom, op.args), *named])
                name = function_name(op.fn, op.spelling)
                yield f"{self._new(op.out)} = {name}({inside}){_fact(op.out)}"
            case Read():
                text = path_text(op.root.name, op.path)
                yield f"{self._new(op.out)} = {text}{_fact(op.out)}"
            case Store():
                sign = change_text(op.change)
                value = (f"{sign}= " if sign else "") + self._atom(op.value)
                inside = f"{self._atom(op.target)}, {self._atom(op.index)}, {value}"
                yield f"{self._new(op.out)} = set({inside}){_fact(op.out)}"
            case If():
                yield from self._if(op)
            case Raise():
                yield f"raise {self._atom(op.exc)}"
            case With():
                yield f"with {self._atom(op.context)}:"
                yield from self._body(op.body)
            case Try():
                yield from self._try(op)
            case For() | While():
                yield from self._loop(op)
            case _:
                assert_never(op)

    def _if(self, op: If) -> Iterator[Row | str]:
        test = self._atom(op.test)
        yield f"if {test}:"
        yield from self._body(op.then)
        if op.orelse.ops:
            yield "else:"
            yield from self._body(op.orelse)
        for merge in op.merges:
            then, orelse = self._atom(merge.then), self._atom(merge.orelse)
            out = self._new(merge.out)
            yield f"{out} = {then} if {test} else {orelse}{_fact(merge.out)}"

    def _try(self, op: Try) -> Iterator[Row | str]:
        yield "try:"
        yield from self._body(op.body)
        error = self._new(op.error)
        yield f"except {self._atom(op.caught)} as {error}:"
        yield from self._body(op.handler)
        if op.orelse.ops:
            yield "else:"
            yield from self._body(op.orelse)
        for merge in op.merges:
            then, orelse = self._atom(merge.then), self._atom(merge.orelse)
            out = self._new(merge.out)
            yield f"{out} = {orelse} if {error} else {then}{_fact(merge.out)}"

    def _loop(self, op: For | While) -> Iterator[Row | str]:
        yield self._head(op) + ":"
        if isinstance(op, While):
            yield from self._body(op.cond)
            yield f"{_INDENT}test {self._atom(op.test)}"
        yield from self._body(op.body)
        if op.stack is not None:
            yield f"{_INDENT}save {', '.join(map(self._atom, op.saved))}"
        for carry in op.carries:
            inside, following = self._atom(carry.inside), self._atom(carry.next)
            yield f"{_INDENT}next {inside} = {following}"
        if op.stop is not None:
            yield f"{_INDENT}break if {self._atom(op.stop)}"
        for carry in op.carries:
            inside = self._atom(carry.inside)
            out = self._new(carry.out)
            yield f"{out} = {inside} after the loop{_fact(carry.out)}"

    def _head(self, op: For | While) -> str:
        head = "while"
        if isinstance(op, For):
            iterable = self._atom(op.iterable)
            targets = ", ".join(map(self._new, op.targets))
            head = f"for {targets} in {iterable}"
        if op.carries:
            head += " carrying " + ", ".join(map(self._start, op.carries))
        return head if op.stack is None else f"{head} saving on {self._new(op.stack)}"

    def _start(self, carry: Carry) -> str:
        init = self._atom(carry.init)
        return f"{self._new(carry.inside)} = {init}"

    # ------------------------------------------------------------ atoms

    def _new(self, var: Var) -> str:
        self._count += 1
        self._numbers[var.name] = self._count
        return f"%{self._count}"

    def _atom(self, atom: Atom | Undefined) -> str:
        if isinstance(atom, Var):
            # What is defined nowhere is shown by name: listings serve to find that.
            number = self._numbers.get(atom.name)
            return f"?{atom.name}" if number is None else f"%{number}"
        if isinstance(atom, Const):
            if atom in self._constants:
                return f"%{self._constants[atom]}"
            return _constant_text(atom)
        return repr(atom)


def _fact(var: Var) -> str:
    return "" if var.fact.kind == "unknown" else f"::{var.fact}"


def _inner_atoms(op: Op) -> tuple[Atom, ...]:
    """The atoms that an op reads where its blocks end."""
    return tuple(a for a in ends_of(op) if not isinstance(a, Undefined))


def _inline(const: Const) -> bool:
    """Whether a constant is shown where it is used: literals, and what holds them."""
    return const.text is None and _is_literal(const.value)


def _is_literal(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_literal, value))
    if isinstance(value, slice):
        return all(map(_is_literal, (value.start, value.stop, value.step)))
    plain = (bool, int, float, complex, str, bytes, np.generic)
    return value is None or value is Ellipsis or isinstance(value, plain)


def _constant_text(const: Const) -> str:
    text = const.text
    return shown_text(text) if text is not None else _value_text(const.value)


def _value_text(value: object) -> str:
    if isinstance(value, slice):
        ends = [value.start, value.stop, *([] if value.step is None else [value.step])]
        return ":".join("" if end is None else _value_text(end) for end in ends)
    if type(value) is tuple:
        items = ", ".join(map(_value_text, value))
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, np.generic) and type(value) is value.dtype.type:
        return repr(value)
    if isinstance(value, types.ModuleType) or callable(value):
        return shown_name(getattr(value, "__name__", type(value).__name__))
    if isinstance(value, np.ndarray):
        return f"ndarray[{value.dtype}, {value.ndim}]"
    # No repr: the user's own may be long, or raise.
    text = repr(value) if type(value) is float else literal_text(value)
    return shown_name(type(value).__name__) if text is None else text
