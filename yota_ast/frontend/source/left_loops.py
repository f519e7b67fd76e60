r"""A loop over a generator that is left -> the same, by flags that the generator asks.

    for v in steps(x):              for v in steps(x):
        s += v                          early = False
        if s > 3.0:                     s += v
            break                       if s > 3.0:
                                            early = True
                                            continue

    def steps(x):                   def steps(x):
        while True:                     while True:
            yield x                         left = yield x
            x = x * 0.5                     if left:
                                                return
                                            x = x * 0.5

The value of `yield` is the flag. What is returned within the loop is kept, and returned
behind it.

In: statements.  Out: others, which share with them what is not changed.

>>> from yota_ast.syntax import parse, print_stmts
>>> loop = parse("for v in g:\n    if v > 3:\n        break\n    s += v").body[0]
>>> print(print_stmts(with_flags(loop)).replace("%early 1:0", "early").strip())
early = False
if v > 3:
    early = True
    continue
s += v
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.frontend.source.bound_names import FUNCTIONS, own_nodes
from yota_ast.frontend.source.name_flow import LOOPS, YIELDS, exits
from yota_ast.syntax import nodes, print_expr
from yota_ast.syntax.node_fields import set_fields

LEFT: Final = "%left"
"""What `yield` gives to a generator: whether its caller takes no more."""
Change = Callable[[Node], "list[Node] | None"]


@dataclass(frozen=True, slots=True)
class Flags:
    """The variables of one loop. early: whether an iteration leaves it. gives: whether
    it returns, and not just breaks. given_back: what it returns."""

    early: str
    gives: str
    given_back: str

    @classmethod
    def of(cls, loop: Node) -> Flags:
        """Those of a loop: others in the same function have their own."""
        at = f"{loop.lineno}:{loop.col_offset}"
        return cls(f"%early {at}", f"%gives {at}", f"%given back {at}")

    def noting(self, stmt: Node) -> list[Node] | None:
        """What stands for a statement that leaves the loop."""
        true = nodes.Constant(True, None)
        if isinstance(stmt, nodes.Break):
            return [_assigned(self.early, true, "break"), nodes.Continue()]
        if not isinstance(stmt, nodes.Return):
            return None
        value = stmt.value or nodes.Constant(None, None)
        line = f"return {print_expr(value)}"
        kept = _assigned(self.given_back, value, line)
        flags = [_assigned(name, true, line) for name in (self.gives, self.early)]
        return [nodes.copy_location(kept, stmt), *flags, nodes.Continue()]


def only_left_itself(loop: Node) -> bool:
    """Whether no loop within it leaves a loop by `return`, and nothing leaves one from
    within `try`, behind which the flags would not be known."""
    within = own_nodes(loop)
    inner = (n.body for n in within if isinstance(n, LOOPS))
    tried = ([n] for n in within if isinstance(n, (nodes.Try, nodes.TryStar)))
    return not any(exits(b, loop=False) for b in inner) and not any(map(exits, tried))


def with_flags(loop: Node) -> list[Node]:
    """The body of a loop, which notes that it leaves the loop."""
    flags = Flags.of(loop)
    first = _assigned(flags.early, nodes.Constant(False, None), "")
    return [first, *_changed(loop.body, flags.noting, loops=False)]


def asking(function: Node) -> Node | None:
    """A generator function that returns where `yield` tells it to; None where what that
    gives is used otherwise."""
    found = [n for n in own_nodes(function) if isinstance(n, YIELDS)]
    plain = [n for n in own_nodes(function) if _is_plain_yield(n)]
    if len(found) != len(plain):
        return None
    return _rebuilt(function, body=_changed(function.body, _asking, loops=True))


def each_asked(target: str, values: Node) -> Node:
    """A loop that yields each of some values, as long as more are taken."""
    given = _assigned(LEFT, nodes.Yield(_read(target)), "")
    stop = nodes.If(_read(LEFT), [nodes.Break()], [])
    store = nodes.Name(target, nodes.Store(), None, None)
    return nodes.For(store, values, [given, stop], [], None)


def behind(loop: Node) -> list[Node]:
    """What stands behind a loop that has flags."""
    flags, stmts = Flags.of(loop), list[Node]()
    if loop.orelse:
        stmts.append(nodes.If(_read(flags.early), [nodes.Pass()], loop.orelse))
    if exits(loop.body, loop=False):
        given = nodes.Return(_read(flags.given_back))
        stmts.append(nodes.If(_read(flags.gives), [given], []))
    return stmts


# ---------------------------------------------------------------- statements


def _asking(stmt: Node) -> list[Node] | None:
    if not _is_plain_yield(stmt):
        return None
    given = _assigned(LEFT, stmt.value, print_expr(stmt.value))
    return [
        nodes.copy_location(given, stmt),
        nodes.If(_read(LEFT), [nodes.Return(None)], []),
    ]


def _is_plain_yield(stmt: Node) -> bool:
    return isinstance(stmt, nodes.Expr) and isinstance(stmt.value, YIELDS)


def _read(name: str) -> Node:
    return nodes.Name(name, nodes.Load(), None, None)


def _assigned(name: str, value: Node, line: str) -> Node:
    made = nodes.Assign([nodes.Name(name, nodes.Store(), None, None)], value, None)
    set_fields(made, header=line)
    return made


def _changed(stmts: Sequence[Node], change: Change, *, loops: bool) -> list[Node]:
    """Statements, those within them changed too; loops: also within loops."""
    done: list[Node] = []
    for stmt in stmts:
        found = change(stmt)
        done += [_within(stmt, change, loops=loops)] if found is None else found
    return done


def _within(stmt: Node, change: Change, *, loops: bool) -> Node:
    if isinstance(stmt, FUNCTIONS):
        return stmt
    changes: dict[str, Any] = {}
    for field in ("body", "orelse", "finalbody"):
        body = getattr(stmt, field, None)
        own = field == "body" and isinstance(stmt, LOOPS) and not loops
        if isinstance(body, list) and body and not own:
            changes[field] = _changed(body, change, loops=loops)
    for field in ("handlers", "cases"):
        parts = getattr(stmt, field, None)
        if parts:
            changes[field] = [_within(part, change, loops=loops) for part in parts]
    return _rebuilt(stmt, **changes) if changes else stmt


def _rebuilt(node: Node, **changes: Any) -> Node:
    """A node with other fields: what is noted at one does not hold of the other."""
    kept = {field: getattr(node, field, None) for field in node._fields}
    return nodes.copy_location(type(node)(**(kept | changes)), node)
