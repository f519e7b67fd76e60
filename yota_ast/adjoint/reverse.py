"""Tape and activity -> the ops of the reverse sweep, by rules alone.

Nothing here knows of text, of what must be saved, or of writing in place: every op is
functional and says plainly what the rule says. A block of the reverse reads the
variables of the forward block that it mirrors directly, at whatever depth; `keep`
decides how they get there. The loop over the iterations backwards runs over
`Const(Backwards(loop))`, which `keep` replaces.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar

import numpy as np

from ..build import Builder, Names
from ..errors import Location, NoRule, UnsupportedSyntax
from ..facts import (
    BOOL,
    CONTAINERS,
    FLOAT,
    MIXED,
    NOTHING,
    VOID,
    Fact,
    anonymous,
    element_of,
)
from ..libraries import FILTERS
from ..records import replace
from ..rules.rule import BOOK, Bound, Rule, Statement
from ..runtime import added_item, unbroadcast, unset, unset_item, unstore
from ..tape import (
    Apply,
    Atom,
    Block,
    Carry,
    Closed,
    Const,
    For,
    If,
    Merge,
    Op,
    Origin,
    Outlined,
    PathStep,
    Raise,
    Read,
    Store,
    Try,
    Undefined,
    Var,
    While,
    With,
    atoms_of,
    build_dict,
    build_list,
    build_tuple,
    defined_by,
    fact_of_atom,
    is_record,
    path_length,
)
from .activity import RUNNERS, Activity
from .copies import Terms, added
from .edges import at_edges
from .given import of_its_shape
from .growing import Growth, growths
from .instantiate import Template, Value, names_read
from .masks import (
    SAFE,
    Mask,
    mask_of_several,
    sheltered,
    times_infinite,
    unmasked,
)
from .outlined import Pair, Pairs
from .parts import FUNCTIONS, Parts, is_whole, part_of
from .precision import widened
from .real_powers import for_real_powers
from .scope import (
    Item,
    LoopScope,
    Scope,
    adjoint_fact,
    fact_of_end,
    items_of,
    leaves_of,
    named,
    settle_kinds,
    settled_fact,
)
from .selecting import of_choices
from .skeleton import rule_skeleton
from .solved import is_solved, solved_through
from .stable import at_once, under_one_more
from .times import refuse_inner_times
from .vectors import without_vectors

_Joined = TypeVar("_Joined", Merge, Carry)


@dataclass(frozen=True, slots=True)
class Backwards:
    """The iterations of a loop of the forward sweep, last first; called by the name of
    its first carried variable."""

    loop: str


class Derives(Protocol):
    """What reverses the calls of solvers; see derived.py."""

    def reverse(self, op: Apply, within: Reverse, scope: Scope) -> None:
        """Add the adjoints of what a solver's function reads."""


ANY_SHAPE = (operator.getitem, np.sum, np.mean)
"""What is reversed alike for a cotangent of 0.0 that stands for an array of zeros."""


def loop_key(op: For | While) -> str:
    """The name by which the reverse of a loop refers to it."""
    return op.carries[0].out.name


def flows_through(op: Apply) -> tuple[Atom, ...]:
    """The arguments that the result of an op depends on differentiably, by the
    rules."""
    if op.fn in (build_tuple, build_list) or is_record(op.fn):
        return op.args
    if op.fn is build_dict:
        return op.args[1::2]
    if _is_item(op):
        return op.args[:1]
    if op.fn in RUNNERS or isinstance(op.fn, Closed):
        return op.args
    if is_solved(op):
        return solved_through(op)
    if op.fn in (max, min) and any(name == "key" for name, _ in op.kwargs):
        return ()  # the position of an item
    if op.out.fact in (VOID, NOTHING):
        return ()
    bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
    if bound is None:
        return (*op.args, *(a for _, a in op.kwargs))
    sources: list[Atom] = []
    # Of what a rule says nothing it depends too: `NoRule` where that is active.
    for name, value in bound.arguments.items():
        if not bound.rule.has_no_slope(name, value):
            sources += value if isinstance(value, tuple) else (value,)
    return tuple(a for a in sources if isinstance(a, Var))


def _is_item(op: Apply) -> bool:
    """Whether the op takes an item out of a container of known structure."""
    return (
        op.fn is operator.getitem
        and isinstance(op.args[0], Var)
        and op.args[0].fact.kind in CONTAINERS
    )


def _is_numpy(op: Apply) -> bool:
    """Whether an op computes as NumPy does, which does not raise where it divides by
    0."""
    if op.out.fact.is_python or getattr(op.fn, "__module__", "") == "math":
        return False
    kinds = [a.fact.kind for a in op.args if isinstance(a, Var)]
    return isinstance(op.fn, np.ufunc) or bool({"array", "scalar"} & {*kinds})


def _is_named(op: Apply) -> bool:
    """Whether an op reads an item by a name: of no array."""
    if op.fn is not operator.getitem or not isinstance(op.args[0], Var):
        return False
    key, mixed = op.args[1], op.args[0].fact == MIXED  # refused elsewhere, and better
    return isinstance(key, Const) and isinstance(key.value, str) and not mixed


def _is_computed(op: Apply) -> bool:
    """Whether an item of a container of known length is taken by a computed key."""
    container, key = op.args
    if not isinstance(container, Var) or isinstance(key, Const):
        return False
    known = container.fact.items
    if known is None or container.fact.keys is not None:
        return False
    return all(_is_numbers(f) for f in known)


def _is_open(atom: Atom) -> bool:
    """Whether a value is a list of unknown length, with a list of adjoints."""
    fact = fact_of_end(atom)
    return fact.kind in ("list", "tuple") and fact.items is None


def _is_numbers(fact: Fact) -> bool:
    """Whether a value is a number, or a sequence of them."""
    if fact.kind in ("list", "tuple") and fact.items is not None:
        return all(map(_is_numbers, fact.items))
    return fact.is_numeric


@dataclass(slots=True)
class Reverse:
    """The reverse sweep over the blocks of one tape."""

    active: Activity
    repeating: frozenset[str] = frozenset()
    """The results of stores whose index may name one element twice."""
    made: dict[str, Apply] = field(default_factory=dict)
    """The ops of the forward sweep by their variables."""
    pairs: Pairs = field(default_factory=dict)
    saved: Mapping[str, Var] = field(default_factory=dict)
    """What calls of outlined functions save, by the variable of the call."""
    parts: Parts = field(default_factory=dict)
    """What stood, and what stands, where stores change parts of arrays."""
    derived: Derives | None = None
    """What knows the derivatives of the functions that solvers are given."""
    containers: dict[tuple[str, tuple[PathStep, ...]], Var] = field(
        default_factory=dict
    )
    """The fields that are containers of known structure, by argument and path."""
    grown: dict[Atom | Undefined, tuple[Growth, Atom]] = field(default_factory=dict)
    """The adjoints of lists that grow, by what the append gives."""
    bounded: bool = False
    """Whether slopes that are infinite at the edge of a domain become 0."""
    ranked: bool = False
    """Whether cotangents of floats that are floats by the facts are taken for such,
    and not summed to their shape. It is what tidying comes to; of large functions half
    of all ops were such sums."""
    rests_on_ranks: bool = False
    """Whether that was done."""

    def block(self, block: Block, scope: Scope) -> None:
        """Reverse the ops of a block, last first, into the scope's builder."""
        if scope.parent is None:
            refuse_inner_times(block, scope.adjoints, self.active)
        for op in block.ops if scope.parent is None else ():
            if isinstance(op, Read) and items_of(op.out) is not None:
                self.containers[op.root.name, op.path] = op.out
        for op in reversed(block.ops):
            scope.builder.origin = backwards(op.origin)
            if isinstance(op, Apply):
                self._apply(op, scope)
            elif isinstance(op, If):
                self._if(op, scope)
            elif isinstance(op, (For, While)):
                self._loop(op, scope)
            elif isinstance(op, Store):
                self._store(op, scope)
            elif isinstance(op, With):
                self._with(op, scope)
            elif isinstance(op, Try):
                self._try(op, scope)
            elif not isinstance(op, Read):
                assert not any(v in self.active for v in defined_by(op))
        self._reads(block, scope)

    def _reads(self, block: Block, scope: Scope) -> None:
        """Hand on what has reached containers to the parts that are read of them: from
        the outermost inwards, after all that may use a container whole."""
        reads = [op for op in block.ops if isinstance(op, Read)]
        for op in sorted(reads, key=lambda op: len(op.path)):
            at, steps = self._whole_of(op)
            for _, key in steps:
                inner = [i for i in items_of(at) or () if i.key == key]
                if not inner:
                    break
                at = inner[0]
            else:
                self._hand_on(at, op.out, scope)

    def _hand_on(self, at: Var, to: Var, scope: Scope) -> None:
        """Add the adjoint of an item of a container to that of its read."""
        inner, parts = items_of(at), items_of(to)
        if inner is not None and parts is not None:
            for item, part in zip(inner, parts, strict=True):
                self._hand_on(item, part, scope)
            return
        d = scope.pop(at)
        if d is not None:
            scope.add(to, d)

    def _whole_of(self, op: Read) -> tuple[Var, tuple[PathStep, ...]]:
        """The container that a leaf is of, and the way to it from there."""
        for n in range(len(op.path) - 1, 0, -1):
            whole = self.containers.get((op.root.name, op.path[:n]))
            if whole is not None:
                return whole, op.path[n:]
        return op.root, op.path

    # ------------------------------------------------------------ one primitive

    def _apply(self, op: Apply, scope: Scope) -> None:
        if op.out not in self.active:
            return
        if op.fn in (build_tuple, build_list, build_dict) or is_record(op.fn):
            self._build(op, scope)
            return
        if isinstance(op.fn, Outlined):
            self._outlined(op, self.pairs[op.fn.name], scope)
            return
        if isinstance(op.fn, Closed):
            return  # the adjoints go to what it holds
        if is_solved(op):
            assert self.derived is not None
            self.derived.reverse(op, self, scope)
            return
        dy = scope.pop(op.out)
        if dy is None:
            return
        if _is_item(op) and _is_open(op.args[0]):
            self._open_item(op, dy, scope)
        elif (_is_item(op) and not _is_computed(op)) or _is_named(op):
            container, key = op.args
            assert isinstance(container, Var)
            scope.add(self._position(container, key, op), dy)
        else:
            self._by_rule(op, dy, scope)

    def _open_item(self, op: Apply, dy: Atom, scope: Scope) -> None:
        """An item of a list of unknown length: added to the list of adjoints."""
        container, key = op.args
        assert isinstance(container, Var)
        d = scope.get(container)
        d = scope.full(scope.zero(container) if d is None else d, container)
        known, dy = adjoint_fact(container), scope.full(dy, op.out)
        added = scope.builder.apply(added_item, d, key, dy, fact=known)
        scope.adjoints[container.name] = named(scope.builder, added, container)

    def _build(self, op: Apply, scope: Scope) -> None:
        """The adjoints of the items of a container are those of what it is built of."""
        items = op.args[1::2] if op.fn is build_dict else op.args
        places = items_of(op.out)
        assert places is not None
        for item, place in zip(items, places, strict=True):
            d = scope.pop(place)
            if d is not None and isinstance(item, Var) and item in self.active:
                scope.add(item, d)

    def _outlined(self, op: Apply, pair: Pair, scope: Scope) -> None:
        """The call of an outlined function is reversed by a call of its reverse."""
        results: tuple[Var, ...] = items_of(op.out) or (op.out,)
        popped = [scope.pop(r) for r in results]
        if all(d is None for d in popped):
            return
        cotangents: list[Atom] = []
        for k in pair.reached:
            d = popped[k]
            d = scope.zero(results[k]) if d is None else scope.full(d, results[k])
            if adjoint_fact(results[k]) == FLOAT and fact_of_end(d) != FLOAT:
                d = scope.builder.apply(float, d)
            cotangents.append(d)
        given = [op.args[i] for i in pair.needs]
        given += [self.saved[op.out.name]] if pair.saves else []
        facts = tuple(adjoint_fact(pair.function.params[i]) for i in pair.asked)
        single = len(facts) == 1
        fact = facts[0] if single else Fact("tuple", items=facts, cls=Outlined)
        whole = scope.builder.apply(pair.reverse, *given, *cotangents, fact=fact)
        for k, i in enumerate(pair.asked):
            arg = op.args[i]
            if isinstance(arg, Var) and arg in self.active:
                scope.add(arg, whole if single else _taken(scope, whole, k, facts[k]))

    def _items(self, items: Iterable[Atom], dy: Atom, scope: Scope, rule: Rule) -> None:
        """The adjoint of a `*args` parameter goes to the arguments."""
        name = rule.varargs or ""
        for k, item in enumerate(items):
            if isinstance(item, Var) and item in self.active:
                fact = adjoint_fact(item)
                if fact.is_scalar:
                    fact = Fact("scalar", fact.dtype, ())
                known = fact if rule.chapter else None
                part: Atom = scope.builder.apply(
                    operator.getitem, dy, Const(k), fact=known
                )
                part = of_its_shape(scope.builder, rule, name, part, item)
                scope.add(item, part)

    def _position(self, container: Var, key: Atom, op: Apply) -> Item:
        items = items_of(container)
        if items is not None and isinstance(key, Const):
            for item in items:
                if container.fact.keys is not None and item.key == key.value:
                    return item
            if container.fact.keys is None and isinstance(key.value, int):
                return items[key.value]
        raise UnsupportedSyntax(
            "an item of a container whose structure is not known, on the path of a"
            " derivative",
            at=op.origin.location,
            remedy="Use an array, or a container of known length and a literal key.",
        )

    def _by_rule(self, op: Apply, dy: Atom, scope: Scope) -> None:
        location = op.origin.location
        bound = BOOK.choose(op.fn, op.args, op.kwargs, location)
        if bound is None:
            raise no_rule(op, location)
        self._refuse_gaps(op, bound)
        self._refuse_mixture(op)
        dy = for_real_powers(scope.builder, op, dy, self.made.get)
        if op.fn in (np.select, np.choose):
            chosen = of_choices(scope.builder, self.made, op, scope.full(dy, op.out))
            if chosen is not None:
                for target, d in chosen:
                    if target in self.active:
                        scope.add(target, d)
                return
        whole = at_once(scope.builder, self.made, op, dy)
        if whole is not None and whole[0] in self.active:
            scope.add(*whole)
            return
        wanted = {p for p in bound.rule.adjoints if self._wants(bound.arguments[p])}
        below = under_one_more(scope.builder, self.made, op, dy)
        if below is not None and below[0] in self.active:
            scope.add(*below)
            wanted -= {p for p in wanted if bound.arguments[p] is op.args[1]}
        names: dict[str, Value] = dict(bound.arguments)
        masks, dy = self._cotangent(op, bound.rule, dy, scope)
        result: Atom = op.out
        if masks:
            result = sheltered(scope.builder, masks, result, op.fn)
            names = {
                name: value
                if isinstance(value, tuple)
                else sheltered(scope.builder, masks, value, op.fn)
                for name, value in names.items()
            }
        names |= {bound.rule.result: result, bound.rule.cotangent: dy}
        if bound.rule.keywords is not None:
            names[bound.rule.keywords] = bound.keywords  # type: ignore[assignment]
        if bound.rule.elementwise:
            names |= self._as_floats(bound, scope)
        for name in bound.converted:
            given = bound.arguments[name]
            assert not isinstance(given, tuple)
            names[name] = scope.builder.apply(np.asarray, given)
        template = Template(
            names, bound.rule.resolve, scope.builder, _is_numpy(op), self.made.get
        )
        sums: dict[str, tuple[Var, Atom]] = {}
        ops = scope.builder.ops
        for statement in needed_statements(bound.rule, wanted):
            before = len(ops)
            value = template.value(statement.expr)
            without_vectors(scope.builder)
            template.names[statement.target] = value
            for p in bound.rule.adjoints:
                if p in wanted and bound.rule.adjoints[p] == statement.target:
                    if self.bounded and bound.rule.elementwise:
                        value = at_edges(scope.builder, op, value, dy)
                    value = _masked(scope.builder, masks, value)
                    new, before = len(ops) > before, len(ops)  # for one argument alone
                    self._distribute(bound, p, value, sums, op, scope, new=new)
        for target, total in sums.values():
            scope.add(target, total)

    def _as_floats(self, bound: Bound, scope: Scope) -> dict[str, Value]:
        """Integers of so few digits that what an adjoint makes of them is cut off."""
        return {
            name: scope.builder.method("astype", value, Const(float, "float"))
            for name, value in bound.arguments.items()
            if isinstance(value, Var)
            and value.fact.kind == "array"
            and value.fact.dtype is not None
            and value.fact.dtype.kind in "iu"
            and value.fact.dtype.itemsize < 4
        }

    def _distribute(
        self,
        bound: Bound,
        name: str,
        value: Value,
        sums: dict[str, tuple[Var, Atom]],
        op: Apply,
        scope: Scope,
        *,
        new: bool,
    ) -> None:
        """The adjoint of a parameter goes to its argument; those of one argument given
        twice are added first: `x * x` gives `2 * dy * x`. new: whether an op has just
        been added for it, which may be called by its name."""
        target = bound.arguments[name]
        if isinstance(target, tuple):
            assert not isinstance(value, tuple)
            self._items(target, value, scope, bound.rule)
        elif isinstance(target, Var) and not isinstance(value, tuple):
            known = fact_of_end(value)
            if target.fact.is_scalar and known.is_scalar and known.kind == "array":
                # Sums of numbers must not be written into an array without axes.
                number = Fact("scalar", None, ())
                value = scope.builder.apply(
                    operator.getitem, value, Const(()), fact=number
                )
            if bound.rule.elementwise:
                if not (new and self._is_as_wanted(value, target, scope.builder)):
                    value = unspread(scope.builder, value, target)
            else:
                value = of_its_shape(scope.builder, bound.rule, name, value, target)
                value = self._shaped(value, target, op, scope)
            if target.name in sums:
                before = sums[target.name][1]
                value = scope.added(target, before, value)
            sums[target.name] = (target, value)

    def _is_as_wanted(self, d: Atom, x: Var, builder: Builder) -> bool:
        """Whether a cotangent is that of a float as it stands: the value of the op that
        was just added, or one that gets no name here."""
        if not self.ranked or not isinstance(d, Var):
            return False
        if d.fact.kind != "float" or x.fact.kind != "float":
            return False
        last = builder.ops[-1]
        if not isinstance(last, Apply) or last.out is not d:
            return False
        self.rests_on_ranks = True
        return True

    def _shaped(self, value: Atom, target: Var, op: Apply, scope: Scope) -> Atom:
        """An adjoint that has the shape of its variable, whatever was inferred of
        it, and its type, where all that it is made of is of double precision."""
        known = adjoint_fact(target)
        if not isinstance(value, Var) or known.kind != "array" or known.shape is None:
            return value
        if value.fact.kind not in ("array", "real", "unknown"):
            return value
        double = known.dtype == np.float64 and value.fact.dtype is None
        if not double or not all(map(_is_double, (*op.args, op.out))):
            known = value.fact.with_shape(known.shape)
        elif value.fact.dtype is not None:
            known = replace(known, dtype=value.fact.dtype)
        return scope.builder.refine(value, known)

    def _cotangent(
        self, op: Apply, rule: Rule, dy: Atom, scope: Scope
    ) -> tuple[tuple[Mask, ...], Atom]:
        """The cotangent that a rule is given, and the masks that were taken off it."""
        if not rule.elementwise:
            return (), dy if op.fn in ANY_SHAPE else scope.full(dy, op.out)
        masks, inner = unmasked(scope.builder, dy)
        if not masks and not op.out.fact.is_python:
            if op.fn in SAFE or times_infinite(op, self.made):
                several = mask_of_several(scope.builder, dy)
                masks = () if several is None else (several,)
        return masks, inner

    def _wants(self, value: Value) -> bool:
        if isinstance(value, tuple):
            return any(a in self.active for a in value)
        return value in self.active

    def _refuse_gaps(self, op: Apply, bound: Bound) -> None:
        """An active value in a parameter with neither a rule nor `nodiff`."""
        for name, value in bound.arguments.items():
            stated = name in bound.rule.adjoints
            stated = stated or bound.rule.has_no_slope(name, value)
            if not stated and self._wants(value):
                why = bound.rule.refused.get(name, "")
                raise no_rule(op, op.origin.location, parameter=name, why=why)

    def _refuse_mixture(self, op: Apply) -> None:
        """An item of what is not a container in every case: what its adjoint is made
        of differs from one run to the next."""
        if op.fn is not operator.getitem or fact_of_end(op.args[0]) != MIXED:
            return
        raise UnsupportedSyntax(
            "an item of what is a tuple, list or dict in one case and something else in"
            " another, on the path of a derivative",
            at=op.origin.location,
            remedy="Use one structure in every case, or a variable for each.",
        )

    # ------------------------------------------------------------ branches

    def _with(self, op: With, scope: Scope) -> None:
        """The body is reversed within the same context: its warnings are not wanted."""
        outer, inner = scope.builder, scope.builder.nested()
        scope.builder = inner
        self.block(op.body, scope)
        scope.builder = outer
        if inner.ops:
            body = Block((*_filters(op.body, outer.names), *inner.block()))
            outer.ops.append(With(op.context, body, backwards(op.origin)))

    def _try(self, op: Try, scope: Scope) -> None:
        """A try is a branch on whether its body raised; its first merge tells."""
        flag = op.merges[0].out
        completed = Block((*op.body.ops, *op.orelse.ops))
        merges = tuple(Merge(m.out, m.orelse, m.then) for m in op.merges)
        self._if(If(flag, op.handler, completed, merges, origin=op.origin), scope)

    def _if(self, op: If, scope: Scope) -> None:
        for block, other, side in (
            (op.then, op.orelse, "orelse"),
            (op.orelse, op.then, "then"),
        ):
            if never_ends(block):
                self._only(op, other, side, scope)
                return
        merges = [
            leaf for m in op.merges if m.out in self.active for leaf in _leaves(m)
        ]
        reached = [(m, scope.pop(m.out)) for m in merges]
        if all(d is None for _, d in reached):
            return
        arms = []
        for block, side in ((op.then, "then"), (op.orelse, "orelse")):
            builder = scope.builder.nested()
            arm = Scope(builder, names_within(block), scope)
            for merge, d in reached:
                source = getattr(merge, side)
                if d is not None and isinstance(source, Var) and source in self.active:
                    arm.add(source, d)
            self.block(block, arm)
            arms.append(arm)
        self._join(op, arms[0], arms[1], scope)

    def _only(self, op: If, block: Block, side: str, scope: Scope) -> None:
        """A branch of which one arm raises: where the reverse runs, the other one
        ran."""
        scope.defined |= names_within(block)
        for merge in (
            leaf for m in op.merges if m.out in self.active for leaf in _leaves(m)
        ):
            d, source = scope.pop(merge.out), getattr(merge, side)
            if d is not None and isinstance(source, Var) and source in self.active:
                scope.add(source, d)
        self.block(block, scope)

    def _join(self, op: If, then: Scope, orelse: Scope, scope: Scope) -> None:
        """The adjoints that the arms changed merge; the `If` of the reverse is
        added."""
        origin = backwards(op.origin)
        touched = {**then.entered, **orelse.entered}
        merges = []
        for name, var in touched.items():
            sides = []
            for arm in (then, orelse):
                if name not in arm.adjoints:
                    prior = scope.get(var)
                    arm.builder.origin = origin
                    arm.adjoints[name] = arm.zero(var) if prior is None else prior
                sides.append(arm.adjoints[name])
            if sides[0] == sides[1]:
                scope.adjoints[name] = sides[0]
                continue
            known = settled_fact(scope.fact(var), sides)
            out = scope.joined(var, sides, known, f"d{name}")
            merges.append(Merge(out, sides[0], sides[1]))
            scope.adjoints[name] = out
        scope.builder.ops.append(
            If(op.test, then.builder.block(), orelse.builder.block(), tuple(merges),
               origin=origin)
        )  # fmt: skip

    # ------------------------------------------------------------ loops

    def _loop(self, op: For | While, scope: Scope) -> None:
        self._take_items(op, scope)
        carries = [
            leaf
            for c in op.carries
            if c.out in self.active or c.inside in self.active
            for leaf in _leaves(c)
            if leaf.next not in self.grown
        ]
        reached = [(c, scope.pop(c.out)) for c in carries]
        if all(d is None for _, d in reached) and not any(
            c.next in self.grown for c in op.carries
        ):
            return
        self._refuse_iterable(op)
        origin = backwards(op.origin)
        builder = scope.builder.nested()
        defined = names_within(op.body) | {c.inside.name for c in op.carries}
        if isinstance(op, For):
            defined |= {t.name for t in op.targets}
        body = LoopScope(builder, defined, scope)
        entering = self._enter(reached, body, scope)
        self.block(op.body, body)
        back = []
        for c, init, inside in entering:
            after = body.pop(c.inside)
            builder.origin = origin
            following = body.zero(c.inside) if after is None else after
            if inside.name not in scope.loose:
                following = body.full(following, c.inside)
            out = body.joined(c.inside, (inside,), inside.fact, f"d{c.out.name}")
            back.append(Carry(out, init, inside, following))
        sums = settle_kinds((*back, *body.carries()))
        scope.builder.ops.append(
            For(
                (), Const(Backwards(loop_key(op))), builder.block(), sums, origin=origin
            )
        )
        for name, settled in zip(body.carried, sums[len(entering) :], strict=True):
            scope.adjoints[name] = settled.out
        for (c, _, _), settled in zip(entering, sums, strict=False):
            if isinstance(c.init, Var) and c.init in self.active:
                scope.add(c.init, settled.out)

    def _take_items(self, op: For | While, scope: Scope) -> None:
        """Of lists that grow by an item an iteration, the adjoint stays whole."""
        for g in growths(op, self.made, lambda v: v in self.active):
            d = scope.pop(g.carry.out)
            if d is None:
                continue
            self.grown[g.store.out] = g, d
            if isinstance(g.carry.init, Var) and g.carry.init in self.active:
                scope.add(g.carry.init, d)

    def _enter(
        self, reached: list[tuple[Carry, Atom | None]], body: LoopScope, scope: Scope
    ) -> list[tuple[Carry, Atom, Var]]:
        """The carried adjoints as an iteration, from the last on, finds them."""
        entering = []
        for c, d in reached:
            init = scope.zero(c.out) if d is None else d
            # It comes from the iteration after, whose variable may have another shape.
            known = anonymous(body.fact(c.inside))
            inside = body.joined(c.inside, (init,), known, f"d{c.inside.name}")
            entering.append((c, init, inside))
        for c, _, inside in entering:
            if isinstance(c.next, Var) and c.next in self.active:
                body.add(c.next, inside)
        return entering

    def _refuse_iterable(self, op: For | While) -> None:
        if isinstance(op, For) and op.iterable in self.active:
            raise UnsupportedSyntax(
                "a loop over the items of a value that is differentiated",
                at=op.origin.location,
                remedy="Loop over `range(len(x))` and read `x[i]`.",
            )

    # ------------------------------------------------------------ stores

    def _store(self, op: Store, scope: Scope) -> None:
        if op.out not in self.active:
            return
        if op.out in self.grown:
            self._grow(op, *self.grown[op.out], scope)
            return
        d = scope.pop(op.out)
        if d is None:
            return
        builder = scope.builder
        if not is_whole(op) or op.augment not in ("+", "-"):
            d = scope.full(d, op.out)
        if _may_be_number(op) and not is_whole(op):
            d = builder.apply(np.asarray, d)
        if op.augment == "append":
            if op.value in self.active and isinstance(op.value, Var):
                fact = adjoint_fact(op.value)
                last = builder.apply(operator.getitem, d, Const(-1), fact=fact)
                scope.add(op.value, _as_appended(last, op, builder))
            assert isinstance(op.target, Var)
            rest = builder.apply(
                operator.getitem, d, Const(slice(None, -1)), fact=op.target.fact
            )
            scope.add(op.target, rest)
            return
        if op.augment in FUNCTIONS:
            self._change(op, d, scope)
            return
        terms = added(op, self.made, scope.copies) if scope.copying else None
        if terms is not None and op.target in self.active:
            self._sum(op, terms, d, scope)
            return
        assert op.augment in ("", "view", "+", "-", "+at", "-at")
        if op.value in self.active and isinstance(op.value, Var):
            part = self._stored(op, d, builder)
            if op.augment in ("-", "-at"):
                part = builder.apply(operator.neg, part)
            part = widened(builder, part, op.value, op.target)
            listed = op.target.fact.kind == op.value.fact.kind == "list"
            if not listed:  # a list that is put into another stays as long as it is
                part = unspread(builder, part, op.value)
            scope.add(op.value, part)
        if op.target in self.active and isinstance(op.target, Var):
            if op.augment not in ("", "view"):
                scope.add(op.target, d)
            elif not is_whole(op):
                listed = _is_open(op.target) or op.target.fact.kind == "list"
                before = unset_item if listed else unset
                known = adjoint_fact(op.out) if listed else None
                stood = self.parts.get(op.out.name)
                args = (d, op.index) if stood is None else (d, op.index, stood.before)
                scope.add(op.target, builder.apply(before, *args, fact=known))

    def _sum(self, op: Store, terms: Terms, d: Atom, scope: Scope) -> None:
        """The adjoint of `target[index] = target[index] + ...`."""
        part = self._stored(op, d, scope.builder)
        for sign, term in terms:
            if term in self.active and isinstance(term, Var):
                own = part if sign == 1 else scope.builder.apply(operator.neg, part)
                scope.add(term, unspread(scope.builder, own, term))
        scope.add(op.target, d)

    def _grow(self, op: Store, growth: Growth, d: Atom, scope: Scope) -> None:
        """The adjoint of what an iteration has appended."""
        if op.value not in self.active or not isinstance(op.value, Var):
            return
        place: Atom = growth.index
        if growth.before:
            place = scope.builder.apply(operator.add, place, Const(growth.before))
        part = scope.builder.apply(
            operator.getitem, d, place, fact=adjoint_fact(op.value)
        )
        scope.add(op.value, _as_appended(part, op, scope.builder))

    def _stored(self, op: Store, d: Atom, builder: Builder) -> Atom:
        """The adjoint of what a store has put: at one place, of the last alone."""
        if is_whole(op):
            return d
        last = op.out.name in self.repeating and not op.augment.endswith("at")
        if path_length(op.target, op.index) and isinstance(d, Var):
            d = builder.refine(d, adjoint_fact(op.target))
        return builder.apply(unstore if last else operator.getitem, d, op.index)

    def _change(self, op: Store, d: Atom, scope: Scope) -> None:
        """The adjoint of `target[index] *= value` and the like, by the rule of the
        operator on what stood there."""
        builder = scope.builder
        made = part_of(op, self.parts)
        assert made is not None
        part = self._stored(op, d, builder)
        if op.target in self.active and not is_whole(op):
            scope.add(op.target, builder.apply(unset, d, op.index))
        part = widened(builder, part, op.value, op.target)
        fn, args = FUNCTIONS[op.augment], (made.before, op.value)
        self._by_rule(Apply(made.after, fn, args, origin=op.origin), part, scope)


def _taken(scope: Scope, whole: Var, at: int, fact: Fact) -> Var:
    """One of several results."""
    return scope.builder.apply(operator.getitem, whole, Const(at), fact=fact)


def _may_be_number(op: Store) -> bool:
    """Whether the adjoint of an array that is written may be a NumPy number: it may
    have no axes, and the index names none."""
    if op.target.fact.rank is not None or op.target.fact.kind == "list":
        return op.target.fact.shape == ()
    index = fact_of_atom(op.index)
    return index.kind in ("array", "unknown", "real", "bool")


def _as_appended(part: Atom, op: Store, builder: Builder) -> Atom:
    """The adjoint of what is appended, real where other items make it complex."""
    known = fact_of_end(op.value)
    if known.is_numeric and not known.is_complex and element_of(op.out.fact).is_complex:
        return builder.apply(np.real, part)
    return part


def _is_double(atom: Atom) -> bool:
    """Whether a value is real, and no array of single precision."""
    if isinstance(atom, Const):
        return not isinstance(atom.value, complex | np.ndarray)
    if atom.fact.kind in ("tuple", "list") and atom.fact.items is not None:
        return all(_is_double(Var("", f)) for f in atom.fact.items)
    if atom.fact.kind in ("array", "scalar"):
        return atom.fact.dtype in (np.float64, np.int64, np.bool_)
    return atom.fact.kind in ("float", "int", "bool", "none", "str")


def _leaves(joined: _Joined) -> list[_Joined]:
    """What a branch or a loop joins; of containers, the leaves one by one."""
    leaves = leaves_of(joined.out)
    if leaves == (joined.out,):
        return [joined]
    sides = [f.name for f in fields(joined)]
    found = []
    for leaf in leaves:
        place = leaf.name.removeprefix(joined.out.name)
        parts: dict[str, Any] = {
            side: _leaf_at(getattr(joined, side), place) for side in sides
        }
        found.append(replace(joined, **parts))
    return found


def _leaf_at(atom: Atom | Undefined, place: str) -> Atom | Undefined:
    """The leaf of a container at a place; no variable where there is none."""
    if not isinstance(atom, Var):
        return atom
    at = {v.name.removeprefix(atom.name): v for v in leaves_of(atom)}
    return at.get(place, Const(0.0))


def _masked(builder: Builder, masks: tuple[Mask, ...], value: Value) -> Value:
    """What a rule gives, with the masks on it that were taken off its cotangent."""
    for mask in reversed(masks):
        if not isinstance(value, tuple):
            value = mask.on(builder, value)
    return value


def needed_statements(rule: Rule, wanted: Iterable[str]) -> tuple[Statement, ...]:
    """The statements of a rule that the adjoints of some parameters rest on."""
    return _needed_statements(rule, frozenset(wanted))


@functools.lru_cache(4096)
def _needed_statements(rule: Rule, wanted: frozenset[str]) -> tuple[Statement, ...]:
    """The same, for the few rules that most ops of a function have."""
    targets = {rule.adjoints[p] for p in wanted}
    needed: list[Statement] = []
    for statement in reversed(rule.statements):
        if statement.target in targets:
            needed.append(statement)
            targets |= names_read(statement.expr)
    return tuple(reversed(needed))


def never_ends(block: Block) -> bool:
    """Whether a block always raises."""
    if not block.ops:
        return False
    last = block.ops[-1]
    if isinstance(last, If):
        return never_ends(last.then) and never_ends(last.orelse)
    return isinstance(last, Raise)


def with_flags(block: Block, names: Names) -> Block:
    """The block, each try in it with a first merge that tells whether its body
    raised."""
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Try):
            out = Var(names.fresh("caught"), BOOL, "caught")
            told = Merge(out, Const(False), Const(True))
            op = replace(
                op, merges=(told, *op.merges), body=with_flags(op.body, names),
                orelse=with_flags(op.orelse, names), handler=with_flags(op.handler,
                names),
            )  # fmt: skip
        elif isinstance(op, If):
            then, orelse = with_flags(op.then, names), with_flags(op.orelse, names)
            op = replace(op, then=then, orelse=orelse)
        elif isinstance(op, (For, While, With)):
            op = replace(op, body=with_flags(op.body, names))
        ops.append(op)
    return Block(tuple(ops))


def _filters(body: Block, names: Names) -> Iterator[Apply]:
    """What a body says of the warnings that are wanted, once more."""
    for op in body:
        if isinstance(op, Apply) and op.fn in FILTERS:
            if all(isinstance(a, Const) for a in atoms_of(op)):
                out = Var(names.fresh(op.out.name), op.out.fact)
                origin = replace(backwards(op.origin), text="")  # it says it itself
                yield replace(op, out=out, origin=origin)


def backwards(origin: Origin) -> Origin:
    """The place of what reverses a statement; a comment quotes no headers of blocks."""
    text = "" if origin.text.endswith(":") else origin.text
    return replace(origin, text=text, reverse=True)


def unspread(builder: Builder, d: Atom, x: Var) -> Var:
    """The cotangent summed to the shape of an operand; one of lists is an array."""
    listed = x.fact.kind in ("list", "tuple")
    return builder.apply(unbroadcast, d, builder.apply(np.asarray, x) if listed else x)


def names_within(block: Block) -> frozenset[str]:
    """The variables that the ops of a block define (inner blocks not included)."""
    return frozenset(v.name for op in block for v in defined_by(op))


def no_rule(
    op: Apply, at: Location | None, parameter: str = "", why: str = ""
) -> NoRule:
    """The error for a function on the path of a derivative that has no rule."""
    name = getattr(op.fn, "__name__", "") or f"an object of {type(op.fn).__name__}"
    if name == "__call__":
        name = f"an object of {op.fn.__qualname__.partition('.')[0]}"
    what = f"{name} has no rule"
    if parameter:
        what = f"the rules of {name} give no derivative with respect to {parameter}"
        what += f": {why}" if why else ""
    return NoRule(what, at=at, remedy=rule_skeleton(op))
