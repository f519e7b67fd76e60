"""An index within nested loops -> what it takes of each axis: an item, a window, all.

The windows `x[2 * i : 2 * i + 2]` of the iterations lie one after another, and the
items `x[i + 1]` next to one another.
"""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.windows.spread_arrays import ALL
from yota_ast.analysis.unmodified_reads import Range
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim, literal_dim, product, total
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import Apply


@dataclass(frozen=True, slots=True)
class Counter:
    """The number of a loop around; range: that it runs over."""

    loop: int
    var: Var
    range: Range


@dataclass(frozen=True, slots=True)
class Whole:
    """All of an axis."""


@dataclass(frozen=True, slots=True)
class Place:
    """An item that is the same in all iterations."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Item:
    """The item at the number of a loop, and so much more."""

    counter: Counter
    offset: int


@dataclass(frozen=True, slots=True)
class Window:
    """The items from `width` times the number of a loop on, so many."""

    counter: Counter
    width: Atom
    length: Dim


@dataclass(frozen=True, slots=True)
class Sliding:
    """The items from the number of a loop on, and so much more: as many in each
    iteration, those of two iterations overlap."""

    counter: Counter
    offset: int
    width: Atom
    length: Dim


Part = Whole | Place | Item | Window | Sliding


@dataclass(slots=True)
class WindowIndices:
    """Reads the indices of nested loops. counters: their numbers, by name. sliding:
    whether windows that overlap are told."""

    known: Known
    counters: dict[str, Counter] = field(default_factory=dict)
    sliding: bool = False

    def parts(self, index: Atom, rank: int | None) -> list[Part] | None:
        """Return the parts of an index, one for each axis; None: not known."""
        made = self._made(index)
        if isinstance(index, Const):
            values = index.value if isinstance(index.value, tuple) else (index.value,)
            atoms: Sequence[Atom] = [Const(v) for v in values]
        elif made is not None and made.fn is build_tuple:
            atoms = made.args
        else:
            atoms = [index]
        if rank is None or len(atoms) > rank:
            return None
        found = [*map(self._part, atoms), *[Whole()] * (rank - len(atoms))]
        parts = [p for p in found if p is not None]
        loops = [
            p.counter.loop for p in parts if isinstance(p, (Item, Window, Sliding))
        ]
        if len(parts) < rank or len({*loops}) < len(loops):
            return None
        return parts

    def depends(self, atom: Atom) -> bool:
        """Return whether a number is told by those of the loops around."""
        if isinstance(atom, Const):
            return False
        made = self._made(atom)
        if atom.name in self.counters:
            return True
        return made is not None and any(map(self.depends, made.args))

    def _made(self, atom: Atom) -> Apply | None:
        return self.known.made.get(atom.name) if isinstance(atom, Var) else None

    def _part(self, atom: Atom) -> Part | None:
        if atom == Const(ALL):
            return Whole()
        made = self._made(atom)
        if made is not None and made.fn is build_slice:
            return self._window(made)
        if fact_of_atom(atom).kind != "int":
            return None
        number = self.known.number(atom)
        if number is not None and number.base in self.counters:
            return Item(self.counters[number.base], number.offset)
        return None if self.depends(atom) else Place(atom)

    def _window(self, made: Apply) -> Window | Sliding | None:
        start, stop, step = made.args
        if step not in (Const(None), Const(1)):
            return None
        first, last = _dim(start), _dim(stop)
        if first is None or last is None:
            return None
        length = total([(last, 1), (first, -1)])
        for counter in self.counters.values():
            each = counter.var.fact.length
            if length is None or each is None or product(length, each) != first:
                continue
            width = self._width(made, length)
            return None if width is None else Window(counter, width, length)
        return self._sliding(made, first, length) if self.sliding else None

    def _sliding(self, made: Apply, first: Dim, length: Dim | None) -> Sliding | None:
        width = None if length is None else self._width(made, length)
        for counter in self.counters.values():
            each = counter.var.fact.length
            by = None if each is None else total([(first, 1), (each, -1)])
            if by is not None and not by.base and width is not None:
                assert length is not None
                return Sliding(counter, by.offset, width, length)
        return None

    def _width(self, made: Apply, length: Dim) -> Atom | None:
        """Return the value that is a length: what an end of a window is made of."""
        if not length.base:
            return Const(length.offset) if length.offset > 0 else None
        makers = [m for m in map(self._made, made.args) if m is not None]
        found = (a for m in makers for a in m.args if _dim(a) == length)
        return next((a for a in found if not self.depends(a)), None)


def _dim(atom: Atom) -> Dim | None:
    if isinstance(atom, Const):
        plain = type(atom.value) is int and atom.value >= 0
        return literal_dim(atom.value) if plain else None  # type: ignore[arg-type]
    return atom.fact.length
