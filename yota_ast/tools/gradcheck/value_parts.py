"""A structured value and its gradient -> the leaves of both, by path; values moved.

A path is that of `update`: names of fields and keys of containers. What is moved is
copied along its path; the rest stays what it is, and the value itself is not changed.

>>> import numpy as np
>>> layer = {"W": np.ones(2), "b": 0.5}
>>> [(part.path, part.gradient) for part in parts_of(layer, {"W": None, "b": 2.0})]
[(('b',), 2.0)]
>>> replaced(layer, ("b",), 0.75)["b"], layer["b"]
(0.75, 0.5)
>>> spelled("m", ("layers", 0, "W"), {"layers": [layer]})
"m['layers'][0]['W']"
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.values.leaves import is_named_tuple
from yota_ast.api.values.updating import Path, leaf_gradients, walk_path
from yota_ast.syntax.value_literals import shown_text
from yota_ast.syntax.value_paths import attribute_text, item_text


@dataclass(frozen=True, slots=True)
class Part:
    """A leaf of an argument and its gradient."""

    path: Path
    leaf: Any
    gradient: Any


def parts_of(value: object, gradient: object) -> Iterator[Part]:
    """The leaves that have a gradient."""
    for path, g in leaf_gradients(value, gradient):
        if g is not None:
            yield Part(path, walk_path(value, path)[-1], g)


def replaced(value: Any, path: Path, new: object) -> Any:
    """The value with another leaf; copied along the path, nothing of it is changed."""
    if not path:
        return new
    step: Any = path[0]
    if isinstance(value, tuple):
        k = value._fields.index(step) if isinstance(step, str) else step  # type: ignore[attr-defined]
        items = [*value]
        items[k] = replaced(items[k], path[1:], new)
        return type(value)(*items) if is_named_tuple(value) else tuple(items)
    other = copy.copy(value)
    if isinstance(value, (list, dict)):
        other[step] = replaced(value[step], path[1:], new)
    else:
        inner = replaced(getattr(value, step), path[1:], new)
        object.__setattr__(other, step, inner)  # frozen dataclasses too
    return other


def spelled(name: str, path: Path, value: object) -> str:
    """A leaf as the user writes it: `m.layers[0].W`."""
    text = name
    for step, holder in zip(path, walk_path(value, path), strict=False):
        if is_named_tuple(holder) and isinstance(step, int):
            step = holder._fields[step]
        is_key = isinstance(holder, (list, dict)) or not isinstance(step, str)
        text = item_text(text, step) if is_key else attribute_text(text, step)
    return shown_text(text)


def shape_text(leaf: object) -> str:
    """What a leaf is, for a column of the table: `float`, `(3, 4)`, `(3,) float32`."""
    if not isinstance(leaf, np.ndarray):
        return type(leaf).__name__
    text = str(leaf.shape)
    return text if leaf.dtype == np.float64 else f"{text} {leaf.dtype}"


# ---------------------------------------------------------------- numbers


def is_complex(leaf: Any) -> bool:
    """Whether a leaf holds complex numbers."""
    return bool(np.iscomplexobj(leaf))


def widened(leaf: Any) -> Any:
    """A leaf of float32 in float64, of integers as floats; another as it is."""
    if isinstance(leaf, bool) or np.asarray(leaf).dtype.kind not in "iufcb":
        return leaf
    if isinstance(leaf, int):
        return float(leaf)
    if isinstance(leaf, (np.ndarray, np.generic)):
        wide = np.complex128 if is_complex(leaf) else np.float64
        return leaf.astype(wide)
    return leaf


def is_real_scalar(value: Any) -> bool:
    """Whether a value is one real number, for which no seed is needed."""
    if isinstance(value, (tuple, list, dict, str)) or value is None:
        return False
    array = np.asarray(value)
    return array.shape == () and array.dtype.kind == "f"


def is_narrow(leaf: object) -> bool:
    """Whether a leaf has fewer digits than Python's floats."""
    dtype = getattr(leaf, "dtype", None)  # a class has a descriptor of that name
    return (
        isinstance(dtype, np.dtype)
        and dtype.kind in "fc"
        and np.finfo(dtype).eps > 1e-12
    )


def direction_of(leaf: Any, rng: np.random.Generator) -> Any:
    """A random direction, each element about as large as that of the leaf; where an
    element is 0, as large as the others, or 1."""
    x = np.asarray(widened(leaf))
    d = rng.normal(size=x.shape)
    if is_complex(x):
        d = d + 1j * rng.normal(size=x.shape)
    size = np.abs(x)
    usual = size[np.isfinite(size) & (size > 0)]
    scale = float(np.median(usual)) if usual.size else 1.0
    with np.errstate(all="ignore"):
        fitting = np.where(np.isfinite(size) & (size > 0), size, scale)
    return like(leaf, d * fitting)


def like(leaf: Any, values: Any) -> Any:
    """An array of numbers as what a leaf is: an array, or a number of Python's."""
    if isinstance(leaf, np.ndarray):
        return np.asarray(values)
    if isinstance(leaf, np.generic):
        return np.asarray(values)[()]
    return np.asarray(values).item()


def moved(leaf: Any, d: Any, step: complex) -> Any:
    """leaf + step * d, of the leaf's kind (an array, a number), in double precision."""
    return like(leaf, np.asarray(widened(leaf)) + step * np.asarray(d))


def pairs(dy: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    """The numbers of two structures built alike, those of one with the other's."""
    if isinstance(dy, dict):
        for k in dy:
            yield from pairs(dy[k], y[k])
    elif isinstance(dy, (tuple, list)):
        for a, b in zip(dy, y, strict=True):
            yield from pairs(a, b)
    elif dy is not None and y is not None and not isinstance(dy, str):
        yield np.asarray(dy), np.asarray(y)


def inner(dy: Any, y: Any) -> float:
    """Re <dy, y> over the numbers of two structures built alike."""
    return sum(float(np.sum(np.real(np.conj(a) * b))) for a, b in pairs(dy, y))


def stays_real(dy: Any, y: Any) -> bool:
    """Whether what has a real cotangent is real."""
    return all(is_complex(a) or not is_complex(b) for a, b in pairs(dy, y))


def size_of(dy: Any, y: Any) -> float:
    """The sum of |dy * y|, of which the inner product is what is left."""
    return float(np.sum(np.abs(np.asarray(dy) * np.asarray(y))))


def seed_like(value: Any, rng: np.random.Generator) -> Any:
    """A random cotangent, built like a value; of what is no float, 0 or None."""
    if isinstance(value, dict):
        return {k: seed_like(v, rng) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [seed_like(v, rng) for v in value]
        return parts if isinstance(value, list) else tuple(parts)
    x = np.asarray(value) if not isinstance(value, str) else np.asarray(None)
    if x.dtype.kind not in "biufc":
        return None
    d = rng.normal(size=x.shape) if x.dtype.kind in "fc" else np.zeros(x.shape)
    if is_complex(x):
        d = d + 1j * rng.normal(size=x.shape)
    if isinstance(value, np.ndarray):
        return d.astype(x.dtype) if x.dtype.kind in "fc" else d
    return d.item()


def same_bits(a: Any, b: Any) -> bool:
    """Whether two values are of one type and the same bit for bit (nan is nan)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_bits, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same_bits(a[k], b[k]) for k in a)
    if isinstance(a, (np.ndarray, np.generic)):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return bool(alike and a.tobytes() == b.tobytes())
    return bool(a == b or (a != a and b != b))  # noqa: PLR0124  nan
