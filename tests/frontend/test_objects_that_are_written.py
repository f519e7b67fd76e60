"""Items of objects that are not followed: what is put into them is not seen again."""

import array
import collections

import numpy as np
import pytest

import yota_ast as ya

sparse = pytest.importorskip("scipy.sparse")


class Noted:
    def __getattr__(self, name):
        return len(name)

    def __setitem__(self, key, value):
        self.z = value


def of_an_array_of_numbers(x):
    a = array.array("d", [0.0, 2.0])
    a[0] = x
    return a[0] * 2


def seen_by_an_array(x):
    a = array.array("d", [1.0, 2.0])
    u = np.asarray(a)
    a[0] = 5.0
    return float(u[0] * x)


def of_a_chain(x):
    c = collections.ChainMap({"a": 1.0})
    if x > 0.5:
        c["a"] = x
    return c["a"] * 2


def of_a_counter(x):
    c = collections.Counter()
    c["a"] += x
    return c["a"] * 2


def of_an_own_class(x):
    s = Noted()
    s[0] = x
    return s.z * 2


@pytest.mark.parametrize(
    "fn",
    [
        of_an_array_of_numbers, seen_by_an_array, of_a_chain, of_a_counter,
        of_an_own_class,
    ],
)  # fmt: skip
def test_it_is_refused(fn):
    with pytest.raises(ya.UnsupportedCall, match="which is not supported"):
        ya.grad(fn, 0.7)
    with pytest.raises(ya.UnsupportedCall, match="which is not supported"):
        ya.trace(fn, 0.7)


def without_derivatives(x):
    d = collections.deque([1.0, 2.0])
    d[0] = 3.0
    d[1] = len(d)
    return d[0] * d[1] * x


def test_what_has_no_derivative_may_be_put_in():
    val, g = ya.grad(without_derivatives, 0.7)
    assert (val, g["x"]) == (without_derivatives(0.7), 6.0)


def test_a_sparse_matrix_that_is_made_inside():
    def f(v):
        return (sparse.lil_matrix((2, 2)) @ v)[0] + v[1]

    val, g = ya.grad(f, np.ones(2))
    assert val == 1.0
    assert g["v"].tolist() == [0.0, 1.0]
