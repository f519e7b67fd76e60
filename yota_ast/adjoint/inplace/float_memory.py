"""A reverse sweep -> the same, where new memory for adjoints holds floats in any case.

`np.zeros_like(y)` holds whole numbers where y does; and y does where it is made of
numbers alone, `y = np.array([a, b])`, and the text is called with whole ones, as
`f(1, 2)`. Then it is `np.zeros_like(y, float)`. Of arrays that are arguments the text
asks that they hold floats.

In: both sweeps, and whether a function of the text is handed such arrays.  Out: the
reverse sweep.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Outlined,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    map_blocks,
    walk,
)
from yota_ast.ops import info
from yota_ast.ops.dtypes.result_dtypes import of_fact, of_value, surely
from yota_ast.ops.record import FLOAT as FLOATS

FLOAT: Final = Const(float, "float", "builtins")
Sources = Apply | tuple[Atom | Undefined, ...]


def hands_on_numbers(block: Block) -> bool:
    """Whether a function of the text is handed an array that may be made of whole
    numbers where facts say that it holds floats."""
    known = Known(makers_in(block, Block()))
    return any(
        _is_of_doubles(fact_of_end(atom)) and not known.is_floating(atom)
        for op in walk(block)
        if isinstance(op, Apply) and isinstance(op.fn, Outlined)
        for atom in op.args
    )


def _is_of_doubles(known: Fact) -> bool:
    return known.kind == "array" and known.dtype == np.float64


def with_floats(ahead: Block, back: Block, *, whole: bool = False) -> Block:
    """The reverse sweep, the memory of adjoints of floats where what it is like may be
    made of whole numbers; whole: as arrays that are arguments may."""
    likes = [op for op in walk(back) if isinstance(op, Apply) and _is_like(op)]
    if not likes:
        return back
    known = Known(makers_in(ahead, back), whole)
    cut = {op.out.name for op in likes if not known.is_floating(op.args[0])}
    return _with_floats(back, cut) if cut else back


def _is_like(op: Apply) -> bool:
    """Whether an op makes memory for an adjoint, of the type of its argument."""
    of = info(op.fn)
    if of.numbers is None or of.numbers.of != (0,):
        return False
    if op.kwargs or len(op.args) != of.numbers.dtype:
        return False
    if of.fill == "unknown" and of.order != "kept":
        return False
    known = fact_of_end(op.out)
    return known.kind == "array" and known.dtype is not None and known.dtype.kind == "f"


def _with_floats(block: Block, whole: set[str]) -> Block:
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Apply) and op.out.name in whole:
            op = replace(op, args=(*op.args, FLOAT))
        ops.append(map_blocks(op, lambda inner: _with_floats(inner, whole)))
    return Block(tuple(ops))


@dataclass(slots=True)
class Known:
    """What holds floats whatever numbers the arguments are; arrays that are arguments
    do, as the text asks that, but where they are handed on (`whole`)."""

    makers: Mapping[str, Sequence[Sources]]
    whole: bool = False
    floating: dict[str, bool] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    """What is being asked: a loop that goes round to it begins with it."""
    leans: bool = False
    """Whether an answer has been given that rests on one of these."""

    def is_floating(self, atom: Atom | Undefined) -> bool:
        """Whether a value is a float, or holds floats."""
        if isinstance(atom, Undefined):
            return True
        if isinstance(atom, Const):
            return of_value(atom.value)[0] >= FLOATS
        name = atom.name
        if name in self.open:
            self.leans = True
            return True  # of a loop: what it begins with decides
        if name not in self.floating:
            before = len(self.floating)
            self.open.add(name)
            found = self._is_made_of_floats(atom)
            self.open.discard(name)
            if self.leans and not found:  # what rests on it is asked again
                for other in list(self.floating)[before:]:
                    if self.floating[other]:
                        del self.floating[other]
            self.leans = self.leans and bool(self.open)
            self.floating[name] = found
        return self.floating[name]

    def _is_made_of_floats(self, var: Var) -> bool:
        if of_fact(var.fact)[1] < FLOATS:
            return False
        sources = self.makers.get(var.name)
        if sources is None:
            trusted = not self.whole or not _is_of_doubles(var.fact)
            return var.fact.kind == "array" and trusted
        return all(map(self.gives_floats, sources))

    def gives_floats(self, source: Sources) -> bool:
        """Whether an op gives floats, or each of some values is one."""
        if not isinstance(source, Apply):
            return all(map(self.is_floating, source))
        if source.fn is operator.getitem:
            return self._all_items(source.args[0])
        return surely(source, FLOATS, self.is_floating)

    def _all_items(self, whole: Atom) -> bool:
        """Whether each item of a value is a float: of a list one may be whole."""
        for source in self.makers.get(getattr(whole, "name", ""), ()):
            if isinstance(source, Apply) and source.fn in (build_list, build_tuple):
                return all(map(self.is_floating, source.args))
        return self.is_floating(whole)


def makers_in(ahead: Block, back: Block) -> dict[str, list[Sources]]:
    """What the variables of both sweeps are made by: those that a loop of the reverse
    goes over, by what a loop has kept."""
    found: dict[str, list[Sources]] = {}
    kept: dict[str, tuple[Var, ...]] = {}
    for block in (ahead, back):
        for op in walk(block):
            for ends, outs in handed_on(op):
                for out in outs:
                    found.setdefault(out.name, []).append(ends)
            match op:
                case Apply():
                    found.setdefault(op.out.name, []).append(op)
                case Store():
                    found.setdefault(op.out.name, []).append((op.target,))
                case For():
                    if op.stack is None:
                        _hand_over(op, kept, found)
                    else:
                        kept[op.stack.name] = op.saved
                case While():
                    if op.stack is not None:
                        kept[op.stack.name] = op.saved
                case Read() | If() | Raise() | With() | Try():
                    pass
                case _:
                    assert_never(op)
    return found


def _hand_over(
    loop: For, kept: dict[str, tuple[Var, ...]], found: dict[str, list[Sources]]
) -> None:
    """Note what a loop takes out of what another has kept."""
    if not isinstance(loop.iterable, Var):
        return
    for source in found.get(loop.iterable.name, ()):
        stack = source.args[0] if isinstance(source, Apply) and source.args else None
        saved = kept.get(stack.name, ()) if isinstance(stack, Var) else ()
        if len(saved) == len(loop.targets):
            for target, var in zip(loop.targets, saved, strict=True):
                found.setdefault(target.name, []).append((var,))
