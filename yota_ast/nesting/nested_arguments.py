"""A call of a function, and the function's signature -> its arguments by parameter.

The signature of a function that is made while lowering is that which Python would tell
of it, but that the defaults are values of the lowering. It alone says what a position
is, and what stands for an argument that is left out.

>>> def f(x, k=2, *rest): ...
>>> given = Arguments(inspect.signature(f), {"x": 1, "k": 2, "rest": TupleValue((3,))})
>>> given.spread(given.values, {})
((1, 2, 3), ())
"""

from __future__ import annotations

import functools
import inspect
import types
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.api.call_target import callee_of, standing_for
from yota_ast.api.transform_signatures import with_direction, with_seed, with_tangents
from yota_ast.api.wrt import names_or_first
from yota_ast.errors import YotaError
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Cell,
    Closure,
    Heap,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.wrappers import filled, form_of
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.nesting import nested_functions
from yota_ast.nesting.nested_functions import second, transformed

Keywords = Sequence[tuple[str, Value]]
Parameter = inspect.Parameter


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call by the parameters of the function, defaults filled in.

    told: the signature of the function, where that of the call is another. whole:
    whether whole numbers in containers have gradients, as they have in an argument
    that is named in `wrt` or is the first of a transform.
    """

    signature: inspect.Signature
    values: Mapping[str, Value]
    told: inspect.Signature | None = None
    whole: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters of the function."""
        return tuple((self.told or self.signature).parameters)

    def call(self, lowering: Component, f: Value, values: Mapping[str, Value]) -> Value:
        """The call with other values."""
        return Language.of(lowering).call(
            f, *self.spread(values, Cells.of(lowering).heap)
        )

    def spread(
        self, values: Mapping[str, Value], heap: Heap
    ) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
        """Values by parameter as the arguments and the keywords of a call."""
        ahead, named = list[Value](), list[tuple[str, Value]]()
        for name, slot in self.signature.parameters.items():
            value = values[name]
            if slot.kind is slot.VAR_POSITIONAL:
                assert isinstance(value, TupleValue)
                ahead += value.items
            elif slot.kind is slot.VAR_KEYWORD:
                assert isinstance(value, Ref)
                named += heap[value.cell].items.items()
            elif slot.kind is slot.KEYWORD_ONLY:
                named.append((name, value))
            else:
                ahead.append(value)
        return tuple(ahead), tuple(named)


def bind(
    lowering: Component,
    signature: inspect.Signature,
    who: str,
    args: Any,
    kwargs: Keywords,
) -> Arguments:
    """The arguments of a call of `who`, as Python binds them."""
    bound = bound_by(lowering, signature, who, args, kwargs)
    values = dict[str, Value]()
    for name, slot in signature.parameters.items():
        if slot.kind is slot.VAR_POSITIONAL:
            values[name] = TupleValue(tuple(bound.get(name, ())))
        elif slot.kind is slot.VAR_KEYWORD:
            cell = Cell("dict", dict(bound.get(name, {})), dict)
            values[name] = Cells.of(lowering).new_cell(cell)
        else:
            values[name] = bound.get(name, slot.default)
    return Arguments(signature, values)


def bound_call(
    lowering: Component, f: Value, args: Sequence[Value], kwargs: Keywords
) -> Arguments:
    """The arguments of a call of f, as they are given where a wrapper looks at that."""
    told = signature_of(lowering, f)
    signature = as_given(f, told, len(args), dict(kwargs))
    bound = bind(lowering, signature, quoted(f), args, kwargs)
    return Arguments(signature, bound.values, told)


def as_given(
    f: Value, told: inspect.Signature, count: int, names: Mapping[str, Value]
) -> inspect.Signature:
    """The signature of a call that gives `count` arguments by position, and others by
    these names."""
    return form_of(told, count, names) if _by_form(f) else told


def _by_form(f: Value) -> bool:
    """Whether a function may do something else by how its arguments are given."""
    if isinstance(f, Bound):
        return _by_form(f.function)
    if isinstance(f, Partial):
        special = f.function in (Const(transformed), Const(second))
        return _by_form(of_transform(f) if special else f.function)
    if isinstance(f, Closure):
        return f.wraps is not None
    return isinstance(f, Const) and callee_of(f.value).by_form  # type: ignore[arg-type]


def bound_by(
    lowering: Component,
    signature: inspect.Signature,
    who: str,
    args: Any,
    kwargs: Keywords,
) -> Mapping[str, Any]:
    """What a call gives, by the parameters; what Python refuses is refused."""
    twice = [name for name, n in Counter(name for name, _ in kwargs).items() if n > 1]
    try:
        if twice:
            raise TypeError(f"multiple values for argument {twice[0]!r}")  # noqa: TRY301
        bound: Mapping[str, Any] = signature.bind(*args, **dict(kwargs)).arguments
    except TypeError as error:
        return _refuse(lowering, who, error)  # type: ignore[no-any-return]
    return bound


def _refuse(lowering: Component, who: str, error: Exception) -> Any:
    Position.of(lowering).refuse_call(
        f"the call of {who} is wrong: {error}", "Correct the call."
    )


@contextmanager
def placed(lowering: Component) -> Iterator[None]:
    """Refusals of what is said of a function stand at the call, and so do those within
    what transforms are written with."""
    try:
        yield
    except YotaError as error:
        if error.at is None or error.filename == nested_functions.__file__:
            error.at = Position.of(lowering).location()
        raise


# ---------------------------------------------------------------- signatures


def signature_of(lowering: Component, f: Value) -> inspect.Signature:
    """The signature of a function, whose defaults are values of the lowering."""
    if isinstance(f, Closure):
        return _told_by(lowering, f) or _of_closure(f)
    if isinstance(f, Bound):
        return _method(lowering, f.function)
    if isinstance(f, Partial):
        return _of_partial(lowering, f)
    if isinstance(f, Const) and isinstance(f.value, types.MethodType):
        return _method(lowering, Const(f.value.__func__))
    if isinstance(f, Const) and isinstance(f.value, functools.partial):
        return _of_partial(lowering, UserCalls.of(lowering).opened_partial(f, f.value))
    if isinstance(f, Const):
        return _of_constant(lowering, f)
    method = ValueKinds.of(lowering).special_method(f, "__call__")
    if method is not None:
        return _method(lowering, method)
    Position.of(lowering).refuse_call(
        "a transform is given a function whose parameters are unknown",
        "Give it a function that is known by its name.",
    )
    raise AssertionError


def is_plain(f: Value) -> bool:
    """Whether nothing is bound to a function."""
    constant = isinstance(f, Const) and isinstance(f.value, types.FunctionType)
    return constant or isinstance(f, Closure)


def takes_no_more(
    bound: Arguments, names: Sequence[str], facts: Mapping[str, Fact]
) -> bool:
    """Whether the parameters named are those that have gradients by what the function
    says alone: all but those whose default is whole, a string or None."""
    for name, slot in bound.signature.parameters.items():
        default = slot.default.value if isinstance(slot.default, Const) else 0.0
        if slot.kind in (slot.VAR_POSITIONAL, slot.VAR_KEYWORD):
            return False
        never = default is None or type(default) in (int, bool, str)
        varies = facts[name].is_numeric or name in names
        if (varies and not never) != (name in names):
            return False
    return True


def _of_constant(lowering: Component, f: Const) -> inspect.Signature:
    """That of a function which exists already."""
    with placed(lowering):
        known = callee_of(f.value).signature  # type: ignore[arg-type]
    return known.replace(
        parameters=[
            slot
            if slot.default is slot.empty
            else slot.replace(
                default=UserCalls.of(lowering).default_of(slot.default, slot.name)
            )
            for slot in known.parameters.values()
        ]
    )


def _told_by(lowering: Component, f: Closure) -> inspect.Signature | None:
    """That which a wrapper that is made while lowering tells, where it fits."""
    if f.wraps is None:
        return None
    told = signature_of(lowering, f.wraps)
    try:
        filled(_of_closure(f), told)
    except TypeError:
        return None
    return told


def _of_closure(f: Closure) -> inspect.Signature:
    """That of a function which is made while lowering."""
    args = f.node.args
    ahead = [*args.posonlyargs, *args.args]
    late = ahead[len(ahead) - len(f.defaults) :]
    defaults = dict(zip((a.id for a in late), f.defaults, strict=True))
    defaults |= dict(f.kwdefaults)
    kinds = [
        (args.posonlyargs, Parameter.POSITIONAL_ONLY),
        (args.args, Parameter.POSITIONAL_OR_KEYWORD),
        ([args.vararg] if args.vararg else [], Parameter.VAR_POSITIONAL),
        (args.kwonlyargs, Parameter.KEYWORD_ONLY),
        ([args.kwarg] if args.kwarg else [], Parameter.VAR_KEYWORD),
    ]
    return inspect.Signature(
        [
            Parameter(a.id, kind, default=defaults.get(a.id, Parameter.empty))
            for nodes, kind in kinds
            for a in nodes
        ]
    )


def _method(lowering: Component, function: Value) -> inspect.Signature:
    """That of a function whose first argument is given."""
    whole = standing_for(signature_of(lowering, function))
    return inspect.signature(types.MethodType(whole, object()))


def _of_partial(lowering: Component, f: Partial) -> inspect.Signature:
    """That of a function of which some arguments are given, or of a transform."""
    if f.function == Const(second):
        return signature_of(lowering, f.args[0])
    if f.function == Const(transformed):
        return _of_transform(lowering, f)
    whole = standing_for(signature_of(lowering, f.function))
    try:
        return inspect.signature(functools.partial(whole, *f.args, **dict(f.kwargs)))
    except ValueError:
        error = TypeError("the partial gives it arguments that it does not take")
        return _refuse(lowering, quoted(f), error)  # type: ignore[no-any-return]


def _of_transform(lowering: Component, f: Partial) -> inspect.Signature:
    """That of what a transform gives: there are tangents beside the arguments of the
    function, or a direction, or the cotangent."""
    spec: Any = f.args[0]
    inner = signature_of(lowering, f.args[1])
    if spec.value.transform == "jvp":
        wrt = spec.value.wrt
        along = None if wrt is None else names_or_first(tuple(inner.parameters), wrt)
        return with_tangents(inner, along)
    if spec.value.transform == "hvp":
        return with_direction(inner)
    if spec.value.transform == "simplegrad":
        return with_seed(inner, Const(None))
    return inner


# ---------------------------------------------------------------- names


def of_transform(f: Partial) -> Value:
    """The function that a transform was given."""
    if f.function == Const(second):
        inner = f.args[0]
        assert isinstance(inner, Partial)
        return of_transform(inner)
    return f.args[1]


def title_of(f: Value) -> str:
    """What the code of a function's gradient is called after."""
    if isinstance(f, Closure):
        return "function" if "<" in f.name else f.name
    if isinstance(f, Bound):
        return title_of(f.function)
    if isinstance(f, Partial):
        special = f.function in (Const(transformed), Const(second))
        if special:
            return f"{title_of(of_transform(f))}_{_ending(f)}"
        return title_of(f.function)
    name = getattr(getattr(f, "value", None), "__name__", "function")
    return "function" if "<" in name else name


def _ending(f: Partial) -> str:
    """What the code of a transform is called by."""
    spec: Any = f.args[0]
    batch = f.function == Const(transformed) and spec.value.transform == "vmap"
    return "vmap" if batch else "grad"


def quoted(f: Value) -> str:
    """What a function is called in a refusal."""
    return f"`{title_of(f)}`"


def known_options(lowering: Component, wrt: Any) -> object:
    """The names and positions that are written for `wrt`."""
    value = ValueAssumptions.of(lowering).known_value(wrt)
    if value is not None:
        return value.value
    if isinstance(wrt, Const):
        return wrt.value
    items = KnownItems.of(lowering).known_items(wrt, Position.of(lowering).node)
    return [known_options(lowering, item) for item in items]
