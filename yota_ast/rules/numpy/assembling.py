"""Arrays assembled from others, thinned out, and made by grids and scales."""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.creations import array_fact_of
from yota_ast.rules.inference.grids import (
    all_broadcast,
    at_least_each,
    grids,
    linspace_step_fact,
    open_mesh,
    rank_of_one,
    resized,
    unstacked,
)
from yota_ast.rules.inference.subscripts import compressed, taken
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    held,
    reshaped_each,
    unblock,
    unbroadcast_each,
    uncast_array,
    unchoose,
    undelete,
    ungeomspace,
    uninsert,
    unlinspace_with,
    unlogspace,
    unmeshgrid,
    unresize,
    untake,
    untrim,
    within,
    without_dtype,
)

# ---------------------------------------------------------------- several at once


@rule(alias="maybe", jointly=["arrays"], complex="written", fact=all_broadcast)
def broadcast_arrays(*arrays, dy):
    y = np.broadcast_arrays(*arrays)
    darrays = unbroadcast_each(dy, arrays)


@rule(refused={"sequences": "it is for arrays, not lists"}, fact=open_mesh)
def ix_of_lists(*sequences: object):
    y = np.ix_(*sequences)


@rule(alias="maybe", jointly=["sequences"], complex="written", fact=open_mesh)
def ix_(*sequences, dy):
    """Of floats an open mesh."""
    y = np.ix_(*sequences)
    dsequences = reshaped_each(dy, sequences)


@rule(
    jointly=["first", "second", "more"],
    complex="written",
    fact=at_least_each(1),
)
def atleast_1d_each(first, second, *more, dy):
    y = np.atleast_1d(first, second, *more)
    dfirst = np.reshape(dy[0], np.shape(first))
    dsecond = np.reshape(dy[1], np.shape(second))
    dmore = reshaped_each(dy[2:], more)


@rule(
    jointly=["first", "second", "more"],
    complex="written",
    fact=at_least_each(2),
)
def atleast_2d_each(first, second, *more, dy):
    y = np.atleast_2d(first, second, *more)
    dfirst = np.reshape(dy[0], np.shape(first))
    dsecond = np.reshape(dy[1], np.shape(second))
    dmore = reshaped_each(dy[2:], more)


@rule(
    jointly=["first", "second", "more"],
    complex="written",
    fact=at_least_each(3),
)
def atleast_3d_each(first, second, *more, dy):
    y = np.atleast_3d(first, second, *more)
    dfirst = np.reshape(dy[0], np.shape(first))
    dsecond = np.reshape(dy[1], np.shape(second))
    dmore = reshaped_each(dy[2:], more)


@rule(
    alias="maybe",
    jointly=["arrays"],
    complex="written",
    only={"indexing": ("xy", "ij")},
    fact=grids,
)
def meshgrid_of_views(*arrays, copy=True, sparse=False, indexing="xy", dy):
    y = np.meshgrid(*arrays, copy=copy, sparse=sparse, indexing=indexing)
    darrays = unmeshgrid(dy, arrays, indexing)


@rule(
    jointly=["arrays"],
    complex="written",
    only={"copy": (True,), "indexing": ("xy", "ij")},
    fact=grids,
)
def meshgrid(*arrays, copy=True, sparse=False, indexing="xy", dy):
    y = np.meshgrid(*arrays, copy=copy, sparse=sparse, indexing=indexing)
    darrays = unmeshgrid(dy, arrays, indexing=indexing)


@rule(alias="maybe", zero=["axis"], linear=["x"], complex="written", fact=unstacked)
def unstack(x, *, axis=0, dy):
    y = np.unstack(x, axis=axis)
    dx = np.stack(dy, axis)


@rule(jointly=["arrays"], sequences=["arrays"], complex="written")
def block(arrays, *, dy):
    y = np.block(arrays)
    darrays = unblock(dy, arrays)


# ---------------------------------------------------------------- more or fewer


@rule(zero=["places"], linear=["x"], complex="written", fact=rank_of_one)
def delete(x, places, axis=None, *, dy):
    y = np.delete(x, places, axis)
    dx = undelete(dy, x, places, axis)


@rule(zero=["places"], jointly=["x", "values"], complex="written", fact=rank_of_one)
def insert(x, places, values, axis=None, *, dy):
    y = np.insert(x, places, values, axis)
    both = uninsert(dy, x, places, values, axis)
    dx = both[0]
    dvalues = held(both[1], y, values)


@rule(alias="maybe", zero=["new_shape"], linear=["x"], complex="written", fact=resized)
def resize(x, new_shape, *, dy):
    y = np.resize(x, new_shape)
    dx = unresize(dy, x)


@rule(alias="maybe", zero=["axis"], complex="written")
def trim_zeros(x, trim="fb", axis=None, *, dy):
    y = np.trim_zeros(x, trim, axis)
    dx = untrim(dy, x, trim, axis)


# ---------------------------------------------------------------- chosen


@rule(zero=["index"], jointly=["choices"], sequences=["choices"], complex="written")
def choose(index, choices, *, mode="raise", dy):
    y = np.choose(index, choices, mode=mode)
    dchoices = unchoose(dy, index, choices, mode=mode)


@rule(zero=["indices", "axis", "mode"], linear=["x"], complex="written", fact=taken)
def take_within(x, indices, axis=None, *, mode, dy):
    y = np.take(x, indices, axis, mode=mode)
    dx = untake(dy, x, within(indices, x, axis, mode), axis)


@rule(zero=["condition"], linear=["x"], complex="written", fact=compressed)
def compress_method(x: np.ndarray | np.generic, condition, axis=None, *, dy):
    y = x.compress(condition, axis)
    dx = untake(dy, x, np.flatnonzero(condition), axis)


# ---------------------------------------------------------------- from lists


@rule(sequences=["x"], alias="maybe", complex="written", fact=array_fact_of)
def require(x, dtype=None, requirements=None, *, dy):
    y = np.require(x, dtype, requirements)
    dx = uncast_array(dy, x, dtype)


@rule(
    zero=["dtype", "count"],
    sequences=["x"],
    complex="written",
    fact=array_fact_of,
)
def fromiter(x, dtype, count=-1, *, dy):
    y = np.fromiter(x, dtype, count)
    dx = uncast_array(dy, x, dtype)


# ---------------------------------------------------------------- scales


@rule(zero=["num", "axis"], complex="written")
def linspace_along(start, stop, num=50, endpoint=True, *, dtype=None, axis=0, dy):
    y = np.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    d = without_dtype(dy, dtype)
    parts = unlinspace_with(d, None, start, stop, num, endpoint, axis)
    dstart = parts[0]
    dstop = parts[1]


@rule(zero=["num", "axis"], only={"retstep": (True,)}, fact=linspace_step_fact)
def linspace_and_step(
    start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, dy
):
    y = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)
    d = without_dtype(dy[0], dtype)
    parts = unlinspace_with(d, dy[1], start, stop, num, endpoint, axis)
    dstart = parts[0]
    dstop = parts[1]


@rule(zero=["num", "axis"])
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, dy):
    y = np.logspace(start, stop, num, endpoint, base, dtype, axis)
    d = without_dtype(dy, dtype)
    parts = unlogspace(d, y, start, stop, num, endpoint, base, axis)
    dstart = parts[0]
    dstop = parts[1]
    dbase = parts[2]


@rule(zero=["num", "axis"])
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, dy):
    y = np.geomspace(start, stop, num, endpoint, dtype, axis)
    parts = ungeomspace(without_dtype(dy, dtype), y, start, stop, num, endpoint, axis)
    dstart = parts[0]
    dstop = parts[1]
