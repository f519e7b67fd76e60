"""What a store does to the part of an array or a container that it writes.

>>> Update(operator.add) == ADD, ADD.is_sum, Update(operator.mul).is_sum
(True, True, False)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Put:
    """target[index] = value. by_call: the function that makes the value was told to
    write it there, `np.add(x, y, out=target[index])`; it is the same change."""

    by_call: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Update:
    """target[index] += value, or likewise with another operator.

    fn: the function of the operator, `operator.add`. repeats: of an index that repeats,
    each time counts: np.add.at(target, index, value).
    """

    fn: Callable[..., Any]
    repeats: bool = False

    @property
    def is_sum(self) -> bool:
        """Whether the value is added or subtracted."""
        return self.fn in (operator.add, operator.sub)


@dataclass(frozen=True, slots=True)
class AppendItem:
    """target.append(value) of a list, where the index is None; at keys, of the list
    within it to which they lead: target[i].append(value)."""


@dataclass(frozen=True, slots=True)
class RemoveLast:
    """target.pop() of a list, or of a list within it; there is no value, it is None."""


@dataclass(frozen=True, slots=True)
class SharedView:
    """The value is a view of that part of target, and has been written: the memory is
    as it should be, and the generated code shows nothing."""


Change = Put | Update | AppendItem | RemoveLast | SharedView

PUT: Final = Put()
PUT_BY_CALL: Final = Put(by_call=True)
ADD: Final = Update(operator.add)
SUBTRACT: Final = Update(operator.sub)
APPEND: Final = AppendItem()
REMOVE: Final = RemoveLast()
SHARED: Final = SharedView()


def changes_length(change: Change) -> bool:
    """Say whether a list becomes longer or shorter.

    >>> changes_length(APPEND), changes_length(REMOVE), changes_length(PUT)
    (True, True, False)
    """
    return isinstance(change, (AppendItem, RemoveLast))


def is_repeated(change: Change) -> bool:
    """Say whether an index that repeats counts each time."""
    return isinstance(change, Update) and change.repeats


def is_sum(change: Change) -> bool:
    """Say whether the value is added or subtracted, once or each time."""
    return isinstance(change, Update) and change.is_sum


def operator_of(change: Change) -> Callable[..., Any] | None:
    """Return what computes the new contents of the old and the value, but for sums."""
    return change.fn if isinstance(change, Update) and not change.is_sum else None
