r"""The beginning of a target, as it is typed -> the targets that it may become.

For the shell's completion, which the extra `completion` gives. Files are read and
parsed; no code of the user's is run.

>>> text = "def loss(w): ...\nclass Net:\n    def forward(self, x): ..."
>>> list(functions_in(text))
['loss', 'Net.forward']
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from yota_ast.errors import YotaError


def targets_like(prefix: str, **_: Any) -> list[str]:
    """The targets that begin with a text: files and modules, then their functions."""
    place, colon, _name = prefix.rpartition(":")
    found = _functions(place) if colon else _places(prefix)
    return sorted({one for one in found if one.startswith(prefix)})


def functions_in(text: str) -> Iterator[str]:
    """The functions and methods that a text of Python defines, by their names."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name[:2] != "__":
                    yield f"{node.name}.{method.name}"


def _functions(place: str) -> Iterator[str]:
    path = Path(place) if place.endswith(".py") else _file_of(place)
    if path is None or not path.is_file():
        return
    try:
        text = path.read_text(encoding="utf-8")
        yield from (f"{place}:{name}" for name in functions_in(text))
    except (OSError, SyntaxError, ValueError):
        return


def _folders() -> list[Path]:
    from yota_ast.files.project import project_of

    directory = Path.cwd()
    try:
        return [directory, *project_of(directory).folders]
    except YotaError:  # of a pyproject.toml that is being written
        return [directory]


def _file_of(module: str) -> Path | None:
    inner = Path(*module.split("."))
    for folder in _folders():
        for path in (inner.with_suffix(".py"), inner / "__init__.py"):
            if (folder / path).is_file():
                return folder / path
    return None


def _places(prefix: str) -> Iterator[str]:
    """Files and folders below the folder that is typed, and modules by their dots."""
    typed, _, _ = prefix.rpartition("/")
    for name, is_folder in _entries(Path(typed or ("/" if prefix[:1] == "/" else "."))):
        shown = f"{typed}/{name}" if "/" in prefix else name
        yield from _ends(shown, is_folder, "/")
    if "/" not in prefix:
        package, _, _ = prefix.rpartition(".")
        for folder in _folders():
            yield from _modules(folder, package)


def _modules(folder: Path, package: str) -> Iterator[str]:
    for name, is_folder in _entries(folder.joinpath(*package.split("."))):
        module = name if is_folder else name.removesuffix(".py")
        if module.isidentifier() and module != "__init__":
            yield from _ends(f"{package}.{module}".strip("."), is_folder, ".", ":")


def _ends(text: str, is_folder: bool, inner: str, end: str = ":") -> Iterable[str]:
    return [text + (inner if is_folder else end)]


def _entries(folder: Path) -> list[tuple[str, bool]]:
    """The names in a folder that are files of Python, or folders."""
    try:
        found = [(one.name, one.is_dir()) for one in os.scandir(folder)]
    except OSError:
        return []
    shown = (one for one in found if one[0][0] not in "._" or one[0] == "__init__.py")
    return [one for one in shown if one[1] or one[0].endswith(".py")]
