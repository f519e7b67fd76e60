"""Files that are to be written -> modules that stand in for them meanwhile.

A model that imports its own gradient can be imported before that is written, and where
a merge has left conflict marks in it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from ..errors import YotaError
from ..writing import check_file


class StandIn(ModuleType):
    """A module in which every name is there, and a function that is not."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        if name.startswith("__"):
            raise AttributeError(name)

        def missing(*_args: object, **_kwargs: object) -> NoReturn:
            raise RuntimeError(f"{self.__name__}.{name} is not written yet")

        return missing


@contextmanager
def standing_in(paths: Iterable[Path]) -> Iterator[None]:
    """Let modules stand in for the files that cannot be imported as they are."""
    made = list[str]()
    for path in paths:
        name = module_name(path)
        if name not in sys.modules and not _compiles(path):
            sys.modules[name] = StandIn(name)
            made.append(name)
    try:
        yield
    finally:
        for name in made:
            sys.modules.pop(name, None)


def _compiles(path: Path) -> bool:
    try:
        check_file(path)
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, YotaError):
        return False
    return True


def module_name(path: Path) -> str:
    """The name by which a file is imported."""
    path = path.absolute()
    parts, root = [path.stem], path.parent
    while (root / "__init__.py").is_file():
        parts.insert(0, root.name)
        root = root.parent
    return ".".join(parts)
