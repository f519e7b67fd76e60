"""Targets -> the files that hold their gradients: the text that belongs in each.

One file a `Job`; nothing is written here. The same job gives the same bytes on every
Python, under every hash seed and from every directory of the project.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Iterable
from pathlib import Path

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.call_target import callee_of
from yota_ast.api.traced_tapes import general_gradient
from yota_ast.errors import SourceUnavailable
from yota_ast.files.composing import Composed, compose, licence
from yota_ast.files.file_source import Made
from yota_ast.files.project import Project, Target
from yota_ast.syntax.loop_schedules import parsed
from yota_ast.tools.cli.like import parse_like
from yota_ast.tools.cli.targets import Target as Function
from yota_ast.tools.cli.targets import find_class, find_target


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
        alike = all(t.asked == first.asked for t in self.targets)
        if alike:
            words += [shlex.quote(t.function) for t in self.targets]
            words += first.words
        usual, style = (self.usual or self.project).style, self.project.style
        if style.line_length != usual.line_length:
            words.append(f"--line-length {style.line_length}")
        if style.license_header != usual.license_header:
            words.append(f"--license-header {shlex.quote(style.license_header or '')}")
        return " ".join([*words, f"-o {shlex.quote(self.output)}"])


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
    style = job.project.style
    with syntax.width(style.line_length):
        functions = [found(job.project, t.function) for t in job.targets]
        made = [_gradient(t, f) for t, f in zip(job.targets, functions, strict=True)]
    lines = licence([f.module for f in functions], style.license_header)
    labels = tuple(t.function for t in job.targets)
    return compose(made, labels, job.command, lines, style.line_length)


def _gradient(target: Target, function: Function) -> Made:
    function.check_parameters(target.wrt or (), "wrt")
    callee = callee_of(function.fn)
    if callee.args or callee.kwargs:
        raise SourceUnavailable(
            f"{target.function} is a partial, and a file cannot hold its arguments",
            remedy="Define a function that passes them.",
        )
    facts = {}
    if target.like:
        facts = parse_like(target.like, lambda name: find_class(name, function.module))
        function.check_parameters(tuple(facts), "like")
    return general_gradient(
        function.fn, wrt=target.wrt, facts=facts, form=target.form,
        checkpoint=dict(map(parsed, target.checkpoint)),
    )  # fmt: skip
