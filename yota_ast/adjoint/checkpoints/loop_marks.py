"""Schedules by lines -> the loops of a tape that begin there, with their schedules.

>>> from yota_ast.ir.atoms import Const
>>> from yota_ast.ir.nodes import Origin
>>> def f(x): ...
>>> place = Location(f.__code__.co_filename, 12, 0, 9, "for k in range(3):")
>>> loop = For((), Const(range(3)), Block(), origin=Origin(place))
>>> tape = Tape("f", (), Block((loop,)), Const(0.0), fn=f)
>>> with_schedules(tape, {12: Schedule()}).block.ops[0].schedule
Schedule(slots=None, every=None)
"""

from __future__ import annotations

from collections.abc import Mapping
from linecache import getline

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.ir.nodes import Block, For, Op, map_blocks, of_ops, only, walk
from yota_ast.ir.tape import Tape
from yota_ast.syntax.loop_schedules import Schedule


def has_schedules(block: Block) -> bool:
    """Whether a loop of a block has a schedule, and the text is to keep to it.

    What is differentiated in its turn saves all iterations.
    """
    return not marking() and any(op.schedule for op in only(walk(block), For))


def with_schedules(tape: Tape, schedules: Mapping[int, Schedule]) -> Tape:
    """The tape with the loops marked that begin in these lines of the user's file.

    Raises UnsupportedSyntax where no `for` loop begins in a line.
    """
    if not schedules:
        return tape
    code = getattr(tape.fn, "__code__", None)
    filename = getattr(code, "co_filename", "")

    def marked(block: Block) -> Block:
        return of_ops(block, tuple(map(scheduled, block)))

    def scheduled(op: Op) -> Op:
        op = map_blocks(op, marked)
        line = _line(op, filename)
        if line is None or line not in schedules or not isinstance(op, For):
            return op
        return replace(op, schedule=schedules[line])

    functions = tuple(replace(f, block=marked(f.block)) for f in tape.functions)
    blocks = (tape.block, *(f.block for f in tape.functions))
    known = {_line(op, filename) for b in blocks for op in walk(b)}
    for line in schedules.keys() - known:
        raise UnsupportedSyntax(
            "no `for` loop begins in this line, or it is written out",
            at=_location(filename, line),
            remedy='Name the line of the `for`, as in checkpoint={12: "sqrt"}.',
        )
    return replace(tape, block=marked(tape.block), functions=functions)


def _location(filename: str, line: int) -> Location:
    """What stands in a line of a file."""
    text = getline(filename, line).rstrip()
    return Location(filename, line, len(text) - len(text.lstrip()), len(text), text)


def _line(op: Op, filename: str) -> int | None:
    """The line in which a loop begins."""
    place = op.origin.place if isinstance(op, For) else None
    return place.lineno if place is not None and place.filename == filename else None
