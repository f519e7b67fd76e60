"""A reverse sweep -> the same, where products that a loop adds up are one after it.

    for h, dz in saved[::-1]:          for h, dz in saved[::-1]:
        dW += np.outer(dz, h)              dz_rows.append(dz)
                                           h_rows.append(h)
                                       if dz_rows:
                                           dW += np.stack(dz_rows).T @ np.stack(h_rows)

In fast code so are products of matrices, `dW += h.T @ dz`, of which the rows are put
one below the other, each time for a few iterations: the loop is in blocks then. Outer
products that go to a part of an array, `dA[i:, j:] += np.outer(u, v)`, have rows that
are as long as the array, with zeros around.

A sum stays where it is if the loop reads it, if one of its factors is the same in every
iteration, and, but in such blocks, if the loop adds something else to it too. In a text
that is differentiated again all stay.

In: a reverse sweep in which sums make new arrays.  Out: the same, with lists of rows.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.summed_products import (
    KINDS,
    Finder,
    Kind,
    Product,
    Rows,
    Total,
)
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.gathered_sums import summed
from yota_ast.adjoint.saving.reading_reverse import BACKWARDS
from yota_ast.ir.abstract_values import Fact, Shape, array_fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_list
from yota_ast.ir.facts.joined_facts import list_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    If,
    Merge,
    Op,
    Simple,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.runtime import stored, with_item
from yota_ast.syntax import saved_names


def collected(
    back: Block,
    results: Iterable[Atom],
    infer: Infer,
    names: Names,
    ahead: Block,
    *,
    fast: bool = False,
    primal: Container[str] = (),
) -> Block:
    """The sweep, with the products of each loop done at once. results: what is read
    after it; ahead: the forward sweep; fast: products of matrices too, in blocks of
    steps; primal: the function's own variables, whose sums stay as they are."""
    ends = tuple(results)
    finder = Finder.of(back, ends, ahead)
    starts: Container[object] = ()
    cut: Container[object] = ()
    if fast:
        # where it is asked for
        from yota_ast.adjoint.fast.blocks_of_steps import in_blocks_of_steps

        back, starts, cut = in_blocks_of_steps(
            back, finder.pays_in_blocks, infer, names
        )
        finder = Finder.of(back, ends, ahead) if starts else finder

    def changed(block: Block) -> Block:
        ops: list[Op] = []
        for op in block:
            found, runs = list[Total](), getattr(op, "iterable", None) in cut
            if isinstance(op, For) and op.iterable not in starts:
                found = finder.totals(op, every=runs)
            totals = [t for t in found if t.carry.inside.name not in primal]
            if isinstance(op, For) and totals:
                ops += _Loop(finder, infer, names, op, totals, runs).ops()
            else:
                ops.append(map_blocks(op, changed))
        return of_ops(block, tuple(ops))

    made = changed(back)
    return back if made is back else without_dead(made, ends)


Key = tuple[object, ...]
Lists = dict[Key, Var]


@dataclass(frozen=True, slots=True)
class _Group:
    """The products of one sum that are one product after the loop, for they are of one
    kind; left, right: the keys of the lists."""

    total: Var
    kind: Kind
    left: Key
    right: Key
    homes: tuple[int, ...]
    """The loops within which its rows are appended, by their numbers."""
    minus: bool
    """Whether the product is taken off."""
    factor: Product | None = None
    """Of items, the product that has the other factor."""


@dataclass(slots=True)
class _Loop:
    """Rewrites one loop, and those within it that add to the same sums."""

    finder: Finder
    infer: Infer
    names: Names
    loop: For
    totals: Sequence[Total]
    runs: bool
    """Whether it has an iteration for certain."""
    appended: dict[str, list[tuple[Key, Rows]]] = field(default_factory=dict)
    """For each sum that is removed, what is appended in its place."""
    removed: set[str] = field(default_factory=set)
    """What is removed: sums, and the products of which other sums share the rows."""
    before: dict[str, Atom] = field(default_factory=dict)
    """What removed sums were before."""
    items: dict[Key, list[Rows]] = field(default_factory=dict)
    """What is appended to each list."""
    wholes: dict[Key, Var] = field(default_factory=dict)
    """The matrices that stand for lists of all their rows."""
    turned: frozenset[Key] = frozenset()
    """The lists that are read with the rows of the first iteration first."""

    def ops(self) -> list[Op]:
        """The loop, lists before it and products after it."""
        groups = [g for total in self.totals for g in self._groups(total)]
        self.turned = self._of_first_iteration_first(groups)
        builder = Builder(self.infer, self.names, self.loop.origin)
        lists = {key: self._empty(rows[0], builder) for key, rows in self.items.items()}
        put = Substitution({name: self._first(name) for name in self.before})
        (changed,) = put.block(Block((self._for(self.loop, lists),)))
        assert isinstance(changed, For)
        loop, started = self._slim(changed)
        loop, apart = self._apart(loop)
        builder.ops.append(loop)
        started |= apart
        by_place: dict[tuple[int, ...], list[_Group]] = {}
        for group in groups:
            by_place.setdefault(group.homes, []).append(group)
        for each in by_place.values():
            self._products(each, lists, started, builder)
        return self._called(builder.ops, started)

    def _of_first_iteration_first(self, groups: Sequence[_Group]) -> frozenset[Key]:
        """The lists of rows that items or a matrix ask for in that order, and those
        that stand beside them in a product."""
        plain = [g for g in groups if _is_plain(g)]
        asking = [g for g in plain if g.kind == "items" or g.right in self.wholes]
        found, before = {g.left for g in asking}, 0
        while before != len(found):
            before = len(found)
            beside = [{g.left, g.right} for g in plain if {g.left, g.right} & found]
            found = found.union(*beside)
        return frozenset(found)

    def _empty(self, first: Rows, builder: Builder) -> Var:
        """An empty list, called after what is appended first."""
        value = first.value
        hint = saved_names.rows_of(value.hint if isinstance(value, Var) else None)
        return builder.apply(build_list, hint=hint, fact=list_of(fact_of_atom(value)))

    # ------------------------------------------------------------ what is appended

    def _groups(self, total: Total) -> Iterator[_Group]:
        every = [p for s in total.sums for p in s.products]
        for kind in KINDS:
            found = [p for p in every if p.kind == kind]
            minus = all(p.left.negated for p in found)
            if found:
                found = [p.negated() for p in found] if minus else found
                left = self._key([(p, p.left) for p in found])
                homes = (*(self._home(p.made) for p in found),)
                right = self._whole(found, homes)
                right = right or self._key([(p, p.right) for p in found])
                yield _Group(total.carry.out, kind, left, right, homes, minus)
        for p in every:
            if p.kind == "items":
                minus = p.left.negated
                p = p.negated() if minus else p
                left, homes = self._key([(p, p.left)]), (self._home(p.made),)
                yield _Group(
                    total.carry.out, p.kind, left, left, homes, minus, factor=p
                )
        self.before |= {s.op.out.name: s.before for s in total.sums}
        self.removed |= self.before.keys() | {p.made.out.name for p in every}

    def _key(self, found: Sequence[tuple[Product, Rows]]) -> Key:
        """The key of the list of some rows, which is one that there is already where
        the same are appended at the same places."""
        key = (*((self._home(p.made), r.key(self.finder.makers)) for p, r in found),)
        if key not in self.items:
            self.items[key] = [r for _, r in found]
            for product, rows in found:
                name = product.made.out.name
                self.appended.setdefault(name, []).append((key, rows))
        return key

    def _whole(self, found: Sequence[Product], homes: tuple[int, ...]) -> Key:
        """The key of a matrix that has all rows of the right factors; () of none."""
        if len(found) > 1 or found[0].kind != "vectors" or homes != (0,):
            return ()
        matrix = self.finder.whole_of(found[0].right, self.loop)
        if matrix is None:
            return ()
        self.wholes["whole", matrix] = matrix
        return "whole", matrix

    def _home(self, made: Apply) -> int:
        """The number of the loop within which an op stands."""
        loops = only(walk(Block((self.loop,))), For)
        return next(k for k, loop in enumerate(loops) if made in loop.body.ops)

    def _first(self, name: str) -> Atom:
        atom = self.before[name]
        while isinstance(atom, Var) and atom.name in self.before:
            atom = self.before[atom.name]
        return atom

    # ------------------------------------------------------------ the loop

    def _for(self, loop: For, lists: Lists) -> For:
        """A loop that appends to some lists, which are those after it then."""
        names = {
            op.out.name for op in only(walk(loop.body), Apply)
        } & self.appended.keys()
        keys = dict.fromkeys(k for n in names for k, _ in self.appended[n])
        keys = {key: None for key in self.items if key in keys}
        fresh = self.names.fresh
        inside = {k: replace(lists[k], name=fresh(lists[k].name)) for k in keys}
        now: Lists = dict(inside)
        body = self._body(loop.body, now)
        carries = list(loop.carries)
        for key in keys:
            out = replace(lists[key], name=fresh(lists[key].name))
            carries.append(Carry(out, lists[key], inside[key], now[key]))
            lists[key] = out
        return replace(loop, body=body, carries=tuple(carries))

    def _body(self, block: Block, lists: Lists) -> Block:
        builder = Builder(self.infer, self.names)
        for op in block:
            builder.origin = op.origin
            match op:
                case Apply() if op.out.name in self.appended:
                    for key, rows in self.appended[op.out.name]:
                        self._append(key, rows, lists, builder)
                case Apply() if op.out.name in self.removed:
                    pass
                case For() if self._adds(op):
                    builder.ops.append(self._for(op, lists))
                case Simple() | Compound():
                    builder.ops.append(op)
                case _:
                    assert_never(op)
        return builder.block()

    def _adds(self, loop: For) -> bool:
        made = only(walk(loop.body), Apply)
        return any(op.out.name in self.before for op in made)

    def _append(self, key: Key, rows: Rows, lists: Lists, builder: Builder) -> None:
        value = rows.value
        if rows.negated:
            value = builder.apply(operator.neg, value)
        if rows.place is not None and rows.like is not None:
            shape = builder.attribute("shape", rows.like)
            n = builder.apply(operator.getitem, shape, Const(rows.axis))
            zeros = builder.apply(
                np.zeros_like, value, kwargs=(("shape", n),), hint="row"
            )
            value = builder.apply(
                stored, zeros, rows.place, value, hint="row", fact=zeros.fact
            )
        if rows.place is None and self.finder.is_view_of_own(value):
            value = builder.method("copy", value)
        old = lists[key]
        lists[key] = builder.apply(with_item, old, value, hint=old.hint, fact=old.fact)

    def _slim(self, loop: For) -> tuple[For, dict[str, Atom]]:
        """The loop without the sums that it now hands on as they are, and what these
        are after it."""
        put: dict[str, Atom] = {}
        ops: list[Op] = []
        for op in loop.body:
            if isinstance(op, For):
                op, outs = self._slim(op)
                put |= outs
            ops.append(op)
        change = Substitution(put)
        body = change.block(Block(tuple(ops)))
        ends = [
            replace(
                c, next=c.next if isinstance(c.next, Undefined) else change.atom(c.next)
            )
            for c in loop.carries
        ]
        carried = set[str]().union(*(t.carried for t in self.totals))
        idle = {
            c.inside.name: c
            for c in ends
            if c.next == c.inside and c.inside.name in carried
        }
        within = {
            n: c.init for n, c in idle.items() if not isinstance(c.init, Undefined)
        }
        body = Substitution(within).block(body)
        left = tuple(c for c in ends if c.inside.name not in within)
        outs = {idle[n].out.name: init for n, init in within.items()}
        return replace(loop, body=body, carries=left), outs

    def _apart(self, loop: For) -> tuple[For, dict[str, Atom]]:
        """The loop, its sums under other names than what they are in the end."""
        ends = {t.carry.out.name for t in self.totals}
        put: dict[str, Atom] = {}
        carries = []
        for c in loop.carries:
            if c.out.name in ends:
                out = replace(c.out, name=self.names.fresh(c.out.name))
                put[c.out.name] = out
                c = replace(c, out=out)
            carries.append(c)
        return replace(loop, carries=tuple(carries)), put

    # ------------------------------------------------------------ after the loop

    def _products(
        self,
        groups: Sequence[_Group],
        lists: Lists,
        sums: dict[str, Atom],
        builder: Builder,
    ) -> None:
        """Add products to their sums, if there are rows: of all groups or of none."""
        inner = builder.nested()
        joined: Lists = {}
        products: dict[str, tuple[bool, Atom]] = {}
        for group in groups:
            product = self._product(group, lists, joined, inner)
            terms = [(not group.minus, product)]
            name = group.total.name
            before = products.get(name)
            products[name] = summed([before, *terms] if before else terms, inner)
        ends = {n: self._added(n, p, sums[n], inner) for n, p in products.items()}
        if self.runs and all(set(group.homes) == {0} for group in groups):
            builder.ops += inner.ops
            sums |= ends
            return
        merges = []
        for name, end in ends.items():
            out = replace(self.total(name), name=self.names.fresh(name))
            merges.append(Merge(out, end, sums[name]))
            sums[name] = out
        test = lists[groups[0].left]
        builder.ops.append(
            If(test, inner.block(), Block(), tuple(merges), origin=builder.origin)
        )

    def _product(
        self, group: _Group, lists: Lists, joined: Lists, builder: Builder
    ) -> Atom:
        if group.factor is not None:
            return self._items(group.factor, group, lists, joined, builder)
        if group.kind == "sums":
            rows = self._joined(group.left, group, lists, joined, builder)
            return builder.method("sum", rows, kwargs=(("axis", Const(0)),))
        left, right = (
            self._joined(key, group, lists, joined, builder)
            for key in (group.left, group.right)
        )
        if group.kind == "stacks":
            first, known = Const((0, 0)), group.total.fact
            return builder.apply(np.tensordot, left, right, first, fact=known)
        return builder.apply(operator.matmul, builder.attribute("T", left), right)

    def _items(
        self,
        factor: Product,
        group: _Group,
        lists: Lists,
        joined: Lists,
        builder: Builder,
    ) -> Atom:
        """The product that all items are, the first of them first."""
        items = self._turned(factor.left.value, group.left, lists, joined, builder)
        right = factor.right.value
        if factor.turned:
            right = builder.attribute("T", right)
        return builder.apply(operator.matmul, items, right)

    def _turned(
        self, row: Atom, key: Key, lists: Lists, joined: Lists, builder: Builder
    ) -> Var:
        """The matrix of the rows in a list, those of the first iteration first."""
        known = ("items", key)
        if known not in joined:
            rows = lists[key]
            back = builder.apply(operator.getitem, rows, BACKWARDS, fact=rows.fact)
            of_row = fact_of_atom(row)
            shape = (None, *of_row.shape) if isinstance(of_row.shape, tuple) else None
            whole = array_fact(of_row.dtype, shape)
            joined[known] = builder.apply(np.stack, back, fact=whole)
        return joined[known]

    def total(self, name: str) -> Var:
        """What a sum is called after the loop."""
        return next(t.carry.out for t in self.totals if t.carry.out.name == name)

    def _added(
        self, name: str, product: tuple[bool, Atom], start: Atom, builder: Builder
    ) -> Atom:
        """What a sum and a product, or less one, are."""
        known, (plus, value) = self.total(name), product
        if not self._are_zeros(start, fact_of_atom(value)):
            fn = operator.add if plus else operator.sub
            return builder.apply(fn, start, value, hint=known.hint, fact=known.fact)
        if not plus or not isinstance(value, Var):
            return builder.apply(operator.neg, value, hint=known.hint, fact=known.fact)
        return builder.rename(value, known.hint) if known.hint else value

    def _are_zeros(self, start: Atom, product: Fact) -> bool:
        """Whether a sum with a product is the product."""
        made = self.finder.makers.get(start.name) if isinstance(start, Var) else None
        if made is None or made.fn is not np.zeros_like:
            return False
        double = made.out.fact.dtype == np.float64 == product.dtype
        return double and made.out.fact.rank == product.rank

    def _joined(
        self, key: Key, group: _Group, lists: Lists, joined: Lists, builder: Builder
    ) -> Var:
        if key in self.wholes:
            return self.wholes[key]
        row = fact_of_atom(self.items[key][0].value)
        if row.rank == 1 and _is_plain(group) and key in self.turned:
            value = self.items[key][0].value
            return self._turned(value, key, lists, joined, builder)
        stacked = group.kind == "stacks" or row.rank == 1
        known = ("stack" if stacked else "concatenate", *key)
        if known not in joined:
            width = row.shape[-1] if isinstance(row.shape, tuple) else None
            if any(rows.place is not None for rows in self.items[key]):
                width = None
            shape: Shape = (None, width)
            if group.kind == "stacks":
                shape = (None, *row.shape) if isinstance(row.shape, tuple) else None
            join = np.stack if stacked else np.concatenate
            fact = array_fact(row.dtype, shape)
            joined[known] = builder.apply(join, lists[key], fact=fact)
        return joined[known]

    def _called(self, ops: list[Op], sums: Mapping[str, Atom]) -> list[Op]:
        """The ops, the sums in the end under the names that they are read by."""
        put = {
            end.name: self.total(name)
            for name, end in sums.items()
            if isinstance(end, Var)
        }
        return list(Substitution(put).block(Block(tuple(ops))))


def _is_plain(group: _Group) -> bool:
    """Whether the rows of a group are vectors, one of each iteration of the loop."""
    return set(group.homes) == {0} and group.kind in ("vectors", "sums", "items")
