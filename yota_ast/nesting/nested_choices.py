"""A function that a branch has chosen -> what is done with each that it may be.

`f = g if c else h` is known by name where it is called alone; a transform of it is that
of g where c holds, and else that of h.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Bound,
    Either,
    OneOf,
    Partial,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.ir.atoms import Const
from yota_ast.nesting.nested_functions import transformed

Step = Callable[[Value], Value]


def with_each(lowering: Component, f: Value, step: Step) -> Value:
    """What a step gives for the function that is chosen: the branch is repeated."""
    found = _chosen_in(f)
    if found is None:
        return step(f)
    one, rebuilt = found
    if one == NULL:
        return step(f)
    choice = ObjectChoice.of(lowering)
    sure: Any = choice.surely_chosen(one)
    test, then, orelse = choice.test_of_chosen(sure)

    def arm(side: Value) -> Value:
        return with_each(lowering, rebuilt(side), step)

    arms = [functools.partial(arm, side) for side in (then, orelse)]
    if test == Const(value=True):
        return arms[0]()
    return ObjectChoice.of(lowering).choose(test, *arms, form="ifexp")


def _chosen_in(f: Value) -> tuple[Any, Step] | None:
    """What was chosen in a function, and the function with one in its place."""
    if isinstance(f, (Either, OneOf)):
        return f, lambda one: one
    if isinstance(f, Bound):
        return _within(f.owner, lambda one: replace(f, owner=one)) or _within(
            f.function, lambda one: replace(f, function=one)
        )
    if not isinstance(f, Partial):
        return None
    if f.function == Const(transformed):
        spec, inner, *rest = f.args
        return _within(inner, lambda one: replace(f, args=(spec, one, *rest)))
    return _within(f.function, lambda one: replace(f, function=one))


def _within(part: Value, rebuilt: Step) -> tuple[Any, Step] | None:
    found = _chosen_in(part)
    if found is None:
        return None
    one, inner = found
    return one, lambda side: rebuilt(inner(side))
