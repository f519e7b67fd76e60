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

from yota_ast import libraries
from yota_ast.facts import CONTAINERS
from yota_ast.frontend import models
from yota_ast.frontend.values import MethodOf, Value
from yota_ast.tape import Const

DRAWS: Final = ("permutation", "permuted", "choice", "shuffle")
_PARAMETERS: Final = {
    "permutation": ("x", "axis"),
    "permuted": ("x",),
    "choice": ("a", "size", "replace", "p", "axis", "shuffle"),
    "shuffle": ("x", "axis"),
}
_ZERO: Final = Const(0)
_WHOLE: Final = Const(...)


def drawn(
    self: Any, owner: Value, name: str, args: Any, kwargs: Any, *, bound: bool = False
) -> Value | None:
    """The value of such a draw; None where it is another one, or stays as it is.

    bound: the call is of a function of np.random, of whose generator owner is.
    """
    cls = self.fact(owner).cls
    if cls is None or not issubclass(cls, libraries.drawing()):
        return None
    names = _PARAMETERS[name]
    given: dict[str, Value] = {**dict(zip(names, args, strict=False)), **dict(kwargs)}
    if len(args) > len(names) or names[0] not in given:
        return None
    data, axis = given.pop(names[0]), given.pop("axis", None)
    known = self.fact(data)
    many = known.kind == "array" or (
        known.kind in CONTAINERS and name in ("permutation", "choice")
    )
    stays = name in ("permuted", "choice") and not self.may_vary(data)
    if not many or stays or not (known.holds_floats or name == "shuffle"):
        return None
    along = axis if axis is None else self.known_value(axis)
    if axis is not None and (
        along is None or type(along.value) not in (int, type(None))
    ):
        return None

    def draw(method: str) -> Value:
        if not bound:
            return MethodOf(owner, method)
        assert isinstance(owner, Const)
        fn = getattr(owner.value, method)
        return Const(fn, *libraries.spelled(fn))

    if name == "permuted":
        return _permuted(self, draw(name), data, along, given)
    if along is not None and along.value is None:
        return None
    if name == "choice":
        size = given.get("size")
        if size is not None and self.fact(size).kind not in ("int", "none"):
            items = self.items_of(size) if self.fact(size).kind == "tuple" else None
            if not items:
                return None
        named = tuple(given.items())
        return self.call(
            _model(models.chosen), (draw(name), data, along or _ZERO), named
        )  # type: ignore[no-any-return]
    if given:
        return None
    if name == "shuffle":
        value = self.call(
            _model(models.permuted_along), (draw("permutation"), data, along or _ZERO)
        )
        self.store(data, _WHOLE, value, "")
        return Const(None)
    if along is None or along.value == 0:
        return self.call(_model(models.permuted), (draw(name), data))  # type: ignore[no-any-return]
    return self.call(_model(models.permuted_along), (draw(name), data, along))  # type: ignore[no-any-return]


def _permuted(
    self: Any, draw: Value, x: Value, axis: Const | None, given: dict[str, Value]
) -> Value | None:
    """`rng.permuted(x, axis=k)`: each line along an axis in an order of its own; without
    an axis that of all elements as they lie in memory, which are those of their indices
    where x has one axis."""
    rank = self.fact(x).rank
    out = given.pop("out", Const(None))
    if rank is None or given or (out != Const(None) and self.fact(out).kind != "array"):
        return None
    if axis is None or axis.value is None:
        if rank != 1:
            return None
        axis = _ZERO
    value: Value = self.call(_model(models.permuted_lines), (draw, x, axis))
    if out == Const(None):
        return value
    self.store(out, _WHOLE, value, "")
    return out


def _model(fn: Any) -> Const:
    return Const(fn, fn.__name__)
