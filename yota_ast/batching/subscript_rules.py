"""Items, rows and parts of arrays of each example, read and written.

`x[i]` is `x[:, i]`; where i differs from example to example, `x[np.arange(n), i]`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.batching.batcher import ALL, DISPLAYS, Batcher, items_of
from yota_ast.batching.layouts import Layout, is_even, is_mapped, item, join
from yota_ast.ir.abstract_values import CONTAINERS, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.cell_stores import cells_put
from yota_ast.ir.nodes import Apply, Store
from yota_ast.ir.store_changes import (
    AppendItem,
    Put,
    SharedView,
    Update,
    changes_length,
)
from yota_ast.ops import is_basic, sharing


@dataclass(frozen=True, slots=True)
class Parts:
    """An index, part by part: atoms and values. advanced: arrays and lists in it."""

    parts: tuple[object, ...]
    mapped: tuple[bool, ...]
    advanced: bool


def parts_of(b: Batcher, op: Apply | Store, key: Atom) -> Parts:
    """The parts of an index."""
    found = _split(b, op, key)
    mapped = tuple(isinstance(p, (Var, Const)) and b.is_mapped(p) for p in found)
    arrays = [_kind(p) for p in found]
    if any(m and isinstance(p, Var) and p.fact.cls is slice
           for m, p in zip(mapped, found, strict=True)):  # fmt: skip
        b.refuse(op, "a slice whose ends differ from example to example")
    return Parts(found, mapped, any(arrays))


def _split(b: Batcher, op: Apply | Store, key: Atom) -> tuple[object, ...]:
    if isinstance(key, Const):
        return key.value if isinstance(key.value, tuple) else (key.value,)
    made = b.maker(key)
    if made is None or made.fn is not build_tuple:
        if key.fact.kind in ("tuple", UNKNOWN.kind):
            b.refuse(op, "the parts of this index are not known")
        return (key,)
    return tuple(a.value if isinstance(a, Const) else a for a in made.args)


def _kind(part: object) -> bool:
    """Whether a part of an index is an array or a list."""
    if isinstance(part, Var):
        return not is_basic(part.fact)
    return isinstance(part, (list, np.ndarray, bool))


def _is_number(part: object) -> bool:
    """Whether a part is a number, which counts as an array among arrays."""
    if isinstance(part, Var):
        return part.fact.cls is not slice
    return isinstance(part, (int, np.integer))


def _check_shared(b: Batcher, op: Apply | Store, index: Parts) -> None:
    """Refuse arrays among the parts that are apart: their axes would come first."""
    places = [k for k, p in enumerate(index.parts) if _kind(p) or _is_number(p)]
    if index.advanced and places != list(range(places[0], places[-1] + 1)):
        b.refuse(op, "this index has arrays that stand apart")


def _batch_index(
    b: Batcher, op: Apply | Store, index: Parts, *, owner_mapped: bool
) -> list[object]:
    """The parts of the index of the batch."""
    parts = [b.of(p) if isinstance(p, Var) else p for p in index.parts]
    if not any(index.mapped):
        if index.advanced:
            _check_shared(b, op, index)
        return [ALL, *parts] if owner_mapped else parts
    rest = index.parts[1:]
    plain = all(type(p) is slice or p is Ellipsis for p in rest)
    first = index.parts[0]
    if not index.mapped[0] or not plain or not isinstance(first, Var):
        b.refuse(op, "only the first part of an index may differ from example to "
                 "example, with slices behind it")  # fmt: skip
    dtype = b.fact(first).dtype
    if dtype is None or dtype.kind not in "iu":
        b.refuse(op, "an index that differs from example to example is no whole number",
                 "Write `np.where(mask, x, 0.0)` for a mask.")  # fmt: skip
    if not owner_mapped:
        return parts
    count = b.apply(np.arange, b.length)
    axes = b.rank(first, op)
    rows: Atom = b.index(count, ALL, *[None] * axes) if axes else count
    return [rows, *parts]


def subscript(b: Batcher, op: Apply) -> Atom:
    """`x[key]`."""
    owner, key = op.args
    known, made = b.fact(owner), b.maker(owner)
    if made is not None and made.fn is np.shape and b.is_mapped(made.args[0]):
        return _length(b, op, made)
    if known.kind in CONTAINERS or fact_of_atom(owner).kind in CONTAINERS:
        if b.is_mapped(key):
            b.refuse(op, "the item of a list that differs from example to example")
        if not isinstance(key, Const) and not is_even(b.layouts.of(owner)):
            b.refuse(op, "some items of this list are mapped, and others are shared")
        inner, found = _fact_of_item(known, key), b.same(op)
        return found if inner is None else b.builder.refine(found, inner)
    if known.kind != "array":
        if is_mapped(b.layouts.of(owner)) and not b.is_mapped(key) and _is_sequence(op):
            return b.same(op)
        b.refuse(op, "an item of what is no array here")
    if op.form == "unpack":
        return _unpacked(b, op)
    index = parts_of(b, op, key)
    parts = _batch_index(b, op, index, owner_mapped=b.is_mapped(owner))
    found = b.index(b.of(owner), *parts)
    return found if any(index.mapped) else _element(b, op, found)


def _fact_of_item(known: Fact, key: Atom) -> Fact | None:
    """What is known of the item of a container; None where its items are unknown."""
    if not isinstance(key, Const) or known.items is None:
        return None
    if known.keys is not None:
        return dict(zip(known.keys, known.items, strict=True)).get(key.value)
    at, count = key.value, len(known.items)
    return known.items[at] if type(at) is int and -count <= at < count else None


def _element(b: Batcher, op: Apply, found: Var) -> Var:
    """A part of an array, noted where it is a number of one example."""
    if op.out.fact.is_scalar and op.out.fact.kind != "array":
        b.elements.add(found.name)
    return found


def _unpacked(b: Batcher, op: Apply) -> Atom:
    """One of the targets of `u, v = x`, which is `u, v = x.T`."""
    owner, key = op.args
    assert isinstance(owner, Var)
    if not b.is_mapped(owner) or not isinstance(key, Const):
        b.refuse(op, "an array is taken apart here in a way that has no batched form")
    if key == Const(0):
        b.rows[owner.name] = b.turned(owner)
    rows = b.rows.get(owner.name)
    if rows is None:
        b.refuse(op, "an array is taken apart here in a way that has no batched form")
    return _element(b, op, b.apply(operator.getitem, rows, key, form="unpack"))


def _length(b: Batcher, op: Apply, shape: Apply) -> Atom:
    """`x.shape[0]` is `x.shape[1]`."""
    key = op.args[1]
    if not isinstance(key, Const) or not isinstance(key.value, int):
        return b.same(op)
    whole = b.apply(np.shape, b.of(shape.args[0]), form=shape.form, spelling="shape")
    return b.index(whole, key.value + (key.value >= 0))


def _is_sequence(op: Apply) -> bool:
    """Whether an op takes a part of what a loop has saved."""
    key = op.args[1]
    return isinstance(key, Const) and isinstance(key.value, slice)


def store(b: Batcher, op: Store) -> None:
    """`x[key] = value`, `x[key] += value`, `rows.append(value)`."""
    if op.target.fact.kind in CONTAINERS:
        _store_item(b, op)
        return
    if cells := cells_put(op, b.maker(op.value)):
        _store_cells(b, op, cells)
        return
    out = replace(op.out, fact=b.batched(op.out))
    if isinstance(op.change, SharedView):
        _check_view(b, op)
    target = b.of(op.target)
    assert isinstance(target, Var)
    index = parts_of(b, op, op.index)
    region = _region(b, op)
    value: Atom = b.of(op.value)
    if b.is_mapped(op.value):
        own = b.rank(op.value)
        if own > region:
            b.refuse(op, "what is written has more axes than where it is written")
        value = b.raised(op.value, region)
    elif not fact_of_atom(value).is_numeric or b.rank(op.value, op) > region:
        b.refuse(op, "what is written here has no shape that is known to fit")
    whole = op.index in (Const(ALL), Const(...), Const((...,)))
    made = list(index.parts) if whole else _batch_index(b, op, index, owner_mapped=True)
    key = made[0] if len(made) == 1 else None
    if key is None:
        any_var = any(isinstance(p, Var) for p in made)
        key = b.tuple_of(made) if any_var else Const(tuple(made))
    elif not isinstance(key, (Var, Const)):
        key = Const(key)
    if isinstance(op.change, Update) and any(index.mapped) and index.advanced:
        if not op.change.repeats:
            b.refuse(op, "an update at places that differ from example to example")
    b.builder.ops.append(replace(op, out=out, target=target, index=key, value=value))
    b.known[op.out.name] = out


def _store_cells(b: Batcher, op: Store, cells: Sequence[tuple[int, Atom]]) -> None:
    """`x[:2] = a, b`, cell by cell."""
    target = op.target
    for k, value in cells:
        last = k == cells[-1][0]
        out = op.out if last else replace(op.out, name=b.builder.names.fresh("u"))
        store(b, replace(op, out=out, target=target, index=Const(k), value=value))
        target = out


def _region(b: Batcher, op: Store) -> int:
    """How many axes that has of one example which is written."""
    part = b.builder.infer(operator.getitem, (op.target, op.index), ())
    if part.rank is None:
        b.refuse(op, "the shape of what is written is not known")
    return part.rank


def _check_view(b: Batcher, op: Store) -> None:
    """A view that has been written shares its memory in the batch, too."""
    var: Any = op.value
    maker = b.maker(var)
    while maker is None and isinstance(var, Var) and var.name in b.written:
        var = b.written[var.name]
        maker = b.maker(var)
    sure = maker is not None and maker.args[0] == op.target
    if not sure or maker is None or var.name in b.loose or sharing(maker) != "view":
        b.refuse(op, "a view of an array is written here that may be none of a batch")


def _store_item(b: Batcher, op: Store) -> None:
    """Put an item into a list whose items are all mapped, or all shared."""
    layout = item(b.layouts.of(op.out))
    if changes_length(op.change) and op.index != Const(None):
        b.refuse(op, "an item is appended to a list within a list")
    if b.is_mapped(op.index):
        b.refuse(op, "the place in a list differs from example to example")
    value = b.of(op.value)
    if isinstance(op.change, (Put, AppendItem)) and op.value != Const(None):
        value = fitted(b, op.value, layout)
    elif isinstance(op.change, Update) and is_mapped(layout):
        b.refuse(op, "an item of a list is changed in place")
    target = b.of(op.target)
    assert isinstance(target, Var)
    b.builder.ops.append(replace(op, target=target, value=value))


def fitted(b: Batcher, atom: Atom, layout: Layout) -> Atom:
    """An atom in a layout: what is shared is there once for each example."""
    own = b.layouts.of(atom)
    if own == layout or not is_mapped(layout):
        return b.of(atom)
    if isinstance(layout, bool) and isinstance(own, bool):
        return b.spread(atom)
    if join(own, layout) == own:
        return b.of(atom)
    made = b.maker(atom)
    if made is None or made.fn not in DISPLAYS:
        b.refuse(None, "the items of this list are mapped, or shared, by turns")
    count = len(items_of(made))
    each = layout if isinstance(layout, tuple) else (item(layout),) * count
    return _built(b, made, each)


def _built(b: Batcher, op: Apply, each: tuple[Layout, ...]) -> Atom:
    items = [fitted(b, a, one) for a, one in zip(items_of(op), each, strict=True)]
    return b.rebuilt(op, items)


def builds(b: Batcher, op: Apply) -> Atom:
    """A container, whose items have the layout that is wanted of each."""
    if op.fn is build_slice:
        b.refuse(op, "a slice whose ends differ from example to example")
    layout = b.layouts.of(op.out)
    if op.fn not in DISPLAYS:
        return b.same(op)
    count = len(items_of(op))
    each = layout if isinstance(layout, tuple) else (item(layout),) * count
    if len(each) != count:
        each = (item(layout),) * count
    return _built(b, op, each)
