"""Ops and other atoms for variables that they read or define -> the ops with those.

>>> from yota_ast.ir.nodes import Apply, Block
>>> from yota_ast.ir.atoms import Const, Var
>>> x, y, z = Var("x"), Var("y"), Var("z")
>>> block = Block((Apply(y, abs, (x,)), Apply(z, abs, (y,))))
>>> Substitution({"x": Const(2.0), "y": Var("t")}).block(block).ops[1].args
(t::?,)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Final, assert_never

from yota_ast._speed.fast_dataclasses import replace, replacer
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Merge,
    Op,
    Simple,
    Try,
    While,
    With,
    of_ops,
    with_atoms,
)

_renamed: Final = replacer(Apply, "args", "kwargs", "out")


class Substitution:
    """Puts atoms in the places of variables. A variable that an op defines is given
    another variable."""

    def __init__(self, made: Mapping[str, Any]) -> None:
        self.made: dict[str, Any] = dict(made)

    def var(self, var: Var) -> Any:
        """What stands for a variable."""
        return self.made.get(var.name, var)

    def atom(self, atom: Atom) -> Any:
        """What stands for an atom."""
        return self.var(atom) if isinstance(atom, Var) else atom

    def end(self, atom: Atom | Undefined) -> Any:
        """What stands for an atom that may be undefined."""
        return self.var(atom) if isinstance(atom, Var) else atom

    def block(self, block: Block) -> Block:
        """A block with the new atoms: the same one where nothing is new."""
        ops = tuple([self.op(op) for op in block.ops])
        return of_ops(block, ops)

    def op(self, op: Op) -> Op:
        """An op with the new atoms: the same one, if it applies a primitive and
        nothing of it is new."""
        match op:
            case Apply():
                return self.applied(op)
            case Simple():
                outs = {name: self.var(getattr(op, name)) for name in op.DEFINES}
                return replace(with_atoms(op, self.atom), **outs)
            case With():
                context = self.atom(op.context)
                return replace(op, context=context, body=self.block(op.body))
            case If() | Try():
                return self.branch(op)
            case For() | While():
                return self.loop(op)
            case _:
                assert_never(op)

    def applied(self, op: Apply) -> Apply:
        """A primitive with the new atoms."""
        args, out = tuple(map(self.atom, op.args)), self.var(op.out)
        if not op.kwargs:
            if out is op.out and _same(args, op.args):
                return op
            return _renamed(op, args, (), out)
        kwargs = tuple((k, self.atom(a)) for k, a in op.kwargs)
        return _renamed(op, args, kwargs, out)

    def merges(self, merges: Iterable[Merge]) -> tuple[Merge, ...]:
        """Merges with the new atoms."""
        return tuple(
            Merge(self.var(m.out), self.end(m.then), self.end(m.orelse)) for m in merges
        )

    def branch(self, op: If | Try) -> Op:
        """A branch with the new atoms."""
        match op:
            case If():
                test = self.atom(op.test)
                then, orelse = self.block(op.then), self.block(op.orelse)
                merges = self.merges(op.merges)
                return replace(op, test=test, then=then, orelse=orelse, merges=merges)
            case Try():
                caught, body = self.atom(op.caught), self.block(op.body)
                last, error = self.block(op.orelse), self.var(op.error)
                handler, merges = self.block(op.handler), self.merges(op.merges)
                return Try(body, caught, error, handler, last, merges, op.origin)
            case _:
                assert_never(op)

    def loop(self, op: For | While) -> Op:
        """A loop with the new atoms."""
        carries = op.carries
        for carry in carries:
            self.end(carry.init)
            self.var(carry.inside)
        if isinstance(op, For):
            iterable = self.atom(op.iterable)
            targets = tuple(self.var(t) for t in op.targets)
            body = self.block(op.body)
            op = replace(op, iterable=iterable, targets=targets, body=body)
        else:
            cond = self.block(op.cond)
            test, body = self.atom(op.test), self.block(op.body)
            op = replace(op, cond=cond, test=test, body=body)
        stop = None if op.stop is None else self.atom(op.stop)
        renamed = tuple(
            replace(
                c,
                init=self.end(c.init),
                inside=self.var(c.inside),
                next=self.end(c.next),
                out=self.var(c.out),
            )
            for c in carries
        )
        stack = None if op.stack is None else self.var(op.stack)
        saved = tuple(self.var(v) for v in op.saved)
        return replace(op, carries=renamed, stop=stop, stack=stack, saved=saved)


def _same(new: tuple[Any, ...], old: tuple[Any, ...]) -> bool:
    """Whether these are the very objects."""
    return all(map(operator.is_, new, old))
