"""Values and functions that a record meets -> the expressions that stand for them.

A literal stands for itself, a function of NumPy or SciPy for its path. Of an array the
text reads a name, under which a copy is kept.

>>> trees = Trees(["x"])
>>> [print_expr(trees.of(v)) for v in (2.5, (1, None), np.float32(0.5), np.sum)]
['2.5', '(1, None)', 'np.float32(0.5)', 'np.sum']
>>> print_expr(trees.of(np.arange(3))), trees.constants
('c1', {'c1': 'int64, shape (3,)'})
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MethodType
from typing import Any, Final

import numpy as np

from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.recording.caught_functions import CAUGHT
from yota_ast.recording.recorded_steps import named
from yota_ast.recording.recorded_values import is_recorded
from yota_ast.rules.notation.display_names import display_name
from yota_ast.support.public_names import SHORT
from yota_ast.syntax import (
    Node,
    literal,
    nodes,
    print_expr,  # noqa: F401  in the example
)
from yota_ast.syntax.names import NamePool, identifier, is_plain, shown_name
from yota_ast.syntax.value_literals import literal_text

_ROOTS: Final[Mapping[str, Any]] = {"np": np, "math": math}


class Trees:
    """The names of one text: what each stands for."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.pool = NamePool([*taken, *_ROOTS, *SHORT])
        self.names: dict[str, object] = {"np": np}
        self.constants: dict[str, str] = {}
        """What is told of the arrays that are kept, by their names."""
        self._kept: list[tuple[object, Any, str]] = []
        self._tuples: dict[int, tuple[object, str]] = {}

    def note(self, value: object, name: str) -> None:
        """Call a tuple by a name."""
        self._tuples[id(value)] = value, name

    def of(self, value: Any) -> Node:
        """The expression that gives a value."""
        if is_recorded(value):
            return named(value.yota_name)
        if type(value) in (float, complex) or literal_text(value) is not None:
            return literal(value)
        if isinstance(value, slice):
            parts = [self.of(p) for p in (value.start, value.stop, value.step)]
            return nodes.Call(named("slice"), parts, [])
        if id(value) in self._tuples:
            return named(self._tuples[id(value)][1])
        if type(value) in (list, tuple):
            kind = nodes.List if type(value) is list else nodes.Tuple
            return kind([self.of(item) for item in value], nodes.Load())
        if type(value) is dict:
            keys = [self.of(key) for key in value]
            return nodes.Dict(keys, [self.of(item) for item in value.values()])
        if isinstance(value, (np.dtype, np.generic)):
            return self._of_numpy(value)
        if type(value) is np.ndarray and not value.dtype.hasobject:
            return named(self._kept_as(value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            items = [self.of(item) for item in value]
            return nodes.Call(self.function(type(value)), items, [])
        if callable(value):
            return self.function(value)
        raise UnsupportedCall(
            f"a recorded value meets an object of class "
            f"`{shown_name(type(value).__name__)}`",
            remedy="Give numbers and arrays alone to what is recorded.",
        )

    def index(self, index: Any) -> Node:
        """The expression of an index: within brackets, slices have colons."""
        if type(index) is slice:
            parts = (index.start, index.stop, index.step)
            bounds = [None if p is None else self.of(p) for p in parts]
            return nodes.Slice(*bounds)
        if type(index) is tuple and index:
            return nodes.Tuple([self.index(part) for part in index], nodes.Load())
        return self.of(index)

    def call(
        self, fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], owner: str = ""
    ) -> Node:
        """`fn(*args, **kwargs)`; of an owner, its method of that name."""
        called = self.function(fn) if not owner else attribute(self.of(args[0]), owner)
        given = [self.of(a) for a in (args[1:] if owner else args)]
        keywords = [nodes.keyword(key, self.of(v)) for key, v in kwargs.items()]
        return nodes.Call(called, given, keywords)

    def function(self, fn: Any) -> Node:
        """The path of a function of a library, else a name of its own."""
        if not isinstance(getattr(fn, "__name__", None), str):
            return named(self._bound(identifier(type(fn).__name__.lower()), fn))
        first, *steps = display_name(fn).split(".")
        if not steps and getattr(builtins, first, None) is fn:
            return named(first)
        root = _ROOTS.get(first) or sys.modules.get(SHORT.get(first, ""))
        if root is not None and steps and _is_at(root, steps, fn):
            self.names[first] = root
            tree = named(first)
            for step in steps:
                tree = attribute(tree, step)
            return tree
        return named(self._bound(identifier(fn.__name__), fn))

    def _bound(self, hint: str, fn: Callable[..., Any]) -> str:
        for name, value in self.names.items():
            if value is fn:
                return name
        name = self.pool.fresh(hint)
        self.names[name] = fn
        return name

    def _of_numpy(self, value: Any) -> Node:
        """A dtype by its class, a number of NumPy by a call of its class."""
        kind = value.type if isinstance(value, np.dtype) else type(value)
        usual = getattr(np, kind.__name__, None) is kind
        if isinstance(value, np.dtype):
            if usual and np.dtype(kind) == value:
                return self.function(kind)
            return nodes.Call(self.function(np.dtype), [literal(value.str)], [])
        if usual and type(value.item()) in (bool, int, float, complex):
            return nodes.Call(self.function(kind), [self.of(value.item())], [])
        return named(self._kept_as(value))

    def _kept_as(self, value: Any) -> str:
        """The name of a copy of an array, one for what has not changed since."""
        for original, copy, name in self._kept:
            if original is value and _same(copy, value):
                return name
        name = self.pool.numbered("c")
        self.names[name] = copy = value.copy()
        self._kept.append((value, copy, name))
        self.constants[name] = f"{value.dtype}, shape {value.shape}"
        return name


def attribute(owner: Node, name: str) -> Node:
    """`owner.name`."""
    if not is_plain(name):
        raise UnsupportedCall("a recorded value has no attribute of such a name")
    return nodes.Attribute(owner, name, nodes.Load())


def _is_at(root: Any, steps: Sequence[str], fn: object) -> bool:
    """Whether a path leads to a function; a method is made anew each time."""
    for step in steps:
        root = getattr(root, step, None)
    root = getattr(root, CAUGHT, root)
    return bool(root is fn or (type(fn) is MethodType and root == fn))


def _same(one: Any, other: Any) -> bool:
    return same_dtype(one.dtype, other.dtype) and one.tobytes() == other.tobytes()
