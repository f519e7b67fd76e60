"""Tape -> the names on a path from wrt to the result.

A variable is *varied* where it depends differentiably on an argument asked for, and
*useful* where the result depends differentiably on it; it is *active* where both hold.
Only active variables get adjoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import Fact, has_labels
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import is_loop, merges_of
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Closed,
    For,
    If,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    blocks_of,
)
from yota_ast.ir.tape import Tape

RUNNERS = (zip, enumerate, reversed, map, filter, iter)
"""What runs over the items of what it is made of."""
_RUNNERS = frozenset(map(id, RUNNERS))


def makes_iterator(fn: object) -> bool:
    """Whether a function makes what gives its items once."""
    return id(fn) in _RUNNERS or getattr(fn, "__module__", "") == "itertools"


_Other = Read | Store | If | For | While | Raise | With | Try
Flow = tuple[Var, tuple[object, ...]]
Through = Callable[[Apply], tuple[Atom, ...]]
"""The arguments of an op that its result depends on differentiably."""


@dataclass(frozen=True, slots=True)
class Activity:
    """The names of the active variables."""

    names: frozenset[str]

    def __contains__(self, atom: object) -> bool:
        # an item of a container, named `x[0]`, is active with the container
        return isinstance(atom, Var) and atom.name.partition("[")[0] in self.names


def remembering(plain: Through) -> Through:
    """The same, asking once about each op, in whatever tape it stands."""
    known: dict[int, tuple[Apply, tuple[Atom, ...]]] = {}

    def through(op: Apply) -> tuple[Atom, ...]:
        found = known.get(id(op))
        if found is None:
            found = known[id(op)] = op, plain(op)  # kept, so that its id stays its own
        return found[1]

    return through


def activity(
    tape: Tape | Function,
    wrt: Iterable[Var],
    through: Through,
    *,
    also: Callable[[Fact], bool] | None = None,
) -> Activity:
    """The active variables of a tape for derivatives with respect to `wrt`.

    also: facts of what is taken to carry a derivative beside floats.
    """
    asked = tuple(wrt)
    sources = Sources(through)
    varied = {v.name for v in asked}
    _forward(tape.block, varied, sources, carrier(asked, also))
    useful: set[str] = set()
    if isinstance(tape.result, Var):
        useful.add(tape.result.name)
    backward(tape.block, useful, sources)
    return Activity(frozenset(varied & useful))


class Sources(dict[str, tuple[str, ...]]):
    """The variables that the results of ops depend on, by name: the rules are asked
    once about each op, though loops are gone through again."""

    def __init__(self, through: Through) -> None:
        super().__init__()
        self.through = through

    def of(self, op: Apply) -> tuple[str, ...]:
        """Those of an op that has not been asked about."""
        found = tuple([a.name for a in self.through(op) if isinstance(a, Var)])
        self[op.out.name] = found
        return found

    def known(self, op: Apply) -> tuple[str, ...]:
        """Those of an op, asked about or not."""
        found = self.get(op.out.name)
        return self.of(op) if found is None else found


def carrier(
    asked: tuple[Var, ...], also: Callable[[Fact], bool] | None
) -> Callable[[Var], bool]:
    """Which values can carry a derivative: floats, what runs over them, functions
    that hold them, and integers computed from those that were asked for by name."""
    ints = any(v.fact.varies or not v.fact.holds_floats for v in asked)

    def carries(var: Var) -> bool:
        return of_fact(var.fact)

    def of_fact(known: Fact) -> bool:
        if known.holds_floats or known.cls in (*RUNNERS, Closed):
            return True
        if also is not None and also(known):
            return True
        if ints and known.kind in ("tuple", "list"):  # what a call gives
            inner = known.items or (known.element,)
            return any(of_fact(each) for each in inner if each is not None)
        of_ints = known.dtype is not None and known.dtype.kind in "iu"
        return ints and (known.kind == "int" or of_ints)

    return carries


def flows_of(op: _Other) -> list[Flow]:
    """What each result of an op depends on differentiably, within and without."""
    match op:
        case Read():  # a table beside numbers, in one argument, is none
            return [] if has_labels(op.out.fact.cls) else [(op.out, (op.root,))]
        case Store():
            return [(op.out, (op.target, op.value))]
        case If() | Try():
            return [(m.out, (m.then, m.orelse)) for m in op.merges]
        case Raise() | With():
            return []
        case For():  # a label beside a number, in a zip, is none
            targets = [t for t in op.targets if not has_labels(t.fact.cls)]
            return [*_carried(op), *((t, (op.iterable,)) for t in targets)]
        case While():
            return _carried(op)
        case _:
            assert_never(op)


def _carried(op: For | While) -> list[Flow]:
    return [(v, (c.init, c.next)) for c in op.carries for v in (c.inside, c.out)]


def _forward(
    block: Block, varied: set[str], sources: Sources, carries: Callable[[Var], bool]
) -> None:
    for op in block.ops:
        if isinstance(op, Apply):
            out = op.out
            names = sources.get(out.name)
            if names is None:
                names = sources.of(op)
            if not varied.isdisjoint(names) and carries(out):
                varied.add(out.name)
            continue
        before = -1
        while before != len(varied):
            before = len(varied)
            for out, read in flows_of(op):
                if carries(out) and _any(read, varied):
                    varied.add(out.name)
            for inner in blocks_of(op):
                _forward(inner, varied, sources, carries)
            if not is_loop(op):
                break
        if merges_of(op):  # they read what the arms have just defined
            for out, read in flows_of(op):
                if carries(out) and _any(read, varied):
                    varied.add(out.name)


def backward(block: Block, useful: set[str], sources: Sources) -> None:
    """Add what the useful variables depend on differentiably."""
    for op in reversed(block.ops):
        if isinstance(op, Apply):
            name = op.out.name
            if name in useful:
                names = sources.get(name)
                useful.update(sources.of(op) if names is None else names)
            continue
        before = -1
        while before != len(useful):
            before = len(useful)
            for out, read in flows_of(op):
                if out.name in useful:
                    useful |= {s.name for s in read if isinstance(s, Var)}
            for inner in reversed(blocks_of(op)):  # the else of a try reads its body
                backward(inner, useful, sources)
            if not is_loop(op):
                break
            for out, read in flows_of(op):
                if out.name in useful:
                    useful |= {s.name for s in read if isinstance(s, Var)}


def _any(sources: tuple[object, ...], names: set[str]) -> bool:
    for source in sources:  # noqa: SIM110  asked of every op, and quicker so
        if isinstance(source, Var) and source.name in names:
            return True
    return False
