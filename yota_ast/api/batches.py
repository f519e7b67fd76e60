"""A function of one example -> one of a batch of examples: `vmap`.

>>> import numpy as np
>>> import yota_ast as ya
>>> def distance(x, y):
...     return np.sqrt(np.sum((x - y) ** 2))
>>> points = np.array([[3.0, 4.0], [0.0, 1.0]])
>>> distances = ya.vmap(distance, in_axes=(0, None))
>>> distances(points, np.zeros(2))
array([5., 1.])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np  # noqa: F401  in the examples

from yota_ast.api.batched_calls import InAxes, Vmapped, axes_by_argument, batch_of
from yota_ast.api.call_target import callee_of
from yota_ast.api.grad import grad, nested_makers, value_and_grad
from yota_ast.api.other_names import transform
from yota_ast.api.wrt import names_or_first
from yota_ast.nesting import nested_transforms

Fn = Callable[..., Any]


@transform
def vmap(f: Fn, in_axes: InAxes = 0) -> Fn:
    """A function of a batch: f of each example, and all results in one array.

    It is `np.stack([f(x) for x in xs])` as code on whole arrays. f may be what
    `value_and_grad`, `grad`, `jacobian`, `jvp` or `vmap` gives. A function that is
    differentiated may call a batch.

    in_axes: the axis of the examples in each argument. None means that all examples
    share the argument. One number or None stands for all arguments. A tuple has one for
    each argument.

    The results have the examples on axis 0. A tuple, a list or a dict of results holds
    such arrays. Sums may be rounded differently than in a loop, and functions of `math`
    become those of NumPy: where `math` raises ValueError, a batch has nan.

    Raises UnsupportedCall, with the line, for what has no batched form. Raises
    ShapeError if an argument has no such axis, and ValueError if two of them hold
    different numbers of examples.

    >>> print(vmap(np.dot)(np.ones((2, 3)), np.arange(6.0).reshape(2, 3)))
    [ 3. 12.]
    """
    inner, wrt, bare, aux = _taken_apart(f)
    callee = callee_of(inner)
    run = batch_of(inner, axes_by_argument(callee, in_axes), wrt, aux=aux, bare=bare)
    return Vmapped(vmap, f, {"in_axes": in_axes}, run, callee.signature)


def _taken_apart(f: Any) -> tuple[Fn, tuple[str, ...] | None, bool, bool]:
    """What is differentiated, the arguments, whether the gradient comes alone, and
    whether f gives a pair; of another function f itself."""
    plain = {grad: True, value_and_grad: False}
    original = getattr(f, "transform", None)
    for each, bare in plain.items():
        if original is each:
            names = names_or_first(callee_of(f.f).parameters, f.options.get("wrt"))
            return f.f, names, bare, bool(f.options.get("has_aux"))
    return f, None, False, False


nested_transforms.follow({"vmap": vmap}, nested_makers())
