"""Text of one statement -> its lines, laid out at its depth in the function.

A `Line` is one of them together with what it stems from.

>>> statement("x=f(a ,b)**2", 1)
['    x = f(a, b) ** 2']
>>> header("for i in range( n )", 0)
['for i in range(n):']
>>> statement(f"y = {KEPT}(2*s)*x", 0)
['y = (2 * s) * x']
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.plan.kept_values import Kept
from yota_ast.codegen.printers.expression_source import KEPT
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Origin

INDENT = "    "
_ARITHMETIC = re.compile(
    r"""\w+\ [-+*/]?=\ [\w.-]  (?: (?!\ (?:and|or|not|if|in|is)\ ) [^:'"{}\n] )*""",
    re.VERBOSE,
)
_SUBSCRIPT = re.compile(
    r"(?<=\w)\[(?:(?:-?\w*(?::-?\w*)+|-?\w+(?: [-+] \w+)?)(?:, |(?=\])))+\]"
)
"""An element or a slice by names and numbers, which stands as it is."""
_KEPT_FACTOR = re.compile(
    rf"""{KEPT}\( ( (?: (?!\ (?:and|or|not|if|in|is)\ ) [\w.\ +*/@-] )+ ) \)
    (?=\ [-+*/@]\ )""",
    re.VERBOSE,
)
"""What keeps its parentheses in front of an operator."""
_NAME = r"[^\W\d]\w*"
_NAMES = rf"{_NAME}(?:,\ {_NAME})*"
_NAMED = re.compile(
    rf"""{_NAMES}\ =\ {_NAMES}|\w+\ =\ \[\]|break
    |return(?:(?:,|(?<=return))\ (?:{_NAME}|float\(\w+\)))+
    |\w+\.append\(\(?{_NAMES}\)?\)""",
    re.VERBOSE,
)
"""Copies, what is saved, what is returned: without numbers."""
_HEADER = re.compile(
    rf"""(?:if|elif|while)\ (?:not\ )?[\w.]+(?:\ (?:[<>=!]=|[<>]|is|is\ not)\ -?[\w.]+)*
    |for\ {_NAMES}\ in\ (?:[\w.]+(?:\[::-1\])?
        |range\((?:(?:-?[\w.]+|len\(\w+\))(?:\ [-+*]\ [\w.]+)*(?:,\ |(?=\))))+\))
    |def\ \w+\((?:{_NAME}(?:=-?[\w.]+)?(?:,\ |(?=\))))+\)""",
    re.VERBOSE,
)
"""Tests of names and numbers; loops over what has a name; ranges; functions."""
_RAISING = re.compile(r"raise \w+\(\w*\)")
Part = Literal["import", "head", "check", "forward", "reverse", "return", "helper"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a function.

    origins: where the ops come from that it shows, those of its own statement first.
    part: what of the function it belongs to. keeps: the values that it makes and the
    reverse sweep reads; stack: the list that it puts them on, at every iteration.
    """

    text: str
    origins: tuple[Origin, ...] = ()
    part: Part = "head"
    keeps: tuple[Kept, ...] = ()
    stack: Var | None = None


def one_below_another(functions: Iterable[Iterable[Line]]) -> tuple[Line, ...]:
    """Return the lines of functions, two blank ones between them."""
    between = plain(["", ""], "helper")
    return tuple(line for each in functions for line in (*between, *each))[2:]


def within(text: str, found: Sequence[Line]) -> list[Line]:
    """Return all lines of a text that holds these in a row; the others are imports."""
    texts = text.rstrip("\n").split("\n")
    own = [line.text for line in found]
    after = range(len(texts) - len(own) + 1)
    start = next(k for k in after if texts[k : k + len(own)] == own)
    above, below = texts[:start], texts[start + len(own) :]
    return [*plain(above, "import"), *found, *plain(below, "import")]


def plain(texts: Iterable[str], part: Part = "head") -> list[Line]:
    """Return lines that stem from no op."""
    return [Line(text, part=part) for text in texts]


def statement(text: str, depth: int) -> list[str]:
    """Return the lines of a simple statement."""
    indent, width = INDENT * depth, syntax.line_width()
    if len(text) <= width - len(indent):
        final = in_final_form(text)
        if final is not None:
            return [indent + final]
    odd = KEPT in text or ",)" in text or ",]" in text
    if odd or not _ARITHMETIC.fullmatch(text):
        return laid_out(text, depth)
    target, equals, value = text.split(" ", 2)
    found = syntax.spread(target, equals, value, indent, width)
    return laid_out(text, depth) if found is None else found


def in_final_form(text: str) -> str | None:
    """Return a statement as it stands on one line, where no spaces, parentheses or
    quotes are a matter of style in it; None where the printer has to say.

    >>> in_final_form("x[i] += t1 * u[1:-1]"), in_final_form(f"y = {KEPT}(2 * s) * x")
    ('x[i] += t1 * u[1:-1]', 'y = (2 * s) * x')
    """
    if _NAMED.fullmatch(text):
        return text
    if "**" in text or ",)" in text or ",]" in text:
        return None
    if KEPT not in text and _ARITHMETIC.fullmatch(text):
        return text
    if "e+" in text:  # the layout writes 1e30
        return None
    bare, plain = text, text
    if KEPT in text:
        bare, plain = _KEPT_FACTOR.sub("_", text), _KEPT_FACTOR.sub(r"(\1)", text)
    bare = _SUBSCRIPT.sub("", bare)
    return plain if KEPT not in bare and _ARITHMETIC.fullmatch(bare) else None


def laid_out(text: str, depth: int) -> list[str]:
    """Return the lines of any statement."""
    return list(_laid_out(text, depth, syntax.line_width()))


@lru_cache(1024)
def _laid_out(text: str, depth: int, width: int) -> tuple[str, ...]:
    """The same for a width. Checks and signatures recur from function to function."""
    guard = _guard(text, INDENT * depth, width)
    if guard is not None:
        return guard
    tree = syntax.parse_to_print(text)
    if KEPT in text:
        tree = _KeepsParentheses().visit(tree)
    with syntax.width(width):
        printed = syntax.print_stmts(tree.body, depth)
    return tuple(printed.rstrip("\n").split("\n"))


def _guard(text: str, indent: str, width: int) -> tuple[str, ...] | None:
    """Return the lines of `if a or b:` with a call behind it, made of those of its
    tests, which recur in other guards; None where the printer has to say."""
    head, mark, body = text.partition(":\n" + INDENT)
    if not head.startswith("if ") or not mark or not _RAISING.fullmatch(body):
        return None
    tests = [_operand_of_or(test) for test in head.removeprefix("if ").split(" or ")]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return None
    found = [f"{indent}if {' or '.join(known)}:"]
    if len(found[0]) > width and len(known) > 1:
        first, *others = known
        inner = [first, *(f"or {test}" for test in others)]
        found = [f"{indent}if (", *(f"{indent}{INDENT}{t}" for t in inner)]
        found.append(f"{indent}):")
    found.append(f"{indent}{INDENT}{body}")
    return tuple(found) if max(map(len, found)) <= width else None


@lru_cache(1024)
def _operand_of_or(text: str) -> str | None:
    """Return an operand of `or` on one line; None if a text is none by itself."""
    if KEPT in text or "lambda" in text:
        return None
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:  # a part of a string, or of what stands in parentheses
        return None
    return syntax.print_expr(node) if syntax.precedence(node) > syntax.OR else None


class _KeepsParentheses(ast.NodeTransformer):
    """Puts an expression in parentheses where `KEPT` is called with it.

    No call without a name: over several lines that has a comma, and is a tuple.
    """

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        is_kept = getattr(node.func, "id", "") == KEPT
        return syntax.Grouped(node.args[0]) if is_kept else node


def header(text: str, depth: int) -> list[str]:
    """Return the lines of a compound statement's header, its colon added."""
    plain = syntax.plain_numbers(text) if _HEADER.fullmatch(text) else None
    line = f"{INDENT * depth}{plain}:"
    if plain is not None and len(line) <= syntax.line_width():
        return [line]
    if text.startswith("except "):
        return statement(f"try:\n    pass\n{text}:\n    pass", depth)[2:-1]
    if text.startswith("elif "):
        return statement(f"if _:\n    pass\n{text}:\n    pass", depth)[2:-1]
    return statement(f"{text}:\n    pass", depth)[:-1]


def comment(text: str, depth: int) -> list[str]:
    """Return a comment of one line, cut where it is too long."""
    return [INDENT * depth + syntax.comment_text(text, depth)]
