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
    asked = [k for k, x in enumerate(args) if list(leaves(x))]
    after = copy.deepcopy(args)
    expected = fn(*after)
    dy = seed_for(expected, rng)
    if general:
        gradient = ya.simplegrad(fn, wrt=asked)
    runs = []
    for _ in range(2):
        given = copy.deepcopy(args)
        if general:
            value, *rest = gradient(*given, seed=dy)
            found, text = dict(zip(asked, rest, strict=True)), gradient.source
        else:
            value, g = ya.grad(fn, *given, wrt=asked, seed=dy)
            found, text = {k: g[k] for k in asked}, g.source
        runs.append((value, found))
        try:
            assert same_bits(value, expected), f"{value!r} is not {expected!r}"
            assert same_bits(given, after), "an argument is not as the function left it"
            for k, d in found.items():
                of_the_kind(d, args[k], f"the gradient of argument {k}")
            unshared(found, given, value, dy)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{text}") from error
    try:
        assert same_bits(list(runs[0][1].values()), list(runs[1][1].values()))
        compare(fn, args, runs[0][1], dy, rng, 1e-6)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text}") from error
    return text


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
            except YotaError as error:
                if expected is None or not re.search(expected, str(error)):
                    raise
                assert error.lineno is not None
                return
    assert expected is None, "it is not refused any more"
