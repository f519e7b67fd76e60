"""A function object -> how users write its name, and whether a library has it."""

from __future__ import annotations

from typing import Any, Final

from ..libraries import is_of_scipy, public_path

_LIBRARIES: Final = ("numpy", "math", "cmath", "builtins", "operator", "_operator")
_BUILTIN_METHOD: Final[type] = type([].append)


def is_library(fn: Any) -> bool:
    """Whether Python, NumPy or SciPy itself has the function."""
    module = getattr(fn, "__module__", None) or ""
    owner = getattr(fn, "__objclass__", None)
    if owner is not None:  # a method descriptor
        module = owner.__module__
    elif isinstance(fn, _BUILTIN_METHOD):
        owner = fn.__self__  # type: ignore[attr-defined]
        module = type(owner).__module__ if owner is not None else module
    return module.split(".", 1)[0] in _LIBRARIES or is_of_scipy(fn)


def display_name(fn: Any) -> str:
    """A function as users write it: `np.sum`, `math.exp`, `*`.

    >>> import numpy as np, operator
    >>> display_name(np.linalg.norm), display_name(operator.matmul)
    ('np.linalg.norm', 'operator.matmul')
    """
    path = public_path(fn)
    if path is not None:
        return ".".join(path).removeprefix("scipy.")
    name = (
        getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    )
    owner = getattr(fn, "__objclass__", None)
    if owner is not None and owner.__name__ not in name:
        name = f"{owner.__name__}.{name}"
    module = getattr(fn, "__module__", None) or getattr(owner, "__module__", None) or ""
    module = module.replace("numpy", "np", 1).lstrip("_")
    if module in ("", "builtins", "__main__"):
        return name
    return f"{module}.{name}" if is_library(fn) else name
