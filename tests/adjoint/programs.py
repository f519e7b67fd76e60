"""Whole functions that are easy to get wrong, with arguments to try them on.

Overwritten names, aliases, loops that do not run, variables that one arm defines,
nested loops, early returns, stores, views, containers, mixed dtypes and kinds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RNG = np.random.default_rng(3)


@dataclass(frozen=True)
class Case:
    """A function and what it is differentiated at."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.fn.__name__


CASES: list[Case] = []


def case(*args: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Enter the function in the list."""

    def enter(fn: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(Case(fn, args, options))
        return fn

    return enter


def A(*shape: int) -> np.ndarray:
    """Numbers well away from 0."""
    return RNG.uniform(0.3, 1.5, size=shape)


@case(A(3), 1.5)
def overwritten(x, a):
    y = x * a
    y = np.sin(y) * y
    x = y + x
    x = x * x
    return np.sum(x * y)


@case(A(3), A(3))
def shared(a, b):
    y = a + b
    z = y + a
    return np.sum(z * 2) + np.sum(y)


@case(A(3), A(3))
def add_only(a, b):
    return a + b


@case(A(3))
def same_twice(a):
    return a + a


@case(A(3), A(3))
def two_results(a, b):
    return a, a + b, a


@case(A(3))
def identity(a):
    return a


@case(1.5)
def identity_float(a):
    return a


@case(A(3))
def view_result(a):
    return a[1:]


@case(A(3, 2))
def transposed_result(a):
    return a.T


@case(A(3), 2.0)
def unused(a, b):
    return np.sum(a)


@case(A(3), 2.0)
def constant(a, b):
    return 3.0


@case(A(3), 2.0)
def dict_result(a, b):
    return {"u": a * b, "v": [b * b, np.sum(a)]}


@case(A(3), 2.0)
def tuple_result(a, b):
    c = a * b
    return c, (b, c[0])


@case(A(3), A(3), 0)
def zero_trip(a, b, n):
    y = a
    for i in range(n):
        y = y * b
    return y


@case(A(3), A(3), 3)
def some_trip(a, b, n):
    y = a
    for i in range(n):
        y = y * b
    return y


@case(1.5, 0.7, 0)
def zero_trip_float(a, b, n):
    for i in range(n):
        a = math.sin(a) * b
    return a


@case(1.5, 0.7, 4)
def trip_float(a, b, n):
    for i in range(n):
        a = math.sin(a) * b
    return a


@case(1.5, 0.7)
def arm_only(a, b):
    if a > 1:
        c = a * b
        d = c * c
    else:
        d = b
    if a > 1:
        d = d + c * a
    return d


@case(0.5, 0.7)
def arm_other(a, b):
    if a > 1:
        c = a * b
        d = c * c
    else:
        d = b
    if a > 1:
        d = d + c * a
    return d


@case(A(4), A(4, 4), 3, 2)
def nested_loops(x, W, n, m):
    for i in range(n):
        h = np.tanh(W @ x)
        for j in range(m):
            h = h * np.sin(h) + x
        x = h * x
    return np.sum(x)


@case(A(4), A(4), 3)
def inner_range_depends(x, w, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s = s + math.sin(x[i]) * w[j] * s + x[j]
    return s


@case(A(5), 2.0)
def int_counter(x, a):
    k = 0
    s = 0.0
    while k < len(x):
        s = s + x[k] * a**k
        k = k + 1
    return s


@case(A(5), 2.0)
def int_counter_nonlinear(x, a):
    k = 0
    s = a
    while k < len(x):
        if k % 2 == 0:
            s = s * x[k]
        else:
            s = s + np.sin(s) * x[k] * k
        k += 1
    return s


def helper(x, y, scale=2.0, *, shift=0.5):
    z = x * y
    z = z * scale + shift
    return z * x


@case(A(3), A(3), 1.5)
def helper_twice(a, b, s):
    u = helper(a, b, shift=s)
    v = helper(u, a, scale=s)
    return np.sum(u * v)


@case(A(3))
def helper_same(a):
    return np.sum(helper(a, a))


def early(x, t):
    if t > 1:
        return x * t
    return x * x


@case(1.5, 0.5)
def helper_early(x, t):
    return early(x, t) + early(t, x)


@case(A(3), A(3))
def kwonly(a, b):
    return inner_kwonly(a, b=b)


def inner_kwonly(a, *, b):
    return np.sum(a * b)


@case(A(3), 2.0)
def aug(a, b):
    y = a * b
    y += a
    y *= b
    y -= np.sin(a)
    y /= b
    return np.sum(y * y)


@case(A(3), A(3))
def store(a, b):
    y = a.copy()
    y[0] = b[1] * y[1]
    y[1:] = y[:-1] * b[1:]
    y[-1] += y[0] * a[2]
    return np.sum(y * y)


@case(A(4), A(4))
def store_loop(a, b):
    y = np.zeros(4)
    y[0] = a[0]
    for i in range(1, len(a)):
        y[i] = np.tanh(y[i - 1] * b[i]) + a[i]
    return np.sum(y**2)


@case(A(5), 0.3, 3)
def heat(u0, c, n):
    u = u0.copy()
    for i in range(n):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


@case(A(5), 0.3, 3)
def heat2(u0, c, n):
    u = u0.copy()
    for i in range(n):
        u[1:-1] += c * u[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@case(A(4), np.array([0, 2, 2, 1]))
def gather(x, idx):
    y = x[idx] * x[idx[0]]
    return np.sum(y**2)


@case(A(4, 3), np.array([0, 2, 2, 1]))
def gather_loop(x, idx):
    s = 0.0
    for k in range(len(idx)):
        row = x[idx[k]]
        s = s + np.sum(row * row) * s + row[0]
    return s


@case(2.0, 1.0, 1e-12, wrt=[0, 1])
def root(a, x, tol):
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


@case(0.5, 1.3, 20)
def passage(x, k, n):
    for i in range(n):
        x = x + k * math.sin(x)
        if x > 2.0:
            return x * k
    return x * x


@case(0.5, 0.001, 3)
def passage_none(x, k, n):
    for i in range(n):
        x = x + k * math.sin(x)
        if x > 2.0:
            return x * k
    return x * x


@case(np.array([0.5, -1.0, 0.7, 0.9, 0.3]), 0.9, 1.0)
def march(x, w, limit):
    total, decay = 0.0, 1.0
    for i in range(len(x)):
        decay = decay * w
        if x[i] < 0:
            continue
        total = total + decay * math.sin(x[i])
        if total > limit:
            break
    return total


@case(10.0, 3.0, "bulk")
def price(q, p, kind):
    if q <= 0:
        return 0.0
    if kind == "bulk":
        rate = 0.9 - 0.001 * q
        cost = p * q * rate
    elif kind == "member":
        cost = p * q * 0.95
    else:
        cost = p * q
    if kind == "bulk":
        cost = cost + 5.0 * rate**2
    return cost * cost


@case(-10.0, 3.0, "bulk")
def price_neg(q, p, kind):
    if q <= 0:
        return 0.0
    return q * p


@case(A(3).astype(np.float32), A(3))
def mixed(a, b):
    return np.sum(a * b * a)


@case(A(3).astype(np.float32), 2.0)
def f32float(a, b):
    return np.sum(np.exp(a * b))


@case(A(3).astype(np.float32), A(3), 3)
def mixed_loop(a, b, n):
    for i in range(n):
        a = a * b
    return a


@case(np.array(1.5), np.array(0.5))
def zerod(a, b):
    return a * b + np.sin(a)


@case(np.array(1.5), A(3))
def zerod_array(a, b):
    return np.sum(a * b)


@case(np.float64(1.5), 2.0)
def npscalar(a, b):
    return a * b + math.sin(a)


@case(np.float32(1.5), A(3))
def npscalar32(a, b):
    return np.sum(a * b)


@case(np.array([1.0, 1.0, 2.0]), np.array([1.0, 0.5, 2.0]))
def branchy_where(a, b):
    return np.sum(np.where(a > 1.5, a * b, a + b * b))


@case(A(3, 4))
def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(p**2)


@case(A(3, 4), A(3, 4))
def logsumexp(x, t):
    m = np.max(x, axis=1)
    s = m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))
    return np.mean(s) - np.sum(x * t)


@case([A(2, 3), A(2)], A(3))
def list_param(p, x):
    W, b = p
    return np.sum(np.tanh(W @ x + b))


@case({"W": A(2, 3), "b": A(2), "n": 3}, A(3))
def dict_param(p, x):
    return np.sum(np.tanh(p["W"] @ x + p["b"]) * p["n"])


@case([A(2, 2), A(2, 2), A(2, 2)], A(2))
def layers(ws, x):
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x)


@case(A(3, 3))
def slogdet_in_branch(a):
    r = np.linalg.slogdet(a @ a.T + np.eye(3))
    s = 0.0
    if r[0] > 0:
        s = r[1] * 2
    return s + r[1]


@case(A(3, 3), 3)
def tuple_in_loop(a, n):
    r = np.linalg.slogdet(a @ a.T + np.eye(3))
    s = 0.0
    for i in range(n):
        s = s * 0.5 + r[1] * i
    return s


@case(A(3), 1.0, 2)
def swap(a, b, n):
    x, y = a, a * b
    for i in range(n):
        x, y = y, x * y
    return np.sum(x - y)


@case(A(6), 2)
def ifexp(x, n):
    s = 0.0
    for i in range(len(x)):
        s = s + (x[i] if i % 2 else x[i] * x[i] * s)
    return s


@case(A(6))
def comp(x):
    return sum([x[i] ** 2 for i in range(len(x))])


@case(A(6))
def comp2(x):
    return np.sum(np.array([x[i] ** 2 * i for i in range(len(x))]))


@case(A(2, 3), A(3))
def rows(x, w):
    s = 0.0
    for r in x:
        s = s + np.sum(r * w) ** 2
    return s


@case(A(3), A(3))
def zipped(a, b):
    s = 1.0
    for u, v in zip(a, b):
        s = s * u + v
    return s


@case(A(3))
def enum(a):
    s = 1.0
    for k, u in enumerate(a):
        s = s * u + k
    return s


@case(1.5, 2.5)
def boolops(a, b):
    c = a and b
    d = 0.0 or b
    return c * d * a


@case(A(3), 2)
def loop_defined_in(a, n):
    for i in range(n):
        z = np.sin(a) * i
        a = a + z
    return np.sum(a * z)


@case(A(3), 2)
def break_loop(a, n):
    s = 0.0
    for i in range(10):
        t = a[i % 3] * (s + 1)
        if t > 2:
            break
        s = s + t
    return s


@case(A(3))
def while_true(a):
    s = a[0]
    while True:
        s = s * 2 + a[1]
        if s > 20:
            break
    return s * a[2]


@case(A(3))
def for_else(a):
    s = a[0]
    for i in range(3):
        s = s * a[i]
        if s > 100:
            break
    else:
        s = s * 5 + a[1]
    return s


@case(A(4, 3), A(3, 2), A(2))
def batched_mean(x, w, b):
    y = x @ w + b
    z = (y - y.mean(axis=0)) / np.sqrt(y.var(axis=0) + 1e-5)
    return np.mean(z**3)


@case(A(0), A(3))
def empty(a, b):
    return np.sum(a) + np.sum(b * 2)


@case(A(0, 3), A(3))
def empty2(a, b):
    return np.sum(a * b, axis=0)


@case(2, A(3))
def intarg(n, x):
    return np.sum(x**n)


@case(3, 2.0, wrt=[0, 1])
def int_wrt(n, x):
    return n * x + n * n


@case(np.arange(3), A(3), wrt=[0, 1])
def int_array_wrt(n, x):
    return np.sum(n * x * x)


@case(A(3), A(3), 3)
def carry_alias(a, b, n):
    tot = 0.0
    for i in range(n):
        s = a + b
        a = np.sin(s)
        tot = tot + np.sum(a**2)
        b = np.cos(s)
        tot = tot + np.sum(b**3)
    return tot


@case(A(3), A(3), 3)
def carry_same(a, b, n):
    tot = 0.0
    x = a
    y = a
    for i in range(n):
        x = x + y
        y = x
        tot = tot + np.sum(x * y * i)
    return tot + np.sum(x) + np.sum(y * b)


@case(A(3), A(3), 3)
def merge_alias(a, b, n):
    x = a * 2
    y = b * 3
    t = np.sum(x * x) + np.sum(y**3)
    if n > 2:
        s = x + y
    else:
        s = x * y
    u = np.sum(np.sin(s))
    return t + u


@case(A(3), A(3), 3)
def seeds(a, b, n):
    c = a + b
    return c, c, a


@case(A(4), A(3))
def views_reshape(a, b):
    y = a.reshape(2, 2)
    z = y.T
    s = np.sum(z @ y)
    w = np.concatenate((a, b))
    return s + np.sum(w[1:] * w[:-1]) + np.sum(y[0] * z[1])


@case(A(4), 2)
def store_views(a, n):
    y = np.zeros((n, 4))
    for i in range(n):
        y[i] = a * i
        y[i, 1:] = y[i, :-1] * a[1:]
        y[i, 0] += np.sum(y[i])
    return np.sum(y**2)


@case(A(4), 3)
def rolling(a, n):
    y = a * 1.0
    for i in range(n):
        t = y[0]
        y[:-1] = y[1:]
        y[-1] = t * t
    return np.sum(y**3)


@case(A(4), 3)
def alias_two(a, n):
    y = a * 2
    z = y
    y = y + 1
    return np.sum(y * z) + np.sum(z)


@case(A(4, 4))
def inplace_row(a):
    y = a.copy()
    for k in range(3):
        for i in range(k + 1, 4):
            f = y[i, k] / y[k, k]
            y[i, k:] -= f * y[k, k:]
    return y[0, 0] * y[1, 1] * y[2, 2] * y[3, 3]


@case(A(3), 2.0)
def write_arg(a, s):
    b = a
    c = b * s
    c *= c
    c[1] *= s
    c[0] /= a[1]
    return np.sum(c)


@case(A(2), A(2, 1), A(1, 2))
def bcast(a, b, c):
    y = a + b * c
    y = y / (b + 1)
    return np.sum(y * c) + np.max(y)


@case(A(3), 1.5)
def both_arms(a, s):
    if s > 1:
        y = a * s
        z = y + a
    else:
        y = a
        z = a * a
    return np.sum(y * z)


@case(A(3), 0.5)
def both_arms2(a, s):
    if s > 1:
        y = a * s
        z = y + a
    else:
        y = a
        z = a * a
    return np.sum(y * z)


@case(A(3), 0.5)
def arm_array_only(a, s):
    if s > 0.2:
        c = np.sin(a)
    t = np.sum(a)
    if s > 0.4:
        t = t + np.sum(c * a)
    return t


@case(A(3), 0.3)
def arm_array_only2(a, s):
    if s > 0.2:
        c = np.sin(a)
    t = np.sum(a)
    if s > 0.4:
        t = t + np.sum(c * a)
    return t


@case(A(3), 0.1)
def arm_array_only3(a, s):
    if s > 0.2:
        c = np.sin(a) + s
    t = np.sum(a)
    if s > 0.4:
        t = t + np.sum(c * a)
    return t


@case(A(3, 2), 3)
def loop_if_inner(a, n):
    h = a[0]
    for i in range(n):
        if i % 2 == 0:
            h = np.tanh(h * a[i])
        else:
            g = h * a[i]
            h = g * g + h
    return h


@case(A(3), 4, 0.5)
def loop_cont(a, n, s):
    for i in range(n):
        if i == 1:
            continue
        a = a * np.sin(a + s)
        if i == 2:
            break
        s = s * a[0]
    return a * s


@case(1.2, 3)
def while_nested(x, n):
    i = 0
    while i < n:
        j = 0
        while j < i:
            x = math.sin(x) + x * j
            j += 1
        x = x * 1.1
        i += 1
    return x


@case(A(3), 3)
def return_nested(a, n):
    for i in range(n):
        for j in range(n):
            if i * j == 2:
                return np.sum(a * i) * a[0]
            a = np.sin(a) + a
    return np.sum(a)


@case(A(3), 2)
def return_nested2(a, n):
    for i in range(n):
        for j in range(n):
            if i * j == 2:
                return np.sum(a * i) * a[0]
            a = np.sin(a) + a
    return np.sum(a)


@case(A(3), A(3), 0.7)
def arm_shared(a, b, s):
    x = a * 2
    y = b * 3
    if s > 0:
        t = np.sum(x**2 * s)
    else:
        t = 0.0
    z = x + y
    return np.sum(np.sin(z)) + t


@case(A(3), A(3), 2)
def loop_shared(a, b, n):
    x = a * 2
    y = b * 3
    t = 0.0
    for i in range(n):
        t = t + np.sum(x**2 * i) * t + x[i]
    z = x + y
    return np.sum(np.sin(z)) + t


@case(A(3), A(3), 2)
def two_inits(a, b, n):
    x = a * 2
    y = b * 3
    t = 1.0
    for i in range(n):
        t = t + x[i] * y[i] * t
    z = x + y
    return np.sum(np.sin(z)) + t


@case(A(3), A(3), 0.7)
def zero_left_by_a_store(x, w, a):
    x = np.sum(np.outer(x, x), axis=1) + w
    x[1] = a + a
    a = x @ x
    return np.sum(x * x) + np.sum(w * w) + a


@case(A(3), A(3), 3)
def starts_from_what_it_reads(x, w, n):
    z = x
    for _ in range(n):
        z = np.tanh(z - w * x)
    return z


@case(A(3), A(3), 2)
def counted_while_starts_from_what_it_reads(x, a, n):
    z = x
    k = 0
    while k < n:
        z = np.where(z > 0.2, z, a * z)
        z -= x
        k = k + 1
    return z


@case(A(3), A(3), 3)
def written_after_it_is_saved(w, x, n):
    for _ in range(n):
        w = w / (1.5 + x)
        w -= x
    return np.sum(w * w)


@case(A(3), A(3))
def written_after_it_is_read(w, x):
    y = np.sin(w)
    z = np.sum(y * y * x)
    y *= x
    y -= w
    return z + np.sum(y**2)
