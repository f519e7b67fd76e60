"""What the printer of explicit loops can print.

>>> from yota_ast.ops.registry import info
>>> import numpy as np
>>> info(np.exp).in_loops, info(np.linalg.eig).in_loops
('elements', 'no')
"""

from __future__ import annotations

from yota_ast.ops.registry import named, state
from yota_ast.ops.spellings import operators

state(
    *operators("add sub mul truediv floordiv mod pow neg pos"),
    *operators("iadd isub imul itruediv ifloordiv imod ipow"),
    *operators("lt le gt ge eq ne not_ and_ or_ xor invert"),
    *named("builtins", "abs"),
    *named(
        "numpy",
        """absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil conj
        copysign cos cosh deg2rad degrees exp exp2 expm1 fabs floor fmax fmin hypot
        isfinite isinf isnan log log10 log1p log2 logaddexp logaddexp2 logical_and
        logical_not logical_or logical_xor maximum minimum negative positive power
        rad2deg radians reciprocal rint sign signbit sin sinh sqrt square subtract
        add multiply divide tan tanh trunc less less_equal greater greater_equal equal
        not_equal""",
    ),
    *named(
        "math",
        """acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh degrees erf
        erfc exp expm1 fabs floor gamma hypot isfinite isinf isnan lgamma log log10
        log1p log2 pow radians sin sinh sqrt tan tanh trunc""",
    ),
    *named("runtime", "divided"),
    in_loops="elements",
)
state(*named("numpy", "exp exp2 log log2"), excess_in_loops=(8, 8))
state(*named("numpy", "sin cos"), excess_in_loops=(0, 40))
state(
    *operators("and_ or_ xor invert not_ mod floordiv"),
    *named("builtins", "abs"),
    *named(
        "numpy",
        """absolute ceil conj copysign deg2rad degrees fabs floor fmax fmin hypot
        isfinite isinf isnan logaddexp logical_and logical_not logical_or logical_xor
        maximum minimum rad2deg radians rint sign signbit trunc""",
    ),
    excess_in_loops=(0, 0),
)
state(
    *named("builtins", "float int bool len max min"),
    *named("numpy", "float64"),
    in_loops="numbers",
)
state(
    *named("numpy", "arange cross cumsum eye identity linspace"),
    *named("numpy.linalg", "cholesky det inv solve"),
    in_loops="arrays",
)
state(*named("numpy", "arange eye identity"), typed_in_loops=True)
state(
    *named(
        "numpy",
        """bincount convolve cumprod kron searchsorted tril_indices
        triu_indices""",
    ),
    *named("numpy.linalg", "eigh eigvalsh qr slogdet svd"),
    in_loops="arrays",
)
state(*named("numpy", "sum mean"), in_loops="sum")
state(*named("numpy", "max amax min amin"), in_loops="extreme")
state(*named("numpy", "argmax argmin prod all any"), in_loops="number")
state(*operators("matmul"), *named("numpy", "matmul dot"), in_loops="product")
state(*named("numpy", "vdot inner"), in_loops="inner product")
state(*named("numpy", "einsum tensordot"), in_loops="contraction")
state(
    *named("numpy", "zeros empty ones full zeros_like ones_like empty_like"),
    in_loops="new",
)
state(*named("numpy", "concatenate hstack append stack vstack"), in_loops="joined")
