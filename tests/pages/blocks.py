"""A page of Markdown -> its fenced blocks, and what each of them is for.

>>> found = blocks("Prose.\\n\\n```python\\nx = 1\\n```\\n")
>>> found[0].language, found[0].code, found[0].line
('python', 'x = 1\\n', 4)

A comment on the line above a fence is the block's note:

>>> page = "<!-- not run: needs a network -->\\n```console\\n$ git pull\\n```\\n"
>>> blocks(page)[0].note
'not run: needs a network'

A comment by itself is none:

>>> blocks("<!-- needs numba -->\\n\\nProse.\\n\\n" + page)[0].note
'not run: needs a network'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FENCE = re.compile(
    r"^(?:<!-- (?P<note>(?:(?! -->).)*) -->\n)?"
    r"```(?P<language>\w*)(?: title=\"(?P<title>[^\"\n]+)\")?\n"
    r"(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """The text between two fences.

    line: of its first line in the page, from 1. title: of the file that it is. start,
    end: where it stands in the page.
    """

    language: str
    title: str
    note: str
    code: str
    line: int
    start: int
    end: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [
        Block(
            found["language"], found["title"] or "", found["note"] or "", found["code"],
            page.count("\n", 0, found.start("code")) + 1,
            found.start("code"), found.end("code"),
        )
        for found in FENCE.finditer(page)
    ]  # fmt: skip


def prose(page: str) -> str:
    """The page without its blocks and its code within lines."""
    return re.sub(r"`[^`\n]*`", "`code`", FENCE.sub("", page))


def refilled(page: str, texts: list[tuple[Block, str]]) -> str:
    """The page with other texts in some of its blocks."""
    for block, text in sorted(texts, key=lambda pair: -pair[0].start):
        page = page[: block.start] + text + page[block.end :]
    return page
