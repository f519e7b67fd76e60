"""Recorded steps -> the statements of a function.

In: steps in the order in which they were done; a value is called `%1`, `%2`, ... in
their trees.  Out: statements in which a value that is read once stands where it is
read, if no memory changes in between; the others are called `t1`, `t2`, ...

>>> from yota_ast.syntax import parse_expr
>>> x, half = parse_expr("x"), nodes.BinOp(parse_expr("x"), nodes.Div(), literal(2))
>>> steps = [Bind("%1", half), Bind("%2", nodes.UnaryOp(nodes.USub(), named("%1")))]
>>> made = written(steps, named("%2"), NamePool(["x"]), "f")
>>> print(print_stmts(made.statements), end="")
return -(x / 2)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.errors import UnsupportedCall
from yota_ast.syntax import (
    Node,
    literal,
    nodes,
    print_expr,
    print_stmts,  # noqa: F401  in the example
    substitute,
)
from yota_ast.syntax.names import NamePool

_WIDEST: Final = 64
"""How long an expression is at most that stands within another."""


@dataclass(frozen=True, slots=True)
class Bind:
    """A value, and the expression that gives it. droppable: it raises nothing."""

    name: str
    tree: Node
    droppable: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A statement that writes into the memory of values, which have names."""

    tree: Node
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Require:
    """A test that is false in the record. The text raises where it is true.

    subject, told: what is asked, and what it was in the record: "is 3". branch: the
    function has asked for it. of_type: the value of which the test asks shape and
    dtype. refusal: what is raised where these do not follow from those of others.
    """

    test: Node
    subject: Node
    told: str
    branch: bool = False
    of_type: str = ""
    refusal: UnsupportedCall | None = None


Step = Bind | Change | Require


def named(name: str) -> Node:
    """The node that reads a name."""
    return nodes.Name(name, nodes.Load(), None, None)


def stored(name: str) -> Node:
    """The node that binds a name."""
    return nodes.Name(name, nodes.Store(), None, None)


def names_in(tree: Node) -> Iterator[str]:
    """The values that a tree reads, as often as it reads them."""
    for node in nodes.walk(tree):
        if isinstance(node, nodes.Name) and node.id.startswith("%"):
            yield node.id


def message_of(title: str, subject: str, told: str) -> str:
    """What is raised where a test of a record goes the other way.

    >>> message_of("f", "x > 0", "is true")
    'f was recorded where `x > 0` is true: trace it again for these arguments'
    """
    again = "trace it again for these arguments"
    return f"{title} was recorded where `{subject}` {told}: {again}"


def raised_where(test: Node, message: str) -> Node:
    """`if test: raise ValueError(message)`."""
    error = nodes.Call(named("ValueError"), [literal(message)], [])
    return nodes.If(test, [nodes.Raise(error, None)], [])


@dataclass(frozen=True, slots=True)
class Written:
    """The statements of a function, and the branches that it was recorded for: what was
    asked, and what it was."""

    statements: list[Node]
    branches: list[tuple[str, str]]


def written(steps: Sequence[Step], result: Node, pool: NamePool, title: str) -> Written:
    """The statements of a function that does the steps and returns the result."""
    writer = _Writer(steps, result, pool, title)
    for step in steps:
        writer.write(step)
    writer.statements.append(nodes.Return(writer.filled(result)))
    return Written(writer.statements, writer.branches)


class _Writer:
    """What has been written, and the values that wait for the place they are read."""

    def __init__(
        self, steps: Sequence[Step], result: Node, pool: NamePool, title: str
    ) -> None:
        self.statements: list[Node] = []
        self.branches: list[tuple[str, str]] = []
        self._pool, self._title = pool, title
        self._waiting: dict[str, Node] = {}
        self._known: dict[str, Node] = {}
        self._made: dict[str, Node] = {}
        """What values were made of, for people; of what is written into, its name."""
        self._reads = Counter(names_in(result))
        for step in steps:
            match step:
                case Bind():
                    self._reads.update(names_in(step.tree))
                case Require():
                    self._reads.update(names_in(step.test))
                case Change():
                    self._reads.update((*names_in(step.tree), *step.targets))

    def write(self, step: Step) -> None:
        """Write a step, or let it wait."""
        match step:
            case Bind():
                self._bind(step)
            case Require():
                self._require(step)
            case Change():
                tree = self.filled(step.tree)
                self._settle(tuple(self._waiting))
                self.statements.append(tree)
                self._made.update(
                    (t, self._known[t]) for t in step.targets if t in self._known
                )

    def _require(self, step: Require) -> None:
        test = self.filled(step.test)
        subject = print_expr(self._told(step.subject))
        if step.branch:
            self.branches.append((subject, step.told))
        message = message_of(self._title, subject, step.told)
        self.statements.append(raised_where(test, message))

    def _bind(self, step: Bind) -> None:
        reads = self._reads[step.name]
        if not reads and step.droppable:
            return
        told = self._told(step.tree)
        tree = self.filled(step.tree)
        self._made[step.name] = told
        if not reads:
            self.statements.append(nodes.Expr(tree))
        elif reads == 1:
            self._waiting[step.name] = tree
        else:
            self._assign(step.name, tree)

    def filled(self, tree: Node) -> Node:
        """The tree with what its values are called, or made of."""
        inside = [name for name in names_in(tree) if name in self._waiting]
        whole = self._substituted(tree)
        if inside and len(print_expr(_expression(whole))) > _WIDEST:
            longest = sorted(inside, key=lambda n: -len(print_expr(self._waiting[n])))
            self._settle([longest[0]])
            return self.filled(tree)
        self._known.update((name, self._waiting.pop(name)) for name in inside)
        return whole

    def _substituted(self, tree: Node) -> Node:
        found = {}
        for name in {*names_in(tree)}:
            found[name] = self._waiting.get(name) or self._known[name]
        whole = substitute(tree, found)
        for node in nodes.walk(whole):
            if isinstance(node, nodes.Name) and node.id in found:  # `t1 += x`
                node.id = found[node.id].id
        return whole

    def _told(self, tree: Node) -> Node:
        """The tree as people read it: with what its values are made of."""
        whole = substitute(tree, {name: self._made[name] for name in {*names_in(tree)}})
        short = len(print_expr(whole)) <= _WIDEST
        return whole if short else self._substituted(tree)

    def _settle(self, names: Sequence[str]) -> None:
        for name in names:
            self._assign(name, self._waiting.pop(name))

    def _assign(self, name: str, tree: Node) -> None:
        own = self._pool.numbered("t")
        self._known[name] = named(own)
        if len(print_expr(self._made[name])) > _WIDEST:
            self._made[name] = named(own)
        self.statements.append(nodes.Assign([stored(own)], tree, None))


def _expression(tree: Node) -> Any:
    """What of a statement may be long: what it assigns or calls."""
    value = getattr(tree, "value", None)
    return value if isinstance(tree, nodes.stmt) and value is not None else tree
