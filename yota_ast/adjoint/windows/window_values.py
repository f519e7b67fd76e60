"""An op within nested loops -> what all iterations make of it, in one statement.

In: the ops of the loops, one after another.  Out: arrays with an axis for each loop
that tells the values apart, see `spread_arrays.py`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.windows.spread_arrays import (
    Axis,
    Lap,
    Own,
    Spread,
    elementwise,
    summed,
    summed_places,
    with_new_axes,
)
from yota_ast.adjoint.windows.window_indices import Window, WindowIndices
from yota_ast.adjoint.windows.window_regions import (
    WindowRegions,
    axes_of,
    dims_of,
    own_dims,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.algebra import KEEPING, operated


@dataclass(slots=True)
class Carried:
    """What loops carry. roots: of each name of it, that before them; now: what it is
    now, by that; begun: what it was before them."""

    roots: dict[str, str] = field(default_factory=dict)
    now: dict[str, Atom] = field(default_factory=dict)
    begun: list[Var] = field(default_factory=list)


@dataclass(slots=True)
class WindowValues:
    """Computes what all iterations do. reads: what is read of what loops carry. sizes:
    the axes of what is read or written; orders: those of what is written."""

    known: Known
    builder: Builder
    indices: WindowIndices
    regions: WindowRegions
    carried: Carried
    values: dict[str, Spread] = field(default_factory=dict)
    reads: set[str] = field(default_factory=set)
    sizes: list[frozenset[Axis]] = field(default_factory=list)
    orders: list[list[Axis]] = field(default_factory=list)

    def computed(self, op: Apply) -> Spread | None:
        """Return what an op makes; None: no statement says it."""
        if op.fn is operator.getitem:
            array, index = op.args
            if isinstance(array, Var) and array.name in self.values:
                value = self.values[array.name]
                return with_new_axes(value, index) if isinstance(index, Const) else None
            return self._read(op)
        if op.fn in (len, np.shape) and isinstance(op.args[0], Var):
            return self._length(op, op.args[0])
        values = [self.of(a) for a in op.args]
        given = [v for v in values if v is not None]
        if len(given) < len(values) or not given:
            return None
        if op.fn is np.size and len(given) == 1 and not op.kwargs:
            return self._size(given[0])
        if not any(v.axes for v in given):
            return self._once(op, given)
        if op.fn is np.sum:
            return self._total(op, given[0])
        if not is_broadcast(op.fn) or op.kwargs:
            return None
        return self._elementwise(op, given)

    def _elementwise(self, op: Apply, given: Sequence[Spread]) -> Spread | None:
        same = self.known.are_equal
        return elementwise(op, given, self.builder, self.orders, same)

    def of(self, atom: Atom) -> Spread | None:
        """Return what an atom is; None: it is unknown."""
        if isinstance(atom, Const):
            plain = type(atom.value) in (int, float, bool)
            return Spread(atom) if plain else None
        if atom.name in self.values:
            return self.values[atom.name]
        if atom.name in self.carried.roots or self.indices.depends(atom):
            return None
        known = atom.fact
        if known.is_scalar and known.kind != "array":
            return Spread(atom)
        real = known.kind == "array" and known.dtype is not None
        if not real or known.rank is None or not self._is_apart(atom):
            return None
        self.sizes.append(frozenset(map(Own, range(known.rank))))
        self.regions.is_wide |= known.rank > 0
        axes = (*map(Own, range(known.rank)),)
        return Spread(atom, axes, known.rank, dims=dims_of(atom))

    def _is_apart(self, array: Var) -> bool:
        """Return whether an array that the loops do not carry is none that they do."""
        memory = self.known.memory(array.name)
        return memory is not None and memory not in {
            self.known.memory(v.name) for v in self.carried.begun
        }

    def _once(self, op: Apply, given: Sequence[Spread]) -> Spread | None:
        """Return a number that is the same in all iterations, and raises nothing."""
        number = op.out.fact.is_scalar and op.out.fact.kind != "array"
        safe = operated(op.fn) in KEEPING or op.fn in (min, max)
        over = op.args[-1]
        safe |= (
            operated(op.fn) == "floor" and isinstance(over, Const) and bool(over.value)
        )
        if not number or not safe or op.kwargs:
            return None
        self.builder.ops.append(replace(op, args=(*(v.atom for v in given),)))
        return Spread(op.out)

    def _length(self, op: Apply, array: Var) -> Spread | None:
        """Return the length, or the shape, of what is the same in all iterations."""
        if array.name in self.carried.roots or array.name in self.values:
            return None
        self.builder.ops.append(op)
        return Spread(op.out)

    def _size(self, value: Spread) -> Spread | None:
        """Return how many items what each iteration has reads."""
        if len(value.lengths) < value.rank or Const(None) in value.lengths:
            return None
        size: Atom = Const(1)
        for n in value.lengths:
            size = n if size == Const(1) else self.builder.apply(operator.mul, size, n)
        return Spread(size)

    def _total(self, op: Apply, value: Spread) -> Spread | None:
        """Return the sums over axes that are named."""
        places = summed_places(op, value.rank)
        if places is None:
            return None
        return summed(value, places, self.builder)

    def _read(self, op: Apply) -> Spread | None:
        """Return what each iteration takes of an array."""
        array, index = op.args
        if not isinstance(array, Var) or not is_real(array, "fiub"):
            return None
        root = self.carried.roots.get(array.name)
        if root is not None:
            self.reads.add(root)
            now = self.carried.now[root]
            assert isinstance(now, Var)
            array = now
        elif not self._is_apart(array):
            return None
        parts = self.indices.parts(index, array.fact.rank)
        if parts is None or not self.regions.is_uncut(parts, array, index):
            return None
        axes = axes_of(parts)
        lengths, shape = self.regions.lengths(parts, array)
        if not any(isinstance(a, Lap) for a in axes):
            return None
        self.sizes.append(frozenset(axes))
        taken = self.regions.taken(array, parts)
        if any(isinstance(p, Window) for p in parts):
            taken = self.builder.method("reshape", taken, *shape)
        dims = own_dims(parts, array)
        return Spread(taken, (*axes,), len(lengths), (*lengths,), dims)


def is_real(array: Var, kinds: str = "f") -> bool:
    """Return whether an array holds real numbers, floats or others too."""
    known = array.fact
    return (
        known.kind == "array" and known.dtype is not None and known.dtype.kind in kinds
    )


def is_broadcast(fn: Callable[..., object]) -> bool:
    """Return whether a function works on the elements of arrays as on numbers."""
    known = info(fn)
    elements = known.elementwise or "elements" in (known.in_loops, known.batching)
    home = getattr(fn, "__module__", "")
    return elements and (isinstance(fn, np.ufunc) or home in ("_operator", "numpy"))
