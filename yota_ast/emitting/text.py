"""Programs -> the text that `show-grad` prints and that `emit` writes below its header.

The functions alone are those that `grad` runs; what differs is how they are bound to
the world: by imports, with the user's annotations and docstring.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..codegen.module import Module, Piece, module
from ..tape import Program, Tape
from .notes import annotations_of


@dataclass(frozen=True, slots=True)
class Made:
    """A gradient: its function, the tape of that, the program."""

    fn: Callable[..., Any]
    tape: Tape
    program: Program


def module_of(made: Sequence[Made]) -> Module:
    """Return the module of some gradients; raises YotaError where names clash."""
    return module([_piece(m) for m in made], own_packages(made))


def _piece(made: Made) -> Piece:
    notes = annotations_of(made.fn, made.program)
    doc = "\n\n".join(part for part in (made.program.doc, made.tape.doc) if part)
    program = replace(made.program, doc=doc)
    return Piece(program, notes.typed, notes.imports)


def own_packages(made: Sequence[Made]) -> frozenset[str]:
    """The user's packages: of the functions themselves and of all that is inlined."""
    functions = [fn for m in made for fn in (m.fn, *m.tape.used)]
    modules = {
        str(fn.__module__).partition(".")[0]
        for fn in functions
        if isinstance(fn, (types.FunctionType, type)) and fn.__module__
    }
    return frozenset(modules) - {"__main__", "builtins", "numpy", "scipy"}
