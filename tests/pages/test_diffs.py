"""A diff on a page that does not apply any more is noticed."""

import pytest

from .blocks import blocks
from .diffs import check_diff, hunks
from .running import REPOSITORY

PAGE = REPOSITORY / "docs" / "howto" / "develop.md"
CHANGE = "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"
NEW = "--- /dev/null\n+++ b/g.py\n@@ -0,0 +1 @@\n+z = 1\n"


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "f.py").write_text("# a line above\nx = 1\ny = 2\n")
    return tmp_path


def test_a_diff_applies_wherever_its_lines_stand(tree):
    check_diff(CHANGE + NEW, tree)


@pytest.mark.parametrize("now", ["x = 1\ny = 4\n", "x = 2\ny = 2\n", "y = 2\nx = 1\n"])
def test_other_lines_are_noticed(tree, now):
    (tree / "f.py").write_text(now)
    with pytest.raises(AssertionError, match="the diff finds no longer"):
        check_diff(CHANGE, tree)


def test_files_that_come_or_go_are_noticed(tree):
    (tree / "g.py").write_text("")
    with pytest.raises(AssertionError, match=r"g\.py"):
        check_diff(NEW, tree)
    (tree / "f.py").unlink()
    with pytest.raises(AssertionError, match=r"f\.py"):
        check_diff(CHANGE, tree)


def test_what_a_diff_makes_has_to_parse(tree):
    with pytest.raises(SyntaxError):
        check_diff(CHANGE.replace("+y = 3", "+y = ("), tree)


def test_each_diff_is_of_one_module_and_its_test():
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.language == "diff":
            changed = [path for path in hunks(block.code) if path.endswith(".py")]
            modules = [path for path in changed if path.startswith("yota_ast/")]
            assert len(modules) <= 1, changed
            assert len(changed) <= 2, changed
