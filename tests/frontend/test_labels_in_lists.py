"""`np.einsum` with lists of labels: what it is with a string of them, in every mode."""

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode, slopes

X = np.array([0.7, 1.3, 2.1])
V = np.array([0.3, -0.5, 0.8])
ROW, BOTH = [0], [0, 27]


def plain(x):
    a = np.outer(x, x[:2])
    return np.sum(np.einsum(a, [0, 1], a, [0, 2], [1, 2]) ** 2)


def of_any_axes(x):
    a = np.outer(x, x[:2])
    return np.sum(np.einsum(a, [..., 1], a, [..., 1], [...]) ** 2)


def without_labels_of_the_result(x):
    return np.sum(np.einsum(np.outer(x, x), [1, 0], x, [0]) * x)


def in_a_loop(x):
    y = x
    for _ in range(2):
        y = np.einsum(np.outer(y, x), [0, 1], x, [1], [0])
    return np.sum(y)


def in_an_arm(x):
    y = np.einsum(x, [0], x[:2], [27], [0, 27]) if x[0] > 0 else np.outer(x, x)
    return np.sum(y**2)


def labels_by_the_rank(x):
    y = np.outer(x, x[:2])
    axes, summed = list(range(y.ndim)), y.ndim
    for k, n in enumerate(y.shape):
        powers = np.arange(1.0, n + 1)[:, np.newaxis] ** np.arange(2)
        labels = [[*axes[:k], one, *axes[k + 1 :]] for one in (summed, summed + 1)]
        to = [summed, summed + 1]
        y = np.einsum(y, labels[0], powers, to, labels[1], optimize="greedy")
    return np.sum(y**2)


def labels_of_the_module(x):
    return np.sum(np.einsum(x, ROW, x[:2], [27], BOTH) ** 2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        plain, of_any_axes, without_labels_of_the_result, in_a_loop, in_an_arm,
        labels_by_the_rank,
    ],
)  # fmt: skip
def test_every_mode(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, X, V)


def test_the_source():
    assert 'np.einsum("AB,AC->BC", a, a)' in ya.simplegrad(plain, X).source


def test_labels_of_the_module():
    val, g = ya.grad(labels_of_the_module, X)
    assert val == labels_of_the_module(X)
    np.testing.assert_allclose(g[0], slopes(labels_of_the_module, X), atol=1e-6)
