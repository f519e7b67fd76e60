"""A comparison -> the arguments that it is about, without those that are tolerances.

A tolerance says when a loop is near enough to its end. It is compared with an error:
the size of something, or the distance of two values that the loop carries.

>>> x, tol, size, test = Var("x"), Var("tol"), Var("t1"), Var("t2")
>>> ops = Apply(size, abs, (x,)), Apply(test, operator.gt, (size, tol))
>>> errors = Errors.of(Block(ops))
>>> errors.weighed(ops[1], {"t1": 0b01, "tol": 0b10}.get)
1
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Container, Mapping

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import carries_of, merges_of
from yota_ast.ir.nodes import Apply, Block, Carry, walk
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS

_DEEPEST = 8


def decides(op: Apply) -> bool:
    """Return whether the result of an op jumps where its arguments do not."""
    if info(op.fn).steps or info(op.fn).jumps:
        return True
    return _is_whole(op.out.fact) and any(
        isinstance(a, Var) and a.fact.holds_floats for a in op.args[:1]
    ) and getattr(op.fn, "__name__", "") in ("astype", "asarray", "array")  # fmt: skip


def _is_whole(fact: Fact) -> bool:
    return fact.dtype is not None and fact.dtype.kind in "iu"


@dataclass(frozen=True, slots=True)
class Errors:
    """How variables were made, as far as it tells what is an error.

    made: the op by the name of its result. ends: what merges and loops hand on.
    carried: what loops carry, at the beginning and at the end of an iteration.
    """

    made: Mapping[str, Apply]
    ends: Mapping[str, tuple[object, ...]]
    carried: frozenset[str]

    @staticmethod
    def of(block: Block, *also: Var) -> Errors:
        """Those of a block; also: what is carried besides, by calls."""
        made, ends = dict[str, Apply](), dict[str, tuple[object, ...]]()
        carried = {v.name for v in also}
        for op in walk(block):
            if isinstance(op, Apply):
                made[op.out.name] = op
                continue
            ends.update((m.out.name, (m.then, m.orelse)) for m in merges_of(op))
            for c in carries_of(op):
                ends[c.inside.name] = ends[c.out.name] = (c.next,)
                both = (c.inside, c.next)
                carried |= {a.name for a in both if isinstance(a, Var)}
        return Errors(made, ends, frozenset(carried))

    def sides(self, op: Apply) -> tuple[Atom, ...]:
        """Return what an op compares: of `a - b > 0` the two, a and b."""
        left, *right = op.args
        made = self.made.get(left.name) if isinstance(left, Var) else None
        if made is not None and info(made.fn).arithmetic == "difference":
            if len(right) == 1 and isinstance(right[0], Const):
                return made.args
        return op.args

    def weighed(self, op: Apply, smooth: Callable[[str], int | None]) -> int:
        """Return the arguments that an op compares; smooth: those of its operands."""
        args = self.sides(op)
        sides = [smooth(a.name) or 0 if isinstance(a, Var) else 0 for a in args]
        if len(sides) != 2:
            return functools.reduce(operator.or_, sides, 0)
        left, right = sides
        if self.is_error(args[0]):
            right &= left
        elif self.is_error(args[1]):
            left &= right
        return left | right

    def is_counter(self, carry: Carry, own: Container[str]) -> bool:
        """Return whether a loop adds the same to what it carries in every iteration.

        own: the variables that are defined within the loop.
        """
        op = self.made.get(carry.next.name) if isinstance(carry.next, Var) else None
        if op is None or not _adds(op) or carry.inside not in op.args:
            return False
        return any(isinstance(a, Const) or a.name not in own for a in op.args)

    def is_error(self, atom: object, depth: int = _DEEPEST) -> bool:
        """Return whether a value is the error of an iteration."""
        if not isinstance(atom, Var) or depth == 0:
            return False
        op = self.made.get(atom.name)
        if op is None:
            ends = self.ends.get(atom.name, ())
            return any(self.is_error(a, depth - 1) for a in ends)
        operands = [a for a in op.args if isinstance(a, Var)]
        known = info(op.fn)
        if known.size:
            return not all(self._counts(a) for a in operands)
        if known.arithmetic == "difference":
            return len(operands) == 2 and all(a.name in self.carried for a in operands)
        if self._is_square(op):
            return self._is_difference(op.args[0], depth - 1)
        if known.arithmetic == "quotient":
            operands = operands[:1]
        return bool(operands) and any(self.is_error(a, depth - 1) for a in operands)

    def _counts(self, atom: Var) -> bool:
        """Return whether a value is carried by a loop that adds a number to it."""
        ends = self.ends.get(atom.name, ())
        op = self.made.get(ends[0].name) if ends and isinstance(ends[0], Var) else None
        return op is not None and _adds(op) and atom in op.args

    def _is_square(self, op: Apply) -> bool:
        known = info(op.fn)
        if known.arithmetic == "power":
            exponent = op.args[1].value if isinstance(op.args[1], Const) else None
            return type(exponent) in (int, float) and exponent in (2, 4)
        product = known.arithmetic.endswith("product") and op.args[:1] == op.args[-1:]
        return product or known.exponent == 2

    def _is_difference(
        self, atom: object, depth: int, met: frozenset[str] = frozenset()
    ) -> bool:
        """Return whether a value is the difference of two, or a step between them; met:
        what it was handed on from, which moves by a difference and is none."""
        if not isinstance(atom, Var) or depth == 0:
            return False
        op = self.made.get(atom.name)
        if op is None:
            ends = self.ends.get(atom.name, ())
            met |= {atom.name}
            return any(self._is_difference(a, depth - 1, met) for a in ends)
        if any(isinstance(a, Var) and a.name in met for a in op.args):
            return False
        arithmetic = info(op.fn).arithmetic
        if arithmetic == "quotient":  # the step of Newton's method
            return isinstance(op.args[1], Var)
        return arithmetic in ("difference", "matrix product")


def _adds(op: Apply) -> bool:
    return info(op.fn).arithmetic in TERMS
