"""A structure of arrays and numbers -> its floats on one axis, and back.

A list of numbers, and a list of such lists of one length, counts as an array.

>>> params = {"w": np.array([[1.0, 2.0]]), "name": "first", "b": 3.0}
>>> layout = layout_of(params)
>>> layout.size, layout.flat(params)
(3, array([1., 2., 3.]))
>>> layout.filled(np.array([4.0, 5.0, 6.0]))
{'w': array([[4., 5.]]), 'name': None, 'b': 6.0}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.values.leaves import is_leaf, is_object, refuse_other_array
from yota_ast.errors import YotaError
from yota_ast.support.array_classes import is_array
from yota_ast.support.value_classes import has_labels

Array = np.ndarray[Any, Any]
_FLOATS: Final = "fc"


@dataclass(frozen=True, slots=True)
class Leaf:
    """An array or a number, or a list of numbers. type: that of the value."""

    type: type
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    def flat(self, value: Any) -> Array:
        """The numbers of a value; zeros of None."""
        refuse_other_array(value)
        given = np.asarray(0.0 if value is None else value)
        if given.shape != self.shape:
            given = np.broadcast_to(given, self.shape)
        return given.reshape(-1)

    def mapped(self, made: Callable[[Leaf, int], Any], at: int) -> Any:
        """What is made for the leaf, whose numbers begin at a position."""
        return made(self, at)

    def leaves(self) -> Iterator[Leaf]:
        """The leaf itself."""
        yield self


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value without floats."""

    value: object
    size: int = 0

    def flat(self, _: Any) -> Array:
        """No numbers."""
        return np.zeros(0)

    def mapped(self, _made: Callable[[Leaf, int], Any], _at: int) -> None:
        """None, as in a gradient."""

    def leaves(self) -> Iterator[Leaf]:
        """No leaf."""
        yield from ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A tuple, list or dict; keys: those of its items."""

    type: type
    keys: tuple[Any, ...]
    parts: tuple[Layout, ...]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return sum(part.size for part in self.parts)

    def flat(self, value: Any) -> Array:
        """The numbers of a value of this structure; zeros of None."""
        parts = [
            part.flat(None if value is None else value[key])
            for key, part in zip(self.keys, self.parts, strict=True)
        ]
        return np.concatenate([np.zeros(0), *parts])

    def mapped(self, made: Callable[[Leaf, int], Any], at: int) -> Any:
        """The structure of what is made for the leaves."""
        items = []
        for part in self.parts:
            items.append(part.mapped(made, at))
            at += part.size
        if issubclass(self.type, dict):
            return dict(zip(self.keys, items, strict=True))
        if hasattr(self.type, "_make"):
            return self.type._make(items)
        return tuple(items) if issubclass(self.type, tuple) else items

    def leaves(self) -> Iterator[Leaf]:
        """The leaves of the items."""
        for part in self.parts:
            yield from part.leaves()


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the floats of a structure stand on one axis."""

    root: Leaf | Fixed | Branch

    @property
    def size(self) -> int:
        """How many floats there are."""
        return self.root.size

    def flat(self, value: Any) -> Array:
        """The floats of a value of this structure."""
        return self.root.flat(value)

    def mapped(self, made: Callable[[Leaf, int], Any], at: int = 0) -> Any:
        """The structure of what is made for each leaf and the position where its
        numbers begin."""
        return self.root.mapped(made, at)

    def leaves(self) -> Iterator[Leaf]:
        """The arrays and numbers that hold floats."""
        return self.root.leaves()

    def filled(self, flat: Array) -> Any:
        """The structure with the floats of one axis; None where there are none."""

        def part(leaf: Leaf, at: int) -> Any:
            numbers = flat[at : at + leaf.size].reshape(leaf.shape)
            if issubclass(leaf.type, list):
                return numbers.tolist()
            if is_shaped(leaf):
                return numbers
            return numbers[()] if issubclass(leaf.type, np.generic) else numbers.item()

        return self.mapped(part)


def is_shaped(leaf: Leaf) -> bool:
    """Whether a leaf is an array, with axes or without."""
    return not issubclass(leaf.type, (int, float, complex, np.generic, list))


def layout_of(value: Any, *, whole: bool = False, truths: bool = True) -> Layout:
    """The layout of a value. whole: whole numbers count as well as floats; truths: and
    so do truth values.

    Raises YotaError where the value is or holds an object, or an array of another
    library.
    """
    if has_labels(type(value)):  # a table is held fixed
        return Layout(Fixed(value))
    refuse_other_array(value)
    array, kinds = _as_array(value, whole=whole), "iub" if truths else "iu"
    if array is not None:
        if array.dtype.kind in _FLOATS or (whole and array.dtype.kind in kinds):
            return Layout(Leaf(type(value), array.shape, array.dtype))
        return Layout(Fixed(value))
    if isinstance(value, (tuple, list)):
        items = dict(enumerate(value))
    elif isinstance(value, dict):
        items = value
    elif is_object(value):
        raise YotaError(
            f"an object of class {type(value).__name__} cannot become part of a vector",
            remedy="Give arrays, numbers, or tuples, lists and dicts of them.",
        )
    else:
        return Layout(Fixed(value))
    parts = tuple(
        layout_of(item, whole=whole, truths=truths) for item in items.values()
    )
    return Layout(Branch(type(value), tuple(items), parts))


def _as_array(value: Any, *, whole: bool) -> Array | None:
    """An array, a number or a list of numbers as an array; None of another value, and
    of a list with whole numbers, where these do not count."""
    if isinstance(value, list) and _is_regular(value):
        return np.asarray(value) if whole or not holds_whole(value) else None
    return np.asarray(value) if is_leaf(value) else None


def holds_whole(numbers: Any) -> bool:
    """Whether there are whole numbers in a list, or in the lists in it."""
    if isinstance(numbers, list):
        return any(map(holds_whole, numbers))
    return isinstance(numbers, (int, np.integer, np.bool_))


def _is_regular(value: list[Any]) -> bool:
    """Whether a list holds numbers, or such lists of one length."""
    if all(isinstance(v, list) and v and _is_regular(v) for v in value):
        return bool(value) and len({np.shape(v) for v in value}) == 1
    return bool(value) and all(is_leaf(v) and not is_array(v) for v in value)
