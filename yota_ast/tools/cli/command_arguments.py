"""The command line's `--args` and `--like` -> the arguments of a call.

>>> from yota_ast.ir.abstract_values import fact_of
>>> drawn(fact_of(np.zeros((2, 1)), "x"), np.random.default_rng(0)).shape
(2, 1)
>>> evaluated("2 * n, b=[1.5]", {"n": 4})
((8,), {'b': [1.5]})
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final

import numpy as np

from yota_ast.errors import YotaError
from yota_ast.frontend.source.context_decorators import own_signature
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.facts.annotations import facts_of_signature
from yota_ast.tools.cli.targets import Target

LENGTH: Final = 3
"""Of an axis, or of an array, of which nothing is said."""
_PLAIN: Final = {"int": LENGTH, "bool": True, "none": None}
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def arguments_for(
    target: Target, text: str | None, facts: Mapping[str, Fact], seed: int
) -> Arguments:
    """The arguments of a call of a target: those of the text, the others drawn."""
    scope = {"np": np, **vars(target.module)}
    args, kwargs = ((), {}) if text is None else evaluated(text, scope)
    signature = own_signature(target.fn)
    try:
        given = signature.bind_partial(*args, **kwargs).arguments
    except TypeError as error:
        reason = f"--args do not fit {target.name}{signature}: {error}"
        raise YotaError(reason, remedy="Write them as in a call.") from None
    known = {**facts_of_signature(target.fn), **facts}
    rng = np.random.default_rng(seed)
    missing, positional = [], len(given) == len(args)
    for name, slot in signature.parameters.items():
        if name in given or slot.kind in (slot.VAR_POSITIONAL, slot.VAR_KEYWORD):
            continue
        if slot.default is not slot.empty and name not in facts:
            positional = False
            continue
        try:
            value = drawn(known[name], rng)
        except (KeyError, ValueError):
            missing.append(name)
            continue
        if slot.kind is slot.POSITIONAL_ONLY and positional:
            args = (*args, value)
        else:
            kwargs[name] = value
    if missing:
        names = ", ".join(missing)
        facts_text = ", ".join(f"{name}=float[3]" for name in missing)
        owner = target.name.rpartition(".")[0]
        advice = (
            'Give them as in a call: --args "np.ones((3, 4)), rate=0.5",\n'
            f'or say what to draw: --like "{facts_text}".'
        )
        if owner and missing[0] == next(iter(signature.parameters)):
            advice = f'Give the object first: --args "{owner}(...), np.ones(3)".'
        of = f"for the argument{'s' if len(missing) > 1 else ''} {names}"
        raise YotaError(f"there are no values {of} of {target.name}", remedy=advice)
    return args, kwargs


def evaluated(text: str, scope: Mapping[str, Any]) -> Arguments:
    """The arguments that a text gives, as between the parentheses of a call."""
    try:
        call = ast.parse(f"_(\n{text}\n)", "--args", mode="eval").body
        if not isinstance(call, ast.Call) or not _is_name(call.func):
            raise SyntaxError("not the arguments of one call")  # noqa: TRY301
        code = compile(f"__arguments__(\n{text}\n)", "--args", "eval")
        found = eval(code, {**scope, "__arguments__": _arguments})  # noqa: S307
    except Exception as error:
        reason = f"{type(error).__name__}: {getattr(error, 'msg', None) or error}"
        raise YotaError(
            f"cannot evaluate --args {text!r}: {reason.partition(chr(10))[0]}",
            remedy='Write them as in a call: --args "np.ones(3), rate=0.5".',
        ) from error
    return found  # type: ignore[no-any-return]


def _arguments(*args: object, **kwargs: object) -> Arguments:
    return args, kwargs


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "_"


def drawn(fact: Fact, rng: np.random.Generator) -> Any:
    """A value of which a fact holds; numbers from 0.5 to 1.5, where logarithms and
    roots are defined. Raises ValueError where none can be made."""
    if fact.length is not None and fact.length.example is not None:
        return fact.length.example
    if fact.kind in _PLAIN:
        return _PLAIN[fact.kind]
    if fact.kind in ("float", "real"):
        return float(rng.uniform(0.5, 1.5))
    if fact.kind == "complex":
        return complex(*rng.uniform(0.5, 1.5, 2))
    if fact.kind == "scalar":
        return _numbers((), fact.dtype, rng)[()]
    if fact.kind == "array":
        shape: tuple[int, ...] = (LENGTH,)
        if isinstance(fact.shape, tuple):
            sizes = (None if d is None else d.example for d in fact.shape)
            shape = tuple(LENGTH if size is None else size for size in sizes)
        return _numbers(shape, fact.dtype, rng)
    if fact.kind in ("tuple", "list", "dict") and fact.items is not None:
        items = [drawn(item, rng) for item in fact.items]
        if fact.kind == "dict":
            return dict(zip(fact.keys or (), items, strict=True))
        named: Any = getattr(fact.cls, "_make", tuple)
        return items if fact.kind == "list" else named(items)
    if fact.kind == "object" and fact.keys and isinstance(fact.cls, type):
        fields = zip(fact.keys, fact.items or (), strict=True)
        return _object(fact.cls, {str(k): drawn(item, rng) for k, item in fields})
    raise ValueError(fact.kind)


def _object(cls: type, fields: Mapping[str, Any]) -> object:
    """An object of a dataclass; ValueError where a field is missing."""
    if not is_dataclass(cls):
        raise ValueError(cls)
    try:
        return cls(**fields)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _numbers(
    shape: tuple[int, ...], dtype: np.dtype[Any] | None, rng: np.random.Generator
) -> Any:
    dtype = dtype or np.dtype(float)
    numbers: Any = rng.uniform(0.5, 1.5, shape)
    if dtype.kind == "c":
        numbers = numbers + 1j * rng.uniform(0.5, 1.5, shape)
    if dtype.kind in "iu":
        numbers = rng.integers(1, LENGTH + 1, shape)
    return np.asarray(numbers).astype(dtype)
