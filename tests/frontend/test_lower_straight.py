"""Straight-line code, literals, globals, builtins and methods."""

import numpy as np
import pytest

from tests.frontend.lowering import check

r = np.random.default_rng(0)


def dense(x, W, b):
    return x @ W + b


SCALE = 2.5
TABLE = {"a": 1.0, "b": 2.0}
COEF = [1.0, 2.0, 3.0]


def mlp(x, W1, b1, W2, b2, target):
    h = np.tanh(dense(x, W1, b1))
    y = dense(h, W2, b2)
    return np.mean((y - target) ** 2)


def distance(x, w):
    r2 = np.sum(x * x, axis=1)
    pos = r2 > 0
    r = np.where(pos, np.sqrt(r2), 0.0)
    return np.sum(w * r)


def chained(x):
    a = b = x * 2
    a, (b, c) = a + 1, (b, x)
    a, *r = a, b, c
    a, b = b, a
    return a * r[0] + b + r[1]


def aug(x):
    y = 1.0
    y += x
    y *= x
    y -= 3
    y /= 2
    y **= 2
    return y


def walrus(x):
    if (y := x * 2) > 1:
        return y
    return -y


def delname(x):
    y = x * 2
    z = y + 1
    del y
    return z


def ann(x):
    y: float = x * 2
    return y


def chaincmp(x):
    if 0 < x < 9:
        return x * 2
    return x if -5 < x <= 0 else -x


def andor(x, y):
    if (x > 0 and y > 0) or not x < 5:
        return x * y
    z = x or y
    w = x and y
    return z + w


def isin(x, mode):
    if mode in ("a", "b"):
        return x * 2
    if mode not in ["c"]:
        return x * 3
    return x


def match_(x, mode):
    match mode:
        case "a" | "b":
            return x * 2
        case "c":
            return x
        case _:
            return -x


def fstr(x, n):
    s = f"{n:03d}-{x:.2f}" + "abc".upper()
    print(s)
    return x * len(s)


def impf(x):
    import math as m

    from numpy import sin as s

    return s(x) * m.pi


def globs(x, k="a"):
    s = x * SCALE + TABLE["a"] + TABLE.get("q", 3.0)
    for c in COEF:
        s = s * x + c
    return s * TABLE[k]


def conv(x):
    return (
        float(x)
        + int(3.7)
        + round(x, 2)
        + abs(x)
        + max(x, 2.0)
        + min(x, 1.0, 0.5)
        + pow(x, 2)
        + bool(x)
    )


def meth(x):
    return (
        x.sum(axis=0)
        + x.reshape(-1).mean()
        + x.T.dot(x).trace()
        + x.max()
        + x.shape[0] * x.ndim
        + x[..., None].size
    )


def kinds(x, flag=True, n=3):
    if isinstance(x, (int, float)):
        x = np.asarray(x)
    if flag:
        x = x * n
    if np.ndim(x) == 0:
        return x
    if np.isscalar(x):
        return x
    return x.sum()


CASES = [
    (
        mlp,
        False,
        [
            (
                r.normal(size=(4, 3)),
                r.normal(size=(3, 5)),
                r.normal(size=5),
                r.normal(size=(5, 2)),
                r.normal(size=2),
                r.normal(size=(4, 2)),
            )
        ],
    ),
    (distance, False, [(r.normal(size=(3, 2)), r.normal(size=3))]),
    (chained, False, [(2.0,)]),
    (aug, False, [(2.0,), (np.ones(3),)]),
    (walrus, False, [(2.0,), (0.1,)]),
    (delname, False, [(2.0,)]),
    (ann, False, [(2.0,)]),
    (chaincmp, False, [(1.0,), (-1.0,), (-7.0,), (10.0,)]),
    (andor, False, [(1.0, 2.0), (-1.0, 2.0), (7.0, -1.0), (0.0, -2.0)]),
    (isin, False, [(1.0, "a"), (1.0, "c"), (1.0, "d")]),
    (match_, False, [(1.0, "a"), (1.0, "c"), (1.0, "d")]),
    (fstr, False, [(1.5, 3)]),
    (impf, False, [(1.5,)]),
    (globs, False, [(1.5,)]),
    (conv, False, [(1.5,)]),
    (meth, False, [(r.normal(size=(3, 3)),)]),
    (kinds, False, [(1.5,), (np.ones(3), False)]),
]


@pytest.mark.parametrize(
    ("fn", "only_known", "cases"), CASES, ids=lambda p: getattr(p, "__name__", None)
)
def test_tape_does_what_the_function_does(fn, only_known, cases):
    check(fn, *cases, known=(True,) if only_known else (True, False))
