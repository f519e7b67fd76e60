"""A function and arguments -> whether its generated gradient is right.

`check(fn, args)` runs the gradient and holds everything that is promised of it: the
value bit for bit and of its type, arguments left alone, gradients of the shape, dtype
and kind of the arguments, no memory shared, and <dy, J v> = <dx, v> for a random
direction v, by finite differences of fourth order.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import yota_ast as ya
from yota_ast.support import passes

PASSES = ("all", "none", *(f"-{name}" for name in passes.PASSES))


def is_float(x: Any) -> bool:
    """Whether a value is a real number or array of them."""
    if isinstance(x, float | np.floating):
        return True
    return isinstance(x, np.ndarray) and x.dtype.kind == "f"


def leaves(value: Any) -> Iterator[Any]:
    """The float leaves of a structure, in order."""
    if isinstance(value, list | tuple):
        for v in value:
            yield from leaves(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from leaves(v)
    elif is_float(value):
        yield value


def mapped(f: Callable[..., Any], *values: Any) -> Any:
    """f of the float leaves of structures of one kind; other parts are the first's."""
    first = values[0]
    if isinstance(first, list | tuple):
        items = [mapped(f, *parts) for parts in zip(*values, strict=True)]
        if hasattr(first, "_fields"):
            return type(first)(*items)
        return tuple(items) if isinstance(first, tuple) else items
    if isinstance(first, dict):
        return {k: mapped(f, *(v[k] for v in values)) for k in first}
    return f(*values) if is_float(first) else first


def direction(value: Any, rng: np.random.Generator) -> Any:
    """Random numbers of the shape and kind of each float leaf, in float64."""

    def one(x: Any) -> Any:
        d = rng.normal(size=np.shape(x))
        return d if isinstance(x, np.ndarray) else float(d)

    return mapped(one, value)


def moved(value: Any, v: Any, h: float) -> Any:
    """value + h * v, of the same kinds, in float64."""

    def one(x: Any, d: Any) -> Any:
        y = x + h * d
        if isinstance(x, np.ndarray):
            return np.asarray(y, dtype=float)
        return float(y) if isinstance(x, float) and not isinstance(x, np.generic) else y

    return mapped(one, value, v)


def widened(value: Any) -> Any:
    """The same values in float64."""

    def one(x: Any) -> Any:
        return x.astype(np.float64) if isinstance(x, np.ndarray | np.generic) else x

    return mapped(one, value)


def inner(a: Any, b: Any) -> float:
    """<a, b> over the float leaves of the structure b."""
    parts = [
        np.sum(np.real(np.conj(x) * np.asarray(y, np.result_type(y, float))))
        for x, y in pairs(a, b)
    ]
    return math.fsum(float(p) for p in parts)


def pairs(a: Any, b: Any) -> list[tuple[Any, Any]]:
    """The leaves of b with those of a that stand in the same place."""
    if isinstance(b, list | tuple):
        return [p for x, y in zip(a, b, strict=True) for p in pairs(x, y)]
    if isinstance(b, dict):
        return [p for k in b for p in pairs(a[k], b[k])]
    return [(a, b)] if is_float(b) or np.iscomplexobj(b) else []


def slope(
    fn: Callable[..., Any],
    args: Sequence[Any],
    v: Sequence[Any],
    dy: Any,
    h: float = 1e-3,
) -> float:
    """<dy, J v> by central differences of fourth order."""

    def at(step: float) -> float:
        given = [moved(x, d, step) for x, d in zip(args, v, strict=True)]
        with np.errstate(all="ignore"):
            return inner(dy, fn(*copy.deepcopy(given)))

    near, far = (at(h) - at(-h)) / (2 * h), (at(2 * h) - at(-2 * h)) / (4 * h)
    return (4 * near - far) / 3


def agree(p: float, q: float) -> bool:
    """Whether two estimates of a slope are about the same."""
    return abs(p - q) <= 1e-5 * max(abs(p), abs(q), 1e-3)


def same_bits(a: Any, b: Any) -> bool:
    """Whether two values are of one type and the same bit for bit (nan is nan)."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_bits, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same_bits(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray | np.generic):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and _with_one_nan(a) == _with_one_nan(b)
    return a == b or (a != a and b != b)


def _with_one_nan(a: Any) -> list[bytes]:
    """The bytes of an array, those of every nan the same: of two nan that are added
    the processor takes the sign of the first, and which that is changes in Python."""
    if a.dtype.kind not in "fc":
        return [a.tobytes()]
    return [np.where(np.isnan(x), np.nan, x).tobytes() for x in (a.real, a.imag)]


def arrays(value: Any) -> list[np.ndarray]:
    """The arrays of a structure."""
    if isinstance(value, list | tuple):
        return [a for v in value for a in arrays(v)]
    if isinstance(value, dict):
        return [a for v in value.values() for a in arrays(v)]
    return [value] if isinstance(value, np.ndarray) else []


def of_the_kind(d: Any, x: Any, at: str) -> None:
    """A gradient has the shape, dtype, kind and structure of its argument."""
    if isinstance(x, list | tuple):
        assert type(d) is (tuple if isinstance(x, tuple) else list), (at, type(d))
        assert len(d) == len(x), at
        for k, (p, q) in enumerate(zip(d, x, strict=True)):
            of_the_kind(p, q, f"{at}[{k}]")
    elif isinstance(x, dict):
        assert list(d) == list(x), at
        for k in x:
            of_the_kind(d[k], x[k], f"{at}[{k!r}]")
    elif isinstance(x, np.ndarray):
        dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
        assert isinstance(d, np.ndarray), (at, type(d))
        assert (d.shape, d.dtype) == (x.shape, dtype), (at, d.shape, d.dtype)
        assert d.flags.writeable, at
    elif isinstance(x, np.floating):
        assert type(d) is type(x), (at, type(d))
    elif isinstance(x, float) or (type(x) is int and "[" not in at):
        assert type(d) is float, (at, type(d))
    elif x is None or isinstance(x, str):
        assert d is None


def check(
    fn: Callable[..., Any],
    args: Sequence[Any],
    *,
    wrt: Sequence[int] | None = None,
    general: bool = False,
    tolerance: float | None = None,
    seed: int = 0,
    smooth_only: bool = False,
) -> str:
    """Hold what is promised of the gradient of fn at args; the text is returned.

    general: by the text made without facts. smooth_only: a direction in which
    differences of two steps disagree is passed over.
    """
    __tracebackhide__ = True
    rng = np.random.default_rng(seed)
    args = tuple(args)
    asked = (
        [k for k, x in enumerate(args) if list(leaves(x))] if wrt is None else list(wrt)
    )
    with np.errstate(all="ignore"):
        expected = fn(*copy.deepcopy(args))
    dy = seed_for(expected, rng)
    given = copy.deepcopy(args)
    value, found, text = run(fn, given, asked, dy, general=general)
    try:
        assert same_bits(value, expected), f"the value is {value!r}, not {expected!r}"
        assert same_bits(given, args), "an argument was changed"
        for k, d in found.items():
            of_the_kind(d, args[k], f"the gradient of argument {k}")
        unshared(found, given, value, dy)
        compare(fn, args, found, dy, rng, tolerance, smooth_only=smooth_only)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text}") from error
    return text


def seed_for(value: Any, rng: np.random.Generator) -> Any:
    """A random cotangent of a value, of its shape and dtype."""

    def one(x: Any) -> Any:
        d = rng.normal(size=np.shape(x))
        if isinstance(x, np.ndarray):
            return np.asarray(d, dtype=x.dtype)
        return float(d)

    return mapped(one, value)


def run(
    fn: Callable[..., Any],
    args: Sequence[Any],
    asked: list[int],
    dy: Any,
    *,
    general: bool,
) -> tuple[Any, dict[int, Any], str]:
    """The value, the gradient by position, and the text that gave them."""
    if not general:
        value, g = ya.grad(fn, *args, wrt=asked, seed=dy)
        return value, {k: g[k] for k in asked}, g.source
    gradient = ya.simplegrad(fn, wrt=asked)
    value, *rest = gradient(*args, seed=dy)
    return value, dict(zip(asked, rest, strict=True)), gradient.source


def unshared(
    found: Mapping[int, Any], args: Sequence[Any], value: Any, dy: Any
) -> None:
    """No gradient shares memory with another, an argument, the value or the seed."""
    mine = arrays(list(found.values()))
    others = arrays([list(args), value, dy])
    for k, d in enumerate(mine):
        for other in (*mine[:k], *others):
            assert not np.shares_memory(d, other), "a gradient shares memory"


def compare(
    fn: Callable[..., Any],
    args: Sequence[Any],
    found: Mapping[int, Any],
    dy: Any,
    rng: np.random.Generator,
    tolerance: float | None,
    *,
    smooth_only: bool = False,
) -> None:
    """The gradients agree with finite differences in a random direction."""
    wide = [widened(x) for x in args]
    single = any(getattr(x, "dtype", None) == np.float32 for x in leaves(list(args)))
    if tolerance is None:
        tolerance = 2e-4 if single else 1e-6
    for k, d in found.items():
        if not list(leaves(args[k])):
            continue
        v = [direction(x, rng) if j == k else still(x) for j, x in enumerate(wide)]
        expected = slope(fn, wide, v, dy)
        if smooth_only and not agree(expected, slope(fn, wide, v, dy, 2e-4)):
            continue  # a kink within reach of the differences, or values that explode
        got = inner(d, v[k])
        size = sum(float(np.sum(np.abs(np.multiply(p, q)))) for p, q in pairs(d, v[k]))
        error = abs(got - expected) / max(abs(expected), size, 1e-6)
        assert error <= tolerance, (
            f"the gradient of argument {k} is off by {error:.2g}: {got} for {expected}"
        )


def still(value: Any) -> Any:
    """The direction in which a value does not move."""
    return mapped(lambda x: np.zeros(np.shape(x)) if np.ndim(x) else 0.0, value)
