"""Functions of each element: the axes of the operands are aligned behind the examples.

`x * w` of a number x and a vector w of one example is `x[:, None] * w` of a batch.
"""

from __future__ import annotations

import functools
import operator

import numpy as np

from yota_ast.batching.batcher import Batcher, dtype_of, name_of
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops.back_ends.batched_functions import twin


def elements(b: Batcher, op: Apply) -> Atom:
    """A ufunc, an operator, `np.where`."""
    if op.kwargs and any(k != "dtype" or b.is_mapped(a) for k, a in op.kwargs):
        b.refuse(op, f"`{name_of(op)}` has options here that a batch does not take")
    if op.fn is np.where and len(op.args) != 3:
        b.refuse(op, "`np.where` of a condition alone gives each example another shape")
    return b.same(op, args=aligned(b, op, op.args))


def aligned(b: Batcher, op: Apply, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """What stands for some operands, with as many axes behind the examples."""
    for atom in atoms:
        if not fact_of_atom(atom).is_numeric and not b.is_mapped(atom):
            b.refuse(op, f"`{name_of(op)}` takes what is no array and no number here")
    rank = max(b.rank(atom, op) for atom in atoms)
    return tuple(b.raised(atom, rank) for atom in atoms)


def numbers(b: Batcher, op: Apply) -> Atom:
    """A function of `math`: that of NumPy, in the precision of Python's floats."""
    fn = twin(op.fn)
    if fn is None or op.kwargs or fn.nin != len(op.args):
        b.refuse(op, f"NumPy has no `{name_of(op)}` of arrays that does the same")
    atoms = [as_floats(b, atom) for atom in op.args]
    made: Atom = b.apply(fn, *atoms)
    if op.out.fact.kind == "int":  # of math.floor
        made = b.builder.method("astype", made, Const(int))
    return made


def as_floats(b: Batcher, atom: Atom) -> Atom:
    """A number as Python's functions take it, of which float32 is made a float."""
    known = b.fact(atom)
    if not b.is_mapped(atom) or known.dtype == np.float64:
        return b.of(atom)
    return b.builder.method("astype", b.of(atom), Const(float))


def as_float(b: Batcher, op: Apply) -> Atom:
    """`float(x)`."""
    return as_floats(b, op.args[0]) if b.rank(op.args[0], op) == 0 else no_number(b, op)


def truth(b: Batcher, op: Apply) -> Atom:
    """`not x`, `bool(x)` of a number."""
    (x,) = op.args
    if b.rank(x, op):
        no_number(b, op)
    if op.fn is operator.not_:
        return b.apply(np.logical_not, b.of(x))
    if dtype_of(b.fact(x)) == np.bool_:
        return b.of(x)
    return b.apply(operator.ne, b.of(x), Const(0))


def no_number(b: Batcher, op: Apply) -> Atom:
    """Refuse an array where one number is wanted."""
    b.refuse(op, f"`{name_of(op)}` takes an array here, and a batch has one of numbers")


def extreme(b: Batcher, op: Apply) -> Atom:
    """`max(x, y)` of Python: the first of equals, and a nan only where it is first."""
    if len(op.args) < 2 or op.kwargs or any(b.rank(a, op) for a in op.args):
        b.refuse(op, f"`{name_of(op)}` takes the items of an array here", USE_NUMPY)
    sign = operator.gt if op.fn is max else operator.lt

    def better(best: Atom, other: Atom) -> Atom:
        return b.apply(np.where, b.apply(sign, other, best), other, best)

    return functools.reduce(better, map(b.of, op.args))


def added(b: Batcher, op: Apply) -> Atom:
    """`sum(x)` of Python, along the first axis of each example."""
    known = b.fact(op.args[0])
    if len(op.args) != 1 or op.kwargs or known.kind != "array":
        b.refuse(op, "`sum` of a list or with a start has no batched form", USE_NUMPY)
    if b.rank(op.args[0], op) < 1:
        b.refuse(op, "`sum` takes a number here")
    return b.apply(np.sum, b.of(op.args[0]), kwargs=(("axis", Const(1)),))


USE_NUMPY = "Write the function of NumPy: `np.max(x)`, `np.sum(x)`."
