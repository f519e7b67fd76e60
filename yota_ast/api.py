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
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np  # noqa: F401  in the examples

from . import nesting, travelling  # noqa: F401  says how transforms are pickled
from .annotations import facts_of_signature
from .asked import (
    Default,
    bound_call,
    names_in_call,
    names_of,
    names_or_first,
    reasons,
    refuse_floatless,
    refuse_left_out,
    refuse_reserved,
    told,
)
from .cache import Cache, Entry, Query, fails
from .callee import Call, Callee, callee_of
from .codegen.compile import GeneratedFunction
from .dependencies import Dependencies
from .emitting.saving import Saver
from .emitting.text import Made, module_of, serves
from .errors import (
    AmbiguousType,
    NoRule,
    ShapeError,
    UnsupportedCall,
    UnsupportedSyntax,
    YotaError,
)
from .facts import Fact, fact_of, gone_through_once
from .garbage import kept_off
from .guessing import Guesses, WrongGuess, told_by, wrong_guesses
from .habits import transform
from .keeping import Keeper
from .kinds import checked, refuse_nameless
from .leaves import copied
from .looking import Looks
from .nested_tapes import Makers
from .objects import GradientResult
from .pipeline import (
    Request,
    compiled,
    differentiated,
    lowered,
    nested_gradient,
    nested_tangent,
    primal_program,
    taken_apart,
)
from .playing import play as _play
from .records import replace
from .rules.rule import BOOK
from .seeds import (
    check_seed,
    refuse_complex,
    refuse_no_scalar,
    refuse_value,
    seed_of_one,
    seed_options,
    taking_no_seed,
)
from .tape import Apply, Program, Tape, walk
from .telling import note, telling
from .transform import Transform

if TYPE_CHECKING:
    from .viewing.view import View

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
    """Run f and its gradient: the value of `f(*args, **kwargs)`, and the gradients.

    Without arguments, of a function that needs some: the derivative as a function of
    the arguments, `grad(f)(x)`, in the first argument or in those that `wrt` names.

    wrt: a name or position of an argument, or several; None: every argument that holds
    floats. An integer argument that is named has a float64 gradient.
    seed: the cotangent, of the shape of the value, of a container the structure; 1.0
    where the value is a real scalar, else it is needed.
    dynamic: one text for all values of the arguments.
    has_aux: f gives a pair, the value and anything else: so does `grad`. `grad(f)(x)`
    gives the derivative and the other thing.

    The value is that of f to the last bit, and f is run once. Each gradient has the
    shape, dtype and kind of its argument, and memory of its own.

    Raises ShapeError where a seed is missing or of the wrong shape, KeyError from
    `g[name]` for an argument outside `wrt`, and the other errors of this package where
    f cannot be differentiated. Errors of f itself pass through.

    >>> def energy(x, k):
    ...     return np.sum(k * x**2)
    >>> val, g = grad(energy, np.array([1.0, 2.0]), 0.5)
    >>> print(val, g["x"], g[1])
    2.5 [1. 2.] 5.0
    >>> print(grad(energy)(np.array([1.0, 2.0]), 0.5))
    [1. 2.]
    """
    callee = callee_of(f)
    given = {"wrt": wrt, "seed": seed, "dynamic": dynamic, "has_aux": has_aux}
    refuse_reserved(callee, given, "grad")
    wrt, seed, _, aux = map(told, given.values())
    if not args and not kwargs and callee.needs_arguments:
        return _derivative(f, callee, wrt, seed, aux=bool(aux))
    call = bound_call("grad", callee, args, kwargs, list(given))
    return grad_of_call(callee, call, wrt, seed, aux=bool(aux))


def _derivative(f: Fn, callee: Callee, wrt: object, seed: object, *, aux: bool) -> Fn:
    """`grad(f)`: the derivative as a function of the arguments."""
    if seed is not None:
        raise YotaError(
            "grad: a seed is given, and no arguments",
            remedy="Call the pullback that `vjp(f)(*args)` gives with the seed.",
        )
    names = names_or_first(callee.parameters, wrt)

    def derivative(*args: object, **kwargs: object) -> Any:
        call = callee.bind(args, kwargs)
        with taking_no_seed():
            value, g = grad_of_call(callee, call, names, None, aux=aux)
        found = _bare([g[name] for name in names])
        return (found, value[1]) if aux else found

    options = {"wrt": wrt, "has_aux": aux}
    return Transform(grad, f, options, derivative, callee.signature)


def grad_of_call(
    callee: Callee, call: Call, wrt: object, seed: object, *, aux: bool = False
) -> tuple[Any, GradientResult]:
    """`grad` of a call that has been bound."""
    names = names_in_call(callee, call, wrt)
    facts = facts_of_call(call, () if wrt is None else names)
    refuse_floatless(names, facts)
    entry, value, gradients = _tried(callee, call, facts, names, seed, aux=aux)
    return value, _result(entry, call, names, facts, gradients)


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
    return value, _result(entry, call, names, facts, gradients)


def _result(
    entry: Entry, call: Call, names: tuple[str, ...], facts: Mapping[str, Fact],
    gradients: Sequence[Any],
) -> GradientResult:  # fmt: skip
    return GradientResult(
        call.names, dict(zip(names, gradients, strict=True)),
        reasons(call, names, facts),
        tape=entry.tape, source=entry.function.source,
    )  # fmt: skip


def _tried(
    callee: Callee, call: Call, facts: Mapping[str, Fact], names: tuple[str, ...],
    seed: object, *, aux: bool,
) -> tuple[Entry, Any, tuple[Any, ...]]:  # fmt: skip
    """The text that serves and what it gives: where it guessed wrong what shares
    memory, another is made."""
    guesses = Guesses()
    while True:
        entry = _entry(callee, call, facts, names, guesses, aux=aux)
        cotangent = seed
        if seed is ONE:
            cotangent = seed_of_one(entry.program, call.values[names[0]])
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
    query = Query(facts, call.values, names, (*call.form, ("has_aux", aux)))
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
            dependencies=dependencies_of(callee.fn, tape, call.values),
        )  # fmt: skip
    _CACHE.add(callee.fn, entry)
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
    facts = {name: fact_of(value, name) for name, value in call.values.items()}
    refuse_left_out(names, call.arguments)
    refuse_floatless(names, facts)
    entry = _entry(callee, call, facts, names, guesses)
    if of_scalar:
        refuse_no_scalar(entry.program, call.values[names[0]])
    return entry


def dependencies_of(fn: Fn, tape: Tape, values: Mapping[str, object]) -> Dependencies:
    """What a text made of a tape rests on."""
    return Dependencies.of((fn, *taken_apart(tape.used)), values)


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


def run_gradient(entry: Entry, call: Call, seed: object) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients, by the text."""
    program = entry.program
    try:
        options = seed_options(program, seed)
    except ShapeError:
        raise  # a seed is wanted, and nothing is run without
    except YotaError as error:
        raise (_refusal_met(entry, call) or error) from None
    try:
        given = entry.function.fn(*call.args, **call.kwargs, **options)
    except ValueError as error:
        if type(error) is ValueError and str(error).startswith(f"{program.name}: seed"):
            raise ShapeError(str(error)) from None
        told = told_by(entry.tape, error)
        if told is None:
            raise
        raise told from None
    value, *gradients = given if program.results else (given,)
    check_seed(program, seed, value)
    for name, gradient in zip(program.wrt, gradients, strict=False):
        refuse_complex(program.name, name, call.values[name], gradient)
    return value, tuple(gradients)


def simplegrad(
    f: Fn,
    /,
    *args: object,
    wrt: object = None,
    fast: bool = False,
    backend: str = "numpy",
    **kwargs: object,
) -> GeneratedFunction:
    """The gradient of f as a plain function of the same arguments (and `seed`).

    args, kwargs: examples. Their kinds, dtypes and ranks make the text specific, and
    f is not run; the text serves all lengths of axes, except that an axis of length 1
    stays one. Without any, annotations are read, and the text is general: a parameter
    of which they say nothing is a float or a real array of any rank.
    wrt: as for `grad`.

    Returns a `GeneratedFunction`. It gives the value and then the gradients, flat, in
    the order of `wrt`: `val, dW, db = df(W, b)`. What it takes for granted of its
    arguments it checks, with ValueError.

    Raises the errors of this package where f cannot be differentiated, and
    UnsupportedSyntax for `fast=True` and other backends, which are not there yet.

    >>> def energy(x, k):
    ...     return np.sum(k * x**2)
    >>> denergy = simplegrad(energy, np.ones(2), 0.5, wrt="x")
    >>> val, dx = denergy(np.array([1.0, 2.0, 3.0]), 0.5)
    >>> print(val, dx)
    7.0 [1. 2. 3.]
    """
    if fast or backend != "numpy":
        raise UnsupportedSyntax(
            "only fast=False and backend='numpy' are available",
            remedy="Leave them out: the readable NumPy text is the default.",
        )
    callee = callee_of(f)
    request, names = request_for(callee, args, kwargs, wrt)
    with kept_off(), gone_through_once(), telling():
        tape, program = differentiated(request, names)
        note(program)
        refuse_nameless({at: fn for at, p, fn in tape.held if p not in callee.bound})
        function = compiled(program)
        watched = dependencies_of(callee.fn, tape, request.examples or {})
    function.viewer = functools.partial(_shown, tape, program)
    function.keeper = Keeper(Made(callee.fn, tape, program), function, watched)
    function.looks = Looks(tape, program)
    if callee.args or callee.kwargs:
        return function.bound(callee.args, callee.kwargs)
    given = request.facts if args or kwargs else None
    asked = None if wrt is None and given is None else names
    return function.saved_by(Saver(Made(callee.fn, tape, program), asked, given))


def _shown(tape: Tape, program: Program, form: str) -> str:
    """The HTML of a gradient. What makes it is imported when it is asked for."""
    from .viewing.view import View

    return View(tape, program).shown(form)


def request_for(
    callee: Callee,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    wrt: object,
) -> tuple[Request, tuple[str, ...] | None]:
    """What is asked of the compiler for example arguments, or without any; and of which
    parameters."""
    names = names_of(callee, wrt)
    examples: Mapping[str, object] | None = None
    signature = callee.general
    if args or kwargs:
        own = ("wrt", "fast", "backend")
        call = bound_call("simplegrad", callee, args, kwargs, own)
        refuse_left_out(names or (), call.arguments)
        examples, signature = call.values, call.own
        facts = {name: fact_of(value, name) for name, value in examples.items()}
        refuse_nameless({name: examples[name] for name in call.arguments})
        if names is None:
            names = tuple(name for name in call.arguments if facts[name].holds_floats)
    else:
        facts, examples = _general(callee)
    refuse_floatless(names or (), facts)
    request = Request(
        callee.fn, facts, examples, signature=signature, bound=callee.bound
    )
    return request, names


def _general(callee: Callee) -> tuple[dict[str, Fact], dict[str, object]]:
    """What is known where no call is given: annotations, defaults, what is bound."""
    facts = facts_of_signature(callee.fn)
    bound = callee.bound
    facts.update((name, fact_of(value, name)) for name, value in bound.items())
    return facts, dict(bound)


# ---------------------------------------------------------------- transforms


@transform
def value_and_grad(f: Fn, wrt: object = None, *, has_aux: bool = False) -> Fn:
    """A function giving f's value and its derivative: `jac=True` for SciPy.

    wrt: None means the first argument. None, a name, a position or a list of one gives
    the bare derivative, several give a tuple, whatever the values.
    has_aux: f gives a pair, the value and anything else, and so does what this gives in
    the place of the value: `(value, aux), dx`.

    Raises ShapeError where the value is not a real scalar, and the errors of `grad`.

    >>> def energy(x):
    ...     return np.sum(x**2)
    >>> value, dx = value_and_grad(energy)(np.array([1.0, 2.0]))
    >>> print(value, dx)
    5.0 [2. 4.]
    """
    callee, names = _transformed(f, wrt)

    def with_gradient(*args: object, **kwargs: object) -> tuple[Any, Any]:
        call = callee.bind(args, kwargs)
        seed = ONE if len(names) == 1 and not has_aux else None
        with taking_no_seed():
            value, g = grad_of_call(callee, call, names, seed, aux=has_aux)
        return value, _bare([g[name] for name in names])

    options = {"wrt": wrt, "has_aux": has_aux}
    return Transform(value_and_grad, f, options, with_gradient, callee.signature)


def _transformed(f: Fn, wrt: object) -> tuple[Callee, tuple[str, ...]]:
    callee = callee_of(f)
    return callee, names_or_first(callee.parameters, wrt)


def _bare(gradients: Sequence[Any]) -> Any:
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


@transform
def vjp(f: Fn, wrt: object = None) -> Fn:
    """A function giving f's value and the pullback: seed -> derivative.

    wrt: as for `value_and_grad`. The pullback takes a cotangent of the shape of the
    value and may be called again; it runs the forward sweep on copies of the arguments.

    Raises UnsupportedCall where that would not give the same: random draws, printing;
    ShapeError for a seed of another shape.

    >>> value, pullback = vjp(lambda x: 3.0 * x)(np.array([1.0, 2.0]))
    >>> print(value, pullback(np.array([1.0, 0.0])))
    [3. 6.] [3. 0.]
    """
    callee, names = _transformed(f, wrt)

    def forward(*args: object, **kwargs: object) -> tuple[Any, Fn]:
        call = callee.bind(args, kwargs)
        facts = facts_of_call(call, names)
        refuse_left_out(names, call.arguments)
        refuse_floatless(names, facts)
        entry = _entry(callee, call, facts, names)
        refuse_effects(entry.tape)
        kept = copied((call.args, call.kwargs))
        value = _play(entry.tape, *call.args, **call.kwargs)

        def pullback(seed: object) -> Any:
            args, kwargs = copied(kept)
            again = replace(call, args=args, kwargs=kwargs)
            return _bare(run_gradient(entry, again, seed)[1])

        return value, pullback

    return Transform(vjp, f, {"wrt": wrt}, forward, callee.signature)


def refuse_effects(
    tape: Tape,
    why: str = "the pullback runs the function again",
    remedy: str = "Use `grad` with a seed, which runs the function once.",
) -> None:
    """Refuse a function that must not be run once more."""
    for op in walk(tape.block):
        if isinstance(op, Apply) and op.effect:
            raise UnsupportedCall(
                f"{why}, and this would happen twice",
                at=op.origin.location,
                remedy=remedy,
            )


# ---------------------------------------------------------------- tapes and texts


def trace(
    f: Fn,
    /,
    *args: object,
    primitives: Iterable[Hashable] = (),
    unroll: bool = False,
    **kwargs: object,
) -> tuple[Any, Tape]:
    """The value of `f(*args, **kwargs)` and the tape that computed it.

    primitives: functions that stay one op, beside those that have rules.

    `print(tape)` lists it; `tape.play(*args)` gives the value for other arguments, of
    the same kinds and ranks. f is run once.

    Raises UnsupportedSyntax for `unroll=True`, which is not there yet, and the errors
    of this package where f cannot be lowered.

    >>> value, tape = trace(lambda x: np.sum(x * x), np.array([1.0, 2.0]))
    >>> print(tape)
    Tape
      inp %1::ndarray[float64, 1]
      %2 = mul(%1, %1)::ndarray[float64, 1]
      %3 = sum(%2)::float64
      result %3
    """
    if unroll:
        raise UnsupportedSyntax(
            "unroll=True is not available yet",
            remedy="Leave it out: one tape serves every number of iterations.",
        )
    callee = callee_of(f)
    call = callee.bind(args, kwargs)
    facts = {name: fact_of(value, name) for name, value in call.values.items()}
    kept = tuple(callee_of(p).fn for p in primitives)  # type: ignore[arg-type]
    tape = lowered(
        Request(callee.fn, facts, call.values, primitives=kept, signature=call.own)
    )
    tape = checked(tape, call.values)
    return _play(tape, *call.args, **call.kwargs), tape


def play(tape: Tape, /, *args: object, **kwargs: object) -> Any:
    """The value of a tape; by the function compiled from it, if there is one.

    args, kwargs: as those of the function that was traced, of the same kinds and ranks.

    Raises TypeError where they do not fit its parameters, ValueError where they are
    made up otherwise in a way that has decided something; errors that the function
    itself would raise pass through.
    """
    return tape.play(*args, **kwargs)


def compile_tape(tape: Tape) -> GeneratedFunction:
    """The tape as a compiled function, which the tape keeps for `play`.

    It computes the value, without gradients, and has its text as `.source`.
    """
    function = compiled(primal_program(tape))
    tape.compiled.append(function)
    return function


def tape_of(fn: Fn, *, facts: Mapping[str, Fact] | None = None) -> Tape:
    """The tape of a function, from its annotations and the facts given."""
    return lowered(general_request(fn, facts))


def general_request(fn: Fn, facts: Mapping[str, Fact] | None) -> Request:
    """What is asked where no call is given: by annotations and the facts given."""
    callee = callee_of(fn)
    known, examples = _general(callee)
    known.update(facts or {})
    return Request(
        callee.fn, known, examples, signature=callee.general, bound=callee.bound
    )


def gradient_source(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> str:
    """The text of the gradient of a function: what `show-grad` prints."""
    return module_of([general_gradient(fn, wrt=wrt, facts=facts)]).text


def general_gradient(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> Made:
    """The gradient of a function, from its annotations and the facts given."""
    names = names_of(callee_of(fn), wrt)
    with telling():
        tape, program = differentiated(general_request(fn, facts), names)
        note(program)
    refuse_floatless(names or (), {p.var.name: p.var.fact for p in tape.params})
    refuse_value(program)
    return Made(callee_of(fn).fn, tape, program)


def gradient_view(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> View:
    """What `show-grad` prints, with all that it stems from: what reports show."""
    from .viewing.view import View

    made = general_gradient(fn, wrt=wrt, facts=facts)
    return View(made.tape, made.program, module_of([made]))


def all_rules() -> tuple[Any, ...]:
    """The rules of the book, built-in ones and the user's."""
    return tuple(BOOK)


# ---------------------------------------------------------------- inside functions


def nested_makers() -> Makers:
    """How transforms that are called inside a function make their code."""
    return Makers(nested_gradient, nested_tangent)


nesting.follow(
    {
        "grad": grad,
        "simplegrad": simplegrad,
        "value_and_grad": value_and_grad,
        "vjp": vjp,
    },
    nested_makers(),
)
