"""`frontend/core.md` lists what is lowered, and what is put in other words first."""

import re
from pathlib import Path

import yota_ast
import yota_ast.pipeline  # enters all handlers
from yota_ast.frontend.expressions.expressions import EXPRESSIONS
from yota_ast.frontend.interpret.statement_execution import STATEMENTS

FRONTEND = Path(yota_ast.__file__).parent / "frontend"
PAGE = (FRONTEND / "core.md").read_text(encoding="utf-8")
HELPERS = {"__init__", "made_nodes"}
"""Modules of `desugar` that put nothing in other words."""


def first_column(chapter):
    """The names in the first column of a chapter's table."""
    text = re.search(rf"## {chapter}\n(.*?)(?:\n## |\Z)", PAGE, re.DOTALL)[1]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


def test_each_node_that_is_handled_is_listed_once():
    listed = [*first_column("Statements"), *first_column("Expressions")]
    assert sorted(listed) == sorted({*STATEMENTS.entries, *EXPRESSIONS.entries})


def test_each_module_that_puts_in_other_words_is_listed():
    text = PAGE.partition("## In other words")[2]
    listed = {
        name
        for row in re.findall(r"\| ([^|]*) \|$", text, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    there = {path.stem for path in (FRONTEND / "desugar").glob("*.py")} - HELPERS
    assert listed == there
