"""The arguments of a call -> recorded values, and the tests of what they have to be.

Numbers and arrays are recorded, in lists, tuples and dicts, too. A string, a truth
value or a function is taken as it is, and has to be the same in every call.
"""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

import numpy as np

from yota_ast.recording.expression_trees import attribute
from yota_ast.recording.recorded_steps import Require, named
from yota_ast.recording.recorder import Recorder
from yota_ast.syntax import Node, nodes
from yota_ast.syntax.names import shown_name

_NUMBERS: Final = (int, float, complex)
_SAME: Final = (bool, str, bytes, type(None))
_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, type, np.ufunc, type(np.sum))


def recorded(recorder: Recorder, name: str, value: Any) -> Any:
    """A parameter of the record."""
    return _Arguments(recorder).taken(value, named(name), name)


class _Arguments:
    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.trees = recorder.trees

    def taken(self, value: Any, tree: Node, name: str = "") -> Any:
        """A part of an argument, which a tree reads; name: of a whole one."""
        if type(value) is np.ndarray and value.dtype.kind in "biufc":
            self._array(value, tree)
        elif type(value) in _NUMBERS or isinstance(value, np.number | np.bool):
            self._class(value, tree)
        elif type(value) is dict:
            listed = nodes.Call(named("list"), [tree], [])
            self._same(list(value), listed, tree)
            return {k: self.taken(v, self._item(tree, k)) for k, v in value.items()}
        elif isinstance(value, (list, tuple)) and type(value).__module__ != "numpy":
            length = nodes.Call(named("len"), [tree], [])
            self._same(len(value), length, length)
            items = [self.taken(v, self._item(tree, k)) for k, v in enumerate(value)]
            return getattr(type(value), "_make", type(value))(items)
        elif type(value) in _SAME or isinstance(value, _FUNCTIONS):
            return self._kept(value, tree)
        else:
            kind = shown_name(type(value).__name__)
            raise self.recorder.refuse(
                f"an argument is an object of class `{kind}`",
                "Give the function its arrays: as arguments, in a list or in a dict.",
            )
        if name:
            return self.recorder.parameter(name, value)
        return self.recorder.bound(value, tree, None)

    def _item(self, tree: Node, key: Any) -> Node:
        return nodes.Subscript(tree, self.trees.of(key), nodes.Load())

    def _array(self, value: Any, tree: Node) -> None:
        """That shape and dtype are the same."""
        tests = [
            _differs(attribute(tree, "shape"), self.trees.of(value.shape)),
            _differs(attribute(tree, "dtype"), self.trees.of(value.dtype)),
        ]
        told = f"has shape {value.shape} and dtype {value.dtype}"
        self._require(nodes.BoolOp(nodes.Or(), tests), tree, told)

    def _class(self, value: Any, tree: Node) -> None:
        """That a number is of the same class."""
        cls = type(value)
        given = [tree, self.trees.function(cls)]
        test = nodes.Call(named("isinstance"), given, [])
        told = f"is of class {shown_name(cls.__name__)}"
        self._require(nodes.UnaryOp(nodes.Not(), test), tree, told)

    def _same(self, value: Any, asked: Node, subject: Node) -> None:
        self._require(_differs(asked, self.trees.of(value)), asked, f"is {value}")

    def _kept(self, value: Any, tree: Node) -> Any:
        """That something is the same thing, or an equal string."""
        equal = type(value) in (str, bytes)
        sign = nodes.NotEq() if equal else nodes.IsNot()
        test = nodes.Compare(tree, [sign], [self.trees.of(value)])
        self._require(test, tree, "is the same")
        return value

    def _require(self, test: Node, subject: Node, told: str) -> None:
        self.recorder.steps.append(Require(test, subject, told))


def _differs(one: Node, other: Node) -> Node:
    return nodes.Compare(one, [nodes.NotEq()], [other])
