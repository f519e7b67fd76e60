"""A tape -> its graph: levels of nodes and arrows, a level within a box a loop or arm.

What a level reads of the levels around it comes in by a port at its top; what a loop
hands on leaves by a port at its bottom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.codegen.printers.expression_source import BINARY
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    atoms_of,
)
from yota_ast.ir.store_changes import changes_length
from yota_ast.ir.tape import Tape
from yota_ast.ir.tape_printer import change_text, function_name
from yota_ast.syntax.value_paths import path_text
from yota_ast.tools.report.graph_layers import Arrow, Box, Layout, Point, layered
from yota_ast.tools.report.sizes import shape_text

PAD: Final = 14
HEAD: Final = 24
"""The height of the heading of a box with a level in it."""
CHARACTER: Final = 7.3
_LINE: Final = 24
_LONGEST: Final = 22


@dataclass(frozen=True, slots=True)
class Node:
    """What stands in a box: text, more text below it, a kind, an op, levels within."""

    name: str
    kind: str
    label: str
    detail: str = ""
    op: Op | None = None
    title: str = ""
    inner: Drawn | None = None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A level, laid out."""

    nodes: tuple[Node, ...]
    boxes: Mapping[str, Box]
    arrows: tuple[Arrow, ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class _End:
    """Where an arrow begins: a box, how far from its left."""

    box: str
    out: int | None = None


@dataclass(slots=True)
class _Level:
    """A level while it is built; `path` begins the names of its boxes."""

    path: str
    nodes: list[Node] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    ends: dict[str, _End] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=dict)  # of what is outside

    # ------------------------------------------------------------ parts

    def add(
        self, kind: str, label: str, detail: str = "", *, op: Op | None = None,
        end: Literal["first", "last", ""] = "", title: str = "",
    ) -> str:  # fmt: skip
        """Add a node; its name."""
        name = f"{self.path}{len(self.nodes)}"
        label, detail = _cut(label), _cut(detail)
        width = round(max(len(label), 0.85 * len(detail)) * CHARACTER) + 20
        height = _LINE + (14 if detail else 0)
        if kind == "port":
            height = 18
        self.nodes.append(Node(name, kind, label, detail, op, title))
        self.boxes.append(Box(name, width, height, end))
        return name

    def put(
        self, kind: str, label: str, level: _Level, op: Op | None = None
    ) -> tuple[str, Drawn]:
        """Add a box with a level in it; connect what that reads of this one."""
        drawn = level.drawn()
        name = f"{self.path}{len(self.nodes)}"
        width = max(drawn.layout.width, round(len(label) * CHARACTER)) + 2 * PAD
        height = drawn.layout.height + 2 * PAD + HEAD
        self.nodes.append(Node(name, kind, _cut(label, 60), op=op, inner=drawn))
        self.boxes.append(Box(name, width, height))
        for var, port in level.ports.items():
            self.connect(Var(var), name, _middle(drawn, port))
        return name, drawn

    def end(self, var: Var) -> _End:
        """Where arrows from a variable begin; of one of outside, its port."""
        if var.name not in self.ends:
            port = self.add("port", var.hint or "", end="first")
            self.ports[var.name] = port
            self.ends[var.name] = _End(port)
        return self.ends[var.name]

    def connect(self, atom: object, target: str, into: int | None = None) -> None:
        """Let an arrow go from a variable to a box."""
        if isinstance(atom, Var):
            start = self.end(atom)
            self.arrows.append(Arrow(start.box, target, start.out, into))

    def drawn(self) -> Drawn:
        """The level, laid out."""
        order = [b for b in self.boxes if b.end == "first"]
        order += [b for b in self.boxes if b.end != "first"]
        arrows = tuple(dict.fromkeys(self.arrows))
        boxes = {b.name: b for b in self.boxes}
        return Drawn(tuple(self.nodes), boxes, arrows, layered(order, arrows))

    # ------------------------------------------------------------ ops

    def body(self, params: Iterable[Var], block: Block, result: Atom) -> None:
        """Add a function: its parameters, its ops, its result."""
        for var in params:
            title = _title(var.fact, var.hint)
            name = self.add("input", var.hint or var.name, title=title)
            self.ends[var.name] = _End(name)
        self.block(block)
        self.connect(result, self.add("result", "return", end="last"))

    def block(self, block: Block) -> None:
        """Add the ops of a block."""
        for op in block:
            self.op(op)

    def op(self, op: Op) -> None:
        """Add an op."""
        match op:
            case Apply() | Read() | Store():
                kind = "read" if isinstance(op, Read) else "op"
                label, title = _label(op), _title(op.out.fact, op.out.hint)
                detail = "" if isinstance(op, Read) else op.out.hint or ""
                name = self.add(kind, label, detail, op=op, title=title)
                for atom in atoms_of(op):
                    if not (isinstance(op, Read) and atom == op.root):
                        self.connect(atom, name)
                self.ends[op.out.name] = _End(name)
            case If():
                self._if(op)
            case For() | While():
                self._loop(op)
            case Raise():
                self.connect(op.exc, self.add("op", "raise", op=op))
            case With():
                self._with(op)
            case Try():
                self._arms(op, "try", (op.body, op.orelse, op.handler))
            case _:
                assert_never(op)

    def _if(self, op: If) -> None:
        if op.then.ops or op.orelse.ops:
            self._arms(op, "if", (op.then, op.orelse))
            return
        for merge in op.merges:
            name = self.add("op", op.form if op.form != "if" else "select", op=op)
            for atom in (op.test, merge.then, merge.orelse):
                self.connect(atom, name)
            self.ends[merge.out.name] = _End(name)

    def _arms(self, op: If | Try, word: str, blocks: tuple[Block, ...]) -> None:
        """Add a branch: a box an arm, the merges below, all in one box."""
        level = _Level(f"{self.path}{len(self.nodes)}.")
        if isinstance(op, If) and isinstance(op.test, Var):
            level.end(op.test)
        words = ("then", "else") if word == "if" else ("try", "else", "except")
        for block, title in zip(blocks, words, strict=True):
            if block.ops:
                arm = _Level(f"{level.path}{len(level.nodes)}.")
                arm.block(block)
                name, drawn = level.put("arm", title, arm, op)
                _hand_on(level, name, arm, drawn)
        outs = {}
        for merge in op.merges:
            joined = level.add("merge", merge.out.hint or "", op=op, end="last")
            for value in (merge.then, merge.orelse):
                level.connect(value, joined)
            outs[merge.out.name] = joined
        name, drawn = self.put("branch", op.origin.text or word, level, op)
        for var, inner in outs.items():
            self.ends[var] = _End(name, _middle(drawn, inner))

    def _with(self, op: With) -> None:
        level = _Level(f"{self.path}{len(self.nodes)}.")
        level.connect(op.context, level.add("op", "with", op=op))
        level.block(op.body)
        name, drawn = self.put("arm", op.origin.text or "with", level, op)
        _hand_on(self, name, level, drawn)

    def _loop(self, op: For | While) -> None:
        """Add a loop: what it carries enters at the top and leaves at the bottom."""
        level = _Level(f"{self.path}{len(self.nodes)}.")
        enters: list[tuple[object, str]] = []
        for whole, target in _items(op):
            item = level.add("item", target.hint or "item", op=op, end="first")
            level.ends[target.name] = _End(item)
            enters.append((whole, item))
        for carry in op.carries:
            hint = carry.inside.hint or ""
            inside = level.add("carry", hint, op=op, end="first")
            level.ends[carry.inside.name] = _End(inside)
            enters.append((carry.init, inside))
        if isinstance(op, While):
            level.block(op.cond)
            level.connect(op.test, level.add("op", "while", op=op))
        level.block(op.body)
        outs = {}
        for carry in op.carries:
            hint = carry.out.hint or carry.inside.hint or ""
            last = level.add("carry", hint, op=op, end="last")
            level.connect(carry.next, last)
            outs[carry.out.name] = last
        name, drawn = self.put("loop", op.origin.text or "loop", level, op)
        for atom, inside in enters:
            self.connect(atom, name, _middle(drawn, inside))
        for var, inner in outs.items():
            self.ends[var] = _End(name, _middle(drawn, inner))


def graph(tape: Tape) -> Drawn:
    """The graph of a tape; functions that call themselves are boxes beside it."""
    level = _Level("")
    level.body([p.var for p in tape.params], tape.block, tape.result)
    for function in tape.functions:
        inner = _Level(f"{len(level.nodes)}.")
        inner.body(function.params, function.block, function.result)
        level.put("function", function.title or function.name, inner)
    used = {a.source for a in level.arrows}
    unused = {n.name for n in level.nodes if n.kind == "input" and n.name not in used}
    level.nodes = [n for n in level.nodes if n.name not in unused]
    level.boxes = [b for b in level.boxes if b.name not in unused]
    return level.drawn()


def nodes_of(drawn: Drawn) -> Iterator[Node]:
    """All nodes, outer before inner."""
    for node in drawn.nodes:
        yield node
        if node.inner is not None:
            yield from nodes_of(node.inner)


def _hand_on(level: _Level, name: str, inner: _Level, drawn: Drawn) -> None:
    """Let what an inner level defines be read below its box."""
    for var, end in inner.ends.items():
        if var not in inner.ports:
            x = drawn.layout.places[end.box][0] + PAD
            width = drawn.boxes[end.box].width
            out = x + (width // 2 if end.out is None else end.out)
            level.ends.setdefault(var, _End(name, out))


def _middle(drawn: Drawn, name: str) -> int:
    """How far from the left of its box the middle of an inner box is."""
    return drawn.layout.places[name][0] + drawn.boxes[name].width // 2 + PAD


def inside(place: Point) -> Point:
    """Where the level within a box begins."""
    return place[0] + PAD, place[1] + HEAD + PAD


def _items(op: For | While) -> list[tuple[Atom, Var]]:
    """The variables that are an item of what a loop runs over."""
    return [(op.iterable, t) for t in op.targets] if isinstance(op, For) else []


# ---------------------------------------------------------------- labels


def _label(op: Apply | Read | Store) -> str:
    match op:
        case Apply():
            return _label_of_call(op)
        case Read():
            return path_text(op.root.hint or op.root.name, op.path)
        case Store():
            change = change_text(op.change)
            return change if changes_length(op.change) else f"[...] {change}="
        case _:
            assert_never(op)


def _label_of_call(op: Apply) -> str:
    if op.fn in BINARY and len(op.args) == 2:
        symbol = BINARY[op.fn][0]
        left, right = (_literal(a) for a in op.args)
        return f"{left} {symbol} {right}".strip()
    name = function_name(op.fn, op.spelling)
    if op.form == "subscript" or name == "getitem":
        return f"[{_literal(op.args[-1]) or '...'}]"
    if op.form == "attribute":
        return f".{op.spelling or name}"
    return {"neg": "-"}.get(name, name)


def _literal(atom: object) -> str:
    if not isinstance(atom, Const):
        return ""
    if atom.text is not None:
        return atom.text
    plain = isinstance(atom.value, (bool, int, float, complex, str))
    return repr(atom.value) if plain else ""


def _title(fact: Fact, hint: str | None) -> str:
    shape = shape_text(fact, hint or "value") if fact.kind == "array" else ""
    return " ".join(filter(None, [str(fact), shape]))


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
