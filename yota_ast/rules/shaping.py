"""The same elements in another shape."""

from __future__ import annotations

import numpy as np

from ..facts import Fact
from ..tape import Atom
from .rule import rule
from .shapes import array_of, reshaped, shape_argument, shape_arguments


def _reshape_fact(x: Atom, shape: Atom) -> Fact:
    return reshaped(array_of(x), shape_argument(shape))


def _reshape_method_fact(x: Atom, shape: tuple[Atom, ...]) -> Fact:
    return reshaped(array_of(x), shape_arguments(shape))


@rule(
    zero=["shape"],
    linear=["x"],
    alias="view or copy",
    complex="written",
    fact=_reshape_fact,
)
def reshape(x, shape, *, dy):
    y = np.reshape(x, shape)
    dx = np.reshape(dy, np.shape(x))


@rule(
    zero=["shape"],
    linear=["x"],
    alias="view or copy",
    complex="written",
    fact=_reshape_method_fact,
)
def reshape_method(x: np.ndarray, *shape, dy):
    y = x.reshape(*shape)
    dx = np.reshape(dy, np.shape(x))
