"""A function, the file that `emit` wrote for it -> its gradient, if the file is fresh.

Whether it is fresh is found when the gradient is first asked for, and again where what
it was made from has been bound anew; if it is not, there is a warning, and the gradient
is compiled as ever.
"""

from __future__ import annotations

import importlib
import importlib.util
import shlex
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.api.cache.dependencies import Dependencies
from yota_ast.api.call_target import Callee
from yota_ast.api.grad import grad_by
from yota_ast.api.values.structured_gradients import GradientResult
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.codegen.text_form import READABLE, text_form
from yota_ast.errors import YotaError
from yota_ast.files.file_source import Made
from yota_ast.files.header import parse
from yota_ast.files.project import Project, Target, project_of
from yota_ast.tools.emit.freshness import WORDS, State, read, state_of
from yota_ast.tools.emit.target_files import Job


@dataclass(slots=True)
class CheckedIn:
    """The gradient of a function in a file, which `path` names from the root.

    wrt: what the decorator says, for the command that writes a file that is not there.
    """

    fn: Callable[..., Any]
    path: str
    wrt: tuple[str, ...] | None = None
    looked: Dependencies | None = None
    found: tuple[GeneratedFunction, Made] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def grad(
        self, callee: Callee, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[Any, GradientResult] | None:
        """`grad` by what stands in the file; None where that is not to be used."""
        with self.lock:
            if self.looked is None or not self.looked.hold:
                self.found = self._find()
                tape = None if self.found is None else self.found[1].tape
                used = () if tape is None else tape.used
                outside = {} if tape is None else tape.outside
                looked = Dependencies.of((self.fn, *used), outside=outside)
                names = () if tape is None else tape.set_outside
                self.looked = looked.without(names)
        own = set(callee.parameters) & {"wrt", "seed", "dynamic"}
        if self.found is None or own or kwargs.get("has_aux"):
            return None
        given = dict(kwargs)
        wrt, seed = given.pop("wrt", None), given.pop("seed", None)
        given.pop("dynamic", None), given.pop("has_aux", None)
        return grad_by(*self.found, callee.bind(args, given), wrt, seed)

    def _find(self) -> tuple[GeneratedFunction, Made] | None:
        """The function of the file, where that is fresh; a warning where it is not."""
        name = str(getattr(self.fn, "__qualname__", "?"))
        label = f"{self.fn.__module__}:{name}"
        project, file = self._place()
        job = _as_listed(project, project.shown(file), Target(label, self.wrt))
        found: tuple[GeneratedFunction, Made] | str
        found = f"{job.output}: {WORDS['missing']}"
        if file.is_file():
            job, found = self._looked_at(job, label, file)
        if not isinstance(found, str):
            return found
        warnings.warn(
            f"{found}. The gradient of {name} is compiled instead. Run: {job.command}",
            stacklevel=5,
        )
        return None

    def _looked_at(
        self, job: Job, label: str, file: Path
    ) -> tuple[Job, tuple[GeneratedFunction, Made] | str]:
        """The job as the file has it, and its function; or why it is not to be used."""
        try:
            job = _as_written(job, label)
            state = state_of(job)
            made = next((m for m in state.new.made if m.fn is self.fn), None)
            if made is None:
                return job, f"{job.output} holds no gradient of {label}"
            if state.kind != "fresh":
                return job, str(state)
            if not made.program.takes_seed:
                return job, f"{job.output}: the gradient of {label} takes no seed"
            return job, (_loaded(state, made, file), made)
        except YotaError as error:
            return job, f"{job.output}: {error.reason}"

    def _place(self) -> tuple[Project, Path]:
        """The project and the file: in the root of the project or of the package, or
        beside the module; where there is none yet, the one that is to be written."""
        code: Any = getattr(self.fn, "__code__", None)
        source = Path(code.co_filename if code is not None else ".").absolute()
        depth = str(self.fn.__module__).count(".")
        package = source.parents[min(depth, len(source.parents) - 1)]
        project = project_of(source.parent)
        inside = project.root in package.parents or project.root == package
        project = project if inside else Project(package)
        places = [r / self.path for r in (project.root, package, source.parent)]
        listed = [project.root / t.output for t in project.targets if t.output]
        found = [p for p in places if p.is_file()] + [p for p in places if p in listed]
        return project, [*found, *places][0]


def _as_listed(project: Project, output: str, target: Target) -> Job:
    """The job of a file by what pyproject.toml says of it; else by the decorator."""
    listed = tuple(t for t in project.targets if t.output == output)
    return Job(project, output, listed or (target,))


def _as_written(job: Job, label: str) -> Job:
    """The job with the options that the header of the file tells."""
    text = read(job.path)
    header = parse(text) if text is not None else None
    if header is None:
        return job
    words = shlex.split(header.header.command)[2:]
    functions, options = list[str](), dict[str, list[str]]()
    fast = "--fast" in words
    words = [word for word in words if word != "--fast"]
    while words:
        word = words.pop(0)
        if word.startswith("-") and words:
            options.setdefault(word, []).append(words.pop(0))
        else:
            functions.append(word)
    if not functions:  # the command is for targets of pyproject.toml
        return _as_listed(job.project, job.output, Target(label))
    wrt = tuple(options["--wrt"][0].split(",")) if "--wrt" in options else None
    like = ", ".join(options.get("--like", ()))
    backend = options.get("--backend", [READABLE.backend])[0]
    form = text_form(fast=fast, backend=backend)
    checkpoint = tuple(options.get("--checkpoint", ()))
    targets = tuple(
        Target(f, wrt, like, job.output, form, checkpoint) for f in functions
    )
    length = options.get("--line-length")
    styled = job.project.with_style(
        int(length[0]) if length else None,
        options.get("--license-header", [None])[0],
    )
    return replace(job, project=styled, targets=targets, usual=job.project)


def _loaded(state: State, made: Made, file: Path) -> GeneratedFunction:
    """The function of the file, imported as the module that it is."""
    package = str(made.fn.__module__).rpartition(".")[0]
    beside = Path(made.fn.__code__.co_filename).absolute().parent
    same = beside == file.absolute().parent and package
    name = f"{package}.{file.stem}" if same else f"{file.stem}_of_{made.tape.name}"
    known = sys.modules.get(name)
    if same:
        module: Any = importlib.import_module(name)
    elif known is not None:
        module = known
    else:
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    function = getattr(module, made.program.name)
    return GeneratedFunction(function, state.old or "", {})
