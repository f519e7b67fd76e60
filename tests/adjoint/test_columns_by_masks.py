"""Columns that are written under masks, as rotations of many bodies are -> a text that
indexes as the user does, and tells no place from another by a long formula."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

RNG = np.random.default_rng(3)
R = RNG.standard_normal((5, 3, 3))
W = RNG.uniform(0.2, 1.0, size=(5, 3))


def quaternions(R):
    shape = R.shape[:-2]
    traces = np.einsum("nii", R)
    if shape:
        traces = traces.reshape(*shape)
    else:
        traces = traces[0]
    above = traces > 0.0
    out = np.zeros((*shape, 2))
    s = np.sqrt(1.0 + traces[above])
    out[above, 0] = 0.25 * s
    out[above, 1] = (R[above, 2, 1] - R[above, 1, 2]) / s
    return np.sum(out**2)


def by_rows(R, at):
    at = at.copy()
    out = np.zeros((3, 2))
    out[at, 0] = np.sin(R[at, 0, 1])
    out[at, 1] = R[at, 1, 2] ** 2
    at[0] = 2
    return np.sum(out[at, 1] * W[:2, 0]) + np.sum(out**3)


def tilt(a, w):
    a = a / np.linalg.norm(a, axis=1)[:, None]
    out = np.zeros((len(a), 3))
    out[:, 0] = np.arctan2(a[:, 1], a[:, 2])
    out[:, 1] = np.arctan2(-a[:, 0], np.sqrt(a[:, 1] ** 2 + a[:, 2] ** 2))
    return np.sum(np.cos(out) * w)


def attitude(a, m):
    z = a / np.linalg.norm(a)
    y = np.cross(z, m / np.linalg.norm(m))
    x = np.cross(y, z)
    y, x = y / np.linalg.norm(y), x / np.linalg.norm(x)
    C = np.column_stack((x, y, z)).T
    q = np.zeros(4)
    q[0] = np.sqrt(np.clip(C[0, 0] + C[1, 1] + C[2, 2], -1.0, 3.0) + 1.0)
    q[1] = np.sqrt(np.clip(C[0, 0] - C[1, 1] - C[2, 2], -1.0, 3.0) + 1.0)
    q[2] = np.sqrt(np.clip(C[1, 1] - C[0, 0] - C[2, 2], -1.0, 3.0) + 1.0)
    q[3] = np.sqrt(np.clip(C[2, 2] - C[0, 0] - C[1, 1], -1.0, 3.0) + 1.0)
    return np.sum(q / np.linalg.norm(q) * np.arange(4.0))


PROGRAMS = [
    (quaternions, (R,)),
    (by_rows, (R, np.array([0, 1]))),
    (tilt, (W, np.arange(15.0).reshape(5, 3))),
    (attitude, (W[0], W[1])),
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_values(fn, args):
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), [p for p in PROGRAMS if p[0] is not by_rows])
def test_no_helper_is_called(fn, args):
    text = ya.simplegrad(fn, *args).source
    assert text.count("\ndef ") == 1, text


def test_the_rank_decides_whether_there_is_a_shape():
    text = ya.simplegrad(quaternions, R)
    assert "if shape" not in text.source
    with pytest.raises(ValueError, match=r"made for R \(n, m, m\), floats"):
        text(R[0])


@pytest.mark.parametrize("mask", ["above, 0", "above, 2, 1"])
def test_an_index_is_written_where_it_is_used(mask):
    text = ya.simplegrad(quaternions, R).source
    assert text.count(f"[{mask}]") == 3  # once in what is quoted
    assert f"= {mask}\n" not in text


@pytest.mark.parametrize(("fn", "args"), PROGRAMS[2:])
def test_no_long_formula_tells_places(fn, args):
    text = ya.simplegrad(fn, *args).source
    assert "logical_or" not in text


def left_out(p, q):
    r = p / q
    return np.sum(r[0] * W[0]) + r[1, 0]


def test_a_short_one_does():
    p, q = W.copy(), W.copy()
    q[1, 1] = q[2] = 0.0
    with np.errstate(divide="ignore"):
        _, g = ya.grad(left_out, p, q)
    wanted = np.zeros((5, 3))
    wanted[0], wanted[1, 0] = W[0] / q[0], 1 / q[1, 0]
    np.testing.assert_allclose(g[0], wanted)


def columns_of_quotients(a, q):
    x = a / q
    out = np.zeros((len(a), 3))
    out[:, 0] = x[:, 0] * x[:, 1]
    out[:, 1] = np.sin(x[:, 2]) + x[:, 4]
    out[:, 2] = x[:, 5] * x[:, 4]
    return np.sum(out * out)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
def test_columns_that_nothing_reads_may_be_divided_by_zero():
    a = np.outer(np.arange(1.0, 4.0), np.linspace(0.5, 1.2, 8))
    q = np.array([1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 0.0, 1.0])
    _, g = ya.grad(columns_of_quotients, a, q)
    read = q != 0
    _, wanted = ya.grad(columns_of_quotients, a, np.where(read, q, 1.0))
    for found, other in zip(g, wanted, strict=True):
        np.testing.assert_allclose(found[..., read], other[..., read])
        assert not found[..., ~read].any()
    text = ya.simplegrad(columns_of_quotients, a, q).source
    assert "logical_or" not in text
    assert "= dx / np.where(dx == 0, 1, q)" in text
