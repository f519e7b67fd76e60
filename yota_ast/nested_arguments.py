"""The arguments of a nested call, and what `wrt` says of them.

>>> from .tape import Const
>>> given = Arguments({"x": Const(1.0), "k": Const(2)}, 2, ())
>>> given.named(-1), given.named(["x", 1])
(('k',), ('x', 'k'))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .frontend.values import Bound, Closure, Partial, TupleValue, Value
from .nested_functions import second, transformed
from .records import dataclass
from .tape import Const


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call: by name, the first `count` of them by position, and
    those that no parameter names."""

    values: Mapping[str, Value]
    count: int
    rest: tuple[Value, ...]

    def named(self, wrt: object) -> tuple[str, ...] | None:
        """The arguments that `wrt` names, by position or name; None where one is not
        given."""
        given, found = tuple(self.values), list[str]()
        for item in wrt if isinstance(wrt, (list, tuple)) else [wrt]:
            name = item
            if isinstance(item, int) and -len(given) <= item < len(given):
                name = given[item]
            if not isinstance(name, str) or name not in given:
                return None
            found.append(name)
        return tuple(found)

    def call(self, lowering: Any, f: Value, values: Mapping[str, Value]) -> Value:
        """The call with other values."""
        ahead = list(values.values())[: self.count]
        named = list(values.items())[self.count :]
        result: Value = lowering.call(f, (*ahead, *self.rest), named)
        return result


def parameters_of(
    f: Value, of_function: Callable[[Any], tuple[str, ...]]
) -> tuple[str, ...]:
    """The names of the parameters that a function takes by position; of_function: those
    of one that is no value of the lowering alone."""
    if isinstance(f, Closure):
        arguments = f.node.args
        return tuple(a.id for a in (*arguments.posonlyargs, *arguments.args))
    if isinstance(f, Bound):
        return parameters_of(f.function, of_function)[1:]
    if isinstance(f, Partial):
        if f.function in (Const(transformed), Const(second)):
            own = parameters_of(of_transform(f), of_function)
            return with_directions(own, f.args[0])
        inner = parameters_of(f.function, of_function)[len(f.args) :]
        return tuple(n for n in inner if n not in dict(f.kwargs))
    if isinstance(f, Const) and callable(f.value):
        return of_function(f.value)
    return ()


def with_directions(names: tuple[str, ...], spec: object) -> tuple[str, ...]:
    """The parameters of what a transform gives: there are tangents beside those of the
    function, or one direction."""
    transform = getattr(getattr(spec, "value", None), "transform", "")
    if transform == "jvp":
        return (*names, *(f"d{name}" for name in names))
    return (*names[:1], "v", *names[1:]) if transform == "hvp" else names


def of_transform(f: Partial) -> Value:
    """The function that a transform was given."""
    if f.function == Const(second):
        inner = f.args[0]
        assert isinstance(inner, Partial)
        return of_transform(inner)
    return f.args[1]


def unused(hint: str, taken: Sequence[str]) -> str:
    """The name, or with a number where it is taken."""
    number, name = 1, hint
    while name in taken:
        number += 1
        name = f"{hint}_{number}"
    return name


def title_of(f: Value) -> str:
    """What the code of a function's gradient is called after."""
    if isinstance(f, Closure):
        return "function" if "<" in f.name else f.name
    if isinstance(f, Bound):
        return title_of(f.function)
    if isinstance(f, Partial):
        special = f.function in (Const(transformed), Const(second))
        return f"{title_of(of_transform(f))}_grad" if special else title_of(f.function)
    name = getattr(getattr(f, "value", None), "__name__", "function")
    return "function" if "<" in name else name


def bare(found: Sequence[Value]) -> Value:
    """One gradient, or a tuple of several."""
    return found[0] if len(found) == 1 else TupleValue(tuple(found))


def known_options(lowering: Any, wrt: Any) -> object:
    """The names and positions that are written for `wrt`."""
    value = lowering.known_value(wrt)
    if value is not None:
        return value.value
    if isinstance(wrt, Const):
        return wrt.value
    items = lowering.known_items(wrt, lowering.node)
    return [known_options(lowering, item) for item in items]
