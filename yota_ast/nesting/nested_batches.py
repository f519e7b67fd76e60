"""A call of what `vmap` gives, inside a function -> the code of a batch, called.

The body of the function becomes a tape of one example, as that of another nested call.
Its variables are the arguments that hold examples, without the axis of these, and what
the function reads of its surroundings, which all examples share.

>>> axes_of((None, 0), ("w", "x", "k")), axes_of(0, ("w", "x"))
({'w': None, 'x': 0}, {'w': 0, 'x': 0})
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.api.wrt import names_among
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.solved_functions import Own
from yota_ast.frontend.calls.solver_calls import SolverCalls
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact, anonymous, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.functions import Parameter
from yota_ast.ir.tape import Tape
from yota_ast.nesting.nested_arguments import Arguments, title_of
from yota_ast.nesting.nested_options import Spec
from yota_ast.nesting.nested_values import names_of, renamed
from yota_ast.syntax.names import unused
from yota_ast.syntax.value_paths import axis_text

A_LOOP: Final = "Write a loop over the examples, or call `vmap` outside."
TELL: Final = (
    "Give example arguments, or tell the axes by `--like`; or write a loop over the "
    "examples."
)
Axes = Mapping[str, int | None]
BatchMaker = Callable[[Tape, Mapping[str, int]], Callable[..., Any]]


def batch(
    lowering: Component, maker: BatchMaker, spec: Spec, f: Value, bound: Arguments
) -> Value:
    """What a batch gives. Raises UnsupportedCall for what has no batched form."""
    shared = spec.shared
    if shared is None:
        axes = axes_of(spec.in_axes, bound.parameters)
    else:
        names = names_among(bound.parameters, list(shared))
        axes = {k: None if k in names else 0 for k in bound.parameters}
    examples = _examples_in(lowering, bound, axes, lenient=shared is not None)
    tape, own, given = _example_tape(lowering, f, bound, examples)
    fn = lowering.settings.nested_code.get(
        (tape, tuple(own.items())), lambda: maker(tape, own)
    )
    found: Value = Language.of(lowering).call(Const(fn, fn.__name__), given)
    return found


def axes_of(in_axes: Any, parameters: Sequence[str]) -> Axes:
    """The axis of the examples in each argument."""
    if in_axes is None or isinstance(in_axes, int):
        return dict.fromkeys(parameters, in_axes)
    return dict(zip(parameters, in_axes, strict=False))


def _examples_in(
    lowering: Component, bound: Arguments, axes: Axes, *, lenient: bool
) -> dict[str, tuple[Var, int]]:
    """The arguments that hold examples, and where the axis of these is; lenient: what
    is no array is shared."""
    found: dict[str, tuple[Var, int]] = {}
    for name, value in bound.values.items():
        axis = axes.get(name)
        if axis is None or value is bound.signature.parameters[name].default:
            continue
        opened = ArgumentParts.of(lowering).opened(value)
        fact = Operations.of(lowering).fact(opened)
        rank, is_array = fact.rank, fact.kind == "array"
        unknown = rank is None or fact.dtype is None
        if fact.kind == "real" or (is_array and unknown):
            _refuse(
                lowering, f"the axes of `{name}`, given to `vmap`, are unknown", TELL
            )
        if lenient and not (is_array and rank):
            continue
        if not isinstance(opened, Var) or not is_array or rank is None:
            _refuse(lowering, f"`{name}`, given to `vmap`, is no array of examples")
        if not -rank <= axis < rank:
            _refuse(lowering, f"`{name}`, given to `vmap`, has no axis {axis}")
        found[name] = opened, axis % rank
    if not found:
        _refuse(lowering, "`vmap` is given no array of examples")
    return found


def _example_tape(
    lowering: Component, f: Value, bound: Arguments, examples: Mapping[str, Any]
) -> tuple[Tape, dict[str, int], tuple[Value, ...]]:
    """The call for one example as a tape, the axes by its parameters, and what the code
    of the batch is called with."""
    names, title = list[str](), title_of(f)
    for name in examples:
        names.append(unused(name, names))
    facts = tuple(_of_example(v.fact, axis) for v, axis in examples.values())

    def body(variables: Sequence[Var]) -> Value:
        made = dict(zip(examples, variables, strict=True))
        return bound.call(lowering, f, {**bound.values, **made})

    generalisation = Generalisation.of(lowering)
    known = set(generalisation.functions)
    function, held = SolverCalls.of(lowering).function_of(
        body, Own(tuple(names), facts), title, "`vmap`"
    )
    if function.name not in known:
        del generalisation.functions[function.name]
    axes = {
        p.name: axis
        for p, (_, axis) in zip(function.params, examples.values(), strict=False)
    }
    lengths = names_of([_as_whole(p, axes) for p in function.params])
    called = generalisation.functions_of(function.block)
    function = renamed(function, lengths)
    params = tuple(Parameter(_measured(p, axes)) for p in function.params)
    tape = Tape(
        function.title, params, function.block, function.result,
        module=Position.of(lowering).frame.scope.module,
        functions=tuple(renamed(g, lengths) for g in called),
    )  # fmt: skip
    around = (Language.of(lowering).fresh(v) for v in held)
    return tape, axes, (*(v for v, _ in examples.values()), *around)


def _of_example(fact: Fact, axis: int) -> Fact:
    """What is known of each example in an array."""
    known = anonymous(fact)
    assert isinstance(known.shape, tuple)
    assert known.dtype is not None
    shape = (*known.shape[:axis], *known.shape[axis + 1 :])
    return array_fact(known.dtype, shape) if shape else Fact("scalar", known.dtype, ())


def _as_whole(var: Var, axes: Mapping[str, int]) -> Var:
    """A parameter with the axis of the examples, whose length is not named."""
    if var.name not in axes or not isinstance(var.fact.shape, tuple):
        return var
    axis, shape = axes[var.name], var.fact.shape
    whole = (*shape[:axis], None, *shape[axis:])
    return replace(var, fact=replace(var.fact, kind="array", shape=whole))


def _measured(var: Var, axes: Mapping[str, int]) -> Var:
    """A parameter whose unknown lengths are called after itself."""
    shape = var.fact.shape
    if var.name not in axes or not isinstance(shape, tuple):
        return var
    named = tuple(_named(var.name, shape, axes[var.name]))
    return replace(var, fact=replace(var.fact, shape=named))


def _named(name: str, shape: Sequence[Dim | None], axis: int) -> Iterator[Dim]:
    for k, dim in enumerate(shape):
        yield dim or Dim(axis_text(name, k + (k >= axis)))


def _refuse(lowering: Component, reason: str, remedy: str = A_LOOP) -> NoReturn:
    Position.of(lowering).refuse_call(reason, remedy)
