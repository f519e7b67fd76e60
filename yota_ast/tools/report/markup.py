"""Lines of code -> HTML: words in colours, marks, what each is linked to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.support.escaping import html
from yota_ast.tools.report.code_tokens import Word, words_of

HUES: Final = (212, 28, 155, 320, 85, 265, 185, 5, 120, 240, 50, 345)
"""Angles on the circle of colours: those of neighbours are far apart."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands beside a line: texts, and what it says when one points at it."""

    texts: tuple[str, ...]
    title: str


@dataclass(frozen=True, slots=True)
class Item:
    """A line that is shown.

    name: its id. links: the ids of what it is linked to. colour: the number of that of
    its statement. names: what is marked among its words. more: further classes. folds:
    the id of a group of lines that belongs to it; open: whether that is shown.
    """

    name: str
    number: str
    words: Sequence[Word]
    links: Sequence[str] = ()
    colour: int | None = None
    names: Iterable[str] = ()
    mark: Mark | None = None
    more: str = ""
    level: int = 1
    folds: str = ""
    open: bool = True


def html_of(item: Item) -> str:
    """The HTML of a line, on one line."""
    classes = " ".join(filter(None, ["ln", item.more]))
    attributes = [f'id="{item.name}"', f'class="{classes}"', 'role="treeitem"']
    attributes += [f'aria-level="{item.level}"', 'tabindex="-1"']
    if item.links:
        attributes.append(f'data-to="{" ".join(item.links)}"')
    if item.colour is not None:
        attributes.append(f'style="{hue(item.colour)}"')
    button = ""
    if item.folds:
        attributes.append(f'aria-expanded="{str(item.open).lower()}"')
        attributes.append(f'data-fold="{item.folds}"')
        button = '<span class="fold" aria-hidden="true"></span>'
    code = words_html(item.words, frozenset(item.names))
    mark = ""
    if item.mark is not None:
        title = html(item.mark.title)
        text = " &middot; ".join(map(nice, item.mark.texts))
        mark = f'<span class="mark" title="{title}">{text}</span>'
    number = f'<span class="no" aria-hidden="true">{item.number}</span>'
    return (
        f"<div {' '.join(attributes)}>{number}{button}<code>{code}</code>{mark}</div>"
    )


def hue(colour: int) -> str:
    """The style of a colour by its number."""
    return f"--h:{HUES[colour % len(HUES)]}"


def words_html(words: Sequence[Word], names: frozenset[str] = frozenset()) -> str:
    """Words in their colours; the first mention of each of the names is marked."""
    left, parts = set(names), []
    for word in words:
        if word.kind:
            parts.append(f'<span class="w-{word.kind}">{html(word.text)}</span>')
            continue
        for piece in re.split(r"((?<![\w.])[^\W\d]\w*)", word.text):
            marked = piece in left
            left.discard(piece)
            text = html(piece)
            parts.append(f'<span class="kept">{text}</span>' if marked else text)
    return "".join(parts) or " "


def coloured(texts: Sequence[str]) -> list[list[Word]]:
    """The words of lines of code."""
    return words_of(texts)


def nice(text: str) -> str:
    """A size as HTML, with a proper sign of multiplication."""
    return html(text).replace(" * ", "&thinsp;&times;&thinsp;")
