"""Slices that end `k` before the end of an axis, and elements at places that are looked
up: their lengths are known, and the text stays plain."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import PASSES, check

V = np.array([0.3, -1.0, 2.0, 0.7, 1.1, -0.4])
U = np.linspace(0.2, 1.9, 30).reshape(6, 5) % 0.7


def differences(y, k):
    d = y[k:] - y[:-k]
    return np.sum(d * d)


def ends(y, k):
    return np.sum((y[-k:] - y[:k]) ** 3)


def between(y, k):
    return np.sum(y[k:-k] ** 2) - np.sum(y[: -2 * k] * y[2 * k :])


def lags(y, m):
    s = 0.0
    for k in range(1, m):
        s += np.dot(y[k:], y[:-k]) / k
    return s


def within(u, h):
    r = h // 2
    return np.sum(u[r:-r, r:-r] ** 2 * u[r:-r, r:-r])


def over_arguments(y, w):
    k = len(w)
    return np.sum(y[:-k] * y[k:]) + w @ w


def overwritten(y, k):
    y = y.copy()
    first = y[:-k]
    y[k:] += first * 0.5
    y[:-k] *= y[k:]
    return np.sum(y**3)


ALL = [(f, y, k) for f in (differences, ends, between, lags, overwritten)
       for y, k in ((V, 1), (V, 2))] + [(within, U, 2), (within, U, 4)]  # fmt: skip


@pytest.mark.parametrize("passes", PASSES)
def test_the_gradient(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for fn, y, k in ALL:
        check(fn, (y, k))
        check(fn, (y.astype(np.float32), k))
    check(over_arguments, (V, V[:2]))


@pytest.mark.parametrize("k", [-7, -2, -1, 0, 1, 3, 6, 7, 20])
@pytest.mark.parametrize("fn", [differences, ends, between, lags, overwritten])
def test_other_lags_are_right_or_refused(fn, k):
    made = ya.simplegrad(fn, V, 2)
    try:
        wanted = fn(V, k)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            made(V, k)
        return
    try:
        value, slope = made(V, k)
    except ValueError as error:
        assert "made for" in str(error)  # noqa: PT017
        assert k < 1 or k > 3
    else:
        assert value == wanted
        np.testing.assert_allclose(slope, ya.grad(fn, V, k)[1]["y"], rtol=1e-12)
    assert ya.gradcheck(fn, V, k)


def test_the_text_of_lags():
    text = ya.simplegrad(differences, V, 2).source
    assert "    dy[:-k] = -dd\n    dy[k:] += dd\n" in text, text
    assert "made for y (n,), k >= 1, y.shape[0] >= k, floats" in text
    text = ya.simplegrad(within, U, 2).source
    assert "unbroadcast" not in text, text
    assert "du[r:-r, r:-r] = " in text, text


def interpolated(y, x, q):
    i = np.searchsorted(x, q) - 1
    w = (q - x[i]) / (x[i + 1] - x[i])
    return np.sum(((1 - w) * y[i] + w * y[i + 1]) ** 2)


def in_bins(y, x, q):
    return np.sum((y[np.digitize(q, x)] - q) ** 2)


X = np.array([0.0, 1.0, 2.5, 3.0, 4.0])
Q = np.array([[0.5, 1.5], [2.7, 3.5]])


@pytest.mark.parametrize("q", [Q, Q[0], Q[:0], np.array(0.5), 1.7])
@pytest.mark.parametrize("fn", [interpolated, in_bins])
def test_places_that_are_looked_up(fn, q):
    check(fn, (V, X, q))
    made = ya.simplegrad(fn, V, X, q)
    assert "unbroadcast" not in made.source, made.source


def masked(y, o, m):
    r = y[m] - o[m]
    return np.sum(r**2 * y[m])


def masked_in_a_loop(y, o, m):
    s = 0.0
    for k in range(3):
        s = s + np.sum((y[m] * o[m]) ** 2)
        m = m & (y > 0.1 * k)
    return s


def mask_that_is_written(y, o, m):
    m = m.copy()
    a = y[m]
    m[1] = True
    return np.sum(a * o[m])


@pytest.mark.parametrize("passes", PASSES)
def test_masks_that_are_arguments(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for fn in (masked, masked_in_a_loop):
        for m in (V > 0.5, V > 9, V < 9):
            check(fn, (V, V[::-1] + 0.3, m))
    check(masked, (U, U + 0.2, U > 0.5))
    check(masked, (U, U + 0.2, np.arange(6) > 2))
    one = np.arange(6) == 0
    check(mask_that_is_written, (V, V + 1.0, one))
    check(mask_that_is_written, (V, V + 1.0, np.arange(6) < 3))


def test_no_lengths_of_masks_are_asked_for():
    for fn in (masked, masked_in_a_loop):
        text = ya.simplegrad(fn, V, V, V > 0.5).source
        assert "unbroadcast" not in text, text
