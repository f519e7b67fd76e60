"""Gradients, what they are called, a command -> the whole text of a file.

Header, licence, docstring, imports, functions, helpers, `__all__`, what it was made of.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.printers.module_source import Module
from yota_ast.errors import SourceUnavailable
from yota_ast.files.file_source import Made, module_of
from yota_ast.files.hashed_parts import Part, parts_of, source_hash
from yota_ast.files.header import WIDTH, Header, finished
from yota_ast.version import __version__

_LICENCE: Final = re.compile(r"SPDX-|copyright|©|\(c\)|licen[sc]e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Composed:
    """A file as it is to be. text: what stands below its header."""

    file: str
    text: str
    source: str
    parts: tuple[Part, ...]
    version: str
    made: tuple[Made, ...]


def compose(
    made: Sequence[Made],
    labels: tuple[str, ...],
    command: str,
    above: Sequence[str] = (),
    width: int = WIDTH,
) -> Composed:
    """Return the file; above: comment lines, `licence`.

    Raises SourceUnavailable where the text reads what no file can name.
    """
    with syntax.width(width):
        module = module_of(made)
        text = _text(module, labels, above)
    parts = tuple(dict.fromkeys(p for m in made for p in parts_of(m, module.live)))
    source = source_hash(parts)
    file = finished(Header(__version__, labels, command), text, parts, source)
    return Composed(file, text, source, parts, __version__, tuple(made))


def _text(module: Module, labels: Sequence[str], above: Sequence[str]) -> str:
    for name in (g.path or g.name for g in module.missing):
        raise SourceUnavailable(
            f"`{name}`, which the gradient reads, is neither a short literal nor at "
            "the top level of a module, so that no file can name it",
            remedy="Define it at the top level of a module.",
        )
    head = "\n".join([*above, _title(labels)])
    names = ", ".join(syntax.print_expr(syntax.literal(n)) for n in module.names)
    listed = syntax.print_stmts(
        syntax.quote("__all__ = names", names=syntax.parse_expr(f"[{names}]"))
    )
    gap = "\n" if module.bottom else "\n\n"
    lead = "\n" * (2 if module.text.startswith("def ") else 1)
    return f"{head}\n{lead}{module.text}{gap}{listed}"


def _title(labels: Sequence[str]) -> str:
    kind = "Gradient" if len(labels) == 1 else "Gradients"
    whole = f'"""{kind} of {", ".join(labels)}."""'
    if len(whole) <= syntax.line_width():
        return whole
    return f'"""{kind} of {len(labels)} functions."""'


def licence(modules: Iterable[Any], given: str | None = None) -> list[str]:
    """The lines that say under which licence the sources are, as comments.

    given: the text to say it with; without it, that of the sources.

    >>> licence([], "SPDX-License-Identifier: MIT")
    ['# SPDX-License-Identifier: MIT']
    """
    if given is not None:
        return [f"# {line.lstrip('# ')}".rstrip() for line in given.splitlines()]
    found: dict[str, None] = {}
    for module in modules:
        for line in _comments(module):
            if _LICENCE.search(line):
                found[line] = None
    return list(found)


def _comments(module: Any) -> list[str]:
    """The comment lines at the top of a module."""
    try:
        source = inspect.getsource(module)
    except (OSError, TypeError):
        return []
    lines: list[str] = []
    for line in source.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.rstrip())
    return lines
