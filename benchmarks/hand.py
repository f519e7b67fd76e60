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


def chain_grad(x, y, a):
    s = np.sin(x)
    t = s * y
    bell = np.exp(-t * t)
    tanh = np.tanh(bell + a * x)
    square = 1 + x * x
    root = np.sqrt(square)
    v = tanh * root
    val = np.sum(v * v)

    dv = 2 * v
    du = dv * root * (1 - tanh * tanh)
    dt = -2 * du * bell * t
    dx = dv * tanh / root * x + a * du + dt * y * np.cos(x)
    return val, dx, dt * s, float(du @ x)


def black_scholes_grad(S, K, T, sigma, r):
    root_T = np.sqrt(T)
    root = sigma * root_T
    drift = r + 0.5 * sigma**2
    d1 = (np.log(S / K) + drift * T) / root
    d2 = d1 - root
    likely = 1 / (1 + np.exp(-1.702 * d1))
    exercised = 1 / (1 + np.exp(-1.702 * d2))
    discounted = K * np.exp(-r * T)
    val = np.sum(S * likely - discounted * exercised)

    dd2 = -1.702 * discounted * exercised * (1 - exercised)
    dd1 = 1.702 * S * likely * (1 - likely) + dd2
    inner = dd1 / root
    droot = -inner * d1 - dd2
    dS = likely + inner / S
    dT = r * discounted * exercised + inner * drift + droot * sigma / (2 * root_T)
    dsigma = inner * T * sigma + droot * root_T
    return val, dS, dT, dsigma


def heat_grad(u, k, n):
    u = u.copy()
    curvatures = []
    for _ in range(n):
        curvature = u[2:] - 2 * u[1:-1] + u[:-2]
        u[1:-1] += k * curvature
        curvatures.append(curvature)
    val = np.sum(u * u)

    du = 2 * u
    dk = 0.0
    for curvature in reversed(curvatures):
        dk += du[1:-1] @ curvature
        flow = k * du[1:-1]
        du[:-2] += flow
        du[1:-1] -= 2 * flow
        du[2:] += flow
    return val, du, float(dk)


def mixture_grad(x, mean, log_scale, log_weight):
    inverse = np.exp(-log_scale)
    z = (x[:, None] - mean) * inverse
    e = log_weight - log_scale - 0.5 * z * z
    top = np.max(e, axis=1, keepdims=True)
    shares = np.exp(e - top)
    total = np.sum(shares, axis=1)
    val = np.sum(np.log(total) + top[:, 0])

    de = shares / total[:, None]
    dlog_weight = de.sum(axis=0)
    scaled = de * z
    dmean = scaled.sum(axis=0) * inverse
    dlog_scale = (scaled * z).sum(axis=0) - dlog_weight
    return val, dmean, dlog_scale, dlog_weight
