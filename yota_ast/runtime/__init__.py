"""The helpers that generated text may call: NumPy only, each self-contained.

In general text a helper stands for what depends on ranks, kinds and settings; where
facts decide, the text has the specific form instead (`db = dz.sum(axis=0)`).  A helper
is copied into the text with those it calls.  `un<op>` undoes `op` for a cotangent,
which is its first argument.

>>> import numpy as np
>>> unbroadcast(np.ones((2, 3)), np.zeros((1, 3)))
array([[2., 2., 2.]])
>>> unbroadcast(np.ones((2, 3)), 1.5)
6.0
"""

from __future__ import annotations

from .broadcasting import (
    broadcast,
    count,
    count_valid,
    expand,
    like,
    restored,
    stop_gradient,
    unbroadcast,
    unsum,
)
from .complexes import (
    conjugate,
    real_like,
    unangle,
    unimag,
)
from .einsums import (
    spelled_out,
    uneinsum,
)
from .joining import (
    like_sequence,
    unappend,
    uncolumn_stack,
    unconcatenate,
    undstack,
    unhstack,
    unjoin,
    unpad,
    unrepeat,
    unstack,
    untile,
    unvstack,
)
from .ordering import (
    uncast,
    uncast_array,
    unlinspace,
    unroll_axis,
    untranspose,
)
from .picking import (
    undiag,
    undiagonal,
    ungetitem,
    ungetitem_of_sequence,
    unselect,
    unset,
    untake,
    untake_along_axis,
    untrace,
)
from .products import (
    contracted_axes,
    kron_blocks,
    undot_left,
    undot_right,
    uninner_left,
    uninner_right,
    unkron_left,
    unkron_right,
    unmatmul_left,
    unmatmul_right,
    untensordot_left,
    untensordot_right,
)
from .reductions import (
    average_shares,
    average_weights,
    prod_of_others,
    uncumprod,
    uncumsum,
    undiff,
    unhistogram,
    unmax,
    untrapezoid,
    unweight,
)
from .sequences import (
    picked,
    picked_products,
    undist,
    unhypot,
    unrepeat_sequence,
    unsum_sequence,
)
from .slopes import (
    log_or_zero,
    polygamma,
    power_slope,
    sinc_curvature,
    sinc_slope,
)
from .systems import (
    cofactors,
    outer_last,
    uncholesky,
    unmatrix_norm,
    unnorm,
    unpinv,
    unsolve,
)

__all__ = [
    "average_shares",
    "average_weights",
    "broadcast",
    "cofactors",
    "conjugate",
    "contracted_axes",
    "count",
    "count_valid",
    "expand",
    "kron_blocks",
    "like",
    "like_sequence",
    "log_or_zero",
    "outer_last",
    "picked",
    "picked_products",
    "polygamma",
    "power_slope",
    "prod_of_others",
    "real_like",
    "restored",
    "sinc_curvature",
    "sinc_slope",
    "spelled_out",
    "stop_gradient",
    "unangle",
    "unappend",
    "unbroadcast",
    "uncast",
    "uncast_array",
    "uncholesky",
    "uncolumn_stack",
    "unconcatenate",
    "uncumprod",
    "uncumsum",
    "undiag",
    "undiagonal",
    "undiff",
    "undist",
    "undot_left",
    "undot_right",
    "undstack",
    "uneinsum",
    "ungetitem",
    "ungetitem_of_sequence",
    "unhistogram",
    "unhstack",
    "unhypot",
    "unimag",
    "uninner_left",
    "uninner_right",
    "unjoin",
    "unkron_left",
    "unkron_right",
    "unlinspace",
    "unmatmul_left",
    "unmatmul_right",
    "unmatrix_norm",
    "unmax",
    "unnorm",
    "unpad",
    "unpinv",
    "unrepeat",
    "unrepeat_sequence",
    "unroll_axis",
    "unselect",
    "unset",
    "unsolve",
    "unstack",
    "unsum",
    "unsum_sequence",
    "untake",
    "untake_along_axis",
    "untensordot_left",
    "untensordot_right",
    "untile",
    "untrace",
    "untranspose",
    "untrapezoid",
    "unvstack",
    "unweight",
]
