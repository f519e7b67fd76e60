"""A rule and its function -> an error where their defaults differ.

A call that leaves an argument out gets the function's own default. The rule must take
the same, else its derivative is that of another call.

>>> def scaled(x, k=2.0):
...     return k * x
>>> call = ast.parse("scaled(u, v)", mode="eval").body
>>> [(name, p.name) for name, p in passed(call, scaled, {"u", "v"})]
[('u', 'x'), ('v', 'k')]
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterator
from inspect import Parameter, Signature
from typing import Any

from yota_ast.rules.notation.pattern import Reader

_LITERALS = (bool, int, float, complex, str, bytes, tuple, type(None))
"""What defaults are of; other objects may stand for one that is not given."""
_NAMED = (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_IN_ORDER = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def check_defaults(
    reader: Reader, pattern: ast.expr, signature: Signature, fn: Any
) -> None:
    """Refuse a rule that has another default than its function. pattern: its call;
    signature: its parameters."""
    for name, other in passed(pattern, fn, signature.parameters):
        mine, own = signature.parameters[name].default, other.default
        left_out = mine is Parameter.empty or not isinstance(own, _LITERALS)
        if left_out or _are_same(mine, own):
            continue
        raise reader.error(
            pattern,
            f"the default of `{name}` is another in the rule than in the function",
            f"Write `{name}={own!r}`.",
        )


def passed(
    pattern: ast.expr, fn: Any, names: Collection[str]
) -> Iterator[tuple[str, Parameter]]:
    """The parameters of a rule, and those of the function that they are given to."""
    if not isinstance(pattern, ast.Call):
        return
    try:
        known = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return
    first = _receiver(pattern.func, names)
    order = [p for p in known.values() if p.kind in _IN_ORDER]
    for arg, parameter in zip((*first, *pattern.args), order, strict=False):
        if isinstance(arg, ast.Starred):
            break
        if isinstance(arg, ast.Name) and arg.id in names:
            yield arg.id, parameter
    for keyword in pattern.keywords:
        found = known.get(keyword.arg or "")
        value = keyword.value
        if found is not None and found.kind in _NAMED and isinstance(value, ast.Name):
            if value.id in names:
                yield value.id, found


def _receiver(called: ast.expr, names: Collection[str]) -> tuple[ast.expr, ...]:
    """The parameter of which a pattern calls a method, which comes first."""
    owner = called.value if isinstance(called, ast.Attribute) else None
    return (owner,) if isinstance(owner, ast.Name) and owner.id in names else ()


def _are_same(mine: object, own: object) -> bool:
    if mine is own:
        return True
    try:
        return bool(mine == own)
    except Exception:  # noqa: BLE001  of arrays, and of what says it otherwise
        return False
