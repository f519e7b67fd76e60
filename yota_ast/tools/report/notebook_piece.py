"""A view -> a piece of HTML for a notebook: the function and its gradient side by side.

No script: pointing at a line lights what belongs to it by rules of style alone, one for
each statement. Where a notebook is shown without its styles the two columns stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yota_ast.codegen.printers.templates import render
from yota_ast.support.escaping import html
from yota_ast.tools.report.markup import coloured, hue, words_html
from yota_ast.tools.report.user_lines import SourceFunction, Spot
from yota_ast.tools.report.view import View


def piece(view: View) -> str:
    """The function and its gradient. Entry checks and helpers are left out."""
    links = [
        f".yota-ast:has(.s{k}:hover) .s{k} "
        f"{{ background: oklch(var(--lit) var(--h)); }}"
        for k in view.colours.values()
    ]
    return render(
        "piece.html",
        links="\n".join(links),
        primal="\n".join(_primal(view)),
        gradient="\n".join(_gradient(view)),
    )


def _primal(view: View) -> Iterator[str]:
    primal = view.primal
    for top in (*([primal.root] if primal.root else []), *primal.others):
        yield from _function(view, top, 0)


def _function(view: View, function: SourceFunction, depth: int) -> Iterator[str]:
    lines = list(function.lines())
    words = coloured([line.text for line in lines])
    indent = "    " * depth
    for line, own in zip(lines, words, strict=True):
        spots = (line.spot,) if line.spot in view.colours else ()
        yield _line(view, [s for s in spots if s], indent + words_html(own))
        for inner in function.inlined.get(line.number, []):
            title = html(f"{inner.name}, inlined from {inner.title}")
            yield f'<span class="l note">{indent}    {title}</span>'
            yield from _function(view, inner, depth + 1)


def _gradient(view: View) -> Iterator[str]:
    shown = [line for line in view.lines if line.line.part not in ("import", "helper")]
    words = coloured([line.line.text for line in shown])
    checks = sum(line.line.part == "check" for line in shown)
    for line, own in zip(shown, words, strict=True):
        if line.line.part == "check":
            if checks:
                note = f"# {checks} lines of entry checks"
                yield f'<span class="l note">    {note}</span>'
            checks = 0
            continue
        names = frozenset(k.name for k in line.line.keeps)
        yield _line(view, line.spots, words_html(own, names))


def _line(view: View, spots: Sequence[Spot], code: str) -> str:
    colours = [view.colours[s] for s in spots if s in view.colours]
    classes = " ".join(["l", *(f"s{k}" for k in colours)])
    style = f' style="{hue(colours[0])}"' if colours else ""
    return f'<span class="{classes}"{style}>{code}</span>'
