"""A view -> one page of HTML that needs nothing beside it."""

from __future__ import annotations

from typing import Final

from yota_ast.codegen.printers.templates import render
from yota_ast.support.escaping import html
from yota_ast.tools.report.panes import Panes
from yota_ast.tools.report.view import View

_LEAST: Final = 70
_MOST: Final = 110


def page(view: View) -> str:
    """The report of a gradient. Equal gradients give equal bytes."""
    panes = Panes(view)
    left, right = _columns(view)
    return render(
        "report.html",
        left=str(left),
        right=str(right),
        name=html(view.tape.name),
        kind=view.kind,
        title=view.kind.title(),
        where=html(view.where),
        doc=html(" ".join(view.program.doc.split())),
        facts=_facts(view),
        primal=panes.primal(),
        gradient=panes.gradient(),
        memory=panes.memory(),
        tape=panes.tape(),
        graph=panes.graph(),
    )


def _columns(view: View) -> tuple[int, int]:
    """How wide the two sides are to be, by their longest lines, in characters."""
    left = max(
        (
            len(line.text) + 8 * len(f.chain)
            for f, lines in view.functions
            for line in lines
        ),
        default=_LEAST,
    )
    right = max(len(line.line.text) for line in view.lines)
    return min(max(left + 8, _LEAST), _MOST), min(max(right + 24, _LEAST), _MOST)


def _facts(view: View) -> str:
    """The numbers at the top."""
    inlined = sum(1 for f, _ in view.functions if f.chain)
    primal = sum(1 for _, lines in view.functions for line in lines if line.spot)
    own = [x for x in view.lines if x.spots]
    facts = [
        (str(primal), "lines of the function"),
        (str(len(own)), f"lines of the {view.kind}"),
        (view.size.brief, "saved for the reverse sweep"),
    ]
    if inlined:
        facts.insert(1, (str(inlined), "calls inlined"))
    return "\n".join(
        f"<div><dt>{html(what)}</dt><dd>{html(number)}</dd></div>"
        for number, what in facts
    )
