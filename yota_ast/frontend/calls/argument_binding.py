"""Arguments of a call -> the parameters they are bound to, as Python binds them.

>>> from yota_ast.syntax import parse
>>> args = parse("def f(a, b=2, *rest, c, **more): pass").body[0].args
>>> bound = bind(args, (Const(2),), (), [Const(0)], [("c", Const(1)), ("d", Const(3))])
>>> [(name, repr(value.value)) for name, value in bound.plain.items()]
[('a', '0'), ('b', '2'), ('c', '1')]
>>> bound.rest, [name for name, _ in bound.more]
((), ['d'])
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np  # noqa: F401  the doctest

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.heap.lowered_values import Node, Value
from yota_ast.ir.atoms import Const
from yota_ast.ops import info
from yota_ast.support.public_names import home_of
from yota_ast.syntax import nodes

__all__ = [
    "Bindings",
    "CallMismatch",
    "Const",
    "bind",
    "by_position",
    "finds_stack_level",
    "miscounted",
]
_OF_FRAMES: Final = frozenset(["currentframe", "_getframe"])
_LIBRARIES: Final = ("numpy", "scipy")


class CallMismatch(Exception):  # noqa: N818  caught, and said in a refusal
    """The arguments do not fit the parameters."""


@dataclass(frozen=True, slots=True)
class Bindings:
    """plain: by name. rest: what *args takes. more: what **kwargs takes."""

    plain: Mapping[str, Value]
    rest: tuple[Value, ...]
    more: tuple[tuple[str, Value], ...]


def miscounted(fn: Any, args: Sequence[Value]) -> bool:
    """Whether a function is given too few arguments without a name, or too many: Python
    raises there.

    >>> miscounted(len, ()), miscounted(len, (Const(()),)), miscounted(bind, ())
    (True, False, False)
    """
    least, most = info(fn).takes
    return not least <= len(args) <= most


def by_position(
    fn: Any, args: Sequence[Value], kwargs: Sequence[tuple[str, Value]]
) -> tuple[Sequence[Value], Sequence[tuple[str, Value]]]:
    """The arguments of a function of NumPy or SciPy, of which those that it cannot do
    without come first: what asks for the first one finds it.

    >>> first, named = by_position(np.sum, (), (("axis", Const(0)), ("a", Const(2))))
    >>> first[0].value, [name for name, _ in named]
    (2, ['axis'])
    """
    if args or not kwargs or isinstance(fn, type):
        return args, kwargs
    if home_of(fn).partition(".")[0] not in _LIBRARIES:
        return args, kwargs
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return args, kwargs
    named = dict(kwargs)
    first: list[Value] = []
    for each in parameters:
        by_name = each.kind is each.POSITIONAL_OR_KEYWORD and each.name in named
        if not by_name or each.default is not each.empty:
            break
        first.append(named.pop(each.name))
    return tuple(first), tuple(named.items())


def bind(
    parameters: Node,
    defaults: Sequence[Value],
    kwdefaults: Sequence[tuple[str, Value]],
    args: Sequence[Value],
    kwargs: Sequence[tuple[str, Value]],
) -> Bindings:
    """Bind a call's arguments; raises CallMismatch."""
    only = [p.id for p in parameters.posonlyargs]
    positional = only + [p.id for p in parameters.args]
    named = [p.id for p in parameters.args] + [p.id for p in parameters.kwonlyargs]
    plain: dict[str, Value] = dict(zip(positional, args, strict=False))
    rest = tuple(args[len(positional) :])
    if rest and parameters.vararg is None:
        expected = f"takes {len(positional)} positional arguments"
        raise CallMismatch(f"{expected} but {len(args)} are given")
    more: list[tuple[str, Value]] = []
    for name, value in kwargs:
        if name in named:
            if name in plain:
                raise CallMismatch(f"gets two values for `{name}`")
            plain[name] = value
        elif parameters.kwarg is None:
            raise CallMismatch(f"has no parameter `{name}`")
        else:
            more.append((name, value))
    # A decorator may give its wrapper, `def f(*args)`, the defaults of what it wraps:
    # Python takes the last ones.
    late = zip(reversed(positional), reversed(defaults), strict=False)
    for name, value in (*late, *kwdefaults):
        plain.setdefault(name, value)
    wanted = [*positional, *(p.id for p in parameters.kwonlyargs)]
    missing = [name for name in wanted if name not in plain]
    if missing:
        raise CallMismatch(f"gets no value for `{missing[0]}`")
    return Bindings({name: plain[name] for name in wanted}, rest, tuple(more))


def finds_stack_level(
    function: Value, keyword: Node, evaluate: Callable[[Node], Value]
) -> bool:
    """Whether a warning calls what looks through the frames for who called the library:
    the text has other frames. evaluate: what gives the value of a node."""
    warns = isinstance(function, Const) and function.value is warnings.warn
    call = keyword.value
    if not warns or keyword.arg != "stacklevel" or not isinstance(call, nodes.Call):
        return False
    called = evaluate(call.func)
    code = getattr(
        called.value if isinstance(called, Const) else None, "__code__", None
    )
    return code is not None and not _OF_FRAMES.isdisjoint(code.co_names)
