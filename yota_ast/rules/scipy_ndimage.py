"""Filters and interpolation of images, of `scipy.ndimage`."""

from __future__ import annotations

from scipy import ndimage

from ..runtime.images import ungaussian, unmap
from .inference.joins import same_shape
from .rule import rule


@rule(
    linear=["x"],
    zero=["order", "cval", "truncate"],
    refused={"sigma": "the weights of the filter depend on it"},
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
    zero=["order", "cval", "prefilter"],
    only={"output": (None,), "order": (1, 3), "mode": ("constant",), "cval": (0.0,)},
)
def map_coordinates(
    x, at, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, dy
):
    """Beyond the edges, where all is 0, nothing; on the knots of order 1 the slope to
    the right."""
    y = ndimage.map_coordinates(x, at, output, order, mode, cval, prefilter)
    both = unmap(dy, x, at, order, prefilter)
    dx = both[0]
    dat = both[1]
