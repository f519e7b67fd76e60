"""A default of a parameter -> the constant that the text's signature has for it.

One that is no literal is called what the signature calls it, `Kind.A`, where that leads
to it still: a file has then where to import it from. Any other is called after its
parameter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from yota_ast.frontend.heap.lowered_values import is_literal_value
from yota_ast.ir.atoms import Const
from yota_ast.syntax import nodes

Node = Any
_NOTHING: Final = object()


def written_defaults(args: Node) -> dict[str, Node]:
    """The expressions of the defaults, by parameter."""
    positional = [*args.posonlyargs, *args.args]
    late = positional[len(positional) - len(args.defaults) :]
    pairs = [*zip(late, args.defaults, strict=True)]
    pairs += zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return {param.id: node for param, node in pairs if node is not None}


def default_constant(
    slot: inspect.Parameter, node: Node, fn: Callable[..., object]
) -> Const:
    """The constant of a default, of which `node` is the expression, if there is one."""
    value = slot.default
    if is_literal_value(value):
        return Const(value)
    path = _path(node)
    scope: Mapping[str, object] = getattr(fn, "__globals__", {})
    if path and _found(path, scope) is value:
        return Const(value, path, str(scope.get("__name__", "")))
    return Const(value, slot.name)


def _path(node: Node) -> str:
    """`a.b.c`, or "" where an expression is no path."""
    steps: list[str] = []
    while isinstance(node, nodes.Attribute):
        steps.insert(0, node.attr)
        node = node.value
    return ".".join([node.id, *steps]) if isinstance(node, nodes.Name) else ""


def _found(path: str, scope: Mapping[str, object]) -> object:
    root, *steps = path.split(".")
    found = scope.get(root, _NOTHING)
    for step in steps:
        try:
            found = getattr(found, step, _NOTHING)
        except Exception:  # noqa: BLE001  a user's `__getattr__` may raise anything
            return _NOTHING
    return found
