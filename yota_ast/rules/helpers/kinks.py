"""Rules of the helpers of `runtime.kinks`, which refuse second derivatives at kinks."""

from __future__ import annotations

from yota_ast import runtime as rt
from yota_ast.rules.inference.helperfacts import like_d, like_value
from yota_ast.rules.notation.rule import elementwise, rule


@rule(
    linear=["d"], alias="same", complex="written", fact=like_d,
    tangent=rt.along_rooted,
)  # fmt: skip
def rooted(d, y, *, dz):
    z = rt.rooted(d, y)
    dd = rt.unrooted(dz, y)
    dy = rt.unrooted_at(dz, d, y)


@rule(
    linear=["d"], alias="same", complex="written", fact=like_d, tangent=rt.along_bent
)  # fmt: skip
def bent(d, x, *, dz):
    z = rt.bent(d, x)
    dd = rt.unbent(dz, d, x)
    dx = rt.unbent_at(dz, d, x)


@rule(
    zero=["v"], linear=["d"], alias="same", complex="written", fact=like_d,
    tangent=rt.along_bent_along,
)  # fmt: skip
def bent_along(d, x, v, *, dz):
    z = rt.bent_along(d, x, v)
    dd = dz
    dx = rt.unbent_along(dz, x, v)


@rule(zero=["value"], alias="same", complex="written", fact=like_value)
def valued(value, d, *, dz):
    z = rt.valued(value, d)
    dd = dz


@rule(zero=["d", "y"], linear=["dd"], alias="same", complex="written", fact=like_d)
def along_rooted(d, y, dd=0.0, *, dz):
    z = rt.along_rooted(d, y, dd)
    ddd = dz


@rule(zero=["d", "x"], linear=["dd"], alias="same", complex="written", fact=like_d)
def along_bent(d, x, dd=0.0, *, dz):
    z = rt.along_bent(d, x, dd)
    ddd = dz


@rule(
    zero=["d", "x", "v", "dx"], linear=["dd"], alias="same", complex="written",
    fact=like_d,
)  # fmt: skip
def along_bent_along(d, x, v, dd=0.0, dx=0.0, *, dz):
    z = rt.along_bent_along(d, x, v, dd, dx)
    ddd = dz


@rule(zero=["y"], linear=["d"], alias="same", complex="written", fact=like_d)
def unrooted(d, y, *, dz):
    z = rt.unrooted(d, y)
    dd = dz


@rule(zero=["c", "d", "y"], complex="written")
def unrooted_at(c, d, y):
    z = rt.unrooted_at(c, d, y)


@rule(zero=["e", "x"], linear=["d"], alias="same", complex="written", fact=like_d)
def unbent(d, e, x, *, dz):
    z = rt.unbent(d, e, x)
    dd = dz


@rule(zero=["c", "x", "v"], complex="written")
def unbent_along(c, x, v):
    z = rt.unbent_along(c, x, v)


@rule(zero=["c", "d", "x"], complex="written")
def unbent_at(c, d, x):
    z = rt.unbent_at(c, d, x)


# What tells where a kink is must vary for the kink to be met.


@elementwise(complex="written")
def power_root(u, v, *, dy):
    y = rt.power_root(u, v)
    du = 0 * dy
    dv = 0 * dy


@elementwise(complex="written")
def power_root_of_both(u, v, *, dy):
    y = rt.power_root_of_both(u, v)
    du = 0 * dy
    dv = 0 * dy


@rule(zero=["metric"])
def distance_root(y, metric, *, dz):
    z = rt.distance_root(y, metric)
    dy = rt.expand(0 * dz, y)


@rule(zero=["y"], jointly=["d", "other"], complex="written")
def where_zero(y, d, other, *, dz):
    z = rt.where_zero(y, d, other)
    dd = rt.where_zero(y, dz, 0.0)
    dother = rt.where_zero(y, 0.0, dz)
