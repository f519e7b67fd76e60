"""Which arrays lie in memory without gaps, and which reshaped ones are views.

`y.reshape(2, 2)` is a view of y if y lies in memory in the order of its indices, as
what NumPy makes anew does: then writing into one writes into the other. What is not
known to is taken for a view too, and the text tests it.

>>> from yota_ast.ir.abstract_values import array_fact
>>> x, y = Var("x", array_fact("f8", (None,))), Var("y", array_fact("f8", (None,)))
>>> is_dense(Apply(y, np.exp, (x,)), frozenset())
True
>>> becomes_view(Apply(y, np.reshape, (x, Const((2, 2)))))
True
"""

from __future__ import annotations

import operator
from collections.abc import Container

import numpy as np

from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info, sharing
from yota_ast.ops.spellings import as_ufunc


def becomes_view(op: Apply) -> bool:
    """Whether the result is a view of the first argument, or else a copy of it."""
    known = info(op.fn).order == "kept" or op.fn is np.rot90
    return (known or is_scalar_type(op.fn)) and not is_reordered(op)


def is_part(owner: object, name: str) -> bool:
    """Whether an attribute is a part of a complex array, a view of it."""
    if not isinstance(owner, Var) or name not in ("real", "imag"):
        return False
    return owner.fact.kind == "array" and owner.fact.is_complex


def is_scalar_type(fn: object) -> bool:
    """Whether a call is `np.float64(x)`, which converts arrays as np.asarray does."""
    return isinstance(fn, type) and issubclass(fn, np.generic)


def is_reordered(op: Apply) -> bool:
    """Whether the elements are taken in another order than that of their indices.

    >>> y = Var("y")
    >>> (
    ...     is_reordered(Apply(y, np.ravel, (y, Const("F")))),
    ...     is_reordered(Apply(y, np.ravel, (y,), (("order", Const("C")),))),
    ... )
    (True, False)
    """
    orders = [value for name, value in op.kwargs if name == "order"]
    if op.fn in (np.ravel, np.ndarray.ravel):
        orders += op.args[1:2]
    return any(value != Const("C") for value in orders)


def is_dense(op: Apply, dense: Container[str]) -> bool:
    """Whether the result certainly lies in the order of its indices, without gaps.

    dense: the names of variables that do.
    """
    if any(name == "order" for name, _ in op.kwargs) or is_reordered(op):
        return False
    layout = info(op.fn).layout
    if layout == "dense":
        return True
    if op.fn is np.array:
        return fact_of_atom(op.args[0]).kind in ("list", "tuple", "float", "int")
    flat = op.out.fact.rank in (0, 1)
    if layout == "like":
        return flat or _is(op.args[0], dense)
    if isinstance(as_ufunc(op.fn), np.ufunc):
        return flat or _is_elementwise_dense(op, dense)
    if op.fn is operator.getitem:
        return _is(op.args[0], dense) and _is_leading(op.args[1])
    if info(op.fn).order == "kept" and op.fn is not np.real:  # every second number
        return _is(op.args[0], dense)
    return flat and sharing(op) == "fresh" and layout == "fresh"


def _is_elementwise_dense(op: Apply, dense: Container[str]) -> bool:
    """Whether an elementwise result has the layout of operands of its shape."""
    shape = op.out.fact.shape
    arrays = [a for a in op.args if not fact_of_atom(a).is_scalar]
    if op.fn is operator.matmul or not isinstance(shape, tuple) or None in shape:
        return False
    return bool(arrays) and all(
        _is(a, dense) and fact_of_atom(a).shape == shape for a in arrays
    )


def _is_leading(index: Atom) -> bool:
    """Whether an index takes whole rows, one after the other."""
    if isinstance(index, Const):
        plain = isinstance(index.value, int) and not isinstance(index.value, bool)
        return plain or (
            isinstance(index.value, slice) and index.value.step in (None, 1)
        )
    return index.fact.kind == "int"


def _is(atom: Atom, dense: Container[str]) -> bool:
    return isinstance(atom, Var) and atom.name in dense
