"""`np.finfo(float).eps` and its like: the number has the type that it has."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.5, 2.0, 1.5])


def of_a_type(x):
    return np.sum(np.log(x + np.finfo(float).eps))


def of_the_array(x):
    return (
        np.sum(x / (np.abs(x) + np.finfo(x.dtype).tiny)) + np.finfo("f4").nmant * x[0]
    )


def of_whole_numbers(x):
    return x[0] * np.iinfo(np.int8).max


def in_a_list(x, eps=None):
    eps = np.finfo(float).eps if eps is None else eps
    terms = [np.log(v + eps) for v in x]
    return np.log(np.exp(terms - np.max(terms)).sum())


def of_either_kind(x):
    if x.dtype.kind == "f":
        return np.sum(x**2)
    return np.sum(x / np.iinfo(x.dtype).max)


@pytest.mark.parametrize(
    "fn", [of_a_type, of_the_array, of_whole_numbers, in_a_list, of_either_kind]
)
def test_limits_are_numbers(fn):
    check(fn, X)


def test_generated_code_is_plain():
    source = ya.simplegrad(of_a_type, X).source
    assert "    dx = seed / t1\n" in source
