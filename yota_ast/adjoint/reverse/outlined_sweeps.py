"""The functions that a tape calls -> the texts of their sweeps, as programs.

A function of which a derivative is taken becomes two: the forward sweep returns the
value, and what the reverse sweep reads of it; the reverse sweep takes that and the
cotangent of the value, and returns adjoints. What the one of a function saves depends
on what the others need: the sweeps are made again until that stays the same.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.float_memory import hands_on_numbers
from yota_ast.adjoint.results.gradient_results import argument, with_reads
from yota_ast.adjoint.results.untracked_values import refuse_lost, refuse_whole_items
from yota_ast.adjoint.reverse.contributions import adjoint_fact, items_of
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.adjoint.reverse.item_positions import with_indices
from yota_ast.adjoint.reverse.mirrored_blocks import with_flags
from yota_ast.adjoint.reverse.outlined_adjoints import (
    FORWARD,
    REVERSE,
    SAVED,
    Pair,
    apart_in,
    pairs_of,
    results_of,
)
from yota_ast.adjoint.reverse.sweep_state import Derives
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.sweeps import Request, Sweeps, sweeps
from yota_ast.analysis.activity import Through, activity
from yota_ast.analysis.points_to import PointsTo, is_array
from yota_ast.analysis.raising_statements import errors_in
from yota_ast.analysis.same_objects import values_read
from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import bound_by, free_in, outlined_in
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.built_values import build_tuple, handed
from yota_ast.ir.functions import Function, Parameter
from yota_ast.ir.nodes import Apply, Block, Op, With, walk
from yota_ast.ir.tape import Program, Tape
from yota_ast.syntax import saved_names
from yota_ast.syntax.names import adjoint_name, identifier

ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sweeps of a function."""

    forward: Program
    reverse: Program
    done: Sweeps


@dataclass(slots=True)
class Settled:
    """The functions of which derivatives are taken, and their sweeps."""

    pairs: dict[str, Pair] = field(default_factory=dict)
    sides: dict[str, Sides] = field(default_factory=dict)

    @property
    def sweeps(self) -> Iterator[Sweeps]:
        """The sweeps of all functions."""
        return (s.done for s in self.sides.values())


def settled(
    tape: Tape,
    leaves: Iterable[Var],
    infer: Infer,
    derived: Derives | None = None,
    *,
    plain: Through = flows_through,
) -> Settled:
    """The sweeps of the functions that a tape calls."""
    done = Settled(pairs_of(tape, leaves, plain))
    # Those that are called stand behind those that call them.
    own = [f.name for f in reversed(tape.functions) if f.name in done.pairs]
    called = {name: outlined_in(done.pairs[name].function.block) for name in own}
    seen: dict[str, object] = {}
    whole = bool(own) and hands_on_numbers(tape.block)
    for _ in range(ROUNDS):
        for name in own:
            inner = [done.pairs.get(n) for n in called[name]]
            if seen.get(name) == inner:
                continue
            seen[name] = inner
            pair, sides = swept(
                done.pairs[name], done.pairs, infer, derived,
                whole=whole, plain=plain,
            )  # fmt: skip
            done.sides[name] = sides
            done.pairs[name] = done.pairs[name + FORWARD] = pair
        if all(seen[n] == [done.pairs.get(m) for m in called[n]] for n in own):
            break
    return done


def swept(
    pair: Pair,
    pairs: Mapping[str, Pair],
    infer: Infer,
    derived: Derives | None = None,
    *,
    whole: bool = False,
    plain: Through = flows_through,
) -> tuple[Pair, Sides]:
    """The sweeps of one function, and what is known of its pair from them."""
    f, names = pair.function, Names()
    for var in (*f.params, *(v for op in walk(f.block) for v in bound_by(op))):
        names.reserve(var.name)
    params = tuple(Parameter(p) for p in f.params)
    block = with_flags(f.block, names)
    tape = Tape(f.title, params, block, f.result)
    asked = [params[i] for i in pair.asked]
    tape = with_reads(tape, asked, names)
    arguments = tuple(argument(p, tape.block) for p in asked)
    cotangents = _cotangents(f, pair, names)
    request = Request(
        arguments, None, infer, names, pairs, cotangents,
        whole=whole, derived=derived, plain=plain,
    )  # fmt: skip
    refuse_lost(tape, request.leaves, request.through)
    active = activity(tape, request.leaves, request.through)
    refuse_whole_items(tape.block, active, f.result)
    block = with_indices(tape.block, active, infer, names)
    done = sweeps(replace(tape, block=block), request)
    return _sides(pair, done, pairs, cotangents, names)


def _cotangents(f: Function, pair: Pair, names: Names) -> tuple[tuple[Var, Var], ...]:
    """What the reverse is given for each result that is reached, and its name."""
    assert isinstance(f.result, Var)
    results = results_of(f)
    single = len(results) == 1
    items = (f.result,) if single else items_of(f.result) or ()
    found = []
    for k in pair.reached:
        result = results[k]
        hint = result.hint if isinstance(result, Var) else None
        name = "dval" if single else f"dval{k + 1}"
        name = adjoint_name(hint) if hint else name
        known = adjoint_fact(items[k])
        found.append((items[k], Var(names.fresh(name), known, name)))
    return tuple(found)


def parameters(variables: Iterable[Var]) -> tuple[Parameter, ...]:
    """The parameters of a function, each called as no other."""
    taken: set[str] = set()
    made = []
    for var in variables:
        stem, number = identifier(var.hint or "t"), 1
        name = stem
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        taken.add(name)
        made.append(Parameter(replace(var, hint=name)))
    return tuple(made)


def _sides(
    pair: Pair,
    done: Sweeps,
    pairs: Mapping[str, Pair],
    cotangents: tuple[tuple[Var, Var], ...],
    names: Names,
) -> tuple[Pair, Sides]:
    """The programs of both sweeps; what the reverse reads of the forward is saved."""
    f = pair.function
    made = [v for op in done.ahead for v in _bound_by(op)]
    read = {v.name: v for v in free_in(done.back, *done.values)}
    saved = tuple(read[v.name] for v in made if v.name in read)
    needs = {i for i, p in enumerate(f.params) if p.name in read} | {*pair.needs}
    borrows, lends = _shared(pair, done, saved, pairs)
    pair = replace(
        pair, needs=tuple(sorted(needs)), saves=pair.saves or bool(saved),
        borrows=pair.borrows or borrows, lends=pair.lends or lends,
    )  # fmt: skip
    forward = _forward(pair, done, saved, names)
    reverse = _reverse(pair, done, saved, tuple(d for _, d in cotangents), names)
    return pair, Sides(forward, reverse, done)


def _bound_by(op: Op) -> tuple[Var, ...]:
    """What an op defines for its function: a context for all that follows, too."""
    if isinstance(op, With):
        return tuple(v for inner in op.body for v in _bound_by(inner))
    return bound_by(op)


def _shared(
    pair: Pair, done: Sweeps, saved: tuple[Var, ...], pairs: Mapping[str, Pair]
) -> tuple[bool, bool]:
    """Whether what is saved may share memory with an argument, and with a result.
    Arrays that are read for their shape do not count: no write changes it."""
    f = pair.function
    points = PointsTo(done.ahead, apart=apart_in(done.ahead, pairs))
    read = values_read(done.back, *done.values)
    arrays = {
        root
        for v in saved
        if not v.fact.is_immutable and (v.name in read or not is_array(v.fact))
        for root in points.memory(v)
    }
    given = {root for p in f.params for root in points.memory(p)}
    results = [r for r in results_of(f) if isinstance(r, Var)]
    made = {root for r in results for root in points.memory(r)}
    return not arrays.isdisjoint(given), not arrays.isdisjoint(made)


def _forward(pair: Pair, done: Sweeps, saved: tuple[Var, ...], names: Names) -> Program:
    """The function, which returns what the reverse reads after its value."""
    f = pair.function
    results = results_of(f)
    ops = list(done.ahead)
    kept: Atom = Const(None)
    if len(saved) == 1:
        kept = saved[0]
    elif saved:
        kept = Var(names.fresh("saved"), SAVED)
        ops.append(Apply(kept, build_tuple, saved, form="build"))
    rest = (*results[1:], kept) if pair.saves else results[1:]
    errors = errors_in(f.block, results)
    title, reverse = f.title, f.name + REVERSE
    doc = f"Value of {title}, and what {reverse} reads."
    return Program(
        name=f.name + FORWARD if pair.saves else f.name,
        params=parameters(f.params),
        forward=without_dead(Block(tuple(ops)), (results[0], *rest, *errors)),
        reverse=Block(), value=results[0], results=rest,
        doc=doc if pair.saves else f"Value of {title}.",
    )  # fmt: skip


def _reverse(
    pair: Pair,
    done: Sweeps,
    saved: tuple[Var, ...],
    cotangents: tuple[Var, ...],
    names: Names,
) -> Program:
    """The adjoints of what is asked, from what was saved and the cotangents."""
    f = pair.function
    given = [f.params[i] for i in pair.needs]
    ops: list[Op] = []
    if pair.saves:
        whole = saved[0] if len(saved) == 1 else Var(
            names.fresh("saved"), UNKNOWN, saved_names.SAVED
        )  # fmt: skip
        given.append(whole)
        if len(saved) > 1:
            fact = Fact("tuple", items=tuple(v.fact for v in saved), cls=tuple)
            parts = Var(names.fresh("saved"), fact)
            ops.append(Apply(parts, handed, (whole,)))
            value = results_of(f)[0]
            for k, v in enumerate(saved):
                named = replace(v, hint="val") if v == value and not v.hint else v
                ops.append(_item(named, parts, k))
    asked = ", ".join(f.params[i].hint or f.params[i].name for i in pair.asked)
    adjoints = "Adjoint" if len(pair.asked) == 1 else "Adjoints"
    return Program(
        name=f.name + REVERSE,
        params=parameters((*given, *cotangents)),
        forward=Block(tuple(ops)), reverse=done.back,
        value=done.values[0], results=done.values[1:],
        doc=f"{adjoints} of {asked} in {f.title}.",
    )  # fmt: skip


def _item(out: Var, whole: Var, at: int) -> Apply:
    return Apply(out, operator.getitem, (whole, Const(at)), form="unpack")


def helpers(
    program: Program,
    tape: Tape,
    done: Settled,
    derived: Mapping[str, Program],
) -> tuple[Program, ...]:
    """The programs that a program calls, and those that they call, in order."""
    known = {f.name: plain(f) for f in tape.functions} | dict(derived)
    for sides in done.sides.values():
        for side in (sides.forward, sides.reverse):
            known[side.name] = side
    found: dict[str, Program] = {}
    pending = _called(program)
    while pending:
        name = pending.pop(0)
        if name not in found:
            found[name] = known[name]
            pending += _called(found[name])
    return tuple(found.values())


def _called(program: Program) -> list[str]:
    blocks = (program.forward, *(g.block for g in program.guards), program.reverse)
    return [name for block in blocks for name in outlined_in(block)]


def plain(f: Function) -> Program:
    """A function as a program, without a derivative."""
    value, *rest = results_of(f)
    errors = errors_in(f.block, (value, *rest))
    block = without_dead(f.block, (value, *rest, *errors))
    return Program(
        name=f.name, params=parameters(f.params), forward=block,
        reverse=Block(), value=value, results=tuple(rest), doc=f"Value of {f.title}.",
    )  # fmt: skip
