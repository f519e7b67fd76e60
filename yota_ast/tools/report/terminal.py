"""A view -> a table for a terminal: each line of the function beside what it became.

Two columns of the gradient where the terminal is wide, forward and reverse, which is
read upward; one below the other where it is not.
"""

from __future__ import annotations

import colorsys
import io
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from yota_ast.errors import YotaError
from yota_ast.support.escaping import terminal_line
from yota_ast.tools.report.code_tokens import Word, words_of
from yota_ast.tools.report.line_pairs import HEADINGS, Paired
from yota_ast.tools.report.markup import HUES
from yota_ast.tools.report.user_lines import SourceFunction, Spot
from yota_ast.tools.report.view import View

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

WIDE: Final = 150
"""From how many columns on the two sweeps stand side by side."""
_LEAST: Final = 60
_STYLES: Final = {
    "keyword": "magenta", "number": "yellow", "string": "green", "call": "cyan",
    "builtin": "cyan", "name": "bold", "comment": "dim italic",
}  # fmt: skip
_LATE: Final = ("reverse", "return")


def side_by_side(view: View, width: int, *, colour: bool) -> str:
    """The table, at most `width` columns wide.

    Raises YotaError where rich is not installed.
    """
    try:
        from rich import box
        from rich.console import Console
        from rich.table import Table
    except ImportError as error:
        raise YotaError(
            "--side-by-side needs rich, which is not installed",
            remedy="Install it: pip install 'yota-ast[view]'.",
        ) from error
    width = max(width, _LEAST)
    wide = width >= WIDE and view.kind == "gradient"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True, highlight=False)
    titles = ("forward", "reverse, upward") if wide else (view.kind,)
    titles = (terminal_line(view.tape.name), *titles)
    for title, ratio in zip(titles, (4, 5, 5), strict=False):
        table.add_column(title, ratio=ratio, overflow="fold")
    for primal, forward, reverse in _Rows(view).rows():
        table.add_row(*_cells(primal, forward, reverse, wide=wide))
    file = io.StringIO()
    system: Literal["truecolor"] | None = "truecolor" if colour else None
    console = Console(
        file=file, width=width, color_system=system, force_terminal=colour,
        legacy_windows=False, no_color=not colour, highlight=False, emoji=False,
        markup=False,
    )  # fmt: skip
    console.print(table)
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return "\n".join(lines) + "\n"


Lines = list[tuple["Text", "Text"]]
"""Gutters and what stands beside them."""


def _cells(primal: Lines, forward: Lines, reverse: Lines, *, wide: bool) -> list[Table]:
    """The cells of a row: long lines go on below themselves, not below the gutter."""
    from rich.table import Table

    cells = []
    for lines in [primal, forward, reverse] if wide else [primal, [*forward, *reverse]]:
        cell = Table.grid(padding=(0, 0))
        cell.add_column(no_wrap=True)
        cell.add_column(overflow="fold")
        for gutter, code in lines:
            cell.add_row(gutter, code)
        cells.append(cell)
    return cells


class _Rows:
    """Each line of the user's, and the lines of the gradient that are above all its."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.late: dict[Spot, list[Paired]] = defaultdict(list)
        self.early: dict[Spot, list[Paired]] = defaultdict(list)
        for line in view.lines:
            if line.spots and line.line.part != "check":
                late = line.line.part in _LATE
                (self.late if late else self.early)[line.spots[0]].append(line)
        texts = [line.line.text for line in view.lines]
        self.words = words_of(texts)

    def rows(self) -> Iterator[tuple[Lines, Lines, Lines]]:
        """The rows of the table."""
        primal = self.view.primal
        for top in (*([primal.root] if primal.root else []), *primal.others):
            yield from self._function(top, "")

    def _function(
        self, function: SourceFunction, indent: str
    ) -> Iterator[tuple[Lines, Lines, Lines]]:
        lines = list(function.lines())
        for line, words in zip(lines, words_of([x.text for x in lines]), strict=True):
            spot = line.spot if line.spot in self.view.colours else None
            first = spot is not None and line.number == spot.lineno
            early = self.early.get(spot, []) if spot and first else []
            late = self.late.get(spot, []) if spot and first else []
            own = self._text(line.number, [Word(indent), *words], spot)
            yield [own], self._texts(early, spot), self._texts(late, spot)
            for inner in function.inlined.get(line.number, []):
                yield from self._function(inner, indent + "  | ")

    def _texts(self, lines: Sequence[Paired], spot: Spot | None) -> Lines:
        shown = (x for x in lines if x.line.text.strip() not in HEADINGS)
        return [self._text(x.number, self.words[x.number - 1], spot) for x in shown]

    def _text(
        self, number: int, words: Sequence[Word], spot: Spot | None
    ) -> tuple[Text, Text]:
        from rich.text import Text

        gutter, code = Text(), Text()
        if spot is None:
            gutter.append(" ")
        else:
            gutter.append("|", _rgb(self.view.colours[spot]))
        gutter.append(f"{number:>4} ", "dim")
        for word in words:
            code.append(terminal_line(word.text), _STYLES.get(word.kind, ""))
        return gutter, code


def _rgb(colour: int) -> str:
    """The colour of a statement, by its number."""
    hue = HUES[colour % len(HUES)] / 360
    parts = colorsys.hls_to_rgb(hue, 0.55, 0.6)
    return "bold rgb({},{},{})".format(*(round(255 * p) for p in parts))
