"""A function -> whether it is a runtime helper, which generated code may call.

>>> import numpy as np
>>> from yota_ast.runtime import expand
>>> is_helper(expand), is_helper(np.sum)
(True, False)
"""

from __future__ import annotations

from typing import Final

_RUNTIME: Final = f"{__package__.partition('.')[0]}.runtime"


def is_helper(fn: object) -> bool:
    """Return whether a function is one of `runtime`."""
    return str(getattr(fn, "__module__", None) or "").startswith(_RUNTIME)
