"""Whole numbers in what Numba compiles: 64 bits there, in Python as many as it takes.

The text computes as Python does. So products that may leave 64 bits are refused within
such functions: powers, shifts, and what is multiplied again and again, as a factorial
or a hash is. An index `i * n + j` is one product of numbers that count something.
Numbers of fewer bits, which Numba makes 64 of and NumPy does not, are refused too.

In: the operands of an operator.  Out: its result, or a refusal.

>>> is_large(2**40), is_large(3)
(True, False)
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.integer_growth import grown
from yota_ast.frontend.calls.outlining import Outline
from yota_ast.frontend.heap.lowered_values import Node, Value, is_literal_value
from yota_ast.frontend.library.effectful_iterators import Piecemeal
from yota_ast.frontend.source.numba_functions import number_of
from yota_ast.ir.abstract_values import element_of
from yota_ast.ir.atoms import LASTING, Const, Var
from yota_ast.ir.nodes import Carry
from yota_ast.ops import info
from yota_ast.ops.algebra import COMPUTING, GROWING, operated

_BITS: Final = 63


def is_large(number: int) -> bool:
    """Whether a number is none that counts something."""
    return abs(number) >= 2**31


class Machine(Piecemeal):
    """Operators on whole numbers."""

    def operate(
        self, fn: Callable[..., object], *operands: Value, form: Any = "operator"
    ) -> Value:
        """An operator applied to values."""
        arithmetic = operated(fn) if self.compiled else "none"
        if arithmetic not in COMPUTING or not self.is_compiled_here():
            return super().operate(fn, *operands, form=form)
        self.check_narrow(operands)
        if not all(map(self.is_whole, operands)):
            return super().operate(fn, *operands, form=form)
        grown = any(map(self.has_grown, operands))
        self.check_product(fn, operands, grown=grown)
        result = super().operate(fn, *operands, form=form)
        self.check_known(result)
        if isinstance(result, Var) and (arithmetic in GROWING or grown):
            self.multiplied.add(result.name)
        return result

    def load_global(self, name: str) -> Value:
        """A name of the function's module: Numba keeps what it stands for."""
        return self.kept_by_numba(super().load_global(name))

    def load_cell(self, name: str, cell: Any) -> Value:
        """A variable of the function around: Numba keeps what it stands for."""
        return self.kept_by_numba(super().load_cell(name, cell))

    def attribute(self, owner: Value, name: str) -> Value:
        """What stands in another module: Numba keeps that, too."""
        found = super().attribute(owner, name)
        of_module = isinstance(owner, Const) and isinstance(
            owner.value, types.ModuleType
        )
        return self.kept_by_numba(found) if of_module else found

    def kept_by_numba(self, found: Value) -> Value:
        """A number as it is now, within a function that is compiled, and an array as
        one that the text does not read anew."""
        if not self.compiled or not isinstance(found, Const):
            return found
        if found.home in LASTING or not self.is_compiled_here():
            return found
        value = number_of(found.value)
        if is_literal_value(value):
            return Const(value)
        return replace(found, home="") if isinstance(value, np.ndarray) else found

    def is_compiled_here(self) -> bool:
        """Whether lowering is within a function that Numba compiles."""
        return any(call.code in self.compiled for call in self.calls)

    def check_known(self, result: Value) -> None:
        """Refuse a number that is known and does not fit."""
        value = result.value if isinstance(result, Const) else None
        if type(value) is int and value.bit_length() > _BITS:
            self.refuse_wide()

    def check_narrow(self, operands: tuple[Value, ...]) -> None:
        """Refuse numbers of fewer bits, and those without a sign; floats of fewer bits,
        and arrays of any, beside a number of Python's, which makes 64 bits of them in
        Numba."""
        plain = any(self.is_whole(v) or self.is_number(v) for v in operands)
        for each in operands:
            known = self.fact(each) if isinstance(each, Var) else None
            dtype = None if known is None else known.dtype
            if known is None or dtype is None or dtype.kind not in "fiu":
                continue
            narrow = dtype.itemsize < 8 or dtype.kind == "u"
            if narrow and (plain or (known.is_scalar and dtype.kind != "f")):
                self.refuse(
                    f"Numba computes with 64 bits where NumPy has {dtype}",
                    "Convert it with float(...) first, or call the function's"
                    " `py_func`.",
                )

    def check_product(
        self, fn: Callable[..., object], operands: tuple[Value, ...], *, grown: bool
    ) -> None:
        """Refuse what may be more than 64 bits hold, or a fraction."""
        if operated(fn) not in GROWING:
            return
        last = operands[-1]
        known = last.value if isinstance(last, Const) else None
        if all(isinstance(v, Const) for v in operands):
            if fn is operator.mul or 0 <= known < _BITS // 2:  # type: ignore[operator]
                return  # how long it is is seen by its value
        elif fn is operator.mul or (fn is operator.pow and known in (0, 1, 2)):
            if not grown:
                return
        self.refuse_wide()

    def is_whole(self, value: Value) -> bool:
        """Whether a value is a whole number."""
        if isinstance(value, Const):
            return type(value.value) is int
        return isinstance(value, Var) and self.fact(value).kind == "int"

    def holds_whole(self, var: Var) -> bool:
        """Whether a variable is a whole number, or a list of some."""
        known = self.fact(var)
        listed = known.kind in ("list", "tuple")
        return (element_of(known) if listed else known).kind == "int"

    def has_grown(self, value: Value) -> bool:
        """Whether a whole number is a product, or may be one of many factors."""
        if isinstance(value, Const):
            return is_large(value.value)  # type: ignore[arg-type]
        return isinstance(value, Var) and value.name in self.multiplied

    def refuse_wide(self) -> NoReturn:
        """Refuse whole numbers that may not fit into 64 bits."""
        self.refuse(
            "an integer may need more than Numba's 64 bits, or become a fraction",
            "Compute with floats there, or call the function's `py_func`.",
        )

    def folded(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[tuple[str, Value]]
    ) -> Value | None:
        """What a call of known numbers gives, `pow(3, 60)`."""
        result = super().folded(fn, args, kwargs)
        if result is not None and self.compiled and self.is_compiled_here():
            self.check_known(result)
        return result

    def primitive(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
        *,
        effect: bool = False,
    ) -> Value:
        """A call that stays one op: `pow(2, n)` is none of those that are seen through,
        nor is what multiplies many numbers."""
        result = super().primitive(function, args, kwargs, effect=effect)
        if not self.compiled or not args or not all(map(self.is_whole, args)):
            return result
        may_be_whole = self.fact(result).kind in ("int", "real", "unknown")
        bounded = info(function.value).bounded
        if may_be_whole and not bounded and self.is_compiled_here():
            self.refuse_wide()
        return result

    def loop(
        self, stmt: Node, enter: Callable[[], Any], after: frozenset[str]
    ) -> tuple[Any, tuple[Carry, ...]]:
        """A loop that carries no whole number which grows faster than it counts."""
        done, carries = super().loop(stmt, enter, after)  # type: ignore[misc]
        if self.compiled and self.is_compiled_here():
            whole = [c for c in carries if self.holds_whole(c.inside)]
            if grown(done.ops, whole):
                self.refuse_wide()
        return done, carries

    def call_outlined(self, outline: Outline, given: Mapping[str, Value]) -> Value:
        """The op that calls a function of the tape; a number that one gives that calls
        itself may have been multiplied in each call."""
        result = super().call_outlined(outline, given)
        if self.compiled and isinstance(result, Var) and self.is_whole(result):
            self.multiplied.add(result.name)
        return result
