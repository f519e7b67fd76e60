"""Blocks -> which of their values are floats, or hold floats, for sure.

All that may hold whole numbers has no slope there: an array of whole numbers keeps the
whole part of what is stored in it, and generated code that was made with floats may be
given bytes, of which `-u` is not the number with the other sign. Three questions differ
in what is trusted beside what values are made of:

- `Floats`: nothing. The arguments of another call may be whole numbers.
- `FloatsByFacts`: facts, where they say what a value holds.
- `FloatsInAnyCall`: that arrays among the arguments hold floats, which generated code
  checks at its entry. Numbers may be whole.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import FLOAT as NUMBER, UNKNOWN
>>> u, half, more = Var("u", NUMBER), Var("h", NUMBER), Var("m", NUMBER)
>>> floats = floats_of_ops(
...     {
...         "h": Apply(half, operator.truediv, (u, Const(2))),
...         "m": Apply(more, operator.add, (u, Const(2))),
...     }
... )
>>> floats.of(half), floats.of(more)
(True, False)
>>> x, c, y = Var("x", NUMBER), Var("c", UNKNOWN), Var("y", UNKNOWN)
>>> store = Store(y, c, Const(0), x)
>>> made = Apply(c, np.random.permutation, (Const(4),))
>>> FloatsByFacts(Block((made, store))).may_cut(store)
True
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

import numpy as np

from yota_ast.analysis.engine import Analysis, DefinedBy, defined_in
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply, Block, Store
from yota_ast.ops.dtypes.result_dtypes import of_fact, of_value, surely
from yota_ast.ops.record import FLOAT


class Floats(Analysis[bool]):
    """Whether a value is a float, or holds floats, whatever the arguments hold."""

    bottom = True

    def join(self, facts: Iterable[bool]) -> bool:
        """Return whether each of several values holds floats."""
        return all(facts)

    def of_const(self, const: Const) -> bool:
        """Return whether a literal holds floats."""
        return of_value(const.value)[0] >= FLOAT

    def of_outside(self, var: Var) -> bool:
        """Return whether an argument holds floats."""
        return False

    def of_apply(self, op: Apply) -> bool:
        """Return whether a call gives floats; of a list an item may be whole."""
        if op.fn is operator.getitem and isinstance(op.args[0], Var):
            for made in self.defined_by(op.args[0].name) or ():
                if isinstance(made, Apply) and made.fn in (build_list, build_tuple):
                    return all(map(self.of, made.args))
        return surely(op, FLOAT, self.of)

    def of_store(self, op: Store) -> bool:
        """Return whether an array that was written holds floats: as it did before."""
        return self.of(op.target)


def floats_of_ops(made: Mapping[str, Apply]) -> Floats:
    """Return the analysis of what some ops make, by the names of their results."""
    return Floats(_defined_by(made))


def floats_in_any_call(made: Mapping[str, Apply]) -> FloatsInAnyCall:
    """Return the analysis of what some ops make of arrays that are checked."""
    return FloatsInAnyCall(_defined_by(made))


def _defined_by(made: Mapping[str, Apply]) -> DefinedBy:
    def defined_by(name: str) -> tuple[Apply, ...]:
        op = made.get(name)
        return () if op is None else (op,)

    return defined_by


class FloatsByFacts(Floats):
    """Whether the values of a block hold floats in this call."""

    def __init__(self, block: Block) -> None:
        super().__init__(defined_in(block))

    def stated(self, var: Var) -> bool | None:
        """Return what facts say."""
        least, most = of_fact(var.fact)
        return least >= FLOAT if least >= FLOAT or most < FLOAT else None

    def may_cut(self, op: Store) -> bool:
        """Return whether an array may hold whole numbers, and gets floats."""
        known = op.target.fact
        if known.kind not in ("array", "real", "unknown") or known.dtype is not None:
            return False
        return not self.of(op.target)


class FloatsInAnyCall(Floats):
    """Whether values hold floats whatever numbers the arguments are.

    handed_on: whether arrays among the arguments may be made of whole numbers, for
    another function of the program hands them on.
    """

    def __init__(self, defined_by: DefinedBy, *, handed_on: bool = False) -> None:
        super().__init__(defined_by)
        self.handed_on = handed_on

    def stated(self, var: Var) -> bool | None:
        """Return that what holds whole numbers in the example is not trusted."""
        return False if of_fact(var.fact)[1] < FLOAT else None

    def of_outside(self, var: Var) -> bool:
        """Return whether an argument is an array, which is checked to hold floats."""
        checked = not self.handed_on or not is_of_doubles(var.fact)
        return var.fact.kind == "array" and checked


def is_of_doubles(known: Fact) -> bool:
    """Return whether a value is an array of doubles, as far as facts say."""
    return known.kind == "array" and known.dtype == np.float64
