"""Filters and interpolation of images, of `scipy.ndimage`."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.joins import same_shape
from yota_ast.rules.inference.shapes import array_of, array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime.scipy.image_adjoints import (
    slopes_of_map,
    unalong,
    unconvolve_image,
    unconvolve_weights,
    uncorrelate_image,
    uncorrelate_weights,
    ungaussian,
    unlaplace,
    unmap,
    unpicked,
    unsobel,
    ununiform,
    unzoom,
)


def zoomed_fact(x: Atom) -> Fact:
    """An array of as many axes."""
    given = array_of(x)
    shape = None if given.rank is None else (None,) * given.rank
    return array_result(given.dtype, shape)


def mapped_fact(x: Atom, at: Atom) -> Fact:
    """An array of the points."""
    shape = array_of(at).shape
    return array_result(array_of(x).dtype, shape[1:] if shape else None)


WIDTH = "the weights of the filter depend on it"
BEYOND = "it is a setting, not a variable"
EDGES = "the slope in the weights is known where 0 stands beyond the edges"
WEIGHTS = "there is no formula for the slope in its weights"


@rule(
    zero=["order", "truncate"],
    refused={"sigma": WIDTH, "cval": BEYOND},
    only={"output": (None,)},
    fact=same_shape,
)
def gaussian_filter_of_any_edge(
    x, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, dy
):
    """What is constant beyond the edges has no slope in `x`."""
    y = ndimage.gaussian_filter(x, sigma, order, output, mode, cval, truncate)
    dx = ungaussian(dy, sigma, order, mode, truncate)


@rule(
    linear=["x"],
    zero=["order", "cval", "truncate"],
    refused={"sigma": WIDTH},
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def gaussian_filter(
    x, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, dy
):
    """By the matrices of the axes."""
    y = ndimage.gaussian_filter(x, sigma, order, output, mode, cval, truncate)
    dx = ungaussian(dy, sigma, order, mode, truncate)


@rule(
    linear=["x"],
    zero=["axis", "order", "cval", "truncate", "radius"],
    refused={"sigma": WIDTH},
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def gaussian_filter1d(
    x, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0,
    *, radius=None, dy,
):  # fmt: skip
    """By the matrix of the operation."""
    y = ndimage.gaussian_filter1d(
        x, sigma, axis, order, output, mode, cval, truncate, radius=radius
    )
    matrix = ndimage.gaussian_filter1d(
        np.eye(np.shape(x)[axis]), sigma, 0, order, mode=mode, truncate=truncate,
        radius=radius,
    )  # fmt: skip
    dx = unalong(dy, matrix, axis)


@rule(
    linear=["x"],
    zero=["size", "axis", "cval", "origin"],
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def uniform_filter1d(
    x, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0, *, dy
):
    """By the matrix of the operation."""
    y = ndimage.uniform_filter1d(x, size, axis, output, mode, cval, origin)
    matrix = ndimage.uniform_filter1d(
        np.eye(np.shape(x)[axis]), size, 0, mode=mode, origin=origin
    )
    dx = unalong(dy, matrix, axis)


@rule(
    linear=["x"],
    zero=["size", "cval", "origin"],
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def uniform_filter(x, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, dy):
    """By the matrices of the axes."""
    y = ndimage.uniform_filter(x, size, output, mode, cval, origin)
    dx = ununiform(dy, size, mode, origin)


@rule(
    linear=["x"],
    zero=["order", "cval", "prefilter"],
    refused={"zoom": "the places of the samples depend on it"},
    only={"output": (None,), "cval": (0.0,)},
    fact=zoomed_fact,
)
def zoom(
    x, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *,
    grid_mode=False, dy,
):  # fmt: skip
    """By the matrices of the axes."""
    y = ndimage.zoom(x, zoom, output, order, mode, cval, prefilter, grid_mode=grid_mode)
    dx = unzoom(dy, x, zoom, order, mode, prefilter, grid_mode)


@rule(
    linear=["x"],
    zero=["axis", "cval"],
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def sobel(x, axis=-1, output=None, mode="reflect", cval=0.0, *, dy):
    """By the matrices of the axes."""
    y = ndimage.sobel(x, axis, output, mode, cval)
    dx = unsobel(dy, axis, mode)


@rule(
    linear=["x"],
    zero=["cval"],
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def laplace(x, output=None, mode="reflect", cval=0.0, *, dy):
    """By the matrices of the axes."""
    y = ndimage.laplace(x, output, mode, cval)
    dx = unlaplace(dy, mode)


@rule(
    zero=["origin"],
    refused={"weights": EDGES, "cval": BEYOND},
    only={"output": (None,)},
    fact=same_shape,
)
def correlate_of_any_edge(
    x, weights, output=None, mode="reflect", cval=0.0, origin=0, *, dy
):
    """What is constant beyond the edges has no slope in `x`."""
    y = ndimage.correlate(x, weights, output, mode, cval, origin)
    dx = uncorrelate_image(dy, x, weights, mode, origin)


@rule(
    linear=["x", "weights"],
    zero=["cval", "origin"],
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def correlate(x, weights, output=None, mode="reflect", cval=0.0, origin=0, *, dy):
    y = ndimage.correlate(x, weights, output, mode, cval, origin)
    dx = uncorrelate_image(dy, x, weights, mode, origin)
    dweights = uncorrelate_weights(dy, x, weights, mode, origin)


@rule(
    zero=["origin"],
    refused={"weights": EDGES, "cval": BEYOND},
    only={"output": (None,)},
    fact=same_shape,
)
def convolve_of_any_edge(
    x, weights, output=None, mode="reflect", cval=0.0, origin=0, *, dy
):
    """What is constant beyond the edges has no slope in `x`."""
    y = ndimage.convolve(x, weights, output, mode, cval, origin)
    dx = unconvolve_image(dy, x, weights, mode, origin)


@rule(
    linear=["x", "weights"],
    zero=["cval", "origin"],
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def convolve(x, weights, output=None, mode="reflect", cval=0.0, origin=0, *, dy):
    y = ndimage.convolve(x, weights, output, mode, cval, origin)
    dx = unconvolve_image(dy, x, weights, mode, origin)
    dweights = unconvolve_weights(dy, x, weights, mode, origin)


@rule(
    linear=["x"],
    zero=["axis", "cval", "origin"],
    refused={"weights": WEIGHTS},
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def correlate1d(
    x, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0, *, dy
):
    """By the matrix of the operation."""
    y = ndimage.correlate1d(x, weights, axis, output, mode, cval, origin)
    matrix = ndimage.correlate1d(
        np.eye(np.shape(x)[axis]), weights, 0, mode=mode, origin=origin
    )
    dx = unalong(dy, matrix, axis)


@rule(
    linear=["x"],
    zero=["axis", "cval", "origin"],
    refused={"weights": WEIGHTS},
    only={"output": (None,), "cval": (0.0,)},
    fact=same_shape,
)
def convolve1d(
    x, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0, *, dy
):
    """By the matrix of the operation."""
    y = ndimage.convolve1d(x, weights, axis, output, mode, cval, origin)
    matrix = ndimage.convolve1d(
        np.eye(np.shape(x)[axis]), weights, 0, mode=mode, origin=origin
    )
    dx = unalong(dy, matrix, axis)


@rule(
    linear=["x"],
    zero=["order", "cval", "prefilter"],
    only={
        "output": (None,),
        "order": (0, 1, 2, 3),
        "mode": ("constant",),
        "cval": (0.0,),
    },
    fact=mapped_fact,
)
def map_coordinates(
    x, at, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, dy
):
    """Beyond the edges, where all is 0, nothing; on the knots of order 1 the slope to
    the right."""
    y = ndimage.map_coordinates(x, at, output, order, mode, cval, prefilter)
    dx = unmap(dy, x, at, order, prefilter)
    dat = dy * slopes_of_map(x, at, order, prefilter)


# ---------------------------------------------------------------- picked elements


@rule(
    zero=["size", "footprint", "cval", "origin"],
    only={"output": (None,)},
    fact=same_shape,
)
def maximum_filter(
    x, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
    dy,
):  # fmt: skip
    """Ties share the weight evenly."""
    y = ndimage.maximum_filter(x, size, footprint, output, mode, cval, origin)
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin)


@rule(
    zero=["size", "footprint", "cval", "origin"],
    only={"output": (None,)},
    fact=same_shape,
)
def minimum_filter(
    x, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
    dy,
):  # fmt: skip
    """Ties share the weight evenly."""
    y = ndimage.minimum_filter(x, size, footprint, output, mode, cval, origin)
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin)


@rule(
    zero=["size", "footprint", "cval", "origin"],
    only={"output": (None,)},
    fact=same_shape,
)
def median_filter(
    x, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
    dy,
):  # fmt: skip
    """The element in the middle, of an even number the one behind it."""
    y = ndimage.median_filter(x, size, footprint, output, mode, cval, origin)
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin)


@rule(
    zero=["rank", "size", "footprint", "cval", "origin"],
    only={"output": (None,)},
    fact=same_shape,
)
def rank_filter(
    x, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
    origin=0, *, dy,
):  # fmt: skip
    y = ndimage.rank_filter(x, rank, size, footprint, output, mode, cval, origin)
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin)


@rule(
    zero=["percentile", "size", "footprint", "cval", "origin"],
    only={"output": (None,)},
    fact=same_shape,
)
def percentile_filter(
    x, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
    origin=0, *, dy,
):  # fmt: skip
    """It picks an element, whatever the percentile."""
    y = ndimage.percentile_filter(
        x, percentile, size, footprint, output, mode, cval, origin
    )
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin)


@rule(
    zero=["size", "footprint", "cval", "origin"],
    only={"structure": (None,), "output": (None,)},
    fact=same_shape,
)
def grey_erosion(
    x, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
    origin=0, *, dy,
):  # fmt: skip
    """The least of each window."""
    y = ndimage.grey_erosion(x, size, footprint, structure, output, mode, cval, origin)
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin)


@rule(
    zero=["size", "footprint", "cval", "origin"],
    only={"structure": (None,), "output": (None,)},
    fact=same_shape,
)
def grey_dilation(
    x, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
    origin=0, *, dy,
):  # fmt: skip
    """The largest of each window, which is turned over."""
    y = ndimage.grey_dilation(x, size, footprint, structure, output, mode, cval, origin)
    dx = unpicked(dy, x, y, size, footprint, mode, cval, origin, True)
