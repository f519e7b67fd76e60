"""A maximum that is subtracted in a `with` or a `try` counts where what is made of it
is read behind."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(2)


def behind_a_context(x):
    with np.errstate(all="ignore"):
        m = np.max(x)
        t = x - m
    return np.sum(t**2)


def in_two_contexts(x):
    with np.errstate(over="ignore"):
        e = np.exp(x - x.max())
    with np.errstate(over="ignore"):
        return np.sum(e * x)


def in_a_try(x):
    try:
        m = np.max(x)
        t = x - m
    except ValueError:
        return 0.0
    return np.sum(t**3)


def in_the_else(x):
    total = 0.0
    try:
        t = np.sum(x) - np.max(x)
    except ValueError:
        total = 1.0
    else:
        total += t * t
    return total


def exchanged(x):
    a, s = 0.5, 0.3
    try:
        s = 2 * a - np.max(x)
        a, s = s, a * np.var(x)
    except ValueError:
        pass
    return s * a


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        with np.errstate(all="ignore"):
            t = x * k - np.max(x)
        total += np.sum(t * x)
    return total


def softmax(x):
    with np.errstate(all="ignore"):
        e = np.exp(x - np.max(x))
    p = e / np.sum(e)
    return p @ x


CASES = [
    behind_a_context, in_two_contexts, in_a_try, in_the_else, exchanged, in_a_loop,
    softmax,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", CASES)
def test_it_counts(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, v, h = RNG.normal(size=4), RNG.normal(size=4), 1e-6
    check(fn, (x,))
    slope = (fn(x + h * v) - fn(x - h * v)) / (2 * h)
    np.testing.assert_allclose(ya.jvp(fn)(x, v)[1], slope, rtol=1e-6)


def test_a_softmax_has_no_adjoint_through_its_shift_there():
    assert "==" not in ya.simplegrad(softmax, RNG.normal(size=4)).source
