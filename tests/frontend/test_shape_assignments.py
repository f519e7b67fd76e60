"""`y.shape = n` gives an array with one name another shape."""

import contextlib

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

X = np.array([[1.2, 0.3, -0.5], [0.4, 0.9, 0.2]])


def twice(x):
    y = x * 2.0
    y.shape = -1
    y[1:] *= y[:-1]
    y.shape = (3, -1)
    return np.sum(y[0] * y[1]) * len(y)


def in_a_loop(x):
    y = np.sin(x)
    for k in range(3):
        y = y * 1.5
        y.shape = (3, 2) if k % 2 else (-1,)
    return np.sum(y[1:] * y[:-1])


def in_an_arm(x):
    y = x * x
    if x[0, 0] > 0:
        y.shape = (1, 6)
    return np.sum(y[0])


def read_by_a_closure(x):
    y = x * 2.0

    def first():
        return y[0]

    y.shape = -1
    return first() * y[2]


@pytest.mark.parametrize("f", [twice, in_a_loop, in_an_arm, read_by_a_closure])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_right(f, sign):
    check(f, (sign * X,))


def with_another_name(x):
    y = x * 2.0
    z = y
    y.shape = -1
    return np.sum(z[0])


def with_a_view(x):
    y = x * 2.0
    row = y[1]
    y.shape = -1
    return np.sum(row) * y[0]


def in_a_list(x):
    y = x * 2.0
    rows = [y]
    y.shape = -1
    return np.sum(rows[0][0])


def of_the_caller(x):
    x.shape = -1
    return x[0] * x[1]


def of_a_helper(x):
    y = x * 2.0
    flattened(y)
    return np.sum(y[0])


def flattened(y):
    y.shape = -1


def with_another_name_in_the_next_iteration(x):
    y, z, total = x * 2.0, x * 1.0, 0.0
    for k in range(3):
        y.shape = (2, 3) if k % 2 else (-1,)
        total += z.shape[0] * np.sum(z)
        z = y
    return total


def where_a_handler_catches(x):
    y = (x * 2.0).T
    try:
        y.shape = -1
    except AttributeError:
        y = y.ravel() * 3.0
    return np.sum(y)


def where_it_is_suppressed(x):
    y = (x * 2.0).T
    with contextlib.suppress(AttributeError):
        y.shape = -1
    return np.sum(y[0])


REFUSED = [
    with_another_name, with_a_view, in_a_list, of_the_caller, of_a_helper,
    with_another_name_in_the_next_iteration, where_a_handler_catches,
    where_it_is_suppressed,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_refused(f):
    with pytest.raises(ya.errors.UnsupportedSyntax, match="sets the attribute `shape`"):
        ya.grad(f, X.copy())


def test_an_array_in_another_order_raises():
    """NumPy would have to copy it, and raises."""
    x = np.asfortranarray(X)
    with pytest.raises(AttributeError):
        twice(x)
    made = ya.simplegrad(twice, X)
    made(X)
    with pytest.raises(ValueError, match="in the order of their indices") as raised:
        made(x)
    message = "made for `y` with its elements in the order of their indices"
    assert str(raised.value) == message
    with pytest.raises(ya.errors.UnsupportedSyntax, match="may be a view or a copy"):
        ya.grad(twice, x)


def test_a_vector_is_not_tested():
    def f(x):
        y = x.ravel() * 2.0
        y.shape = (3, -1)
        return np.sum(y[0] * y[1])

    assert "shares_memory" not in ya.simplegrad(f, X).source
    check(f, (X,))
