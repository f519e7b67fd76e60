"""A directory -> the project it belongs to, and the targets that this names.

    [tool.yota-ast]
    line-length = 88                      # of the files written
    license-header = "SPDX-License-Identifier: MIT"
    pythonpath = ["src"]                  # folders in which modules are looked for

    [[tool.yota-ast.targets]]
    function = "mypkg.model:loss"         # or a list of them, for one file
    wrt = ["w", "b"]                      # or "w,b"; without: every one there is
    like = "w=float[3], b=float"
    output = "mypkg/loss_grad.py"         # beside the module, where it is left out
    backend = "numba"                     # explicit loops; by default NumPy
    fast = true                           # faster, and less readable
    checkpoint = ["12=sqrt"]              # loops of which few iterations are saved

Paths are those from the directory of `pyproject.toml`. Without `pythonpath`, a folder
`src` that is no package itself is looked into.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.text_form import READABLE, TextForm, text_form
from yota_ast.errors import YotaError

FILE: Final = "pyproject.toml"
_KEYS: Final = ("function", "wrt", "like", "output", "backend", "fast", "checkpoint")
_OPTIONS: Final = ("line-length", "license-header", "pythonpath", "targets")
_SOURCES: Final = "src"
USUAL: Final = 88


@dataclass(frozen=True, slots=True)
class Target:
    """A function of which a gradient is written: what is asked of it, and where to.

    output: "" for the file beside the function's. form: of the text. checkpoint: the
    schedules of loops, as words.
    """

    function: str
    wrt: tuple[str, ...] | None = None
    like: str = ""
    output: str = ""
    form: TextForm = READABLE
    checkpoint: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[object, ...]:
        """What is asked of the gradient, the function and the file aside."""
        return (self.wrt, self.like, self.form, self.checkpoint)

    @property
    def words(self) -> list[str]:
        """The options of `emit` that ask for it."""
        from yota_ast.files.header import like_options  # NumPy is not needed before

        found = [f"--wrt {','.join(self.wrt)}"] if self.wrt else []
        found += [*like_options(self.like), *self.form.words]
        return [*found, *(f"--checkpoint {word}" for word in self.checkpoint)]


@dataclass(frozen=True, slots=True)
class Style:
    """How files are written. license_header: None for that of the source."""

    line_length: int = USUAL
    license_header: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A directory, and what its `pyproject.toml` says.

    pythonpath: the folders in which modules are looked for before the root.
    """

    root: Path
    targets: tuple[Target, ...] = ()
    style: Style = Style()
    pythonpath: tuple[Path, ...] = ()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders in which modules are looked for, the first first."""
        return (*self.pythonpath, self.root)

    def shown(self, path: Path | str) -> str:
        """A path from the root, with slashes."""
        whole = Path(path).absolute()
        return Path(os.path.relpath(whole, self.root)).as_posix()

    def holds(self, path: Path) -> bool:
        """Return whether a path lies within the root, all links followed."""
        root = os.path.realpath(self.root)
        return Path(os.path.realpath(path)).is_relative_to(root)

    def with_style(self, length: int | None, license_header: str | None) -> Project:
        """The same with options of the command line, where they are given."""
        style = self.style
        if length is not None:
            style = replace(style, line_length=length)
        if license_header is not None:
            style = replace(style, license_header=license_header)
        return replace(self, style=style)


def project_of(directory: Path) -> Project:
    """The project around a directory: where `pyproject.toml` is, else itself."""
    directory = directory.absolute()
    for root in (directory, *directory.parents):
        if (root / FILE).is_file():
            return _read(root)
    return Project(directory)


def _read(root: Path) -> Project:
    try:
        with (root / FILE).open("rb") as file:
            whole = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise YotaError(f"{FILE}: {error}") from None
    table: Any = whole.get("tool", {}).get("yota-ast", {})
    _check(table, _OPTIONS, "tool.yota-ast")
    rows = table.get("targets", [])
    if not isinstance(rows, list) or not all(isinstance(r, dict) for r in rows):
        raise YotaError(
            f"{FILE}: targets must be tables", remedy="Write [[tool.yota-ast.targets]]."
        )
    targets = tuple(t for k, row in enumerate(rows) for t in _targets(row, k + 1))
    length = table.get("line-length", USUAL)
    if not isinstance(length, int) or isinstance(length, bool) or length < 1:
        raise YotaError(f"{FILE}: line-length must be a number, not {length!r}")
    text = table.get("license-header")
    if text is not None and not isinstance(text, str):
        raise YotaError(f"{FILE}: license-header must be a string, not {text!r}")
    return Project(root, targets, Style(length, text), _pythonpath(root, table))


def _pythonpath(root: Path, table: Mapping[str, Any]) -> tuple[Path, ...]:
    """The folders that the table names; else those of a `src` layout."""
    if "pythonpath" not in table:
        usual = root / _SOURCES
        is_layout = usual.is_dir() and not (usual / "__init__.py").exists()
        return (usual,) if is_layout else ()
    names = table["pythonpath"]
    names = [names] if isinstance(names, str) else names
    if not _is_strings(names) or any("\0" in name for name in names):
        raise YotaError(
            f"{FILE}: pythonpath must be a list of folders, not {names!r}",
            remedy='For instance pythonpath = ["src"].',
        )
    for name in names:
        if not (root / name).is_dir():
            raise YotaError(
                f"{FILE}: pythonpath names {name!r}, which is not a folder",
                remedy=f"Paths start at the directory of {FILE}.",
            )
    return tuple(root / name for name in names)


def _targets(row: Mapping[str, Any], number: int) -> list[Target]:
    where = f"target {number}"
    _check(row, _KEYS, where)
    functions = row.get("function")
    if isinstance(functions, str):
        functions = [functions]
    if not _is_strings(functions) or not functions:
        raise YotaError(f"{FILE}: {where}does not name a function")
    for key in ("like", "output"):
        if not isinstance(row.get(key, ""), (str, dict)):
            raise YotaError(f"{FILE}: {key} of {where} must be a string")
    if "\0" in str(row.get("output", "")):
        raise YotaError(f"{FILE}: output of {where} is not a path")
    form, checkpoint = _form(row, where), row.get("checkpoint", [])
    if not _is_strings(checkpoint) or isinstance(checkpoint, str):
        raise YotaError(
            f"{FILE}: checkpoint of {where} must be a list of strings, not "
            f"{checkpoint!r}",
            remedy='For instance checkpoint = ["12=sqrt"].',
        )
    return [
        Target(f, _wrt(row.get("wrt"), where), _like(row.get("like", "")),
               str(row.get("output", "")), form, tuple(checkpoint))
        for f in functions
    ]  # fmt: skip


def _form(row: Mapping[str, Any], where: str) -> TextForm:
    """The form of the text that a target asks for."""
    fast = row.get("fast", READABLE.fast)
    backend = row.get("backend", READABLE.backend)
    if not isinstance(fast, bool) or not isinstance(backend, str):
        raise YotaError(
            f"{FILE}: fast of {where} must be true or false, and backend a string"
        )
    return text_form(fast=fast, backend=backend)


def _wrt(given: Any, where: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    names = given.split(",") if isinstance(given, str) else given
    if not _is_strings(names) or not all(name.strip() for name in names):
        raise YotaError(
            f"{FILE}: wrt of {where} must be a list of names, not {given!r}"
        )
    return tuple(name.strip() for name in names)


def _like(given: Any) -> str:
    if isinstance(given, dict):
        return ", ".join(f"{name}={kind}" for name, kind in given.items())
    return str(given)


def _is_strings(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(v, str) for v in value)


def _check(table: Any, known: Sequence[str], where: str) -> None:
    if not isinstance(table, dict):
        raise YotaError(f"{FILE}: {where} must be a table")
    for key in table:
        if key not in known:
            raise YotaError(
                f"{FILE}: {where} has no option {key!r}",
                remedy=f"It has {', '.join(known)}.",
            )
