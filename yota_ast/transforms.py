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
from .asked import names_of
from .cache import Cache, Entry, Query
from .callee import Call, Callee, callee_of
from .emitting.text import Made, tangent_module
from .errors import ShapeError, YotaError
from .facts import Fact, fact_of
from .guessing import Guesses
from .paths import item_text
from .pipeline import Request, compiled, differentiated_forward, tangent_program
from .rules.rule import BOOK
from .seeds import refuse_complex
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
        count, odd = divmod(len(both), 2)
        if odd:
            raise YotaError(
                "jvp: as many tangents as arguments are needed",
                remedy="Call `jvp(f)(x, y, dx, dy)`; None holds an argument fixed.",
            )
        primals, tangents = both[:count], both[count:]
        call = callee.bind(primals, kwargs)
        along = {
            name: _fitting(name, call.values.get(name, call.arguments[name]), d)
            for name, d in _by_name(callee, call, tangents).items()
            if d is not None
        }
        return tangent_of_call(callee, call, along)

    return Transform(jvp, f, None, forward, _with_tangents(callee.signature))


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
    """The tangents by the parameters that take the arguments: `*args` takes those of
    all that are left, after what a partial has put there; None where they all are."""
    left, found = list(tangents), dict[str, Any]()
    for name, parameter in callee.signature.parameters.items():
        if not left:
            break
        if parameter.kind is parameter.VAR_POSITIONAL:
            bound: Any = call.values.get(name, left)
            left = [None] * (len(bound) - len(left)) + left
            found[name] = None if all(d is None for d in left) else tuple(left)
            break
        found[name] = left.pop(0)
    return found


def _fitting(name: str, x: Any, d: Any) -> Any:
    """A tangent of the kind and shape of its argument; None within a container holds
    the item fixed."""
    if isinstance(x, (bool, int, str)) or x is None or callable(x):
        raise YotaError(
            f"jvp: {name!r}, of {type(x).__name__}, does not vary",
            remedy="Give None in the place of its tangent.",
        )
    if isinstance(x, (float, np.ndarray, np.number)):
        if np.shape(d) != np.shape(x):
            raise ShapeError(
                f"jvp: the tangent of {name!r} has the shape {np.shape(d)}, and"
                f" {name!r} {np.shape(x)}"
            )
        return float(d) if type(x) is float else np.asarray(d)
    if isinstance(x, (tuple, list)):
        return _of_items(name, x, d)
    if isinstance(x, dict) and isinstance(d, dict):
        return {k: _of_item(item_text(name, k), v, d.get(k)) for k, v in x.items()}
    return d


def _of_items(name: str, x: Sequence[Any], d: Any) -> Any:
    if not isinstance(d, (tuple, list)) or len(d) != len(x):
        raise ShapeError(
            f"jvp: the tangent of {name!r} is to be a {type(x).__name__} of {len(x)}"
        )
    return [
        _of_item(item_text(name, k), *both)
        for k, both in enumerate(zip(x, d, strict=True))
    ]


def _of_item(name: str, x: Any, d: Any) -> Any:
    """The tangent of an item: of one that does not vary as it is given."""
    if isinstance(x, (float, np.ndarray, np.number)) and d is None:
        return 0.0 if isinstance(x, float) else np.zeros_like(x)
    if isinstance(x, (bool, int, str)) or x is None or callable(x):
        return d
    if d is None and isinstance(x, (tuple, list, dict)):
        d = {} if isinstance(x, dict) else [None] * len(x)
    return None if d is None else _fitting(name, x, d)


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

    def product(x: object, v: object, *rest: object, **kwargs: object) -> Any:
        call = callee.bind((x, *rest), kwargs)
        return _with_slope(
            callee, call, first, lambda slope: _change(slope, call, first, v)
        )

    return Transform(hvp, f, None, product, _with_direction(callee.signature))


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
    names = names_of(callee, 0 if wrt is None else wrt) or ()
    if len(names) != 1:
        raise YotaError("hessian: it is in one argument; name one in `wrt`")

    def columns(*args: object, **kwargs: object) -> Any:
        call = callee.bind(args, kwargs)
        return _with_slope(
            callee, call, names[0], lambda slope: _columns(slope, call, names[0])
        )

    return Transform(hessian, f, wrt, columns, callee.signature)


_POSITIONAL: Final = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
)  # fmt: skip


def _with_tangents(signature: inspect.Signature) -> inspect.Signature:
    """The signature of `jvp(f)`: the arguments of f, then their tangents."""
    slots = list(signature.parameters.values())
    ahead = [p for p in slots if p.kind in _POSITIONAL]
    if any(p.kind is p.VAR_POSITIONAL for p in slots):
        named = [inspect.Parameter("both", inspect.Parameter.VAR_POSITIONAL)]
    else:
        names = [*(p.name for p in ahead), *(f"d{p.name}" for p in ahead)]
        named = [inspect.Parameter(n, _POSITIONAL[0]) for n in _apart(names)]
    return inspect.Signature([*named, *_by_keyword(slots)])


def _with_direction(signature: inspect.Signature) -> inspect.Signature:
    """The signature of `hvp(f)`: the first argument of f, the direction, the rest."""
    first, *slots = signature.parameters.values()
    rest = [p for p in slots if p.kind in _POSITIONAL]
    names = _apart([first.name, "v", *(p.name for p in rest)])
    named = [inspect.Parameter(n, _POSITIONAL[0]) for n in names[:2]]
    named += [
        inspect.Parameter(n, _POSITIONAL[0], default=p.default)
        for n, p in zip(names[2:], rest, strict=True)
    ]
    others = [p for p in slots if p.kind is p.VAR_POSITIONAL]
    return inspect.Signature([*named, *others, *_by_keyword(slots)])


def _by_keyword(slots: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
    return [p for p in slots if p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]


def _apart(names: Sequence[str]) -> list[str]:
    """The names, each once: `v_2` where there is a `v` already."""
    found = list[str]()
    for name in names:
        number, free = 2, name
        while free in found:
            number, free = number + 1, f"{name}_{number}"
        found.append(free)
    return found


def _with_slope(callee: Callee, call: Call, name: str, run: Callable[[Fn], Any]) -> Any:
    """What is made with the compiled gradient in one argument: with another where that
    guessed wrong what shares memory."""
    guesses = Guesses()
    while True:
        entry = gradient_entry(callee, call, (name,), guesses, of_scalar=True)
        try:
            return run(entry.function.fn)
        except ValueError as error:
            guesses.met(entry, error)


def _change(slope: Fn, call: Call, name: str, v: Any) -> Any:
    """How the gradient in one argument changes along v: the call is that of the
    function itself, with what a method or a partial function adds to it."""
    x, inner = call.values[name], callee_of(slope)
    whole = inner.bind(call.args, call.kwargs)  # with the seed, its default
    _, (_, change) = tangent_of_call(inner, whole, {name: _fitting(name, x, v)})
    refuse_complex(slope.__name__, name, x, change)
    return change


def _columns(slope: Fn, call: Call, name: str) -> Any:
    x: Any = call.values[name]
    shape = np.shape(x)
    columns = []
    for k in range(int(np.prod(shape, dtype=int))):
        v = np.zeros(shape)
        v.flat[k] = 1.0
        columns.append(_change(slope, call, name, v))
    if shape == ():
        return columns[0]
    return np.moveaxis(np.array(columns), 0, -1).reshape(shape + shape)


__all__: Sequence[str] = ("hessian", "hvp", "jvp")


nesting.follow({"jvp": jvp, "hvp": hvp, "hessian": hessian}, nested_makers())
