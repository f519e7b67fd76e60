"""The same elements in another shape, order or type."""

from __future__ import annotations

import numpy as np

from yota_ast.ops.result_memory import copying, part_of_array, raised_to
from yota_ast.rules.inference.layouts import (
    at_least,
    broadcast_to_fact,
    cast_fact,
    copied,
    expanded,
    flat_fact,
    item_of,
    like,
    matrices_transposed,
    moved,
    reshape_fact,
    reshape_method_fact,
    rolled_axis,
    squeezed,
    swapped,
    transposed,
    transposed_by_method,
)
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    unbroadcast,
    uncast,
    unroll_axis,
    unsum,
    untake,
    untranspose,
)

# ---------------------------------------------------------------- reshaping


@rule(
    zero=["shape", "order"],
    linear=["x"],
    only={"order": ("C", "F")},
    complex="written",
    fact=reshape_fact,
)
def reshape_ordered(x, shape, *, order, dy):
    y = np.reshape(x, shape, order=order)
    dx = np.reshape(dy, np.shape(x), order=order)


@rule(
    zero=["shape", "order"],
    linear=["x"],
    only={"order": ("C", "F")},
    complex="written",
    fact=reshape_method_fact,
)
def reshape_method_ordered(x: np.ndarray | np.generic, *shape, order, dy):
    y = x.reshape(*shape, order=order)
    dx = np.reshape(dy, np.shape(x), order=order)


@rule(
    zero=["order"],
    linear=["x"],
    only={"order": ("C", "F")},
    complex="written",
    fact=flat_fact,
)
def ravel_ordered(x, order, *, dy):
    y = np.ravel(x, order)
    dx = np.reshape(dy, np.shape(x), order=order)


@rule(
    zero=["order"],
    linear=["x"],
    only={"order": ("C", "F")},
    complex="written",
    fact=flat_fact,
)
def flatten_ordered(x: np.ndarray | np.generic, order, *, dy):
    y = x.flatten(order)
    dx = np.reshape(dy, np.shape(x), order=order)


@rule(
    zero=["shape"],
    linear=["x"],
    alias="maybe",
    complex="written",
    fact=reshape_fact,
)
def reshape(x, shape, *, dy):
    y = np.reshape(x, shape)
    dx = np.reshape(dy, np.shape(x))


@rule(
    zero=["shape"],
    linear=["x"],
    alias="maybe",
    complex="written",
    fact=reshape_method_fact,
)
def reshape_method(x: np.ndarray | np.generic, *shape, dy):
    y = x.reshape(*shape)
    dx = np.reshape(dy, np.shape(x))


@rule(linear=["x"], alias="maybe", complex="written", fact=flat_fact)
def ravel(x, *, dy):
    y = np.ravel(x)
    dx = np.reshape(dy, np.shape(x))


@rule(linear=["x"], complex="written", fact=flat_fact)
def flatten(x: np.ndarray | np.generic, *, dy):
    y = x.flatten()
    dx = np.reshape(dy, np.shape(x))


@rule(zero=["axis"], linear=["x"], alias="view", complex="written", fact=expanded)
def expand_dims(x, axis, *, dy):
    y = np.expand_dims(x, axis)
    dx = np.reshape(dy, np.shape(x))


@rule(alias=part_of_array, linear=["x"], complex="written", fact=squeezed)
def squeeze(x, axis=None, *, dy):
    y = np.squeeze(x, axis)
    dx = np.reshape(dy, np.shape(x))


@rule(alias=raised_to(1), linear=["x"], complex="written", fact=at_least(1))
def atleast_1d(x, *, dy):
    y = np.atleast_1d(x)
    dx = np.reshape(dy, np.shape(x))


@rule(alias=raised_to(2), linear=["x"], complex="written", fact=at_least(2))
def atleast_2d(x, *, dy):
    y = np.atleast_2d(x)
    dx = np.reshape(dy, np.shape(x))


@rule(alias=raised_to(3), linear=["x"], complex="written", fact=at_least(3))
def atleast_3d(x, *, dy):
    y = np.atleast_3d(x)
    dx = np.reshape(dy, np.shape(x))


@rule(
    zero=["shape"],
    linear=["x"],
    alias="view",
    complex="written",
    fact=broadcast_to_fact,
)
def broadcast_to(x, shape, *, dy):
    y = np.broadcast_to(x, shape)
    dx = unbroadcast(dy, x)


# ---------------------------------------------------------------- order of axes


@rule(
    also=[np.permute_dims],
    linear=["x"],
    alias="view",
    complex="written",
    fact=transposed,
)
def transpose(x, axes=None, *, dy):
    y = np.transpose(x, axes)
    dx = untranspose(dy, axes)


@rule(
    zero=["axes"],
    linear=["x"],
    alias="view",
    complex="written",
    fact=transposed_by_method,
)
def transpose_method(x: np.ndarray | np.generic, *axes, dy):
    y = x.transpose(*axes)
    dx = untranspose(dy, axes)


@rule(
    also=[np.linalg.matrix_transpose],
    linear=["x"],
    alias="view",
    complex="written",
    fact=matrices_transposed,
)
def matrix_transpose(x, *, dy):
    y = np.matrix_transpose(x)
    dx = np.swapaxes(dy, -1, -2)


@rule(
    zero=["axis1", "axis2"], linear=["x"], alias="view", complex="written", fact=swapped
)
def swapaxes(x, axis1, axis2, *, dy):
    y = np.swapaxes(x, axis1, axis2)
    dx = np.swapaxes(dy, axis1, axis2)


@rule(
    zero=["source", "destination"],
    linear=["x"],
    alias="view",
    complex="written",
    fact=moved,
)
def moveaxis(x, source, destination, *, dy):
    y = np.moveaxis(x, source, destination)
    dx = np.moveaxis(dy, destination, source)


@rule(
    zero=["axis", "start"],
    linear=["x"],
    alias="view",
    complex="written",
    fact=rolled_axis,
)
def rollaxis(x, axis, start=0, *, dy):
    y = np.rollaxis(x, axis, start)
    dx = unroll_axis(dy, axis, start)


# ---------------------------------------------------------------- copies and types


@rule(linear=["x"], complex="written", fact=like)
def copy(x, *, dy):
    y = np.copy(x)
    dx = dy


@rule(zero=["order"], linear=["x"], complex="written", fact=like)
def copy_ordered(x, order, *, dy):
    """As it lies in memory: the elements are the same."""
    y = np.copy(x, order)
    dx = dy


@rule(zero=["order"], linear=["x"], complex="written", fact=copied)
def copy_method_ordered(x: np.ndarray | np.generic, order, *, dy):
    y = x.copy(order)
    dx = dy


@rule(linear=["x"], complex="written", fact=copied)
def copy_method(x: np.ndarray | np.generic, *, dy):
    y = x.copy()
    dx = dy


@rule(
    alias=copying(5),
    zero=["dtype"],
    linear=["x"],
    complex="written",
    fact=cast_fact,
)
def astype_or_same(
    x: np.ndarray | np.generic,
    dtype,
    order="K",
    casting="unsafe",
    subok=True,
    copy=True,
    *,
    dy,
):
    y = x.astype(dtype, order, casting, subok, copy)
    dx = uncast(dy, x, dtype)


@rule(zero=["dtype"], linear=["x"], complex="written", fact=cast_fact)
def astype(x: np.ndarray | np.generic, dtype, *, dy):
    y = x.astype(dtype)
    dx = uncast(dy, x, dtype)


@rule(zero=["dtype"], linear=["x"], complex="written", fact=cast_fact)
def astype_function(x, dtype, *, dy):
    y = np.astype(x, dtype)
    dx = uncast(dy, x, dtype)


@rule(linear=["x"], complex="written", fact=item_of)
def item(x: np.ndarray | np.generic, *, dy):
    y = x.item()
    dx = unsum(dy, x)


@rule(zero=["at"], linear=["x"], complex="written", fact=item_of)
def item_at(x: np.ndarray | np.generic, at: int | np.integer, *, dy):
    y = x.item(at)  # type: ignore[call-overload]
    dx = untake(dy, x, at)
