"""`rng.choice(x, 3)`, `rng.shuffle(x)`: draws from data -> draws of places in them.

What is drawn depends on how long the data are, not on what they hold: the places of the
items, drawn in the same way from the same state, tell where each came from.

>>> import numpy as np
>>> one, other = np.random.default_rng(3), np.random.default_rng(3)
>>> x = np.array([0.5, 2.5, 1.5])
>>> one.choice(x, 2) == x[other.choice(len(x), 2)]
array([ True,  True])
"""

from __future__ import annotations

from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.heap.lowered_values import MethodOf, Value
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Const
from yota_ast.ir.store_changes import PUT
from yota_ast.support import public_names

DRAWS: Final = ("permutation", "permuted", "choice", "shuffle")
_PARAMETERS: Final = {
    "permutation": ("x", "axis"),
    "permuted": ("x",),
    "choice": ("a", "size", "replace", "p", "axis", "shuffle"),
    "shuffle": ("x", "axis"),
}
_ZERO: Final = Const(0)
_NONE: Final = Const(None)
_WHOLE: Final = Const(...)


def drawn(
    lowering: Component,
    owner: Value,
    name: str,
    args: Any,
    kwargs: Any,
    *,
    bound: bool = False,
) -> Value | None:
    """The value of such a draw; None where it is another one, or stays as it is.

    bound: the call is of a function of np.random, of whose generator owner is.
    """
    cls = Operations.of(lowering).fact(owner).cls
    if cls is None or not issubclass(cls, public_names.drawing()):
        return None
    names = _PARAMETERS[name]
    given: dict[str, Value] = {**dict(zip(names, args, strict=False)), **dict(kwargs)}
    if len(args) > len(names) or names[0] not in given:
        return None
    data = given.pop(names[0])
    if not _is_data(lowering, name, data):
        return None
    axis = given.pop("axis", _ZERO if name != "permuted" else _NONE)
    known = ValueAssumptions.of(lowering).known_value(axis)
    wanted = (int,) if name != "permuted" else (int, type(None))
    if known is None or type(known.value) not in wanted:
        return None
    method = "permutation" if name == "shuffle" else name
    draw: Value = MethodOf(owner, method)
    if bound:
        assert isinstance(owner, Const)
        fn = getattr(owner.value, method)
        draw = Const(fn, *public_names.spelled(fn))
    return _BY_NAME[name](lowering, draw, data, known, given)


def _is_data(lowering: Component, name: str, data: Value) -> bool:
    """Whether it is drawn from items, and of such as are followed."""
    operations = Operations.of(lowering)
    known = operations.fact(data)
    listed = known.kind in CONTAINERS and name in ("permutation", "choice")
    if known.kind != "array" and not listed:
        return False
    if name == "shuffle":
        return True
    varies: bool = (
        known.holds_floats if name == "permutation" else operations.may_vary(data)
    )
    return varies


def _permutation(
    lowering: Component, draw: Value, x: Value, axis: Const, given: dict[str, Value]
) -> Value | None:
    """`rng.permutation(x, axis=k)`."""
    if given:
        return None
    plain = axis.value == 0
    fn, rest = (
        (function_models.permuted, ())
        if plain
        else (function_models.permuted_along, (axis,))
    )
    return Language.of(lowering).call(_model(fn), (draw, x, *rest))


def _shuffle(
    lowering: Component, draw: Value, x: Value, axis: Const, given: dict[str, Value]
) -> Value | None:
    """`rng.shuffle(x, axis=k)`: what a permutation gives is put into x."""
    language = Language.of(lowering)
    if given:
        return None
    language.store(
        x,
        _WHOLE,
        language.call(_model(function_models.permuted_along), (draw, x, axis)),
        PUT,
    )
    return _NONE


def _choice(
    lowering: Component, draw: Value, a: Value, axis: Const, given: dict[str, Value]
) -> Value | None:
    """`rng.choice(a, size)`: not of an array without axes, of which NumPy gives one."""
    language = Language.of(lowering)
    size = Operations.of(lowering).fact(given.get("size", _NONE))
    sizes = size.kind == "tuple" and bool(language.items_of(given["size"]))
    if size.kind not in ("int", "none") and not sizes:
        return None
    named = tuple(given.items())
    return language.call(_model(function_models.chosen), (draw, a, axis), named)


def _permuted(
    lowering: Component, draw: Value, x: Value, axis: Const, given: dict[str, Value]
) -> Value | None:
    """`rng.permuted(x, axis=k)`: each line along an axis in its own order. Without an
    axis all elements are taken as they lie in memory: in the order of their indices
    where x has one axis."""
    operations = Operations.of(lowering)
    language = Language.of(lowering)
    rank = operations.fact(x).rank
    out = given.pop("out", _NONE)
    if rank is None or given or (out != _NONE and operations.fact(out).kind != "array"):
        return None
    if axis.value is None:
        if rank != 1:
            return None
        axis = _ZERO
    value: Value = language.call(
        _model(function_models.permuted_lines), (draw, x, axis)
    )
    if out == _NONE:
        return value
    language.store(out, _WHOLE, value, PUT)
    return out


def _model(fn: Any) -> Const:
    return Const(fn, fn.__name__)


_BY_NAME: Final = {
    "permutation": _permutation,
    "permuted": _permuted,
    "choice": _choice,
    "shuffle": _shuffle,
}
