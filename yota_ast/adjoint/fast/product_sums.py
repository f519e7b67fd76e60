"""Both sweeps -> the same, sums over rows or columns as products with a vector.

    dw = (c[:, np.newaxis] * t).sum(axis=0)    dw = c @ t
    ds = (de * s).sum(axis=0)                  ds = (np.ones_like(c) @ de) * s
    total = np.sum(t, axis=1)                  total = t @ np.ones_like(s)

A product of a matrix and a vector adds up while it multiplies, and short rows NumPy
adds up slowly. What is added up is the same; a factor that all terms have in common is
multiplied with the sum. What is read anew where the sum stands must not be written
anywhere.
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.fast.block_schedule import Pair, paired
from yota_ast.adjoint.fast.element_ops import (
    axis_of_sum,
    dims_of,
    passes_types_on,
    type_sources,
)
from yota_ast.adjoint.fast.written_roots import WrittenRoots
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Read,
    atoms_of,
    map_blocks,
    of_ops,
    walk,
)

SHORT: Final = 32
"""Of rows that are at most so long in the example NumPy's sums are slow."""
_COLUMN: Final = Const((slice(None), None))


def with_products(
    ahead: Block, back: Block, infer: Infer, names: Names, assumed: Assumptions
) -> tuple[Block, Block]:
    """Both sweeps; what is taken for granted of the arguments is noted."""
    written = WrittenRoots((*ahead, *back), PointsTo(ahead, back))
    rewriter = ProductSums(infer, names, written, _free_vectors(ahead, back))
    ahead, back = rewriter.block(ahead), rewriter.block(back)
    assumed.shapes |= rewriter.fired
    for pair in rewriter.assumed:
        assumed.add(*pair)
    return ahead, back


def _free_vectors(*blocks: Block) -> list[Var]:
    """The arrays of one axis that blocks read and do not make: arguments, and fields of
    such."""
    every = [op for block in blocks for op in walk(block)]
    own = {v.name for op in every if not isinstance(op, Read) for v in bound_by(op)}
    read = (a for op in every for a in atoms_of(op) if isinstance(a, Var))
    return [
        *dict.fromkeys(v for v in read if len(dims_of(v)) == 1 and v.name not in own)
    ]


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of a matrix along an axis: the matrix, the vector that it is multiplied by,
    and what the sum is then multiplied by."""

    matrix: Var
    weight: Atom | None
    scales: tuple[Atom, ...] = ()


class ProductSums:
    """Rewrites the sums of one gradient. free: the vectors that nothing in it makes."""

    def __init__(
        self, infer: Infer, names: Names, written: WrittenRoots, free: list[Var]
    ) -> None:
        self.infer, self.names = infer, names
        self.written, self.free = written, free
        self.made: dict[str, Apply] = {}
        self.ones: dict[str, Var] = {}
        self.equal: list[Pair] = []
        self.assumed: list[Pair] = []
        self.fired = False

    def block(self, block: Block) -> Block:
        """The ops of a block; those of an earlier one may stand before it."""
        ops: list[Op] = []
        for op in block:
            if isinstance(op, Apply):
                self.made[op.out.name] = op
                ops += self._replaced(op) or (op,)
            else:
                ops.append(map_blocks(op, self._inner))
        return of_ops(block, tuple(ops))

    def _inner(self, block: Block) -> Block:
        """A block within: what is around it is computed once, and not in each turn."""
        inner = ProductSums(self.infer, self.names, self.written, self.free)
        block = inner.block(block)
        self.fired |= inner.fired
        self.assumed += inner.assumed
        return block

    # ------------------------------------------------------------ sums

    def _replaced(self, op: Apply) -> tuple[Op, ...] | None:
        """What computes a sum otherwise."""
        axis = axis_of_sum(op)
        first = op.args[0] if op.args else op.out
        if axis is None or len(dims_of(first)) != 2 or not op.out.fact.is_floating:
            return None
        self.equal = []
        found = self._split(first, axis)
        builder = Builder(self.infer, self.names, op.origin)
        if found is None:
            return None
        weight = found.weight or self._ones(found.matrix, axis, builder)
        if weight is None:
            return None
        self.fired = True
        self.assumed += self.equal
        return self._product(op, axis, found, weight, builder)

    def _product(
        self, op: Apply, axis: int, found: _Sum, weight: Atom, builder: Builder
    ) -> tuple[Op, ...]:
        """The ops of a sum; the last of them gives what it gave."""
        args: tuple[Atom, Atom] = (found.matrix, weight)
        total = builder.apply(
            operator.matmul, *(args[::-1] if axis == 0 else args), fact=op.out.fact
        )
        for scale in found.scales:
            total = builder.apply(operator.mul, total, scale, fact=op.out.fact)
        last = builder.ops.pop()
        assert isinstance(last, Apply)
        own = Apply(op.out, last.fn, last.args, form=last.form, origin=op.origin)
        return (*builder.ops, own)

    def _ones(self, matrix: Var, axis: int, builder: Builder) -> Atom | None:
        """Ones, as many as are added up: like an argument, of a type that the matrix
        has because of it; None where a sum is as fast."""
        size = dims_of(matrix)[1].example
        if size is None or size > SHORT or not matrix.fact.is_floating:
            return None
        like = self._like(matrix, dims_of(matrix)[axis])
        if like is None:
            return None
        if like.name not in self.ones:
            self.ones[like.name] = builder.apply(np.ones_like, like)
        return self.ones[like.name]

    def _like(self, matrix: Var, dim: Dim) -> Var | None:
        passing = {n: op for n, op in self.made.items() if passes_types_on(op)}
        sources = type_sources(matrix, passing) or []
        found = (v for v in self.free if v in sources and not self.written.may_hold(v))
        return next((v for v in found if self._equal(dims_of(v), (dim,))), None)

    # ------------------------------------------------------------ factors

    def _split(self, matrix: Atom, axis: int) -> _Sum | None:
        """What is added up, and the factors that all terms of a sum have in common."""
        if not isinstance(matrix, Var):
            return None
        scales: list[Atom] = []
        while (parts := self._parts(matrix, 1 - axis)) is not None:
            matrix, scale = parts
            scales.insert(0, scale)
        within = self._parts(matrix, axis)
        if within is not None:
            return _Sum(*within, tuple(scales))
        return _Sum(matrix, None, tuple(scales))

    def _parts(self, matrix: Var, axis: int) -> tuple[Var, Atom] | None:
        """A matrix and a vector along an axis of which a matrix is the product."""
        op = self.made.get(matrix.name)
        if op is None or op.fn is not operator.mul or op.form != "operator":
            return None
        dims = dims_of(matrix)
        for one, other in (op.args, op.args[::-1]):
            if not self._stays(one) or not self._equal(dims_of(one), dims):
                continue
            vector = other if axis == 1 else self._column(other)
            if vector is not None and self._stays(vector):
                if self._equal(dims_of(vector), (dims[axis],)):
                    assert isinstance(one, Var)
                    return one, vector
        return None

    def _column(self, atom: Atom) -> Atom | None:
        """The vector v of `v[:, None]`."""
        op = self.made.get(atom.name) if isinstance(atom, Var) else None
        if op is None or op.fn is not operator.getitem or len(op.args) != 2:
            return None
        vector, index = op.args
        return vector if index == _COLUMN else None

    def _stays(self, atom: Atom) -> bool:
        """Whether an atom is an array of floats that nothing writes."""
        if not isinstance(atom, Var) or not atom.fact.is_floating:
            return False
        return dims_of(atom) != () and not self.written.may_hold(atom)

    def _equal(self, of: tuple[Dim, ...], dims: tuple[Dim, ...]) -> bool:
        """Whether lengths are the same, or are in the example; the entry tests it."""
        if len(of) != len(dims):
            return False
        others = [(p, q) for p, q in zip(of, dims, strict=True) if p != q]
        pairs = [pair for p, q in others if (pair := paired(p, q))]
        self.equal += pairs
        return len(pairs) == len(others)
