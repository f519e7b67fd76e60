"""What data holds is shown and steers nothing: terminals, pages, messages, tables."""

import contextlib
import importlib.util
import sys
import unicodedata

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.support.escaping import html, terminal, terminal_line
from yota_ast.tools.cli.main import main
from yota_ast.tools.gradcheck.check_table import aligned

HOSTILE = 'b\x1b[31m\u202e\x9b0m\u2067\u200f\r\a<script>"x"</script>&\'\n'
SHOWN = (
    r"b\x1b[31m\u202e\x9b0m\u2067\u200f\r\x07"
    '<script>"x"</script>&\''
)


def test_all_that_steers_is_escaped_and_all_that_is_read_stays():
    steering, kept = ("Cc", "Cf", "Cs", "Zl", "Zp"), ("L", "M", "N", "P", "S", "Zs")
    for character in map(chr, range(sys.maxunicode + 1)):
        category = unicodedata.category(character)
        if category in steering and character not in "\t\n":
            assert terminal(character).isascii()
            assert "\\" in terminal(character)
        elif category.startswith(kept):
            assert terminal(character) == character


def test_the_three_forms():
    assert terminal(f"{HOSTILE}next") == f"{SHOWN}\nnext"
    assert terminal_line(HOSTILE) == SHOWN + r"\n"
    assert html(HOSTILE) == (
        r"b\x1b[31m\u202e\x9b0m\u2067\u200f\r\x07"
        "&lt;script&gt;&quot;x&quot;&lt;/script&gt;&amp;&#x27;\n"
    )


@pytest.mark.parametrize("form", [terminal, terminal_line])
def test_a_second_time_changes_nothing(form):
    assert form(form(HOSTILE)) == form(HOSTILE)


def test_an_error_shows_its_line_with_the_caret_below_the_place():
    line = '    s = "\x1b[2J\u202e"; yield s'
    offset = len(line[: line.index("yield")].encode())
    error = UnsupportedSyntax(
        "`s\x1b[0m` is not taken",
        at=Location("a\x1b.py", 3, offset, offset + 7, line), remedy="Leave \u2066.",
    )  # fmt: skip
    assert error.diagnostic == (
        r"a\x1b.py:3:18: UnsupportedSyntax: `s\x1b[0m` is not taken"
        "\n"
        r'    s = "\x1b[2J\u202e"; yield s'
        "\n"
        r"                         ^^^^^^^"
        "\n"
        r"Leave \u2066."
    )


def total(d):
    return sum(v * v for v in d.values())


HIDDEN = """\
import numpy as np

def joined(x):
    # turned \u202e <script>
    return np.sum(x * len("\u2066 <script>"))


def refused(x):
    return np.busday_count(x, x) * 2  # turned \u202e
"""


@pytest.fixture
def hidden(tmp_path):
    """A module whose source holds what cannot be seen."""
    path = tmp_path / "hidden.py"
    path.write_text(HIDDEN, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("hidden", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_listing_of_a_tape(hidden):
    tape = ya.trace(hidden.joined, np.ones(2))[1]
    assert terminal(str(tape)) == str(tape)


def test_a_table():
    assert aligned([("a\x1b[1m", "b"), ("c", "d\n")]) == [
        r"a\x1b[1m  b",
        r"c         d\n",
    ]
    found = ya.gradcheck(total, {"a\x1b[1m\n": 2.0, "b": 1.0})
    assert r"a\x1b[1m\n" in str(found)
    assert "\x1b" not in str(found)


def test_an_explanation(hidden):
    for function in (hidden.joined, hidden.refused):
        text = str(ya.explain(function, np.ones(2)))
        assert terminal(text) == text


def test_a_page_and_a_notebook(tmp_path, hidden):
    made = ya.simplegrad(hidden.joined, np.ones(2))
    page = made.report(tmp_path / "page.html").read_text(encoding="utf-8")
    for text in (page, made._repr_html_()):
        assert "\u202e" not in text
        assert "\u2066" not in text
        assert "<script> " not in text
        assert r"turned \u202e &lt;script&gt;" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["rules", "np.\x1b[1m\u202esum"],
        ["show-grad", "m\x1b[1m:f\u202e"],
        ["show-\x1b[1mgrad", "m:f"],
        ["emit", "--\x1b[1mcheck\u202e"],
    ],
)
def test_the_command_line(arguments, capsys):
    with contextlib.suppress(SystemExit):
        assert main(arguments) == 2
    said = capsys.readouterr().err
    assert terminal(said) == said
    assert r"\x1b[1m" in said
