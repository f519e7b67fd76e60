"""Both sweeps -> the same, in which loops with a schedule save few iterations.

What stands between is computed again, by what the forward sweep does, so that the bits
are those of a sweep that saves all.
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.checkpoints.loop_segments import (
    BACKWARDS,
    Segments,
    Steps,
    is_number,
)
from yota_ast.adjoint.checkpoints.slot_schedules import Slots
from yota_ast.adjoint.checkpoints.steps_again import refusal, steps_again
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    atoms_of,
    blocks_of,
    only,
    walk,
)
from yota_ast.syntax.loop_schedules import Schedule

Sweeps = tuple[Block, Block]


def has_schedules(block: Block) -> bool:
    """Whether a loop of a block has a schedule, and the text is to keep to it.

    What is differentiated in its turn saves all iterations.
    """
    return not marking() and any(op.schedule for op in only(walk(block), For))


def with_checkpoints(ahead: Block, back: Block, infer: Infer, names: Names) -> Sweeps:
    """Both sweeps, the loops with a schedule run again from the states that are kept.

    Raises UnsupportedSyntax for a loop of which the state cannot be kept.
    """
    if not has_schedules(ahead):
        return ahead, back
    _refuse_inner(ahead)
    for loop in [op for op in only(ahead.ops, For) if op.schedule is not None]:
        ahead, back = _scheduled(loop, ahead, back, infer, names)
    return ahead, back


def _refuse_inner(ahead: Block) -> None:
    """Refuse a schedule within another loop or a branch."""
    for op in ahead.ops:
        for inner in only((i for b in blocks_of(op) for i in walk(b)), For):
            if inner.schedule is not None and inner.stack is not None:
                raise refusal(inner, "it stands within another loop, or a branch")


def _scheduled(
    loop: For, ahead: Block, back: Block, infer: Infer, names: Names
) -> Sweeps:
    """Both sweeps, one loop run again."""
    if loop.stack is None:  # its reverse needs nothing but the index, or there is none
        return _put(ahead, loop, [replace(loop, schedule=None)]), back
    steps, reverse = _steps(loop, ahead), _reverse_of(loop, back)
    builder = Builder(infer, names, replace(loop.origin, text=""))
    undoing = Builder(infer, names, reverse.origin)
    schedule = loop.schedule or Schedule()
    slots = schedule.slots
    if slots is not None and steps.step != 1:
        numbered = steps.numbered(loop, builder)
        ahead = _put(ahead, loop, [*builder.ops, numbered])
        loop, steps, builder.ops = numbered, _steps(numbered, ahead), []
    again = steps_again(loop, ahead)
    writer: Segments | Slots
    if slots is None:
        writer = Segments(loop, reverse, again, steps, schedule.every)
    else:
        writer = Slots(loop, reverse, again, steps, slots)
    made = writer.sweeps(builder, undoing)
    return _put(ahead, loop, made[0]), _put(back, reverse, made[1])


def _steps(loop: For, ahead: Block) -> Steps:
    """The range that a loop runs over. Refuses any other loop."""
    if loop.stop is not None:
        raise refusal(
            loop, "it may be left before its end", "Give it its number of iterations."
        )
    for op in only(ahead.ops, Apply):
        if op.out == loop.iterable and op.fn is range:
            if len(op.args) > 2 and not is_number(op.args[2]):
                raise refusal(loop, "the step of its range is not written down")
            return Steps(op.args)
    raise refusal(loop, "it does not run over a range", "Loop over range(len(x)).")


def _reverse_of(loop: For, back: Block) -> For:
    """The loop of the reverse sweep over what a loop has saved."""
    assert loop.stack is not None
    readers = [op for op in walk(back) if loop.stack in (*atoms_of(op), *ends_of(op))]
    for op in only(readers[:1], Apply):
        found = [r for r in only(back.ops, For) if r.iterable == op.out]
        if len(readers) == 1 and op.args[1:] == (BACKWARDS,) and len(found) == 1:
            return found[0]
    raise refusal(loop, "what it saves is read elsewhere, too")


def _put(block: Block, op: Op, ops: list[Op]) -> Block:
    """The block with ops in the place of one."""
    at = next(k for k, each in enumerate(block.ops) if each is op)
    return Block((*block.ops[:at], *ops, *block.ops[at + 1 :]))
