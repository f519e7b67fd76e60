"""A diff on a page, and the tree -> whether the diff still applies.

>>> change = "--- a/f.py\\n+++ b/f.py\\n@@ -1,2 +1,2 @@\\n one\\n-two\\n+three\\n"
>>> patched("one\\ntwo\\n", hunks(change)["f.py"])
'one\\nthree\\n'
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

HEAD = re.compile(r"^--- (?:a/.+|/dev/null)\n\+\+\+ b/(.+)\n", re.MULTILINE)
HUNK = re.compile(r"^@@ -\d.*\n", re.MULTILINE)
Hunk = tuple[str, str]
"""The lines that a file has, and those that it is to have instead."""


def hunks(diff: str) -> dict[str, list[Hunk]]:
    """What is changed in each file; numbers of lines do not count."""
    before, *parts = HEAD.split(diff)
    assert not before, "a diff begins with --- and +++"
    return {
        path: [(sides(h, " -"), sides(h, " +")) for h in HUNK.split(changes)[1:]]
        for path, changes in zip(parts[::2], parts[1::2], strict=True)
    }


def sides(hunk: str, signs: str) -> str:
    """The lines of a hunk with one of these signs, without them."""
    lines = (line or " " for line in hunk.splitlines())
    return "".join(f"{line[1:]}\n" for line in lines if line[0] in signs)


def patched(text: str, changes: list[Hunk]) -> str:
    """The text with the changes made, from the top on."""
    done = ""
    for old, new in changes:
        before, found, text = text.partition(old) if old else ("", "new", text)
        assert found, f"the diff finds no longer:\n{old}"
        done += before + new
    return done + text


def check_diff(diff: str, root: Path) -> None:
    """Assert that a diff applies below `root`, and leaves Python that parses."""
    for path, changes in hunks(diff).items():
        file = root / path
        is_new = not changes[0][0]
        assert file.exists() != is_new, path
        text = "" if is_new else file.read_text(encoding="utf-8")
        made = patched(text, changes)
        if file.suffix == ".py":
            ast.parse(made)
