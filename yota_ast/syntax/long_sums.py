r"""A long sum or product of short terms -> its lines, one term each, without a tree.

Generated texts have thousands of them. This says how the layout prints those whose
terms fit their lines, and leaves the others to it; it is no second style.

>>> print("\n".join(spread("d", "=", "a * (b + c) - f(x) + 1e+30 * y", width=20)))
d = (
    a * (b + c)
    - f(x)
    + 1e30 * y
)
>>> print("\n".join(spread("d", "=", "x + a * (b + c)", width=14)))
d = x + a * (
    b + c
)
>>> print(spread("d", "=", "f(x) + a * (b + c)", width=15))
None
"""

import math
import re

from yota_ast.syntax.scalar_literals import constant_text

_INDENT = " " * 4
_PLAIN = re.compile(r"(?!not )[\w.+\-*/()\[\], ]+")
"""What may stand in such a sum: no strings, no comparisons, no keywords."""
_INSIDE = r"[(\[](?:[^()\[\]]++|[(\[][^()\[\]]*+[)\]])*+[)\]]"
"""Brackets in which brackets have none within: they are passed over at once."""
_TOKEN = re.compile(rf"{_INSIDE}|[()\[\]]|,| (?:[-+*]|//?) ")
_BRACKET = re.compile(rf"{_INSIDE}|[()\[\]]")
_DEEPER = {"(": 1, "[": 1, ")": -1, "]": -1}
_SIGN = re.compile(r"(?:[-+*]|//?) ")
_POWER = re.compile(r"(?<![\w.)\]-])([A-Za-z_][\w.]*) \*\* (-?\w[\w.]*)(?![\w.(\[-])")
"""One of simple operands, which the layout writes without spaces."""
_NUMBER = re.compile(r"(?<![\w.])\.?\d[\w.]*(?:(?<=[eE])[-+]\d+)?")


def spread(
    target: str, equals: str, value: str, indent: str = "", width: int = 88
) -> list[str] | None:
    """Return the lines of `target = value`, or None where the layout must be asked.

    The value is in its final form but for its numbers.
    """
    if _PLAIN.fullmatch(value) is None or (numbered := plain_numbers(value)) is None:
        return None
    if "**" in numbered:
        numbered = _POWER.sub(r"\1**\2", numbered)
        if " ** " in numbered or ",)" in numbered or ",]" in numbered:
            return None
    start = f"{indent}{target} {equals} "
    if len(start) + len(numbered) <= width:
        return [start + numbered]
    terms, inner = _terms(numbered), indent + _INDENT
    before, bracket, _ = numbered.partition("(")
    if len(terms) > 2 or (len(terms) == 2 and not bracket and "[" not in numbered):
        head, content = f"{start}(", numbered
    elif len(terms) == 2 and _is_bracketed(numbered, len(before)):
        # Its last bracket breaks first, if what is in there can be broken enough.
        head, content = f"{start}{before}(", numbered[len(before) + 1 : -1]
        deepest = len(indent) + len(_INDENT) * (numbered.count("(") + 1)
        if "[" in before or deepest + max(map(len, content.split())) + 2 > width:
            return None
    else:
        return None
    found = _lines(content, inner, width)
    if found is None or len(head) > width:
        return None
    return [head, *found, f"{indent})"]


def _lines(text: str, indent: str, width: int) -> list[str] | None:
    """Return the lines of what stands in brackets: one, or one for each operand."""
    if len(indent) + len(text) <= width:
        return [indent + text]
    found: list[str] = []
    for term in _terms(text) or [","]:
        lines = _operand(term, indent, width)
        if lines is None:
            return None
        found += lines
    return found


def _operand(text: str, indent: str, width: int) -> list[str] | None:
    """Return the lines of an operand, its operator in front, or None."""
    if len(indent) + len(text) <= width:
        return [indent + text]
    sign = _SIGN.match(text)
    start = sign.end() if sign else 0
    first, *factors = _terms(text[start:]) or [","]
    if factors:
        operands = [text[:start] + first, *factors]
        lines = [_operand(operand, indent, width) for operand in operands]
        return None if None in lines else [s for each in lines for s in each or ()]
    if not _is_bracketed(text, start):
        return None
    inside = _lines(text[start + 1 : -1], indent + _INDENT, width)
    return inside and [f"{indent}{text[: start + 1]}", *inside, f"{indent})"]


def _is_bracketed(text: str, start: int) -> bool:
    """Whether all of a text from a place on is one thing in parentheses."""
    if text[start : start + 1] != "(" or text[start - 1 : start] not in ("", " "):
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        if bracket[0] in _DEEPER:
            depth += _DEEPER[bracket[0]]
        if depth == 0:
            return bracket.end() == len(text)
    return False


def plain_numbers(text: str) -> str | None:
    """Return a text with its numbers as the layout writes them; None of odd ones."""
    try:
        return _NUMBER.sub(_number, text)
    except ValueError:
        return None


def _number(found: re.Match[str]) -> str:
    text = found[0]
    if text.replace("_", "").isdecimal():
        return constant_text(int(text))
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return constant_text(value)


def _terms(text: str) -> list[str]:
    """Return the operands of the weakest operator, each but the first behind its own;
    none of what is a tuple.
    """
    depth, sums, products = 0, [0], [0]
    for token in _TOKEN.finditer(text):
        symbol = token[0]
        if symbol in _DEEPER:
            depth += _DEEPER[symbol]
        elif depth == 0 and symbol[0] not in "([":
            if symbol == ",":
                return []
            (sums if symbol in (" + ", " - ") else products).append(token.start() + 1)
    starts = sums if len(sums) > 1 else products
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
