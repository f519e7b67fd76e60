"""The optional passes: listed in the docs, and switched by the environment."""

import re
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.support.passes import PASSES

from .adjoint.loop_programs import passage

PAGE = Path(__file__).parents[1] / "docs" / "passes.md"


def test_the_page_lists_them_all():
    listed = re.findall(
        r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert tuple(listed) == PASSES


def decay(x, k, n):
    if n <= 0:
        return k * 0.0
    y = np.zeros(n)
    y[0] = x
    for t in range(1, n):
        y[t] = np.tanh(k * y[t - 1] + x)
    return np.mean(y**2)


def scatter(x, i, c):
    y = x * 2.0
    for k in range(len(i)):
        y[i[k]] = c * y[i[k] + 1]
    return np.sum(y * y)


def paired(m, c):
    m = m.copy()
    for k in range(len(m) - 1):
        m[k, k + 1] = c * m[k, k + 1] * m[k + 1, k]
    return np.sum(m**2)


def smoothed(x):
    y = x.copy()
    y[1:] = x[1:] + 0.5 * x[:-1]
    return np.sum(y * y)


def recurrent(w, h):
    for _ in range(3):
        h = np.tanh(w @ h)
    return np.sum(h)


def penalised(w, x, lam):
    z = x * w
    return np.sum(np.sin(z)) / (lam + 1.0) + (lam + 1.0) * np.sum(w**2)


def newton(a, x, n):
    for _ in range(n):
        step = (x * x - a) / (2.0 * x)
        x = x - step
    return x


def adding_up(x, w):
    total = 0.0
    for i in range(len(x) - 1):
        total += np.sum(np.sin(w * x[i : i + 2]))
    return total


def triangular(w, x):
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = w[i, :i] @ x[:i, j]
    return np.sum(y)


def rectified(w, x):
    return np.sum(np.maximum(w @ x, 0.0) ** 2)


def weighted(s, x):
    w = np.exp(s - s.max())
    w /= w.sum()
    return w @ x


def eliminated(A, b):
    A, b = A.copy(), b.copy()
    for k in range(len(A) - 1):
        for i in range(k + 1, len(A)):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    return b[-1] / A[-1, -1]


def rising(w, x):
    y = x * w
    for i in range(len(x) - 1):
        y[i + 1] = max(y[i + 1], y[i] * w)
    return np.sum(y * y)


def decomposed(A):
    A = A.copy()
    for k in range(len(A) - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        A[[k, p]] = A[[p, k]]
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(np.log(np.diagonal(A)))


def test_each_one_changes_some_text(monkeypatch):
    """A switch that does nothing is none."""
    cases = [
        (decay, 0.4, 0.3, 4),
        (scatter, np.ones(5), np.array([0, 2]), 0.5),
        (paired, np.ones((3, 3)), 0.5),
        (smoothed, np.ones(5)),
        (recurrent, np.ones((2, 2)), np.ones(2)),
        (penalised, np.ones(2), np.ones(2), 0.5),
        (newton, 2.0, 1.0, 3),
        (passage, 0.5, 0.3, 4),
        (adding_up, np.ones(5), 0.5),
        (triangular, np.ones((2, 2)), np.ones((2, 3))),
        (rectified, np.ones((2, 2)), np.ones(2)),
        (weighted, np.ones(2), np.ones(2)),
        (eliminated, np.eye(3) + 1.0, np.ones(3)),
        (rising, 0.5, np.ones(3)),
        (decomposed, np.eye(3) + 1.0),
    ]
    texts = [ya.simplegrad(f, *args).source for f, *args in cases]
    for name in PASSES:
        monkeypatch.setenv("YOTA_AST_PASSES", f"-{name}")
        changed = [ya.simplegrad(f, *args).source for f, *args in cases]
        assert changed != texts, name


def test_a_pass_that_is_not_there(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-nothing")
    with pytest.raises(ya.YotaError, match="no pass '-nothing'") as caught:
        ya.simplegrad(decay, 0.4, 0.3, 4)
    assert "indices" in caught.value.remedy
