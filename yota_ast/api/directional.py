"""Derivatives along directions: `jvp`, `hvp`.

>>> import numpy as np
>>> import yota_ast as ya
>>> def energy(x):
...     return np.sum(x**3)
>>> x, v = np.array([1.0, 2.0]), np.array([1.0, 0.5])
>>> [float(part) for part in ya.jvp(energy)(x, v)]
[9.0, 9.0]
>>> ya.hvp(energy)(x, v)
array([6., 6.])
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakSet

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.api.cache.alias_speculation import Guesses, until_right
from yota_ast.api.cache.answers import with_cells
from yota_ast.api.cache.compiled_gradients import Cache, Entry, Query
from yota_ast.api.cache.fast_calls import Asked
from yota_ast.api.cache.fast_products import (
    LONG_WAY,
    key_of_product,
    note_product,
    product_again,
)
from yota_ast.api.call_target import Call, Callee, callee_of
from yota_ast.api.derivative_warnings import note, telling
from yota_ast.api.grad import (
    facts_of_call,
    grad,
    gradient_entry,
    nested_makers,
    with_cells_of_slope,
)
from yota_ast.api.other_names import transform
from yota_ast.api.seeds import refuse_complex, seed_of_one
from yota_ast.api.traced_tapes import tape_of
from yota_ast.api.transform_signatures import (
    arguments_and_tangents,
    by_parameter,
    with_direction,
    with_tangents,
)
from yota_ast.api.values.given_tangents import fitting, varying
from yota_ast.api.values.leaves import copied, is_named_tuple
from yota_ast.api.values.raveling import Array, Layout
from yota_ast.api.values.restoring import restorer, writes
from yota_ast.api.wrt import names_of, names_or_first, one_or_first, refuse_labelled
from yota_ast.errors import NoRule, UnsupportedCall, UnsupportedSyntax, YotaError
from yota_ast.files.file_source import Made, tangent_module
from yota_ast.frontend.source.source_refusals import refused_again
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.tape import Tape
from yota_ast.nesting import nested_transforms
from yota_ast.pipeline import (
    Request,
    compiled,
    dependencies_of,
    differentiated_forward,
    tangent_program,
)
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.captured_data import captured_in
from yota_ast.support.kept_functions import form_of
from yota_ast.support.transform import Transform

if TYPE_CHECKING:
    from yota_ast.tools.report.view import View

Fn = Callable[..., Any]
R = TypeVar("R")
_CACHE: Final = Cache()


@transform
def jvp(f: Fn, wrt: object = None) -> Fn:
    """A function that gives f's value and its tangent: `jvp(f)(x, w, dx, dw)`.

    It takes the arguments of f, and then their tangents.

    wrt: the arguments that have tangents, in this order: `jvp(f, wrt="w")(x, w, dw)`.
    None means all of them.

    A tangent has the shape of its argument. For a container it has the same structure;
    for an object it is a dict like the gradient's. None as a tangent holds its argument
    fixed. Arguments given by keyword are fixed, except those that `wrt` names. The
    tangent of the value has the shape of the value, and its own memory.

    Raises ShapeError if a tangent does not fit. Raises the errors of this package if f
    has no tangent.

    >>> value, tangent = jvp(lambda x, k: k * x**2)(3.0, 0.5, 1.0, None)
    >>> value, tangent
    (4.5, 3.0)
    >>> jvp(lambda x, k: k * x**2, wrt="k")(3.0, 0.5, 1.0)
    (4.5, 9.0)
    """
    callee = callee_of(f)
    names = None if wrt is None else names_or_first(callee.parameters, wrt)

    def forward(*both: object, **kwargs: object) -> tuple[Any, Any]:
        primals, tangents = arguments_and_tangents(both, names)
        now = callee_of(f)  # its defaults may have been replaced
        call = now.bind(primals, kwargs)
        if names is None:
            moved = _by_name(now, call, tangents)
        else:
            moved = dict(zip(names, tangents, strict=True))
        refuse_labelled((n for n, d in moved.items() if d is not None), call.values)
        along = {
            name: fitting(name, call.values.get(name, call.arguments[name]), d)
            for name, d in moved.items()
            if d is not None
        }
        return tangent_of_call(now, call, along)

    signature = with_tangents(callee.signature, names)
    return Transform(jvp, f, {"wrt": wrt}, forward, signature)


def tangent_of_call(
    callee: Callee, call: Call, along: Mapping[str, Any], part: int | None = None
) -> tuple[Any, Any]:
    """`jvp` of a call that has been bound; along: the tangents of some arguments; part:
    that of an item of the value, in place of the tangent, and perhaps no value."""

    def run(entry: Entry) -> tuple[Any, Any]:
        moved = dict(zip(tangents_of(entry), along.values(), strict=True))
        value, tangent = entry.function.fn(*call.args, **call.kwargs, **moved)
        whole = part is not None and not is_of_part(entry)
        return value, tangent[part] if whole else tangent

    names = tuple(along)
    call = with_cells(
        _CACHE, callee, call,
        lambda c: _entry(callee, c, facts_of_call(c, names), names, Guesses(), part),
    )  # fmt: skip
    value, tangent = with_tangent(callee, call, names, run, part)
    if part is not None:  # it is of the kind of the argument
        return value, _own(tangent, call.values[names[0]])
    return value, _own(tangent, value)


def with_tangent(
    callee: Callee, call: Call, names: tuple[str, ...], run: Callable[[Entry], R],
    part: int | None = None,
) -> R:  # fmt: skip
    """What is made with the compiled tangent along some arguments: with another where
    that guessed wrong what shares memory."""
    facts = facts_of_call(call, names)
    return until_right(lambda g: _entry(callee, call, facts, names, g, part), run)


def is_of_part(entry: Entry) -> bool:
    """Whether a compiled tangent is that of an item alone, and gives no value."""
    return entry.program.value == Const(None)


def tangents_of(entry: Entry) -> list[str]:
    """The parameters of a compiled tangent that are no arguments of the function."""
    own = {p.var.name for p in entry.tape.params}
    return [p.var.name for p in entry.program.params if p.var.name not in own]


def _entry(
    callee: Callee, call: Call, facts: Mapping[str, Fact], names: tuple[str, ...],
    guesses: Guesses, part: int | None = None,
) -> Entry:  # fmt: skip
    captured = frozenset(captured_in(call.own))
    query = Query(facts, call.values, names, (*call.form, ("part", part)), captured)
    found = _CACHE.find(callee.fn, query, guesses.failed)
    if found is not None:
        return found
    version = BOOK.version
    request = Request(
        callee.fn, facts, call.values, signature=call.own, copied=guesses.copied,
        lenient=True,
    )  # fmt: skip
    with telling():
        tape, program = differentiated_forward(request, names, part)
        if not guesses.failed:  # else it has been told
            note(program)
    entry = Entry.made_for(
        query, version=version, tape=tape, program=program, function=compiled(program),
        dependencies=dependencies_of(callee.fn, tape, call.values, captured),
    )  # fmt: skip
    _CACHE.add(callee.fn, entry, captured)
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


def _own(tangent: Any, value: Any) -> Any:
    """A tangent in memory of its own, whose tuples have the types of the value's."""
    if isinstance(tangent, np.ndarray):
        return np.array(tangent)
    if isinstance(tangent, dict):
        inner = value if isinstance(value, dict) else {}
        return {key: _own(d, inner.get(key)) for key, d in tangent.items()}
    if isinstance(tangent, (tuple, list)):
        alike = isinstance(value, (tuple, list)) and len(value) == len(tangent)
        items = list(map(_own, tangent, value if alike else [None] * len(tangent)))
        record = alike and is_named_tuple(value)
        return type(value)._make(items) if record else type(tangent)(items)
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
    from yota_ast.tools.report.view import View

    callee = callee_of(fn)
    with telling():
        tape = tape_of(fn, facts=facts)
        program = tangent_program(tape, names_of(callee, wrt))
        note(program)
    return View(tape, program, tangent_module(Made(callee.fn, tape, program)))


@transform
def hvp(f: Fn, wrt: object = None) -> Fn:
    """A function that gives the product of a Hessian and a direction.

    `hvp(f)(x, v, *rest)` is SciPy's `hessp`: the Hessian of f in one argument, times v.

    wrt: a name or a position. None means the first argument. The direction is always
    the second argument of the new function, whatever `wrt` names.

    The direction and the product have the shape of the argument; for a container they
    have the same structure. Keywords are passed to f. f returns a real number.

    Raises ShapeError if the direction does not fit, and the errors of `grad` and `jvp`.

    >>> print(hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]), np.array([1.0, 1.0])))
    [ 6. 12.]
    """
    callee = callee_of(f)
    if not callee.parameters:
        raise YotaError("hvp: the function has no argument")
    name = one_or_first("hvp", callee.parameters, wrt)

    def product(x: object, v: object, /, *rest: object, **kwargs: object) -> Any:
        args = (x, *rest)
        found = product_again(_CACHE, f, name, v, args, kwargs)
        if found is not LONG_WAY:
            return found
        now = callee_of(f)
        call = now.bind(args, kwargs)
        given = facts_of_call(call, (name,))
        turned = Turned(f, name, args, kwargs)

        def run(tape: Tape, slope: Fn, whole: Call) -> Any:
            return turned.unless(
                tape,
                slope,
                lambda: _change(slope, whole, name, v),
                lambda: turned.product(v),
            )

        change = with_slope(now, call, name, run)
        if turned.used:
            return change
        if facts_of_call(call, (name,)) == given:  # f may make its lists longer
            _note((f, key_of_product(name), args, kwargs), now, call, name)
        return change

    # Python names it where an argument is missing.
    product.__qualname__ = f"{callee.fn.__name__}_hvp"
    signature = with_direction(callee.signature)
    return Transform(hvp, f, {"wrt": wrt}, product, signature)


def with_slope(
    callee: Callee, call: Call, name: str, run: Callable[[Tape, Fn, Call], R]
) -> R:
    """What is made with the compiled gradient in one argument: with another where that
    guessed wrong what shares memory. run: is given the function's tape, too."""
    call = with_cells_of_slope(callee, call, (name,))
    with refused_again(callee.fn):
        return until_right(
            lambda g: gradient_entry(callee, call, (name,), g, of_scalar=True),
            lambda made: run(made.tape, *_with_seed(made, call, name)),
        )


def _with_seed(entry: Entry, call: Call, name: str) -> tuple[Fn, Call]:
    """The gradient of a number, whose seed is 1, and its call: of an array of one item
    with its cotangent."""
    seed = seed_of_one(entry.program, call.values[name])
    if seed is None:
        return form_of(entry.function.fn, "at_one"), call
    fn = form_of(entry.function.fn, "unchecked")
    return fn, replace(call, kwargs={**call.kwargs, entry.program.seed: seed})


def _note(asked: Asked, callee: Callee, call: Call, name: str) -> None:
    """Note how a product has been made, by the entries that are in the caches now."""
    if with_cells_of_slope(callee, call, (name,)) is not call:
        return  # what its cells hold varies
    slope = gradient_entry(callee, call, (name,), of_scalar=True)
    fn, whole = _with_seed(slope, call, name)
    if whole is not call:
        return
    inner = callee_of(fn)
    bound = inner.bind(call.args, call.kwargs)
    facts = facts_of_call(bound, (name,))
    tangent = _entry(inner, bound, facts, (name,), Guesses(), OF_ARGUMENT)
    note_product(_CACHE, asked, callee, call, (slope, tangent))


@dataclass(slots=True)
class Turned:
    """Products of a Hessian and directions by reverse mode of the tangent, where
    forward mode refuses the gradient. A gradient writes into adjoints of lists, and
    saves values for its reverse sweep. A tangent does neither.

    f, name: the function and the argument. used: whether products are made so.
    """

    f: Fn
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    used: bool = False

    def unless(
        self, tape: Tape, slope: Fn, plain: Callable[[], R], turned: Callable[[], R]
    ) -> R:
        """What forward mode of the gradient gives; where it refuses, what reverse mode
        of the tangent gives. The second time it is not tried again. What the code of
        the first may have written before it refuses is put back; where that cannot be,
        there is no second try.

        Raises what forward mode does if both are refused.
        """
        restore = restorer((self.args, self.kwargs)) if writes(tape) else _nothing
        if restore is None:
            return plain()
        if slope in _REFUSED_AGAIN:
            with suppress(YotaError, ValueError):
                return turned()
            restore()
        try:
            return plain()
        except REFUSALS as refused:
            restore()
            try:
                found = turned()
            except (YotaError, ValueError):
                raise refused from None
            _REFUSED_AGAIN.add(slope)
            return found

    def product(self, v: Any) -> Any:
        """The Hessian times v."""
        moved, given = self._call(v)
        _, found = grad(moved, *given, wrt="x")
        refuse_complex("hvp", self.name, given[0], found["x"])
        return found["x"]

    def columns(
        self, layout: Layout, check: Callable[[Tape], None]
    ) -> tuple[Array, str]:
        """The Hessian by columns, and the code; layout: where the numbers of the
        argument stand. check: refuses what may not run for each column."""
        source, columns = "", []
        for unit in map(layout.filled, np.eye(layout.size)):
            moved, given = self._call(unit)
            if not source:
                callee = callee_of(moved)
                entry = gradient_entry(callee, callee.bind(given, {}), ("x",))
                check(entry.tape)
                source = entry.function.source
            _, found = grad(moved, *copied(given), wrt="x")
            columns.append(layout.flat(found["x"]))
        return np.reshape(columns, (len(columns), layout.size)).T, source

    def _call(self, v: Any) -> tuple[Fn, tuple[Any, ...]]:
        """The tangent along a direction as a function of the argument, and what it is
        given."""
        self.used = True
        at = callee_of(self.f).parameters.index(self.name)
        if at >= len(self.args):
            raise YotaError(f"`{self.name}` is given by its name")
        x, before, after = self.args[at], self.args[:at], self.args[at + 1 :]
        v = varying(self.name, x, v)
        return _moved(self.f, self.name), (x, v, before, after, dict(self.kwargs))


def _nothing() -> None:
    """Put nothing back, for nothing is written."""


_REFUSED_AGAIN: Final = WeakSet[Fn]()
"""The gradients that forward mode refuses."""
REFUSALS: Final = (UnsupportedSyntax, UnsupportedCall, NoRule)


def _moved(f: Fn, name: str) -> Fn:
    """The tangent of a function along a direction of one argument."""

    def tangent(x: Any, direction: Any, before: Any, after: Any, kwargs: Any) -> Any:
        return jvp(f, wrt=name)(*before, x, *after, direction, **kwargs)[1]

    return tangent


OF_ARGUMENT: Final = 1
"""The place of a gradient beside the value."""


def _change(slope: Fn, call: Call, name: str, v: Any) -> Any:
    """How the gradient in one argument changes along v: the call is that of the
    function itself, with what a method or a partial function adds to it."""
    x, inner = call.values[name], callee_of(slope)
    whole = inner.bind(call.args, call.kwargs)  # with the seed, its default
    along = {name: varying(name, x, v)}
    _, change = tangent_of_call(inner, whole, along, OF_ARGUMENT)
    refuse_complex(slope.__name__, name, x, change)
    return change


__all__: Sequence[str] = ("hvp", "jvp")


nested_transforms.follow({"jvp": jvp, "hvp": hvp}, nested_makers())
