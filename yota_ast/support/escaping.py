r"""A text that data may have written -> the same text, harmless where it is shown.

Names, source lines, strings and messages may hold what steers a terminal (escape
sequences), what changes the order of letters (bidirectional marks), what cannot be
seen, or tags. One function for each medium makes them visible. Letters, digits, signs
and spaces of all languages stay as they are.

>>> print(terminal("red \x1b[31m, turned \u202e, line\nby line"))
red \x1b[31m, turned \u202e, line
by line
>>> print(terminal_line("a name\nof two lines"))
a name\nof two lines
>>> print(html("<b>x</b> \x07"))
&lt;b&gt;x&lt;/b&gt; \x07
"""

from __future__ import annotations

import re
from typing import Final

_SPACES: Final = r"\t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_PERHAPS: Final = re.compile(rf"[^ -~{_SPACES}]")
"""Characters that may need an escape; Python knows which of them can be printed."""


def terminal(text: str) -> str:
    """Return a text of several lines for a terminal; also for error messages."""
    if text.isascii() and text.isprintable():
        return text
    return "\n".join(map(terminal_line, text.split("\n")))


def terminal_line(text: str) -> str:
    """Return one line for a terminal: line ends are escaped too."""
    return _PERHAPS.sub(_visible, text)


def html(text: str) -> str:
    """Return a text for a page of HTML, also between the quotes of an attribute."""
    safe = terminal(text).replace("&", "&amp;").replace("<", "&lt;")
    return safe.replace(">", "&gt;").replace('"', "&quot;").replace("'", "&#x27;")


def _visible(found: re.Match[str]) -> str:
    character = found[0]
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")
