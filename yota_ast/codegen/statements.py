"""Plan, names -> the lines of the function's body.

A move between two variables of one name prints nothing. A group of reverse statements
stands under a comment that quotes the line they reverse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from yota_ast.codegen import lines
from yota_ast.codegen.assignments import Assignments
from yota_ast.codegen.expressions import Expressions
from yota_ast.codegen.plan import (
    Attempt,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    Plan,
    Stmt,
    Throw,
    Within,
    Write,
    parts_of,
    walk,
)
from yota_ast.syntax import line_width
from yota_ast.tape import For, Origin, Var, While, atoms_of

Lines = list[str]


class Statements:
    """Prints blocks; remembers which line of the user's the last comment quoted."""

    def __init__(self, plan: Plan, expressions: Expressions) -> None:
        self.plan = plan
        self.write = expressions
        self.assign = Assignments(plan, expressions)
        self.group = 0
        self.inlined = _inlined(plan.forward)

    def name(self, var: Var) -> str:
        """Return the name of a variable."""
        return self.write.text(var)

    def block(self, stmts: Sequence[Stmt], depth: int, *, tail: bool = False) -> Lines:
        """Return the lines of statements; `tail`: a loop's body ends with them."""
        kept = self._printed(stmts)
        found: Lines = []
        while kept:
            room = line_width() - 4 * depth
            count, texts = self.assign.shared(kept, room, self.group)
            if count:
                found += self._comment(kept[0].origin, depth)
                found += [s for text in texts for s in lines.statement(text, depth)]
                kept = kept[count:]
                continue
            stmt, kept = kept[0], kept[1:]
            extra: list[str] = []
            if isinstance(stmt, Let) and kept and isinstance(kept[0], Move):
                extra, rest = self.assign.chained(stmt, kept[0])
                kept = [*([rest] if self.assign.copies(rest) else []), *kept[1:]]
            found += self._stmt(stmt, depth, extra=extra, tail=tail and not kept)
        return found

    def _printed(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [s for s in stmts if not isinstance(s, Move) or self.assign.copies(s)]

    def _stmt(self, stmt: Stmt, depth: int, *, extra: list[str], tail: bool) -> Lines:
        if isinstance(stmt, Branch):
            return self._branch(stmt, depth, tail=tail)
        if isinstance(stmt, Loop):
            return self._loop(stmt, depth)
        if isinstance(stmt, Within):
            header = lines.header(f"with {self.write.text(stmt.op.context)}", depth)
            return [*header, *self._body(stmt.body, depth)]
        if isinstance(stmt, Attempt):
            return self._attempt(stmt, depth)
        quote: Lines = []
        if isinstance(stmt, (Let, Write)):
            quote = self._comment(stmt.origin, depth)
        texts = self.assign.texts(stmt, extra, line_width() - 4 * depth)
        return quote + [s for text in texts for s in lines.statement(text, depth)]

    # ------------------------------------------------------------ compound statements

    def _branch(
        self, stmt: Branch, depth: int, *, tail: bool, word: str = "if"
    ) -> Lines:
        quote = self._comment_of_block(stmt, depth) if word == "if" else []
        before = self.group
        then = self.block(stmt.then, depth + 1)
        changed, self.group = self.group != before, before
        if not then:
            found = self._without_then(stmt, depth, tail=tail, word=word)
        else:
            test = self.write.text(stmt.test)
            found = [*lines.header(f"{word} {test}", depth), *then]
            if isinstance(stmt.then[-1], (Break, Throw, Exit)) and word == "if":
                found += self.block(stmt.orelse, depth, tail=tail)
            else:
                found += self._else(stmt, depth)
        if changed or self.group != before:
            self.group = 0
        return quote + found

    def _without_then(
        self, stmt: Branch, depth: int, *, tail: bool, word: str
    ) -> Lines:
        if not self._printed(stmt.orelse):
            return self._test_alone(stmt, depth)
        if tail and word == "if" and not stmt.origin.reverse:
            test = self.write.text(stmt.test)
            skip = lines.header(f"if {test}", depth)
            skip += lines.statement("continue", depth + 1)
            return skip + self.block(stmt.orelse, depth, tail=True)
        test = self.write.negation(stmt.test)[0]
        body = self.block(stmt.orelse, depth + 1)
        if not body:
            return self._test_alone(stmt, depth)
        return [*lines.header(f"{word} {test}", depth), *body]

    def _test_alone(self, stmt: Branch, depth: int) -> Lines:
        """Return a branch that does nothing: its test, if it may raise or do more."""
        if self.plan.is_harmless(stmt.test):
            return []
        return lines.statement(self.write.text(stmt.test), depth)

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

    def _body(self, stmts: Sequence[Stmt], depth: int) -> Lines:
        """Return the lines of a block, `pass` for an empty one."""
        before = self.group
        found = self.block(stmts, depth + 1)
        if self.group != before:
            self.group = 0
        return found or lines.statement("pass", depth + 1)

    def _attempt(self, stmt: Attempt, depth: int) -> Lines:
        indent = lines.INDENT * depth
        found = [f"{indent}try:", *self._body(stmt.body, depth)]
        caught = self.write.text(stmt.op.caught)
        if self.plan.key(stmt.op.error) in self._read(stmt.handler):
            caught += f" as {self.name(stmt.op.error)}"
        found += lines.header(f"except {caught}", depth)
        found += self._body(stmt.handler, depth)
        orelse = self.block(stmt.orelse, depth + 1)
        return [*found, f"{indent}else:", *orelse] if orelse else found

    def _read(self, stmts: Sequence[Stmt]) -> set[str]:
        """Return the variables that statements read."""
        return {
            leaf
            for stmt in walk(tuple(stmts))
            for atom in _atoms(stmt)
            for leaf in self.plan.leaves(atom)
        }

    # ------------------------------------------------------------ comments

    def _comment(self, origin: Origin, depth: int) -> Lines:
        """Quote the line that a statement reverses, once for a group."""
        if not origin.text or origin.statement == self.group:
            return []
        if origin.text.endswith(":"):  # the header of a block reverses nothing
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


def _atoms(stmt: Stmt) -> tuple[object, ...]:
    """Return the atoms that a statement itself reads."""
    match stmt:
        case Let():
            return parts_of(stmt.value)
        case Write() | Throw() | Within() | Attempt():
            return atoms_of(stmt.op)
        case Move():
            return tuple(a for _, a in stmt.pairs)
        case Branch():
            return (stmt.test,)
        case Loop():
            own = (stmt.op.test,) if isinstance(stmt.op, While) else ()
            return (*atoms_of(stmt.op), *own)
        case Exit():
            return (stmt.value, *stmt.results)
        case _:
            return ()
