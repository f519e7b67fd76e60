"""Rewrites of the adjoints of differences and of Fourier transforms, where ranks and
lengths are known.

The adjoint of x in `np.diff(x)` is added to `x[1:]` and taken off `x[:-1]`; with
something before or after x, its first or its last element has both.

The adjoint of u in `np.trapezoid(u, x)` is half of each step, added to `u[1:]` and to
`u[:-1]`.

The adjoint of a transform is the inverse one with the other scaling: that of x in
`np.fft.fft2(x)` is `np.fft.ifft2(dy, norm="forward")`, if x was neither cut nor padded.
Half of the spectrum of real numbers stands for the whole. Its inner frequencies count
twice, and half where they go back:

    t = (x.shape[0] + 1) // 2
    dy[1:t] -= 0.5 * dy[1:t]
    dx = np.fft.irfft(dy, x.shape[0], norm="forward")
"""

from __future__ import annotations

import math
import operator
from typing import Final

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import ADD, DIV, MUL, NEG, SUB
from yota_ast.adjoint.rewrites.helper_rewrites import parts_of
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    SOME,
    array,
    axes_at,
    complex_,
    floats,
    rank,
    same_shape,
    vector,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Table,
    computed,
    operands,
    rewrite,
)
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import is_natural, total
from yota_ast.ir.builder import Kwargs
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.facts.lengths_that_fit import is_one_of
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    opposite,
    unbroadcast,
    undiff,
    undiff_between,
    ungetitem,
    ungradient,
    unirfft,
    unirfftn,
    unrfft,
    unrfftn,
    untrapezoid,
)

ALL: Final = Const(slice(None))
NONE: Final = Const(None)


def _bound(op: Apply) -> Bound:
    """The operands of a helper by name, the lengths that are taken by that name."""
    given = {str(k): a for k, a in operands(op).items()}
    return given | {"taken": given.get("n", given.get("s", NONE)), "d": given["dy"]}


def _how(bound: Bound) -> Kwargs | None:
    """The settings of the inverse transform: the other scaling, and the axes where they
    are not its own; None where they are not known, or where there are none."""
    norm, places = bound["norm"], _places(bound)
    if not isinstance(norm, Const) or norm.is_live or not places:
        return None
    scaling = opposite(norm.value)
    how = () if scaling == "backward" else (("norm", Const(scaling)),)
    given, ndim = ("axis" if "axis" in bound else "axes"), fact(bound["x"]).rank or 0
    own = (ndim - 1,) if given == "axis" else tuple(range(ndim))
    return how if places == own else ((given, bound[given]), *how)


def _places(bound: Bound) -> tuple[int, ...] | None:
    """The axes of a transform that takes them as long as they are, each from 0."""
    ndim = fact(bound["x"]).rank or 0
    if bound.get("taken", NONE) != NONE:
        return None
    if bound.get("axes") == NONE:
        return tuple(range(ndim))
    places = axes_at(bound["axis"] if "axis" in bound else bound["axes"], ndim)
    return places if places is not None and len(set(places)) == len(places) else None


def _of_plane(bound: Bound) -> bool:
    """Whether a transform along several axes is `fft2`, or one like it."""
    ndim = fact(bound["x"]).rank or 0
    return bound["axes"] != NONE and _places(bound) == (ndim - 2, ndim - 1)


def _known(_: Rewriter, bound: Bound) -> bool:
    """Bind the settings of the inverse transform."""
    bound["how"] = _how(bound)
    return bound["how"] is not None


def _along_last_two(_: Rewriter, bound: Bound) -> bool:
    """Bind the settings of a transform along the last two axes."""
    how = _how(bound) if _of_plane(bound) else None
    bound["how"] = tuple((k, v) for k, v in how or () if k == "norm")
    return how is not None


_DIFFERENCES: Final = (1, 2)


def of_differences(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `np.diff(x)`: what is added to `x[1:]`, and taken off
    `x[:-1]`; of the n-th difference the same with binomials."""
    given = operands(op)
    d, x, n, axis = (given[k] for k in ("dy", "x", "n", "axis"))
    rank = fact(x).rank
    if not rank or not isinstance(n, Const) or not isinstance(axis, Const):
        return None
    count, at = n.value, axis.value
    if count not in _DIFFERENCES or not isinstance(count, int):
        return None
    if not isinstance(at, int):
        return None
    whole: Atom | None = None
    for k in range(count + 1):
        part = slice(count - k or None, -k or None)
        times = r.apply(MUL, Const(math.comb(count, k)), d)
        spread = r.apply(ungetitem, times, x, _along(at % rank, part))
        step = SUB if k % 2 else ADD
        whole = spread if whole is None else r.apply(step, whole, spread)
    return whole


def of_part(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `np.diff(x, append=e)`, or that of e, and their like."""
    made, key = r.maker(op.args[0], undiff_between), op.args[1]
    if made is None or not isinstance(key, Const) or key.value not in _PARTS:
        return None
    given = operands(made)
    d, x = given["dy"], given["x"]
    axes, ends = axes_at(given["axis"], fact(x).rank), (given["before"], given["after"])
    part = (x, *ends)[_PARTS.index(key.value)]
    if given["n"] != Const(1) or not axes or fact(d).rank != fact(x).rank:
        return None
    before, after = (_end_length(end, x, axes[0]) for end in ends)
    if before is None or after is None or fact(x).kind != "array":
        return None
    plus, minus = _shares(_PARTS.index(key.value), before, after)
    total = _share(r, d, part, axes[0], plus)
    taken = _share(r, d, part, axes[0], minus)
    if r.inner(total, ungetitem):  # what a place gets comes last: it is added there
        found = r.plain(ADD, r.apply(NEG, taken), total)
    else:
        found = r.apply(SUB, total, taken)
    if fact(part).is_scalar:
        return r.apply(unbroadcast, found, part)
    return r.known_as(found, array_fact(fact(d).dtype, fact(part).shape))


_PARTS: Final = (0, 1, 2)
_Share = tuple[slice, slice | None] | None
"""Which of the differences reach which elements; None: none."""


def _shares(part: int, before: int, after: int) -> tuple[_Share, _Share]:
    """What is added to an array among others, and what is taken off it: of which
    differences each of its elements is the end, and of which the start."""
    first, last = slice(1, None), slice(None, -1)
    if part == 0:
        ended = slice(before - 1 if before > 1 else None, -after or None)
        started = slice(before or None, 1 - after if after > 1 else None)
        return (ended, None if before else first), (started, None if after else last)
    if part == 1:
        ends = (slice(None, before - 1), first) if before > 1 else None
        return ends, (slice(None, before), None)
    starts = (slice(1 - after, None), last) if after > 1 else None
    return (slice(-after, None), None), starts


def _share(r: Rewriter, d: Atom, part: Atom, axis: int, share: _Share) -> Atom:
    """The differences that reach a part, where they do."""
    if share is None:
        return Const(0)
    source, place = share
    if source != slice(None):
        d = r.apply(operator.getitem, d, _along(axis, source))
    return d if place is None else r.apply(ungetitem, d, part, _along(axis, place))


def _along(axis: int, part: slice) -> Const:
    """The index of a part along an axis."""
    return Const((*(slice(None),) * axis, part)) if axis else Const(part)


def _end_length(end: Atom, x: Atom, axis: int) -> int | None:
    """How long along an axis is what stands before or after an array. None of what may
    stand there where the array is empty: there are no differences then."""
    if end == NONE:
        return 0
    if fact(end).is_scalar:
        return 1
    shape, whole = fact(end).shape, fact(x).shape
    if not isinstance(shape, tuple) or not isinstance(whole, tuple):
        return None
    return 1 if is_one_of(shape[axis], whole[axis]) else None


# ---------------------------------------------------------------- gradients


def of_gradient(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of f in `np.gradient(f, h)` for a number h: a difference is half that
    of two steps, and at both ends that of one."""
    given = operands(op)
    dy, f, spacing = (given[k] for k in ("dy", "f", "spacing"))
    rank, step = fact(f).rank, _number_of(r, spacing)
    places = range(rank or 0) if given["axis"] == NONE else axes_at(given["axis"], rank)
    if (
        step is None
        or not places
        or fact(f).kind != "array"
        or given["order"] != Const(1)
    ):
        return None
    ds = (dy,) if fact(dy).kind == "array" else parts_of(r, dy)
    if ds is None or len(ds) != len(places) or not all(_is_like(d, f) for d in ds):
        return None
    whole: Atom | None = None
    for d, at in zip(ds, places, strict=True):
        each = _of_steps(r, d, f, step, at)
        whole = each if whole is None else r.apply(ADD, whole, each)
    return whole


def _number_of(r: Rewriter, spacing: Atom) -> Atom | None:
    """The one number, of Python's, that all points are apart; 1 if it is not given."""
    steps = parts_of(r, spacing)
    if isinstance(spacing, Const) and isinstance(spacing.value, tuple):
        steps = None if spacing.text else tuple(Const(n) for n in spacing.value)
    if steps is None or len(steps) > 1:
        return None
    return (steps[0] if fact(steps[0]).is_python else None) if steps else Const(1)


def _is_like(d: Atom, f: Atom) -> bool:
    """Whether a cotangent has the type of an array of floats, and as many axes."""
    alike = fact(d).kind == "array" and fact(d).rank == fact(f).rank
    types = {fact(d).dtype, fact(f).dtype}
    return alike and len(types) == 1 and all(t and t.kind == "f" for t in types)


def _of_steps(r: Rewriter, d: Atom, f: Atom, step: Atom, at: int) -> Atom:
    """What the differences along one axis give, those at both ends twice: to the point
    behind, and off the point before."""
    first, inner, last = (_part(r, d, at, part) for part in _ENDS)
    ends = (r.apply(MUL, Const(2), end) for end in (first, last))
    twice = _in_a_row(r, (next(ends), inner, next(ends)), at)
    first, _, last = (_part(r, twice, at, part) for part in _ENDS)
    before, behind = (_part(r, twice, at, part) for part in _ALL_BUT_ONE)
    added = _in_a_row(r, (r.apply(NEG, first), before), at)
    taken = _in_a_row(r, (behind, r.apply(NEG, last)), at)
    change = r.known_as(r.apply(SUB, added, taken), fact(f))
    half = Const(0.5)
    return r.apply(MUL, half if step == Const(1) else r.apply(DIV, half, step), change)


def _part(r: Rewriter, d: Atom, at: int, part: slice) -> Atom:
    return r.apply(operator.getitem, d, _along(at, part))


def _in_a_row(r: Rewriter, parts: tuple[Atom, ...], at: int) -> Atom:
    """Parts one after another along an axis."""
    axis = () if at == 0 else (("axis", Const(at)),)
    return r.apply(
        np.concatenate, r.apply(build_tuple, *parts, form="build"), kwargs=axis
    )


_ALL_BUT_ONE: Final = (slice(None, -1), slice(1, None))
_ENDS: Final = (slice(None, 1), slice(1, -1), slice(-1, None))


# ---------------------------------------------------------------- trapezoids


def of_trapezoid(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoints of `trapezoid`: half of each step goes to the samples on both of its
    sides."""
    made = r.maker_of(op.args[0])
    if made is None or made.fn is not untrapezoid or not isinstance(op.args[1], Const):
        return None
    given = operands(made)
    d, u, x, h, axis = (given[k] for k in ("dy", "u", "x", "h", "axis"))
    rank = fact(u).rank if fact(u).kind == "array" else None
    points = x != NONE
    if not rank or not isinstance(axis, Const) or axis.value not in (-1, rank - 1):
        return None
    if fact(d).rank != rank - 1 or (points and fact(x).rank != 1):
        return None
    half = r.apply(MUL, Const(0.5), d)
    ends = [_along(rank - 1, slice(1, None)), _along(rank - 1, slice(None, -1))]
    if op.args[1] == Const(0):
        if rank > 1:
            half = r.apply(np.expand_dims, half, Const(-1))
        each = r.apply(MUL, half, r.apply(np.diff, x) if points else h)
        return r.apply(ADD, *(r.apply(ungetitem, each, u, at) for at in ends))
    if rank > 1 + points or points != (op.args[1] == Const(1)):
        return None
    sums = r.apply(ADD, *(r.apply(operator.getitem, u, at) for at in ends))
    if not points:
        number = fact(h).is_scalar
        return r.apply(MUL, half, r.apply(np.sum, sums)) if number else None
    each = r.apply(MUL if rank == 1 else operator.matmul, half, sums)
    points_after, points_before = _along(0, slice(1, None)), _along(0, slice(None, -1))
    after = r.apply(ungetitem, each, x, points_after)
    return r.apply(SUB, after, r.apply(ungetitem, each, x, points_before))


# ---------------------------------------------------------------- real signals


def of_half_spectrum(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `np.fft.rfft(x)` and its like."""
    bound = _bound(op)
    how, places = _how(bound), _places(bound)
    if how is None or not places or not floats("x")(r, bound):
        return None
    x = r.shaped_like(bound["x"])
    halved = _with_inner(r, bound["d"], x, places[-1], Const(-0.5))
    sizes = tuple(_length(r, x, k) for k in places)
    if op.fn is unrfft:
        return r.apply(np.fft.irfft, halved, *sizes, kwargs=how)
    if places == tuple(range(fact(x).rank or 0)):
        size = r.attribute("shape", x)
    else:
        size = r.apply(build_tuple, *sizes, form="build")
    return _of_several(r, bound, np.fft.irfft2, np.fft.irfftn, (halved, size))


def of_real_signal(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of x in `np.fft.irfft(x)` and its like."""
    bound = _bound(op)
    how, places = _how(bound), _places(bound)
    if how is None or not places or not complex_("x")(r, bound):
        return None
    dy = bound["d"]
    if op.fn is unirfftn:
        d = _of_several(r, bound, np.fft.rfft2, np.fft.rfftn, (dy,))
    else:
        d = r.apply(np.fft.rfft, dy, kwargs=how)
        if not r.assumed.same_shape(d, bound["x"]):
            return None
    return _with_inner(r, d, r.shaped_like(dy), places[-1], Const(1))


def _of_several(
    r: Rewriter, bound: Bound, plane: Fn, other: Fn, args: tuple[Atom, ...]
) -> Atom:
    """A transform along the last two axes, or along several."""
    if _along_last_two(r, bound):
        return r.apply(plane, *args, kwargs=bound["how"])
    return r.apply(other, *args, kwargs=_how(bound) or ())


def _with_inner(r: Rewriter, d: Atom, signal: Atom, axis: int, times: Const) -> Atom:
    """Half of a spectrum, to which is added so many times what stands for two of the
    frequencies of the signal."""
    length = r.apply(ADD, _length(r, signal, axis), Const(1))
    stop = r.apply(operator.floordiv, length, Const(2))
    known = Fact("other", cls=slice)
    index = r.apply(build_slice, Const(1), stop, NONE, form="build", fact=known)
    if axis:
        index = r.apply(build_tuple, *(ALL,) * axis, index, form="build")
    inner = r.apply(MUL, times, r.apply(operator.getitem, d, index))
    return r.apply(ADD, d, r.apply(ungetitem, inner, d, index))


def _length(r: Rewriter, x: Atom, axis: int) -> Atom:
    """How long an axis is."""
    if fact(x).rank == 1:
        return r.apply(len, x)
    return r.apply(operator.getitem, r.attribute("shape", x), Const(axis))


def other_scaling(_: Rewriter, op: Apply) -> Atom | None:
    """The scaling that is the other of a literal."""
    norm = op.args[0]
    if not isinstance(norm, Const) or norm.is_live:
        return None
    return Const(opposite(norm.value))


def _is_whole_mode(r: Rewriter, bound: Bound) -> bool:
    """Whether a convolution has all of its elements."""
    return bool(bound["mode"] == Const("full"))


def _is_longer(r: Rewriter, bound: Bound) -> bool:
    """Whether a convolution has the elements that need no zeros, and u is no shorter
    than v, as in the example."""
    if bound["mode"] != Const("valid"):
        return False
    shapes = fact(bound["u"]).shape, fact(bound["v"]).shape
    n, m = (s[0] if isinstance(s, tuple) and s else None for s in shapes)
    if n is None or m is None:
        return False
    more = total([(n, 1), (m, -1)])
    if more is None or is_natural(more):
        return more is not None
    told = n.example and m.example and more.example is not None
    if not told or "@" in more.base:
        return False
    r.assumed.natural[more] = None
    return True


_VECTORS = (vector("d"), vector("u"), vector("v"), floats("d", "u", "v"))
_WHOLE = (array("x"), rank(x=SOME), same_shape("d", "x"))
TABLE: Table = (
    computed(of_differences, undiff),
    computed(of_part, operator.getitem),
    computed(of_trapezoid, operator.getitem),
    computed(other_scaling, opposite),
    rewrite("unfft(d, x, axis, norm)", "np.fft.ifft(d, **how)", *_WHOLE, _known),
    rewrite("unifft(d, x, axis, norm)", "np.fft.fft(d, **how)", *_WHOLE, _known),
    rewrite(
        "unfftn(d, x, taken, axes, norm)", "np.fft.ifft2(d, **how)",
        *_WHOLE, _along_last_two,
    ),
    rewrite(
        "unfftn(d, x, taken, axes, norm)", "np.fft.ifftn(d, **how)", *_WHOLE, _known
    ),
    rewrite(
        "unifftn(d, x, taken, axes, norm)", "np.fft.fft2(d, **how)",
        *_WHOLE, _along_last_two,
    ),
    rewrite(
        "unifftn(d, x, taken, axes, norm)", "np.fft.fftn(d, **how)", *_WHOLE, _known
    ),
    computed(of_gradient, ungradient),
    computed(of_half_spectrum, unrfft, unrfftn),
    computed(of_real_signal, unirfft, unirfftn),
    rewrite(
        "unconvolve_left(d, u, v, mode)", "np.correlate(d, v, 'valid')",
        *_VECTORS, _is_whole_mode,
    ),
    rewrite(
        "unconvolve_right(d, u, v, mode)", "np.correlate(d, u, 'valid')",
        *_VECTORS, _is_whole_mode,
    ),
    rewrite(
        "unconvolve_left(d, u, v, mode)", "np.correlate(d, v, 'full')",
        *_VECTORS, _is_longer,
    ),
    rewrite(
        "unconvolve_right(d, u, v, mode)", "np.correlate(u, d, 'valid')[::-1]",
        *_VECTORS, _is_longer,
    ),
    rewrite(
        "unpolyval(d, p, x)", "d @ np.vander(x, len(p))",
        vector("d"), vector("p"), vector("x"), floats("d", "p", "x"),
        same_shape("d", "x"),
    ),
    rewrite("np.fft.fftshift(d, None)", "np.fft.fftshift(d)"),
    rewrite("np.fft.ifftshift(d, None)", "np.fft.ifftshift(d)"),
)  # fmt: skip
