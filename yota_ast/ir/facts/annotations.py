"""A function's annotations and defaults -> facts of its parameters.

Read by duck typing: jaxtyping's `Float[np.ndarray, "n d"]`, `np.ndarray[tuple[int,
int], ...]`, `npt.NDArray[np.float64]`, `float`, `int`, `str`, a class of the user's.
Nothing is imported for them.

>>> def f(x: float, n: int, mode="fast", y=None): ...
>>> facts_of_signature(f)
{'x': float, 'n': int, 'mode': str, 'y': ?}
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Mapping

import numpy as np

from yota_ast.ir.abstract_values import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    STR,
    UNKNOWN,
    Fact,
    Shape,
    array_fact,
    int_fact,
    real_fact,
)
from yota_ast.ir.axis_lengths import Dim, NamedLength, axis_dim, sizes_of_names
from yota_ast.support.value_classes import has_labels, is_record
from yota_ast.syntax.value_paths import attribute_text, axis_text

_PLAIN: dict[type, Fact] = {
    float: FLOAT, int: INT, bool: BOOL, str: STR, complex: COMPLEX,
}  # fmt: skip


def plain_fact(annotation: object) -> Fact | None:
    """The fact of a number, a string or a bool; None of any other annotation.

    >>> plain_fact(float), plain_fact("int"), plain_fact([])
    (float, int, None)
    """
    return next((f for t, f in _PLAIN.items() if annotation in (t, t.__name__)), None)


def named_tuple_fact(
    cls: type,
    text: str,
    fact_of_field: Callable[[object, str], Fact],
    given: Mapping[str, Fact] | None = None,
) -> Fact:
    """The fact of a NamedTuple, by its fields: those given, the others as annotated.

    fact_of_field: the annotation of a field and how it is read -> its fact.

    >>> class Line(typing.NamedTuple):
    ...     slope: float
    >>> named_tuple_fact(Line, "p", lambda hint, text: plain_fact(hint) or UNKNOWN)
    tuple[float]
    """
    said, known = annotations_of_class(cls), given or {}
    names: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
    items = (
        known.get(name) or fact_of_field(said.get(name), attribute_text(text, name))
        for name in names
    )
    return Fact("tuple", items=tuple(items), cls=cls)


def facts_of_signature(fn: Callable[..., object]) -> dict[str, Fact]:
    """What annotations and defaults say.

    Parameters of which they say nothing are left out. A default of None says that the
    parameter may be anything.
    """
    facts = {}
    parameters = inspect.signature(fn).parameters
    hints = {name: _hint(fn, param) for name, param in parameters.items()}
    texts = (str(getattr(hint, "dim_str", "")).split() for hint in hints.values())
    sizes = sizes_of_names(name for text in texts for name in text)
    for name, param in parameters.items():
        fact = _of_annotation(hints[name], name, sizes)
        if fact is None and type(param.default) in _PLAIN:
            fact = _of_annotation(type(param.default), name, sizes)
        if fact is None and param.default is None:
            fact = UNKNOWN
        if fact is not None:
            facts[name] = fact
    return facts


def _hint(fn: Callable[..., object], param: inspect.Parameter) -> object:
    """The annotation of a parameter, evaluated where it is a string that can be."""
    function = inspect.unwrap(getattr(fn, "__func__", fn))
    hint = _evaluated(param.annotation, getattr(function, "__globals__", {}))
    return inspect.Parameter.empty if isinstance(hint, str) else hint


def _of_annotation(
    hint: object, name: str, sizes: Mapping[str, NamedLength]
) -> Fact | None:
    plain = plain_fact(hint)
    if plain is not None:
        return int_fact(Dim(name)) if hint is int else plain
    if is_record(hint):
        return named_tuple_fact(
            hint, name, lambda h, t: _of_annotation(h, t, sizes) or real_fact(t)
        )
    array = array_of_annotation(hint, name, sizes)
    if array is not None or hint is inspect.Parameter.empty:
        return array
    if isinstance(hint, type) and hint.__module__ not in (
        "builtins",
        "numpy",
        "typing",
    ):
        return Fact("other" if has_labels(hint) else "object", cls=hint)
    return None


def array_of_annotation(
    hint: object, name: str, sizes: Mapping[str, NamedLength] | None = None
) -> Fact | None:
    """The fact of what is annotated as an array; None where the annotation says no such
    thing.

    >>> array_of_annotation(np.ndarray[tuple[int, int], np.dtype[np.float64]], "W")
    ndarray[float64, 2]
    """
    if hasattr(hint, "dims") and hasattr(hint, "dtypes"):
        return _of_jaxtyping(hint, name, sizes or {})
    if hint is np.ndarray:
        return array_fact(None, f"{name}.shape")
    if typing.get_origin(hint) is np.ndarray:
        return _of_ndarray(typing.get_args(hint), name)
    return None


def annotations_of_class(cls: type) -> dict[str, object]:
    """The annotations of the fields of a class and of its bases. A string is evaluated
    in the names of its module, where it can be."""
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        scope = getattr(sys.modules.get(base.__module__), "__dict__", {})
        for name, hint in inspect.get_annotations(base).items():
            found[name] = _evaluated(hint, {**scope, base.__name__: base})
    return found


def _evaluated(hint: object, scope: Mapping[str, object]) -> object:
    """An annotation; one that is a string evaluated where it can be."""
    text = hint.__forward_arg__ if isinstance(hint, typing.ForwardRef) else hint
    if not isinstance(text, str):
        return hint
    try:
        return eval(text, dict(scope))  # noqa: S307
    except Exception:  # noqa: BLE001  an annotation may hold anything
        return hint


def _of_ndarray(args: tuple[object, ...], name: str) -> Fact:
    shape: Shape = f"{name}.shape"
    if args and typing.get_origin(args[0]) is tuple:
        sizes = typing.get_args(args[0])
        if Ellipsis not in sizes:
            shape = tuple(axis_dim(axis_text(name, k)) for k in range(len(sizes)))
    dtype = None
    if len(args) > 1 and (inner := typing.get_args(args[1])):
        named = inner[0]
        if isinstance(named, type) and issubclass(named, np.generic):
            try:
                dtype = np.dtype(named)
            except TypeError:  # an abstract type such as np.floating
                dtype = None
    return array_fact(dtype, shape)


def _of_jaxtyping(hint: object, name: str, sizes: Mapping[str, NamedLength]) -> Fact:
    text = str(getattr(hint, "dim_str", ""))
    parts = text.split()
    dtypes = tuple(getattr(hint, "dtypes", ()))
    dtype = None
    if len(dtypes) == 1 and isinstance(dtypes[0], str):
        dtype = np.dtype(dtypes[0])
    if any(p.startswith(("*", "...", "#")) or not p.isidentifier() for p in parts):
        return array_fact(dtype, f"{name}.shape")
    dims = tuple(
        axis_dim(axis_text(name, k), sizes.get(part)) for k, part in enumerate(parts)
    )
    return array_fact(dtype, dims)
