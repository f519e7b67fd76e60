"""Variables of a reverse sweep -> whether they are numbers, or arrays.

An adjoint that nothing has been added to is 0.0, whatever the shape of its variable,
and stays a number through sums with others of its kind. Such a number is spread by
what is added to it; it has no elements to add to: `Unspread`.

`d += e` gives a number another value, and leaves the old one to whoever else reads it.
But a seed may be an array without axes, and some functions give one for a number, which
`d += e` writes into: what else is that array changes too. Sums and products of such
arrays are numbers again: `SureNumbers`.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import Fact, fact_of
>>> from yota_ast.ir.builder import Builder, Names
>>> builder = Builder(lambda fn, args, kwargs: Fact("real"), Names())
>>> zero = builder.apply(operator.add, Const(0.0), Const(0.0))
>>> zero in Unspread(builder.block())
True
>>> builder = Builder(lambda fn, args, kwargs: fact_of(1.0), Names())
>>> given = builder.apply(np.full_like, Const(1.0), Const(2.0))
>>> total = builder.apply(operator.add, given, Const(0.0))
>>> sure = SureNumbers(builder.block())
>>> sure.of(given), sure.of(total)
(False, True)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from yota_ast.adjoint.inplace.writable_targets import is_surely_array
from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.analysis.engine import Analysis, defined_in
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Store
from yota_ast.ops.arithmetic_costs import gives_number


class Unspread(Analysis[bool]):
    """Whether a value may be a number where an array is meant."""

    bottom = False

    def __init__(self, *blocks: Block) -> None:
        super().__init__(defined_in(*blocks))

    def __contains__(self, var: Var) -> bool:
        return self.of(var)

    def join(self, facts: Iterable[bool]) -> bool:
        """Return whether any of several values may be a number."""
        return any(facts)

    def of_const(self, const: Const) -> bool:
        """Return whether a literal is a number."""
        return fact(const).is_scalar

    def of_outside(self, var: Var) -> bool:
        """Return that what is not a number as facts say is none."""
        return False

    def of_apply(self, op: Apply) -> bool:
        """Return whether a call of numbers alone may give one."""
        numbers = bool(op.args) and all(map(self.of, op.args))
        return numbers and not is_surely_array(op.out, {op.out.name: op})

    def of_store(self, op: Store) -> bool:
        """Return that what has been written is an array."""
        return False

    def stated(self, var: Var) -> bool | None:
        """Return what facts say."""
        if var.fact.is_scalar:
            return True
        return False if is_surely_array(var, {}) else None


class SureNumbers(Analysis[bool]):
    """Whether a value is surely a number, and no array without axes."""

    bottom = True

    def __init__(self, *blocks: Block) -> None:
        super().__init__(defined_in(*blocks))

    def join(self, facts: Iterable[bool]) -> bool:
        """Return whether each of several values is a number."""
        return all(facts)

    def of_const(self, const: Const) -> bool:
        """Return whether a literal is a number."""
        return isinstance(const.value, (int, float, complex))

    def of_outside(self, var: Var) -> bool:
        """Return that an argument may be an array."""
        return False

    def of_apply(self, op: Apply) -> bool:
        """Return whether a call gives a number whatever it is given for numbers."""
        if not op.out.fact.is_scalar:
            return False
        if op.fn is operator.getitem:  # an element of an array, not of a list
            return fact(op.args[0]).kind == "array" and fact(op.args[1]).kind == "int"
        return gives_number(op.fn)

    def of_store(self, op: Store) -> bool:
        """Return that what has been written is an array."""
        return False
