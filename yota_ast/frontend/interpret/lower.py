"""A function and the facts of its arguments -> its tape.

Lowering is interpretation: names stand for variables of the tape, for constants, or for
virtual values, and each operation on variables appends an op.  Calls of anything but
primitives are lowered in place.  No code of the user's is run.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    InternalError,
    Location,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.frontend.arrays.number_guesses import NumberGuesses
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.large_functions import foresight
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, dissolve
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.listed_objects import ListedObjects
from yota_ast.frontend.interpret.composition import interpreter
from yota_ast.frontend.interpret.function_lowering import FunctionLowering
from yota_ast.frontend.library.builtin_functions import REPLACEMENTS
from yota_ast.frontend.source.decorator_refusals import object_or, refused_at_user
from yota_ast.frontend.source.definitions import locate
from yota_ast.frontend.source.numba_functions import python_of, superseded
from yota_ast.frontend.state.lowering_records import (
    Keyed,
    MuchCalled,
    Owned,
    SeldomCalled,
    SetOutside,
    Sliced,
)
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.tape import Tape
from yota_ast.support.kept_functions import marked_form
from yota_ast.syntax.names import identifier, is_plain

AGAIN: Final = (
    Owned, SetOutside, Sliced, Keyed, MuchCalled, SeldomCalled, YotaError,
)  # fmt: skip
"""What a lowering ends with that begins again, if other settings may help."""


def _plain(fn: Any) -> tuple[Callable[..., object], frozenset[object]]:
    """The function under a method, or under what Numba compiles; and the code that is
    compiled."""
    while isinstance(fn, types.MethodType):
        fn = fn.__func__
    inner = python_of(fn)
    if inner is None:
        return fn, frozenset()
    changed = superseded(fn)
    if changed is not None:
        raise UnsupportedSyntax(changed[0], remedy=changed[1])
    return inner, frozenset({inner.__code__})


def lower(
    fn: Callable[..., object],
    facts: Mapping[str, Fact],
    settings: Settings,
    *,
    examples: Mapping[str, object] | None = None,
    name: str | None = None,
    told: inspect.Signature | None = None,
) -> Tape:
    """The tape of `fn`.

    facts: by parameter; of one that is missing the annotation and the default tell,
    else it is a float or a real array. settings: what is asked for; of a function that
    Numba compiles its code is added, and what is foreseen of large functions. examples:
    values of parameters: the fields of objects are read from them, functions among them
    are constants. told: the signature that a wrapper tells; the tape has its
    parameters.

    Raises UnsupportedSyntax, UnsupportedCall, SourceUnavailable, each with its place.
    """
    fn, compiled = _plain(marked_form(fn))
    begun: list[FunctionLowering] = []
    try:
        if not isinstance(fn, types.FunctionType):
            locate(fn)
            raise InternalError("no function")  # noqa: TRY301
        if settings.outlining:
            ahead = foresight(fn, settings.is_primitive)
            settings = replace(settings, foresight=ahead, foreseen=ahead.large)
        settings = replace(settings, compiled=compiled)
        title, called = name or title_of(fn), object_or(fn, examples)

        def attempt(lowering: FunctionLowering) -> Tape:
            ValueAssumptions.of(lowering).wrappers.append((called, None))
            with refused_at_user(called):
                return lowering.lower(fn, facts, examples or {}, title, told)

        return _lowered(attempt, settings, begun, exemplified=bool(examples))
    except RecursionError:
        reason = "the code is nested too deeply"
        raise UnsupportedSyntax(
            reason, at=_place(begun), remedy="Split the function."
        ) from None
    except YotaError:
        raise
    except Exception as error:
        reason = f"lowering failed: {type(error).__name__}: {error}"
        raise InternalError(reason, at=_place(begun)) from error
    finally:
        for lowering in begun:
            dissolve(lowering)


def _lowered(
    attempt: Callable[[FunctionLowering], Tape],
    settings: Settings,
    begun: list[FunctionLowering],
    *,
    exemplified: bool,
) -> Tape:
    """The tape that an attempt gives, begun again with what each one has found out.
    begun: gets the one that runs. exemplified: see `changed_settings`. Objects in lists
    may not change, so that dicts stand for them only where nothing else helps."""
    listing, wanted = replace(settings, listing=True), settings.listing
    while True:
        begun[:] = [lowering := interpreter(settings)]
        if settings.watch is not None:
            settings.watch.begin()
        try:
            return attempt(lowering)
        except AGAIN as found:
            wanted = wanted or ListedObjects.of(lowering).refused
            try:
                settings = changed_settings(settings, lowering, found, exemplified)
            except YotaError:
                if settings.listing or not wanted:
                    raise
                settings = listing
        dissolve(lowering)


def changed_settings(
    settings: Settings, lowering: Component, found: Exception, exemplified: bool
) -> Settings:
    """Return what the lowering that begins again is asked to do; exemplified: for the
    arguments of a call, of which the types are known."""
    foreseen = Generalisation.of(lowering).foreseen
    match found:
        case Owned():
            *written, at = found.args
            return replace(settings, owned={**settings.owned, tuple(written): at})
        case SetOutside():
            names = settings.set_outside | {*found.args}
            return replace(settings, set_outside=names)
        case Sliced():
            return replace(settings, sliced=settings.sliced | {*found.args})
        case Keyed():
            return replace(settings, keyed=settings.keyed | {*found.args})
        case MuchCalled():
            codes = settings.much_called | {*found.args}
            return replace(settings, much_called=codes, foreseen=foreseen)
        case SeldomCalled():
            codes = settings.unforeseen | {*found.args}
            return replace(settings, unforeseen=codes, foreseen=foreseen - codes)
    guesses = NumberGuesses.of(lowering).in_the_way
    if exemplified and not guesses <= settings.numbers:
        return replace(settings, numbers=settings.numbers | guesses)
    kept_loops = Expressions.of(lowering).kept_loops
    if not Inlining.of(lowering).large and not kept_loops:
        raise found
    # Loops are written out first, and then the functions.
    outlining = settings.outlining and kept_loops
    return replace(settings, outlining=outlining, looping=False, rows=False)


def _place(begun: Sequence[FunctionLowering]) -> Location | None:
    return Position.of(begun[-1]).place() if begun else None


def replace_calls(fn: Callable[..., object], handler: Any) -> None:
    """Let a handler give the value of calls of a function, wherever it is called."""
    REPLACEMENTS[fn] = handler


def title_of(fn: Callable[..., object]) -> str:
    """What the text calls a function: `loss`, `Linear_loss`, `lambda` as it is.

    >>> title_of(lambda x: x)
    'lambda'
    """
    last = fn.__qualname__.rpartition("<locals>.")[2]
    title = last.replace("<", "").replace(">", "").replace(".", "_")
    return title if is_plain(title) else identifier(title)
