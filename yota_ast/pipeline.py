"""A function and what is known of its arguments -> tape, gradient program, text.

The whole compiler on one screen: read -> lower -> activity -> reverse -> tidy -> keep
-> emit -> compile. `grad`, `simplegrad`, the decorator and the command line all come
through here.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from keyword import iskeyword
from typing import Any, Final

from yota_ast import rules as _rules  # noqa: F401  the built-in rules enter the book
from yota_ast._speed.deep_calls import roomy
from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast._speed.garbage_collector import kept_off
from yota_ast.adjoint.checkpoints.loop_marks import with_schedules
from yota_ast.adjoint.gradient import gradient
from yota_ast.adjoint.inplace.owned_items import adds_within_lists
from yota_ast.adjoint.nonsmooth.marked_kinks import has_kinks, marked, marking
from yota_ast.adjoint.results.entry_checks import left_out
from yota_ast.adjoint.reverse.outlined_sweeps import plain
from yota_ast.adjoint.rewrites.helper_values import with_helpers
from yota_ast.adjoint.vectors.kept_loops import loops_kept
from yota_ast.api.cache.dependencies import Dependencies
from yota_ast.api.cache.fixed_parameters import kind_checks
from yota_ast.api.derivative_warnings import note
from yota_ast.api.other_meanings import refuse_other_meanings
from yota_ast.codegen.compile import GeneratedFunction, compile_text
from yota_ast.codegen.printers.function_source import Text, emit
from yota_ast.codegen.text_form import READABLE, TextForm
from yota_ast.errors import (
    AmbiguousType,
    NoRule,
    UnsupportedCall,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.frontend.calls.explain_hooks import Watch
from yota_ast.frontend.calls.helper_inlining import followed
from yota_ast.frontend.calls.value_assumptions import Place, place_of
from yota_ast.frontend.heap.lowered_values import is_literal_value
from yota_ast.frontend.interpret.lower import lower
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import CONTAINERS, Fact, gone_through_once, real_fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.granted import Granted
from yota_ast.ir.nodes import Apply, Block, Origin
from yota_ast.ir.tape import Program, Tape
from yota_ast.nesting.call_inference import infer
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.kept_functions import (
    granted_by,
    marked_form,
    note_form,
    note_granted,
    note_origins,
    note_stems,
)
from yota_ast.syntax.loop_schedules import Schedule
from yota_ast.syntax.names import identifier

Fn = Callable[..., object]
Made = tuple[Tape, Program]
_EMPTY = Block()
MOST_AVOIDED: Final = 6
"""How many calls without a derivative are looked for one by one."""
_LIBRARIES = {"numba": "Numba", "jax": "JAX"}
_REFUSALS = (UnsupportedSyntax, UnsupportedCall, NoRule, AmbiguousType)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: a function, what is known of its arguments, and wrt.

    examples: argument values, of which fields and callables are read, never run.
    primitives: functions to keep as one op, beside those that have rules.
    signature: of a function that tells none itself. fixed: parameters of which strings,
    booleans and integers are taken as they are in the example. sized: so are lengths
    that are compared. outlining: large functions that are called often become functions
    of the text. looping: loops over many known items stay loops; rows: so do those over
    rows of numbers that are given. watch: who is told of each statement, call and
    constant. bound: the arguments that what the user calls brings along, a partial or a
    method; they take the place of defaults. aux: the value is a pair, of which the
    first item is differentiated. checkpoint: by its line, how the iterations of a loop
    are kept for the reverse sweep. fast: the gradient is made for speed.
    """

    fn: Fn
    facts: Mapping[str, Fact]
    examples: Mapping[str, object] | None = None
    wrt: tuple[str, ...] | None = None
    primitives: tuple[object, ...] = ()
    signature: inspect.Signature | None = None
    fixed: frozenset[str] | None = None
    sized: bool = False
    avoided: Mapping[Place, NoRule] | None = None
    lenient: bool = False
    copied: frozenset[Any] = frozenset()
    outlining: bool = True
    looping: bool = True
    rows: bool = True
    watch: Watch | None = None
    bound: Mapping[str, object] = field(default_factory=dict)
    aux: bool = False
    checkpoint: Mapping[int, Schedule] = field(default_factory=dict)
    fast: bool = False


Maker = Callable[[Request, Sequence[str] | None], Made]


@roomy
def lowered(request: Request) -> Tape:
    """The tape of the function."""

    def is_primitive(fn: object) -> bool:
        if any(fn is p for p in request.primitives):
            return True
        return _is_primitive(fn)

    single = _single_op(request)
    if single is not None:
        return _bound(single, request)
    settings = Settings(
        is_primitive, infer, fixed=request.fixed, sized=request.sized,
        lenient=request.avoided is not None,
        avoided=request.avoided or {}, copied=request.copied,
        outlining=request.outlining, looping=request.looping,
        rows=request.rows and request.looping, assuming=True,
        has_effect=BOOK.has_effect, slope_of=_slope_of, watch=request.watch,
    )  # fmt: skip
    told = None if BOOK.rules_of(request.fn) else request.signature
    with kept_off(), gone_through_once():
        tape = lower(
            request.fn, request.facts, settings, examples=request.examples, told=told
        )
    refuse_other_meanings(tape)
    granted = granted_by(marked_form(request.fn))
    if isinstance(granted, Granted):
        tape = replace(tape, granted=granted)
    return _bound(with_schedules(tape, request.checkpoint), request)


def _bound(tape: Tape, request: Request) -> Tape:
    """The tape with what is bound for defaults: without the argument it is that which
    the user's callable takes."""

    def default_of(param: Parameter) -> Const | None:
        name = param.var.name
        if param.default is None or name not in request.bound:
            return param.default
        value = request.bound[name]
        return Const(value, None if is_literal_value(value) else name)

    if not request.bound:
        return tape
    params = (replace(p, default=default_of(p)) for p in tape.params)
    return replace(tape, params=tuple(params))


def _slope_of(tape: Tape, wrt: tuple[str, ...]) -> Fn:
    """The value of a tape and its gradients, as a function with source."""
    return nested_gradient(tape, wrt, unit=True, aux=False)[0]


def nested_gradient(
    tape: Tape, wrt: tuple[str, ...], unit: bool, aux: bool
) -> tuple[GeneratedFunction, str]:
    """The value of a tape and its gradients, as a function with source, and what that
    calls the cotangent; unit: it is 1; aux: it is that of the first item of a pair. It
    is marked for its own derivative."""
    with marked():
        program = gradient(tape, wrt, infer, follow, unit=unit, aux=aux)
    note(program)
    return compiled(program), program.seed


def nested_tangent(tape: Tape, wrt: tuple[str, ...]) -> GeneratedFunction:
    """The value of a tape and its tangent along some parameters, marked likewise."""
    from yota_ast.tangent.tangent_program import tangent  # not for a gradient

    with marked():
        program = tangent(tape, wrt, infer, follow)
    note(program)
    return compiled(program)


def nested_batch(tape: Tape, axes: Mapping[str, int]) -> GeneratedFunction:
    """The values of a tape of one example for many, as a function with source. axes:
    that of the examples, of each parameter that holds some."""
    from yota_ast.batching.batched_program import batched as of_batch  # not often

    with kept_off(), gone_through_once():
        program = primal_program(tape)
        return compiled(of_batch(program, tape, axes, with_helpers(infer), ()))


def _single_op(request: Request) -> Tape | None:
    """The tape of a function that has a rule itself: the call alone."""
    fn, signature = request.fn, request.signature or inspect.signature(request.fn)
    params: list[Parameter] = []
    positional, named = list[Var](), list[tuple[str, Var]]()
    for name, slot in signature.parameters.items():
        if slot.kind in (slot.VAR_POSITIONAL, slot.VAR_KEYWORD):
            return None
        var = Var(name, request.facts.get(name) or real_fact(name), name)
        default = None if slot.default is slot.empty else Const(slot.default)
        if default is None and slot.kind is not slot.KEYWORD_ONLY:
            positional.append(var)
        else:
            named.append((name, var))
        keyword = slot.kind is slot.KEYWORD_ONLY
        params.append(Parameter(var, "keyword" if keyword else "positional", default))
    args = tuple(positional)
    if not BOOK.is_primitive(fn, args, named):
        return None
    out = Var("val", infer(fn, args, named), None)
    title = identifier(getattr(fn, "__name__", "function"))
    op = Apply(out, fn, args, tuple(named), origin=Origin(None, 1, f"return {title}"))
    module = getattr(fn, "__module__", None) or ""
    return Tape(title, tuple(params), Block((op,)), out, "", module, fn, (fn,))


def follow(op: Apply, names: Names) -> tuple[Block, Atom] | None:
    """The ops of a helper that an op calls, and its result, if it can be lowered."""
    return followed(op, names, is_primitive=_is_primitive, infer=infer)


def _is_primitive(fn: object) -> bool:
    return callable(fn) and BOOK.is_primitive(fn)


@roomy
def gradient_program(
    tape: Tape,
    wrt: Sequence[str] | None,
    examples: Mapping[str, object] | None = None,
    *,
    aux: bool = False,
    unit: bool = False,
    fast: bool = False,
) -> Program:
    """The gradient of a tape, as a program; examples: those it was lowered with; aux:
    the value is a pair, of which the first item is differentiated; unit: the seed is
    1, whatever is given; fast: it is made for speed."""

    def again() -> Program:
        return gradient_program(tape, wrt, examples, aux=aux, unit=unit)

    def at_one() -> Program:
        return gradient_program(tape, wrt, examples, aux=aux, unit=True).unchecked

    def in_loops() -> Program:
        with loops_kept():
            return gradient_program(tape, wrt, examples, aux=aux, unit=unit, fast=fast)

    with kept_off(), gone_through_once():
        program = gradient(tape, wrt, infer, follow, aux=aux, unit=unit, fast=fast)
    program = _checked(program, tape, examples, again)
    forms = {**program.forms, "unchecked": lambda: program.unchecked, "at_one": at_one}
    if program.spread:
        forms["in_loops"] = in_loops
    return replace(program, forms=forms)


def _checked(
    program: Program,
    tape: Tape,
    examples: Mapping[str, object] | None,
    again: Callable[[], Program],
) -> Program:
    """The program with the checks of what it was made for; again: what makes it."""

    def with_marks(*, values: bool) -> Program:
        with marked(values=values):
            return again()

    made_for = kind_checks(tape.params, examples or {}, tape.block, program.wrt)
    unread = left_out(tape, program)
    checks = Check.ordered((*made_for, *program.checks, *unread, *tape.checks))
    another = has_kinks(tape) or adds_within_lists(program.reverse)
    forms: dict[str, Callable[[], Program]] = {}
    if another and not marking():
        forms["marked"] = partial(with_marks, values=True)
        forms["marks alone"] = partial(with_marks, values=False)
    return replace(program, checks=checks, forms=forms)


def differentiated(request: Request, wrt: Sequence[str] | None) -> Made:
    """The tape of a function, and its gradient as a program.

    What cannot be done for all values of strings, booleans and integers among the
    arguments is done for those of the example; the text checks them.
    """
    return _made(request, wrt, _differentiated)


def differentiated_forward(
    request: Request, along: Sequence[str], part: int | None = None
) -> Made:
    """The tape of a function, and its tangent along some parameters as a program, with
    the same for what cannot be done for all values; part: of an item of the value."""
    return _made(request, along, partial(_differentiated_forward, part=part))


def _made(request: Request, wrt: Sequence[str] | None, make: Maker) -> Made:
    try:
        return make(request, wrt)
    except _REFUSALS as refusal:
        if request.examples is None:
            raise
        values = request.examples
        names = frozenset(request.facts) | frozenset(values)
        special = replace(request, fixed=names - frozenset(wrt or ()))
        try:
            return make(special, wrt)
        except _REFUSALS as nearer:
            # On the way that the example takes: to mend the other would not help. What
            # is too deep may be so for being written out.
            with contextlib.suppress(YotaError):
                return make(replace(special, sized=True), wrt)
            deep = isinstance(nearer.__context__, RecursionError)
            told = refusal if deep else nearer
            if not request.lenient:
                return _with_structures(special, wrt, told, make)
            return _leniently(special, wrt, told, make)
        except YotaError:
            raise refusal from None


def _with_structures(
    request: Request, wrt: Sequence[str] | None, refusal: YotaError, make: Maker
) -> Made:
    """The same of a text that takes the strings, booleans and integers in containers
    and objects as they are in the example, also where the floats in them vary."""
    kinds = (*CONTAINERS, "object")
    found = {
        n for n in wrt or () if n in request.facts and request.facts[n].kind in kinds
    }
    if not found:
        raise refusal from None
    try:
        return make(replace(request, fixed=(request.fixed or frozenset()) | found), wrt)
    except YotaError:
        raise refusal from None


def _leniently(
    request: Request, wrt: Sequence[str] | None, refusal: YotaError, make: Maker
) -> Made:
    """The same of a text that raises where a branch leads to what cannot be done."""
    avoided: dict[Place, NoRule] = {}
    for _ in range(MOST_AVOIDED):
        try:
            return make(replace(request, avoided=avoided), wrt)
        except NoRule as again:
            place = place_of(again.at, again.called)
            if place in avoided:
                break
            avoided = {**avoided, place: again}
        except YotaError:
            break
    raise refusal from None


def _differentiated(request: Request, wrt: Sequence[str] | None) -> Made:
    tape = lowered(request)
    aux, fast = request.aux, request.fast
    try:
        return tape, gradient_program(tape, wrt, request.examples, aux=aux, fast=fast)
    except _REFUSALS:
        if not tape.kept_loops and (not tape.functions or not request.outlining):
            raise
    if tape.kept_loops:
        return _differentiated(replace(request, looping=False), wrt)
    # What is outlined for its size alone may be differentiated where it is inlined.
    return _differentiated(replace(request, outlining=False), wrt)


def _differentiated_forward(
    request: Request, along: Sequence[str] | None, part: int | None = None
) -> Made:
    tape = lowered(replace(request, outlining=False, looping=False))
    return tape, tangent_program(tape, along, request.examples, part)


@roomy
def tangent_program(
    tape: Tape,
    wrt: Sequence[str] | None,
    examples: Mapping[str, object] | None = None,
    part: int | None = None,
) -> Program:
    """The value of a tape and its tangent along some parameters, as a program; part:
    the tangent of an item of the value alone."""
    from yota_ast.tangent.tangent_program import tangent  # not for a gradient

    with kept_off(), gone_through_once():
        program = tangent(tape, wrt, infer, follow, part)
    return _checked(
        program, tape, examples, lambda: tangent_program(tape, wrt, examples, part)
    )


def batched(
    request: Request, axes: Mapping[str, int], wrt: Sequence[str] | None, *,
    aux: bool = False,
) -> Made:  # fmt: skip
    """The tape of a function of one example, and the program of a batch of them: of
    its value, or of that and its gradients with respect to some parameters.

    axes: that of the examples, of each argument that holds some; the facts are those of
    one example.
    """
    settled = replace(request, outlining=False, looping=False)
    try:
        return _batched(settled, axes, wrt, aux=aux)
    except _REFUSALS as refusal:
        shared = frozenset(request.facts) - frozenset(axes) - frozenset(wrt or ())
        try:
            return _batched(replace(settled, fixed=shared), axes, wrt, aux=aux)
        except YotaError:
            raise refusal from None


def _batched(
    request: Request, axes: Mapping[str, int], wrt: Sequence[str] | None, *, aux: bool
) -> Made:
    from yota_ast.batching.batched_program import batched as of_batch  # not often

    tape = lowered(request)
    with kept_off(), gone_through_once():
        if wrt is None:
            program = primal_program(tape)
        else:
            program = gradient(tape, wrt, infer, follow, unit=True, aux=aux)
        made_for = kind_checks(tape.params, request.examples or {}, tape.block)
        checks = Check.ordered((*made_for, *tape.checks))
        return tape, of_batch(program, tape, axes, with_helpers(infer), checks)


def primal_program(tape: Tape) -> Program:
    """The function itself, as a program."""
    name = f"{tape.name}_" if iskeyword(tape.name) else tape.name  # a lambda
    return Program(
        name=name, params=tape.params, forward=tape.block, reverse=_EMPTY,
        value=tape.result, doc=tape.doc, module=tape.module, fn=tape.fn, used=tape.used,
        checks=tape.checks,
        helpers=tuple(plain(f) for f in tape.functions),
    )  # fmt: skip


@roomy
def compiled(program: Program, form: TextForm = READABLE) -> GeneratedFunction:
    """The program as a function, with its text in the form that is asked for."""
    with kept_off(), gone_through_once():
        text = _emit(program, form)
        function = compile_text(text.module, text.name, text.namespace, text.copies)
    function.reads = text.globals
    read = ((g.name, g.home, g.path) for g in text.globals)
    note_origins(function.fn.__globals__, read)
    for kind, make in program.forms.items():
        note_form(function.fn, kind, partial(_of_another, make))
    if program.granted.checks:
        note_granted(function.fn, program.granted)
    note_stems(function.fn, (program.fn, *taken_apart(program.used)))
    return function


def _emit(program: Program, form: TextForm) -> Text:
    """The text that a back end makes of a program."""
    if form.backend == "numpy":
        return emit(program)
    if find_spec(form.backend) is None:
        raise YotaError(
            f"backend='{form.backend}' needs {_LIBRARIES[form.backend]}, which is not "
            "installed",
            remedy=f"Install it: pip install 'yota_ast[{form.backend}]'.",
        )
    if form.backend == "jax":
        from yota_ast.codegen.jax_source.emit_jax import emit_jax  # an extra, too

        return emit_jax(program)
    from yota_ast.codegen.numba_source.emit_loops import emit_loops  # Numba is an extra

    return emit_loops(program, infer)


def compiled_by(
    program: Program,
    form: TextForm,
    examples: tuple[()] | tuple[Sequence[object], Mapping[str, object]] = (),
) -> tuple[GeneratedFunction, TextForm]:
    """The program as a function, and the form of its text: for the back end "auto" that
    which is likely to be faster. examples: arguments."""
    args, kwargs = examples or ((), {})
    if form.backend != "auto":
        return _compiled_for(compiled(program, form), form, args, kwargs), form
    loops = replace(form, backend="numba")
    if find_spec("numba") is not None and _loops_pay(program):
        with suppress(UnsupportedCall):
            return _compiled_for(compiled(program, loops), loops, args, kwargs), loops
    return compiled(program), READABLE


def _loops_pay(program: Program) -> bool:
    """Whether explicit loops are likely to be faster."""
    from yota_ast.codegen.numba_source.where_loops_pay import loops_pay

    return loops_pay(program.in_loops)


def _compiled_for(
    function: GeneratedFunction,
    form: TextForm,
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> GeneratedFunction:
    """A function for Numba, its loops compiled for examples where there are any."""
    if form.backend != "numba" or not (args or kwargs):
        return function
    from yota_ast.codegen.numba_source.numba_types import compile_for

    compile_for(function, args, kwargs)
    return function


def _of_another(make: Callable[[], Program]) -> GeneratedFunction:
    """The function of a form that is made when it is needed."""
    return compiled(make())


def taken_apart(used: Iterable[object]) -> tuple[object, ...]:
    """Those of the functions whose inside counts: not what the text calls as it is."""
    return tuple(
        fn
        for fn in used
        if not callable(fn)
        or not _is_primitive(fn)
        or any(r.types for r in BOOK.rules_of(fn))
    )


def dependencies_of(
    fn: Fn, tape: Tape, values: Mapping[str, object], captured: Container[str] = ()
) -> Dependencies:
    """What a text made of a tape rests on; captured: cells that are arguments."""
    things = (fn, *taken_apart(tape.used))
    found = Dependencies.of(things, values, captured, tape.outside)
    return found.without(tape.set_outside) if tape.set_outside else found
