"""A raw reverse sweep and a plan -> the reverse sweep that reads what was kept."""

from __future__ import annotations

import operator
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace, replacer
from yota_ast.adjoint.reverse.signed_counts import signed_atom
from yota_ast.adjoint.saving.branch_order import beforehand
from yota_ast.analysis.block_places import LoopPlan, Plan, backwards_of
from yota_ast.errors import InternalError
from yota_ast.ir.abstract_values import INT, UNKNOWN
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.conditions import expression
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    Read,
    Simple,
    Try,
    While,
    With,
    defined_by,
    new_var,
    with_args,
    with_atoms,
)
from yota_ast.syntax import saved_names

_made_anew: Final = replacer(Apply, "out", "args", "kwargs", "origin", "form")
BACKWARDS = Const(slice(None, None, -1))


@dataclass(slots=True)
class _Frame:
    """What the names of the forward stand for in one block of the reverse."""

    builder: Builder
    plan: LoopPlan | None
    known: dict[str, Atom] = field(default_factory=dict)
    outer: _Frame | None = None

    def find(self, name: str) -> Atom | None:
        """What a name stands for here or in a block around."""
        frame: _Frame | None = self
        while frame is not None:
            if name in frame.known:
                return frame.known[name]
            frame = frame.outer
        return None

    def maker(self, atom: Atom) -> Apply | None:
        """The op of this block, or of one around, that makes a value."""
        frame: _Frame | None = self
        while frame is not None:
            made = frame.builder.maker(atom)
            if made is not None:
                return made
            frame = frame.outer
        return None

    def computes(self, name: str) -> bool:
        """Whether a block around computes the name again."""
        frame: _Frame | None = self
        while frame is not None:
            if frame.plan is not None and name in frame.plan.again:
                return True
            frame = frame.outer
        return False

    def before_loops(self, name: str) -> _Frame:
        """The block to compute a name again in: one that no loop repeats within the
        block that computes it."""
        found, frame = self, self
        while frame.outer is not None:
            if frame.plan is not None:
                if name in frame.plan.again:
                    break
                found = frame.outer
            frame = frame.outer
        return found


@dataclass(slots=True)
class Replay:
    """Rewrites the blocks of a reverse sweep."""

    plan: Plan
    infer: Infer
    names: Names

    def block(self, block: Block, outer: _Frame | None = None) -> Block:
        """A block of the reverse, reading only what is in scope."""
        frame = _Frame(Builder(self.infer, self.names), None, {}, outer)
        self._into(block, frame)
        return frame.builder.block()

    def _into(self, block: Block, frame: _Frame) -> None:
        early = beforehand(block, lambda var: self._is_again(var, frame))
        for k, op in enumerate(block):
            frame.builder.origin = op.origin
            if k in early:
                self._atoms(tuple(early[k]), frame)
            frame.builder.ops.append(self._op(op, frame))

    def _op(self, op: Op, frame: _Frame) -> Op:
        match op:
            case Apply():
                return self._apply(op, frame)
            case If():
                return self._if(op, frame)
            case For():
                return self._for(op, frame)
            case With():
                return self._with(op, frame)
            case Read() | While():
                raise InternalError(f"{type(op).__name__} in a reverse sweep")
            case Simple():
                return with_atoms(op, lambda atom: self._atom(atom, frame))
            case Try():
                return op
            case _:
                assert_never(op)

    def _apply(self, op: Apply, frame: _Frame) -> Apply:
        args = self._atoms(op.args, frame)
        if not op.kwargs and all(map(operator.is_, args, op.args)):
            return op
        kwargs = tuple((k, self._atom(a, frame)) for k, a in op.kwargs)
        return with_args(op, args, kwargs)

    def _if(self, op: If, frame: _Frame) -> If:
        test = self._atom(op.test, frame)
        blocks, sides = [], []
        for block, side in ((op.then, "then"), (op.orelse, "orelse")):
            inner = _Frame(Builder(self.infer, self.names), None, {}, frame)
            self._into(block, inner)
            sides.append([self._end(getattr(m, side), inner) for m in op.merges])
            blocks.append(inner.builder.block())
        merges = tuple(
            Merge(m.out, a, b) for m, a, b in zip(op.merges, *sides, strict=True)
        )
        return replace(op, test=test, then=blocks[0], orelse=blocks[1], merges=merges)

    def _with(self, op: With, frame: _Frame) -> With:
        """A context is used once: the reverse makes one of its own."""
        assert isinstance(op.context, Var)
        made = self.plan.places.apply_of(op.context.name)
        assert made is not None
        context = self._again(op.context, frame, keep=False)
        outer, frame.builder = frame.builder, frame.builder.nested()
        self._into(op.body, frame)
        body, frame.builder = frame.builder.block(), outer
        return replace(op, context=context, body=body)

    def _for(self, op: For, frame: _Frame) -> For:
        key = backwards_of(op).loop
        plan = self.plan.loops[key]
        targets = tuple(self._target(v, key) for v in plan.saved)
        counter = Var(self.names.fresh("_"), UNKNOWN, "_")
        iterable = self._iterable(key, plan, frame)
        inits = [self._end(c.init, frame) for c in op.carries]
        inner = _Frame(Builder(self.infer, self.names), plan, {}, frame)
        for v, t in zip(plan.saved, targets, strict=True):
            inner.known[v.name] = t
        for original, made in self.plan.copies.items():
            if made.name in inner.known:
                inner.known[original] = inner.known[made.name]
        self._into(op.body, inner)
        carries = tuple(
            Carry(c.out, init, c.inside, self._end(c.next, inner))
            for c, init in zip(op.carries, inits, strict=True)
        )
        return replace(
            op, targets=targets or (counter,), iterable=iterable,
            body=inner.builder.block(),
            carries=carries,
        )  # fmt: skip

    def _target(self, var: Var, key: str) -> Var:
        entering = {c.inside.name for c in self.plan.places.loops[key].carries}
        hint = saved_names.at_entry(var.hint) if var.name in entering else var.hint
        return Var(self.names.fresh(f"{var.name}_in"), var.fact, hint)

    def _iterable(self, key: str, plan: LoopPlan, frame: _Frame) -> Atom:
        builder = frame.builder
        if plan.stack is not None:
            stack = self._atom(plan.stack, frame)
            return builder.apply(operator.getitem, stack, BACKWARDS)
        if plan.trips is not None:
            return builder.apply(range, self._atom(plan.trips, frame))
        loop = self.plan.places.loops[key]
        assert isinstance(loop, For)
        assert isinstance(loop.iterable, Var)
        maker = self.plan.places.apply_of(loop.iterable.name)
        assert maker is not None
        args = self._atoms(maker.args, frame)
        if not plan.saved:
            return builder.apply(range, *args)
        if len(args) > 2 and args[2] == Const(-1):
            return self._upwards(args[1], args[0], frame)
        if len(args) > 2:
            return builder.apply(
                operator.getitem, builder.apply(range, *args), BACKWARDS
            )
        start = args[0] if len(args) == 2 else Const(0)
        return builder.apply(
            range, self._less(args[-1], frame), self._less(start, frame), Const(-1)
        )

    def _upwards(self, stop: Atom, start: Atom, frame: _Frame) -> Atom:
        """`range(start, stop, -1)` the other way round."""
        least, bound = self._more(stop, frame), self._more(start, frame)
        args = (bound,) if least == Const(0) else (least, bound)
        return frame.builder.apply(range, *args)

    def _more(self, n: Atom, frame: _Frame) -> Atom:
        return self._shifted(n, 1, frame)

    def _less(self, n: Atom, frame: _Frame) -> Atom:
        return self._shifted(n, -1, frame)

    def _shifted(self, n: Atom, by: int, frame: _Frame) -> Atom:
        """A number and a known one: `n - 2` and 1 is `n - 1`."""
        builder = frame.builder
        if isinstance(n, Const) and isinstance(n.value, int):
            if not n.is_live:
                return Const(n.value + by)
            sign, step = ("+" if by > 0 else "-"), abs(by)
            parts = (operator.add if by > 0 else operator.sub), (n, Const(step))
            return Const(n.value + by, f"{n.text} {sign} {step}", n.home, parts)
        if fact_of_atom(n).kind in ("scalar", "array"):  # which may have no sign
            n = signed_atom(builder, n)
        maker = self.plan.places.apply_of(n.name) if isinstance(n, Var) else None
        if maker is None or any(self._is_inner(a) for a in maker.args):
            maker = frame.maker(n)
        if maker is not None and maker.fn in (operator.add, operator.sub):
            last = maker.args[1]
            if isinstance(last, Const) and type(last.value) is int:
                n = maker.args[0]
                by += last.value if maker.fn is operator.add else -last.value
        if not by:
            return n
        fn = operator.add if by > 0 else operator.sub
        return builder.apply(fn, n, Const(abs(by)), fact=INT)

    def _is_inner(self, atom: Atom) -> bool:
        """Whether a value of the forward sweep is out of scope in the reverse."""
        home = self.plan.places.of.get(atom.name) if isinstance(atom, Var) else None
        return home is not None and bool(home.loops or home.arms)

    # ------------------------------------------------------------ atoms

    def _atoms(self, atoms: tuple[Atom, ...], frame: _Frame) -> tuple[Atom, ...]:
        return tuple([self._atom(a, frame) for a in atoms])

    def _end(self, atom: Atom | Undefined, frame: _Frame) -> Atom | Undefined:
        return atom if isinstance(atom, Undefined) else self._atom(atom, frame)

    def _atom(self, atom: Atom, frame: _Frame) -> Atom:
        if not isinstance(atom, Var) or atom.name not in self.plan.places.of:
            return atom  # a literal, or made by the reverse sweep itself
        known = frame.find(atom.name)
        if known is not None:
            return known
        if self._is_again(atom, frame):
            whole = not atom.fact.is_scalar and not self.plan.places.of[atom.name].arms
            return self._again(atom, frame.before_loops(atom.name) if whole else frame)
        copied = self.plan.copies.get(atom.name)
        if copied is not None and not self.plan.places.of[atom.name].loops:
            atom = copied
        return self.plan.exports.get(atom.name, atom)

    def _is_again(self, var: Var, frame: _Frame) -> bool:
        """Whether a block computes a value of the forward again, if it is not known."""
        return var.name in self.plan.again or frame.computes(var.name)

    def _again(self, var: Var, frame: _Frame, *, keep: bool = True) -> Atom:
        """Compute a value of the forward again, here."""
        made = self.plan.instead.get(var.name) or self.plan.places.maker[var.name]
        op = expression(made)
        out = new_var(self.names.fresh(var.name), var.fact, var.hint)
        frame.builder.ops.append(self._anew(op, out, frame))
        if keep:
            frame.known[var.name] = out
        return out

    def _anew(self, op: Apply | If, out: Var, frame: _Frame) -> Apply | If:
        """The op, of what this block of the reverse knows."""
        origin = frame.builder.origin
        if isinstance(op, If):
            return self._condition(op, out, frame)
        args = self._atoms(op.args, frame)
        kwargs = tuple((k, self._atom(a, frame)) for k, a in op.kwargs)
        form = "operator" if op.form == "augmented" else op.form  # written once only
        return _made_anew(op, out, args, kwargs, origin, form)

    def _condition(self, op: If, out: Var, frame: _Frame) -> If:
        """A branch that is a condition: its right operand stays in its arm."""
        (merge,) = op.merges
        test, sides = self._atom(op.test, frame), []
        for block, end in ((op.then, merge.then), (op.orelse, merge.orelse)):
            inner = _Frame(Builder(self.infer, self.names), None, {}, frame)
            inner.builder.origin = frame.builder.origin
            for each in map(expression, block):
                (var,) = defined_by(each)
                known = Var(self.names.fresh(var.name), var.fact, var.hint)
                inner.builder.ops.append(self._anew(each, known, inner))
                inner.known[var.name] = known
            sides.append((inner.builder.block(), self._end(end, inner)))
        (then, left), (orelse, right) = sides
        merges = (Merge(out, left, right),)
        origin = frame.builder.origin
        return replace(
            op, test=test, then=then, orelse=orelse, merges=merges, origin=origin
        )
