"""Functions of axes: each axis of one example is one further back in a batch.

>>> shifted(0), shifted(-1), shifted((0, 1)), every(1), every(2)
(1, -1, (1, 2), 1, (1, 2))
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast.batching.batcher import Batcher, name_of, value_of
from yota_ast.batching.layouts import is_flat, is_full
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply

_AXIS_AT: Final = 1
"""The position of `axis` among the arguments of what joins arrays."""


def shifted(axis: Any) -> Any:
    """The axis, or the axes, of a batch."""
    if isinstance(axis, tuple):
        return tuple(map(shifted, axis))
    return axis + 1 if axis >= 0 else axis


def every(rank: int) -> int | tuple[int, ...]:
    """All axes of one example."""
    return 1 if rank == 1 else tuple(range(1, rank + 1))


@functools.cache
def _axis_of(fn: Callable[..., Any]) -> tuple[int, Any]:
    """The position of `axis` among the parameters, and its default.

    >>> _axis_of(np.sum), _axis_of(np.diff)
    ((1, None), (2, -1))
    """
    parameters = inspect.signature(fn).parameters
    return list(parameters).index("axis"), parameters["axis"].default


def _given(b: Batcher, op: Apply, at: int, name: str, default: Any) -> Any:
    """The value of an option that is written down."""
    atom = dict(op.kwargs).get(name, op.args[at] if len(op.args) > at else None)
    if atom is None:
        return default
    value = value_of(b, op, atom, f"`{name}`")
    if not isinstance(value, (int, tuple, type(None))):
        b.refuse(op, f"`{name}` of `{name_of(op)}` is of another kind")
    return value


def _with_axis(b: Batcher, op: Apply, at: int, axis: Any) -> Atom:
    """The call with another axis, by name."""
    if len(op.args) > at + 1:
        b.refuse(op, f"options of `{name_of(op)}` stand behind `axis`", "Name them.")
    rest = tuple((k, b.of(a)) for k, a in op.kwargs if k != "axis")
    if any(b.is_mapped(a) for k, a in op.kwargs) or any(map(b.is_mapped, op.args[1:])):
        b.refuse(op, f"an option of `{name_of(op)}` differs from example to example")
    given = [("", a) for a in op.args[1:at]]
    for name, atom in (*given, *((k, a) for k, a in op.kwargs if k != "axis")):
        _check_option(b, op, name, atom)
    args = tuple(map(b.of, op.args[:at]))
    return b.same(op, args=args, kwargs=(("axis", Const(axis)), *rest))


def _check_option(b: Batcher, op: Apply, name: str, atom: Atom) -> None:
    """Refuse an array whose axes would be taken for others: it lacks that of the
    examples. Masks are broadcast, indices may have any shape, vectors are along the
    axis."""
    if name == "where" or op.fn is np.take or b.fact(atom).kind != "array":
        return
    if b.rank(atom, op) > (name not in ("prepend", "append")):
        b.refuse(op, f"an option of `{name_of(op)}` is an array here")


def reduction(b: Batcher, op: Apply) -> Atom:
    """`np.sum(x, axis=0)` is `np.sum(x, axis=1)`; over all axes, the axes are named."""
    at, default = _axis_of(op.fn)
    rank, axis = b.rank(op.args[0], op), _given(b, op, at, "axis", default)
    if not rank:
        return _of_number(b, op)
    if op.fn is np.linalg.norm and axis is None and rank > 2:
        b.refuse(op, "this norm has no batched form")
    return _with_axis(b, op, at, every(rank) if axis is None else shifted(axis))


def _of_number(b: Batcher, op: Apply) -> Atom:
    """The sum, the product, the mean of one number is that number."""
    same = op.fn in (np.sum, np.prod, np.mean, np.max, np.min) and len(op.args) == 1
    dtype = b.fact(op.args[0]).dtype
    if not same or op.kwargs or dtype is None or dtype.kind != "f":
        b.refuse(op, f"`{name_of(op)}` takes a number here")
    return b.of(op.args[0])


def along(b: Batcher, op: Apply) -> Atom:
    """`np.sort(x, axis=0)`, `np.cumsum(x)`: along one axis, or all of them as one."""
    at, default = _axis_of(op.fn)
    axis, rank = _given(b, op, at, "axis", default), b.rank(op.args[0], op)
    if not rank or (axis is None and rank > 1):
        remedy = f"Name the axis: `{name_of(op)}(x.ravel(), axis=0)`."
        b.refuse(op, f"`{name_of(op)}` runs over all axes of an example here", remedy)
    if axis == -1 and not op.kwargs and len(op.args) == 1:
        return b.same(op)
    return _with_axis(b, op, at, 1 if axis is None else shifted(axis))


def last_axes(b: Batcher, op: Apply) -> Atom:
    """`np.linalg.inv(x)` works on the last two axes."""
    if any(map(b.is_mapped, op.args[1:])) or any(b.is_mapped(a) for _, a in op.kwargs):
        b.refuse(op, f"an option of `{name_of(op)}` differs from example to example")
    if b.rank(op.args[0], op) < 2:
        b.refuse(op, f"`{name_of(op)}` takes a vector here")
    return b.same(op)


# ------------------------------------------------------------------ the order of axes


def transpose(b: Batcher, op: Apply) -> Atom:
    """`x.T`, `np.transpose(x, (1, 0))`."""
    x, rank = op.args[0], b.rank(op.args[0], op)
    given = [*op.args[1:], *(a for _, a in op.kwargs)]
    values = [value_of(b, op, a, "an axis") for a in given]
    axes = values[0] if len(values) == 1 else tuple(values) or None
    if rank < 2:
        return b.of(x)
    if axes is None and rank == 2:
        return b.builder.method("swapaxes", b.of(x), Const(1), Const(2))
    order = tuple(range(rank))[::-1] if axes is None else axes
    turned = (0, *(k % rank + 1 for k in order))
    return b.apply(np.transpose, b.of(x), Const(turned))


def axes(b: Batcher, op: Apply) -> Atom:
    """`np.swapaxes(x, 0, 1)`, `np.expand_dims(x, 0)`, `np.squeeze(x, axis=0)`."""
    given = [*op.args[1:], *(a for _, a in op.kwargs)]
    if not given:
        b.refuse(op, f"`{name_of(op)}` may drop the axis of the examples", NAME_AXIS)
    args = [Const(shifted(value_of(b, op, a, "an axis"))) for a in op.args[1:]]
    if op.fn is np.expand_dims and isinstance(getattr(given[0], "value", 0), tuple):
        b.refuse(op, "several new axes at once")
    named = [(k, Const(shifted(value_of(b, op, a, "an axis")))) for k, a in op.kwargs]
    return b.same(op, args=(b.of(op.args[0]), *args), kwargs=tuple(named))


NAME_AXIS = "Name the axis: `axis=0`."

# ------------------------------------------------------------------ shapes


def shape(b: Batcher, op: Apply) -> Atom:
    """`x.shape` is `x.shape[1:]`."""
    if not b.is_mapped(op.args[0]):
        return b.same(op)
    b.rank(op.args[0], op)
    return b.index(b.same(op), slice(1, None))


def length(b: Batcher, op: Apply) -> Atom:
    """`len(x)` is `x.shape[1]`; of lists it is what it was."""
    x = op.args[0]
    if fact_of_atom(b.of(x)).kind != "array" or not b.is_mapped(x):
        return b.same(op)
    return axis_length(b, x, 0)


def axis_length(b: Batcher, x: Atom, axis: int) -> Var:
    """The length of an axis of one example."""
    return b.index(b.builder.attribute("shape", b.of(x)), axis + b.is_mapped(x))


def rank(b: Batcher, op: Apply) -> Atom:
    """`x.ndim` is known."""
    return Const(b.rank(op.args[0], op)) if b.is_mapped(op.args[0]) else b.same(op)


def size(b: Batcher, op: Apply) -> Atom:
    """`x.size` is the product of the lengths of its axes."""
    x = op.args[0]
    if not b.is_mapped(x):
        return b.same(op)
    if len(op.args) > 1 or op.kwargs:
        b.refuse(op, "`np.size` along an axis")
    return number_of_elements(b, x, op)


def number_of_elements(b: Batcher, x: Atom, op: Apply) -> Atom:
    """How many elements each example has."""
    lengths: list[Atom] = [axis_length(b, x, k) for k in range(b.rank(x, op))]
    if not lengths:
        return Const(1)
    made = lengths[0]
    for each in lengths[1:]:
        made = b.apply(operator.mul, made, each)
    return made


def lengths_of(b: Batcher, op: Apply, shape: Atom) -> list[Atom] | None:
    """The lengths in a shape that is a number or a tuple; None: they are not known one
    by one."""
    if isinstance(shape, Const):
        value = shape.value
        return [Const(v) for v in value] if isinstance(value, tuple) else [shape]
    if b.is_mapped(shape):
        b.refuse(op, "this shape differs from example to example")
    made = b.maker(shape)
    if made is not None and made.fn in (build_tuple, build_list):
        return [b.of(a) for a in made.args]
    known = b.fact(shape)
    if known.is_number:
        return [b.of(shape)]
    if known.kind == "tuple" and known.items is not None:
        return [b.index(b.of(shape), k) for k in range(len(known.items))]
    return None


def batch_shape(b: Batcher, op: Apply, given: Sequence[Atom]) -> Atom:
    """The shape of all examples, of that of one: `(n, *shape)`."""
    if len(given) > 1:
        return b.tuple_of([b.length, *map(b.of, given)])
    lengths = lengths_of(b, op, given[0])
    if lengths is not None:
        return b.tuple_of([b.length, *lengths])
    head = b.tuple_of([b.length])
    return b.apply(operator.add, head, b.of(given[0]))


def reshape(b: Batcher, op: Apply) -> Atom:
    """`x.reshape(2, 3)` is `x.reshape(n, 2, 3)`."""
    x, given = op.args[0], op.args[1:]
    if op.kwargs or not given or (op.fn is np.reshape and len(given) > 1):
        b.refuse(op, "options of `reshape` have no batched form")
    if any(map(b.is_mapped, given)):
        b.refuse(op, "this shape differs from example to example")
    if len(given) == 1 and (wanted := lengths_of(b, op, given[0])) is not None:
        given = tuple(wanted)
    return _reshaped(b, op, x, [_rest(b, op, x, given, a) for a in given])


def _rest(b: Batcher, op: Apply, x: Atom, given: Sequence[Atom], each: Atom) -> Atom:
    """A length: that which is -1 is what the others leave, also of no examples."""
    if each != Const(-1):
        return each
    others = [b.of(a) for a in given if a is not each]
    whole = number_of_elements(b, x, op)
    if not others:
        return whole
    product = functools.reduce(lambda p, q: b.apply(operator.mul, p, q), others)
    return b.apply(operator.floordiv, whole, product)


def _reshaped(b: Batcher, op: Apply, x: Atom, given: Sequence[Atom]) -> Atom:
    b.loose.add(op.out.name)
    if len(given) == 1 and fact_of_atom(given[0]).kind not in ("int", "scalar"):
        shape = batch_shape(b, op, given)
        return b.apply(np.reshape, b.of(x), shape)
    lengths = (b.length, *map(b.of, given))
    return b.builder.method("reshape", b.of(x), *lengths)


def flat(b: Batcher, op: Apply) -> Atom:
    """`x.ravel()` is `x.reshape(n, x.shape[1] * x.shape[2])`."""
    x = op.args[0]
    if len(op.args) > 1 or op.kwargs:
        b.refuse(op, f"the order of `{name_of(op)}`")
    made = _reshaped(b, op, x, [number_of_elements(b, x, op)])
    return made if op.fn is np.ravel else b.builder.method("copy", made)


def spread(b: Batcher, op: Apply) -> Atom:
    """`np.broadcast_to(x, shape)`."""
    x, given = op.args[0], op.args[1:]
    lengths = lengths_of(b, op, given[0]) if len(given) == 1 else None
    if lengths is None or op.kwargs:
        b.refuse(op, "this shape is not known axis by axis")
    return b.apply(
        np.broadcast_to, b.raised(x, len(lengths)), b.tuple_of([b.length, *lengths])
    )


# ------------------------------------------------------------------ new arrays


def new(b: Batcher, op: Apply) -> Atom:
    """`np.zeros(3)` of which each example writes its own is `np.zeros((n, 3))`."""
    if any(map(b.is_mapped, op.args)) and not (
        op.fn is np.full and not b.is_mapped(op.args[0])
    ):
        b.refuse(op, "this shape differs from example to example")
    if any(b.is_mapped(a) for _, a in op.kwargs) or not op.args:
        b.refuse(op, f"an option of `{name_of(op)}` differs from example to example")
    shape, rest = batch_shape(b, op, op.args[:1]), list(map(b.of, op.args[1:]))
    if op.fn is np.full:
        count = b.fact(op.out).rank
        rest[0] = b.raised(op.args[1], count if count is not None else 0)
        if b.is_mapped(op.args[1]) and b.rank(op.args[1], op):
            b.refuse(op, "`np.full` is filled with an array here")
    return b.apply(
        op.fn, shape, *rest, kwargs=tuple((k, b.of(a)) for k, a in op.kwargs)
    )


def new_like(b: Batcher, op: Apply) -> Atom:
    """`np.zeros_like(x)`; of a shared x a new array in its shape for each example."""
    x = op.args[0]
    if op.fn is np.full_like:
        return _filled_like(b, op)
    if b.is_mapped(x):
        return b.same(op)
    if len(op.args) > 1 or op.kwargs:
        b.refuse(op, f"options of `{name_of(op)}` have no batched form")
    make: Callable[..., Any] = getattr(np, name_of(op).removesuffix("_like"))
    if b.rank(x, op) == 0:
        return b.apply(make, b.length)
    own = _own_shape(b, x)
    if fact_of_atom(b.of(x)).dtype == np.float64:
        return b.apply(make, own)
    return b.apply(make, own, kwargs=(("dtype", _own_dtype(b, x)),))


def _filled_like(b: Batcher, op: Apply) -> Atom:
    """`np.full_like(x, value)`."""
    if len(op.args) != 2 or op.kwargs:
        b.refuse(op, "options of `full_like` have no batched form")
    x, value = op.args
    rank = b.rank(x, op)
    if b.rank(value, op) > rank:
        b.refuse(op, "`full_like` is filled with an array of more axes")
    filling = b.raised(value, rank)
    if b.is_mapped(x):
        return b.same(op, args=(b.of(x), filling))
    shape, kind = _own_shape(b, x), _own_dtype(b, x)
    return b.apply(np.full, shape, filling, kwargs=(("dtype", kind),))


def _own_shape(b: Batcher, x: Atom) -> Atom:
    """The shape of arrays of the shape of x, one for each example."""
    head = b.tuple_of([b.length])
    return b.apply(operator.add, head, b.builder.attribute("shape", b.of(x)))


def _own_dtype(b: Batcher, x: Atom) -> Atom:
    return b.apply(getattr, b.of(x), Const("dtype"), form="attribute", spelling="dtype")


def kept(b: Batcher, op: Apply) -> Atom:
    """`x.copy()`, `x.astype(t)`."""
    if any(map(b.is_mapped, op.args[1:])):
        b.refuse(op, f"an option of `{name_of(op)}` differs from example to example")
    return b.same(op)


# ------------------------------------------------------------------ joined arrays


def _items(b: Batcher, op: Apply) -> tuple[Atom, ...] | None:
    """The arrays that are joined; None: they are a list of unknown length."""
    made = b.maker(op.args[0])
    if made is not None and made.fn in (build_tuple, build_list) and not made.kwargs:
        return made.args
    return None


def join(b: Batcher, op: Apply) -> Atom:
    """`np.concatenate([x, y])`, `np.hstack`, `np.vstack`."""
    items = _items(b, op)
    if items is None:
        b.refuse(op, f"`{name_of(op)}` takes a list of unknown length here")
    ranks = {b.rank(a, op) for a in items}
    axis = _given(b, op, _AXIS_AT, "axis", 0)
    if len(ranks) != 1 or not min(ranks) or axis is None or len(op.kwargs) > 1:
        b.refuse(op, f"this `{name_of(op)}` has no batched form")
    vectors = ranks == {1}
    if op.fn is np.hstack:
        axis = 0 if vectors else 1
    atoms = [b.spread(a) for a in items]
    fn = np.stack if op.fn is np.vstack and vectors else np.concatenate
    every = b.build(build_list, atoms)
    return b.apply(fn, every, kwargs=(("axis", Const(shifted(axis))),))


def stack(b: Batcher, op: Apply) -> Atom:
    """`np.stack([x, y])`, `np.array([x, y])`."""
    x, items = op.args[0], _items(b, op)
    if b.fact(x).kind == "array" and op.fn is not np.stack:
        if len(op.args) > 1 or op.kwargs:
            b.refuse(op, f"options of `{name_of(op)}` have no batched form")
        copied = op.fn is np.array or b.rank(x, op) == 0
        return b.builder.method("copy", b.of(x)) if copied else b.same(op)
    axis = _given(b, op, _AXIS_AT, "axis", 0) if op.fn is np.stack else 0
    if op.fn is not np.stack and (len(op.args) > 1 or op.kwargs):
        b.refuse(op, f"options of `{name_of(op)}` have no batched form")
    if axis is None or len(op.kwargs) > 1:
        b.refuse(op, f"this `{name_of(op)}` has no batched form")
    if items is None and not is_full(b.layouts.of(x)):
        b.refuse(op, "some items of this list are mapped, and others are shared")
    if items is None and not is_flat(b.layouts.of(x)):
        refuse_lists(b, op)
    along = (("axis", Const(shifted(axis))),)
    if items is None:  # what is known of the list tells of the items of one example
        return b.apply(np.stack, b.of(x), kwargs=along, fact=b.batched(op.out))
    return b.apply(np.stack, _all(b, op, items), kwargs=along)


def _all(b: Batcher, op: Apply, items: tuple[Atom, ...]) -> Atom:
    """The list of items, each of which has the axis of the examples."""
    if any(not b.fact(a).is_numeric for a in items):
        refuse_lists(b, op)
    if len({b.rank(a, op) for a in items}) != 1:
        b.refuse(op, f"`{name_of(op)}` takes arrays of several ranks here")
    return b.build(build_list, [b.spread(a) for a in items])


def refuse_lists(b: Batcher, op: Apply) -> NoReturn:
    """Refuse what would be an array of lists, whose items have the axis in front."""
    b.refuse(op, f"`{name_of(op)}` takes lists of lists here", "Stack arrays.")
