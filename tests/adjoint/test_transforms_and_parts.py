"""Adjoints of Fourier transforms, of parts of complex numbers and of mixed lists need
no helpers, and what is returned is copied only where it must be."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(4, 6)), RNG.normal(size=(4, 6))
Z = X + 1j * Y


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def power(f):
    return np.sum(np.abs(f) ** 4)


def fft(x):
    return power(np.fft.fft(x, axis=0, norm="ortho"))


def ifft(x):
    return power(np.fft.ifft(x[0]))


def fft2(x):
    return power(np.fft.fft2(x))


def fftn(x):
    return power(np.fft.fftn(x, norm="forward"))


def along_an_axis(x):
    return power(np.fft.ifftn(x, axes=(0,)))


def rfft(x):
    return power(np.fft.rfft(x.real[0]))


def rfft_along_rows(x):
    return power(np.fft.rfft(x.real, axis=0))


def rfft_of_odd(x):
    return power(np.fft.rfft(x.real[0, 1:]))


def rfft2(x):
    return power(np.fft.rfft2(x.real))


def rfftn(x):
    return power(np.fft.rfftn(x.real, axes=(1, 0)))


def irfft(x):
    return power(np.fft.irfft(x + 1j * x))


def irfft2(x):
    return power(np.fft.irfft2(x + 1j * x))


def filtered(x):
    return power(np.fft.irfft(np.fft.rfft(x[0].real) * (1 + 2j), n=x.shape[1]))


def hfft(x):
    return power(np.fft.hfft(x[0] * (1 + 1j)))


def ihfft(x):
    return power(np.fft.ihfft(x[0].real))


WHOLE = [
    fft, ifft, fft2, fftn, along_an_axis, rfft, rfft_along_rows, rfft_of_odd, rfft2,
    rfftn, irfft, irfft2, filtered, hfft, ihfft,
]  # fmt: skip


def helpers(fn, *args, **kwargs):
    source = ya.simplegrad(fn, *args, **kwargs).source
    return [s for s in source.splitlines() if s.startswith("def ")][1:]


@pytest.mark.parametrize("x", [X, Z], ids=["real", "complex"])
@pytest.mark.parametrize("fn", WHOLE)
def test_the_adjoint_of_a_transform_is_the_other_one(fn, x):
    assert helpers(fn, x) == []


def test_a_signal_that_is_cut_or_padded_keeps_its_helper():
    assert helpers(lambda x: power(np.fft.fft(x, 9)), X)
    assert helpers(lambda x: power(np.fft.fft2(x, (3, 9))), X)


def longer(x):
    """Return an array of another shape."""
    return np.concatenate([x, x[:, ::-1] ** 2], axis=1)[:3]


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("x", [X, Z, X.astype("f4"), Z.astype("c8")])
@pytest.mark.parametrize("fn", WHOLE)
def test_the_gradient_of_a_transform(fn, x):
    df = ya.simplegrad(fn, x)
    for at in (x, longer(x), longer(x)[:, 1:]):
        wide = at.astype(np.result_type(at, np.float64))
        wanted = ya.simplegrad(fn, wide)(wide)[1]
        got = df(at)[1]
        assert got.dtype == at.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-3)
        if at.dtype == wide.dtype:
            assert ya.gradcheck(fn, at)


def test_a_length_that_is_a_part_of_a_sum_is_checked_right():
    z = Z[0, :5]
    df = ya.simplegrad(lambda x: power(np.fft.irfft(x)), z)
    for n in (5, 4, 3):
        df(z[:n])


# ---------------------------------------------------------------- parts


def from_parts(x, y):
    z = x + 1j * y
    return np.sum(np.abs(np.exp(z) + z) ** 2)


def phases(x, y):
    return np.sum(np.abs(np.cumsum(x * np.exp(1j * y))) ** 2)


def matrix(x, y):
    a, b = x[0, 0], y[0, 0]
    m = np.array([[a, 1j * np.sin(b)], [2j * b * a, np.cos(a)]])
    return np.sum(np.abs(m @ m + m) ** 2)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", [from_parts, phases, matrix])
def test_the_gradient_of_parts(fn):
    check(fn, (X, Y))


def test_an_imaginary_part_is_read_as_one():
    source = ya.simplegrad(from_parts, X, Y).source
    assert "dy = np.imag(dz).copy()" in source
    assert "np.real(1j" not in ya.simplegrad(phases, X, Y).source


def test_a_list_of_real_and_complex_numbers_has_no_helper():
    assert helpers(matrix, X, Y) == []


def test_a_list_that_was_cut_to_few_digits_keeps_its_helper():
    def fn(a, b):
        return np.sum(np.abs(np.array([a[0], 1j * b[0]], np.complex64)) ** 2)

    assert helpers(fn, X[0], Y[0])


# ---------------------------------------------------------------- copies


def reshaped(x):
    t = np.sin(x.reshape(-1))
    return np.sum(t[1:] * t[:-1])


def turned(x):
    return np.sum(np.cumsum(x[0]) ** 2)


def two_parts(x, y):
    return np.sum(np.concatenate((x, y)) ** 2)


def shown_twice(x, y):
    s = x + y.T.T
    return np.sum(np.sin(s.reshape(-1)) * np.arange(24.0))


def cut(x):
    return np.sum(np.pad(x, 1) ** 3)


ALONE, SHARED = [reshaped, cut], [two_parts]


@pytest.mark.parametrize("fn", ALONE)
def test_a_view_of_what_the_sweep_owns_is_returned(fn):
    assert ".copy()" not in ya.simplegrad(fn, X).source


@pytest.mark.parametrize("fn", SHARED)
def test_two_views_of_one_array_are_copied(fn):
    assert ya.simplegrad(fn, X, Y, wrt=None).source.count(".copy()") == 2


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", [*ALONE, *SHARED, turned, shown_twice, from_parts])
def test_gradients_are_writable_and_share_no_memory(fn):
    args = (X, Y)[: fn.__code__.co_argcount]
    val, *gradients = ya.simplegrad(fn, *args, wrt=None)(*args)
    for k, g in enumerate(gradients):
        g += 0.0
        for other in (*args, val, *gradients[k + 1 :]):
            assert not np.shares_memory(g, other)
    check(fn, args)


def sharper(x, h, y):
    """An image through a kernel, as spectra of both of one shape."""
    spectrum = np.fft.rfft2(x) * np.fft.rfft2(h, s=x.shape)
    return np.sum((np.fft.irfft2(spectrum, s=x.shape) - y) ** 2)


def without_last_row(x, h, y):
    """Without `s` an odd number of columns becomes an even one."""
    spectrum = np.fft.rfft2(x) * np.fft.rfft2(h, s=x.shape)
    return np.sum((np.fft.irfft2(spectrum) - y) ** 2)


@pytest.mark.parametrize("shape", [(4, 5), (3, 6), (5, 1)])
def test_spectra_of_several_axes_have_known_lengths(shape):
    rng = np.random.default_rng(3)
    x, h, y = rng.normal(size=shape), rng.normal(size=(2, 3)), rng.normal(size=shape)
    assert ya.gradcheck(sharper, x, h, y)
    text = ya.simplegrad(sharper, *rng.normal(size=(3, 4, 5)))
    assert "unbroadcast" not in text.source
    with pytest.raises(ValueError, match=r"y \(n, m\)"):
        text(x, h, y[:1] if len(y) > 1 else y[:0])
    short = rng.normal(size=(4, 4))
    assert ya.gradcheck(without_last_row, rng.normal(size=(4, 5)), h, short)
