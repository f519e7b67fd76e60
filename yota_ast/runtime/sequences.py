"""What the functions of Python do with several numbers, undone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .broadcasting import unbroadcast


def unrepeat_sequence(dy: Any, u: Any) -> list[Any]:
    """The adjoints of the items of `u` in `u * n`, the sequence repeated."""
    return [sum(dy[k :: len(u)]) for k in range(len(u))]


def picked(dy: Any, items: Any, y: Any) -> list[Any]:
    """The adjoints of `items` where the first that is `y` was picked."""
    hits = [v is y or v == y for v in items]
    firsts = [hit and not any(hits[:k]) for k, hit in enumerate(hits)]
    return [dy if first else 0.0 for first in firsts]


def picked_products(dy: Any, x: Any) -> list[Any]:
    """The adjoints of the factors of `math.prod(x)`."""
    return [dy * math.prod(x[:k]) * math.prod(x[k + 1 :]) for k in range(len(x))]


def unsum_sequence(dy: Any, x: Any) -> list[Any]:
    """The adjoints of the items of `sum(x)`."""
    return [unbroadcast(dy, item) for item in x]


def unhypot(dy: Any, coordinates: Any, y: Any) -> list[Any]:
    """The adjoints of the arguments of `math.hypot`; 0 at the origin."""
    return [dy * (x / (y + (y == 0))) for x in coordinates]


def undist(dy: Any, p: Any, q: Any, y: Any) -> list[Any]:
    """The adjoints of the coordinates `p` of `math.dist(p, q)`; 0 at distance 0."""
    return [dy * ((a - b) / (y + (y == 0))) for a, b in zip(p, q, strict=True)]


def zeros_of(items: Any) -> Any:
    """Zeros like each of `items`, which may be tuples of others."""
    if isinstance(items, (list, tuple)):
        zeros = [zeros_of(v) for v in items]
        return zeros if isinstance(items, list) else tuple(zeros)
    return np.zeros_like(items) if np.ndim(items) else 0.0


def added_lists(d: Any, e: Any) -> Any:
    """The sum of two lists of adjoints, item by item; of None nothing is added."""
    if isinstance(d, (list, tuple)):
        sums = [added_lists(p, q) for p, q in zip(d, e, strict=True)]
        return sums if isinstance(d, list) else tuple(sums)
    return d if e is None else d + e


def added_item(d: Any, index: Any, e: Any) -> Any:
    """The list of adjoints `d` with `e` added at `index`."""
    d = list(d)
    d[index] = added_lists(d[index], e)
    return d


def unset_item(d: Any, index: Any) -> Any:
    """The adjoints `d` of a list as it was before a store at `index`."""
    d = list(d)
    d[index] = zeros_of(d[index])
    return d
