"""Guard clauses whose value is of another kind than that of the rest."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def of_either_shape(v, vector=True):
    if vector:
        return np.array([v * 2.0])
    return v * 3.0


def of_three_kinds(v, n=1):
    if n == 1:
        return v * 2.0, v
    if n == 2:
        return np.array([v, v * v])
    return v * 3.0


def over_axis(x, axis=None):
    if axis is None:
        return np.sum(x * x)
    return np.sum(x * x, axis)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (of_either_shape, (1.5,)),
        (of_either_shape, (1.5, False)),
        (of_three_kinds, (1.5,)),
        (of_three_kinds, (1.5, 2)),
        (of_three_kinds, (1.5, 3)),
        (over_axis, (np.eye(2) + 0.5,)),
        (over_axis, (np.eye(2) + 0.5, 1)),
    ],
)
def test_the_seed_is_that_of_the_value_returned(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, *args)


def test_the_seed_is_checked_once():
    text = ya.simplegrad(of_either_shape, 1.5).source
    assert text.count("np.shape(seed) != np.shape(") == 1
