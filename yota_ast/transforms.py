"""Derivatives along directions: `jvp`, `hvp`, and the Hessian built from it.

>>> import numpy as np
>>> import yota_ast as ya
>>> def energy(x):
...     return np.sum(x**3)
>>> x, v = np.array([1.0, 2.0]), np.array([1.0, 0.5])
>>> [float(part) for part in ya.jvp(energy)(x, v)]
[9.0, 9.0]
>>> ya.hvp(energy)(x, v)
array([6., 6.])
>>> ya.hessian(energy)(x)
array([[ 6.,  0.],
       [ 0., 12.]])
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from . import nesting
from .api import dependencies_of, gradient_entry, nested_makers, tape_of
from .asked import names_of, one_or_first
from .cache import Cache, Entry, Query
from .callee import Call, Callee, callee_of
from .emitting.text import Made, tangent_module
from .errors import YotaError
from .facts import Fact, fact_of
from .fitting import fitting
from .guessing import Guesses
from .leaves import copied
from .pipeline import Request, compiled, differentiated_forward, tangent_program
from .records import replace
from .rules.rule import BOOK
from .seeds import refuse_complex
from .signatures import by_parameter, halves, with_direction, with_tangents
from .tape import Store, walk
from .telling import note, telling
from .transform import Transform

if TYPE_CHECKING:
    from .viewing.view import View

Fn = Callable[..., Any]
_CACHE: Final = Cache()


def jvp(f: Fn) -> Fn:
    """A function of the arguments and then their tangents, `jvp(f)(x, w, dx, dw)`,
    giving f's value and the tangent of the value along them.

    A tangent has the shape of its argument (of a container the structure, of an object
    a dict like the gradient's); None holds its argument fixed. Keywords are held fixed.
    The tangent of the value has its shape, and memory of its own.

    Raises ShapeError where a tangent does not fit, and the errors of the package where
    f has no tangent: functions that call themselves, `try`.

    >>> value, tangent = jvp(lambda x, k: k * x**2)(3.0, 0.5, 1.0, None)
    >>> value, tangent
    (4.5, 3.0)
    """
    callee = callee_of(f)

    def forward(*both: object, **kwargs: object) -> tuple[Any, Any]:
        primals, tangents = halves(both)
        call = callee.bind(primals, kwargs)
        along = {
            name: fitting(name, call.values.get(name, call.arguments[name]), d)
            for name, d in _by_name(callee, call, tangents).items()
            if d is not None
        }
        return tangent_of_call(callee, call, along)

    return Transform(jvp, f, None, forward, with_tangents(callee.signature))


def tangent_of_call(
    callee: Callee, call: Call, along: Mapping[str, Any]
) -> tuple[Any, Any]:
    """`jvp` of a call that has been bound; along: the tangents of some arguments. Where
    a text guessed wrong what shares memory, another is made."""
    facts = {name: fact_of(value, name) for name, value in call.values.items()}
    guesses = Guesses()
    while True:
        entry = _entry(callee, call, facts, tuple(along), guesses)
        own = {p.var.name for p in entry.tape.params}
        added = [p.var.name for p in entry.program.params if p.var.name not in own]
        named = dict(zip(added, along.values(), strict=True))
        try:
            value, tangent = entry.function.fn(*call.args, **call.kwargs, **named)
        except ValueError as error:
            guesses.met(entry, error)
        else:
            return value, _own(tangent)


def _entry(
    callee: Callee, call: Call, facts: Mapping[str, Fact], names: tuple[str, ...],
    guesses: Guesses,
) -> Entry:  # fmt: skip
    query = Query(facts, call.values, names)
    found = _CACHE.find(callee.fn, query, guesses.failed)
    if found is not None:
        return found
    version = BOOK.version
    request = Request(
        callee.fn, facts, call.values, signature=callee.own, copied=guesses.copied,
        lenient=True,
    )  # fmt: skip
    with telling():
        tape, program = differentiated_forward(request, names)
        if not guesses.failed:  # else it has been told
            note(program)
    entry = Entry.made_for(
        query, version=version, tape=tape, program=program, function=compiled(program),
        dependencies=dependencies_of(callee.fn, tape, call.values),
    )  # fmt: skip
    _CACHE.add(callee.fn, entry)
    return entry


def _by_name(callee: Callee, call: Call, tangents: Sequence[Any]) -> dict[str, Any]:
    """The tangents by the parameters that take the arguments: those of `*args` behind
    what a partial has put there; None where they all are."""
    found: dict[str, Any] = by_parameter(callee.signature, tangents)
    for name, d in found.items():
        if callee.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            bound: Any = call.values.get(name, d)
            every = (*[None] * (len(bound) - len(d)), *d)
            found[name] = None if all(one is None for one in d) else every
    return found


def _own(tangent: Any) -> Any:
    """A tangent in memory of its own."""
    if isinstance(tangent, np.ndarray):
        return np.array(tangent)
    if isinstance(tangent, dict):
        return {key: _own(d) for key, d in tangent.items()}
    if isinstance(tangent, (tuple, list)):
        return type(tangent)(map(_own, tangent))
    return tangent


def tangent_source(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> str:
    """The text of the value and tangent: what `show-grad --mode forward` prints."""
    return tangent_view(fn, wrt=wrt, facts=facts).source


def tangent_view(
    fn: Fn, *, wrt: object = None, facts: Mapping[str, Fact] | None = None
) -> View:
    """The same text with all that it stems from: what reports show."""
    from .viewing.view import View

    callee = callee_of(fn)
    with telling():
        tape = tape_of(fn, facts=facts)
        program = tangent_program(tape, names_of(callee, wrt))
        note(program)
    return View(tape, program, tangent_module(Made(callee.fn, tape, program)))


def hvp(f: Fn) -> Fn:
    """A function giving the product of f's Hessian in its first argument, an array or a
    float, and a direction: `hvp(f)(x, v, *rest)`, SciPy's `hessp`.

    The direction and the product have the shape of `x`; keywords are handed on. f gives
    a real scalar.

    Raises ShapeError where the direction does not fit, and the errors of `grad` and
    `jvp`.

    >>> print(hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]), np.array([1.0, 1.0])))
    [ 6. 12.]
    """
    callee = callee_of(f)
    first = callee.parameters[0] if callee.parameters else None
    if first is None:
        raise YotaError("hvp: the function has no argument")

    def product(x: object, v: object, /, *rest: object, **kwargs: object) -> Any:
        call = callee.bind((x, *rest), kwargs)
        return _with_slope(
            callee, call, first, lambda made: _change(made.function.fn, call, first, v)
        )

    return Transform(hvp, f, None, product, with_direction(callee.signature))


def hessian(f: Fn, wrt: object = None) -> Fn:
    """A function giving the Hessian in one argument, of shape `x.shape + x.shape`.

    wrt: a name or position; None means the first argument. f gives a real scalar. The
    Hessian is made by columns, one product each.

    Raises YotaError where several arguments are named, and the errors of `hvp`.

    >>> print(hessian(lambda x: x[0] * x[1] ** 2)(np.array([1.0, 2.0])))
    [[0. 4.]
     [4. 2.]]
    """
    callee = callee_of(f)
    name = one_or_first("hessian", callee.parameters, wrt)

    def columns(*args: object, **kwargs: object) -> Any:
        call = callee.bind(args, kwargs)
        return _with_slope(callee, call, name, lambda made: _columns(made, call, name))

    return Transform(hessian, f, wrt, columns, callee.signature)


def _with_slope(
    callee: Callee, call: Call, name: str, run: Callable[[Entry], Any]
) -> Any:
    """What is made with the compiled gradient in one argument: with another where that
    guessed wrong what shares memory."""
    guesses = Guesses()
    while True:
        entry = gradient_entry(callee, call, (name,), guesses, of_scalar=True)
        try:
            return run(entry)
        except ValueError as error:
            guesses.met(entry, error)


def _change(slope: Fn, call: Call, name: str, v: Any) -> Any:
    """How the gradient in one argument changes along v: the call is that of the
    function itself, with what a method or a partial function adds to it."""
    x, inner = call.values[name], callee_of(slope)
    whole = inner.bind(call.args, call.kwargs)  # with the seed, its default
    _, (_, change) = tangent_of_call(inner, whole, {name: fitting(name, x, v)})
    refuse_complex(slope.__name__, name, x, change)
    return change


def _columns(made: Entry, call: Call, name: str) -> Any:
    """The Hessian: each column but the first is that of copies, where the function may
    write into its arguments."""
    x: Any = call.values[name]
    shape, kept = np.shape(x), call
    blocks = (made.tape.block, *(f.block for f in made.tape.functions))
    if any(isinstance(op, Store) for block in blocks for op in walk(block)):
        kept = _copy(call)
    columns = []
    for k in range(int(np.prod(shape, dtype=int))):
        v = np.zeros(shape)
        v.flat[k] = 1.0
        columns.append(_change(made.function.fn, call, name, v))
        call = kept if kept is call else _copy(kept)
    if shape == ():
        return columns[0]
    return np.moveaxis(np.array(columns), 0, -1).reshape(shape + shape)


def _copy(call: Call) -> Call:
    """The call of copies of the arguments, as the plain function gets them."""
    args, kwargs = copied((call.args, call.kwargs))
    return replace(call, args=args, kwargs=kwargs)


__all__: Sequence[str] = ("hessian", "hvp", "jvp")


nesting.follow({"jvp": jvp, "hvp": hvp, "hessian": hessian}, nested_makers())
