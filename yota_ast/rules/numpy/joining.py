"""Arrays put together, taken apart, repeated, turned and padded."""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.joins import (
    appended,
    column_stacked,
    concatenated,
    dstacked,
    hstacked,
    padded,
    parts_along,
    parts_fact,
    repeated_fact,
    same_shape,
    stacked,
    tiled,
    triangle,
    turned,
    turned_over,
    uneven_parts_fact,
    vstacked,
)
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    held,
    signed,
    unappend,
    unbroadcast,
    uncolumn_stack,
    unconcatenate,
    undstack,
    unhstack,
    unpad,
    unpad_picked,
    unpad_ramp,
    unpad_statistic,
    unpad_value,
    unrepeat,
    unstack,
    untile,
    unvstack,
    without_dtype,
)

# ---------------------------------------------------------------- together


@rule(
    zero=["axis", "dtype"],
    sequences=["arrays"],
    complex="written",
)
def concatenate_typed(arrays, axis=0, *, dtype, casting="same_kind", dy):
    y = np.concatenate(arrays, axis, dtype=dtype, casting=casting)
    darrays = unconcatenate(without_dtype(dy, dtype), arrays, axis)


@rule(
    zero=["axis", "dtype"],
    sequences=["arrays"],
    complex="written",
)
def stack_typed(arrays, axis=0, *, dtype, casting="same_kind", dy):
    y = np.stack(arrays, axis, dtype=dtype, casting=casting)
    darrays = unstack(without_dtype(dy, dtype), arrays, axis)


@rule(
    zero=["dtype"],
    sequences=["arrays"],
    complex="written",
)
def vstack_typed(arrays, *, dtype, casting="same_kind", dy):
    y = np.vstack(arrays, dtype=dtype, casting=casting)
    darrays = unvstack(without_dtype(dy, dtype), arrays)


@rule(
    zero=["dtype"],
    sequences=["arrays"],
    complex="written",
)
def hstack_typed(arrays, *, dtype, casting="same_kind", dy):
    y = np.hstack(arrays, dtype=dtype, casting=casting)
    darrays = unhstack(without_dtype(dy, dtype), arrays)


@rule(
    zero=["axis"],
    linear=["arrays"],
    sequences=["arrays"],
    complex="written",
    fact=concatenated,
)
def concatenate(arrays, axis=0, *, dy):
    y = np.concatenate(arrays, axis)
    darrays = unconcatenate(dy, arrays, axis)


@rule(
    zero=["axis"],
    linear=["arrays"],
    sequences=["arrays"],
    complex="written",
    fact=stacked,
)
def stack(arrays, axis=0, *, dy):
    y = np.stack(arrays, axis)
    darrays = unstack(dy, arrays, axis)


@rule(linear=["arrays"], sequences=["arrays"], complex="written", fact=vstacked)
def vstack(arrays, *, dy):
    y = np.vstack(arrays)
    darrays = unvstack(dy, arrays)


@rule(linear=["arrays"], sequences=["arrays"], complex="written", fact=hstacked)
def hstack(arrays, *, dy):
    y = np.hstack(arrays)
    darrays = unhstack(dy, arrays)


@rule(linear=["arrays"], sequences=["arrays"], complex="written", fact=dstacked)
def dstack(arrays, *, dy):
    y = np.dstack(arrays)
    darrays = undstack(dy, arrays)


@rule(linear=["arrays"], sequences=["arrays"], complex="written", fact=column_stacked)
def column_stack(arrays, *, dy):
    y = np.column_stack(arrays)
    darrays = uncolumn_stack(dy, arrays)


@rule(jointly=["x", "values"], complex="written", fact=appended)
def append(x, values, axis=None, *, dy):
    y = np.append(x, values, axis)
    parts = unappend(dy, x, values, axis)
    dx = parts[0]
    dvalues = parts[1]


# ---------------------------------------------------------------- apart


@rule(
    alias="maybe",
    zero=["sections", "axis"],
    linear=["x"],
    complex="written",
    fact=parts_fact,
)
def split(x, sections, axis=0, *, dy):
    y = np.split(x, sections, axis)
    dx = np.concatenate(dy, axis)


@rule(
    alias="maybe",
    zero=["sections", "axis"],
    linear=["x"],
    complex="written",
    fact=uneven_parts_fact,
)
def array_split(x, sections, axis=0, *, dy):
    y = np.array_split(x, sections, axis)
    dx = np.concatenate(dy, axis)


@rule(
    alias="maybe",
    zero=["sections"],
    linear=["x"],
    complex="written",
    fact=parts_along(0),
)
def vsplit(x, sections, *, dy):
    y = np.vsplit(x, sections)
    dx = np.concatenate(dy, 0)


@rule(
    alias="maybe",
    zero=["sections"],
    linear=["x"],
    complex="written",
    fact=parts_along(1),
)
def hsplit(x, sections, *, dy):
    y = np.hsplit(x, sections)
    dx = np.hstack(dy)


@rule(
    alias="maybe",
    zero=["sections"],
    linear=["x"],
    complex="written",
    fact=parts_along(2),
)
def dsplit(x, sections, *, dy):
    y = np.dsplit(x, sections)
    dx = np.concatenate(dy, 2)


# ---------------------------------------------------------------- repeated


@rule(zero=["reps"], linear=["x"], complex="written", fact=tiled)
def tile(x, reps, *, dy):
    y = np.tile(x, reps)
    dx = untile(dy, x, reps)


@rule(zero=["repeats"], linear=["x"], complex="written", fact=repeated_fact)
def repeat(x, repeats, axis=None, *, dy):
    y = np.repeat(x, repeats, axis)
    dx = unrepeat(dy, x, repeats, axis)


# ---------------------------------------------------------------- turned


@rule(linear=["x"], alias="view", complex="written", fact=turned_over)
def flip(x, axis=None, *, dy):
    y = np.flip(x, axis)
    dx = np.flip(dy, axis)


@rule(linear=["x"], alias="view", complex="written", fact=same_shape)
def fliplr(x, *, dy):
    y = np.fliplr(x)
    dx = np.fliplr(dy)


@rule(linear=["x"], alias="view", complex="written", fact=same_shape)
def flipud(x, *, dy):
    y = np.flipud(x)
    dx = np.flipud(dy)


@rule(alias="maybe", zero=["k", "axes"], linear=["x"], complex="written", fact=turned)
def rot90(x, k=1, axes=(0, 1), *, dy):
    y = np.rot90(x, k, axes)
    dx = np.rot90(dy, -signed(k), axes)


@rule(zero=["shift"], linear=["x"], complex="written", fact=same_shape)
def roll(x, shift, axis=None, *, dy):
    y = np.roll(x, shift, axis)
    dx = np.roll(dy, -signed(shift), axis)


@rule(zero=["shift"], linear=["x"], complex="written", fact=same_shape)
def roll_several(x, shift: list | tuple, axis=None, *, dy):
    y = np.roll(x, shift, axis)
    dx = np.roll(dy, np.negative(signed(shift)), axis)


@rule(zero=["k"], linear=["x"], complex="written", fact=triangle)
def tril(x, k=0, *, dy):
    y = np.tril(x, k)
    dx = unbroadcast(np.tril(dy, k), x)


@rule(zero=["k"], linear=["x"], complex="written", fact=triangle)
def triu(x, k=0, *, dy):
    y = np.triu(x, k)
    dx = unbroadcast(np.triu(dy, k), x)


# ---------------------------------------------------------------- padded


@rule(
    zero=["pad_width"],
    linear=["x"],
    only={"mode": ("edge", "reflect", "symmetric", "wrap")},
    complex="written",
    fact=padded,
)
def pad_picked(x, pad_width, mode="constant", *, reflect_type="even", dy):
    y = np.pad(x, pad_width, mode, reflect_type=reflect_type)
    dx = unpad_picked(dy, x, pad_width, mode, reflect_type)


@rule(
    zero=["pad_width", "stat_length"],
    only={"mode": ("mean", "median", "maximum", "minimum")},
    fact=padded,
)
def pad_statistic(x, pad_width, mode="constant", *, stat_length=None, dy):
    """Ties share the weight evenly."""
    y = np.pad(x, pad_width, mode, stat_length=stat_length)
    dx = unpad_statistic(dy, x, pad_width, mode, stat_length)


@rule(
    zero=["pad_width"],
    only={"mode": ("linear_ramp",)},
    fact=padded,
)
def pad_ramp(x, pad_width, mode="constant", *, end_values=0, dy):
    y = np.pad(x, pad_width, mode, end_values=end_values)
    both = unpad_ramp(dy, x, pad_width, end_values)
    dx = both[0]
    dend_values = held(both[1], y, end_values)


@rule(
    zero=["pad_width"],
    only={"mode": ("empty",)},
    complex="written",
    fact=padded,
)
def pad_empty(x, pad_width, mode="constant", *, dy):
    """What is put around has no value, and no slope."""
    y = np.pad(x, pad_width, mode)
    dx = unpad(dy, x, pad_width)


@rule(
    zero=["pad_width"],
    only={"mode": ("constant",)},
    complex="written",
    fact=padded,
)
def pad(x, pad_width, mode="constant", *, constant_values=0, dy):
    y = np.pad(x, pad_width, mode, constant_values=constant_values)
    dx = unpad(dy, x, pad_width)
    d = unpad_value(dy, x, pad_width, constant_values)
    dconstant_values = held(d, y, constant_values)
