"""Blocks -> how many bits the integers of Python in them may need.

What counts something has 31: a length, a counter of a loop, an argument that the entry
check keeps below 2**31. A product has the bits of both factors. What loops multiply
again and again, an item of a list and what a function gives may have 63. The loops
check the operations of which the result may need more.

>>> from yota_ast.ir.abstract_values import INT
>>> n, m, p, q = (Var(name, INT) for name in ("n", "m", "p", "q"))
>>> product = Apply(p, operator.mul, (n, m)), Apply(q, operator.mul, (p, Const(9)))
>>> found = integer_sizes(Block(product))
>>> found.bits(p), found.wide, sorted(found.entered)
(62, {'q'}, ['m', 'n', 'p'])
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.analysis.engine import Definition, Definitions, definitions_in
from yota_ast.codegen.numba_source.integers_read import integers_read
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Outlined,
    Read,
    Simple,
    Store,
    While,
    walk,
)
from yota_ast.ir.tape import Program
from yota_ast.ops.algebra import GROWING, NO_LARGER, TERMS, operated
from yota_ast.ops.dtypes.integer_growth import grown

COUNTS: Final = 31
"""The bits of what counts something."""
_SUM_OF_COUNTS: Final = 40
"""Those of a sum of some: what a loop hands on of it counts, too."""
_MOST: Final = 63
_ENTERED: Final = (*GROWING, *TERMS, *NO_LARGER)


@dataclass(frozen=True)
class IntegerSizes:
    """The bits of integers.

    large: the names of those that may have 63. given: the bits of parameters.
    joined: what branches and loops hand on of those, which had been taken for less.
    wide: the results that may need more. entered: the operands, by their names; of
    those that are given, the entry check tests that they count something.
    """

    definitions: Definitions
    large: frozenset[str]
    given: Mapping[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    wide: set[str] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)
    joined: set[str] = field(default_factory=set)

    def bits(self, atom: Atom | Undefined) -> int:
        """Return the bits that an integer may need."""
        if isinstance(atom, Undefined):
            return 0
        if isinstance(atom, Const):
            return self.of_const(atom)
        if atom.name in self.large:
            return _MOST
        if atom.name not in self.known:
            self.known[atom.name] = COUNTS  # while a loop is gone round
            made = self.definitions.get(atom.name, ())
            least = self.given.get(atom.name, COUNTS)
            bits = max((self.made(d, atom.name) for d in made), default=least)
            if bits > _MOST:
                self.wide.add(atom.name)
            self.known[atom.name] = min(bits, _MOST)
            if bits >= _MOST and any(isinstance(d, tuple) for d in made):
                self.joined.add(atom.name)
        return self.known[atom.name]

    def of_const(self, const: Const) -> int:
        """Return the bits of a literal; a number of a module may change."""
        size = const.value.bit_length() if isinstance(const.value, int) else COUNTS
        if const.text is None:
            return size
        return COUNTS if size <= COUNTS else _MOST

    def made(self, definition: Definition, name: str) -> int:
        """Return the bits of a variable that is defined so."""
        match definition:
            case Apply():
                return self.result(definition)
            case For():
                return self.item(definition, name)
            case Read():
                return COUNTS
            case Store() | While():
                return _MOST
            case tuple():
                most = max(map(self.bits, definition))
                return COUNTS if most <= _SUM_OF_COUNTS else _MOST
            case _:
                assert_never(definition)

    def item(self, loop: For, name: str) -> int:
        """Return the bits of what a loop counts, or takes of what it goes over."""
        made = self.defined(loop.iterable)
        if made is None or made.fn not in (range, enumerate):
            return _MOST
        if made.fn is enumerate:
            counts = name == loop.targets[0].name and len(made.args) == 1
            return COUNTS if counts else _MOST
        start, *more = made.args
        if more[1:] or (more and not isinstance(start, Const)):
            self.enter(made.args)  # it may begin at any number, or leap
        most = max(map(self.bits, made.args))
        return COUNTS if most <= _SUM_OF_COUNTS else most

    def enter(self, atoms: Sequence[Atom]) -> None:
        """Note what the loops compute with."""
        self.entered.update(filter(None, map(_read, atoms)))

    def result(self, op: Apply) -> int:
        """Return the bits of what an op gives."""
        arithmetic = operated(op.fn)
        whole = [a for a in op.args if fact_of_atom(a).kind in ("int", "bool")]
        if isinstance(op.fn, Outlined) or op.fn is abs or arithmetic in _ENTERED:
            self.enter(whole)
        if isinstance(op.fn, Outlined):
            return _MOST
        bits = [self.bits(a) for a in whole]
        if arithmetic == "product":
            return sum(bits)
        if arithmetic == "power":
            times = op.args[-1].value if isinstance(op.args[-1], Const) else None
            return bits[0] * times if isinstance(times, int) else _MOST
        if arithmetic in TERMS:
            return max(bits, default=0) + 1
        if arithmetic == "remainder":
            return bits[-1]
        if arithmetic in NO_LARGER or op.fn in (min, max, abs):
            return max(bits, default=_MOST)
        return COUNTS if self.counts(op) else _MOST

    def counts(self, op: Apply) -> bool:
        """Say whether an op gives a length, a number of axes or a part of a shape."""
        owner = op.args[0] if op.args else Const(None)
        if op.fn is operator.getitem:
            made = self.defined(owner)
            return made is not None and made.fn is np.shape
        return op.fn in (len, np.size, np.ndim)

    def defined(self, atom: Atom) -> Apply | None:
        """Return the one call that gives a value."""
        made = self.definitions.get(atom.name, ()) if isinstance(atom, Var) else ()
        one = made[0] if len(made) == 1 else None
        return one if isinstance(one, Apply) else None

    def counted(self, atoms: Sequence[Var | Const]) -> list[Var | Const]:
        """Return those integers that have to count something."""
        whole = [a for a in atoms if fact_of_atom(a).kind == "int"]
        read = [a for a in whole if _read(a) in self.entered]
        return [a for a in read if isinstance(a, Var) or self.bits(a) == COUNTS]


def _read(atom: Atom) -> str:
    """Return the name of what is given from outside: a variable, or a path."""
    return atom.name if isinstance(atom, Var) else atom.text or ""


def sizes_of_programs(programs: Sequence[Program]) -> dict[str, IntegerSizes]:
    """Return the sizes of the integers of programs that call one another: what a
    function is given has as many bits as it may have where it is called."""
    given: dict[str, dict[str, int]] = {p.name: {} for p in programs}
    parameters = {p.name: [q.var.name for q in p.params] for p in programs}
    while True:
        found = {p.name: _sizes_of_program(p, given[p.name]) for p in programs}
        before = sum(map(len, given.values()))
        for program in programs:
            sizes = found[program.name]
            for op in _calls_in(program):
                name = op.fn.__name__
                for arg, inside in zip(op.args, parameters.get(name, ()), strict=False):
                    whole = fact_of_atom(arg).kind == "int"
                    if whole and sizes.bits(arg) > _SUM_OF_COUNTS:
                        given[name][inside] = _MOST
        if before == sum(map(len, given.values())):
            return found


def _sizes_of_program(program: Program, given: Mapping[str, int]) -> IntegerSizes:
    guards = [g.block for g in program.guards]
    found = integer_sizes(program.forward, *guards, given=given)
    blocks = (program.forward, program.reverse, *guards)
    ops = [op for block in blocks for op in walk(block)]
    ends = [program.value, *program.results]
    ends += [a for g in program.guards for a in (g.test, g.value, *g.results)]
    found.wide.intersection_update(integers_read(ops, ends))
    return found


def _calls_in(program: Program) -> list[Apply]:
    ops = (op for op in walk(program.forward) if isinstance(op, Apply))
    return [op for op in ops if isinstance(op.fn, Outlined)]


def integer_sizes(
    *blocks: Block, given: Mapping[str, int] = MappingProxyType({})
) -> IntegerSizes:
    """Return how many bits the integers of some blocks may need. given: those of what
    they are given, where it is more than what counts something."""
    ops = [op for block in blocks for op in walk(block)]
    large = {name for op in ops for name in _grown_in(op)}
    applied = [op for op in ops if isinstance(op, Apply)]
    made = [
        op for op in applied if op.out.fact.kind == "int" or isinstance(op.fn, Outlined)
    ]
    definitions = definitions_in(*blocks)
    while True:
        found = IntegerSizes(definitions, frozenset(large), given)
        for op in made:
            found.bits(op.out)
        if found.joined <= large:
            return found
        large |= found.joined


def _grown_in(op: Op) -> set[str]:
    """Return the integers that an op makes larger and larger."""
    match op:
        case For() | While():
            whole = [c for c in op.carries if c.inside.fact.kind == "int"]
            return grown(op.body.ops, whole) if whole else set()
        case Simple() | Compound():
            return set()
        case _:
            assert_never(op)
