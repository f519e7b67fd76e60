"""Rewrites of helpers for shapes into NumPy's own words, where ranks are known.

`untile(d, x, 2)` of a vector becomes `d.reshape(2, -1).sum(axis=0)`, and an item of
`unconcatenate(dy, (a, b))` a slice of dy. Of a part whose length is known, or that is a
number, no other is asked for its length: after `y = np.append(y, e)` the adjoint of y
is `dy[:-1]`, and that of e `dy[-1]`.
"""

from __future__ import annotations

import operator
from collections.abc import Container

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.rewrites.algebra_rewrites import ADD, SUB
from yota_ast.adjoint.rewrites.helper_rewrites import ALL, parts_of
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    FLAT,
    STACK,
    array,
    constant,
    count,
    either,
    floats,
    rank,
    scalar,
    vector,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Condition,
    Table,
    computed,
    operands,
    rewrite,
)
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import stopped
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    unappend,
    uncolumn_stack,
    unconcatenate,
    ungetitem,
    unhstack,
    unvstack,
)


def _joined(ranks: Container[int | None]) -> Condition:
    """The arrays that were joined are known and of one rank, one of these."""

    def holds(r: Rewriter, bound: Bound) -> bool:
        parts = parts_of(r, bound["arrays"])
        found = {fact(p).rank for p in parts or ()}
        return len(found) == 1 and found.pop() in ranks

    return holds


def _is_square(r: Rewriter, bound: Bound) -> bool:
    """The operand is a matrix of as many rows as columns."""
    shape = fact(bound["x"]).shape
    if not isinstance(shape, tuple) or len(shape) != 2:
        return False
    return r.assumed.same_shapes(shape[:1], shape[1:])


def _is_all(axis: object) -> bool:
    """Whether the axis is that of a vector."""
    return axis in (None, 0, -1) and axis is not False


@dataclass(frozen=True, slots=True)
class Joined:
    """What was joined along an axis. Of a part with an axis less there is one."""

    dy: Atom
    parts: tuple[Atom, ...]
    axis: int
    rank: int

    def is_single(self, k: int) -> bool:
        """Whether part k is one item of the whole along the axis."""
        return _rank(self.parts[k]) == self.rank - 1

    def length(self, r: Rewriter, k: int) -> Atom | None:
        """How long part k is along the axis; None where that is unknown."""
        x = self.parts[k]
        known = fact(x)
        if self.is_single(k):
            return Const(1)
        if known.items is not None:
            return Const(len(known.items)) if self.axis == 0 else None
        if known.kind != "array" or not isinstance(known.shape, tuple):
            return None
        dim = known.shape[self.axis]
        if dim is not None and stopped(dim.base) is not None:
            dim = r.assumed.uncut(dim)
        if dim is not None and not dim.base:
            return Const(dim.offset)
        x = r.shaped_like(r.shaped_like(x))
        if self.axis == 0:
            return r.apply(len, x)
        return r.apply(operator.getitem, r.attribute("shape", x), Const(self.axis))


def item(r: Rewriter, op: Apply) -> Atom | None:
    """An item of the adjoints of what was joined: a part of the whole."""
    joins = unconcatenate, unappend, unhstack, unvstack, uncolumn_stack
    maker = r.maker(op.args[0], *joins)
    key = op.args[1]
    if maker is None or not isinstance(key, Const) or type(key.value) is not int:
        return None
    joined = _as_joined(r, maker)
    if joined is None:
        return None
    lengths = [joined.length(r, k) for k in range(len(joined.parts))]
    known = tuple(n for n in lengths if n is not None)
    k = key.value
    if len(known) < len(lengths) or not 0 <= k < len(known):
        return None
    start, stop = _position(r, known, k), _position(r, known, k + 1)
    before = (ALL,) * joined.axis
    if joined.is_single(k):
        index = Const(0) if start == Const(None) else start
        if joined.axis and isinstance(index, Const):
            index = Const((ALL, index.value))
        elif joined.axis:
            index = r.apply(build_tuple, Const(ALL), index, form="build")
        return r.apply(operator.getitem, joined.dy, index)
    part = r.apply(operator.getitem, joined.dy, _index(r, before, start, stop))
    shape = fact(joined.parts[k]).shape
    made = r.known_as(part, array_fact(fact(joined.dy).dtype, shape))
    if isinstance(made, Var):
        r.shaped[made.name] = joined.parts[k]
    return made


def item_of_part(r: Rewriter, op: Apply) -> Atom | None:
    """`dy[-2:][1]`, where two numbers in a list were joined to others: `dy[-1]`."""
    part, key = op.args
    made = r.maker(part, operator.getitem)
    joined = r.shaped.get(part.name) if isinstance(part, Var) else None
    count = len(fact(joined).items or ()) if joined is not None else 0
    if made is None or not isinstance(key, Const) or not isinstance(key.value, int):
        return None
    index = made.args[1].value if isinstance(made.args[1], Const) else None
    if not isinstance(index, slice) or key.value not in range(count):
        return None
    at = (index.start or 0) + key.value
    return r.apply(operator.getitem, made.args[0], Const(at))


def in_part(r: Rewriter, op: Apply) -> Atom | None:
    """`dy[:-1] + ungetitem(d, y, -1)`, where y is as long as the first: y is read for
    its shape alone, and that first has it too."""
    for part, other in (op.args, op.args[::-1]):
        x = r.shaped.get(part.name) if isinstance(part, Var) else None
        if x is not None and x != part and (placed := _placed(r, part, other, x)):
            return placed
    return None


def placed_last(r: Rewriter, op: Apply) -> Atom | None:
    """`x + (d - ungetitem(e, x, index))` adds d, and then takes e off `x[index]`."""
    for x, added in (op.args, op.args[::-1]):
        total = r.inner(added, ADD, SUB)
        if total is None or not isinstance(x, Var) or not x.hint:
            continue
        first, last = total.args
        if r.inner(last, ungetitem) and not r.inner(first, ungetitem):
            return r.apply(total.fn, r.called(r.apply(ADD, x, first), x.hint), last)
    return None


def of_part(r: Rewriter, op: Apply) -> Atom | None:
    """What goes to parts of `x[3:]`, and from there to x, goes to parts of x:
    `ungetitem(ungetitem(d, x[3:], slice(1, -1)), x, slice(3, None))` to `x[4:-1]`."""
    d, x, index = op.args
    return _of_part(r, d, x, index) if isinstance(index, Const) else None


def _of_part(r: Rewriter, d: Atom, x: Atom, index: Const) -> Atom | None:
    total = r.inner(d, ADD, SUB)
    if total is not None:
        terms = [_of_part(r, term, x, index) for term in total.args]
        whole = [term for term in terms if term is not None]
        return r.apply(total.fn, *whole) if len(whole) == len(terms) else None
    made = r.inner(d, ungetitem)
    part = r.maker_of(made.args[1]) if made is not None else None
    if made is None or part is None or part.fn is not operator.getitem:
        return None
    inner = made.args[2]
    if part.args != (x, index) or not isinstance(inner, Const):
        return None
    both = _slice_of_slice(index.value, inner.value)
    return None if both is None else r.apply(ungetitem, made.args[0], x, Const(both))


def _slice_of_slice(outer: object, inner: object) -> slice | None:
    """The slice that takes of an array of any length what one takes of what another
    takes, both from a place counted from the start to one counted from the end.

    >>> (
    ...     _slice_of_slice(slice(3, None), slice(1, -1)),
    ...     _slice_of_slice(slice(3), slice(1)),
    ... )
    (slice(4, -1, None), None)
    """
    start = stop = 0
    for each in (outer, inner):
        if not isinstance(each, slice) or each.step is not None:
            return None
        ends = (each.start or 0, each.stop if each.stop is not None else 0)
        if each.stop == 0 or ends[0] < 0 or ends[1] > 0:
            return None
        start, stop = start + ends[0], stop + ends[1]
    return slice(start or None, stop or None)


def _placed(r: Rewriter, part: Atom, d: Atom, x: Atom) -> Atom | None:
    """A part, to which is added what goes back through indices of x."""
    made = r.inner(d, ungetitem)
    if made is not None and made.args[1] == x:
        at = r.apply(ungetitem, made.args[0], part, made.args[2])
        total = r.apply(ADD, part, at)
        if isinstance(total, Var):
            r.shaped[total.name] = x
        return total
    total_of = r.inner(d, ADD)
    if total_of is None:
        return None
    first = _placed(r, part, total_of.args[0], x)
    return None if first is None else _placed(r, first, total_of.args[1], x)


def _as_joined(r: Rewriter, maker: Apply) -> Joined | None:
    """What was joined, where it is known along which axis."""
    given = operands(maker)
    dy = given["dy"]
    rank = fact(dy).rank
    if maker.fn is unappend:
        parts: tuple[Atom, ...] | None = (given["x"], given["values"])
    else:
        parts = parts_of(r, given["arrays"])
    if not rank or parts is None:
        return None
    ranks = [_rank(p) for p in parts]
    axis: Atom = given.get("axis", Const(None))
    if maker.fn is uncolumn_stack:
        return Joined(dy, parts, 1, rank) if {*ranks} <= {1, 2} and rank == 2 else None
    if maker.fn is unconcatenate or axis != Const(None):
        if not isinstance(axis, Const) or type(axis.value) is not int:
            return None
        fits = set(ranks) == {rank}
        return Joined(dy, parts, axis.value % rank, rank) if fits else None
    # np.append and np.hstack of vectors take numbers, np.vstack of matrices rows
    fits = set(ranks) <= {rank, rank - 1} and rank == (2 if maker.fn is unvstack else 1)
    return Joined(dy, parts, 0, rank) if fits and rank in ranks else None


def _rank(part: Atom) -> int | None:
    """How many axes a part has: a list of numbers has one."""
    known = fact(part)
    if known.kind not in ("list", "tuple") or not known.items:
        return known.rank
    return 1 if all(f.is_scalar for f in known.items) else None


def _position(r: Rewriter, lengths: tuple[Atom, ...], k: int) -> Atom:
    """Where part k begins: counted from the end, if that is known and the front is
    not; None at either end."""
    if k in (0, len(lengths)):
        return Const(None)
    before, after = _total(lengths[:k]), _total(lengths[k:])
    if before is not None:
        return Const(before)
    return Const(-after) if after else _sum(r, lengths[:k])


def _total(lengths: tuple[Atom, ...]) -> int | None:
    """The sum of lengths, if they are numbers."""
    values = [n.value for n in lengths if isinstance(n, Const)]
    whole = [v for v in values if isinstance(v, int)]
    return sum(whole) if len(whole) == len(lengths) else None


def _sum(r: Rewriter, lengths: tuple[Atom, ...]) -> Atom:
    total = lengths[0]
    for n in lengths[1:]:
        total = r.apply(ADD, total, n)
    return total


def _index(r: Rewriter, before: tuple[slice, ...], start: Atom, stop: Atom) -> Atom:
    if isinstance(start, Const) and isinstance(stop, Const):
        part = slice(start.value, stop.value)
        return Const((*before, part)) if before else Const(part)
    cut = r.apply(build_slice, start, stop, Const(None), form="build")
    if not before:
        return cut
    return r.apply(build_tuple, *(Const(s) for s in before), cut, form="build")


def size_of_rows(r: Rewriter, op: Apply) -> Atom | None:
    """The size of a vector that has no name, as the length of an array that it is made
    of and that has one: len(e) for the size of np.sum(e**2, axis=1)."""
    waiting, dims = [op.args[0]], fact(op.args[0]).shape
    if not isinstance(dims, tuple) or len(dims) != 1 or dims[0] is None:
        return None
    while waiting:
        x = waiting.pop(0)
        made = r.forward.get(x.name) if isinstance(x, Var) else None
        if made is None:  # an argument, or an array that a loop may write into
            continue
        if isinstance(x, Var) and x.hint is not None:
            shape = fact(x).shape
            if (
                x == op.args[0]
                or fact(x).kind != "array"
                or not isinstance(shape, tuple)
            ):
                continue
            if dims[0] == shape[0]:
                return r.apply(len, x)
        else:
            waiting += [a for a in made.args if isinstance(a, Var)]
    return None


def _widened(_: Rewriter, bound: Bound) -> bool:
    """Bind the `index` that gives an array one more axis, in front of the axis k or of
    the last."""
    k, before = bound["k"], fact(bound["x"]).rank
    if before is None or not isinstance(k, Const) or type(k.value) is not int:
        return False
    if not 0 <= k.value <= before:
        return False
    whole = (slice(None),) * k.value
    rest = (slice(None),) * (before - k.value)
    bound["index"] = Const((*whole, None, *rest) if whole else None)
    return True


TABLE: Table = (
    computed(of_part, ungetitem),
    rewrite("untile(d, x, n)", "d.reshape(n, -1).sum(axis=0)", vector("x"), count("n")),
    rewrite(
        "unrepeat(d, x, n, axis)", "d.reshape(-1, n).sum(axis=1)",
        vector("x"), count("n"), constant(_is_all, "axis"),
    ),
    rewrite("unpad(d, x, n)", "d[n:-n]", rank(x=1), count("n")),
    rewrite("unpad(d, x, n)", "d[n:-n, n:-n]", rank(x=2), count("n")),
    rewrite("unpad(d, x, n)", "d[n:-n, n:-n, n:-n]", rank(x=3), count("n")),
    rewrite("np.expand_dims(x, k)", "x[index]", array("x"), _widened),
    computed(size_of_rows, np.size),
    computed(item, operator.getitem),
    computed(item_of_part, operator.getitem),
    computed(in_part, ADD),
    computed(placed_last, ADD),
    rewrite("np.reshape(-x, shape)", "-np.reshape(x, shape)", array("x")),
    rewrite("np.flip(x, None)", "np.flip(x)"),
    rewrite("np.flip(-x)", "-np.flip(x)", array("x")),
    rewrite("np.flip(x)", "x[::-1]", vector("x")),
    rewrite("np.flip(-x, axis)", "-np.flip(x, axis)", array("x")),
    rewrite("np.cumsum(-x)", "-np.cumsum(x)", array("x")),
    rewrite("np.cumsum(-x, axis=k)", "-np.cumsum(x, axis=k)", array("x")),
    rewrite("np.roll(x, n, None)", "np.roll(x, n)"),
    rewrite("np.roll(-x, n)", "-np.roll(x, n)", array("x")),
    rewrite("np.roll(-x, n, axis)", "-np.roll(x, n, axis)", array("x")),
    rewrite("unvstack(d, arrays)", "unstack(d, arrays, 0)", _joined((1,))),
    rewrite("unvstack(d, arrays)", "unconcatenate(d, arrays, 0)", _joined(STACK)),
    rewrite("unhstack(d, arrays)", "unconcatenate(d, arrays, 0)", _joined((1,))),
    rewrite("unhstack(d, arrays)", "unconcatenate(d, arrays, 1)", _joined(STACK)),
    rewrite("uncolumn_stack(d, arrays)", "unstack(d, arrays, 1)", _joined((1,))),
    rewrite("uncolumn_stack(d, arrays)", "unconcatenate(d, arrays, 1)", _joined(STACK)),
    rewrite("undiag(d, x)", "np.diag(d)", either(vector("x"), _is_square)),
    rewrite("undiag(d, x)", "undiagonal(d, x)", rank(x=2)),
    rewrite("undiagonal(d, x)", "np.diag(d)", _is_square),
    rewrite("undiag(d, x, k)", "np.diag(d, k)", vector("x"), constant(bool, "k")),
    rewrite("untrace(d, x)", "d * np.eye(len(x))", _is_square, scalar("d")),
    rewrite(
        "untrace(d, x)", "d * np.eye(x.shape[0], x.shape[1])", rank(x=2), scalar("d")
    ),
    rewrite(
        "unnorm(d, x, y, 1)", "d * np.sign(x)", vector("x"), floats("x"), scalar("d")
    ),
    rewrite(
        "untensordot_left(d, u, v, 1)", "unmatmul_left(d, u, v)", rank(u=FLAT, v=FLAT)
    ),
    rewrite(
        "untensordot_right(d, u, v, 1)", "unmatmul_right(d, u, v)", rank(u=FLAT, v=FLAT)
    ),
)  # fmt: skip
