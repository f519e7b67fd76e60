"""The comparison with golden files itself."""

import re
from pathlib import Path

import pytest

from tests.golden_text import check_golden


def test_what_was_written_agrees(tmp_path):
    path = tmp_path / "new" / "case.txt"
    check_golden(path, "é = 1\n", rewrite=True)
    check_golden(path, "é = 1\n", rewrite=False)


def test_a_difference_is_shown_as_a_diff(tmp_path):
    path = tmp_path / "case.txt"
    check_golden(path, "a = 1\nb = 2\n", rewrite=True)
    with pytest.raises(AssertionError, match=r"(?s)make golden.*-b = 2\n\+b = 3"):
        check_golden(path, "a = 1\nb = 3\n", rewrite=False)


def test_a_missing_file_is_an_error_that_names_the_remedy(tmp_path):
    with pytest.raises(AssertionError, match=r"no golden file case\.txt; `make golden"):
        check_golden(tmp_path / "case.txt", "", rewrite=False)


def test_make_golden_runs_all_that_compare_with_golden_files():
    root = Path(__file__).parents[1]
    text = (root / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    named = re.search(r"^GOLDEN := (.*)$", text, re.MULTILINE)[1].split()
    uses = re.compile(r"^def test_\w+\([^)]*\bgolden\b", re.MULTILINE)
    for path in (root / "tests").rglob("test_*.py"):
        if uses.search(path.read_text(encoding="utf-8")):
            assert any(path.is_relative_to(root / name) for name in named), path
