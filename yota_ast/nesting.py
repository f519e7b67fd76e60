"""Transforms called inside a function that is itself differentiated.

`value_and_grad(f)(x)` is lowered as a call of the text that `simplegrad` makes of f;
the other transforms are refused, with what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .frontend.lower import replace_calls
from .tape import Const

Fn = Callable[..., Any]


def follow(value_and_grad: Fn, simplegrad: Fn, positions: Callable[..., Any]) -> None:
    """Lower calls of `value_and_grad`; positions: the names that a `wrt` stands for."""

    def lowered(self: Any, args: Sequence[Any], kwargs: Any) -> Any:
        given = dict(zip(("f", "wrt"), args, strict=False)) | dict(kwargs)
        f: Any = given.get("f")
        wrt = _known(self, given.get("wrt", Const(None)))
        if not isinstance(f, Const) or not callable(f.value):
            self.refuse_call(
                "`value_and_grad` is given a function that is made inside the"
                " differentiated one",
                "Give it a function of the module, which gets what varies as"
                " arguments.",
            )
        names = positions(f.value, wrt)
        made = simplegrad(f.value, wrt=names)
        if len(names) == 1:
            return Const(made, made.__name__)
        return Const(_grouped(made), made.__name__)

    replace_calls(value_and_grad, lowered)


def _known(lowering: Any, wrt: Any) -> object:
    """The names and positions that are written for `wrt`."""
    if isinstance(wrt, Const):
        return wrt.value
    items = lowering.known_items(wrt, lowering.node)
    return [_known(lowering, item) for item in items]


def _grouped(made: Fn) -> Fn:
    def grouped(*args: Any, **kwargs: Any) -> Any:
        value, *gradients = made(*args, **kwargs)
        return value, tuple(gradients)

    return grouped


def refuse(transform: Fn) -> None:
    """Refuse calls of a transform."""

    def refused(self: Any, _args: Sequence[Any], _kwargs: Any) -> Any:
        name = transform.__name__
        self.refuse_call(
            f"`{name}` is called inside the function that is differentiated",
            "Use value_and_grad there, or make the gradient outside, df ="
            " simplegrad(f), and call it.",
        )

    replace_calls(transform, refused)
