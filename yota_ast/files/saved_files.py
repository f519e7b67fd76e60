"""What `simplegrad` made -> the file that `save` writes: that of `emit`, if it can be.

>>> from yota_ast.ir.abstract_values import fact_of
>>> import numpy as np
>>> like_text({"W": fact_of(np.ones((2, 3)), "W"), "n": fact_of(2, "n")})
'W=float[2,3], n=int'
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.files.file_source import Made
from yota_ast.ir.abstract_values import Fact
from yota_ast.syntax.names import shown_name

if TYPE_CHECKING:
    from pathlib import Path

_SPELLED: Final = {"float": "float", "int": "int", "bool": "bool", "str": "str"}


@dataclass(frozen=True, slots=True)
class Saver:
    """What a file of the gradient is made from. wrt: as it was asked for.

    facts: those of the example arguments; None where there were none. checkpoint: the
    schedules of loops, as words.
    """

    made: Made
    wrt: tuple[str, ...] | None
    facts: Mapping[str, Fact] | None
    checkpoint: tuple[str, ...] = ()

    def __call__(self, path: Path) -> None:
        """Write the file; raises SourceUnavailable where no file can hold it."""
        from yota_ast.files.composing import compose, licence
        from yota_ast.files.project import project_of
        from yota_ast.support.whole_files import write

        project = project_of(path.absolute().parent)
        output, label = project.shown(path), _label(self.made)
        module = sys.modules.get(str(self.made.fn.__module__))
        style = project.style
        new = compose(
            [self.made], (label,), self._command(label, output),
            licence([module] if module else [], style.license_header),
            style.line_length,
        )  # fmt: skip
        write(path, new.file)

    def _command(self, label: str, output: str) -> str:
        """The command that writes the same, or the call where there is none."""
        like = "" if self.facts is None else like_text(self.facts)
        special = any(c.message.startswith("made for ") and " = " in c.message
                      for c in self.made.tape.checks)  # fmt: skip
        special = special or bool(self.made.form.options)
        if like is None or special or not _is_importable(self.made):
            return f'simplegrad({self.made.tape.name}, ...).save("{output}")'
        from yota_ast.files.project import Target

        asked = Target(label, self.wrt, like, output, self.made.form, self.checkpoint)
        return " ".join(["yota-ast emit", label, *asked.words, f"-o {output}"])


def _label(made: Made) -> str:
    name = shown_name(getattr(made.fn, "__qualname__", made.tape.name))
    return f"{shown_name(made.fn.__module__)}:{name}"


def _is_importable(made: Made) -> bool:
    found: object = sys.modules.get(str(made.fn.__module__))
    for step in str(getattr(made.fn, "__qualname__", "")).split("."):
        found = getattr(found, step, None)
    same = found is made.fn or getattr(found, "__wrapped__", None) is made.fn
    return same and made.fn.__module__ != "__main__"


def like_text(facts: Mapping[str, Fact]) -> str | None:
    """Facts as `--like` takes them, or None where it has no words for one."""
    texts = {name: _spelled(fact) for name, fact in facts.items()}
    if None in texts.values():
        return None
    return ", ".join(f"{name}={text}" for name, text in texts.items())


def _spelled(fact: Fact) -> str | None:
    if fact.kind in _SPELLED:
        return _SPELLED[fact.kind]
    if fact.kind == "scalar" and fact.dtype is not None:
        return str(fact.dtype)
    if fact.kind != "array" or fact.dtype is None or not isinstance(fact.shape, tuple):
        return None
    if fact.cls not in (None, np.ndarray):
        return None
    kind = "float" if fact.dtype == np.float64 else str(fact.dtype)
    sizes = [d.example if d is not None else None for d in fact.shape]
    if None in sizes:
        return None
    return f"{kind}[{','.join(map(str, sizes))}]"
