"""A function object -> what the compiler knows of it, apart from its derivative.

The only place where a property of a library function is written down. A property is
stated once: in the rule of the function where the rule says it (linear, elementwise,
alias), else in a file of this package that is about that property.

>>> import numpy as np
>>> info(np.transpose).memory, info(len).writes
('view', ())
"""

from . import (
    algebra,
    arithmetic,
    domains,
    elements,
    memory_of_helpers,
    memory_of_libraries,
    numbers_numpy,
    numbers_python,
    numbers_scipy,
    order,
    raising,
    shapes,
    steps,
    writing,
)
from .memory import sharing
from .record import OpInfo, Sharing
from .registry import REGISTRY, Path, info, named, state
from .subscripts import is_basic, takes_all
from .writing import writes

STATED = (
    algebra,
    arithmetic,
    domains,
    elements,
    memory_of_helpers,
    memory_of_libraries,
    raising,
    steps,
    writing,
    numbers_python,
    numbers_numpy,
    numbers_scipy,
    order,
    shapes,
)
"""Each states one property of the functions of Python, NumPy and SciPy."""

__all__ = [
    "REGISTRY",
    "STATED",
    "OpInfo",
    "Path",
    "Sharing",
    "info",
    "is_basic",
    "named",
    "sharing",
    "state",
    "takes_all",
    "writes",
]
