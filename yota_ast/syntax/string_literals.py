"""String constants -> the literals that black would write, the same on every Python.

>>> print(string_text("a"), string_text('say "a"'), string_text("it's"), sep="  ")
"a"  'say "a"'  "it's"
"""

from collections.abc import Callable, Iterator, Sequence

from yota_ast.errors import UnsupportedSyntax
from yota_ast.syntax.grammar import LAMBDA, Node, kind, precedence


def string_text(value: str | bytes) -> str:
    """Return the literal of `value`, in single quotes only to spare escapes."""
    if isinstance(value, bytes):
        return "b" + _quoted(
            _unquoted(repr(value + b"\"'")[1:]), value.decode("latin-1")
        )
    return _quoted(escaped(value), value)


def escaped(value: str) -> str:
    """Return the inside of a literal of `value`, its quotes not yet escaped."""
    return _unquoted(repr(value + "\"'"))


def quote_of(value: str) -> str:
    """Return the kind of quote that encloses `value` with the fewest escapes."""
    return "'" if value.count('"') > value.count("'") else '"'


def _quoted(inside: str, value: str) -> str:
    quote = quote_of(value)
    return quote + inside.replace(quote, "\\" + quote) + quote


def _unquoted(literal: str) -> str:
    # With both kinds of quotes in it, repr encloses in single ones and escapes those.
    return literal[1:-1].replace("\\'", "'")[:-2]


def fstring_text(node: Node, expression_text: Callable[[Node], str]) -> str:
    """Return the literal of a formatted string, one that Python 3.11 can read.

    Raises:
        UnsupportedSyntax: quotes or backslashes nest deeper than Python 3.11 allows.

    """
    pieces = list(_pieces(node.values, expression_text))
    code = "".join(piece for is_code, piece in pieces if is_code)
    plain = "".join(piece for is_code, piece in pieces if not is_code)
    if "\\" in code or '"""' in code:
        raise UnsupportedSyntax(
            "the expressions in this f-string need quotes or backslashes that "
            "Python before 3.12 does not allow there",
            remedy="Name the expression before the f-string.",
        )
    swap = '"' in code and "'" not in code
    nested = '"' if swap else '"""'
    quote = nested if '"' in code else quote_of(plain)
    out = [f"f{quote}"]
    for is_code, piece in pieces:
        if is_code:
            out.append(piece.replace('"', "'") if swap else piece)
        else:
            inside = escaped(piece).replace("{", "{{").replace("}", "}}")
            out.append(inside.replace(quote[0], "\\" + quote[0]))
    return "".join([*out, quote])


def _pieces(
    values: Sequence[Node], expression_text: Callable[[Node], str]
) -> Iterator[tuple[bool, str]]:
    """Yield the parts of a formatted string: whether it is code, and its text."""
    for value in values:
        if kind(value) != "FormattedValue":
            yield False, value.value
            continue
        code = expression_text(value.value)
        if precedence(value.value) <= LAMBDA:
            code = f"({code})"
        code = f" {code} " if code.startswith("{") else code
        yield True, "{" + code
        if value.conversion != -1:
            yield True, f"!{chr(value.conversion)}"
        if value.format_spec is not None:
            yield True, ":"
            yield from _pieces(value.format_spec.values, expression_text)
        yield True, "}"
