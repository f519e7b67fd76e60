"""The builtins of Python that compute."""

from __future__ import annotations

import numpy as np

from yota_ast.ops.result_memory import started
from yota_ast.rules.inference.containers import (
    always_bool,
    always_complex,
    always_none,
    item_fact,
    joined,
    joined_of_four,
    joined_of_many,
    joined_of_three,
    length_of,
    summed,
    tuple_of,
)
from yota_ast.rules.inference.shapes import converted, python_int
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import (
    along_picked,
    picked,
    unbroadcast,
    ungetitem,
    unsum,
    unsum_sequence,
)

# ---------------------------------------------------------------- conversions


@elementwise(linear=["x"], fact=converted)
def float_(x, *, dy):
    y = float(x)
    dx = dy


@rule(linear=["x"], complex="written", fact=always_complex)
def complex_(x, *, dy):
    y = complex(x)
    dx = dy


@rule(linear=["u", "v"], fact=always_complex)
def complex_of_parts(u, v, *, dy):
    y = complex(u, v)
    du = np.real(dy)
    dv = np.imag(dy)


@rule(zero=["x"], complex="written", fact=python_int)
def int_(x):
    y = int(x)


@rule(zero=["x"], complex="written", fact=always_bool)
def bool_(x):
    y = bool(x)


@elementwise(zero=["x", "ndigits"])
def round_(x, ndigits=None):
    y = round(x, ndigits)


@rule(zero=["x"], complex="written", fact=length_of)
def len_(x):
    y = len(x)


@rule(alias="maybe", linear=["x"], sequences=["x"], complex="written", fact=tuple_of)
def tuple_(x: list | tuple, *, dy):
    y = tuple(x)
    dx = list(dy)


# ---------------------------------------------------------------- the larger of some


@rule(fact=joined_of_many, tangent=along_picked)
def max_of_many(u, v, w, *rest, dy):
    """The first of the largest, as Python takes it."""
    y = max(u, v, w, *rest)
    shares = picked(dy, (u, v, w, *rest), y)
    du = shares[0]
    dv = shares[1]
    dw = shares[2]
    drest = shares[3:]


@rule(alias="maybe", fact=joined_of_four)
def max_of_four(u, v, w, x, *, dy):
    """The first of the largest, as Python takes it."""
    y = max(u, v, w, x)
    before = dy * (not x > max(u, v, w))
    first = before * (not w > max(u, v))
    du = first * (not v > u)
    dv = first * (v > u)
    dw = before * (w > max(u, v))
    dx = dy * (x > max(u, v, w))


@rule(alias="maybe", fact=joined_of_three)
def max_of_three(u, v, w, *, dy):
    """The first of the largest, as Python takes it."""
    y = max(u, v, w)
    last = w > max(u, v)
    first = dy * (not last)
    du = first * (not v > u)
    dv = first * (v > u)
    dw = dy * last


@rule(alias="maybe", fact=joined)
def max_of_two(u, v, *, dy):
    """`v` where it is larger, else `u`, as Python takes it."""
    y = max(u, v)
    du = dy * (not v > u)
    dv = dy * (v > u)


@rule(sequences=["x"], fact=item_fact, tangent=along_picked)
def max_of_sequence(x: list | tuple, *, dy):
    y = max(x)
    dx = picked(dy, x, y)


@rule(fact=item_fact)
def max_of_vector(x: np.ndarray, *, dy):
    y = max(x)
    dx = ungetitem(dy, x, np.argmax(np.equal(x, y)))


@rule(fact=joined_of_many, tangent=along_picked)
def min_of_many(u, v, w, *rest, dy):
    """The first of the smallest, as Python takes it."""
    y = min(u, v, w, *rest)
    shares = picked(dy, (u, v, w, *rest), y)
    du = shares[0]
    dv = shares[1]
    dw = shares[2]
    drest = shares[3:]


@rule(alias="maybe", fact=joined_of_four)
def min_of_four(u, v, w, x, *, dy):
    """The first of the smallest, as Python takes it."""
    y = min(u, v, w, x)
    before = dy * (not x < min(u, v, w))
    first = before * (not w < min(u, v))
    du = first * (not v < u)
    dv = first * (v < u)
    dw = before * (w < min(u, v))
    dx = dy * (x < min(u, v, w))


@rule(alias="maybe", fact=joined_of_three)
def min_of_three(u, v, w, *, dy):
    """The first of the smallest, as Python takes it."""
    y = min(u, v, w)
    last = w < min(u, v)
    first = dy * (not last)
    du = first * (not v < u)
    dv = first * (v < u)
    dw = dy * last


@rule(alias="maybe", fact=joined)
def min_of_two(u, v, *, dy):
    """`v` where it is smaller, else `u`, as Python takes it."""
    y = min(u, v)
    du = dy * (not v < u)
    dv = dy * (v < u)


@rule(sequences=["x"], fact=item_fact, tangent=along_picked)
def min_of_sequence(x: list | tuple, *, dy):
    y = min(x)
    dx = picked(dy, x, y)


@rule(fact=item_fact)
def min_of_vector(x: np.ndarray, *, dy):
    y = min(x)
    dx = ungetitem(dy, x, np.argmax(np.equal(x, y)))


# ---------------------------------------------------------------- sums


@rule(
    alias=started,
    jointly=["x", "start"],
    sequences=["x"],
    complex="written",
    fact=summed,
)
def sum_of_sequence(x: list | tuple, start=0, *, dy):
    y = sum(x, start)
    dx = unsum_sequence(dy, x)
    dstart = unbroadcast(dy, start)


@rule(linear=["x"], complex="written", fact=item_fact)
def sum_of_rows(x: np.ndarray, *, dy):
    y = sum(x)
    dx = unsum(dy, x, axis=0)


@rule(
    alias=started,
    jointly=["x", "start"],
    complex="written",
    fact=summed,
)
def sum_of_rows_from(x: np.ndarray, start, *, dy):
    """Of no rows it is `start` itself."""
    y = sum(x, start)
    dx = unsum(unbroadcast(dy, np.zeros(np.shape(x)[1:])), x, axis=0)
    dstart = unbroadcast(dy, start)


# ---------------------------------------------------------------- no slope


@rule(zero=["x"], complex="written", fact=always_bool)
def any_(x):
    y = any(x)


@rule(zero=["x"], complex="written", fact=always_bool)
def all_(x):
    y = all(x)


@rule(zero=["x", "cls"], complex="written", fact=always_bool)
def isinstance_(x, cls):
    y = isinstance(x, cls)


@rule(zero=["values"], complex="written", effect=True, fact=always_none)
def print_(*values, sep=" ", end="\n", file=None, flush=False):
    y = print(*values, sep=sep, end=end, file=file, flush=flush)
