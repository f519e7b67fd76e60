# ruff: noqa
"""Writes into arrays that are refused."""

from functools import partial

import numpy as np

from .cases import refused as _refused

refused = partial(_refused, chapter="Arrays written in place")
X = np.array([1.0, 2.0, 3.0])
TABLE = np.ones(3)


@refused("A module's array would be changed by every gradient.", X)
def writes_a_constant(x):
    y = np.asarray(TABLE)
    y[0] = x[0]
    return y.sum()


@refused("For an array it would change the caller's, for a number it would not: the text must know which.", known=False)
def scales_its_argument(x):
    x *= 2.0
    return x.sum()


@refused("Whether it is a view of what has been written is known only when the function runs.", np.ones(4))
def reads_a_part_after_a_write(x):
    y = np.exp(x)
    z, _ = np.split(y, 2)
    z[0] = 1.0
    return y.sum()


@refused("Whether it is a view of what has been written is known only when the function runs.", X)
def reads_what_may_be_a_view(x):
    y = x * 2.0
    flat = np.split(y, 1)[0]
    y[0] = 5.0
    return flat.sum() + y.sum()


@refused("Numbers cannot be written into: Python raises here, when the function runs.", 2.0)
def writes_into_a_number(x):
    y = x * 2
    y[0] = x
    return y


@refused("Of a ufunc, only the sums and products that a reverse sweep can undo are written at an index.", X)
def raises_to_powers_in_place(x):
    y = x * 2.0
    np.power.at(y, [0], x[0])
    return y.sum()


@refused("NumPy writes the result in the type of the array: what is lost has no derivative.", X)
def writes_floats_into_ints(x):
    y = np.zeros(3, dtype=int)
    np.multiply(x, 2.0, out=y, casting="unsafe")
    return y.sum() * x[0]


@refused("What is written by `out=` must be an array that the function has made.", X, [1.0, 2.0, 3.0])
def writes_into_a_list(x, ys):
    np.multiply(x, 2.0, out=ys)
    return x.sum()


@refused("How an index is spread over an axis depends on the rank.", known=False)
def fills_a_diagonal_of_unknown_rank(x):
    y = x * 2
    np.fill_diagonal(y, 1.0)
    return y.sum()


@refused("How an index is spread over an axis depends on the rank.", known=False)
def puts_along_an_unknown_axis(x, i):
    y = np.array(x)
    np.put_along_axis(y, i, 1.0, axis=None)
    return y.sum()
