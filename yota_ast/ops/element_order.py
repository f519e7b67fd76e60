"""Functions whose result has the elements of their first argument, or its layout.

>>> from yota_ast.ops.registry import info
>>> info(np.reshape).order, info(np.flip).order, info(np.flip).involution
('kept', 'turned', True)
"""

from __future__ import annotations

import numpy as np

from yota_ast import runtime
from yota_ast.ops.registry import named, state

state(
    *named(
        "numpy",
        "array asanyarray asarray ascontiguousarray atleast_1d atleast_2d atleast_3d"
        " real",
    ),
    *named("numpy.ndarray", "astype view"),
    order="kept",
    items="kept",
)
state(
    *named("numpy", "expand_dims ravel reshape squeeze"),
    *named("numpy.ndarray", "ravel reshape"),
    order="kept",
    items="moved",
)
state(*named("numpy", "expand_dims"), *named("runtime", "expand"), adds_axes=True)
_ITS_OWN_INVERSE = named("numpy", "swapaxes flip fliplr flipud")
state(*_ITS_OWN_INVERSE, order="turned", items="moved", involution=True)
state(
    *named("numpy", "transpose moveaxis rot90 roll"),
    *named("numpy.ndarray", "transpose"),
    order="turned",
    items="moved",
)
state(*named("numpy", "flip fliplr flipud rot90"), reverses=True)
state(np.real, puts_back=runtime.with_real)
state(np.imag, puts_back=runtime.with_imag)
state(
    *named("numpy", "zeros ones empty full eye identity arange outer tile"),
    *named("numpy.ndarray", "copy flatten"),
    layout="dense",
)
state(*named("numpy", "zeros_like ones_like empty_like full_like copy"), layout="like")
state(*named("numpy", "sum where cumsum linspace"), layout="fresh")
