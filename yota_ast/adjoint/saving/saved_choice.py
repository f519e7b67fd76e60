"""What the reverse of a loop reads -> the values to save, from which it computes all.

A value may be computed again where that is cheap and what it is computed from is
saved, or still at hand when the reverse runs. What is overwritten by then is at hand
only in a copy: of the whole, or of the part that is read.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.fast.element_ops import example_count
from yota_ast.adjoint.nonsmooth.stable_adjoints import under_one_more
from yota_ast.adjoint.saving.cheap_ops import is_cheap
from yota_ast.adjoint.saving.cheapest_cut import cheapest
from yota_ast.adjoint.saving.short_sums import range_of, short_sums
from yota_ast.analysis.block_places import Places
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import carries_of
from yota_ast.ir.conditions import left_of, read_by
from yota_ast.ir.nodes import (
    Apply,
    Carry,
    Closed,
    Compound,
    For,
    If,
    Outlined,
    Simple,
    atoms_of,
)
from yota_ast.ops import info
from yota_ast.support.passes import enabled
from yota_ast.syntax.names import is_weak

# What keeping a value costs: arrays count by their memory, copies by their time too.
_INDEX, _SCALAR, _ARRAY, _PART, _COPY = 2, 4, 40, 78, 80
_AXIS = 4  # times what one row of a matrix costs, the matrix does
_LIST = 10_000  # as long as the loop
_UNDEFINED = 100_000  # it may have no value yet
_FUNCTION = 1_000_000  # what it holds has changed by then
_BITS = 8  # times the memory of truth values, that of numbers is
_MANY = 3  # so many statements are spared by numbers, some of them items of arrays
_MOST = 1 << 30  # more elements than this are as many


def operands_of(op: Apply | If) -> tuple[Atom, ...]:
    """What an op reads that computes a value again; a condition reads in its arms."""
    return read_by(op) if isinstance(op, If) else atoms_of(op)


@dataclass(slots=True)
class Choice:
    """Decides for one level of loops at a time.

    instead: for values that the reverse finds in memory not overwritten since, the op
    that reads them there.
    """

    places: Places
    memory: Memory
    instead: Mapping[str, Apply] = field(default_factory=dict)
    function: bool = False
    """Whether the reverse is a function of its own: all it reads is handed to it."""
    swift: bool = False
    """Whether little is to be computed again, for speed."""
    growing: frozenset[str] = frozenset()
    """The arrays that become longer in each iteration; see `growing_arrays.py`."""
    makers: dict[str, Apply] = field(default_factory=dict)
    """The ops of the forward sweep by what they make, from the first question on."""
    short: set[str] = field(default_factory=set)
    """What is computed again, for its loop then saves nothing; see `short_sums.py`."""

    def recipe(self, name: str) -> Apply | If | None:
        """The op that may compute a value again, if there is one: a primitive one, or
        a condition."""
        made = self.function_made(name)
        if made is not None or not enabled("again"):
            return made
        if name in self.instead:
            return self.instead[name]
        if name in self.short:
            return self.places.apply_of(name)
        match op := self.places.maker.get(name):
            case If():
                return op if left_of(op, self.places.maker.get) is not None else None
            case Apply():
                dear = not is_cheap(op) or self._is_result(op) or self._saturates(op)
                return None if dear else op
            case Simple() | Compound() | None:
                return None
            case _:
                assert_never(op)

    def function_made(self, name: str) -> Apply | None:
        """The op that makes a function that holds values: it reads them where it is
        called, so it is made again of those that are saved."""
        op = self.places.maker.get(name)
        return op if isinstance(op, Apply) and isinstance(op.fn, Closed) else None

    def _saturates(self, op: Apply) -> bool:
        """Whether an op is `u / (1 + exp(z))`: the exponential may be infinite, and
        what is computed from that again has no slope, should the sweeps be
        differentiated in their turn."""
        if info(op.fn).arithmetic != "quotient":
            return False
        if not self.makers:
            every = self.places.maker.items()
            self.makers |= {n: each for n, each in every if isinstance(each, Apply)}
        return under_one_more(self.makers, op) is not None

    def _is_result(self, op: Apply) -> bool:
        """Whether an op takes one of several results of an outlined function."""
        source = op.args[0] if op.form == "unpack" else None
        maker = self.places.apply_of(source.name) if isinstance(source, Var) else None
        return maker is not None and isinstance(maker.fn, Outlined)

    def saved(self, loop: str, wanted: Sequence[Var]) -> list[Var]:
        """The values to save in each iteration of a loop ("": outside of loops)."""
        operands: dict[str, tuple[str, ...]] = {}
        sources: set[str] = set()
        for var in wanted:
            self._enter(var.name, loop, operands, sources)
        reads = [v.name for v in wanted]
        names = self._cheapest(operands, sources, reads)
        if enabled("again") and any(map(self._is_held, names if loop else ())):
            alone = self._without_sums(wanted, loop, operands, names)
            names = alone or self._with_numbers(operands, reads, names)
        order = self.places.order
        return [self.places.vars[n] for n in sorted(names, key=order.__getitem__)]

    def _without_sums(
        self,
        wanted: Sequence[Var],
        loop: str,
        operands: Mapping[str, tuple[str, ...]],
        names: Sequence[str],
    ) -> list[str]:
        """The index of a loop over a range, if it saves short sums besides, and is to
        save nothing else without them; else nothing."""
        op = self.places.loops[loop]
        if range_of(self.places, op) is None or not isinstance(op, For):
            return []
        targets = {t.name for t in op.targets}
        again = _computed(operands, [v.name for v in wanted], {*names})
        found = short_sums({*names} - targets, again, self.places, loop)
        if not found:
            return []
        self.short |= found
        made: dict[str, tuple[str, ...]] = {}
        sources: set[str] = set()
        for var in wanted:
            self._enter(var.name, loop, made, sources)
        left = cheapest(made, sources, [v.name for v in wanted], self._cost)
        if left and {*left} <= targets:
            return left
        self.short -= found
        return []

    def _cheapest(
        self,
        operands: Mapping[str, tuple[str, ...]],
        sources: set[str],
        wanted: Sequence[str],
    ) -> list[str]:
        """The values to save: those that come last, where little is to be computed
        again, if they take no more memory."""
        names = cheapest(operands, sources, wanted, self._cost)
        counts = {n: c for n in operands if (c := self._count(n)) is not None}
        if not self.swift or len(counts) < len(operands):
            return names

        def cost(name: str) -> int:
            var = self.places.vars[name]
            nameless = var.fact.kind == "array" and var.hint is None
            return (self._cost(name) - nameless) * _MOST + min(counts[name], _MOST)

        last = cheapest(operands, sources, wanted, cost, late=True)
        new, old = (
            sum(counts[n] for n in ns if self._is_new(n)) for ns in (last, names)
        )
        return last if new <= old else names

    def _with_numbers(
        self,
        operands: Mapping[str, tuple[str, ...]],
        wanted: Sequence[str],
        names: list[str],
    ) -> list[str]:
        """The values to save, and numbers beside them where these spare statements: a
        number takes no memory to speak of. Items of arrays, which are read there again,
        are saved where many statements are spared."""
        for spared_by, least in ((self._spared, _MANY), (self._spared_readers, 1)):
            kept, spared = set(names), 0
            while True:
                again = sorted(_computed(operands, wanted, kept))
                gains = {n: spared_by(operands, wanted, kept, n) for n in again}
                best = max(gains, key=gains.__getitem__, default="")
                if not best or gains[best] <= 0:
                    break
                kept.add(best)
                spared += gains[best]
            if spared >= least:
                read = _computed(operands, wanted, kept, ends=True)
                return [n for n in operands if n in kept and n in read]
        return names

    def _spared(
        self,
        operands: Mapping[str, tuple[str, ...]],
        wanted: Sequence[str],
        kept: set[str],
        name: str,
    ) -> int:
        """How many statements fewer compute values with names again if a number is
        saved."""
        var = self.places.vars[name]
        if not var.fact.is_scalar or self._cost(name) > _SCALAR + 1:
            return 0
        before, after = (
            sum(
                not is_weak(self.places.vars[n].hint)
                for n in _computed(operands, wanted, saved)
            )
            for saved in (kept, kept | {name})
        )
        return before - after - is_weak(var.hint)

    def _spared_readers(
        self,
        operands: Mapping[str, tuple[str, ...]],
        wanted: Sequence[str],
        kept: set[str],
        name: str,
    ) -> int:
        """The same of a number that is computed, those counted that have several
        readers, too. What an iteration was entered with needs another name beside what
        follows it."""
        var, maker = self.places.vars[name], self.places.apply_of(name)
        if not var.fact.is_scalar or self._cost(name) > _SCALAR + 1:
            return 0
        if maker is None or maker.fn is operator.getitem or self.places.of[name].arms:
            return 0
        before, after = (
            self._named(operands, wanted, saved) for saved in (kept, kept | {name})
        )
        followed = any(c.next == var for n in kept for c in self._carries(n))
        return before - after - is_weak(var.hint) - followed

    def _named(
        self,
        operands: Mapping[str, tuple[str, ...]],
        wanted: Sequence[str],
        kept: set[str],
    ) -> int:
        """How many values that are computed again have names, or several readers, as
        an item that is read where it is used needs none."""
        again = _computed(operands, wanted, kept)
        readers = Counter(wanted)
        for name in again:
            readers.update({*operands[name]})
        weak = [n for n in again if is_weak(self.places.vars[n].hint)]
        makers = {n: self.places.apply_of(n) for n in weak}
        items = {n for n, op in makers.items() if op and op.fn is operator.getitem}
        return len(again) - sum(n in items or readers[n] < 2 for n in weak)

    def _is_held(self, name: str) -> bool:
        """Whether a value has to be saved, as the index of a loop has not."""
        made = self.places.apply_of(name) is not None
        item = self.places.vars[name].fact.kind != "int"
        return made or item or bool(self._carries(name))

    def _carries(self, name: str) -> list[Carry]:
        """What hands on a value that an iteration is entered with."""
        maker = self.places.maker.get(name)
        carries = () if maker is None else carries_of(maker)
        return [c for c in carries if c.inside.name == name]

    def _is_new(self, name: str) -> bool:
        """Whether the memory of a value may have been made in a loop."""
        roots = self.memory.points.memory(self.places.vars[name])
        return any(r in self.places.of and self.places.of[r].loops for r in roots)

    def _count(self, name: str) -> int | None:
        """How many elements a value has in the example; of what is no array, none."""
        var = self.places.vars[name]
        return example_count(var) if var.fact.kind == "array" else 0

    def _enter(
        self,
        name: str,
        loop: str,
        operands: dict[str, tuple[str, ...]],
        sources: set[str],
    ) -> None:
        if name in operands:
            return
        operands[name] = ()
        op = self.recipe(name)
        reads = [] if op is None else self.read_by(op)
        here = [r for r in reads if self.is_here(r, loop)]
        away = [r for r in reads if r not in here]
        begun = self._begun(name)
        held = self.function_made(name) is not None
        lost = not held and any(self.is_lost(r) for r in away if r != begun)
        if op is None or lost:
            sources.add(name)
            return
        for r in here:
            self._enter(r, loop, operands, sources)
        operands[name] = tuple(here)

    def _begun(self, name: str) -> str:
        """The array of which a part is read again as it was first: it is copied."""
        op = self.instead.get(name)
        source = op.args[0] if op is not None and not self.function else None
        return source.name if isinstance(source, Var) else ""

    def read_by(self, op: Apply | If) -> list[str]:
        """The variables of the forward sweep that an op reads."""
        return [
            a.name
            for a in operands_of(op)
            if isinstance(a, Var) and a.name in self.places.of
        ]

    def is_here(self, name: str, loop: str) -> bool:
        """Whether a value may have to be saved at this level."""
        if name not in self.places.of:
            return False
        if not loop:
            outside = not self.places.of[name].loops
            return outside and (self.function or self.is_lost(name))
        return self.places.of[name].loops[-1:] == (loop,)

    def is_lost(self, name: str) -> bool:
        """Whether the memory of a value is overwritten by the time it is read; of a
        function, that of what it holds."""
        made = self.function_made(name)
        if made is not None:
            return any(map(self.is_lost, self.read_by(made)))
        return self.memory.overwritten(self.places.vars[name])

    def is_of_growing(self, name: str) -> bool:
        """Whether a value is a view of an array that becomes longer: kept as it is, it
        keeps the whole of that."""
        var, maker = self.places.vars[name], self.places.maker.get(name)
        if not isinstance(maker, Apply) or var.fact.is_scalar:
            return False
        sources = (a for a in maker.args[:1] if isinstance(a, Var))
        return maker.fn is operator.getitem and any(
            a.name in self.growing for a in sources
        )

    def _cost(self, name: str) -> int:
        var, maker = self.places.vars[name], self.places.maker.get(name)
        if any(isinstance(c.init, Undefined) for c in self._carries(name)):
            return _UNDEFINED
        if self.function_made(name) is not None:
            return _FUNCTION
        away = bool(self.places.of[name].arms) + (var.hint is None)
        if var.fact.kind in ("str", "none", "callable", "other"):
            return _SCALAR + away
        if var.fact.kind == "tuple" and not self.is_lost(name):
            return _SCALAR + away
        if var.fact.is_scalar:
            return (_SCALAR if isinstance(maker, Apply) else _INDEX) + away
        size = int(_AXIS ** ((var.fact.rank or 1) - 1))
        if var.fact.kind == "array" and var.fact.dtype == np.bool_:
            return max(size * _ARRAY // _BITS, _SCALAR) + away
        if name in self.growing:
            return _LIST + away
        part = isinstance(maker, Apply) and maker.fn is operator.getitem
        if not self.is_lost(name):
            copied = part and self.is_of_growing(name)
            size *= _PART if copied else _ARRAY
            return min(size, _SCALAR * (_written_count(var) or size)) + away
        if var.fact.kind in CONTAINERS:
            return (_LIST // 2 if part else _LIST) + away
        return (_PART if part else _COPY) * size


def _computed(
    operands: Mapping[str, tuple[str, ...]],
    wanted: Sequence[str],
    kept: set[str],
    *,
    ends: bool = False,
) -> set[str]:
    """The values that are computed again where some are kept; ends: those that are kept
    and read, too."""
    found: set[str] = set()
    todo = list(wanted)
    while todo:
        name = todo.pop()
        if name in found or (name in kept and not ends):
            continue
        found.add(name)
        if name not in kept:
            todo += operands[name]
    return found


def _written_count(var: Var) -> int | None:
    """How many elements an array has, where the program writes that: `[a, b]`."""
    shape = var.fact.shape
    if not isinstance(shape, tuple) or any(d is None or d.base for d in shape):
        return None
    return math.prod(d.offset for d in shape if d is not None)
