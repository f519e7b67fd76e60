"""The cotangent of a size, or a part, of a number -> the same, for real numbers alone.

Python's `(-2.0) ** 0.5` is complex. Where that is seen nothing is to be done: what
follows is complex too, or raises. But `abs(z)` and `z.real` are real again, with other
slopes than those of a real number, and beside what is known for complex `z` is taken
for real, as in `z * 1j`: the text raises there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from yota_ast.adjoint.nonsmooth.nonzero_values import never_negative
from yota_ast.analysis.engine import (
    Analysis,
    Definition,
    Definitions,
    definitions_in,
    inputs_of,
    made_of,
)
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import handed_on, items_of_loop
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    Store,
    While,
    atoms_of,
    walk,
)
from yota_ast.ops.dtypes.complex_powers import (
    carries_complex,
    is_fractional_power,
)
from yota_ast.ops.dtypes.result_dtypes import info_of
from yota_ast.ops.record import COMPLEX
from yota_ast.rules.notation.rule import may_be_complex
from yota_ast.runtime import of_real

_KINDS: Final = ("float", "real", "scalar", "array", "list", "tuple")


class Powers(Analysis[bool]):
    """Which values may be powers of Python's negative numbers, or computed of such.

    made: ops that are no part of the block, as those in the places of helpers.
    """

    bottom = False

    def __init__(self, block: Block, made: Mapping[str, Apply] | None = None) -> None:
        super().__init__(self._definitions)
        self.block = block
        self.added = {} if made is None else made

    @cached_property
    def definitions(self) -> Definitions:
        """What defines the variables of the block."""
        return definitions_in(self.block)

    def _definitions(self, name: str) -> Sequence[Definition]:
        added = self.added.get(name)
        return self.definitions.get(name) or (() if added is None else (added,))

    def _made(self, name: str) -> Apply | None:
        found = self._definitions(name)
        one = found[0] if len(found) == 1 else None
        return one if isinstance(one, Apply) else None

    @cached_property
    def meeting(self) -> frozenset[str]:
        """The powers that a branch, a loop or a container hands on in the place of
        complex numbers: what goes back to them is complex, if they are."""
        powers = {
            op.out.name
            for op in walk(self.block)
            if isinstance(op, Apply) and self._is_power(op)
        }
        if not powers:
            return frozenset()
        mixed = [
            out
            for op in walk(self.block)
            for out in _handed_out(op)
            if may_be_complex(out.fact)
        ]
        behind = made_of(mixed, self.definitions.get, inputs_of)
        return frozenset(v.name for v in behind if v.name in powers)

    def join(self, facts: Iterable[bool]) -> bool:
        """Whether a value that may be each of several may be one."""
        return any(facts)

    def of_const(self, const: Const) -> bool:
        """No literal is one."""
        return False

    def of_outside(self, var: Var) -> bool:
        """What comes from outside is real where its fact says so."""
        return False

    def of_apply(self, op: Apply) -> bool:
        """Whether the result of a call may be one."""
        if not carries_complex(op.fn):
            return False
        return self._is_power(op) or any(map(self.of, op.args))

    def of_loop(self, loop: For | While, var: Var) -> bool:
        """Whether an item of what a loop goes over may be one."""
        return any(map(self.of, atoms_of(loop)))

    def stated(self, var: Var) -> bool | None:
        """What is no number, or known to be complex, counts as none."""
        counts = var.fact.kind in _KINDS and not var.fact.is_complex
        return None if counts else False

    def _is_power(self, op: Apply) -> bool:
        base = is_fractional_power(op) and not op.out.fact.is_complex
        return base and not never_negative(op.args[0], self._made)


def for_real_powers(
    builder: Builder, op: Apply, dy: Atom, powers: Powers, *, back: bool = False
) -> Atom:
    """The cotangent of an op, by way of a check where its operand may be complex; and
    going back, where its result is handed on among complex numbers."""
    checked: list[Atom] = []
    if back and op.out.name in powers.meeting:
        checked.append(op.out)
    if _takes_complex(op.fn) or op.out.fact.is_complex:
        checked += [a for a in op.args if powers.of(a)]
    for given in checked:
        dy = builder.apply(of_real, dy, given, fact=_fact(dy))
    return dy


def _fact(dy: Atom) -> Fact | None:
    return dy.fact if isinstance(dy, Var) else None


def _takes_complex(fn: object) -> bool:
    """Whether a function takes complex numbers for what they are, and gives real ones;
    or they are its subject."""
    known = info_of(fn)
    sizes = known is not None and known.most < COMPLEX and known.of != ()
    return sizes or fn in (np.conjugate, complex)


def _handed_out(op: Op) -> Iterator[Var]:
    """What an op hands on as it is: branches, loops, and writes."""
    if isinstance(op, Store):
        yield op.out
    yield from items_of_loop(op)
    for _, outs in handed_on(op):
        yield from outs
