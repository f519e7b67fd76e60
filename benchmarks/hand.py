"""The same gradients written by hand: what the generated text is measured against.

Each returns the value and the gradients as the generated function does. They share
what the forward sweep knows, form every product once and let NumPy reuse its
temporaries; they keep no workspaces between calls.
"""

import math

import numpy as np


def mlp_grad(x, W1, b1, W2, b2, W3, b3, target):
    h1 = np.tanh(x @ W1 + b1)
    h2 = np.tanh(h1 @ W2 + b2)
    e = h2 @ W3 + b3 - target
    val = np.mean(e**2)

    de = (2 / e.size) * e
    dh2 = (de @ W3.T) * (1 - h2 * h2)
    dh1 = (dh2 @ W2.T) * (1 - h1 * h1)
    return (
        val,
        x.T @ dh1,
        dh1.sum(axis=0),
        h1.T @ dh2,
        dh2.sum(axis=0),
        h2.T @ de,
        de.sum(axis=0),
    )


def vae_grad(m, x, noise):
    h1 = np.tanh(x @ m.We1 + m.be1)
    h2 = np.tanh(h1 @ m.We2 + m.be2)
    mean = h2 @ m.Wm + m.bm
    log_var = h2 @ m.Ws + m.bs
    spread = np.exp(0.5 * log_var) * noise
    var = np.exp(log_var)
    z = mean + spread
    h3 = np.tanh(z @ m.Wd1 + m.bd1)
    h4 = np.tanh(h3 @ m.Wd2 + m.bd2)
    logits = h4 @ m.Wd3 + m.bd3
    softplus = np.logaddexp(0.0, logits)
    misfit = np.sum(softplus - x * logits)
    divergence = -0.5 * np.sum(1 + log_var - mean**2 - var)
    n = x.shape[0]
    val = (misfit + divergence) / n

    dlogits = (np.exp(logits - softplus) - x) * (1 / n)
    dh4 = (dlogits @ m.Wd3.T) * (1 - h4 * h4)
    dh3 = (dh4 @ m.Wd2.T) * (1 - h3 * h3)
    dz = dh3 @ m.Wd1.T
    dmean = dz + mean * (1 / n)
    dlog_var = 0.5 * (dz * spread + (var - 1) * (1 / n))
    dh2 = (dmean @ m.Wm.T + dlog_var @ m.Ws.T) * (1 - h2 * h2)
    dh1 = (dh2 @ m.We2.T) * (1 - h1 * h1)
    return val, {
        ("We1",): x.T @ dh1,
        ("be1",): dh1.sum(axis=0),
        ("We2",): h1.T @ dh2,
        ("be2",): dh2.sum(axis=0),
        ("Wm",): h2.T @ dmean,
        ("bm",): dmean.sum(axis=0),
        ("Ws",): h2.T @ dlog_var,
        ("bs",): dlog_var.sum(axis=0),
        ("Wd1",): z.T @ dh3,
        ("bd1",): dh3.sum(axis=0),
        ("Wd2",): h3.T @ dh4,
        ("bd2",): dh4.sum(axis=0),
        ("Wd3",): h4.T @ dlogits,
        ("bd3",): dlogits.sum(axis=0),
    }


def logistic_regression_grad(X, y, w, b, penalty):
    minus = -y * (X @ w + b)
    softplus = np.logaddexp(0.0, minus)
    val = np.mean(softplus) + penalty * np.sum(w**2)

    dscore = np.exp(minus - softplus) * y * (-1 / y.size)
    dw = dscore @ X + (2 * penalty) * w
    return val, dw, float(dscore.sum())


def tiny_grad(x, y):
    r = math.sqrt(x * x + y * y)
    decay = math.exp(-r)
    sine = math.sin(x)
    s = 1 + y * y
    log_s = math.log(s)
    val = decay * sine + log_s / r

    dr = -decay * sine - log_s / (r * r)
    dx = decay * math.cos(x) + dr * x / r
    dy = 2 * y / (s * r) + dr * y / r
    return val, dx, dy


def lotka_volterra_grad(x, y, a, b, c, d, dt, n):
    saved = []
    for _ in range(n):
        saved.append((x, y))
        meetings = x * y
        x_rate = a * x - b * meetings
        y_rate = d * meetings - c * y
        x = x + dt * x_rate
        y = y + dt * y_rate

    dx = dy = 1.0
    da = db = dc = dd = 0.0
    for x_in, y_in in saved[::-1]:
        dx_rate = dx * dt
        dy_rate = dy * dt
        meetings = x_in * y_in
        da += dx_rate * x_in
        db -= dx_rate * meetings
        dc -= dy_rate * y_in
        dd += dy_rate * meetings
        dmeetings = dy_rate * d - dx_rate * b
        dx += dx_rate * a + dmeetings * y_in
        dy += dmeetings * x_in - dy_rate * c
    return x + y, dx, dy, da, db, dc, dd
