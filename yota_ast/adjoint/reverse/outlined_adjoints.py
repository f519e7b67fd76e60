"""The functions that a tape calls -> what derivatives are taken of them, and how.

In: a tape whose ops call `Outlined`.  Out: for each function with a derivative a
`Pair`, which says what its reverse gives and what it must be given; and the tape with
the calls of those functions made calls of their forward sweeps.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.functions import Parameter
>>> x, n, y, z = Var("x", FLOAT), Var("n"), Var("y", FLOAT), Var("z", FLOAT)
>>> f = Function("_f", (x, n), Block((Apply(y, abs, (x,)),)), y)
>>> call = Apply(z, Outlined("_f"), (x, Const(2)))
>>> tape = Tape("g", (Parameter(x),), Block((call,)), z, functions=(f,))
>>> pairs = pairs_of(tape, [x], lambda op: op.args)
>>> pairs["_f"].asked, pairs["_f"].reached
((0,), (0,))
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.analysis.activity import Activity, Through, activity
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.points_to import PointsTo, is_array
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import outlined_in
from yota_ast.ir.builder import Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Outlined,
    map_blocks,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.syntax import saved_names

FORWARD, REVERSE = "_forward", "_reverse"
SAVED = Fact("other", cls=tuple)
"""What a forward sweep hands to its reverse: nothing is computed from it as a whole."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A function of which a derivative is taken.

    asked: the parameters of which its reverse gives the adjoints. reached: the results
    of which it takes the cotangents. needs: the parameters that it is given once more.
    saves: whether the forward sweep hands anything to it. borrows, lends: whether that
    may share memory with an argument, with a result.
    """

    function: Function
    asked: tuple[int, ...] = ()
    reached: tuple[int, ...] = ()
    needs: tuple[int, ...] = ()
    saves: bool = False
    borrows: bool = False
    lends: bool = False

    @property
    def forward(self) -> Outlined:
        """What the forward sweep calls."""
        f = self.function
        fresh = not (f.uncertain or self.borrows or self.lends)
        return Outlined(f.name + FORWARD if self.saves else f.name, fresh)

    @property
    def reverse(self) -> Outlined:
        """What the reverse sweep calls: it returns memory that nothing else shares."""
        return Outlined(self.function.name + REVERSE, fresh=True)


Pairs = Mapping[str, Pair]
"""By the name of the function, and by that of its forward sweep."""

# ---------------------------------------------------------------- activity


@dataclass(slots=True)
class _Calls:
    """Who depends on what, through calls."""

    functions: dict[str, Function]
    plain: Through
    ints: bool
    depends: dict[str, frozenset[int]] = field(default_factory=dict)
    asked: dict[str, set[int]] = field(default_factory=dict)
    known: dict[tuple[str, frozenset[str]], Activity] = field(default_factory=dict)
    """What has been found active in a function, by the parameters that are asked for:
    as long as `depends` stays, which it does once it is settled."""

    def through(self, op: Apply) -> tuple[Atom, ...]:
        """The arguments that the result of an op depends on differentiably."""
        if not isinstance(op.fn, Outlined):
            return self.plain(op)
        places = self.depends.get(op.fn.name, frozenset())
        return tuple(op.args[i] for i in sorted(places))

    def settle_dependence(self) -> None:
        """Find on which parameters the results of each function depend: of those that
        are called first, and again where what they call has changed."""
        called = {f.name: outlined_in(f.block) for f in self.functions.values()}
        seen: dict[str, object] = {}
        changed = True
        while changed:
            changed = False
            for f in reversed(self.functions.values()):
                inner = [self.depends.get(name) for name in called[f.name]]
                if seen.get(f.name) == inner:
                    continue
                seen[f.name] = inner
                asked = [p for p in f.params if self.ints or p.fact.holds_floats]
                active = activity(f, asked, self.through)
                self.known[f.name, frozenset(p.name for p in asked)] = active
                found = frozenset(i for i, p in enumerate(f.params) if p in active)
                changed = changed or found != self.depends.get(f.name, frozenset())
                self.depends[f.name] = found

    def ask(self, block: Block, active: Activity) -> None:
        """Note of which parameters the calls in a block ask the adjoints."""
        for op in walk(block):
            if isinstance(op, Apply) and isinstance(op.fn, Outlined):
                if op.out in active:
                    asked = self.asked.setdefault(op.fn.name, set())
                    for i in self.depends[op.fn.name]:
                        if op.args[i] in active:
                            asked.add(i)

    def settle_asked(self) -> None:
        """Ask through the functions, until nothing new is asked."""
        done: dict[str, set[int]] = {}
        while pending := [n for n, a in self.asked.items() if a != done.get(n)]:
            for name in pending:
                done[name] = set(self.asked[name])
                f = self.functions[name]
                self.ask(f.block, self.active_in(f))

    def active_in(self, f: Function) -> Activity:
        """The active variables of a function."""
        asked = [f.params[i] for i in sorted(self.asked[f.name])]
        key = f.name, frozenset(p.name for p in asked)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = activity(f, asked, self.through)
        return found


def pairs_of(tape: Tape, leaves: Iterable[Var], plain: Through) -> dict[str, Pair]:
    """The functions of which derivatives are taken, by name."""
    asked = tuple(leaves)
    ints = any(v.fact.varies or not v.fact.holds_floats for v in asked)
    calls = _Calls({f.name: f for f in tape.functions}, plain, ints)
    calls.settle_dependence()
    calls.ask(tape.block, activity(tape, asked, calls.through))
    calls.settle_asked()
    pairs = {}
    for name, places in calls.asked.items():
        if places:
            f = calls.functions[name]
            active = calls.active_in(f)
            reached = [k for k, r in enumerate(results_of(f)) if r in active]
            pairs[name] = Pair(f, tuple(sorted(places)), tuple(reached))
    return pairs


def results_of(f: Function) -> tuple[Atom, ...]:
    """The results of a function, one by one."""
    for op in f.block:
        if isinstance(op, Apply) and op.fn is build_tuple and op.out == f.result:
            return op.args
    return (f.result,)


def through_pairs(pairs: Pairs, plain: Through) -> Through:
    """The arguments that a result depends on, of outlined functions too."""

    def through(op: Apply) -> tuple[Atom, ...]:
        if not isinstance(op.fn, Outlined):
            return plain(op)
        pair = pairs.get(op.fn.name)
        return () if pair is None else tuple(op.args[i] for i in pair.asked)

    return through


# ---------------------------------------------------------------- forward calls


@dataclass(slots=True)
class Forward:
    """Makes the calls in a block calls of forward sweeps.

    saved: what each of them hands to its reverse, by the variable of the call.
    """

    pairs: Pairs
    names: Names
    nameless: str  # what a call saves whose result has no name
    saved: dict[str, Var] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """The block, what the forward sweeps save unpacked."""
        ops: list[Op] = []
        for op in block:
            if isinstance(op, Apply) and isinstance(op.fn, Outlined):
                ops += self.call(op)
            else:
                ops.append(map_blocks(op, self.block))
        return Block(tuple(ops))

    def call(self, op: Apply) -> list[Op]:
        """A call, and the op that takes what is saved out of its results."""
        pair = self.pairs.get(op.fn.name) if isinstance(op.fn, Outlined) else None
        if pair is None or not pair.saves:
            return [op]
        out, results = op.out, results_of(pair.function)
        single = len(results) == 1
        facts = (out.fact,) if single else out.fact.items or ()
        fact = Fact("tuple", items=(*facts, SAVED), cls=tuple)
        name = self.names.fresh(f"{out.name}.all") if single else out.name
        whole = Var(name, fact, None if single else out.hint)
        hint = saved_names.of_call(out.hint) if single and out.hint else self.nameless
        saved = Var(self.names.fresh("saved"), SAVED, hint)
        self.saved[whole.name] = saved
        at = len(facts)
        ops: list[Op] = [replace(op, out=whole, fn=pair.forward)]
        if single:
            ops.append(_item(out, whole, 0, op))
        return [*ops, _item(saved, whole, at, op)]


def _item(out: Var, whole: Var, at: int, op: Apply) -> Apply:
    return Apply(
        out, operator.getitem, (whole, Const(at)), form="unpack", origin=op.origin
    )


def check_untouched(block: Block, forward: Forward) -> None:
    """Refuse a block that writes into an array which a reverse sweep reads as it was
    when the function was called, or as it was returned."""
    calls = [
        (op, forward.pairs[op.fn.name])
        for op in walk(block)
        if isinstance(op, Apply) and isinstance(op.fn, Outlined)
        if op.out.name in forward.saved
    ]
    if not any(pair.borrows or pair.lends for _, pair in calls):
        return
    # What a call saves beside its results is out of reach of the names of lists.
    arrays = [
        op.out.name
        for op, pair in calls
        if all(is_array(fact_of_end(a)) for a in results_of(pair.function))
    ]
    points = PointsTo(block, apart=apart_in(block, forward.pairs))
    memory = Memory(block, points, arrays)
    for op, pair in calls:
        saved = forward.saved[op.out.name]
        lent = [saved] * pair.borrows + [op.out] * pair.lends
        if any(map(memory.reached, lent)):
            title = pair.function.title
            raise UnsupportedSyntax(
                f"an array that `{title}` takes or returns changes after the "
                "call, and the reverse sweep reads it",
                at=op.origin.location,
                remedy=f"Give `{title}` a copy, or write into a copy of its result.",
            )


def apart_in(block: Block, pairs: Pairs) -> dict[str, tuple[Atom, ...]]:
    """What the items of what calls in a block give share memory with: the results with
    nothing, what is saved with the arguments at most."""
    calls: dict[str, tuple[Pair, Apply]] = {}
    found: dict[str, tuple[Atom, ...]] = {}
    for op in walk(block):
        if not isinstance(op, Apply):
            continue
        if isinstance(op.fn, Outlined) and op.fn.name in pairs:
            pair = pairs[op.fn.name]
            if pair.saves and not pair.lends:
                calls[op.out.name] = pair, op
        elif op.fn is operator.getitem and isinstance(op.args[0], Var):
            if op.args[0].name not in calls:
                continue
            pair, call = calls[op.args[0].name]
            if op.args[1] == Const(len(results_of(pair.function))):
                found[op.out.name] = call.args if pair.borrows else ()
            elif not pair.function.uncertain:
                found[op.out.name] = ()
    return found
