"""A tape -> the user's own lines: the function, and in it what it inlines.

Each inlined call is a function of its own here, below the line that calls it, so that
every op of the tape stands on exactly one line of one of them.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import PurePath

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import Location, SourceUnavailable
from yota_ast.frontend.source.definitions import locate
from yota_ast.ir.nodes import Block, walk
from yota_ast.ir.tape import Tape

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Chain = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement of the user's, in one of the calls that lead to it.

    lineno: where the statement begins.
    """

    chain: Chain
    filename: str
    lineno: int


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line, and the statement that it is of, where it is code."""

    number: int
    text: str
    spot: Spot | None


@dataclass(slots=True)
class SourceFunction:
    """A function, and the functions inlined at its lines, by number of line.

    statements: the line on which the statement begins that each line is of.
    ends: the line of its last `return`, the first of the function where it has none.
    """

    name: str
    filename: str
    chain: Chain
    first: int
    last: int
    column: int
    statements: Mapping[int, int]
    ends: int
    inlined: dict[int, list[SourceFunction]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The file, without its folders, and the line."""
        return f"{PurePath(self.filename).name}:{self.first}"

    def spot(self, lineno: int) -> Spot:
        """The statement that a line is of."""
        start = self.statements.get(lineno, lineno)
        return Spot(self.chain, self.filename, start)

    def lines(self) -> Iterator[SourceLine]:
        """The lines of the function, without their common indentation."""
        texts = linecache.getlines(self.filename)[self.first - 1 : self.last]
        texts = [text.rstrip() for text in texts]
        widths = [len(t) - len(t.lstrip()) for t in texts if t]
        indent = min(widths, default=0)
        for number, text in enumerate(texts, self.first):
            start = self.statements.get(number)
            spot = None if start is None else self.spot(start)
            yield SourceLine(number, text[indent:], spot)


@dataclass(slots=True)
class Primal:
    """All functions of which a tape holds ops.

    root: the function itself; None where it has no source. others: outlined functions,
    and whatever has no place in the root.
    """

    root: SourceFunction | None
    others: list[SourceFunction] = field(default_factory=list)
    found: dict[tuple[Chain, str, int, int], SourceFunction] = field(
        default_factory=dict
    )

    def functions(self) -> Iterator[SourceFunction]:
        """All functions, in the order in which they are shown."""
        pending = [*([self.root] if self.root else []), *self.others]
        while pending:
            function = pending.pop(0)
            yield function
            inner = (f for k in sorted(function.inlined) for f in function.inlined[k])
            pending = [*inner, *pending]

    def spot(self, place: Location) -> Spot | None:
        """The statement that a place is in."""
        at = (place.lineno, place.col_offset)
        definition = _innermost(place.filename, at)
        if definition is None:
            return None
        function = self._function(place.chain, place.filename, definition)
        return function.spot(place.lineno)

    def _function(
        self, chain: Chain, filename: str, definition: _Definition
    ) -> SourceFunction:
        """A function in a call, put below the line that calls it."""
        key = (chain, filename, definition.lineno, definition.col_offset)
        if key in self.found:
            return self.found[key]
        caller, line = self._caller(chain) if chain else (None, 0)
        again = self._around(caller, filename, definition)
        made = again or _source_function(definition, filename, chain)
        self.found[key] = made
        if again is not None:
            return made
        if caller is None:
            self.others.append(made)
            return made
        start = caller.statements.get(line, line)
        last = max((n for n, s in caller.statements.items() if s == start), default=0)
        caller.inlined.setdefault(last or line, []).append(made)
        return made

    def _around(
        self, caller: SourceFunction | None, filename: str, definition: _Definition
    ) -> SourceFunction | None:
        """A function that calls itself is shown once: the same around a call."""
        own = (filename, definition.lineno, definition.col_offset)
        while caller is not None:
            if (caller.filename, caller.first, caller.column) == own:
                return caller
            caller = self._caller(caller.chain)[0] if caller.chain else None
        return None

    def _caller(self, chain: Chain) -> tuple[SourceFunction | None, int]:
        """The function in which the innermost call of a chain stands, and its line."""
        place, _, _ = chain[0].rpartition(" in ")
        file, _, number = place.rpartition(":")
        line = int(number)
        for function in self.found.values():
            inside = function.first <= line <= function.last
            if inside and (function.chain, function.filename) == (chain[1:], file):
                return function, line
        definition = _named(file, line)
        if definition is None:
            return None, line
        return self._function(chain[1:], file, definition), line


def primal_of(tape: Tape) -> Primal:
    """The functions that a tape was made from."""
    primal = Primal(_root(tape))
    if primal.root is not None:
        root = primal.root
        primal.found[(), root.filename, root.first, root.column] = root
    for place in _places(tape):
        primal.spot(place)
    return primal


def _places(tape: Tape) -> Iterable[Location]:
    blocks: list[Block] = [tape.block, *(f.block for f in tape.functions)]
    for op in (op for block in blocks for op in walk(block)):
        for place in (op.origin.location, op.origin.inner):
            if place is not None:
                yield place


def _root(tape: Tape) -> SourceFunction | None:
    try:
        source = locate(tape.fn)
    except SourceUnavailable:
        return None
    at = (source.lineno, source.tree.col_offset)
    definition = _innermost(source.filename, at)
    if definition is None:
        return None
    return _source_function(definition, source.filename, ())


def _source_function(
    definition: _Definition, filename: str, chain: Chain
) -> SourceFunction:
    first, last = definition.lineno, definition.end_lineno or definition.lineno
    name, statements = "lambda", dict.fromkeys(range(first, last + 1), first)
    if not isinstance(definition, ast.Lambda):
        name, statements = definition.name, dict(_statements(definition))
    column, ends = definition.col_offset, max(_returns(definition), default=first)
    return SourceFunction(name, filename, chain, first, last, column, statements, ends)


def _returns(definition: _Definition) -> Iterator[int]:
    """The lines of the `return`s of a function, those of functions in it left out."""
    pending = list(ast.iter_child_nodes(definition))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            yield node.lineno
        if not isinstance(node, _Definition):
            pending += ast.iter_child_nodes(node)


# ---------------------------------------------------------------- reading files


@cache
def _definitions(text: str) -> tuple[_Definition, ...]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, _Definition))


def _around(filename: str, at: tuple[int, int]) -> list[_Definition]:
    """The functions around a place, outer ones first."""
    text = "".join(linecache.getlines(filename))
    return [d for d in _definitions(text) if _begin(d) <= at <= _extent(d)[1]]


def _innermost(filename: str, at: tuple[int, int]) -> _Definition | None:
    return max(_around(filename, at), key=_begin, default=None)


def _named(filename: str, lineno: int) -> _Definition | None:
    """The innermost def that a line is in, a lambda where there is none."""
    text = "".join(linecache.getlines(filename))
    around = [
        d for d in _definitions(text) if d.lineno <= lineno <= (d.end_lineno or 0)
    ]
    named = [d for d in around if not isinstance(d, ast.Lambda)]
    return max(named or around, key=_begin, default=None)


def _begin(definition: _Definition) -> tuple[int, int]:
    return _extent(definition)[0]


def _extent(definition: _Definition) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a function begins and ends; of a lambda what it returns is within."""
    begin = (definition.lineno, definition.col_offset)
    end = (definition.end_lineno or 0, definition.end_col_offset or 0)
    return begin, end


def _statements(definition: ast.AST) -> Iterator[tuple[int, int]]:
    """The lines of each statement, and where it begins; headers alone of those that
    have blocks. Docstrings are none."""
    for node in ast.walk(definition):
        if isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):
            start = getattr(node, "lineno", 0) or node.pattern.lineno  # type: ignore[union-attr]
            if not _is_docstring(node):
                yield from ((k, start) for k in range(start, _end(node, start) + 1))


def _end(node: ast.AST, start: int) -> int:
    """The last line of a statement, or of its header."""
    if not hasattr(node, "body") and not hasattr(node, "cases"):
        return getattr(node, "end_lineno", None) or start
    header = (
        part
        for name, value in ast.iter_fields(node)
        if name not in ("body", "orelse", "finalbody", "handlers", "cases")
        for part in (value if isinstance(value, list) else [value])
        if isinstance(part, ast.AST) and name != "decorator_list"
    )
    lines = (
        getattr(inner, "end_lineno", None) or start
        for part in header
        for inner in ast.walk(part)
    )
    return max(start, *lines, start)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
