"""The rule book, a file a chapter of NumPy. Importing the package fills the `BOOK`."""

from __future__ import annotations

from . import (
    arithmetic,
    assembling,
    builtinrules,
    cmathrules,
    creation,
    factors,
    fft,
    helpers,
    helpers_of_complexes,
    helpers_of_factors,
    helpers_of_kinks,
    helpers_of_order,
    helpers_of_signals,
    indexing,
    joining,
    linalg,
    masked,
    mathrules,
    methods,
    ordering,
    polynomials,
    reductions,
    scimath,
    shaping,
    signals,
    squares,
    statistics,
    ufuncs,
    zero,
)
from .elements import broadcast_rule
from .rule import BOOK, PRIMITIVES, elementwise, primitive, rule
from .text import DIFF_PHS, diffrule, diffrule_kw, nodiff

CHAPTERS = (
    arithmetic,
    ufuncs,
    mathrules,
    cmathrules,
    builtinrules,
    masked,
    reductions,
    methods,
    ordering,
    linalg,
    shaping,
    indexing,
    joining,
    creation,
    signals,
    fft,
    factors,
    squares,
    statistics,
    polynomials,
    scimath,
    assembling,
    zero,
    helpers,
    helpers_of_complexes,
    helpers_of_factors,
    helpers_of_kinks,
    helpers_of_order,
    helpers_of_signals,
)
_OF_SCIPY = {
    "scipy.special": ("special", "bessel", "sums", "slopes"),
    "scipy.stats": ("stats", "samples", "kernels"),
    "scipy.linalg": ("linalg", "factors"),
    "scipy.signal": ("signal",),
    "scipy.fft": ("fft",),
    "scipy.integrate": ("integrate",),
    "scipy.interpolate": ("interpolate", "interpolants", "tables"),
    "scipy.ndimage": ("ndimage",),
    "scipy.sparse": ("sparse",),
    "scipy.spatial.distance": ("distance",),
}
# NumPy imports it when it is asked for; nothing of it can be met before.
BOOK.add_chapter("numpy.random", f"{__name__}.draws")
# Likewise: it is slow to import.
BOOK.add_chapter("statistics", f"{__name__}.averages")
for _library, _chapters in _OF_SCIPY.items():
    BOOK.add_chapter(_library, *(f"{__name__}.scipy_{c}" for c in _chapters))

__all__ = [
    "BOOK",
    "CHAPTERS",
    "DIFF_PHS",
    "PRIMITIVES",
    "broadcast_rule",
    "diffrule",
    "diffrule_kw",
    "elementwise",
    "nodiff",
    "primitive",
    "rule",
]
