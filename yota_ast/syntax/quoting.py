# ruff: noqa: N815 - gast gives the methods their names
"""Text -> syntax trees, and snippets with holes -> trees with the holes filled.

>>> from yota_ast.syntax.statement_layout import print_stmts
>>> tree = quote("d = d + e", d="dx", e=parse_expr("dy * np.cos(x)"))
>>> print(print_stmts(tree), end="")
dx = dx + dy * np.cos(x)
"""

import ast
import copy
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import gast
from gast.ast3 import Ast3ToGAst

from yota_ast.errors import InternalError
from yota_ast.syntax.grammar import Node
from yota_ast.syntax.scalar_literals import literal

nodes = gast
"""The node classes, for the rest of the compiler: ``nodes.BinOp``."""

Hole = Any
"""What fills a hole: a node, an expression's text (a name, say), or a number."""


def parse(text: str) -> Node:
    """Return the tree of a module's text."""
    return gast.parse(text)


def parse_to_print(text: str) -> Node:
    """Return the tree of a module's text to be printed, and no more.

    It is that of the standard library where the printer sees no difference: gast has
    its own way with parameters, and with what a handler catches.

    >>> [type(parse_to_print(t)).__module__ for t in ("x = 1", "x = lambda y: y")]
    ['ast', 'gast.gast']
    """
    return parse(text) if _OF_GAST.search(text) else ast.parse(text)


_OF_GAST = re.compile(r"\b(?:lambda|def|class|except)\b")


def parse_expr(text: str) -> Node:
    """Return the tree of one expression."""
    return from_ast(ast.parse(text.strip(), mode="eval").body)


def from_ast(node: ast.AST) -> Node:
    """Return the gast tree of a tree of the standard library, positions kept."""
    return _TRANSLATOR.visit(node)


class _Translator(Ast3ToGAst):  # type: ignore[misc]
    """gast's own translation of parsed trees, without asking each node anew what it is:
    a node that is alike in both is made of what the parsed one holds."""

    def visit(self, node: ast.AST) -> Node:
        own, kind = _TRANSLATIONS.get(type(node)) or _translation_of(type(node))
        if own is not None:
            return own(self, node)
        if isinstance(node, _SIGNS):  # Python, too, has one of each
            return _one_of(kind)
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> Node:
        _, kind = _TRANSLATIONS[type(node)]
        made = kind.__new__(kind)
        held = made.__dict__
        for name, value in node.__dict__.items():
            if isinstance(value, ast.AST):
                held[name] = self.visit(value)
            elif isinstance(value, list):
                held[name] = [self._visit(v) for v in value]
            else:
                held[name] = value
        return made

    def visit_Name(self, node: ast.Name) -> Node:
        made = gast.Name.__new__(gast.Name)
        made.__dict__.update(
            node.__dict__, ctx=self.visit(node.ctx), annotation=None, type_comment=None
        )
        return made


_SIGNS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


@functools.cache
def _one_of(kind: Any) -> Node:
    return kind.__new__(kind)


_TRANSLATIONS: dict[type[ast.AST], tuple[Callable[..., Node] | None, Any]] = {}
"""gast's own way with nodes of a class, if it has one; the class that they get."""


def _translation_of(kind: type[ast.AST]) -> tuple[Callable[..., Node] | None, Any]:
    name = f"visit_{kind.__name__}"
    own = getattr(_Translator, name, None)
    if own is getattr(ast.NodeVisitor, name, None):
        own = None
    found = _TRANSLATIONS[kind] = own, getattr(gast, kind.__name__, None)
    return found


_TRANSLATOR = _Translator()


def quote(snippet: str, /, **holes: Hole) -> list[Node]:
    """Return the statements of `snippet`, names that are holes filled with copies. What
    the snippet itself says stands in no source."""
    tree = parse(snippet)
    for node in gast.walk(tree):
        node.__dict__.pop("lineno", None)
    return _filled(tree, snippet, holes).body  # type: ignore[no-any-return]


def quote_expr(snippet: str, /, **holes: Hole) -> Node:
    """Return the expression `snippet`, its holes filled.

    >>> from yota_ast.syntax.statement_layout import print_expr
    >>> print_expr(quote_expr("a * b", a="x + y", b=-2))
    '(x + y) * -2'
    """
    return _filled(parse_expr(snippet), snippet, holes)


def _filled(tree: Node, snippet: str, holes: Mapping[str, Hole]) -> Node:
    filler = _Filler(holes)
    tree = filler.visit(tree)
    unused = [name for name in holes if name not in filler.used]
    if unused:
        raise InternalError(f"{snippet!r} has no hole {', '.join(unused)}")
    return tree


class _Filler(gast.NodeTransformer):  # type: ignore[misc]
    """Replace the names that are holes, targets and parameters included."""

    def __init__(self, holes: Mapping[str, Hole]) -> None:
        self.holes = {name: _node(hole) for name, hole in holes.items()}
        self.used: set[str] = set()

    def visit_Name(self, node: Node) -> Node:
        if node.id not in self.holes:
            return self.generic_visit(node)
        self.used.add(node.id)
        filled = copy.deepcopy(self.holes[node.id])
        if isinstance(node.ctx, gast.Param):
            filled.ctx, filled.annotation = gast.Param(), node.annotation
        else:
            set_context(filled, node.ctx)
        return filled


def _node(hole: Hole) -> Node:
    if isinstance(hole, str):
        return parse_expr(hole)
    return hole if isinstance(hole, ast.AST) else literal(hole)


def set_context(node: Node, context: Node) -> None:
    """Make `node` a target, or a value, all the way down its tuples."""
    if hasattr(node, "ctx"):
        node.ctx = context
    if isinstance(node, (gast.Tuple, gast.List)):
        for element in node.elts:
            set_context(element, context)
    elif isinstance(node, gast.Starred):
        set_context(node.value, context)


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """Return a copy of `node` with copies of `values` for the names it reads.

    Names that a lambda or a comprehension within binds are its own.

    Raises:
        InternalError: a value reads a name that such a scope binds.

    >>> from yota_ast.syntax.statement_layout import print_expr
    >>> tree = parse_expr("x + sum(x * i for x in f(x))")
    >>> print_expr(substitute(tree, {"x": parse_expr("y - 1")}))
    'y - 1 + sum(x * i for x in f(y - 1))'
    """
    return _Substitution(values).visit(copy.deepcopy(node))


class _Substitution(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, values: Mapping[str, Node]) -> None:
        self.values = dict(values)

    def visit_Name(self, node: Node) -> Node:
        if isinstance(node.ctx, gast.Load) and node.id in self.values:
            return copy.deepcopy(self.values[node.id])
        return node

    def visit_Lambda(self, node: Node) -> Node:
        inside = self._within(_names_in(node.args, gast.Param), node.body)
        node.args = self.visit(node.args)
        node.body = inside.visit(node.body)
        return node

    def _comprehension(self, node: Node) -> Node:
        bound = [n for g in node.generators for n in _names_in(g.target, gast.Store)]
        inside = self._within(bound, node)
        # The first iterable is evaluated outside of the scope.
        first = self.visit(node.generators[0].iter)
        node.generators[0].iter = gast.Constant(None, None)
        node = inside.generic_visit(node)
        node.generators[0].iter = first
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = _comprehension
    visit_GeneratorExp = _comprehension

    def _within(self, bound: list[str], scope: Node) -> "_Substitution":
        read = _names_in(scope, gast.Load)
        values = {n: v for n, v in self.values.items() if n not in bound and n in read}
        for name, value in values.items():
            captured = [n for n in _names_in(value, gast.Load) if n in bound]
            if captured:
                raise InternalError(
                    f"the value of {name} reads {captured[0]}, bound in its place"
                )
        return _Substitution(values)


def _names_in(node: Node, context: type) -> list[str]:
    found = (n for n in gast.walk(node) if isinstance(n, gast.Name))
    return [name.id for name in found if isinstance(name.ctx, context)]
