"""The signature of a function -> that of what a transform makes of it.

>>> def f(x, a, *, k=1.0): ...
>>> of = inspect.signature(f)
>>> with_tangents(of), with_direction(of), with_seed(of)
(<Signature (x, a, dx, da, /, *, k=1.0)>, <Signature (x, v, a, /, *, k=1.0)>, \
<Signature (x, a, *, k=1.0, seed=None)>)
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Final, TypeVar

from yota_ast.errors import YotaError
from yota_ast.syntax.names import seed_name, unused

POSITIONAL: Final = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
)  # fmt: skip
T = TypeVar("T")


def with_tangents(
    signature: inspect.Signature, along: Sequence[str] | None = None
) -> inspect.Signature:
    """The signature of `jvp(f)`: the arguments of f, then their tangents; along: of
    which arguments there are tangents."""
    slots = list(signature.parameters.values())
    ahead = [p for p in slots if p.kind in POSITIONAL]
    moved = [p.name for p in ahead] if along is None else along
    if any(p.kind is p.VAR_POSITIONAL for p in slots):
        named = [inspect.Parameter("both", inspect.Parameter.VAR_POSITIONAL)]
    else:
        names = [*(p.name for p in ahead), *(f"d{name}" for name in moved)]
        named = [inspect.Parameter(n, POSITIONAL[0]) for n in _apart(names)]
    return inspect.Signature([*named, *_by_keyword(slots)])


def with_direction(signature: inspect.Signature) -> inspect.Signature:
    """The signature of `hvp(f)`: the first argument of f, the direction, the rest."""
    first, *slots = signature.parameters.values()
    rest = [p for p in slots if p.kind in POSITIONAL]
    names = _apart([first.name, "v", *(p.name for p in rest)])
    named = [inspect.Parameter(n, POSITIONAL[0]) for n in names[:2]]
    named += [
        inspect.Parameter(n, POSITIONAL[0], default=p.default)
        for n, p in zip(names[2:], rest, strict=True)
    ]
    others = [p for p in slots if p.kind is p.VAR_POSITIONAL]
    return inspect.Signature([*named, *others, *_by_keyword(slots)])


def with_seed(
    signature: inspect.Signature, default: object = None
) -> inspect.Signature:
    """The signature of `simplegrad(f)`: the arguments of f, and the cotangent."""
    slots = list(signature.parameters.values())
    ahead = [p for p in slots if p.kind in POSITIONAL]
    kinds = {p.kind for p in slots}
    later = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY} & kinds
    kind = inspect.Parameter.KEYWORD_ONLY if later else POSITIONAL[1]
    seed = inspect.Parameter(seed_name(signature.parameters), kind, default=default)
    more = [p for p in slots if p.kind is p.VAR_KEYWORD]
    between = [p for p in slots if p not in ahead and p not in more]
    return inspect.Signature([*ahead, *between, seed, *more])


def arguments_and_tangents(
    both: Sequence[T], along: Sequence[str] | None
) -> tuple[Sequence[T], Sequence[T]]:
    """What `jvp(f, wrt)` is given by position: the arguments, and the tangents of those
    that `wrt` names.

    >>> arguments_and_tangents((1.0, 2.0, 3.0), ("k",))
    ((1.0, 2.0), (3.0,))
    """
    if along is None:
        return halves(both)
    count = len(both) - len(along)
    if count < 0:
        raise YotaError(
            f"jvp: {len(along)} tangents are needed, for {', '.join(along)}",
            remedy="Give them after the arguments.",
        )
    return both[:count], both[count:]


def is_needed(slot: inspect.Parameter) -> bool:
    """Whether a call must give something for a parameter."""
    several = slot.kind in (slot.VAR_POSITIONAL, slot.VAR_KEYWORD)
    return slot.default is slot.empty and not several


def halves(both: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """What `jvp(f)` is given by position: the arguments, and their tangents."""
    count, odd = divmod(len(both), 2)
    if odd:
        raise YotaError(
            "jvp: each argument needs a tangent",
            remedy="Call `jvp(f)(x, y, dx, dy)`; None holds an argument fixed.",
        )
    return both[:count], both[count:]


def by_parameter(
    signature: inspect.Signature, tangents: Sequence[T]
) -> dict[str, T | tuple[T, ...]]:
    """Tangents in the order of a call, by the parameters that take the arguments;
    `*args` takes those of all that are left.

    >>> def f(x, *rest): ...
    >>> by_parameter(inspect.signature(f), (1.0, None, 2.0))
    {'x': 1.0, 'rest': (None, 2.0)}
    """
    left, found = list(tangents), dict[str, T | tuple[T, ...]]()
    for name, parameter in signature.parameters.items():
        if not left:
            break
        if parameter.kind is parameter.VAR_POSITIONAL:
            found[name], left = tuple(left), []
        else:
            found[name] = left.pop(0)
    return found


def _by_keyword(slots: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
    return [p for p in slots if p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]


def _apart(names: Sequence[str]) -> list[str]:
    """The names, each once."""
    found = list[str]()
    for name in names:
        found.append(unused(name, found))
    return found
