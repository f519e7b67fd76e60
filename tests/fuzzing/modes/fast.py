"""A random program -> whether its text of `fast=True` gives what the readable one gives.

Blocks are of two elements, so that the arrays of random programs are cut. Values and
gradients are of the same types and shapes, equal up to rounding; gradients are writable
and share no memory; arguments are left as the function leaves them.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import same_bits, seed_for, unshared
from yota_ast.adjoint.fast import block_loops, fitting_operands

from ..program import Drawn
from ..trial import Outcome, WrongError, outcome_of, prepared
from .first import refused_by_data

WIDE, NARROW = 1e-7, 2e-3


def try_fast(drawn: Drawn, number: int) -> Outcome:
    """Compare the two texts."""
    return outcome_of(drawn, number, _tried)


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    case = prepared(fn, drawn)
    if case is None or case.overflows or case.error is not None or not case.asked:
        return Outcome("useless", "", drawn.source)
    wrt = case.asked
    readable = ya.simplegrad(fn, *copy.deepcopy(drawn.args), wrt=wrt)
    with ExitStack() as stack:
        for name in ("LENGTH", "FEWEST"):
            stack.enter_context(patch.object(block_loops, name, 2))
        stack.enter_context(patch.object(fitting_operands, "FEWEST", 1))
        fast = ya.simplegrad(fn, *copy.deepcopy(drawn.args), wrt=wrt, fast=True)
    dy = seed_for(case.value, np.random.default_rng(number))
    seed = {"seed": dy} if "seed" in inspect.signature(fast).parameters else {}
    args = copy.deepcopy(drawn.args)
    try:
        wanted = readable(*copy.deepcopy(drawn.args), **seed)
    except ValueError as error:
        return refused_by_data(error, drawn)
    found = fast(*args, **seed)
    if not same_bits(args, case.after):
        raise WrongError("arguments", f"{args!r}, not {case.after!r}\n{fast.source}")
    _compare(wanted, found, fast.source)
    unshared(dict(enumerate(found[1:])), args, found[0], dy)
    return Outcome("right", "", drawn.source)


def _compare(wanted: Any, found: Any, source: str) -> None:
    if type(wanted) is not type(found):
        raise WrongError("fast type", f"{found!r}, not {wanted!r}\n{source}")
    if isinstance(wanted, dict):
        wanted, found = [*wanted.values()], [*found.values()]
    if isinstance(wanted, (list, tuple)):
        for one, other in zip(wanted, found, strict=True):
            _compare(one, other, source)
        return
    if not isinstance(wanted, (float, complex, np.ndarray, np.generic)):
        return
    a, b = np.asarray(wanted), np.asarray(found)
    if a.dtype != b.dtype or a.shape != b.shape:
        raise WrongError("fast dtype", f"{b!r}, not {a!r}\n{source}")
    if a.dtype.kind not in "fc":
        return
    near = NARROW if a.dtype.itemsize < 8 else WIDE
    if not np.allclose(a, b, rtol=near, atol=near, equal_nan=True):
        raise WrongError("fast", f"{found!r}, not {wanted!r}\n{source}")
