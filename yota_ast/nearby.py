"""Gradients made with slope 0 in the place of infinite ones -> those that are right.

The chain rule says nan where 0 meets an infinite slope, in `np.sqrt(x * x)` as in
`np.sqrt(x)**2`. A text in which such slopes are 0 says 0 of both; it is right of the
first alone. What is right a theorem says: where a function is continuous, and its
gradients at the points nearby have a limit, its gradient is that limit. So the text is
run at points nearby, where no slope is infinite; a number that is not the limit of what
it says there is not told, and nan stays.

Where two sides have limits of their own, the function has a kink, and a number is told
that is midway between them, as at 0 of `np.abs` and at a tie of `np.maximum`. Slopes
that grow without end have no limit: `(x * x)**(1 / 3)` has a cusp. Out of its domain,
where a function is nan or raises, it tells nothing.

>>> points = {"x": np.zeros(2)}
>>> def root_of_square(moved):  # np.sqrt(x * x)
...     return 0.0, (np.sign(moved["x"]),)
>>> def square_of_root(moved):  # np.sqrt(x)**2
...     return (np.sqrt(moved["x"]), (np.ones(2),))
>>> with np.errstate(invalid="ignore"):
...     print(
...         *(
...             limits((np.array([np.nan, 3.0]),), (np.zeros(2),), points, f)
...             for f in (root_of_square, square_of_root)
...         )
...     )
(array([0., 3.]),) (array([nan,  3.]),)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from .finite import is_finite, nans
from .leaves import is_named_tuple
from .records import dataclass
from .updating import Path, leaf_gradients, walk_path

Run: TypeAlias = Callable[[Mapping[str, object]], tuple[object, Sequence[object]]]
"""The value and the gradients at a point: the arguments that have another value."""
_Array: TypeAlias = Any

_DIRECTIONS: Final = 2
_ROUNDS: Final = 4  # each without those that the last took out; then nothing is told
_RATE: Final = 0.25  # at least like this power of the distance limits are approached
_GROWS: Final = 1.5  # slopes that grow by this, the distance being a small part
_ROUNDED: Final = 64  # roundings that a gradient may hold
_JUMP: Final = 1 / 8  # the most that rounding may do to the slopes of a kink


@dataclass(slots=True)
class _Leaf:
    """An array or a number with a gradient in question.

    place: the argument, by its position among the gradients, and its name; path: to
    the leaf. open_: where the gradient is in question. seen: where a point nearby has
    told that it is right; a point that tells otherwise takes it out of `open_`.
    """

    place: int
    name: str
    path: Path
    x: _Array
    usual: _Array
    still: _Array
    open_: _Array
    seen: _Array


def limits(
    usual: tuple[Any, ...], still: tuple[Any, ...], values: Mapping[str, object],
    run: Run,
) -> tuple[Any, ...]:  # fmt: skip
    """The usual gradients, with those from a text where infinite slopes are 0 in the
    place of nan where they are the limits of what it gives nearby.

    values: the arguments that the gradients are of, in order.
    """
    leaves = _in_question(usual, still, values)
    if not any(_agree(leaves, values, run) for _ in range(_ROUNDS)):
        return usual
    told = {(leaf.place, leaf.path): _told(leaf) for leaf in leaves}
    return tuple(
        _rebuilt(
            gradient,
            iter([told.get((k, p), d) for p, d in leaf_gradients(value, gradient)]),
        )
        for k, (value, gradient) in enumerate(zip(values.values(), usual, strict=True))
    )


def _told(leaf: _Leaf) -> object:
    """The gradient of a leaf."""
    right = leaf.open_ & leaf.seen
    if isinstance(leaf.usual, np.ndarray):
        return np.asarray(np.where(right, leaf.still, leaf.usual), leaf.usual.dtype)
    return leaf.still if right else leaf.usual


def _rebuilt(gradient: Any, leaves: Iterator[object]) -> Any:
    """A gradient of the same structure, of other leaves."""
    if gradient is None:
        return None
    if isinstance(gradient, Mapping):
        return {k: _rebuilt(d, leaves) for k, d in gradient.items()}
    if isinstance(gradient, (tuple, list)):
        items = [_rebuilt(d, leaves) for d in gradient]
        named = is_named_tuple(gradient)
        return type(gradient)(*items) if named else type(gradient)(items)
    return next(leaves)


def _agree(leaves: list[_Leaf], values: Mapping[str, object], run: Run) -> bool:
    """Move all that is in question, and take out of it what no limit is found of.

    Whether nothing was: a gradient is one of all that moves together.
    """
    directions = np.random.default_rng(0)
    left = sum(np.count_nonzero(leaf.open_) for leaf in leaves)
    for k in range(min(_DIRECTIONS, left)):
        ways = [_way(leaf, directions, turned=k > 0) for leaf in leaves]
        _compare(leaves, ways, values, run)
        if sum(np.count_nonzero(leaf.open_) for leaf in leaves) < left:
            return False
    return True


def _in_question(
    usual: Sequence[object], still: Sequence[object], values: Mapping[str, object]
) -> list[_Leaf]:
    leaves = []
    for place, (name, value) in enumerate(values.items()):
        for path, gradient in leaf_gradients(value, usual[place]):
            x = walk_path(value, path)[-1]
            if not nans(gradient) or np.asarray(x).dtype.kind not in "fc":
                continue
            other = dict(leaf_gradients(value, still[place]))[path]
            open_ = np.asarray(np.isnan(gradient) & np.isfinite(other))  # type: ignore[call-overload]
            none = np.zeros(open_.shape, bool)
            leaves.append(_Leaf(place, name, path, x, gradient, other, open_, none))
    return leaves


def _way(leaf: _Leaf, directions: np.random.Generator, *, turned: bool) -> _Array:
    """Where a leaf is moved to, by a distance of 1: numbers of few digits, so that the
    points on both sides are as far off. First to where domains mostly lie, then
    anywhere."""
    shape = np.shape(leaf.x)
    ways = directions.integers(32, 96, shape) / 64
    into = np.where(np.real(leaf.x) > 0, -1, 1)
    signs = directions.choice([-1, 1], shape) if turned else into
    _, exponents = np.frexp(np.abs(leaf.x))
    ways = ways * signs * np.where(leaf.x == 0, 1, np.ldexp(0.5, exponents))
    return ways * leaf.open_ * (1 + 0.5j if np.iscomplexobj(leaf.x) else 1)


def _compare(
    leaves: list[_Leaf], ways: list[_Array], values: Mapping[str, object], run: Run
) -> None:
    """Note which gradients are limits along one line, and which are not."""
    digits = min(_digits(leaf.x) for leaf in leaves)
    coarse = 2.0 ** -(digits // 5)
    distances = [coarse, coarse * coarse]
    at_zero = [(np.asarray(leaf.x) == 0)[leaf.open_] for leaf in leaves]
    if any(np.any(zero) for zero in at_zero):
        distances.append(2.0 ** (-2 * digits))  # beside 0 there is no nearest point
    # What is not 0 does not move so little: the nearest points are on another line.
    lined = 3 if all(np.all(zero) for zero in at_zero) else 2
    sides = [
        [_slopes(leaves, [w * h for w in ways], values, run) for h in distances]
        for ways in (ways, [-w for w in ways])
    ]
    eps = 2.0**-digits
    for k, leaf in enumerate(leaves):
        series = [
            np.array([_wide(None if at is None else at[k], leaf.x) for at in side])
            for side in sides
            if side[0] is not None or side[1] is not None
        ]
        if series:
            right = _is_limit(series, _wide(leaf.still, leaf.x), distances, eps)
            right &= ~_grows([side[:lined] for side in series], leaf.still)
            leaf.open_ &= right
            leaf.seen |= right


def _digits(x: _Array) -> int:
    """The binary digits of a kind of numbers."""
    return int(np.finfo(np.asarray(x).dtype).nmant)


def _wide(gradient: _Array, x: _Array) -> _Array:
    """A gradient in the widest of formats; nan where there is none."""
    if gradient is None:
        return np.full(np.shape(x), np.nan)
    return np.asarray(gradient) * np.float64(1)


def _slopes(
    leaves: list[_Leaf], steps: list[_Array], values: Mapping[str, object], run: Run
) -> list[_Array] | None:
    """The gradients of the leaves at a point; None out of the function's domain."""
    try:
        moved: dict[str, Any] = {}
        for leaf, step in zip(leaves, steps, strict=True):
            there = leaf.x + step
            kept = np.asarray(there, np.asarray(leaf.x).dtype)
            there = kept[()] if hasattr(leaf.x, "dtype") else type(leaf.x)(there)
            there = kept if isinstance(leaf.x, np.ndarray) else there
            value = moved.get(leaf.name, values[leaf.name])
            moved[leaf.name] = replaced(value, leaf.path, there)
        value, gradients = run(moved)
    except Exception:  # noqa: BLE001  whatever the function raises out of its domain
        return None
    if not is_finite(value):
        return None
    return [
        dict(leaf_gradients(values[leaf.name], gradients[leaf.place]))[leaf.path]
        for leaf in leaves
    ]


def _is_limit(
    sides: list[_Array], still: _Array, distances: list[float], eps: float
) -> _Array:
    """Where a gradient is the limit of what is midway between two sides, or one.

    sides: of each, the gradients at the distances; nan out of the domain.
    """
    sizes = np.max(np.abs(sides), axis=0)  # nan where a side has left its domain
    rounded = _ROUNDED * eps * (np.abs(still) + sizes)
    jump = np.abs(sides[0] - sides[-1])
    part = np.minimum(_ROUNDED * eps / np.array(distances), _JUMP)
    rounded = rounded + jump * part.reshape(-1, *(1,) * np.ndim(still))
    midway = (sides[0] + sides[-1]) / 2
    found = _tends(midway, still, rounded, distances)
    return np.all(np.isfinite(sizes), axis=0) & found


def _grows(sides: list[_Array], still: _Array) -> _Array:
    """Where slopes grow, the nearer the more, as those of a cusp do."""
    sizes = np.max(np.abs(sides), axis=0)
    return np.any(sizes[1:] > _GROWS * sizes[:-1] + np.abs(still), axis=0)


def _tends(
    slopes: _Array, still: _Array, rounded: _Array, distances: list[float]
) -> _Array:
    """Where slopes at smaller and smaller distances tend to a number."""
    off = np.abs(slopes - still)
    nearer = (distances[1] / distances[0]) ** _RATE
    return np.all((off[1:] <= rounded[1:]) | (off[1:] <= nearer * off[:-1]), axis=0)


def replaced(value: Any, path: Path, leaf: Any) -> Any:
    """A value like this one, with another leaf at the end of a path.

    >>> replaced({"a": (1.0, 2.0), "b": 3.0}, ("a", 0), 5.0)
    {'a': (5.0, 2.0), 'b': 3.0}
    """
    if not path:
        return leaf
    step: Any = path[0]
    inner = replaced(walk_path(value, path[:1])[-1], path[1:], leaf)
    if is_named_tuple(value):
        name = step if isinstance(step, str) else value._fields[step]
        return value._replace(**{name: inner})
    if type(value) is tuple:
        return (*value[:step], inner, *value[step + 1 :])
    twin = copy.copy(value)
    if isinstance(value, (list, dict)):
        twin[step] = inner
    else:
        object.__setattr__(twin, step, inner)
    return twin
