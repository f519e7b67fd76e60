"""What a command line calls a function -> the function.

`package.module:function`, `package.module:Class.method`, `path/to/file.py:function`.
What is wrong raises YotaError, in one line; user code that fails on import does too.

>>> find_target("math:sqrt").fn(4.0)
2.0
>>> find_target("math:sqr")
Traceback (most recent call last):
yota_ast.errors.YotaError: math has no 'sqr' (is it 'sqrt'?)
Name a function: mypkg.model:loss, or mypkg/model.py:loss.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import YotaError
from yota_ast.files.project import project_of
from yota_ast.support.user_failures import failure

MOST_NAMES: Final = 6
CLOSE: Final = 0.7
DEEPEST: Final = 3
"""How many folders deep a module is looked for that is not found."""
"""How alike two names must be for one to be taken for the other, misspelt."""
_EXAMPLE: Final = "Name a function: mypkg.model:loss, or mypkg/model.py:loss."


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
                    f"{option}: {self.name} has no argument {name!r}; {listed}",
                    remedy=did_you_mean(name, known)
                    or f"Leave it out of {option}, or correct its name.",
                )
            if name in names[:k]:
                raise YotaError(
                    f"{option}: {name!r} is named twice", remedy="Name it once."
                )


def find_target(text: str) -> Target:
    """Return what `module:function` or `file.py:function` stands for."""
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise _incomplete(text, place or name)
    module = _module_called(place)
    found = _attribute(module, place, name)
    if isinstance(found, type) or not callable(found):
        kind = "class" if isinstance(found, type) else type(found).__name__
        what = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        raise YotaError(
            f"{text} is not a function but {what}",
            remedy=_methods_of(text, found) or _functions_of(module, place) or _EXAMPLE,
        )
    return Target(found, module, name)


def _module_called(place: str) -> ModuleType:
    path = Path(place)
    is_file = path.suffix == ".py" or path.name != place
    if not is_file and path.is_file():
        raise YotaError(
            f"{place} is not a Python file", remedy="Name a module, or a .py file."
        )
    return _module_of_file(path) if is_file else import_module(place)


def _incomplete(text: str, place: str) -> YotaError:
    """No function is named: those that there are."""
    known = ""
    with contextlib.suppress(YotaError):
        known = _functions_of(_module_called(place), place)
    return YotaError(
        f"expected module:function or path/to/file.py:function, got {text!r}",
        remedy=known or _EXAMPLE,
    )


def did_you_mean(name: str, known: Iterable[str], form: str = "{}") -> str:
    """A question, where a name is nearly one of those known; else nothing.

    >>> did_you_mean("los", ["loss", "pair"], "m:{}")
    'Did you mean m:loss?'
    """
    close = nearly(name, known)
    return f"Did you mean {form.format(close)}?" if close else ""


def nearly(name: str, known: Iterable[str]) -> str:
    """The name that is meant by one that is misspelt; else nothing."""
    return next(iter(difflib.get_close_matches(name, list(known), 1, CLOSE)), "")


def _functions_of(module: ModuleType, place: str) -> str:
    """The functions that a module defines, as advice."""
    found = [
        name for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
        and not name.startswith("_")
    ]  # fmt: skip
    if not found:
        return ""
    more = " and others" if len(found) > MOST_NAMES else ""
    return f"The functions of {place} are {', '.join(found[:MOST_NAMES])}{more}."


def _methods_of(text: str, value: object) -> str:
    """The methods of a class, as advice."""
    if not isinstance(value, type):
        return ""
    found = [
        name for name, method in vars(value).items()
        if inspect.isfunction(method) and not name.startswith("_")
    ]  # fmt: skip
    if not found:
        return ""
    return f"Name a method: {', '.join(f'{text}.{m}' for m in found[:MOST_NAMES])}."


def find_class(name: str, module: ModuleType) -> object:
    """Return what a dotted name stands for, seen from a module, else from the top."""
    with contextlib.suppress(YotaError):
        return _attribute(module, module.__name__, name)
    place, _, last = name.rpartition(".")
    if not place:
        known = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise YotaError(
            f"{module.__name__} has no class {name!r}",
            remedy=did_you_mean(name, known)
            or "A class of another module is written as mypkg.model.Linear.",
        )
    return _attribute(import_module(place), place, last)


def put_first_on_path(directory: Path) -> None:
    """Let imports look into a directory before all others."""
    text = str(directory)
    while text in sys.path:
        sys.path.remove(text)
    sys.path.insert(0, text)


def look_in(folders: Sequence[Path]) -> None:
    """Let imports look into folders behind the current directory, which stays first."""
    for folder in reversed(folders):
        if str(folder) not in sys.path:
            sys.path.insert(1, str(folder))


# ---------------------------------------------------------------- modules


def import_module(name: str) -> ModuleType:
    """Import a module; what it prints goes to stderr, for stdout is the command's."""
    try:
        with _user_code(name):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(missing + "."):
            raise _no_module(missing) from None
        raise _not_there(error, name) from error


def _no_module(name: str) -> YotaError:
    """There is no module of that name: one of nearly that name, or where to look."""
    *packages, last = name.split(".")
    folder = Path(*packages)
    known = [
        path.stem for path in sorted(folder.glob("*"))
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    ]  # fmt: skip
    form = ".".join((*packages, "{}"))
    return YotaError(
        f"there is no module {name!r}",
        remedy=did_you_mean(last, known, form)
        or _elsewhere(name.partition(".")[0])
        or "Modules are looked for in the current directory, then where Python finds "
        "them.\nName a file as path/to/file.py:function.",
    )


def _elsewhere(package: str) -> str:
    """A folder below the current directory that holds a module, as advice."""
    patterns = ("*/" * depth + package for depth in range(1, DEEPEST + 1))
    for pattern in patterns:
        for suffix in ("/__init__.py", ".py"):
            for path in sorted(Path().glob(pattern + suffix)):
                folder = path.parent if suffix == ".py" else path.parent.parent
                if not any(p[0] == "." or p == "site-packages" for p in folder.parts):
                    return (
                        f"There is one in {folder.as_posix()}: write pythonpath = "
                        f'["{folder.as_posix()}"] under [tool.yota-ast] in '
                        "pyproject.toml."
                    )
    return ""


def _not_there(error: ModuleNotFoundError, name: str) -> YotaError:
    """A module imports another that is not there."""
    missing = (error.name or "the module").partition(".")[0]
    return failure(
        error, f"cannot import {name}", f"Install {missing}, or correct its name."
    )


def _module_of_file(path: Path) -> ModuleType:
    """Import a file, as the module that it is within its package."""
    path = path.absolute()
    if not path.is_file():
        beside = [p.name for p in sorted(path.parent.glob("*.py"))]
        raise YotaError(
            f"there is no file {_shown(path)}",
            remedy=did_you_mean(path.name, beside)
            or "Paths start at the current directory.",
        )
    root, name = imported_from(path)
    # Behind the current directory, which stays first.
    if str(root) not in sys.path:
        sys.path.insert(1, str(root))
    if "." in name or path.stem == "__init__":
        return import_module(name)
    known = sys.modules.get(name)
    if known is not None and _same_file(known, path):
        return known
    # A script may be called as a module of the standard library is: it gets another
    # name then, and the module keeps its own.
    return _load(path, name if known is None else f"{name}_file")


def imported_from(path: Path) -> tuple[Path, str]:
    """The folder from which a file is imported, and its name as a module there.

    The folder is one of `pythonpath` or `src` of the file's project, where packages may
    have no `__init__.py`; else the one above the packages that the file is in.
    """
    sources = (f for f in project_of(path.parent).pythonpath if f in path.parents)
    root = max(sources, key=lambda folder: len(folder.parts), default=path.parent)
    while (root / "__init__.py").is_file():
        root = root.parent
    parts = path.relative_to(root).with_suffix("").parts
    return root, ".".join(parts[:-1] if path.stem == "__init__" else parts)


def _load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise YotaError(f"{_shown(path)} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with _user_code(_shown(path)):
            spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        del sys.modules[name]
        raise _not_there(error, _shown(path)) from error
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
    except SystemExit as error:
        remedy = (
            'Put the code that runs the program under `if __name__ == "__main__":`.'
        )
        raise failure(error, f"cannot import {name}", remedy) from error
    except Exception as error:
        remedy = "Its functions are found by importing it, which has to work."
        raise failure(error, f"cannot import {name}", remedy) from error


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
            close = _methods_called(part, found) if found is module else []
            close += difflib.get_close_matches(part, _public(found), 1)
            hint = f" (is it {close[0]!r}?)" if close else ""
            advice = _functions_of(module, place) if found is module else ""
            advice = advice or _methods_of(place, found) or _EXAMPLE
            raise YotaError(f"{place} has no {part!r}{hint}", remedy=advice)
        found = getattr(found, part)
        place = f"{place}:{part}" if ":" not in place else f"{place}.{part}"
    return found


def _methods_called(name: str, module: ModuleType) -> list[str]:
    """Return `Class.name` of the classes of a module that have such a method."""
    classes = [c for c in vars(module).values() if isinstance(c, type)]
    return [
        f"{c.__qualname__}.{name}"
        for c in classes
        if c.__module__ == module.__name__ and callable(getattr(c, name, None))
    ]


def _public(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("__")]
