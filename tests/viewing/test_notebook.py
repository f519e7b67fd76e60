"""The piece of HTML that a notebook shows."""

import re

import numpy as np
import pytest

from tests.viewing.shown import FUNCTIONS, lstm, network, view_of
from tests.viewing.test_page import Page
from yota_ast.api.grad import simplegrad
from yota_ast.tools.report.notebook_piece import piece
from yota_ast.tools.report.view import View


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_piece_is_scoped_and_needs_no_script(function):
    text = piece(view_of(function))
    page = Page(text)
    assert not {"script", "link", "img"} & {tag for tag, _ in page.elements}
    assert not any("id" in a for _, a in page.elements)  # it is shown more than once
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    style = re.sub(r"@media[^{]*\{(.*?\})\s*\}", r"\1", style, flags=re.DOTALL)
    for selectors in re.findall(r"([^{}]+)\{[^}]*\}", style):
        assert all(".yota-ast" in s for s in selectors.split(","))
    assert "://" not in text


def test_a_line_lights_what_it_became():
    text = piece(view_of(lstm))
    for k in set(re.findall(r"\bs(\d+)\b", text)):
        assert f".yota-ast:has(.s{k}:hover) .s{k} " in text
    line, *_ = re.findall(r'<span class="([^"]*)"[^>]*>[^\n]*dgates @ U', text)
    primal, *_ = re.findall(r'<span class="([^"]*)"[^>]*>\s*gates = W @ x', text)
    assert line == primal


def test_entry_checks_are_one_line():
    text = piece(view_of(network))
    assert text.count("lines of entry checks") == 1
    assert "made for" not in text


def test_a_notebook_shows_it():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    code = (
        "import numpy as np, yota_ast as ya\n"
        "def f(x):\n    y = np.sin(x)\n    return np.sum(y * x)\n"
        "df = ya.simplegrad(f, np.ones(3))\n"
        "df"
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    [output] = book.cells[0].outputs
    assert "<generated function f_grad" in output.data["text/plain"]
    html = output.data["text/html"]
    assert '<div class="yota-ast">' in html
    assert html.count('np.<span class="w-call">sin</span>(x)') >= 2
    Page(html)


def test_what_is_shown_is_what_runs():
    gradient = simplegrad(
        network, *[np.ones(s) for s in ((2, 3), (3, 4), 4, (4, 5), 5)]
    )
    plain = re.sub(r"<[^>]+>", "", gradient._repr_html_())
    for line in View(*gradient.viewer.args).lines:
        if line.line.part in ("forward", "reverse", "return"):
            assert line.line.text.replace("&", "&amp;") in plain
