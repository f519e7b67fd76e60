"""Traces and diagonals of stacks of matrices -> cotangents times `np.eye`."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

R = np.random.default_rng(0).standard_normal((5, 3, 3))
W, V = np.arange(15.0).reshape(5, 3) + 0.3, np.arange(5.0) + 0.3
EYE = "[:, np.newaxis, np.newaxis] * np.eye(R.shape[1])"
OF_ROWS = "[:, :, np.newaxis] * np.eye(R.shape[1])"


def traces(R):
    return np.trace(R, axis1=1, axis2=2) @ V


def traces_from_the_end(R):
    return np.trace(R, axis1=-2, axis2=-1) @ V


def labelled(R):
    return np.einsum("nii->n", R) @ V


def without_result(R):
    return np.sum(np.einsum("nii", R) ** 2)


def kept(R):
    return np.sum(np.einsum("nii->ni", R) * W)


def diagonals(R):
    return np.sum(np.diagonal(R, axis1=1, axis2=2) ** 3)


def wide(R):
    return np.sum(np.trace(R[:, :2], axis1=1, axis2=2) ** 2)


def beside(R):
    return np.sum(np.trace(R, offset=1, axis1=1, axis2=2) ** 2)


def first_axes(R):
    return np.sum(np.trace(R[:3]) * V[:3])


def turned(R):
    return np.sum(np.einsum("nii->in", R) * W.T)


def thrice(R):
    return np.einsum("iii", R[:3]) ** 2


SHORT = [
    (traces, EYE),
    (traces_from_the_end, EYE),
    (labelled, EYE),
    (without_result, EYE),
    (kept, OF_ROWS),
    (diagonals, OF_ROWS),
    (wide, "* np.eye(\n"),
]
OTHERS = [beside, first_axes, turned, thrice]


@pytest.mark.parametrize("fn", [fn for fn, _ in SHORT] + OTHERS)
def test_values(fn):
    check(fn, (R,))
    check(fn, (R.astype("f4"),))


@pytest.mark.parametrize(("fn", "told"), SHORT)
def test_texts(fn, told):
    text = ya.simplegrad(fn, R).source
    assert told in text
    assert "einsum(" not in text.split("# reverse")[1].split("\n", 2)[2]
    assert "\ndef un" not in text


@pytest.mark.parametrize("fn", [traces, without_result, kept, diagonals])
def test_second_derivatives(fn):
    v = np.cos(np.arange(45.0)).reshape(R.shape)
    h = ya.hvp(fn)(R, v)
    ends = [ya.grad(fn, R + s * v)[1][0] for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(h, (ends[0] - ends[1]) / 2e-6, atol=1e-6)
