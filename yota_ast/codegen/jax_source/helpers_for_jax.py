r"""The source of a helper on NumPy -> the same on JAX, if there is one.

>>> from yota_ast.runtime import expand
>>> print(jax_text("def expand(d, x):\n    return np.zeros_like(x) + d"))
def expand(d, x):
    return jnp.zeros_like(x) + d
>>> refusal_of(expand)
''
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import numpy as np

from yota_ast import syntax
from yota_ast.ops.registry import info
from yota_ast.runtime.jax import arrays_of_jax
from yota_ast.support.helper_functions import is_helper
from yota_ast.syntax import nodes

_AS_THEY_ARE: Final = frozenset(
    "bool_ newaxis inf nan pi dtype generic iscomplexobj ndim shape size".split()
)
"""What helpers may read of NumPy itself."""
_AT: Final = {"Add": "add", "Sub": "subtract", "Mult": "multiply", "Div": "divide"}


class NoTwinError(Exception):
    """A helper, or a part of it, that has no twin for JAX."""


@cache
def refusal_of(helper: Any) -> str:
    """Return why a helper has no twin for JAX, "" if it has one."""
    if helper.__module__ == arrays_of_jax.__name__:
        return ""
    for each in with_called(twin_of(helper)):
        try:
            jax_text(inspect.getsource(each))
        except NoTwinError as error:
            return str(error)
    return ""


def twin_of(helper: Callable[..., Any]) -> Callable[..., Any]:
    """Return the helper whose source is printed for JAX."""
    return info(helper).jax_definition or helper


def with_called(helper: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return a helper and those that it calls."""
    pending, done = [helper], list[Callable[..., Any]]()
    while pending:
        each = pending.pop()
        if each not in done:
            done.append(each)
            values = map(each.__globals__.get, _names(each.__code__))
            pending += [v for v in values if inspect.isfunction(v) and is_helper(v)]
    return done


def _names(code: Any) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if inspect.iscode(inner):
            yield from _names(inner)


def jax_text(source: str) -> str:
    """Return the source of a helper on JAX: itself, if it is written for that.
    NoTwinError where there is none."""
    node = syntax.parse(source).body[0]
    if {"jax", "jnp"} & {getattr(part, "id", "") for part in nodes.walk(node)}:
        return source.rstrip("\n")
    params = {arg.id for arg in (*node.args.args, *node.args.kwonlyargs)}
    node = _Converted(params).visit(node)
    return syntax.print_stmts([node]).rstrip("\n")


class _Converted(nodes.NodeTransformer):  # type: ignore[misc]
    """Puts JAX's functions in the place of NumPy's, and new arrays in that of stores.

    given: the names of what the caller holds too, until they are assigned.
    """

    def __init__(self, given: set[str]) -> None:
        self.given = set(given)

    def visit_Attribute(self, node: Any) -> Any:
        path = _path(node)
        if path is None or path[0] != "np":
            return self.generic_visit(node)
        names = path[1:]
        if names[-1] in _AS_THEY_ARE and len(names) == 1:
            return node
        if names == ["ndarray"]:
            return syntax.parse_expr("jax.Array")
        found: Any = np
        for name in names:
            found = getattr(found, name)
        if info(found).in_jax != "numpy" or info(found).jax_keywords:
            raise NoTwinError(f"which calls np.{'.'.join(names)}")
        _root(node).id = "jnp"
        return node

    def visit_Call(self, node: Any) -> Any:
        name = getattr(node.func, "id", "")
        if name == "float" and len(node.args) == 1:
            inner = self.visit(node.args[0])
            return syntax.quote_expr("jnp.reshape(e, ())", e=inner)
        if getattr(node.func, "attr", "") == "item" and not node.args:
            inner = self.visit(node.func.value)
            return syntax.quote_expr("jnp.reshape(e, ())", e=inner)
        if getattr(node.func, "attr", "") in ("sort", "fill", "tolist", "at"):
            raise NoTwinError(f"which calls `{node.func.attr}`")
        if any(word.arg in ("out", "where") for word in node.keywords):
            raise NoTwinError("which writes into an array")
        return self.generic_visit(node)

    def visit_Assign(self, node: Any) -> Any:
        node.value = self.visit(node.value)
        target = node.targets[0]
        if isinstance(target, nodes.Subscript):
            return self._stored(target, "set", node.value)
        self._assigned(node.targets)
        return node

    def visit_AugAssign(self, node: Any) -> Any:
        node.value = self.visit(node.value)
        if isinstance(node.target, nodes.Subscript):
            how = _AT.get(type(node.op).__name__)
            if how is None:
                raise NoTwinError("which writes into an array")
            return self._stored(node.target, how, node.value)
        if getattr(node.target, "id", "") in self.given:
            raise NoTwinError("which writes into its argument")
        return node

    def _stored(self, target: Any, how: str, value: Any) -> Any:
        if not isinstance(target.value, nodes.Name) or target.value.id in self.given:
            raise NoTwinError("which writes into its argument")
        name = nodes.Name(target.value.id, nodes.Load(), None, None)
        index = self.visit(target.slice)
        made = syntax.quote("z = z.at[i].set(v)", z=name, i=index, v=value)
        made[0].value.func.attr = how
        return made

    def _assigned(self, targets: Any) -> None:
        for target in targets:
            for part in nodes.walk(target):
                if isinstance(part, nodes.Name):
                    self.given.discard(part.id)


def _root(node: Any) -> Any:
    while isinstance(node, nodes.Attribute):
        node = node.value
    return node


def _path(node: Any) -> list[str] | None:
    """Return the names of `np.linalg.norm`."""
    root, names = _root(node), list[str]()
    while node is not root:
        names.insert(0, node.attr)
        node = node.value
    return [root.id, *names] if isinstance(root, nodes.Name) else None
