"""A loop of a reverse sweep -> the products that it adds up, and that nothing in it
reads.

`dW += np.outer(dz, h)` adds `left.T @ right` of one row each, `dW += h.T @ dz` of the
rows of two matrices, `dW += d[..., np.newaxis] * h` the same of a row for each matrix
of a stack. `dx[t] += dz @ W` of a W that is the same in every iteration gives item t of
an array, where the loop goes over all t once: all items are one product.

`db += dz.sum(axis=0)`, or `db += dz`, is the sum of rows that are put together for a
product.

In an index, `dA[i:, j:] += np.outer(u, v)`, the rows are as long as those of dA, with
zeros around u and v.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Literal, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.rewrites.common_values import identity
from yota_ast.adjoint.saving.reading_reverse import BACKWARDS
from yota_ast.analysis.points_to import written_by
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import UNIT
from yota_ast.ir.block_queries import bound_by, ends_of
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    Op,
    Simple,
    Store,
    atoms_of,
    only,
    walk,
)
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.runtime import ungetitem

_WHOLE: Final = slice(None)
Kind = Literal["vectors", "matrices", "stacks", "sums", "items"]
_ONE_MORE: Final = Const((..., None))
KINDS: Final[tuple[Kind, ...]] = ("vectors", "matrices", "stacks", "sums")
"""Those of which the rows of a sum are put together."""


@dataclass(frozen=True, slots=True)
class Rows:
    """What one factor of a product gives a list: a vector one row, a matrix its rows.

    place: the part of a row that a vector fills, of an array that has the shape of
    `like` along an axis; None: all of it.
    """

    value: Atom
    negated: bool = False
    place: Atom | None = None
    like: Atom | None = None
    axis: int = 0

    def key(self, makers: Mapping[str, Apply]) -> tuple[object, ...]:
        """What tells lists apart: not by which name an item is read."""
        place: tuple[object, ...] = ()
        if self.place is not None and self.like is not None:
            place = identity(self.place), identity(self.like), self.axis
        made = makers.get(self.value.name) if isinstance(self.value, Var) else None
        value = identity(self.value)
        if made is not None and made.fn is operator.getitem:
            value = "item", *map(identity, made.args)
        return value, self.negated, place


@dataclass(frozen=True, slots=True)
class Product:
    """`left.T @ right`, of rows, and the op that makes it."""

    left: Rows
    right: Rows
    made: Apply
    kind: Kind

    turned: bool = False
    """Whether the right factor, of items, is transposed."""

    def negated(self) -> Product:
        """Its negative."""
        left = replace(self.left, negated=not self.left.negated)
        return replace(self, left=left)


@dataclass(frozen=True, slots=True)
class Sum:
    """An op that adds products to a sum, and what that was before."""

    op: Apply
    before: Var
    products: tuple[Product, ...]


@dataclass(slots=True)
class Total:
    """A sum that a loop carries, and where in the loop products are added to it."""

    carry: Carry
    sums: list[Sum] = field(default_factory=list)
    carried: set[str] = field(default_factory=set)
    """What loops call it on entering an iteration."""
    is_mixed: bool = False
    """Whether the loop adds to it what is no such product too."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """The loops of a forward sweep, by the lists that they fill, and its ops."""

    loops: Mapping[str, For]
    makers: Mapping[str, Apply]
    inner: frozenset[str]
    """What is bound in its loops and branches, or by these."""
    writes: bool
    """Whether it writes into any array."""

    @staticmethod
    def of(block: Block) -> Ahead:
        """Those of a sweep."""
        loops = (op for op in only(walk(block), For) if op.stack is not None)
        makers = {op.out.name: op for op in only(walk(block), Apply)}
        stacks = {op.stack.name: op for op in loops if op.stack}
        every = [*walk(block)]
        writes = any(written_by(o) or getattr(o, "effect", False) for o in every)
        bound = {v.name for op in every for v in bound_by(op)}
        bound |= {v.name for op in only(every, For) for v in op.targets}
        inner = bound - {op.out.name for op in only(block, Apply)}
        return Ahead(stacks, makers, frozenset(inner), writes)

    def goes_over(self, stack: Atom, place: int, array: Atom) -> bool:
        """Whether what a loop has put at a place of its list is each position in an
        array once, the first one first."""
        loop = self.loops.get(stack.name) if isinstance(stack, Var) else None
        if (
            loop is None
            or loop.stop is not None
            or loop.saved[place] not in loop.targets
        ):
            return False
        count = self._only_operand(loop.iterable, range)
        if self._only_operand(count, len) == array:
            return True
        axis = self.makers.get(count.name) if isinstance(count, Var) else None
        if axis is None or axis.fn is not operator.getitem or axis.args[1] != Const(0):
            return False
        return self._only_operand(axis.args[0], np.shape) == array

    def matrix_of(self, stack: Atom, place: int) -> Var | None:
        """The matrix whose rows a loop has put at a place of its list, one in each
        iteration, if nothing is written in the sweep."""
        loop = self.loops.get(stack.name) if isinstance(stack, Var) else None
        if loop is None or loop.stop is not None or self.writes:
            return None
        rows = loop.iterable
        if loop.targets != (loop.saved[place],) or not isinstance(rows, Var):
            return None
        there = rows.name not in self.inner
        return rows if there and _has_rank(rows, 2) else None

    def _only_operand(self, atom: Atom | None, fn: object) -> Atom | None:
        made = self.makers.get(atom.name) if isinstance(atom, Var) else None
        one = made is not None and made.fn is fn and len(made.args) == 1
        return made.args[0] if made is not None and one else None


@dataclass(frozen=True, slots=True)
class Finder:
    """Looks for them in one sweep."""

    makers: Mapping[str, Apply]
    readers: Mapping[str, Sequence[Op]]
    counts: Counter[str]
    ahead: Ahead
    carried: frozenset[str] = frozenset()
    """What loops of the sweep carry, by its name in an iteration."""

    @staticmethod
    def of(back: Block, ends: Sequence[Atom], ahead: Block) -> Finder:
        """That of a sweep; ends: what is read after it. ahead: the forward sweep."""
        makers = {op.out.name: op for op in only(walk(back), Apply)}
        readers: dict[str, list[Op]] = {}
        for op in walk(back):
            for atom in (*atoms_of(op), *ends_of(op)):
                if isinstance(atom, Var):
                    readers.setdefault(atom.name, []).append(op)
        counts = Counter({name: len(ops) for name, ops in readers.items()})
        counts.update(a.name for a in ends if isinstance(a, Var))
        loops = only(walk(back), For)
        carried = frozenset(c.inside.name for loop in loops for c in loop.carries)
        return Finder(makers, readers, counts, Ahead.of(ahead), carried)

    def is_view_of_own(self, atom: Atom) -> bool:
        """Whether a value is a view of what the sweep makes, which it may write into
        later."""
        made = self.makers.get(atom.name) if isinstance(atom, Var) else None
        if made is None or is_fresh(made) or not isinstance(made.args[0], Var):
            return False
        first = made.args[0]
        maker = self.makers.get(first.name)
        fresh = maker is not None and is_fresh(maker)
        return fresh or first.name in self.carried or self.is_view_of_own(first)

    # ------------------------------------------------------------ what is added up

    def pays_in_blocks(self, loop: For) -> bool:
        """Whether there are sums of products that a loop adds up at once only where its
        steps are in blocks: of matrices, and beside what else it adds."""
        return any(not _pays(t) for t in self.totals(loop, every=True))

    def totals(self, loop: For, *, every: bool = False) -> list[Total]:
        """The sums of products of a loop, which it and the loops within it add up; of
        rows as such, where products are made of the same rows. every: products of
        matrices too, and those of sums that stay in the loop."""
        found = [t for t in self._totals(loop) if every or _pays(t)]
        made = [p for t in found for s in t.sums for p in s.products]
        used = {r.value for p in made if p.kind != "sums" for r in (p.left, p.right)}
        for total in found:
            total.sums[:] = [
                s
                for s in total.sums
                if all(p.kind != "sums" or p.left.value in used for p in s.products)
            ]
        return [total for total in found if total.sums]

    def _totals(self, loop: For) -> Iterator[Total]:
        if loop.stop is not None or loop.stack is not None:
            return
        own = {v.name for op in walk(loop.body) for v in bound_by(op)}
        own |= {v.name for v in (*loop.targets, *(c.inside for c in loop.carries))}
        for carry in loop.carries:
            total = Total(carry)
            if carry.inside.fact.kind != "array" or isinstance(carry.init, Undefined):
                continue
            if self._follow(loop.body, carry, total, own):
                total.sums[:] = [s for s in total.sums if self._is_due(s, loop)]
                if total.sums:
                    yield total

    def _is_due(self, each: Sum, loop: For) -> bool:
        """Whether what gives items is in the loop itself, which goes over them all."""
        return all(
            p.kind != "items"
            or (p.made in loop.body.ops and self._is_all(p.made, loop))
            for p in each.products
        )

    def whole_of(self, rows: Rows, loop: For) -> Var | None:
        """The matrix of which each row is one of some rows, the last row first."""
        made = self.makers.get(rows.value.name) if isinstance(rows.value, Var) else None
        plain = not rows.negated and rows.place is None
        if rows.value in loop.targets and plain:
            return self._matrix_of(rows.value, loop)
        if made is None or made.fn is not operator.getitem or not plain:
            return None
        array, index = made.args
        if not isinstance(array, Var) or not _has_rank(array, 2):
            return None
        if any(isinstance(op, Store) for op in walk(loop.body)):
            return None
        return array if self._goes_over(array, index, loop) else None

    def _matrix_of(self, row: Atom, loop: For) -> Var | None:
        """The matrix whose rows a loop reads, the last one first."""
        over = loop.iterable.name if isinstance(loop.iterable, Var) else ""
        made = self.makers.get(over)
        if made is None or made.fn is not operator.getitem or made.args[1] != BACKWARDS:
            return None
        place = [*loop.targets].index(row)  # type: ignore[arg-type]
        return self.ahead.matrix_of(made.args[0], place)

    def _is_all(self, scattered: Apply, loop: For) -> bool:
        _, array, index = scattered.args
        return self._goes_over(array, index, loop)

    def _goes_over(self, array: Atom, index: Atom, loop: For) -> bool:
        """Whether an index of a loop is each position in an array, the last one
        first."""
        over = loop.iterable.name if isinstance(loop.iterable, Var) else ""
        made = self.makers.get(over)
        if made is None or made.fn is not operator.getitem or index not in loop.targets:
            return False
        stack, order = made.args
        place = loop.targets.index(index)
        return order == BACKWARDS and self.ahead.goes_over(stack, place, array)

    def _follow(
        self, block: Block, carry: Carry, total: Total, own: AbstractSet[str]
    ) -> bool:
        """Note what is added to a sum within a loop; whether nothing else reads it."""
        now = carry.inside
        total.carried.add(now.name)
        here = {id(op): op for op in block}
        while now != carry.next:
            readers = self.readers.get(now.name, [])
            if len(readers) != 1 or self.counts[now.name] != 1:
                return False
            (op,) = readers
            if id(op) not in here:
                return False
            following = self._after(op, now, total, own, here)
            if following is None:
                return False
            now = following
        return self.counts[now.name] == 1

    def _after(
        self,
        op: Op,
        now: Var,
        total: Total,
        own: AbstractSet[str],
        here: Mapping[int, Op],
    ) -> Var | None:
        """What a sum is after an op that adds to it."""
        match op:
            case For():
                inner = [c for c in op.carries if c.init == now]
                if len(inner) != 1 or not self._follow(op.body, inner[0], total, own):
                    return None
                return inner[0].out
            case Apply():
                return self._added(op, now, total, own, here)
            case Simple() | Compound():
                return None
            case _:
                assert_never(op)

    def _added(
        self,
        op: Apply,
        now: Var,
        total: Total,
        own: AbstractSet[str],
        here: Mapping[int, Op],
    ) -> Var | None:
        if operated(op.fn) not in TERMS or op.args[0] != now or op.args[1] == now:
            return None
        minus = op.fn is not operator.add
        term = op.args[1]
        products = self._products(term, op.out.fact.rank, own, minus=minus)
        if products is None and op.out.fact.rank == 1 and _has_rank(term, 1):
            rows = Rows(term, negated=minus)
            whole = Product(rows, rows, op, "sums")
            products = [whole] if _varies(whole, own) else None
        if products and all(id(p.made) in here for p in products):
            total.sums.append(Sum(op, now, tuple(products)))
        else:
            total.is_mixed = True
        return op.out

    # ------------------------------------------------------------ products

    def _products(
        self, term: Atom, rank: int | None, own: AbstractSet[str], *, minus: bool
    ) -> list[Product] | None:
        """The products that a term is the sum of, in rows that differ from one
        iteration to the next."""
        found = self._of(term)
        if found is None or any((p.kind == "sums") is not (rank == 1) for p in found):
            return None
        if not all(_varies(p, own) for p in found):
            return None
        return list(_signed(found, minus=minus))

    def _of(self, term: Atom) -> list[Product] | None:
        op = self.makers.get(term.name) if isinstance(term, Var) else None
        if op is None or self.counts[op.out.name] != 1:
            return None
        if op.fn is np.outer and len(op.args) == 2 and not op.kwargs:
            return self._outer(op)
        if op.fn is operator.matmul:
            return self._matmul(op)
        if op.fn is np.sum and op.kwargs == (("axis", Const(0)),):
            rows = Rows(op.args[0])
            return (
                [Product(rows, rows, op, "sums")] if _has_rank(rows.value, 2) else None
            )
        if op.fn is operator.mul:
            return self._stacked(op)
        if op.fn is ungetitem:
            return self._placed(op)
        if op.fn is operator.neg:
            found = self._of(op.args[0])
            return found and [p.negated() for p in found]
        if op.fn in (operator.add, operator.sub):
            one, other = self._of(op.args[0]), self._of(op.args[1])
            if one is None or other is None:
                return None
            return [*one, *_signed(other, minus=op.fn is operator.sub)]
        return None

    def _outer(self, op: Apply) -> list[Product] | None:
        u, v = op.args
        if not (_has_rank(u, 1) and _has_rank(v, 1)):
            return None
        return [Product(Rows(u), Rows(v), op, "vectors")]

    def _matmul(self, op: Apply) -> list[Product] | None:
        u, v = op.args
        turned = self.makers.get(u.name) if isinstance(u, Var) else None
        if turned is None or turned.fn is not np.transpose or len(turned.args) != 1:
            return None
        left = turned.args[0]
        if not (_has_rank(left, 2) and _has_rank(v, 2)) or _is_column(left, v, op.out):
            return None
        return [Product(Rows(left), Rows(v), op, "matrices")]

    def _stacked(self, op: Apply) -> list[Product] | None:
        u, v = op.args
        longer = self.makers.get(u.name) if isinstance(u, Var) else None
        if longer is None or longer.fn is not operator.getitem or not _has_rank(v, 1):
            return None
        rows, index = longer.args
        rank = fact_of_atom(rows).rank
        if index != _ONE_MORE or rank is None or not _has_rank(rows, rank) or rank < 2:
            return None
        return [Product(Rows(rows), Rows(v), op, "stacks")]

    def _placed(self, op: Apply) -> list[Product] | None:
        """An outer product that goes to a rectangle of an array, or a product that is
        an item of it."""
        d, x, index = op.args
        if fact_of_atom(index).kind == "int":
            return self._item(op)
        sides = self._sides(index)
        found = self._of(d) if sides is not None else None
        if found is None or sides is None or fact_of_atom(x).rank != 2:
            return None
        placed = []
        for p in found:
            if p.kind != "vectors":
                return None
            if p.left.place is not None or p.right.place is not None:
                return None
            left, right = _at(p.left, sides[0], x, 0), _at(p.right, sides[1], x, 1)
            placed.append(replace(p, left=left, right=right, made=op))
        return placed

    def _item(self, op: Apply) -> list[Product] | None:
        made = self.makers.get(op.args[0].name) if isinstance(op.args[0], Var) else None
        if made is None or made.fn is not operator.matmul:
            return None
        if self.counts[made.out.name] != 1:
            return None
        d, w = made.args
        turned = self.makers.get(w.name) if isinstance(w, Var) else None
        is_turned = turned is not None and turned.fn is np.transpose
        if turned is not None and is_turned and len(turned.args) == 1:
            w = turned.args[0]
        if not _has_rank(w, 2) or not (_has_rank(d, 1) or _has_rank(d, 2)):
            return None
        return [Product(Rows(d), Rows(w), op, "items", is_turned)]

    def _sides(self, index: Atom) -> tuple[Atom, Atom] | None:
        """The two slices of an index."""
        made = self.makers.get(index.name) if isinstance(index, Var) else None
        sides: Sequence[Atom] = ()
        if isinstance(index, Const) and isinstance(index.value, tuple):
            sides = [Const(part) for part in index.value]
        elif made is not None and made.fn is build_tuple:
            sides = made.args
        if len(sides) != 2 or not all(fact_of_atom(s).cls is slice for s in sides):
            return None
        return sides[0], sides[1]


def _pays(total: Total) -> bool:
    """Whether one product saves more than the text grows: of vectors, whose products
    are larger than they are, if no such sum is left in the loop."""
    every = [p for s in total.sums for p in s.products]
    ranks = {fact_of_atom(p.left.value).rank for p in every if p.kind != "stacks"}
    return (
        not total.is_mixed
        and "matrices" not in {p.kind for p in every}
        and ranks <= {1}
    )


def _is_column(*matrices: Atom) -> bool:
    """Whether one of some matrices has a single column: a product with it has fewer
    numbers than its factors."""
    shapes = (fact_of_atom(m).shape for m in matrices)
    return any(isinstance(s, tuple) and s[-1] == UNIT for s in shapes)


def _varies(product: Product, own: AbstractSet[str]) -> bool:
    """Whether the factors differ from one iteration to the next; of items, one."""

    def does(rows: Rows) -> bool:
        return isinstance(rows.value, Var) and rows.value.name in own

    items = product.kind == "items"
    return does(product.left) and does(product.right) is not items


def _signed(products: Sequence[Product], *, minus: bool) -> Sequence[Product]:
    return [p.negated() for p in products] if minus else products


def _at(rows: Rows, place: Atom, like: Atom, axis: int) -> Rows:
    if isinstance(place, Const) and place.value == _WHOLE:
        return rows
    return replace(rows, place=place, like=like, axis=axis)


def _has_rank(atom: Atom, rank: int) -> bool:
    known = fact_of_atom(atom)
    return isinstance(atom, Var) and known.kind == "array" and known.rank == rank
