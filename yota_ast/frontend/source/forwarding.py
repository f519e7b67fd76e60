"""A wrapper -> whether what it does depends on how its arguments are given.

A wrapper that only hands `*args` and `**kwargs` on does the same with an argument by
position, by name, or left out for its default. One that looks into them does not.

>>> import functools
>>> def traced(fn):
...     @functools.wraps(fn)
...     def wrapper(*args, **kwargs):
...         return fn(*args, **kwargs)
...
...     return wrapper
>>> def doubled(fn):
...     @functools.wraps(fn)
...     def wrapper(*args, **kwargs):
...         return fn(*[2 * a for a in args], **kwargs)
...
...     return wrapper
>>> def line(x, slope=2.0):
...     return slope * x
>>> told = inspect.signature(line)
>>> depends_on_form(traced(line), told), depends_on_form(doubled(line), told)
(False, True)
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterator, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import YotaError
from yota_ast.frontend.source.context_decorators import own_signature
from yota_ast.frontend.source.definitions import locate
from yota_ast.frontend.source.wrappers import told_signature
from yota_ast.syntax import nodes

Node = Any
_AHEAD: Final = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
)  # fmt: skip
_NOTHING: Final = object()


def depends_on_form(
    fn: types.FunctionType, told: inspect.Signature, first: object = None
) -> bool:
    """Whether a wrapper may do something else where an argument is given by name or is
    left out; first: its first argument, where that is known."""
    try:
        return not _Wrapper(fn, told, first).hands_on()
    except YotaError:  # it has no text, and is refused by what reads that
        return True


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """A wrapper, the signature that it tells, and its first argument."""

    fn: types.FunctionType
    told: inspect.Signature
    first: object

    def hands_on(self) -> bool:
        """Whether all uses of `*args` and `**kwargs` hand them on as they are."""
        if not self._has_its_defaults():
            return False
        tree = locate(self.fn).tree
        body = tree.body if isinstance(tree.body, list) else [tree.body]
        within = [n for part in body for n in nodes.walk(part)]
        fine = [n for node in within for n in self._handed_on(node)]
        taken = (tree.args.vararg, tree.args.kwarg)
        names = {p.id for p in taken if p is not None}
        used = [n for n in within if isinstance(n, nodes.Name) and n.id in names]
        return all(any(n is one for one in fine) for n in used)

    def _has_its_defaults(self) -> bool:
        """Whether no parameter of the wrapper has a default but the one told."""
        slots = [p for p in self.own if p.default is not p.empty]
        return all(
            p.name in self.told.parameters
            and self.told.parameters[p.name].default is p.default
            for p in slots
        )

    @property
    def own(self) -> Sequence[inspect.Parameter]:
        """The parameters that the wrapper has."""
        return [*own_signature(self.fn).parameters.values()]

    @property
    def ahead(self) -> int:
        """How many arguments the wrapper takes by names of its own."""
        return sum(p.kind in _AHEAD for p in self.own)

    def _handed_on(self, node: Node) -> Iterator[Node]:
        """The names of `*args` and `**kwargs` in a node that hands them on, or takes
        one of `args` that is given always."""
        if isinstance(node, nodes.Call):
            yield from self._in_call(node)
        elif isinstance(node, nodes.Subscript) and isinstance(node.value, nodes.Name):
            place = _number(node.slice)
            if place is not None and place >= 0 and self._is_needed(place):
                yield node.value

    def _is_needed(self, place: int) -> bool:
        """Whether `args[place]` is there in every call."""
        slots = [p for p in self.told.parameters.values() if p.kind in _AHEAD]
        at = self.ahead + place
        return at < len(slots) and slots[at].default is inspect.Parameter.empty

    def _in_call(self, call: Node) -> Iterator[Node]:
        rest = [a.value for a in call.args if isinstance(a, nodes.Starred)]
        before = [a for a in call.args if not isinstance(a, nodes.Starred)]
        spread = [k.value for k in call.keywords if k.arg is None]
        kinds = {p.kind for p in self.own}
        if len(rest) != (inspect.Parameter.VAR_POSITIONAL in kinds) or (
            len(spread) != (inspect.Parameter.VAR_KEYWORD in kinds)
        ):
            return
        start = _start(rest[0]) if rest else 0
        if start is None or (start and not self._is_needed(start - 1)):
            return
        if any(k.arg is not None and not self._keeps(k.arg) for k in call.keywords):
            return
        if rest and not isinstance(call.args[-1], nodes.Starred):
            return
        if not self._takes_the_same(call.func, self.ahead + start - len(before)):
            return
        for value in (*rest, *spread):
            yield value.value if isinstance(value, nodes.Subscript) else value

    def _keeps(self, name: str) -> bool:
        """Whether a keyword is a parameter by name alone, which is handed on."""
        slots = {p.name: p for p in self.own}
        return name in slots and slots[name].kind is slots[name].KEYWORD_ONLY

    def _takes_the_same(self, node: Node, without: int) -> bool:
        """Whether a function takes what is told, but for some arguments ahead."""
        found: Any = self._value(node)
        if found is _NOTHING or not callable(found) or without < 0:
            return False
        try:
            inner = inspect.signature(found)
        except (TypeError, ValueError):
            return False
        slots = [*self.told.parameters.values()][without:]
        if not _are_alike(slots, [*inner.parameters.values()]):
            return False
        return _is_one_in_all_forms(found)

    def _value(self, node: Node) -> object:
        """What a name or `self.name` stands for, where that is known."""
        if isinstance(node, nodes.Attribute):
            own = self.own
            is_first = isinstance(node.value, nodes.Name) and bool(own) and (
                node.value.id == own[0].name
            )  # fmt: skip
            owner = self.first if is_first else self._value(node.value)
            return inspect.getattr_static(owner, node.attr, _NOTHING)
        if not isinstance(node, nodes.Name):
            return _NOTHING
        code = self.fn.__code__
        if node.id in code.co_freevars:
            cell = (self.fn.__closure__ or ())[code.co_freevars.index(node.id)]
            return _content(cell)
        if node.id in (*code.co_varnames, *code.co_cellvars):
            return _NOTHING
        return self.fn.__globals__.get(node.id, _NOTHING)


def _is_one_in_all_forms(fn: Any) -> bool:
    """Whether a function does the same however its arguments are given."""
    if isinstance(fn, functools._lru_cache_wrapper):
        return _is_one_in_all_forms(fn.__wrapped__)
    first = None
    if isinstance(fn, types.MethodType):
        fn, first = fn.__func__, fn.__self__
    if not isinstance(fn, types.FunctionType):
        return False
    told = told_signature(fn)
    return told is None or not depends_on_form(fn, told, first)


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


def _number(node: Node) -> int | None:
    value = getattr(node, "value", None)
    return value if isinstance(node, nodes.Constant) and type(value) is int else None


def _start(node: Node) -> int | None:
    """Where `args` and `args[2:]` begin; None of another expression."""
    if isinstance(node, nodes.Name):
        return 0
    if not isinstance(node, nodes.Subscript) or not isinstance(node.value, nodes.Name):
        return None
    part = node.slice
    if not isinstance(part, nodes.Slice) or part.upper or part.step:
        return None
    return 0 if part.lower is None else _number(part.lower)


def _are_alike(
    some: Sequence[inspect.Parameter], others: Sequence[inspect.Parameter]
) -> bool:
    """Whether parameters have the same names, kinds and defaults."""
    return len(some) == len(others) and all(
        (a.name, a.kind) == (b.name, b.kind) and a.default is b.default
        for a, b in zip(some, others, strict=True)
    )
