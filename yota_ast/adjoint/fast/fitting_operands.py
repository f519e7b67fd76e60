"""Both sweeps -> the operands that are as their results are.

    h = np.tanh(x @ W + b)      np.tanh and the sum may be written into x @ W
    du = dv * t6 * (1 - s)      the products into dv * t6, the difference into s

Where they are read no more, results are written into their memory. Such an operand is a
new array, of the shape and the type that the result has. The types are the same where
all that a result is computed of has one precision, which the entry tests.  In: the
sweeps, and how the text spells arguments.  Out: pairs of the names of results and
operands, and the tests.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.fast.block_schedule import Axes, Pair
from yota_ast.adjoint.fast.element_ops import (
    dims_of,
    example_count,
    is_array,
    works_on_elements,
)
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import Apply, Block, Op, Store, only, walk
from yota_ast.ir.tape import Fitting
from yota_ast.ops import info, sharing
from yota_ast.ops.spellings import as_ufunc

FEWEST: Final = 1024
"""How many elements an array has at least in the example, where that is known: of fewer
it costs more to say where a result is to be written than to make an array."""
_OPERATORS: Final = ("operator", "augmented")


def fitting_operands(
    blocks: Iterable[Block], texts: Mapping[str, str], equal: Iterable[Pair]
) -> Fitting | None:
    """The pairs, if there are any. texts: how arguments and the fields that are read
    are spelled, by the names of their variables. equal: lengths, as the entry tests."""
    axes = Axes()
    axes.join(equal)
    ops = [op for block in blocks for op in walk(block)]
    sources = Sources.of(ops, texts)
    found, read = set[tuple[str, str]](), dict[Var, None]()
    for op in only(ops, Apply):
        for operand in _alike(op, axes):
            own = sources.new.get(operand.name)
            leaves = None if own is None else sources.leaves(op.out)
            if leaves is not None:
                found.add((op.out.name, operand.name))
                read |= dict.fromkeys(leaves)
    if not found:
        return None
    checks = _of_one_precision([*read], texts)
    return Fitting(frozenset(found), _parts(ops), checks)


def _parts(ops: Iterable[Op]) -> frozenset[str]:
    """The variables that hold parts of arrays by slices that are variables: loops over
    blocks have such."""
    applied = [*only(ops, Apply)]
    cuts = {f"@{op.out.name}" for op in applied if op.fn is slice}
    outs = (op.out for op in applied)
    return frozenset(v.name for v in outs if any(d.base in cuts for d in dims_of(v)))


def _alike(op: Apply, axes: Axes) -> list[Var]:
    """The operands of an op on elements that are as the result is."""
    chooses = op.fn is np.where and _chooses_numbers(op)
    if not (chooses or isinstance(as_ufunc(op.fn), np.ufunc)):
        return []
    if not works_on_elements(op):
        return []
    count = example_count(op.out)
    if op.kwargs or (count is not None and count < FEWEST) or not _floats(op.out.fact):
        return []
    dtype = op.out.fact.dtype
    arrays = [a for a in op.args if isinstance(a, Var)]
    alike = [a for a in arrays if _axes_of(a, axes) == _axes_of(op.out, axes)]
    return [a for a in alike if a.fact.dtype == dtype]


def _axes_of(var: Var, axes: Axes) -> list[Dim]:
    return [axes.of(dim) for dim in dims_of(var)]


def _chooses_numbers(op: Apply) -> bool:
    """Whether an op is an array, and a number where a condition says so, or not."""
    if len(op.args) != 3 or op.kwargs or not _holds_truth(fact_of_atom(op.args[0])):
        return False
    numbers = [a.value for a in op.args[1:] if isinstance(a, Const) and not a.is_live]
    return len(numbers) == 1 and type(numbers[0]) in (int, float)


def _floats(fact: Fact) -> bool:
    return fact.dtype is not None and fact.dtype.kind == "f"


def _of_one_precision(read: list[Var], texts: Mapping[str, str]) -> tuple[Check, ...]:
    """That what results are computed of makes them of one precision."""
    arrays = sorted(texts[v.name] for v in read if dims_of(v))
    numbers = sorted(texts[v.name] for v in read if not dims_of(v))
    if len(arrays) + len(numbers) < 2:
        return ()
    first = arrays[0]
    checks: list[Check] = []
    if len(arrays) > 1:
        equal = " == ".join(f"{text}.itemsize" for text in arrays)
        told = f"made for {', '.join(arrays)} of one precision"
        checks.append(Check(f"not {equal}", told))
    checks += [
        Check(
            f"({text} + {first}.dtype.type(0)).itemsize > {first}.itemsize",
            f"made for {text} of no more precision than {first}",
        )
        for text in numbers
    ]
    return tuple(checks)


@dataclass(slots=True)
class Sources:
    """What decides the types of values.

    made: by their names, the ops that make values. given: arguments and fields. handed:
    what variables of loops and branches are. new: the ops that make new arrays.
    """

    made: Mapping[str, Apply]
    given: Mapping[str, str]
    handed: dict[str, tuple[Atom | Undefined, ...]]
    new: dict[str, Apply]
    known: dict[str, dict[Var, None] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, ops: list[Op], given: Mapping[str, str]) -> Sources:
        """Those of some ops, and of the ops within them."""
        made = {op.out.name: op for op in ops if isinstance(op, Apply)}
        handed: dict[str, tuple[Atom | Undefined, ...]] = {}
        for sources, outs in chain.from_iterable(map(handed_on, ops)):
            handed |= {out.name: tuple(sources) for out in outs}
        handed |= {op.out.name: (op.target,) for op in only(ops, Store)}
        new: dict[str, Apply] = {}
        for name, op in made.items():
            if _is_new(op) or not new.keys().isdisjoint(_continued(op)):
                new[name] = op
        return cls(made, given, handed, new)

    def leaves(self, var: Var) -> list[Var] | None:
        """The arguments that decide the type of an array; None where something else
        does, or all are numbers."""
        found, seen = dict[Var, None](), set[str]()
        waiting: list[Atom | Undefined] = [var]
        while waiting:
            atom = waiting.pop()
            if isinstance(atom, Undefined):
                return None
            if isinstance(atom, Const):
                if _is_strong(atom.value):
                    return None
                continue
            if atom.name in seen or atom.fact.kind == "bool" or _holds_truth(atom.fact):
                continue
            seen.add(atom.name)
            if atom.name in self.given:
                if not (_floats(atom.fact) if is_array(atom) else atom.fact.is_number):
                    return None
                found[atom] = None
                continue
            more = self._before(atom)
            if more is None:
                return None
            waiting += more
        return [*found] if any(map(dims_of, found)) else None

    def _before(self, var: Var) -> Iterable[Atom | Undefined] | None:
        """The values whose types decide that of one that is no argument."""
        if var.name in self.handed:
            return self.handed[var.name]
        op = self.made.get(var.name)
        if op is None or op.effect:
            return None
        if _is_length(op, self.made):
            return ()
        if op.fn is np.empty:  # of the type of others, or of one that is stated
            of_others = len(op.args) == 2 and isinstance(op.args[1], Var)
            return op.args[1:] if of_others else None
        if op.fn is np.result_type:
            return op.args
        if is_array(var):
            return self._operands(op)
        if isinstance(as_ufunc(op.fn), np.ufunc) and op.form in _OPERATORS:
            return op.args
        arrays = [a for a in op.args if is_array(a)]
        if _adds_up(op) and arrays:
            return arrays if all(_floats(fact_of_atom(a)) for a in arrays) else None
        of_numbers = getattr(op.fn, "__module__", "") == math.__name__
        return () if of_numbers and op.form == "call" else None

    @staticmethod
    def _operands(op: Apply) -> Sequence[Atom] | None:
        """The operands that decide the type of an array of floats: one of them is such.
        Numbers made of truth values or whole numbers have double precision."""
        found: Sequence[Atom] | None = None
        if _has_type_of_first(op):
            found = op.args[:1]
        elif _adds_up(op):
            found = [a for a in op.args if is_array(a)]
        elif op.fn is np.where and len(op.args) == 3:
            found = op.args[1:]
        elif isinstance(as_ufunc(op.fn), np.ufunc) and not op.kwargs:
            found = op.args
        if found is None or not _floats(op.out.fact):
            return None
        arrays = [fact_of_atom(a) for a in found if is_array(a)]
        return found if any(map(_floats, arrays)) else None


def _continued(op: Apply) -> list[str]:
    """The operand that a result is new if that is: what an op is added to, or an array
    of which some elements are replaced."""
    chosen = op.fn is np.where and _chooses_numbers(op)
    parts = op.args[1:] if chosen else op.args[:1] if op.form == "augmented" else ()
    return [a.name for a in parts if isinstance(a, Var)]


def _is_new(op: Apply) -> bool:
    """Whether an op makes a new array, in the order of bytes of the machine."""
    if op.form not in ("call", "operator") or not is_array(op.out) or op.effect:
        return False
    if not isinstance(as_ufunc(op.fn), np.ufunc) or op.kwargs:
        return False
    return sharing(op) == "fresh" and _floats(op.out.fact)


def _has_type_of_first(op: Apply) -> bool:
    """Whether an op gives elements of an array, or a new one in the type of it."""
    if "dtype" in dict(op.kwargs):
        return False
    known = info(op.fn)
    of_type = known.in_loops == "new" and len(op.args) == 1
    return known.items in ("picked", "moved") or of_type


def _adds_up(op: Apply) -> bool:
    """Whether an op is a reduction, or a product that is summed, in its own type."""
    kinds = ("sum", "product", "inner product", "extreme")
    return info(op.fn).in_loops in kinds and "dtype" not in dict(op.kwargs)


def _is_length(op: Apply, made: Mapping[str, Apply]) -> bool:
    """Whether an op gives a length, which is a number of Python."""
    if op.out.fact.kind != "int":
        return False
    known = info(op.fn)
    if op.fn is np.shape or (known.tells and known.counts):
        return True
    computes = known.arithmetic in ("sum", "difference", "product")
    computes = computes and op.form in _OPERATORS  # np.multiply gives a NumPy number
    if not computes and op.fn not in (max, operator.getitem):
        return False
    makers = [made.get(a.name) for a in op.args if isinstance(a, Var)]
    return all(m and (m.fn is np.shape or _is_length(m, made)) for m in makers)


def _is_strong(value: object) -> bool:
    """Whether a constant has a type that counts beside those of arrays."""
    return type(value) not in (int, float, bool)


def _holds_truth(fact: Fact) -> bool:
    return fact.dtype is not None and fact.dtype.kind == "b"
