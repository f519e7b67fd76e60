"""The cases -> the page of the docs that lists what is refused."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping

from .cases import Case

HEAD = """\
# What is refused

A gradient that comes out is right; what cannot be proved to be right is refused. The
message says where, shows the line, tells through which calls it was reached, and what
to do instead. This page is made from the tests: each program below is refused with the
text that stands under it.
"""


def page(cases: Iterable[Case], texts: Mapping[str, str]) -> str:
    """The page, by chapters; texts: of the messages, by case."""
    chapters: dict[str, list[Case]] = {}
    for case in cases:
        chapters.setdefault(case.chapter, []).append(case)
    parts = [HEAD]
    for chapter, found in chapters.items():
        parts.append(f"## {chapter}\n")
        found.sort(key=lambda case: _reason(texts[case.name]).lower())
        parts += [_entry(case, texts[case.name]) for case in found]
    return "\n".join(parts)


def _reason(text: str) -> str:
    first = text.split("\n", 1)[0]
    return re.sub(r"^(\S+:\w+:\d+: )?\w+: ", "", first)


def _entry(case: Case, text: str) -> str:
    source = inspect.getsource(case.fn)
    source = source[source.index("def ") :].rstrip("\n")
    return (
        f"### {_reason(text)}\n\n{case.why}\n\n"
        f"```text\n{text}```\n\n<details><summary>The program</summary>\n\n"
        f"```text\n{source}\n```\n\n</details>\n"
    )
