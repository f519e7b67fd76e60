"""A block -> the maxima and minima that are subtracted, and of which its values do not
depend.

    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    p = e / np.sum(e, axis=1, keepdims=True)

Whatever m is, p is the same, and so are `m + np.log(np.sum(np.exp(x - m)))` and other
ways to write a softmax: nothing goes back through m. A value depends on m as a term,
`v + k * m`, or as a factor, `v * exp(k * m)`, where k is a number or has numbers of the
program in it: in `np.exp((x - m) / T)` it is `-1 / T`. Where all that are made of m
come to `k = 0`, it is said of none. Of each row an element may be taken, as the
cross-entropy does: `np.log(np.sum(np.exp(x - m), axis=1)) - (x - m)[np.arange(n), y]`.

It is not said where something else reads a value that does depend on m, such as the
caller, a branch, a store or what follows a `with`, nor where a sum runs over axes
along which m changes.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import fact_of
>>> x, m, t, e, s, p = (Var(n, fact_of(np.ones((2, 3)))) for n in "xmtesp")
>>> how = ("axis", Const(1)), ("keepdims", Const(True))
>>> ops = [
...     Apply(m, np.max, (x,), how),
...     Apply(t, operator.sub, (x, m)),
...     Apply(e, np.exp, (t,)),
...     Apply(s, np.sum, (e,), how),
...     Apply(p, operator.truediv, (e, s)),
... ]
>>> invariant_maxima(Block(tuple(ops)), p), invariant_maxima(Block(tuple(ops)), e)
({'m': ()}, {})
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, blocks_of, only, walk
from yota_ast.ops import info
from yota_ast.ops.algebra import SCALED, TERMS

_ALL: Final = slice(None)
Axes = tuple[int | None, ...]
"""Of each axis of a value, which axis of m it is; None: m is constant along it."""


Equal = tuple[Dim, Dim]
"""Two lengths that the example shows to be equal."""
Powers = frozenset[tuple[str, int]]
"""A product of powers of numbers of the program, by their names."""
Times = frozenset[tuple[Powers, float]]
"""A sum of such products, each so many times; the empty one is 0."""
_ONCE: Final[Times] = frozenset([(frozenset(), 1.0)])
_NEVER: Final[Times] = frozenset()


@dataclass(frozen=True, slots=True)
class _Made:
    """How a value depends on m: as a term, or as a factor, so many times."""

    term: bool
    times: Times
    axes: Axes


class _UnknownDependenceError(Exception):
    """A value depends on m in another way."""


@dataclass(frozen=True, slots=True)
class _Indices:
    """Finds what an index takes that is made of others: `x[np.arange(n), y]`."""

    block: Block
    equal: list[Equal] = field(default_factory=list)
    """Lengths that are taken for equal, as the example shows them."""
    makers: dict[str, Apply] = field(default_factory=dict)
    """From the first question on."""

    def taken(self, x: Atom, index: Var, axes: Axes) -> Axes:
        """Return the axes of what is taken of x: of each row of m its own element."""
        if not self.makers:
            every = only(walk(self.block), Apply)
            self.makers.update({op.out.name: op for op in every})
        made = self.makers.get(index.name)
        if made is None or made.fn is not build_tuple:
            raise _UnknownDependenceError
        parts = [self._written(part) for part in made.args]
        if all(isinstance(part, Const) for part in parts):  # `[:, np.newaxis]`
            return _taken(Const(tuple(p.value for p in parts if p is not None)), axes)
        if len(made.args) != len(axes) or not all(map(_is_places, made.args)):
            raise _UnknownDependenceError
        found = [k for k, axis in enumerate(axes) if axis is not None]
        if len(found) != 1:
            raise _UnknownDependenceError
        (k,) = found
        if not self._is_counted(made.args[k], _lengths(x)[k]):
            raise _UnknownDependenceError
        return (axes[k],)

    def _written(self, part: Atom) -> Const | None:
        """Return a part of an index that is written down, `:` too."""
        made = self.makers.get(part.name) if isinstance(part, Var) else None
        if made is not None and made.fn is slice and made.args:
            if all(isinstance(a, Const) and a.value is None for a in made.args):
                return Const(_ALL)
        return part if isinstance(part, Const) else None

    def _is_counted(self, places: Atom, length: Dim) -> bool:
        """Return whether an index is 0, 1, 2 and so on, to the end of an axis."""
        made = self.makers.get(places.name) if isinstance(places, Var) else None
        if made is None or made.fn is not np.arange or len(made.args) != 1:
            return False
        (own,) = _lengths(places)
        if made.kwargs or own == length:
            return not made.kwargs
        if own.size != length.size or own.size in (None, 1):
            return False
        self.equal.append((length, own))
        return not (own.is_cut or length.is_cut)


def _is_places(atom: Atom) -> bool:
    """Return whether an atom is a vector of whole numbers."""
    known = fact_of_atom(atom)
    whole = known.dtype is not None and np.issubdtype(known.dtype, np.integer)
    return known.kind == "array" and known.rank == 1 and whole


def invariant_maxima(block: Block, result: Atom) -> dict[str, tuple[Equal, ...]]:
    """Return the names of the maxima of which no value depends that is read elsewhere,
    each with the lengths that are equal then; result: what is read after the block."""
    return dict(_found(block, {result}, _Indices(block)))


def _found(
    block: Block, after: set[object], indices: _Indices, behind: Sequence[Op] = ()
) -> Iterator[tuple[str, tuple[Equal, ...]]]:
    """behind: what runs after the block, or beside it. It reads what a `with` and the
    body of a `try` compute."""
    for place, op in enumerate(block.ops):
        inner = blocks_of(op)
        first = _maximum(op) if isinstance(op, Apply) else None
        if not inner and first is None:
            continue
        following = (*block.ops[place + 1 :], *behind)
        for body in inner:
            beside = (each for b in inner if b is not body for each in b)
            ends = {*ends_of(op), *after}
            yield from _found(body, ends, indices, (*beside, *following))
        if isinstance(op, Apply) and first is not None:
            indices.equal.clear()
            if _cancels(op.out, first, following, after, indices):
                yield op.out.name, tuple(indices.equal)


def _maximum(op: Apply) -> _Made | None:
    """Return the maximum of an array over some axes, or of several numbers or arrays,
    as it depends on itself."""
    if not info(op.fn).extreme:
        return None
    if isinstance(op.fn, np.ufunc) or op.fn in (max, min):
        rank = _rank(op.out)
        if len(op.args) < 2 or op.kwargs or rank is None:
            return None
        return _Made(term=True, times=_ONCE, axes=tuple(range(rank)))
    given = dict(zip(("axis", "out", "keepdims"), op.args[1:], strict=False))
    given |= dict(op.kwargs)
    if len(op.args) > 2 or not given.keys() <= _SETTINGS:
        return None
    rank = _rank(op.args[0])
    axis, keep = (given.get(k, Const(None)) for k in ("axis", "keepdims"))
    if not rank or not (isinstance(axis, Const) and isinstance(keep, Const)):
        return None
    try:
        gone = _axes_of(axis.value, rank)
    except _UnknownDependenceError:
        return None
    axes: Axes = tuple(None if k in gone else k for k in range(rank))
    if not keep.value:
        axes = tuple(k for k in axes if k is not None)
    return _Made(term=True, times=_ONCE, axes=axes)


_SETTINGS: Final = {"axis", "keepdims"}


def _cancels(
    var: Var,
    first: _Made,
    ops: Iterable[Op],
    after: Iterable[object],
    indices: _Indices,
) -> bool:
    """Return whether nothing depends on a maximum once all ops have run."""
    made: dict[str, _Made] = {var.name: first}
    for op in ops:
        reads = {a.name for a in _atoms(op) if isinstance(a, Var)}
        if made.keys().isdisjoint(reads):
            continue
        if not isinstance(op, Apply) or op.effect:
            return False
        try:
            found = _result(op, made, indices)
        except _UnknownDependenceError:
            return False
        if found.times:
            made[op.out.name] = found
    return made.keys().isdisjoint(a.name for a in after if isinstance(a, Var))


def _atoms(op: Op) -> Iterator[object]:
    for each in walk(Block((op,))):
        yield from atoms_of(each)
        yield from ends_of(each)


def _result(op: Apply, made: Mapping[str, _Made], indices: _Indices) -> _Made:
    """Return how the result of an op depends on m."""
    given = [made.get(a.name) if isinstance(a, Var) else None for a in op.args]
    if any(isinstance(a, Var) and a.name in made for _, a in op.kwargs):
        raise _UnknownDependenceError
    arithmetic, exponent = info(op.fn).arithmetic, info(op.fn).exponent
    if len(given) == 2:
        x, y = given
        if arithmetic in TERMS:
            return _of_sum(op, x, y, -1 if arithmetic == "difference" else 1)
        if arithmetic in SCALED:
            return _of_product(op, x, y, -1 if arithmetic == "quotient" else 1)
        if arithmetic == "matrix product":
            return _of_matrices(op, x, y)
        if arithmetic == "inner product":
            return _of_vectors(op, x, y)
    x = given[0] if given else None
    if x is None or any(given[1:]):
        raise _UnknownDependenceError
    if arithmetic == "power":
        exponent = _number(op.args[1])
    if exponent is not None and not x.term:
        return replace(x, times=_scaled(x.times, exponent))
    if arithmetic == "negative":
        return replace(x, times=_scaled(x.times, -1)) if x.term else x
    return _of_one(op, x, indices)


def _of_one(op: Apply, x: _Made, indices: _Indices) -> _Made:
    alone = len(op.args) == 1 and not op.kwargs
    if op.fn in (np.exp, math.exp) and x.term and alone:
        return replace(x, term=False)
    if op.fn in (np.log, math.log) and not x.term and alone:
        return replace(x, term=True)
    if op.fn in (np.sum, np.mean) and (op.fn is np.mean or not x.term):
        return replace(x, axes=_reduced(op, x.axes))
    if op.fn is operator.getitem:
        index = op.args[1]
        if isinstance(index, Var):
            return replace(x, axes=indices.taken(op.args[0], index, x.axes))
        return replace(x, axes=_taken(index, x.axes))
    if info(op.fn).order == "kept" and info(op.fn).items == "moved":
        return replace(x, axes=_reshaped(op, x.axes))
    raise _UnknownDependenceError


def _of_sum(op: Apply, x: _Made | None, y: _Made | None, sign: int) -> _Made:
    axes = _together(op, x, y)
    if x is not None and y is not None and not x.term and not y.term:
        if x.times == y.times:
            return replace(x, axes=axes)
        raise _UnknownDependenceError
    if not all(part is None or part.term for part in (x, y)):
        raise _UnknownDependenceError
    return _Made(term=True, times=_added(x, y, sign), axes=axes)


def _of_product(op: Apply, x: _Made | None, y: _Made | None, sign: int) -> _Made:
    axes = _together(op, x, y)
    for part, other in ((x, op.args[1]), (y, op.args[0])):
        if part is not None and part.term:
            n = _number(other)
            if (x is not None and y is not None) or (
                sign < 0 and (part is y or n == 0)
            ):
                raise _UnknownDependenceError
            times = part.times
            if n is not None:  # it is written down
                times = _scaled(times, n**sign)
            else:
                times = _with_power(times, other, sign)
            return replace(part, times=times, axes=axes)
    return _Made(term=False, times=_added(x, y, sign), axes=axes)


def _added(x: _Made | None, y: _Made | None, sign: int) -> Times:
    """Return the sum or the difference of how often two values have m."""
    total = Counter[Powers]()
    for part, times in ((x, 1), (y, sign)):
        for powers, count in part.times if part else ():
            total[powers] += times * count  # type: ignore[assignment]
    return frozenset((powers, n) for powers, n in total.items() if n)


def _scaled(times: Times, number: float) -> Times:
    return frozenset((powers, n * number) for powers, n in times if n * number)


def _with_power(times: Times, atom: Atom, sign: int) -> Times:
    """Return how often a value has m that is multiplied, or divided, by a number of the
    program."""
    name = atom.name if isinstance(atom, Var) else atom.text
    if name is None or not fact_of_atom(atom).is_number:
        raise _UnknownDependenceError
    found = set[tuple[Powers, float]]()
    for powers, count in times:
        each = dict(powers)
        each[name] = each.get(name, 0) + sign
        found.add((frozenset((k, v) for k, v in each.items() if v), count))
    return frozenset(found)


def _of_matrices(op: Apply, x: _Made | None, y: _Made | None) -> _Made:
    """Return the same of `x @ y`, of which one depends on m, as a factor that is the
    same in all terms of each sum."""
    part, (p, q) = x or y, (_rank(a) for a in op.args)
    if part is None or (x and y) or part.term or p not in (1, 2) or q not in (1, 2):
        raise _UnknownDependenceError
    if part.axes[-1 if x else 0] is not None:
        raise _UnknownDependenceError
    rows, columns = (None,) * (p - 1), (None,) * (q - 1)
    left, right = (part.axes[:-1], columns) if x else (rows, part.axes[1:])
    return replace(part, axes=(*left, *right))


def _of_vectors(op: Apply, x: _Made | None, y: _Made | None) -> _Made:
    """Return the same of the inner product of vectors along which m is constant."""
    if any(_rank(a) != 1 for a in op.args):
        raise _UnknownDependenceError
    if any(part is not None and (part.term or part.axes != (None,)) for part in (x, y)):
        raise _UnknownDependenceError
    return _Made(term=False, times=_added(x, y, 1), axes=())


def _together(op: Apply, x: _Made | None, y: _Made | None) -> Axes:
    """Return the axes of what two values are broadcast to."""
    rank = _rank(op.out)
    found: set[Axes] = set()
    for part, atom in ((x, op.args[0]), (y, op.args[1])):
        if part is not None:
            if rank is None or len(part.axes) != _rank(atom):
                raise _UnknownDependenceError
            found.add((None,) * (rank - len(part.axes)) + part.axes)
    if len(found) != 1:
        raise _UnknownDependenceError
    return found.pop()


def _reduced(op: Apply, axes: Axes) -> Axes:
    """Return the axes that a sum leaves, which must not run over those of m."""
    given = dict(op.kwargs)
    if len(op.args) == 2:
        given["axis"] = op.args[1]
    axis, keep = (given.pop(k, Const(None)) for k in ("axis", "keepdims"))
    if given or len(op.args) > 2:
        raise _UnknownDependenceError
    if not isinstance(axis, Const) or not isinstance(keep, Const):
        raise _UnknownDependenceError
    gone = _axes_of(axis.value, len(axes))
    if any(axes[k] is not None for k in gone):
        raise _UnknownDependenceError
    if keep.value:
        return axes
    return tuple(a for k, a in enumerate(axes) if k not in gone)


def _reshaped(op: Apply, axes: Axes) -> Axes:
    """Return the axes of `np.squeeze(m, axis=1)`, `m.ravel()`, where axes of length 1
    alone come or go."""
    lengths = [_lengths(a) for a in (op.args[0], op.out)]
    if len(lengths[0]) != len(axes):
        raise _UnknownDependenceError
    left = [(d, a) for d, a in zip(lengths[0], axes, strict=True) if not d.is_unit]
    if [d for d, _ in left] != [d for d in lengths[1] if not d.is_unit]:
        raise _UnknownDependenceError
    kept = (a for _, a in left)
    return tuple(None if d.is_unit else next(kept) for d in lengths[1])


def _lengths(atom: Atom) -> tuple[Dim, ...]:
    shape = fact_of_atom(atom).shape
    if not isinstance(shape, tuple):
        raise _UnknownDependenceError
    found = tuple(d for d in shape if d is not None)
    if len(found) < len(shape):
        raise _UnknownDependenceError
    return found


def _taken(index: Atom, axes: Axes) -> Axes:
    """Return the axes of `x[:, 0]`, `x[:, None]`."""
    if not isinstance(index, Const):
        raise _UnknownDependenceError
    left, found = list(axes), list[int | None]()
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    for part in _without_ellipsis(parts, len(axes)):
        if part is None:
            found.append(None)
        elif not left:
            raise _UnknownDependenceError
        elif isinstance(part, slice) and part == _ALL:
            found.append(left.pop(0))
        elif type(part) is not int or left.pop(0) is not None:
            raise _UnknownDependenceError
    return (*found, *left)


def _without_ellipsis(parts: tuple[Any, ...], rank: int) -> tuple[Any, ...]:
    """Return the parts of an index, with a slice for each axis that `...` stands for.

    >>> _without_ellipsis((..., None), 2)
    (slice(None, None, None), slice(None, None, None), None)
    """
    at = next((k for k, part in enumerate(parts) if part is ...), None)
    if at is None:
        return parts
    taken = sum(part is not None for part in parts) - 1
    return (*parts[:at], *[_ALL] * (rank - taken), *parts[at + 1 :])


def _axes_of(axis: Any, rank: int) -> frozenset[int]:
    if axis is None:
        return frozenset(range(rank))
    given = axis if isinstance(axis, tuple) else (axis,)
    if not all(type(k) is int for k in given) or not rank:
        raise _UnknownDependenceError
    return frozenset(k % rank for k in given)


def _number(atom: Atom) -> float | None:
    """Return a number that is written down in the function itself."""
    if not isinstance(atom, Const) or atom.text is not None:
        return None
    value = atom.value
    return value if isinstance(value, (int, float)) else None


def _rank(atom: Atom) -> int | None:
    known = fact_of_atom(atom)
    return 0 if known.is_scalar else known.rank
