"""What a function returns -> what its loops return, and what is built of that outside.

Loops return arrays and numbers. Where the function returns a dict of gradients, the
function in Python makes it of what the loops return:

    val, dW, db = _loss_grad(W, b, x, seed)
    return val, {"W": dW, "b": db}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.plan.statement_plan import (
    Exit,
    Let,
    Plan,
    Stmt,
    reads_of,
    walk,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.nodes import Apply

_BUILDERS: Final = (build_dict, build_list, build_tuple)


@dataclass(frozen=True, slots=True)
class Built:
    """A dict, list or tuple that is made outside. var: the variable that it is."""

    op: Apply
    items: tuple[Any, ...]
    var: Var

    def leaves(self) -> Iterator[Atom]:
        """Yield the arrays and numbers in it, in order."""
        for item in self.items:
            if isinstance(item, Built):
                yield from item.leaves()
            elif not is_fixed(item):
                yield item

    @property
    def skeleton(self) -> object:
        """What is left of it without its arrays and numbers."""
        return (self.op.fn, *(skeleton(item) for item in self.items))


def is_fixed(atom: Atom) -> bool:
    """Say whether an item is a key or None, which the loops need not return."""
    return isinstance(atom, Const) and not isinstance(atom.value, (int, float))


def skeleton(part: Built | Atom) -> object:
    """Return what is left of a part without its arrays and numbers."""
    if isinstance(part, Built):
        return part.skeleton
    return part if is_fixed(part) else None


class Returned:
    """Takes apart what the exits of a plan return."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        exits = [s for s in walk(plan.body) if isinstance(s, Exit)]
        others = {
            name for stmt in _other_readers(plan) for name in reads_of(plan, stmt)
        }
        self._made = {n: op for n, op in _built_in(plan) if n not in others}
        parts = [self.parts(e) for e in exits]
        self.names = {plan.key(b.var) for each in parts for b in _all_built(each)}
        self.is_used = bool(self.names)
        self.is_one_form = len({tuple(map(skeleton, each)) for each in parts}) == 1

    def parts(self, stmt: Exit) -> list[Built | Atom]:
        """Return what an exit returns, taken apart."""
        return [self._part(atom) for atom in (stmt.value, *stmt.results)]

    def _part(self, atom: Atom) -> Built | Atom:
        if not isinstance(atom, Var):
            return atom
        op = self._made.get(self.plan.key(atom)) or self.plan.nested.get(atom.name)
        if not isinstance(op, Apply) or op.fn not in _BUILDERS:
            return atom
        keyed = op.fn is build_dict
        items = [
            a if keyed and k % 2 == 0 else self._part(a) for k, a in enumerate(op.args)
        ]
        return Built(op, tuple(items), atom)


def _built_in(plan: Plan) -> Iterator[tuple[str, Apply]]:
    """Yield the variables that are built, and how."""
    for stmt in walk(plan.body):
        if isinstance(stmt, Let) and len(stmt.targets) == 1:
            if isinstance(stmt.value, Apply) and stmt.value.fn in _BUILDERS:
                yield plan.key(stmt.targets[0]), stmt.value


def _other_readers(plan: Plan) -> Iterator[Stmt]:
    """Yield the statements that compute with what they read."""
    for stmt in walk(plan.body):
        if not isinstance(stmt, Exit) and not _is_built(stmt):
            yield stmt


def _is_built(stmt: Stmt) -> bool:
    if not isinstance(stmt, Let) or not isinstance(stmt.value, Apply):
        return False
    return stmt.value.fn in _BUILDERS


def _all_built(parts: Sequence[Built | Atom]) -> Iterator[Built]:
    for part in parts:
        if isinstance(part, Built):
            yield part
            yield from _all_built(part.items)


def leaves_of(parts: Sequence[Built | Atom]) -> list[Atom]:
    """Return the arrays and numbers that are returned, in order."""
    found: list[Atom] = []
    for part in parts:
        found += part.leaves() if isinstance(part, Built) else [part]
    return found


def built_again(
    parts: Sequence[Built | Atom], leaves: Sequence[Var], nested: dict[str, Any]
) -> tuple[list[Stmt], list[Atom]]:
    """Return the statements that make the containers of leaves, and what they are.

    nested: where the expressions of inner containers are put.
    """
    given = iter(leaves)

    def again(part: Built | Atom) -> Atom:
        if not isinstance(part, Built):
            return part if is_fixed(part) else next(given)
        args = tuple(again(item) for item in part.items)
        nested[part.var.name] = replace(part.op, out=part.var, args=args)
        return part.var

    lets: list[Stmt] = []
    values: list[Atom] = []
    for part in parts:
        if isinstance(part, Built):
            var = again(part)
            assert isinstance(var, Var)
            lets.append(Let((var,), nested.pop(var.name)))
            values.append(var)
        else:
            values.append(next(given))
    return lets, values
