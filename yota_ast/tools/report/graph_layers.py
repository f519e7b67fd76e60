"""Boxes and arrows between them -> where each box stands, and the way of each arrow.

Layers from top to bottom (K. Sugiyama, S. Tagawa, M. Toda: Methods for visual
understanding of hierarchical system structures): each box below all that point at it,
arrows that cross several layers by way of points on them, the order within a layer by
medians of what lies above and below.

>>> a, b = Box("a", 40, 20), Box("b", 40, 20)
>>> done = layered([a, b], [Arrow("a", "b")])
>>> done.places["b"], done.ways[0]
((0, 64), ((20, 20), (20, 64)))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass, field

GAP: Final = 18
"""Between neighbours."""
RISE: Final = 44
"""Between layers."""
_SWEEPS: Final = 12
_TALL: Final = 60
"""An arrow passes a layer of such a height straight down."""

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Box:
    """A box; end: the layer that it stands in whatever it is connected to, if any."""

    name: str
    width: int
    height: int
    end: Literal["first", "last", ""] = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow; out, into: how far from the left of its boxes, None in the middle."""

    source: str
    target: str
    out: int | None = None
    into: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Left upper corners of boxes, points of arrows in their order, the whole size."""

    places: Mapping[str, Point]
    ways: Sequence[tuple[Point, ...]]
    width: int
    height: int


def layered(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Layout:
    """Lay out boxes, given in an order in which no arrow points back."""
    return _Layers(boxes, arrows).run() if boxes else Layout({}, (), 0, 0)


@dataclass(slots=True)
class _Layers:
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]
    size: dict[str, tuple[int, int]] = field(default_factory=dict)
    layer: dict[str, int] = field(default_factory=dict)
    rows: list[list[str]] = field(default_factory=list)
    above: dict[str, list[str]] = field(default_factory=dict)
    below: dict[str, list[str]] = field(default_factory=dict)
    middle: dict[str, float] = field(default_factory=dict)
    chains: list[list[str]] = field(default_factory=list)

    def run(self) -> Layout:
        self.size = {b.name: (b.width, b.height) for b in self.boxes}
        self._rank()
        self._chain()
        self._order()
        self._spread()
        return self._layout()

    # ------------------------------------------------------------ layers

    def _rank(self) -> None:
        """Put each box one layer below the lowest that points at it; what nothing
        points at right above what it points at."""
        into: dict[str, list[str]] = {b.name: [] for b in self.boxes}
        out: dict[str, list[str]] = {b.name: [] for b in self.boxes}
        for a in self.arrows:
            into[a.target].append(a.source)
            out[a.source].append(a.target)
        for b in self.boxes:
            self.layer[b.name] = max(
                (self.layer[s] + 1 for s in into[b.name]), default=0
            )
        for b in reversed(self.boxes):
            if not b.end and not into[b.name] and out[b.name]:
                self.layer[b.name] = min(self.layer[t] for t in out[b.name]) - 1
        deepest = max((self.layer[b.name] for b in self.boxes if not b.end), default=0)
        for b in self.boxes:
            if b.end:
                self.layer[b.name] = 0 if b.end == "first" else deepest + 1
        used = sorted(set(self.layer.values()))
        self.layer = {name: used.index(k) for name, k in self.layer.items()}

    def _chain(self) -> None:
        """Break arrows at the layers that they cross."""
        self.rows = [[] for _ in range(max(self.layer.values()) + 1)]
        for b in self.boxes:
            self.rows[self.layer[b.name]].append(b.name)
        for k, a in enumerate(self.arrows):
            chain = [a.source]
            for row in range(self.layer[a.source] + 1, self.layer[a.target]):
                point = f"{a.source}>{a.target}#{k}@{row}"
                self.size[point] = (1, 0)
                self.rows[row].append(point)
                chain.append(point)
            self.chains.append([*chain, a.target])
        self.above = {name: [] for name in self.size}
        self.below = {name: [] for name in self.size}
        for chain in self.chains:
            for one, other in pairwise(chain):
                self.below[one].append(other)
                self.above[other].append(one)

    # ------------------------------------------------------------ order in layers

    def _order(self) -> None:
        best, fewest = [list(row) for row in self.rows], self._crossings()
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            rows = self.rows[1:] if down else self.rows[-2::-1]
            for row in rows:
                self._sort(row, self.above if down else self.below)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _sort(self, row: list[str], beside: Mapping[str, list[str]]) -> None:
        at = {name: k for r in self.rows for k, name in enumerate(r)}
        keys = {
            name: sum(at[n] for n in beside[name]) / len(beside[name])
            if beside[name]
            else float(at[name])
            for name in row
        }
        row.sort(key=lambda name: (keys[name], at[name]))

    def _crossings(self) -> int:
        at = {name: k for r in self.rows for k, name in enumerate(r)}
        count = 0
        for row in self.rows:
            pairs = [(at[n], at[m]) for n in row for m in self.below[n]]
            count += sum(
                (a - c) * (b - d) < 0
                for k, (a, b) in enumerate(pairs)
                for c, d in pairs[k + 1 :]
            )
        return count

    # ------------------------------------------------------------ columns

    def _spread(self) -> None:
        """Give each box its column: near what it is connected to, apart from others."""
        for row in self.rows:
            left = 0.0
            for name in row:
                width = self.size[name][0]
                self.middle[name] = left + width / 2
                left += width + GAP
        for sweep in range(2 * _SWEEPS):
            rows = self.rows if sweep % 2 == 0 else self.rows[::-1]
            beside = self.above if sweep % 2 == 0 else self.below
            for row in rows:
                self._pull(row, beside, both=sweep >= _SWEEPS)

    def _pull(
        self, row: list[str], beside: Mapping[str, list[str]], *, both: bool
    ) -> None:
        wanted = []
        for name in row:
            near = beside[name]
            if both:
                near = [*self.above[name], *self.below[name]]
            points = sorted(self.middle[n] for n in near) or [self.middle[name]]
            half = len(points) // 2
            odd = len(points) % 2
            wanted.append(
                points[half] if odd else (points[half - 1] + points[half]) / 2
            )
        for name, middle in zip(row, self._apart(row, wanted), strict=True):
            self.middle[name] = middle

    def _apart(self, row: list[str], wanted: list[float]) -> list[float]:
        """The nearest columns to what is wanted that keep boxes apart and in order.

        Isotonic regression: neighbours that want to overlap become one block, which
        stands at their mean.
        """
        offsets, left = [], 0.0
        for name in row:
            width = self.size[name][0]
            offsets.append(left + width / 2)
            left += width + GAP
        blocks: list[tuple[float, int]] = []  # mean, count
        for k, want in enumerate(wanted):
            mean, count = want - offsets[k], 1
            while blocks and blocks[-1][0] >= mean:
                other, more = blocks.pop()
                mean = (mean * count + other * more) / (count + more)
                count += more
            blocks.append((mean, count))
        starts = [mean for mean, count in blocks for _ in range(count)]
        return [s + o for s, o in zip(starts, offsets, strict=True)]

    # ------------------------------------------------------------ the result

    def _layout(self) -> Layout:
        names = [b.name for b in self.boxes]
        left = min(self.middle[n] - self.size[n][0] / 2 for n in self.size)
        tops, top = [], 0
        for row in self.rows:
            tops.append(top)
            top += max(self.size[n][1] for n in row) + RISE
        places = {}
        for row, y in zip(self.rows, tops, strict=True):
            tallest = max(self.size[n][1] for n in row)
            for n in row:
                x = round(self.middle[n] - self.size[n][0] / 2 - left)
                free = tallest - self.size[n][1]
                # What nothing points at stands near what it points at.
                places[n] = (x, y + (free // 2 if self.above[n] else free))
        ways = [
            tuple(self._points(a, chain, places, tops))
            for a, chain in zip(self.arrows, self.chains, strict=True)
        ]
        width = max(places[n][0] + self.size[n][0] for n in self.size)
        return Layout({n: places[n] for n in names}, ways, width, top - RISE)

    def _points(
        self,
        arrow: Arrow,
        chain: list[str],
        places: Mapping[str, Point],
        tops: Sequence[int],
    ) -> Iterable[Point]:
        first, last = chain[0], chain[-1]
        x, y = places[first]
        width, height = self.size[first]
        yield x + (width // 2 if arrow.out is None else arrow.out), y + height
        for name in chain[1:-1]:
            row = int(name.rpartition("@")[2])
            tallest = max(self.size[n][1] for n in self.rows[row])
            x = places[name][0]
            if tallest < _TALL:
                yield x, tops[row] + tallest // 2
            else:
                yield x, tops[row]
                yield x, tops[row] + tallest
        x, y = places[last]
        yield x + (self.size[last][0] // 2 if arrow.into is None else arrow.into), y
