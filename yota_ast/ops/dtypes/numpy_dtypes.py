"""Which numbers the functions of NumPy give.

Of ufuncs it is not stated: their loops say it (`result_dtypes.py`).

>>> from yota_ast.ops.registry import info
>>> info(np.argsort).numbers == INTEGERS, info(np.where).numbers.of
(True, (1, 2))
"""

from __future__ import annotations

from typing import Final

import numpy as np

from yota_ast.ops.dtypes.python_dtypes import (
    ANY,
    FIRST,
    FLOATS,
    INEXACT,
    INTEGERS,
    OF_COMPLEX,
)
from yota_ast.ops.record import FLOAT, WHOLE, Numbers
from yota_ast.ops.registry import named, state

PARTS: Final = Numbers((0,), WHOLE, FLOAT)
SIZES: Final = Numbers((0,), FLOAT, FLOAT)
ROOTS: Final = Numbers(None, FLOAT, rises=True)


def _typed(place: int, of: tuple[int, ...] | None, least: int = WHOLE) -> Numbers:
    return Numbers(of, least, dtype=place)


state(
    *named(
        "numpy",
        """all allclose any argmax argmin argpartition argsort argwhere array_equal
        array_equiv broadcast_shapes count_nonzero diag_indices digitize flatnonzero
        indices isclose iscomplex iscomplexobj isin isneginf isposinf isreal isrealobj
        isscalar lexsort nanargmax nanargmin ndim nonzero ravel_multi_index
        searchsorted shape size tril_indices triu_indices unravel_index shares_memory
        may_share_memory""",
    ),
    *named("numpy.linalg", "matrix_rank"),
    *named("numpy.ndarray", "argmax argmin argsort searchsorted nonzero any all"),
    numbers=INTEGERS,
)
state(*named("numpy", "zeros ones empty identity"), numbers=_typed(1, (), FLOAT))
state(*named("numpy", "eye tri"), numbers=_typed(3, (), FLOAT))
state(np.full, numbers=_typed(2, (1,)))
state(np.arange, numbers=_typed(3, None))
state(np.full_like, numbers=_typed(2, (0,)))
state(
    *named("numpy", "zeros_like ones_like empty_like array asarray asanyarray"),
    *named("numpy", "ascontiguousarray asfortranarray asarray_chkfinite require"),
    numbers=_typed(1, (0,)),
)
state(np.fromiter, np.ndarray.astype, *named("numpy", "astype"), numbers=_typed(1, ()))
state(
    *named("numpy", "sum prod cumsum cumprod nansum nanprod nancumsum nancumprod"),
    *named("numpy.ndarray", "sum prod cumsum cumprod"),
    numbers=_typed(2, (0,)),
)
state(*named("numpy", "cumulative_sum cumulative_prod"), numbers=_typed(9, (0,)))
state(np.trace, np.ndarray.trace, numbers=_typed(4, (0,)))
state(*named("numpy", "mean nanmean"), np.ndarray.mean, numbers=_typed(2, (0,), FLOAT))
state(
    *named("numpy", "std var nanstd nanvar"),
    *named("numpy.ndarray", "std var"),
    numbers=Numbers((0,), FLOAT, FLOAT, dtype=2),
)
state(
    *named(
        "numpy",
        """amax amin broadcast_to copy delete diag diagflat diagonal diff
        ediff1d expand_dims fix flip fliplr flipud insert matrix_transpose max min
        moveaxis nan_to_num nanmax nanmin pad partition permute_dims ptp ravel repeat
        reshape resize roll rollaxis rot90 sort squeeze swapaxes take
        take_along_axis tile transpose tril trim_zeros triu unstack vander polyder
        array_split split hsplit vsplit dsplit""",
    ),
    *named(
        "numpy.ndarray",
        """compress copy flatten item reshape transpose ravel repeat round squeeze
        swapaxes take tolist view diagonal max min clip conj conjugate sort""",
    ),
    *named("numpy.linalg", "diagonal matrix_transpose trace"),
    *named("numpy.lib.stride_tricks", "sliding_window_view"),
    *named("numpy.fft", "fftshift ifftshift"),
    numbers=FIRST,
)
state(
    *named("numpy", "atleast_1d atleast_2d atleast_3d broadcast_arrays meshgrid"),
    numbers=Numbers(picks=True),
)
state(np.unique, numbers=Numbers((0,), plain=1, unless=frozenset({
    "return_index", "return_inverse", "return_counts",
})))  # fmt: skip
state(np.setdiff1d, numbers=Numbers((0,)))
state(*named("numpy", "real imag"), numbers=PARTS)
state(np.real_if_close, numbers=Numbers((0,), mixed=True))
state(*named("numpy", "around round"), numbers=Numbers((0,), rises=True))  # of truth
state(
    *named(
        "numpy",
        """append block clip column_stack concatenate convolve correlate cross dot
        dstack einsum hstack inner kron outer polyadd polymul polysub polyval stack
        tensordot vdot vstack""",
    ),
    *named("numpy.linalg", "cross matmul multi_dot outer tensordot vecdot"),
    np.ndarray.dot,
    numbers=ANY,
)
state(np.result_type, numbers=ANY)
state(np.where, numbers=Numbers((1, 2)))
state(np.select, numbers=Numbers((1, 2)))
state(*named("numpy", "choose compress extract"), numbers=Numbers((1,)))
state(
    *named("numpy", "cov corrcoef polyfit polyint polydiv unwrap"),
    *named("numpy", "trapezoid trapz average median nanmedian poly sinc i0"),
    *named("numpy.linalg", "solve inv cholesky qr pinv tensorinv tensorsolve"),
    *named("numpy.polynomial.polynomial", "polyval"),
    numbers=INEXACT,
)
_METHODS = frozenset({"out", "method", "interpolation"})
state(
    *named("numpy", "percentile nanpercentile"),
    numbers=Numbers(None, FLOAT, plain=3, unless=_METHODS),
)
state(  # a quantile that is written 0 or 1 is one of the numbers
    *named("numpy", "quantile nanquantile"),
    numbers=Numbers((0, 1), plain=3, rises=True, unless=_METHODS),
)
state(*named("numpy", "linspace"), numbers=_typed(5, None, FLOAT))
state(*named("numpy", "geomspace logspace"), numbers=Numbers(None, FLOAT, rises=True))
state(
    *named("numpy", "hanning hamming blackman bartlett kaiser"),
    *named("numpy.fft", "fftfreq rfftfreq"),
    numbers=FLOATS,
)
state(
    np.angle,
    *named("numpy.fft", "irfft hfft irfft2 irfftn"),
    *named("numpy.linalg", "norm cond eigvalsh matrix_norm vector_norm svdvals"),
    numbers=SIZES,
)
state(*named("numpy.linalg", "det"), numbers=Numbers((0,), FLOAT))
state(
    *named("numpy.linalg", "eigh slogdet svd"),
    numbers=Numbers((0,), FLOAT, mixed=True),
)
state(*named("numpy", "gradient interp"), numbers=Numbers(None, FLOAT, mixed=True))
state(*named("numpy.linalg", "eig eigvals"), np.roots, numbers=ROOTS)
state(*named("numpy.linalg", "matrix_power"), numbers=Numbers((0,), rises=True))
state(
    *named("numpy.fft", "fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn ihfft"),
    numbers=OF_COMPLEX,
)
state(
    *named("numpy.lib.scimath", "sqrt log log2 log10 logn power arccos arcsin arctanh"),
    numbers=Numbers(None, rises=True),
)
for name in ("float16", "float32", "float64", "longdouble"):
    state(getattr(np, name), numbers=FLOATS)
for name in ("complex64", "complex128"):
    state(getattr(np, name), numbers=OF_COMPLEX)
for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"):
    state(np.dtype(name).type, numbers=INTEGERS)
state(
    *named(
        "numpy.random",
        """beta chisquare dirichlet exponential gamma gumbel laplace logistic lognormal
        multivariate_normal normal pareto rand randn random random_sample rayleigh
        standard_cauchy standard_exponential standard_gamma standard_normal standard_t
        triangular uniform vonmises wald weibull""",
    ),
    numbers=FLOATS,
)
state(
    *named(
        "numpy.random",
        "binomial geometric integers negative_binomial poisson randint zipf",
    ),
    numbers=INTEGERS,
)
state(*named("numpy.random", "choice permutation permuted"), numbers=FIRST)
