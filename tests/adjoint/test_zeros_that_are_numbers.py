"""Adjoints of arrays that nothing reaches behind a loop that always returns: the number
0.0, which gets the shape of the array where the sweep writes into it."""

from __future__ import annotations

import numpy as np
import pytest

from .checking import check


def parts_shifted(x, a, w, n):
    w = w.copy()
    for _ in range(2):
        w[1:] = w[:-1] * a
    for _ in range(n):
        if a > 0.5:
            w = np.sign(w) * w
        if a > 0.7:
            np.clip(w, -0.5, 0.5, out=w)
        return np.max(x) * a
    return np.sum(x * w)


def by_a_mask(x, a, w, n):
    w = w.copy()
    k = 0
    while (k := k + 1) < 3:
        w[x > 0.15] = w[x > 0.15] * a
    while k > n:
        if a > 0.7:
            np.clip(w, -0.5, 0.5, out=w)
        return np.max(x) * a
    return np.sum(x * w)


def whole_and_scaled(x, a, w, n):
    w = w.copy()
    for _ in range(2):
        w *= 2 * a
    for _ in range(n):
        if a > 0.7:
            np.clip(w, -0.5, 0.5, out=w)
        return np.max(x) * a
    return np.sum(x * w)


def whole_and_added(x, a, w, n):
    w = w.copy()
    for _ in range(2):
        w += a * x
        w -= x
    for _ in range(n):
        if a > 0.7:
            np.clip(w, -0.5, 0.5, out=w)
        return np.max(x) * a
    return np.sum(x * w)


X, W = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.3, 0.6])
ARRAYS = {
    "1-d": (X, W),
    "2-d": (np.outer(X, [1.0, 1.3]), np.outer(W, [1.0, 1.2])),
    "fewer digits": (X, W.astype(np.float32)),
}


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("general", [False, True], ids=["facts", "general"])
@pytest.mark.parametrize("arrays", ARRAYS)
@pytest.mark.parametrize(("a", "n"), [(0.12, 2), (0.9, 2), (0.12, 0), (0.6, 5)])
@pytest.mark.parametrize(
    "f", [parts_shifted, by_a_mask, whole_and_scaled, whole_and_added]
)
def test_they_get_the_shape_of_the_array(f, a, n, arrays, general, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, w = ARRAYS[arrays]
    check(f, (x.copy(), a, w.copy(), n), general=general)
