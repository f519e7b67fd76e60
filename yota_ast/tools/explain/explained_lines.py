"""What lowering met, line by line -> the listing that `explain` prints.

The user's lines on the left, those of inlined functions under the call; on the right
what is called there and how it is done. Then where the rules stand.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import YotaError
from yota_ast.frontend.calls.explain_hooks import Note, Seen
from yota_ast.ir.nodes import Apply
from yota_ast.rules.notation.display_names import display_name
from yota_ast.rules.notation.rule import BOOK
from yota_ast.solvers.solver_functions import solver_of
from yota_ast.support.escaping import terminal, terminal_line
from yota_ast.support.file_owners import is_ours, is_users
from yota_ast.syntax.loop_schedules import Schedule

WIDTH: Final = 88
CODE: Final = 46
"""How wide the column of the user's lines is."""
LONG: Final = 40
"""Of more lines only those are shown of which there is something to say."""
REMEDY: Final = 6
PACKAGE: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Line:
    """A statement, and why it is refused. lost: it depends on a refused line."""

    seen: Seen
    error: YotaError | None = None
    lost: bool = False

    @property
    def told(self) -> list[Note]:
        """What the derivative misses."""
        return [note for note in self.seen.notes.values() if note.how == "told"]

    @property
    def notes(self) -> list[str]:
        """What is said of it."""
        if self.error is not None:
            return ["REFUSED"]
        if self.lost:
            return ["depends on a refused line"]
        notes = self.seen.notes.values()
        outlined = {note.name for note in notes if note.how == "called"}
        notes_left = [n for n in notes if n.how != "inlined" or n.name not in outlined]
        here = self.seen.location.filename
        said = dict.fromkeys(_said(note, here) for note in notes_left)
        if any(t.startswith(("loop", "branch")) or " times, " in t for t in said):
            said.pop("range", None)
        rules = {text.rpartition(".")[2] for text in said if "." in text}
        return [text for text in said if text and text not in rules]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `explain` found: true where the gradient can be had; prints as a listing.

    refusals: all that were found, the one first that the compiler gives; those in
    `nowhere` are of no statement. whole: whether all lines have been looked at.
    """

    fn: Callable[..., Any]
    lines: tuple[Line, ...]
    refusals: tuple[YotaError, ...] = ()
    nowhere: tuple[YotaError, ...] = ()
    whole: bool = True

    def __bool__(self) -> bool:
        return not self.refusals

    @property
    def rules(self) -> dict[str, str]:
        """The primitives that are called, and where their rules stand."""
        found: dict[str, str] = {}
        for line in self.lines:
            for note in line.seen.notes.values():
                op = note.detail
                if not isinstance(op, Apply):
                    continue
                solver = solver_of(op.fn)
                if solver is not None:
                    found[display_name(op.fn)] = f"by the {solver.kind} that it finds"
                elif BOOK.rules_of(op.fn):
                    found.setdefault(display_name(op.fn), _rule_of(op))
        return dict(sorted(found.items()))

    def __str__(self) -> str:
        parts = [self._head(), *(_reason(error) for error in self.nowhere)]
        parts += ["\n".join(self._listing())] if self.lines else []
        if self.rules:
            width = max(map(len, self.rules))
            rows = (f"  {name.ljust(width)}  {at}" for name, at in self.rules.items())
            parts.append("\n".join(["rules", *rows]))
        return "\n".join(map(terminal, parts))

    __repr__ = __str__

    def _head(self) -> str:
        code = getattr(self.fn, "__code__", None)
        name = getattr(self.fn, "__qualname__", repr(self.fn)).rpartition("<locals>.")
        where = f" ({short_path(code.co_filename)})" if code is not None else ""
        return f"{name[2]}{where}: {self._verdict()}"

    def _verdict(self) -> str:
        if self:
            told = [n.name for line in self.lines for n in line.told]
            return f"supported, but {'; '.join(told)}" if told else "supported"
        if len(self.refusals) == len(self.nowhere):
            return "refused"
        count = len(self.refusals)
        places = f"in {count} places" if count > 1 else "in one place"
        rest = "" if self.whole else "; what follows has not been looked at"
        return f"refused {places}{rest}"

    def _listing(self) -> Iterator[str]:
        lines = [x for x in self.lines if x.error or not _is_library(x.seen)]
        if len(lines) > LONG:
            lines = [line for line in lines if line.notes]
        margins: dict[tuple[str, str], int] = {}
        for line in self.lines:
            key = line.seen.location.filename, line.seen.function
            column = line.seen.location.col_offset
            margins[key] = min(margins.get(key, column), column)
        numbers = max((len(str(x.seen.location.lineno)) for x in lines), default=1)
        for line in lines:
            at = line.seen.location
            margin = margins[at.filename, line.seen.function]
            indent = "| " * (line.seen.depth - 1) + " " * (at.col_offset - margin)
            yield from _rows(
                f"{at.lineno:>{numbers + 2}}  ", indent + line.seen.text, line
            )


def _rows(number: str, code: str, line: Line) -> Iterator[str]:
    """A line of the listing, with what is said of it beside it."""
    said, code = terminal_line(", ".join(line.notes)), terminal_line(code)
    room = WIDTH - len(number) - CODE - 2
    if len(code) > CODE and said:
        code = code[: CODE - 3] + "..."
    elif len(code) > WIDTH - len(number):
        code = code[: WIDTH - len(number) - 3] + "..."
    first, *rest = _wrapped(said, room) or [""]
    yield f"{number}{code.ljust(CODE)}  {first}".rstrip()
    for more in rest:
        yield f"{' ' * len(number)}{' ' * CODE}  {more}"
    if line.error is not None:
        yield _reason(line.error, " " * len(number))


def _reason(error: YotaError, margin: str = "  ") -> str:
    """Why something is refused, and what to do."""
    kind = "" if type(error) is YotaError else f"{type(error).__name__}: "
    text, room = f"{kind}{error.reason}", WIDTH - len(margin) - 2
    lines = _wrapped(text, room)
    remedy = error.remedy.rstrip("\n").split("\n") if error.remedy else []
    if len(remedy) > REMEDY:
        remedy = [*remedy[: REMEDY - 1], "..."]
    for row in remedy:
        lines += [row] if row[:1] == " " else _wrapped(row, room)
    return "\n".join(f"{margin}! {row}" for row in lines)


def _wrapped(text: str, room: int) -> list[str]:
    """The lines of a text; names with hyphens stay whole, so that they are found."""
    return textwrap.wrap(text, room, break_on_hyphens=False)


def _said(note: Note, here: str) -> str:
    """What is said of a note, in a file."""
    name = note.name.removeprefix(".")
    if note.how == "rule":
        return display_name(note.detail.fn) if isinstance(note.detail, Apply) else ""
    if note.how in ("inlined", "called"):
        if not isinstance(note.detail, tuple) or is_ours(str(note.detail[0])):
            return ""
        verb = "inlined" if note.how == "inlined" else "a generated function"
        filename, lineno = note.detail
        same = filename == here
        place = f"line {lineno}" if same else f"{short_path(filename)}:{lineno}"
        return f"{name} {verb} ({place})"
    if note.how == "constant":
        return f"{name} = {_value(note.detail)}"
    if note.how == "kept":
        return f"{name} as it is: no floats"
    if note.how == "object":
        return f"{name} made here"
    if note.how == "decided":
        return f"known: {note.detail}"
    if note.how == "loop" and isinstance(note.detail, Schedule):
        return _said_of_loop(note.detail)
    if note.how == "unrolled":
        return f"{note.detail} times, one after the other"
    return name or note.how


def _said_of_loop(schedule: Schedule) -> str:
    """What is said of a loop of which few iterations are saved."""
    if schedule.slots is not None:
        return f"loop, {schedule.slots} states at once, the others computed again"
    every = "" if schedule.every is None else f" of {schedule.every}"
    return f"loop, reversed in segments{every} that run twice"


def _value(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"array {value.shape}"
    text = repr(value)
    return text if len(text) <= 24 else f"{text[:21]}..."


def _rule_of(op: Apply) -> str:
    """Where the rule of a call stands."""
    try:
        bound = BOOK.choose(op.fn, op.args, op.kwargs, None)
    except YotaError:  # it is refused, with its reason
        return ""
    if bound is None:
        return "has no rule"
    rule = bound.rule
    at = "" if rule.location is None else f"{short_path(rule.location.filename)}"
    line = "" if rule.location is None else f":{rule.location.lineno}"
    none = "" if set(rule.adjoints) - rule.zero else "  no derivative"
    return f"{at}{line}{none}"


def _is_library(seen: Seen) -> bool:
    """Whether a statement is one of Python's own library or of an installed package,
    of which nobody wants to read every line."""
    return seen.depth > 1 and not is_users(seen.location.filename)


def short_path(filename: str) -> str:
    """A path as short as it can be told."""
    path = Path(filename)
    for root in (PACKAGE.parent, Path.cwd()):
        if path.is_relative_to(root):
            return os.fspath(path.relative_to(root))
    return path.name
