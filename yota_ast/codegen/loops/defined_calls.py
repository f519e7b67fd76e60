"""A call, and the source of a function that defines it -> the calls that it stands for.

`np.linalg.norm(x)` becomes `np.sqrt(np.sum(x * x))`, of which there are loops. The
sources stand in `ops/back_ends/loop_definitions.py`.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.loops.elements import is_array
from yota_ast.codegen.loops.known_facts import Infer, more_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops.registry import info
from yota_ast.ops.spellings import BY_NODE

_MODULES: Final = {"np": np, "math": math}


@dataclass(frozen=True, slots=True)
class Source:
    """What a function does: names and what they are assigned, and what it returns."""

    signature: inspect.Signature
    assigned: tuple[tuple[str, ast.expr], ...]
    returned: ast.expr
    read: Mapping[str, int]
    """How often names are read."""


@cache
def source_of(fn: Callable[..., object]) -> Source:
    """Return the source of a definition."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    *body, last = tree.body[1:]
    assigned = []
    for stmt in body:
        assert isinstance(stmt, ast.Assign)
        assert isinstance(stmt.targets[0], ast.Name)
        assigned.append((stmt.targets[0].id, stmt.value))
    assert isinstance(last, ast.Return)
    assert last.value is not None
    names = (n for part in tree.body[1:] for n in ast.walk(part))
    read = Counter(n.id for n in names if isinstance(n, ast.Name))
    return Source(inspect.signature(fn), tuple(assigned), last.value, read)


class Definitions:
    """Puts calls in the place of one. ahead: computes an op under a name."""

    def __init__(
        self, draft: Draft, infer: Infer, ahead: Callable[[Apply], Var]
    ) -> None:
        self.draft = draft
        self.infer = infer
        self.ahead = ahead

    def of(self, op: Apply) -> Atom | None:
        """Return what a call is by its definition, None of a call without any."""
        made = info(op.fn).loop_definition
        if made is None:
            return None
        source = source_of(made)
        names = self._bound(source, op)
        for name, value in source.assigned:
            names[name] = self._named(self._value(value, names))
        found = self._value(source.returned, names)
        if isinstance(found, Var):
            inner = self.draft.nested_op(found)
            if inner is not None:
                fact = more_of(op.out.fact, found.fact)
                if op.out.fact.is_scalar and not found.fact.is_scalar:
                    self._refuse(op)
                return self.draft.nest(inner, replace(found, fact=fact))
        return found

    def _refuse(self, op: Apply) -> None:
        self.draft.refuse(f"`{op.fn.__name__}` with options")

    def _bound(self, source: Source, op: Apply) -> dict[str, Atom]:
        """Return the arguments of a call by their names."""
        given = source.signature.bind_partial(*op.args, **dict(op.kwargs)).arguments
        found: dict[str, Atom] = {}
        for name, param in source.signature.parameters.items():
            if name in given:
                found[name] = given[name]
                default = Const(param.default)
                if name not in source.read and given[name] != default:
                    self._refuse(op)
            elif param.default is not inspect.Parameter.empty:
                found[name] = Const(param.default)
            else:
                self._refuse(op)
        for name, atom in found.items():
            if source.read[name] > 1:
                found[name] = self._named(atom)
        return found

    def _named(self, atom: Atom) -> Atom:
        """Return a value that is read several times, an array under a name."""
        op = self.draft.nested_op(atom)
        if is_array(atom) and isinstance(op, Apply):
            return self.ahead(op)
        return atom

    def _value(self, node: ast.expr, names: Mapping[str, Atom]) -> Atom:
        """Return the value of an expression."""
        match node:
            case ast.Name():
                return names[node.id]
            case ast.Constant():
                return Const(node.value)
            case ast.BinOp():
                return self._operated(node.op, [node.left, node.right], names)
            case ast.UnaryOp():
                return self._operated(node.op, [node.operand], names)
            case ast.Compare():
                parts = [node.left, node.comparators[0]]
                return self._operated(node.ops[0], parts, names)
            case ast.IfExp():
                arm = node.body if self._decides(node.test, names) else node.orelse
                return self._value(arm, names)
            case ast.Attribute():
                return Const(self._member(node))
            case ast.Call():
                args = [self._value(a, names) for a in node.args]
                kwargs = [
                    (str(k.arg), self._value(k.value, names)) for k in node.keywords
                ]
                return self._applied(self._member(node.func), args, kwargs, "call")
            case _:
                raise TypeError(ast.dump(node))

    def _member(self, node: ast.expr) -> Any:
        """Return what `np.sum` or `np.linalg.norm` stands for."""
        if isinstance(node, ast.Attribute):
            return getattr(self._member(node.value), node.attr)
        assert isinstance(node, ast.Name)
        return _MODULES[node.id]

    def _decides(self, test: ast.expr, names: Mapping[str, Atom]) -> bool:
        """Decide a test of arguments that are literals."""
        match test:
            case ast.BoolOp():
                assert isinstance(test.op, ast.Or)
                return any(self._decides(part, names) for part in test.values)
            case ast.Compare():
                return self._value(test.left, names) == Const(None)
            case _:
                value = self._value(test, names)
                if not isinstance(value, Const):
                    self.draft.refuse("an option that is no literal")
                return bool(value.value)

    def _operated(
        self, op: ast.AST, parts: list[ast.expr], names: Mapping[str, Atom]
    ) -> Atom:
        args = [self._value(part, names) for part in parts]
        return self._applied(BY_NODE[type(op).__name__].fn, args, [], "operator")

    def _applied(
        self, fn: Any, args: list[Atom], kwargs: list[tuple[str, Atom]], form: Any
    ) -> Var:
        """Return the value of a call."""
        fact = self.infer(fn, tuple(args), tuple(kwargs))
        if not fact.is_numeric:
            self.draft.refuse(f"`{fn.__name__}` of unknown numbers")
        out = self.draft.var(fact)
        made = Apply(
            out, fn, tuple(args), tuple(kwargs), form=form, origin=self.draft.origin
        )
        return self.draft.nest(made, out)
