"""A call of a function within another -> its tape, and the code that is made of it.

The body of the function becomes a tape of its own, whose variables are the floats of
the arguments in question and what the function reads of its surroundings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.errors import UnsupportedCall, UnsupportedSyntax
from yota_ast.frontend.calls.call_signatures import (
    Mould,
    facts_of,
    filled,
    floats_apart,
    leaves,
    named,
)
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.solved_functions import Own
from yota_ast.frontend.calls.solver_calls import SolverCalls
from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.applied_functions import AppliedFunctions
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.heap.lowered_values import Heap, Value, reached
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.abstract_values import Fact, anonymous
from yota_ast.ir.atoms import Const, Var, fact_of_atom
from yota_ast.ir.functions import Parameter
from yota_ast.ir.tape import Tape
from yota_ast.nesting.nested_arguments import Arguments, title_of
from yota_ast.nesting.nested_values import names_of, renamed
from yota_ast.syntax.names import unused

Fn = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Makers:
    """How code is made of a tape: gradient gives the function of the value and of the
    gradients in the variables named, and what it calls the cotangent (`unit`: it is 1;
    `aux`: it is that of the first item of the value);
    tangent that of the value and its tangent, whose parameters end with the
    tangents; batch that of the values of many examples, by the axes of these."""

    gradient: Callable[[Tape, tuple[str, ...], bool, bool], tuple[Fn, str]]
    tangent: Callable[[Tape, tuple[str, ...]], Fn]
    batch: Callable[[Tape, Mapping[str, int]], Fn]

    def gradient_of(
        self, lowering: Component, f: Value, bound: Arguments, names: tuple[str, ...],
        *, unit: bool, pure: bool = False, aux: bool = False,
    ) -> Made:  # fmt: skip
        """The gradient code of a call."""
        body = body_of(lowering, f, bound, names, pure=pure)
        one = unit and (aux or Operations.of(lowering).fact(body.tape.result).is_scalar)
        fn, seed = lowering.settings.nested_code.get(
            (body.tape, body.wrt, one, aux),
            lambda: self.gradient(body.tape, body.wrt, one, aux),
        )
        if pure and body.writes:  # it is called again, when they have been written
            body = replace(body, given=tuple(_copied(lowering, v) for v in body.given))
        return _made_of(body, fn, seed)

    def tangent_of(
        self, lowering: Component, f: Value, bound: Arguments, names: tuple[str, ...]
    ) -> Made:
        """The code of the tangent of a call."""
        body = body_of(lowering, f, bound, names)
        fn = lowering.settings.nested_code.get(
            (body.tape, body.wrt), lambda: self.tangent(body.tape, body.wrt)
        )
        return _made_of(body, fn, "")


@dataclass(frozen=True, slots=True)
class Made:
    """Gradient code, and what it is called with.

    given: the floats in question, then what the function reads of its surroundings.
    moulds: the structure of each argument in question, by name. again: the function is
    to be called as well, for it writes into its arguments, and the code into copies, or
    gives back a container that it is given. value: what is known of what it gives.
    """

    fn: Const
    seed: str
    given: tuple[Value, ...]
    moulds: Mapping[str, Mould]
    again: bool
    value: Fact


@dataclass(frozen=True, slots=True)
class Body:
    """A call as a tape of its own, whose first `count` parameters are the floats in
    question, and the first `own` of the call; the rest as in `Made`. writes, returns:
    why the function is to be called as well."""

    tape: Tape
    given: tuple[Value, ...]
    moulds: Mapping[str, Mould]
    count: int
    own: int
    writes: bool
    returns: bool

    @property
    def wrt(self) -> tuple[str, ...]:
        """The names of the floats in question."""
        return tuple(p.var.name for p in self.tape.params[: self.count])


def _made_of(body: Body, fn: Fn, seed: str) -> Made:
    value = fact_of_atom(body.tape.result)
    again = body.writes or body.returns
    return Made(Const(fn, fn.__name__), seed, body.given, body.moulds, again, value)


def body_of(
    lowering: Component, f: Value, bound: Arguments, names: tuple[str, ...],
    *, pure: bool = False,
) -> Body:  # fmt: skip
    """A call as a tape of its own. Of a function that writes into its arguments it
    is that of copies, which must be all that it knows them by."""
    snapshots = Snapshots.of(lowering)
    mark = snapshots.mark()
    try:
        return _tape(lowering, f, bound, names, pure=pure)
    except (UnsupportedSyntax, UnsupportedCall) as refusal:
        snapshots.back_to(mark)
        try:
            body = _tape(lowering, f, bound, names, pure=True, copied=True)
            shared = _share_memory(lowering, body)
        except (UnsupportedSyntax, UnsupportedCall):
            shared = True
        if shared:
            raise refusal from None
        return body


def is_lost(lowering: Component, value: Value) -> bool:
    """Whether there are floats in a value that are not followed: those of a container
    or an object of a module, or of a default."""
    mould = floats_apart(
        ArgumentParts.of(lowering).opened(value), Cells.of(lowering).heap
    )
    return not list(facts_of(mould)) and bool(
        Operations.of(lowering).fact(value).holds_floats
    )


def _tape(
    lowering: Component, f: Value, bound: Arguments, names: tuple[str, ...],
    *, pure: bool, copied: bool = False,
) -> Body:  # fmt: skip
    cells = Cells.of(lowering)
    position = Position.of(lowering)
    generalisation = Generalisation.of(lowering)
    moulds, floats = dict[str, Mould](), list[Value]()
    own_names, facts = list[str](), list[Fact]()
    others = _other_arrays(bound, names) if copied else ()
    returned = set[int]()
    for name in (*names, *others):
        value = ArgumentParts.of(lowering).opened(bound.values[name])
        whole = bound.whole and name in names
        mould = floats_apart(value, cells.heap, whole=whole)
        if is_lost(lowering, value):
            position.refuse_call(
                f"`{name}` is neither an argument nor made in the function, so its "
                "floats are not differentiated",
                "Make it in the function, or name other arguments in `wrt`.",
            )
        moulds[name] = mould
        floats += leaves(mould, value, cells.heap)
        for hint, fact in named(mould, name):
            own_names.append(unused(hint, own_names))
            facts.append(replace(anonymous(fact), length=None))

    def body(variables: Sequence[Var]) -> Value:
        made = iter(variables)
        given, before = dict(bound.values), Snapshots.of(lowering).snapshot().heap
        for name, mould in moulds.items():
            given[name] = filled(mould, made, cells.new_cell)
        filled_in = {k: v for k, v in cells.heap.items() if k not in before}
        if copied:
            given = {k: _copied(lowering, v) for k, v in given.items()}
        value = bound.call(lowering, f, given)
        _refuse_changed(lowering, title, filled_in)
        returned.update(reached(cells.heap, value) & filled_in.keys())
        return value

    known, title = set(generalisation.functions), title_of(f)
    function, held = SolverCalls.of(lowering).function_of(
        body, Own(tuple(own_names), tuple(facts)), title, "a transform", pure=pure
    )
    if function.name not in known:
        del generalisation.functions[function.name]
    names_inside = names_of(function.params)
    called = generalisation.functions_of(function.block)
    function = renamed(function, names_inside)
    tape = Tape(
        function.title, tuple(map(Parameter, function.params)), function.block,
        function.result, module=position.frame.scope.module,
        functions=tuple(renamed(f, names_inside) for f in called),
    )  # fmt: skip
    around = tuple(Language.of(lowering).fresh(v) for v in held)
    asked = {name: moulds[name] for name in names}
    count = sum(len(list(facts_of(mould))) for mould in asked.values())
    return Body(
        tape, (*floats, *around), asked, count, len(facts), copied, bool(returned)
    )


def _copied(lowering: Component, value: Value) -> Value:
    """A copy of an array; all else as it is."""
    if not isinstance(value, Var) or value.fact.kind != "array":
        return value
    return AppliedFunctions.of(lowering).numpy_call("array", value)


def _refuse_changed(lowering: Component, title: str, cells: Heap) -> None:
    """Refuse a function that changes a container or an object that it is given: its
    code is that of another one, of the same items."""
    if any(
        Cells.of(lowering).heap.get(number) != cell for number, cell in cells.items()
    ):
        Position.of(lowering).refuse_call(
            f"`{title}`, given to a transform, changes a container among its arguments",
            "Make a new container: [*items], {**items}.",
        )


def _other_arrays(bound: Arguments, names: Sequence[str]) -> tuple[str, ...]:
    """The other arguments that are arrays."""
    others = ((k, v) for k, v in bound.values.items() if k not in names)
    return tuple(k for k, v in others if isinstance(v, Var) and v.fact.kind == "array")


def _share_memory(lowering: Component, body: Body) -> bool:
    """Whether two of the arrays that a call is given, or reads around it, may be in one
    piece of memory: what is written into a copy of one the other does not show."""
    seen = set[str]()
    for value in body.given:
        roots = set(Language.of(lowering).memory_of(value).roots)
        if roots & seen:
            return True
        seen |= roots
    return False
