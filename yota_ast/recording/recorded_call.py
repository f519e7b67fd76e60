"""A call of a function -> the parameters of its record, and the call with others.

>>> call = call_of(lambda x, *more, scale=2.0: x, (1.0, 5.0), {})
>>> [(p.name, p.value) for p in call.parameters]
[('x', 1.0), ('more_1', 5.0), ('scale', 2.0)]
>>> call.of(lambda *args, **kwargs: (args, kwargs), {"x": 3, "more_1": 4, "scale": 5})
((3, 4), {'scale': 5})
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.recording.expression_trees import Trees
from yota_ast.rules.notation.display_names import is_library
from yota_ast.syntax import Node, nodes
from yota_ast.syntax.names import identifier, is_plain, unused


@dataclass(frozen=True, slots=True)
class Given:
    """An argument. key: how it is given by name; none: by position. omitted: it is the
    default."""

    name: str
    value: Any
    key: str = ""
    omitted: bool = False


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """The arguments of one call."""

    parameters: tuple[Given, ...]

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [p.name for p in self.parameters]

    def of(self, fn: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        """Call a function with other values."""
        args = [values[p.name] for p in self.parameters if not p.key]
        kwargs = {p.key: values[p.name] for p in self.parameters if p.key}
        return fn(*args, **kwargs)

    def head(self, trees: Trees) -> Node:
        """The parameters of a function with this call."""
        positional = [p for p in self.parameters if not p.key]
        keyword = [p for p in self.parameters if p.key]
        defaults = [trees.of(p.value) for p in positional if p.omitted]
        of_keywords = [trees.of(p.value) if p.omitted else None for p in keyword]
        return nodes.arguments(
            [_slot(p) for p in positional], [], None, [_slot(p) for p in keyword],
            of_keywords, None, defaults,
        )  # fmt: skip


def _slot(given: Given) -> Node:
    return nodes.Name(given.name, nodes.Param(), None, None)


def title_of(fn: Any) -> str:
    """What the text calls a function.

    >>> title_of(functools.partial(call_of)), title_of(lambda x: x)
    ('call_of', 'function')
    """
    inner = _inside(fn)
    name = getattr(inner, "__name__", type(inner).__name__)
    return "function" if name == "<lambda>" else identifier(name)


def _inside(fn: Any) -> Any:
    """What a partial calls."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def call_of(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> RecordedCall:
    """The arguments of a call, and the defaults that it leaves as they are.

    Raises TypeError where the call does.
    """
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):  # of what is written in C
        return RecordedCall(tuple(_plain(args, kwargs)))
    if is_library(_inside(fn)):  # whose defaults may be no values at all
        return RecordedCall(tuple(_plain(args, kwargs, [*signature.parameters])))
    return RecordedCall(tuple(_bound(signature, args, kwargs)))


def _plain(
    args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str] = ()
) -> Iterator[Given]:
    """What a call gives, and no defaults."""
    if len(names) < len(args):
        names = ["x"] if len(args) == 1 else [f"x{k + 1}" for k in range(len(args))]
    names = [unused(name, kwargs) for name in names]
    yield from (Given(*pair) for pair in zip(names, args, strict=False))
    yield from (Given(name, value, name) for name, value in kwargs.items())


def _bound(
    signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[Given]:
    bound = signature.bind(*args, **kwargs)
    taken = {*signature.parameters, *kwargs}
    for name, slot in signature.parameters.items():
        own = name if is_plain(name) else "x"
        if slot.kind is slot.VAR_POSITIONAL:
            for k, value in enumerate(bound.arguments.get(name, ())):
                yield Given(unused(f"{own}_{k + 1}", taken), value)
        elif slot.kind is slot.VAR_KEYWORD:
            for key, value in bound.arguments.get(name, {}).items():
                yield Given(key, value, key)
        else:
            key = name if slot.kind is slot.KEYWORD_ONLY else ""
            omitted = name not in bound.arguments
            value = slot.default if omitted else bound.arguments[name]
            yield Given(own, value, key, omitted)
