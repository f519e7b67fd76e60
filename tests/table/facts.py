"""A case -> whether code made without facts, and code given other values, is right."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import yota_ast as ya
from yota_ast.errors import YotaError

from ..adjoint.checking import same_bits
from .case import Case
from .comparing import agree, of_the_kind
from .orders import gradient, seed

DRAWS = 4
"""How many other kinds of values code is given."""


def general(case: Case) -> None:
    """The gradient by code made without facts."""
    dy = seed(case.value)
    function = ya.simplegrad(case.fn, wrt=list(case.asked)).fn
    value, *rest = function(*case.args, seed=dy)
    assert same_bits(value, case.value), f"the value is {value!r}, not {case.value!r}"
    _, expected = gradient(case.fn, case, case.args, seed=dy)
    found = dict(zip(case.asked, rest, strict=True))
    for name in case.asked:
        of_the_kind(found[name], expected[name])
    agree(case, found, expected)


def elsewhere(case: Case) -> None:
    """Code made for the values of the case, given others: other numbers, for which it
    is right, and other kinds, of which each is right or refused as it is called."""
    function = ya.simplegrad(case.fn, *case.args, wrt=list(case.asked)).fn
    _call(case, function, list(case.others.values()))
    chosen = random.Random(case.name)
    plain = [k for k in case.asked if not isinstance(case.values[k], list | tuple)]
    for change in chosen.sample(CHANGES, DRAWS if plain else 0):
        name = chosen.choice(plain)
        changed = change(case.values[name])
        try:
            _call(case, function, list({**case.values, name: changed}.values()))
        except (ValueError, YotaError):
            continue


def _whole(x: Any) -> Any:
    whole = np.rint(3 * np.nan_to_num(np.real(x)))
    return whole.astype(int)[()] if isinstance(x, np.ndarray) else round(float(whole))


def _of_array(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: change(x) if np.ndim(x) else x


CHANGES: list[Callable[[Any], Any]] = [
    _whole,
    lambda x: np.float64(x) if type(x) is float else x,
    lambda x: np.array(x) if not np.ndim(x) else x[:1],
    lambda x: np.concatenate([x, x]) if np.ndim(x) else np.array([x, x]),
    lambda x: np.asarray(x).astype("f4" if np.isrealobj(x) else "c8")[()],
    _of_array(lambda x: x.astype(x.dtype.newbyteorder(">"))),
    _of_array(lambda x: np.asfortranarray(x)[::-1]),
    _of_array(lambda x: np.zeros((0, *x.shape[1:]))),
    _of_array(lambda x: x.tolist()),
    lambda x: np.asarray(x)[None],
    lambda x: None,
]


def _call(case: Case, function: Any, args: list[Any]) -> None:
    """One call: right, or raises what the operation raises, or a ValueError."""
    expected, error = None, None
    try:
        expected = case.fn(*copy.deepcopy(args))
    except Exception as raised:
        error = raised
    dy = seed(case.value if error else expected)
    try:
        value, *rest = function(*copy.deepcopy(args), seed=dy)
    except Exception as raised:
        if error is not None and type(raised) is type(error):
            return
        raise
    assert error is None, f"{value!r}, and the operation raises {error!r}: {args}"
    assert same_bits(value, expected), f"{value!r}, not {expected!r}: {args}"
    try:
        _, wanted = gradient(case.fn, case, args, seed=dy)
    except (YotaError, ValueError):
        return
    agree(case, dict(zip(case.asked, rest, strict=True)), wanted)
