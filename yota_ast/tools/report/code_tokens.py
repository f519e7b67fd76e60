"""A line of Python -> its words and what each is, for colours.

>>> [(w.text, w.kind) for w in words_of(["    y = np.tanh(x)  # steep"])[0]]
[('    y = np.', ''), ('tanh', 'call'), ('(x)  ', ''), ('# steep', 'comment')]
"""

from __future__ import annotations

import builtins
import io
import keyword
import tokenize
from collections.abc import Iterator, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass

_OPENING: Final = ("FSTRING_START", "TSTRING_START")
_CLOSING: Final = ("FSTRING_END", "TSTRING_END")
_CONSTANTS: Final = frozenset({"True", "False", "None"})
Place = tuple[int, int]
"""A line, from 1, and a column, from 0."""
_BUILTINS: Final = frozenset(n for n in dir(builtins) if not n.startswith("_"))


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a line; kind: "", "keyword", "number", "string", "comment", "call",
    "name" (of what is defined) or "builtin"."""

    text: str
    kind: str = ""


def words_of(lines: Sequence[str]) -> list[list[Word]]:
    """The words of lines that belong together; lines that are no Python stay whole."""
    found: list[list[Word]] = [[] for _ in lines]
    reached = (1, 0)
    try:
        for start, end, kind in _kinds("\n".join(lines) + "\n"):
            if kind and start >= reached and end[0] <= len(lines):
                _add(found, lines, reached, start, "")
                _add(found, lines, start, end, kind)
                reached = end
    except (tokenize.TokenError, SyntaxError):
        pass
    _add(found, lines, reached, (len(lines), len(lines[-1]) if lines else 0), "")
    return found


def _add(
    found: list[list[Word]],
    lines: Sequence[str],
    start: Place,
    end: Place,
    kind: str,
) -> None:
    """Add the text between two places, which may be on several lines."""
    for row in range(start[0], end[0] + 1):
        line = lines[row - 1] if row <= len(lines) else ""
        first = start[1] if row == start[0] else 0
        last = end[1] if row == end[0] else len(line)
        if text := line[first:last]:
            found[row - 1].append(Word(text, kind))


def _kinds(text: str) -> Iterator[tuple[Place, Place, str]]:
    """Where tokens begin and end, and what they are; an f-string is one of them, as
    before Python 3.12."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    opened: list[Place] = []
    for k, token in enumerate(tokens):
        name = tokenize.tok_name[token.type]
        if name in _OPENING:
            opened.append(token.start)
        elif name in _CLOSING:
            start = opened.pop()
            if not opened:
                yield start, token.end, "string"
        elif not opened:
            before = tokens[k - 1].string if k else ""
            after = tokens[k + 1].string if k + 1 < len(tokens) else ""
            yield token.start, token.end, _kind(token, before, after)


def _kind(token: tokenize.TokenInfo, before: str, after: str) -> str:
    if token.type == tokenize.COMMENT:
        return "comment"
    if token.type == tokenize.NUMBER:
        return "number"
    if token.type == tokenize.STRING:
        return "string"
    if token.type != tokenize.NAME:
        return ""
    if token.string in _CONSTANTS:
        return "number"
    if keyword.iskeyword(token.string):
        return "keyword"
    if before in ("def", "class"):
        return "name"
    if token.string in _BUILTINS and before != "." and after != "=":
        return "builtin"
    return "call" if after == "(" else ""
