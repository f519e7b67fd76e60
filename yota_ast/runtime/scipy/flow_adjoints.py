"""Adjoints of ordinary differential equations that SciPy has solved.

The continuous adjoint: backwards from one time of output to the one before, the adjoint
of the state follows dw/dt = -w @ f_y, and that of what f holds gathers -w @ f_p. The
state in between is solved for once more. Its error is that of the solver at `rtol` and
`atol`, those of the call or smaller: what comes out is the derivative of the exact
flow.

>>> decay = lambda t, y: -2 * y
>>> pullback = lambda t, y, w: (-2 * w,)
>>> t, y = np.array([0.0, 1.0]), np.exp([[0.0], [-2.0]])
>>> (dy0,) = unflow(np.array([[0.0], [1.0]]), t, y, decay, pullback, ())
>>> bool(abs(dy0[0] - np.exp(-2)) < 1e-7)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy import integrate

Array = Any


def unflow(
    dy: Array,
    t: Array,
    y: Array,
    f: Callable[..., Array],
    pullback: Callable[..., Any],
    params: tuple[Any, ...],
    start: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    method: str = "RK45",
) -> tuple[Any, ...]:
    """The adjoints of the first state, and of what f holds, for one state a row.

    start: the first time and state, where they are not among those of the output.
    """
    if start is not None and start[0] != t[0]:
        t, y = np.append(start[0], t), np.vstack((start[1], y))
        dy = np.vstack((np.zeros(len(y[0])), dy))
    options = {
        "method": method,
        "rtol": min(rtol, 1e-8),
        "atol": np.minimum(atol, 1e-10),
    }
    n, shapes = len(y[0]), [np.shape(y[0]), *map(shape_of, params)]
    sizes = [math.prod(shape) for shape in shapes]
    w = np.concatenate([dy[-1], np.zeros(sum(sizes) - n)])
    for k in range(len(t) - 1, 0, -1):
        solved = integrate.solve_ivp(
            f, (t[k - 1], t[k]), y[k - 1], dense_output=True, **options
        )
        slopes = backwards(pullback, solved.sol, n)
        back = integrate.solve_ivp(slopes, (t[k], t[k - 1]), w, **options)
        w = back.y[:, -1]
        w[:n] += dy[k - 1]
    parts = np.split(w, np.cumsum(sizes)[:-1])
    return tuple(np.reshape(d, s)[()] for d, s in zip(parts, shapes, strict=True))


def tangent_flow(
    t: Array,
    y: Array,
    dy0: Any,
    f: Callable[..., Array],
    slope: Callable[..., Array],
    start: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    method: str = "RK45",
) -> Array:
    """The tangent of a flow at the times `t`, solved along with the flow.

    slope: the tangent of f, for that of the state.
    """
    options = {
        "method": method,
        "rtol": min(rtol, 1e-8),
        "atol": np.minimum(atol, 1e-10),
    }
    first = (t[0], y[0]) if start is None else start
    n = len(y[0])
    both = np.concatenate((np.ravel(first[1]), np.broadcast_to(dy0, n)))
    found, time = [], first[0]
    slopes = alongside(f, slope, n)
    for s in t:
        if s != time:
            both = integrate.solve_ivp(slopes, (time, s), both, **options).y[:, -1]
        found.append(both[n:])
        time = s
    return np.array(found)


def alongside(
    f: Callable[..., Array], slope: Callable[..., Array], n: int
) -> Callable[[Any, Array], Array]:
    """The slopes of n states, and of their tangents."""
    return lambda s, v: np.concatenate((f(s, v[:n]), slope(s, v[:n], v[n:])))


def backwards(
    pullback: Callable[..., Any], path: Callable[[Any], Array], n: int
) -> Callable[[Any, Array], Array]:
    """The slopes of the adjoints, along a path of n states."""
    return lambda s, w: -raveled(pullback(s, path(s), w[:n]))


def shape_of(p: Any) -> tuple[int, ...]:
    """The shape of the adjoint of what a function holds: of an array, or a spline."""
    for name in ("c", "y", "dataset"):
        if hasattr(p, name):
            return np.shape(getattr(p, name))
    return np.shape(p)


def raveled(parts: Iterable[Any]) -> Array:
    """The elements of arrays and numbers, one after the other."""
    return np.concatenate([np.ravel(p) for p in parts])
