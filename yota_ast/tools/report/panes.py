"""A view -> the panes of the page: the function, its gradient, what is kept, the tape.

Every part is linked, both ways, to the lines of the user's that it stems from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.nodes import (
    Apply,
    Compound,
    Op,
    Read,
    Simple,
    Store,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.support.escaping import html
from yota_ast.tools.report.code_tokens import Word
from yota_ast.tools.report.graph import Drawn, Node, graph, nodes_of
from yota_ast.tools.report.line_pairs import HEADINGS, Paired
from yota_ast.tools.report.markup import Item, Mark, coloured, html_of, hue, nice
from yota_ast.tools.report.saved_memory import Kepts, Value
from yota_ast.tools.report.sizes import Size
from yota_ast.tools.report.svg import svg
from yota_ast.tools.report.user_lines import SourceFunction, Spot
from yota_ast.tools.report.view import View

MOST_NODES: Final = 600
"""How many nodes a graph may have that is drawn."""


@dataclass(frozen=True)
class Panes:
    """The parts of a page."""

    view: View

    # ------------------------------------------------------------ links

    @cached_property
    def _back(self) -> dict[Spot, list[str]]:
        """What each statement of the user's is linked to."""
        found: dict[Spot, list[str]] = defaultdict(list)
        view = self.view
        for line in view.lines:
            for spot in line.spots:
                found[spot].append(f"g{line.number}")
        for name, kept in self._kept_rows:
            for spot in kept.line.spots:
                found[spot].append(name)
        for number, row in enumerate(view.rows, 1):
            for spot in view.spots(row.op):
                found[spot].append(f"t{number}")
        for name, op in self._nodes.values():
            for spot in view.spots(op):
                found[spot].append(name)
        return found

    def _to(self, spots: Sequence[Spot]) -> list[str]:
        """The ids of the lines of statements."""
        ids = self.view.ids
        return [f"p{n}" for spot in spots for n in ids.get(spot, ())]

    def _colour(self, spots: Sequence[Spot]) -> int | None:
        """The colour of the first statement."""
        return self.view.colours.get(spots[0]) if spots else None

    # ------------------------------------------------------------ the function

    def primal(self) -> str:
        """The user's lines, what is inlined below the lines that call it."""
        numbers = {id(f): n for n, f in self._starts()}
        primal = self.view.primal
        tops = [*([primal.root] if primal.root else []), *primal.others]
        return "\n".join(x for f in tops for x in self._function(f, 1, numbers))

    def _starts(self) -> Iterator[tuple[int, SourceFunction]]:
        """Each function, and how many lines are shown in front of it."""
        count = 0
        for function, lines in self.view.functions:
            yield count, function
            count += len(lines)

    def _function(
        self, function: SourceFunction, level: int, numbers: dict[int, int]
    ) -> Iterator[str]:
        lines = list(function.lines())
        all_words = coloured([line.text for line in lines])
        start = numbers[id(function)]
        for k, (line, words) in enumerate(zip(lines, all_words, strict=True), 1):
            inner = function.inlined.get(line.number, [])
            spots = [line.spot] if line.spot else []
            name = f"p{start + k}"
            yield html_of(
                Item(
                    name, str(line.number), words, level=level,
                    links=self._back.get(line.spot, []) if line.spot else [],
                    colour=self._colour(spots), folds=f"{name}f" if inner else "",
                    more="" if line.spot in self._back else "quiet",
                )
            )  # fmt: skip
            if inner:
                names = ", ".join(f.name for f in inner)
                yield (
                    f'<div class="inlined" id="{name}f" role="group" '
                    f'aria-label="{html(names)}, inlined">'
                )
                for each in inner:
                    title = html(f"{each.name}, inlined from {each.title}")
                    yield f'<div class="from" role="presentation">{title}</div>'
                    yield from self._function(each, level + 1, numbers)
                yield "</div>"

    # ------------------------------------------------------------ the gradient

    def gradient(self) -> str:
        """The lines of the gradient; entry checks and helpers can be folded."""
        return "\n".join(self._gradient())

    def _gradient(self) -> Iterator[str]:
        words = coloured([line.line.text for line in self.view.lines])
        for block in _blocks(self.view.lines):
            first, what = block[0], _folded(block)
            folds = f"g{first.number}f" if what else ""
            for line in block:
                own = folds if line is first else ""
                level = 2 if folds and line is not first else 1
                yield self._line(line, words[line.number - 1], own, level)
                if own:
                    group = f'id="{folds}" role="group" aria-label="{what}"'
                    yield f'<div class="folded" {group}>'
            if folds:
                yield "</div>"

    def _line(self, line: Paired, words: Sequence[Word], folds: str, level: int) -> str:
        kept = {k.line.number: k for k in self.view.kept}.get(line.number)
        part = line.line.part
        heading = not line.line.origins and line.line.text.strip() in HEADINGS
        more = [part, "heading" if heading else "", "quiet" if not line.spots else ""]
        return html_of(
            Item(
                f"g{line.number}", str(line.number), words, self._to(line.spots),
                self._colour(line.spots), more=" ".join(filter(None, more)),
                names=[v.name for v in kept.values] if kept else (),
                mark=_mark(kept) if kept else None,
                level=level, folds=folds, open=False,
            )
        )  # fmt: skip

    # ------------------------------------------------------------ what is kept

    @cached_property
    def _kept_rows(self) -> list[tuple[str, Kepts]]:
        return [(f"k{n}", kept) for n, kept in enumerate(self.view.kept, 1)]

    def memory(self) -> str:
        """A table of the values that are kept."""
        if not self.view.kept:
            return (
                "<p>Nothing: the reverse sweep reads no value of the forward sweep.</p>"
            )
        titles = ("value", "made by", "type", "shape", "bytes")
        head = "".join(f'<th scope="col">{title}</th>' for title in titles)
        size = nice(self.view.size.brief)
        rows = (
            row for name, kept in self._kept_rows for row in _rows(self, name, kept)
        )
        total = f'<th scope="row" colspan="4">in all</th><td>{size}</td>'
        return "\n".join(
            [
                f'<table class="values"><thead><tr>{head}</tr></thead><tbody>', *rows,
                f"</tbody><tfoot><tr>{total}</tr></tfoot></table>",
            ]
        )  # fmt: skip

    def row(self, name: str, kept: Kepts, cells: str, more: str = "") -> str:
        """A row of that table, linked to the line that keeps the values."""
        spots = kept.line.spots
        links, colour = [*self._to(spots), f"g{kept.line.number}"], self._colour(spots)
        style = "" if colour is None else f' style="{hue(colour)}"'
        own = f'id="{name}" class="by{more}"{style} data-to="{" ".join(links)}"'
        return f'<tr tabindex="-1" {own}>{cells}</tr>'

    # ------------------------------------------------------------ the tape

    def tape(self) -> str:
        """The listing of the tape."""
        found = []
        names = [p.var.hint or p.var.name for p in self.view.tape.params]
        for number, row in enumerate(self.view.rows, 1):
            name = names[number - 2] if 1 < number <= len(names) + 1 else ""
            name = _name_made(row.op) or name
            spots = self.view.spots(row.op)
            links = self._to(spots)
            words = _tape_words(row.text)
            item = Item(
                f"t{number}", str(number), words, links, self._colour(spots),
                more="" if spots else "quiet",
                mark=Mark((name,), "its name in the function") if name else None,
            )  # fmt: skip
            found.append(html_of(item))
        return "\n".join(found)

    # ------------------------------------------------------------ the graph

    @cached_property
    def _graph(self) -> Drawn | None:
        """The graph; None where it is too large to be of use."""
        tape = self.view.tape
        return graph(tape) if _ops(tape) <= MOST_NODES else None

    @cached_property
    def _nodes(self) -> dict[str, tuple[str, Op | None]]:
        """The ids and ops of the nodes that stand for ops, by their names."""
        nodes = nodes_of(self._graph) if self._graph is not None else ()
        named = [node for node in nodes if self.view.spots(node.op)]
        return {node.name: (f"n{k}", node.op) for k, node in enumerate(named, 1)}

    def graph(self) -> str:
        """The picture of the tape."""
        tape = self.view.tape
        if self._graph is None:
            return f"<p>Not drawn: it has {_ops(tape)} nodes. The tape lists them.</p>"
        title = f"The flow of values through {tape.name}, as the tape lists it"
        return svg(self._graph, title, self._attributes)

    def _attributes(self, node: Node) -> str:
        if node.name not in self._nodes:
            return ""
        spots = self.view.spots(node.op)
        links, colour = " ".join(self._to(spots)), self._colour(spots)
        style = "" if colour is None else f' style="{hue(colour)}"'
        return f' id="{self._nodes[node.name][0]}" data-to="{links}"{style}'


def _ops(tape: Tape) -> int:
    """How many ops a tape has."""
    blocks = (tape.block, *(f.block for f in tape.functions))
    return sum(1 for block in blocks for _ in walk(block))


def _rows(panes: Panes, name: str, kept: Kepts) -> Iterator[str]:
    """The rows of what a line keeps: of a loop's list first one for all iterations."""
    code = f"<code>{html(kept.line.line.text.strip())}</code>"
    if kept.line.line.stack is None:
        first, *rest = kept.values
        yield panes.row(name, kept, _cells(first, code))
        yield from (f"<tr>{_cells(value, code)}</tr>" for value in rest)
        return
    often = kept.often or "iterations"
    if kept.turns is not None:
        often = f"{kept.turns} in all"
    what = f"in each iteration ({html(often)}): {code}"
    cells = f'<td colspan="4">{what}</td><td>{nice(kept.size.brief)}</td>'
    yield panes.row(name, kept, cells, " all")
    yield from (f"<tr>{_cells(value, '')}</tr>" for value in kept.values)


def _cells(value: Value, by: str) -> str:
    size = f'<span class="note">{html(value.note)}</span>' if value.note else ""
    cells = (
        f"<code>{html(value.name)}</code>", by, html(value.kind),
        f"<code>{html(value.shape)}</code>", size or nice(str(value.size)),
    )  # fmt: skip
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _blocks(lines: Sequence[Paired]) -> Iterator[list[Paired]]:
    """Lines in a row that belong to one part, helpers by the function."""
    block: list[Paired] = []
    for line in lines:
        same = block and block[0].line.part == line.line.part
        if block and (not same or line.line.text.startswith("def ")):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _folded(block: Sequence[Paired]) -> str:
    """What a block is called that is folded at first; "" of those that are not."""
    if block[0].line.part == "check":
        return "entry checks"
    is_helper = block[0].line.part == "helper" and block[0].line.text
    return "helper" if is_helper else ""


def _mark(kept: Kepts) -> Mark:
    if kept.line.line.stack is None:
        names = ", ".join(v.name for v in kept.values)
        return Mark((f"saves {names}", kept.size.brief), "read by the reverse sweep")
    once = str(Size(kept.once.count)) + (" + ..." if kept.once.symbols else "")
    often = f"{once} an iteration" if kept.turns is None else f"{kept.turns} * {once}"
    title = f"saved in each iteration for the reverse sweep: {kept.size}"
    return Mark((f"saves {len(kept.values)}", often), title)


def _tape_words(text: str) -> list[Word]:
    """A row of the tape: its types in the colour of comments."""
    head, separator, fact = text.partition("::")
    words = coloured([head])[0]
    return [*words, Word(separator + fact, "comment")] if separator else words


def _name_made(op: Op | None) -> str:
    """The name of the variable that a row of the listing makes."""
    match op:
        case Apply() | Read() | Store():
            return op.out.hint or ""
        case Simple() | Compound() | None:
            return ""
        case _:
            assert_never(op)
