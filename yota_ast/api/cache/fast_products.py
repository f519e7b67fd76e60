"""Calls of `hvp` that have been answered -> the same answered again at once.

The gradient and the tangent of it serve another call where what decided on them is as
it was: `fast_calls.py` says so of the arguments of the function. Anything else takes
the long way.

In: a function, the argument of the Hessian, and a call.  Out: the product, or LONG_WAY.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.cache.alias_speculation import WrongGuess, told_by
from yota_ast.api.cache.answers import note_answer
from yota_ast.api.cache.compiled_gradients import Cache, Entry
from yota_ast.api.cache.fast_calls import Asked
from yota_ast.api.cache.known_calls import Known
from yota_ast.api.call_target import Call, Callee
from yota_ast.api.values.given_tangents import varying
from yota_ast.ir.atoms import Const

LONG_WAY: Final = object()
"""What is given in place of a product that is not known how to make."""
_REAL: Final = (float, np.float64, np.float32)


@dataclass(frozen=True, slots=True)
class Product:
    """How a product is made again.

    entry: the tangent of the gradient. direction: what it calls the direction. place:
    that of the argument of the Hessian among the parameters.
    """

    entry: Entry
    direction: str
    place: int


def note_product(
    cache: Cache, asked: Asked, callee: Callee, call: Call, entries: tuple[Entry, Entry]
) -> None:
    """Note how a product has been made, where it is one that can be found again;
    entries: the gradient, and its tangent."""
    slope, tangent = entries
    (name,) = slope.program.wrt
    own = {p.var.name for p in tangent.tape.params}
    (direction,) = (p.var.name for p in tangent.program.params if p.var.name not in own)
    if tangent.program.value != Const(None):
        return  # it gives the value, too
    if tangent.tape.outside or name not in call.values:
        return
    told = Product(tangent, direction, [*call.values].index(name))
    note_answer(cache, asked, callee, call, slope, told)


def product_again(
    cache: Cache, f: Callable[..., Any], name: str, v: Any, args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> Any:  # fmt: skip
    """The product of a call like one before; LONG_WAY where it is none."""
    found = cache.fast.find(f, key_of_product(name), args, kwargs)
    if found is None:
        return LONG_WAY
    known, values = found
    told: Product = known.told
    x = values[told.place]
    if type(x) not in (*_REAL, np.ndarray):
        return LONG_WAY
    moved = {told.direction: varying(name, x, v)}
    try:
        _, change = _run(known, told.entry.function.fn, values, moved)
    except ValueError as error:
        guess = isinstance(told_by(told.entry.tape, error), WrongGuess)
        if guess or told.entry.is_unfit(error):
            return LONG_WAY
        raise
    if type(change) is np.ndarray and change.dtype.kind == "f":
        return change.copy()
    return change if type(change) in _REAL else LONG_WAY


def key_of_product(name: str) -> tuple[str, str]:
    """What tells a product from gradients, and from products in other arguments."""
    return ("hvp", name)


def _run(
    known: Known, fn: Callable[..., Any], values: tuple[Any, ...], moved: dict[str, Any]
) -> Any:
    """What another generated function of the same parameters gives, and of more."""
    count = known.positional
    if count == len(values):
        return fn(*values, **moved)
    if known.spread is None:
        named = dict(zip(known.names[count:], values[count:], strict=True))
        return fn(*values[:count], **named, **moved)
    args, kwargs = known.spread.given(known.names, count, values)
    return fn(*args, **kwargs, **moved)
