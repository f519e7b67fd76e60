"""A program -> the same, in which what helpers raise begins with its name.

The code of a helper that was lowered in place stands among the rest: its messages say
nothing of the function, as those of helpers that are called do.
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Op, Raise, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Program
from yota_ast.support.file_owners import is_of_helpers


def with_its_name(program: Program, title: str) -> Program:
    """Return the program with messages that begin with a title."""
    blocks = (program.forward, program.reverse)
    raised = {
        op.exc.name
        for block in blocks
        for op in walk(block)
        if isinstance(op, Raise) and isinstance(op.exc, Var)
    }
    if not raised:
        return program
    forward, reverse = map(_Named(raised, title).block, blocks)
    return replace(program, forward=forward, reverse=reverse)


class _Named(Substitution):
    """Puts a title in front of what helpers raise."""

    def __init__(self, raised: set[str], title: str) -> None:
        super().__init__({})
        self.raised, self.title = raised, title

    def op(self, op: Op) -> Op:
        """Return an op; one that makes an exception of a helper with the title."""
        if not isinstance(op, Apply) or op.out.name not in self.raised:
            return super().op(op)
        place = op.origin.location
        message = op.args[0] if op.args else None
        if place is None or not is_of_helpers(place.filename):
            return op
        if not isinstance(message, Const) or not isinstance(message.value, str):
            return op
        named = Const(f"{self.title}: {message.value.removeprefix(f'{self.title}: ')}")
        return replace(op, args=(named, *op.args[1:]))
