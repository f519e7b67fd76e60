"""The primal statement of a rule -> the function that it is about.

A pattern is a call (`np.sum(x, axis, keepdims=keepdims)`), an operator (`u * v`), a
subscript (`x[i]`), an attribute (`x.T`) or a method of a typed parameter
(`x.trace(k)`), its operands the parameters, each once and in their order.

>>> import numpy as np
>>> reader = Reader(Namespace({"np": np}, {}), "<doctest>")
>>> read_pattern(reader, ast.parse("np.exp(x)").body[0].value, ["x"], {})
<ufunc 'exp'>
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import Location, RuleError
from yota_ast.ops.spellings import ATTRIBUTES, BY_NODE
from yota_ast.rules.notation.rule_records import Fn, Namespace

_WHAT = "a call, an operator, a subscript, an attribute or a method of a parameter"


@dataclass(frozen=True, slots=True)
class Reader:
    """Where a rule is written: its names, and places in its file for errors.

    at: the place of the whole rule where its text is no part of the file (text forms).
    """

    namespace: Namespace
    filename: str
    lines: Sequence[str] = ()
    at: Location | None = None

    def location(self, node: ast.AST | None) -> Location | None:
        """The place of a node of the rule."""
        if self.at is not None or node is None or not hasattr(node, "lineno"):
            return self.at
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        end = getattr(node, "end_col_offset", None)
        if getattr(node, "end_lineno", None) != node.lineno:
            end = None
        text = line.rstrip("\n")
        column: int = getattr(node, "col_offset", 0)
        return Location(self.filename, node.lineno, column, end, text)

    def error(self, node: ast.AST | None, reason: str, remedy: str = "") -> RuleError:
        """The error of a rule at one of its nodes."""
        return RuleError(reason, at=self.location(node), remedy=remedy)

    def resolve(self, node: ast.expr) -> object:
        """The object of a name or a dotted path; RuleError where there is none."""
        if isinstance(node, ast.Name):
            try:
                return self.namespace.resolve(node.id)
            except NameError:
                raise self.error(node, f"unknown name `{node.id}`") from None
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            if not hasattr(owner, node.attr):
                path = ast.unparse(node.value)
                raise self.error(node, f"`{path}` has no attribute `{node.attr}`")
            return getattr(owner, node.attr)
        raise self.error(node, f"`{ast.unparse(node)}` is not a name")


def read_pattern(
    reader: Reader,
    node: ast.expr,
    parameters: Sequence[str],
    types: Mapping[str, tuple[type, ...]],
) -> Fn:
    """The function that the pattern calls.

    RuleError unless its operands are the parameters.
    """
    fn, operands = _function_and_operands(reader, node, parameters, types)
    named = [_parameter_of(reader, o, parameters) for o in operands]
    missing = [p for p in parameters if p not in named]
    if missing:
        raise reader.error(node, f"the pattern does not use `{missing[0]}`")
    if named != list(parameters):
        raise reader.error(
            node, "the pattern and the rule have their parameters in different orders"
        )
    return fn


def function_of(
    reader: Reader,
    node: ast.expr,
    parameters: Sequence[str],
    types: Mapping[str, tuple[type, ...]],
) -> Fn:
    """The function that the pattern calls, whatever its operands."""
    return _function_and_operands(reader, node, parameters, types)[0]


def root_of(node: ast.expr) -> ast.expr:
    """`np` of `np.linalg.norm`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _function_and_operands(
    reader: Reader,
    node: ast.expr,
    parameters: Sequence[str],
    types: Mapping[str, tuple[type, ...]],
) -> tuple[Fn, list[ast.AST]]:
    match node:
        case ast.Call():
            return _called(reader, node, parameters, types)
        case ast.BinOp(left, op, right):
            return BY_NODE[type(op).__name__].fn, [left, right]
        case ast.UnaryOp(op, operand):
            return BY_NODE[type(op).__name__].fn, [operand]
        case ast.Compare(left, [ast.In()], [right]):
            return operator.contains, [right, left]
        case ast.Compare(left, [op], [right]) if type(op).__name__ in BY_NODE:
            return BY_NODE[type(op).__name__].fn, [left, right]
        case ast.Subscript(value, index):
            return operator.getitem, [value, index]
        case ast.Attribute(value, name) if name in ATTRIBUTES:
            return ATTRIBUTES[name], [value]
    raise reader.error(node, f"the pattern is `{ast.unparse(node)}`, not {_WHAT}")


def _called(
    reader: Reader,
    node: ast.Call,
    parameters: Sequence[str],
    types: Mapping[str, tuple[type, ...]],
) -> tuple[Fn, list[ast.AST]]:
    operands: list[ast.AST] = [*node.args, *node.keywords]
    callee = node.func
    owner = root_of(callee)
    if isinstance(owner, ast.Name) and owner.id in parameters:
        if owner is callee or not isinstance(callee, ast.Attribute):
            raise reader.error(node, f"the pattern calls its parameter `{owner.id}`")
        classes = types.get(owner.id, ())
        found = [getattr(c, callee.attr, None) for c in classes]
        if not found or not callable(found[0]):
            raise reader.error(
                callee,
                f"`{owner.id}.{callee.attr}` is a method of an unknown class",
                f"Annotate `{owner.id}` with the class that has the method.",
            )
        return found[0], [callee.value, *operands]
    fn = reader.resolve(callee)
    if not callable(fn):
        raise reader.error(callee, f"`{ast.unparse(callee)}` cannot be called")
    return fn, operands


def _parameter_of(reader: Reader, node: ast.AST, parameters: Sequence[str]) -> str:
    """The parameter that stands in an operand of the pattern."""
    match node:
        case ast.Name(name) if name in parameters:
            return name
        case ast.Starred(ast.Name(name)) if name in parameters:
            return name
        case ast.keyword(None, ast.Name(name)) if name in parameters:
            return name
        case ast.keyword(keyword, ast.Name(name)) if keyword == name in parameters:
            return name
    raise reader.error(
        node, f"`{ast.unparse(node)}` in the pattern is not a parameter of the rule"
    )
