"""A sum of outer products -> one product of matrices, which writes its result once.

    dA = np.outer(u, p) + np.outer(v, q)
    dA = np.stack((u, v), axis=1) @ np.stack((p, q))

The sum of two writes three matrices. Sums in loops stay: there the vectors are often so
short that to put them together takes longer. So do sums of which a vector may have
length 1 beside a longer one, for a sum repeats it.

In: a reverse sweep.  Out: the same, the sums outside loops as products.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.inplace.sums_that_fit import are_alike
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import is_loop, read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Block, Op, map_blocks, of_ops
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.syntax.names import is_weak

Pair = tuple[Atom, Atom]


def with_outer_products(
    back: Block, results: Iterable[Atom], infer: Infer, names: Names
) -> Block:
    """Return the sweep with its sums of outer products as products of matrices."""
    ends = tuple(results)
    made = _Sums(infer, names, read_counts(back, ends)).block(back)
    return back if made is back else without_dead(made, ends)


@dataclass(slots=True)
class _Sums:
    infer: Infer
    names: Names
    reads: Counter[str]

    def block(self, block: Block) -> Block:
        """Return a block that no loop runs."""
        ops: list[Op] = []
        makers: dict[str, Apply] = {}
        for op in block:
            if isinstance(op, Apply):
                makers[op.out.name] = op
                ops += self._changed(op, makers)
            else:
                ops.append(op if is_loop(op) else map_blocks(op, self.block))
        return of_ops(block, tuple(ops))

    def _changed(self, op: Apply, makers: dict[str, Apply]) -> Sequence[Op]:
        if operated(op.fn) not in TERMS or op.form == "augmented":
            return (op,)
        builder = Builder(self.infer, self.names, op.origin)
        pairs = self._pairs(op, makers, builder)
        if pairs is None or not _fit(pairs):
            return (op,)
        left, right = (
            builder.apply(build_tuple, *part) for part in zip(*pairs, strict=True)
        )
        columns = builder.apply(np.stack, left, kwargs=(("axis", Const(1)),))
        rows = builder.apply(np.stack, right)
        product = replace(op, fn=operator.matmul, args=(columns, rows), form="operator")
        return (*builder.ops, product)

    def _pairs(
        self, op: Apply, makers: dict[str, Apply], builder: Builder
    ) -> tuple[Pair, ...] | None:
        """Return the vectors of a sum of outer products, first those on the left."""
        found: list[Pair] = []
        for k, atom in enumerate(op.args):
            made = makers.get(atom.name) if isinstance(atom, Var) else None
            if made is None or self.reads[made.out.name] > 1:
                return None
            pairs = self._of_part(made, makers, builder)
            if pairs is None:
                return None
            taken_off = k == 1 and operated(op.fn) == "difference"
            found += _negated(pairs, builder) if taken_off else pairs
        return tuple(found)

    def _of_part(
        self, made: Apply, makers: dict[str, Apply], builder: Builder
    ) -> tuple[Pair, ...] | None:
        if made.fn is np.outer and len(made.args) == 2 and not made.kwargs:
            return ((made.args[0], made.args[1]),)
        inner = operated(made.fn) in TERMS and is_weak(made.out.hint)
        return self._pairs(made, makers, builder) if inner else None


def _negated(pairs: Sequence[Pair], builder: Builder) -> list[Pair]:
    return [(builder.apply(operator.neg, left), right) for left, right in pairs]


def _fit(pairs: Sequence[Pair]) -> bool:
    """Return whether all are vectors, and none is repeated beside another."""
    vectors = all(fact_of_atom(a).rank == 1 for pair in pairs for a in pair)
    first, *others = pairs
    return vectors and all(
        are_alike(a, b) for p in others for a, b in zip(first, p, strict=True)
    )
