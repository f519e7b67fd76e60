"""What the functions of Python do with several numbers, undone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast


def unrepeat_sequence(dy: Any, u: Any) -> list[Any]:
    """The adjoints of the items of `u` in `u * n`, the sequence repeated."""
    du = [zeros_within(v) for v in u]
    for k, d in enumerate(dy):
        du[k % len(u)] = added_within(du[k % len(u)], d)
    return du


def picked(dy: Any, items: Any, y: Any) -> list[Any]:
    """The adjoints of `items` where the first that is `y` was picked."""
    d = [0.0] * len(items)
    for k, v in enumerate(items):
        if v is y or v == y:
            d[k] = dy
            break
    return d


def along_picked(x: Any, y: Any, dx: Any) -> Any:
    """The tangent of `y`, the first of `x` that equals it, along `dx`."""
    for v, d in zip(x, dx, strict=True):
        if v is y or v == y:
            return d
    return 0.0


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


def scaled_items(d: Any, x: Any) -> list[Any]:
    """`d` times each of `x`."""
    return [d * v for v in x]


def deviations(d: Any, x: Any) -> list[Any]:
    """`d` times the distance of each number of `x` from their mean."""
    m = math.fsum(x) / len(x)
    return [d * (v - m) for v in x]


def zeros_of(items: Any) -> list[Any]:
    """Zeros like each of `items`."""
    return [
        np.zeros_like(v, np.result_type(v, 1.0)) if np.ndim(v) else 0.0 for v in items
    ]


def added_lists(d: Any, e: Any) -> list[Any]:
    """The sum of two lists of adjoints, item by item."""
    return [p + q for p, q in zip(d, e, strict=True)]


def zeros_within(x: Any) -> Any:
    """Zeros of the structure of `x`, a number, an array or a container of such."""
    if isinstance(x, dict):
        return {k: zeros_within(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        zeros = [zeros_within(v) for v in x]
        return zeros if isinstance(x, list) else tuple(zeros)
    return np.zeros_like(x, np.result_type(x, 1.0)) if np.ndim(x) else 0.0


def zeros_in_lists(x: Any) -> Any:
    """Zeros of the structure of `x`, with a list for each tuple."""
    if isinstance(x, dict):
        return {k: zeros_in_lists(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [zeros_in_lists(v) for v in x]
    return np.zeros_like(x, np.result_type(x, 1.0)) if np.ndim(x) else 0.0


def in_form_of(x: Any, d: Any) -> Any:
    """The adjoints `d` of `x`, in containers and numbers of the same kinds."""
    if isinstance(x, dict):
        return {k: in_form_of(v, d[k]) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        items = [in_form_of(v, e) for v, e in zip(x, d, strict=True)]
        return items if isinstance(x, list) else tuple(items)
    return d if np.ndim(x) else float(d)


def full_list(d: Any, x: Any) -> Any:
    """The adjoints `d` of the items of `x`, zeros where nothing has reached any."""
    return zeros_within(x) if isinstance(d, float) else d


def part_of(d: Any, index: Any) -> Any:
    """The adjoint at `index` of a list of adjoints, which is 0.0 where all are."""
    return 0.0 if isinstance(d, float) else d[index]


def added_within(d: Any, e: Any) -> Any:
    """The sum of two adjoints of one structure; None is what holds no numbers."""
    if d is None or e is None:
        return e if d is None else d
    if isinstance(d, dict):
        return {k: added_within(v, e[k]) for k, v in d.items()}
    if isinstance(d, (list, tuple)):
        total = [added_within(p, q) for p, q in zip(d, e, strict=True)]
        return total if isinstance(d, list) else tuple(total)
    return d + e


def added_item(d: Any, index: Any, e: Any) -> Any:
    """The adjoints `d` of a list or dict with `e` added at `index`, or at the keys to
    it."""
    first, *rest = index if isinstance(index, tuple) else (index,)
    d = dict(d) if isinstance(d, dict) else list(d)
    d[first] = added_item(d[first], (*rest,), e) if rest else added_within(d[first], e)
    return d


def with_item(d: Any, e: Any) -> list[Any]:
    """The list of adjoints `d`, and `e` after them."""
    return [*d, e]


def without_last(d: Any, keys: Any) -> Any:
    """The adjoints `d` of lists before an item was appended to the one at some keys."""
    first, *rest = keys
    d = list(d)
    d[first] = without_last(d[first], (*rest,)) if rest else d[first][:-1]
    return d


def unset_item(d: Any, index: Any, old: Any = None) -> Any:
    """The adjoints `d` of a list as it was before a store at `index`, or at keys; old:
    what stood there, where it may be of another length."""
    first, *rest = index if isinstance(index, tuple) else (index,)
    d = list(d)
    if rest:
        d[first] = unset_item(d[first], (*rest,), old)
    else:
        d[first] = zeros_within(d[first] if old is None else old)
    return d
