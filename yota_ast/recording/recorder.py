"""What is done with recorded values -> the steps of a function, and what they rest on.

What would be no step, or another one for other arguments, is refused: it is noted too,
for a program may catch the error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ops import info
from yota_ast.ops import spellings as ways
from yota_ast.recording.expression_trees import Trees, attribute
from yota_ast.recording.recorded_steps import Bind, Change, Require, Step, named
from yota_ast.recording.recorded_values import (
    Recorded,
    RecordedArray,
    RecordedNumber,
    is_recorded,
)
from yota_ast.recording.settled_values import Call, Item, Operand
from yota_ast.rules.notation.display_names import display_name, is_library
from yota_ast.syntax import Node, nodes
from yota_ast.syntax.names import shown_name

_NODES: Final = {op.fn: op.node for op in ways.OPERATORS}
_ALIKE: Final = {
    op.ufunc: op.fn
    for op in (*ways.BINARY, *ways.COMPARING)
    if op.node in ("Add", "Sub", "Mult", "Div", "MatMult") or op in ways.COMPARING
}
"""The operators that are ufuncs of arrays, to the last bit."""
_NUMBERS: Final = (bool, int, float, complex, np.generic)


class Recorder:
    """The steps that have been done with the arguments of one function."""

    def __init__(self, title: str, parameters: Sequence[str]) -> None:
        self.title = title
        self.trees = Trees(parameters)
        self.steps: list[Step] = []
        self.refusal: UnsupportedCall | None = None
        self.failed: tuple[str, Exception] | None = None
        """What raised an error, which the function has to let pass."""
        self.is_whole: Callable[[Any, Any, Any], bool] = lambda *_: True
        """Whether a call of a function stays one operation."""
        self.made: dict[str, Call | Item] = {}
        self.ended = False
        self._settled: set[str] = set()
        self._count = 0

    # ------------------------------------------------------------ values

    def parameter(self, name: str, value: Any) -> Recorded:
        """A value that has a name of its own."""
        return self._recorded(value, name)

    def bound(self, value: Any, tree: Node, made: Call | Item | None) -> Any:
        """What an expression gives: numbers and arrays as values that record. made: by
        what; None: it is a part of an argument, which is tested."""
        self._count += 1
        name = f"%{self._count}"
        self.steps.append(Bind(name, tree, droppable=not isinstance(made, Call)))
        if made is not None:
            self.made[name] = made
        return self._held(value, name)

    def _held(self, value: Any, name: str) -> Any:
        if isinstance(value, (tuple, list)):
            places = [
                nodes.Subscript(named(name), self.trees.of(k), nodes.Load())
                for k in range(len(value))
            ]
            items = [
                self.bound(item, place, Item(name, k))
                for k, (item, place) in enumerate(zip(value, places, strict=True))
            ]
            whole = getattr(type(value), "_make", type(value))(items)
            if isinstance(whole, tuple):
                self.trees.note(whole, name)
            return whole
        if not _is_leaf(value):
            raise self.refuse(
                f"an object of class `{shown_name(type(value).__name__)}` is made of"
                " recorded values",
                "Use what gives numbers and arrays.",
            )
        return self._recorded(value, name)

    def _recorded(self, value: Any, name: str) -> Recorded:
        of_numpy = isinstance(value, (np.ndarray, np.generic))
        cls = RecordedArray if of_numpy else RecordedNumber
        return cls(self, value, name)

    # ------------------------------------------------------------ what is done

    def apply(
        self, fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], how: str = ""
    ) -> Any:
        """Do `fn(*args, **kwargs)` and record it: see `Recording`."""
        raw, named_raw = self.raw(args), self.raw(kwargs)
        if self._tells(fn, args, kwargs):
            for value in _within((args, kwargs)):
                self.settle(value)
            return fn(*raw, **named_raw)
        with _Unchanged(self, fn, args, kwargs):
            result = self._done(fn, raw, named_raw)
        tree = self._tree(fn, args, kwargs, how)
        out = kwargs.get("out")
        if out is not None:
            self._changes(tree, fn, out)
            return out
        if result is None:
            self._changes(tree, fn, args[0])
            return None
        return self.bound(result, tree, self._call(fn, args, kwargs, how, result))

    def called(
        self, fn: Any, original: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Record a call of a function with a rule; of one without a rule for such
        arguments, what it does. original: does the same, and is not caught."""
        if self.is_whole(fn, self.raw(args), self.raw(kwargs)):
            return self.apply(fn, args, kwargs)
        return original(*args, **kwargs)

    def _done(self, fn: Any, args: Any, kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            self.failed = (shown_name(display_name(fn)), error)
            raise

    def _changes(self, tree: Node, fn: Any, target: Any) -> None:
        """Record a statement that writes into the memory of a value."""
        if not is_recorded(target):
            raise self.refuse(
                f"`{shown_name(display_name(fn))}` writes a recorded value into memory"
                " that is not recorded",
                "Start from `np.zeros_like(x)` of a recorded x.",
            )
        self.steps.append(Change(nodes.Expr(tree), (target.yota_name,)))

    def update(self, owner: Any, sign: ways.Operator, value: Any) -> None:
        """Do and record `owner += value`."""
        raw = self.raw([owner, value])
        assert sign.in_place is not None
        self._done(sign.in_place, raw, {})
        target = self.trees.of(owner)
        target.ctx = nodes.Store()
        tree = nodes.AugAssign(target, _node(sign.fn), self.trees.of(value))
        self.steps.append(Change(tree, (owner.yota_name,)))

    def put(self, owner: Any, index: Any, value: Any) -> None:
        """Do and record `owner[index] = value`."""
        self._done(operator.setitem, self.raw([owner, index, value]), {})
        place = self.trees.index(index)
        target = nodes.Subscript(self.trees.of(owner), place, nodes.Store())
        tree = nodes.Assign([target], self.trees.of(value), None)
        self.steps.append(Change(tree, (owner.yota_name,)))

    def raw(self, value: Any) -> Any:
        """The values that are computed with, in containers, too."""
        if is_recorded(value):
            self._refuse_foreign(value)
            return value.yota_value
        if isinstance(value, slice):
            return slice(*self.raw((value.start, value.stop, value.step)))
        if type(value) is dict:
            return {key: self.raw(item) for key, item in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self.raw(item) for item in value)
        if isinstance(value, tuple) and holds_recorded(value):
            return type(value)._make(map(self.raw, value))  # type: ignore[attr-defined]
        return value

    def _refuse_foreign(self, value: Recorded) -> None:
        if value.yota_recorder is not self or self.ended:
            raise self.refuse(
                "a value is used that belongs to another record, which has ended",
                "Keep no recorded value in a global, an object or a cache.",
            )

    # ------------------------------------------------------------ what it rests on

    def settle(self, value: Any) -> None:
        """Let shape and dtype of a value be those of the record in every call."""
        self._refuse_foreign(value)
        name = value.yota_name
        if name not in self.made or name in self._settled:
            return
        self._settled.add(name)
        tree, raw = self.trees.of(value), value.yota_value
        if not _of_numpy([value]):
            refusal = UnsupportedCall(_OF_CLASS, remedy=_NO_CLASS)
            step = Require(tree, tree, "", of_type=name, refusal=refusal)
            self.steps.append(step)
            return
        tests = [
            _differs(attribute(tree, "shape"), self.trees.of(raw.shape)),
            _differs(attribute(tree, "dtype"), self.trees.of(raw.dtype)),
        ]
        told = f"has shape {raw.shape} and dtype {raw.dtype}"
        test = nodes.BoolOp(nodes.Or(), tests)
        self.steps.append(Require(test, tree, told, of_type=name))

    def decide(self, value: Any, fn: Callable[[Any], Any]) -> Any:
        """Let `fn(value)` be what it is in the record in every call; return it."""
        found = self._done(fn, self.raw([value]), {})
        tree = self.trees.of(value)
        if fn is bool:
            test = nodes.UnaryOp(nodes.Not(), tree) if found else tree
            told = "is true" if found else "is false"
            self.steps.append(Require(test, tree, told, branch=True))
            return found
        asked = tree if fn is operator.index else self.trees.call(int, [value], {})
        test = _differs(asked, self.trees.of(found))
        self.steps.append(Require(test, asked, f"is {found}", branch=True))
        return found

    def refuse(self, reason: str, remedy: str) -> UnsupportedCall:
        """The error of what cannot be recorded, which is noted."""
        error = UnsupportedCall(reason, remedy=remedy or _REMEDY)
        self.refusal = self.refusal or error
        return error

    # ------------------------------------------------------------ trees and facts

    def _tree(
        self, fn: Any, args: Sequence[Any], kwargs: Mapping[str, Any], how: str
    ) -> Node:
        if how == "operator":
            return _operation(fn, [self.trees.of(a) for a in args])
        if how == "subscript":
            owner, index = args
            place = self.trees.index(index)
            return nodes.Subscript(self.trees.of(owner), place, nodes.Load())
        if how == "attribute":
            return attribute(self.trees.of(args[0]), args[1])
        if fn in _ALIKE and not kwargs and _of_numpy(args):
            return _operation(_ALIKE[fn], [self.trees.of(a) for a in args])
        return self.trees.call(fn, args, kwargs, how)

    def _tells(self, fn: Any, args: Any, kwargs: Any) -> bool:
        """Whether a function says of which type or shape its arguments are."""
        kinds = type(np.sum), type(np.isscalar), type(len)
        if fn in (np.result_type, np.common_type):
            return True
        return isinstance(fn, kinds) and info(fn).tells

    def _call(
        self,
        fn: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        how: str,
        found: Any,
    ) -> Call:
        operands = tuple(map(self._operand, args))
        named_ones = tuple((name, self._operand(a)) for name, a in kwargs.items())
        return Call(fn, operands, named_ones, how, fact_of(found))

    def _operand(self, value: Any) -> Operand:
        inside = list(_within(value))
        if not inside:
            return Operand(value)
        names = tuple(v.yota_name for v in inside)
        # The fact of a container says what its whole numbers are.
        exact = not is_recorded(value) and any(map(_is_whole, inside))
        return Operand(None, names, fact_of(self.raw(value)), exact)


_OF_CLASS: Final = (
    "of a number of Python the class is asked, which other arguments may change: a"
    " power of a negative number is complex"
)
_NO_CLASS: Final = "Use `np.power`, or leave `isinstance` out."
_REMEDY: Final = "Use what NumPy computes with arrays, or give the function a source."


def _of_numpy(values: Sequence[Any]) -> bool:
    """Whether any of some values is an array or a number of NumPy."""
    plain = [v.yota_value if is_recorded(v) else v for v in values]
    return any(isinstance(v, (np.ndarray, np.generic)) for v in plain)


class _Unchanged:
    """While a call is done: refuse one that writes what it is not known to write.

    Arrays of the program are no values of the record. Of those, functions of NumPy
    write what they are known to.
    """

    def __init__(self, recorder: Recorder, fn: Any, args: Any, kwargs: Any) -> None:
        self.yota_recorder, self._fn = recorder, fn
        given = (args, kwargs)
        arrays = [a for a in _leaves(given) if type(a) is np.ndarray]
        if not is_library(fn):
            arrays += [v.yota_value for v in _within(given) if type(v) is RecordedArray]
        self._before = [(a, a.tobytes()) for a in arrays if type(a) is np.ndarray]

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        if any(a.tobytes() != before for a, before in self._before):
            raise self.yota_recorder.refuse(
                f"`{shown_name(display_name(self._fn))}` writes into an argument",
                "Start from `np.zeros_like(x)` of a recorded x, and write `y[i] = v`.",
            )


def _leaves(value: Any) -> Iterator[Any]:
    """What containers hold, recorded values among it."""
    if is_recorded(value):
        yield value
    elif isinstance(value, slice):
        yield from _leaves((value.start, value.stop, value.step))
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _within(value: Any) -> Iterator[Recorded]:
    return (v for v in _leaves(value) if is_recorded(v))


def holds_recorded(value: object) -> bool:
    """Whether a value is a recorded one, or a container that holds one."""
    return any(True for _ in _within(value))


def _is_whole(value: Recorded) -> bool:
    return type(value.yota_value) is int


def _is_leaf(value: object) -> bool:
    if type(value) is np.ndarray:
        return value.dtype.kind in "biufc"
    return isinstance(value, _NUMBERS) and not isinstance(value, np.void)


def _node(fn: Any) -> Node:
    return getattr(nodes, _NODES[fn])()


def _operation(fn: Any, operands: Sequence[Node]) -> Node:
    """The expression of an operator."""
    sign = _node(fn)
    if len(operands) == 1:
        return nodes.UnaryOp(sign, operands[0])
    first, second = operands
    if isinstance(sign, nodes.cmpop):
        return nodes.Compare(first, [sign], [second])
    return nodes.BinOp(first, sign, second)


def _differs(one: Node, other: Node) -> Node:
    return nodes.Compare(one, [nodes.NotEq()], [other])
