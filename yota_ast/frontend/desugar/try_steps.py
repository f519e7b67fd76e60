"""`i, xs[9] = x, 1.0` in a `try` -> `%0, %1 = x, 1.0`, `i = %0`, `xs[9] = %1`.

An assignment of several targets assigns one after the other: where a later one raises,
the earlier ones have their values, and a handler sees them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.frontend.source.name_flow import always_leaves, exits, names_assigned
from yota_ast.frontend.state.statement_headers import header
from yota_ast.syntax import nodes
from yota_ast.syntax.node_fields import set_fields

_PLACES: Final = (nodes.Subscript, nodes.Attribute)


def raises_midway(stmt: Node) -> bool:
    """Whether a statement may raise after it has assigned one of its targets."""
    targets = getattr(stmt, "targets", [getattr(stmt, "target", None)])
    steps = [step for target in targets for step in _steps(target)]
    return "raises" in steps[steps.index("binds") :] if "binds" in steps else False


def _steps(target: Node) -> Iterator[Literal["binds", "raises"]]:
    """What happens, one after the other, where a target is assigned."""
    if isinstance(target, (nodes.Tuple, nodes.List)):
        yield "raises"
        for part in target.elts:
            yield from _steps(part)
    elif isinstance(target, nodes.Starred):
        yield from _steps(target.value)
    elif isinstance(target, _PLACES):
        if names_assigned([nodes.Expr(_read(target))]):  # xs[i := 9] = 1.0
            yield "binds"
        yield "raises"
        yield "binds"
    elif target is not None:
        yield "binds"


def _read(target: Node) -> Node:
    """A place without the mark that it is assigned."""
    parts = [target.value]
    if isinstance(target, nodes.Subscript):
        parts.append(target.slice)
    return nodes.Tuple(parts, nodes.Load())


def one_target_each(stmt: Node) -> list[Node]:
    """A statement as several, of which none raises after it has assigned something."""
    if not isinstance(stmt, nodes.Assign) or not raises_midway(stmt):
        return [stmt]
    if len(stmt.targets) == 1 and isinstance(stmt.targets[0], _PLACES):
        return [stmt]
    whole = f"%all{stmt.lineno}_{stmt.col_offset}"
    made: list[Node] = [_assigned(name_node(whole, store=True), stmt.value)]
    for k, target in enumerate(stmt.targets):
        made += _apart(target, whole, f"{whole}_{k}")
    for k, part in enumerate(made):
        set_fields(placed(part, stmt), header=header(stmt))
        if k:
            set_fields(part, goes_on=True)
    return made


def _apart(target: Node, value: str, prefix: str) -> Iterator[Node]:
    """The assignments of one target, of which the value has a name."""
    if not isinstance(target, (nodes.Tuple, nodes.List)):
        yield _assigned(target, name_node(value))
        return
    names = [f"{prefix}_{k}" for k in range(len(target.elts))]
    held: list[Node] = []
    inner: list[Node] = []
    for name, part in zip(names, target.elts, strict=True):
        starred = isinstance(part, nodes.Starred)
        put = name_node(name, store=True)
        held.append(nodes.Starred(put, nodes.Store()) if starred else put)
        inner.append(part.value if starred else part)
    yield _assigned(nodes.Tuple(held, nodes.Store()), name_node(value))
    for name, part in zip(names, inner, strict=True):
        yield from _apart(part, name, name)


def _assigned(target: Node, value: Node) -> Node:
    return nodes.Assign([target], value, None)


def leaving_last(stmt: Node) -> list[Node] | None:
    """`try: a` with `finally: return b` -> `try: a`, `except: pass`, `return b`: what
    `a` raises or returns is forgotten. None where a part returns midway."""
    body, handlers = _tail_forgotten(stmt.body), [*stmt.handlers]
    if stmt.orelse and exits(stmt.body):
        return None
    for k, handler in enumerate(handlers):
        forgotten = _tail_forgotten(handler.body)
        handlers[k] = nodes.ExceptHandler(handler.type, handler.name, forgotten)
        nodes.copy_location(handlers[k], handler)
    orelse = _tail_forgotten(stmt.orelse)
    parts = (body, orelse, *(handler.body for handler in handlers))
    if not always_leaves(stmt.finalbody) or any(exits(part) for part in parts):
        return None
    if handlers:
        body = [placed(nodes.Try(body, handlers, orelse, []), stmt)]
    caught = nodes.ExceptHandler(None, None, [nodes.Pass()])
    return [placed(nodes.Try(body, [caught], [], []), stmt), *stmt.finalbody]


def _tail_forgotten(stmts: list[Node]) -> list[Node]:
    """Statements that compute what they returned last."""
    if not stmts or not isinstance(stmts[-1], nodes.Return):
        return stmts
    value = stmts[-1].value
    last = nodes.Pass() if value is None else nodes.Expr(value)
    return [*stmts[:-1], nodes.copy_location(last, stmts[-1])]
