"""`yota-ast emit`: options of the command line -> files, what is said, an exit code.

0: written, or all fresh. 1: `--check` found a file that is not. 2: refused or misused;
what could be done is done all the same, and the old file of what was refused is left.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.text_form import READABLE, TextForm
from yota_ast.errors import InternalError, YotaError, shown
from yota_ast.files.project import FILE, Project, Target, project_of
from yota_ast.support.escaping import terminal_line
from yota_ast.support.whole_files import check_file, write
from yota_ast.tools.cli.targets import look_in
from yota_ast.tools.emit.freshness import State, state_of
from yota_ast.tools.emit.gradient_tests import test_of
from yota_ast.tools.emit.stand_in_modules import standing_in
from yota_ast.tools.emit.target_files import Job, beside, composed, jobs_of

GOOD, NOT_FRESH, REFUSED = 0, 1, 2
MANY: Final = 3
"""From how many files on the progress is shown."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    functions: tuple[str, ...] = ()
    wrt: tuple[str, ...] | None = None
    like: str = ""
    form: TextForm = READABLE
    checkpoint: tuple[str, ...] = ()
    output: str = ""
    check: bool = False
    diff: bool = False
    stdout: bool = False
    force: bool = False
    with_test: bool = False
    args: str = ""
    line_length: int | None = None
    license_header: str | None = None

    @property
    def says_what(self) -> bool:
        """Whether they say what is asked of the gradient."""
        told = self.wrt is not None or bool(self.like or self.checkpoint)
        return told or self.form != READABLE


Say = Callable[[str], None]


def run(options: Options, say: Say) -> int:
    """Do what is asked; `say` prints a line or a diff. Returns the exit code."""
    with standing_in(_outputs(options, Path.cwd())):
        return _run(options, say)


def _run(options: Options, say: Say) -> int:
    jobs = jobs_for(options, Path.cwd())
    if options.with_test and len(jobs) != 1:
        raise YotaError("--with-test needs one file", remedy="Name its function.")
    code, kinds = GOOD, list[str]()
    for job in _shown(jobs):
        try:
            one, kind = _one(job, options, say)
        except InternalError:
            raise
        except YotaError as error:
            print(shown(error), file=sys.stderr)  # noqa: T201
            one, kind = REFUSED, "refused"
        code, kinds = max(code, one), [*kinds, kind]
    if options.check and len(jobs) > 1:
        say(_summary(kinds))
    return code


def _summary(kinds: Sequence[str]) -> str:
    counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    parts = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    return f"{len(kinds)} files: {parts}\n"


def _one(job: Job, options: Options, say: Say) -> tuple[int, str]:
    """Check, show or write one file: the exit code, and what the file was."""
    _check_place(job.path, job, options)
    if options.stdout:
        say(composed(job).file)
        return GOOD, "shown"
    state = state_of(job)
    if options.check:
        say(report(state, options))
        return (GOOD if state.kind == "fresh" else NOT_FRESH), state.kind
    if options.diff:
        say(state.diff)
        return GOOD, state.kind
    return _write(state, options, say)


def _check_place(path: Path, job: Job, options: Options) -> None:
    """Raise YotaError where a file must not be read or written, before it is opened.

    Only the command line may name a file outside the project, by `-o` or by a function
    whose file stands beside it: pyproject.toml may hold somebody else's words.
    """
    project = job.project
    declared = any(t.output == job.output for t in project.targets)
    by_project = not options.output and (declared or not options.functions)
    if by_project and not project.holds(path):
        raise YotaError(
            f"{FILE}: {project.shown(path)} leads to {os.path.realpath(path)}, outside "
            f"the project {project.root}",
            remedy="Name a file within the project, or give the path on the command "
            "line:\nyota-ast emit module:function -o FILE",
        )
    check_file(path)


def report(state: State, options: Options) -> str:
    """What `--check` says of a file."""
    lines = f"{state}\n"
    if state.kind == "fresh":
        return lines + (state.diff if options.diff else "")
    return f"{lines}{state.diff}Run: {state.command}\n"


def _write(state: State, options: Options, say: Say) -> tuple[int, str]:
    kind, output = state.kind, state.job.output
    if kind in ("edited", "foreign") and not options.force:
        what = (
            "has been edited by hand"
            if kind == "edited"
            else "was not written by yota-ast"
        )
        raise YotaError(
            f"{output} {what}, and is left as it is",
            remedy=f"To overwrite it: {state.command}",
        )
    test = None
    if options.with_test:
        test = test_of(state, options.args, force=options.force)
        _check_place(test.path, state.job, options)
    if not state.unchanged:
        write(state.job.path, state.new.file)
    say(f"{output}: {'unchanged' if state.unchanged else 'written'}\n")
    if test is not None:
        write(test.path, test.text)
        say(f"{state.job.project.shown(test.path)}: written\n")
    return GOOD, kind


# ---------------------------------------------------------------- what is to be done


def jobs_for(options: Options, directory: Path) -> list[Job]:
    """The files that the options name: those of pyproject.toml where they name none."""
    usual = project_of(directory)
    project = usual.with_style(options.line_length, options.license_header)
    look_in(project.folders)
    output = project.shown(directory / options.output) if options.output else ""
    if options.functions:
        targets = _named(options, project, output)
    else:
        targets = _of_project(options, project, output)
    return [replace(job, usual=usual) for job in jobs_of(project, targets)]


def _named(options: Options, project: Project, output: str) -> list[Target]:
    known = {t.function: t for t in project.targets}
    targets: list[Target] = []
    for name in options.functions:
        label = _label(name, project)
        target = known.get(label, Target(label))
        if options.says_what:
            target = Target(
                label, options.wrt, options.like, target.output, options.form,
                options.checkpoint,
            )  # fmt: skip
        targets.append(replace(target, output=output or target.output))
    if len(targets) > 1 and (output or options.stdout):
        shared = output or beside(project, targets[0])
        targets = [replace(t, output=shared) for t in targets]
    if len({t.function for t in targets}) < len(targets):
        raise YotaError("a function is named twice")
    return targets


def _label(name: str, project: Project) -> str:
    """A function as the header names it: a path from the root of the project."""
    place, colon, function = name.rpartition(":")
    if colon and place.endswith(".py"):
        return f"{project.shown(place)}:{function}"
    return name


def _of_project(options: Options, project: Project, output: str) -> list[Target]:
    if options.says_what:
        raise YotaError(
            "options of a gradient need a function that is named on the command line",
            remedy="Name one, or write the options in pyproject.toml.",
        )
    targets = [t for t in project.targets if not output or t.output == output]
    if targets:
        return targets
    if not project.targets:
        raise YotaError(
            "no function is named, and pyproject.toml has no targets",
            remedy="Name one, mypkg.model:loss, or write [[tool.yota-ast.targets]].",
        )
    known = ", ".join(dict.fromkeys(t.output for t in project.targets if t.output))
    raise YotaError(f"pyproject.toml has no target {output}; it has {known}")


def _outputs(options: Options, directory: Path) -> list[Path]:
    """The files that may be written, as far as they are known before any import."""
    project = project_of(directory)
    found = [directory / options.output] if options.output else []
    found += [project.root / t.output for t in project.targets if t.output]
    found = [path for path in found if options.output or project.holds(path)]
    for name in options.functions:
        place, _, function = name.rpartition(":")
        if not place:  # no function is named, which is told where it is looked up
            continue
        source = _source(place, (directory, *project.folders))
        found.append(source.with_name(f"{function.replace('.', '_')}_grad.py"))
    return found


def _source(place: str, folders: Sequence[Path]) -> Path:
    """The file of a module, which is not imported yet."""
    if place.endswith(".py"):
        return Path(place)
    inner = Path(*place.split("."))
    files = (folder / inner.with_suffix(".py") for folder in folders)
    return next((file for file in files if file.is_file()), inner)


# ---------------------------------------------------------------- progress


def _shown(jobs: Sequence[Job], stream: TextIO | None = None) -> Iterator[Job]:
    """The jobs one by one, with a bar on a terminal where there are many."""
    out = stream or sys.stderr
    if len(jobs) < MANY or not out.isatty():
        yield from jobs
        return
    for k, job in enumerate(jobs):
        out.write(f"\r\x1b[K{bar(k, len(jobs))} {terminal_line(job.output)}")
        out.flush()
        yield job
        out.write("\r\x1b[K")
    out.flush()


def bar(done: int, of: int, width: int = 20) -> str:
    """A bar of progress.

    >>> bar(1, 4, width=8)
    '[##......] 1/4'
    """
    full = width * done // of
    return f"[{'#' * full}{'.' * (width - full)}] {done}/{of}"
