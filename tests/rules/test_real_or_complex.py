"""Functions whose values are complex where those of real arguments are: the numbers
decide, and adjoints of what is real are real."""

from typing import Any

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya

VECTOR = np.array([1.0, 2.0, 5.0])
ROTATED = np.array([[1.0, 2.0], [-2.0, 1.0]])
POSITIVE = np.array([[2.0, 0.3], [0.3, 1.0]])


def close_to_real(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(np.real_if_close(x * np.exp(1e-20j)) * np.cos(p)))


def far_from_real(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(np.real_if_close(x * np.exp(0.3j)) * x + np.sin(p)))


def of_real(x, p):  # type: ignore[no-untyped-def]
    return np.max(np.real_if_close(x) * np.cos(p))


def root(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(linalg.sqrtm(x) * np.cos(p)) ** 2)


def logarithm(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(linalg.logm(x) * np.cos(p)) ** 2)


def without_imaginary_part(x, p):  # type: ignore[no-untyped-def]
    mean = linalg.sqrtm(x @ p)
    if np.iscomplexobj(mean):
        mean = mean.real
    return np.trace(x) - 2 * np.trace(mean)


CASES = [
    *((f, VECTOR) for f in (close_to_real, far_from_real, of_real)),
    *((f, x) for f in (root, logarithm) for x in (POSITIVE, ROTATED, -POSITIVE)),
    *((without_imaginary_part, x) for x in (POSITIVE, -POSITIVE)),
]


@pytest.mark.parametrize(("f", "x"), CASES)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_gradients(
    f: Any, x: Any, passes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    p = np.linspace(0.3, 0.9, x.size).reshape(x.shape)
    value, gradients = ya.grad(f, x, p)
    assert value == f(x, p)
    assert all(g.dtype == float for g in gradients)
    found = ya.gradcheck(f, x, p)
    assert found, str(found)
