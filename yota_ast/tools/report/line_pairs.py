"""A text and the user's lines -> which of the one became which of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.printers.statement_lines import Line
from yota_ast.tools.report.user_lines import Primal, SourceFunction, Spot

HEADINGS: Final = ("# forward", "# reverse")


@dataclass(frozen=True, slots=True)
class Paired:
    """A line of the text, and the statements that it stems from, its own first."""

    number: int
    line: Line
    spots: tuple[Spot, ...]


def paired(lines: Sequence[Line], primal: Primal) -> tuple[Paired, ...]:
    """The lines of a text, each with its statements.

    Signatures and checks stem from the line on which the function begins, what only
    hands on the value from the `return`.
    """
    found: list[Paired] = []
    for function in _functions(lines):
        start = _start(function, primal)
        for line in function:
            spots = tuple(_spots(line, primal))
            bare = line.part in ("import", "helper") or line.text.strip() in (
                "",
                *HEADINGS,
            )
            if not spots and start is not None and not bare:
                above = line.part in ("head", "check")
                spots = (start.spot(start.first if above else start.ends),)
            found.append(Paired(len(found) + 1, line, spots))
    return tuple(found)


def _functions(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """The lines of each function in turn."""
    starts = [k for k, line in enumerate(lines) if line.text.startswith("def ")]
    yield lines[: starts[0]]
    for first, after in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[first:after]


def _start(lines: Sequence[Line], primal: Primal) -> SourceFunction | None:
    """The function of the user's that a function of the text is about."""
    if not lines or lines[0].part in ("import", "helper"):
        return None
    places = (o.location or o.place for line in lines for o in line.origins)
    found = [place for place in places if place is not None]
    if not found:
        return primal.root
    spot = primal.spot(min(found, key=lambda place: len(place.chain)))
    around = (f for f in primal.functions() if spot is not None and _holds(f, spot))
    return next(around, primal.root)


def _holds(function: SourceFunction, spot: Spot) -> bool:
    inside = function.first <= spot.lineno <= function.last
    same = (function.chain, function.filename) == (spot.chain, spot.filename)
    return same and inside


def _spots(line: Line, primal: Primal) -> Iterator[Spot]:
    seen: set[Spot] = set()
    for origin in line.origins:
        spot = None if origin.place is None else primal.spot(origin.place)
        if spot is not None and spot not in seen:
            seen.add(spot)
            yield spot
