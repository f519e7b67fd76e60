"""Where a function gives floats of integers, `infer` says so."""

import warnings

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import special

import yota_ast as ya

from ..operations import OPERATIONS
from . import scipy_operations as table
from .check import call_of


def whole(values):
    """The same with integers in place of the floats in arrays."""
    return {k: counts(v) if is_floats(v) else v for k, v in values.items()}


def counts(values):
    return np.rint(np.clip(np.abs(np.nan_to_num(values)), 0, 9) * 4 + 1).astype(int)


def is_floats(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


ALL = [*OPERATIONS, *table.OPERATIONS]
MANY = 60  # of them in one test: each takes a millisecond


@pytest.mark.parametrize("first", range(0, len(ALL), MANY))
def test_floats_of_integers(first):
    """What a store converts to integers has no slope: it has to be known."""
    for one in ALL[first : first + MANY]:
        call = call_of(one, whole(one.sample(3)))
        y = result(call)
        if is_floats(y) and call.fact.dtype is not None:
            assert call.fact.dtype.kind == "f", str(one)


def result(call):
    """What a call gives; None of one that raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call.run()
        except Exception:
            return None


def of_weights(w, k):
    z = special.softmax(k)
    z[0] = 2 * w[0]
    return np.sum(z)


def test_stores_into_floats_of_integers_have_slopes():
    given = ya.grad(of_weights, np.ones(2), np.array([1, 2, 3]))[1]
    assert given["w"].tolist() == [2.0, 0.0]
