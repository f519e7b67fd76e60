"""Expression -> whether parentheses of its own help where it does not fit a line.

The terms are ruff's: an expression that has brackets at its start or end can do
without, unless it has several operators of its weakest kind.

>>> import ast
>>> def expression(text):
...     return ast.parse(text, mode="eval").body
>>> parentheses(expression("f(x)")), parentheses(expression("x + y"))
('never', 'by operators')
>>> can_do_without(expression("x * f(y)")), can_do_without(expression("x * y * f(z)"))
(True, False)
"""

from typing import Literal

from yota_ast.syntax.grammar import (
    ATOM,
    BRACKETED,
    CONDITIONAL,
    LAMBDA,
    OPERATORS,
    SUM,
    UNARY,
    Node,
    is_fluent,
    is_number,
    kind,
    operands,
    precedence,
)

_ATTRIBUTE = 100  # binds tighter than any operator


Help = Literal["never", "if they help", "by operators"]


def parentheses(node: Node) -> Help:
    """Return what parentheses do for a long `node`."""
    match kind(node):
        case "Call" | "Attribute" | "Subscript" if is_fluent(node):
            return "by operators"
        case "Name" | "Constant" | "JoinedStr":
            return "if they help"
        case "Attribute" if kind(node.value) in ("Name", "Attribute", "Constant"):
            return "never" if is_number(node.value) else parentheses(node.value)
        case "Call" | "Attribute" | "Subscript":
            return _of_object(node.func if kind(node) == "Call" else node.value)
        case "UnaryOp" if _in_parentheses(node.operand, node):
            return "never"
    return "never" if kind(node) in (*BRACKETED, "Lambda") else "by operators"


def _of_object(node: Node) -> Help:
    if precedence(node) < ATOM:
        return "never"
    found = parentheses(node)
    return "never" if found == "if they help" else found


def can_do_without(node: Node) -> bool:
    """Say whether the brackets within `node` are where it breaks first."""
    survey = _Survey()
    survey.visit(node)
    if not survey.brackets or survey.count > 1:
        return False
    if survey.weakest is None or survey.weakest == _ATTRIBUTE:
        return True
    return any(
        end is not None
        and (not bare or (kind(end) != "Subscript" and _has_brackets(end)))
        for end, bare in (survey.first, survey.last)
    )


def _has_brackets(node: Node) -> bool:
    match kind(node):
        case "Call":
            return bool(node.args or node.keywords)
        case "List" | "Tuple" | "Set":
            return bool(node.elts)
        case "Dict":
            return bool(node.keys)
        case other:
            return other == "Subscript" or other in BRACKETED


def _in_parentheses(operand: Node, parent: Node) -> bool:
    own = precedence(parent)
    if kind(operand) == "UnaryOp":
        return precedence(operand) < own
    return precedence(operand) < (ATOM if own == UNARY else own)


class _Survey:
    """What an expression shows outside its brackets."""

    def __init__(self) -> None:
        self.brackets = False
        self.weakest: int | None = None
        self.count = 0
        self.first: tuple[Node | None, bool] = (None, True)
        self.started = False
        self.last: tuple[Node | None, bool] = (None, True)

    def visit(self, node: Node, least: int = 0) -> None:
        bare = precedence(node) >= least
        self.last = (node, bare)
        if bare:
            self._inside(node)
        else:
            self.brackets = True
        self._start((node, bare))

    def _start(self, first: tuple[Node | None, bool]) -> None:
        if not self.started:
            self.first, self.started = first, True

    def _operator(self, weight: int, count: int = 1) -> None:
        if self.weakest is None or weight < self.weakest:
            self.weakest, self.count = weight, count
        elif weight == self.weakest:
            self.count += count

    def _inside(self, node: Node) -> None:
        match kind(node):
            case "BinOp" | "BoolOp" | "Compare":
                self._binary(node)
            case "IfExp":
                self._operator(CONDITIONAL, 2)
                for part in (node.body, node.test):
                    self.visit(part, CONDITIONAL + 1)
                self.visit(node.orelse, LAMBDA)
            case "UnaryOp":
                self._unary(node)
            case "Call":
                self._trailer(node, node.func)
            case "Subscript":
                self._trailer(node, node.value)
            case "Attribute":
                self._attribute(node)
            case "Lambda" | "Await" | "Yield" | "YieldFrom" | "Starred":
                self._start((None, True))
            case name if name in BRACKETED:
                self.brackets = True

    def _trailer(self, node: Node, value: Node) -> None:
        self.brackets = True
        self.visit(value, ATOM)
        self.last = (node, True)

    def _binary(self, node: Node) -> None:
        chain = operands(node)
        # `and` weighs what `or` weighs: their counts add up.
        weight = CONDITIONAL + 1 if kind(node) == "BoolOp" else precedence(node)
        self._operator(weight, len(chain) - 1)
        for operand in chain:
            self.visit(operand.node, operand.least)

    def _unary(self, node: Node) -> None:
        self._start((None, True))
        if kind(node.op) == "Invert":
            self._operator(UNARY)
        own = OPERATORS[kind(node.op)][1]
        unary = kind(node.operand) == "UnaryOp"
        self.visit(node.operand, own if unary or own < SUM else ATOM)

    def _attribute(self, node: Node) -> None:
        # A number gets parentheses before its dot.
        self.visit(node.value, ATOM + is_number(node.value))
        if kind(node.value) in (*BRACKETED, "Call", "Subscript") or not self.last[1]:
            self._operator(_ATTRIBUTE)
        self.last = (node, True)
