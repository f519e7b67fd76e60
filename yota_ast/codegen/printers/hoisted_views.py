"""Lines of a function -> the same, parts of arrays that a loop reads named before it.

    for _ in range(n):              u_part = u[1:-1]
        u[1:-1] += k * t            for _ in range(n):
                                        u_part += k * t

A part by slices is a view: it sees what is written into the array, and what is written
into it is written into the array. It takes as long to make as some hundred elements to
compute. The array has the same name throughout the loop, and has it for certain where
the loop begins: it is a parameter, or assigned before in the same or an outer block.

In: lines, and by their names the ranks of what are arrays for certain.  Out: lines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.codegen.printers.statement_lines import Line

Block = Sequence[ast.stmt]


def with_hoisted_views(
    lines: Sequence[Line], ranks: Mapping[str, int]
) -> tuple[Line, ...]:
    """The lines of a function, with parts of arrays named before loops."""
    function = ast.parse("\n".join(line.text for line in lines)).body[0]
    assert isinstance(function, ast.FunctionDef)
    hoisting = _Hoisting(lines, ranks, _names_in(function))
    given = [a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)]
    hoisting.block(function.body, frozenset(given))
    return tuple(hoisting.done())


@dataclass(slots=True)
class _Hoisting:
    """Finds parts to be named; edits: by their lines, where these change and to what;
    above: by the lines of loops, those to be put above."""

    lines: Sequence[Line]
    ranks: Mapping[str, int]
    taken: set[str]
    edits: dict[int, list[tuple[int, int, str]]] = field(default_factory=dict)
    above: dict[int, list[str]] = field(default_factory=dict)

    def block(self, stmts: Block, defined: frozenset[str]) -> None:
        """Look at the statements of a block; defined: names that have values."""
        for stmt in stmts:
            if isinstance(stmt, (ast.For, ast.While)):
                self._loop(stmt, defined)
            for inner in _blocks_in(stmt):
                self.block(inner, defined)
            if not _blocks_in(stmt):
                defined |= _bound_in(stmt)

    def _loop(self, loop: ast.For | ast.While, defined: frozenset[str]) -> None:
        """Name the parts that are the same throughout a loop."""
        steady = (defined & self.ranks.keys()) - _bound_in(loop)
        found: dict[str, list[ast.Subscript]] = {}
        parts = sorted(self._parts(loop, steady), key=lambda p: _place(p[0]))
        for part, text in parts:
            found.setdefault(text, []).append(part)
        updated = {id(s.target) for s in ast.walk(loop) if isinstance(s, ast.AugAssign)}
        for text, alike in found.items():
            name = self._fresh(text.partition("[")[0])
            self.above.setdefault(loop.lineno, []).append(f"{name} = {text}")
            for part in alike:
                plain = isinstance(part.ctx, ast.Load) or id(part) in updated
                self._edit(part, name if plain else f"{name}[:]")

    def _parts(
        self, loop: ast.For | ast.While, steady: frozenset[str]
    ) -> Iterator[tuple[ast.Subscript, str]]:
        """The parts of some arrays by slices, which no loop around has named, and the
        text of each."""
        for node in chain.from_iterable(map(ast.walk, _inside(loop))):
            if not isinstance(node, ast.Subscript) or node.lineno != node.end_lineno:
                continue
            if not isinstance(node.value, ast.Name) or node.value.id not in steady:
                continue
            spans = [e[:2] for e in self.edits.get(node.lineno, ())]
            fits = 0 < _slices(node.slice) <= self.ranks[node.value.id]
            if fits and (node.col_offset, node.end_col_offset) not in spans:
                line = self.lines[node.lineno - 1].text.encode()
                yield node, line[node.col_offset : node.end_col_offset].decode()

    def _edit(self, node: ast.Subscript, text: str) -> None:
        assert node.end_col_offset is not None
        edit = (node.col_offset, node.end_col_offset, text)
        self.edits.setdefault(node.lineno, []).append(edit)

    def _fresh(self, array: str) -> str:
        stem = f"{array}_part"
        names = chain([stem], (f"{stem}_{k}" for k in count(2)))
        name = next(n for n in names if n not in self.taken)
        self.taken.add(name)
        return name

    def done(self) -> Iterator[Line]:
        """The lines, edited."""
        for number, line in enumerate(self.lines, 1):
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            for text in self.above.get(number, ()):
                yield Line(indent + text, part=line.part)
            text = _edited(line.text, self.edits.get(number, []))
            longer = len(line.text) < len(text) > syntax.line_width()
            yield line if longer or text == line.text else replace(line, text=text)


def _place(node: ast.Subscript) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    """A line with parts of it replaced; places are counted in bytes."""
    data = text.encode()
    for start, stop, new in sorted(edits, reverse=True):
        data = data[:start] + new.encode() + data[stop:]
    return data.decode()


def _slices(index: ast.expr) -> int:
    """How many slices by numbers an index is of; 0 of others."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    return len(items) if all(map(_is_slice, items)) else 0


def _is_slice(item: ast.expr) -> bool:
    if not isinstance(item, ast.Slice):
        return False
    ends = [e for e in (item.lower, item.upper, item.step) if e is not None]
    return all(map(_is_number, ends)) and ends != []


def _is_number(end: ast.expr) -> bool:
    negative = isinstance(end, ast.UnaryOp) and isinstance(end.op, ast.USub)
    value = end.operand if isinstance(end, ast.UnaryOp) and negative else end
    return isinstance(value, ast.Constant) and type(value.value) is int


def _inside(loop: ast.For | ast.While) -> list[ast.AST]:
    """What runs in each turn."""
    test = [loop.test] if isinstance(loop, ast.While) else []
    return [*test, *loop.body]


def _blocks_in(stmt: ast.stmt) -> list[Block]:
    """The blocks of a statement."""
    found = [getattr(stmt, name, None) for name in ("body", "orelse", "finalbody")]
    handlers = getattr(stmt, "handlers", ())
    blocks = [b for b in (*found, *(h.body for h in handlers)) if b]
    return [block for block in blocks if isinstance(block, list)]


def _bound_in(stmt: ast.stmt) -> frozenset[str]:
    """The names that a statement and those within it bind or delete."""
    nodes = [*ast.walk(stmt)]
    names = (n for n in nodes if isinstance(n, ast.Name))
    bound = frozenset(n.id for n in names if not isinstance(n.ctx, ast.Load))
    return bound.union(n.arg for n in nodes if isinstance(n, ast.arg))


def _names_in(function: ast.FunctionDef) -> set[str]:
    nodes = [*ast.walk(function)]
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return given | {node.id for node in nodes if isinstance(node, ast.Name)}
