# ruff: noqa: PTH118, PTH120 - pathlib takes longer to be imported than all this takes
r"""Template name and the texts of its holes -> the filled text.

Templates are the files ``codegen_templates/NAME.tmpl``. They use the notation of
`string.Template` (``$hole``, ``${hole}``, ``$$``) with one addition: a hole alone on
its line takes any number of lines, each at the indentation of the hole, and none at
all if its text is empty.

>>> text = "def $name():\n    $docstring\n    $body\n"
>>> print(fill(text, name="f", docstring="", body="x = 1\nreturn x"), end="")
def f():
    x = 1
    return x

Text that must not be indented, because a string in it runs over several lines, goes
into a hole in the first column.
"""

import os.path
import re
from collections.abc import Mapping
from functools import cache
from string import Template
from typing import Any

_DIRECTORY = "codegen_templates"
_LOADER: Any = __spec__.loader
_ALONE = re.compile(
    r"(?P<indent> *)\$(?P<brace>\{)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?(brace)\})"
    r"(?P<end>\n?)"
)


@cache
def load(name: str) -> str:
    """Return the text of the template ``NAME.tmpl``.

    A wheel holds the templates inside the package; a checkout, and with it an
    editable install, beside it. Raises `FileNotFoundError` if neither has it.
    """
    packaged = os.path.join(_above(__file__, 3), _DIRECTORY)
    beside = os.path.join(_above(os.path.realpath(__file__), 4), _DIRECTORY)
    for directory in (packaged, beside):
        # Read as the package itself was, which may be out of an archive.
        try:
            data: bytes = _LOADER.get_data(os.path.join(directory, f"{name}.tmpl"))
        except OSError:
            continue
        return data.decode("utf-8").replace("\r\n", "\n")
    raise FileNotFoundError(f"no template {name}.tmpl in {packaged} or {beside}")


def _above(path: str, levels: int) -> str:
    for _ in range(levels):
        path = os.path.dirname(path)
    return path


def fill(text: str, /, **holes: str) -> str:
    """Return template text with every hole filled.

    Raises `ValueError` unless `holes` names exactly the holes of the text: a text
    that is never printed is as much a mistake as a hole that stays open.
    """
    _check(text, holes)
    return "".join(_fill_line(line, holes) for line in text.splitlines(keepends=True))


def render(name: str, /, **holes: str) -> str:
    """Return the template called `name` with every hole filled; raises as `fill`."""
    return fill(load(name), **holes)


def _check(text: str, holes: Mapping[str, str]) -> None:
    template = Template(text)
    if not template.is_valid():
        raise ValueError("a $ of the template begins no hole; a plain one is $$")
    wanted = set(template.get_identifiers())
    if missing := sorted(wanted - holes.keys()):
        raise ValueError(f"no text for the holes {', '.join(missing)}")
    if unknown := sorted(holes.keys() - wanted):
        raise ValueError(f"the template has no holes {', '.join(unknown)}")


def _fill_line(line: str, holes: Mapping[str, str]) -> str:
    alone = _ALONE.fullmatch(line)
    if alone is None:
        return Template(line).substitute(holes)
    block = holes[alone["name"]]
    if not block:
        return ""
    indent = alone["indent"]
    lines = (indent + part if part else "" for part in block.split("\n"))
    return "\n".join(lines) + alone["end"]
