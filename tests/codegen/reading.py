"""Reads a gradient's text back into the program that the passes would have given.

A lowering for tests, of the subset of Python that the texts use. A comment becomes the
origin of the statements below it; `t1` and `dt1` become temporaries without a name.
"""

import ast
import itertools
import math
import operator
import re
from dataclasses import replace

import numpy as np

from yota_ast.ir.abstract_values import FLOAT, INT, UNKNOWN
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Origin,
    Read,
    Store,
    While,
    atoms_of,
    walk,
)
from yota_ast.ir.store_changes import PUT, Update
from yota_ast.ir.tape import Guard, Program
from yota_ast.syntax.names import NAMELESS

BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.MatMult: operator.matmul, ast.Pow: operator.pow,
}  # fmt: skip
COMPARE = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
ATTRIBUTES = {
    "T": np.transpose, "shape": np.shape, "size": np.size, "ndim": np.ndim,
}  # fmt: skip
METHODS = {"sum": np.sum, "copy": np.copy}


def without_comments(source):
    """Turn comment lines into statements; drop what marks the text's new lines."""
    lines = []
    for line in source.splitlines():
        line = re.sub(r"\s+# \+$", "", line)
        found = re.fullmatch(r"(\s*)# (.*)", line)
        lines.append(f"{found[1]}{found[2]!r}" if found else line)
    return "\n".join(lines)


def program(source, facts=None, scope=None):
    """Return the program of a function's text."""
    function = ast.parse(without_comments(source)).body[0]
    return _Reader(function, facts or {}, scope or {}).program()


class _Reader:
    def __init__(self, function, facts, scope):
        self.function = function
        self.facts = facts
        self.scope = {
            "np": np,
            "math": math,
            **vars(
                __builtins__
                if not isinstance(__builtins__, dict)
                else type("B", (), __builtins__)
            ),
            **scope,
        }
        self.numbers = itertools.count(1)
        self.env = {}
        self.ops = []
        self.quotes = {}
        self.quote = ""
        self.reverse = False
        self.guards = []
        self.stop = None
        self.saves = {}

    def program(self):
        params = []
        args = self.function.args
        defaults = [None] * (len(args.args) - len(args.defaults)) + args.defaults
        for arg, default in zip(args.args, defaults, strict=True):
            known = FLOAT if arg.arg == "seed" else UNKNOWN
            var = Var(arg.arg, self.facts.get(arg.arg, known), arg.arg)
            self.env[arg.arg] = var
            value = None if default is None else Const(ast.literal_eval(default))
            params.append(Parameter(var, default=value))
        *body, last = self.function.body
        doc = ast.get_docstring(self.function) or ""
        body = body[1:] if doc and doc not in ("forward", "reverse") else body
        doc = "" if doc in ("forward", "reverse") else doc
        turn = next(
            (i for i, s in enumerate(body) if self._text(s) == "reverse"), len(body)
        )
        self.statements([s for s in body[:turn] if self._text(s) != "forward"])
        forward, self.ops, self.reverse = self.ops, [], True
        self.statements(body[turn + 1 :])
        self.quote = ""
        atoms = self.returned(last)
        made = Program(
            self.function.name, tuple(params), Block(tuple(forward)),
            Block(tuple(self.ops)), atoms[0], tuple(atoms[1:]), doc,
            guards=tuple(self.guards),
        )  # fmt: skip
        return pruned(made)

    def returned(self, statement):
        value = statement.value
        parts = value.elts if isinstance(value, ast.Tuple) else [value]
        return [self.value(p) for p in parts]

    def _text(self, s):
        if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant):
            return s.value.value
        return None

    def var(self, name=None, fact=None):
        hint = name
        if name and re.fullmatch(r"t\d+|val", name):
            hint = None
        if name and re.fullmatch(r"dt\d+", name):
            hint = NAMELESS
        if name and re.fullmatch(r"\w+_\d", name):
            hint = name[:-2]
        fact = self.facts.get(name, fact or UNKNOWN)
        return Var(f"{name or 'tmp'}.{next(self.numbers)}", fact, hint)

    @property
    def origin(self):
        if not self.quote:
            return Origin(None, 0, "", self.reverse)
        number = self.quotes.setdefault(self.quote, len(self.quotes) + 1)
        return Origin(None, number, self.quote, self.reverse)

    # statements

    def statements(self, body):
        for s in body:
            if self._text(s) is not None:
                self.quote = self._text(s)
            else:
                getattr(self, f"do_{type(s).__name__.lower()}")(s)

    def do_assign(self, s):
        if (
            isinstance(s.value, ast.List)
            and not s.value.elts
            and "saved" in s.targets[0].id
        ):
            self.saves[s.targets[0].id] = None
            return
        first = s.targets[0]
        if isinstance(first, ast.Tuple):
            if isinstance(s.value, ast.Tuple):
                values = [
                    self.value(v, t)
                    for t, v in zip(first.elts, s.value.elts, strict=True)
                ]
                for t, v in zip(first.elts, values, strict=True):
                    self.assign(t, v)
                return
            whole = self.value(s.value)
            for i, t in enumerate(first.elts):
                out = self.var(t.id)
                self.ops.append(
                    Apply(out, operator.getitem, (whole, Const(i)), origin=self.origin)
                )
                self.env[t.id] = out
            return
        value = self.value(s.value, first)
        for t in s.targets:
            self.assign(t, value)

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.env[target.id] = value
            return
        self.store(target, value, PUT)

    def store(self, target, value, change):
        name = target.value.id
        out = self.var(name)
        index = self.value(target.slice)
        self.ops.append(Store(out, self.env[name], index, value, change, self.origin))
        self.env[name] = out

    def do_augassign(self, s):
        if isinstance(s.target, ast.Subscript):
            self.store(s.target, self.value(s.value), Update(BINARY[type(s.op)]))
            return
        name = s.target.id
        value = self.value(s.value)
        out = self.var(name)
        fn = BINARY[type(s.op)]
        self.ops.append(
            Apply(
                out, fn, (self.env[name], value), form="augmented", origin=self.origin
            )
        )
        self.env[name] = out

    def do_expr(self, s):
        call = s.value
        if isinstance(call.func, ast.Attribute) and call.func.attr == "append":
            name = call.func.value.id
            if name in self.saves:
                arg = call.args[0]
                parts = arg.elts if isinstance(arg, ast.Tuple) else [arg]
                self.saves[name] = tuple(self.value(p) for p in parts)
                return
        made = self.value(call)
        index = next(
            i for i, op in enumerate(self.ops) if getattr(op, "out", None) == made
        )
        self.ops[index] = replace(self.ops[index], effect=True)

    def do_break(self, _):
        self.stop = Const(value=True)

    def do_if(self, s):
        if isinstance(s.body[-1], ast.Return):
            test = self.value(s.test)
            before, self.ops = self.ops, []
            env = dict(self.env)
            self.statements(s.body[:-1])
            atoms = self.returned(s.body[-1])
            guard = Guard(
                len(before), test, Block(tuple(self.ops)), atoms[0], tuple(atoms[1:])
            )
            self.guards.append(guard)
            self.ops, self.env = before, env
            self.statements(s.orelse)
            return
        negated = (
            isinstance(s.test, ast.UnaryOp)
            and isinstance(s.test.op, ast.Not)
            and not s.orelse
        )
        then, orelse = (s.orelse, s.body) if negated else (s.body, s.orelse)
        test = self.value(s.test.operand if negated else s.test)
        header = self.origin
        self.if_(test, then, orelse, header)

    def if_(self, test, then, orelse, origin):
        arms, envs, stops = [], [], []
        for arm in (then, orelse):
            before, env, quote, stop = self.ops, dict(self.env), self.quote, self.stop
            self.ops, self.stop = [], None
            rest = arm
            if self.reverse:
                self.quote = ""
            self.statements(rest)
            arms.append(Block(tuple(self.ops)))
            envs.append(self.env)
            stops.append(self.stop)
            self.ops, self.env, self.quote, self.stop = before, env, quote, stop
        merges = []
        for name in dict.fromkeys((*envs[0], *envs[1])):
            a, b = (e.get(name, UNDEFINED) for e in envs)
            if a is b or a == b:
                self.env[name] = a
                continue
            out = self.var(name)
            merges.append(Merge(out, a, b))
            self.env[name] = out
        if any(stops):
            out = self.var()
            a, b = (Const(value=False) if x is None else x for x in stops)
            merges.append(Merge(out, a, b))
            self.stop = out
        self.ops.append(
            If(test, *arms, tuple(merges), origin=Origin(None, 0, "", self.reverse))
        )

    def do_for(self, s):
        iterable = self.value(s.iter)
        names = [
            t.id
            for t in (s.target.elts if isinstance(s.target, ast.Tuple) else [s.target])
        ]
        targets = tuple(self.var(n, INT if n in "ijktp" else UNKNOWN) for n in names)
        self.loop(
            s,
            lambda *a: For(targets, iterable, *a),
            dict(zip(names, targets, strict=True)),
        )

    def do_while(self, s):
        self.loop(s, None, {}, test=s.test)

    def loop(self, s, make, targets, test=None):
        assigned = [n for n in _assigned(s) if n not in targets]
        assigned.sort(key=lambda n: list(self.env).index(n) if n in self.env else 99)
        outer, ops = dict(self.env), self.ops
        inside = {n: self.var(n) for n in assigned if not n.startswith("saved")}
        inside = {
            n: replace(v, fact=getattr(outer.get(n), "fact", v.fact))
            for n, v in inside.items()
        }
        self.env.update(inside)
        cond = None
        if test is not None:
            self.ops = []
            tested = self.value(test)
            cond = Block(tuple(self.ops))
        self.env.update(targets)
        self.ops, quote, self.quote, stop, self.stop = (
            [],
            self.quote,
            "" if self.reverse else self.quote,
            self.stop,
            None,
        )
        saves = dict(self.saves)
        self.body(s.body)
        stack, saved = None, ()
        for name in saves:
            if (
                self.saves.get(name) is not None
                and saves[name] is None
                and not isinstance(self.env.get(name), Var)
            ):
                stack, saved = self.var(name), self.saves[name]
                stack_name = name
        inner, body = self.env, Block(tuple(self.ops))
        stops, self.stop = self.stop, stop
        self.env, self.ops, self.quote = outer, ops, quote
        carries = []
        for n, v in inside.items():
            out = self.var(n)
            carries.append(
                Carry(out, outer.get(n, UNDEFINED), v, inner.get(n, UNDEFINED))
            )
            self.env[n] = out
        if stack is not None:
            self.env[stack_name] = stack
        args = (body, tuple(carries), stops, stack, saved)
        self.ops.append(make(*args) if make else While(cond, tested, *args))
        if s.orelse:
            self.if_(self.env["early"], [], s.orelse, self.origin)

    def body(self, statements):
        for i, s in enumerate(statements):
            if isinstance(s, ast.If) and isinstance(s.body[-1], ast.Continue):
                self.if_(self.value(s.test), [], statements[i + 1 :], self.origin)
                return
            self.statements([s])

    # expressions

    def value(self, node, target=None):
        name = target.id if isinstance(target, ast.Name) else None
        return getattr(self, f"of_{type(node).__name__.lower()}")(node, name)

    def apply(self, name, fn, args, kwargs=(), form="call", spelling="", fact=None):
        if (
            fact is None
            and fn in (*BINARY.values(), max, min)
            and all(isinstance(a, Const) or a.fact.is_scalar for a in args)
        ):
            fact = FLOAT
        if fn is len or spelling == "size":
            fact = INT
        out = self.var(name, fact)
        self.ops.append(
            Apply(out, fn, tuple(args), tuple(kwargs), form, spelling, self.origin)
        )
        return out

    def of_name(self, node, _):
        if node.id in self.env:
            return self.env[node.id]
        return Const(self.scope[node.id])

    def of_constant(self, node, _):
        return Const(node.value)

    def of_binop(self, node, name):
        args = self.value(node.left), self.value(node.right)
        return self.apply(name, BINARY[type(node.op)], args)

    def of_unaryop(self, node, name):
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return Const(-node.operand.value)
        fn = operator.neg if isinstance(node.op, ast.USub) else operator.not_
        return self.apply(name, fn, [self.value(node.operand)])

    def of_compare(self, node, name):
        args = self.value(node.left), self.value(node.comparators[0])
        return self.apply(name, COMPARE[type(node.ops[0])], args)

    def of_boolop(self, node, name):
        left, right = node.values
        test = self.value(left)
        before, self.ops = self.ops, []
        second = self.value(right)
        arm, self.ops = Block(tuple(self.ops)), before
        out = self.var(name)
        if isinstance(node.op, ast.And):
            op = If(test, arm, Block(), (Merge(out, second, test),), "and", self.origin)
        else:
            op = If(test, Block(), arm, (Merge(out, test, second),), "or", self.origin)
        self.ops.append(op)
        return out

    def of_tuple(self, node, name):
        parts = [self.value(e) for e in node.elts]
        if all(isinstance(p, Const) and p.text is None for p in parts):
            return Const(tuple(p.value for p in parts))
        return self.apply(name, build_tuple, parts, form="build")

    def of_list(self, node, name):
        return self.apply(
            name, build_list, [self.value(e) for e in node.elts], form="build"
        )

    def of_dict(self, node, name):
        pairs = zip(
            map(self.value, node.keys), map(self.value, node.values), strict=True
        )
        return self.apply(name, build_dict, [a for p in pairs for a in p], form="build")

    def of_slice(self, node, name):
        parts = [
            Const(None) if p is None else self.value(p)
            for p in (node.lower, node.upper, node.step)
        ]
        if all(isinstance(p, Const) for p in parts):
            return Const(slice(*(p.value for p in parts)))
        return self.apply(name, build_slice, parts, form="build")

    def of_subscript(self, node, name):
        args = self.value(node.value), self.value(node.slice)
        return self.apply(name, operator.getitem, args, form="subscript")

    def resolve(self, node):
        if isinstance(node, ast.Name) and node.id not in self.env:
            return self.scope.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            return None if owner is None else getattr(owner, node.attr)
        return None

    def of_attribute(self, node, name):
        found = self.resolve(node)
        if found is not None or ast.unparse(node) == "np.newaxis":
            return Const(found, ast.unparse(node))
        path = []
        inner = node
        while isinstance(inner, ast.Attribute):
            path.insert(0, ("attr", inner.attr))
            inner = inner.value
        if name and isinstance(inner, ast.Name) and inner.id == "m":
            out = self.var(name)
            self.ops.append(Read(out, self.env["m"], tuple(path), self.origin))
            return out
        if node.attr == "dtype":
            args = self.value(node.value), Const("dtype")
            return self.apply(name, getattr, args, form="attribute", spelling="dtype")
        fn = ATTRIBUTES[node.attr]
        return self.apply(
            name, fn, [self.value(node.value)], form="attribute", spelling=node.attr
        )

    def of_call(self, node, name):
        kwargs = [(k.arg, self.value(k.value)) for k in node.keywords]
        fn = self.resolve(node.func)
        if fn is not None:
            return self.apply(name, fn, [self.value(a) for a in node.args], kwargs)
        method = node.func.attr
        args = [self.value(a) for a in (node.func.value, *node.args)]
        fn = METHODS.get(method, getattr(np.ndarray, method, None) or list.append)
        return self.apply(name, fn, args, kwargs, "method", method)


def _assigned(s):
    """Return the names assigned within a loop, in order."""
    found = {}
    for node in _walk(s.body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for t in getattr(node, "targets", None) or [node.target]:
                if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name):
                    found[t.value.id] = None
    return list(found)


def _walk(body):
    for node in body:
        yield node
        yield from _walk(list(ast.iter_child_nodes(node)))


def pruned(program):
    """Drop merges and carries that nothing reads, as tidying does."""
    while True:
        read = {a.name for a in (program.value, *program.results) if isinstance(a, Var)}
        blocks = [program.forward, program.reverse, *(g.block for g in program.guards)]
        for g in program.guards:
            read.update(
                a.name for a in (g.test, g.value, *g.results) if isinstance(a, Var)
            )
        for op in itertools.chain.from_iterable(map(walk, blocks)):
            read.update(a.name for a in atoms_of(op) if isinstance(a, Var))
            read.update(_handed_on(op))
        clean = lambda b: _pruned_block(b, read)
        made = replace(
            program, forward=clean(program.forward), reverse=clean(program.reverse),
            guards=tuple(replace(g, block=clean(g.block)) for g in program.guards),
        )  # fmt: skip
        if made == program:
            return made
        program = made


def _handed_on(op):
    if isinstance(op, If):
        atoms = [a for m in op.merges for a in (m.then, m.orelse)]
    elif isinstance(op, (For, While)):
        atoms = [c.next for c in op.carries if c.next != c.inside] + [
            op.stop,
            *op.saved,
        ]
        atoms += [op.test] if isinstance(op, While) else []
    else:
        atoms = []
    return {a.name for a in atoms if isinstance(a, Var)}


def _pruned_block(block, read):
    ops = []
    for op in block:
        if isinstance(op, If):
            op = replace(
                op, then=_pruned_block(op.then, read),
                orelse=_pruned_block(op.orelse, read),
                merges=tuple(m for m in op.merges if m.out.name in read),
            )  # fmt: skip
        elif isinstance(op, (For, While)):
            kept = tuple(
                c for c in op.carries
                if c.out.name in read or c.inside.name in read
            )  # fmt: skip
            op = replace(op, body=_pruned_block(op.body, read), carries=kept)
            if isinstance(op, While):
                op = replace(op, cond=_pruned_block(op.cond, read))
        ops.append(op)
    return Block(tuple(ops))
