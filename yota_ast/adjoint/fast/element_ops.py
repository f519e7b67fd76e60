"""An op -> whether it works on each element alone, or adds all elements up.

Such an op gives for some rows of its operands the same rows of its result, or a part of
its sum.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.atoms import Var
>>> x, y = (Var(n, array_fact("f8", (Dim("x.shape[0]", 0, 5),))) for n in "xy")
>>> [works_on_elements(Apply(y, fn, (x,))) for fn in (np.exp, np.sort)]
[True, False]
>>> sum_of_elements(Apply(Var("s", array_fact("f8", ())), np.sum, (x,))) is None
False
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply, Op
from yota_ast.ops import info, sharing

Sum = Callable[..., object]
_OF_THREE: Final = (np.where,)


def is_array(atom: Atom) -> bool:
    """Whether an atom is an array with axes, all of which are known by a name."""
    known = fact_of_atom(atom)
    shape = known.shape
    named = isinstance(shape, tuple) and shape != () and None not in shape
    return known.kind == "array" and named


def dims_of(atom: Atom) -> tuple[Dim, ...]:
    """The lengths of the axes of such an array; of all else none."""
    shape = fact_of_atom(atom).shape
    if not is_array(atom) or not isinstance(shape, tuple):
        return ()
    return tuple(d for d in shape if d)


def example_count(atom: Atom) -> int | None:
    """How many elements an array has in the example; None: unknown."""
    sizes = [d.example for d in dims_of(atom)]
    known = [n for n in sizes if n is not None]
    return math.prod(known) if len(known) == len(sizes) else None


def bytes_of_element(atom: Atom) -> int:
    """How many bytes an element has in the example, 8 where that is unknown."""
    dtype = fact_of_atom(atom).dtype
    known = dtype is not None and dtype.kind == "f"
    return dtype.itemsize if known and dtype is not None else 8


def works_on_elements(op: Op) -> bool:
    """Whether an op makes a new array, each element of elements of its operands."""
    if not isinstance(op, Apply) or op.effect or op.kwargs or not is_array(op.out):
        return False
    known = info(op.fn)
    alone = known.elementwise or known.in_loops == "elements"
    if not alone and not (op.fn in _OF_THREE and len(op.args) == 3):
        return False
    if op.form not in ("call", "operator", "augmented") or isinstance(op.fn, type):
        return False
    fresh = op.form == "augmented" or sharing(op) == "fresh"
    return fresh and all(map(_is_operand, op.args))


def _is_operand(atom: Atom) -> bool:
    """Whether an atom is a number, or an array of known rank."""
    known = fact_of_atom(atom)
    if isinstance(atom, Const) and isinstance(atom.value, (list, tuple)):
        return False
    return (known.is_scalar and known.is_numeric) or is_array(atom)


def works_on_rows(op: Op) -> bool:
    """Whether an op makes each row of its result of a row of its first operand: a
    reduction of other axes than the first, or `x[:, None]`."""
    if not isinstance(op, Apply) or op.effect or not is_array(op.out):
        return False
    first = op.args[0] if op.args else op.out
    if not is_array(first) or dims_of(first)[0] != dims_of(op.out)[0]:
        return False
    if op.fn is operator.getitem:
        return len(op.args) == 2 and _keeps_rows(op.args[1])
    if is_matrix_product(op):
        return len(dims_of(first)) == 2
    axis = axis_of_reduction(op)
    return axis is not None and axis % len(dims_of(first)) != 0


def axis_of_reduction(op: Apply) -> int | None:
    """The one axis that a sum, a mean or an extreme is along."""
    return _axis_of(op) if info(op.fn).in_loops in ("sum", "extreme") else None


def is_matrix_product(op: Op) -> bool:
    """Whether an op is the product of a matrix and a vector, either first."""
    if not isinstance(op, Apply) or op.fn is not operator.matmul or op.effect:
        return False
    return sorted(len(dims_of(a)) for a in op.args) == [1, 2]


def matrix_of(op: Op) -> Atom | None:
    """The matrix of such a product."""
    if not isinstance(op, Apply) or not is_matrix_product(op):
        return None
    return max(op.args, key=lambda a: len(dims_of(a)))


def axis_of_sum(op: Apply) -> int | None:
    """The axis that np.sum adds up along and leaves out, counted from the first."""
    first = op.args[0] if op.args else op.out
    rank = len(dims_of(first))
    if op.fn is not np.sum or op.effect or len(dims_of(op.out)) != rank - 1:
        return None
    axis = _axis_of(op)
    return None if axis is None or not rank else axis % rank


def _keeps_rows(index: Atom) -> bool:
    """Whether an index takes all rows: `:, None` or `:, 0`."""
    items = index.value if isinstance(index, Const) else None
    if not isinstance(items, tuple) or not items or items[0] != slice(None):
        return False
    return all(i is None or type(i) in (int, slice) for i in items[1:])


def _axis_of(op: Apply) -> int | None:
    """The one axis that a reduction is along, if it is given and nothing else is but
    keepdims, and what an extreme begins with."""
    given: dict[str, Atom] = dict(op.kwargs)
    names = ("x", "axis")
    if len(op.args) > len(names):
        return None
    given |= dict(zip(names, op.args, strict=False))
    others = given.keys() - {"x", "axis"}
    if not all(isinstance(given[name], Const) for name in others):
        return None
    start = {"initial"} if info(op.fn).in_loops == "extreme" else set()
    if not others <= {"keepdims", *start}:
        return None
    axis = given.get("axis")
    value = axis.value if isinstance(axis, Const) else None
    return value if type(value) is int else None


def cut_operands(op: Apply) -> tuple[Atom, ...]:
    """The operands of which an op on elements, on rows, or a sum is given a part."""
    if works_on_rows(op) or (_sums_rows(op) and not is_matrix_product(op)):
        return op.args[:1]
    arrays = tuple(a for a in op.args if is_array(a))
    if not works_on_elements(op):
        return arrays
    rank = len(dims_of(op.out))
    return tuple(
        a for a in arrays if len(dims_of(a)) == rank and not dims_of(a)[0].is_unit
    )


def _sums_rows(op: Apply) -> bool:
    """Whether an op adds up the rows of an array of floats."""
    floats = is_array(op.out) and op.out.fact.is_floating
    if is_matrix_product(op):
        return floats and len(dims_of(op.args[0])) == 1
    if not floats or op.fn is not np.sum or not is_array(op.args[0]) or op.effect:
        return False
    return _axis_of(op) == 0 and len(dims_of(op.out)) < len(dims_of(op.args[0]))


def sum_of_elements(op: Op) -> Sum | None:
    """What adds up a part of what an op adds up: the function itself; of a mean, the
    sum."""
    if isinstance(op, Apply) and op.args and _sums_rows(op):
        return op.fn
    if not isinstance(op, Apply) or op.kwargs or op.effect or op.form == "augmented":
        return None
    known = op.out.fact
    if not known.is_scalar or not known.is_floating:
        return None
    if not all(is_array(a) and fact_of_atom(a).is_floating for a in op.args):
        return None
    kind = info(op.fn).in_loops
    if kind == "sum":
        return np.sum
    vectors = all(len(dims_of(a)) == 1 for a in op.args) or op.fn is np.vdot
    pair = kind in ("product", "inner product") and len(op.args) == 2
    return op.fn if pair and vectors else None


def passes_types_on(op: Apply) -> bool:
    """Whether the type of a result is that of operands: an op on elements, a part."""
    part = op.fn is operator.getitem and fact_of_atom(op.args[0]).kind == "array"
    return part or works_on_elements(op)


def type_sources(atom: Atom, made: Mapping[str, Apply]) -> list[Atom] | None:
    """The values whose types decide that of an array of floats, by what makes those
    that are of elements of others."""
    of, found = fact_of_atom(atom).dtype, dict[Atom, None]()
    seen, waiting = set[Atom](), [atom]
    while waiting:
        atom = waiting.pop()
        known = fact_of_atom(atom)
        if atom in seen or isinstance(atom, Const) or _has_no_say(known):
            continue
        seen.add(atom)
        op = made.get(atom.name)
        if op is not None:
            waiting += op.args[1:] if op.fn is np.where else op.args
        elif not known.is_floating:
            return None
        else:
            found[atom] = None
    types = [fact_of_atom(a).dtype for a in found if dims_of(a)]
    if not types or np.result_type(*types) != of:
        return None
    return sorted(found, key=lambda a: (not dims_of(a), getattr(a, "name", "")))


def _has_no_say(known: Fact) -> bool:
    """Whether the type of a value does not count beside that of floats."""
    truth = known.dtype is not None and known.dtype.kind == "b"
    return truth or known.kind in ("bool", "int")
