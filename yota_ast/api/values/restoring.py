"""A structured value -> a function that gives it back what it holds now.

>>> import numpy as np
>>> x, names = np.ones(2), ["a"]
>>> restore = restorer((x, names))
>>> x += 1.0
>>> names.append("b")
>>> restore()
>>> x, names
(array([1., 1.]), ['a'])
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from yota_ast.ir.nodes import Store, walk
from yota_ast.ir.tape import Tape


def writes(tape: Tape) -> bool:
    """Whether a function may write into its arguments, or into what it has made."""
    blocks = (tape.block, *(f.block for f in tape.functions))
    return any(isinstance(op, Store) for block in blocks for op in walk(block))


def restorer(value: object) -> Callable[[], None] | None:
    """A function that puts back what a value and all that it holds hold now; None where
    something in it has no copy, as a generator has none."""
    copies: dict[int, Any] = {}
    try:
        copy.deepcopy(value, copies)
    except Exception:  # noqa: BLE001  a class of the user's may raise anything
        return None
    held: list[Any] = copies.pop(id(copies), [])  # deepcopy keeps what it has copied
    before = [(one, _content(one, copies[id(one)])) for one in held]

    def restore() -> None:
        for one, content in before:
            _put_back(one, content)

    return restore


def _content(one: Any, copied: Any) -> Any:
    """What a container holds, item by item; of an array the copy."""
    if isinstance(one, np.ndarray):
        return copied
    if isinstance(one, (list, dict, set, deque)):
        return one.copy()
    return [(name, getattr(one, name)) for name in _fields(one)]


def _put_back(one: Any, content: Any) -> None:
    if isinstance(one, np.ndarray):
        if one.flags.writeable:
            np.copyto(one, content)
    elif isinstance(one, list):
        one[:] = content
    elif isinstance(one, deque):
        one.clear()
        one.extend(content)
    elif isinstance(one, (dict, set)):
        one.clear()
        one.update(content)
    else:
        for name in _fields(one) - {name for name, _ in content}:
            object.__delattr__(one, name)
        for name, field in content:
            object.__setattr__(one, name, field)


def _fields(one: object) -> set[str]:
    """The names of the fields of an object, in its dict and its slots."""
    slots = {
        name
        for cls in type(one).__mro__
        for name in _names(vars(cls).get("__slots__", ()))
        if hasattr(one, name)
    }
    return slots | set(getattr(one, "__dict__", ()))


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
