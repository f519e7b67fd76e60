"""A job, the file as it is -> fresh, stale and why, or edited by hand.

A file is fresh where it says what would be written now; and where its source hash is
that of now and only comments, docstrings and layout differ.
"""

from __future__ import annotations

import ast
import difflib
import os
from pathlib import Path
from typing import Final, Literal

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import YotaError
from yota_ast.files.composing import Composed
from yota_ast.files.header import Found, parse
from yota_ast.tools.emit.changed_parts import reasons
from yota_ast.tools.emit.target_files import Job, composed

Kind = Literal["fresh", "stale", "edited", "missing", "foreign"]
_MOST_REASONS: Final = 4
WORDS: Final[dict[Kind, str]] = {
    "fresh": "fresh",
    "stale": "stale",
    "edited": "edited by hand",
    "missing": "not there",
    "foreign": "not a generated file",
}


@dataclass(frozen=True, slots=True)
class State:
    """What a file is, and what it would be. reasons: why it is stale."""

    kind: Kind
    job: Job
    new: Composed
    old: str | None
    reasons: tuple[str, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether writing it would change nothing."""
        return self.old == self.new.file

    @property
    def diff(self) -> str:
        """From the file to what would be written; empty where they are the same."""
        name = self.job.output
        old = (self.old or "").splitlines(keepends=True)
        lines = difflib.unified_diff(
            old, self.new.file.splitlines(keepends=True),
            name if self.old is not None else os.devnull, f"{name} (as it would be)",
        )  # fmt: skip
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )

    @property
    def command(self) -> str:
        """What writes the file."""
        force = " --force" if self.kind in ("edited", "foreign") else ""
        return self.job.command + force

    def __str__(self) -> str:
        why = f": {'; '.join(self.reasons)}" if self.reasons else ""
        return f"{self.job.output}: {WORDS[self.kind]}{why}"


def state_of(job: Job) -> State:
    """Compare a file with what belongs there now.

    Raises YotaError where a function is refused, or the file cannot be read.
    """
    new, old = composed(job), read(job.path)
    if old is None:
        return State("missing", job, new, None)
    if old == new.file:
        return State("fresh", job, new, old)
    found = parse(old)
    if found is None:
        return State("foreign", job, new, old)
    if not found.intact:
        return State("edited", job, new, old)
    if _is_fresh(found, new):
        return State("fresh", job, new, old)
    return State("stale", job, new, old, tuple(_reasons(found, new, job)))


def read(path: Path) -> str | None:
    """The text of a file, its line endings those of Unix; None where there is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise YotaError(f"cannot read {path}: {error.strerror or error}") from error
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def _is_fresh(found: Found, new: Composed) -> bool:
    if found.text == new.text:
        return True
    return found.source == new.source and _code(found.text) == _code(new.text)


def _code(text: str) -> str | None:
    """A text without comments, docstrings, annotations and layout."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node):
            del node.body[0]
    return ast.dump(tree)


def _reasons(found: Found, new: Composed, job: Job) -> list[str]:
    changes = reasons(found, new.parts, new.version)
    if len(changes) > _MOST_REASONS:
        rest = len(changes) - _MOST_REASONS + 1
        changes = [*changes[: _MOST_REASONS - 1], f"{rest} more changes"]
    if changes and found.header.version == new.version:
        return changes
    if found.header.command != job.command:
        return [f"it was made by `{found.header.command}`"]
    return changes or ["the types or shapes of the arguments have changed"]
