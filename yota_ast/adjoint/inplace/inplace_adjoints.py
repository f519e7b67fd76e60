"""A functional reverse sweep -> one that adds up in memory that it owns.

`dx_2 = dx + c` becomes `dx += c`, and what goes back through an index becomes
`dx[i] += c`, where the memory of dx is the sweep's own: made fresh, and not shared with
a view or another name that is read later. Where that is not certain, the functional
form stays.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from itertools import islice
from typing import TypeGuard, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.fresh_results import is_fresh, shares_none
from yota_ast.adjoint.inplace.kept_views import Reads, keeps, sharing_of, with_copies
from yota_ast.adjoint.inplace.later_zeros import with_plainer_stores, written_in
from yota_ast.adjoint.inplace.merged_updates import with_merged_updates
from yota_ast.adjoint.inplace.owned_items import (
    adds_within,
    handed_marks,
    held_by,
    is_taken,
    items_of,
    lent_by,
    marks_of,
    only_grows,
    sure_list,
    takes_last,
)
from yota_ast.adjoint.inplace.sums_that_fit import (
    are_alike,
    filling_number,
    goes_on,
    has_floats,
    has_memory,
    is_less,
    may_grow,
    positive_just_made,
    positive_of,
)
from yota_ast.adjoint.inplace.writable_targets import (
    copied_for,
    is_surely_array,
    takes_an_axis,
    whole_of,
)
from yota_ast.adjoint.inplace.zero_assignments import makers_of
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.reverse.contributions import adjoint_of
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.gathered_sums import terms_of
from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.analysis.last_reads import Following, LastReads, WriteTimes
from yota_ast.analysis.points_to import PointsTo, Roots
from yota_ast.analysis.repeated_elements import (
    are_distinct,
    may_repeat,
    may_repeat_by_kind,
)
from yota_ast.analysis.shapes import SureNumbers, Unspread
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import undefined_in
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_list
from yota_ast.ir.facts.joined_facts import is_nested, within
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    map_blocks,
    of_ops,
    only,
    path_length,
    walk,
)
from yota_ast.ir.store_changes import (
    ADD,
    APPEND,
    PUT,
    REMOVE,
    SUBTRACT,
    Change,
    Update,
)
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.runtime import (
    added_item,
    added_within,
    stored,
    ungetitem,
    unset,
    unset_item,
    with_item,
    without_last,
    zeros_within,
)
from yota_ast.syntax.names import NAMELESS


@dataclass(slots=True)
class InPlace:
    """Rewrites the blocks of a reverse sweep."""

    infer: Infer
    names: Names
    points: PointsTo
    """What branches and loops hand on, under which names; nothing is a view there."""
    owned: set[str] = field(default_factory=set)
    made: dict[str, Apply] = field(default_factory=dict)
    """What makes the variables of the sweep."""
    written: set[str] = field(default_factory=set)
    """What comes of writing into an array."""
    times: WriteTimes = field(default_factory=WriteTimes)
    reads: Reads = field(default_factory=Reads)
    primal: frozenset[str] = frozenset()
    """The function's own variables, where its ops stand between those of the sweep."""
    numbers: Unspread | None = None
    """What may be a number that is not yet spread over a shape."""
    sure: SureNumbers = field(default_factory=SureNumbers)
    """What is surely a number, and no array without axes."""
    undefined: frozenset[str] = frozenset()
    """What may have no value: a text that copies it raises."""
    uses: Counter[str] = field(default_factory=Counter)
    """How often what the sweep makes is read."""
    growing: bool = False
    """Whether what is added to may have less than the shape of the sum: a tangent may,
    an adjoint has that of its value."""

    def block(self, block: Block, after: Following) -> Block:
        """The block; `after` are the names read when it has run."""
        builder = Builder(self.infer, self.names)
        last = LastReads(block, self.reads)
        for k, op in enumerate(block.ops):
            following = Following(last, k, after)
            builder.origin = op.origin
            match op:
                case Apply():
                    before = len(builder.ops)
                    self._apply(op, builder, following)
                    if not is_taken(op, islice(block.ops, k + 1, None)):
                        self.owned -= lent_by(op)
                    self.times.made[op.out.name] = self.times.now
                    self.times.note(self._memory(written_in(builder.ops[before:])))
                case Store():
                    if keeps(op):  # it has two names from here
                        self.owned -= held_by(op.value, self.made)
                    builder.ops.append(op)
                case If():
                    builder.ops.append(self._if(op, following))
                case For() | While():
                    self._for(op, builder, following)
                case With():
                    inner = self._inner(op.body, following)
                    builder.ops.append(replace(op, body=inner))
                case Simple() | Try():
                    builder.ops.append(op)
                case _:
                    assert_never(op)
        return builder.block()

    # ------------------------------------------------------------ ops

    def _apply(self, op: Apply, builder: Builder, following: Following) -> None:
        if op.out.name in self.primal:  # what the function itself does
            builder.ops.append(op)
            return
        if operated(op.fn) in TERMS and isinstance(op.args[0], Var):
            scattered = None
            if not fact(op.args[0]).is_scalar and are_alike(*op.args):
                scattered = self._scattered(op.args[1], builder, following)
            # else a cotangent not yet spread over the shape
            if scattered and is_less(op.args[0], op.args[1]):
                scattered = None
            if scattered and not self._may_index(op.args[0], scattered.args[2]):
                scattered = None
            if scattered is not None and self._may_write(op.args[0], following):
                self._store(op, op.args[0], scattered, builder)
                return
            if scattered is not None and fact(op.args[0]).rank:
                copy = builder.method("copy", op.args[0])
                self._store(op, copy, scattered, builder)
                return
            if op.out.hint is not None:  # else a part of an expression
                op = self._added_to(op, builder, following, whole=scattered is None)
        elif goes_on(op, builder) and self._may_write(op.args[0], following):
            op = replace(op, form="augmented")
        elif (
            op.fn is unset
            and not fact(op.args[0]).is_scalar
            and self._may_index(*op.args)
            and self._may_write(op.args[0], following)
        ):
            target, index = op.args
            assert isinstance(target, Var)
            zero = Store(op.out, target, index, Const(0.0), origin=op.origin)
            self._write(zero, builder)
            self.written.add(op.out.name)
            return
        elif op.fn is stored and self._stored(op, builder, following):
            return
        elif takes_last(op) and self._may_resize(op.args[0], following):
            self._resized(op, Const(None), REMOVE, builder)
            return
        elif op.fn is with_item and self._may_resize(op.args[0], following):
            self._resized(op, op.args[1], APPEND, builder)
            return
        elif op.fn in (added_item, unset_item) and self._may_write(
            op.args[0], following
        ):
            if self._item_store(op, builder):
                return
        builder.ops.append(op)
        if is_fresh(op):
            self.owned.add(op.out.name)
        self.owned |= marks_of(op)

    def _stored(self, op: Apply, builder: Builder, following: Following) -> bool:
        """Write what is stored in an array, or in a copy of it, if it is one."""
        target, index, value = op.args
        own = self._may_write(target, following)
        written = target if own else copied_for(op, target, builder)
        if not isinstance(target, Var) or not isinstance(written, Var):
            return False
        change, value = self._added(target, index, value, builder)
        self._write(Store(op.out, written, index, value, change, op.origin), builder)
        return True

    def _added_to(
        self, op: Apply, builder: Builder, following: Following, *, whole: bool
    ) -> Apply:
        """A sum, which adds to what it begins with where that may be written; all its
        terms at once, if it is a whole one."""
        terms = terms_of(op, builder, following, self.reads) if whole else None
        if terms and self._may_add(terms.start, op, builder, following):
            return replace(terms.together(op, builder), form="augmented")
        if self._may_add(op.args[0], op, builder, following):
            return replace(op, form="augmented")
        return op

    def _may_add(
        self, start: Atom, op: Apply, builder: Builder, following: Following
    ) -> bool:
        """Whether a sum that begins with something is added to that."""
        return (
            are_alike(start, op.out)
            and not (self.growing and may_grow(start, op.out))
            and not is_less(start, op.out)
            and self._accumulates(start, op, builder)
            and self._may_write(start, following)
        )

    def _write(self, store: Store, builder: Builder) -> None:
        builder.ops.append(store)
        self.owned.add(store.out.name)

    def _may_resize(self, atom: Atom, following: Following) -> bool:
        """Whether this is a list that may be written now; not in a text that is
        differentiated again."""
        known = isinstance(atom, Var) and sure_list(atom.name) in self.owned
        return known and not marking() and self._may_write(atom, following)

    def _resized(
        self, op: Apply, value: Atom, change: Change, builder: Builder
    ) -> None:
        """A list of adjoints, or one in it, becomes longer or shorter by an item."""
        target = op.args[0]
        assert isinstance(target, Var)
        index = op.args[1] if op.fn is without_last else Const(None)
        builder.ops.append(Store(op.out, target, index, value, change, op.origin))
        self.owned -= {getattr(value, "name", "")}  # the list has it from here
        self.owned.add(op.out.name)
        self.owned |= handed_marks([(op.out, target)], self.owned)

    def _item_store(self, op: Apply, builder: Builder) -> bool:
        """An item of a list of adjoints, written in the list that the sweep owns; an
        array among the items is added to where nothing else has it."""
        target, index = op.args[:2]
        assert isinstance(target, Var)
        each = within(target.fact, path_length(target, index) or 1)
        plain = each.is_scalar or each.kind == "list" or op.fn is added_item
        if fact(index).cls is slice or not plain:
            return False
        value: Atom = Const(0.0)
        change: Change = PUT
        if op.fn is unset_item and not each.is_scalar:
            old = op.args[2] if len(op.args) > 2 else None
            old = old or builder.apply(operator.getitem, target, index, fact=each)
            value = builder.apply(zeros_within, old, fact=each)
        if op.fn is added_item and (
            each.is_scalar or adds_within(op, each, self.owned)
        ):
            value, change = op.args[2], ADD
        elif op.fn is added_item:
            old = builder.apply(operator.getitem, target, index, fact=each)
            fn = operator.add if each.is_numeric else added_within
            value = builder.apply(fn, old, op.args[2], fact=each)
        self._write(Store(op.out, target, index, value, change, op.origin), builder)
        self.owned |= handed_marks([(op.out, target)], self.owned)
        if not each.is_numeric:
            self.owned.discard(items_of(op.out.name))
        return True

    def _added(
        self, target: Var, index: Atom, value: Atom, builder: Builder
    ) -> tuple[Change, Atom]:
        """What `target[index] = target[index] + d` stores: ADD and d."""
        total = builder.maker(value)
        if total is None or operated(total.fn) not in TERMS or total.out.hint:
            return PUT, value
        first = total.args[0]
        part = builder.maker(first)
        if part is None or part.fn is not operator.getitem or part.out.hint:
            return PUT, value
        if part.args != (target, index) or self._may_repeat(index):
            return PUT, value
        return ADD if total.fn is operator.add else SUBTRACT, total.args[1]

    def _accumulates(self, start: Atom, op: Apply, builder: Builder) -> bool:
        """Whether the sum goes on from another statement's, and is not one formula."""
        made = builder.maker(start)
        return made is None or made.origin.statement != op.origin.statement

    def _scattered(
        self, atom: Atom, builder: Builder, following: Following
    ) -> Apply | None:
        """The `ungetitem` that made an atom in this block and nobody else reads; what
        it goes back from has not been written since."""
        made = builder.maker(atom)
        if made is None or made.fn is not ungetitem or made.out.name in following:
            return None
        return None if self._changed(made.args[0], made) else made

    def _changed(self, source: Atom, since: Apply) -> bool:
        """Whether something has been written into a value since an op read it, under
        whichever name: what a branch hands on as it is has two."""
        return self.times.is_written(self.points.memory(source), since.out.name)

    def _memory(self, names: Iterable[str]) -> Roots:
        """The memory that is written under some names. What is written into a slice is
        written into its array."""
        own = Roots().union(*(self.points.memory(Var(name)) for name in names))
        wholes = filter(None, (whole_of(self.made.get(name)) for name in names))
        return own.union(*(self.points.memory(whole) for whole in wholes))

    def _store(
        self, op: Apply, target: Var, scattered: Apply, builder: Builder
    ) -> None:
        d, _, index = scattered.args
        plus = op.fn is operator.add
        positive = positive_of(d, builder, self.uses, self._changed)
        if positive is not None:
            plus, d = not plus, positive
        fn = operator.add if plus else operator.sub
        change = Update(fn, repeats=self._may_repeat(index))
        value = filling_number(d, self.made)
        self._write(Store(op.out, target, index, value, change, op.origin), builder)
        self.written.add(op.out.name)

    def _may_repeat(self, index: Atom) -> bool:
        """Whether an index may name one element twice."""
        made = self.made.get(index.name) if isinstance(index, Var) else None
        if made is not None and made.fn is build_list:
            return not are_distinct(made.args, self.made, ())
        return may_repeat_by_kind(index) and may_repeat(index, self.made)

    def scatter(self, block: Block) -> Block:
        """What goes back through an index and is added to nothing: stored in zeros."""
        ops: list[Op] = []
        for op in block:
            op = map_blocks(op, self.scatter)
            if isinstance(op, Apply) and op.fn is ungetitem and has_floats(op.args[1]):
                d, x, index = op.args
                builder = Builder(self.infer, self.names, op.origin)
                zeros = builder.apply(np.zeros_like, x, hint=adjoint_of(x, op.out))
                again = self._may_repeat(index)
                change = Update(operator.add, repeats=True) if again else PUT
                positive = positive_just_made(d, ops) if again else None
                if positive is not None:
                    d, change = positive, Update(operator.sub, repeats=True)
                ops += builder.ops
                value = filling_number(d, self.made)
                op = Store(op.out, zeros, index, value, change, op.origin)
                self.owned.add(op.out.name)
            ops.append(op)
        return of_ops(block, tuple(ops))

    # ------------------------------------------------------------ blocks within

    def _inner(
        self, block: Block, following: Following, ends: Iterable[Atom | Undefined] = ()
    ) -> Block:
        """A block within, after which `following` is read, and its ends."""
        return self.block(block, following.also(ends))

    def _if(self, op: If, following: Following) -> If:
        outer = set(self.owned)
        then = self._inner(op.then, following, [m.then for m in op.merges])
        orelse = self._inner(op.orelse, following, [m.orelse for m in op.merges])
        for m in op.merges:  # what an arm hands on as it is has two names from here on
            for end in (m.then, m.orelse):
                if _is_var(end) and has_memory(m.out) and end.name in following:
                    if m.out.name in following:
                        self.owned.discard(end.name)
        self.owned |= handed_marks(
            ((m.out, m.then) for m in op.merges), self.owned
        ) & handed_marks(((m.out, m.orelse) for m in op.merges), self.owned)
        own = [
            has_memory(m.out)
            and all(_is_var(a) and a.name in self.owned for a in (m.then, m.orelse))
            for m in op.merges
        ]
        if not any(own):
            return replace(op, then=then, orelse=orelse)
        distinct = [
            self._distinct(then, [m.then for m in op.merges]),
            self._distinct(orelse, [m.orelse for m in op.merges]),
        ]
        for k, m in enumerate(op.merges):
            ends = (m.then, m.orelse)
            # What an arm hands on as it is, and is read still, is lent.
            lent = [a.name in outer and a.name in following for a in ends if _is_var(a)]
            if own[k] and not any(lent) and distinct[0][k] and distinct[1][k]:
                self.owned.add(m.out.name)
        return replace(op, then=then, orelse=orelse)

    def _distinct(self, block: Block, ends: list[Atom | Undefined]) -> list[bool]:
        """Which of the values that leave a block share memory with none of the
        others."""
        sharing = sharing_of(block)
        apart = {a.name for a in ends if _is_var(a) and only_grows(a.name, self.owned)}
        memory = [
            (frozenset([a.name]) if a.name in apart else sharing.memory(a))
            if isinstance(a, Var) else None
            for a in ends
        ]  # fmt: skip
        counts = Counter(root for roots in memory for root in roots or ())
        return [
            roots is not None and all(counts[root] == 1 for root in roots)
            for roots in memory
        ]

    def _for(self, op: For | While, builder: Builder, following: Following) -> None:
        """A loop owns what it carries where it starts from memory of its own, and each
        iteration hands on memory of its own, shared with nothing else it carries. What
        two start from and is not copied is owned by neither."""
        carries = []
        lent: set[str] = set()
        if isinstance(op, While):  # the test is made after each iteration
            tested = {n for o in op.cond for n in self.reads.by(o)}
            following = following.also(Var(name) for name in sorted(tested))
        within = self._read_within(op)  # by every iteration, also after the first write
        for k, c in enumerate(op.carries):
            init = c.init
            read = following.also((*within, *(o.init for o in op.carries[k + 1 :])))
            if isinstance(init, Var) and not self._may_write(init, read):
                init = self._own_copy(init, builder)
                if init is c.init and has_memory(init):
                    lent.add(init.name)
            carries.append(replace(c, init=init))
        outer, written = set(self.owned), dict(self.times.written)
        entering = {
            c.inside.name
            for c in carries
            if _is_var(c.init) and c.init.name in outer and c.init.name not in lent
        }
        starts = ((c.inside, c.init) for c in carries if c.inside.name in entering)
        entering |= handed_marks(starts, outer)
        while True:
            self.owned = set(entering)  # what is outside is read again and again
            self.times.written = dict(written)
            ends = [c.next for c in carries]
            body = self._inner(op.body, following, ends)
            if not entering:
                break
            distinct = self._distinct(body, ends)
            kept = {
                c.inside.name
                for k, c in enumerate(carries)
                if isinstance(c.next, Var) and c.next.name in self.owned and distinct[k]
            } & entering
            ends_on = ((c.inside, c.next) for c in carries if c.inside.name in kept)
            kept |= handed_marks(ends_on, self.owned) & entering
            if kept == entering:
                break
            entering = kept
        self.owned |= outer | {c.out.name for c in carries if c.inside.name in entering}
        self.owned |= handed_marks(((c.out, c.inside) for c in carries), entering)
        entered = (c.init for c in carries if c.inside.name in entering)
        self.times.note(self._memory(a.name for a in entered if _is_var(a)))
        builder.ops.append(replace(op, body=body, carries=tuple(carries)))

    def _read_within(self, op: For | While) -> list[Atom | Undefined]:
        """What the body of a loop reads, and hands on to the next iteration."""
        names = {n for o in op.body for n in self.reads.by(o)}
        return [*(Var(name) for name in sorted(names)), *(c.next for c in op.carries)]

    def _own_copy(self, init: Var, builder: Builder) -> Var:
        moves = self.growing and init.fact.kind == "list"  # a tangent is as its list
        if moves or init.name in self.primal or init.name in self.undefined:
            return init
        if init.fact.kind == "list":
            whole = deepcopy if is_nested(init.fact) else list
            listed = builder.apply(whole, init, fact=init.fact)
            self.owned.add(listed.name)
            return builder.rename(listed, init.hint or NAMELESS)
        if init.fact.kind != "array":
            return init
        named = builder.rename(builder.method("copy", init), init.hint or NAMELESS)
        self.owned.add(named.name)
        return named

    # ------------------------------------------------------------ ownership

    def _may_index(self, target: Atom, index: Atom) -> bool:
        """Whether what may be written is an array, not a number."""
        if isinstance(target, Var) and self.numbers and target in self.numbers:
            return False
        if isinstance(target, Var) and target.name in self.written:
            return True
        return takes_an_axis(index) or is_surely_array(target, self.made)

    def _may_write(self, atom: Atom, following: Following) -> bool:
        """Whether the memory of an atom is the sweep's own and not read later: then
        it is written now."""
        if not isinstance(atom, Var):
            return False
        if atom.fact.is_scalar:
            # An array without axes stays one, for which its sums are not taken.
            return self.sure.of(atom)
        if atom.name in following:
            return False
        return atom.name in self.owned or self._is_rest(atom, following)

    def _is_rest(self, atom: Var, following: Following) -> bool:
        """Whether this is a slice of an array that is the sweep's own, and of which
        nothing else is read later."""
        whole = whole_of(self.made.get(atom.name))
        if whole is None or whole.name in following:
            return False
        return whole.name in self.owned


def _is_var(atom: object) -> TypeGuard[Var]:
    return isinstance(atom, Var)


def in_place(
    reverse: Block,
    results: Iterable[Atom],
    infer: Infer,
    names: Names,
    *,
    primal: frozenset[str] = frozenset(),
    ahead: Block = Block(),  # noqa: B008  it is frozen
    growing: bool = False,
) -> tuple[Block, frozenset[str]]:
    """The reverse sweep, adding up in its own memory where that is safe; and the names
    of the variables whose memory is its own. ahead: the forward sweep. growing: whether
    sums may have more axes than what is added to, as those of tangents may."""
    ends = tuple(results)
    # views are left to `with_copies`, which copies what is read behind a write
    apart = {op.out.name: () for op in only(walk(reverse), Apply)}
    worker = InPlace(
        infer,
        names,
        PointsTo(reverse, apart=apart),
        primal=primal,
        made={**makers_of(ahead), **makers_of(reverse)},
        numbers=Unspread(reverse),
        sure=SureNumbers(ahead, reverse),
        undefined=undefined_in(reverse),
        growing=growing,
        uses=Counter(a.name for o in walk(reverse) for a in atoms_of(o) if _is_var(a)),
    )
    slim = without_dead(worker.block(reverse, Following({}).also(ends)), ends)
    made = worker.scatter(slim)
    if made is not slim:
        made = without_dead(made, ends)
    own = not (primal or growing)
    if own:
        made = with_merged_updates(made, ends, infer, names, ahead)
    if any(isinstance(op, Store) for op in walk(made)):
        made = with_plainer_stores(made, ends, ahead, infer, names, alone=own)
    made = with_copies(made, ends, shares_none, names, primal, ahead)
    return made, frozenset(worker.owned)
