"""Ten small loops, for what each iteration saves; and what may add up in place."""

import math

import numpy as np


def nothing(x, n):
    for _i in range(n):
        x = 2.0 * x
    return x


def entering(x, n):
    for _i in range(n):
        x = x * x
    return x


def result(x, n):
    for _i in range(n):
        x = np.exp(x)
    return np.sum(x)


def index(x, w):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * w[i]
    return s


def both(x, w):
    s = 1.0
    for i in range(len(x)):
        s = s * x[i] + w[i]
    return s


def costly(x, w, n):
    for _i in range(n):
        x = np.tanh(w @ x)
    return np.sum(x)


def inner(x, n):
    for i in range(n):
        for _j in range(i):
            x = x * math.sin(x)
    return x


def counted(x, tol):
    while x > tol:
        x = 0.5 * x
    return x


def overwritten(u, n):
    v = u.copy()
    for _i in range(n):
        v[1:] *= v[:-1]
    return np.sum(v)


def branch(x, n):
    for i in range(n):
        if i % 2 == 0:
            x = x * x
        else:
            x = 3 * x
    return x


def adds_up(x, w, n):
    for _i in range(n):
        x = x + w
    return np.sum(x * x)


def shared(a, b, n):
    t = 0.0
    for _i in range(n):
        s = a + b
        a = np.sin(s)
        t = t + np.sum(a**2)
        b = np.cos(s)
    return t


def passed_on(a, b):
    return a + b


def read_later(a, b):
    x = a * 2
    y = b * 3
    t = np.sum(x**2)
    return t + np.sum(np.sin(x + y))


def through_an_index(x, i):
    return x[i] * x[0]


def of_the_seed(a):
    return a * 1.0
