"""Items and parts of arrays that an arm of a branch reads -> the reverse of the arm
reads them again, as long as the array holds them; and lengths of what arms hand on."""

from __future__ import annotations

import re

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

V, W = np.array([0.4, -0.3, 0.9, 0.2]), np.array([1.2, 0.7, -0.5, 0.1])
A = np.outer(V, W) + np.eye(4)


def parts(v, w, flag):
    if flag > 0:
        y = v[:3] * 2
    else:
        y = v[1:] * v[1:] * np.sin(w[:3])
    return np.sum(y**3)


def items(v, w, flag):
    if flag > 0:
        return v[0] * w[1] ** 2
    if v[2] > 0:
        return np.sin(v[1] * v[1] * w[2])
    return v[3]


def of_rows(A, flag):
    k = 1
    if flag > 0:
        y = A[k] * A[:, k] * A[0, 1]
    else:
        y = np.cos(A[k:, 0]) @ A[k:]
    return np.sum(y)


def overwritten(v, w, flag):
    v = v.copy()
    if flag > 0:
        y = v[1] * v[2]
    else:
        y = np.sum(v[1:] * v[:3])
    v[1] = w[0]
    v[2:] *= 2.0
    return y * np.sum(v * w)


def overwritten_in_the_arm(v, w, flag):
    v = v.copy()
    y = 0.0
    if flag < 0:
        y = v[1] * v[2]
        v[1] = y * w[0]
        y = y + np.sum(v[:2] * v[1:3])
    return y * np.sum(v * w)


def through_a_view(v, w, flag):
    v = v.copy()
    u = v[1:]
    if flag < 0:
        y = v[1] * v[2] ** 2
    else:
        y = v[0]
    u *= w[1:]
    return y + np.sum(v**2)


def within_an_arm(v, w, flag):
    y = 0.0
    if flag < 0:
        u = v * w
        if v[0] > 0:
            y = u[1] * u[2] * v[1]
        else:
            y = np.sum(u[1:] * v[1:])
    return y


def rebound(v, w, flag):
    if flag < 0:
        y = v[1] * v[2] * w[0]
    else:
        y = v[0]
    v = np.sin(v * y)
    return np.sum(v * w)


def in_a_loop(v, w, flag):
    y = 0.0
    for k in range(3):
        if v[k] > flag:
            y = y + v[k] * w[k + 1] * v[1]
        else:
            y = y * np.sum(w[k:] * v[k:])
    return y


def by_places(v, w, flag):
    at = np.array([0, 2])
    if flag < 0:
        y = np.sum(v[at] * w[at] * v[at])
    else:
        y = v[0]
    at[0] = 1
    return y + np.sum(v[at])


def fallback(v, w, flag):
    n = np.linalg.norm(v)
    if n == 0:
        u = np.zeros(4)
    else:
        u = v / n
    return np.sum(u * w * flag)


EVERY = [
    parts,
    items,
    overwritten,
    overwritten_in_the_arm,
    through_a_view,
    within_an_arm,
    rebound,
    in_a_loop,
    by_places,
    fallback,
]


@pytest.mark.parametrize("fn", EVERY)
@pytest.mark.parametrize("flag", [1.0, -1.0])
def test_values(fn, flag):
    check(fn, (V, W, flag), wrt=[0, 1])
    check(fn, (V - 0.5, W, flag), wrt=[0, 1])


@pytest.mark.parametrize("flag", [1.0, -1.0])
def test_rows(flag):
    check(of_rows, (A, flag), wrt=[0])


@pytest.mark.parametrize("fn", EVERY)
def test_second_derivatives(fn):
    d = np.array([0.3, -1.0, 0.5, 0.8])
    got = ya.hvp(fn)(V, d, W, -1.0)
    ends = [ya.grad(fn, V + s * d, W, -1.0)[1][0] for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(got, (ends[0] - ends[1]) / 2e-6, atol=2e-6)


@pytest.mark.parametrize("fn", [parts, items])
def test_no_name_is_given(fn):
    text = ya.simplegrad(fn, V, W, -1.0, wrt=[0, 1]).source
    assert not re.findall(r"t\d+ = [vw]\[[^]]*\]\n", text), text


def test_a_text_for_either_arm():
    text = ya.simplegrad(fallback, V, W, 1.0, wrt=[0, 1])
    assert text.source.count("\ndef ") == 1, text.source
    value, dv, _ = text(np.zeros(4), W, 1.0)
    assert value == 0
    assert not dv.any()
    with pytest.raises(ValueError, match=r"made for v \(4,\), w \(4,\)"):
        text(np.ones(5), np.ones(5), 1.0)
