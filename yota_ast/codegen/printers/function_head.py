"""Program -> the lines above the function's statements: head, docstring, checks."""

from __future__ import annotations

import builtins
import re
import textwrap
from collections.abc import Mapping
from typing import Any, Final

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.global_names import BUILTINS, Globals
from yota_ast.codegen.printers.templates import render
from yota_ast.ir.entry_tests import FLOATS, WANTED, Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.tape import Program
from yota_ast.runtime.general.argument_tests import are_floats
from yota_ast.syntax import nodes
from yota_ast.syntax.names import plain_lines
from yota_ast.syntax.string_literals import string_text
from yota_ast.syntax.value_literals import HELD, HELD_NAME, is_held


@dataclass(frozen=True, slots=True)
class Annotations:
    """The texts of annotations, by parameter, and that of what is returned."""

    parameters: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""


NONE: Final = Annotations()
MADE_FOR: Final = "made for "
"""How a message begins that says what a text takes for granted."""


def may_be_evaluated(note: str) -> bool:
    """Whether an annotation names classes, and no more: it does not raise, whoever
    evaluates it.

    >>> [may_be_evaluated(text) for text in ("float", "dict[str, int] | None")]
    [True, True]
    >>> [may_be_evaluated(text) for text in ("float[3, 3]", "metres(2)", "'Rate'")]
    [False, False, False]
    """
    return _names_classes(syntax.parse_expr(note))


def _names_classes(node: Any) -> bool:
    match node:
        case nodes.Name() | nodes.Attribute() | nodes.Constant(value=None):
            return True
        case nodes.Constant(value=value):
            return value is ...
        case nodes.BinOp(op=nodes.BitOr(), left=left, right=right):
            return _names_classes(left) and _names_classes(right)
        case nodes.Subscript(value=nodes.Name(id=name), slice=items):
            is_generic = hasattr(getattr(builtins, name, list), "__class_getitem__")
            return is_generic and _names_classes(items)
        case nodes.Subscript(value=nodes.Attribute(), slice=items):
            return _names_classes(items)
        case nodes.Tuple(elts=items) | nodes.List(elts=items):
            return all(map(_names_classes, items))
        case _:
            return False


def signature(program: Program, write: Expressions, typed: Annotations = NONE) -> str:
    """Return `def name(parameters):`, over several lines where it is long."""
    params = [p for p in program.params if p.outside is None]
    texts: list[str] = []
    kinds = [p.kind for p in params]
    for i, param in enumerate(params):
        if param.kind == "keyword" and not {"args", "keyword"} & set(kinds[:i]):
            texts.append("*")
        texts.append(_parameter(param, write, typed))
        last = param.kind == "positional-only"
        if last and (i + 1 == len(params) or kinds[i + 1] != "positional-only"):
            texts.append("/")
    arrow = f" -> {typed.returns}" if typed.returns else ""
    head = f"def {program.name}({', '.join(texts)}){arrow}"
    return "\n".join(statement_lines.header(head, 0))


def _parameter(param: Parameter, write: Expressions, typed: Annotations) -> str:
    stars = {"args": "*", "kwargs": "**"}.get(param.kind, "")
    name = param.var.hint or param.var.name
    note = typed.parameters.get(name, "")
    text = f"{stars}{name}: {note}" if note else stars + name
    if param.default is not None:
        text += f"={write.text(param.default)}"
    return text


def outside(program: Program, write: Expressions) -> list[str]:
    """Return the lines that name the objects from outside which the function writes."""
    given = [(p.var.hint, p.outside) for p in program.params if p.outside is not None]
    texts = [f"{name} = {write.text(const)}" for name, const in given]
    return [line for t in texts for line in statement_lines.statement(t, 1)]


def docstring(program: Program) -> list[str]:
    """Return the lines of the docstring."""
    if not program.doc:
        return []
    doc, room = (
        plain_lines(program.doc),
        syntax.line_width() - len(statement_lines.INDENT),
    )
    own, gap, users = doc.partition("\n\n")
    if len(own) + 6 > room and "\n" not in own:
        own = "\n".join(textwrap.wrap(own, room, initial_indent="   ")).lstrip()
        doc = f"{own}{gap}{users}" if users else f"{own}\n"
    literal = syntax.nodes.Expr(syntax.nodes.Constant(doc, None))
    return syntax.print_stmts([literal], 1).rstrip("\n").split("\n")


def checks(program: Program, write: Expressions) -> list[str]:
    """Return what the text tests of its arguments before anything else: the message of
    each test names what the text is not made for."""
    found: list[str] = []
    for block in Check.in_blocks(Check.of_one_class(program.checks)):
        test = " or ".join(spelled(check, write) for check in block)
        text = render("check.py", test=test, message="message")
        *head, _ = statement_lines.statement(text.rstrip("\n"), 1)
        first, *others = (check.told for check in block)
        told = "; ".join([first, *(each.removeprefix(MADE_FOR) for each in others)])
        found += [*head, *refusal(f"{program.name}: {told}")]
    return found


def spelled(check: Check, write: Expressions) -> str:
    """Return a test with its functions, classes and keys as the text calls them."""
    if "np." in check.test:
        write.world.module("np")
    known: dict[str, Any] = {FLOATS: are_floats}
    if check.wanted is not None:
        known[WANTED] = check.wanted
    held, shadowed = is_held(check.test), BUILTINS & write.world.locals
    if not held and not shadowed and not any(name in check.test for name in known):
        return check.test
    tree = syntax.nodes.Expression(syntax.parse_expr(check.test))
    return syntax.print_expr(_Spelling(known, write.world).visit(tree).body)


class _Spelling(syntax.nodes.NodeTransformer):  # type: ignore[misc]
    """What stands in a test for a function, a class or a key -> its name."""

    def __init__(self, known: Mapping[str, Any], world: Globals) -> None:
        self.known, self.world = known, world

    def visit_Name(self, node: syntax.Node) -> syntax.Node:
        if node.id not in self.known:
            return node
        return syntax.parse_expr(self.world.function(self.known[node.id]))

    def visit_Call(self, node: syntax.Node) -> syntax.Node:
        name = getattr(node.func, "id", "")
        self.generic_visit(node)
        if name in BUILTINS and name in self.world.locals:
            node.func = syntax.parse_expr(self.world.builtin(name))
        return node

    def visit_Subscript(self, node: syntax.Node) -> syntax.Node:
        if getattr(node.value, "id", "") != HELD_NAME:
            return self.generic_visit(node)
        return syntax.parse_expr(self.world.key(HELD[node.slice.value]))


def refusal(message: str) -> list[str]:
    """Return the lines that raise ValueError; a long message is several strings."""
    indent = statement_lines.INDENT * 2
    whole = f"{indent}raise ValueError({_literal(message)})"
    if len(whole) <= syntax.line_width():
        return [whole]
    inner = indent + statement_lines.INDENT
    parts: list[str] = []
    for word in re.findall(r"\S+\s*", message):
        longer = (parts[-1] if parts else "") + word
        if parts and len(inner + _literal(longer)) <= syntax.line_width():
            parts[-1] = longer
        else:
            parts.append(word)
    strings = [inner + _literal(part) for part in parts]
    return [f"{indent}raise ValueError(", *strings, f"{indent})"]


def _literal(text: str) -> str:
    return string_text(text)
