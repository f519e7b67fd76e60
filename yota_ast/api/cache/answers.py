"""Compiled gradients and calls -> values and gradients; what finds an answer again.

>>> from yota_ast.api.wrt import Default
>>> wrt_key(["x", 1]), wrt_key(None), wrt_key(Default(None))
(('x', 1), (None,), None)
>>> wrt_key(True) is NEVER
True
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import FunctionType
from typing import Any, Final, cast

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.api.cache.alias_speculation import WrongGuess, told_by
from yota_ast.api.cache.call_forms import plain_call
from yota_ast.api.cache.compiled_gradients import Cache, Entry
from yota_ast.api.cache.fast_calls import NEVER, Asked
from yota_ast.api.cache.known_calls import Known
from yota_ast.api.call_target import Call, Callee
from yota_ast.api.seeds import check_seed, refuse_complex, seed_options
from yota_ast.api.values.structured_gradients import GradientResult
from yota_ast.api.wrt import Default, reasons
from yota_ast.errors import ShapeError, YotaError
from yota_ast.frontend.heap.lowered_values import is_literal_value
from yota_ast.frontend.source.forwarding import depends_on_form
from yota_ast.frontend.source.wrappers import told_signature
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.functions import Parameter
from yota_ast.ir.tape import Tape
from yota_ast.support.captured_data import captured_in, with_captured

_AHEAD: Final = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
)  # fmt: skip
_REAL: Final = frozenset((float, np.float64, np.float32))


def wrt_key(wrt: object) -> Hashable:
    """Return what tells one `wrt` from another; NEVER of one that is looked at anew."""
    cls = type(wrt)
    if cls is str or cls is int:
        return wrt
    if wrt is None:
        return (None,)
    if cls is Default:
        return None
    if isinstance(wrt, (tuple, list)) and cls in (tuple, list):
        plain = all(type(w) is str or type(w) is int for w in wrt)
        return tuple(wrt) if plain else NEVER
    return NEVER


@dataclass(frozen=True, slots=True)
class Answer:
    """What is the same each time that a call is answered.

    names: all parameters that the user sees. wrt: those that have gradients. reasons:
    why others have none. captured: the parameters that stand for cells.
    """

    names: tuple[str, ...]
    wrt: tuple[str, ...]
    reasons: Mapping[str, str]
    captured: tuple[str, ...] = ()

    @staticmethod
    def of(call: Call, wrt: tuple[str, ...], facts: Mapping[str, Fact]) -> Answer:
        """That of a call that has been bound."""
        why = reasons(call, wrt, facts)
        return Answer(call.names, wrt, why, captured_in(call.own))

    def result(
        self, entry: Entry, gradients: Sequence[Any], values: Mapping[str, object]
    ) -> GradientResult:
        """The gradients of a call; values: by parameter, of those that stand for
        cells."""
        tape = entry.tape
        if self.captured:
            tape = _held(tape, {name: values[name] for name in self.captured})
        found = dict(zip(self.wrt, gradients, strict=True))
        source = entry.function.source
        return GradientResult(self.names, found, self.reasons, tape=tape, source=source)


def _held(tape: Tape, values: Mapping[str, object]) -> Tape:
    """The tape with defaults for the parameters that stand for cells."""

    def of(param: Parameter) -> Parameter:
        name = param.var.name
        if name not in values:
            return param
        value = values[name]
        default = Const(value, None if is_literal_value(value) else name)
        return replace(param, default=default)

    return replace(tape, params=tuple(map(of, tape.params)))


def lifted(call: Call, values: Mapping[str, object]) -> Call:
    """The call where what some cells hold are arguments too."""
    if not values:
        return call
    return replace(
        call, values={**call.values, **values}, kwargs={**call.kwargs, **values},
        own=with_captured(call.own, [*values]),
    )  # fmt: skip


def with_cells(
    cache: Cache, callee: Callee, call: Call, make: Callable[[Call], Entry]
) -> Call:
    """The call with the data that its closure's cells hold for arguments, where other
    closures of the code hold other data and the function can be followed so; make:
    what compiles a call."""
    fn = callee.fn
    if not isinstance(fn, FunctionType) or callee.by_form:
        return call
    site = cache.fast.site_of(fn)
    while True:
        whole = lifted(call, site.captured(fn))
        if whole is call:
            return call
        try:
            entry = make(whole)
        except YotaError:
            site.fix()
            continue
        if not entry.tape.distinct and not entry.tape.given_up:
            return whole
        site.fix()  # what shares memory, or decides a branch, is known of constants


def note_answer(
    cache: Cache, asked: Asked, callee: Callee, call: Call, entry: Entry,
    answer: object, *, of_gradient: bool = True,
) -> None:  # fmt: skip
    """Note how a call of a plain function has been answered; answer: what is the same
    each time, for whoever finds it again. of_gradient: one without gradients is not."""
    f, args, kwargs, _ = plain_call(asked[0], (), {})
    held, known = (*args, *kwargs.values()), (*callee.args, *callee.kwargs.values())
    plain = callee.fn is f and [*kwargs] == [*callee.kwargs]
    plain = plain and (callee.by_form or not _asks_its_object(callee))
    same = len(held) == len(known) and all(map(operator.is_, held, known))
    empty = of_gradient and not entry.program.results
    if plain and same and not empty and not entry.tape.outside:
        kinds = [p.kind for p in call.own.parameters.values()]
        ahead = sum(kind in _AHEAD for kind in kinds)
        cache.fast.note(asked, entry, call.values, ahead, answer)


def _asks_its_object(callee: Callee) -> bool:
    """Whether a wrapper, of a method, reads of its object what it calls: by that it may
    do something else with arguments by name."""
    if not callee.args or told_signature(callee.fn) is None:
        return False
    fn = cast("FunctionType", callee.fn)
    return depends_on_form(fn, callee.own, None)


def again(
    cache: Cache,
    f: Any,
    wrt: Hashable,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> tuple[Known, tuple[Any, ...], tuple[Any, ...]] | None:
    """What answers a call like one before, the value and the gradients, and the values
    of the parameters; None where the call takes the long way."""
    found = cache.fast.find(f, wrt, args, kwargs)
    if found is None:
        return None
    known, values = found
    try:
        given = known.run(values)
    except ValueError as error:
        told = _told(known.entry, error)
        if isinstance(told, WrongGuess) or known.entry.is_unfit(error):
            return None
        if told is None:
            raise
        raise told from None
    if type(given) is not tuple or not _are_real(given):
        by_name = dict(zip(known.names, values, strict=True))
        value, gradients = _checked(known.entry, given, None, by_name)
        given = (value, *gradients)
    return known, given, values


def result_again(
    known: Known, given: Sequence[Any], values: Sequence[object]
) -> GradientResult:
    """The gradients that `again` has found."""
    answer: Answer = known.told
    if answer.captured:
        held = dict(zip(known.names, values, strict=True))
        return answer.result(known.entry, given[1:], held)
    found = dict(zip(answer.wrt, given[1:], strict=True))
    tape, source = known.entry.tape, known.entry.function.source
    return GradientResult(answer.names, found, answer.reasons, tape=tape, source=source)


def _are_real(given: tuple[Any, ...]) -> bool:
    """Whether a value is a real number, and so are the gradients, or arrays of such."""
    for part in given:
        cls = type(part)
        if cls not in _REAL and (cls is not np.ndarray or part.dtype.kind != "f"):
            return False
    return type(given[0]) in _REAL


def run_gradient(entry: Entry, call: Call, seed: object) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients, by the generated code."""
    program = entry.program
    try:
        options = seed_options(program, seed)
    except ShapeError:
        raise  # a seed is wanted, and nothing is run without
    except YotaError as error:
        raise (_refusal_met(entry, call) or error) from None
    given = run_text(entry, entry.function.fn, call, options)
    return _checked(entry, given, seed, call.values)


def run_text(
    entry: Entry, fn: Callable[..., Any], call: Call, options: Mapping[str, object]
) -> Any:
    """What the generated code gives, or another that was made of it: raises what its
    errors tell."""
    try:
        return fn(*call.args, **call.kwargs, **options)
    except ValueError as error:
        told = _told(entry, error)
        if told is None:
            raise
        raise told from None


def _told(entry: Entry, error: ValueError) -> Exception | None:
    """What an error of generated code tells; None where it is the function's own."""
    name = entry.program.name
    if type(error) is ValueError and str(error).startswith(f"{name}: seed"):
        return ShapeError(str(error))
    return told_by(entry.tape, error)


def _checked(
    entry: Entry, given: Any, seed: object, values: Mapping[str, object]
) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients; raises where they are complex, or the seed does not
    fit the value."""
    program = entry.program
    value, *gradients = given if program.results else (given,)
    check_seed(program, seed, value)
    for name, gradient in zip(program.wrt, gradients, strict=False):
        refuse_complex(program.name, name, values[name], gradient)
    return value, tuple(gradients)


def _refusal_met(entry: Entry, call: Call) -> Exception | None:
    """Why the branch that the call takes is not followed, where it is not: what its
    value is built like is then not known, though the others tell of theirs."""
    if not entry.tape.given_up:
        return None
    try:
        entry.function.fn(*call.args, **call.kwargs, **{entry.program.seed: 1.0})
    except Exception as error:  # noqa: BLE001 - any other is not what is asked for
        return dict(entry.tape.given_up).get(str(error))
    return None
