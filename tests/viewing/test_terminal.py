"""The table for a terminal."""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.viewing.shown import FUNCTIONS, lstm, network, view_of
from yota_ast.tools.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
TARGET = "tests/viewing/shown.py:network"


def table(function, width, *, colour=False):
    pytest.importorskip("rich")
    from yota_ast.tools.report.terminal import side_by_side

    return side_by_side(view_of(function), width, colour=colour)


@pytest.mark.parametrize("width", [20, 80, 110, 150, 220])
def test_the_table_is_as_wide_as_the_terminal(width):
    for function in FUNCTIONS:
        text = table(function, width)
        assert max(map(len, text.splitlines())) <= max(width, 60)


def test_each_line_stands_beside_what_it_became():
    text = table(network, 180)
    rows = [re.split(r"\s{2,}\|", line) for line in text.splitlines()]
    [row] = [r for r in rows if "return np.sum(y**2)" in r[0]]
    assert "val = np.sum(y_2**2)" in row[1]
    assert "return val, dx, dW1, db1, dW2, db2" in row[2]
    [row] = [r for r in rows if "y = dense(y, W2, b2)" in r[0]]
    assert "# y = dense(y, W2, b2)" in row[-1]


def test_a_narrow_terminal_has_one_column_for_both_sweeps():
    assert "reverse, upward" in table(lstm, 150)
    assert "reverse, upward" not in table(lstm, 149)
    for width in (100, 200):
        text = re.sub(r"\s+", "", table(lstm, width))
        assert "@np.stack(h_in_rows[::-1])" in text


def test_the_tangent_is_one_column(monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["show-grad", TARGET, "--mode", "forward", "--side-by-side"]) == 0
    out = capsys.readouterr().out
    assert "tangent" in out
    assert "reverse, upward" not in out


def test_colours_only_where_asked_for():
    assert "\x1b" not in table(lstm, 120)
    coloured = table(lstm, 120, colour=True)
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured).split() == table(lstm, 120).split()


def test_the_command(monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(
        "shutil.get_terminal_size", lambda *_: os.terminal_size((90, 9))
    )
    assert main(["show-grad", TARGET, "--side-by-side"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 90
    assert "def dense(x, W, b):" in out


def test_without_rich_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    for name in [n for n in sys.modules if n.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    assert main(["show-grad", TARGET, "--side-by-side"]) == 2
    assert "pip install 'yota-ast[view]'" in capsys.readouterr().err


def test_a_page_and_a_table_are_not_asked_for_at_once(capsys):
    with pytest.raises(SystemExit):
        main(["show-grad", TARGET, "--side-by-side", "--html", "x.html"])
    assert "not allowed with" in capsys.readouterr().err
