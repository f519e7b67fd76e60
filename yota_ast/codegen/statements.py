"""Plan, names -> the lines of the function's body.

A move between two variables of one name prints nothing. A group of reverse statements
stands under a comment that quotes the line they reverse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from string import ascii_letters
from typing import Literal

import numpy as np

from yota_ast import syntax
from yota_ast.codegen import lines
from yota_ast.codegen.expressions import BINARY, Expressions
from yota_ast.codegen.moves import Copy, layout
from yota_ast.codegen.plan import (
    Append,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Write,
    copy_mark,
    walk,
)
from yota_ast.syntax import WIDTH
from yota_ast.tape import Apply, Atom, Const, For, If, Origin, Read, Var

Lines = list[str]
_LETTERS = "_" + ascii_letters


class Statements:
    """Prints blocks; remembers which line of the user's the last comment quoted."""

    def __init__(self, plan: Plan, expressions: Expressions, live: frozenset[str]) -> None:
        self.plan = plan
        self.write = expressions
        self.live = live
        self.group = 0
        self.inlined = _inlined(plan.forward)
        self.in_loop = False

    def name(self, var: Var) -> str:
        """Return the name of a variable."""
        return self.write.text(var)

    def block(self, stmts: Sequence[Stmt], depth: int, *, tail: bool = False) -> Lines:
        """Return the lines of statements; `tail`: a loop's body ends with them."""
        kept = self._printed(stmts)
        found: Lines = []
        while kept:
            if isinstance(kept[0], Let) and isinstance(kept[0].value, Read):
                reads = [s for s in _leading_reads(kept)]
                found += self._reads(reads, depth)
                kept = kept[len(reads) :]
                continue
            together = self._together(kept) or self._zeros(kept, depth)
            if together > 1:
                found += self._tuple_line(kept[:together], depth)
                kept = kept[together:]
                continue
            stmt, kept = kept[0], kept[1:]
            extra: list[str] = []
            if isinstance(stmt, Let) and kept and isinstance(kept[0], Move):
                extra, rest = self._chained(stmt, kept[0])
                kept = [*([rest] if self._copies(rest) else []), *kept[1:]]
            found += self._stmt(stmt, depth, extra=extra, tail=tail and not kept)
        return found

    def _together(self, stmts: Sequence[Stmt]) -> int:
        """Return how many statements are one of the user's: `a, b = f(x), g(y)`."""
        first = stmts[0]
        if not isinstance(first, Let) or first.origin.reverse:
            return 0
        wanted = _tuple_targets(first.origin.text)
        seen: set[str] = set()
        for stmt, name in zip(stmts, wanted, strict=False):
            if not isinstance(stmt, Let) or len(stmt.targets) != 1:
                return 0
            if stmt.targets[0].hint != name or self._unpacks(stmt):
                return 0
            if stmt.origin.statement != first.origin.statement:
                return 0
            if seen.intersection(self.plan.leaves_of(stmt.value)):
                return 0
            seen.add(self.plan.key(stmt.targets[0]))
        return len(wanted) if len(seen) == len(wanted) else 0

    def _zeros(self, stmts: Sequence[Stmt], depth: int) -> int:
        """Return how many adjoints of one layer start as zeros: `dW1, db1 = ...`.

        The names of a layer end in its number.
        """
        layer, room = "", WIDTH - 4 * depth - len(" = ")
        for i, stmt in enumerate(stmts):
            op = stmt.value if isinstance(stmt, Let) else None
            if not (isinstance(op, Apply) and op.fn is np.zeros_like and op.origin.reverse):
                return i
            if op.origin.text and op.origin.statement != self.group:
                return i
            name, value = self.name(op.out), self.write.op(op)[0]
            number = name.lstrip("d").lstrip(_LETTERS)
            room -= len(f"{name}, {value}, ")
            if not number.isdigit() or (i and number != layer) or room < 0:
                return i
            layer = number
        return len(stmts)

    def _tuple_line(self, stmts: Sequence[Stmt], depth: int) -> Lines:
        lets = [s for s in stmts if isinstance(s, Let)]
        names = ", ".join(self.name(s.targets[0]) for s in lets)
        values = [self.write.op(s.value)[0] for s in lets if not isinstance(s.value, Read)]
        quote = self._comment(lets[0].origin, depth)
        return quote + lines.statement(f"{names} = {', '.join(values)}", depth)

    def _printed(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [s for s in stmts if not isinstance(s, Move) or self._copies(s)]

    def _stmt(self, stmt: Stmt, depth: int, *, extra: list[str], tail: bool) -> Lines:
        match stmt:
            case Let():
                quote = self._comment(stmt.origin, depth)
                return quote + lines.statement(self._let(stmt, extra), depth)
            case Write():
                quote = self._comment(stmt.origin, depth)
                return quote + lines.statement(self._store(stmt), depth)
            case Move():
                return [
                    line
                    for text in layout(self._copies(stmt), WIDTH - 4 * depth)
                    for line in lines.statement(text, depth)
                ]
            case Branch():
                return self._branch(stmt, depth, tail=tail)
            case Loop():
                return self._loop(stmt, depth)
            case NewList():
                return lines.statement(f"{self.name(stmt.stack)} = []", depth)
            case Append():
                return lines.statement(self._append(stmt), depth)
            case Break():
                return lines.statement("break", depth)
            case Exit():
                return lines.statement(self._exit(stmt), depth)

    # ------------------------------------------------------------ simple statements

    def _let(self, stmt: Let, extra: list[str]) -> str:
        op = stmt.value
        names = [self.name(v) for v in stmt.targets]
        if isinstance(op, Apply) and op.form == "augmented" and op.fn in BINARY:
            if names == [self.write.text(op.args[0])]:
                return f"{names[0]} {self.write.augmented(op)}"
        value = self._read(op) if isinstance(op, Read) else self.write.op(op)[0]
        if not names:
            return value
        targets = [", ".join(names) + ("," if self._unpacks(stmt) else ""), *extra]
        return f"{' = '.join(targets)} = {value}"

    def _unpacks(self, stmt: Let) -> bool:
        return len(stmt.targets) == 1 and isinstance(stmt.value, Apply) and (
            stmt.targets[0] != stmt.value.out
        )

    def _read(self, op: Read) -> str:
        text = self.write.text(op.root)
        for kind, step in op.path:
            text += f".{step}" if kind == "attr" else f"[{step!r}]"
        return text

    def _reads(self, reads: list[Let], depth: int) -> Lines:
        """Return the reads of one object's fields on one line, as far as it goes."""
        found: Lines = []
        for _, group in groupby(reads, key=_object):
            pending: list[tuple[str, str]] = []
            for stmt in group:
                assert isinstance(stmt.value, Read)  # noqa: S101 - told apart above
                pair = (self.name(stmt.targets[0]), self._read(stmt.value))
                if pending and len(_tuple([*pending, pair])) > WIDTH - 4 * depth:
                    found += lines.statement(_tuple(pending), depth)
                    pending = []
                pending.append(pair)
            found += lines.statement(_tuple(pending), depth)
        return found

    def _store(self, stmt: Write) -> str:
        op = stmt.op
        if op.augment and isinstance(op.index, Const) and op.index.value is Ellipsis:
            target = self.write.text(op.target)
            return f"{target} {op.augment}= {self.write.text(op.value)}"
        place = f"{self.write.text(op.target)}[{self.write.index(op.index)}]"
        return f"{place} {op.augment}= {self.write.text(op.value)}"

    def _append(self, stmt: Append) -> str:
        names = [self.name(v) for v in stmt.saved]
        value = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return f"{self.name(stmt.stack)}.append({value})"

    def _exit(self, stmt: Exit) -> str:
        values = [self.write.text(a) for a in (stmt.value, *stmt.results)]
        return f"return {', '.join(values)}"

    # ------------------------------------------------------------ moves

    def _copies(self, move: Move) -> list[Copy]:
        """Return the copies of a move that do something."""
        found: list[Copy] = []
        for var, atom in move.pairs:
            if copy_mark(self.plan.key(var), atom) not in self.live:
                continue
            name, text = self.name(var), self.write.text(atom)
            if name != text:
                reads = frozenset(
                    self.write.names.by_key.get(k, k) if self.write.names else k
                    for k in self.plan.leaves(atom)
                )
                found.append(Copy(name, text, reads, self._kind(atom)))
        return found

    def _kind(self, atom: Atom) -> Literal["literal", "variable", "expression"]:
        if not isinstance(atom, Var):
            return "literal"
        return "expression" if atom.name in self.plan.nested else "variable"

    def _chained(self, stmt: Let, move: Move) -> tuple[list[str], Move]:
        """Return the names that the next move copies a value to, and the rest."""
        op = stmt.value
        plain = isinstance(op, (Apply, If)) and len(stmt.targets) == 1
        if not plain or self._unpacks(stmt):
            return [], move
        if isinstance(op, Apply) and op.form == "augmented":
            return [], move
        name = self.name(stmt.targets[0])
        copies = self._copies(move)
        names = [c.name for c in copies if c.text == name]
        if any(name in c.reads for c in copies if c.text != name):
            return [], move
        if name in (c.name for c in copies):
            return [], move
        if any(set(names) & c.reads for c in copies):
            return [], move
        pairs = tuple(p for p in move.pairs if self.name(p[0]) not in names)
        return names, Move(pairs, move.origin)

    # ------------------------------------------------------------ compound statements

    def _branch(
        self, stmt: Branch, depth: int, *, tail: bool, word: str = "if"
    ) -> Lines:
        quote = self._comment_of_block(stmt, depth) if word == "if" else []
        before = self.group
        then = self.block(stmt.then, depth + 1)
        self.group, after = before, self.group
        changed = after != before
        if not then:
            found = self._without_then(stmt, depth, tail=tail, word=word)
        else:
            test = self.write.text(stmt.test)
            found = [*lines.header(f"{word} {test}", depth), *then]
            if isinstance(stmt.then[-1], (Break, Exit)) and word == "if":
                found += self.block(stmt.orelse, depth, tail=tail)
            else:
                found += self._else(stmt, depth)
        if changed or self.group != before:
            self.group = 0
        return quote + found

    def _without_then(self, stmt: Branch, depth: int, *, tail: bool, word: str) -> Lines:
        if not self._printed(stmt.orelse):
            return []
        if tail and word == "if" and not stmt.origin.reverse:
            test = self.write.text(stmt.test)
            skip = lines.header(f"if {test}", depth)
            skip += lines.statement("continue", depth + 1)
            return skip + self.block(stmt.orelse, depth, tail=True)
        test = self.write.negation(stmt.test)[0]
        body = self.block(stmt.orelse, depth + 1)
        return [*lines.header(f"{word} {test}", depth), *body] if body else []

    def _else(self, stmt: Branch, depth: int) -> Lines:
        orelse = self._printed(stmt.orelse)
        if len(orelse) == 1 and isinstance(orelse[0], Branch):
            only = orelse[0]
            if self._single(only) != only.origin.statement or only.origin.text == "":
                return self._branch(only, depth, tail=False, word="elif")
        body = self.block(orelse, depth + 1)
        return [f"{lines.INDENT * depth}else:", *body] if body else []

    def _loop(self, stmt: Loop, depth: int) -> Lines:
        quote = self._comment_of_block(stmt, depth)
        before = self.group
        cond = self.block(stmt.cond, depth + 1)
        op = stmt.op
        if isinstance(op, For):
            targets = ", ".join(map(self.name, op.targets))
            head = f"for {targets} in {self.write.text(op.iterable)}"
        elif cond:
            head = "while True"
            test = self.write.negation(op.test)[0]
            cond += lines.header(f"if {test}", depth + 1)
            cond += lines.statement("break", depth + 2)
        else:
            head = f"while {self.write.text(op.test)}"
        body = cond + self.block(stmt.body, depth + 1, tail=True)
        found = lines.header(head, depth)
        found += body or lines.statement("pass", depth + 1)
        orelse = self.block(stmt.orelse, depth + 1)
        if orelse:
            found += [f"{lines.INDENT * depth}else:", *orelse]
        if self.group != before:
            self.group = 0
        return quote + found

    # ------------------------------------------------------------ comments

    def _comment(self, origin: Origin, depth: int) -> Lines:
        """Quote the line that a statement reverses, once for a group."""
        if not origin.text or origin.statement == self.group:
            return []
        if not origin.reverse and origin.statement not in self.inlined:
            return []
        self.group = origin.statement
        return lines.comment(origin.text, depth)

    def _comment_of_block(self, stmt: Branch | Loop, depth: int) -> Lines:
        """Quote the line in front of a block that stems from one line altogether."""
        if self._single(stmt) != stmt.origin.statement:
            return []
        return self._comment(stmt.origin, depth)

    def _single(self, stmt: Stmt) -> int | None:
        """Return the number of the only statement that a block stems from."""
        numbers = {
            inner.origin.statement
            for inner in walk((stmt,))
            if inner is not stmt and inner.origin.text
        }
        return numbers.pop() if len(numbers) == 1 else None


def _tuple_targets(text: str) -> list[str]:
    """Return the names that a line assigns one value each."""
    targets, equals, values = text.partition(" = ")
    names = targets.split(", ") if equals else []
    if len(names) < 2 or "(" in targets or "[" in targets:
        return []
    value = syntax.parse_expr(values)
    whole = isinstance(value, syntax.nodes.Tuple) and len(value.elts) == len(names)
    return names if whole else []


def _leading_reads(stmts: Sequence[Stmt]) -> list[Let]:
    found: list[Let] = []
    for stmt in stmts:
        if not (isinstance(stmt, Let) and isinstance(stmt.value, Read)):
            break
        found.append(stmt)
    return found


def _object(stmt: Let) -> tuple[str, str]:
    assert isinstance(stmt.value, Read)  # noqa: S101 - told apart by the caller
    return stmt.value.root.name, repr(stmt.value.path[:-1])


def _tuple(pairs: Sequence[tuple[str, str]]) -> str:
    names, values = zip(*pairs, strict=True)
    return f"{', '.join(names)} = {', '.join(values)}"


def _inlined(stmts: Sequence[Stmt]) -> frozenset[int]:
    """Return the statements printed as lines of an inlined function: they get a quote.

    They define what the user's own line does not mention.
    """
    counts: dict[int, int] = {}
    foreign: set[int] = set()
    for stmt in walk(tuple(stmts)):
        if isinstance(stmt, (Let, Write)) and stmt.origin.text:
            number = stmt.origin.statement
            counts[number] = counts.get(number, 0) + 1
            words = set(re.findall(r"\w+", stmt.origin.text))
            if isinstance(stmt, Let) and any(
                v.hint not in words and v.hint not in (None, "dt", "val")
                for v in stmt.targets
            ):
                foreign.add(number)
    return frozenset(n for n in foreign if counts[n] > 1)
