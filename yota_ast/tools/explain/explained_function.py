"""A function -> what the compiler makes of each of its lines, and what it refuses.

The compiler itself is run, and asked what it met on its way. Where it refuses, the
statement is left out and it is run again, until nothing more is refused; what depends
on a statement that was left out is not looked at.

>>> import math
>>> def area(r):
...     scale = locals()["r"]
...     return math.pi * r * scale * math.comb(r, 2)
>>> found = explain(area)
>>> bool(found), [error.reason.partition(" reads")[0] for error in found.refusals]
(False, ['`locals`'])
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.api.call_target import callee_of
from yota_ast.api.requests import request_for
from yota_ast.api.seeds import refuse_value
from yota_ast.api.wrt import refuse_floatless
from yota_ast.codegen.text_form import READABLE, TextForm, text_form
from yota_ast.errors import InternalError, Location, YotaError
from yota_ast.frontend.calls.explain_hooks import Note, Place, Seen, Watch
from yota_ast.ir.tape import Program
from yota_ast.pipeline import Request, compiled, differentiated
from yota_ast.support.tracebacks import public
from yota_ast.tools.explain.explained_lines import Explanation, Line

Fn = Callable[..., Any]
MOST: Final = 40
"""How many statements are left out before it is given up to look for more."""


@public
def explain(
    f: Fn, /, *args: object, wrt: object = None, backend: str = "numpy",
    **kwargs: object,
) -> Explanation:  # fmt: skip
    """Tell which parts of f are supported. The result prints as a listing.

    args, kwargs: example arguments as in `simplegrad`. f is not run. Without examples,
    the annotations and the types of defaults are read.
    wrt, backend: as for `simplegrad`. Of what a back end refuses the first is found.

    The result is true if f has a gradient. The listing shows what is refused. Raises
    YotaError if `wrt` or the arguments do not fit f.
    """
    callee = callee_of(f)
    request, names = request_for(callee, args, kwargs, wrt)
    return explained(request, names, text_form(backend=backend))


def explained(
    request: Request, wrt: tuple[str, ...] | None, form: TextForm = READABLE
) -> Explanation:
    """The same of what is asked of the compiler."""
    refused: dict[Place, Line] = {}
    nowhere: list[YotaError] = []
    watch, whole = Watch(), True
    for _ in range(MOST):
        watch = Watch(frozenset(refused))
        try:
            tape, program = differentiated(replace(request, watch=watch), wrt)
            if not refused:
                if wrt is not None:
                    facts = {p.var.name: p.var.fact for p in tape.params}
                    refuse_floatless(wrt, facts)
                refuse_value(program)
                compiled(program, form)
                _note_told(watch, program)
            break
        except YotaError as error:
            if isinstance(error, InternalError) and not refused:
                raise
            seen = _statement_of(watch, error)
            whole = seen is not None and seen.place not in refused
            if not whole or seen is None:
                nowhere += [] if refused else [error]
                break
            lost = seen.lost or any(map(seen.is_around, refused))
            refused[seen.place] = Line(seen, None if lost else error, lost=lost)
    errors = [line.error for line in refused.values() if line.error is not None]
    return Explanation(
        request.fn, _lines(watch, refused), (*errors, *nowhere), tuple(nowhere),
        whole=whole,
    )  # fmt: skip


def _note_told(watch: Watch, program: Program) -> None:
    """Note the arguments that act by comparisons alone at the lines of the loops."""
    for told in program.told:
        seen = watch.statement_at(told.place)
        if seen is not None:
            what = f"`{told.name}` acts through comparisons alone"
            seen.notes["told", told.name] = Note("told", what)


def _lines(watch: Watch, refused: dict[Place, Line]) -> tuple[Line, ...]:
    """All statements in the order in which they were reached; what is within one that
    was left out stands after it."""
    lines = [refused.get(p) or Line(seen) for p, seen in watch.seen.items()]
    for place, line in refused.items():
        if place not in watch.seen and line.error is not None:
            around = [k for k, x in enumerate(lines) if x.seen.is_around(place)]
            lines.insert(around[-1] + 1 if around else len(lines), line)
    return tuple(lines)


def _statement_of(watch: Watch, error: YotaError) -> Seen | None:
    """The statement that is refused; of what is refused within a function of ours, the
    one that calls it."""
    found = watch.statement_at(error.at)
    for site in error.chain:
        if found is not None:
            break
        filename, _, line = site.rpartition(" in ")[0].rpartition(":")
        if line.isdecimal():
            found = watch.statement_at(Location(filename, int(line), sys.maxsize))
    return found
