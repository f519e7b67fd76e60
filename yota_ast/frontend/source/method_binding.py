"""What stands in a class -> the method of an object; a method -> what is inside.

A decorator that is a class may say with `__get__` what a method is. Where that is
written in Python, it is followed.

>>> class Doubled:
...     def __get__(self, owner, cls):
...         return lambda x: 2.0 * x
>>> _binding_of(Doubled()) is Doubled.__get__, _binding_of(len)
(True, None)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partialmethod, singledispatchmethod
from types import FunctionType
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Bound, Closure, Partial, Value
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.atoms import Const
from yota_ast.support.proxies import poses_as_another

_AS_FUNCTIONS: Final = "numba."
"""The classes of these modules bind their objects as functions are bound."""


def method_of(lowering: Component, fn: Const, owner: Value, cls: type) -> Value:
    """Return what an object has as a method, where its class has `fn`."""
    if isinstance(fn.value, partialmethod):
        inner = method_of(lowering, Const(fn.value.func), owner, cls)
        given = tuple(map(Const, fn.value.args))
        named = tuple((name, Const(v)) for name, v in fn.value.keywords.items())
        return Partial(inner, given, named)
    if isinstance(fn.value, singledispatchmethod):
        dispatch = Const(fn.value.dispatcher.dispatch)
        Operations.of(lowering).use(
            dispatch.value
        )  # more classes may be registered later
        return Partial(Const(_dispatched), (dispatch, owner), ())
    binding = _binding_of(fn.value)
    if binding is None:
        return Bound(fn, owner)
    with ValueAssumptions.of(lowering).told_of_wrapper(fn.value):
        made: Value = Language.of(lowering).call(
            Const(binding), (fn, owner, Const(cls))
        )
    return made


def becomes_method(found: object) -> bool:
    """Whether what stands in a class is a method of its objects.

    >>> becomes_method(method_of), becomes_method(property())
    (True, False)
    """
    if isinstance(found, singledispatchmethod):
        registered = found.dispatcher.registry.values()
        return all(isinstance(f, FunctionType) for f in registered)
    called = callable(found) or isinstance(found, partialmethod)
    return called and hasattr(type(found), "__get__")


def _dispatched(
    dispatch: Callable[[type], Any], owner: Any, first: Any, *rest: Any, **named: Any
) -> Any:
    """What a method does that functools.singledispatchmethod makes."""
    return dispatch(type(first))(owner, first, *rest, **named)


def attribute_of_function(lowering: Component, owner: Value, name: str) -> Value | None:
    """Return the name of a function that is made here, and `__wrapped__` of a method:
    of a function it is not bound, of a proxy it is. None of other attributes."""
    if isinstance(owner, Closure) and name == "__name__":
        return Const(owner.name)
    if not isinstance(owner, Bound) or name != "__wrapped__":
        return None
    fn: Value = owner.function
    inside: Value = Language.of(lowering).attribute(fn, name)
    proxy = isinstance(fn, Const) and poses_as_another(fn.value)
    return Bound(inside, owner.owner) if proxy else inside


def _binding_of(fn: object) -> FunctionType | None:
    """The `__get__` to follow; None where `fn` is bound as functions are."""
    binding = getattr(type(fn), "__get__", None)
    if type(fn).__module__.startswith(_AS_FUNCTIONS):
        return None
    return binding if isinstance(binding, FunctionType) else None
