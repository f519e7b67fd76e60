"""Plan, names -> the lines of the function's body.

A move between two variables of one name prints nothing. A group of reverse statements
stands under a comment that quotes the line they reverse. Every line has the origins of
what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.plan.item_loops import (
    comprehended,
    items_of,
    makes_list,
    with_nested_targets,
)
from yota_ast.codegen.plan.kept_values import Kept, Marks
from yota_ast.codegen.plan.statement_plan import (
    Append,
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
    walk,
)
from yota_ast.codegen.plan.statement_reads import names_read
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.assignments import Assignments
from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.sourcemap import filled, origins_of
from yota_ast.codegen.printers.statement_lines import Line, Part
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import For, Origin
from yota_ast.syntax import line_width
from yota_ast.syntax.grammar import CONDITIONAL
from yota_ast.syntax.names import is_weak

Lines = list[Line]


class Statements:
    """Prints blocks; remembers which line of the user's the last comment quoted.

    marks: what statements keep for the reverse sweep.
    """

    def __init__(
        self, plan: Plan, expressions: Expressions, marks: Marks | None = None
    ) -> None:
        self.plan = plan
        self.write = expressions
        self.assign = Assignments(plan, expressions)
        self.group = 0
        self.inlined = _inlined(plan.forward)
        self.part: Part = "forward"
        self.marks = dict(marks or {})

    def name(self, var: Var) -> str:
        """Return the name of a variable."""
        return self.write.text(var)

    def block(self, stmts: Sequence[Stmt], depth: int, *, tail: bool = False) -> Lines:
        """Return the lines of statements; `tail`: a loop's body ends with them."""
        pending = self._printed(stmts)
        found: Lines = []
        while pending:
            room = line_width() - 4 * depth
            count, texts = self.assign.shared(pending, room, self.group)
            if count:
                found += self._comment(pending[0].origin, depth)
                printed = [
                    s for text in texts for s in statement_lines.statement(text, depth)
                ]
                found += self._lines(printed, *pending[:count])
                pending = pending[count:]
                continue
            count, listed = self._comprehension(pending, depth)
            if count:
                found += listed
                pending = pending[count:]
                continue
            stmt, pending = pending[0], pending[1:]
            popped = self.assign.popped(stmt, pending)
            if popped is not None:
                found += self._comment(stmt.origin, depth)
                printed = statement_lines.statement(popped, depth)
                found += self._lines(printed, stmt, pending[0])
                pending = pending[1:]
                continue
            extra: list[str] = []
            if isinstance(stmt, Let) and pending and isinstance(pending[0], Move):
                extra, rest = self.assign.chained(stmt, pending[0])
                kept = self._keeps(stmt, pending[0])
                stmt, extra = self.assign.renamed(stmt, extra, pending[0])
                self.marks[id(stmt)] = kept
                pending = [*([rest] if self.assign.copies(rest) else []), *pending[1:]]
            found += self._stmt(stmt, depth, extra=extra, tail=tail and not pending)
        return filled(found)

    def _lines(self, texts: Sequence[str], *stmts: Stmt) -> Lines:
        """Return the lines that show statements."""
        origins = origins_of(stmts, self.plan)
        found = [Line(text, origins, self.part) for text in texts]
        if found and (keeps := self._keeps(*stmts)):
            stacks = [stmt.stack for stmt in stmts if isinstance(stmt, Append)]
            stack = stacks[0] if stacks else None
            found[0] = replace(found[0], keeps=keeps, stack=stack)
        return found

    def _keeps(self, *stmts: Stmt) -> tuple[Kept, ...]:
        """Return the values that statements keep for the reverse sweep."""
        return tuple(k for stmt in stmts for k in self.marks.get(id(stmt), ()))

    def _printed(self, stmts: Sequence[Stmt]) -> list[Stmt]:
        return [s for s in stmts if not isinstance(s, Move) or self.assign.copies(s)]

    def _stmt(self, stmt: Stmt, depth: int, *, extra: list[str], tail: bool) -> Lines:
        if isinstance(stmt, Branch):
            return self._branch(stmt, depth, tail=tail)
        if isinstance(stmt, Loop):
            return self._loop(stmt, depth)
        if isinstance(stmt, Within):
            header = statement_lines.header(
                f"with {self.write.text(stmt.op.context)}", depth
            )
            return [*self._lines(header, stmt), *self._body(stmt.body, depth, stmt)]
        if isinstance(stmt, Attempt):
            return self._attempt(stmt, depth)
        quote: Lines = []
        if isinstance(stmt, (Let, Write)):
            quote = self._comment(stmt.origin, depth)
        texts = self.assign.texts(stmt, extra, line_width() - 4 * depth)
        printed = [s for text in texts for s in statement_lines.statement(text, depth)]
        return quote + self._lines(printed, stmt)

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
            found = [
                *self._lines(statement_lines.header(f"{word} {test}", depth), stmt),
                *then,
            ]
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
            return self._test_alone(stmt, depth, word)
        if tail and word == "if" and not stmt.origin.reverse:
            test = self.write.text(stmt.test)
            skip = statement_lines.header(f"if {test}", depth)
            skip += statement_lines.statement("continue", depth + 1)
            rest = self.block(stmt.orelse, depth, tail=True)
            return self._lines(skip, stmt) + rest
        test = self.write.negation(stmt.test)[0]
        body = self.block(stmt.orelse, depth + 1)
        if not body:
            return self._test_alone(stmt, depth, word)
        return [
            *self._lines(statement_lines.header(f"{word} {test}", depth), stmt),
            *body,
        ]

    def _test_alone(self, stmt: Branch, depth: int, word: str) -> Lines:
        """Return a branch that does nothing: its test, if it may raise or do more, as
        one of the reverse sweep, which has been made before, does not."""
        if stmt.origin.reverse or self.plan.is_harmless(stmt.test):
            return []
        head = [] if word == "if" else [f"{statement_lines.INDENT * depth}else:"]
        test = statement_lines.statement(self.write.text(stmt.test), depth + len(head))
        return self._lines([*head, *test], stmt)

    def _else(self, stmt: Branch, depth: int) -> Lines:
        orelse = self._printed(stmt.orelse)
        if len(orelse) == 1 and isinstance(orelse[0], Branch):
            only = orelse[0]
            quoted = self._single(only) == only.origin.statement and only.origin.text
            if not quoted or only.origin.statement == stmt.origin.statement:
                return self._branch(only, depth, tail=False, word="elif")
        body = self.block(orelse, depth + 1)
        head = self._lines([f"{statement_lines.INDENT * depth}else:"], stmt)
        return [*head, *body] if body else []

    def _loop(self, stmt: Loop, depth: int) -> Lines:
        quote = self._comment_of_block(stmt, depth)
        before = self.group
        cond = self.block(stmt.cond, depth + 1)
        op = stmt.op
        inner = stmt.body
        if isinstance(op, For):
            head, inner = self._iteration(stmt, op)
        elif cond:
            head = "while True"
            test = self.write.negation(op.test)[0]
            leave = statement_lines.header(f"if {test}", depth + 1)
            leave += statement_lines.statement("break", depth + 2)
            cond += self._lines(leave, stmt)
        else:
            head = f"while {self.write.text(op.test)}"
        found = self._lines(statement_lines.header(head, depth), stmt)
        body = cond + self.block(inner, depth + 1, tail=True)
        body = body or self._lines(statement_lines.statement("pass", depth + 1), stmt)
        found += filled(body, found[0].origins)
        orelse = self.block(stmt.orelse, depth + 1)
        if orelse:
            found += [
                *self._lines([f"{statement_lines.INDENT * depth}else:"], stmt),
                *orelse,
            ]
        if self.group != before:
            self.group = 0
        return quote + found

    def _comprehension(self, pending: list[Stmt], depth: int) -> tuple[int, Lines]:
        """Return the line of a list comprehension, and of how many statements it is;
        what stands between the first and the last of them comes before it."""
        if not makes_list(pending[0]):
            return 0, []
        between = list(takewhile(lambda s: isinstance(s, Let), pending[1:4]))
        count = len(between) + 2
        if len(pending) < count:
            return 0, []
        first, loop = pending[0], pending[count - 1]
        write = comprehended(first, loop, self.plan, self.name, self._printed)
        if write is None or not isinstance(first, Let) or not isinstance(loop, Loop):
            return 0, []
        name = self.name(first.targets[0])
        if any(
            self.plan.key(first.targets[0]) in names_read([s], self.plan)
            for s in between
        ):
            return 0, []
        assert isinstance(loop.op, For)
        head, _ = self._iteration(loop, loop.op, CONDITIONAL + 1)
        text = f"{name} = [{self.write.text(write.op.value)} {head}]"
        ahead = self.block(between, depth)
        found = self._lines(statement_lines.statement(text, depth), first, loop, write)
        return count, [*ahead, *found]

    def _iteration(
        self, stmt: Loop, op: For, least: int = CONDITIONAL
    ) -> tuple[str, tuple[Stmt, ...]]:
        """Return the header of a `for`, and the body that it leaves; what it runs over
        in parentheses if it binds less than `least`."""
        items = items_of(stmt, self.plan, self.name)
        if items is None:
            targets, body = with_nested_targets(stmt, self.plan, self.name)
            return f"for {targets} in {self.write.text(op.iterable, least)}", body
        targets = ", ".join(map(self.name, items.targets))
        alone = least if len(items.arrays) == 1 and items.index is None else CONDITIONAL
        what = ", ".join(self.write.text(a, alone) for a in items.arrays)
        if len(items.arrays) > 1:
            what = f"zip({what})"
        if items.index is not None:
            targets = f"({targets})" if len(items.targets) > 1 else targets
            targets, what = f"{self.name(items.index)}, {targets}", f"enumerate({what})"
        return f"for {targets} in {what}", items.rest

    def _body(self, stmts: Sequence[Stmt], depth: int, outer: Stmt) -> Lines:
        """Return the lines of a block of `outer`, `pass` for an empty one."""
        before = self.group
        found = self.block(stmts, depth + 1)
        if self.group != before:
            self.group = 0
        found = found or self._lines(
            statement_lines.statement("pass", depth + 1), outer
        )
        return filled(found, origins_of([outer], self.plan))

    def _attempt(self, stmt: Attempt, depth: int) -> Lines:
        indent = statement_lines.INDENT * depth
        found = self._lines([f"{indent}try:"], stmt)
        found += self._body(stmt.body, depth, stmt)
        caught = self.write.text(stmt.op.caught)
        if self.plan.key(stmt.op.error) in names_read(stmt.handler, self.plan):
            caught += f" as {self.name(stmt.op.error)}"
        found += self._lines(statement_lines.header(f"except {caught}", depth), stmt)
        found += self._body(stmt.handler, depth, stmt)
        orelse = self.block(stmt.orelse, depth + 1)
        head = self._lines([f"{indent}else:"], stmt)
        return [*found, *head, *orelse] if orelse else found

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
        # What is quoted is the user's statement, not what it inlines.
        whole = replace(origin, inner=None)
        places = (whole,) if origin.location is not None else ()
        texts = statement_lines.comment(origin.text, depth)
        return [Line(text, places, self.part) for text in texts]

    def _comment_of_block(self, stmt: Branch | Loop, depth: int) -> Lines:
        """Quote the line in front of a block that stems from one line altogether."""
        if self._single(stmt) != stmt.origin.statement:
            return []
        return self._comment(stmt.origin, depth)

    def _single(self, stmt: Stmt) -> int | None:
        """Return the number of the only statement that a block stems from."""
        number: int | None = None
        for inner in walk((stmt,)):
            if inner is not stmt and inner.origin.text:
                if number is not None and number != inner.origin.statement:
                    return None
                number = inner.origin.statement
        return number


def _inlined(stmts: Sequence[Stmt]) -> frozenset[int]:
    """Return the statements printed as lines of an inlined function: they get a quote.

    They define what the user's own line does not mention. What reverses a loop within
    itself is none of them.
    """
    counts: dict[int, int] = {}
    foreign: set[int] = set()
    loops = [stmt for stmt in walk(tuple(stmts)) if isinstance(stmt, Loop)]
    within = (stmt for loop in loops for stmt in walk(loop.body))
    added = {id(stmt) for stmt in within if stmt.origin.reverse}
    for stmt in walk(tuple(stmts)):
        own = stmt.origin.text and id(stmt) not in added
        if isinstance(stmt, (Let, Write)) and own:
            number = stmt.origin.statement
            counts[number] = counts.get(number, 0) + 1
            words = set(re.findall(r"\w+", stmt.origin.text))
            if isinstance(stmt, Let) and any(
                v.hint not in words and v.hint != "val" and not is_weak(v.hint)
                for v in stmt.targets
            ):
                foreign.add(number)
    return frozenset(n for n in foreign if counts[n] > 1)
