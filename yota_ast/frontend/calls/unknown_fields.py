"""A part of an argument whose class is unknown -> a refusal that says how to name it.

Without an example, the class of an argument comes from its annotation or from `--like`.
Its fields come from the annotations of the class, or from `--like` too.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from yota_ast.frontend.components import Component
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact, describe
from yota_ast.ir.atoms import Var
from yota_ast.syntax.value_paths import PathStep, path_text

_OR_EXAMPLE = "or give an example argument."


def refuse_called(
    lowering: Component, called: str, root: Var, path: tuple[PathStep, ...]
) -> NoReturn:
    """Refuse the call of a part of an argument, `called` as it is spelled."""
    position = Position.of(lowering)
    cls = root.fact.cls
    if not path:
        position.refuse_call(
            f"the parameter `{called}` is called, and its class is unknown",
            f"Annotate `{called}` with its class, {_OR_EXAMPLE}",
        )
    if cls is None:
        position.refuse_call(
            f"`{called}` is a method of the parameter `{root.name}`, whose class is "
            "unknown",
            f"Annotate `{root.name}` with its class, {_OR_EXAMPLE}",
        )
    if len(path) > 1:
        part = path_text(root.name, path[:-1])
        position.refuse_call(
            f"`{called}` is called, and the class of `{part}` is unknown",
            _named(root.name, cls, path),
        )
    position.refuse_call(
        f"the field `{called}` is called, and its class is unknown",
        _named(root.name, cls, path),
    )


def check_called(lowering: Component, called: str, known: Fact) -> None:
    """Refuse the call of what is known to be no function."""
    if known.is_number or known.kind in ("array", "list", "tuple", "dict"):
        refuse_not_callable(lowering, called, describe(known))


def refuse_not_callable(lowering: Component, called: str, what: str) -> NoReturn:
    """Refuse a call for which Python itself raises TypeError."""
    Position.of(lowering).refuse_call(
        f"`{called}` is called, and is no function: {what}",
        f"Give a function, or take an item: `{called}[...]`.",
    )


def check_attribute(lowering: Component, name: str) -> None:
    """Refuse to read an attribute that no number and no array has, of what is taken for
    one of them because nothing is known of it."""
    if hasattr(np.ndarray, name) or hasattr(float, name):
        return
    Position.of(lowering).refuse_call(
        f"`{name}` is read of a value whose class is unknown",
        "Name the class where the value comes from: by an annotation, by --like "
        f'"m=Net(layers=[Layer, Layer])", {_OR_EXAMPLE}',
    )


def _named(parameter: str, cls: type, path: tuple[PathStep, ...]) -> str:
    """What to write so that the class of the first field of a path is known."""
    field = str(path[0][1])
    some = field.strip("_").capitalize() or "Part"
    return (
        f"Annotate `{field}` in class {cls.__name__}, or write "
        f'--like "{parameter}={cls.__name__}({field}={some})", {_OR_EXAMPLE}'
    )
