"""What a function writes into its arguments it writes though no value reads it."""

import numpy as np
import pytest

import yota_ast as ya


def one(v):
    s = float(v.sum())
    v[0] = 5.0
    return s


def in_loop(v):
    s = float((v * v).sum())
    for k in range(2):
        v[k] = v[k + 1] * 2
    return s


def in_branch(v):
    s = float(v.sum())
    if s > 0:
        v[1:] += s
    return s


@pytest.mark.parametrize("fn", [one, in_loop, in_branch])
def test_the_arguments_are_left_as_the_function_leaves_them(fn):
    given, wanted = np.array([0.3, 1.2, 0.5]), np.array([0.3, 1.2, 0.5])
    slopes = ya.grad(fn, given.copy())[1]["v"]
    dv = np.array([1.0, 2.0, -1.0])
    value, tangent = ya.jvp(fn)(given, dv)
    assert value == fn(wanted)
    np.testing.assert_array_equal(given, wanted)
    np.testing.assert_array_equal(dv, [1.0, 2.0, -1.0])
    assert tangent == pytest.approx(slopes @ dv)
