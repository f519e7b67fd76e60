"""Of an array of quotients some elements are read alone: one test tells which, and what
is left out adds nothing."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check
from .test_fewer_statements import reverse_of

L, F = np.array([1.3, 0.7, 2.1, 0.9]), np.array([0.4, -1.1])


def springs(a, L, F):
    k = a / L
    K = np.array([[k[0] + k[1], -k[1]], [-k[1], k[1] + k[2]]])
    return F @ np.linalg.solve(K, F)


def apart(a, L, F):
    k = a / L
    return (k[0] * k[2] + F[0]) ** 2 + np.sin(k[2])


@pytest.mark.parametrize("f", [springs, apart])
@pytest.mark.parametrize("passes", ["all", "none"])
def test_what_is_not_read(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, (L[::-1] + 1, L, F))
    hole = np.r_[L[:3], 0.0]
    with np.errstate(divide="ignore"):
        _, da, dL, _ = ya.simplegrad(f, L, L, F)(L[::-1] + 1, hole, F)
    assert da[3] == dL[3] == 0.0
    assert np.isfinite(da).all()


def test_one_test():
    source = reverse_of(springs, L, L, F)
    assert source.count(" != 0") == 1
    assert "logical_or" not in source
