"""Rules of helpers that undo filters of images: the adjoint of each is the filter.

The array that a helper takes for its shape alone has no slope.
"""

from __future__ import annotations

from scipy import ndimage

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.helperfacts import like_u, like_v, matched
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime.scipy import image_adjoints as rt


def like_at(x: Atom, at: Atom) -> Fact:
    """Of the shape of `at`."""
    return matched(x, at)


@rule(zero=["u", "origin"], linear=["d", "v"], fact=like_u)
def uncorrelate_image(d, u, v, mode="reflect", origin=0, *, dy):
    y = rt.uncorrelate_image(d, u, v, mode, origin)
    dd = ndimage.correlate(dy, v, mode=mode, origin=origin)
    dv = rt.uncorrelate_weights(d, dy, v, mode, origin)


@rule(zero=["v", "origin"], linear=["d", "u"], fact=like_v)
def uncorrelate_weights(d, u, v, mode="reflect", origin=0, *, dy):
    y = rt.uncorrelate_weights(d, u, v, mode, origin)
    dd = ndimage.correlate(u, dy, mode=mode, origin=origin)
    du = rt.uncorrelate_image(d, u, dy, mode, origin)


@rule(zero=["u", "origin"], linear=["d", "v"], fact=like_u)
def unconvolve_image(d, u, v, mode="reflect", origin=0, *, dy):
    y = rt.unconvolve_image(d, u, v, mode, origin)
    dd = ndimage.convolve(dy, v, mode=mode, origin=origin)
    dv = rt.unconvolve_weights(d, dy, v, mode, origin)


@rule(zero=["v", "origin"], linear=["d", "u"], fact=like_v)
def unconvolve_weights(d, u, v, mode="reflect", origin=0, *, dy):
    y = rt.unconvolve_weights(d, u, v, mode, origin)
    dd = ndimage.convolve(u, dy, mode=mode, origin=origin)
    du = rt.unconvolve_image(d, u, dy, mode, origin)


AT = "there is no formula for the slope in the points"


@rule(zero=["x", "order", "prefilter"], linear=["d"], refused={"at": AT}, fact=matched)
def unmap(d, x, at, order=3, prefilter=True, *, dy):
    y = rt.unmap(d, x, at, order, prefilter)
    dd = ndimage.map_coordinates(dy, at, None, order, "constant", 0.0, prefilter)


@rule(zero=["x", "order", "prefilter"], linear=["d"], refused={"at": AT}, fact=matched)
def unslope_map(d, x, at, order=3, prefilter=True, *, dy):
    y = rt.unslope_map(d, x, at, order, prefilter)
    dd = rt.slopes_of_map(dy, at, order, prefilter)


@rule(linear=["x"], zero=["order", "prefilter"], refused={"at": AT}, fact=like_at)
def slopes_of_map(x, at, order=3, prefilter=True, *, dy):
    y = rt.slopes_of_map(x, at, order, prefilter)
    dx = rt.unslope_map(dy, x, at, order, prefilter)


@rule(
    zero=["x", "y", "size", "footprint", "cval", "origin"], linear=["d"], fact=matched
)
def unpicked(
    d, x, y, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, turn=False,
    *, dz,
):  # fmt: skip
    z = rt.unpicked(d, x, y, size, footprint, mode, cval, origin, turn)
    dd = rt.picked(dz, x, y, size, footprint, mode, cval, origin, turn)


@rule(
    zero=["at", "y", "size", "footprint", "cval", "origin"], linear=["x"], fact=like_at
)
def picked(
    x, at, y, size=None, footprint=None, mode="reflect", cval=0.0, origin=0, turn=False,
    *, dz,
):  # fmt: skip
    z = rt.picked(x, at, y, size, footprint, mode, cval, origin, turn)
    dx = rt.unpicked(dz, at, y, size, footprint, mode, cval, origin, turn)
