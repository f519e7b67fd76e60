"""Functions of all kinds, and what they are like: what reports are made of in tests."""

import numpy as np

from yota_ast.api.grad import simplegrad
from yota_ast.api.traced_tapes import gradient_view
from yota_ast.tools.cli.like import parse_like
from yota_ast.tools.report.view import View


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def cell(x, h, c, W, U, b):
    """One step of a long short-term memory."""
    n = h.shape[0]
    gates = W @ x + U @ h + b
    i = sigmoid(gates[:n])
    f = sigmoid(gates[n : 2 * n])
    o = sigmoid(gates[2 * n : 3 * n])
    g = np.tanh(gates[3 * n :])
    c = f * c + i * g
    return o * np.tanh(c), c


def lstm(xs, target, W, U, b):
    h = np.zeros(U.shape[1])
    c = np.zeros(U.shape[1])
    for x in xs:
        h, c = cell(x, h, c, W, U, b)
    return np.mean((h - target) ** 2)


def dense(x, W, b):
    return np.tanh(x @ W + b)


def network(x, W1, b1, W2, b2):
    y = dense(x, W1, b1)
    y = dense(y, W2, b2)
    return np.sum(y**2)


def nested(x, n):
    total = 0.0
    for i in range(n):
        for j in range(3):
            x = np.sin(x) * (i + j)
        total = total + np.sum(x)
    return total


def branching(x, w):
    if w > 0:
        y = np.exp(w * x)
    elif w < -1:
        y = x**2 * w
    else:
        y = -x
    return np.sum(np.where(y > 1, y * w, y))


def stopping(x, tol):
    """Newton's method."""
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def local(x, k):
    def squared(v):
        return v * v

    scaled = lambda v: k * v
    return np.sum(squared(scaled(x)) + scaled(x))


def guarded(x):
    if np.sum(x) < 0:
        return 0.0 * np.sum(x)
    return np.sum(np.log(x))


def filled(x, n):
    y = np.zeros(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = 0.5 * y[i - 1] + np.sin(x[i])
    return np.sum(y**3)


class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return np.tanh(self.W @ x + self.b)


def model(m, x):
    return np.sum(m(m(x)) ** 2)


LIKE = {
    lstm: "xs=float[6,5], target=float[4], W=float[16,5], U=float[16,4], b=float[16]",
    network: "x=float[2,3], W1=float[3,4], b1=float[4], W2=float[4,5], b2=float[5]",
    nested: "x=float[4], n=int",
    branching: "x=float[7], w=float",
    stopping: "x=float, tol=float",
    power: "x=float, n=int",
    local: "x=float[3], k=float",
    guarded: "x=float[3]",
    filled: "x=float[9], n=int",
}
FUNCTIONS = [*LIKE, model]


def view_of(function):
    """The view of the gradient of one of them."""
    if function is model:
        m = Layer(np.eye(3), np.zeros(3))
        return View(*simplegrad(model, m, np.ones(3), wrt="m").viewer.args)
    return gradient_view(function, facts=parse_like(LIKE[function]))
