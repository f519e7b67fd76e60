r"""Statements -> which names are read after them, and whether control may leave them.

>>> from yota_ast.syntax import parse
>>> body = parse("y = x + 1\nif c:\n    z = y\nelse:\n    z = w").body
>>> sorted(live_before(body, Ahead(frozenset({"z"}))))
['c', 'w', 'x']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.frontend.source.bound_names import (
    COMPREHENSIONS,
    FUNCTIONS,
    PATTERNS,
    name_held,
    own_nodes,
    parameter_names,
)
from yota_ast.syntax import nodes
from yota_ast.syntax.node_fields import children, set_fields

RESULT: Final = "%result"
RETURNED: Final = "%returned"
BROKEN: Final = "%broken"
CONTINUED: Final = "%continued"
CONSUMED: Final = "%consumed"
"""In the frame of a generator: that it has run."""
FLAGS: Final = (RETURNED, BROKEN, CONTINUED)
LOOPS: Final = (nodes.For, nodes.While)
NAMED: Final = (nodes.FunctionDef, *PATTERNS)
"""What gives a value to the name that it holds, which is no node."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is read after a place: by falling through, after break, after continue."""

    after: frozenset[str]
    broken: frozenset[str] = frozenset()
    continued: frozenset[str] = frozenset()


def names_read(node: Node) -> frozenset[str]:
    """All names that an expression or statement reads, functions inside included:
    also the target of `b -= 1`."""
    known: frozenset[str] | None = getattr(node, "names_read", None)
    if known is None:
        known = frozenset(_read(node))
        set_fields(node, names_read=known)
    return known


def _read(node: Node) -> Iterator[str]:
    pending = [node]
    while pending:
        n = pending.pop()
        if isinstance(n, nodes.Name):
            if isinstance(n.ctx, nodes.Load):
                yield n.id
            continue
        if isinstance(n, nodes.AugAssign) and isinstance(n.target, nodes.Name):
            yield n.target.id
        if isinstance(n, COMPREHENSIONS):
            yield from _read_around(n)
            continue
        if isinstance(n, nodes.Lambda):
            own = parameter_names(n.args)
            yield from (name for name in _read(n.body) if name not in own)
            pending += [*n.args.defaults, *filter(None, n.args.kw_defaults)]
            continue
        pending += children(n)


def _read_around(comprehension: Node) -> Iterator[str]:
    """The names that a comprehension reads, and does not bind itself."""
    first, *rest = comprehension.generators
    yield from _read(first.iter)
    targets = [g.target for g in comprehension.generators]
    own = {n.id for t in targets for n in nodes.walk(t) if isinstance(n, nodes.Name)}
    inner = [c for c in children(comprehension) if c is not first]
    inner += [*first.ifs, *rest]
    yield from (name for part in inner for name in _read(part) if name not in own)


def names_assigned(stmts: Sequence[Node]) -> tuple[str, ...]:
    """The names that statements may assign, in order; functions inside left out."""
    return tuple(dict.fromkeys(name for stmt in stmts for name in _assigned(stmt)))


def names_appended(stmts: Sequence[Node]) -> tuple[str, ...]:
    """The names of lists to which statements append, whatever the branches; not of
    those that they make themselves."""
    made = names_assigned(stmts)
    return tuple(name for name in _appended(stmts) if name not in made)


def _appended(stmts: Sequence[Node]) -> Iterator[str]:
    for stmt in stmts:
        match stmt:
            case nodes.For():
                yield from _appended(stmt.body)
            case nodes.Expr(
                value=nodes.Call(
                    func=nodes.Attribute(value=nodes.Name(id=name), attr="append")
                )
            ):
                yield name


def _assigned(stmt: Node) -> tuple[str, ...]:
    known: tuple[str, ...] | None = getattr(stmt, "names_assigned", None)
    if known is not None:
        return known
    found: dict[str, None] = {}
    for node in _walk([stmt]):
        if isinstance(node, nodes.Name) and not isinstance(node.ctx, nodes.Load):
            found[node.id] = None
        elif isinstance(node, NAMED) and (name := name_held(node)):
            found[name] = None
    set_fields(stmt, names_assigned=tuple(found))
    return tuple(found)


CATCHING: Final = (nodes.Try, nodes.TryStar, nodes.With)
YIELDS: Final = (nodes.Yield, nodes.YieldFrom)


def _walk(stmts: Sequence[Node]) -> Iterator[Node]:
    pending = list(reversed(stmts))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, *COMPREHENSIONS)):
            pending += reversed(children(node))


def exits(
    stmts: Sequence[Node],
    *,
    loop: bool = True,
    returns: bool = True,
    continues: bool = True,
) -> bool:
    """Whether return, or break or continue of the loop around, may leave statements."""
    kinds = (nodes.Return,) if returns else ()
    if loop:
        kinds += (nodes.Break, nodes.Continue) if continues else (nodes.Break,)
    for stmt in stmts:
        if isinstance(stmt, kinds):
            return True
        if isinstance(stmt, FUNCTIONS):
            continue
        inner = loop and not isinstance(stmt, LOOPS)
        within = partial(exits, returns=returns, continues=continues)
        if any(within(body, loop=inner) for body in bodies(stmt)):
            return True
        if loop and isinstance(stmt, LOOPS) and within(stmt.orelse):
            return True
    return False


def may_never_end(generator: Node) -> bool:
    """Whether a generator has a `while`: its items cannot be taken beforehand."""
    return any(isinstance(n, nodes.While) for n in own_nodes(generator))


def catches_at_yields(function: Node) -> bool:
    """Whether a generator yields within `try` or `with`, which would catch what a loop
    over it raises, or be around it."""
    around = (n for n in own_nodes(function) if isinstance(n, CATCHING))
    return any(isinstance(n, YIELDS) for n in _walk([*around]))


def bodies(stmt: Node) -> list[list[Node]]:
    """The lists of statements within a statement."""
    found = [
        getattr(stmt, field)
        for field in ("body", "orelse", "finalbody")
        if isinstance(getattr(stmt, field, None), list)
    ]
    found += [handler.body for handler in getattr(stmt, "handlers", ())]
    return found + [case.body for case in getattr(stmt, "cases", ())]


def always_leaves(stmts: Sequence[Node]) -> bool:
    """Whether control never falls off the end of statements."""
    for stmt in stmts:
        if isinstance(stmt, (nodes.Return, nodes.Break, nodes.Continue, nodes.Raise)):
            return True
        if isinstance(stmt, nodes.If) and stmt.orelse:
            if always_leaves(stmt.body) and always_leaves(stmt.orelse):
                return True
        if isinstance(stmt, nodes.With) and always_leaves(stmt.body):
            return True
    return False


def ends_in_endless_loop(stmts: Sequence[Node]) -> bool:
    """Whether statements end in a `while True` that only return leaves."""
    last = stmts[-1] if stmts else None
    if not isinstance(last, nodes.While) or not isinstance(last.test, nodes.Constant):
        return False
    return bool(last.test.value) and not exits(last.body, returns=False)


def is_none(node: Node) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(node, nodes.Constant) and node.value is None


def live_before(stmts: Sequence[Node], ahead: Ahead) -> frozenset[str]:
    """The names that may be read before they are assigned again."""
    return lives_before(stmts, ahead)[0]


def lives_before(stmts: Sequence[Node], ahead: Ahead) -> list[frozenset[str]]:
    """The same of each statement and what follows it, and what is read behind all."""
    live = ahead.after
    found = [live]
    for stmt in reversed(stmts):
        live = _before_stmt(stmt, Ahead(live, ahead.broken, ahead.continued))
        found.append(live)
    return found[::-1]


def _before_stmt(stmt: Node, ahead: Ahead) -> frozenset[str]:
    """The same of one statement, which loops are asked for again and again."""
    known: dict[Ahead, frozenset[str]] | None = getattr(stmt, "names_live", None)
    if known is None:
        known = {}
        set_fields(stmt, names_live=known)
    if ahead not in known:
        known[ahead] = _before(stmt, ahead)
    return known[ahead]


def _before(stmt: Node, ahead: Ahead) -> frozenset[str]:
    if isinstance(stmt, nodes.Return):
        return frozenset() if stmt.value is None else names_read(stmt.value)
    if isinstance(stmt, nodes.Raise):
        return names_read(stmt)
    if isinstance(stmt, nodes.Break):
        return ahead.broken
    if isinstance(stmt, nodes.Continue):
        return ahead.continued
    if isinstance(stmt, nodes.If):
        then, orelse = live_before(stmt.body, ahead), live_before(stmt.orelse, ahead)
        return then | orelse | names_read(stmt.test)
    if isinstance(stmt, LOOPS):
        return live_at_head(stmt, ahead) | names_read(_head(stmt))
    if isinstance(stmt, nodes.FunctionDef):
        return (ahead.after - {stmt.name}) | (names_read(stmt) - {stmt.name})
    if isinstance(stmt, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)):
        return (ahead.after - _killed(stmt)) | names_read(stmt)
    if isinstance(stmt, nodes.Try):
        return _before_try(stmt, ahead)
    inner = frozenset[str]().union(*(live_before(b, ahead) for b in bodies(stmt)))
    return ahead.after | names_read(stmt) | inner


def _before_try(stmt: Node, ahead: Ahead) -> frozenset[str]:
    """The body may end anywhere: what handlers read, it kills nothing of."""
    last = live_before(stmt.finalbody, ahead)
    live = live_before(stmt.orelse, replace(ahead, after=last))
    live = live_before(stmt.body, replace(ahead, after=live))
    for handler in stmt.handlers:
        live |= live_before(handler.body, replace(ahead, after=last))
        live |= frozenset() if handler.type is None else names_read(handler.type)
    # By return, break and continue the final body is reached too.
    return live | frozenset[str]().union(*map(names_read, stmt.finalbody))


def live_at_head(loop: Node, ahead: Ahead) -> frozenset[str]:
    """The names read by an iteration, a later one or what follows the loop."""
    exhausted = live_before(loop.orelse, ahead)
    targets = _stored(loop.target) if isinstance(loop, nodes.For) else frozenset()
    test = frozenset() if isinstance(loop, nodes.For) else names_read(loop.test)
    live: frozenset[str] = exhausted | test
    while True:
        body = live_before(loop.body, Ahead(live, ahead.after, live)) - targets
        if body <= live:
            return live
        live |= body


def _head(loop: Node) -> Node:
    return loop.iter if isinstance(loop, nodes.For) else loop.test


def _killed(stmt: Node) -> frozenset[str]:
    if isinstance(stmt, nodes.Assign):
        return frozenset[str]().union(*(_stored(t) for t in stmt.targets))
    return _stored(stmt.target) if stmt.value is not None else frozenset()


def _stored(target: Node) -> frozenset[str]:
    known: frozenset[str] | None = getattr(target, "names_stored", None)
    if known is None:
        known = frozenset(
            n.id
            for n in nodes.walk(target)
            if isinstance(n, nodes.Name) and isinstance(n.ctx, nodes.Store)
        )
        set_fields(target, names_stored=known)
    return known
