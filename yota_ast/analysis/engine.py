"""Blocks and an `Analysis` -> one fact for each variable.

Every variable is defined once, so a fact belongs to a variable and holds wherever the
variable does. An analysis says what the fact of a result is, given those of what it is
made of; what branches, loops and tries hand on is joined here, once for all analyses.
Facts start from `bottom` and grow by `join` until they agree: in one round where none
goes round, in several where a loop does. Of sets that flow along, `made_of` is enough.

>>> import operator
>>> from yota_ast.ir.nodes import Carry
>>> class Counts(Analysis[bool]):
...     "Whether a value is made of whole numbers alone."
...
...     bottom = True
...     join = staticmethod(all)
...
...     def of_const(self, const):
...         return type(const.value) is int
...
...     def of_apply(self, op):
...         return all(map(self.of, op.args))
>>> n, k, more, total = (Var(name) for name in ("n", "k", "more", "total"))
>>> body = Block((Apply(more, operator.add, (k, Const(0.5))),))
>>> loop = For((Var("i"),), Const(range(3)), body, (Carry(total, Const(0), k, more),))
>>> counts = Counts(defined_in(Block((loop,))))
>>> counts.of(total), counts.of(Const(2))
(False, True)
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar, assert_never

from yota_ast.ir.atoms import Atom, Const, Undefined, Var
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
    walk,
)
from yota_ast.support.reachable import reach

F = TypeVar("F")
Ends = tuple[Atom | Undefined, ...]
Definition = Apply | Read | Store | For | While | Ends
"""What defines a variable: an op; a loop, of what it goes over or of what it saves; or
the values of which a branch or a loop hands on one."""
Definitions = Mapping[str, Sequence[Definition]]
DefinedBy = Callable[[str], Sequence[Definition] | None]
"""What defines a variable; None: nothing does, it comes from outside."""


Defined = tuple[Var, Sequence[Definition]]
"""A variable and its definitions."""
Saved = dict[str, tuple[Var, ...]]
"""What loops have saved in each iteration, by the names of the lists."""


def definitions_in(*blocks: Block) -> dict[str, list[Definition]]:
    """Return what defines each variable of some blocks: of versions of one block, as
    the tape and the forward sweep are, what does in each. The items of a loop over what
    another loop has saved are what that has saved."""
    found: dict[str, list[Definition]] = {}
    saved: Saved = {}
    for block in blocks:
        for op in walk(block):
            if isinstance(op, Apply):  # most ops are such
                found.setdefault(op.out.name, []).append(op)
                if saved and op.fn is operator.getitem:  # backwards
                    saved[op.out.name] = saved.get(_name(op.args[0]), ())
                continue
            for out, definition in _definitions_of(op, saved):
                found.setdefault(out.name, []).append(definition)
    return found


def _definitions_of(op: Op, saved: Saved) -> Iterator[tuple[Var, Definition]]:
    match op:
        case Apply() | Read() | Store():
            yield op.out, op
        case If() | Try():
            for m in op.merges:
                yield m.out, (m.then, m.orelse)
        case For():
            kept = saved.get(_name(op.iterable), ())
            known = len(kept) == len(op.targets)
            for k, item in enumerate(op.targets):
                if known and kept[k].name in saved:  # what a loop within it has saved
                    saved[item.name] = saved[kept[k].name]
                yield item, (kept[k],) if known else op
            yield from _carried(op, saved)
        case While():
            yield from _carried(op, saved)
        case Raise() | With():
            pass
        case _:
            assert_never(op)


def _carried(op: For | While, saved: Saved) -> Iterator[tuple[Var, Definition]]:
    for c in op.carries:
        yield c.inside, (c.init, c.next)
        yield c.out, (c.init, c.next)
    if op.stack is not None:
        saved[op.stack.name] = op.saved
        yield op.stack, op


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, Var) else ""


def defined_in(*blocks: Block) -> DefinedBy:
    """Return what defines a variable of some blocks, found out where something asks."""
    found = functools.cache(lambda: definitions_in(*blocks))
    return lambda name: found().get(name)


def inputs_of(definition: Definition) -> Ends:
    """Return what a variable is made of, by what defines it."""
    match definition:
        case Apply() | Read() | Store():
            return atoms_of(definition)
        case tuple():
            return definition
        case For() | While():
            return (*atoms_of(definition), *definition.saved)
        case _:
            assert_never(definition)


def one_of(definition: Definition) -> Ends:
    """Return the values of which a variable is one, as it was or as it is written."""
    match definition:
        case tuple():
            return definition
        case Store():
            return (definition.target,)
        case Apply() | Read() | For() | While():
            return ()
        case _:
            assert_never(definition)


def made_of(
    start: Iterable[Atom | Undefined],
    defined_by: DefinedBy,
    inputs: Callable[[Definition], Iterable[Atom | Undefined]] = one_of,
    follows: Callable[[Var], bool] | None = None,
) -> set[Var]:
    """Return the variables that some values are made of, these among them, as far as
    `inputs` of definitions go. follows: which variables count.

    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> block = Block((Apply(y, abs, (x,)), Apply(z, abs, (y,))))
    >>> made_of([z], defined_in(block), inputs_of) == {x, y, z}
    True
    """

    def variables(atoms: Iterable[Atom | Undefined]) -> Iterator[Var]:
        found = (a for a in atoms if isinstance(a, Var))
        return found if follows is None else filter(follows, found)

    def behind(var: Var) -> Iterator[Var]:
        for each in defined_by(var.name) or ():
            yield from variables(inputs(each))

    return reach(variables(start), behind)


class Analysis(Generic[F]):
    """Finds the fact of a variable where it is asked for, once for each.

    bottom: the fact that adds nothing to others. join: the fact of what is one of
    several values. Those of results may only grow as those of arguments grow.
    """

    bottom: F

    def __init__(self, defined_by: DefinedBy) -> None:
        self.defined_by = defined_by
        self.known: dict[str, F] = {}

    # ------------------------------------------------------------ an analysis says

    def join(self, facts: Iterable[F]) -> F:
        """Return the fact of a value that may be each of several."""
        raise NotImplementedError

    def of_const(self, const: Const) -> F:
        """Return the fact of a literal."""
        raise NotImplementedError

    def of_outside(self, var: Var) -> F:
        """Return the fact of what comes from outside, or of which nothing is known."""
        raise NotImplementedError

    def of_apply(self, op: Apply) -> F:
        """Return the fact of the result of a call."""
        raise NotImplementedError

    def of_read(self, op: Read) -> F:
        """Return the fact of a field of an argument."""
        return self.of_outside(op.out)

    def of_store(self, op: Store) -> F:
        """Return the fact of an array or a list that has been written."""
        return self.join((self.of(op.target), self.of(op.value)))

    def of_loop(self, loop: For | While, var: Var) -> F:
        """Return the fact of an item of what a loop goes over, or of what it saves."""
        return self.of_outside(var)

    def widened(self, fact: F, rounds: int) -> F:
        """Return a fact that says no more than this one, and from which no endless
        chain leads on, where a value has changed in many rounds."""
        return fact

    def stated(self, var: Var) -> F | None:
        """Return the fact of a variable that need not be looked for."""
        return None

    # ------------------------------------------------------------ the fixed point

    def of(self, atom: Atom | Undefined) -> F:
        """Return the fact of a value; what has none adds nothing."""
        if isinstance(atom, Var):
            if atom.name not in self.known:
                self._solve(atom)
            return self.known[atom.name]
        return self.of_const(atom) if isinstance(atom, Const) else self.bottom

    def _solve(self, var: Var) -> None:
        """Find the facts of a variable and of all that it is made of."""
        for group in self._behind(var):
            if len(group) == 1:
                self._solve_once(*group[0])
            else:
                self._solve_round(group)

    def _solve_once(self, var: Var, definitions: Sequence[Definition]) -> None:
        """Find the fact of a variable that is made of no other of its group."""
        facts = [self._by(d, var) for d in definitions]
        if facts:
            one = len(facts) == 1  # what most have
            self.known[var.name] = facts[0] if one else self.join(facts)

    def _solve_round(self, group: Sequence[Defined]) -> None:
        """Find the facts of variables of which each is made of all."""
        grows, rounds = True, 0
        while grows:
            grows, rounds = False, rounds + 1
            for each, definitions in group:
                before = self.known[each.name]
                fact = self.join([before, *[self._by(d, each) for d in definitions]])
                if fact != before:
                    self.known[each.name] = self.widened(fact, rounds)
                    grows = True

    def _behind(self, var: Var) -> list[list[Defined]]:
        """Return the variables to look for, each after what it is made of; those that
        are made of one another are one group. All others are known.

        Tarjan's algorithm: a variable is the first that was met of its group if none
        was met before it that it is made of.
        """
        groups: list[list[Defined]] = []
        done: list[Defined] = []  # and in no group yet
        met: dict[str, int] = {}  # and in no group yet: in which order
        way: list[tuple[Defined, Iterator[Atom | Undefined], int]] = []
        first: list[int] = []  # that each variable on the way is made of
        begun: Defined | None = (var, self._begin(var))
        while begun is not None or way:
            if begun is not None:
                first.append(met.setdefault(begun[0].name, len(met)))
                way.append((begun, self._inputs(begun[1]), len(done)))
            defined, inputs, start = way[-1]
            begun = self._next_to_meet(inputs, met, first)
            if begun is not None:
                continue
            way.pop()
            done.append(defined)
            earliest = first.pop()
            if first:
                first[-1] = min(first[-1], earliest)
            if earliest == met[defined[0].name]:
                groups.append(done[start:])
                for each, _ in groups[-1]:
                    del met[each.name]
                del done[start:]
        return groups

    def _next_to_meet(
        self, inputs: Iterator[Atom | Undefined], met: dict[str, int], first: list[int]
    ) -> Defined | None:
        """Return the next variable of which nothing is known, nor stated."""
        for atom in inputs:
            if not isinstance(atom, Var):
                continue
            if atom.name in met:
                first[-1] = min(first[-1], met[atom.name])
            elif atom.name not in self.known:
                definitions = self._begin(atom)
                if definitions:
                    return atom, definitions
        return None

    def _begin(self, var: Var) -> Sequence[Definition]:
        """Return the definitions of a variable; of what is stated, none."""
        fact = self.stated(var)
        found = () if fact is not None else self.defined_by(var.name) or ()
        if fact is None:
            fact = self.bottom if found else self.of_outside(var)
        self.known[var.name] = fact
        return found

    def _inputs(self, definitions: Sequence[Definition]) -> Iterator[Atom | Undefined]:
        if len(definitions) == 1:  # what most have
            return iter(inputs_of(definitions[0]))
        return (atom for each in definitions for atom in inputs_of(each))

    def _by(self, definition: Definition, var: Var) -> F:
        """Return what one definition says of a variable."""
        match definition:
            case Apply():
                return self.of_apply(definition)
            case Read():
                return self.of_read(definition)
            case Store():
                return self.of_store(definition)
            case For() | While():
                return self.of_loop(definition, var)
            case tuple():
                return self.join([self.of(end) for end in definition])
            case _:
                assert_never(definition)
