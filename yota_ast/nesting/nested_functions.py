"""Functions that nested transforms are written with, lowered like the user's.

>>> unit(1, np.zeros(3))
array([0., 1., 0.])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Fn = Callable[..., Any]


class Gradients(dict[Any, Any]):
    """What `grad` gives inside: a gradient by the name of its argument and by its
    position, from either end, and by None how many arguments there are."""

    def __len__(self) -> int:
        """How many arguments the call has."""
        count: int = self[None]
        return count

    def __iter__(self) -> Iterator[Any]:
        """The gradients of all arguments, None of those outside `wrt`."""
        return iter([self.get(k) for k in range(self[None])])


def second(f: Fn, *args: Any, **kwargs: Any) -> Any:
    """The second of two results."""
    return f(*args, **kwargs)[1]


def changed(made: Fn, held: Any, x: Any, v: Any) -> Any:
    """The tangent of what tangent code computes, along v."""
    return made(x, *held, v)[1]


def slope(made: Fn, given: Any, name: str, seed: Any) -> Any:
    """The gradient for a cotangent."""
    return made(*given, **{name: seed})[1]


def unit(k: int, x: Any) -> Any:
    """Zeros of the shape of x, and 1 in one place."""
    return np.reshape((np.arange(np.size(x)) == k) * 1.0, np.shape(x))


def check_real(x: Any) -> None:
    """Raise where one matrix does not tell the derivative."""
    if np.iscomplexobj(x):
        raise ValueError(
            "the inner jacobian or hessian is of complex numbers: call vjp or jvp"
        )


def rows(slope: Fn, value: Any, x: Any) -> Any:
    """The Jacobian, a row for each element of the value."""
    check_real(value)
    if np.ndim(value) == 0:
        return slope(1.0)
    check_real(x)
    found = np.zeros((np.size(value), np.size(x)))
    for k in range(np.size(value)):
        found[k] = np.ravel(slope(unit(k, value)))
    return np.reshape(found, np.shape(value) + np.shape(x))


def stacked(parts: Any) -> Any:
    """Derivatives in several numbers on one last axis."""
    return np.stack(parts, axis=-1)


def columns(change: Fn, x: Any) -> Any:
    """The Hessian, a column for each element of x."""
    check_real(x)
    if np.ndim(x) == 0:
        return change(x, 1.0)
    found = np.zeros((np.size(x), np.size(x)))
    for k in range(np.size(x)):
        found[:, k] = np.ravel(change(x, unit(k, x)))
    return np.reshape(found, np.shape(x) + np.shape(x))


def transformed(spec: Any, f: Fn, *args: Any, **kwargs: Any) -> Any:
    """A transform of f, called: see nesting.py."""


def pulled(made: Any, given: Any, seed: Any) -> Any:
    """A pullback, called: see nesting.py."""
