"""Loops over indices that were loops over items -> their headers, as the user wrote.

    for i in range(min(len(xs), len(ys))):  ->  for x, y in zip(xs, ys):
        x = xs[i]
        y = ys[i]

In: a loop of the plan, whose body begins with the items, but for what it saves.  Out:
the targets, what is iterated over, and the statements that the header says already.
Where the body reads the index as well, it is counted by `enumerate`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeGuard

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Let,
    Loop,
    Move,
    Plan,
    Stmt,
    Write,
)
from yota_ast.codegen.plan.statement_reads import names_read
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_list
from yota_ast.ir.nodes import Apply, For
from yota_ast.ir.store_changes import AppendItem
from yota_ast.syntax.names import is_weak

Name = Callable[[Var], str]


@dataclass(frozen=True, slots=True)
class Items:
    """The header of a loop over items: `for i, (x, y) in enumerate(zip(xs, ys))`.

    arrays: what is iterated over, beside the target of each. index: None, or the
    variable that counts. rest: the body without what gives the targets their values.
    """

    targets: tuple[Var, ...]
    arrays: tuple[Atom, ...]
    index: Var | None
    rest: tuple[Stmt, ...]


def lengths_of(op: Apply | None, plan: Plan) -> tuple[Atom, ...]:
    """Return the arrays in `range(len(xs))` or `range(min(len(xs), len(ys)))`."""
    if op is None or op.fn is not range or len(op.args) != 1:
        return ()
    count = _made(op.args[0], plan)
    if count is None:
        return ()
    lengths = count.args if count.fn is min and not count.kwargs else op.args
    found = [_made(n, plan) for n in lengths]
    if any(f is None or f.fn is not len for f in found):
        return ()
    return tuple(f.args[0] for f in found if f is not None)


def items_of(stmt: Loop, plan: Plan, name: Name) -> Items | None:
    """Return the header of a loop over the items of arrays; name: what the text calls
    a variable."""
    op = stmt.op
    if not isinstance(op, For) or len(op.targets) != 1 or stmt.orelse or stmt.cond:
        return None
    arrays = lengths_of(_made(op.iterable, plan), plan)
    count, index = len(arrays), op.targets[0]
    before = tuple(takewhile(lambda s: isinstance(s, (Append, Move)), stmt.body))
    first = stmt.body[len(before) : len(before) + count]
    rest = (*before, *stmt.body[len(before) + count :])
    if not arrays or len(first) != count:
        return None
    targets: list[Var] = []
    for let, array in zip(first, arrays, strict=True):
        if not isinstance(let, Let) or len(let.targets) != 1:
            return None
        own = let.origin.statement == stmt.origin.statement
        if not own or not _is_item(let.value, array, index):
            return None
        targets.append(let.targets[0])
    names = {plan.key(v) for v in targets}
    read = {
        *names,
        plan.key(index),
        *(plan.key(a) for a in arrays if isinstance(a, Var)),
    }
    if len({*names, plan.key(index)}) <= count or names & names_read(before, plan):
        return None
    if read & {plan.key(v) for s in before for v in _moved(s)}:
        return None
    counted = index if plan.key(index) in names_read(rest, plan) else None
    if counted is not None and name(index) in map(name, targets):
        return None  # the index is read before the item has its name
    return Items(tuple(targets), arrays, counted, rest)


def with_nested_targets(
    stmt: Loop, plan: Plan, name: Name
) -> tuple[str, tuple[Stmt, ...]]:
    """Return the targets of a loop, those of tuples that its body takes apart first in
    parentheses, `e, (i, j)`; and the body that this leaves."""
    assert isinstance(stmt.op, For)
    body, texts = stmt.body, []
    for target in stmt.op.targets:
        count = len(target.fact.items or ())
        parts = _parts_of(target, body[:count]) if len(stmt.op.targets) > 1 else ()
        if parts and plan.key(target) not in names_read(body[count:], plan):
            texts.append(f"({', '.join(map(name, parts))})")
            body = body[count:]
        else:
            texts.append(name(target))
    return ", ".join(texts), body


def _parts_of(target: Var, stmts: Sequence[Stmt]) -> tuple[Var, ...]:
    """Return the variables that take the items of a tuple without a name, in order."""
    parts: list[Var] = []
    for k, let in enumerate(stmts):
        if not isinstance(let, Let) or len(let.targets) != 1:
            return ()
        op = let.value
        if not isinstance(op, Apply) or op.args != (target, Const(k)):
            return ()
        if op.fn is not operator.getitem or is_weak(let.targets[0].hint):
            return ()
        parts.append(let.targets[0])
    return tuple(parts) if len(parts) > 1 and is_weak(target.hint) else ()


def comprehended(
    first: Stmt,
    second: Stmt,
    plan: Plan,
    name: Name,
    printed: Callable[[Sequence[Stmt]], list[Stmt]],
) -> Write | None:
    """Return the append of a loop that fills a list in one statement of the user's:
    what a list comprehension was. name: what the text calls a variable. printed: the
    statements of which anything is to be seen."""
    if not isinstance(first, Let) or not isinstance(second, Loop):
        return None
    if not makes_list(first):
        return None
    same = first.origin.statement == second.origin.statement
    if not same or len(first.targets) != 1 or second.cond or second.orelse:
        return None
    if not isinstance(second.op, For) or second.origin.text.endswith(":"):
        return None  # a loop, not a comprehension
    found = items_of(second, plan, name)
    writes = printed(found.rest if found else second.body)
    if len(writes) != 1 or not isinstance(writes[0], Write):
        return None
    op = writes[0].op
    if not isinstance(op.change, AppendItem) or not isinstance(op.target, Var):
        return None
    if name(first.targets[0]) != name(op.target):
        return None
    return None if plan.key(op.target) in set(plan.leaves(op.value)) else writes[0]


def makes_list(stmt: Stmt) -> bool:
    """Say whether a statement makes an empty list."""
    made = stmt.value if isinstance(stmt, Let) else None
    return isinstance(made, Apply) and made.fn is build_list and not made.args


def _made(atom: Atom, plan: Plan) -> Apply | None:
    """Return the op of a variable that is nested, or has a line of its own outside of
    loops and branches."""
    if not isinstance(atom, Var):
        return None
    op = plan.nested.get(atom.name)
    for stmt in plan.forward if op is None else ():
        if isinstance(stmt, Let) and stmt.targets == (atom,):
            op = stmt.value if isinstance(stmt.value, Apply) else None
    return op if isinstance(op, Apply) else None


def _moved(stmt: Stmt) -> tuple[Var, ...]:
    """Return the variables that a statement copies into."""
    return tuple(v for v, _ in stmt.pairs) if isinstance(stmt, Move) else ()


def _is_item(op: object, array: Atom, index: Var) -> TypeGuard[Apply]:
    """Say whether an op is `array[index]`."""
    if not isinstance(op, Apply) or op.fn is not operator.getitem:
        return False
    return op.args == (array, index)
