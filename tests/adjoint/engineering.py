"""Functions as packages for engineers and scientists hold them, with arguments."""

import math

import numpy as np
from scipy.special import logsumexp

rng = np.random.default_rng(0)
CASES = []


def case(*args):
    """Note a function, and arguments for it."""

    def noted(fn):
        CASES.append((fn, args))
        return fn

    return noted


def lotka(y, p):
    return np.array(
        [p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1]]
    )


@case(np.array([1.0, 0.5]), np.array([1.1, 0.4, 0.1, 0.4]), 0.01, 10)
def rk4(y, p, h, n):
    for _ in range(n):
        k1 = lotka(y, p)
        k2 = lotka(y + 0.5 * h * k1, p)
        k3 = lotka(y + 0.5 * h * k2, p)
        k4 = lotka(y + h * k3, p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(y**2)


@case(rng.normal(size=6), 0.1, 0.05, 4)
def heat(u, alpha, dt, nt):
    dx = 1.0 / (len(u) - 1)
    for n in range(nt):
        un = u.copy()
        un[1:-1] = u[1:-1] + alpha * dt / dx**2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = un
    return np.sum(u**2)


@case(rng.normal(size=6), 0.1, 0.05, 4)
def burgers(u0, nu, dt, nt):
    u = u0.copy()
    dx = 1.0 / (len(u) - 1)
    for n in range(nt):
        un = u.copy()
        u[1:-1] = (
            un[1:-1]
            - un[1:-1] * dt / dx * (un[1:-1] - un[:-2])
            + nu * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
        )
        u[0] = 0.0
        u[-1] = 0.0
    return np.sum(u**2)


@case(
    rng.normal(size=(3, 5)),
    rng.normal(size=(8, 5)),
    rng.normal(size=(8, 2)),
    rng.normal(size=8),
)
def lstm(xs, W, U, b):
    n = 2
    h = np.zeros(n)
    c = np.zeros(n)
    out = []
    for x in xs:
        z = W @ x + U @ h + b
        i = 1 / (1 + np.exp(-z[:n]))
        f = 1 / (1 + np.exp(-z[n : 2 * n]))
        o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
        out.append(h)
    return np.sum(np.array(out) ** 2)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@case(
    rng.normal(size=(3, 5)),
    rng.normal(size=4),
    *[
        rng.normal(size=(4, 5)) if i % 2 == 0 else rng.normal(size=(4, 4))
        for i in range(6)
    ],
)
def gru(xs, h, Wz, Uz, Wr, Ur, Wh, Uh):
    for x in xs:
        z = sigmoid(Wz @ x + Uz @ h)
        r = sigmoid(Wr @ x + Ur @ h)
        hh = np.tanh(Wh @ x + Uh @ (r * h))
        h = (1 - z) * h + z * hh
    return np.sum(h)


def _spd(n):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


@case(
    rng.normal(size=(6, 2)),
    np.eye(3) + 0.1,
    rng.normal(size=(2, 3)),
    0.1 * np.eye(3),
    np.eye(2),
    np.zeros(3),
    np.eye(3),
)
def kalman(zs, F, H, Q, R, x, P):
    ll = 0.0
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + Q
        y = z - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(len(x)) - K @ H) @ P
        ll += -0.5 * (
            y @ np.linalg.solve(S, y)
            + np.log(np.linalg.det(S))
            + len(y) * np.log(2 * np.pi)
        )
    return ll


@case(_spd(4), rng.normal(size=4))
def gauss(A, b):
    A = A.copy()
    b = b.copy()
    n = len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            m = A[i, k] / A[k, k]
            A[i, k:] = A[i, k:] - m * A[k, k:]
            b[i] = b[i] - m * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.dot(A[i, i + 1 :], x[i + 1 :])) / A[i, i]
    return np.sum(x**2)


@case(
    rng.normal(size=(10, 2)),
    np.array([0.3, 0.7]),
    rng.normal(size=(2, 2)),
    np.ones((2, 2)),
)
def gmm(x, w, mu, sigma):
    n, d = x.shape
    logp = np.zeros((n, len(w)))
    for k in range(len(w)):
        diff = (x - mu[k]) / sigma[k]
        logp[:, k] = (
            np.log(w[k])
            - 0.5 * np.sum(diff**2, axis=1)
            - np.sum(np.log(sigma[k]))
            - 0.5 * d * np.log(2 * np.pi)
        )
    return np.sum(logsumexp(logp, axis=1))


@case(rng.normal(size=(10, 2)), rng.normal(size=10), 1.2, 0.5, 0.1)
def gp(X, y, ell, sf, sn):
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=2)
    K = sf**2 * np.exp(-0.5 * d2 / ell**2) + sn**2 * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return (
        -0.5 * y @ alpha - np.sum(np.log(np.diag(L))) - 0.5 * len(y) * np.log(2 * np.pi)
    )


@case(np.linspace(0, 1, 6), rng.normal(size=6), 0.35)
def spline(x, y, xq):
    n = len(x) - 1
    h = np.diff(x)
    alpha = 3 * (y[2:] - y[1:-1]) / h[1:] - 3 * (y[1:-1] - y[:-2]) / h[:-1]
    l = np.ones(n + 1)
    mu = np.zeros(n + 1)
    z = np.zeros(n + 1)
    for i in range(1, n):
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (alpha[i - 1] - h[i - 1] * z[i - 1]) / l[i]
    c = np.zeros(n + 1)
    b = np.zeros(n)
    d = np.zeros(n)
    for j in range(n - 1, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    k = np.searchsorted(x, xq) - 1
    t = xq - x[k]
    return y[k] + b[k] * t + c[k] * t**2 + d[k] * t**3


@case(2.0, 1.0)
def newton(a, x):
    for _ in range(20):
        f = x**3 - a * x - 1
        df = 3 * x**2 - a
        step = f / df
        x = x - step
        if abs(step) < 1e-10:
            break
    return x


@case(100.0, 105.0, 0.05, 0.2, 1.0, rng.normal(size=10))
def mc_price(S0, K, r, sigma, T, z):
    ST = S0 * np.exp((r - 0.5 * sigma**2) * T + sigma * np.sqrt(T) * z)
    payoff = np.maximum(ST - K, 0)
    return np.exp(-r * T) * np.mean(payoff)


@case(100.0, 0.05, 0.2, 1.0, rng.normal(size=(50, 12)))
def asian(S0, r, sigma, T, z):
    n_paths, n_steps = z.shape
    dt = T / n_steps
    S = np.empty((n_paths, n_steps + 1))
    S[:, 0] = S0
    for t in range(1, n_steps + 1):
        S[:, t] = S[:, t - 1] * np.exp(
            (r - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * z[:, t - 1]
        )
    avg = S[:, 1:].mean(axis=1)
    return np.exp(-r * T) * np.maximum(avg - S0, 0).mean()


@case(rng.normal(size=10), np.sort(rng.normal(size=10)))
def trapz(y, x):
    return np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2)


@case(0.1 * rng.normal(size=(4, 4)), rng.normal(size=4))
def expm_series(A, v):
    E = np.eye(len(A))
    term = np.eye(len(A))
    for k in range(1, 15):
        term = term @ A / k
        E = E + term
    return np.sum(E @ v)


@case(0.5, 0.3)
def kepler(M, e):
    E = M
    for _ in range(50):
        dE = (E - e * math.sin(E) - M) / (1 - e * math.cos(E))
        E = E - dE
        if abs(dE) < 1e-12:
            break
    return 2 * math.atan2(
        math.sqrt(1 + e) * math.sin(E / 2), math.sqrt(1 - e) * math.cos(E / 2)
    )


@case(350.0, 5e6, 190.0, 4.6e6, 0.01)
def peng_robinson(T, P, Tc, Pc, omega):
    R = 8.314
    kappa = 0.37464 + 1.54226 * omega - 0.26992 * omega**2
    alpha = (1 + kappa * (1 - np.sqrt(T / Tc))) ** 2
    a = 0.45724 * R**2 * Tc**2 / Pc * alpha
    b = 0.07780 * R * Tc / Pc
    A = a * P / (R * T) ** 2
    B = b * P / (R * T)
    Z = 1.0
    for _ in range(30):
        f = Z**3 - (1 - B) * Z**2 + (A - 3 * B**2 - 2 * B) * Z - (A * B - B**2 - B**3)
        fp = 3 * Z**2 - 2 * (1 - B) * Z + (A - 3 * B**2 - 2 * B)
        Z = max(Z - f / fp, B + 1e-9)
    return (
        Z
        - 1
        - np.log(Z - B)
        - A / (2 * np.sqrt(2) * B) * np.log((Z + 2.414 * B) / (Z - 0.414 * B))
    )


@case(
    rng.normal(size=5),
    rng.uniform(1, 2, size=7),
    np.array([0, 1, 2, 3, 4, 0, 1]),
    np.array([1, 2, 3, 4, 0, 2, 3]),
    rng.normal(size=5),
)
def pipes(head, k, start, end, demand):
    dh = head[start] - head[end]
    q = np.sign(dh) * np.sqrt(np.abs(dh) / k)
    res = demand.copy()
    for i in range(len(q)):
        res[start[i]] -= q[i]
        res[end[i]] += q[i]
    return np.sum(res**2)


@case(
    rng.normal(size=(8, 5)),
    rng.normal(size=(5, 3)),
    rng.normal(size=3),
    rng.integers(0, 3, size=8),
)
def xent(X, W, b, y):
    z = X @ W + b
    z = z - z.max(axis=1, keepdims=True)
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(len(y)), y]))


@case(rng.normal(size=(8, 8)), rng.normal(size=(3, 3)))
def conv2d(img, ker):
    H, W = img.shape
    kh, kw = ker.shape
    out = np.zeros((H - kh + 1, W - kw + 1))
    for i in range(H - kh + 1):
        for j in range(W - kw + 1):
            out[i, j] = np.sum(img[i : i + kh, j : j + kw] * ker)
    return np.sum(np.tanh(out))


@case(rng.normal(size=(6, 3)))
def distmat(X):
    n = len(X)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            D[i, j] = np.sqrt(np.sum((X[i] - X[j]) ** 2))
            D[j, i] = D[i, j]
    return np.sum(1 / (1 + D))


@case(np.linspace(0, 1, 10), rng.normal(size=10), rng.normal(size=4))
def polyfit_loss(x, y, c):
    p = np.zeros_like(x)
    for k in range(len(c)):
        p += c[k] * x**k
    return np.mean((p - y) ** 2)


@case(rng.normal(size=3), 1.2, 20)
def horner(c, x, n):
    r = 0.0
    for a in c[::-1]:
        r = r * x + a
    return r


class PID:
    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.integral = 0.0
        self.prev = 0.0

    def step(self, error, dt):
        self.integral += error * dt
        deriv = (error - self.prev) / dt
        self.prev = error
        return self.kp * error + self.ki * self.integral + self.kd * deriv


@case(1.0, 0.1, 0.05, 1.0, 0.1, 20)
def pid_cost(kp, ki, kd, target, dt, n):
    pid = PID(kp, ki, kd)
    x = 0.0
    v = 0.0
    cost = 0.0
    for i in range(n):
        err = target - x
        u = pid.step(err, dt)
        v = v + dt * (u - 0.5 * v)
        x = x + dt * v
        cost = cost + err**2 * dt
    return cost


@case(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), np.ones(4), 0.01, 5)
def nbody(pos, vel, m, dt, steps):
    for _ in range(steps):
        r = pos[None, :, :] - pos[:, None, :]
        d3 = (np.sum(r**2, axis=-1) + 1e-3) ** 1.5
        acc = np.sum(m[None, :, None] * r / d3[:, :, None], axis=1)
        vel = vel + dt * acc
        pos = pos + dt * vel
    return np.sum(pos**2)


@case(rng.normal(size=(8, 5)), rng.normal(size=(5, 4)), rng.normal(size=4), np.ones(4))
def batchnorm(X, W, beta, gamma):
    z = X @ W
    mu = z.mean(axis=0)
    var = z.var(axis=0)
    zn = (z - mu) / np.sqrt(var + 1e-5)
    a = gamma * zn + beta
    return np.sum(np.maximum(a, 0.01 * a))


@case(
    rng.normal(size=(6, 4)),
    rng.normal(size=(4, 4)),
    rng.normal(size=(4, 4)),
    rng.normal(size=(4, 4)),
)
def attention(X, Wq, Wk, Wv):
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    s = Q @ K.T / np.sqrt(K.shape[1])
    s = np.exp(s - np.max(s, axis=-1, keepdims=True))
    a = s / s.sum(axis=-1, keepdims=True)
    return np.sum((a @ V) ** 2)


@case(
    rng.uniform(0.1, 1, size=3),
    rng.uniform(0.1, 1, size=(3, 3)),
    np.array([0, 1, 0, 2]),
)
def hmm(pi, A, obs):
    B = A / A.sum(axis=1, keepdims=True)
    alpha = pi * B[:, obs[0]]
    ll = 0.0
    for t in range(1, len(obs)):
        alpha = (alpha @ B) * B[:, obs[t]]
        s = alpha.sum()
        ll += np.log(s)
        alpha /= s
    return ll


@case(np.array([0.1, 0.8]), rng.normal(size=30) * 0.1)
def garch(theta, r):
    a, b = theta
    var = np.zeros(len(r))
    var[0] = r.var()
    for t in range(1, len(r)):
        var[t] = 0.01 + a * r[t - 1] ** 2 + b * var[t - 1]
    return 0.5 * np.sum(np.log(var) + r**2 / var)
