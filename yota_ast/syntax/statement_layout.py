# ruff: noqa: FBT002 - astor gives the methods their names
r"""Statement nodes -> text laid out as black lays it out.

astor walks the statements; the expressions and headers in them are laid out by this
package.  Comments and blank lines are statements of their own.

>>> import gast
>>> from yota_ast.syntax.own_nodes import Blank, Comment
>>> body = gast.parse("x=1;y=[2,\n3]").body
>>> print(print_stmts([Comment("forward"), body[0], Blank(), body[1]]), end="")
# forward
x = 1
<BLANKLINE>
y = [2, 3]
"""

import ast
import inspect
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import gast

from yota_ast.syntax.expression_layout import ANYWHERE, Expressions, commas, flat_text
from yota_ast.syntax.grammar import LAMBDA, NAMED, OPERATORS, Node, kind
from yota_ast.syntax.layout import Doc, Group, Indent, Line, render
from yota_ast.syntax.names import plain_lines
from yota_ast.syntax.scalar_literals import canonical

with warnings.catch_warnings():
    # astor reads ast.Num and its like when it is imported.
    warnings.simplefilter("ignore", DeprecationWarning)
    import astor.code_gen

WIDTH = 88
_WIDTH = ContextVar("width of lines", default=WIDTH)
_DEFINITIONS = ("FunctionDef", "AsyncFunctionDef", "ClassDef")
_IMPORTS = ("Import", "ImportFrom")


def line_width() -> int:
    """Return how wide lines may be: 88, within `width(n)` n."""
    return _WIDTH.get()


@contextmanager
def width(columns: int) -> Iterator[None]:
    r"""Print lines of another width.

    >>> with width(12):
    ...     print_stmts(gast.parse("total = first + second").body)
    'total = (\n    first\n    + second\n)\n'
    """
    token = _WIDTH.set(columns)
    try:
        yield
    finally:
        _WIDTH.reset(token)


def print_expr(node: Node) -> str:
    """Return the expression on one line.

    >>> print_expr(gast.parse("x [ i+1: ]**2").body[0].value)
    'x[i + 1 :] ** 2'
    """
    return flat_text(canonical(node))


def print_stmts(stmts: Sequence[Node], indent: int = 0) -> str:
    """Return the lines of `stmts`, indented by `indent` levels."""
    generator = _Generator(indent)
    generator.block([canonical(stmt) for stmt in stmts])
    text = "".join(generator.result).lstrip("\n").rstrip()
    return text + "\n" if text else ""


def comment_text(text: str, indent: int) -> str:
    """Return a comment on one line at some levels of indentation, cut to fit there."""
    text = f"# {plain_lines(text)}".replace("\n", " ").rstrip()
    room = max(line_width() - indent * 4, len("# ..."))
    return text if len(text) <= room else text[: room - 4] + " ..."


def print_module(module: Node) -> str:
    """Return the text of a module."""
    return print_stmts(module.body)


class _Generator(astor.code_gen.SourceGenerator):  # type: ignore[misc]
    """astor's walk over statements, with the layout of this package."""

    def __init__(self, indent: int) -> None:
        super().__init__(" " * 4)
        self.indentation: int = indent
        self.new_lines: int = 0
        self.after_definition = False  # at the end of the last block
        self.owner = ""  # whose body the block to come is, of a definition

    # Blocks

    def block(self, stmts: Sequence[Node]) -> None:
        """Write statements with the blank lines that belong between them."""
        before: Node | None = None
        owner, self.owner = self.owner, ""
        for i, stmt in enumerate(stmts):
            if kind(stmt) == "Blank" or (_is_inline(stmt) and i > 0):
                continue
            blank = i > 0 and kind(stmts[i - 1]) == "Blank"
            if before is None and self.indentation and not owner:
                self.newline(extra=int(kind(stmt) in _DEFINITIONS))
            if before is not None:
                gap = self._gap(before, stmt, stmts[i:])
                if owner == "ClassDef" and _is_docstring(before):
                    gap = max(gap, 1)
                self.newline(extra=max(gap, int(blank)))
            self._statement(stmt, stmts[i + 1] if i + 1 < len(stmts) else None)
            before = stmt
        self.after_definition = before is not None and _ends_with_definition(before)

    def _statement(self, stmt: Node, following: Node | None) -> None:
        """Write a statement and the comment that stands behind it, if one does."""
        start, new_lines = len(self.result), self.new_lines
        self.visit(stmt)
        if following is None or not _is_inline(following):
            return
        line = "".join(self.result[start:]).strip("\n")
        if "\n" not in line and len(line) + len(following.text) + 4 <= line_width():
            self.write(f"  # {following.text}")
            return
        # It does not fit behind the statement and goes above it.
        del self.result[start:]
        self.new_lines = new_lines
        self.visit(following)
        self.visit(stmt)

    def _gap(self, before: Node, stmt: Node, following: Sequence[Node]) -> int:
        wide = 2 if self.indentation == 0 else 1
        if kind(before) == "Comment":
            return 0
        subject = next((s for s in following if kind(s) != "Comment"), stmt)
        if kind(subject) in _DEFINITIONS:
            return wide
        if _ends_with_definition(before):
            return wide
        if kind(before) in _IMPORTS and kind(stmt) not in _IMPORTS:
            return 1
        return int(_is_docstring(before) and self.indentation == 0)

    def body(self, statements: Sequence[Node]) -> None:
        """Write an indented block, `pass` where nothing in it is a statement."""
        self.indentation += 1
        self.block(statements)
        if all(kind(stmt) in ("Comment", "Blank") for stmt in statements):
            self.statement(None, "pass")
        self.indentation -= 1

    def _line(self, *parts: Doc) -> None:
        """Write a statement or header."""
        text = render(parts, line_width(), self.indentation * 4)
        self.statement(None, text)

    def _header(self, *parts: Doc, body: Sequence[Node]) -> None:
        self._line(*parts, ":")
        self.body(body)

    def visit(self, node: Node, *args: object) -> None:
        """Write a node; expressions that astor asks for stand on one line."""
        if isinstance(node, ast.expr):
            self.write(flat_text(node))
        else:
            super().visit(node, *args)

    def else_body(self, elsewhat: Sequence[Node]) -> None:
        """Write the `else` of a statement, if it has one."""
        if elsewhat:
            self._else("else:")
            self.body(elsewhat)

    def _else(self, header: str) -> None:
        # A definition at the end of the block above is followed by a blank line.
        self.newline(extra=int(self.after_definition))
        self.write(header)

    # Comments

    def visit_Comment(self, node: Node) -> None:
        self.statement(None, comment_text(node.text, self.indentation))

    # Statements

    def visit_Expr(self, node: Node) -> None:
        if _is_docstring(node):
            self._docstring(node.value.value)
        else:
            self._line(Expressions().value(node.value))

    def _docstring(self, text: str) -> None:
        lines = inspect.cleandoc(text).strip().replace("\\", "\\\\").split("\n")
        lines = [line.replace('"""', '\\"\\"\\"').rstrip() for line in lines]
        if lines[-1].endswith('"'):
            lines[-1] = lines[-1][:-1] + '\\"'
        if len(lines) > 1:
            lines.append("")
        pad = " " * (self.indentation * 4)
        text = "\n".join(
            pad + line if i and line else line for i, line in enumerate(lines)
        )
        end = pad if len(lines) > 1 else ""
        self.statement(None, f'"""{text}{end}"""')

    def visit_Assign(self, node: Node) -> None:
        make = Expressions()
        targets = [(make.target(target), " = ") for target in node.targets]
        self._line(*targets, make.value(node.value))

    def visit_AugAssign(self, node: Node) -> None:
        make = Expressions()
        symbol = OPERATORS[kind(node.op)][0]
        self._line(make.target(node.target), f" {symbol}= ", make.value(node.value))

    def visit_AnnAssign(self, node: Node) -> None:
        make = Expressions()
        target = make.target(node.target)
        if kind(node.target) == "Name" and not node.simple:
            target = "(", target, ")"
        value = (" = ", make.value(node.value)) if node.value is not None else ""
        self._line(target, ": ", make.value(node.annotation, NAMED), value)

    def visit_Return(self, node: Node) -> None:
        self._word("return", node.value)

    def _word(self, word: str, value: Node | None) -> None:
        self._line(word, (" ", Expressions().value(value)) if value is not None else "")

    def visit_Raise(self, node: Node) -> None:
        make = Expressions()
        cause = (
            (" from ", make.value(node.cause, NAMED)) if node.cause is not None else ""
        )
        value = (" ", make.value(node.exc, NAMED)) if node.exc is not None else ""
        self._line("raise", value, cause)

    def visit_Assert(self, node: Node) -> None:
        make = Expressions()
        reason = (", ", make.value(node.msg, NAMED)) if node.msg is not None else ""
        self._line("assert ", make.value(node.test, NAMED), reason)

    def visit_Delete(self, node: Node) -> None:
        make = Expressions()
        targets = [make.expression(target, ANYWHERE) for target in node.targets]
        one = len(targets) == 1
        self._line("del ", targets[0] if one else make.wrapped(commas(targets)))

    def visit_If(self, node: Node, word: str = "if") -> None:
        test = Expressions().value(node.test, NAMED)
        self._header(f"{word} ", test, body=node.body)
        other = [stmt for stmt in node.orelse if kind(stmt) != "Blank"]
        if len(other) == 1 and kind(other[0]) == "If":
            self.newline(extra=int(self.after_definition))
            self.visit_If(other[0], "elif")
        else:
            self.else_body(node.orelse)

    def visit_For(self, node: Node, is_async: bool = False) -> None:
        make = Expressions()
        word = "async for " if is_async else "for "
        target, iterable = make.target(node.target), make.value(node.iter, NAMED)
        self._header(word, target, " in ", iterable, body=node.body)
        self.else_body(node.orelse)

    def visit_While(self, node: Node) -> None:
        self._header("while ", Expressions().value(node.test, NAMED), body=node.body)
        self.else_body(node.orelse)

    def visit_With(self, node: Node, is_async: bool = False) -> None:
        make = Expressions()
        items: list[Doc] = []
        one = len(node.items) == 1
        for item in node.items:
            value = item.context_expr
            doc = make.value(value, NAMED) if one else make.expression(value, 0, NAMED)
            name = item.optional_vars
            items.append(
                (
                    doc,
                    (" as ", make.expression(name, ANYWHERE))
                    if name is not None
                    else "",
                )
            )
        word = "async with " if is_async else "with "
        inside = items[0] if one else make.wrapped(commas(items))
        self._header(word, inside, body=node.body)

    def visit_FunctionDef(self, node: Node, is_async: bool = False) -> None:
        if getattr(node, "type_params", None):
            self._fallback(node)
            return
        make = Expressions()
        for decorator in node.decorator_list:
            self._line("@", make.expression(decorator, ANYWHERE))
        parameters = make.parameters(node.args)
        word = "async def" if is_async else "def"
        inside: Doc = ")"
        if parameters:
            inside = Indent((Line(""), Group(commas(parameters)))), Line(""), ")"
        head = Group((f"{word} {node.name}(", inside))
        result = f" -> {flat_text(node.returns)}" if node.returns else ""
        self.owner = kind(node)
        self._header(head, result, body=node.body)

    def visit_ClassDef(self, node: Node) -> None:
        if getattr(node, "type_params", None):
            self._fallback(node)
            return
        make = Expressions()
        for decorator in node.decorator_list:
            self._line("@", make.expression(decorator, ANYWHERE))
        bases = [make.expression(base, ANYWHERE, LAMBDA) for base in node.bases]
        bases += [make.keyword(keyword) for keyword in node.keywords]
        inside = make.bracketed("(", Group(commas(bases)), ")", ANYWHERE)
        self.owner = kind(node)
        self._header(f"class {node.name}", inside if bases else "", body=node.body)

    def visit_ImportFrom(self, node: Node) -> None:
        names = [f"{a.name} as {a.asname}" if a.asname else a.name for a in node.names]
        start = f"from {'.' * (node.level or 0)}{node.module or ''} import "
        flat = start + ", ".join(names)
        if names == ["*"] or len(flat) + self.indentation * 4 <= line_width():
            self._line(flat)
        else:
            inside = Indent((Line(""), commas(list(names)))), Line("")
            self._line(start, Group(("(", inside, ")")))

    def visit_Match(self, node: Node) -> None:
        self._line("match ", Expressions().value(node.subject, NAMED), ":")
        self.indentation += 1
        for case in node.cases:
            guard = (" if ", Expressions().value(case.guard)) if case.guard else ""
            self._header("case ", _pattern(case.pattern), guard, body=case.body)
        self.indentation -= 1

    def visit_TryStar(self, node: Node) -> None:
        self._fallback(node)

    def visit_TypeAlias(self, node: Node) -> None:
        self._fallback(node)

    def _fallback(self, node: Node) -> None:
        """Write what astor cannot, in the standard library's layout."""
        text = ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(node)))
        for line in text.split("\n"):
            self.statement(None, line)


def _pattern(node: Node) -> str:
    """Return a pattern of `match` on one line."""
    whole = gast.parse("match x:\n case _: pass").body[0]
    whole.cases[0].pattern = node
    text = ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(whole)))
    pattern = text.split("\n")[1].strip().removeprefix("case ").removesuffix(":")
    return pattern if '"' in pattern else pattern.replace("'", '"')


def _is_inline(node: Node) -> bool:
    return kind(node) == "Comment" and bool(node.inline)


def _is_docstring(node: Node) -> bool:
    if kind(node) != "Expr" or kind(node.value) != "Constant":
        return False
    return isinstance(node.value.value, str)


def _ends_with_definition(node: Node) -> bool:
    if kind(node) in _DEFINITIONS:
        return True
    blocks = [getattr(node, part, None) for part in ("finalbody", "orelse", "body")]
    last = next((block for block in blocks if block), None)
    return isinstance(last, list) and _ends_with_definition(last[-1])
