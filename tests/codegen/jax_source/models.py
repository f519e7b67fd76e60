"""Twelve models, written before the first of them was printed for JAX.

Each is a function of NumPy that its author would write without JAX in mind: loops that
store, slices, parameters in a dict. `MODELS` gives their arguments of 64 bits, and the
numbers that are static under `jax.jit`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def ridge(w, X, y, penalty):
    """Linear regression with a penalty."""
    r = X @ w - y
    return 0.5 * np.mean(r**2) + penalty * np.sum(w**2)


def logistic(w, b, X, y):
    """Logistic regression, labels of -1 and 1."""
    margin = y * (X @ w + b)
    return np.mean(np.logaddexp(0.0, -margin))


def perceptron(params, X, labels):
    """A network of two layers with the cross entropy of labels."""
    h = np.tanh(X @ params["W1"] + params["b1"])
    logits = h @ params["W2"] + params["b2"]
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    logp = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logp[np.arange(len(labels)), labels])


def autoencoder(params, X, noise):
    """A variational autoencoder: the evidence's lower bound, its noise given."""
    h = np.maximum(X @ params["enc"] + params["enc_b"], 0.0)
    mean = h @ params["mean"]
    logvar = h @ params["logvar"]
    z = mean + np.exp(0.5 * logvar) * noise
    out = 1 / (1 + np.exp(-(np.tanh(z @ params["dec"]) @ params["out"])))
    fit = np.sum(X * np.log(out + 1e-6) + (1 - X) * np.log(1 - out + 1e-6), axis=1)
    kl = -0.5 * np.sum(1 + logvar - mean**2 - np.exp(logvar), axis=1)
    return np.mean(kl - fit)


def lstm(W, b, readout, xs, target):
    """A cell that runs over a sequence; all its states are kept in one array."""
    n = len(readout)
    h, c = np.zeros(n), np.zeros(n)
    states = np.zeros((len(xs), n))
    for t in range(len(xs)):
        gates = W @ np.concatenate((xs[t], h)) + b
        i, f, o = (1 / (1 + np.exp(-gates[k * n : (k + 1) * n])) for k in range(3))
        c = f * c + i * np.tanh(gates[3 * n :])
        h = o * np.tanh(c)
        states[t] = h
    return np.sum((states @ readout - target) ** 2)


def kalman(F, Q, R, ys):
    """The negative log likelihood of a filter that observes the first component."""
    d = len(F)
    mean, cov = np.zeros(d), np.eye(d)
    total = 0.0
    for y in ys:
        mean = F @ mean
        cov = F @ cov @ F.T + Q
        s = cov[0, 0] + R
        gain = cov[:, 0] / s
        v = y - mean[0]
        mean = mean + gain * v
        cov = cov - np.outer(gain, cov[0])
        total += 0.5 * (np.log(2 * np.pi * s) + v * v / s)
    return total


def mixture(weights, means, logsig, x):
    """The negative log likelihood of a mixture of Gaussians."""
    logw = weights - np.log(np.sum(np.exp(weights)))
    z = (x[:, None] - means) / np.exp(logsig)
    parts = logw - 0.5 * z**2 - logsig - 0.5 * np.log(2 * np.pi)
    top = parts.max(axis=1)
    return -np.sum(top + np.log(np.sum(np.exp(parts - top[:, None]), axis=1)))


def heat(u0, c, target, n):
    """Heat on a rod by explicit steps, in place."""
    u = u0.copy()
    for _ in range(n):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
        u[-1] = 0.0
    return np.sum((u - target) ** 2)


def options(spot, strike, rate, sigma, time):
    """Prices by Black and Scholes, of puts where the strike is above the spot."""
    root = sigma * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * sigma**2) * time) / root
    d2 = d1 - root

    def cdf(v):
        return 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3)))

    call = spot * cdf(d1) - strike * np.exp(-rate * time) * cdf(d2)
    put = call - spot + strike * np.exp(-rate * time)
    return np.sum(np.where(strike > spot, put, call))


def orbit(p, state, dt, n):
    """An oscillator with friction by steps of Runge and Kutta: its whole path."""

    def slope(s):
        return np.array([s[1], -p[0] * s[0] - p[1] * s[1] + p[2] * np.sin(s[0])])

    path = np.empty((n, 2))
    for k in range(n):
        k1 = slope(state)
        k2 = slope(state + dt / 2 * k1)
        k3 = slope(state + dt / 2 * k2)
        k4 = slope(state + dt * k3)
        state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path[k] = state
    return np.sum(path**2) / n


def attention(Wq, Wk, Wv, X):
    """One head of attention that looks back, and a norm of what it gives."""
    q, k, v = X @ Wq, X @ Wk, X @ Wv
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.where(np.tril(np.ones((len(X), len(X)))) > 0, scores, -1e9)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out = (e / e.sum(axis=-1, keepdims=True)) @ v
    mean = out.mean(axis=0)
    return np.sum(((out - mean) / np.sqrt(out.var(axis=0) + 1e-5)) ** 3)


def process(theta, x, y):
    """The negative log likelihood of a Gaussian process."""
    d2 = (x[:, None] - x[None, :]) ** 2
    K = np.exp(theta[0]) * np.exp(-0.5 * d2 * np.exp(theta[1]))
    K = K + np.exp(theta[2]) * np.eye(len(x))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L, y)
    return 0.5 * np.sum(alpha**2) + np.sum(np.log(np.diag(L)))


@dataclass(frozen=True)
class Model:
    """A model, arguments of 64 bits for it, and the numbers that are static."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    static: Mapping[str, Any] = field(default_factory=dict)
    wrt: tuple[str, ...] | None = None


_rng = np.random.default_rng(38)


def _normal(*shape):
    return 0.5 * _rng.standard_normal(shape)


_SPD = np.eye(3) * 0.3 + 0.05

MODELS = (
    Model(ridge, (_normal(4), _normal(9, 4), _normal(9), 0.1)),
    Model(logistic, (_normal(4), 0.2, _normal(9, 4), np.sign(_normal(9)))),
    Model(
        perceptron,
        (
            {
                "W1": _normal(4, 6),
                "b1": _normal(6),
                "W2": _normal(6, 3),
                "b2": _normal(3),
            },
            _normal(8, 4),
            np.array([0, 2, 1, 1, 0, 2, 2, 0]),
        ),
        wrt=("params",),
    ),
    Model(
        autoencoder,
        (
            {
                "enc": _normal(6, 5),
                "enc_b": _normal(5),
                "mean": _normal(5, 2),
                "logvar": _normal(5, 2),
                "dec": _normal(2, 5),
                "out": _normal(5, 6),
            },
            np.where(_normal(7, 6) > 0, 1.0, 0.0),
            _normal(7, 2),
        ),
        wrt=("params",),
    ),
    Model(lstm, (_normal(12, 5), _normal(12), _normal(3), _normal(6, 2), _normal(6))),
    Model(
        kalman,
        (np.eye(3) * 0.9 + 0.05 * _normal(3, 3), _SPD, 0.4, _normal(8)),
        wrt=("F", "Q", "R"),
    ),
    Model(mixture, (_normal(3), _normal(3), _normal(3), _normal(10))),
    Model(heat, (_normal(12), 0.2, _normal(12)), {"n": 6}, ("u0", "c")),
    Model(
        options,
        (1 + _normal(6) ** 2, 1 + _normal(6) ** 2, 0.03, 0.2, 1 + _normal(6) ** 2),
    ),
    Model(orbit, (_normal(3), _normal(2), 0.1), {"n": 5}, ("p", "state")),
    Model(attention, (_normal(4, 3), _normal(4, 3), _normal(4, 3), _normal(5, 4))),
    Model(process, (_normal(3), _normal(7), _normal(7)), wrt=("theta",)),
)
