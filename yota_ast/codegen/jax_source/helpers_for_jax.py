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
from functools import cache, reduce
from typing import Any, Final

import numpy as np

from yota_ast import syntax
from yota_ast.codegen.jax_source.jax_signatures import jax_function, refusal
from yota_ast.ops.registry import info
from yota_ast.runtime.jax import arrays_of_jax
from yota_ast.support.helper_functions import is_helper
from yota_ast.syntax import nodes

_AS_THEY_ARE: Final = frozenset(
    "bool_ newaxis inf nan pi dtype generic iscomplexobj ndim shape size finfo "
    "float16".split()
)
"""What helpers may read of NumPy itself."""
_SETTINGS: Final = frozenset({"axis", "axes", "reps", "shape"})
"""What helpers call what is no array."""
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
    node = _Converted().visit(node)
    return syntax.print_stmts([node]).rstrip("\n")


class _Converted(nodes.NodeTransformer):  # type: ignore[misc]
    """Puts JAX's functions in the place of NumPy's, and new arrays in that of stores.

    fresh: the names of arrays with memory of their own: what is stored into others,
    a caller may see, or another name. containers: those of lists and dicts.
    """

    def __init__(self) -> None:
        self.fresh: set[str] = set()
        self.containers: set[str] = set()

    def visit_Attribute(self, node: Any) -> Any:
        path = _path(node)
        if path is None or path[0] != "np":
            return self.generic_visit(node)
        names = path[1:]
        if names[-1] in _AS_THEY_ARE and len(names) == 1:
            return node
        if names == ["linalg", "LinAlgError"]:
            return node
        if names == ["ndarray"]:
            return syntax.parse_expr("jax.Array")
        found: Any = np
        for name in names:
            found = getattr(found, name)
        if info(found).in_jax != "numpy" and found is not np.linalg.svd:
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
        if _path(node.func) in (["np", "ravel"], ["np", "atleast_1d"]):
            if getattr(node.args[0], "id", "") in _SETTINGS:
                return node
        node.keywords = [word for word in node.keywords if word.arg != "like"]
        self._check_keywords(node)
        if any(word.arg in ("out", "where") for word in node.keywords):
            raise NoTwinError("which writes into an array")
        return self.generic_visit(node)

    def _check_keywords(self, node: Any) -> None:
        """Refuse what JAX's function does not take, and say what it has to be told."""
        path = _path(node.func) or [""]
        if path[0] != "np":
            return
        found: Any = reduce(getattr, path[1:], np)
        if info(found).in_jax != "numpy":
            return
        words = [word.arg for word in node.keywords]
        reason = refusal(path[-1], jax_function(found), len(node.args), words)
        if reason:
            raise NoTwinError(f"for which {reason}")
        for name, value in info(found).jax_keywords:
            literal = syntax.literal(value)
            node.keywords.append(nodes.keyword(arg=name, value=literal))

    def visit_Expr(self, node: Any) -> Any:
        """Return `d = d.at[i].add(v)` for `np.add.at(d, i, v)`."""
        if _path(getattr(node.value, "func", None)) != ["np", "add", "at"]:
            return self.generic_visit(node)
        target, index, value = map(self.visit, node.value.args)
        if getattr(target, "id", "") not in self.fresh:
            raise NoTwinError("which writes into what may be an argument or a view")
        return syntax.quote("z = z.at[i].add(v)", z=target, i=index, v=value)

    def visit_Assign(self, node: Any) -> Any:
        [target] = node.targets
        self._bound(target, node.value)
        node.value = self.visit(node.value)
        if isinstance(target, nodes.Subscript):
            if getattr(target.value, "id", "") in self.containers:
                return node
            return self._stored(target, "set", node.value)
        if not isinstance(target, nodes.Name | nodes.Tuple):
            raise NoTwinError("which writes into an array")
        return node

    def visit_AugAssign(self, node: Any) -> Any:
        node.value = self.visit(node.value)
        if isinstance(node.target, nodes.Subscript):
            if getattr(node.target.value, "id", "") in self.containers:
                return node
            how = _AT.get(type(node.op).__name__)
            if how is None:
                raise NoTwinError("which writes into an array")
            return self._stored(node.target, how, node.value)
        if node.target.id not in self.fresh | self.containers:
            raise NoTwinError("which writes into what may be an argument or a view")
        return node

    def _bound(self, target: Any, value: Any) -> None:
        """Note what a name stands for."""
        if isinstance(target, nodes.Tuple):
            parts = getattr(value, "elts", None) or [None] * len(target.elts)
            for name, part in zip(target.elts, parts, strict=True):
                self._bound(name, part)
        if not isinstance(target, nodes.Name):
            return
        self.fresh.discard(target.id)
        self.containers.discard(target.id)
        if _is_container(value):
            self.containers.add(target.id)
        elif _is_fresh(value):
            self.fresh.add(target.id)

    def _stored(self, target: Any, how: str, value: Any) -> Any:
        if getattr(target.value, "id", "") not in self.fresh:
            raise NoTwinError("which writes into what may be an argument or a view")
        name = nodes.Name(target.value.id, nodes.Load(), None, None)
        index = self.visit(target.slice)
        made = syntax.quote("z = z.at[i].set(v)", z=name, i=index, v=value)
        made[0].value.func.attr = how
        return made


def _is_container(value: Any) -> bool:
    """Say whether an expression is a list or a dict: `[a, b]`, `[0.0] * n`."""
    if isinstance(value, nodes.BinOp):
        return _is_container(value.left)
    called = getattr(getattr(value, "func", None), "id", "")
    kinds = nodes.List | nodes.ListComp | nodes.Dict | nodes.DictComp
    return called in ("list", "dict", "sorted") or isinstance(value, kinds)


def _is_fresh(value: Any) -> bool:
    """Say whether an expression is a number, or an array with memory of its own."""
    if isinstance(value, nodes.BinOp | nodes.Constant):
        return True
    func = getattr(value, "func", None)
    path = _path(func) or [""]
    if path[0] == "np":
        return info(reduce(getattr, path[1:], np)).memory == "fresh"
    return getattr(func, "attr", "") == "copy"


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
