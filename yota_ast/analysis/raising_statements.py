"""A block -> the ops that nobody reads and that may raise: they stay.

    y = x[10]           # x has three items, and y is not read: an IndexError

The forward sweep is the function's, and so are its errors. What certainly does not
raise goes, as all that nobody reads: facts decide.

>>> import math
>>> from yota_ast.ir.abstract_values import FLOAT
>>> x, y, z = Var("x", FLOAT), Var("y", FLOAT), Var("z", FLOAT)
>>> root, double = Apply(y, math.sqrt, (x,)), Apply(z, operator.mul, (x, Const(2)))
>>> may_raise(root, frozenset()), may_raise(double, frozenset())
(True, False)
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.shape_sources import NO_SOURCES, ShapeSources
from yota_ast.ir.abstract_values import CONTAINERS, Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by, undefined_in
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.facts.lengths_that_fit import UNRELATED, EqualLengths
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Raise,
    Simple,
    Store,
    blocks_of,
    defined_by,
    map_blocks,
    walk,
)
from yota_ast.ir.store_changes import Put, Update
from yota_ast.ops import info
from yota_ast.support.value_classes import plain_number


def errors_in(
    block: Block,
    read: Iterable[Atom | Undefined],
    equal: Iterable[tuple[Dim, Dim]] = (),
) -> tuple[Var, ...]:
    """Return the results of the ops that may raise and that nobody reads; equal: the
    lengths that are found to be equal before."""
    slim = without_dead(block, read)
    if slim is block:
        return ()
    live = {v.name for op in walk(slim) for v in bound_by(op)}
    unpacked = {_unpacked(op) for op in walk(slim)}
    undefined, known = undefined_in(block), live | _repeated(block)
    sources, lengths = ShapeSources.of(block), EqualLengths.of(equal)
    return tuple(
        out
        for op in _reached(block)
        for out in defined_by(op)
        if out.name not in known
        and (_unpacked(op) is None or _unpacked(op) not in unpacked)
        and may_raise(op, undefined, sources, lengths)
    )


def _reached(block: Block) -> Iterator[Op]:
    """All ops but those that follow a `raise`."""
    for op in block:
        yield op
        for inner in blocks_of(op):
            yield from _reached(inner)
        if isinstance(op, Raise):
            return


def _unpacked(op: Op) -> str | None:
    """The sequence that an op takes the first, the second, ... item of."""
    if not isinstance(op, Apply) or op.form != "unpack":
        return None
    return op.args[0].name if isinstance(op.args[0], Var) else None


def _repeated(block: Block) -> set[str]:
    """The reads of an item that has been read already: a view of a part that has been
    written since is made again."""
    repeated = _Repeated()
    repeated.visit(block, frozenset())
    return repeated.found


_Items = frozenset[tuple[str, Atom]]


class _Repeated:
    """A walk that knows which items have been read where an op stands."""

    def __init__(self) -> None:
        self.found = set[str]()
        self._roots = dict[str, str]()

    def visit(self, block: Block, seen: _Items) -> None:
        for op in block:
            match op:
                case Apply():
                    seen |= self._read(op, seen)
                case Store():
                    self._roots[op.out.name] = self._root(op.target)
                case Simple() | Compound():
                    for inner in blocks_of(op):
                        self.visit(inner, seen)
                case _:
                    assert_never(op)

    def _read(self, op: Apply, seen: _Items) -> _Items:
        """The item that an op reads."""
        if op.fn is not operator.getitem or not isinstance(op.args[0], Var):
            return frozenset()
        item = self._root(op.args[0]), op.args[1]
        self.found.update({op.out.name} if item in seen else ())
        return frozenset({item})

    def _root(self, var: Var) -> str:
        return self._roots.get(var.name, var.name)


def may_raise(
    op: Op, undefined: Collection[str], sources: ShapeSources = NO_SOURCES,
    lengths: EqualLengths = UNRELATED,
) -> bool:  # fmt: skip
    """Return whether an op may raise; undefined: variables that may have no value;
    sources: what the shapes of the others come from."""
    match op:
        case Apply():
            return _call_may_raise(op, undefined, sources, lengths)
        case Store():
            return isinstance(op.change, (Put, Update))
        case Simple() | Compound():
            return False
        case _:
            assert_never(op)


def _call_may_raise(
    op: Apply, undefined: Collection[str], sources: ShapeSources, lengths: EqualLengths
) -> bool:
    atoms = (*op.args, *(a for _, a in op.kwargs))
    if any(isinstance(a, Var) and a.name in undefined for a in atoms):
        return True
    if op.form == "attribute" or op.fn is getattr:
        return not _is_always_there(op)
    if op.fn is operator.getitem:
        return not _has_item(op)
    if info(op.fn).tells:
        return False
    raises = info(op.fn).raises
    facts = [fact_of_atom(a) for a in atoms]
    if raises == "maybe" and info(op.fn).elementwise and not _is_of_python(op):
        raises = "shapes"
    fits = _fit(facts, lengths) or (_are_numbers(facts) and sources.fit(op))
    if raises == "zero":
        return not _is_never_zero(op) or not fits
    if raises == "numbers":
        numbers = not facts or facts[0].is_numeric or _shape_of(facts[0]) is not None
        return not numbers or not all(map(_is_axis, atoms[1:]))
    if raises == "power":
        return not _has_power(op) or not fits
    if raises == "filled":
        return not facts[0].is_numeric or any(not f.is_scalar for f in facts[1:])
    if raises == "ends":
        whole = all(f.kind in ("int", "bool") for f in facts)
        return not whole or (len(atoms) > 2 and not _is_whole_number(atoms[2]))
    if raises == "shapes":
        return not fits
    if raises in ("product", "square"):
        return not _are_matrices(facts, lengths, raises)
    return raises == "maybe"


def _shape_of(known: Fact) -> tuple[object, ...] | None:
    """Return the shape of the array that a container certainly makes, or None: its
    items may differ in shape, and then `np.array` raises."""
    if known.is_scalar:
        return ()
    if known.kind == "array":
        shape = known.shape
        return shape if isinstance(shape, tuple) and None not in shape else None
    if known.kind not in CONTAINERS:
        return None
    if known.items is None:
        return ("items",) if element_of(known).is_scalar else None
    if len(known.items) == 1 and known.items[0].is_numeric:
        return (1, "items")
    shapes = {_shape_of(f) for f in known.items}
    if len(shapes) > 1:
        return None
    inner = shapes.pop() if shapes else ()
    return None if inner is None else (len(known.items), *inner)


def _are_numbers(facts: Iterable[Fact]) -> bool:
    return all(f.is_numeric for f in facts)


def _has_power(op: Apply) -> bool:
    """Return whether a power is one of NumPy's floats, or of its numbers to a whole
    power: those of Python overflow."""
    base, power = (fact_of_atom(a) for a in op.args[:2])
    if base.kind not in ("array", "scalar") or base.dtype is None:
        return False
    return base.dtype.kind in "fc" and power.is_numeric


def _is_whole_number(atom: Atom) -> bool:
    """Return whether an atom is an integer other than 0."""
    return isinstance(atom, Const) and type(atom.value) is int and atom.value != 0


def _is_axis(atom: Atom) -> bool:
    """Return whether an option of a reduction is one that every array takes."""
    return isinstance(atom, Const) and atom.value in (None, True, False, 0, -1)


def _is_of_python(op: Apply) -> bool:
    return getattr(op.fn, "__module__", "") in (
        "math",
        "cmath",
        "builtins",
        "_operator",
    )


def _is_always_there(op: Apply) -> bool:
    owner = fact_of_atom(op.args[0])
    name = op.args[1] if len(op.args) > 1 else Const(op.spelling)
    if not owner.is_numeric or not isinstance(name, Const):
        return False
    try:
        return hasattr(_least(owner), str(name.value))
    except ValueError:  # `mT` needs two axes
        return False


def _least(known: Fact) -> object:
    """Return a number of the kind of a value, or an array without axes: what that has,
    all of them have."""
    return getattr(builtins, known.kind)() if known.is_python else np.zeros(())


def _has_item(op: Apply) -> bool:
    """Return whether what is asked for is certainly there."""
    owner, key = fact_of_atom(op.args[0]), op.args[1]
    if fact_of_atom(key).kind == "other" and fact_of_atom(key).cls is slice:
        return owner.kind in ("array", "list", "tuple", "str")
    if not isinstance(key, Const):
        return False
    if isinstance(key.value, slice):
        return owner.kind in ("array", "list", "tuple", "str")
    if owner.kind == "array":
        keys = key.value if isinstance(key.value, tuple) else (key.value,)
        return isinstance(owner.shape, tuple) and _has_part(owner.shape, keys)
    if owner.kind not in CONTAINERS or owner.items is None:
        return False
    if owner.kind == "dict":
        return key.value in (owner.keys or ())
    count = len(owner.items)
    return isinstance(key.value, int) and -count <= key.value < count


def _has_part(shape: Sequence[Dim | None], keys: Sequence[object]) -> bool:
    """Return whether an array has a part: of an axis of known length what is counted
    from an end, of others slices."""
    keys = [k for k in keys if k is not None]
    if len(keys) > len(shape) or any(k is Ellipsis for k in keys):
        return False
    return all(
        isinstance(k, slice) or _is_within(n, k)
        for n, k in zip(shape, keys, strict=False)
    )


def _is_within(length: Dim | None, place: object) -> bool:
    """Return whether an axis certainly has a place."""
    if length is None or length.base or type(place) is not int:
        return False
    return -length.offset <= place < length.offset


def _is_never_zero(op: Apply) -> bool:
    """Return whether a quotient is not one of numbers of Python, or not by 0."""
    facts = [fact_of_atom(a) for a in op.args]
    if any(f.kind in ("array", "scalar") for f in facts):
        return True
    divisor = op.args[1]
    number = plain_number(divisor.value) if isinstance(divisor, Const) else None
    return number is not None and number != 0


def _fit(facts: Sequence[Fact], lengths: EqualLengths) -> bool:
    """Return whether numbers certainly broadcast."""
    if not all(f.is_numeric for f in facts):
        return False
    arrays = [f for f in facts if f.kind in ("array", "real")]
    shapes = [f.shape for f in arrays if isinstance(f.shape, tuple)]
    if len(arrays) < 2 or len(shapes) < len(arrays):
        return len(arrays) < 2
    return lengths.broadcast(shapes)


def _are_matrices(
    facts: Sequence[Fact], lengths: EqualLengths, wanted: Literal["product", "square"]
) -> bool:
    """Return whether arrays of floats are certainly two that have a product, or one
    square matrix."""
    shapes = [f.shape for f in facts if f.kind == "array" and _is_of_floats(f)]
    known = [s for s in shapes if isinstance(s, tuple)]
    if len(known) < len(facts):
        return False
    if wanted == "product":
        return len(known) == 2 and lengths.multiply(*known)
    return len(known) == 1 and len(known[0]) == 2 and lengths.same(*known[0])


def _is_of_floats(known: Fact) -> bool:
    """Return whether an array holds floats of a size that LAPACK takes."""
    return known.dtype is not None and known.dtype.char in "fdFD"


def without_names(block: Block, unread: Collection[str]) -> Block:
    """The block, in which nothing is assigned to names that nobody reads."""
    ops: list[Op] = []
    for op in block:
        unpacks = isinstance(op, Apply) and op.form == "unpack"
        if isinstance(op, Apply) and op.out.name in unread and not unpacks:
            op = replace(op, out=replace(op.out, hint=None))
        ops.append(map_blocks(op, lambda inner: without_names(inner, unread)))
    return Block(tuple(ops))
