"""Both sweeps -> the same, in which loops with a schedule save few iterations.

What stands between is computed again, by what the forward sweep does, so that the bits
are those of a sweep that saves all.
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.checkpoints.loop_marks import has_schedules
from yota_ast.adjoint.checkpoints.loop_segments import (
    BACKWARDS,
    Segments,
    Steps,
    is_number,
)
from yota_ast.adjoint.checkpoints.slot_schedules import Slots
from yota_ast.adjoint.checkpoints.steps_again import refusal, steps_again
from yota_ast.errors import InternalError
from yota_ast.ir.block_queries import bound_by, ends_of, entering, is_loop
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    While,
    atoms_of,
    blocks_of,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.syntax.loop_schedules import Schedule

Sweeps = tuple[Block, Block]


def with_checkpoints(ahead: Block, back: Block, infer: Infer, names: Names) -> Sweeps:
    """Both sweeps, the loops with a schedule run again from the states that are kept.

    Raises UnsupportedSyntax for a loop of which the state cannot be kept.
    """
    if not has_schedules(ahead):
        return ahead, back
    for loop in _with_schedules(ahead):
        ahead, back = _scheduled(loop, ahead, back, infer, names)
    return ahead, back


def _with_schedules(ahead: Block) -> list[For]:
    """The loops with a schedule that save anything: the reverse of others needs the
    index at most. Refuses one within another."""
    loops = [op for op in only(walk(ahead), For) if op.schedule and op.stack]
    for loop in loops:
        if any(op in loops for op in walk(loop.body)):
            raise refusal(
                "a loop within a loop with a schedule has one, too",
                loop,
                "Keep the schedule of one of them.",
            )
    return loops


def _around(op: For, block: Block) -> list[For | While] | None:
    """The loops around a loop of a block, outermost first; None where it is not in it.
    Refuses a loop within a branch."""
    for each in block:
        if each is op:
            return []
        for inner in blocks_of(each):
            found = _around(op, inner)
            if found is not None and not is_loop(each):
                raise refusal("a loop with a schedule stands within a branch", op)
            if found is not None and is_loop(each):
                return [each, *found]
    return None


def _scheduled(
    loop: For, ahead: Block, back: Block, infer: Infer, names: Names
) -> Sweeps:
    """Both sweeps, one loop run again."""
    around = _around(loop, ahead)
    assert around is not None
    steps, reverse = _steps(loop, ahead), _reverse_of(loop, around, back)
    builder = Builder(infer, names, replace(loop.origin, text=""))
    undoing = Builder(infer, names, reverse.origin)
    schedule = loop.schedule or Schedule()
    slots = schedule.slots
    if slots is not None and around:
        raise refusal(
            "a loop with `slots=` stands within another loop",
            loop,
            "Write `every=` in its place.",
        )
    if slots is not None and steps.step != 1:
        numbered = steps.numbered(loop, builder)
        ahead = _put(ahead, loop, [*builder.ops, numbered])
        loop, steps, builder.ops = numbered, _steps(numbered, ahead), []
    again = steps_again(loop, ahead)
    writer: Segments | Slots
    if slots is None:
        every, inner = schedule.every, _bound_within(around)
        writer = Segments(loop, reverse, again, steps, every, inner)
    else:
        writer = Slots(loop, reverse, again, steps, slots)
    made = writer.sweeps(builder, undoing)
    return _put(ahead, loop, made[0]), _put(back, reverse, made[1])


def _steps(loop: For, ahead: Block) -> Steps:
    """The range that a loop runs over. Refuses any other loop."""
    if loop.stop is not None:
        raise refusal(
            "a loop with a schedule may be left before its end",
            loop,
            "Let it run to its end, or take the schedule away.",
        )
    for op in only(walk(ahead), Apply):
        if op.out == loop.iterable and op.fn is range:
            if len(op.args) > 2 and not is_number(op.args[2]):
                raise refusal(
                    "the step of the range of a loop with a schedule is not a number "
                    "that is written down",
                    loop,
                    "Write the number: range(0, n, 2).",
                )
            return Steps(op.args)
    raise refusal(
        "a loop with a schedule does not run over a range",
        loop,
        "Loop over range(len(x)).",
    )


def _bound_within(around: list[For | While]) -> frozenset[str]:
    """The variables of the iterations of the loops around."""
    if not around:
        return frozenset()
    within = (v for b in blocks_of(around[0]) for op in walk(b) for v in bound_by(op))
    return frozenset(v.name for v in (*within, *entering(around[0])))


def _reverse_of(loop: For | While, around: list[For | While], back: Block) -> For:
    """The loop of the reverse sweep over what a loop has saved."""
    source = loop.stack
    if around and source is not None:
        outer = _reverse_of(around[-1], around[:-1], back)
        places = [k for k, v in enumerate(around[-1].saved) if v == source]
        source = outer.targets[places[0]] if len(places) == 1 else None
    readers = [op for op in walk(back) if source in (*atoms_of(op), *ends_of(op))]
    for op in only(readers[:1], Apply):
        found = [r for r in only(walk(back), For) if r.iterable == op.out]
        if len(readers) == 1 and op.args[1:] == (BACKWARDS,) and len(found) == 1:
            return found[0]
    raise InternalError(
        "what a loop saves is not read by one loop", at=loop.origin.place
    )


def _put(block: Block, op: Op, ops: list[Op]) -> Block:
    """The block with ops in the place of one, at whatever depth."""
    made: list[Op] = []
    for each in block:
        inner = [map_blocks(each, lambda b: _put(b, op, ops))]
        made += ops if each is op else inner
    return of_ops(block, tuple(made))
