"""What loops test: indices that may lie outside, and lengths, each once."""

import numpy as np
import pytest

import yota_ast as ya

numba = pytest.importorskip("numba", reason="no Numba: what its loops test")
X = np.array([0.9, -0.2, 0.55, 0.4, 0.75, 0.33, 1.2])


def at_a_number(x, y, n: int):
    return x[n] * y[0]


def of_a_row(x, y, n: int):
    return np.sum(np.outer(x, y)[n, 1:])


def at_an_array(x, y, n: int):
    return np.sum(x[np.array([0, 1]) + n]) * y[1]


def stored(x, y, n: int):
    z = x * y
    z[n] = 2.0
    return np.sum(z)


def in_a_row(x, y, n: int):
    z = np.outer(x, y)
    z[n, 1:] *= 2.0
    return np.sum(z)


def by_a_mask(x, y, n: int):
    z = x * 1.0
    z[x > 0.5] = y[:n]
    return np.sum(z * x)


OUTSIDE = [at_a_number, of_a_row, at_an_array, stored, in_a_row, by_a_mask]


def combined(x, y, n: int):
    u = x[n:] * y[n:]
    for _ in range(n):
        u = u * x[n:] + np.tanh(y[n:] * u)
    return np.sum(u * x[n:])


def sliced(x, y, n: int):
    z = np.outer(x, y)
    w = z[1 : n + 1, 2:] + z[0:n, :-2]
    z[0:n, 1:-1] += w * z[0:n, 1:-1]
    return np.sum(z * z)


def chosen(x, y, n: int):
    """What is known in a branch or loop that does not run is known there alone."""
    u = x
    for _ in range(n):
        u = x * y
    v = u + 0.0
    if n > 2:
        v = v * y
    return np.sum(v) + np.sum(x * y)


INSIDE = [combined, sliced, chosen]


@pytest.mark.parametrize("f", [*OUTSIDE, *INSIDE], ids=lambda f: f.__name__)
def test_other_indices_and_lengths(f, monkeypatch):
    """What the readable gradient gives, or an error, whatever Numba would read."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops = ya.simplegrad(f, X, X + 1, 2, wrt=["x", "y"], backend="numba")
    readable = ya.simplegrad(f, X, X + 1, 2, wrt=["x", "y"])
    for x in (X, X[:5], X[:1], X[:0]):
        for y in (X + 1, X[:5], X[:1], X[:0]):
            for n in (0, 1, 2, 4, 9, -1, -9):
                try:
                    pairs = zip(loops(x, y, n), readable(x, y, n), strict=True)
                except (ValueError, IndexError):
                    continue
                for one, other in pairs:
                    np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("f", OUTSIDE, ids=lambda f: f.__name__)
def test_indices_are_checked(f, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops = ya.simplegrad(f, X, X + 1, 2, wrt=["x", "y"], backend="numba")
    assert "@numba.njit(boundscheck=True" in loops.source


@pytest.mark.parametrize("f", INSIDE, ids=lambda f: f.__name__)
def test_counters_are_not(f, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops = ya.simplegrad(f, X, X + 1, 2, wrt=["x", "y"], backend="numba")
    assert "boundscheck" not in loops.source


def test_a_length_is_tested_once(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops = ya.simplegrad(combined, X, X + 1, 2, wrt=["x", "y"], backend="numba")
    assert loops.source.count("made for arrays of one length") <= 11


def test_an_index_outside_raises():
    loops = ya.simplegrad(at_a_number, X, X, 2, wrt=["x", "y"], backend="numba")
    with pytest.raises(IndexError):
        loops(X, X, 9)


def test_no_array_is_made_for_one_statement_alone(monkeypatch):
    """A sum takes over what it adds up, and what is read for its shape is not made."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)

    def f(x, y):
        t = x * y
        u = t + x * 2.0
        return np.sum(u)

    source = ya.simplegrad(f, X, X + 1, wrt=["x"], backend="numba").source
    assert "val += x[i] * y[i] + x[i] * 2.0" in source
    assert source.count("np.empty") == 1  # the gradient
