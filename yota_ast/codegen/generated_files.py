r"""Generated code -> the module and the lines that tracebacks and debuggers find.

They are there until the cache that made the code has dropped it; what users hold
themselves is never dropped. Equal texts are one file.

>>> text = "def thrice(x):\n    return 3 * x\n"
>>> found = registered(text, "thrice")
>>> exec(text, found.names)
>>> sys.modules[found.module].thrice(4), found.filename in linecache.cache
(12, True)
>>> found.drop()
>>> found.module in sys.modules, found.filename in linecache.cache
(False, False)
"""

from __future__ import annotations

import linecache
import sys
import threading
from types import ModuleType
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.support.digests import digest
from yota_ast.syntax.names import GENERATED, identifier

_PACKAGE: Final = "yota_ast.generated"
_HASH_LENGTH: Final = 12
_COUNTS: Final[dict[str, int]] = {}
"""By the name of a file, how many functions were made of its text and not dropped."""
_LOCK: Final = threading.Lock()


class Loader:
    """Gives the source back when the line cache has been cleared."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, _name: str) -> str:
        """Return the text, whichever module is asked for."""
        return self.text


@dataclass(frozen=True, slots=True)
class Text:
    """Where a text is found, and the names that it is run in."""

    filename: str
    module: str
    names: dict[str, Any]

    def drop(self) -> None:
        """Let go of the module and the lines, unless they are those of others too."""
        with _LOCK:
            left = _COUNTS.get(self.filename, 0) - 1
            _COUNTS[self.filename] = left
            if left <= 0:
                del _COUNTS[self.filename]
                linecache.cache.pop(self.filename, None)
                sys.modules.pop(self.module, None)


def digest_of(text: str) -> str:
    """What the names of files and modules of a text hold of it."""
    return digest(text)[:_HASH_LENGTH]


def keep_lines(filename: str, text: str) -> None:
    """Let tracebacks, debuggers and `inspect` find the lines of a text."""
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)


def registered(text: str, name: str) -> Text:
    """Register a text that defines `name`; return what it is to be run in."""
    digest = digest_of(text)
    filename = f"{GENERATED}{digest}>/{name}.py"
    module = ModuleType(f"{_PACKAGE}.{identifier(name)}_{digest}")
    module.__file__ = filename
    module.__dict__["__loader__"] = Loader(text)
    with _LOCK:
        _COUNTS[filename] = _COUNTS.get(filename, 0) + 1
        # inspect finds a module's loader, and with it the source, by the module's name.
        sys.modules[module.__name__] = module
        keep_lines(filename, text)
    return Text(filename, module.__name__, module.__dict__)
