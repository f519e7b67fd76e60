"""Draws programs: branches, loops with carries, breaks and stacks, stores, effects.

They obey what lowering and the passes guarantee (one definition a name, stores consume
their target) and nothing beyond it: any variable in scope may be carried, merged or
saved, whatever its hint, so that names must be torn apart where lives overlap.
"""

import operator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np

from yota_ast.ir.abstract_values import BOOL, INT, array_fact
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Origin,
    Store,
    Try,
    While,
    With,
)
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ir.tape import Guard, Program
from yota_ast.syntax.names import NAMELESS

ARRAY = array_fact("i8", (None,))
HINTS = (None, None, None, "a", "b", "c", "x", "dt", NAMELESS, "dx", "el", "t1")
LOG: list[int] = []


def note(x):
    """Return x, leaving a trace: an op with an effect."""
    LOG.append(int(x))
    return x


def fail(x):
    """Raise for every other number; an op whose place in a try matters."""
    if x % 2:
        raise ValueError("x" * (int(x) % 5))
    return x


def size(error):
    return len(str(error))


@dataclass
class Scope:
    """What may be read at a place: numbers, and the newest version of each array."""

    numbers: list
    arrays: dict = field(default_factory=dict)
    views: list = field(default_factory=list)
    doubtful: list = field(default_factory=list)  # flags, and numbers defined if true

    def inner(self):
        return Scope(
            list(self.numbers),
            dict(self.arrays),
            list(self.views),
            list(self.doubtful),
        )


class Draw:
    """One program, drawn from a source of random numbers."""

    def __init__(self, random: Random, *, arrays: bool = True):
        self.random = random
        self.count = 0
        self.reverse = False
        self.arrays = arrays

    def var(self, fact=INT, hint="?"):
        self.count += 1
        if hint == "?":
            hint = self.random.choice(HINTS)
        return Var(f"v{self.count}", fact, hint)

    @property
    def origin(self):
        number = self.random.randrange(3)
        return Origin(None, number, f"line {number}" if number else "", self.reverse)

    def atom(self, scope):
        if self.random.random() < 0.15:
            return Const(self.random.randrange(-3, 4))
        return self.random.choice(scope.numbers[-6:] + scope.numbers[:2])

    def program(self) -> Program:
        params = [Var(name, INT, name) for name in "abc"]
        scope = Scope(list(params))
        ops = []
        if self.arrays:
            for name in ("m", "x"):
                out = self.var(ARRAY, name)
                ops.append(Apply(out, np.arange, (Const(3),)))
                scope.arrays[name] = out
        ops += self.block(scope, 2, 7)
        guards = ()
        if self.random.random() < 0.3:
            test = self.var(BOOL, None)
            before = len(ops)
            ops.append(self.compare(test, scope))
            inner = scope.inner()
            block = Block(tuple(self.block(inner, 1, 3, arrays=False)))
            results = tuple(self.atom(inner) for _ in range(2))
            guards = (Guard(before + 1, test, block, self.atom(inner), results),)
        value = self.atom(scope)
        self.reverse = True
        reverse = self.block(scope, 2, 6)
        for array in scope.arrays.values():
            total = self.var(INT, None)
            reverse.append(Apply(total, np.sum, (array,)))
            scope.numbers.append(total)
        results = tuple(self.atom(scope) for _ in range(3)) + tuple(scope.numbers[-2:])
        params = tuple(Parameter(p) for p in params)
        forward, back = Block(tuple(ops)), Block(tuple(reverse))
        return Program(
            "drawn", params, forward, back, value, results, "Doc.", guards=guards
        )

    def block(self, scope, depth, size, arrays=True):
        ops = []
        for _ in range(self.random.randrange(1, size)):
            ops += self.op(scope, depth, arrays and bool(scope.arrays))
        return ops

    def op(self, scope, depth, arrays):
        kinds = ["apply"] * 6 + ["effect"]
        kinds += ["store", "store", "load", "load", "total"] if arrays else []
        kinds += ["view", "viewed", "viewed", "add_at", "elementwise"] if arrays else []
        kinds += ["if", "for", "while", "choice", "stack"] if depth else []
        kinds += ["try", "with"] if depth else []
        kinds += ["doubtful"] * 2 if scope.doubtful else []
        return getattr(self, f"draw_{self.random.choice(kinds)}")(scope, depth)

    # simple ops

    def draw_apply(self, scope, _depth):
        fn = self.random.choice([operator.add, operator.sub, operator.xor, max])
        form = (
            "augmented" if fn is operator.add and self.random.random() < 0.4 else "call"
        )
        out, first = self.var(), self.atom(scope)
        op = Apply(out, fn, (first, self.atom(scope)), (), form, origin=self.origin)
        scope.numbers.append(out)
        return [op]

    def draw_effect(self, scope, _depth):
        out = self.var()
        op = Apply(out, note, (self.atom(scope),), origin=self.origin, effect=True)
        scope.numbers.append(out)
        return [op]

    def draw_load(self, scope, _depth):
        array = self.random.choice(list(scope.arrays.values()))
        out = self.var()
        at = Const(self.random.randrange(3))
        scope.numbers.append(out)
        form = "subscript"
        return [Apply(out, operator.getitem, (array, at), (), form, origin=self.origin)]

    def draw_total(self, scope, _depth):
        array = self.random.choice(list(scope.arrays.values()))
        out = self.var()
        scope.numbers.append(out)
        return [Apply(out, np.sum, (array,), origin=self.origin)]

    def draw_view(self, scope, _depth):
        name = self.random.choice(list(scope.arrays))
        out = self.var(ARRAY)
        at = Const(self.random.choice([slice(1, None), slice(None, None, -1)]))
        scope.views.append((out, scope.arrays[name]))
        args = (scope.arrays[name], at)
        return [Apply(out, operator.getitem, args, (), "subscript", "", self.origin)]

    def draw_viewed(self, scope, depth):
        """Read a view of an array that has not been written since."""
        current = list(scope.arrays.values())
        views = [view for view, array in scope.views if array in current]
        if not views:
            return self.draw_view(scope, depth)
        out = self.var()
        scope.numbers.append(out)
        return [Apply(out, np.sum, (self.random.choice(views),), origin=self.origin)]

    def draw_add_at(self, scope, _depth):
        """Write in place without a new version: views stay, what was read has not."""
        array = self.random.choice(list(scope.arrays.values()))
        out = self.var(hint=None)
        args = (array, Const(self.random.randrange(3)), self.atom(scope))
        return [Apply(out, np.add.at, args, origin=self.origin, effect=True)]

    def draw_elementwise(self, scope, _depth):
        """Store an array into another: the right side reads memory."""
        name, other = (self.random.choice(list(scope.arrays)) for _ in range(2))
        made, out = self.var(ARRAY, None), self.var(ARRAY)
        args = (scope.arrays[other], self.atom(scope))
        ops = [Apply(made, operator.add, args, origin=self.origin)]
        ops += self.op(scope, 0, arrays=True)
        target = scope.arrays[name]
        scope.arrays[name] = out
        return [*ops, Store(out, target, Const(slice(None)), made, PUT, self.origin)]

    def draw_store(self, scope, _depth):
        name = self.random.choice(list(scope.arrays))
        out = self.var(ARRAY)
        at = Const(self.random.randrange(3))
        target, value = scope.arrays[name], self.atom(scope)
        change = self.random.choice([PUT, ADD, SUBTRACT])
        scope.arrays[name] = out
        return [Store(out, target, at, value, change, self.origin)]

    def compare(self, out, scope):
        fn = self.random.choice([operator.lt, operator.ge, operator.eq])
        return Apply(out, fn, (self.atom(scope), self.atom(scope)), origin=self.origin)

    # branches

    def draw_if(self, scope, depth):
        test = self.var(BOOL, self.random.choice([None, None, "c"]))
        ops = [self.compare(test, scope)]
        if self.random.random() < 0.2:
            out = self.var(BOOL, None)
            ops.append(Apply(out, operator.not_, (test,), origin=self.origin))
            test = out
        then, orelse = scope.inner(), scope.inner()
        arms = []
        for arm in (then, orelse):
            empty = self.random.random() < 0.25
            arms.append(Block(() if empty else tuple(self.block(arm, depth - 1, 4))))
        merges = self.merges(scope, then, orelse)
        return [*ops, If(test, *arms, merges, origin=self.origin)]

    def merges(self, scope, then, orelse):
        merges = []
        for name, array in list(scope.arrays.items()):
            if then.arrays[name] != array or orelse.arrays[name] != array:
                out = self.var(ARRAY)
                merges.append(Merge(out, then.arrays[name], orelse.arrays[name]))
                scope.arrays[name] = out
        for _ in range(self.random.randrange(3)):
            out = self.var()
            merges.append(Merge(out, self.atom(then), self.atom(orelse)))
            scope.numbers.append(out)
        if self.random.random() < 0.4:
            merges += self.doubtful_merges(scope, then, orelse)
        return tuple(merges)

    def doubtful_merges(self, scope, then, orelse):
        """Merge a number that one arm may not define, and the flag that tells."""
        no = Const(value=False)
        pairs = [
            self.random.choice(
                [(no, UNDEFINED), (Const(value=True), self.atom(arm)), *arm.doubtful]
            )
            for arm in (then, orelse)
        ]
        flag, out = self.var(BOOL, None), self.var()
        scope.doubtful.append((flag, out))
        (one, first), (other, second) = pairs
        return [Merge(flag, one, other), Merge(out, first, second)]

    def draw_doubtful(self, scope, depth):
        """Read a number where its flag says that it is there."""
        if not scope.doubtful:
            return self.draw_if(scope, 1)
        flag, number = self.random.choice(scope.doubtful)
        made, out = self.var(), self.var()
        args = (number, self.atom(scope))
        then = Block((Apply(made, operator.sub, args, origin=self.origin),))
        merge = Merge(out, made, self.atom(scope))
        scope.numbers.append(out)
        return [If(flag, then, Block(), (merge,), origin=self.origin)]

    def draw_choice(self, scope, _depth):
        form = self.random.choice(["ifexp", "and", "or"])
        then, orelse = scope.inner(), scope.inner()
        test = self.var(INT, None)
        ops = [Apply(test, operator.sub, (self.atom(scope), self.atom(scope)))]
        out = self.var()
        blocks = [Block(), Block()]
        arms = [self.atom(scope), self.atom(scope)]
        for i, inner in enumerate((then, orelse)):
            if self.random.random() < 0.6:
                made = self.draw_apply(inner, 0)
                if self.random.random() < 0.5:
                    made += self.draw_apply(inner, 0)
                blocks[i], arms[i] = Block(tuple(made)), inner.numbers[-1]
        if form != "ifexp":
            short = 1 if form == "and" else 0
            blocks[short], arms[short] = Block(), test
        merge = Merge(out, *arms)
        scope.numbers.append(out)
        origin = self.origin
        return [*ops, If(test, blocks[0], blocks[1], (merge,), form, origin)]

    def draw_with(self, scope, depth):
        body = Block(tuple(self.block(scope, depth - 1, 4)))
        context = self.var(hint=None)
        ops = [Apply(context, nullcontext, (), origin=self.origin)]
        return [*ops, With(context, body, self.origin)]

    def draw_try(self, scope, depth):
        """Try what may fail; nothing in it stores, nothing of it is in the handler."""
        body, handler = scope.inner(), scope.inner()
        body.arrays, handler.arrays = {}, {}
        ops = self.block(body, depth - 1, 3)
        risky = self.var()
        ops.append(Apply(risky, fail, (self.atom(body),), origin=self.origin))
        body.numbers.append(risky)
        ops += self.block(body, depth - 1, 3)
        orelse = self.block(body, 0, 2) if self.random.random() < 0.3 else []
        handling = self.block(handler, depth - 1, 3)
        error = self.var(hint="error")
        if self.random.random() < 0.4:
            told = self.var()
            handling.append(Apply(told, size, (error,), origin=self.origin))
            handler.numbers.append(told)
        merges = []
        for _ in range(self.random.randrange(4)):
            out = self.var()
            merges.append(Merge(out, self.atom(body), self.atom(handler)))
            scope.numbers.append(out)
        made, rest, handled = (Block(tuple(b)) for b in (ops, orelse, handling))
        caught = Const(ValueError)
        merges = tuple(merges)
        return [Try(made, caught, error, handled, rest, merges, self.origin)]

    # loops

    def carries(self, scope):
        """Return the carries without their next, and the scope of the body."""
        inner = scope.inner()
        carries = []
        for name, array in scope.arrays.items():
            inside = self.var(ARRAY)
            carries.append((name, Carry(self.var(ARRAY), array, inside, UNDEFINED)))
            inner.arrays[name] = inside
        for _ in range(self.random.randrange(4)):
            inside = self.var()
            carry = Carry(self.var(), self.atom(scope), inside, UNDEFINED)
            carries.append((None, carry))
            inner.numbers.append(inside)
        if self.random.random() < 0.3:
            pairs = [(Const(value=False), UNDEFINED), *scope.doubtful]
            flag, number = self.random.choice(pairs)
            told, inside = self.var(BOOL, None), self.var()
            kind = ("doubtful", told, inside)
            carries.append((kind, Carry(self.var(BOOL, None), flag, told, UNDEFINED)))
            carries.append((kind, Carry(self.var(), number, inside, UNDEFINED)))
            inner.doubtful.append((told, inside))
        return carries, inner

    def close(self, scope, inner, carries):
        done = []
        told = [c for name, c in carries if isinstance(name, tuple)]
        if told:
            pairs = [*inner.doubtful, (Const(value=True), self.atom(inner))]
            for carry, atom in zip(told, self.random.choice(pairs), strict=True):
                done.append(replace(carry, next=atom))
            scope.doubtful.append((told[0].out, told[1].out))
        for name, carry in carries:
            if isinstance(name, tuple):
                continue
            if name is not None:
                done.append(replace(carry, next=inner.arrays[name]))
                scope.arrays[name] = carry.out
            else:
                done.append(replace(carry, next=self.atom(inner)))
                scope.numbers.append(carry.out)
        return tuple(done)

    def stop(self, inner, depth, body):
        """Perhaps end the body with a break: a test, or a branch that decides it."""
        chance = self.random.random()
        if chance < 0.55:
            return None
        test = self.var(BOOL, None)
        body.append(self.compare(test, inner))
        if chance < 0.75 or not depth:
            return test
        then, orelse = inner.inner(), inner.inner()
        arms = [Block(tuple(self.block(arm, 0, 4))) for arm in (then, orelse)]
        if self.random.random() < 0.3:
            arms[0] = Block()
            then = inner.inner()
        stop = self.var(BOOL, None)
        ends: list = [Const(value=True), Const(value=False)]
        if self.random.random() < 0.4:
            second = self.var(BOOL, None)
            made = self.compare(second, orelse)
            arms[1] = Block((*arms[1].ops, made))
            ends[1] = second
        merges = self.merges(inner, then, orelse)
        flag = self.var(BOOL, "early")
        merges = (*merges, Merge(stop, *ends), Merge(flag, *ends))
        body.append(If(test, *arms, merges, origin=self.origin))
        self.flag = flag if self.random.random() < 0.5 else stop
        return stop

    def body(self, scope, inner, carries, depth):
        self.flag = None
        body = self.block(inner, depth - 1, 5)
        self.flag = None
        stop = self.stop(inner, depth - 1, body)
        flag = self.flag
        self.early = None
        closed = self.close(scope, inner, carries)
        if flag is not None:
            out, inside = self.var(BOOL, "early"), self.var(BOOL, "early")
            closed += (Carry(out, Const(value=False), inside, flag),)
            self.early = out
        return Block(tuple(body)), stop, closed

    def draw_for(self, scope, depth, stack=None):
        self.early = None
        ops = self.for_loop(scope, depth, stack)
        if self.early is not None and self.random.random() < 0.6:
            then, orelse = scope.inner(), scope.inner()
            arms = [Block(), Block(tuple(self.block(orelse, 0, 4)))]
            test, self.early = self.early, None
            merges = self.merges(scope, then, orelse)
            ops.append(If(test, *arms, merges, origin=self.origin))
        return ops

    def for_loop(self, scope, depth, stack):
        carries, inner = self.carries(scope)
        target = self.var()
        inner.numbers.append(target)
        items = self.var(hint=None)
        count = Const(self.random.randrange(4))
        ops = [Apply(items, range, (count,))]
        body, stop, closed = self.body(scope, inner, carries, depth)
        saved = ()
        if stack is not None:
            numbers = [v for v in inner.numbers if isinstance(v, Var)]
            count = self.random.randrange(1, 4)
            saved = tuple(
                dict.fromkeys(self.random.choice(numbers) for _ in range(count))
            )
        return [
            *ops,
            For((target,), items, body, closed, stop, stack, saved, self.origin),
        ]

    def draw_stack(self, scope, depth):
        """Return a loop that saves, and the loop over what it saved."""
        stack = self.var(hint="saved")
        ops = self.draw_for(scope, depth, stack)
        loop = next(op for op in ops if isinstance(op, For))
        carries, inner = self.carries(scope)
        hint = self.random.choice([None, "x_in"])
        targets = tuple(self.var(hint=hint) for _ in loop.saved)
        inner.numbers += targets
        turned = self.var(hint=None)
        ops.append(
            Apply(turned, operator.getitem, (stack, Const(slice(None, None, -1))))
        )
        body, stop, closed = self.body(scope, inner, carries, depth)
        return [*ops, For(targets, turned, body, closed, stop, origin=self.origin)]

    def draw_while(self, scope, depth):
        carries, inner = self.carries(scope)
        turns = self.var(INT, self.random.choice([None, "a", "i"]))
        out, after = self.var(INT, turns.hint), self.var(INT, turns.hint)
        limit = Const(self.random.randrange(4))
        test = self.var(BOOL, None)
        cond = [Apply(test, operator.lt, (turns, limit))]
        if self.random.random() < 0.3:
            extra = self.draw_effect(inner, 0)
            cond = [*extra, *cond]
        inner.numbers.append(turns)
        body, stop, closed = self.body(scope, inner, carries, depth)
        step = Apply(after, operator.add, (turns, Const(1)))
        place = 0 if self.random.random() < 0.5 else len(body)
        ops = [*body.ops[:place], step, *body.ops[place:]]
        if place and stop is not None and isinstance(body.ops[-1], If):
            ops = [*body.ops[:-1], step, body.ops[-1]]
        closed += (Carry(out, Const(0), turns, after),)
        scope.numbers.append(out)
        loop = While(Block(tuple(cond)), test, Block(tuple(ops)), closed, stop)
        return [loop]
