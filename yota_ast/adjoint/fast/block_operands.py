"""Both sweeps -> the same, in words by which more ops may run block by block.

    n = np.size(t * t)          n = np.size(t)
    m = (x[:, None] - p).shape[1]
                                m = len(p)
    z = np.outer(x, p)          z = x[:, None] * p

The size of a result of an op on elements is that of an operand, or the product of
those of vectors that have its lengths: so it does not need the whole of the result.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.fast.element_ops import dims_of, is_array, works_on_elements
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import ends_of, free_in, handed_on
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, walk

_COLUMN = (slice(None), None)
Sources = Mapping[Var, tuple[Atom | Undefined, ...]]


def with_operands(
    ahead: Block, back: Block, ends: Iterable[Atom], infer: Infer, names: Names
) -> tuple[Block, Block]:
    """Both sweeps; ends: what is read behind them."""
    ends = tuple(ends)
    ops = (*ahead, *back)
    made = {op.out.name: op for op in ops if isinstance(op, Apply)}
    writer = _Writer(infer, names, made, _lengths(ops))
    blocks = [Block(tuple(o for op in b for o in writer.of(op))) for b in (ahead, back)]
    back = without_dead(blocks[1], ends)
    read = (a for op in walk(back) for a in (*atoms_of(op), *ends_of(op)))
    return without_dead(blocks[0], (*ends, *read)), back


def reads_unset(block: Block, ends: Iterable[Atom]) -> bool:
    """Whether what is read in a block, or behind it, may have no value: some way
    through a branch or a loop leaves it undefined."""
    pairs = [pair for op in walk(block) for pair in handed_on(op)]
    sources = {out: found for found, outs in pairs for out in outs}
    here = {v for op in block for _, outs in handed_on(op) for v in outs}
    read = {*ends, *(a for op in walk(block) for a in atoms_of(op))}
    return any(_is_unset(var, sources) for var in here & read)


def _is_unset(var: Var, sources: Sources) -> bool:
    seen = set[Atom | Undefined]()
    waiting: list[Atom | Undefined] = [var]
    while waiting:
        atom = waiting.pop()
        if isinstance(atom, Undefined):
            return True
        if atom not in seen and isinstance(atom, Var):
            waiting += sources.get(atom, ())
        seen.add(atom)
    return False


def _lengths(ops: Sequence[Op]) -> dict[Dim, Var]:
    """For lengths the vectors that have them and are there before all ops: what a loop
    makes or hands on may have no value behind it."""
    found: dict[Dim, Var] = {}
    for var in free_in(Block(tuple(ops))):
        if len(dims_of(var)) == 1:
            found.setdefault(dims_of(var)[0], var)
    return found


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes ops otherwise. made: every op, by what it makes."""

    infer: Infer
    names: Names
    made: dict[str, Apply]
    lengths: dict[Dim, Var]

    def of(self, op: Op) -> Iterator[Op]:
        """The ops for one."""
        if not isinstance(op, Apply) or op.kwargs:
            yield op
            return
        builder = Builder(self.infer, self.names, op.origin)
        last = (
            self._outer(op, builder)
            or self._length(op, builder)
            or self._column(op)
            or self._alike(op)
        )
        yield from builder.ops
        yield last

    def _outer(self, op: Apply, builder: Builder) -> Op | None:
        """The product of a column and a row."""
        vectors = len(op.args) == 2 and all(len(dims_of(a)) == 1 for a in op.args)
        if op.fn is not np.outer or not vectors or not is_array(op.out):
            return None
        column = builder.apply(operator.getitem, op.args[0], Const(_COLUMN))
        args = column, op.args[1]
        return replace(op, fn=operator.mul, args=args, form="operator", spelling="")

    def _column(self, op: Apply) -> Op | None:
        """`x[:, np.newaxis]`, where the name stands for None in each run."""
        if op.fn is not operator.getitem or len(op.args) != len(_COLUMN):
            return None
        index = self.made.get(getattr(op.args[1], "name", ""))
        items = index.args if index is not None and index.fn is build_tuple else ()
        known = tuple(i.value for i in items if isinstance(i, Const) and not i.is_live)
        same = len(known) == len(items) and known == _COLUMN
        return replace(op, args=(op.args[0], Const(_COLUMN))) if same else None

    def _length(self, op: Apply, builder: Builder) -> Op | None:
        """A length or the size of a matrix that is made of vectors."""
        array, wanted = self._asked(op)
        made = self.made.get(array.name) if isinstance(array, Var) else None
        if made is None or not works_on_elements(made) or not wanted:
            return None
        found = [self.lengths.get(d) for d in wanted]
        vectors = [v for v in found if v is not None]
        if len(vectors) < len(found) or len(dims_of(made.out)) < 2:
            return None
        first = Apply(op.out, len, (vectors[0],), form="call", origin=op.origin)
        if len(vectors) == 1:
            return first
        count: Atom = builder.apply(len, vectors[0])
        for vector in vectors[1:-1]:
            other = builder.apply(len, vector)
            count = builder.apply(operator.mul, count, other)
        args = count, builder.apply(len, vectors[-1])
        return Apply(op.out, operator.mul, args, form="operator", origin=op.origin)

    def _asked(self, op: Apply) -> tuple[Atom | Undefined, tuple[Dim, ...]]:
        """The array whose size or length an op asks, and the lengths that tell it."""
        array = op.args[0] if op.args else op.out
        if op.fn is np.size and len(op.args) == 1:
            return array, dims_of(array)
        shape = self.made.get(array.name) if isinstance(array, Var) else None
        if op.fn is not operator.getitem or shape is None or shape.fn is not np.shape:
            return array, ()
        axis = op.args[1].value if isinstance(op.args[1], Const) else None
        dims = dims_of(shape.args[0])
        if type(axis) is not int or not -len(dims) <= axis < len(dims):
            return array, ()
        return shape.args[0], (dims[axis],)

    def _alike(self, op: Apply) -> Op:
        """A length, shape or size by an operand of what makes the array."""
        if op.fn not in (np.size, np.shape, len) or not op.args:
            return op
        atom = op.args[0]
        while isinstance(atom, Var) and atom.name in self.made:
            maker = self.made[atom.name]
            like = _like(atom, maker.args)
            if like is None or not works_on_elements(maker):
                break
            atom = like
        return op if atom == op.args[0] else replace(op, args=(atom, *op.args[1:]))


def _like(atom: Atom, others: Iterable[Atom]) -> Var | None:
    """One of some arrays that has the shape of another."""
    dims = dims_of(atom)
    found = (a for a in others if isinstance(a, Var) and dims and dims_of(a) == dims)
    return next(found, None)
