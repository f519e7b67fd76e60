"""A call with a batch of examples -> the code for it, and what that gives.

>>> from yota_ast.api.call_target import callee_of
>>> callee = callee_of(lambda w, x: w * x)
>>> axes_by_argument(callee, (None, 0)), axes_by_argument(callee, 1)
({'w': None, 'x': 0}, {'w': 1, 'x': 1})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.api.cache.answers import note_answer
from yota_ast.api.cache.compiled_gradients import Cache, Entry, Query
from yota_ast.api.cache.fast_calls import Asked
from yota_ast.api.call_target import Call, Callee, callee_of
from yota_ast.api.pickling import pickled_so
from yota_ast.api.wrt import refuse_floatless
from yota_ast.batching.batched_program import fact_of_example
from yota_ast.errors import ShapeError, YotaError
from yota_ast.ir.abstract_values import UNKNOWN, Fact, describe, fact_of
from yota_ast.ir.atoms import fact_of_atom
from yota_ast.ir.tape import Tape
from yota_ast.pipeline import Request, batched, compiled, dependencies_of
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.transform import OfLatestCall

Fn = Callable[..., Any]
InAxes = int | Sequence[int | None] | None
Axes = Mapping[str, int | None]
_CACHE: Final = Cache()
_OWN: Final = (
    "What holds examples is an argument of its own: vmap(lambda W, x: f({'W': W}, x))."
)


@pickled_so
class Vmapped(OfLatestCall):
    """What `vmap` gives, and `value_and_grad` of each example."""


def batch_of(
    f: Fn, axes_of: Axes, wrt: tuple[str, ...] | None, *, aux: bool = False,
    bare: bool = False, lenient: bool = False,
) -> Fn:  # fmt: skip
    """What runs a batch: of the values of f, or of these and derivatives; bare: of the
    derivatives alone; lenient: what is no array is shared, whatever `axes_of` says."""
    latest: list[str] = []
    key = ("vmap", tuple(axes_of.items()), wrt, aux, lenient)

    def run(*args: object, **kwargs: object) -> Any:
        asked = f, key, args, kwargs
        again = _again(asked)
        if again is None:
            callee = callee_of(f)
            call = callee.bind(args, kwargs)
            axes = _axes(call, axes_of, lenient=lenient)
            entry = _entry(callee, call, axes, wrt, aux=aux)
            found = entry.function.fn(*call.args, **call.kwargs)
            note_answer(_CACHE, asked, callee, call, entry, None, of_gradient=False)
        else:
            entry, found = again
        latest[:] = [entry.function.source]
        if wrt is None:
            return found
        value, gradients = found[0], found[1:]
        both = gradients[0] if len(gradients) == 1 else gradients
        if bare:
            return (both, value[1]) if aux else both
        return value, both

    run.latest = latest  # type: ignore[attr-defined]
    return run


def _again(asked: Asked) -> tuple[Entry, Any] | None:
    """The code that serves a call like one before, and what it gives; None where the
    call takes the long way."""
    found = _CACHE.fast.find(*asked)
    if found is None:
        return None
    known, values = found
    try:
        return known.entry, known.run(values)
    except ValueError as error:
        if known.entry.is_unfit(error):
            return None
        raise


# ------------------------------------------------------------------ axes


def axes_by_argument(callee: Callee, in_axes: Any) -> Axes:
    """The axis of each parameter, as `in_axes` says."""
    names = callee.parameters
    if in_axes is None or _is_axis(in_axes):
        return dict.fromkeys(names, in_axes)
    given = list(in_axes) if isinstance(in_axes, (tuple, list)) else None
    if given is None or not all(a is None or _is_axis(a) for a in given):
        raise YotaError(
            f"vmap: in_axes={in_axes!r} is no number, None, or tuple of these",
            remedy=f"Containers are shared as a whole: give None for them. {_OWN}",
        )
    if len(given) > len(names):
        raise YotaError(
            f"vmap: in_axes has {len(given)} axes for {len(names)} arguments",
            remedy="Give one for each argument.",
        )
    return dict(zip(names, given, strict=False))


def _is_axis(axis: object) -> bool:
    return isinstance(axis, (int, np.integer)) and not isinstance(axis, bool)


def axes_of_data(callee: Callee, shared: Sequence[str]) -> Axes:
    """Axis 0 of all arguments but those that are shared."""
    return {name: None if name in shared else 0 for name in callee.parameters}


def _axes(call: Call, axes_of: Axes, *, lenient: bool) -> dict[str, int]:
    """The axis of the examples in each argument of a call that has one."""
    found: dict[str, int] = {}
    for name, value in call.arguments.items():
        if _is_default(call, name, value):
            continue
        if name not in axes_of:
            raise YotaError(
                f"vmap: in_axes says nothing of `{name}`",
                remedy="Give an axis or None for each argument.",
            )
        axis = axes_of[name]
        if axis is None:
            continue
        if lenient and not (_is_array(value) and np.ndim(value)):  # type: ignore[arg-type]
            continue
        found[name] = _axis(name, value, int(axis))
    if not found:
        raise YotaError(
            "vmap: no argument has an axis of examples",
            remedy="Give an axis for one of them: in_axes=(0, None).",
        )
    return found


def _is_default(call: Call, name: str, value: object) -> bool:
    """Whether an argument is left out in a call."""
    slot = call.own.parameters.get(name)
    return slot is not None and slot.default is value


def _axis(name: str, value: Any, axis: int) -> int:
    if not _is_array(value):
        raise YotaError(
            f"vmap: `{name}` is a {type(value).__name__}, and no array of examples",
            remedy=f"Give None for what all examples share: in_axes=(0, None). {_OWN}",
        )
    rank = value.ndim
    if not -rank <= axis < rank:
        axes = "1 axis" if rank == 1 else f"{rank} axes"
        raise ShapeError(
            f"vmap: `{name}` has {axes}, and no axis {axis} of examples",
            remedy="Give another axis, or None for what all examples share.",
        )
    return axis + rank if axis < 0 else axis


def _is_array(value: Any) -> bool:
    plain = type(value) in (np.ndarray, np.memmap)
    return plain and value.dtype.kind in "biufc"


# ------------------------------------------------------------------ the code


def _entry(
    callee: Callee, call: Call, axes: Mapping[str, int],
    wrt: tuple[str, ...] | None, *, aux: bool,
) -> Entry:  # fmt: skip
    """The compiled code for these arguments, from the cache or made now."""
    facts = _facts(call, axes, wrt or ())
    options = (*call.form, ("in_axes", tuple(axes.items())), ("has_aux", aux),
               ("gradient", wrt is not None))  # fmt: skip
    query = Query(facts, call.values, wrt or (), options)
    found = _CACHE.find(callee.fn, query)
    if found is not None:
        return found
    version = BOOK.version
    if wrt is not None:
        refuse_floatless(wrt, facts)
    examples = {k: v for k, v in call.values.items() if k not in axes}
    request = Request(callee.fn, facts, examples, signature=call.own, aux=aux)
    tape, program = batched(request, axes, wrt, aux=aux)
    if wrt is not None:
        _refuse_no_number(tape, aux=aux)
    entry = Entry.made_for(
        query, version=version, tape=tape, program=program, function=compiled(program),
        dependencies=dependencies_of(callee.fn, tape, call.values),
    )  # fmt: skip
    _CACHE.add(callee.fn, entry)
    return entry


def _facts(
    call: Call, axes: Mapping[str, int], named: Sequence[str]
) -> dict[str, Fact]:
    """What is known of the arguments of one example."""
    facts = {
        name: fact_of_example(value, name, axes[name])  # type: ignore[arg-type]
        if name in axes
        else fact_of(value, name)
        for name, value in call.values.items()
    }
    return {k: f.varying() if k in named else f for k, f in facts.items()}


def _refuse_no_number(tape: Tape, *, aux: bool) -> None:
    """Raise ShapeError where the value of an example is no real number."""
    known = fact_of_atom(tape.result)
    if aux:
        known = known.items[0] if known.items else UNKNOWN
    if known.shape != () or not known.is_numeric or known.is_complex:
        raise ShapeError(
            f"{tape.name} gives {describe(known)} for each example, and a gradient "
            "needs a real number",
            remedy="Return one number, or take `jacobian`.",
        )
