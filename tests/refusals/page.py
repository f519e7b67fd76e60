"""The cases -> the page of the docs that lists the refusals."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping

from .cases import PYTHON_RAISES, Case, Fn


def page(works: str, cases: Iterable[Case], texts: Mapping[str, str]) -> str:
    """The page: the parts of `works`, each with the refusals of its group.

    texts: the messages, by the names of the cases.
    """
    groups: dict[str, list[Case]] = {title: [] for title in titles(works)}
    for case in cases:
        groups[case.group].append(case)
    head, *parts = re.split(r"^(?=## )", works, flags=re.MULTILINE)
    for part, found in zip(parts, groups.values(), strict=True):
        found.sort(key=lambda case: _order(case, texts[case.name]))
        entries = [_entry(case, texts[case.name]) for case in found]
        head += "\n".join([part.rstrip() + "\n", *entries, ""])
    return head.removesuffix("\n")


def titles(works: str) -> list[str]:
    """The headings of the parts, in order.

    >>> titles("# Page\\n\\n## One\\n\\nProse.\\n\\n## Two\\n")
    ['One', 'Two']
    """
    return re.findall(r"^## (.*)$", works, re.MULTILINE)


def _order(case: Case, text: str) -> tuple[bool, str]:
    """Mistakes that Python reports come last."""
    return case.why == PYTHON_RAISES, _reason(text).lower()


def _reason(text: str) -> str:
    first = text.split("\n", 1)[0]
    return re.sub(r"^(\S+:\w+:\d+: )?\w+: ", "", first)


def _entry(case: Case, text: str) -> str:
    works = f"\n{_program('What works instead', case.works)}" if case.works else ""
    return (
        f"### {_reason(text)}\n\n{case.why}\n\n"
        f"```text\n{text}```\n\n" + _program("The program", case.fn) + works
    )


def _program(title: str, fn: Fn) -> str:
    source = inspect.getsource(fn)
    source = source[source.index("def ") :].rstrip("\n")
    return (
        f"<details><summary>{title}</summary>\n\n```text\n{source}\n```\n\n</details>\n"
    )
