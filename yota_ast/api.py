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

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .annotations import facts_of_signature
from .cache import Cache, Entry
from .codegen.compile import GeneratedFunction
from .errors import ShapeError, UnsupportedSyntax, YotaError
from .facts import Fact, fact_of
from .objects import GradientResult
from .pipeline import Request, compiled, gradient_program, lowered, primal_program
from .playing import play
from .rules.rule import BOOK
from .tape import Parameter, Program, Tape

Fn = Callable[..., Any]
_CACHE = Cache()
_RESERVED = ("wrt", "seed", "dynamic")


# ---------------------------------------------------------------- gradients


def grad(
    f: Fn,
    *args: object,
    wrt: object = None,
    seed: object = None,
    dynamic: bool = True,
    **kwargs: object,
) -> tuple[Any, GradientResult]:
    """Run f and its gradient: the value of `f(*args, **kwargs)`, and the gradients.

    wrt: names or positions of the arguments to differentiate; None: every argument that
    holds floats. seed: the cotangent, of the shape of the value; needed where the value
    is not a scalar. dynamic=False specialises the text on arguments without floats.

    Raises ShapeError where a seed is missing or of the wrong shape, and the other errors
    of this package where f cannot be differentiated; errors of f itself pass through.
    """
    _refuse_reserved(f)
    bound = _bind(f, args, kwargs)
    names = _names(f, wrt, bound.arguments)
    entry = _entry(f, bound.arguments, names)
    value, gradients = _run(entry, bound, seed)
    asked = names or _default_names(entry, bound.arguments)
    result = GradientResult(
        tuple(bound.arguments), dict(zip(asked, gradients, strict=True)),
        _reasons(bound.arguments, asked), tape=entry.tape, source=entry.function.source,
    )  # fmt: skip
    return value, result


def _refuse_reserved(f: Fn) -> None:
    parameters = _signature(f).parameters
    for name in _RESERVED:
        if name in parameters and parameters[name].kind is not inspect.Parameter.VAR_KEYWORD:
            return


def _signature(f: Fn) -> inspect.Signature:
    try:
        return inspect.signature(f, follow_wrapped=False)
    except (TypeError, ValueError) as error:
        raise YotaError(f"{f!r} has no signature") from error


def _bind(
    f: Fn, args: Sequence[object], kwargs: Mapping[str, object]
) -> inspect.BoundArguments:
    bound = _signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


def _names(
    f: Fn, wrt: object, arguments: Mapping[str, object]
) -> tuple[str, ...] | None:
    """The parameters that `wrt` names, by position or by name."""
    if wrt is None:
        return None
    parameters = tuple(_signature(f).parameters)
    asked = (wrt,) if isinstance(wrt, (str, int)) else tuple(wrt)  # type: ignore[arg-type]
    names = []
    for item in asked:
        if isinstance(item, str) and item in parameters:
            names.append(item)
        elif isinstance(item, int) and -len(parameters) <= item < len(parameters):
            names.append(parameters[item])
        else:
            known = ", ".join(parameters)
            raise YotaError(f"wrt: no argument {item!r}; the arguments are {known}")
    return tuple(names)


def _entry(
    f: Fn, arguments: Mapping[str, object], wrt: tuple[str, ...] | None
) -> Entry:
    facts = {name: fact_of(value, name) for name, value in arguments.items()}
    found = _CACHE.find(f, facts, arguments, wrt, ())
    if found is not None:
        return found
    version = BOOK.version
    tape = lowered(Request(f, facts, arguments))
    program = gradient_program(tape, wrt)
    entry = Entry(facts, wrt, (), version, tape, program, compiled(program))
    _CACHE.add(f, entry)
    return entry


def _run(
    entry: Entry, bound: inspect.BoundArguments, seed: object
) -> tuple[Any, tuple[Any, ...]]:
    """The value and the gradients, by the text."""
    options: dict[str, object] = {}
    parameter = seed_parameter(entry.program)
    if seed is not None:
        options[seed_name(entry.program)] = seed
    elif parameter.default is None:
        raise ShapeError(
            f"{entry.tape.name} gives no scalar, so its gradient needs a seed",
            remedy="Pass `seed=`, an array of the shape of the value.",
        )
    try:
        value, *gradients = entry.function.fn(*bound.args, **bound.kwargs, **options)
    except ValueError as error:
        if type(error) is ValueError and str(error).startswith(f"{entry.program.name}: seed"):
            raise ShapeError(str(error)) from None
        raise
    return value, tuple(gradients)


def seed_parameter(program: Program) -> Parameter:
    """The seed: the last parameter that is no `**kwargs`."""
    return [p for p in program.params if p.kind != "kwargs"][-1]


def seed_name(program: Program) -> str:
    """What the text calls the seed: `seed`, or `seed_2` beside a parameter `seed`."""
    seed = seed_parameter(program)
    taken = {p.var.hint or p.var.name for p in program.params if p is not seed}
    name, n = "seed", 2
    while name in taken:
        name, n = f"seed_{n}", n + 1
    return name


def _default_names(entry: Entry, arguments: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(name for name in arguments if entry.facts[name].holds_floats)


def _reasons(arguments: Mapping[str, object], asked: Sequence[str]) -> dict[str, str]:
    reasons = {}
    for name, value in arguments.items():
        if name not in asked and not fact_of(value).holds_floats:
            kind = type(value).__name__
            article = "an" if kind[0] in "aeiou" else "a"
            reasons[name] = f"{article} {kind}, and not in wrt"
    return reasons


def simplegrad(
    f: Fn,
    *args: object,
    wrt: object = None,
    fast: bool = False,
    backend: str = "numpy",
    **kwargs: object,
) -> GeneratedFunction:
    """The gradient of f as a plain function of the same arguments (and `seed`).

    It returns the value and then the gradients, flat: `val, dW, db = df(W, b)`. The
    arguments given are examples: their kinds, dtypes and ranks make the text specific,
    and f is not run. Without any, annotations are read and the text is general.
    `.source` is the text, `.fn` the bare function, `.save(path)` writes it to a file.
    """
    if fast or backend != "numpy":
        raise UnsupportedSyntax(
            "only fast=False and backend='numpy' are available",
            remedy="Leave them out: the readable NumPy text is the default.",
        )
    if args or kwargs:
        arguments = _bind(f, args, kwargs).arguments
        facts = {name: fact_of(value, name) for name, value in arguments.items()}
        examples: Mapping[str, object] | None = arguments
    else:
        facts, examples = facts_of_signature(f), None
    names = _names(f, wrt, facts)
    tape = lowered(Request(f, facts, examples))
    return compiled(gradient_program(tape, names))


def value_and_grad(f: Fn, wrt: object = None) -> Fn:
    """A function giving f's value and its derivative: `jac=True` for SciPy.

    wrt None means the first argument. None, a name, a position or a list of one gives
    the bare derivative; several give a tuple.
    """

    def with_gradient(*args: object, **kwargs: object) -> tuple[Any, Any]:
        value, g = grad(f, *args, wrt=_first(wrt), **kwargs)
        return value, _bare(g, f, wrt)

    with_gradient.__name__ = f"{getattr(f, '__name__', 'f')}_value_and_grad"
    return with_gradient


def _first(wrt: object) -> object:
    return 0 if wrt is None else wrt


def _bare(g: GradientResult, f: Fn, wrt: object) -> Any:
    names = _names(f, _first(wrt), {}) or ()
    if len(names) == 1:
        return g[names[0]]
    return tuple(g[name] for name in names)


def vjp(f: Fn, wrt: object = None) -> Fn:
    """A function giving f's value and the pullback: seed -> derivative."""

    def forward(*args: object, **kwargs: object) -> tuple[Any, Fn]:
        bound = _bind(f, args, kwargs)
        names = _names(f, _first(wrt), bound.arguments)
        entry = _entry(f, bound.arguments, names)
        value = play(entry.tape, *bound.args, **bound.kwargs)

        def pullback(seed: object) -> Any:
            _, gradients = _run(entry, bound, seed)
            return gradients[0] if len(gradients) == 1 else gradients

        return value, pullback

    return forward


def jacobian(f: Fn, wrt: object = None) -> Fn:
    """A function giving the Jacobian, of shape val.shape + x.shape."""

    def rows(*args: object, **kwargs: object) -> Any:
        value, pullback = vjp(f, wrt)(*args, **kwargs)
        shape = np.shape(value)
        if shape == ():
            return pullback(1.0)
        parts = []
        for k in range(int(np.prod(shape))):
            seed = np.zeros(shape)
            seed.flat[k] = 1.0
            parts.append(pullback(seed))
        return _stacked(parts, shape)

    return rows


def _stacked(parts: Sequence[Any], shape: tuple[int, ...]) -> Any:
    if parts and isinstance(parts[0], tuple):
        return tuple(_stacked(p, shape) for p in zip(*parts, strict=True))
    whole = np.array(parts)
    return whole.reshape(shape + whole.shape[1:])


# ---------------------------------------------------------------- tapes and texts


def trace(
    f: Fn,
    *args: object,
    primitives: Sequence[object] | set[object] = (),
    unroll: bool = False,
    **kwargs: object,
) -> tuple[Any, Tape]:
    """The value of `f(*args)` and the tape that computed it.

    primitives: functions that stay one op. unroll: loops over ranges that the arguments
    fix are written out.
    """
    bound = _bind(f, args, kwargs)
    facts = {name: fact_of(value, name) for name, value in bound.arguments.items()}
    tape = lowered(Request(f, facts, bound.arguments, primitives=tuple(primitives)))
    return play(tape, *bound.args, **bound.kwargs), tape


def compile_tape(tape: Tape) -> GeneratedFunction:
    """The tape as a compiled function, which the tape keeps for `play`."""
    function = compiled(primal_program(tape))
    tape.compiled.append(function)
    return function


def tape_of(fn: Fn, *, facts: Mapping[str, Fact] | None = None) -> Tape:
    """The tape of a function, from its annotations and the facts given."""
    known = {**facts_of_signature(fn), **(facts or {})}
    return lowered(Request(fn, known))


def gradient_source(
    fn: Fn, *, wrt: Sequence[str] | None = None, facts: Mapping[str, Fact] | None = None
) -> str:
    """The text of the gradient of a function: what `show-grad` prints."""
    names = None if wrt is None else tuple(wrt)
    return compiled(gradient_program(tape_of(fn, facts=facts), names)).source


def all_rules() -> tuple[Any, ...]:
    """The rules of the book, built-in ones and the user's."""
    return tuple(BOOK)
