"""Arrays that `as_strided` makes: read as the elements they are, never written."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import yota_ast as ya

RNG = np.random.default_rng(0)
SIGNAL, IMAGE = RNG.normal(size=7), RNG.normal(size=(4, 5))


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def windows(x, n):
    shape = (*x.shape[:-1], x.shape[-1] - n + 1, n)
    return as_strided(x, shape=shape, strides=(*x.strides, x.strides[-1]))


def averaged(x):
    return np.sum(np.tanh(windows(x, 3).mean(axis=-1)) ** 2)


def hopped(x):
    n = x.itemsize
    frames = as_strided(x, (3, 3), (2 * n, n), writeable=False)
    return np.sum(np.sin(frames) * np.arange(3))


def patches(x):
    y = np.sin(x).T
    return np.sum(as_strided(y, (3, 2, 2, 2), y.strides * 2).max((2, 3)) ** 2)


def turned(x):
    (s, t), (n, m) = x.strides, x.shape
    return np.sum(as_strided(x, (m, n), (t, s)) ** 3 @ np.arange(n))


def of_reversed(x):
    y = x[::-1, 1:]
    return np.sum(np.exp(as_strided(y, (2, 3), y.strides)) * np.arange(3))


def base_written_after(x):
    y = 2 * x
    w = as_strided(y, (5, 3), 2 * y.strides)
    before = np.sum(w**2)
    y[1] = x[0] * x[3]
    return before * np.sum(w**3)


def in_a_loop(x):
    y = x.T / 5
    total = 0.0
    for i in range(3):
        total += np.sum(np.sin(as_strided(y, (2, 3, 2, 2), y.strides * 2)) ** 2)
        y[i] *= total
        y[:, i] *= np.sum(y)
    return total


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (averaged, SIGNAL), (averaged, IMAGE), (hopped, SIGNAL), (patches, IMAGE),
        (turned, IMAGE), (turned, np.asfortranarray(IMAGE)), (of_reversed, IMAGE),
        (base_written_after, SIGNAL), (in_a_loop, IMAGE), (averaged, SIGNAL[::2]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("passes")
def test_each_element_has_the_adjoints_of_all_its_places(f, x):
    assert ya.gradcheck(f, x)
    v = RNG.normal(size=x.shape)
    tangent = ya.jvp(f)(x, v)[1]
    assert np.isclose(tangent, np.sum(ya.grad(f, x)[1][0] * v))
    step = 1e-6 * v
    above, below = (ya.grad(f, x + d)[1][0] for d in (step, -step))
    np.testing.assert_allclose(ya.hvp(f)(x, v), (above - below) / 2e-6, atol=1e-6)


def test_of_an_array_without_elements():
    val, g = ya.grad(lambda x: np.sum(as_strided(x, (0, 3), 2 * x.strides)), np.ones(0))
    assert val == 0
    assert g[0].shape == (0,)


def test_what_is_read_beyond_the_array_is_refused():
    def beyond(x):
        part = (2 * x)[:4]
        return np.sum(as_strided(part, (4, 3), 2 * part.strides))

    with pytest.raises(ValueError, match="beyond_grad: as_strided reads beyond"):
        ya.grad(beyond, SIGNAL)


def test_what_may_be_strided_is_not_written():
    def chosen(x, c):
        y = x * 2
        w = as_strided(y, (4, 3), 2 * y.strides) if c else np.ones((4, 3))
        w[1, 1] = 1.0
        return np.sum(w)

    d = ya.simplegrad(chosen, SIGNAL, True, wrt="x")
    np.testing.assert_array_equal(d(SIGNAL, False)[1], np.zeros(7))
    with pytest.raises(ValueError, match="read-only"):
        d(SIGNAL, True)


def test_sizes_in_bytes_are_whole_numbers():
    def sized(x):
        return np.sum(x) * x.nbytes + x[0] * x.itemsize * len(x.strides)

    assert ya.gradcheck(sized, SIGNAL)
