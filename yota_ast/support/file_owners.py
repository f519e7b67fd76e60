"""The name of a file -> whose it is: the user's, a library's or this package's.

>>> import functools
>>> is_users("model.py"), is_users(functools.__file__), is_users(__file__)
(True, False, False)
>>> is_standard(functools.__file__), is_ours(__file__)
(True, True)
"""

from __future__ import annotations

import functools
import os
from typing import Final

_OURS: Final = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120  pathlib is slow
_HELPERS: Final = _OURS + "runtime" + os.sep
_STANDARD: Final = os.path.dirname(functools.__file__) + os.sep  # noqa: PTH120
_INSTALLED: Final = ("site-packages", "dist-packages")
"""Folders of libraries, those of other environments on the path too."""


def is_ours(filename: str) -> bool:
    """Whether a file belongs to this package."""
    return filename.startswith(_OURS)


def is_of_helpers(filename: str) -> bool:
    """Whether a file belongs to the helpers of generated code."""
    return filename.startswith(_HELPERS)


def is_standard(filename: str) -> bool:
    """Whether a file belongs to Python's standard library."""
    return filename.startswith(_STANDARD) and not is_installed_file(filename)


@functools.lru_cache(maxsize=1024)
def is_users(filename: str) -> bool:
    """Whether a file is neither of a library nor of this package.

    >>> is_users("<frozen importlib._bootstrap>")
    False
    """
    library = is_standard(filename) or is_installed_file(filename)
    return not (is_ours(filename) or library or filename.startswith("<frozen"))


def is_installed_file(filename: str) -> bool:
    """Whether a file belongs to a library that has been installed."""
    parts = filename.split(os.sep)  # noqa: PTH206  pathlib is slow
    return not set(parts).isdisjoint(_INSTALLED)
