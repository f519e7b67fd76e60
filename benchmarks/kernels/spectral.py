"""Spectral kernels."""

import numpy as np


def filtered(x, h):
    n = len(x) + len(h) - 1
    y = np.fft.irfft(np.fft.rfft(x, n) * np.fft.rfft(h, n), n)
    return np.sum(y * y)


def poisson(f, k2):
    u = np.real(np.fft.ifft2(np.fft.fft2(f) / k2))
    return np.sum(u * f)


def spectrogram(x, window, hop):
    n = len(window)
    count = (len(x) - n) // hop + 1
    power = np.zeros((count, n // 2 + 1))
    for i in range(count):
        frame = np.fft.rfft(x[i * hop : i * hop + n] * window)
        power[i] = frame.real**2 + frame.imag**2
    return np.sum(np.log1p(power))


def chebyshev(c, x):
    b1 = np.zeros_like(x)
    b2 = np.zeros_like(x)
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = c[k] + 2.0 * x * b1 - b2, b1
    y = c[0] + x * b1 - b2
    return np.sum(y * y)


def split_step(u, phase, potential, steps):
    for _ in range(steps):
        u = u * potential
        u = np.fft.ifft(phase * np.fft.fft(u, axis=1), axis=1)
    return np.sum(u.real**2 * u.imag**2)


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    n = 8 if small else 128
    k = np.fft.fftfreq(n) * 2 * np.pi
    k2 = k[:, None] ** 2 + k[None, :] ** 2 + 0.1
    long, tap = (10, 3) if small else (20000, 500)
    rows = 2 if small else 100
    return {
        "filtered": (
            filtered,
            (rng.normal(size=long), rng.normal(size=tap)),
            ("x", "h"),
        ),
        "poisson": (poisson, (rng.normal(size=(n, n)), k2), ("f", "k2")),
        "spectrogram": (
            spectrogram,
            (rng.normal(size=long), np.hanning(4 if small else 256) + 0.1, n // 2),
            ("x", "window"),
        ),
        "chebyshev": (
            chebyshev,
            (rng.normal(size=5 if small else 30), rng.uniform(-1, 1, long)),
            ("c", "x"),
        ),
        "split step": (
            split_step,
            (
                rng.normal(size=(rows, n)),
                np.exp(-1j * k * k),
                rng.uniform(0.8, 1.2, n),
                2 if small else 10,
            ),
            ("u", "potential"),
        ),
    }
