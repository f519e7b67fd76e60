"""The functions whose gradients are timed: NumPy as its users write it.

`peers.py` loads this file again with `np` and `math` bound to another library, so
everything here goes through these two names.
"""

import math

import numpy as np


def dense(x, W, b):
    return x @ W + b


def mlp(x, W1, b1, W2, b2, W3, b3, target):
    h = np.tanh(dense(x, W1, b1))
    h = np.tanh(dense(h, W2, b2))
    return np.mean((dense(h, W3, b3) - target) ** 2)


class VAE:
    """The 14 arrays of a variational autoencoder with three layers on each side."""

    def __init__(self, arrays):
        (
            (self.We1, self.be1, self.We2, self.be2),
            (self.Wm, self.bm, self.Ws, self.bs),
            (self.Wd1, self.bd1, self.Wd2, self.bd2, self.Wd3, self.bd3),
        ) = arrays[:4], arrays[4:8], arrays[8:]

    def encode(self, x):
        h = np.tanh(dense(x, self.We1, self.be1))
        h = np.tanh(dense(h, self.We2, self.be2))
        return dense(h, self.Wm, self.bm), dense(h, self.Ws, self.bs)

    def decode(self, z):
        h = np.tanh(dense(z, self.Wd1, self.bd1))
        h = np.tanh(dense(h, self.Wd2, self.bd2))
        return dense(h, self.Wd3, self.bd3)


def vae(m, x, noise):
    mean, log_var = m.encode(x)
    z = mean + np.exp(0.5 * log_var) * noise
    logits = m.decode(z)
    misfit = np.sum(np.logaddexp(0.0, logits) - x * logits)
    divergence = -0.5 * np.sum(1 + log_var - mean**2 - np.exp(log_var))
    return (misfit + divergence) / x.shape[0]


def logistic_regression(X, y, w, b, penalty):
    margin = y * (X @ w + b)
    return np.mean(np.logaddexp(0.0, -margin)) + penalty * np.sum(w**2)


def tiny(x, y):
    r = math.sqrt(x * x + y * y)
    return math.exp(-r) * math.sin(x) + math.log(1 + y * y) / r


def lotka_volterra(x, y, a, b, c, d, dt, n):
    for _ in range(n):
        meetings = x * y
        x_rate = a * x - b * meetings
        y_rate = d * meetings - c * y
        x = x + dt * x_rate
        y = y + dt * y_rate
    return x + y


def chain(x, y, a):
    t = np.sin(x) * y
    u = np.exp(-t * t) + a * x
    v = np.tanh(u) * np.sqrt(1 + x * x)
    return np.sum(v * v)


def black_scholes(S, K, T, sigma, r):
    root = sigma * np.sqrt(T)
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / root
    d2 = d1 - root
    likely = 1 / (1 + np.exp(-1.702 * d1))
    exercised = 1 / (1 + np.exp(-1.702 * d2))
    return np.sum(S * likely - K * np.exp(-r * T) * exercised)


def heat(u, k, n):
    for _ in range(n):
        inner = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def mixture(x, mean, log_scale, log_weight):
    z = (x[:, None] - mean) * np.exp(-log_scale)
    e = log_weight - log_scale - 0.5 * z * z
    top = np.max(e, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(e - top), axis=1)) + top[:, 0])
