"""What has no slope: rounding, comparing, counting, sorting out, drawing at random."""

from __future__ import annotations

import bisect

import numpy as np

from yota_ast.ir.abstract_values import STR, Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.containers import always_int
from yota_ast.rules.inference.grids import indices_fact
from yota_ast.rules.inference.pickings import (
    argument_of,
    argwhere_fact,
    bins_of,
    boolean,
    diagonal_fact,
    half_window,
    integers,
    lower_fact,
    nonzero_fact,
    number_of,
    places_of,
    shape_fact,
    single_bool,
    size_fact,
    sizes_fact,
    upper_fact,
    window,
)
from yota_ast.rules.inference.shapes import reduction
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import replace_grad, stop_gradient, unbroadcast, unsign
from yota_ast.syntax.value_literals import Keys

# ---------------------------------------------------------------- rounding and signs


@elementwise(zero=["x"])
def floor(x):
    y = np.floor(x)


@elementwise(zero=["x"])
def ceil(x):
    y = np.ceil(x)


@elementwise(zero=["x"])
def trunc(x):
    y = np.trunc(x)


@elementwise(zero=["x"])
def fix(x):
    y = np.fix(x)


@elementwise(zero=["x"])
def rint(x):
    y = np.rint(x)


@elementwise(also=[np.around], zero=["x", "decimals"], complex="written")
def round(x, decimals=0):
    y = np.round(x, decimals)


@elementwise(complex="written")
def sign_of_complex(x, *, dy):
    """At 0, where there is no slope, 0."""
    y = np.sign(x)
    dx = unsign(dy, x, y)


@elementwise(zero=["x"])
def sign(x):
    y = np.sign(x)


@elementwise(zero=["x"])
def signbit(x):
    y = np.signbit(x)


@elementwise(zero=["x"])
def heaviside(x, v, *, dy):
    y = np.heaviside(x, v)
    dv = np.where(x == 0, dy, 0.0)


@elementwise(zero=["x"])
def spacing(x):
    y = np.spacing(x)


@elementwise(zero=["v"])
def nextafter(u, v, *, dy):
    """As large as u but for the last digit."""
    y = np.nextafter(u, v)
    du = dy


# ---------------------------------------------------------------- tests


@elementwise(zero=["x"], complex="written")
def isfinite(x):
    y = np.isfinite(x)


@elementwise(zero=["x"], complex="written")
def isinf(x):
    y = np.isinf(x)


@elementwise(zero=["x"], complex="written")
def isnan(x):
    y = np.isnan(x)


@elementwise(zero=["x"])
def isposinf(x):
    y = np.isposinf(x)


@elementwise(zero=["x"])
def isneginf(x):
    y = np.isneginf(x)


@elementwise(zero=["x"], complex="written")
def isreal(x):
    y = np.isreal(x)


@elementwise(zero=["x"], complex="written")
def iscomplex(x):
    y = np.iscomplex(x)


@elementwise(zero=["x"], complex="written")
def logical_not(x):
    y = np.logical_not(x)


@elementwise(zero=["u", "v"], complex="written")
def logical_and(u, v):
    y = np.logical_and(u, v)


@elementwise(zero=["u", "v"], complex="written")
def logical_or(u, v):
    y = np.logical_or(u, v)


@elementwise(zero=["u", "v"], complex="written")
def logical_xor(u, v):
    y = np.logical_xor(u, v)


@elementwise(zero=["u", "v", "rtol", "atol"], complex="written")
def isclose(u, v, rtol=1e-05, atol=1e-08, equal_nan=False):
    y = np.isclose(u, v, rtol, atol, equal_nan)


@rule(zero=["u", "v", "rtol", "atol"], complex="written", fact=single_bool)
def allclose(u, v, rtol=1e-05, atol=1e-08, equal_nan=False):
    y = np.allclose(u, v, rtol, atol, equal_nan)


@rule(zero=["u", "v"], complex="written", fact=single_bool)
def array_equal(u, v, equal_nan=False):
    y = np.array_equal(u, v, equal_nan)


@rule(zero=["u", "v"], complex="written", fact=single_bool)
def array_equiv(u, v):
    y = np.array_equiv(u, v)


@rule(zero=["x"], complex="written", fact=reduction(np.all))
def all(x, axis=None, *, keepdims=False, where=True):
    y = np.all(x, axis, keepdims=keepdims, where=where)


@rule(zero=["x"], complex="written", fact=reduction(np.any))
def any(x, axis=None, *, keepdims=False, where=True):
    y = np.any(x, axis, keepdims=keepdims, where=where)


@rule(zero=["x", "values"], complex="written", fact=boolean)
def isin(x, values, *, invert=False):
    y = np.isin(x, values, invert=invert)


@rule(zero=["x"], complex="written", fact=single_bool)
def iscomplexobj(x):
    y = np.iscomplexobj(x)


@rule(zero=["x"], complex="written", fact=single_bool)
def isrealobj(x):
    y = np.isrealobj(x)


@rule(zero=["x"], complex="written", fact=single_bool)
def isscalar(x):
    y = np.isscalar(x)


# ---------------------------------------------------------------- shapes and types


@rule(zero=["x"], complex="written", fact=shape_fact)
def shape(x):
    y = np.shape(x)


@rule(zero=["x"], complex="written", fact=always_int)
def ndim(x):
    y = np.ndim(x)


@rule(zero=["x"], complex="written", fact=size_fact)
def size(x, axis=None):
    y = np.size(x, axis)


@rule(zero=["x"], complex="written")
def result_type(*x):
    y = np.result_type(*x)


@rule(zero=["shapes"], complex="written", fact=sizes_fact)
def broadcast_shapes(*shapes):
    y = np.broadcast_shapes(*shapes)


# ---------------------------------------------------------------- where and how many


@rule(zero=["x"], fact=argument_of)
def argmax(x, axis=None, *, keepdims=False):
    y = np.argmax(x, axis, keepdims=keepdims)


@rule(zero=["x"], fact=argument_of)
def argmin(x, axis=None, *, keepdims=False):
    y = np.argmin(x, axis, keepdims=keepdims)


@rule(zero=["x"], fact=argument_of)
def nanargmax(x, axis=None, *, keepdims=False):
    y = np.nanargmax(x, axis, keepdims=keepdims)


@rule(zero=["x"], fact=argument_of)
def nanargmin(x, axis=None, *, keepdims=False):
    y = np.nanargmin(x, axis, keepdims=keepdims)


@rule(zero=["x", "axis"], fact=integers)
def argsort(x, axis=-1, kind=None, *, stable=None):
    y = np.argsort(x, axis, kind, stable=stable)


@rule(zero=["x", "kth", "axis"], fact=integers)
def argpartition(x, kth, axis=-1):
    y = np.argpartition(x, kth, axis)


@rule(zero=["keys", "axis"])
def lexsort(keys, axis=-1):
    y = np.lexsort(keys, axis)


@rule(zero=["x"], complex="written", fact=argwhere_fact)
def argwhere(x):
    y = np.argwhere(x)


@rule(zero=["x"], complex="written", fact=nonzero_fact)
def nonzero(x):
    y = np.nonzero(x)


@rule(zero=["x"], complex="written", fact=nonzero_fact)
def where_true(x):
    y = np.where(x)


@rule(zero=["x"], complex="written", fact=number_of)
def flatnonzero(x):
    y = np.flatnonzero(x)


@rule(zero=["x"], complex="written")
def count_nonzero(x, axis=None, *, keepdims=False):
    y = np.count_nonzero(x, axis, keepdims=keepdims)


@rule(zero=["x", "v"], fact=places_of)
def searchsorted(x, v, side="left", sorter=None):
    y = np.searchsorted(x, v, side, sorter)


@rule(zero=["a", "x", "lo", "hi"], only={"key": (None,)}, fact=always_int)
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    y = bisect.bisect_left(a, x, lo, hi, key=key)


@rule(zero=["a", "x", "lo", "hi"], only={"key": (None,)}, fact=always_int)
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    y = bisect.bisect_right(a, x, lo, hi, key=key)


@rule(zero=["x", "bins"], fact=bins_of)
def digitize(x, bins, right=False):
    y = np.digitize(x, bins, right)


@rule(zero=["x", "minlength"], fact=number_of)
def bincount(x, *, minlength=0):
    y = np.bincount(x, minlength=minlength)


@rule(zero=["x", "shape"])
def unravel_index(x, shape, order="C"):
    y = np.unravel_index(x, shape, order)


@rule(zero=["x", "tol", "rtol"])
def matrix_rank(x, tol=None, hermitian=False, *, rtol=None):
    y = np.linalg.matrix_rank(x, tol, hermitian, rtol=rtol)


# ---------------------------------------------------------------- indices and windows


@rule(zero=["dimensions"], fact=indices_fact)
def indices(dimensions, dtype=int, *, sparse=False):
    y = np.indices(dimensions, dtype, sparse)


@rule(zero=["n", "k", "m"], fact=lower_fact)
def tril_indices(n, k=0, m=None):
    y = np.tril_indices(n, k, m)


@rule(zero=["n", "k", "m"], fact=upper_fact)
def triu_indices(n, k=0, m=None):
    y = np.triu_indices(n, k, m)


@rule(zero=["n", "ndim"], fact=diagonal_fact)
def diag_indices(n, ndim=2):
    y = np.diag_indices(n, ndim)


@rule(zero=["n"], fact=window)
def hamming(n):
    y = np.hamming(n)


@rule(zero=["n"], fact=window)
def hanning(n):
    y = np.hanning(n)


@rule(zero=["n"], fact=window)
def blackman(n):
    y = np.blackman(n)


@rule(zero=["n"], fact=window)
def bartlett(n):
    y = np.bartlett(n)


@rule(zero=["n"], refused={"beta": "the window narrows with it"}, fact=window)
def kaiser(n, beta):
    y = np.kaiser(n, beta)


@rule(zero=["n"], fact=window)
def fftfreq(n, d=1.0, *, dy):
    y = np.fft.fftfreq(n, d)
    dd = -unbroadcast(dy * y / d, d)


@rule(zero=["n"], fact=half_window)
def rfftfreq(n, d=1.0, *, dy):
    y = np.fft.rfftfreq(n, d)
    dd = -unbroadcast(dy * y / d, d)


# ---------------------------------------------------------------- markers


def _same(x: Atom) -> Fact:
    return fact_of_atom(x)


@rule(zero=["x"], alias="maybe", fact=_same)  # the same, of no derivative
def stop_gradient_(x):
    y = stop_gradient(x)


def _same_as_first(x: Atom, fn: Atom) -> Fact:
    return fact_of_atom(x)


@rule(zero=["fn"], alias="maybe", fact=_same_as_first)
def replace_grad_(x, fn, *, dy):
    y = replace_grad(x, fn)
    dx = dy


# ---------------------------------------------------------------- warnings


def _error_settings() -> Fact:
    """What NumPy does at each kind of errors, by name."""
    keys = Keys(("divide", "over", "under", "invalid"))
    return Fact("dict", items=(STR,) * len(keys), keys=keys)


@rule(effect=True, fact=_error_settings)
def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    y = np.seterr(all, divide, over, under, invalid)


@rule(effect=True, fact=_error_settings)
def geterr():
    y = np.geterr()
