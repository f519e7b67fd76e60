"""Loops over windows that overlap: loops over places in them, and loops that stay."""

from contextlib import nullcontext

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(8)
IMAGE, WEIGHTS = rng.normal(size=(5, 7)), rng.normal(size=(3, 2))
BATCH, FILTERS = rng.normal(size=(2, 5, 6, 3)), rng.normal(size=(3, 3, 3, 4))
ROW, TAPS = IMAGE[0], WEIGHTS[:, 0].copy()


def filtered(x, w):
    y = np.zeros(len(x) - len(w) + 1)
    for i in range(len(x) - len(w) + 1):
        y[i] = x[i : i + len(w)] @ w
    return np.sum(np.sin(y))


def of_one_channel(x, w, bias):
    """A convolution with one channel, and pooling behind it."""
    n, height, width, _ = x.shape
    k = w.shape[0]
    out = np.empty((n, height - k + 1, width - k + 1, w.shape[3]))
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            window = x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis]
            out[:, i, j, :] = np.sum(window, axis=(1, 2, 3))
    out = np.maximum(out + bias, 0)
    pooled = np.empty((n, out.shape[1] // 2, out.shape[2] // 2, out.shape[3]))
    for i in range(pooled.shape[1]):
        for j in range(pooled.shape[2]):
            pooled[:, i, j, :] = np.max(
                out[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)
            )
    return np.sum(pooled**2)


def convolved(x, w, bias):
    n, height, width, _ = x.shape
    k = w.shape[0]
    out = np.empty((n, height - k + 1, width - k + 1, w.shape[3]))
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            window = x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis]
            out[:, i, j, :] = np.sum(window, axis=(1, 2, 3)) + bias
    return np.sum(out * out)


def correlated(x, w):
    n, m = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = np.sum(x[i : i + w.shape[0], j : j + w.shape[1]] * w)
    return np.sum(np.tanh(out))


def overlapping(x):
    out = np.zeros((x.shape[0] - 1, x.shape[1] - 1))
    for i in range(x.shape[0] - 1):
        for j in range(x.shape[1] - 1):
            out[i, j] = np.sum(x[i : i + 2, j : j + 2] ** 2)
    return np.sum(out * out)


def of_rows(x, w):
    out = np.zeros((x.shape[0] - len(w) + 1, x.shape[1]))
    for i in range(x.shape[0] - len(w) + 1):
        out[i] = w @ x[i : i + len(w)]
    return np.sum(out**3)


def summed_up(x, w):
    """The cotangent of the sum is handed on by the loop."""
    total = 0.0
    for i in range(len(x) - len(w) + 1):
        total += np.sum(x[i : i + len(w)] * w)
    return total**2


def of_a_sum(x, w):
    """So it is where the windows are weighted by what is read beside them."""
    total = 0.0
    for i in range(len(x) - len(w) + 1):
        total += x[i] * np.sum(x[i : i + len(w)] * w)
    return total**2


EXCHANGED = [
    (filtered, (ROW, TAPS)), (convolved, (BATCH, FILTERS, FILTERS[0, 0, 0])),
    (correlated, (IMAGE, WEIGHTS)), (overlapping, (IMAGE,)), (of_rows, (IMAGE, TAPS)),
    (summed_up, (ROW, TAPS)),
    (of_one_channel, (BATCH[..., :1], FILTERS[:, :, :1], FILTERS[0, 0, 0])),
]  # fmt: skip


def long_windows(x):
    """The windows are longer than there are."""
    out = np.zeros(3)
    for i in range(3):
        out[i] = np.sum(np.exp(x[i : i + 5]))
    return np.sum(out * out)


def beside(x, w):
    """What is at the middle of a window takes a sum over the window."""
    out = np.zeros(len(x) - len(w) + 1)
    for i in range(len(x) - len(w) + 1):
        out[i] = x[i + 1] * (x[i : i + len(w)] @ w)
    return np.sum(out * out)


def scaled(x):
    """What is computed of a window is a number, and that is needed in it again."""
    out = np.zeros(len(x) - 1)
    for i in range(len(x) - 1):
        window = x[i : i + 2]
        out[i] = np.sum(window / np.sqrt(np.sum(window**2)))
    return np.sum(out * out)


def smoothed(x):
    """Each window is read by the next."""
    x = x.copy()
    for i in range(len(x) - 2):
        x[i : i + 3] = 0.5 * x[i : i + 3] + 0.1 * x[i]
    return np.sum(x * x)


def cut_off(x, w):
    """The last windows have fewer items."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        window = x[i : i + 3]
        out[i] = np.sum(window * w[: len(window)])
    return np.sum(out * out)


STAYING = [
    (long_windows, (ROW,)), (beside, (ROW, TAPS)), (scaled, (ROW,)), (smoothed, (ROW,)),
    (cut_off, (ROW, TAPS)), (of_a_sum, (ROW, TAPS)),
]  # fmt: skip


def back_of(fn, args):
    return ya.simplegrad(fn, *args).source.partition("# reverse")[2]


@pytest.mark.parametrize("passes", ["all", "none", "-vectors", "-tidy", "-indices"])
@pytest.mark.parametrize(
    ("fn", "args"), [*EXCHANGED, *STAYING], ids=lambda v: getattr(v, "__name__", "")
)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(
    ("fn", "args"), [*EXCHANGED, *STAYING], ids=lambda v: getattr(v, "__name__", "")
)
def test_loops_over_places(monkeypatch, fn, args):
    source = back_of(fn, args)
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    changed = back_of(fn, args) != source
    assert changed == (fn in [case[0] for case in EXCHANGED]), source


def test_texts():
    lines = [line.strip() for line in back_of(filtered, (ROW, TAPS)).splitlines()]
    assert "for i in range(len(w)):" in lines, lines
    assert "dw[i] = np.vdot(dy, x[i:t3])" in lines, lines
    assert "dx[i:t3] += dy * w[i]" in lines, lines
    lines = back_of(convolved, EXCHANGED[1][1]).splitlines()
    assert "    dbias = np.sum(dout, axis=(0, 1, 2))" in lines, lines


@pytest.mark.parametrize("channels", [1, 2])
def test_channels_of_any_number(channels):
    args = BATCH[..., :channels], FILTERS[:, :, :channels], FILTERS[0, 0, 0]
    check(convolved, args)
    assert "for i in range(k" in back_of(convolved, args)


@pytest.mark.parametrize("shapes", [(3, 3), (9, 1), (4, 0), (2, 2)])
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_other_arguments(shapes, dtype):
    x, w = (rng.normal(size=n).astype(dtype) for n in shapes)
    found = ya.simplegrad(filtered, ROW, TAPS).fn(x, w)
    expected = ya.grad(filtered, x, w)
    np.testing.assert_allclose(found[0], expected[0], 1e-6)
    for one, other in zip(found[1:], expected[1], strict=True):
        assert one.dtype == other.dtype == dtype
        np.testing.assert_allclose(one, other, 1e-5)


def test_windows_longer_than_the_array_are_refused_in_words():
    made = ya.simplegrad(correlated, IMAGE, WEIGHTS).fn
    with pytest.raises(ValueError, match="correlated_grad: made for"):
        made(IMAGE[:1], WEIGHTS)


@pytest.mark.parametrize("backend", ["numba", "jax"])
@pytest.mark.parametrize(
    ("fn", "args"), EXCHANGED, ids=[c[0].__name__ for c in EXCHANGED]
)
def test_other_back_ends(backend, fn, args):
    library = pytest.importorskip(backend)
    with library.enable_x64(True) if backend == "jax" else nullcontext():
        done = ya.simplegrad(fn, *args, backend=backend)(*args)
    expected = ya.simplegrad(fn, *args)(*args)
    for one, other in zip(done, expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-12, 1e-12)
