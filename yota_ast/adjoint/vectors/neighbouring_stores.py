"""A reverse sweep in place -> the same, where a cell and the slice beside it are one.

    dA[j, j] -= t * A[i, j]
    dA[j, :j] -= t * A[i, :j]        ->        dA[j, : j + 1] -= t * A[i, : j + 1]

The cell is the next behind the slice, or the one before it: `R[k, k]` and
`R[k, k + 1 :]`. Both get the same of it, item by item, and what they get is the same
where the second store stands. The number is counted from the front for certain.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.points_to import PointsTo, written_by
from yota_ast.analysis.unmodified_reads import Indices, kept_ranges
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by, ends_of, names_read
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    atoms_of,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ops import info
from yota_ast.syntax.names import is_weak

_NONE = Const(None)
_ELEMENTWISE = ("sum", "difference", "product", "quotient", "negative")


def with_neighbours_joined(
    back: Block, ends: Iterable[Atom], ahead: Block, infer: Infer, names: Names
) -> Block:
    """Return the sweep with such stores joined; ends: what is read behind it; ahead:
    the forward sweep."""
    changes = (ADD, SUBTRACT, PUT)
    stores = [s for s in only(walk(back), Store) if s.change in changes]
    if len(stores) < 2:
        return back
    made = {op.out.name: op for op in only(walk(back), Apply)}
    indices = Indices(places_of(back), kept_ranges(ahead))
    ends = tuple(ends)
    reads, points = Counter(names_read(back, ends)), PointsTo(ahead, back)
    joined = _Joining(infer, names, made, indices, reads, points).block(back)
    return back if joined is back else without_dead(joined, ends)


@dataclass(frozen=True, slots=True)
class _Joining:
    """made: what makes each variable; reads: how often each is read."""

    infer: Infer
    names: Names
    made: Mapping[str, Apply]
    indices: Indices
    reads: Mapping[str, int]
    points: PointsTo

    def block(self, block: Block) -> Block:
        """Return a block, and those within, with such stores joined."""
        ops = [map_blocks(op, self.block) for op in block]
        for second in only(tuple(ops), Store):
            first = next((s for s in only(ops, Store) if s.out == second.target), None)
            if first is not None and self.fits(first, second, ops):
                self.join(first, second, ops)
        return of_ops(block, tuple(ops))

    def fits(self, first: Store, second: Store, ops: Sequence[Op]) -> bool:
        """Say whether both change an array alike, nothing reads it between, and what
        they put there is the same where the second stands."""
        if first.change != second.change or self.reads[first.out.name] != 1:
            return False
        if first.target.fact.kind != "array" or not first.origin.reverse:
            return False
        values = {*self.parts_of(first.value), *self.parts_of(second.value)}
        begins = (k for k, op in enumerate(ops) if values.intersection(bound_by(op)))
        start, stop = (ops.index(s) for s in (first, second))
        before = ops[min((start, *begins)) : stop]
        return self.are_steady(values, before) and not self.is_read(
            first.target, ops[start + 1 : stop]
        )

    def parts_of(self, value: Atom) -> Iterator[Var]:
        """Yield what a value is computed of, as far as that has no name."""
        if isinstance(value, Var):
            yield value
            op = self.made.get(value.name)
            if op is not None and self.is_nameless(op):
                for atom in op.args:
                    yield from self.parts_of(atom)

    def is_nameless(self, op: Apply) -> bool:
        """Say whether a value stands in a store, without a name of its own."""
        return is_weak(op.out.hint) and self.reads[op.out.name] == 1

    def are_steady(self, values: Iterable[Var], ops: Sequence[Op]) -> bool:
        """Say whether some ops write into nothing that some values are made of."""
        memory = self.memory(values)
        inner = [*walk(Block(tuple(ops)))]
        targets = [t for op in inner if isinstance(t := written_by(op), Var)]
        effects = any(op.effect for op in only(inner, Apply))
        return not effects and memory.isdisjoint(self.memory(targets))

    def is_read(self, array: Var, ops: Sequence[Op]) -> bool:
        """Say whether some ops read an array, or a part of it under another name."""
        inner = [
            a for op in walk(Block(tuple(ops))) for a in (*atoms_of(op), *ends_of(op))
        ]
        read = (a for a in inner if isinstance(a, Var))
        return not self.memory([array]).isdisjoint(self.memory(read))

    def memory(self, variables: Iterable[Var]) -> frozenset[str]:
        """Return the memory that some variables may be."""
        held = (v for v in variables if not v.fact.is_immutable)
        return frozenset[str]().union(*map(self.points.memory, held))

    def join(self, first: Store, second: Store, ops: list[Op]) -> None:
        """Put one store in the place of two, if they are neighbours."""
        for cell, part in ((first, second), (second, first)):
            pair = _Pair(self, Builder(self.infer, self.names, second.origin))
            index = pair.index(cell.index, part.index)
            value = None if index is None else pair.value(cell.value, part.value)
            if index is not None and value is not None:
                joined = replace(second, target=first.target, index=index, value=value)
                at = next(k for k, op in enumerate(ops) if op is second)
                ops[at : at + 1] = [*pair.builder.ops, joined]
                del ops[next(k for k, op in enumerate(ops) if op is first)]
                return


@dataclass(slots=True)
class _Pair:
    """Joins what concerns a cell and what concerns the slice beside it; number: that
    of the cell, once it is known."""

    joining: _Joining
    builder: Builder
    number: Atom | None = None

    def index(self, cell: Atom, part: Atom) -> Atom | None:
        """Return the index of both; None: they are no neighbours."""
        ones, others = self.items(cell), self.items(part)
        pairs = [*zip(ones, others, strict=False)]
        differ = [k for k, (a, b) in enumerate(pairs) if not self.same(a, b)]
        if len(ones) != len(others) or len(differ) != 1:
            return None
        (k,) = differ
        slice_of_both = self.longer(*pairs[k])
        if slice_of_both is None:
            return None
        if len(others) == 1 and not self.made(part, build_tuple):
            return slice_of_both
        items = *others[:k], slice_of_both, *others[k + 1 :]
        return self.builder.apply(
            build_tuple, *items, form="build", fact=fact_of_atom(part)
        )

    def longer(self, cell: Atom, part: Atom) -> Atom | None:
        """Return the slice with the cell beside it."""
        made = self.made(part, build_slice)
        if made is None or fact_of_atom(cell).kind != "int":
            return None
        start, stop, step = made.args
        low = self.joining.indices.spans(cell).get("", (None, None))[0]
        if low is None or low < 0 or step != _NONE:
            return None
        if self.number is not None and not self.same(self.number, cell):
            return None
        if start == _NONE and self.same(stop, cell):
            self.number = cell
            behind = self.builder.apply(operator.add, cell, Const(1))
            return self.sliced(start, behind, part)
        if self.is_next(start, cell):
            self.number = cell
            return self.sliced(cell, stop, part)
        return None

    def sliced(self, start: Atom, stop: Atom, like: Atom) -> Atom:
        known = fact_of_atom(like)
        return self.builder.apply(
            build_slice, start, stop, _NONE, form="build", fact=known
        )

    def is_next(self, number: Atom, cell: Atom) -> bool:
        """Say whether a number is that of the cell and 1."""
        made = self.made(number, operator.add)
        return (
            made is not None
            and self.same(made.args[0], cell)
            and made.args[1] == Const(1)
        )

    def value(self, cell: Atom, part: Atom) -> Atom | None:
        """Return what both get; None: it is not the same, item by item."""
        if self.same(cell, part):
            return part if fact_of_atom(part).is_scalar else None
        ones, others = (
            self.joining.made.get(a.name) if isinstance(a, Var) else None
            for a in (cell, part)
        )
        if ones is None or others is None or ones.fn is not others.fn:
            return None
        if not all(map(self.joining.is_nameless, (ones, others))):
            return None
        if ones.fn is operator.getitem:
            index = self.index(ones.args[1], others.args[1])
            same = index is not None and ones.args[0] == others.args[0]
            return (
                self.builder.apply(operator.getitem, ones.args[0], index)
                if same and index
                else None
            )
        if info(ones.fn).arithmetic not in _ELEMENTWISE or ones.kwargs or others.kwargs:
            return None
        args = [self.value(a, b) for a, b in zip(ones.args, others.args, strict=False)]
        found = [a for a in args if a is not None]
        if len(found) < max(len(ones.args), len(others.args)):
            return None
        return self.builder.apply(ones.fn, *found)

    def items(self, index: Atom) -> Sequence[Atom]:
        """Return the parts of an index."""
        if isinstance(index, Const):
            whole = index.value
            return [*map(Const, whole)] if isinstance(whole, tuple) else [index]
        made = self.made(index, build_tuple)
        return [index] if made is None else made.args

    def made(self, atom: Atom, fn: object) -> Apply | None:
        """Return the op of a function that makes an atom."""
        op = self.joining.made.get(atom.name) if isinstance(atom, Var) else None
        return op if op is not None and op.fn is fn else None

    def same(self, one: Atom, other: Atom) -> bool:
        """Say whether two atoms are one, or are computed alike of numbers."""
        if one == other or isinstance(one, Const) or isinstance(other, Const):
            return one == other
        first, second = (self.joining.made.get(a.name) for a in (one, other))
        if first is None or second is None or first.fn is not second.fn:
            return False
        if not (is_weak(one.hint) and is_weak(other.hint)) or first.effect:
            return False
        plain = first.fn in (
            build_slice,
            build_tuple,
            operator.add,
            operator.sub,
            operator.neg,
        )
        if not plain or len(first.args) != len(second.args):
            return False
        if first.fn is operator.neg and not one.fact.is_scalar:
            return False
        return all(map(self.same, first.args, second.args))
