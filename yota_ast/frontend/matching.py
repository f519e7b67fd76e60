"""match statements: each becomes a chain of ifs on a hidden name of the subject."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from yota_ast.frontend.making import name_node
from yota_ast.frontend.statements import Statements
from yota_ast.frontend.values import Node, Ref, Value
from yota_ast.syntax import nodes, parse_expr, print_expr, quote_expr, substitute
from yota_ast.tape import Const

SUBJECT: Final = "%subject"
_TRUE: Final = "True"
_FALSE: Final = "False"
PLAIN: Final = (
    "float", "int", "bool", "complex", "str", "none", "scalar", "array", "real",
)  # fmt: skip
"""Kinds of what no pattern of items fits; arrays unless they are sequences."""
ARRAYS_ARE_SEQUENCES: Final = bool(np.ndarray.__flags__ & (1 << 5))
"""Whether Python takes arrays for sequences, as it does from NumPy 2.5 on: by the flag
Py_TPFLAGS_SEQUENCE."""
WHOLE: Final = (
    bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple,
)  # fmt: skip
"""Classes whose one positional pattern stands for the value itself."""


class Matches(Statements):
    """Patterns of literals, alternatives, captures, classes, and of sequences and
    mappings whose items are known."""

    def as_ifs(self, stmt: Node) -> Node:
        """A match statement as a chain of ifs."""
        with self.statement(stmt):
            subject = self.evaluate(stmt.subject)
        name = f"{SUBJECT}{stmt.lineno}_{stmt.col_offset}"
        self.put(self.frame.cell, name, subject)
        read = name_node(name)
        orelse: list[Node] = []
        for case in reversed(stmt.cases):
            with self.at(case.pattern):
                tests, captured = self.pattern(case.pattern, read, subject)
            if case.guard is not None:
                tests = [*tests, substitute(case.guard, captured)]
            bound = [_assign(k, v, case.pattern) for k, v in captured.items()]
            test = _all(tests)
            made = nodes.If(test, [*bound, *case.body], orelse)
            nodes.copy_location(made, stmt)
            made.header = f"match {print_expr(stmt.subject)}:"
            _place(test, case.pattern)
            orelse = [made]
        return orelse[0]

    def pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """The tests of a pattern, and what its names stand for."""
        if isinstance(pattern, nodes.MatchValue):
            return [quote_expr("s == v", s=read, v=pattern.value)], {}
        if isinstance(pattern, nodes.MatchSingleton):
            value = parse_expr(repr(pattern.value))
            return [quote_expr("s is v", s=read, v=value)], {}
        if isinstance(pattern, nodes.MatchAs):
            tests: list[Node] = []
            names: dict[str, Node] = {}
            if pattern.pattern is not None:
                tests, names = self.pattern(pattern.pattern, read, subject)
            return tests, names | ({pattern.name: read} if pattern.name else {})
        if isinstance(pattern, nodes.MatchOr):
            return self.alternatives(pattern, read, subject)
        if isinstance(pattern, nodes.MatchSequence):
            return self.sequence(pattern, read, subject)
        if isinstance(pattern, nodes.MatchMapping) and pattern.rest is None:
            return self.mapping_pattern(pattern, read, subject)
        if isinstance(pattern, nodes.MatchClass):
            return self.class_pattern(pattern, read, subject)
        self.refuse("this pattern is not supported", "Write it as `if` and `elif`.")

    def alternatives(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """a | b, without names."""
        tests = []
        for part in pattern.patterns:
            inner, names = self.pattern(part, read, subject)
            if names:
                self.refuse(
                    "alternatives that bind names are not supported",
                    "Write a case for each of them.",
                )
            tests.append(_all(inner))
        return [nodes.BoolOp(nodes.Or(), tests)], {}

    def sequence(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """[a, *b, c], where the subject is a tuple or list of known length."""
        may_be = ARRAYS_ARE_SEQUENCES and self.is_of(subject, "array", "real")
        if self.is_of(subject, *PLAIN, "dict") or self.is_iterator(subject):
            if not may_be:
                return [parse_expr(_FALSE)], {}
        items = None if subject is None or may_be else self.sequence_items(subject)
        if items is None:
            self.refuse(
                "a sequence pattern needs a tuple or list of known length",
                "Unpack the sequence, and use `if`.",
            )
        parts, more = pattern.patterns, len(items) - len(pattern.patterns)
        stars = [k for k, p in enumerate(parts) if isinstance(p, nodes.MatchStar)]
        if more < -len(stars) or (more and not stars):
            return [parse_expr(_FALSE)], {}
        tests: list[Node] = []
        names: dict[str, Node] = {}
        for n, part in enumerate(parts):
            k = n + more if stars and n > stars[0] else n
            if n in stars:
                rest = quote_expr("list(s[a:b])", s=read, a=k, b=k + more + 1)
                names |= {part.name: rest} if part.name else {}
                continue
            inner = self.pattern(part, quote_expr("s[k]", s=read, k=k), items[k])
            tests += inner[0]
            names |= inner[1]
        return tests, names

    def mapping_pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """{key: pattern}, where the subject is a dict."""
        if self.is_of(subject, *PLAIN, "tuple", "list"):
            return [parse_expr(_FALSE)], {}
        if not self.is_of(subject, "dict"):
            self.refuse(
                "a mapping pattern needs a dict", "Use `if`, and take the items by key."
            )
        tests: list[Node] = []
        names: dict[str, Node] = {}
        for key, part in zip(pattern.keys, pattern.patterns, strict=True):
            tests.append(quote_expr("k in s", k=key, s=read))
            item = self.item_at(subject, key)
            inner = self.pattern(part, quote_expr("s[k]", s=read, k=key), item)
            tests += inner[0]
            names |= inner[1]
        return tests, names

    def is_of(self, subject: Value | None, *kinds: str) -> bool:
        """Whether a subject is known to be of one of some kinds."""
        return subject is not None and self.fact(subject).kind in kinds

    def item_at(self, subject: Value | None, key: Node) -> Value | None:
        """The item of a dict at a literal key, where that is known."""
        cell = self.heap[subject.cell] if isinstance(subject, Ref) else None
        if cell is None or not isinstance(key, nodes.Constant):
            return None
        return cell.items.get(key.value)

    def class_pattern(
        self, pattern: Node, read: Node, subject: Value | None
    ) -> tuple[list[Node], dict[str, Node]]:
        """Class(field=pattern)."""
        tests = [quote_expr("isinstance(s, c)", s=read, c=pattern.cls)]
        names: dict[str, Node] = {}
        fields = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
        cls: Any = self.evaluate(pattern.cls)
        order = (
            getattr(cls.value, "__match_args__", ()) if isinstance(cls, Const) else ()
        )
        if isinstance(cls, Const) and cls.value in WHOLE and len(pattern.patterns) == 1:
            whole = self.pattern(pattern.patterns[0], read, subject)
            return [*tests, *whole[0]], whole[1]
        if len(pattern.patterns) > len(order):
            self.refuse(
                "this class has no positional patterns", "Name the fields: Point(x=a)."
            )
        fields = [*zip(order, pattern.patterns, strict=False), *fields]
        for name, part in fields:
            field = nodes.Attribute(read, name, nodes.Load())
            inner = self.pattern(part, field, None)
            tests += inner[0]
            names |= inner[1]
        return tests, names


def _all(tests: list[Node]) -> Node:
    if not tests:
        return parse_expr(_TRUE)
    return tests[0] if len(tests) == 1 else nodes.BoolOp(nodes.And(), tests)


def _assign(name: str, value: Node, at: Node) -> Node:
    made = nodes.Assign([name_node(name, store=True)], value, None)
    _place(made, at)
    return made


def _place(made: Node, at: Node) -> None:
    """Give made-up nodes the place of the pattern they stand for."""
    for node in nodes.walk(made):
        if "lineno" in getattr(node, "_attributes", ()):
            nodes.copy_location(node, at)
