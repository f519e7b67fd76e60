"""What lowering meets on its way, statement by statement, for `explain` to tell.

In: the statements to leave out, for they are refused. Out: each statement that was
reached, with what was called and read there, and how it was done.
"""

from __future__ import annotations

from typing import Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import Location
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply, Op, atoms_of, blocks_of, defined_by, walk

Place = tuple[str, int, int]
"""Where a statement begins: file, line, offset in the line."""
How = Literal[
    "rule", "inlined", "called", "kept", "built in", "constant", "loop", "unrolled",
    "branch", "decided", "object", "told",
]  # fmt: skip
"""rule: a primitive. called: a function of its own in the text. kept: as it is, for no
float goes through. unrolled: a body for each item. decided: a test known beforehand.
told: what the derivative misses."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something of a statement: a call, a constant, a loop. detail: the op, the value,
    the number of items, the place where what is called is defined."""

    how: How
    name: str = ""
    detail: object = None


@dataclass(slots=True)
class Seen:
    """A statement that lowering has reached.

    depth: in how many calls. function: the one that it stands in. lost: it reads what
    a statement that was left out should have given.
    """

    location: Location
    last_line: int
    text: str
    depth: int
    function: str
    lost: bool = False
    left_out: bool = False
    notes: dict[tuple[str, str], Note] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Where it begins."""
        return place_of(self.location)

    def lose(self, *, lost: bool) -> None:
        """Note whether it reads what is not to be believed."""
        self.lost |= lost

    def leave_out(self, *, left_out: bool) -> bool:
        """Note whether it is left out."""
        self.left_out = left_out
        return left_out

    def is_around(self, place: Place) -> bool:
        """Whether a place is within it."""
        filename, lineno, _ = place
        same = filename == self.location.filename
        return same and self.place[1:] <= place[1:] and lineno <= self.last_line


class Watch:
    """The record of one lowering; of several, where it begins again, the last."""

    def __init__(self, left_out: frozenset[Place] = frozenset()) -> None:
        self.left_out: Final = left_out
        self.seen: dict[Place, Seen] = {}
        self.lost: set[str] = set()
        self._earlier: dict[Place, Seen] = {}
        self._last: dict[int, Seen] = {}

    def begin(self) -> None:
        """A lowering begins."""
        self._earlier |= self.seen
        self.seen, self._last = {}, {}
        self.lost.clear()

    def reached(self, seen: Seen) -> Seen:
        """Note a statement, or find it again."""
        known = self.seen.setdefault(seen.place, seen)
        known.lose(lost=seen.lost)
        self._last[seen.depth] = known
        return known

    def note(self, depth: int, note: Note, place: Place | None = None) -> None:
        """Note something of a statement, by default the last one reached.

        What its text does not name is not the user's: the compiler put it so.
        """
        seen = self.seen.get(place) if place else self._last.get(depth)
        if seen is None:
            return
        if note.how == "inlined" or note.name.rpartition(".")[2] in seen.text:
            seen.notes.setdefault((note.how, note.name), note)

    def emitted(self, depth: int, op: Op, *, primitive: bool) -> None:
        """Note a call of a primitive, and what an op makes of values that are not to be
        believed."""
        if primitive and isinstance(op, Apply) and op.form in ("call", "method"):
            name = op.spelling or getattr(op.fn, "__name__", "")
            self.note(depth, Note("rule", name, op))
        if not self.lost:
            return
        reads = atoms_of(op)
        for block in blocks_of(op):
            reads += tuple(a for inner in walk(block) for a in atoms_of(inner))
        if any(isinstance(a, Var) and a.name in self.lost for a in reads):
            self.lost |= {v.name for v in defined_by(op)}

    def statement_at(self, at: Location | None) -> Seen | None:
        """The innermost statement around a place."""
        if at is None:
            return None
        around = [
            seen for seen in {**self._earlier, **self.seen}.values()
            if seen.is_around(place_of(at))
        ]  # fmt: skip
        return max(around, key=lambda seen: seen.place[1:], default=None)


def place_of(at: Location) -> Place:
    """Where something begins."""
    return at.filename, at.lineno, at.col_offset
