"""Kernels of convolution and pooling, by slices and loops."""

import numpy as np


def convolution(x, w):
    n, height, width, _ = x.shape
    k = w.shape[0]
    out = np.empty((n, height - k + 1, width - k + 1, w.shape[3]))
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            out[:, i, j, :] = np.sum(
                x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis],
                axis=(1, 2, 3),
            )
    return np.sum(out * out)


def shifted_sums(x, w):
    k = w.shape[0]
    height, width = x.shape[0] - k + 1, x.shape[1] - k + 1
    out = np.zeros((height, width))
    for i in range(k):
        for j in range(k):
            out += w[i, j] * x[i : i + height, j : j + width]
    return np.sum(out * out)


def largest_of_windows(x):
    n, height, width, c = x.shape
    out = np.empty((n, height // 2, width // 2, c))
    for i in range(height // 2):
        for j in range(width // 2):
            out[:, i, j, :] = np.max(
                x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)
            )
    return np.sum(out * out)


def means_of_windows(x, k):
    height, width = x.shape[0] // k, x.shape[1] // k
    out = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            out[i, j] = np.mean(x[k * i : k * i + k, k * j : k * j + k])
    return np.sum(out * out * out)


def sharpen(x, w, amount, threshold):
    wide = np.pad(x, 2, mode="edge")
    rows = sum(w[k] * wide[k : k + x.shape[0], :] for k in range(5))
    smooth = sum(w[k] * rows[:, k : k + x.shape[1]] for k in range(5))
    detail = x - smooth
    out = np.where(np.abs(detail) < threshold, x, x + amount * detail)
    return np.sum(out * out)


def layers(x, w1, w2, D):
    h = np.maximum(windows_product(x, w1), 0.0)
    h = 0.25 * (h[:, ::2, ::2] + h[:, 1::2, ::2] + h[:, ::2, 1::2] + h[:, 1::2, 1::2])
    h = np.maximum(windows_product(h, w2), 0.0)
    scores = np.reshape(h, (h.shape[0], -1)) @ D
    return np.sum(scores * scores)


def windows_product(x, w):
    n, height, width, _ = x.shape
    k, out_channels = w.shape[0], w.shape[3]
    out = np.zeros((n, height - k + 1, width - k + 1, out_channels))
    for i in range(k):
        for j in range(k):
            out += x[:, i : i + height - k + 1, j : j + width - k + 1, :] @ w[i, j]
    return out


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    image = rng.normal(size=(7, 8) if small else (200, 200))
    batch = rng.normal(size=(2, 6, 6, 2) if small else (8, 24, 24, 3))
    shape = (2, 8, 8, 2) if small else (8, 32, 32, 3)
    c1, c2 = (2, 3) if small else (8, 16)
    side = (shape[1] - 2) // 2 - 2
    return {
        "convolution": (
            convolution,
            (batch, rng.normal(size=(3, 3, batch.shape[3], c1))),
            ("x", "w"),
        ),
        "shifted sums": (shifted_sums, (image, rng.normal(size=(5, 5))), ("x", "w")),
        "largest of windows": (largest_of_windows, (batch,), ("x",)),
        "means of windows": (means_of_windows, (image, 2 if small else 5), ("x",)),
        "sharpen": (
            sharpen,
            (image, rng.uniform(0.1, 0.3, 5), 1.5, 0.3),
            ("x", "w", "amount"),
        ),
        "layers": (
            layers,
            (
                rng.normal(size=shape),
                rng.normal(size=(3, 3, shape[3], c1)),
                rng.normal(size=(3, 3, c1, c2)),
                rng.normal(size=(side * side * c2, 4)),
            ),
            ("x", "w1", "w2", "D"),
        ),
    }
