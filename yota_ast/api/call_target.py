"""What a user calls -> the plain function behind it, and how a call fills it.

A method brings its object along, a `functools.partial` its arguments, an object that
can be called itself. The arguments of a call are seen in two ways: as the signature of
what the user calls has them, and as the plain function gets them.

>>> import functools
>>> def line(slope, x, offset=1.0):
...     return slope * x + offset
>>> call = callee_of(functools.partial(line, 2.0)).bind((3.0,), {})
>>> call.arguments, call.values
({'x': 3.0, 'offset': 1.0}, {'slope': 2.0, 'x': 3.0, 'offset': 1.0})
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.api.transform_code import plain_function
from yota_ast.api.transform_signatures import is_needed
from yota_ast.frontend.source.context_decorators import own_signature, undecorated
from yota_ast.frontend.source.forwarding import depends_on_form
from yota_ast.frontend.source.functions_inside import no_function
from yota_ast.frontend.source.numba_functions import python_of
from yota_ast.frontend.source.source_refusals import is_vectorized
from yota_ast.frontend.source.wrappers import (
    filled,
    fitting_signature,
    form_of,
    said,
    told_signature,
    usual_form,
)
from yota_ast.rules.notation.display_names import is_library
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.kept_functions import Kept
from yota_ast.support.proxies import poses_as_another
from yota_ast.support.stand_ins import Wrapper
from yota_ast.support.transform import Transform, name_of
from yota_ast.syntax.names import unused

Fn = Callable[..., Any]
_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_NOT_OBJECTS = (types.FunctionType, types.BuiltinFunctionType, type)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: by the parameters that the user sees, and as the function gets it.

    names: all parameters that the user sees, in their order. own: the signature of the
    function in such calls.
    """

    names: tuple[str, ...]
    arguments: Mapping[str, object]
    values: Mapping[str, object]
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    own: inspect.Signature

    @property
    def form(self) -> tuple[tuple[str, object], ...]:
        """The parameters of the function, and how they are given."""
        return tuple((p.name, p.kind) for p in self.own.parameters.values())

    def with_values(self, values: Mapping[str, object]) -> Call:
        """The call with other values in the place of some."""
        others = {id(self.values[name]): value for name, value in values.items()}

        def other(value: object) -> object:
            return others.get(id(value), value)

        return replace(
            self,
            arguments={k: other(v) for k, v in self.arguments.items()},
            values={k: other(v) for k, v in self.values.items()},
            args=tuple(map(other, self.args)),
            kwargs={k: other(v) for k, v in self.kwargs.items()},
        )


@dataclass(frozen=True, slots=True)
class Callee:
    """A plain function, and the arguments that what the user calls adds to a call.

    signature: of what the user calls, `inspect.signature(f)`. own: that of the plain
    function; of a wrapper that which it tells. by_form: the wrapper may do something
    else where an argument is given by name or left out.
    """

    fn: Fn
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    signature: inspect.Signature
    own: inspect.Signature
    by_form: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that the user sees."""
        return tuple(self.signature.parameters)

    @property
    def bound(self) -> Mapping[str, object]:
        """What is added to a call, by the function's own parameters."""
        return self.own.bind_partial(*self.args, **self.kwargs).arguments

    @property
    def needs_arguments(self) -> bool:
        """Whether it cannot be called without any."""
        return any(map(is_needed, self.signature.parameters.values()))

    @property
    def general(self) -> inspect.Signature:
        """The signature of the function where no call is given."""
        return usual_form(self.own, self.kwargs) if self.by_form else self.own

    def bind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Call:
        """Bind a call, defaults filled in. Raises TypeError as the call would."""
        try:
            return self._bind(args, kwargs)
        except TypeError as error:
            raise TypeError(f"{name_of(self.fn)}(): {error}") from None

    def _bind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Call:
        if self.by_form:
            return self._bind_as_given(args, kwargs)
        seen = self.signature.bind(*args, **kwargs)
        seen.apply_defaults()
        if self.signature is self.own:
            return self._call(seen.arguments, seen, self.own)
        bound = self.own.bind(*self.args, *args, **{**self.kwargs, **kwargs})
        bound.apply_defaults()
        return self._call(seen.arguments, bound, self.own)

    def _bind_as_given(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> Call:
        """Bind a call of a wrapper that looks into its arguments: they are given as the
        call gives them, and what it leaves out is left out."""
        seen = self.signature.bind_partial(*args, **kwargs)
        every, named = (*self.args, *args), {**self.kwargs, **kwargs}
        form = form_of(self.own, len(every), named)
        filled(own_signature(_in_python(self.fn)), form)
        bound = form.bind(*every, **named)
        return self._call(seen.arguments, bound, form)

    def _call(
        self,
        seen: Mapping[str, object],
        bound: inspect.BoundArguments,
        own: inspect.Signature,
    ) -> Call:
        given = bound.args, bound.kwargs
        return Call(self.parameters, seen, bound.arguments, *given, own)


def callee_of(f: Fn) -> Callee:
    """Find the plain function; SourceUnavailable where there is nothing to call."""
    if is_vectorized(f) or poses_as_another(f) or not callable(f):
        raise no_function(f)
    f = _plain(f)
    fn, args, kwargs = f, tuple[object, ...](), dict[str, object]()
    while True:
        fn = undecorated(fn)
        inner = _inner(fn)
        if inner is None:
            return _callee(f, fn, args, kwargs)
        owner, (fn, more, named) = fn, inner
        args, kwargs = (*more, *args), {**named, **kwargs}
        if said(owner) and more == (owner,):
            told = _told_by_object(owner, fn)
            if told is not None:
                return _wrapper(fn, args, kwargs, told)
            f = functools.partial(fn, *args, **kwargs)  # what it says does not fit


def _callee(
    f: Fn, fn: Fn, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> Callee:
    told = told_signature(python_of(fn) or fn)
    if told is not None:
        return _wrapper(fn, args, kwargs, told)
    own = signature_of(fn)
    return Callee(fn, args, kwargs, own if f is fn else signature_of(f), own)


def _wrapper(
    fn: Fn, args: tuple[object, ...], kwargs: Mapping[str, object],
    told: inspect.Signature,
) -> Callee:  # fmt: skip
    """A wrapper with the signature that it tells."""
    first = args[0] if args else None
    seen = functools.partial(standing_for(told), *args, **kwargs)
    by_form = depends_on_form(cast("types.FunctionType", fn), told, first)
    return Callee(fn, args, kwargs, inspect.signature(seen), told, by_form)


def _told_by_object(owner: Any, fn: Any) -> inspect.Signature | None:
    """What an object that is called tells, with the object itself ahead."""
    own = own_signature(fn)
    first, *_ = own.parameters
    try:
        slots = [*inspect.signature(owner).parameters.values()]
    except (TypeError, ValueError):
        return None
    ahead = inspect.Parameter(
        unused(first, [p.name for p in slots]), inspect.Parameter.POSITIONAL_ONLY
    )
    return fitting_signature(
        standing_for(inspect.Signature([ahead, *slots])), own
    )  # fmt: skip


def standing_for(signature: inspect.Signature) -> Fn:
    """A function of this signature, for `inspect` to tell that of what is made of
    it."""

    def function(*args: Any, **kwargs: Any) -> None: ...

    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _plain(fn: Any) -> Fn:
    """What a cache keeps the results of, and what is bound around it."""
    if isinstance(fn, functools._lru_cache_wrapper):
        return _plain(fn.__wrapped__)
    if isinstance(fn, functools.partial):
        return functools.partial(_plain(fn.func), *fn.args, **fn.keywords)
    return cast("Fn", fn)


def _inner(fn: Any) -> tuple[Fn, tuple[object, ...], Mapping[str, object]] | None:
    """What a callable calls, and with what in front; None for a plain function."""
    if isinstance(fn, Kept):
        return fn.kept(), (), {}
    if isinstance(fn, Wrapper):
        return fn.fn, (), {}
    if isinstance(fn, Transform):
        return plain_function(fn), (), {}
    if isinstance(fn, types.MethodType):
        return fn.__func__, (fn.__self__,), {}
    if isinstance(fn, functools.partial):
        return fn.func, fn.args, fn.keywords
    method = getattr(type(fn), "__call__", None)  # noqa: B004  it is to be had
    if isinstance(method, types.FunctionType) and not isinstance(fn, _NOT_OBJECTS):
        return method, (fn,), {}
    return None


def signature_of(f: Fn) -> inspect.Signature:
    """The signature of a callable; of NumPy's functions what their rules must have, by
    the functions' own names."""
    rules = BOOK.rules_of(f) if is_library(f) else ()
    if rules:
        needed = [
            [p for p in rule.signature.parameters.values() if p.default is p.empty]
            for rule in rules
        ]
        return inspect.Signature(_called_as(f, min(needed, key=len)))
    if isinstance(f, _GETTERS):  # they have a signature from Python 3.13 on
        raise no_function(f)
    try:
        return own_signature(_in_python(f))
    except (TypeError, ValueError) as error:
        raise no_function(f) from error


def _in_python(f: Any) -> Fn:
    """The function under what Numba compiles, for that does not tell its parameters."""
    if isinstance(f, functools.partial):
        return functools.partial(_in_python(f.func), *f.args, **f.keywords)
    return python_of(f) or cast("Fn", f)


def _called_as(f: Fn, slots: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
    """Parameters of a rule under the names that they have in the function itself."""
    try:
        own = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        own = []
    by_position = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    if len(own) < len(slots) or not all(
        p.kind in by_position for p in (*slots, *own[: len(slots)])
    ):
        return list(slots)
    return [p.replace(name=q.name) for p, q in zip(slots, own, strict=False)]
