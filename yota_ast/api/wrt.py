"""The options of a call, `wrt` before all -> the parameters asked for, or a refusal.

>>> from yota_ast.api.call_target import callee_of
>>> names_of(callee_of(lambda x, y, n: x), (-1, "x"))
('n', 'x')
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.api.call_target import Call, Callee
from yota_ast.api.other_names import refuse_option
from yota_ast.errors import YotaError
from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.support.array_classes import is_array
from yota_ast.support.value_classes import NUMBER_KINDS, Labelled, has_labels
from yota_ast.syntax.value_paths import attribute_text

_NEVER: Final = ("str", "none", "callable", "other")


class Default:
    """A default that a caller's own value can be told from."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


def told(option: object) -> object:
    """What an option is: what the caller says, or the default."""
    return option.value if isinstance(option, Default) else option


def refuse_reserved(callee: Callee, given: Mapping[str, object], who: str) -> None:
    """Refuse an option of `who` that may be meant for a parameter of the function."""
    own = [name for name in callee.parameters if name not in callee.kwargs]
    said = [k for k, value in given.items() if not isinstance(value, Default)]
    refuse_meant_for(own, said, who)


def refuse_meant_for(
    parameters: Container[str], options: Iterable[str], who: str
) -> None:
    """Refuse options of `who` that are given, and are parameters too."""
    for name in options:
        if name in parameters:
            raise YotaError(
                f"`{name}=` is an option of `{who}`, and a parameter of f too",
                remedy=f"Pass the function's `{name}` by position, "
                f"or bind it: functools.partial(f, {name}=...).",
            )


def bound_call(
    who: str, callee: Callee, args: Sequence[object], kwargs: Mapping[str, object],
    options: Sequence[str],
) -> Call:  # fmt: skip
    """Bind a call. Raises TypeError as the call would, or for an option that another
    tool has; options: those of `who`."""
    try:
        return callee.bind(args, kwargs)
    except TypeError:
        for name in kwargs:
            refuse_option(who, name, options)
        raise


def names_of(callee: Callee, wrt: object) -> tuple[str, ...] | None:
    """The parameters that `wrt` names, by position or by name."""
    return None if wrt is None else names_among(callee.parameters, wrt)


def names_among(parameters: Sequence[str], wrt: object) -> tuple[str, ...]:
    """Those of some parameters that `wrt` names, by position or by name.

    >>> names_among(("x", "k"), ["k", 0]), names_among(("x", "k"), -1)
    (('k', 'x'), ('k',))
    """
    asked: Iterable[object] = (wrt,)
    if isinstance(wrt, Iterable) and not isinstance(wrt, str):
        asked = wrt
    names: list[str] = []
    for item in asked:
        name = item
        if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            inside = -len(parameters) <= item < len(parameters)
            name = parameters[int(item)] if inside else None
        if not isinstance(name, str) or name not in parameters:
            known = ", ".join(parameters)
            raise YotaError(
                f"wrt: no argument {item!r}; the arguments are {known}",
                remedy="Name one of them, or give its position.",
            )
        if name in names:
            raise YotaError(f"wrt: {name!r} is named twice", remedy="Name it once.")
        names.append(name)
    return tuple(names)


def names_or_first(parameters: Sequence[str], wrt: object) -> tuple[str, ...]:
    """What `wrt` says of a transform: where it says nothing, the first argument."""
    names = names_among(parameters, 0 if wrt is None else wrt)
    if not names:
        raise YotaError("wrt: no argument is named", remedy="Name one.")
    return names


def one_or_first(who: str, parameters: Sequence[str], wrt: object) -> str:
    """The one argument that a transform is in."""
    names = names_among(parameters, 0 if wrt is None else wrt)
    if len(names) != 1:
        raise YotaError(
            f"{who} differentiates one argument, but `wrt` names several",
            remedy="Call it once for each argument.",
        )
    return names[0]


def names_in_call(callee: Callee, call: Call, wrt: object) -> tuple[str, ...]:
    """The parameters that `wrt` names, or those whose arguments hold floats."""
    names = names_of(callee, wrt)
    if names is not None:
        refuse_left_out(names, call.arguments)
        return names
    given = call.arguments.items()
    return tuple(name for name, value in given if fact_of(value, name).holds_floats)


def refuse_left_out(names: Sequence[str], given: Container[str]) -> None:
    """Refuse parameters that a call leaves out, of a wrapper that looks into what it is
    given: a default that it does not see is none of its arguments."""
    for name in names:
        if name not in given:
            raise YotaError(
                f"wrt: the call leaves {name!r} out, and a decorator of the function "
                "looks into its arguments",
                remedy=f"Give {name!r} in the call.",
            )


def refuse_floatless(names: Sequence[str], facts: Mapping[str, Fact]) -> None:
    """Refuse parameters in which there is no derivative.

    Where no argument holds floats, a table or an array of another library is refused:
    its user wants the derivative in the numbers that it holds.
    """
    for name in names or [n for n, fact in facts.items() if has_labels(fact.cls)]:
        fact = facts.get(name)
        if fact is not None:
            _refuse_labelled(name, fact.cls)
        if fact is not None and fact.kind in _NEVER:
            raise YotaError(
                f"wrt: no derivative exists for {name!r}, {_a(str(fact))}",
                remedy="Leave it out.",
            )
        if fact is not None and fact.dtype is not None:
            _refuse_no_numbers(name, fact.dtype)


def _refuse_no_numbers(name: str, dtype: np.dtype[Any]) -> None:
    """Refuse arrays of records, of texts and of times."""
    if dtype.names is not None:
        raise YotaError(
            f"wrt: {name!r} holds records, which are not differentiated",
            remedy="Give an array for each field, or leave it out.",
        )
    if dtype.kind not in NUMBER_KINDS:
        raise YotaError(
            f"wrt: no derivative exists for {name!r}, which holds {_a(dtype.name)}",
            remedy="Leave it out.",
        )


def refuse_labelled(names: Iterable[str], given: Mapping[str, object]) -> None:
    """Refuse arguments that are tables, or arrays of another library or without
    numbers."""
    for name in names:
        value = given.get(name)
        _refuse_labelled(name, type(value))
        if isinstance(value, (np.ndarray, np.generic)):
            _refuse_no_numbers(name, value.dtype)


def _refuse_labelled(name: str, cls: type | None) -> None:
    if cls is not None and has_labels(cls):
        unknown = "an object of a class that hides its items"
        kind = unknown if cls is Labelled else _a(cls.__name__)
        raise YotaError(
            f"wrt: {name!r} is {kind}, which is not differentiated",
            remedy=f"Give its numbers: {_numbers_of(name, cls)}.",
        )


def _numbers_of(name: str, cls: Any) -> str:
    """How the numbers of a table, or of a quantity, are had."""
    if hasattr(cls, "to_numpy"):
        return f"{attribute_text(name, 'to_numpy')}()"
    if hasattr(cls, "magnitude"):
        return attribute_text(name, "magnitude")
    return f"np.asarray({name})"


def _a(kind: str) -> str:
    vowel = kind[0] in "aeiouAEIOU" or kind.startswith("nd")  # an ndarray
    return f"{'an' if vowel else 'a'} {kind}"


def _a_value(value: object) -> str:
    """The kind of an argument that holds no floats; of what might, it is said."""
    kind = _a(type(value).__name__)
    might = is_array(value) or isinstance(value, (list, tuple, dict))
    return f"{kind} without floats" if might else kind


def reasons(
    call: Call, asked: Sequence[str], facts: Mapping[str, Fact]
) -> dict[str, str]:
    """Why an argument has no gradient, of those outside `wrt` that hold no floats or
    that a wrapper does not see."""
    left_out = [name for name in call.names if name not in call.arguments]
    return dict.fromkeys(left_out, "the call leaves it out") | {
        name: f"{_a_value(value)}, and not in wrt"
        for name, value in call.arguments.items()
        if name not in asked and not facts[name].holds_floats
    }


def refuse_both(wrt: object) -> None:
    """Refuse `wrt` beside `each`."""
    if wrt is not None:
        raise YotaError(
            "value_and_grad: `wrt` and `each` are both given",
            remedy="Name the arguments in `each` alone.",
        )
