"""A function object -> what the compiler knows of it, apart from its derivative.

The only place where a property of a library function is written down. A property is
stated once: in the rule of the function where the rule says it (linear, elementwise,
alias), else in a file of this package that is about that property.

>>> import numpy as np
>>> info(np.transpose).memory, info(len).writes
('view', ())
"""

from . import memory, numbers_numpy, numbers_python, numbers_scipy, writing
from .record import OpInfo
from .registry import REGISTRY, Path, info, named, state

STATED = (memory, writing, numbers_python, numbers_numpy, numbers_scipy)
"""Each states one property of the functions of Python, NumPy and SciPy."""

__all__ = ["REGISTRY", "STATED", "OpInfo", "Path", "info", "named", "state"]
