"""A text -> its SHA-256, without the library for cryptography that `hashlib` loads.

That takes longer than all else that is loaded to call a file after its text. As
`random` of the standard library does, this asks for the module behind it first.

>>> digest("text")[:8]
'982d9e3e'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final


def _sha256() -> Any:
    for name in ("_sha2", "_sha256"):  # of Python 3.12, and before
        try:
            return import_module(name).sha256
        except ImportError:
            continue
    return import_module("hashlib").sha256


_SHA256: Final = _sha256()


def digest(text: str) -> str:
    """The SHA-256 of a text, in hexadecimal digits."""
    return str(_SHA256(text.encode()).hexdigest())
