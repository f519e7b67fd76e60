"""What was compared, leaf by leaf -> the table that `gradcheck` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.support.escaping import terminal, terminal_line
from yota_ast.tools.gradcheck.judging import Verdict

HEAD: Final = ("argument", "is", "gradient", "slope", "digits", "by", "forward", "")
RIGHT: Final = (2, 3, 4, 6)
GOOD: Final = ("agrees", "kink", "no derivative")


@dataclass(frozen=True, slots=True)
class Row:
    """One leaf: the slope of the function along a direction in which it moves.

    gradient: by the gradient. slope: by the method named, give or take error. digits:
    to how many the two agree; forward: to how many forward mode agrees with reverse,
    None where there is none.
    """

    argument: str
    kind: str
    verdict: Verdict
    gradient: float = 0.0
    slope: float = 0.0
    error: float = 0.0
    digits: float = 0.0
    method: str = ""
    forward: float | None = None
    forward_agrees: bool = True

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the gradient here."""
        return self.verdict in GOOD and self.forward_agrees

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as the table shows it."""
        if self.verdict == "no derivative":
            return (self.argument, self.kind, "", "", "", "", "", "no derivative")
        digits = "" if self.verdict == "kink" else f"{self.digits:.0f}"
        forward = "" if self.forward is None else f"{self.forward:.0f}"
        said: str = "" if self.verdict == "agrees" else self.verdict
        said = said if self.forward_agrees else f"{said} forward differs".strip()
        both = f"{self.gradient:.8g}", f"{self.slope:.8g}"
        return (self.argument, self.kind, *both, digits, self.method, forward, said)


@dataclass(frozen=True, slots=True)
class GradCheck:
    """What `gradcheck` found: true where the gradient agrees; prints as a table."""

    name: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    same_value: bool = True

    def __bool__(self) -> bool:
        return self.same_value and bool(self.rows) and all(r.holds for r in self.rows)

    @property
    def verdict(self) -> str:
        """What is said above the table."""
        if self:
            return "the gradient agrees with differences"
        if not self.same_value:
            return "the value differs from that of the function"
        if any(r.verdict == "differs" or not r.forward_agrees for r in self.rows):
            return "the gradient disagrees with differences"
        return "the differences are too rough to judge the gradient"

    def __str__(self) -> str:
        lines = [f"gradcheck of {terminal_line(self.name)}: {self.verdict}"]
        if self.rows:
            lines += aligned([HEAD, *(row.cells for row in self.rows)], RIGHT)
        return terminal("\n".join([*lines, *self.notes]))

    __repr__ = __str__


def aligned(rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows under one another, each column as wide as its widest cell.

    right: the columns that end under one another.

    >>> aligned([("a", "12"), ("bcd", "3")], right=[1])
    ['a    12', 'bcd   3']
    """
    lines = [tuple(map(terminal_line, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    kept = [k for k, width in enumerate(widths) if width]
    return [
        "  ".join(
            line[k].rjust(widths[k]) if k in right else line[k].ljust(widths[k])
            for k in kept
        ).rstrip()
        for line in lines
    ]
