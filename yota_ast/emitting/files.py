"""Targets -> the files that hold their gradients: the text that belongs in each.

One file a `Job`; nothing is written here. The same job gives the same bytes on every
Python, under every hash seed and from every directory of the project.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .. import syntax
from ..api import general_gradient
from ..callee import callee_of
from ..codegen.module import Module
from ..errors import SourceUnavailable
from ..like import parse_like
from ..targets import Target as Function
from ..targets import find_class, find_target
from ..version import __version__
from .header import Header, finished
from .parts import Part, parts_of, source_hash
from .project import USUAL, Project, Target
from .text import Made, module_of

_LICENCE: Final = re.compile(r"SPDX-|copyright|©|\(c\)|licen[sc]e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Job:
    """A file and the targets that stand in it; all of them have its output."""

    project: Project
    output: str
    targets: tuple[Target, ...]
    usual: Project | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.project.root / self.output

    @property
    def command(self) -> str:
        """What writes the file, in the root of the project."""
        words = ["yota-ast emit"]
        first = self.targets[0]
        alike = all((t.wrt, t.like) == (first.wrt, first.like) for t in self.targets)
        if alike:
            words += [shlex.quote(t.function) for t in self.targets]
            words += [f"--wrt {','.join(first.wrt)}"] if first.wrt else []
            words += [f'--like "{first.like}"'] if first.like else []
        usual, style = (self.usual or self.project).style, self.project.style
        if style.line_length != usual.line_length:
            words.append(f"--line-length {style.line_length}")
        if style.license_header != usual.license_header:
            words.append(f"--license-header {shlex.quote(style.license_header or '')}")
        return " ".join([*words, f"-o {shlex.quote(self.output)}"])


@dataclass(frozen=True, slots=True)
class Composed:
    """A file as it is to be. text: what stands below its header."""

    file: str
    text: str
    source: str
    parts: tuple[Part, ...]
    version: str
    made: tuple[Made, ...]


def jobs_of(project: Project, targets: Iterable[Target]) -> list[Job]:
    """The files of some targets, in their order."""
    outputs: dict[str, list[Target]] = {}
    for target in targets:
        outputs.setdefault(target.output or beside(project, target), []).append(target)
    return [Job(project, output, tuple(ts)) for output, ts in outputs.items()]


def beside(project: Project, target: Target) -> str:
    """The file beside the function's module: `mypkg/loss_grad.py`."""
    function = found(project, target.function)
    home = inspect.getsourcefile(function.module) or "."
    name = function.name.replace(".", "_")
    return project.shown(Path(home).with_name(f"{name}_grad.py"))


def found(project: Project, text: str) -> Function:
    """The function that a target names; paths are from the root of the project."""
    place, colon, name = text.rpartition(":")
    if colon and place.endswith(".py"):
        text = f"{project.root / place}:{name}"
    return find_target(text)


def composed(job: Job) -> Composed:
    """What belongs in the file now. Raises YotaError where a function is refused."""
    with syntax.width(job.project.style.line_length):
        functions = [found(job.project, t.function) for t in job.targets]
        made = [_gradient(t, f) for t, f in zip(job.targets, functions, strict=True)]
        module = module_of(made)
        text = _text(job, module, functions)
    parts = tuple(dict.fromkeys(p for m in made for p in parts_of(m, module.live)))
    source = source_hash(parts)
    labels = tuple(t.function for t in job.targets)
    header = Header(__version__, labels, job.command)
    file = finished(header, text, parts, source)
    return Composed(file, text, source, parts, __version__, tuple(made))


def _gradient(target: Target, function: Function) -> Made:
    function.check_parameters(target.wrt or (), "wrt")
    callee = callee_of(function.fn)
    if callee.args or callee.kwargs:
        raise SourceUnavailable(
            f"{target.function} brings arguments along, which a file cannot hold",
            remedy="Define a function that passes them.",
        )
    facts = {}
    if target.like:
        facts = parse_like(target.like, lambda name: find_class(name, function.module))
        function.check_parameters(tuple(facts), "like")
    return general_gradient(function.fn, wrt=target.wrt, facts=facts)


def _text(job: Job, module: Module, functions: Sequence[Function]) -> str:
    for name in (g.path or g.name for g in module.missing):
        raise SourceUnavailable(
            f"`{name}`, which the gradient reads, is neither a short literal nor at "
            "the top level of a module, so that no file can name it",
            remedy="Define it at the top level of a module.",
        )
    lines = [*_licence(job, functions), _title([t.function for t in job.targets])]
    names = [syntax.literal(name) for name in module.names]
    listed = syntax.quote("__all__ = names", names=syntax.parse_expr(
        f"[{', '.join(map(syntax.print_expr, names))}]"
    ))  # fmt: skip
    above, below = "\n".join(lines), syntax.print_stmts(listed)
    gap = "\n" if module.bottom else "\n\n"
    return f"{above}\n\n{module.text}{gap}{below}"


def _title(labels: Sequence[str]) -> str:
    kind = "Gradient" if len(labels) == 1 else "Gradients"
    whole = f'"""{kind} of {", ".join(labels)}."""'
    if len(whole) <= USUAL:
        return whole
    return f'"""{kind} of {len(labels)} functions."""'


def _licence(job: Job, functions: Sequence[Function]) -> list[str]:
    """The lines that say under which licence the source is, as comments."""
    given = job.project.style.license_header
    if given is not None:
        return [f"# {line.lstrip('# ')}".rstrip() for line in given.splitlines()]
    found: dict[str, None] = {}
    for function in functions:
        for line in _comments(function.module):
            if _LICENCE.search(line):
                found[line] = None
    return list(found)


def _comments(module: Any) -> list[str]:
    """The comment lines at the top of the file."""
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
