"""A callable and arguments -> its tape, from what it does with values that record.

For functions without a source: what `exec` made, lambdas of a prompt, functions of
other libraries, and of C, that compute by NumPy's protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.api.cache.fixed_parameters import checked
from yota_ast.api.executed_source import from_source
from yota_ast.api.values.leaves import copied
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.interpreter import play
from yota_ast.ir.tape import Tape
from yota_ast.pipeline import Request, lowered
from yota_ast.recording.recorded_call import call_of
from yota_ast.recording.recorded_function import Record, record

Fn = Callable[..., Any]
_ROUNDINGS: Final = 1e4
"""By how many rounding errors the record may differ from the function."""


def is_of_values(tracer: object) -> bool:
    """Whether a tape is to be made from values, and not from the source.

    Raises ValueError for a tracer that does not exist.
    """
    if tracer not in ("source", "values"):
        raise ValueError('trace: tracer is "source" or "values"')
    return tracer == "values"


def tape_of_values(
    fn: Fn, args: Sequence[Any], kwargs: Mapping[str, Any],
    primitives: Sequence[Any] = (),
) -> Tape:  # fmt: skip
    """The tape of what a function does with copies of arguments. It is called twice,
    once with values that record.

    Raises UnsupportedCall where something cannot be seen, or the tape gives another
    value than the function.
    """
    given = tuple(args), dict(kwargs)
    expected = _run(fn, given)
    made = record(fn, call_of(fn, *copied(given)), primitives)
    values = {p.name: p.value for p in call_of(fn, *given).parameters}
    tape = _lowered(made, values, primitives)
    try:
        found = _run(lambda *a, **k: play(tape, *a, **k), given)
    except ValueError as error:
        raise UnsupportedCall(
            f"what was recorded of `{made.name}` cannot be run: {error}",
            remedy="Give it a source: `ya.from_source`.",
        ) from None
    if not _alike(expected, found):
        raise UnsupportedCall(
            f"what was recorded of `{made.name}` gives another value than the function",
            remedy="It may depend on what it keeps between calls, on `type(x)`, or on"
            " memory that two arguments share. Give it a source: `ya.from_source`.",
        )
    return tape


def _lowered(
    made: Record, values: Mapping[str, Any], primitives: Sequence[Any]
) -> Tape:
    """The tape of the text of a record."""
    names = {"__name__": f"recorded_{made.name}", **made.names}
    fn = from_source(made.text, names)[made.name]
    facts = {name: fact_of(value, name) for name, value in values.items()}
    request = Request(fn, facts, values, primitives=tuple(primitives))
    return checked(lowered(request), values)


def _run(fn: Fn, given: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
    """What a function returns, and what it leaves in copies of the arguments."""
    args, kwargs = copied(given)
    return fn(*args, **kwargs), args, kwargs


def _alike(one: Any, other: Any) -> bool:
    """Whether two results are the same, but for rounding."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(_alike(one[key], other[key]) for key in one)
        )
    if isinstance(one, (list, tuple)):
        same = isinstance(other, (list, tuple)) and len(one) == len(other)
        return same and all(map(_alike, one, other))
    if isinstance(one, (np.ndarray, np.generic, int, float, complex)):
        return _equal(np.asarray(one), np.asarray(other))
    return one is other or bool(one == other)


def _equal(one: Any, other: Any) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.all(one == other))
    eps = _ROUNDINGS * float(np.finfo(one.dtype).eps)
    size = float(np.max(np.abs(one[np.isfinite(one)]), initial=0.0))
    return bool(np.allclose(one, other, rtol=eps, atol=eps * size, equal_nan=True))
