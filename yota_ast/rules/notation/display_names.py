"""A function object -> how users write its name, and whether a library has it."""

from __future__ import annotations

import types
from typing import Any, Final

import numpy as np

from yota_ast.support.public_names import (
    drawing,
    home_of,
    is_of_scipy,
    public_path,
)

_LIBRARIES: Final = ("numpy", "math", "cmath", "builtins", "operator", "_operator")
_BUILTIN_METHOD: Final[type] = type([].append)


def is_library(fn: Any) -> bool:
    """Whether Python, NumPy or SciPy itself has the function."""
    module = home_of(fn)
    owner: Any = getattr(fn, "__objclass__", None)
    if isinstance(owner, type):  # of a method descriptor
        module = owner.__module__
    elif isinstance(fn, _BUILTIN_METHOD):
        owner = fn.__self__  # type: ignore[attr-defined]
        if owner is not None and not isinstance(owner, types.ModuleType):
            module = type(owner).__module__
    return module.split(".", 1)[0] in _LIBRARIES or is_of_scipy(fn)


def display_name(fn: Any) -> str:
    """A function as users write it: `np.sum`, `math.exp`, `*`.

    >>> import numpy as np, operator
    >>> display_name(np.linalg.norm), display_name(operator.matmul)
    ('np.linalg.norm', 'operator.matmul')
    >>> display_name(np.add.reduce), display_name(np.random.normal)
    ('np.add.reduce', 'np.random.normal')
    """
    path = public_path(fn)
    if path is not None:
        return ".".join(path).removeprefix("scipy.")
    bound = getattr(fn, "__self__", None)
    if isinstance(bound, np.ufunc):
        return f"{display_name(bound)}.{fn.__name__}"
    name = (
        getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn)
    )
    owner: Any = getattr(fn, "__objclass__", None)
    if isinstance(owner, type) and owner.__name__ not in name:
        name = f"{owner.__name__}.{name}"
    module = getattr(fn, "__module__", None) or getattr(owner, "__module__", None) or ""
    if isinstance(bound, drawing()):
        module, name = "numpy.random", fn.__name__
    module = module.replace("numpy", "np", 1).lstrip("_")
    if module in ("", "builtins", "__main__"):
        return str(name)
    public = ".".join(part for part in module.split(".") if part[:1] != "_")
    return f"{public}.{name}" if is_library(fn) else str(name)
