"""A function that may write into its arguments -> whether its gradient is right."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import compare, is_float, of_the_kind, same_bits, unshared
from yota_ast.errors import InternalError, YotaError

from .settings import function_of

X = np.array([0.55, 0.71, 0.93, 0.62])
M = np.array([[0.3, 0.8, 0.45, 0.65], [1.1, 0.52, 0.7, 0.9], [0.4, 0.6, 1.3, 0.25]])
Y = np.array([0.83, 0.47, 0.66, 1.21])


def arguments(setting: str) -> tuple[Any, ...]:
    """The arguments of a function in a setting."""
    own = (X.copy(), 0.8)
    return (*own, Y.copy(), M.copy()) if setting == "caller" else own


def check_writer(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    *,
    general: bool = False,
    tolerance: float = 1e-6,
) -> str:
    """Hold the gradient to all that is promised; arguments end as `fn` leaves them."""
    given, theirs = copy.deepcopy(args), copy.deepcopy(args)
    expected = fn(*theirs)
    asked = [k for k, a in enumerate(args) if is_float(a)]
    seed = 1.0 if np.ndim(expected) == 0 else np.ones_like(expected)
    if general:
        gradient = ya.simplegrad(fn, wrt=asked)
        value, *rest = gradient(*given, seed=seed)
        found, text = dict(zip(asked, rest, strict=True)), gradient.source
    else:
        value, g = ya.grad(fn, *given, wrt=asked, seed=seed)
        found, text = {k: g[k] for k in asked}, g.source
    try:
        assert same_bits(value, expected), f"the value is {value!r}, not {expected!r}"
        assert same_bits(given, theirs), "the arguments are not as the function's"
        for k, d in found.items():
            of_the_kind(d, args[k], f"the gradient of argument {k}")
        unshared(found, given, value, seed)
        compare(fn, args, found, seed, np.random.default_rng(0), tolerance)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text}") from error
    return str(text)


def verdict(snippet: str, setting: str, name: str, *, general: bool = False) -> str:
    """'right', 'refused: why' or 'wrong: how'."""
    fn = function_of(snippet, setting, name)
    args = arguments(setting)
    try:
        fn(*copy.deepcopy(args))
    except Exception as error:
        return f"fails: {type(error).__name__}: {error}"
    try:
        single = 1e-3 if "float32" in snippet else 1e-6
        check_writer(fn, args, general=general, tolerance=single)
    except InternalError as error:
        return f"crash: {error}"
    except YotaError as error:
        return f"refused: {str(error).splitlines()[0]}"
    except AssertionError as error:
        return f"wrong: {(str(error).splitlines() or [repr(error)])[0]}"
    except ValueError as error:
        if str(error).startswith("made for"):
            return f"refused: {error}"
        return f"wrong: {error}"
    except Exception as error:
        return f"wrong: {type(error).__name__}: {error}"
    return "right"
