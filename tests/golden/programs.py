"""Programs of some length whose gradients have golden texts."""

import math

import numpy as np


def distance(x, w):
    r2 = np.sum(x * x, axis=1)
    pos = r2 > 0
    r = np.where(pos, np.sqrt(r2), 0.0)
    return np.sum(w * r)


def friction(re, eps, mode="auto", limit=None):
    if limit is None:
        limit = 2300.0
    if mode == "laminar" or (mode == "auto" and re < limit):
        return 64.0 / re
    try:
        arg = eps / 3.7 + 5.74 / re**0.9
        a = math.log10(arg)
        f = 0.25 / (a * a)
    except (ValueError, ZeroDivisionError):
        f = 0.02 * re**-0.1
    return f * (1 + 0.5 * eps)


def predator_prey(x, y, a, b, h, n):
    for i in range(n):
        dx = a * x - b * x * y
        dy = b * x * y - y
        x = x + h * dx
        y = y + h * dy
    return x * y


def rnn(x, W, U):
    h = np.zeros(len(W))
    hs = []
    for t in range(len(x)):
        h = np.tanh(W @ h + U @ x[t])
        hs.append(h)
    H = np.stack(hs)
    return np.sum(H**2)


def cell(x, h, c, W, U):
    f, g = np.split(x @ W + h @ U, 2, axis=1)
    f = 1 / (1 + np.exp(-f))
    c = f * c + (1 - f) * np.tanh(g)
    return np.tanh(c), c


def lstm(x, W1, U1, W2, U2):
    h1 = c1 = h2 = c2 = np.zeros((x.shape[1], len(U1)))
    total = 0.0
    for t in range(len(x)):
        h1, c1 = cell(x[t], h1, c1, W1, U1)
        h2, c2 = cell(h1, h2, c2, W2, U2)
        total = total + np.sum(h2**2)
    return total


def newton(c, x, tol):
    while True:
        f = x**3 - c * x - 5.0
        step = f / (3 * x**2 - c)
        x = x - step
        if abs(step) < tol:
            break
    return x


def search(x, w):
    best = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = w * (x[i] - x[j])
            if d * d > 2.0:
                return d * best
            best = best + d * d
    return best


class Filter:
    def __init__(self, gain, start):
        self.gain = gain
        self.state = start
        self.energy = 0.0

    def step(self, u):
        self.state = self.state + self.gain * (u - self.state)
        self.energy += self.state**2
        return self.state


def filtered(gain, x, start):
    f = Filter(gain, start)
    total = 0.0
    for t in range(len(x)):
        total = total + f.step(x[t]) * x[t]
    return total + 0.1 * f.energy


def smoothstep(x, low, high):
    if x < low:
        return 0.0
    y = (x - low) / (high - low)
    if x > high:
        return 1.0 + 0.1 * y
    if y > 0.5:
        return y * y
    return y * y * (3.0 - 2.0 * y)


def smoothed(xs, low, high):
    total = 0.0
    for x in xs:
        total += smoothstep(x, low, high)
    return total
