"""A gradient's text and program -> what the forward sweep keeps for the reverse.

A value that is a view of an argument, or the same memory as another that is kept, takes
no bytes of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.plan.kept_values import Kept
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.nodes import Apply, Block, For, While, blocks_of, only, walk
from yota_ast.ir.tape import Program
from yota_ast.tools.report.line_pairs import Paired
from yota_ast.tools.report.open_lengths import lengths
from yota_ast.tools.report.sizes import Size, added, shape_text, size_of, times

INNER: Final = "list of an inner loop"


@dataclass(frozen=True, slots=True)
class Value:
    """A value that is kept: its name in the text, what it is, how many bytes.

    shape: that of an array, as text. note: why it takes none ("view of x").
    """

    name: str
    fact: Fact
    size: Size
    shape: str = ""
    note: str = ""

    @property
    def kind(self) -> str:
        """The dtype of an array, the type of anything else."""
        fact = self.fact
        if fact.kind in ("array", "scalar") and fact.dtype is not None:
            return str(fact.dtype)
        return "list" if self.note == INNER else fact.kind


@dataclass(frozen=True, slots=True)
class Kepts:
    """What one line keeps; turns: how often, None where not known; as text."""

    line: Paired
    values: tuple[Value, ...]
    turns: int | None = 1
    often: str = ""

    @property
    def once(self) -> Size:
        """The bytes of all its values."""
        return added([v.size for v in self.values])

    @property
    def size(self) -> Size:
        """The bytes of all turns."""
        return times(self.once, self.turns, self.often or "iterations")


def total(kepts: tuple[Kepts, ...]) -> Size:
    """The bytes of all that is kept; of what several arms make under one name, those of
    the largest."""
    lists = [k.size for k in kepts if k.line.line.stack is not None]
    named: dict[str, Size] = {}
    for kept in kepts:
        for value in kept.values if kept.line.line.stack is None else ():
            known = named.get(value.name, value.size)
            named[value.name] = max(known, value.size, key=lambda size: size.count)
    return added([*named.values(), *lists])


def kept_by(program: Program, lines: tuple[Paired, ...]) -> tuple[Kepts, ...]:
    """What each line of a text keeps, of those that keep anything."""
    memory = _Memory(program)
    found = []
    for line in lines:
        if line.line.keeps:
            values = tuple(memory.value(k) for k in line.line.keeps)
            stack = line.line.stack
            turns = (
                (1, "") if stack is None else memory.turns.get(stack.name, (None, ""))
            )
            found.append(Kepts(line, values, *turns))
    return tuple(found)


@dataclass(slots=True)
class _Memory:
    """Knows what memory values share; counts each once."""

    program: Program
    points: PointsTo = field(init=False)
    params: Mapping[str, str] = field(init=False)
    lengths: Mapping[str, int] = field(init=False)
    turns: dict[str, tuple[int | None, str]] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Follow the forward sweep."""
        program = self.program
        self.points = PointsTo(program.forward)
        self.params = {p.var.name: p.var.hint or p.var.name for p in program.params}
        self.lengths = lengths(program.forward, [p.var for p in program.params])
        makers = {op.out.name: op for op in only(walk(program.forward), Apply)}
        self._count(program.forward, makers, (1, ""))

    def value(self, kept: Kept) -> Value:
        """What is known of a value that is kept."""
        fact, name = kept.var.fact, kept.var.name
        name = name.removesuffix("@in").removesuffix("@val")
        shape = shape_text(fact, kept.name, self.lengths)
        note = INNER if name in self.turns else ""
        roots = self.points.memory(Var(name, fact))
        if len(roots) == 1 and not note:
            [root] = roots
            whole = self.params.get(root) or (
                self.seen.get(root) if root != name else ""
            )
            note = f"view of {whole}" if whole else ""
        for root in roots:
            self.seen.setdefault(root, kept.name)
        size = Size() if note else size_of(fact, kept.name, self.lengths)
        return Value(kept.name, fact, size, shape, note)

    def _count(
        self, block: Block, makers: Mapping[str, Apply], outer: tuple[int | None, str]
    ) -> None:
        """Note how often each loop turns that saves."""
        for op in block:
            inner = outer
            if is_loop(op):
                inner = _product(outer, _trips(op, makers))
                if op.stack is not None:
                    self.turns[op.stack.name] = inner
            for each in blocks_of(op):
                self._count(each, makers, inner)


def _trips(op: For | While, makers: Mapping[str, Apply]) -> tuple[int | None, str]:
    """How often a loop turns."""
    if not isinstance(op, For) or not isinstance(op.iterable, Var):
        return None, "turns"
    fact = op.iterable.fact
    if fact.kind == "array" and isinstance(fact.shape, tuple) and fact.shape[0]:
        return fact.shape[0].example, str(fact.shape[0])
    if fact.kind in ("tuple", "list") and fact.items is not None:
        return len(fact.items), ""
    maker = makers.get(op.iterable.name)
    if maker is None or maker.fn is not range or len(maker.args) > 2:
        return None, "turns"
    *start, stop = (_number(a, makers) for a in maker.args)
    if not start or start[0][0] == 0:
        return stop
    if start[0][0] is None:
        return None, "turns"
    count = None if stop[0] is None else max(stop[0] - start[0][0], 0)
    return count, f"({stop[1]} - {start[0][0]})"


def _number(atom: object, makers: Mapping[str, Apply]) -> tuple[int | None, str]:
    """An int of a range: its value if it is known, and as text."""
    if not isinstance(atom, Var):
        value = getattr(atom, "value", None)
        return (value, str(value)) if isinstance(value, int) else (None, "turns")
    length = atom.fact.length
    maker = makers.get(atom.name)
    if length is not None and length.base.startswith("@"):
        length = None  # called after a variable
    if length is None and maker is not None and maker.fn is len:
        shape = maker.args[0].fact.shape if isinstance(maker.args[0], Var) else None
        length = shape[0] if isinstance(shape, tuple) and shape else None
    if length is None:
        return None, atom.hint or "turns"
    return length.example, str(length)


def _product(
    a: tuple[int | None, str], b: tuple[int | None, str]
) -> tuple[int | None, str]:
    count = None if a[0] is None or b[0] is None else a[0] * b[0]
    texts = [t or str(n) for n, t in (a, b) if n != 1]
    return count, " x ".join(texts)
