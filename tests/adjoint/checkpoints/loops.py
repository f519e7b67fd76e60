"""Functions with a long loop, over `STEPS` or what else `steps_of` is given."""

import re

import numpy as np

import yota_ast as ya

U = np.array([0.3, 0.7, 0.2, 0.9])
SEVERAL = """
def several(u, n):
    v, s = np.cos(u), 0.0
    for k in STEPS:
        u, v = u + 0.1 * v, v - 0.1 * np.sin(u)
        s += np.sum(u * v) / (k + 1)
    return s
"""
PLAIN = """
def plain(u, n):
    for k in STEPS:
        u = np.tanh(u) + 0.1 * k
    return np.sum(u * u)
"""
STENCIL = """
def stencil(u, n):
    u = u.copy()
    for k in STEPS:
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] * u[1:-1] + u[:-2])
    return np.sum(u * u)
"""
ARGUMENT = """
def argument(u, n):
    for k in STEPS:
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] * u[1:-1] + u[:-2])
    return np.sum(u * u)
"""
VIEWS = """
def views(u, n):
    u = u.copy()
    left, right = u[:-1], u[1:]
    for k in STEPS:
        left += 0.1 * np.sin(right)
    return np.sum(u * u)
"""
PRINTS = """
def prints(u, n):
    for k in STEPS:
        u = np.tanh(u)
        if k == 2:
            print("two")
    return np.sum(u)
"""
APPENDS = """
def appends(u, n):
    log = []
    for k in STEPS:
        u = np.tanh(u) * 1.1
        log.append(u[0])
    return np.sum(u) + (log[-1] if log else 0.0)
"""
RECORD = """
def record(u, n):
    out = np.zeros(n + 1)
    for k in STEPS:
        u = np.sin(u) + u
        out[k] = u @ u
    return np.sum(out**2)
"""
BRANCH = """
def branch(u, n):
    for k in STEPS:
        if k % 2 == 0:
            u = np.tanh(u)
        else:
            u = u * u
    return np.sum(u)
"""
INNER = """
def inner(u, n):
    for k in STEPS:
        for j in range(3):
            u = np.sin(u) * (1 + 0.1 * j)
    return np.sum(u)
"""
TWO = """
def two(u, n):
    for k in STEPS:
        u = np.sin(u)
    v = u * 2
    for k in STEPS:
        v = np.cos(v) * u
    return np.sum(v)
"""
LATER = """
def later(u, n):
    c = np.cos(u)
    for k in STEPS:
        u = np.sin(u) * c
    c[0] = 3.0
    return np.sum(u * c)
"""
NUMBERS = """
def numbers(u, n):
    x, y = u[0], 1.0
    for k in STEPS:
        x, y = x * np.sin(y), y + x
    return x + y
"""
AFTER = """
def after(u, n):
    for k in STEPS:
        t = np.sin(u)
        u = t * u
    return np.sum(u) + (np.sum(t) * k if n > 1 else 0)
"""
FIELDS = """
class Model:
    def __init__(self):
        self.w, self.b = np.array([0.3, 0.2, 0.1, 0.4]), 0.5


def fields(u, n):
    m = Model()
    for k in STEPS:
        m.w = np.tanh(m.w * u) + m.b
        m.b = m.b * 0.9
    return np.sum(m.w) + m.b
"""
CONTAINERS = """
def containers(u, n):
    xs, p = [u, 2 * u], {"a": u, "b": u * 2}
    for k in STEPS:
        xs = [np.sin(xs[1]), np.cos(xs[0])]
        p["a"] = np.sin(p["b"])
        p["b"] = p["b"] * p["a"]
    return np.sum(xs[0] * xs[1] * p["a"] * p["b"])
"""
TRIES = """
def tries(u, n):
    for k in STEPS:
        try:
            u = np.sin(u)
        except ValueError:
            u = u * 2
    return np.sum(u)
"""
CALLS = """
def calls(u, n):
    def step(u, k):
        w = np.sin(u)
        return w * np.cos(w) + k

    for k in STEPS:
        u = step(u, k)
    return np.sum(u)
"""
EPOCHS = """
def epochs(u, n):
    for j in range(4):
        c = np.cos(u) * j
        for k in STEPS:
            u = np.sin(u) * c + k
    return np.sum(u)
"""
OVERWRITTEN = """
def overwritten(u, n):
    u = u.copy()
    for j in range(3):
        c = np.cos(u)
        for k in STEPS:
            u[1:] += np.sin(u[:-1]) * c[1:]
        c[0] = 2.0
        u = u * c
    return np.sum(u * u)
"""
WHILE = """
def meanwhile(u, n):
    j = 0
    while j < 3:
        for k in STEPS:
            u = np.sin(u) * 1.2
        j += 1
    return np.sum(u)
"""
DEEP = """
def deep(u, n):
    for i in range(2):
        for j in range(3):
            for k in STEPS:
                u = np.sin(u) * (1 + 0.1 * j)
    return np.sum(u)
"""
INLINED = """
def march(u, n, j):
    for k in STEPS:
        u = np.tanh(u) * 1.1
    return u


def inlined(u, n):
    s = 0.0
    for i in range(3):
        s += np.sum(march(u * i, n, i) ** 2)
    return s
"""
TEXTS = (
    PLAIN, SEVERAL, STENCIL, ARGUMENT, VIEWS, PRINTS, APPENDS, RECORD, BRANCH, INNER,
    TWO, LATER, NUMBERS, AFTER, FIELDS, CONTAINERS, TRIES, CALLS,
)  # fmt: skip
LOOPS = {re.findall(r"^def (\w+)", text, re.MULTILINE)[0]: text for text in TEXTS}

WITHIN = {
    re.findall(r"^def (\w+)", text, re.MULTILINE)[-1]: text
    for text in (EPOCHS, OVERWRITTEN, WHILE, DEEP, INLINED)
}


def made(text, steps):
    """What the text of a function defines, its loops over these steps."""
    source = text.replace("STEPS", steps)
    return ya.from_source(source, {"np": np, "ya": ya, "__name__": "loops"})


def function(name, steps):
    return made(LOOPS[name], steps)[name]
