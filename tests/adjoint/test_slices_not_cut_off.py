"""Slices whose ends are variables: they are as long as their ends say where the axis is
long enough. The code takes that for granted where the function needs it, and checks it
at the entry; it asks for no shape while it runs."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.axis_lengths import (
    Dim,
    axis_dim,
    called,
    least_outside,
    total,
)
from yota_ast.ir.facts.loop_counters import counter
from yota_ast.rules.inference.dims import met_uncut
from yota_ast.rules.inference.slice_lengths import length_of_names

from .checking import check


def triangle(C, A, c):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, : i + 1] *= c
        for k in range(A.shape[1]):
            C[i, : i + 1] += c * A[i, k] * A[: i + 1, k]
    return np.sum(C * C)


def columns_and_rows(B, A, c):
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[:i, j] += c * A[i, :i] * B[i, j]
    return np.sum(B * B)


def stencil(out, field):
    n = out.shape[0]
    mean = field[2 : n + 4] * field[0 : n + 2] + field[1 : n + 3]
    flux = mean[1:, None] - mean[:-1, None]
    return np.sum(out * np.sin(mean[1 : n + 1])) + np.sum(flux**3)


def of_two(out, field, weights):
    n = out.shape[0]
    out = out.copy()
    out[:] = field[2 : n + 2] - weights * field[1 : n + 1]
    return np.sum(out * weights)


def of_number(u, v, n):
    u = u.copy()
    for j in range(1, n - 1):
        part = u[j, 0 : n - 2] - u[j, 2:n] + v[1 : n - 1, j]
        u[1 : n - 1, j] = part * v[j, 1 : n - 1]
    return np.sum(u * u)


def rows_of_square(d, m):
    cov = np.zeros((m, m), dtype=d.dtype)
    for i in range(m):
        cov[i:m, i] = d[:, i] @ d[:, i:m]
        cov[i, i:m] = cov[i:m, i]
    return np.sum(cov * cov)


def pairs(p):
    x, y = p[:, 0:1], p[:, 1:2]
    return np.sum(np.sqrt((x.T - x) ** 2 + (y.T - y) ** 2 + 1.0))


def normal(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape)


NEEDED = {
    triangle: [
        (normal(4, 4), normal(4, 3), 0.7),
        (normal(1, 1), normal(1, 2), 0.7),
        (normal(5, 6), normal(3, 1), 0.7),
    ],
    columns_and_rows: [
        (normal(4, 5), normal(4, 4), 0.3),
        (normal(1, 2), normal(1, 1), 0.3),
        (normal(3, 1), normal(4, 2), 0.3),
    ],
    stencil: [
        (normal(5), normal(9)),
        (normal(1), normal(5)),
        (normal(2), normal(8)),
    ],
    pairs: [(normal(4, 3),), (normal(3, 2),), (normal(5, 4),)],
    of_two: [
        (normal(5), normal(9), normal(5)),
        (normal(2), normal(4), normal(2)),
    ],
    of_number: [
        (normal(5, 5), normal(5, 5), 5),
        (normal(3, 3), normal(3, 3), 3),
        (normal(4, 6), normal(5, 4), 4),
    ],
    rows_of_square: [(normal(3, 4), 4), (normal(1, 1), 1), (normal(2, 5), 3)],
}


@pytest.mark.parametrize("fn", NEEDED, ids=lambda f: f.__name__)
def test_no_shape_is_asked_for(fn):
    source = ya.simplegrad(fn, *NEEDED[fn][0]).source
    assert "unbroadcast" not in source, source


@pytest.mark.parametrize("passes", ["all", "none", "-tidy", "-inplace"])
@pytest.mark.parametrize("fn", NEEDED, ids=lambda f: f.__name__)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, NEEDED[fn][0])


@pytest.mark.parametrize("fn", NEEDED, ids=lambda f: f.__name__)
def test_one_source_serves_other_lengths(fn):
    made = ya.simplegrad(fn, *NEEDED[fn][0])
    for args in NEEDED[fn]:
        value, *found = made(*args)
        assert value == fn(*args)
        own = ya.simplegrad(fn, *args)(*args)[1:]
        for d, e in zip(found, own, strict=True):
            assert np.allclose(d, e)


def test_the_entry_check_names_the_axis_that_is_too_short():
    made = ya.simplegrad(triangle, *NEEDED[triangle][0])
    assert "C.shape[1] < A.shape[0]" in made.source
    with pytest.raises(ValueError, match=r"C\.shape\[1\] >= A\.shape\[0\]"):
        made(normal(4, 3), normal(4, 3), 0.7)


def heads(u, v, k):
    return np.sum(u[:k] * v[:k])


def chunks(u, v, k):
    total = 0.0
    for i in range(0, len(u), k):
        total += np.sum(np.sin(u[i : i + k] * v[i : i + k]))
    return total


@pytest.mark.parametrize("fn", [heads, chunks], ids=lambda f: f.__name__)
def test_what_may_be_cut_off_is_not_taken_for_long_enough(fn):
    """Both arrays may be shorter than the slice, or the last chunk."""
    made = ya.simplegrad(fn, normal(6), normal(6), 3)
    u, v = normal(5), normal(5) + 1
    for k in (2, 4, 5, 9):
        value, du, dv = made(u, v, k)
        assert value == fn(u, v, k)
        own = ya.simplegrad(fn, u, v, k)(u, v, k)
        assert np.allclose(du, own[1])
        assert np.allclose(dv, own[2])
        slope = np.cos(u * v) if fn is chunks else np.arange(5) < k
        assert np.allclose(du, v * slope)


N, M = axis_dim("x.shape[0]", 5), axis_dim("y.shape[0]", 6)


def head(axis, stop):
    return length_of_names(axis, (None, stop, None))


def test_slices_of_two_axes_do_not_show_that_they_are_not_cut_off():
    k = Dim("k", 0, 3)
    both = met_uncut(head(N, k), head(M, k))
    assert both is not None
    assert not both.needed
    one = met_uncut(head(N, k), length_of_names(N, (1, k.shifted(1), None)))
    assert one is not None
    assert one.needed
    assert met_uncut(head(N, k), head(M, k.shifted(1))) is None


def test_a_counter_that_leaps_may_miss_its_end():
    step, leap = (called(counter([0, N, by]), "@i") for by in (1, 2))
    assert str(least_outside(total([(M, 1), (step, -1)]))) == (
        "(y.shape[0] - x.shape[0]) + 1"
    )
    assert least_outside(total([(M, 1), (leap, -1)])) is None


def test_an_example_that_is_cut_off_tells_nothing():
    assert head(N, Dim("k", 0, 8)).uncut is None
    assert head(N, Dim("k", 0, 4)).uncut is not None


def around(img, r):
    out = np.zeros_like(img[1:-1, 1:-1])
    for dy in range(-1, 2):
        for dx in range(1, -2, -1):
            near = img[1 + dy : img.shape[0] - 1 + dy, 1 + dx : img.shape[1] - 1 + dx]
            out += np.exp(r * (dy - 2 * dx) * near)
    return np.sum(out * out)


def lags(x, r):
    total = 0.0
    for k in range(-2, 3):
        total = total + r * k * np.sum(x[2 + k : len(x) - 2 + k] * x[2:-2])
    return total * total


@pytest.mark.parametrize("f", [around, lags])
def test_counters_from_below_0(f):
    shape = (6, 5) if f is around else (9,)
    rng = np.random.default_rng(1)
    df = ya.simplegrad(f, rng.normal(size=shape), 0.3)
    assert "unbroadcast" not in df.source
    for short in range(6):
        x = rng.normal(size=tuple(n - short for n in shape))
        try:
            value, dx, dr = df(x, 0.3)
        except ValueError:
            assert short > 2
            continue
        assert value == f(x, 0.3)
        slopes = (f(x, 0.3 + 1e-6) - f(x, 0.3 - 1e-6)) / 2e-6
        assert dr == pytest.approx(slopes, rel=1e-5)
        v = rng.normal(size=x.shape)
        slope = (f(x + 1e-6 * v, 0.3) - f(x - 1e-6 * v, 0.3)) / 2e-6
        assert np.vdot(dx, v) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize(
    "ends", [(-1, 2), (1, -2, -1), (4, -4, -1), (-3, -1), (0, -1, -1), (-2, 5), (5,)]
)
def test_the_bounds_of_counters(ends):
    known = counter(ends)
    term = known.terms[0][0]
    found = range(*ends)
    assert known.offset + term.least.offset == min(found)
    assert known.offset + term.most.offset == max(found)
