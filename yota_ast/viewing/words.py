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
from dataclasses import dataclass
from typing import Final

_STRINGS: Final = {
    getattr(tokenize, name)
    for name in ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
}
_CONSTANTS: Final = frozenset({"True", "False", "None"})
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
        for token, kind in _kinds("\n".join(lines) + "\n"):
            if kind and token.start >= reached and token.end[0] <= len(lines):
                _add(found, lines, reached, token.start, "")
                _add(found, lines, token.start, token.end, kind)
                reached = token.end
    except (tokenize.TokenError, SyntaxError):
        pass
    _add(found, lines, reached, (len(lines), len(lines[-1]) if lines else 0), "")
    return found


def _add(
    found: list[list[Word]],
    lines: Sequence[str],
    start: tuple[int, int],
    end: tuple[int, int],
    kind: str,
) -> None:
    """Add the text between two places, which may be on several lines."""
    for row in range(start[0], end[0] + 1):
        line = lines[row - 1] if row <= len(lines) else ""
        first = start[1] if row == start[0] else 0
        last = end[1] if row == end[0] else len(line)
        if text := line[first:last]:
            found[row - 1].append(Word(text, kind))


def _kinds(text: str) -> Iterator[tuple[tokenize.TokenInfo, str]]:
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for k, token in enumerate(tokens):
        before = tokens[k - 1].string if k else ""
        after = tokens[k + 1].string if k + 1 < len(tokens) else ""
        yield token, _kind(token, before, after)


def _kind(token: tokenize.TokenInfo, before: str, after: str) -> str:
    if token.type == tokenize.COMMENT:
        return "comment"
    if token.type == tokenize.NUMBER:
        return "number"
    if token.type in _STRINGS:
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
