"""A function of the table -> whether its gradient is right, by every text of it."""

from __future__ import annotations

import copy
import linecache
import re
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import yota_ast as ya
from yota_ast.errors import InternalError, YotaError

from ..adjoint.checking import (
    compare,
    leaves,
    of_the_kind,
    same_bits,
    seed_for,
    unshared,
)
from .objects import as_dicts, by_path, rebuilt
from .table import Expression, Form, Function


@contextmanager
def module(text: str, name: str) -> Iterator[types.ModuleType]:
    """A module of that text, whose source can be read while it is open."""
    made = types.ModuleType(name)
    filename = f"<{name}>"
    made.__file__ = filename
    lines = text.splitlines(keepends=True)
    linecache.cache[filename] = (len(text), None, lines, filename)
    sys.modules[name] = made
    try:
        exec(compile(text, filename, "exec"), vars(made))
        yield made
    finally:
        del sys.modules[name], linecache.cache[filename]


def arguments(made: types.ModuleType, args: dict[str, Any]) -> list[Any]:
    """The arguments; expressions are evaluated in the module."""
    return [
        eval(v, vars(made)) if isinstance(v, Expression) else v for v in args.values()
    ]


def hold(fn: Any, args: list[Any], *, general: bool) -> str:
    """Hold what is promised of the gradient of fn at args; the text is returned."""
    rng = np.random.default_rng(0)
    plain = as_dicts(args)
    asked = [k for k, x in enumerate(plain) if list(leaves(x))]
    after = copy.deepcopy(args)
    expected = fn(*after)
    dy = seed_for(expected, rng)
    gradient = ya.simplegrad(fn, wrt=asked) if general else None
    runs = []
    for _ in range(2):
        given = copy.deepcopy(args)
        if gradient is not None:
            value, *rest = gradient(*given, seed=dy)
            found, text = dict(zip(asked, rest, strict=True)), gradient.source
        else:
            value, g = ya.grad(fn, *given, wrt=asked, seed=dy)
            found, text = {k: g[k] for k in asked}, g.source
        runs.append((value, found))
        try:
            promised(args, (value, expected), (given, after), found, dy)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{text}") from error
    slopes = {k: by_path(d, args[k]) for k, d in runs[0][1].items()}

    def flat(*values: Any) -> Any:
        return fn(*rebuilt(args, values))

    try:
        assert same_bits(*(list(found.values()) for _, found in runs))
        compare(flat, plain, slopes, dy, rng, 1e-6)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text}") from error
    return text


def promised(
    args: list[Any],
    values: tuple[Any, Any],
    left: tuple[list[Any], list[Any]],
    found: dict[int, Any],
    dy: Any,
) -> None:
    """The value, the arguments and the kinds of the gradients are as promised."""
    value, expected = values
    assert same_bits(value, expected), f"{value!r} is not {expected!r}"
    same = same_bits(as_dicts(left[0]), as_dicts(left[1]))
    assert same, "an argument is not as the function left it"
    for k, d in found.items():
        if not hasattr(args[k], "__dict__"):
            of_the_kind(d, args[k], f"the gradient of argument {k}")
    unshared(found, as_dicts(left[0]), value, dy)


def refusal(one: Form, function: Function, *, general: bool) -> str | None:
    """What the form's refusal in this context says, if it is refused."""
    if general and "general" in one.refused:
        return one.refused["general"]
    return one.refused.get(function.context, one.refused.get("all"))


def check(one: Form, function: Function, *, general: bool) -> None:
    """The function is right at all its arguments, or refused as the form says."""
    expected = refusal(one, function, general=general)
    with module(function.text, "constructs_under_test") as made:
        for args in function.args:
            try:
                hold(made.f, arguments(made, args), general=general)
            except InternalError:
                raise
            except ValueError as error:  # an arm that is refused raises when it runs
                known = expected is not None and "is not handled" in str(error)
                if not known or not re.search(str(expected), str(error)):
                    raise
                return
            except YotaError as error:
                if expected is None or not re.search(expected, str(error)):
                    raise
                if error.lineno is None:
                    raise
                return
    # Without facts a form may be refused in some contexts alone.
    assert expected is None or general, "it is not refused any more"
