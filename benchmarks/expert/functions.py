"""Twenty functions as scientists and engineers write them."""

import math

import numpy as np

R = 8.314


def ridge_logistic(w, b, X, y, lam):
    z = X @ w + b
    nll = np.sum(np.log1p(np.exp(z)) - y * z)
    return nll + 0.5 * lam * np.sum(w**2)


def gp_nll(theta, X, y):
    log_ell, log_sf, log_sn = theta
    ell, sf2, sn2 = np.exp(log_ell), np.exp(2 * log_sf), np.exp(2 * log_sn)
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    K = sf2 * np.exp(-0.5 * d2 / ell**2) + sn2 * np.eye(len(y))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    fit = 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))
    return fit + 0.5 * len(y) * np.log(2 * np.pi)


def mixture_nll(logits, mu, log_sigma, x):
    log_pi = logits - np.log(np.sum(np.exp(logits)))
    z = (x[:, None] - mu) / np.exp(log_sigma)
    log_p = log_pi - log_sigma - 0.5 * z**2
    m = np.max(log_p, axis=1, keepdims=True)
    lse = m[:, 0] + np.log(np.sum(np.exp(log_p - m), axis=1))
    return -np.sum(lse)


def kalman_nll(A, Q, R, C, m, P, Y):
    nll = 0.0
    for y in Y:
        m = A @ m
        P = A @ P @ A.T + Q
        v = y - C @ m
        S = C @ P @ C.T + R
        Sinv = np.linalg.inv(S)
        nll = nll + 0.5 * (np.log(np.linalg.det(S)) + v @ Sinv @ v)
        K = P @ C.T @ Sinv
        m = m + K @ v
        P = P - K @ C @ P
    return nll


def predation(z, p):
    a, b, c, d = p
    x, y = z
    return np.array([a * x - b * x * y, c * x * y - d * y])


def predation_misfit(p, z0, dt, data):
    z = z0
    misfit = 0.0
    for row in data:
        k1 = predation(z, p)
        k2 = predation(z + 0.5 * dt * k1, p)
        k3 = predation(z + 0.5 * dt * k2, p)
        k4 = predation(z + dt * k3, p)
        z = z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        misfit = misfit + np.sum((z - row) ** 2)
    return misfit


class Link:
    """One rigid part of an arm, and its angle to the one before."""

    def __init__(self, length, angle):
        self.length = length
        self.angle = angle


class Arm:
    """A chain of links."""

    def __init__(self, links):
        self.links = links

    def tip(self):
        x = y = heading = 0.0
        for link in self.links:
            heading = heading + link.angle
            x = x + link.length * math.cos(heading)
            y = y + link.length * math.sin(heading)
        return x, y


def reach_cost(arm, target_x, target_y, stiffness):
    x, y = arm.tip()
    miss = (x - target_x) ** 2 + (y - target_y) ** 2
    bend = sum(link.angle**2 for link in arm.links)
    return miss + stiffness * bend


def attention_loss(X, Wq, Wk, Wv, target):
    q, k, v = X @ Wq, X @ Wk, X @ Wv
    scores = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    out = weights @ v
    return np.mean((out - target) ** 2)


def burgers_residual(u, nu, dx, dt):
    now = u[:-1, 1:-1]
    ut = (u[1:, 1:-1] - now) / dt
    ux = (u[:-1, 2:] - u[:-1, :-2]) / (2 * dx)
    uxx = (u[:-1, 2:] - 2 * now + u[:-1, :-2]) / dx**2
    r = ut + now * ux - nu * uxx
    return np.mean(r**2)


def portfolio_loss(scores, mu, cov, prev, gamma, cost):
    e = np.exp(scores - np.max(scores))
    w = e / np.sum(e)
    ret = mu @ w
    risk = np.sqrt(w @ cov @ w)
    turnover = np.sum(np.sqrt((w - prev) ** 2 + 1e-6))
    return gamma * risk + cost * turnover - ret


def denoise_energy(u, noisy, lam, eps):
    gx = u[1:, :-1] - u[:-1, :-1]
    gy = u[:-1, 1:] - u[:-1, :-1]
    tv = np.sum(np.sqrt(gx**2 + gy**2 + eps**2))
    return 0.5 * np.sum((u - noisy) ** 2) + lam * tv


def spline_misfit(c, knots, x, y, lam):
    B = np.maximum(x[:, None] - knots, 0.0) ** 3
    fit = c[0] + c[1] * x + c[2] * x**2 + B @ c[3:]
    rough = np.diff(c[3:], 2)
    return np.mean((y - fit) ** 2) + lam * np.sum(rough**2)


def weibull_nll(beta, log_k, X, t, event):
    k = np.exp(log_k)
    scale = np.exp(X @ beta)
    u = t / scale
    log_hazard = log_k - np.log(scale) + (k - 1) * np.log(u)
    return -np.sum(np.where(event, log_hazard, 0.0) - u**k)


def steering_cost(U, x, A, B, Q, R):
    cost = 0.0
    for u in U:
        cost = cost + x @ Q @ x + u @ R @ u
        x = np.tanh(A @ x) + B @ u
    return cost + 10.0 * (x @ Q @ x)


def gaussian_nll(mu, Sigma, X):
    d = X - mu
    _, logdet = np.linalg.slogdet(Sigma)
    maha = np.sum(d * np.linalg.solve(Sigma, d.T).T)
    return 0.5 * (maha + len(X) * logdet)


def cox_nll(beta, X, event):
    eta = X @ beta
    risk = np.cumsum(np.exp(eta)[::-1])[::-1]
    return -np.sum(event * (eta - np.log(risk)))


def huber_misfit(theta, x, y, delta):
    a, b, c = theta
    r = y - (a * np.exp(-b * x) + c)
    size = np.abs(r)
    loss = np.where(size <= delta, 0.5 * r**2, delta * (size - 0.5 * delta))
    return np.sum(loss)


class Dense:
    """A layer of weights and biases."""

    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, x):
        return x @ self.W + self.b


class Classifier:
    """Two layers, and the probabilities of classes."""

    def __init__(self, hidden, out):
        self.hidden = hidden
        self.out = out

    def log_probabilities(self, x):
        h = np.maximum(self.hidden(x), 0)
        logits = self.out(h)
        shifted = logits - logits.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def classifier_loss(model, x, labels):
    logp = model.log_probabilities(x)
    return -np.mean(logp[np.arange(len(labels)), labels])


def arrhenius(k0, Ea, T):
    return k0 * np.exp(-Ea / (R * T))


def reactor_loss(T, flow, volume, k0, Ea, price):
    k = arrhenius(k0, Ea, T)
    tau = volume / flow
    conversion = k * tau / (1 + k * tau)
    heat = 0.02 * (T - 300.0) ** 2
    if conversion > 0.95:  # noqa: SIM108  as people write it
        penalty = 50.0 * (conversion - 0.95) ** 2
    else:
        penalty = 0.0
    return heat + penalty - price * flow * conversion


def lennard_jones(X, eps, sigma):
    i, j = np.triu_indices(len(X), 1)
    d = X[i] - X[j]
    r2 = np.sum(d**2, axis=1)
    s6 = (sigma**2 / r2) ** 3
    return 4 * eps * np.sum(s6**2 - s6)


def hmm_nll(logits, start, emission, symbols):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    A = e / e.sum(axis=1, keepdims=True)
    alpha = start * emission[:, symbols[0]]
    ll = 0.0
    for s in symbols[1:]:
        total = alpha.sum()
        ll = ll + np.log(total)
        alpha = (alpha / total) @ A * emission[:, s]
    return -(ll + np.log(alpha.sum()))


def erlang_cost(lam, mu, c, wage, patience):
    rho = lam / mu
    b = 1.0
    for k in range(1, c + 1):
        b = rho * b / (k + rho * b)
    busy = b / (1 - rho / c * (1 - b))
    queue = busy * rho / (c - rho)
    return wage * c + patience * queue
