"""A call of a transform -> its options, and the parts of its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.wrt import (
    names_or_first,
)
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Partial, TupleValue, Value
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.nesting.nested_arguments import (
    Arguments,
    known_options,
    signature_of,
)
from yota_ast.nesting.nested_functions import (
    second,
    transformed,
)

NONE: Final = Const(None)


@dataclass(frozen=True, slots=True)
class Spec:
    """A transform and its options, as they were called. wrt: names and positions, None
    where nothing is said. general: nothing was said of the arguments either, of which
    `simplegrad` then decides by the function alone which have gradients. whole: the
    arguments of `simplegrad` were named. has_aux, stack: as they were given."""

    transform: str
    wrt: object = None
    general: bool = False
    whole: bool = False
    has_aux: bool = False
    stack: bool = False
    in_axes: object = 0
    shared: tuple[str, ...] | None = None


def bare(found: Sequence[Value]) -> Value:
    """One gradient, or a tuple of several."""
    return found[0] if len(found) == 1 else TupleValue(tuple(found))


def spec_of(lowering: Component, name: str, given: Mapping[str, Any]) -> Spec:
    """What the options of a transform are known to be.

    mode: the matrix is the same in either mode, and inside it is made by rows.
    """
    flags: dict[str, Any] = {
        option: known_flag(lowering, name, option, given[option])
        for option in ("has_aux", "stack")
        if option in given
    }
    mode = given.get("mode", Const("auto"))
    if mode not in (Const("auto"), Const("reverse")):
        Position.of(lowering).refuse_call(
            f"the inner `{name}` has the option `mode=`", "Leave it out."
        )
    in_axes = known_options(lowering, given.get("in_axes", Const(0)))
    wrt = known_options(lowering, given.get("wrt", NONE))
    return Spec(name, wrt, in_axes=in_axes, **flags)


def known_flag(lowering: Component, name: str, option: str, value: Any) -> bool:
    """What an option is known to be: it is the same in all calls."""
    known = ValueAssumptions.of(lowering).known_value(value)
    if known is None:
        Position.of(lowering).refuse_call(
            f"the option `{option}=` of `{name}` is unknown",
            "Write True or False.",
        )
    return bool(known.value)


def along_names(lowering: Component, spec: Spec, f: Value) -> tuple[str, ...] | None:
    """The arguments that have tangents, where `wrt` says so."""
    if spec.wrt is None:
        return None
    return names_or_first(tuple(signature_of(lowering, f).parameters), spec.wrt)


def derivative(f: Value, name: str) -> Value:
    """The bare derivative of f in one argument, as a function of the arguments."""
    inner = Partial(Const(transformed), (Const(Spec("value_and_grad", name)), f), ())
    return Partial(Const(second), (inner,), ())


def shown_names(given: Sequence[Value]) -> tuple[str, ...]:
    """The names of the variables among some values."""
    return tuple(v.name for v in given if isinstance(v, Var))


def facts_given(lowering: Component, bound: Arguments) -> dict[str, Fact]:
    """What is known of the arguments."""
    return {
        name: Operations.of(lowering).fact(value)
        for name, value in bound.values.items()
    }


def is_none(d: Value) -> bool:
    """Whether a tangent holds its argument fixed: of `*args`, whether all do."""
    if isinstance(d, TupleValue) and d.items and all(map(is_none, d.items)):
        return True
    return d == NONE
