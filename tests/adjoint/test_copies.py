"""A copy has the adjoint of what it is a copy of; sums into parts of arrays."""

import re

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.3, 0.7, -0.4, 0.2, 0.9])
W = np.array([0.5, -0.2, 0.8, 0.1, 0.6])


def stencil(u, w, n):
    for _ in range(n):
        new = u.copy()
        new[1:-1] = u[1:-1] + w[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return np.sum(u**2)


def from_old(u0, w, n):
    u = np.copy(u0)
    for _ in range(n):
        old = u.copy()
        u[1:-1] = old[1:-1] - w[1:-1] * old[1:-1] * (old[1:-1] - old[:-2])
        u[0] = w[0] * old[-1]
    return np.sum(u**2)


def ends(u, w, n):
    for i in range(n):
        new = u.copy()
        if i % 2:
            new[0] = w[1] * u[0] + u[0]
        else:
            new[0] = new[0] - np.sin(u[1]) * new[0]
            u = u * w
        u = new + u
    return np.sum(u * w)


def returned(u, w, n):
    y = u.copy()
    z = y.copy()
    y[: n + 1] = z[: n + 1] - w[: n + 1] * u[: n + 1]
    return z * y


def repeated(u, w, n):
    y = u.copy()
    k = np.array([0, 2, 0, n])
    y[k] = y[k] + w[:4] * u[k]
    return np.sum(y**2)


def masked(u, w, n):
    y = u.copy()
    big = y > 0.25
    y[big] = u[big] + w[big] ** 2 - y[big] * w[big]
    y[np.abs(u) > n] = y[0] + w[0]
    return np.sum(y**2)


def wider(u, w, n):
    y = np.outer(u, w)
    y[1:] = y[1:] + w * u[0]
    y[0] = (y[0] + u[n]) - y[0] * np.reshape(w, (1, -1))
    y[:, n] = y[:, n] - 1.5
    return np.sum(np.sin(y))


def twice(u, w, n):
    y = u.copy()
    for i in range(n):
        y[i] = y[i] + y[i] * w[i]
        y[i] = y[i] + y[i]
        y[i + 1] = y[i] + y[i + 1] * w[i]
        y[i] = w[i] - y[i]
    return np.sum(y * u)


def kept(u, w, n):
    states = []
    for i in range(n):
        new = u.copy()
        new[i] = new[i] + w[i] * u[i + 1]
        states.append(new.copy())
        u = new
    return np.sum(np.array(states) ** 2)


FUNCTIONS = [stencil, from_old, ends, returned, repeated, masked, wider, twice, kept]


@pytest.mark.parametrize("passes", ["all", "none", "-copies", "-inplace", "-zeroing"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X, W, 3))


@pytest.mark.parametrize("fn", [stencil, from_old, twice, wider])
def test_in_single_precision(fn):
    check(fn, (X.astype("f4"), W.astype("f4"), 2))
    check(fn, (X.astype("f4"), W, 2))


@pytest.mark.parametrize("fn", [stencil, from_old])
def test_what_is_added_to_a_part_is_added_to_one_adjoint(fn):
    text = ya.simplegrad(fn, X, W, 3).source
    back = text.partition("# reverse")[2]
    assert "zeros_like(u" not in back
    assert "= 0.0\n        t" not in back
    assert "dnew" not in back
    assert "dold" not in back


def turned_into_a_row(x, p):
    y = np.tanh(np.stack([x, np.ones_like(x) * p[0]]))
    y[0] = p[1][::-1]
    return np.sum(y * y)


def real_parts(x, p):
    z = np.fft.fft(x + 1j * p[1])
    return np.sum(np.real(z) ** 3) * p[0]


@pytest.mark.parametrize("f", [turned_into_a_row, real_parts])
def test_what_is_returned_is_copied_once(f):
    args = (np.array([0.3, -0.2, 0.7]), [0.5, np.array([0.1, 0.4, -0.6])])
    source = ya.simplegrad(f, *args).source
    for line in source.splitlines():
        assert line.count(".copy()") < 2
        assert not re.fullmatch(r"    (\w+) = \1\.copy\(\)", line)
    check(f, args)
