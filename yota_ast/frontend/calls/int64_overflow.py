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
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.outline_records import Outline
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import Node, Value, is_literal_value
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.source.numba_functions import number_of
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import LASTING, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import Carry
from yota_ast.ops import info
from yota_ast.ops.algebra import COMPUTING, GROWING, operated
from yota_ast.ops.dtypes.integer_growth import grown

_BITS: Final = 63


def is_large(number: int) -> bool:
    """Whether a number is none that counts something."""
    return abs(number) >= 2**31


class Int64Overflow(Component):
    """Operators on whole numbers."""

    position = uses(Position)
    notes = uses(Notes)
    operations = uses(Operations)
    kinds = uses(ValueKinds)
    inlining = uses(Inlining)

    @extends(Language.operate)
    def operate(
        self,
        rest: Callable[..., Value],
        fn: Callable[..., object],
        *operands: Value,
        form: Any = "operator",
    ) -> Value:
        """An operator applied to values."""
        arithmetic = operated(fn) if self.inlining.compiled else "none"
        if arithmetic not in COMPUTING or not self.is_compiled_here():
            return rest(fn, *operands, form=form)
        self.check_narrow(operands)
        if not all(map(self.is_whole, operands)):
            return rest(fn, *operands, form=form)
        grown = any(map(self.has_grown, operands))
        self.check_product(fn, operands, grown=grown)
        result = rest(fn, *operands, form=form)
        self.check_known(result)
        if isinstance(result, Var) and (arithmetic in GROWING or grown):
            self.notes.multiplied.add(result.name)
        return result

    @extends(NameLookup.load_global)
    def load_global(self, rest: Callable[..., Value], name: str) -> Value:
        """A name of the function's module: Numba keeps what it stands for."""
        return self.kept_by_numba(rest(name))

    @extends(NameLookup.load_cell)
    def load_cell(self, rest: Callable[..., Value], name: str, cell: Any) -> Value:
        """A variable of the function around: Numba keeps what it stands for."""
        return self.kept_by_numba(rest(name, cell))

    @extends(Language.attribute)
    def attribute(self, rest: Callable[..., Value], owner: Value, name: str) -> Value:
        """What stands in another module: Numba keeps that, too."""
        found = rest(owner, name)
        of_module = isinstance(owner, Const) and isinstance(
            owner.value, types.ModuleType
        )
        return self.kept_by_numba(found) if of_module else found

    def kept_by_numba(self, found: Value) -> Value:
        """A number as it is now, within a function that is compiled, and an array as
        one that the text does not read anew."""
        if not self.inlining.compiled or not isinstance(found, Const):
            return found
        if found.home in LASTING or not self.is_compiled_here():
            return found
        value = number_of(found.value)
        if is_literal_value(value):
            return Const(value)
        return replace(found, home="") if isinstance(value, np.ndarray) else found

    def is_compiled_here(self) -> bool:
        """Whether lowering is within a function that Numba compiles."""
        return any(call.code in self.inlining.compiled for call in self.position.calls)

    def check_known(self, result: Value) -> None:
        """Refuse a number that is known and does not fit."""
        value = result.value if isinstance(result, Const) else None
        if type(value) is int and value.bit_length() > _BITS:
            self.refuse_wide()

    def check_narrow(self, operands: tuple[Value, ...]) -> None:
        """Refuse numbers of fewer bits, and those without a sign; floats of fewer bits,
        and arrays of any, beside a number of Python's, which makes 64 bits of them in
        Numba."""
        plain = any(self.is_whole(v) or self.kinds.is_number(v) for v in operands)
        for each in operands:
            known = self.operations.fact(each) if isinstance(each, Var) else None
            dtype = None if known is None else known.dtype
            if known is None or dtype is None or dtype.kind not in "fiu":
                continue
            narrow = dtype.itemsize < 8 or dtype.kind == "u"
            if narrow and (plain or (known.is_scalar and dtype.kind != "f")):
                self.position.refuse(
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
        return isinstance(value, Var) and self.operations.fact(value).kind == "int"

    def holds_whole(self, var: Var) -> bool:
        """Whether a variable is a whole number, or a list of some."""
        known = self.operations.fact(var)
        listed = known.kind in ("list", "tuple")
        return (element_of(known) if listed else known).kind == "int"

    def has_grown(self, value: Value) -> bool:
        """Whether a whole number is a product, or may be one of many factors."""
        if isinstance(value, Const):
            return is_large(value.value)  # type: ignore[arg-type]
        return isinstance(value, Var) and value.name in self.notes.multiplied

    def refuse_wide(self) -> NoReturn:
        """Refuse whole numbers that may not fit into 64 bits."""
        self.position.refuse(
            "an integer may need more than Numba's 64 bits, or become a fraction",
            "Compute with floats there, or call the function's `py_func`.",
        )

    @extends(Builtins.folded)
    def folded(
        self,
        rest: Callable[..., Value | None],
        fn: Any,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value | None:
        """What a call of known numbers gives, `pow(3, 60)`."""
        result = rest(fn, args, kwargs)
        if result is not None and self.inlining.compiled and self.is_compiled_here():
            self.check_known(result)
        return result

    @extends(OpaqueCalls.primitive)
    def primitive(
        self,
        rest: Callable[..., Value],
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
        *,
        effect: bool = False,
    ) -> Value:
        """A call that stays one op: `pow(2, n)` is none of those that are seen through,
        nor is what multiplies many numbers."""
        result = rest(function, args, kwargs, effect=effect)
        if not self.inlining.compiled or not args or not all(map(self.is_whole, args)):
            return result
        may_be_whole = self.operations.fact(result).kind in ("int", "real", "unknown")
        bounded = info(function.value).bounded
        if may_be_whole and not bounded and self.is_compiled_here():
            self.refuse_wide()
        return result

    @extends(LoopPasses.loop)
    def loop(
        self,
        rest: Callable[..., tuple[Any, tuple[Carry, ...]]],
        stmt: Node,
        enter: Callable[[], Any],
        after: frozenset[str],
        trips: Dim | None = None,
    ) -> tuple[Any, tuple[Carry, ...]]:
        """A loop that carries no whole number which grows faster than it counts."""
        done, carries = rest(stmt, enter, after, trips)
        if self.inlining.compiled and self.is_compiled_here():
            whole = [c for c in carries if self.holds_whole(c.inside)]
            if grown(done.ops, whole):
                self.refuse_wide()
        return done, carries

    @extends(Outlining.call_outlined)
    def call_outlined(
        self, rest: Callable[..., Value], outline: Outline, given: Mapping[str, Value]
    ) -> Value:
        """The op that calls a function of the tape; a number that one gives that calls
        itself may have been multiplied in each call."""
        result = rest(outline, given)
        if self.inlining.compiled and isinstance(result, Var) and self.is_whole(result):
            self.notes.multiplied.add(result.name)
        return result
