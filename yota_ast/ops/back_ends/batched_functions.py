"""How functions of one example are called for a batch of them: see `record.Batching`.

What works on each element alone needs no statement here.

>>> import numpy as np
>>> from yota_ast.ops.registry import info
>>> info(np.sum).batching, info(np.linalg.inv).batching, info(np.pad).batching
('reduction', 'last axes', 'unknown')
"""

from __future__ import annotations

import builtins
from typing import Final

import numpy as np

from yota_ast.ir.built_values import BUILDERS
from yota_ast.ops.registry import Path, named, state
from yota_ast.ops.spellings import operators

HANDING_ON: Final = """
    along_rooted along_modulus along_bent along_bent_along real_like held without_dtype
"""
"""Helpers that give their first argument, or its tangent, or zeros."""

state(
    np.where,
    np.clip,
    *operators("add sub mul truediv floordiv mod pow neg pos abs"),
    *operators("lt le gt ge eq ne and_ or_ xor invert"),
    *named("builtins", "abs pow"),
    batching="elements",
)
state(
    *named(
        "math",
        """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees
        exp exp2 expm1 fabs floor hypot isfinite isinf isnan log log10 log1p log2 pow
        radians sin sinh sqrt tan tanh trunc""",
    ),
    batching="numbers",
)
state(builtins.float, batching="float")
state(builtins.bool, *operators("not_ truth"), batching="truth")
state(*named("builtins", "max min"), batching="extreme")
state(builtins.sum, batching="add up")
state(
    *named(
        "numpy",
        """sum mean prod max amax min amin any all std var median ptp flip nansum
        nanmean nanmax nanmin nanstd nanvar nanprod nanmedian count_nonzero""",
    ),
    np.linalg.norm,
    *named("scipy.special", "logsumexp softmax log_softmax"),
    batching="reduction",
)
state(
    *named(
        "numpy",
        """sort argsort cumsum cumprod nancumsum nancumprod argmax argmin diff trapezoid
        take roll repeat""",
    ),
    *named("numpy.fft", "fft ifft rfft irfft hfft ihfft"),
    *named("scipy.integrate", "simpson cumulative_trapezoid"),
    *named("scipy.fft", "dct idct dst idst"),
    batching="along",
)
state(
    *operators("matmul"), *named("numpy", "matmul dot inner vdot"), batching="product"
)
state(np.einsum, batching="einsum")
state(np.outer, batching="outer")
state(
    *named(
        "numpy.linalg",
        "inv pinv det slogdet cholesky eigh eigvalsh svd eig eigvals svdvals qr"
        " matrix_power cond",
    ),
    batching="last axes",
)
state(np.linalg.solve, batching="solve")
state(np.transpose, np.ndarray.transpose, batching="transpose")
state(
    *named("numpy", "swapaxes moveaxis expand_dims squeeze"),
    np.ndarray.swapaxes,
    batching="axes",
)
state(np.reshape, np.ndarray.reshape, batching="reshape")
state(np.ravel, np.ndarray.flatten, batching="flat")
state(
    *named("numpy", "concatenate hstack vstack"),
    batching="join",
)
state(np.stack, np.array, np.asarray, batching="stack")
state(np.broadcast_to, batching="spread")
state(*named("numpy", "zeros ones empty full"), batching="new")
state(*named("numpy", "zeros_like ones_like empty_like full_like"), batching="shaped")
state(np.copy, np.ndarray.copy, np.ndarray.astype, batching="kept")
state(Path("runtime", "where_zero"), batching="elements")
state(Path("runtime", "stop_gradient"), batching="kept")
state(Path("runtime", "unbroadcast"), batching="summed back")
state(Path("runtime", "expand"), batching="spread back")
state(
    *(Path("runtime", name) for name in HANDING_ON.split()),
    batching="handed on",
)
state(*named("runtime", "rooted bent bent_along"), batching="adjoint mark")
state(builtins.getattr, batching="facts")
state(np.shape, batching="shape")
state(builtins.len, batching="length")
state(np.ndim, batching="rank")
state(np.size, batching="size")
state(*BUILDERS, batching="builds")
state(*operators("getitem"), batching="subscript")

_NAMES: Final = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atanh": "arctanh", "atan2": "arctan2", "pow": "power",
}  # fmt: skip
"""What NumPy calls the functions of `math` that have another name there."""


def twin(fn: object) -> np.ufunc | None:
    """NumPy's function of arrays for one of numbers.

    >>> import math
    >>> twin(math.acos), twin(math.sin)
    (<ufunc 'arccos'>, <ufunc 'sin'>)
    """
    name = str(getattr(fn, "__name__", ""))
    found = getattr(np, _NAMES.get(name, name), None)
    return found if isinstance(found, np.ufunc) else None
