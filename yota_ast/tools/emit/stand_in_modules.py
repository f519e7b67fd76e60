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

from yota_ast.errors import YotaError
from yota_ast.support.whole_files import check_file
from yota_ast.tools.cli.targets import imported_from


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
        _, name = imported_from(path.absolute())
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
