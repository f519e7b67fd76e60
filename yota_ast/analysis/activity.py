"""Tape -> the names on a path from wrt to the result.

A variable is *varied* where it depends differentiably on an argument asked for, and
*useful* where the result depends differentiably on it; it is *active* where both hold.
Only active variables get adjoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Closed,
    Compound,
    For,
    Op,
    Read,
    Simple,
    Store,
    atoms_of,
    defined_by,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.support.reachable import reach
from yota_ast.support.value_classes import has_labels

RUNNERS = (zip, enumerate, reversed, map, filter, iter)
"""What runs over the items of what it is made of."""
_RUNNERS = frozenset(map(id, RUNNERS))


def makes_iterator(fn: object) -> bool:
    """Whether a function makes what gives its items once."""
    return id(fn) in _RUNNERS or getattr(fn, "__module__", "") == "itertools"


Flow = tuple[Var, list[str]]
"""A variable, and the names of what it depends on differentiably."""
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
    carries = carrier(asked, also)
    flows = tuple(flows_in(tape.block, through))
    users: dict[str, list[Var]] = {}
    for out, names in flows:
        for name in names:
            users.setdefault(name, []).append(out)
    varied = reach(
        [v.name for v in asked],
        lambda name: [v.name for v in users.get(name, ()) if carries(v)],
    )
    return Activity(frozenset(varied & useful(tape.result, flows)))


def useful(result: object, flows: Iterable[Flow]) -> set[str]:
    """The names of what a result depends on differentiably, its own among them."""
    ends = [result.name] if isinstance(result, Var) else []
    return reach(ends, {out.name: names for out, names in flows}.get)


def flows_in(block: Block, through: Through) -> Iterator[Flow]:
    """Each variable of a block, and the names of those that it is made of."""
    for op in walk(block):
        made = ((op.out, through(op)),) if isinstance(op, Apply) else _flows_of(op)
        for out, atoms in made:
            yield out, [a.name for a in atoms if isinstance(a, Var)]


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


def _flows_of(op: Op) -> Iterator[tuple[Var, Iterable[object]]]:
    """What each result of an op depends on differentiably, within and without."""
    match op:
        case Read():  # a table beside numbers, in one argument, is none
            yield op.out, () if has_labels(op.out.fact.cls) else (op.root,)
        case Store():
            yield op.out, (op.target, op.value)
        case For():  # a label beside a number, in a zip, is none
            for t in op.targets:
                yield t, () if has_labels(t.fact.cls) else (op.iterable,)
        case Simple():
            yield from ((out, atoms_of(op)) for out in defined_by(op))
        case Compound():
            pass
        case _:
            assert_never(op)
    for ends, outs in handed_on(op):
        yield from ((out, ends) for out in outs)
