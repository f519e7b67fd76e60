"""The rule of a function of numbers -> the rule of `broadcast(f, *arrays)`.

`np.vectorize(f)` has the same.

>>> import math
>>> rule = broadcast_rule(math.sin, 1)
>>> rule.primal.text, [s.text for s in rule.statements]
('broadcast(f, x)', ['dy * broadcast(math.cos, x)'])
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import FLOAT, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.rules.inference.dims import broadcast as broadcast_shapes
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.inference.shapes import array_result, scalar_or_array
from yota_ast.rules.notation.book import BOOK, Book
from yota_ast.rules.notation.rule_records import Bound, Fn, Namespace, Rule
from yota_ast.runtime import broadcast
from yota_ast.support.helper_functions import is_helper


def broadcast_rule(f: Fn, count: int, book: Book = BOOK) -> Rule | None:
    """The rule of `broadcast(f, *arrays)` from that of `f` on floats.

    None where there is none, and `f` is to be inlined into a loop or, if it is free of
    branches, applied to whole arrays.

    Statements that are arithmetic and NumPy serve whole arrays as they are, and so do
    functions free of branches; `f` itself, of all its arguments, is the result; calls
    of other functions are broadcast in their turn.
    """
    floats = [Var(f"x{k}", FLOAT) for k in range(count)]
    bound = book.choose(f, floats, (), None)
    if bound is None:
        return None
    names = [n for n, a in bound.arguments.items() if isinstance(a, Var)]
    if len(names) != count or bound.keywords:
        return None
    return _on_arrays(bound.rule, names)


def _on_arrays(rule: Rule, names: Sequence[str]) -> Rule:
    function = next(n for n in ("f", "_f", "_function") if n not in _taken(rule))
    call = next(n for n in ("broadcast", "_broadcast") if n not in _taken(rule))
    positional = Parameter.POSITIONAL_OR_KEYWORD
    defaults = {
        p.name: p.default
        for p in rule.signature.parameters.values()
        if p.name not in names and p.default is not Parameter.empty
    }
    namespace = rule.namespace.extended({call: broadcast, **defaults})
    statements = tuple(
        replace(s, text=_with_calls_broadcast(s.text, rule, call))
        for s in rule.statements
    )
    return replace(
        rule,
        name=f"broadcast({rule.name})",
        fns=(broadcast,),
        signature=Signature([Parameter(n, positional) for n in (function, *names)]),
        types={},
        primal=replace(rule.primal, text=f"{call}({function}, {', '.join(names)})"),
        statements=statements,
        adjoints={p: d for p, d in rule.adjoints.items() if p in names},
        zero=frozenset({function, *(p for p in rule.zero if p in names)}),
        namespace=namespace,
        elementwise=True,
        complex="no",
        fact=None,
        alias="fresh",
    )


def _taken(rule: Rule) -> set[str]:
    texts = [rule.primal.text, *(s.text for s in rule.statements)]
    used = {
        n.id for t in texts for n in ast.walk(ast.parse(t)) if isinstance(n, ast.Name)
    }
    return used | set(rule.parameters) | {s.target for s in rule.statements}


def _with_calls_broadcast(text: str, rule: Rule, call: str) -> str:
    class Broadcast(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            if _is_primal(rule, node):
                return ast.Name(rule.result, ast.Load())
            self.generic_visit(node)
            if node.keywords or _serves_arrays(rule, node.func):
                return node
            return ast.Call(ast.Name(call, ast.Load()), [node.func, *node.args], [])

    changed = Broadcast().visit(ast.parse(text, mode="eval"))
    return ast.unparse(ast.fix_missing_locations(changed))


def _is_primal(rule: Rule, node: ast.Call) -> bool:
    """Whether a call in a statement is the one that the rule is about: its result."""
    with suppress(NameError, AttributeError, SyntaxError):
        fn = rule.namespace.resolve_path(ast.unparse(node.func))
        names = [a.id for a in node.args if isinstance(a, ast.Name)]
        whole = names == list(rule.parameters) and len(names) == len(node.args)
        return whole and not node.keywords and fn in rule.fns
    return False


def _serves_arrays(rule: Rule, callee: ast.expr) -> bool:
    """Whether a call in a statement takes arrays as well as numbers."""
    try:
        fn: Any = rule.namespace.resolve_path(ast.unparse(callee))
    except (NameError, AttributeError, SyntaxError):
        return True  # a method of an operand
    module = getattr(fn, "__module__", None) or ""
    if isinstance(fn, np.ufunc) or is_helper(fn):
        return True
    if module.startswith("numpy"):  # np.sum of a number is the number itself
        return any(r.elementwise for r in BOOK.rules_of(fn))
    return inspect.isfunction(fn) and is_free_of_branches(fn)


@cache
def is_free_of_branches(fn: Any) -> bool:
    """Whether a function is arithmetic and ufuncs of its parameters.

    Whole arrays then give what their elements would.
    """
    try:
        source = inspect.getsource(fn)
        body = ast.parse(textwrap.dedent(source)).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return False
    if not isinstance(body, ast.FunctionDef) or body.name != fn.__name__:
        return False
    scope = Namespace(inspect.getclosurevars(fn).nonlocals, fn.__globals__)
    statements = [s for s in body.body if not _is_docstring(s)]
    return all(
        isinstance(s, (ast.Assign, ast.Return))
        and all(_is_arithmetic(n, scope) for n in ast.walk(s))
        for s in statements
    )


def _is_docstring(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _is_arithmetic(node: ast.AST, scope: Namespace) -> bool:
    if isinstance(node, ast.Call):
        try:
            fn = scope.resolve_path(ast.unparse(node.func))
        except (NameError, AttributeError, SyntaxError):
            return False
        return isinstance(fn, np.ufunc) and not node.keywords
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, (ast.Name, ast.Attribute))
    kinds = (ast.Assign, ast.Return, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant)
    return isinstance(node, (*kinds, ast.operator, ast.unaryop, ast.expr_context))


# ---------------------------------------------------------------- in the book


def bound_broadcast(args: Sequence[Atom], book: Book = BOOK) -> Bound | None:
    """The rule for `broadcast(f, *arrays)` of which the arguments are known."""
    if not args or not isinstance(args[0], Const):
        return None
    rule = broadcast_rule(args[0].value, len(args) - 1, book)  # type: ignore[arg-type]
    if rule is None:
        return None
    arguments: Mapping[str, Atom] = dict(zip(rule.parameters, args, strict=True))
    return Bound(rule, arguments)


def broadcast_fact(args: Sequence[Atom]) -> Fact:
    """A float64 for each element."""
    facts = [as_array_fact(fact_of_atom(a)) for a in args[1:]]
    if not all(f.is_numeric for f in facts):
        return UNKNOWN
    shape = broadcast_shapes([f.shape for f in facts])
    if isinstance(shape, tuple) and shape:
        return array_result(float, shape)
    return scalar_or_array(float, shape)


BOOK.higher_order = (bound_broadcast, broadcast_fact)
