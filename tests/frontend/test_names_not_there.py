"""Names, modules and attributes that are not there, in a `try` or an arm of a branch:
the text does there what Python does."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax


def without_module(x: Any) -> Any:
    try:
        import no_such_module
    except ImportError:
        return x * 2.0
    return no_such_module.f(x)


def without_part(x: Any) -> Any:
    try:
        from scipy.special import no_such_function as g
    except ImportError:
        g = np.sin
    return g(x)


def noted(x: Any) -> Any:
    try:
        from no_such_module.more import g
    except ModuleNotFoundError:
        have = False
    else:
        have = bool(g)
    return x * (2.0 if have else 3.0)


def without_module_by_name(x: Any) -> Any:
    try:
        module = importlib.import_module("no_such_module")
    except ImportError:
        return x * 2.0
    return module.f(x)


def imports_by_name(x: Any) -> Any:
    if x > 3:
        return importlib.import_module("no_such_module").f(x)
    return x * 2.0


def with_module(x: Any) -> Any:
    try:
        import math as m
    except ImportError:
        m = None
    return x * 2.0 if m is None else m.sin(x)


def raises_unknown(x: Any) -> Any:
    if x > 3:
        raise exceptions.Bug(f"x = {x}")  # type: ignore[name-defined]
    return x * 2.0


def calls_unknown(x: Any) -> Any:
    if x > 3:
        return unknown(x)[0].y  # type: ignore[name-defined]
    return x * 2.0


def calls_what_was(x: Any) -> Any:
    if x > 3:
        return np.mathematics.factorial(3) * x  # type: ignore[attr-defined]
    return x * 2.0


def imports_unknown(x: Any) -> Any:
    if x > 3:
        import no_such_module

        return no_such_module.f(x)
    return x * 2.0


def caught(x: Any) -> Any:
    try:
        y = unknown * x  # type: ignore[name-defined]
    except NameError:
        y = x * 5.0
    return y


def surely_unknown(x: Any) -> Any:
    return unknown + x  # type: ignore[name-defined]


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (without_module, 2.0), (without_module_by_name, 2.0), (imports_by_name, 2.0),
         (without_part, np.cos(1.0)), (noted, 3.0),
        (with_module, np.cos(1.0)), (raises_unknown, 2.0), (calls_unknown, 2.0),
        (calls_what_was, 2.0), (imports_unknown, 2.0), (caught, 5.0),
    ],
)  # fmt: skip
def test_the_slope(f: Any, slope: float) -> None:
    value, gradients = ya.grad(f, 1.0)
    assert value == f(1.0)
    assert gradients[0] == slope
    assert ya.jvp(f)(1.0, 1.0) == (f(1.0), slope)
    assert ya.simplegrad(f)(1.0) == (f(1.0), slope)


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (raises_unknown, NameError), (calls_unknown, NameError),
        (calls_what_was, AttributeError), (imports_unknown, ModuleNotFoundError),
        (imports_by_name, ModuleNotFoundError),
    ],
)  # fmt: skip
def test_what_python_raises(f: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as of_python:
        f(4.0)
    for asked in (ya.grad, ya.simplegrad(f)):
        with pytest.raises(error) as found:
            asked(f, 4.0) if asked is ya.grad else asked(4.0)
        assert str(found.value) == str(of_python.value)


def test_refused_where_it_is_surely_met() -> None:
    with pytest.raises(UnsupportedSyntax, match="the name `unknown` is not defined"):
        ya.grad(surely_unknown, 1.0)
