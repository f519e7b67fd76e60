"""Program, what nests in it -> the plan of its statements.

Merges and carries become moves; a break stands where its condition is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import is_augmented
from yota_ast.codegen.plan.loop_saves import save
from yota_ast.codegen.plan.nest import (
    Nesting,
    Survey,
    is_expression,
    without_start,
)
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Attempt,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Throw,
    Within,
    Write,
)
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import bound_by, carries_of, is_loop
from yota_ast.ir.nodes import (
    Apply,
    For,
    If,
    Merge,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    defined_by,
    walk,
)
from yota_ast.ir.store_changes import SharedView
from yota_ast.ir.tape import Guard
from yota_ast.syntax.names import is_weak

Pairs = tuple[tuple[Var, Atom | Undefined], ...]


def flatten(survey: Survey, forced: frozenset[str] = frozenset()) -> Plan:
    """Return the statements of a program. forced: see `Nesting`."""
    return _Flattener(survey, Nesting(survey, forced)).plan()


class _Flattener:
    def __init__(self, survey: Survey, nesting: Nesting) -> None:
        self.program = survey.program
        self.nested = nesting.nested
        self.unpackings = nesting.unpackings
        self.unpacked = self.unpackings.targets
        self.uses = uses = survey.uses
        self.forward = uses.forward
        self.ops = uses.blocks[0].ops
        self.same = survey.same
        self.hints = dict(self.same.hints)
        self.stacks: dict[str, tuple[Var, ...]] = {}
        self.affine: list[tuple[Var, Var]] = []

    def plan(self) -> Plan:
        value = self.program.value
        forward = self.block(self.ops[: self.forward])
        behind = {v.name for op in self.program.reverse for v in defined_by(op)}
        if isinstance(value, Var) and value.name not in behind:
            value, copy = self._value(value)
            forward += copy
        reverse = self.block(self.ops[self.forward :])
        return Plan(
            tuple(p.var for p in self.program.params),
            tuple(forward),
            tuple(reverse),
            Exit(value, self.program.results),
            self.nested,
            self.same.same,
            self.hints,
            tuple(self.affine),
        )

    def _value(self, value: Var) -> tuple[Var, list[Stmt]]:
        """Name the function's value: a loop's variable is copied to `val`, if the
        reverse sweep may use its name."""
        if is_weak(self.same.hint(value)):
            self.hints[str(self.same.key(value))] = "val"
            return value, []
        ops = (op for op in self.ops if not isinstance(op, Guard))
        if not any(c.out == value for op in ops for c in carries_of(op)):
            return value, []
        bound = (v for op in walk(self.program.reverse) for v in bound_by(op))
        if value.fact.is_immutable and value.hint not in {v.hint for v in bound}:
            return value, []
        val = Var(f"{value.name}@val", value.fact, "val")
        return val, [Move(((val, value),))]

    # ------------------------------------------------------------ statements

    def block(self, ops: Iterable[Op | Guard]) -> list[Stmt]:
        stmts: list[Stmt] = []
        pending = list(ops)
        while pending:
            op = pending.pop(0)
            rest = None
            if not isinstance(op, Guard) and is_loop(op):
                rest = self._else_of(op, pending)
                stmts += self._loop(op, rest)
            else:
                stmts += self.op(op)
            if rest is not None:
                pending.pop(0)
        return stmts

    def _else_of(self, loop: For | While, following: list[Op | Guard]) -> If | None:
        """Return the branch that a loop does if it was not left by a break."""
        branch = following[0] if following else None
        if not isinstance(branch, If) or branch.form != "if" or branch.then.ops:
            return None
        if self._before_test(loop):
            return None
        flags = (c.inside for c in loop.carries if self.same.is_flag(c, loop.stop))
        test = self.same.key(branch.test)
        return branch if any(test == self.same.key(flag) for flag in flags) else None

    def _before_test(self, loop: For | While) -> list[Stmt]:
        """Return what is done before each test of a `while`."""
        return self.block(loop.cond) if isinstance(loop, While) else []

    def op(self, op: Op | Guard) -> list[Stmt]:
        match op:
            case Apply():
                return self._apply(op)
            case Read():
                return [Let((op.out,), op)]
            case Store():
                rename = Move(((op.out, op.target),)) if _is_var(op.target) else None
                write = [] if isinstance(op.change, SharedView) else [Write(op)]
                return [*write, *([rename] if rename else [])]
            case Raise():
                return [Throw(op)]
            case If():
                return self._if(op)
            case With():
                return [Within(op, tuple(self.block(op.body)))]
            case Try():
                return [self._try(op)]
            case Guard():
                inner = self.block(op.block)
                inner.append(Exit(op.value, op.results, op.origin))
                return [Branch(op.test, tuple(inner), (), op.origin)]
            case For() | While():
                return self._loop(op)
            case _:
                assert_never(op)

    def _apply(self, op: Apply) -> list[Stmt]:
        if op.out.name in self.nested:
            return []
        if op.out.name in self.unpacked:
            items = self.unpacked[op.out.name]
            row = self.unpackings.rows.get(op.out.name, op)
            return [Let(items, row)] if items else []
        if op.out.name in self.uses.shown and not self.uses.of(op.out):
            return []
        if is_weak(op.out.hint) and not self.uses.of(op.out) and not is_augmented(op):
            return [Let((), op)]
        return [Let((op.out,), without_start(op, self.nested))]

    def _try(self, op: Try) -> Attempt:
        handler = [*self.block(op.handler), *self._moves(op.merges, "orelse")]
        orelse = [*self.block(op.orelse), *self._moves(op.merges, "then")]
        body = self.block(op.body)
        return Attempt(op, tuple(body), tuple(handler), tuple(orelse))

    def _if(self, op: If) -> list[Stmt]:
        if is_expression(op, self.nested):
            out = op.merges[0].out
            return [] if out.name in self.nested else [Let((out,), op)]
        then = [*self.block(op.then), *self._moves(op.merges, "then")]
        orelse = [*self.block(op.orelse), *self._moves(op.merges, "orelse")]
        before: list[Stmt] = []
        if op.origin.reverse and not op.orelse.ops and then:
            before, orelse = self._hoist(orelse)
        return [*before, Branch(op.test, tuple(then), tuple(orelse), op.origin)]

    def _hoist(self, orelse: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        """Put `dx = 0.0` of an arm without statements in front of the branch."""
        moves = [s for s in orelse if isinstance(s, Move)]
        consts = _move(p for s in moves for p in s.pairs if isinstance(p[1], Const))
        kept = (
            replace(s, pairs=tuple(p for p in s.pairs if not isinstance(p[1], Const)))
            for s in moves
        )
        return consts, list(kept)

    def _moves(self, merges: Sequence[Merge], arm: str) -> list[Stmt]:
        """Return the copies at the end of an arm, one for each name."""
        chosen: dict[object, tuple[Var, Atom | Undefined]] = {}
        for m in merges:
            atom = m.then if arm == "then" else m.orelse
            if self.same.key(m.out) not in chosen or isinstance(atom, Const):
                chosen[self.same.key(m.out)] = (m.out, atom)
        return _move(chosen.values())

    # ------------------------------------------------------------ loops

    def _loop(self, op: For | While, orelse: If | None = None) -> list[Stmt]:
        """Return a loop; `orelse`: a branch on whether it was left by a break."""
        cond = self._before_test(op)
        body, saved = save(op, self.block(op.body), self.same.key)
        if op.stack is not None:
            self.stacks[op.stack.name] = saved
        flags = {c.inside.name for c in op.carries if self.same.is_flag(c, op.stop)}
        broken = self._moves(orelse.merges, "then") if orelse else []
        body = self._close(op, body, flags, broken)
        inits: Pairs = tuple((c.inside, c.init) for c in op.carries)
        before = _move(p for p in inits if p[0].name not in flags)
        if op.stack is not None:
            before.append(NewList(op.stack))
        before += _move(p for p in inits if p[0].name in flags)
        self._link(op)
        rest: list[Stmt] = []
        if orelse is not None:
            rest = [*self.block(orelse.orelse), *self._moves(orelse.merges, "orelse")]
        return [*before, Loop(op, tuple(body), tuple(cond), tuple(rest))]

    def _close(
        self, op: For | While, body: list[Stmt], flags: set[str], leaving: list[Stmt]
    ) -> list[Stmt]:
        """End a body: hand on what is carried, and break where it is to stop."""
        moves: Pairs = tuple((c.inside, c.next) for c in op.carries)
        if op.stop is None:
            return [*body, *_move(moves)]
        go_on = self._carry(moves, op.stop, flags, value=False)
        broken = [*self._carry(moves, op.stop, flags, value=True), *leaving, Break()]
        return [*self._break(body, op.stop, broken), *go_on]

    def _break(self, body: list[Stmt], stop: Atom, broken: list[Stmt]) -> list[Stmt]:
        """Put the break into the arms that decide it, or behind a test of its own."""
        if isinstance(stop, Const):
            return [*body, *broken] if stop.value else body
        count = len(body)
        while count and isinstance(body[count - 1], (Move, Append)):
            count -= 1
        inner, after = body[:count], body[count:]
        if inner and isinstance(inner[-1], Branch):
            branch = inner[-1]
            then = self._decided(branch.then, stop)
            orelse = self._decided(branch.orelse, stop)
            if then is not None and orelse is not None:
                arms = (self._break(*arm, [*after, *broken]) for arm in (then, orelse))
                first, second = map(tuple, arms)
                return [
                    *inner[:-1],
                    replace(branch, then=first, orelse=second),
                    *after,
                ]
        return [*body, Branch(stop, tuple(broken))]

    def _decided(
        self, arm: tuple[Stmt, ...], stop: Var
    ) -> tuple[list[Stmt], Atom] | None:
        """Return an arm without its copy to `stop`, and what it copies."""
        if not arm or not isinstance(arm[-1], Move):
            return None
        pairs = arm[-1].pairs
        found = [a for v, a in pairs if self.same.key(v) == self.same.key(stop)]
        if not found:
            return None
        rest = tuple(p for p in pairs if self.same.key(p[0]) != self.same.key(stop))
        left = replace(arm[-1], pairs=rest)
        return [*arm[:-1], *([left] if rest or left.undefined else [])], found[0]

    def _carry(
        self, moves: Pairs, stop: Atom, flags: set[str], *, value: bool
    ) -> list[Stmt]:
        """Return the move at an iteration's end where `stop` is known."""
        pairs: list[tuple[Var, Atom | Undefined]] = []
        for var, atom in moves:
            known = self.same.key(atom) == self.same.key(stop)
            if known and var.name in flags and not value:
                continue  # it is False already, else the loop had ended before
            pairs.append((var, Const(value) if known else atom))
        return _move(pairs)

    def _link(self, op: For | While) -> None:
        """Let a reverse loop's targets have the names under which they were saved."""
        if not isinstance(op, For) or not isinstance(op.iterable, Var):
            return
        saved = self._saved_on(op.iterable)
        if len(saved) == len(op.targets):
            self.affine += zip(op.targets, saved, strict=True)

    def _saved_on(self, iterable: Var) -> tuple[Var, ...]:
        """Return what is saved on the stack that a loop runs over the other way."""
        source = self.nested.get(iterable.name)
        stack = source.args[0] if isinstance(source, Apply) and source.args else None
        return self.stacks.get(stack.name, ()) if isinstance(stack, Var) else ()


def _is_var(atom: object) -> bool:
    return isinstance(atom, Var)


def _move(pairs: Iterable[tuple[Var, Atom | Undefined]]) -> list[Stmt]:
    """Return the move that makes copies, no statement where there are none."""
    copies: list[tuple[Var, Atom]] = []
    undefined: list[Var] = []
    for var, atom in pairs:
        if isinstance(atom, Undefined):
            undefined.append(var)
        elif var is not atom:
            copies.append((var, atom))
    if not copies and not undefined:
        return []
    return [Move(tuple(copies), tuple(undefined))]
