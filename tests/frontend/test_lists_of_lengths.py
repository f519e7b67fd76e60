"""Lists and tuples made of a shape: of a known number of axes they are known items."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([[0.7, 1.3, 2.1], [0.4, 0.2, 3.1]])


def inserted(x):
    shape = list(x.shape)
    shape.insert(1, 1)
    return x.reshape(shape) * x


def inserted_at(x, axis):
    shape = list(np.shape(x))
    shape.insert(axis, 1)
    return np.mean(x, axis).reshape(np.delete(shape, axis)[:1]) + x.reshape(shape).sum()


def taken_off(x):
    shape = list(x.shape)
    last = shape.pop()
    return x.reshape((*shape, 1, last))


def without_one(x):
    lengths = tuple(x.shape[1:])
    return np.sum(x) * np.ones(lengths) * x[0]


def in_a_loop(x):
    total = 0.0
    for k in range(2):
        shape = list(x.shape)
        shape.reverse()
        total += np.sum(x.reshape(shape)[0]) * k
    return total


def in_an_arm(x):
    shape = list(x.shape)
    if x[0, 0] > 0.5:
        shape[0] = shape[0] * shape[1]
        shape[1] = 1
    return x.reshape(shape[0], shape[1]).sum(axis=1).sum() * x[0, 0]


@pytest.mark.parametrize("passes", ["none", "all"])
@pytest.mark.parametrize("f", [inserted, taken_off, without_one, in_a_loop, in_an_arm])
def test_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = X[:, :1] if f is inserted else X
    assert ya.gradcheck(f, x)


@pytest.mark.parametrize("axis", [0, 1])
def test_at_an_axis_that_is_given(axis):
    assert ya.gradcheck(inserted_at, X[:, :2], axis)
