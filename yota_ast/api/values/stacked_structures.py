"""Structures of arrays and numbers, of which each part has one axis more, in front.

>>> from yota_ast.api.values.raveling import layout_of
>>> layout = layout_of({"w": np.ones(2), "b": 3.0})
>>> many = stacked_units({"w": np.zeros(2), "b": 0.0}, layout, range(1, 3), 1.0)
>>> many["w"]
array([[0., 1.],
       [0., 0.]])
>>> many["b"]
array([0., 1.])
>>> rows_of(layout, many, 2)
array([[0., 1., 0.],
       [0., 0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.api.values.raveling import Array, Fixed, Layout, Leaf


def stacked_units(like: Any, layout: Layout, places: range, unit: Any) -> Any:
    """The structures that are a unit in one of some places and zero elsewhere, stacked;
    like: one of them, of which the stack has the kinds and dtypes."""
    flat = np.zeros((len(places), layout.size), type(unit))
    flat[np.arange(len(places)), np.array(places)] = unit
    return _filled(layout, like, flat)


def _filled(layout: Layout, like: Any, flat: Array) -> Any:
    part = layout.root
    if isinstance(part, Fixed):
        return like
    if isinstance(part, Leaf):
        if isinstance(like, (list, tuple)):
            return _listed(like, flat.reshape(len(flat), *part.shape))
        return flat.reshape(len(flat), *part.shape).astype(np.asarray(like).dtype)
    found, at = {}, 0
    for key, inner in zip(part.keys, part.parts, strict=True):
        own = flat[:, at : at + inner.size]
        found[key] = _filled(inner, like[key], own)
        at += inner.size
    return found if isinstance(like, dict) else list(found.values())


def _listed(like: Any, numbers: Array) -> Any:
    """A list of numbers, each for all directions."""
    if not isinstance(like, (list, tuple)):
        return numbers.astype(np.asarray(like).dtype)
    return [_listed(one, numbers[:, k]) for k, one in enumerate(like)]


def rows_of(layout: Layout, found: Any, count: int) -> Array:
    """The numbers of stacked structures, a row for each."""
    part = layout.root
    if isinstance(part, Fixed):
        return np.zeros((count, 0))
    if isinstance(part, Leaf):
        return _numbers(part, found, count)
    parts = [
        rows_of(inner, None if found is None else found[key], count)
        for key, inner in zip(part.keys, part.parts, strict=True)
    ]
    return np.concatenate([np.zeros((count, 0)), *parts], axis=1)


def _numbers(leaf: Leaf, found: Any, count: int) -> Array:
    """The numbers of a leaf: zeros of None, and what has fewer axes is repeated."""
    if isinstance(found, (list, tuple)):
        given = np.moveaxis(np.asarray(found), -1, 0)
    else:
        given = np.zeros(count) if found is None else np.asarray(found)
    more = len(leaf.shape) + 1 - given.ndim
    if more > 0:
        given = given.reshape(count, *[1] * more, *given.shape[1:])
    return np.broadcast_to(given, (count, *leaf.shape)).reshape(count, leaf.size)
