"""The rule book, a file a chapter of NumPy. Importing the package fills the `BOOK`."""

from __future__ import annotations

from yota_ast.rules import helpers, numpy, python
from yota_ast.rules.notation.elementwise_rules import broadcast_rule
from yota_ast.rules.notation.rule import BOOK, PRIMITIVES, elementwise, primitive, rule
from yota_ast.rules.notation.rule_text import DIFF_PHS, diffrule, diffrule_kw, nodiff

CHAPTERS = (
    numpy.arithmetic,
    numpy.ufuncs,
    python.math,
    python.cmath,
    python.builtins,
    numpy.masked,
    numpy.reductions,
    numpy.methods,
    numpy.ordering,
    numpy.linalg,
    numpy.shaping,
    numpy.indexing,
    numpy.joining,
    numpy.creation,
    numpy.signals,
    numpy.fft,
    numpy.factors,
    helpers.squares,
    numpy.statistics,
    numpy.polynomials,
    numpy.scimath,
    numpy.assembling,
    numpy.zero,
    helpers.general,
    helpers.complexes,
    helpers.factors,
    helpers.kinks,
    helpers.ordering,
    helpers.signals,
)
_OF_SCIPY = {
    "scipy.special": (
        "scipy.special",
        "scipy.gammas",
        "scipy.bessel",
        "scipy.sums",
        "helpers.special",
    ),
    "scipy.stats": ("scipy.stats", "scipy.samples", "scipy.kernels"),
    "scipy.linalg": (
        "scipy.linalg",
        "scipy.factors",
        "scipy.routines.lapack",
        "scipy.routines.blas",
    ),
    "scipy.signal": ("scipy.signal", "helpers.spectra"),
    "scipy.fft": ("scipy.fft",),
    "scipy.fftpack": ("scipy.fft",),
    "scipy.integrate": ("scipy.integrate",),
    "scipy.interpolate": (
        "scipy.interpolate",
        "scipy.interpolants",
        "scipy.tables",
        "helpers.interpolants",
    ),
    "scipy.ndimage": ("scipy.ndimage", "helpers.images"),
    "scipy.optimize": ("scipy.optimize",),
    "scipy.sparse": ("scipy.sparse",),
    "scipy.spatial": ("scipy.routines.neighbours",),
    "scipy.spatial.distance": ("scipy.distance",),
    "scipy.spatial.transform": ("scipy.rotations",),
}
# NumPy imports it when it is asked for; nothing of it can be met before.
BOOK.add_chapter("numpy.random", f"{__name__}.numpy.draws")
# Likewise: it is slow to import.
BOOK.add_chapter("statistics", f"{__name__}.python.statistics")
for _library, _chapters in _OF_SCIPY.items():
    BOOK.add_chapter(_library, *(f"{__name__}.{c}" for c in _chapters))

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
