"""A tape and the program of its gradient -> the HTML that shows the two together."""

from __future__ import annotations

from yota_ast.ir.tape import Program, Tape
from yota_ast.tools.report.notebook_piece import piece
from yota_ast.tools.report.page import page
from yota_ast.tools.report.view import View


def html_of(tape: Tape, program: Program, form: str) -> str:
    """Return the HTML of a gradient: a "page", or a "piece" of one for a notebook."""
    view = View(tape, program)
    return page(view) if form == "page" else piece(view)
