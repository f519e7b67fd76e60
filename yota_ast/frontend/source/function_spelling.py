"""A resolved function -> how the text spells it where its own path does not lead to it.

>>> own_path(Const(np.sum, "np.sum", "numpy")), own_path(Const(math.sin, "sin", "mod"))
('', '')
"""

from __future__ import annotations

import math
import sys
import warnings
from functools import reduce
from typing import Any

import numpy as np

from yota_ast.ir.atoms import Const
from yota_ast.syntax.value_paths import behind

__all__ = ["Const", "math", "np", "own_path"]


def own_path(function: Const) -> str:
    """'' where module and name of the function lead to it, else the path by which it
    was found.
    """
    fn: Any = function.value
    name = str(getattr(fn, "__qualname__", None) or getattr(fn, "__name__", ""))
    module = getattr(fn, "__module__", None)
    for home in (module, "numpy", "builtins"):
        if home in sys.modules and _follow(sys.modules[home], name) is fn:
            return ""
    last = (function.text or name).rpartition(".")[2]
    return behind(function.home, last) if function.home else last


def _follow(root: object, path: str) -> object:
    with warnings.catch_warnings():  # np.bytes and the like
        warnings.simplefilter("ignore")
        return reduce(
            lambda thing, name: getattr(thing, name, None), path.split("."), root
        )
