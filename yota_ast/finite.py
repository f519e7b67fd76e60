"""Values and gradients that a text has given -> whether another should be tried.

A gradient that is not a number, of a value that is finite, comes of infinite slopes:
a text in which these are 0 at the edge of a domain may tell it. That text runs the
function again, which only some tapes allow.

>>> nans([1.0, {"a": np.array([np.nan, 0.0])}]), is_finite((1.0, np.ones(2)))
(1, True)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .adjoint.memory import writes_to
from .libraries import FILTERS
from .tape import Apply, Read, Tape, walk


def nans(value: object) -> int:
    """How many numbers of a value are nan."""
    if isinstance(value, Mapping):
        return sum(nans(v) for v in value.values())
    if isinstance(value, (tuple, list)):
        return sum(nans(v) for v in value)
    floats = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"
    if floats or isinstance(value, (float, complex)):
        return int(np.count_nonzero(np.isnan(value)))  # type: ignore[call-overload]
    return 0


def is_finite(value: object) -> bool:
    """Whether a result holds numbers that are all finite."""
    if isinstance(value, Mapping):
        return all(is_finite(v) for v in value.values())
    if isinstance(value, (tuple, list)):
        return all(is_finite(v) for v in value)
    floats = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"
    if floats or isinstance(value, (float, complex)):
        return bool(np.all(np.isfinite(value)))  # type: ignore[call-overload]
    return True


def may_run_again(tape: Tape) -> bool:
    """Whether running a function twice does what running it once does."""
    ops = [*walk(tape.block), *(op for f in tape.functions for op in walk(f.block))]
    effects = (op.fn for op in ops if isinstance(op, Apply) and op.effect)
    if not all(fn in FILTERS for fn in effects):
        return False
    owners = [p.var for p in tape.params]
    owners += [op.out for op in ops if isinstance(op, Read)]
    return not writes_to(tape.block, owners)
