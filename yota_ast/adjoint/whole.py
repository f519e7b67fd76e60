"""A value of the forward sweep -> whether it may hold whole numbers in another call.

A text that was made with floats is given arrays of bytes as well, and there `-u` is not
the number with the other sign: that of 3 is 253.

>>> from ..facts import FLOAT
>>> from ..tape import Var
>>> u, half, more = Var("u", FLOAT), Var("h", FLOAT), Var("m", FLOAT)
>>> made = {
...     "h": Apply(half, operator.truediv, (u, Const(2))),
...     "m": Apply(more, operator.add, (u, Const(2))),
... }
>>> may_be_whole(half, made.get), may_be_whole(more, made.get)
(False, True)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from ..tape import Apply, Atom, Const

Makers = Callable[[str], Apply | None]
_DEEPEST: Final = 12
_ARITHMETIC: Final = frozenset({
    operator.add, operator.sub, operator.mul, operator.pow, np.add, np.subtract,
    np.multiply,
})  # fmt: skip
"""What gives floats of a float and a whole number."""
_FLOATS: Final = (
    operator.truediv, float, complex, np.zeros, np.ones, np.empty, np.eye, np.mean,
    np.identity, np.ndarray.mean, np.std, np.ndarray.std, np.var, np.ndarray.var,
    np.average,
    np.median, np.percentile, np.quantile, np.linspace, np.logspace, np.geomspace,
    np.interp, np.gradient, np.cov, np.corrcoef, np.polyfit, np.float64, np.float32,
    np.trapezoid, np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser, np.sinc,
    np.linalg.solve, np.linalg.inv, np.linalg.norm, np.linalg.det, np.linalg.eigh,
    np.linalg.svd, np.linalg.cholesky, np.linalg.qr, np.linalg.lstsq, np.linalg.pinv,
)  # fmt: skip
"""What gives floats whatever it is given."""
_OF_FLOATS: Final = (
    "numpy.fft", "numpy.random", "scipy.fft", "scipy.integrate", "scipy.interpolate",
    "scipy.optimize", "scipy.stats", "scipy.special", "math",
)  # fmt: skip
"""The modules of functions that do, but for these."""
_OF_WHOLE: Final = (
    "prod", "sumprod", "perm", "comb", "floor", "ceil", "trunc", "gcd", "lcm", "isqrt",
    "factorial",
)  # fmt: skip


def may_be_whole(atom: Atom, made_by: Makers, deepest: int = _DEEPEST) -> bool:
    """Whether a value may be made of arguments that hold whole numbers by what keeps
    them such."""
    if isinstance(atom, Const):
        return not isinstance(atom.value, (float, complex, np.inexact))
    op = made_by(atom.name)
    if op is None or deepest == 0:
        return True
    if gives_floats(op.fn):
        return False
    if op.fn in _ARITHMETIC:
        return all(may_be_whole(a, made_by, deepest - 1) for a in op.args)
    if op.fn is operator.neg or op.fn is operator.getitem:
        return may_be_whole(op.args[0], made_by, deepest - 1)
    return True


def gives_floats(fn: object) -> bool:
    """Whether a function gives floats of whole numbers, too.

    >>> gives_floats(np.exp), gives_floats(np.sort), gives_floats(np.mean)
    (True, False, True)
    """
    if isinstance(fn, np.ufunc):
        numbers = (t.partition("->")[2] for t in fn.types if set("OMm").isdisjoint(t))
        return all(set(out) <= set("efdgFDG") for out in numbers)
    module = getattr(fn, "__module__", None) or ""
    if module.startswith(_OF_FLOATS):
        return getattr(fn, "__name__", "") not in _OF_WHOLE
    return any(fn is each for each in _FLOATS)
