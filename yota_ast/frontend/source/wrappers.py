"""A wrapper and the signature that it tells -> what fills its own parameters.

`functools.wraps` gives a wrapper, `def wrapper(*args, **kwargs)`, the signature of the
function that it wraps. The gradient has the parameters of that signature; the body of
the wrapper runs as it is written.

>>> import functools
>>> def line(x, slope=2.0):
...     return slope * x
>>> @functools.wraps(line)
... def twice(*args, **kwargs):
...     return 2 * line(*args, **kwargs)
>>> str(told_signature(twice))
'(x, slope=2.0)'
>>> filled(own_signature(twice), told_signature(twice))
{'args': (Given(name='x', spread=False), Given(name='slope', spread=False)), \
'kwargs': {}}
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.source.context_decorators import own_signature

Parameter = inspect.Parameter
Signature = inspect.Signature
_SAID: Final = ("__wrapped__", "__signature__")
_AHEAD: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter of the signature that is told; spread: all items of it."""

    name: str
    spread: bool = False


Filling = Given | tuple[Given, ...] | Mapping[str, Given]
"""What a parameter of a wrapper is: an argument, a tuple, or a dict of some."""


def told_signature(fn: Any) -> Signature | None:
    """The signature that a wrapper tells, where it is not its own and its parameters
    can be filled by it; None of any other function."""
    if not isinstance(fn, types.FunctionType) or not said(fn):
        return None
    return fitting_signature(fn, own_signature(fn))


def said(fn: Any) -> bool:
    """Whether an object, or a property of its class, says of what it wraps, or what its
    signature is."""
    held = getattr(fn, "__dict__", {})
    return any(name in held or hasattr(type(fn), name) for name in _SAID)


def fitting_signature(told_by: Any, own: Signature) -> Signature | None:
    """The signature that an object tells, where it differs and fits `own`."""
    try:
        told = _as_taken(own, inspect.signature(told_by))
        filled(own, told)
    except (TypeError, ValueError):
        return None
    return None if _names(told) == _names(own) else told


def _names(signature: Signature) -> list[tuple[str, object]]:
    return [(p.name, p.kind) for p in signature.parameters.values()]


def _as_taken(own: Signature, told: Signature) -> Signature:
    """The signature, where what the wrapper takes by name alone is given so."""
    kinds = [p.kind for p in own.parameters.values()]
    if Parameter.VAR_POSITIONAL in kinds:
        return told
    room, slots = sum(kind in _AHEAD for kind in kinds), list[Parameter]()
    for place, slot in enumerate(told.parameters.values()):
        by_name = place >= room and slot.kind is slot.POSITIONAL_OR_KEYWORD
        slots.append(slot.replace(kind=Parameter.KEYWORD_ONLY) if by_name else slot)
    return told.replace(parameters=slots)


def filled(own: Signature, told: Signature) -> dict[str, Filling]:
    """What the parameters of a wrapper are in a call by the signature that is told.

    A parameter that is left out has its default. Raises TypeError where the wrapper
    does not take the call.
    """
    slots = list(own.parameters.values())
    args, named = list[Given](), dict[str, Given]()
    for name, slot in told.parameters.items():
        if slot.kind is slot.VAR_POSITIONAL:
            args.append(Given(name, spread=True))
        elif slot.kind is slot.VAR_KEYWORD:
            named[f"**{name}"] = Given(name, spread=True)
        elif slot.kind is slot.KEYWORD_ONLY:
            named[name] = Given(name)
        else:
            args.append(Given(name))
    found = dict(own.bind(*args, **named).arguments)
    for slot in slots:
        if slot.kind is slot.VAR_POSITIONAL:
            found.setdefault(slot.name, ())
        elif slot.kind is slot.VAR_KEYWORD:
            found.setdefault(slot.name, {})
        elif isinstance(found.get(slot.name), Given) and found[slot.name].spread:
            raise TypeError(f"{slot.name!r} takes one argument of several")
    return found


# ---------------------------------------------------------------- forms of calls


def form_of(told: Signature, count: int, names: Mapping[str, object]) -> Signature:
    """The signature of the calls that give `count` arguments by position, and others by
    these names: a parameter that is given by position is given so always, and one that
    is left out is none.

    >>> def f(x, y=1.0, *, k=2.0): ...
    >>> form_of(inspect.signature(f), 1, {"k": 3.0})
    <Signature (x, /, *, k)>
    """
    return Signature(list(_of_form(told, count, names)))


def _of_form(
    told: Signature, count: int, names: Mapping[str, object]
) -> Iterator[Parameter]:
    ahead = 0
    for name, slot in told.parameters.items():
        if slot.kind in _AHEAD and ahead < count:
            ahead += 1
            yield slot.replace(kind=Parameter.POSITIONAL_ONLY, default=slot.empty)
        elif slot.kind is slot.VAR_POSITIONAL:
            if ahead < count:
                yield slot
        elif slot.kind is slot.VAR_KEYWORD:
            if names.keys() - told.parameters.keys():
                yield slot
        elif name in names:
            yield slot.replace(kind=Parameter.KEYWORD_ONLY, default=slot.empty)


def usual_form(told: Signature, names: Mapping[str, object]) -> Signature:
    """The form of calls that give all arguments but those whose default holds no
    float: those by name that are bound so, or have a default.

    >>> def f(x, y=1.0, axis=None, *, k=2.0): ...
    >>> usual_form(inspect.signature(f), {})
    <Signature (x, /, *, y, k)>
    """
    slots = list(told.parameters.values())
    spread = any(p.kind is p.VAR_POSITIONAL for p in slots)
    count = 0
    for slot in slots:
        optional = slot.default is not slot.empty and not spread
        may_be_named = slot.kind is slot.POSITIONAL_OR_KEYWORD
        if slot.kind not in _AHEAD or slot.name in names:
            break
        if optional and may_be_named:
            break
        count += 1
    plain = (int, bool, str, type(None))
    wanted = {
        p.name: None
        for p in slots
        if (p.kind is not p.VAR_KEYWORD and type(p.default) not in plain)
        or p.name in names
    }  # fmt: skip
    form = form_of(told, count, wanted)
    more = [p for p in slots if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    kept = {*form.parameters}
    every = [*form.parameters.values(), *(p for p in more if p.name not in kept)]
    return Signature(sorted(every, key=lambda p: p.kind))


def written(fn: types.FunctionType) -> types.FunctionType:
    """The function whose text has the parameters that a wrapper tells.

    >>> written(lambda x: x).__name__
    '<lambda>'
    """
    try:
        inner: Any = inspect.unwrap(fn)
    except ValueError:
        return fn
    return inner if isinstance(inner, types.FunctionType) else fn
