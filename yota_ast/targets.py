"""What a command line calls a function -> the function.

`package.module:function`, `package.module:Class.method`, `path/to/file.py:function`.
What is wrong raises YotaError, in one line; user code that fails on import does too.

>>> find_target("math:sqrt").fn(4.0)
2.0
>>> find_target("math:sqr")
Traceback (most recent call last):
yota_ast.errors.YotaError: YotaError: math has no 'sqr' (is it 'sqrt'?)
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import YotaError


@dataclass(frozen=True, slots=True)
class Target:
    """A function, the module that it was looked up in, and its name there."""

    fn: Callable[..., Any]
    module: ModuleType
    name: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters; none where it does not tell."""
        try:
            return tuple(inspect.signature(self.fn).parameters)
        except (TypeError, ValueError):
            return ()

    def check_parameters(self, names: tuple[str, ...], option: str) -> None:
        """Raise YotaError for a name that is no parameter's, or is there twice."""
        known = self.parameters
        for k, name in enumerate(names):
            if name not in known:
                listed = (
                    f"its arguments are {', '.join(known)}" if known else "it has none"
                )
                raise YotaError(
                    f"{option}: {self.name} has no argument {name!r}; {listed}"
                )
            if name in names[:k]:
                raise YotaError(f"{option}: {name!r} is there twice")


def find_target(text: str) -> Target:
    """Return what `module:function` or `file.py:function` stands for."""
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise YotaError(
            f"expected module:function or path/to/file.py:function, got {text!r}"
        )
    path = Path(place)
    is_file = path.suffix == ".py" or path.name != place
    module = _module_of_file(path) if is_file else import_module(place)
    found = _attribute(module, place, name)
    if isinstance(found, type) or not callable(found):
        kind = "class" if isinstance(found, type) else type(found).__name__
        what = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        raise YotaError(f"{text} is not a function but {what}")
    return Target(found, module, name)


def find_class(name: str, module: ModuleType) -> object:
    """Return what a dotted name stands for, seen from a module, else from the top."""
    with contextlib.suppress(YotaError):
        return _attribute(module, module.__name__, name)
    place, _, last = name.rpartition(".")
    if not place:
        raise YotaError(f"{module.__name__} has no class {name!r}")
    return _attribute(import_module(place), place, last)


def put_first_on_path(directory: Path) -> None:
    """Let imports look into a directory before all others."""
    text = str(directory)
    while text in sys.path:
        sys.path.remove(text)
    sys.path.insert(0, text)


# ---------------------------------------------------------------- modules


def import_module(name: str) -> ModuleType:
    """Import a module; what it prints goes to stderr, for stdout is the command's."""
    try:
        with _user_code(name):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(missing + "."):
            raise YotaError(f"there is no module {missing!r}") from None
        raise YotaError(f"cannot import {name}: {_one_line(error)}") from error


def _module_of_file(path: Path) -> ModuleType:
    """Import a file, as the module that it is within its package."""
    path = path.absolute()
    if not path.is_file():
        raise YotaError(f"there is no file {_shown(path)}")
    parts = [] if path.stem == "__init__" else [path.stem]
    root = path.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    # Behind the current directory, which stays first.
    if str(root) not in sys.path:
        sys.path.insert(1, str(root))
    name = ".".join(parts)
    if len(parts) > 1 or path.stem == "__init__":
        return import_module(name)
    known = sys.modules.get(name)
    if known is not None and _same_file(known, path):
        return known
    # A script may be called as a module of the standard library is: it gets another
    # name then, and the module keeps its own.
    return _load(path, name if known is None else f"{name}_file")


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise YotaError(f"{_shown(path)} is not a file of Python's")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _user_code(_shown(path)):
            spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        del sys.modules[name]
        raise YotaError(f"cannot import {_shown(path)}: {_one_line(error)}") from error
    except YotaError:
        del sys.modules[name]
        raise
    return module


def _same_file(module: ModuleType, path: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).exists() and path.samefile(file)


@contextlib.contextmanager
def _user_code(name: str) -> Iterator[None]:
    """Run an import: its failure, whatever it is, is the user's to mend."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except ModuleNotFoundError:
        raise
    except (Exception, SystemExit) as error:
        raise YotaError(f"cannot import {name}: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    kind = type(error).__name__
    return f"{kind}: {lines[0]}" if lines else kind


def _shown(path: Path) -> str:
    try:
        return os.fspath(path.relative_to(Path.cwd()))
    except ValueError:
        return os.fspath(path)


# ---------------------------------------------------------------- names in modules


def _attribute(module: ModuleType, place: str, name: str) -> Any:
    """Return a function of a module, or a method of a class of it."""
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, _public(found), 1)
            hint = f" (is it {close[0]!r}?)" if close else ""
            raise YotaError(f"{place} has no {part!r}{hint}")
        found = getattr(found, part)
        place = f"{place}:{part}" if ":" not in place else f"{place}.{part}"
    return found


def _public(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("__")]
