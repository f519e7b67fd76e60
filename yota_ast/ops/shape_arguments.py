"""What functions take from the shape of an argument alone, and which shape they give.

>>> from yota_ast.ops.registry import info
>>> info(np.zeros_like).shape_only, info(np.ndim).tells, info(np.exp).shape_only
((0,), True, ())
"""

from __future__ import annotations

import numpy as np

from yota_ast.ops.registry import named, state

state(
    *named("builtins", "len isinstance hasattr callable type"),
    *named("numpy.ma", "count_masked is_masked isMA isMaskedArray isarray"),
    tells=True,
)
state(
    *named("numpy", "shape ndim size iscomplexobj isrealobj isscalar iterable"),
    *named("runtime", "count"),
    tells=True,
    shape_only=(0,),
)
state(*named("runtime", "count_valid"), counts=True)
state(*named("runtime", "unappend"), shape_only=(1, 2))
state(np.result_type, tells=True, shape_only=(0, 1, 2, 3))
state(*named("numpy", "zeros_like ones_like empty_like full_like"), shape_only=(0,))
state(
    *named(
        "runtime",
        """checked like real_like tail uncast uncast_array unconcatenate uncumsum
        undelete undiag undiagonal undiff undiff_between unfft unfftn ungradient unifft
        unifftn uninsert unirfft unirfftn unpad unpad_picked unpolyder unpolymul
        unpolyval unrepeat unresize unslide unrfft unrfftn unstack unsum_where untake
        untake_along_axis untensordot_left untile untrace unconvolve_left
        uncorrelate_left uninner_left unkron_left unvstack unhstack undstack
        uncolumn_stack unblock unjoin unmeshgrid unstride""",
    ),
    shape_only=(1,),
)
state(
    *named("runtime", "expand unbroadcast ungetitem unsum unmatmul_left undot_left"),
    shape_only=(1,),
    shaped_like=1,
)
state(
    *named("runtime", "untensordot_right unconvolve_right uncorrelate_right"),
    *named("runtime", "uninner_right unkron_right"),
    shape_only=(2,),
)
state(*named("runtime", "along_strided"), shape_only=(0,))
state(*named("runtime", "unmatmul_right undot_right"), shape_only=(2,), shaped_like=2)
state(*named("runtime", "held"), shape_only=(1, 2), shaped_like=0)
state(*named("runtime", "stored unset cofactors"), shaped_like=0)
state(*named("runtime", "like unlogsumexp"), shaped_like=1)
state(*named("runtime", "along_curve uncubic unsorted"), shaped_like=2)
state(*named("runtime", "along_interpolant"), shaped_like=3)
state(*named("runtime", "ungetitem untake undelete"), index_at=2)
state(*named("runtime", "unset"), index_at=1)
state(*named("numpy", "empty empty_like"), fill="nothing")
state(*named("numpy", "zeros zeros_like"), fill="zeros")
state(*named("numpy", "ones ones_like"), fill="ones")
state(*named("numpy", "full full_like"), fill="given")
state(*named("numpy", "split array_split hsplit vsplit dsplit"), splits=True)
state(
    *named("builtins", "len"),
    *named("numpy", "size ndim argmax argmin"),
    counts=True,
)
