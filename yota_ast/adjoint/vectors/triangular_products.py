"""A loop over the rows of a triangle -> one product of matrices behind it.

    for i in range(m - 1, -1, -1):            rows = np.zeros((m, m))
        t = dcov[i, i:]                       for i in range(m - 1, -1, -1):
        dx[:, i:] += np.outer(x[:, i], t)         rows[i, i:] = dcov[i, i:]
        dx[:, i] += x[:, i:] @ t              dx += x @ (rows + rows.T)

The loop does not read what it adds to, and each element of the matrix `x` that the
product reads is read by a loop of two iterations or more, too: what a function never
reads may be nan. Sums are added up in another order than by the loop.

In: a reverse sweep whose adjoints add up in place.  Out: the same.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.vectors.index_regions import Lanes, Number
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.vectors.split_loops import Splitting
from yota_ast.adjoint.vectors.triangular_terms import Axis, Term, Terms
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by, read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    Store,
    blocks_of,
    map_blocks,
    of_ops,
    only,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.syntax import saved_names


def with_triangles(
    back: Block,
    adjoints: Mapping[str, Atom],
    known: Known,
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> tuple[Block, dict[str, Atom]]:
    """Return the reverse sweep with such products behind loops, and its results."""

    def changed(block: Block) -> Block:
        ops: list[Op] = []
        for op in block:
            op = map_blocks(op, changed)
            found = None
            if isinstance(op, For):
                found = _found(op, known, infer, names)
            ops += [op] if found is None else found.ops()
        return of_ops(block, tuple(ops))

    return changed(back), dict(adjoints)


@dataclass(slots=True)
class _Sum:
    """Products of one matrix that a loop adds to one array."""

    carry: Carry
    terms: list[Term] = field(default_factory=list)

    def is_read(self, lanes: Lanes, known: Known) -> bool:
        """Return whether the loop reads all of the matrix, if it runs."""
        axis = self.terms[0].contracted
        in_lanes = any(t.in_lanes for t in self.terms)
        begins = lanes.low == Number()
        ends = known.is_length(lanes.high, *axis)
        if in_lanes and begins and ends and self._are_products(known):
            return True
        for span in (t.span for t in self.terms if not t.in_lanes):
            if span.to_end:
                whole = lanes.low.shifted(span.offset) == Number()
                beside = in_lanes and begins and span.offset <= 1
            else:
                last = lanes.high.shifted(span.offset - 1)
                whole = known.is_length(last, *axis)
                beside = in_lanes and ends and span.offset >= 0
            if whole or beside:
                return True
        return False

    def _are_products(self, known: Known) -> bool:
        """Return whether no lane is read for a product with nothing."""
        axis = self.terms[0].contracted
        return all(
            known.are_equal(t.columns.length, axis.length)
            and (t.span.offset <= 0 if t.span.to_end else t.span.offset > 0)
            for t in self.terms
            if t.in_lanes
        )


@dataclass(slots=True)
class _Rows:
    """The matrix of the rows of some terms, before, in and behind the loop."""

    term: Term
    carry: Carry
    others: list[Term] = field(default_factory=list)

    def has(self, term: Term, known: Known) -> bool:
        """Return whether the rows of a term are these."""
        mine = self.term
        return (
            (mine.row, mine.span.key) == (term.row, term.span.key)
            and known.are_equal(mine.lanes.length, term.lanes.length)
            and known.are_equal(mine.columns.length, term.columns.length)
        )


@dataclass(slots=True)
class _Triangle:
    """A loop, and what it adds up."""

    loop: For
    known: Known
    sums: list[_Sum]
    builder: Builder
    rows: list[_Rows] = field(default_factory=list)
    starts: dict[str, Var] = field(default_factory=dict)
    """What sums are before products are added to them, by their names at last."""

    def ops(self) -> list[Op]:
        """Return matrices for the rows, the loop that fills them, and the products."""
        for each in self.sums:
            for term in each.terms:
                self._enter(term, each)
        self._fill()
        for each in self.sums:
            name = each.carry.out.name
            self.builder.origin = each.terms[0].store.origin
            self.starts[name] = self._added(self.starts[name], each)
        outs = {each.carry.out.name: each.carry.out for each in self.sums}
        ends = {var.name: outs[name] for name, var in self.starts.items()}
        return [*Substitution(ends).block(self.builder.block())]

    def _enter(self, term: Term, each: _Sum) -> None:
        """Note which matrix has the rows of a term: a new one where none has."""
        for rows in self.rows:
            if rows.has(term, self.known):
                rows.others.append(term)
                return
        made = self.builder
        axes = term.lanes, term.columns
        shape = [self._length(axis, term, each.carry) for axis in axes]
        kwargs: tuple[tuple[str, Atom], ...] = ()
        if term.x.fact.dtype != np.float64:
            kwargs = (("dtype", made.attribute("dtype", term.x)),)
        size = made.apply(build_tuple, *shape, form="build")
        fact = array_fact(term.x.fact.dtype, (*(axis.length for axis in axes),))
        hint = saved_names.rows_of(term.row.hint)
        begun = made.apply(np.zeros, size, kwargs=kwargs, hint=hint, fact=fact)
        inside, following, out = (made.var(fact, hint) for _ in range(3))
        self.rows.append(_Rows(term, Carry(out, begun, inside, following)))

    def _length(self, axis: Axis, term: Term, carry: Carry) -> Atom:
        """Return the length of an axis, if possible as one of the matrix."""
        assert isinstance(carry.init, Var)
        array, at = (term.x if axis.array == term.x else carry.init), axis.at
        for each in (Axis(term.x, 0), Axis(term.x, 1)):
            if array != term.x and self.known.are_equal(each.length, axis.length):
                array, at = each
        shape = self.builder.attribute("shape", array)
        return self.builder.apply(operator.getitem, shape, Const(at))

    # ------------------------------------------------------------ the loop

    def _fill(self) -> None:
        """Add the loop, which fills the matrices and adds no products."""
        terms = [t for each in self.sums for t in each.terms]
        removed = {t.store.out.name: t.store.target for t in terms}
        for name, target in removed.items():
            while target.name in removed:
                target = removed[target.name]
            removed[name] = target
        put = Substitution(removed)
        body = put.block(Block(tuple(self._body(terms))))
        sums = {each.carry.out.name for each in self.sums}
        carries = []
        for c in self.loop.carries:
            c = replace(c, next=put.end(c.next))
            if c.out.name in sums:
                assert isinstance(c.init, Var)
                if c.next == c.inside:
                    self.starts[c.out.name] = c.init
                    continue
                left = self.builder.var(c.out.fact, c.out.hint)
                self.starts[c.out.name] = left
                c = replace(c, out=left)
            carries.append(c)
        carries += [rows.carry for rows in self.rows]
        self.builder.ops.append(replace(self.loop, body=body, carries=(*carries,)))

    def _body(self, terms: Sequence[Term]) -> Iterator[Op]:
        """The ops of an iteration, which puts rows into matrices."""
        gone = {t.made.out.name for t in terms} | {t.store.out.name for t in terms}
        rows = {r.term.made.out.name: r for r in self.rows}
        for op in self.loop.body:
            defined = {v.name for v in bound_by(op)}
            for name in defined & rows.keys():
                yield from self._put(rows[name])
            if not defined & gone:
                yield op

    def _put(self, rows: _Rows) -> list[Op]:
        builder = self.builder.nested()
        builder.origin = rows.term.made.origin
        parts = self.loop.targets[0], rows.term.span.atom
        known = Fact("tuple", items=tuple(map(fact_of_atom, parts)))
        index = builder.apply(build_tuple, *parts, form="build", fact=known)
        following = rows.carry.next
        assert isinstance(following, Var)
        origin = builder.origin
        target = rows.carry.inside
        put = Store(following, target, index, rows.term.row, origin=origin)
        return [*builder.ops, put]

    # ------------------------------------------------------------ behind the loop

    def _added(self, start: Var, each: _Sum) -> Var:
        """Add a product to a sum, or take it off; return what that is then."""
        made, term, out = self.builder, each.terms[0], each.carry.out
        factor, *others = [self._factor(t) for t in each.terms]
        for other in others:
            factor = made.apply(operator.add, factor, other)
        x: Atom = made.attribute("T", term.x) if term.turned else term.x
        pair = (x, factor) if term.first else (factor, x)
        first = not term.minus and self._are_zeros(start)
        hint = out.hint if first else None
        product = made.apply(operator.matmul, *pair, hint=hint, fact=out.fact)
        if first:
            return product
        fn = operator.sub if term.minus else operator.add
        return made.apply(
            fn, start, product, form="augmented", hint=out.hint, fact=out.fact
        )

    def _factor(self, term: Term) -> Atom:
        rows = next(r for r in self.rows if term in (r.term, *r.others))
        out = rows.carry.out
        return out if term.plain else self.builder.attribute("T", out)

    def _are_zeros(self, start: Var) -> bool:
        made = self.known.made.get(start.name)
        return made is not None and made.fn is np.zeros_like


def _found(loop: For, known: Known, infer: Infer, names: Names) -> _Triangle | None:
    """Return what there is of it in a loop, if anything is."""
    ends = known.ends(loop) if len(loop.targets) == 1 else None
    plain = loop.stop is None and loop.stack is None and loop.schedule is None
    if ends is None or not plain or any(blocks_of(op) for op in loop.body):
        return None
    lanes = Lanes(*ends, frozenset(known.natural))
    if not lanes.is_natural(lanes.low):
        return None
    sums = [s for s in _sums(loop, lanes, known) if s.is_read(lanes, known)]
    builder = Builder(infer, names, loop.origin)
    return _Triangle(loop, known, sums, builder) if sums else None


def _sums(loop: For, lanes: Lanes, known: Known) -> list[_Sum]:
    """The products that a loop adds to what it does not read."""
    made = {op.out.name: op for op in only(loop.body, Apply)}
    own = {v.name for op in loop.body for v in bound_by(op)}
    own |= {c.inside.name for c in loop.carries}
    reads = read_counts(loop.body)
    split = Splitting(loop, lanes, lambda _: None, forward=True)
    terms = Terms(loop, lanes, known, made)
    found: dict[object, _Sum] = {}
    added: list[Op] = []
    for carry in loop.carries:
        sinks = split.sinks(carry) if isinstance(carry.init, Var) else []
        added += sinks
        for sink in sinks:
            term = terms.of(sink) if isinstance(sink, Store) else None
            if term is None or term.x.name in own or reads[term.made.out.name] != 1:
                continue
            if known.memory(term.x.name) is None or not _is_float(term):
                continue
            key = term.x.name, term.turned, term.first, term.minus, carry.out.name
            found.setdefault(key, _Sum(carry)).terms.append(term)
    every = [t for each in found.values() for t in each.terms]
    if not _are_steady(loop, every, added):
        return []
    return [*found.values()]


def _is_float(term: Term) -> bool:
    """Whether rows and matrices are of one dtype and of known lengths."""
    facts = term.row.fact, term.x.fact, term.store.target.fact
    lengths = term.lanes.length, term.columns.length
    return len({f.dtype for f in facts}) == 1 and None not in lengths


def _are_steady(loop: For, terms: Sequence[Term], added: Sequence[Op]) -> bool:
    """Whether the loop writes nothing but its sums between the first read of a row and
    the last."""
    at = {id(op): k for k, op in enumerate(loop.body)}
    places = [at[id(t.made)] for t in terms] or [0]
    between = Block(loop.body.ops[min(places) : max(places)])
    sums = {id(op) for op in added}
    writes = any(op.form == "augmented" or op.effect for op in only(between, Apply))
    return not writes and all(id(op) in sums for op in only(between, Store))
