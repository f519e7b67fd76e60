"""The calls in a rule's statements -> a `RuleError` at one that could not be made.

What is called is a function known by name, or a method that arrays have; its arguments
suit its signature, where that can be had.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Container
from functools import cache
from inspect import Parameter, Signature
from types import MethodType
from typing import Any

import numpy as np

from yota_ast.rules.notation.pattern import Reader, root_of
from yota_ast.support.public_names import public_path


def calls_in(expr: ast.expr) -> list[ast.Call]:
    """The calls that an expression contains."""
    return [n for n in ast.walk(expr) if isinstance(n, ast.Call)]


def check_callable(
    reader: Reader, expr: ast.expr, signature: Signature, local: Container[str]
) -> None:
    """Each call of an expression must be one that a text can make.

    local: the names of the rule's own, placeholders and targets.
    """
    for part in ast.walk(expr):
        if isinstance(part, ast.Starred):
            _check_starred(reader, part, signature)
    for call in calls_in(expr):
        _check_called(reader, call.func, local)


def _check_starred(reader: Reader, part: ast.Starred, signature: Signature) -> None:
    name = part.value.id if isinstance(part.value, ast.Name) else ""
    known = signature.parameters.get(name)
    if known is None or known.kind is not Parameter.VAR_POSITIONAL:
        raise reader.error(part, "only a `*args` parameter can be starred in a rule")


def _check_called(reader: Reader, func: ast.expr, local: Container[str]) -> None:
    root = root_of(func)
    of_a_value = not isinstance(root, ast.Name) or root.id in local
    found: Any = None if of_a_value else reader.resolve(func)
    if callable(found) and _is_of_a_module(found):
        return
    if not of_a_value or not isinstance(func, ast.Attribute):
        raise reader.error(
            func,
            f"`{ast.unparse(func)}` is not a function known by name",
            "Call a function of a module or class, or a method of an array.",
        )
    if not hasattr(np.ndarray, func.attr):
        raise reader.error(func, f"arrays have no method `{func.attr}`")


def _is_of_a_module(found: Any) -> bool:
    """Whether a path of public names leads to a function; `stats.norm.pdf` has one."""
    owner = found.__self__ if isinstance(found, MethodType) else None
    return owner is None or isinstance(owner, type) or public_path(owner) is not None


@cache
def _signature_of(fn: Any) -> Signature | None:
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):
        return None


def check_arity(reader: Reader, node: ast.expr, *, statement: bool) -> None:
    """A call must suit the signature of what it calls, where that can be had."""
    if not isinstance(node, ast.Call) or not isinstance(
        root_of(node.func), (ast.Name, ast.Attribute)
    ):
        return
    if any(isinstance(a, ast.Starred) for a in node.args):
        return
    if any(k.arg is None for k in node.keywords):
        return
    try:
        fn = reader.resolve(node.func)
    except Exception:  # noqa: BLE001  a method of a parameter or of a local
        return
    signature = None if isinstance(fn, type) else _signature_of(fn)
    if signature is None:
        return
    try:
        signature.bind(*node.args, **{str(k.arg): k.value for k in node.keywords})
    except TypeError as why:
        where = "" if statement else "the pattern: "
        raise reader.error(
            node, f"{where}`{ast.unparse(node.func)}` is called wrongly: {why}"
        ) from None
