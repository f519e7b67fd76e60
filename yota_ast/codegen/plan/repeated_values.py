"""Uses of a program -> which values are cheap: repeated rather than named.

Attributes of arrays, items at simple places, lengths, places beside that of a counter
(`e[t - 1]`); and comparisons of numbers that
decide branches, two or three in one condition too: `if 0.0 <= x < 0.5:` stands where
the user has it, in the forward and in the reverse sweep.

>>> import math
>>> from yota_ast.ir.abstract_values import BOOL, FLOAT
>>> from yota_ast.ir.nodes import Merge
>>> from yota_ast.ir.tape import Program
>>> x, test, out = Var("x", FLOAT), Var("t", BOOL), Var("y", FLOAT)
>>> made = Apply(test, operator.lt, (x, Const(0.5)))
>>> branch = If(test, (), (), (Merge(out, x, Const(0.0)),))
>>> cheap = Cheap(Uses(Program("f", (), (made, branch), (), out)))
>>> cheap.is_read(made), cheap.is_read(Apply(out, math.exp, (x,)))
(True, False)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, assert_never

import numpy as np

from yota_ast.codegen.plan.statement_plan import form_of
from yota_ast.codegen.plan.uses import Numbered, Use, Uses
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.conditions import COMPARED, COMPARISONS, is_comparison, left_of
from yota_ast.ir.nodes import (
    Apply,
    Closed,
    Compound,
    If,
    Op,
    Simple,
    Store,
    defined_by,
)
from yota_ast.ir.tape import Guard
from yota_ast.ops.algebra import KEEPING, operated
from yota_ast.ops.spellings import ATTRIBUTES
from yota_ast.syntax.names import is_weak

REPEATED: Final = 4
"""How often a cheap value may be printed instead of getting a name."""

SHORT: Final = 3
"""How many operators a place may have that is repeated."""
TWICE: Final = 2
"""How often a number that names alone make may be."""


def _is_operation(op: Apply) -> bool:
    """Say whether an op makes a number that is computed again where it is read."""
    add, sub, mul, power = operator.add, operator.sub, operator.mul, operator.pow
    return op.fn in (add, sub, mul, operator.truediv, power)


class Cheap:
    """What of a program's values is cheap."""

    def __init__(self, uses: Uses) -> None:
        self.uses = uses
        self.indices = _indices(uses)
        self.shifts = _shifts(uses)

    def is_read(self, op: Apply) -> bool:
        """Say whether an op is repeated rather than named."""
        if isinstance(op.fn, Closed):  # a lambda has no name
            return True
        if op.fn in (build_tuple, build_slice):  # `:` is written in an index alone
            places = _is_sliced(op) or all(map(_picks, self.uses.of(op.out)))
            return places and op.out.name in self.indices
        if _is_constant(op):  # in a loop it would cost each time
            return all(len(use.place) == 1 for use in self.uses.of(op.out))
        if op.effect or op.kwargs or not op.args or not isinstance(op.args[0], Var):
            return False
        if op.fn in COMPARISONS:
            plain = is_comparison(op) or op.fn is operator.is_
            return plain and self._decides(op.out)
        if op.out.name in self.shifts:
            return all(map(self._is_place, self.uses.of(op.out)))
        if op.form == "attribute":
            return op.fn in ATTRIBUTES.values() or op.fn is getattr
        if op.fn is len:
            return True
        if op.fn is not operator.getitem or _is_copied_part(op):
            return False
        return self._is_simple(op.args[1])

    def is_plain(self, op: Apply | If) -> bool:
        """Say whether a cheap op may stand in one statement more than once: it reads,
        and computes nothing, or a multiple as `2 * seed` is."""
        if not isinstance(op, Apply) or not _is_operation(op) or _is_constant(op):
            return True
        if op.fn is operator.mul and isinstance(op.args[0], Const):
            return True
        return op.out.name in self.shifts

    def is_short(self, op: Apply, block: Numbered) -> bool:
        """Say whether an op is a number that two names or literals make, as `x * seed`,
        read twice in the same block; with a literal, as `2 * seed`, four times. In a
        loop, where it costs each time, it is one with a literal that is read twice, or
        by arrays alone."""
        if self._is_named_square(op, block):
            return True
        if not _is_operation(op) or op.effect or not op.out.fact.is_scalar:
            return False
        if op.fn is operator.pow and not _is_square(op.args[1]):
            return False
        uses = self.uses.of(op.out)
        here = (u.kind == "arg" and u.is_directly_in(block.number) for u in uses)
        literal = any(isinstance(a, Const) for a in op.args)
        if len(uses) > (REPEATED if literal else TWICE) or not all(here):
            return False
        outer = (self.uses.blocks[number].ops[k] for number, k in block.outer)
        if any(not isinstance(each, Guard) and is_loop(each) for each in outer):
            if not literal:
                return False
            if len(uses) > TWICE and not all(_makes_array(u.op) for u in uses):
                return False
        return all(map(_is_named_number, op.args))

    def _is_named_square(self, op: Apply, block: Numbered) -> bool:
        """Say whether an op is the square of an array with a name, read twice, and not
        in a loop."""
        uses = self.uses.of(op.out)
        if op.fn is not operator.pow or len(uses) > TWICE or block.outer:
            return False
        x, n = op.args
        named = isinstance(x, Var) and not is_weak(x.hint) and x.fact.kind == "array"
        here = (u.kind == "arg" and u.is_directly_in(block.number) for u in uses)
        return named and _is_square(n) and all(here)

    def condition(
        self, op: If, ops: Sequence[Op | Guard], index: int
    ) -> tuple[Apply | If, ...] | None:
        """Return what a condition begins with, the last op first, if it is repeated
        rather than named; else None. ops, index: where it stands."""
        if form_of(op) != op.form or not self._decides(op.merges[0].out):
            return None
        behind = reversed(ops[max(index - COMPARED, 0) : index])

        def made(name: str) -> Op | None:
            before = expression_of(next(behind, None))
            return before if before and value_name(before) == name else None

        left = left_of(op, made)
        for user, each in pairwise((op, *(left or ()))):
            uses = self.uses.by_name.get(value_name(each), ())
            if any(use.op is not user for use in uses):
                return None
        return left

    def _decides(self, var: Var) -> bool:
        """Say whether a value only decides branches."""
        return all(
            use.kind == "test" and isinstance(use.op, (If, Guard))
            for use in self.uses.of(var)
        )

    def _is_place(self, use: Use) -> bool:
        """Say whether a use is an index, or makes one."""
        match use.op:
            case Store():
                return use.kind == "arg"
            case Apply() as op:
                if op.out.name in self.shifts and is_weak(op.out.hint):
                    return all(map(self._is_place, self.uses.of(op.out)))
                return op.fn in (operator.getitem, build_tuple, build_slice)
            case Simple() | Compound() | Guard() | None:
                return False
            case _:
                assert_never(use.op)

    def _is_simple(self, index: object) -> bool:
        if isinstance(index, Const):  # [()] makes a number of a result: read once
            value = index.value
            empty = type(value) is tuple and not value
            return not (empty or isinstance(value, (list, np.ndarray)))
        if not isinstance(index, Var):
            return False
        return index.fact.kind == "int" or index.name in self.indices


def _is_constant(op: Apply) -> bool:
    """Say whether an op makes a number of literals and constants alone: `2 * np.pi`,
    `math.sqrt(2)`."""
    cheap = _is_operation(op) or getattr(op.fn, "__module__", "") == math.__name__
    numbers = (isinstance(a, Const) and type(a.value) in (int, float) for a in op.args)
    plain = cheap and not op.effect and not op.kwargs
    return plain and bool(op.args) and all(numbers)


def _is_copied_part(op: Apply) -> bool:
    """Say whether an op takes a part of a list, `saved[::-1]`, which copies the items;
    of an array it is a view."""
    whole, index = op.args
    of_list = fact_of_atom(whole).kind in ("list", "tuple")
    return of_list and fact_of_atom(index).cls is slice


def _shifts(uses: Uses) -> frozenset[str]:
    """Return the places that are short sums and products of names and literals: `t - 1`
    beside t, `-k` from the end, `i + len(w)`, `i + n - k`."""
    found: dict[str, int] = {}  # how many operators each has
    lengths: dict[str, int] = {}

    def length(atom: Atom) -> int:
        if isinstance(atom, Const):
            return 0 if type(atom.value) is int else SHORT + 1
        named = atom.fact.kind == "int" and not is_weak(atom.hint)
        return 0 if named else found.get(atom.name, lengths.get(atom.name, SHORT + 1))

    for block in uses.blocks:
        for op in block.ops:
            if isinstance(op, Apply) and op.fn is len:
                lengths[op.out.name] = 1
            elif isinstance(op, Apply) and operated(op.fn) in KEEPING:
                count = 1 + sum(map(length, op.args))
                if count <= SHORT and op.out.fact.kind == "int":
                    found[op.out.name] = count
    return frozenset(found)


def _makes_array(op: Op | Guard | None) -> bool:
    return isinstance(op, Apply) and bool(op.out.fact.rank)


def _is_square(exponent: Atom) -> bool:
    """Say whether a power is a square: others take their time."""
    known = exponent.value if isinstance(exponent, Const) else None
    return type(known) in (int, float) and known == TWICE


def _is_named_number(atom: Atom) -> bool:
    """Say whether an operand is a literal, or a number with a name of the user's."""
    if isinstance(atom, Const):
        return type(atom.value) in (int, float)
    return atom.fact.is_scalar and not is_weak(atom.hint)


def expression_of(op: Op | Guard | None) -> Apply | If | None:
    """Return an op that may be printed as an expression: a primitive or a branch."""
    match op:
        case Apply() | If():
            return op
        case Simple() | Compound():
            return None
        case Guard() | None:
            return None
        case _:
            assert_never(op)


def value_name(op: Op | Guard) -> str:
    """Return the name of the one variable that an op defines, else ""."""
    if isinstance(op, Apply):
        return op.out.name
    found = () if isinstance(op, Guard) else defined_by(op)
    return found[0].name if len(found) == 1 else ""


def _is_sliced(op: Apply) -> bool:
    """Say whether an index that is built takes a range of places."""
    return op.fn is build_slice or any(fact_of_atom(a).cls is slice for a in op.args)


def _picks(use: Use) -> bool:
    """Say whether a use is as the index of an item."""
    match use.op:
        case Store():
            return use.kind == "arg"
        case Apply() as op:
            return op.fn is operator.getitem
        case Simple() | Compound() | Guard() | None:
            return False
        case _:
            assert_never(use.op)


def _indices(uses: Uses) -> frozenset[str]:
    """Return the variables that are built slices and tuples of simple indices."""
    found: set[str] = set()
    items: set[str] = set()  # of arrays of whole numbers
    for block in uses.blocks:
        for op in block.ops:
            if isinstance(op, Apply) and op.fn in (build_tuple, build_slice):
                simple = (
                    isinstance(a, Const)
                    or a.fact.kind == "int"
                    or (_is_whole_scalar(a) and not is_weak(a.hint))
                    or (_is_array_of_places(a) and not is_weak(a.hint))
                    or a.name in found
                    or a.name in items
                    for a in op.args
                )
                if all(simple):
                    found.add(op.out.name)
            elif isinstance(op, Apply) and op.fn is operator.getitem:
                plain = isinstance(op.args[1], Const) or op.args[1].fact.kind == "int"
                if plain and _is_whole_scalar(op.out):
                    items.add(op.out.name)
    return frozenset(found)


def _is_array_of_places(var: Var) -> bool:
    """Say whether a value is a mask or an array of whole numbers."""
    known = var.fact
    return known.kind == "array" and (known.is_whole or known.dtype == np.bool_)


def _is_whole_scalar(var: Var) -> bool:
    """Say whether a value is a whole number of NumPy's."""
    return var.fact.kind == "scalar" and var.fact.is_whole
