"""Loops over windows and items that are statements on whole arrays, and that stay."""

from contextlib import nullcontext

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(8)
IMAGE, BATCH = rng.normal(size=(5, 7)), rng.normal(size=(2, 5, 6, 3))
ROW, COLUMN = IMAGE[0], IMAGE[:, 0]


def largest(x):
    n, height, width, c = x.shape
    out = np.empty((n, height // 2, width // 2, c))
    for i in range(height // 2):
        for j in range(width // 2):
            out[:, i, j, :] = np.max(
                x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)
            )
    return np.sum(out * out)


def as_long_as_the_result(x):
    """How far the loops run is read of the array that they write."""
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.max(
                x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)
            )
    return np.sum(out * out)


def means(x, k):
    height, width = x.shape[0] // k, x.shape[1] // k
    out = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            out[i, j] = np.mean(x[k * i : k * i + k, k * j : (j + 1) * k])
    return np.sum(out**3)


def weighted(x, w):
    """The windows of all iterations add to the same weights."""
    out = np.zeros((x.shape[0] // 2, x.shape[1] // 3))
    for i in range(x.shape[0] // 2):
        for j in range(x.shape[1] // 3):
            out[i, j] = np.sum(x[2 * i : 2 * i + 2, 3 * j : 3 * j + 3] * w)
    return np.sum(np.sin(out))


def windows_of_a_vector(x):
    out = np.zeros(len(x) // 3)
    for i in range(len(x) // 3):
        out[i] = np.sum(x[3 * i : 3 * i + 3] ** 2)
    return np.sum(out**2)


def pairs(x, y, w):
    out = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            out[i, j] = w[i, j] * x[i] / (1.0 + y[j] ** 2)
    return np.sum(out * out)


WRITTEN = [
    (largest, (BATCH,)), (as_long_as_the_result, (BATCH,)), (means, (IMAGE, 2)),
    (weighted, (IMAGE, IMAGE[:2, :3])),
    (windows_of_a_vector, (ROW,)), (pairs, (COLUMN, ROW, IMAGE)),
]  # fmt: skip


def apart(x):
    """Between the windows stand items that belong to none."""
    out = np.zeros(x.shape[0] // 3)
    for i in range(x.shape[0] // 3):
        out[i] = np.sum(x[3 * i : 3 * i + 2] ** 2)
    return np.sum(out * out)


def cut_off(x):
    """The last window has fewer items."""
    out = np.zeros((x.shape[0] + 1) // 2)
    for i in range((x.shape[0] + 1) // 2):
        out[i] = np.sum(x[2 * i : 2 * i + 2] ** 2)
    return np.sum(out * out)


def longer_and_longer(x):
    """Each iteration makes an array of another length, over which the inner runs."""
    total = 0.0
    for i in range(1, len(x) // 2):
        out = np.zeros(i)
        for j in range(out.shape[0]):
            out[j] = np.max(x[2 * j : 2 * j + 2]) * x[i]
        total = total + np.sum(out * out)
    return total


def read_again(x):
    """Each window is read by the next."""
    x = x.copy()
    for i in range(1, x.shape[0] // 2):
        x[2 * i : 2 * i + 2] *= x[2 * i - 2 : 2 * i]
    return np.sum(x * x)


def outer(x, y):
    """All that the iterations add to one matrix is larger than what they read."""
    out = np.zeros((len(x), len(y)))
    for i in range(len(x)):
        out += x[i] * np.outer(y, y)[: len(x)] ** 2
    return np.sum(out * out)


STAYING = [
    (apart, (ROW,)), (cut_off, (ROW,)), (longer_and_longer, (ROW,)),
    (read_again, (ROW,)), (outer, (COLUMN, COLUMN)),
]  # fmt: skip


def back_of(fn, args):
    wrt = [
        name
        for name, arg in zip(fn.__code__.co_varnames, args, strict=False)
        if isinstance(arg, np.ndarray)
    ]
    return ya.simplegrad(fn, *args, wrt=wrt).source.partition("# reverse")[2]


@pytest.mark.parametrize("passes", ["all", "-vectors", "-tidy", "-indices", "-zeroing"])
@pytest.mark.parametrize(
    ("fn", "args"), [*WRITTEN, *STAYING], ids=lambda v: getattr(v, "__name__", "")
)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), WRITTEN, ids=[c[0].__name__ for c in WRITTEN])
def test_written_out(monkeypatch, fn, args):
    assert "for " not in back_of(fn, args)
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert "for " in back_of(fn, args)


@pytest.mark.parametrize(("fn", "args"), STAYING, ids=[c[0].__name__ for c in STAYING])
def test_stays(monkeypatch, fn, args):
    source = back_of(fn, args)
    assert "for " in source
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert back_of(fn, args) == source


SHAPES = [(0, 0), (1, 4), (4, 1), (4, 6), (5, 3)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_other_arguments(shape, dtype):
    x = rng.normal(size=shape).astype(dtype)
    x.flat[1:2] = np.nan
    for made_for, others in [((IMAGE, 2), (x, 3)), ((IMAGE, 3), (x, 1))]:
        dx = ya.simplegrad(means, *made_for, wrt=["x"]).fn(*others)[1]
        expected = ya.grad(means, *others, wrt=["x"])[1][0]
        np.testing.assert_allclose(dx, expected, 1e-6)
        assert dx.dtype == dtype
    ties = np.zeros((2, *shape, 2), dtype)
    dx = ya.simplegrad(largest, BATCH).fn(ties + x[..., None])[1]
    assert dx.shape == ties.shape
    assert dx.dtype == dtype


@pytest.mark.parametrize("backend", ["numba", "jax"])
@pytest.mark.parametrize(("fn", "args"), WRITTEN, ids=[c[0].__name__ for c in WRITTEN])
def test_other_back_ends(backend, fn, args):
    library = pytest.importorskip(backend)
    with library.enable_x64(True) if backend == "jax" else nullcontext():
        done = ya.simplegrad(fn, *args, backend=backend)(*args)
    expected = ya.simplegrad(fn, *args)(*args)
    for one, other in zip(done, expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-12)


def test_text():
    lines = [line.strip() for line in back_of(largest, (BATCH,)).splitlines()]
    windows = (
        "x[:, : 2 * t1, : 2 * t2, :].reshape(x.shape[0], t1, 2, t2, 2, x.shape[3])"
    )
    assert f"t3 = {windows}" in lines
    assert "dx[:, : 2 * t1, : 2 * t2, :] = t5" in lines
