"""An op -> whether its result has memory of its own, or may share that of an argument.

>>> import numpy as np
>>> from ..facts import array_fact
>>> from ..tape import Const, Var
>>> x, y = Var("x", array_fact("f8", (None, None))), Var("y")
>>> sharing(Apply(y, np.transpose, (x,)))
'view'
"""

from __future__ import annotations

from ..tape import Apply
from .record import Sharing
from .registry import info, named, state


def sharing(op: Apply) -> Sharing:
    """Whether the result may share memory with the arguments."""
    memory = info(op.fn).memory
    return memory if isinstance(memory, str) else memory(op)


state(*named("numpy", "rollaxis"), memory="view")
