"""Program, what nests in it -> the plan of its statements.

Merges and carries become moves; a break stands where its condition is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from yota_ast.codegen.nest import Nesting, is_expression, is_weak
from yota_ast.codegen.plan import (
    Append,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Write,
    targets_of,
    walk,
)
from yota_ast.codegen.uses import Uses
from yota_ast.tape import (
    Apply,
    Atom,
    Block,
    Carry,
    Const,
    For,
    Guard,
    If,
    Merge,
    Op,
    Program,
    Read,
    Store,
    Undefined,
    Var,
    While,
)
from yota_ast.tape import walk as walk_ops

Pairs = tuple[tuple[Var, Atom], ...]


def flatten(program: Program, forced: frozenset[str] = frozenset()) -> Plan:
    """Return the statements of a program."""
    uses = Uses(program)
    nesting = Nesting(program, uses, forced)
    return _Flattener(program, uses, nesting).plan()


class _Flattener:
    def __init__(self, program: Program, uses: Uses, nesting: Nesting) -> None:
        self.program = program
        self.nested = nesting.nested
        self.unpacked = nesting.unpacked
        self.uses = uses
        self.forward = uses.forward
        self.ops = uses.blocks[0].ops
        self.same: dict[str, str] = {}
        self.hints: dict[str, str] = {}
        self.stacks: dict[str, tuple[Var, ...]] = {}
        self.affine: list[tuple[Var, Var]] = []

    def plan(self) -> Plan:
        self._unify()
        value = self.program.value
        forward = self.block(self.ops[: self.forward])
        if isinstance(value, Var):
            value, copy = self._value(value)
            forward += copy
        reverse = self.block(self.ops[self.forward :])
        return Plan(
            tuple(p.var for p in self.program.params),
            tuple(forward),
            tuple(reverse),
            Exit(value, self.program.results),
            self.nested,
            self.same,
            self.hints,
            tuple(self.affine),
        )

    # ------------------------------------------------------------ names that are one

    def _unify(self) -> None:
        for op in reversed(list(self._all_ops())):  # inner ones before outer ones
            if isinstance(op, (For, While)):
                for c in op.carries:
                    self._be_one(c.out, c.inside)
            elif isinstance(op, If):
                self._unify_merges(op.merges)

    def _all_ops(self) -> Iterable[Op]:
        for op in self.ops:
            if isinstance(op, Guard):
                yield from walk_ops(op.block)
            else:
                yield from walk_ops(Block((op,)))

    def _unify_merges(self, merges: Sequence[Merge]) -> None:
        """Merges of the same atoms are one: the flag of a return and that of a loop."""
        seen: list[Merge] = []
        for m in merges:
            twin = next(
                (
                    s
                    for s in seen
                    if self._key(s.then) == self._key(m.then)
                    and self._key(s.orelse) == self._key(m.orelse)
                    and (is_weak(s.out.hint) or is_weak(m.out.hint))
                ),
                None,
            )
            if twin is None:
                seen.append(m)
            else:
                self._be_one(m.out, twin.out)

    def _be_one(self, var: Var, other: Var) -> None:
        key = self.same.get(other.name, other.name)
        self.same[var.name] = key
        for v in (other, var):
            if v.hint is not None and is_weak(self.hints.get(key)):
                self.hints[key] = v.hint

    def _key(self, atom: object) -> object:
        return self.same.get(atom.name, atom.name) if isinstance(atom, Var) else atom

    def _value(self, value: Var) -> tuple[Var, list[Stmt]]:
        """Name the function's value: a loop's variable is copied to `val`."""
        if is_weak(value.hint):
            self.hints[self.same.get(value.name, value.name)] = "val"
            return value, []
        loops = (op for op in self.ops if isinstance(op, (For, While)))
        if not any(c.out == value for op in loops for c in op.carries):
            return value, []
        val = Var(f"{value.name}@val", value.fact, "val")
        return val, [Move(((val, value),))]

    # ------------------------------------------------------------ statements

    def block(self, ops: Iterable[Op | Guard]) -> list[Stmt]:
        stmts: list[Stmt] = []
        for op in ops:
            stmts += self.op(op)
        return stmts

    def op(self, op: Op | Guard) -> list[Stmt]:
        match op:
            case Apply():
                return self._apply(op)
            case Read():
                return [Let((op.out,), op)]
            case Store():
                rename = Move(((op.out, op.target),)) if _is_var(op.target) else None
                return [Write(op), *([rename] if rename else [])]
            case If():
                return self._if(op)
            case Guard():
                inner = self.block(op.block)
                inner.append(Exit(op.value, op.results, op.origin))
                return [Branch(op.test, tuple(inner), (), op.origin)]
            case For() | While():
                return self._loop(op)

    def _apply(self, op: Apply) -> list[Stmt]:
        if op.out.name in self.nested:
            return []
        if op.out.name in self.unpacked:
            items = self.unpacked[op.out.name]
            return [Let(items, op)] if items else []
        if is_weak(op.out.hint) and not self.uses.of(op.out):
            return [Let((), op)]
        return [Let((op.out,), op)]

    def _if(self, op: If) -> list[Stmt]:
        if is_expression(op, self.nested):
            out = op.merges[0].out
            return [] if out.name in self.nested else [Let((out,), op)]
        then = [*self.block(op.then), *_moves(op.merges, "then")]
        orelse = [*self.block(op.orelse), *_moves(op.merges, "orelse")]
        before: list[Stmt] = []
        if op.origin.reverse and not op.orelse.ops and then:
            before, orelse = self._hoist(op, orelse)
        return [*before, Branch(op.test, tuple(then), tuple(orelse), op.origin)]

    def _hoist(self, op: If, orelse: list[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
        """Put `dx = 0.0` of an arm without statements in front of the branch."""
        consts: Pairs = tuple(
            (v, a)
            for stmt in orelse
            if isinstance(stmt, Move)
            for v, a in stmt.pairs
            if isinstance(a, Const)
        )
        rest = tuple((m.out, m.orelse) for m in op.merges)
        kept: Pairs = tuple(
            (v, a) for v, a in rest if not isinstance(a, (Const, Undefined))
        )
        before: list[Stmt] = [Move(consts)] if consts else []
        return before, [Move(kept)] if kept else []

    # ------------------------------------------------------------ loops

    def _loop(self, op: For | While) -> list[Stmt]:
        cond = self.block(op.cond) if isinstance(op, While) else []
        body = self.block(op.body)
        body = self._save(op, body)
        flags = {c.inside.name for c in op.carries if self._is_flag(c, op.stop)}
        body = self._close(op, body, flags)
        before: list[Stmt] = []
        inits = _pairs((c.inside, c.init) for c in op.carries)
        if inits:
            before.append(Move(inits))
        if op.stack is not None:
            before.append(NewList(op.stack))
        self._link(op)
        return [*before, Loop(op, tuple(body), tuple(cond))]

    def _is_flag(self, c: Carry, stop: Atom | None) -> bool:
        """Say whether a carry is true exactly where the loop was left by a break."""
        if stop is None or not isinstance(c.next, Var):
            return False
        return c.init == Const(value=False) and self._key(c.next) == self._key(stop)

    def _close(self, op: For | While, body: list[Stmt], flags: set[str]) -> list[Stmt]:
        """End a body: hand on what is carried, and break where it is to stop."""
        moves = _pairs((c.inside, c.next) for c in op.carries)
        if op.stop is None:
            return [*body, *([Move(moves)] if moves else [])]
        go_on = self._carry(moves, op.stop, flags, value=False)
        broken = [*self._carry(moves, op.stop, flags, value=True), Break()]
        return [*self._break(body, op.stop, broken), *go_on]

    def _break(
        self, body: list[Stmt], stop: Atom, broken: list[Stmt]
    ) -> list[Stmt]:
        """Put the break into the arms that decide it, or behind a test of its own."""
        if isinstance(stop, Const):
            return [*body, *broken] if stop.value else body
        after = body[-1:] if body and isinstance(body[-1], Move) else []
        inner = body[: len(body) - len(after)]
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
        found = [a for v, a in pairs if self._key(v) == self._key(stop)]
        if not found:
            return None
        rest = tuple(p for p in pairs if self._key(p[0]) != self._key(stop))
        return [*arm[:-1], *([Move(rest)] if rest else [])], found[0]

    def _carry(
        self, moves: Pairs, stop: Atom, flags: set[str], *, value: bool
    ) -> list[Stmt]:
        """Return the move at an iteration's end where `stop` is known."""
        pairs: list[tuple[Var, Atom]] = []
        for var, atom in moves:
            known = self._key(atom) == self._key(stop)
            if known and var.name in flags and not value:
                continue  # it is False already, else the loop had ended before
            pairs.append((var, Const(value) if known else atom))
        return [Move(tuple(pairs))] if pairs else []

    # ------------------------------------------------------------ what loops save

    def _save(self, op: For | While, body: list[Stmt]) -> list[Stmt]:
        """Insert the append of what an iteration saves."""
        if op.stack is None:
            return body
        at = self._place(op, body)
        entering = {c.inside: c.next for c in op.carries}
        saved: list[Var] = []
        copies: list[tuple[Var, Atom]] = []
        for var in op.saved:
            after = entering.get(var)
            if after is not None and self._is_overwritten(var, after, body[:at]):
                hint = None if is_weak(var.hint) else f"{var.hint}_in"
                copy = Var(f"{var.name}@in", var.fact, hint)
                copies.append((copy, var))
                saved.append(copy)
            else:
                saved.append(var)
        self.stacks[op.stack.name] = tuple(saved)
        top: list[Stmt] = [Move(tuple(copies))] if copies else []
        return [*top, *body[:at], Append(op.stack, tuple(saved)), *body[at:]]

    def _place(self, op: For | While, body: list[Stmt]) -> int:
        """Return where to append: at the top, else at the end if nothing forbids it."""
        names = {self._key(v) for v in op.saved}
        first = 0
        for i, stmt in enumerate(body):
            if any(self._key(v) in names for v in _defined(stmt)):
                first = i + 1
        if first == 0 or op.stop is not None:
            return first
        hints = {v.hint for v in op.saved if not is_weak(v.hint)}
        later = (v for stmt in walk(tuple(body[first:])) for v in targets_of(stmt))
        return first if any(v.hint in hints for v in later) else len(body)

    def _is_overwritten(self, var: Var, after: object, body: list[Stmt]) -> bool:
        """Say whether the name of `var` is given to its next value in `body`."""
        for stmt in walk(tuple(body)):
            for target in targets_of(stmt):
                if target == after or (
                    not is_weak(var.hint) and target.hint == var.hint
                ):
                    return True
        return False

    def _link(self, op: For | While) -> None:
        """Let a reverse loop's targets have the names under which they were saved."""
        if not isinstance(op, For) or not isinstance(op.iterable, Var):
            return
        source = self.nested.get(op.iterable.name)
        stack = source.args[0] if isinstance(source, Apply) and source.args else None
        if isinstance(stack, Var) and stack.name in self.stacks:
            saved = self.stacks[stack.name]
            if len(saved) == len(op.targets):
                self.affine += zip(op.targets, saved, strict=True)


def _is_var(atom: object) -> bool:
    return isinstance(atom, Var)


def _pairs(pairs: Iterable[tuple[Var, Atom | Undefined]]) -> Pairs:
    return tuple(
        (v, a) for v, a in pairs if not isinstance(a, Undefined) and v is not a
    )


def _moves(merges: Sequence[Merge], arm: str) -> list[Stmt]:
    pairs = _pairs((m.out, m.then if arm == "then" else m.orelse) for m in merges)
    return [Move(pairs)] if pairs else []


def _defined(stmt: Stmt) -> Iterable[Var]:
    """Yield what a statement defines for those that follow it."""
    for inner in walk((stmt,)):
        yield from targets_of(inner)

