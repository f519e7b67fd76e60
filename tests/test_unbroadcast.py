"""A cotangent brought to the shape of a value: summed, or repeated where it stands for
an array of zeros."""

import numpy as np
import pytest

from yota_ast.runtime import unbroadcast

CASES = [
    ((2, 3), (3,), (3,)),
    ((2, 3), (1, 3), (1, 3)),
    ((4, 2, 3), (2, 1), (2, 1)),
    ((2, 3), (), ()),
    ((), (2, 3), (2, 3)),
    ((3,), (2, 3), (2, 3)),
    ((2, 1), (2, 3), (2, 3)),
    ((4, 2, 1), (2, 3), (2, 3)),
    ((4, 1), (1, 3), (1, 3)),
    ((0, 3), (3,), (3,)),
    ((1, 1), (0, 3), (0, 3)),
]


@pytest.mark.parametrize(("given", "wanted", "shape"), CASES)
@pytest.mark.parametrize("dtype", [float, complex])
def test_the_shape_is_that_of_the_value(given, wanted, shape, dtype):
    made = unbroadcast(np.ones(given, dtype), np.zeros(wanted, dtype))
    assert np.shape(made) == shape
    assert np.asarray(made).dtype == dtype


@pytest.mark.parametrize("given", [(2, 3), (1, 3), (2, 1), (1,)])
def test_all_of_a_cotangent_is_summed_for_a_number(given):
    made = unbroadcast(np.ones(given), 1.5)
    assert made == np.ones(given).sum()
    assert type(made) is float


def test_a_column_is_repeated_beside_the_sum_of_leading_axes():
    made = unbroadcast(np.arange(8.0).reshape(4, 2, 1), np.zeros((2, 3)))
    assert np.array_equal(made, [[12.0] * 3, [16.0] * 3])
