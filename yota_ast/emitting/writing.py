"""A path, a text -> the file, whole or as it was: never half of it.

The text goes into a file beside it, which then takes its place in one step. What other
processes write at the same time is whole too; the last one stays.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..errors import YotaError

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_USUAL: Final = 0o666

Write = Callable[[int, memoryview], int]


def write(path: Path, text: str, put: Write = os.write) -> None:
    """Write a file in one step, its mode kept. `put` is what writes bytes.

    A link stays a link: the file that it leads to is written. Raises YotaError where
    the directory is not there or cannot be written.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise YotaError(
            f"there is no directory {path.parent}", remedy="Make it, or name another."
        )
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        _fill(beside, text.encode("utf-8"), _mode(target), put)
        beside.replace(target)
    except OSError as error:
        _remove(beside)
        raise YotaError(f"cannot write {path}: {error.strerror or error}") from error
    except BaseException:
        _remove(beside)
        raise


def _fill(path: Path, data: bytes, mode: int | None, put: Write) -> None:
    descriptor = os.open(path, _NEW, _USUAL if mode is None else mode)
    try:
        if mode is not None:  # the one asked for is less what the umask takes away
            path.chmod(mode)
        rest = memoryview(data)
        while rest:
            rest = rest[put(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
