"""What Python's grammar says of an expression node: its precedence, operands, parts.

Nodes are told apart by the name of their class, so that trees of `ast` and of gast
are alike here.

>>> import ast
>>> tree = ast.parse("a - b * c - d", mode="eval").body
>>> [(symbol, kind(node), least) for symbol, node, least in operands(tree)]
[('', 'Name', 12), ('-', 'BinOp', 13), ('-', 'Name', 13)]
"""

from typing import Any, Final, NamedTuple

Node = Any

NEVER_BARE = -1
YIELD, NAMED, LAMBDA, CONDITIONAL, OR, AND, NOT, COMPARE = range(8)
BIT_OR, BIT_XOR, BIT_AND, SHIFT = range(8, 12)
SUM, PRODUCT, UNARY, POWER, AWAIT, ATOM = range(12, 18)

OPERATORS: Final = {
    "Add": ("+", SUM),
    "Sub": ("-", SUM),
    "Mult": ("*", PRODUCT),
    "Div": ("/", PRODUCT),
    "FloorDiv": ("//", PRODUCT),
    "Mod": ("%", PRODUCT),
    "MatMult": ("@", PRODUCT),
    "Pow": ("**", POWER),
    "BitOr": ("|", BIT_OR),
    "BitXor": ("^", BIT_XOR),
    "BitAnd": ("&", BIT_AND),
    "LShift": ("<<", SHIFT),
    "RShift": (">>", SHIFT),
    "And": ("and", AND),
    "Or": ("or", OR),
    "Eq": ("==", COMPARE),
    "NotEq": ("!=", COMPARE),
    "Lt": ("<", COMPARE),
    "LtE": ("<=", COMPARE),
    "Gt": (">", COMPARE),
    "GtE": (">=", COMPARE),
    "Is": ("is", COMPARE),
    "IsNot": ("is not", COMPARE),
    "In": ("in", COMPARE),
    "NotIn": ("not in", COMPARE),
    "USub": ("-", UNARY),
    "UAdd": ("+", UNARY),
    "Invert": ("~", UNARY),
    "Not": ("not ", NOT),
}
_OTHERS: Final = {
    "Yield": YIELD,
    "YieldFrom": YIELD,
    "NamedExpr": NAMED,
    "Lambda": LAMBDA,
    "IfExp": CONDITIONAL,
    "Compare": COMPARE,
    "Await": AWAIT,
}
BINARY_LIKE: Final = ("BinOp", "BoolOp", "Compare")
BRACKETED: Final = (
    "List",
    "Tuple",
    "Dict",
    "Set",
    "ListComp",
    "SetComp",
    "DictComp",
    "GeneratorExp",
)


class Operand(NamedTuple):
    """An operand, the operator before it, and the least precedence it may have bare."""

    symbol: str
    node: Node
    least: int

    @property
    def bare(self) -> bool:
        """Whether it stands without parentheses."""
        return precedence(self.node) >= self.least


def kind(node: Node) -> str:
    """Return the name of the node's class."""
    return type(node).__name__


def precedence(node: Node) -> int:
    """Return how tightly `node` binds."""
    match kind(node):
        case "Grouped":
            return NEVER_BARE
        case "BinOp" | "BoolOp" | "UnaryOp":
            return OPERATORS[kind(node.op)][1]
        case other:
            return _OTHERS.get(other, ATOM)


def operands(node: Node) -> list[Operand]:
    """Return the operands of a binary-like node, those of a left chain in one list."""
    own = precedence(node)
    if kind(node) == "Compare":
        symbols = ["", *(OPERATORS[kind(op)][0] for op in node.ops)]
        values = [node.left, *node.comparators]
        pairs = zip(symbols, values, strict=True)
        return [Operand(symbol, value, own + 1) for symbol, value in pairs]
    symbol = OPERATORS[kind(node.op)][0]
    if kind(node) == "BoolOp":
        # A reader need not know that `and` binds tighter than `or`.
        least = NOT
        return [
            Operand(symbol if i else "", v, least) for i, v in enumerate(node.values)
        ]
    if own == POWER:
        right = node.right
        chain = kind(right) == "BinOp" and precedence(right) == POWER
        rest = operands(right) if chain else [Operand("", right, UNARY)]
        return [Operand("", node.left, AWAIT), rest[0]._replace(symbol="**"), *rest[1:]]
    left, right = node.left, Operand(symbol, node.right, own + 1)
    if kind(left) == "BinOp" and precedence(left) == own:
        return [*operands(left), right]
    return [Operand("", left, own), right]


def is_simple_power(left: Operand, right: Operand) -> bool:
    """Say whether ``left**right`` is written without spaces."""
    return all(o.bare and _is_simple_operand(o.node) for o in (left, right))


def _is_simple_operand(node: Node) -> bool:
    match kind(node):
        case "Name":
            return True
        case "Constant":
            return isinstance(node.value, (int, float, complex))
        case "UnaryOp":
            operand = node.operand
            return kind(node.op) != "Not" and _is_simple_operand(operand)
        case "Attribute":
            return _is_simple_operand(node.value)
    return False


def is_simple_bound(node: Node | None) -> bool:
    """Say whether a slice needs no spaces on account of this bound."""
    if node is None or kind(node) in ("Name", "Constant"):
        return True
    return (
        kind(node) == "UnaryOp"
        and kind(node.op) != "Not"
        and is_simple_bound(node.operand)
    )


def is_fluent(node: Node) -> bool:
    """Say whether `node` is a chain of two or more attributes of calls or subscripts.

    >>> import ast
    >>> is_fluent(ast.parse("x.f().g().h()", mode="eval").body)
    True
    """
    attributes = 0
    while kind(node) in ("Attribute", "Call", "Subscript"):
        value = node.func if kind(node) == "Call" else node.value
        in_parentheses = precedence(value) < ATOM
        if kind(node) == "Attribute":
            in_parentheses = in_parentheses or is_number(value)
            attributes += in_parentheses or kind(value) in ("Call", "Subscript")
        if in_parentheses:
            break
        node = value
    return attributes > 1


def is_number(node: Node) -> bool:
    """Say whether `node` is a number that needs parentheses before a dot."""
    return kind(node) == "Constant" and type(node.value) in (int, float)
