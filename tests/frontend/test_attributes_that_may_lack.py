"""`getattr` with a default, of what may be a float or an array."""

import numpy as np
import pytest

import yota_ast as ya


def by_shape(x):
    return (3.0 if getattr(x, "shape", None) is None else 5.0) * x


def by_rank(x):
    return x * 2 if getattr(x, "ndim", 0) == 0 else np.sum(x) * 3


def by_length(x):
    return np.sum(x) * (len(getattr(x, "shape", ())) + 2)


@pytest.mark.parametrize("fn", [by_shape, by_rank, by_length])
@pytest.mark.parametrize("x", [1.2, np.float64(1.2), np.array(1.2)], ids=repr)
def test_right_in_general_too(fn, x):
    for text in (ya.simplegrad(fn), ya.simplegrad(fn, x)):
        value, d = text(x)
        assert value == fn(x)
        assert float(d) == pytest.approx(float(fn(x)) / 1.2)


def test_of_arrays():
    x = np.array([1.0, 2.0])
    assert ya.simplegrad(by_length)(x)[1].tolist() == [3.0, 3.0]
