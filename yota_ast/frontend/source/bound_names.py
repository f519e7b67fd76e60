r"""A function's tree -> the names that it binds.

>>> from yota_ast.syntax import parse
>>> names = bound_names(parse("def f(x, *r):\n    for i in x: y = i").body[0])
>>> sorted(names.local)
['i', 'r', 'x', 'y']
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.syntax import nodes
from yota_ast.syntax.node_fields import children, set_fields

PATTERNS: Final = (nodes.MatchAs, nodes.MatchStar, nodes.MatchMapping)
FUNCTIONS = (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.Lambda)
COMPREHENSIONS = (nodes.ListComp, nodes.SetComp, nodes.DictComp, nodes.GeneratorExp)
_SCOPES = (*FUNCTIONS, nodes.ClassDef)
# What most nodes are: they bind no name.
NAMELESS = (nodes.BinOp, nodes.Constant, nodes.operator, nodes.expr_context, nodes.Call)


_CHANGING = frozenset(
    "add append clear difference_update discard extend insert intersection_update pop "
    "popitem remove reverse setdefault sort update".split()
)
"""The methods that change a container."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a function, by what they are.

    local: parameters and assigned names. nonlocals, declared (global): by statement.
    captured: what functions inside read or write of the names around them.
    mixed: whether tuples are returned in one place, and something else in another.
    changed: those of lists, dicts and sets that are changed, by the looks of it.
    """

    local: frozenset[str]
    nonlocals: frozenset[str]
    declared: frozenset[str]
    captured: frozenset[str]
    mixed: bool
    changed: frozenset[str]


def name_held(node: Node) -> str | None:
    """The name that a pattern or a definition gives a value."""
    held: str | None = node.rest if isinstance(node, nodes.MatchMapping) else node.name
    return held


def own_nodes(root: Node) -> tuple[Node, ...]:
    """The nodes of a function's body, those of functions inside left out."""
    known: tuple[Node, ...] | None = getattr(root, "own_nodes", None)
    if known is None:
        known = tuple(_own_nodes(root))
        set_fields(root, own_nodes=known)
    return known


def _own_nodes(root: Node) -> Iterator[Node]:
    body = root.body if isinstance(root.body, list) else [root.body]
    pending = list(reversed(body))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending += reversed(children(node))


def own_kinds(root: Node) -> frozenset[type]:
    """The classes of those nodes: whether there is one to be looked for."""
    known: frozenset[type] | None = getattr(root, "own_kinds", None)
    if known is None:
        known = frozenset(map(type, own_nodes(root)))
        set_fields(root, own_kinds=known)
    return known


def parameter_names(args: Node) -> list[str]:
    """The names of all parameters, in order."""
    found = [p.id for p in (*args.posonlyargs, *args.args)]
    found += [args.vararg.id] if args.vararg is not None else []
    found += [p.id for p in args.kwonlyargs]
    return found + ([args.kwarg.id] if args.kwarg is not None else [])


def bound_names(root: Node) -> Names:
    """The names that a function binds."""
    known: Names | None = getattr(root, "bound_names", None)
    if known is None:
        known = _bound_names(root)
        set_fields(root, bound_names=known)
    return known


def _bound_names(root: Node) -> Names:
    local, nonlocals, declared = set(parameter_names(root.args)), set(), set()
    hidden = _comprehension_targets(root)
    for node in own_nodes(root):
        if isinstance(node, nodes.Name):
            bound = isinstance(node.ctx, (nodes.Store, nodes.Del))
            if bound and id(node) not in hidden:
                local.add(node.id)
        elif isinstance(node, NAMELESS):
            continue
        elif isinstance(node, (nodes.FunctionDef, nodes.ClassDef)):
            local.add(node.name)
        elif isinstance(node, nodes.Nonlocal):
            nonlocals.update(node.names)
        elif isinstance(node, nodes.Global):
            declared.update(node.names)
        elif isinstance(node, (nodes.Import, nodes.ImportFrom)):
            local.update(a.asname or a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, nodes.ExceptHandler) and node.name is not None:
            local.add(node.name.id if hasattr(node.name, "id") else node.name)
        elif isinstance(node, PATTERNS) and (name := name_held(node)):
            local.add(name)
    outside = nonlocals | declared
    return Names(
        frozenset(local - outside),
        frozenset(nonlocals),
        frozenset(declared),
        frozenset(_captured(root)),
        _mixed(root),
        frozenset(_changed(root)),
    )


def _changed(root: Node) -> Iterator[str]:
    for node in own_nodes(root):
        target = None
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute):
            target = node.func.value if node.func.attr in _CHANGING else None
        elif isinstance(node, nodes.Subscript):
            written = isinstance(node.ctx, (nodes.Store, nodes.Del))
            target = node.value if written else None
        elif isinstance(node, nodes.AugAssign):
            target = node.target
        if isinstance(target, nodes.Name):
            yield target.id


def _mixed(root: Node) -> bool:
    """Whether the values returned are of several structures."""
    shapes = set()
    for node in own_nodes(root):
        if isinstance(node, nodes.Return):
            value = node.value
            literal = isinstance(value, (nodes.Tuple, nodes.List))
            shapes.add((type(value).__name__, len(value.elts)) if literal else ("", 0))
    return len(shapes) > 1


def _captured(root: Node) -> Iterator[str]:
    if own_kinds(root).isdisjoint(FUNCTIONS):
        return
    for function in own_nodes(root):
        if isinstance(function, FUNCTIONS):
            around = (*getattr(function, "decorator_list", ()), *_defaults(function))
            body = function.body if isinstance(function.body, list) else [function.body]
            yield from (name for part in around for name in _names_in(part))
            own = bound_names(function).local
            names = (name for part in body for name in _names_in(part))
            yield from (name for name in names if name not in own)


def _defaults(function: Node) -> Iterator[Node]:
    args = function.args
    yield from (d for d in (*args.defaults, *args.kw_defaults) if d is not None)


def _names_in(part: Node) -> Iterator[str]:
    for node in nodes.walk(part):
        if isinstance(node, nodes.Name):
            yield node.id
        elif isinstance(node, nodes.Nonlocal):
            yield from node.names


def _comprehension_targets(root: Node) -> set[int]:
    """The target names of comprehensions: they are no names of the function."""
    if own_kinds(root).isdisjoint(COMPREHENSIONS):
        return set()
    return {
        id(name)
        for node in own_nodes(root)
        if isinstance(node, COMPREHENSIONS)
        for generator in node.generators
        for name in nodes.walk(generator.target)
    }


def is_generator(root: Node) -> bool:
    """Whether a function yields."""
    return not own_kinds(root).isdisjoint((nodes.Yield, nodes.YieldFrom))


def without_docstring(body: list[Node]) -> list[Node]:
    """A body without its docstring."""
    first = body[0] if body else None
    if isinstance(first, nodes.Expr) and isinstance(first.value, nodes.Constant):
        if isinstance(first.value.value, str):
            return body[1:]
    return body


def only_return(root: Node) -> bool:
    """Whether a function is a single `return`."""
    body = without_docstring(root.body)
    return len(body) == 1 and isinstance(body[0], nodes.Return)
