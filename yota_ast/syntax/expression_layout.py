"""Expression nodes -> documents whose lines break where black and ruff break them.

The rules are those of ruff's formatter: brackets spread first, and operators break
only within parentheses, one operand a line.

>>> import ast
>>> tree = ast.parse("total = weights * f(values[i + 1 :], 'kind')").body[0].value
>>> print(flat_text(tree))
weights * f(values[i + 1 :], "kind")
>>> print(render(Expressions().value(tree), width=30))
weights * f(
    values[i + 1 :], "kind"
)
"""

import re
from collections.abc import Sequence
from itertools import count
from typing import Final

from yota_ast.syntax import breaking
from yota_ast.syntax.grammar import (
    ATOM,
    AWAIT,
    BINARY_LIKE,
    LAMBDA,
    NAMED,
    OPERATORS,
    OR,
    POWER,
    YIELD,
    Node,
    is_fluent,
    is_number,
    is_simple_bound,
    is_simple_power,
    kind,
    operands,
    precedence,
)
from yota_ast.syntax.layout import (
    Doc,
    Group,
    IfBroken,
    Indent,
    IndentIf,
    Line,
    Spread,
    Wrap,
    join,
    render,
)
from yota_ast.syntax.scalar_literals import constant_text
from yota_ast.syntax.string_literals import fstring_text

ANYWHERE = 0
"""The level of what stands in brackets, where lines may break at once.

Any other level is the name of the group whose parentheses must be there first.
"""
NOWHERE = -1
"""The level of what stands in no brackets and gets none."""
_SOFT = Line("")
_PIECE: Final = 64
"""How long the pieces are of a message that fits no line."""
_BRACKETS: Final = {
    "ListComp": ("[", "]"), "SetComp": ("{", "}"), "DictComp": ("{", "}"),
    "GeneratorExp": ("(", ")"),
}  # fmt: skip


def flat_text(node: Node) -> str:
    """Return the expression on one line, however long."""
    return render(Expressions().expression(node, ANYWHERE), width=10**9)


class Expressions:
    """The documents of one statement's expressions."""

    def __init__(self) -> None:
        self._names = count(1)

    def value(self, node: Node, least: int = YIELD) -> Doc:
        """Return what may stand at the end of a statement or in its header."""
        while kind(node) == "Grouped":
            node = node.value
        if kind(node) == "Tuple" and len(node.elts) > 1 and least == YIELD:
            return self.wrapped(self.sequence(node.elts))
        if precedence(node) < least:
            return self.expression(node, NOWHERE, least)
        match breaking.parentheses(node):
            case "never":
                return self.expression(node, NOWHERE)
            case "if they help":
                name = next(self._names)
                return Wrap(self.expression(node, name), name)
        if not breaking.can_do_without(node):
            return self.wrapped(self.expression(node, ANYWHERE))
        name = next(self._names)
        inside = IndentIf((_SOFT, self.expression(node, name)), name)
        parts = (IfBroken("("), inside, _SOFT, IfBroken(")"))
        return Group(parts, name)

    def wrapped(self, content: Doc) -> Doc:
        """Return `content`, in parentheses on lines of its own if it does not fit."""
        return Group((IfBroken("("), Indent((_SOFT, content)), _SOFT, IfBroken(")")))

    def sequence(self, elements: Sequence[Node]) -> Doc:
        """Return elements with commas, one a line if they do not fit."""
        docs = [self.expression(element, ANYWHERE, NAMED) for element in elements]
        return commas(docs)

    def bracketed(self, left: str, content: Doc, right: str, level: int) -> Doc:
        """Return `content` in brackets, indented on lines of its own if need be."""
        group = Group((left, Indent((_SOFT, content)), _SOFT, right))
        return Spread(group, level) if level > 0 else group

    def expression(self, node: Node, level: int, least: int = YIELD) -> Doc:
        """Return `node`, in parentheses if it binds less than `least`."""
        if precedence(node) < least:
            inside = node.value if kind(node) == "Grouped" else node
            return self.bracketed("(", self.expression(inside, ANYWHERE), ")", level)
        if kind(node) in BINARY_LIKE:
            return self._grouped(self._binary(node, level), level)
        method = getattr(self, f"_{kind(node).lower()}")
        doc: Doc = method(node, level)
        return doc

    def _grouped(self, content: Doc, level: int) -> Doc:
        if level == NOWHERE:
            return content
        return Group(content, only_if=level)

    def _break(self, level: int, flat: str = " ") -> Doc:
        if level == NOWHERE:
            return flat
        return IfBroken(Line(flat), flat, level) if level else Line(flat)

    def _space(self, level: int) -> Doc:
        """Return a space where lines break, nothing otherwise."""
        return "" if level == NOWHERE else IfBroken(" ", "", level)

    def _binary(self, node: Node, level: int) -> Doc:
        parts: list[Doc] = []
        chain = operands(node)
        for i, (symbol, operand, least) in enumerate(chain):
            if symbol:
                if symbol == "**" and is_simple_power(chain[i - 1], chain[i]):
                    parts += [self._break(level, ""), symbol, self._space(level)]
                else:
                    parts += [self._break(level), f"{symbol} "]
            parts.append(self.expression(operand, level, least))
        return tuple(parts)

    def _unaryop(self, node: Node, level: int) -> Doc:
        symbol, own = OPERATORS[kind(node.op)]
        # Black sets a power in parentheses here: -(x**2).
        least = AWAIT if precedence(node.operand) == POWER else own
        return symbol, self.expression(node.operand, level, least)

    def _ifexp(self, node: Node, level: int) -> Doc:
        return self._grouped(self._alternatives(node, level), level)

    def _alternatives(self, node: Node, level: int) -> Doc:
        body = self.expression(node.body, level, OR)
        test = self.expression(node.test, level, OR)
        if kind(node.orelse) == "IfExp":
            other = self._alternatives(node.orelse, level)
        else:
            other = self.expression(node.orelse, level, LAMBDA)
        gap = self._break(level)
        return body, gap, "if ", test, gap, "else ", other

    def _lambda(self, node: Node, _level: int) -> Doc:
        head = flat_commas(self.parameters(node.args))
        body = node.body
        start = f"lambda {head}: " if head else "lambda: "
        return start, self.value(body, LAMBDA)

    def _namedexpr(self, node: Node, level: int) -> Doc:
        return node.target.id, " := ", self.expression(node.value, level, LAMBDA)

    def _await(self, node: Node, level: int) -> Doc:
        return "await ", self.expression(node.value, level, ATOM)

    def _yield(self, node: Node, level: int) -> Doc:
        if node.value is None:
            return "yield"
        return "yield ", self.expression(node.value, level)

    def _yieldfrom(self, node: Node, level: int) -> Doc:
        return "yield from ", self.expression(node.value, level)

    def _starred(self, node: Node, level: int) -> Doc:
        return "*", self.expression(node.value, level, 8)

    def _name(self, node: Node, _level: int) -> Doc:
        name: str = node.id
        return name

    def _constant(self, node: Node, _level: int) -> Doc:
        return constant_text(node.value)

    def _joinedstr(self, node: Node, _level: int) -> Doc:
        return fstring_text(node, flat_text)

    def _attribute(self, node: Node, level: int) -> Doc:
        if not is_fluent(node):
            return self._object(node.value, level), ".", node.attr
        return self._grouped(self._chain(node, level), level)

    def _call(self, node: Node, level: int) -> Doc:
        if not is_fluent(node):
            return self.expression(node.func, level, ATOM), self._arguments(node, level)
        return self._grouped(self._chain(node, level), level)

    def _subscript(self, node: Node, level: int) -> Doc:
        if not is_fluent(node):
            return self.expression(node.value, level, ATOM), self._index(
                node.slice, level
            )
        return self._grouped(self._chain(node, level), level)

    def _chain(self, node: Node, level: int) -> Doc:
        """Return a chain of methods, which breaks before its dots."""
        match kind(node):
            case "Call":
                return self._chain(node.func, level), self._arguments(node, level)
            case "Subscript":
                return self._chain(node.value, level), self._index(node.slice, level)
            case "Attribute":
                value = node.value
                called = kind(value) in ("Call", "Subscript")
                breaks = called or precedence(value) < ATOM or is_number(value)
                gap = self._break(level, "") if breaks else ""
                return self._chain(value, level), gap, ".", node.attr
        return self._object(node, level)

    def _object(self, node: Node, level: int) -> Doc:
        if is_number(node):
            return self.bracketed("(", constant_text(node.value), ")", level)
        return self.expression(node, level, ATOM)

    def _arguments(self, node: Node, level: int) -> Doc:
        if not node.args and not node.keywords:
            return "()"
        if len(node.args) == 1 and not node.keywords:
            [only] = node.args
            if kind(only) == "GeneratorExp":
                return self.bracketed("(", self._comprehension(only), ")", level)
            if kind(only) == "Constant" and type(only.value) is str:
                return self.bracketed("(", _message(only.value), ")", level)
        docs = [self.expression(arg, ANYWHERE, NAMED) for arg in node.args]
        docs += [self.keyword(keyword) for keyword in node.keywords]
        return self.bracketed("(", Group(commas(docs)), ")", level)

    def keyword(self, node: Node) -> Doc:
        """Return ``name=value`` or ``**value``."""
        value = self.expression(node.value, ANYWHERE, LAMBDA)
        return (f"{node.arg}=" if node.arg else "**"), value

    def _index(self, node: Node, level: int) -> Doc:
        if kind(node) == "Tuple" and len(node.elts) > 1:
            inside: Doc = Group(self.sequence(node.elts))
        elif kind(node) == "Tuple" and node.elts and kind(node.elts[0]) == "Slice":
            # no parentheses around a colon: `x[:,]`
            inside = self.expression(node.elts[0], ANYWHERE, LAMBDA), ","
        else:
            inside = self.expression(node, ANYWHERE, LAMBDA)
        return self.bracketed("[", inside, "]", level)

    def _slice(self, node: Node, _level: int) -> Doc:
        bounds = [node.lower, node.upper, *([node.step] if node.step else [])]
        gap = "" if all(map(is_simple_bound, bounds)) else " "
        parts: list[Doc] = []
        for i, bound in enumerate(bounds):
            if i:
                parts.append(gap + ":" if bounds[i - 1] is not None else ":")
            if bound is not None:
                parts += [gap if i else "", self.expression(bound, ANYWHERE, LAMBDA)]
        return tuple(parts)

    def _tuple(self, node: Node, level: int) -> Doc:
        if not node.elts:
            return "()"
        if len(node.elts) == 1:
            only = self.expression(node.elts[0], ANYWHERE, NAMED), ","
            return self.bracketed("(", only, ")", level)
        return self.bracketed("(", self.sequence(node.elts), ")", level)

    def _list(self, node: Node, level: int) -> Doc:
        if not node.elts:
            return "[]"
        return self.bracketed("[", self.sequence(node.elts), "]", level)

    def _set(self, node: Node, level: int) -> Doc:
        if not node.elts:
            return "set()"
        return self.bracketed("{", self.sequence(node.elts), "}", level)

    def _dict(self, node: Node, level: int) -> Doc:
        if not node.keys:
            return "{}"
        docs: list[Doc] = []
        for key, value in zip(node.keys, node.values, strict=True):
            start: Doc = "**"
            if key is not None:
                start = (self.expression(key, ANYWHERE, LAMBDA), ": ")
            docs.append((start, self.expression(value, ANYWHERE, LAMBDA)))
        return self.bracketed("{", commas(docs), "}", level)

    def _generatorexp(self, node: Node, level: int) -> Doc:
        left, right = _BRACKETS[kind(node)]
        return self.bracketed(left, self._comprehension(node), right, level)

    _listcomp = _setcomp = _dictcomp = _generatorexp

    def _comprehension(self, node: Node) -> Doc:
        if kind(node) == "DictComp":
            key = self.expression(node.key, ANYWHERE, LAMBDA)
            element: Doc = (key, ": ", self.expression(node.value, ANYWHERE, LAMBDA))
        else:
            element = self.expression(node.elt, ANYWHERE, NAMED)
        parts: list[Doc] = [Group(element)]
        for part in node.generators:
            target = self.target(part.target)
            iterable = self.expression(part.iter, ANYWHERE, OR)
            word = "async for " if part.is_async else "for "
            parts += [Line(), Group((word, target, " in ", iterable))]
            for test in part.ifs:
                parts += [Line(), Group(("if ", self.expression(test, ANYWHERE, OR)))]
        return Group(tuple(parts))

    def target(self, node: Node) -> Doc:
        """Return what is assigned to: a tuple stands without parentheses."""
        if kind(node) == "Tuple" and len(node.elts) > 1:
            return self.wrapped(self.sequence(node.elts))
        return self.expression(node, NOWHERE)

    def parameters(self, node: Node) -> list[Doc]:
        """Return the parameters of a function, each with its default."""
        positional = [*node.posonlyargs, *node.args]
        missing = len(positional) - len(node.defaults)
        docs: list[Doc] = []
        for i, parameter in enumerate(positional):
            default = node.defaults[i - missing] if i >= missing else None
            docs.append(self._parameter(parameter, default))
            if i + 1 == len(node.posonlyargs):
                docs.append("/")
        if node.vararg:
            docs.append(("*", self._parameter(node.vararg, None)))
        elif node.kwonlyargs:
            docs.append("*")
        for parameter, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
            docs.append(self._parameter(parameter, default))
        if node.kwarg:
            docs.append(("**", self._parameter(node.kwarg, None)))
        return docs

    def _parameter(self, node: Node, default: Node | None) -> Doc:
        name: str = node.id if kind(node) == "Name" else node.arg
        parts: list[Doc] = [name]
        if node.annotation is not None:
            parts += [": ", self.expression(node.annotation, ANYWHERE, LAMBDA)]
        if default is not None:
            equals = " = " if node.annotation is not None else "="
            parts += [equals, self.expression(default, ANYWHERE, LAMBDA)]
        return tuple(parts)


def _message(text: str) -> Doc:
    """Return a string that alone is given to a call, over lines if it is long."""
    pieces = [""]
    for word in re.findall(r"[^ ]+ *|^ +", text):
        if pieces[-1] and len(pieces[-1]) + len(word) > _PIECE:
            pieces.append("")
        pieces[-1] += word
    if len(pieces) == 1:
        return constant_text(text)
    parts = join(Line(""), [constant_text(piece) for piece in pieces])
    return Group(IfBroken(parts, constant_text(text)))


def commas(docs: Sequence[Doc]) -> Doc:
    """Return `docs` with commas between them and, over several lines, one after."""
    return join((",", Line()), docs), IfBroken(",")


def flat_commas(docs: Sequence[Doc]) -> str:
    """Return `docs` on one line."""
    return render(join(", ", docs), width=10**9)
