"""What the printer for JAX can print, and under which name.

A function stands here if JAX gives the same numbers, up to rounding, for the same
arguments. Where JAX means something else, it is refused with the reason (`DIFFERS`), or
called with what makes it mean the same (`jax_keywords`). What holds for all of them:

- JAX reads 64 bits as 32 unless told otherwise: the entry of each function tests it.
- An index out of range is the nearest one in JAX: the code tests it (`within`).
- Arrays do not change, and a view is a copy: stores make a new array.
- JAX promotes an array of integers with one of float32 to float32, NumPy to float64.
- Where NumPy raises LinAlgError, or `math` ValueError, JAX gives nan or inf.

>>> import numpy as np
>>> from yota_ast.ops.registry import info
>>> info(np.exp).in_jax, info(np.linalg.cholesky).jax_keywords, info(np.save).in_jax
('numpy', (('symmetrize_input', False),), 'no')
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from yota_ast.ir.built_values import BUILDERS
from yota_ast.ops.registry import Path, named, state
from yota_ast.ops.spellings import operators
from yota_ast.runtime.jax.definitions_on_jax import are_floats, unbroadcast, unrepeat

state(
    *operators("add sub mul truediv floordiv mod pow neg pos matmul getitem"),
    *operators("iadd isub imul itruediv ifloordiv imod ipow imatmul"),
    *operators("lt le gt ge eq ne not_ truth and_ or_ xor invert contains is_"),
    *named("builtins", "abs bool enumerate int isinstance len list max min range"),
    *named("builtins", "reversed slice sum tuple zip dict ValueError TypeError"),
    *named("builtins", "IndexError KeyError ArithmeticError RuntimeError"),
    *BUILDERS,
    in_jax="python",
)
state(
    *named("numpy", "shape ndim size"),
    *named("builtins", "getattr hasattr"),
    in_jax="facts",
)
state(*named("builtins", "float"), in_jax="float")
state(
    *named(
        "math",
        """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees
        exp exp2 expm1 fabs floor hypot isfinite isinf isnan log log10 log1p log2 pow
        radians sin sinh sqrt tan tanh trunc""",
    ),
    in_jax="number",
)
state(
    *named(
        "numpy",
        """absolute add all amax amin any append arange arccos arccosh arcsin
        arcsinh arctan arctan2 arctanh argmax argmin array asarray atleast_1d
        atleast_2d average broadcast_to cbrt ceil clip column_stack
        concatenate conj convolve copy copysign correlate cos cosh
        count_nonzero cross cumprod cumsum deg2rad degrees diag diagonal diff
        divide dot einsum empty empty_like equal exp exp2 expand_dims expm1
        eye fabs flip fliplr flipud float32 float64 float_power floor
        floor_divide fmax fmin fmod full full_like gradient greater
        greater_equal heaviside hstack hypot identity imag inner int64 interp
        isclose isfinite isinf isnan kron less less_equal linspace log log10
        log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
        logical_xor matmul max maximum mean median meshgrid min minimum
        moveaxis multiply nan_to_num nanmax nanmean nanmin nanprod nanstd
        nansum nanvar negative nonzero not_equal ones ones_like outer pad
        polyval positive power prod ptp rad2deg radians ravel real reciprocal
        remainder repeat reshape result_type rint roll rollaxis rot90
        searchsorted sign sin sinc sinh sort split sqrt square squeeze stack
        std subtract sum swapaxes take_along_axis tan tanh tensordot tile
        trace transpose trapezoid tril tril_indices triu triu_indices
        true_divide trunc unwrap vander var vdot vstack where zeros zeros_like""",
    ),
    *named("numpy.linalg", "det inv multi_dot norm slogdet solve matrix_power"),
    *named(
        "numpy.fft",
        "fft ifft rfft irfft fft2 ifft2 fftn ifftn fftshift ifftshift fftfreq",
    ),
    *named(
        "numpy.ndarray",
        """all any argmax argmin astype clip conj copy cumprod cumsum diagonal dot
        flatten max mean min prod ravel repeat reshape round squeeze std sum swapaxes
        trace transpose var""",
    ),
    in_jax="numpy",
)
state(
    *named("numpy.linalg", "cholesky eigh eigvalsh"),
    in_jax="numpy",
    jax_keywords=(("symmetrize_input", False),),
)
state(
    *named(
        "scipy.special",
        """betainc betaln digamma entr erf erfc erfinv expit gammainc
        gammaincc gammaln i0 i0e i1 i1e log_ndtr log_softmax logit logsumexp ndtr ndtri
        rel_entr softmax xlog1py xlogy zeta""",
    ),
    in_jax="scipy",
)

DIFFERS: Final[Mapping[Callable[..., Any], str]] = {
    np.argsort: "may put ties in another order in JAX",
    np.linalg.svd: "may give vectors of another sign in JAX",
    np.linalg.eig: "has another order of its values in JAX",
    np.linalg.qr: "may give vectors of another sign in JAX",
    np.take: "gives nan for an index out of range in JAX",
    np.put: "changes an array, which no array of JAX does",
    np.copyto: "changes an array, which no array of JAX does",
    np.tri: "has numbers of 32 bits in JAX",
    np.round: "rounds decimals another way in JAX",
    np.ndarray.fill: "changes an array, which no array of JAX does",
    np.ndarray.sort: "changes an array, which no array of JAX does",
}
"""Functions that JAX has too, where they mean something else: why they are refused."""

CHANGES: Final[Mapping[Callable[..., Any], str]] = {
    operator.add: "add",
    operator.sub: "subtract",
    operator.mul: "multiply",
    operator.truediv: "divide",
    operator.pow: "power",
}
"""What JAX calls a change of a part of an array: `z.at[i].add(v)`."""

WHOLE: Final = frozenset(
    {
        operator.floordiv, operator.mod, operator.pow, np.floor_divide, np.remainder,
        np.fmod, np.power, np.float_power, np.reciprocal,
    }
)  # fmt: skip
"""Functions of which JAX gives other numbers for some integers: NumPy has 0 for
`k // 0` and for `np.reciprocal(3)`, and raises for `k ** -1`."""
state(Path("runtime", "are_floats"), jax_definition=are_floats)
state(Path("runtime", "unbroadcast"), jax_definition=unbroadcast)
state(Path("runtime", "unrepeat"), jax_definition=unrepeat)
