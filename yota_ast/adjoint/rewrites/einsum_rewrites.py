"""Rewrites of the adjoints of `np.einsum`, where the subscripts are a literal: each is
an einsum in its turn; and of diagonals of stacks of matrices.

In `y = np.einsum("ij,jk->ik", u, v)` the adjoint of u is
`np.einsum("ik,jk->ij", dy, v)`: the cotangent stands in the place of the operand, and
the labels of the two are exchanged. What sums up the diagonals of matrices has the
adjoint `dy[:, np.newaxis, np.newaxis] * np.eye(n)`, be it written as an einsum or as a
trace.

>>> turned_labels("ij,jk->ik", 0)
(['ik', 'jk'], 'ij')
>>> turned_labels("ij,jk", 1)
(['ij', 'ik'], 'jk')
>>> turned_labels("ii,ij->j", 0)
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.rewrites.algebra_rewrites import MUL
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import Table, computed
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import spelled_out, undiagonal, uneinsum, untrace

_MATRIX: Final = 2
_UNLESS_GIVEN: Final = (Const(0), Const(0), Const(1))
"""The offset and the axes of a trace."""


def as_product(op: Apply) -> Apply:
    """Return an einsum of one or two arrays, `"ij,ij->ij"`, as the product that it
    is."""
    if op.fn is not np.einsum or op.kwargs:
        return op
    subscripts, *arrays = op.args
    if not isinstance(subscripts, Const):
        return op
    inputs, arrow, output = str(subscripts.value).replace(" ", "").partition("->")
    alike = bool(arrow) and set(inputs.split(",")) == {output}
    if not alike or len(arrays) > 2 or len(set(output)) < len(output):
        return op
    if "." in output or not all(fact(a).kind in ("array", "real") for a in arrays):
        return op
    fn = operator.mul if len(arrays) == 2 else operator.pos
    return replace(op, fn=fn, args=tuple(arrays), form="operator", spelling="")


def turned_labels(subscripts: str, at: int) -> tuple[list[str], str] | None:
    """The labels of the operands, one exchanged for the result, and of that one; None
    where that does not give its adjoint."""
    if "..." in subscripts:
        return None
    inputs, output = spelled_out(subscripts, [0] * (subscripts.count(",") + 1))
    if at >= len(inputs):
        return None
    output = output.replace("...", "")
    own = inputs[at]
    others = [*inputs[:at], output, *inputs[at + 1 :]]
    if len(set(own)) < len(own) or not set(own) <= set("".join(others)):
        return None
    return others, own


def adjoint(r: Rewriter, op: Apply) -> Atom | None:
    """One of the adjoints of the operands of an einsum."""
    whole = r.maker(op.args[0], uneinsum)
    if whole is None or whole.kwargs or not isinstance(op.args[1], Const):
        return None
    dy, subscripts, given = whole.args
    made = r.maker(given, build_tuple, build_list)
    at = op.args[1].value
    if made is None or not isinstance(subscripts, Const) or type(at) is not int:
        return None
    operands = made.args
    if len(operands) == 1 and at == 0:
        return _of_diagonals(r, dy, operands[0], str(subscripts.value))
    if len(operands) < 2 or any(_is_vague(a) for a in (dy, *operands)):
        return None
    turned = turned_labels(str(subscripts.value), at)
    if turned is None or not _lengths_agree(r, operands, turned, at):
        return None
    r.assumed.shapes = True
    labels, own = turned
    arrays = [*operands[:at], dy, *operands[at + 1 :]]
    if labels[at]:
        return r.apply(np.einsum, Const(f"{','.join(labels)}->{own}"), *arrays)
    del labels[at], arrays[at]
    if labels == [own]:
        return r.apply(MUL, dy, arrays[0])
    product = r.apply(np.einsum, Const(f"{','.join(labels)}->{own}"), *arrays)
    return r.apply(MUL, dy, product) if len(labels) > 1 else None


def _of_diagonals(r: Rewriter, dy: Atom, x: Atom, subscripts: str) -> Atom | None:
    """The adjoint of `np.einsum("nii->n", x)`, or of `np.einsum("nii->ni", x)`."""
    if "." in subscripts:
        return None
    (own,), output = spelled_out(subscripts, [0])
    output = output.replace("...", "")
    rest, last = own[:-2], own[-1:]
    if own != rest + last * 2 or output not in (rest, rest + last):
        return None
    if len(set(rest + last)) <= len(rest):
        return None
    return _on_diagonals(r, dy, x, summed=output == rest)


def of_trace(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of the traces, or of the diagonals, of a stack of matrices."""
    dy, x, *given = op.args
    told = (*given, *_UNLESS_GIVEN[len(given) :])
    offset, axes = told[0], told[1:]
    rank = fact(x).rank
    known = [a.value if isinstance(a, Const) else None for a in axes]
    if op.kwargs or offset != Const(0) or rank is None or rank <= len(axes):
        return None
    if known not in ([rank - 2, rank - 1], [-2, -1]):
        return None
    return _on_diagonals(r, dy, x, summed=op.fn is untrace)


def _on_diagonals(r: Rewriter, dy: Atom, x: Atom, *, summed: bool) -> Atom | None:
    """Matrices with cotangents on their diagonals; summed: one number on each."""
    known, dims = fact(dy), fact(x).shape
    double = known.dtype == np.float64 == fact(x).dtype
    if not double or not isinstance(dims, tuple) or len(dims) < _MATRIX:
        return None
    rank = len(dims)
    if known.rank != rank - 1 - summed:
        return None
    shape = r.attribute("shape", x)
    rows, columns = (r.apply(operator.getitem, shape, Const(rank - k)) for k in (2, 1))
    square = r.assumed.same_shapes(dims[-2:-1], dims[-1:])
    unit = r.apply(np.eye, rows) if square else r.apply(np.eye, rows, columns)
    if not known.rank:
        return r.apply(MUL, dy, unit)
    index = (slice(None),) * known.rank + (None,) * (1 + summed)
    return r.apply(MUL, r.apply(operator.getitem, dy, Const(index)), unit)


def _is_vague(x: Atom) -> bool:
    """Whether a value may be complex, or its rank is not known."""
    known = fact(x)
    return known.is_complex or known.rank is None or known.kind == "unknown"


def _lengths_agree(
    r: Rewriter, operands: tuple[Atom, ...], turned: tuple[list[str], str], at: int
) -> bool:
    """Whether each axis of the operand is as long as another of its label, so that
    none was spread."""
    labels, own = turned
    shape = fact(operands[at]).shape
    if not isinstance(shape, tuple) or len(shape) != len(own):
        return False
    return all(
        _is_met(r, label, dim, labels, operands, at)
        for label, dim in zip(own, shape, strict=True)
    )


def _is_met(
    r: Rewriter, label: str, dim: Dim | None, labels: list[str],
    operands: tuple[Atom, ...], at: int,
) -> bool:  # fmt: skip
    """Whether an axis is as long as what meets it there: the others of its label, but
    for those of length 1, and something does meet it."""
    lengths: list[Dim | None] = []
    for k, (names, x) in enumerate(zip(labels, operands, strict=True)):
        shape = fact(x).shape
        if k != at and label in names and isinstance(shape, tuple):
            lengths += [n for c, n in zip(names, shape, strict=False) if c == label]
    longer = [n for n in lengths if n is None or not n.is_unit]
    if not all(r.assumed.same_shapes((dim,), (n,)) for n in longer):
        return False
    if label in labels[at] or longer:
        return True
    return dim is not None and dim.is_unit and bool(lengths)


TABLE: Table = (
    computed(adjoint, operator.getitem),
    computed(of_trace, untrace, undiagonal),
)
