"""A function -> the tree of its definition, proved to be the text that runs.

The file is parsed as a whole and compiled again; what is found must have the very
code of the function, so that neither an edit of the file nor a second lambda on the
line can pass for it.

>>> import numpy as np
>>> locate(np.exp)  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
yota_ast.errors.SourceUnavailable: `exp` is a NumPy ufunc, ...
"""

import __future__

import ast
import linecache
from collections.abc import Iterator
from copy import copy
from functools import reduce
from operator import or_
from types import CodeType, FunctionType, MethodType
from typing import cast

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import Location
from yota_ast.frontend.source import notebook_cells, source_files, source_refusals
from yota_ast.frontend.source.same_code import (
    same_but_asserts,
    same_code,
    same_positions,
)
from yota_ast.support.proxies import poses_as_another
from yota_ast.syntax.node_fields import set_fields

_FUTURE = reduce(
    or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names)
)


@dataclass(frozen=True, slots=True)
class Source:
    """The definition of `fn`; `owner` is the class in whose text it stands."""

    filename: str
    tree: syntax.Node
    lines: tuple[str, ...]
    qualname: str
    lineno: int
    fn: FunctionType
    owner: str | None

    def location(self, node: syntax.Node, chain: tuple[str, ...] = ()) -> Location:
        """Return the place of `node`, a part of `tree` or any node of the file."""
        text = self.lines[node.lineno - 1].rstrip("\r\n")
        end = node.end_col_offset if node.end_lineno == node.lineno else None
        if end is None:
            end = len(text.encode("utf-8", "replace"))
        return Location(self.filename, node.lineno, node.col_offset, end, text, chain)

    def mangled(self, name: str) -> str:
        """Return `name` as Python writes it in the text of a class.

        A private name of a class ``Layer``, ``__w``, is ``_Layer__w``.
        """
        owner = (self.owner or "").lstrip("_")
        private = name.startswith("__") and not name.endswith("__") and "." not in name
        return f"_{owner}{name}" if owner and private else name


def locate(fn: object) -> Source:
    """Return the source of a function, of a method, or of what a bound method calls.

    Wrappers made by decorators are taken as they are, never as what they wrap.

    Raises:
        SourceUnavailable: there is no text, or it is not the text that runs.

    """
    while isinstance(fn, (MethodType, staticmethod, classmethod)):
        fn = fn.__func__
    if not isinstance(fn, FunctionType) or poses_as_another(fn):
        raise source_refusals.not_a_function(fn)
    code = fn.__code__
    lines, definition = _text_and_definition(fn)
    if not lines:
        raise source_refusals.no_text(fn)
    if definition is None:
        raise source_refusals.other_text(fn)
    return Source(
        filename=code.co_filename,
        tree=syntax.from_ast(definition.node),
        lines=tuple(lines),
        qualname=code.co_qualname,
        lineno=definition.node.lineno,
        fn=fn,
        owner=definition.owner,
    )


def _text_and_definition(
    fn: FunctionType,
) -> tuple[list[str], source_files.Definition | None]:
    filename = fn.__code__.co_filename
    lines = linecache.getlines(filename, fn.__globals__)
    definition = _find(fn, lines)
    if definition is None:
        # The text that linecache holds may be older than the function.
        linecache.checkcache(filename)
        lines = linecache.getlines(filename, fn.__globals__)
        definition = _find(fn, lines)
    kept = (*notebook_cells.texts_of(filename), *_carried_by(fn))
    for text in kept if definition is None else ():
        definition = _find_in(fn, text)
        if definition is not None:
            return text.splitlines(keepends=True), definition
    return lines, definition


def _carried_by(fn: FunctionType) -> tuple[str, ...]:
    """The text that a function made by `exec` carries, as those of the package
    `decorator` do; what it wraps may have lent it another's."""
    text = fn.__dict__.get("__source__")
    return (text,) if type(text) is str else ()


def _find(fn: FunctionType, lines: list[str]) -> source_files.Definition | None:
    """Return the definition in `lines` that has the code of `fn`."""
    line = fn.__code__.co_firstlineno
    for imports in (True, False) if line <= len(lines) else ():  # most have the first
        found = _find_in(fn, source_files.part_of(lines, line, imports=imports))
        if found is not None:
            return found
    return _find_in(fn, "".join(lines))


def _find_in(fn: FunctionType, text: str) -> source_files.Definition | None:
    """Return the definition in a text that has the code of `fn`."""
    code = fn.__code__
    flags = code.co_flags & _FUTURE
    try:
        file = source_files.read(code.co_filename, text, flags)
    except (SyntaxError, ValueError):
        return None
    key = code.co_name, code.co_firstlineno
    candidates = [d for d in file.definitions.get(key, ()) if _covers(d, code)]
    if not candidates:
        return None
    definition = _only(fn, candidates)
    codes = file.codes.get(key, ())
    if any(same_code(code, c) and _in_place(code, c, codes) for c in codes):
        return definition
    for otherwise in (source_files.apart, source_files.inside):
        codes_there = otherwise(code.co_filename, text, flags).get(key, ())
        if any(
            same_code(code, c) and _in_place(code, c, codes_there) for c in codes_there
        ):
            return definition
    rewritten = source_refusals.asserts_are_rewritten(fn) and _asserts(definition.node)
    if rewritten and any(same_but_asserts(c, code) for c in codes):
        return definition
    return None


def _only(
    fn: FunctionType, candidates: list[source_files.Definition]
) -> source_files.Definition:
    """Return the definition of `fn` among those that its place allows."""
    if len(candidates) > 1 and not any(_places(fn.__code__)):
        # Without columns: one that has the same code when it is compiled alone.
        alone = ((d, _compiled_alone(d.node)) for d in candidates)
        candidates = [d for d, code in alone if same_code(fn.__code__, code)][:1]
    # Of a lambda within a lambda the inner one has the instructions of its own.
    found = min(candidates, key=_extent, default=None)
    if found is None or not all(_encloses(d.node, found.node) for d in candidates):
        raise source_refusals.ambiguous(fn)
    return found


def _compiled_alone(node: source_files.FunctionNode) -> CodeType:
    """Compile a function by itself, where its free names are global."""
    arguments = copy(node.args)
    without = [None for _ in node.args.kwonlyargs]
    set_fields(arguments, defaults=[], kw_defaults=without)
    # A def has no equal on its line: only lambdas come here.
    bare = ast.copy_location(ast.Lambda(arguments, cast("ast.expr", node.body)), node)
    code = compile(ast.Expression(bare), "", "eval", dont_inherit=True)
    return next(c for c in code.co_consts if isinstance(c, CodeType))


def _in_place(code: CodeType, found: CodeType, codes: tuple[CodeType, ...]) -> bool:
    return len(codes) == 1 or same_positions(code, found)


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Assert) for part in ast.walk(node))


def _covers(definition: source_files.Definition, code: CodeType) -> bool:
    """Say whether the instructions of `code` stand in the body of a lambda."""
    node = definition.node
    if not isinstance(node, ast.Lambda):
        return True
    start, end = _span(node.body)
    return all(start <= first <= last <= end for first, last in _places(code))


def _places(code: CodeType) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where the instructions of `code` begin and end, of those that say so."""
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None:
            continue
        # What belongs to the call stands at the start of the line, without text.
        if (line, column) != (end_line, end_column):
            yield (line, column), (end_line, end_column)


def _span(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    end_line, end_column = node.end_lineno, node.end_col_offset
    return (node.lineno, node.col_offset), (end_line or 0, end_column or 0)


def _extent(definition: source_files.Definition) -> tuple[int, int]:
    node = definition.node
    lines = (node.end_lineno or 0) - node.lineno
    return lines, (node.end_col_offset or 0) - node.col_offset


def _encloses(outer: ast.AST, inner: ast.AST) -> bool:
    return any(part is inner for part in ast.walk(outer))
