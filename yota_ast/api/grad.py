"""The public functions: a callable and arguments -> values and gradients.

>>> import yota_ast as ya
>>> import math
>>> def area(r: float) -> float:
...     return math.pi * r * r
>>> val, g = ya.grad(area, 2.0)
>>> round(val, 3), round(g["r"], 3)
(12.566, 12.566)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, overload

import numpy as np  # noqa: F401  in the examples

from yota_ast._speed.fast_dataclasses import replace
from yota_ast._speed.garbage_collector import kept_off
from yota_ast.adjoint.results.repeated_effects import refuse_effects
from yota_ast.api import pickling  # noqa: F401  says how transforms are pickled
from yota_ast.api.batched_calls import Vmapped, axes_of_data, batch_of
from yota_ast.api.cache.alias_speculation import (
    Guesses,
    WrongGuess,
    until_right,
    wrong_guesses,
)
from yota_ast.api.cache.answers import (
    Answer,
    again,
    note_answer,
    result_again,
    run_gradient,
    with_cells,
    wrt_key,
)
from yota_ast.api.cache.argument_guards import Looks
from yota_ast.api.cache.compiled_gradients import Cache, Entry, Query, fails
from yota_ast.api.cache.dependencies import Dependencies
from yota_ast.api.cache.fast_calls import NEVER, Asked
from yota_ast.api.cache.fixed_parameters import refuse_nameless
from yota_ast.api.cache.invalidation import Keeper
from yota_ast.api.call_target import Call, Callee, callee_of
from yota_ast.api.derivative_warnings import note, telling
from yota_ast.api.other_names import transform
from yota_ast.api.requests import for_text, request_for
from yota_ast.api.seeds import (
    refuse_no_scalar,
    seed_of_one,
    seed_options,
    tell_in_place_of_seed,
)
from yota_ast.api.values.leaves import copied
from yota_ast.api.values.structured_gradients import GradientResult
from yota_ast.api.wrt import (
    Default,
    bound_call,
    names_in_call,
    names_of,
    names_or_first,
    refuse_both,
    refuse_floatless,
    refuse_left_out,
    refuse_reserved,
    told,
)
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.codegen.text_form import text_form
from yota_ast.errors import (
    AmbiguousType,
    NoRule,
    ShapeError,
    UnsupportedCall,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.files.file_source import Made, serves
from yota_ast.files.saved_files import Saver
from yota_ast.ir.abstract_values import Fact, fact_of, gone_through_once
from yota_ast.ir.interpreter import play as _play
from yota_ast.ir.tape import Program, Tape
from yota_ast.nesting import nested_transforms
from yota_ast.nesting.nested_tapes import Makers
from yota_ast.pipeline import (
    Request,
    compiled,
    compiled_by,
    dependencies_of,
    differentiated,
    nested_batch,
    nested_gradient,
    nested_tangent,
)
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.captured_data import captured_in
from yota_ast.support.tracebacks import public, trim
from yota_ast.support.transform import Transform
from yota_ast.syntax.loop_schedules import words_of

Fn = Callable[..., Any]
_CACHE: Final = Cache()
_NOT_FOLLOWED: Final = (UnsupportedCall, UnsupportedSyntax, NoRule, AmbiguousType)
_NO_GUESSES: Final = Guesses()


ONE: Final = Default(1.0)
"""The cotangent of one number, or of an array of one as SciPy takes it."""
_NONE: Any = Default(None)
_TRUE: Any = Default(value=True)
_FALSE: Any = Default(value=False)

# ---------------------------------------------------------------- gradients


@overload
def grad(
    f: Fn, /, *, wrt: object = ..., dynamic: bool = ..., has_aux: bool = ...
) -> Fn: ...
@overload
def grad(
    f: Fn,
    /,
    *args: Any,
    wrt: object = ...,
    seed: object = ...,
    dynamic: bool = ...,
    has_aux: bool = ...,
    **kwargs: Any,
) -> tuple[Any, GradientResult]: ...


def grad(
    f: Fn,
    /,
    *args: object,
    wrt: object = _NONE,
    seed: object = _NONE,
    dynamic: bool = _TRUE,
    has_aux: bool = _FALSE,
    **kwargs: object,
) -> Any:
    """Run f and its gradient: return `f(*args, **kwargs)` and the gradients.

    If f needs arguments and none are given, `grad(f)` returns the derivative as a
    function of the same arguments: `grad(f)(x)`. It is the derivative with respect to
    the first argument, or to those that `wrt` names.

    wrt: a name or a position of an argument, or a list of them. None means every
    argument that holds floats. An integer argument that is named gets a float64
    gradient.
    seed: the cotangent. It has the shape of the value; for a container it has the same
    structure. It is 1.0 for a real number, and required for every other value.
    dynamic: has no effect. One generated function always serves all values of the
    arguments.
    has_aux: f returns a pair, and its first item is differentiated. `grad` returns
    this pair in place of the value. `grad(f)(x)` returns the derivative and the second
    item.

    The value is that of f to the last bit, and f runs once. Each gradient has the
    shape, dtype and type of its argument, and its own memory.

    Raises ShapeError if a seed is missing or has the wrong shape. `g[name]` raises
    KeyError for an argument outside `wrt`. Raises the other errors of this package if f
    cannot be differentiated. Errors that f itself raises pass through.

    >>> def energy(x, k):
    ...     return np.sum(k * x**2)
    >>> val, g = grad(energy, np.array([1.0, 2.0]), 0.5)
    >>> print(val, g["x"], g[1])
    2.5 [1. 2.] 5.0
    >>> print(grad(energy)(np.array([1.0, 2.0]), 0.5))
    [1. 2.]
    """
    key = NEVER
    try:  # as `public` does, in the frame that is there
        if seed is _NONE and dynamic is _TRUE and has_aux is _FALSE:
            key = wrt if type(wrt) is str else wrt_key(wrt)
            found = again(_CACHE, f, key, args, kwargs)
            if found is not None:
                return found[1][0], result_again(*found)
        given = {"wrt": wrt, "seed": seed, "dynamic": dynamic, "has_aux": has_aux}
        return _grad((f, key, args, kwargs), given)
    except Exception as error:
        trim(error)
        raise


def _grad(asked: Asked, given: Mapping[str, object]) -> Any:
    """`grad`, the long way; given: the options."""
    f, _, args, kwargs = asked
    callee = callee_of(f)
    refuse_reserved(callee, given, "grad")
    wrt, seed, _, aux = map(told, given.values())
    if not args and not kwargs and callee.needs_arguments:
        return _derivative(f, callee, wrt, seed, aux=bool(aux))
    call = bound_call("grad", callee, args, kwargs, list(given))
    return grad_of_call(callee, call, wrt, seed, aux=bool(aux), asked=asked)


def _derivative(f: Fn, callee: Callee, wrt: object, seed: object, *, aux: bool) -> Fn:
    """`grad(f)`: the derivative as a function of the arguments."""
    if seed is not None:
        raise YotaError(
            "grad: a seed is given, but no arguments",
            remedy="Write `value, pullback = vjp(f)(*args)`, then `pullback(seed)`.",
        )
    names = names_or_first(callee.parameters, wrt)

    value_and_bare = _with_gradient(f, names, None, aux=aux)

    def derivative(*args: object, **kwargs: object) -> Any:
        value, found = value_and_bare(*args, **kwargs)
        return (found, value[1]) if aux else found

    options = {"wrt": wrt, "has_aux": aux}
    return Transform(grad, f, options, derivative, callee.signature)


def _with_gradient(f: Fn, names: tuple[str, ...], seed: object, *, aux: bool) -> Fn:
    """A function giving the value and the derivative of f."""
    wrt = (aux, names) if aux else names

    def with_gradient(*args: object, **kwargs: object) -> tuple[Any, Any]:
        try:
            found = again(_CACHE, f, wrt, args, kwargs)
            if found is None:
                asked = (f, wrt, args, kwargs)
                return _value_and_bare(asked, names, seed, aux=aux)
        except ShapeError as error:
            tell_in_place_of_seed(error)
            raise
        given = found[1]
        return given if len(given) == 2 else (given[0], given[1:])

    return with_gradient


def _value_and_bare(
    asked: Asked, names: tuple[str, ...], seed: object, *, aux: bool
) -> tuple[Any, Any]:
    """The value and the derivative, for transforms, the long way."""
    f, _, args, kwargs = asked
    callee = callee_of(f)  # its defaults may have been replaced
    call = callee.bind(args, kwargs)
    value, g = grad_of_call(callee, call, names, seed, aux=aux, asked=asked)
    return value, _bare([g[name] for name in names])


def grad_of_call(
    callee: Callee, call: Call, wrt: object, seed: object, *, aux: bool = False,
    asked: Asked | None = None,
) -> tuple[Any, GradientResult]:  # fmt: skip
    """`grad` of a call that has been bound; asked: what the user has called."""
    names = names_in_call(callee, call, wrt)
    named = () if wrt is None else names
    refuse_floatless(names, facts_of_call(call, named))
    call = with_cells(
        _CACHE, callee, call,
        lambda c: _entry(callee, c, facts_of_call(c, named), names, aux=aux),
    )  # fmt: skip
    facts = facts_of_call(call, named)
    entry, value, gradients = _tried(callee, call, facts, names, seed, aux=aux)
    answer = Answer.of(call, names, facts)
    if asked is not None and _cotangent(entry, call, names, seed) is None:
        note_answer(_CACHE, asked, callee, call, entry, answer)
    return value, answer.result(entry, gradients, call.values)


def _cotangent(
    entry: Entry, call: Call, names: tuple[str, ...], seed: object
) -> object:
    """The seed: where it is to be one, that which the value takes."""
    if seed is ONE:
        return seed_of_one(entry.program, call.values[names[0]])
    return seed


def facts_of_call(call: Call, named: Sequence[str]) -> dict[str, Fact]:
    """What is known of the arguments; named: those whose whole numbers vary, too."""
    facts = {name: fact_of(value, name) for name, value in call.values.items()}
    return {k: f.varying() if k in named else f for k, f in facts.items()}


def grad_by(
    function: GeneratedFunction, made: Made, call: Call, wrt: object, seed: object
) -> tuple[Any, GradientResult] | None:
    """`grad` by a gradient that is there already; None where it does not serve.

    It serves the arguments for which it was made, and no call that needs special care.
    """
    callee = callee_of(made.fn)
    names = names_of(callee, wrt)
    facts = {name: fact_of(value, name) for name, value in call.values.items()}
    if names is None:
        names = tuple(name for name in call.arguments if facts[name].holds_floats)
    known = {p.var.name: p.var.fact for p in made.tape.params}
    if names != made.program.wrt or not all(serves(known[n], facts[n]) for n in facts):
        return None
    if any(fails(check, call.values) for check in made.program.checks):
        return None
    nothing = Dependencies((), frozenset())
    entry = Entry((), None, nothing, 0, made.tape, made.program, function)
    value, gradients = run_gradient(entry, call, seed)
    return value, Answer.of(call, names, facts).result(entry, gradients, {})


def _tried(
    callee: Callee, call: Call, facts: Mapping[str, Fact], names: tuple[str, ...],
    seed: object, *, aux: bool,
) -> tuple[Entry, Any, tuple[Any, ...]]:  # fmt: skip
    """The text that serves and what it gives: where it guessed wrong what shares
    memory, another is made."""
    guesses = Guesses()
    while True:
        entry = _entry(callee, call, facts, names, guesses, aux=aux)
        cotangent = _cotangent(entry, call, names, seed)
        try:
            return entry, *run_gradient(entry, call, cotangent)
        except WrongGuess as guess:
            others = wrong_guesses(
                entry.function, dict(entry.tape.guesses), call.args,
                {**call.kwargs, **seed_options(entry.program, cotangent)},
            )  # fmt: skip
            guesses.were_wrong(entry, guess, others)


def _entry(
    callee: Callee, call: Call, facts: Mapping[str, Fact], names: tuple[str, ...],
    guesses: Guesses = _NO_GUESSES, *, aux: bool = False,
) -> Entry:  # fmt: skip
    """The compiled gradient for these arguments, from the cache or made now."""
    captured = frozenset(captured_in(call.own))
    options = (*call.form, ("has_aux", aux))
    query = Query(facts, call.values, names, options, captured)
    found = _CACHE.find(callee.fn, query, guesses.failed)
    if found is not None:
        return found
    version = BOOK.version
    request = Request(
        callee.fn, facts, call.values, signature=call.own, copied=guesses.copied,
        lenient=True, aux=aux,
    )  # fmt: skip
    with kept_off(), gone_through_once(), telling():
        tape, program = _with_whole_numbers(request, names)
        if not guesses.failed:  # else it has been told
            note(program)
        entry = Entry.made_for(
            query, version=version, tape=tape, program=program,
            function=compiled(program),
            dependencies=dependencies_of(callee.fn, tape, call.values, captured),
        )  # fmt: skip
    _CACHE.add(callee.fn, entry, captured)
    return entry


def _with_whole_numbers(
    request: Request, names: tuple[str, ...]
) -> tuple[Tape, Program]:
    """The gradient with the whole numbers in containers, where those that are named can
    be followed; else with that of the floats, where there are some."""
    try:
        return differentiated(request, names)
    except _NOT_FOLLOWED:
        facts = {name: fact.fixed() for name, fact in request.facts.items()}
        if facts == request.facts or not all(facts[n].holds_floats for n in names):
            raise
        return differentiated(replace(request, facts=facts), names)


def gradient_entry(
    callee: Callee, call: Call, names: tuple[str, ...], guesses: Guesses = _NO_GUESSES,
    *, of_scalar: bool = False,
) -> Entry:  # fmt: skip
    """The gradient compiled in some arguments, from the cache or made now.

    guesses: what it is to guess otherwise of memory than those that have failed.

    Raises ShapeError where it is to be of a real scalar, and the value is known to be
    something else.
    """
    facts = facts_of_call(call, names)
    refuse_left_out(names, call.arguments)
    refuse_floatless(names, facts)
    entry = _entry(callee, call, facts, names, guesses)
    if of_scalar:
        refuse_no_scalar(entry.program, call.values[names[0]])
    return entry


def with_cells_of_slope(callee: Callee, call: Call, names: tuple[str, ...]) -> Call:
    """The call with the data of cells for arguments, where its gradient takes them."""
    return with_cells(_CACHE, callee, call, lambda c: gradient_entry(callee, c, names))


@public
def simplegrad(
    f: Fn,
    /,
    *args: object,
    wrt: object = None,
    fast: bool = False,
    backend: str = "numpy",
    checkpoint: Mapping[int, object] | None = None,
    options: Mapping[str, object] | None = None,
    **kwargs: object,
) -> GeneratedFunction:
    """Return the gradient of f as a plain function of the same arguments and `seed`.

    args, kwargs: example arguments. The generated function is made for their types,
    dtypes and ranks. It serves all lengths of axes, but an axis of length 1 has to have
    length 1 in each call. f is not run. Without examples the annotations are read, then
    the types of defaults. A parameter with neither is a float or a real array of any
    rank.
    wrt: as for `grad`.

    Returns a `GeneratedFunction`. It returns the value and then the gradients, in the
    order of `wrt`: `val, dW, db = df(W, b)`. Entry checks raise ValueError for
    arguments that it was not made for.

    backend: "numpy", "numba" for explicit loops that Numba compiles, "jax" for code on
    arrays of JAX, or "auto" for NumPy or Numba, whichever is likely to be faster. The
    numbers agree up to rounding. With examples, Numba compiles the loops at once.
    fast: made for speed. The numbers agree up to rounding. A number has no `seed`.
    checkpoint: by the line of a `for`, "sqrt" or ("slots", 30): see `checkpoint`.
    options: for Numba, in files: `cache` and `parallel`, True or False.

    Raises the errors of this package if f cannot be differentiated, and
    UnsupportedSyntax for what does not exist.

    >>> def energy(x, k):
    ...     return np.sum(k * x**2)
    >>> denergy = simplegrad(energy, np.ones(2), 0.5, wrt="x")
    >>> val, dx = denergy(np.array([1.0, 2.0, 3.0]), 0.5)
    >>> print(val, dx)
    7.0 [1. 2. 3.]
    """
    callee = callee_of(f)
    wanted = text_form(fast=fast, backend=backend, options=options, auto=True)
    request, names = request_for(callee, args, kwargs, wrt)
    request = for_text(request, wanted, checkpoint)
    with kept_off(), gone_through_once(), telling():
        tape, program = differentiated(request, names)
        note(program)
        refuse_nameless({at: f for at, p, f in tape.held if p not in callee.bound})
        bound = callee.args or callee.kwargs
        function, form = compiled_by(program, wanted, () if bound else (args, kwargs))
        watched = dependencies_of(callee.fn, tape, request.examples or {})
    made = Made(callee.fn, tape, program, form)
    function.keeper = Keeper(made, function, watched)
    _looking(function, tape, program)
    if bound:
        return function.bound(callee.args, callee.kwargs)
    given = request.facts if args or kwargs else None
    asked = None if wrt is None and given is None else names
    return function.saved_by(Saver(made, asked, given, words_of(request.checkpoint)))


def _looking(function: GeneratedFunction, tape: Tape, program: Program) -> None:
    """Let a function show its gradient, and look at its arguments."""
    function.viewer = functools.partial(_shown, tape, program)
    function.looks = Looks(tape, program)


def _shown(tape: Tape, program: Program, form: str) -> str:
    """The HTML of a gradient. What makes it is imported when it is asked for."""
    from yota_ast.tools.report.html import html_of

    return html_of(tape, program, form)


# ---------------------------------------------------------------- transforms


@transform
def value_and_grad(
    f: Fn, wrt: object = None, *, has_aux: bool = False, each: object = None
) -> Fn:
    """A function that gives f's value and its derivative: `jac=True` for SciPy.

    wrt: None means the first argument. For None, a name, a position or a list of one,
    the derivative is that of the argument alone. For several it is a tuple.
    has_aux: f returns a pair, and its first item is differentiated. The new
    function returns this pair in place of the value: `(value, aux), dx`.
    each: arguments that all examples of a batch share, by names or positions. f is a
    function of one example; all other arguments that are arrays hold an example for
    each index of axis 0. The value and the derivatives of each example come out, as by
    `vmap`. `wrt` is left out then.

    Raises ShapeError if the value is not a real number, and the errors of `grad`.

    >>> def energy(x):
    ...     return np.sum(x**2)
    >>> value, dx = value_and_grad(energy)(np.array([1.0, 2.0]))
    >>> print(value, dx)
    5.0 [2. 4.]
    """
    callee, names = _transformed(f, wrt if each is None else each)
    options = {"wrt": wrt, "has_aux": has_aux, "each": each}
    if each is not None:
        refuse_both(wrt)
        axes = axes_of_data(callee, names)
        run = batch_of(f, axes, names, aux=has_aux, lenient=True)
        return Vmapped(value_and_grad, f, options, run, callee.signature)
    seed = ONE if len(names) == 1 and not has_aux else None
    with_gradient = _with_gradient(f, names, seed, aux=has_aux)
    return Transform(value_and_grad, f, options, with_gradient, callee.signature)


def _transformed(f: Fn, wrt: object) -> tuple[Callee, tuple[str, ...]]:
    callee = callee_of(f)
    return callee, names_or_first(callee.parameters, wrt)


def _bare(gradients: Sequence[Any]) -> Any:
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


@transform
def vjp(f: Fn, wrt: object = None) -> Fn:
    """A function that gives f's value and the pullback: cotangent -> derivative.

    wrt: as for `value_and_grad`. The pullback takes a cotangent of the shape of the
    value. It may be called several times: each call runs the forward sweep on copies of
    the arguments.

    Raises UnsupportedCall if a second run would differ from the first, because f draws
    random numbers or prints. Raises ShapeError for a cotangent of another shape.

    >>> value, pullback = vjp(lambda x: 3.0 * x)(np.array([1.0, 2.0]))
    >>> print(value, pullback(np.array([1.0, 0.0])))
    [3. 6.] [3. 0.]
    """
    callee, names = _transformed(f, wrt)

    def forward(*args: object, **kwargs: object) -> tuple[Any, Fn]:
        now = callee_of(f)
        call = now.bind(args, kwargs)
        facts = facts_of_call(call, names)
        refuse_left_out(names, call.arguments)
        refuse_floatless(names, facts)
        kept = copied((call.args, call.kwargs))

        def run(entry: Entry) -> tuple[Entry, Any]:
            refuse_effects(entry.tape)
            return entry, _play(entry.tape, *call.args, **call.kwargs)

        entry, value = until_right(lambda g: _entry(now, call, facts, names, g), run)

        @public
        def pullback(seed: object) -> Any:
            args, kwargs = copied(kept)
            again = replace(call, args=args, kwargs=kwargs)
            return _bare(run_gradient(entry, again, seed)[1])

        return value, pullback

    return Transform(vjp, f, {"wrt": wrt}, forward, callee.signature)


# ---------------------------------------------------------------- inside functions


def nested_makers() -> Makers:
    """How transforms that are called inside a function make their code."""
    return Makers(nested_gradient, nested_tangent, nested_batch)


nested_transforms.follow(
    {
        "grad": grad,
        "simplegrad": simplegrad,
        "value_and_grad": value_and_grad,
        "vjp": vjp,
    },
    nested_makers(),
)
