"""A graph that is laid out -> SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from yota_ast.support.escaping import html
from yota_ast.tools.report.graph import HEAD, PAD, Drawn, Node, inside
from yota_ast.tools.report.graph_layers import Box, Point

Attributes = Callable[[Node], str]
"""What gives a node's further attributes: links, colours."""
_MARGIN = 12


def svg(drawn: Drawn, title: str, attributes: Attributes) -> str:
    """The picture of a graph, of its natural size."""
    width = drawn.layout.width + 2 * _MARGIN
    height = drawn.layout.height + 2 * _MARGIN
    head = (
        f'<svg class="graph" role="img" aria-label="{html(title)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    )
    marker = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 1 7 4 0 7z"/></marker></defs>'
    )
    parts = _level(drawn, (_MARGIN, _MARGIN), attributes)
    return "\n".join([head, marker, *parts, "</svg>"])


def _level(drawn: Drawn, at: Point, attributes: Attributes) -> Iterator[str]:
    """Boxes with levels in them first, then arrows, then the nodes in front."""
    x, y = at
    places = {n: (x + p[0], y + p[1]) for n, p in drawn.layout.places.items()}
    for node in drawn.nodes:
        if node.inner is not None:
            yield from _cluster(node, places[node.name], drawn, attributes)
    for arrow, way in zip(drawn.arrows, drawn.layout.ways, strict=True):
        points = [(x + p, y + q) for p, q in way]
        if arrow.out is not None:  # from the bottom of what is in a box
            points.insert(0, (points[0][0], points[0][1] - PAD))
        if arrow.into is not None:  # to the top of what is in a box
            points.append((points[-1][0], points[-1][1] + HEAD + PAD))
        yield f'<path class="edge" d="{_curve(points)}"/>'
    for node in drawn.nodes:
        if node.inner is None:
            yield _node(node, places[node.name], drawn.boxes[node.name], attributes)


def _cluster(
    node: Node, place: Point, drawn: Drawn, attributes: Attributes
) -> Iterator[str]:
    box = drawn.boxes[node.name]
    x, y = place
    yield f'<g class="cluster {node.kind}"{attributes(node)}>'
    yield f'<rect x="{x}" y="{y}" width="{box.width}" height="{box.height}" rx="10"/>'
    yield f'<text x="{x + PAD}" y="{y + 18}">{html(node.label)}</text></g>'
    if node.inner is not None:
        yield from _level(node.inner, inside(place), attributes)


def _node(node: Node, place: Point, box: Box, attributes: Attributes) -> str:
    x, y = place
    middle, half = x + box.width // 2, box.height // 2
    radius = {"op": 7, "input": half, "read": half}.get(node.kind, 4)
    title = f"<title>{html(node.title)}</title>" if node.title else ""
    if node.kind == "port":
        label = f'<text x="{middle}" y="{y + 10}">{html(node.label)}</text>'
        dot = f'<circle cx="{middle}" cy="{y + box.height - 2}" r="2.5"/>'
        return f'<g class="node port">{label}{dot}</g>'
    shape = (
        f'<rect x="{x}" y="{y}" width="{box.width}" height="{box.height}" '
        f'rx="{radius}"/>'
    )
    label = f'<text x="{middle}" y="{y + 16}">{html(node.label)}</text>'
    detail = ""
    if node.detail:
        text = html(node.detail)
        detail = f'<text class="detail" x="{middle}" y="{y + 31}">{text}</text>'
    kind = f'class="node {node.kind}"{attributes(node)}'
    return f"<g {kind}>{title}{shape}{label}{detail}</g>"


def _curve(points: Sequence[Point]) -> str:
    """A smooth way through points, downward at both ends and along vertical parts."""
    x, y = points[0]
    parts = [f"M{x} {y}"]
    for k, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        if x1 == x2:
            parts.append(f"V{y2}")
            continue
        third = (y2 - y1) / 3
        start, end = _slope(points, k), _slope(points, k + 1)
        a, b = round(x1 + third * start), round(x2 - third * end)
        if not start and not end:
            third = (y2 - y1) / 2
        c, d = round(y1 + third), round(y2 - third)
        parts.append(f"C{a} {c} {b} {d} {x2} {y2}")
    return "".join(parts)


def _slope(points: Sequence[Point], k: int) -> float:
    """How far to the right for each step down a way goes at one of its points."""
    if k in (0, len(points) - 1):
        return 0.0
    (x1, y1), (x, _), (x2, y2) = points[k - 1 : k + 2]
    if x in (x1, x2) or (x - x1) * (x2 - x) < 0:
        return 0.0
    return (x2 - x1) / max(y2 - y1, 1)
