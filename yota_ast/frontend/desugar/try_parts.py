r"""A `try` around branches and loops -> small ones within them, and a flag.

A handler, or what follows, must know how far the body came. Statements that may raise
stand in a `try` of their own, of which the handlers set a flag; the rest runs if it is
not set. The handlers themselves come once, afterwards.

>>> from yota_ast.syntax import parse, print_stmts
>>> stmt = parse('''
... try:
...     if up:
...         a = f(a)
...     c = 1
... except ValueError:
...     b = 0
... ''').body[0]
>>> text = print_stmts(in_parts(stmt)).rstrip()
>>> print(text.replace(f"{FAILED}2_0", "failed").replace(f"{TESTED}3_4", "tested"))
failed = False
try:
    tested = not not up
except ValueError:
    failed = True
if not failed:
    if tested:
        try:
            a = f(a)
        except ValueError:
            failed = True
if not failed:
    try:
        c = 1
    except ValueError:
        failed = True
if failed:
    b = 0
"""

from __future__ import annotations

import copy
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.frontend.source.name_flow import exits, names_read
from yota_ast.frontend.state.statement_headers import header
from yota_ast.syntax import nodes, quote
from yota_ast.syntax.node_fields import set_fields

FAILED: Final = "%failed"
"""The first part of the name of the flag: which handler is to run, if any."""
TESTED: Final = "%tested"
"""The first part of the name of what a branch or a loop tests."""
_SILENT: Final = (nodes.Pass, nodes.Break, nodes.Continue)


@dataclass(frozen=True, slots=True)
class Catch:
    """A handler: its number among those of its try, and the flag that it sets."""

    flag: str
    number: int | bool
    handler: Node

    def made(self) -> Node:
        """The handler of a part: it sets the flag."""
        return nodes.ExceptHandler(
            self.handler.type, None, [_set(self.flag, self.number)]
        )


def has_parts(stmt: Node) -> bool:
    """Whether the body of a try has branches, loops or tries that can be taken apart.

    Not with a handler that reads the error, or raises it again: the flag alone tells
    what has happened."""
    readable = not any(map(_reads_error, stmt.handlers))
    return readable and any(map(_is_compound, stmt.body))


def names_gone_through(stmt: Node) -> frozenset[str]:
    """The names of what the loops of a try go through."""
    loops = (n for n in nodes.walk(stmt) if isinstance(n, nodes.For))
    return frozenset[str]().union(*(sources(loop) or () for loop in loops))


def in_parts(stmt: Node) -> list[Node]:
    """The statements that do what a try without `finally` does."""
    made = _try(stmt, ())
    for part in made:
        for node in nodes.walk(part):
            if isinstance(node, nodes.stmt) and not hasattr(node, "lineno"):
                set_fields(node, header=header(stmt), goes_on=True)
        placed(part, stmt)
    return made


def _try(stmt: Node, outer: tuple[Catch, ...]) -> list[Node]:
    """The statements of a try within others, innermost first."""
    flag = f"{FAILED}{stmt.lineno}_{stmt.col_offset}"
    single = len(stmt.handlers) == 1
    own = tuple(
        Catch(flag, True if single else k, handler)
        for k, handler in enumerate(stmt.handlers, 1)
    )
    last = _statements(stmt.orelse, outer)
    for catch in reversed(own):
        test = name_node(flag)
        if not single:
            (shown,) = quote("f == k", f=test, k=nodes.Constant(catch.number, None))
            test = shown.value
        last = [nodes.If(test, _statements(catch.handler.body, outer), last)]
    begin = _set(flag, False if single else 0)
    body = _statements(stmt.body, (*own, *outer))
    return [begin, *body, *_unless(_flags(outer), last)]


def _statements(stmts: list[Node], catches: tuple[Catch, ...]) -> list[Node]:
    """Statements of which each that may raise is caught."""
    if not catches:
        return list(stmts)
    run: list[Node] = []
    for k, stmt in enumerate(stmts):
        silent = isinstance(stmt, _SILENT)
        if not silent and not _is_compound(stmt):
            run.append(stmt)
            continue
        if run:
            rest = _statements(stmts[k:], catches)
            return [_caught(run, catches), *_unless(_flags(catches), rest)]
        rest = _statements(stmts[k + 1 :], catches)
        if silent:
            return [stmt, *rest]
        return [*_compound(stmt, catches), *_unless(_flags(catches), rest)]
    return [_caught(run, catches)] if run else []


def _compound(stmt: Node, catches: tuple[Catch, ...]) -> list[Node]:
    """A branch, a loop or a try within a try."""
    if isinstance(stmt, nodes.Try):
        made = _try(stmt, catches)
        if not stmt.finalbody:
            return made
        last = [_caught(stmt.finalbody, catches)]
        return [nodes.copy_location(nodes.Try(made, [], [], last), stmt)]
    if isinstance(stmt, nodes.If):
        test, before = _held(stmt.test, stmt, catches)
        arms = (_statements(part, catches) for part in (stmt.body, stmt.orelse))
        made = nodes.copy_location(nodes.If(test, *arms), stmt)
        return [*before, *_unless(_flags(catches) if before else (), [made])]
    leave = _failing(_flags(catches), [nodes.Break()])
    body = [*_statements(stmt.body, catches), *leave]
    orelse = _statements(stmt.orelse, catches)
    if isinstance(stmt, nodes.For):
        items, before = _held_items(stmt, catches)
        loop = nodes.copy_location(
            nodes.For(stmt.target, items, body, orelse, None), stmt
        )
        return [*before, *_unless(_flags(catches) if before else (), [loop])]
    test, before = _held(stmt.test, stmt, catches)
    if before:
        stop = quote("if not t: b", t=test, b="b")
        set_fields(stop[0], body=[nodes.Break()])
        body, test = [*before, *leave, *stop, *body], nodes.Constant(True, None)
    return [nodes.copy_location(nodes.While(test, body, orelse), stmt)]


def _held_items(stmt: Node, catches: tuple[Catch, ...]) -> tuple[Node, list[Node]]:
    """What a loop goes through, without raising, and the statements before it."""
    if _builtin(stmt.iter) != "range":
        return stmt.iter, []
    name = f"{TESTED}{stmt.lineno}_{stmt.col_offset}"
    made = quote("t = e", t=name_node(name), e=stmt.iter)
    return name_node(name), [_caught(made, catches)]


def _held(
    test: Node, stmt: Node, catches: tuple[Catch, ...]
) -> tuple[Node, list[Node]]:
    """A test that raises nothing, and the statements before it."""
    if isinstance(test, nodes.Constant):
        return test, []
    name = f"{TESTED}{stmt.lineno}_{stmt.col_offset}"
    made = quote("t = not not e", t=name_node(name), e=test)
    set_fields(made[0].value, only_tested=True)
    return name_node(name), [_caught(made, catches)]


def _caught(body: list[Node], catches: tuple[Catch, ...]) -> Node:
    handlers = [catch.made() for catch in catches]
    return nodes.Try(body=body, handlers=handlers, orelse=[], finalbody=[])


def _set(flag: str, value: int | bool) -> Node:
    return nodes.Assign(
        [name_node(flag, store=True)], nodes.Constant(value, None), None
    )


def _flags(catches: tuple[Catch, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(catch.flag for catch in catches))


def _unless(flags: tuple[str, ...], stmts: list[Node]) -> list[Node]:
    """Statements that run if no flag is set."""
    for flag in flags if stmts else ():
        test = nodes.UnaryOp(nodes.Not(), name_node(flag))
        stmts = [nodes.If(test, stmts, [])]
    return stmts


def _failing(flags: tuple[str, ...], stmts: list[Node]) -> list[Node]:
    """Statements that run if a flag is set."""
    return [nodes.If(name_node(flag), copy.deepcopy(stmts), []) for flag in flags]


def _is_compound(stmt: Node) -> bool:
    """Whether a statement has parts that may be caught one by one."""
    match stmt:
        case nodes.If():
            return True
        case nodes.Try():
            return _ends_plainly(stmt) and not any(map(_reads_error, stmt.handlers))
        case nodes.For():
            return sources(stmt) is not None
        case nodes.While():
            return not stmt.orelse
    return False


def _ends_plainly(stmt: Node) -> bool:
    """Whether a try has no `finally`, or one that always runs as a whole at its end."""
    if not stmt.finalbody:
        return True
    return not exits([stmt]) and not any(map(_is_compound, stmt.finalbody))


def sources(loop: Node) -> frozenset[str] | None:
    """The names through which a loop goes, as in `for i, q in enumerate(xs)`; None of
    a loop in which the next item may raise."""
    builtin, pair = _builtin(loop.iter), isinstance(loop.target, nodes.Tuple)
    parts = loop.iter.args if builtin else [loop.iter]
    targets = loop.target.elts if pair else [loop.target]
    known = pair == (builtin in ("enumerate", "zip"))
    known = known and all(isinstance(t, nodes.Name) for t in targets)
    if not known or not all(isinstance(p, (nodes.Name, nodes.Constant)) for p in parts):
        return None
    if builtin == "range":
        return frozenset()
    return frozenset(getattr(part, "id", "") for part in parts)


def _builtin(node: Node) -> str | None:
    """Which builtin a call without keywords calls, if it goes through something."""
    if not isinstance(node, nodes.Call) or not isinstance(node.func, nodes.Name):
        return None
    known = node.func.id in ("range", "enumerate", "zip") and not node.keywords
    return node.func.id if known else None


def _reads_error(handler: Node) -> bool:
    """Whether a handler reads its error by name, or raises it again."""
    name = getattr(handler.name, "id", handler.name)
    return any(
        name in names_read(stmt)
        or any(isinstance(n, nodes.Raise) and n.exc is None for n in nodes.walk(stmt))
        for stmt in handler.body
    )
