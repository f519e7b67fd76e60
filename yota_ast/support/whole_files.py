"""A path, a text -> the file, whole or as it was: never half of it.

The text goes into a file beside it, which then takes its place in one step. What other
processes write at the same time is whole too; the last one stays. A path that leads to
a folder, a pipe or a device is refused before it is opened.

>>> from pathlib import Path
>>> check_file(Path(os.devnull))
Traceback (most recent call last):
yota_ast.errors.YotaError: /dev/null is a device, not a file
Name a file.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from yota_ast.errors import YotaError

if TYPE_CHECKING:
    from pathlib import Path

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_USUAL: Final = 0o666
_KINDS: Final = {
    stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip

Write = Callable[[int, memoryview], int]


def write(path: Path, text: str, put: Write = os.write) -> None:
    """Write a file in one step, its mode kept. `put` is what writes bytes.

    A link stays a link: the file that it leads to is written. Raises YotaError where
    the directory is not there or cannot be written, and as `check_file` does.
    """
    import secrets  # slow to import
    from pathlib import Path

    check_file(path)
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


def check_file(path: Path) -> None:
    """Raise YotaError unless a path leads to an ordinary file, or to nothing yet.

    Links are followed. Nothing is opened: opening a pipe waits for another process.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  the path may hold a null byte
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        # Pythons have several words for the only ValueError that there is.
        why = getattr(error, "strerror", None) or "embedded null byte"
        raise YotaError(f"cannot use {path}: {why}", remedy="Name a file.") from None
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise YotaError(f"{path} is {kind}, not a file", remedy="Name a file.")


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
