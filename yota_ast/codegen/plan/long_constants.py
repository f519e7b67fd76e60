"""Program -> the same, with what is computed of literals assigned where it is long.

`tau = 540.0 / 1073.15 - 0.5` is a number to the passes; in the text it is written once
and read by its name, unless it is short or stands in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.codegen.plan.placing import At, Placer
from yota_ast.codegen.plan.uses import Place, Use, Uses
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var
from yota_ast.ir.nodes import NOWHERE, Apply, If, Merge, Op, Origin
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Guard, Program

_SHORT: Final = 20
"""How long a value may be that is spelled anew wherever it is read."""
_SHORT_NAMED: Final = 12
"""The same of one that the user gives a name."""


def with_named_constants(program: Program) -> Program:
    """Return the program with names for what is computed of literals."""
    finder = _Finder()
    found = finder.program(program)
    if not finder.nodes:
        return program
    chooser = _Chooser(Uses(found), finder)
    chooser.choose()
    return Placer(chooser.made, chooser.ahead, chooser.handed).program(found)


@dataclass(slots=True)
class _Node:
    """A value computed of literals.

    number: which it is. operations: how many stand in its text, those of parts that
    have names of the user's not counted. length: that of its text, likewise. size: all
    its operations. times: how often it would be spelled; places: where.
    """

    const: Const
    number: int
    parts: tuple[_Node | Const, ...]
    hint: str | None = None
    operations: int = 1
    length: int = 0
    size: int = 1
    times: int = 0
    places: dict[Place, None] = field(default_factory=dict)
    var: Var | None = None
    handed: Var | None = None
    chained: bool = False
    """Whether a part of it is assigned, so that its text reads that."""

    @property
    def is_long(self) -> bool:
        """Whether it is worth a line of its own."""
        if self.hint:
            return len(self.const.text or "") > _SHORT_NAMED
        return self.operations > 1 and self.length > _SHORT

    def measure(self) -> None:
        """Count what its text has."""
        self.operations, self.length = 1, 3 * (len(self.parts) - 1)
        for part in self.parts:
            if not isinstance(part, _Node):
                self.length += len(repr(part.value))
            elif part.hint and part.is_long:
                self.length += len(part.hint)
            else:
                self.operations += part.operations
                self.length += part.length

    def made(self, name: str) -> Var:
        """Return a variable for it."""
        return Var(f"{name}@{self.number}", fact_of(self.const.value), self.hint)


class _Finder(Substitution):
    """Puts variables in the places of what is computed of literals."""

    def __init__(self) -> None:
        super().__init__({})
        self.nodes: dict[str, _Node] = {}
        self.met: dict[str, _Node] = {}

    def op(self, op: Op) -> Op:
        """Return an op with variables for constants: most ops read none."""
        if isinstance(op, Apply) and not op.kwargs:
            for a in op.args:
                if isinstance(a, Const) and a.made:
                    break
            else:
                return op
        return super().op(op)

    def atom(self, atom: Atom) -> Any:
        """Return a variable for a constant: another one at every place."""
        if not isinstance(atom, Const) or atom.made is None or atom.reads:
            return atom
        node = self.node(atom)
        var = Var(f"@{len(self.met)}", fact_of(atom.value))
        self.met[var.name] = node
        return var

    def end(self, atom: Atom | Undefined) -> Any:
        """Return a variable for a constant."""
        return self.atom(atom) if isinstance(atom, Const) else atom

    def node(self, const: Const) -> _Node:
        """Return the node of a value: one for all that are spelled alike."""
        assert const.text is not None
        assert const.made is not None
        node = self.nodes.get(const.text)
        if node is None:
            parts = tuple(self.node(p) if p.made else p for p in const.made[1])
            node = _Node(const, len(self.nodes), parts)
            node.size += sum(p.size for p in parts if isinstance(p, _Node))
            self.nodes[const.text] = node
        node.hint = node.hint or const.hint
        return node

    def program(self, program: Program) -> Program:
        """Return the program with the variables."""
        guards = []
        for g in program.guards:
            test, value, *results = map(self.atom, (g.test, g.value, *g.results))
            inner = self.block(g.block)
            new = replace(
                g, test=test, block=inner, value=value, results=tuple(results)
            )
            guards.append(new)
        forward, reverse = self.block(program.forward), self.block(program.reverse)
        value, *results = map(self.atom, (program.value, *program.results))
        return replace(
            program, forward=forward, reverse=reverse, guards=tuple(guards),
            value=value, results=tuple(results),
        )  # fmt: skip


class _Chooser:
    """Decides which values are assigned, and where.

    made: what stands for the variables of `_Finder`. ahead: the ops in front of the op
    at a place. handed: what branches hand on of what their arms assign.
    """

    def __init__(self, uses: Uses, finder: _Finder) -> None:
        self.uses, self.met = uses, finder.met
        # what is computed of others before those
        self.nodes = sorted(finder.nodes.values(), key=lambda n: -n.size)
        ops = (op for block in uses.blocks for op in block.ops)
        self.made_by = {op.out.name: op for op in ops if isinstance(op, Apply)}
        self.made: dict[str, Atom] = {}
        self.ahead: dict[At, list[Op]] = {}
        self.handed: dict[At, list[Merge]] = {}
        self.spelled = 0

    def choose(self) -> None:
        """Fill the tables."""
        where = {name: use.place for name in self.met for use in self._uses(name)}
        for name, place in where.items():
            self.met[name].times += 1
            self.met[name].places[place] = None
        for node in reversed(self.nodes):
            node.measure()
        for node in self.nodes:
            self._place(node)
        for node in reversed(self.nodes):
            parts = [p for p in node.parts if isinstance(p, _Node)]
            node.chained = any(p.var is not None or p.chained for p in parts)
        for node in reversed(self.nodes):
            if node.var is not None:
                (place,) = node.places
                self._assign(node.var, node, place)
        self.made.update((name, node.const) for name, node in self.met.items())
        for name, place in where.items():
            self.made[name] = self._spelled(self.met[name], place)

    def _uses(self, name: str) -> Sequence[Use]:
        return self.uses.by_name.get(name, ())[:1]

    def _place(self, node: _Node) -> None:
        """Decide whether a value is assigned, and where; its parts are read there."""
        if node.times > 1 and node.is_long:
            node.var = node.made("%")
            node.places = {self._home(node): None}
            node.times = 1
        for part in node.parts:
            if isinstance(part, _Node):
                part.times += node.times
                part.places |= node.places

    def _spelled(self, node: _Node, place: Place) -> Atom:
        """Return what is read for a value at a place."""
        if node.var is not None:
            return node.handed if node.handed and self._is_back(place) else node.var
        if not node.chained:
            return node.const
        self.spelled += 1
        out = replace(node.made(f"%{self.spelled}"), hint=None)
        self._assign(out, node, place)
        return out

    def _assign(self, out: Var, node: _Node, place: Place) -> None:
        assert node.const.made is not None
        args = tuple(
            self._spelled(p, place) if isinstance(p, _Node) else p for p in node.parts
        )
        origin = self._origin(place)
        if out is node.var:  # a line of its own, of no statement that is quoted
            origin = replace(origin, text="")
        op = Apply(out, node.const.made[0], args, form="operator", origin=origin)
        self.ahead.setdefault(place[-1], []).append(op)

    # ------------------------------------------------------------ where

    def _is_back(self, place: Place) -> bool:
        return place[0][1] >= self.uses.forward

    def _home(self, node: _Node) -> Place:
        """Return the place where a value is assigned: in no loop, and in front of all
        that reads it; in an arm, if the reverse sweep reads it in the same arm."""
        places = [self._outside(p) for p in node.places]
        ahead = [p for p in places if not self._is_back(p)]
        back = [p for p in places if self._is_back(p)]
        if not ahead or not back:
            return _common(places)
        home = _common(ahead)
        depth = min(self._shared(home, p) for p in back)
        home = home[: depth + 1]
        if depth:
            node.handed = node.made("%>")
            assert node.var is not None
            self._hand_on(node.var, node.handed, home)
        return home

    def _hand_on(self, var: Var, out: Var, home: Place) -> None:
        """Let the branches around a place hand on a variable."""
        for depth in range(len(home) - 2, -1, -1):
            at, arm = home[depth], self._arm(home, depth)
            to = out if depth == 0 else replace(out, name=f"{out.name}@{depth}")
            sides = (var, UNDEFINED) if arm == 0 else (UNDEFINED, var)
            self.handed.setdefault(at, []).append(Merge(to, *sides))
            var = to

    def _shared(self, home: Place, back: Place) -> int:
        """Return how many branches the ways to two places, of the forward and of the
        reverse sweep, go the same way."""
        depth = 0
        while depth < min(len(home), len(back)) - 1:
            one, other = self._op(home[depth]), self._op(back[depth])
            if not (isinstance(one, If) and isinstance(other, If)):
                break
            if self._arm(home, depth) != self._arm(back, depth):
                break
            if not self._alike(one.test, other.test, home[: depth + 1]):
                break
            depth += 1
        return depth

    def _alike(self, one: Atom, other: Atom | Undefined, home: Place) -> bool:
        """Say whether the reverse sweep reads as `other` what is `one` at a place of
        the forward sweep, or computes it again."""
        for depth, at in enumerate(home[:-1]):
            op = self._op(at)
            assert isinstance(op, If)
            arm = self._arm(home, depth)
            inside = {m.out.name: (m.then, m.orelse)[arm] for m in op.merges}
            if isinstance(other, Var):
                other = inside.get(other.name, other)
        if one == other:
            return True
        if not isinstance(one, Var) or not isinstance(other, Var):
            return False
        here, there = self.made_by.get(one.name), self.made_by.get(other.name)
        if here is None or there is None or here.fn is not there.fn:
            return False
        if here.effect or here.kwargs or there.kwargs:
            return False
        pairs = list(zip(here.args, there.args, strict=False))
        alike = all(self._alike(a, b, home) for a, b in pairs)
        return alike and len(here.args) == len(there.args)

    def _op(self, at: At) -> Op | Guard:
        return self.uses.blocks[at[0]].ops[at[1]]

    def _arm(self, place: Place, depth: int) -> int:
        """Return in which arm of the branch at a depth the rest of a place is."""
        first = self.uses.inner[place[: depth + 1], 0]
        return int(place[depth + 1][0] != first)

    def _outside(self, place: Place) -> Place:
        """Return the place of the outermost op around one that is not a branch."""
        for depth, at in enumerate(place[:-1], 1):
            op = self._op(at)
            if not (isinstance(op, Guard) or (isinstance(op, If) and op.form == "if")):
                return place[:depth]
        return place

    def _origin(self, place: Place) -> Origin:
        """Return where the op at a place comes from; at an end, the op before it; of
        a program that is one constant, nowhere."""
        block, index = place[-1]
        ops = self.uses.blocks[block].ops
        if ops:
            return ops[min(index, len(ops) - 1)].origin
        return self._origin(place[:-1]) if place[:-1] else NOWHERE


def _common(places: Sequence[Place]) -> Place:
    """Return the place in front of all that is at some places."""
    first, depth = places[0], 0
    while all(
        len(p) > depth + 1
        and p[depth] == first[depth]
        and p[depth + 1][0] == first[depth + 1][0]
        for p in places
    ):
        depth += 1
    return (*first[:depth], (first[depth][0], min(p[depth][1] for p in places)))
