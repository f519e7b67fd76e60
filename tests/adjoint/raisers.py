# ruff: noqa: B018, RUF059
"""Statements whose value nobody reads, and which raise: what Python raises, stays.

Each case is a function, a call that goes well, and one for which it may raise.
"""

import math

import numpy as np

X, Y = np.array([0.3, 1.0, 2.0]), np.array([1.0, 2.0])
CASES = {}


def case(*args, other=None):
    """Enter a function with two calls."""

    def enter(function):
        CASES[function.__name__] = (function, args, other or args)
        return function

    return enter


@case(X)
def idx(x):
    y = x[10]
    return np.sum(x)


@case(X)
def idx_expr(x):
    x[10]
    return np.sum(x)


@case({"a": 1.0})
def missing(d):
    y = d["missing"]
    return d["a"] * 2


@case(1.0, "x", other=(1.0, "x"))
def intof(x, s):
    n = int(s)
    return x * 2


@case(1.0)
def intlit(x):
    n = int("x")
    return x * 2


@case(X, Y)
def shapes(x, y):
    z = x + y
    return np.sum(x)


@case(X, X, other=(X, Y))
def shapes_other(x, y):
    z = x + y
    return np.sum(x)


@case(X, X, other=(X, Y))
def shapes_mat(x, y):
    z = x @ y
    return np.sum(x)


@case(1.0)
def dead_arm(x):
    if x > 5:
        z = undefined_thing
    return x * 2


@case(1.0, other=(6.0,))
def dead_arm2(x):
    if x > 5:
        z = undefined_thing
    return x * 2


@case(1.0, True, other=(1.0, False))
def maybe_undef(x, flag):
    if flag:
        w = 2.0
    z = w + 1
    return x * 2


@case(1.0, True, other=(1.0, False))
def maybe_undef_expr(x, flag):
    if flag:
        w = 2.0
    w
    return x * 2


@case(1.0, 3, other=(1.0, 0))
def zero_trip(x, n):
    for i in range(n):
        y = x * i
    z = y * 2
    return x * 2


@case(1.0, 3, other=(1.0, 0))
def zero_trip_index(x, n):
    for i in range(n):
        pass
    z = i + 1
    return x * 2


@case(1.0, 3, other=(1.0, 0))
def zero_trip_value(x, n):
    for i in range(n):
        y = x * i
    return y


@case(1.0)
def deleted(x):
    y = x * 2
    del y
    z = y
    return x * 2


@case(1.0, True)
def deleted_maybe(x, flag):
    y = x * 2
    if flag:
        del y
    z = y + 1
    return x * 2


@case(1.0, 2.0, other=(1.0, -2.0))
def asserted(x, y):
    assert y > 0
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def divided(x, y):
    z = x / y
    return x * 2


@case(1.0, 2, other=(1.0, 0))
def modulo(x, n):
    z = 5 % n
    return x * 2


@case(1.0, 2.0, other=(1.0, -1.0))
def rooted(x, y):
    z = math.sqrt(y)
    return x * 2


@case(1.0)
def rooted_lit(x):
    z = math.sqrt(-1)
    return x * 2


@case(1.0)
def div_lit(x):
    z = 1 / 0
    return x * 2


def check(v):
    if v < 0:
        raise KeyError("negative")
    return v


@case(1.0, 2.0, other=(1.0, -1.0))
def called(x, y):
    check(y)
    return x * 2


@case(1.0, 2.0, other=(1.0, -1.0))
def called_assigned(x, y):
    z = check(y)
    return x * 2


@case(1.0, 2.0, other=(1.0, -1.0))
def logged(x, y):
    z = math.log(y) + 1
    return x * 2


@case(1.0, 2.0, other=(1.0, 1000.0))
def expd(x, y):
    z = math.exp(y)
    return x * 2


@case(np.eye(2), other=(np.ones((2, 2)),))
def inverse(A):
    B = np.linalg.inv(A)
    return np.sum(A)


@case(np.eye(2), other=(-np.eye(2),))
def chol(A):
    B = np.linalg.cholesky(A)
    return np.sum(A)


@case(X, 3, other=(X, 2))
def reshaped(x, n):
    B = x.reshape(n, 1)
    return np.sum(x)


@case(X, other=(np.array([]),))
def maxed(x):
    m = np.max(x)
    return np.sum(x)


@case(X, 1, other=(X, 7))
def stored(x, i):
    w = x.copy()
    w[i] = 1.0
    return np.sum(x)


@case([1.0, 2.0], 1, other=([1.0, 2.0], 7))
def listed(l, i):
    z = l[i]
    return l[0]


@case(X, 1, other=(X, 7))
def loop_idx(x, k):
    s = 0.0
    for i in range(3):
        y = x[i + k - 1]
        s = s + x[0]
    return s


@case(X, True, other=(X, False))
def endless(x, flag):
    s = x[0]
    if flag:
        w = x.copy()
    while s < 5.0:
        w[w > s] += s
        if flag:
            s = s + 1.0
    return s


@case(X, True, other=(X, False))
def endless2(x, flag):
    s = x[0]
    if flag:
        w = 1.0
    while s < 5.0:
        t = w * 2
        if flag:
            s = s + 1.0
    return s


@case(1.0, True, other=(1.0, False))
def while_undef(x, flag):
    if flag:
        n = 3
    k = 0
    while k < n:
        k += 1
    return x * 2


@case(1.0, True, other=(1.0, False))
def for_undef(x, flag):
    if flag:
        n = 3
    for i in range(n):
        pass
    return x * 2


@case(1.0, True, other=(1.0, False))
def if_undef(x, flag):
    if flag:
        n = 3
    if n > 2:
        pass
    return x * 2


@case(X, True, other=(X, False))
def undef_len(x, flag):
    if flag:
        w = x
    n = len(w)
    return np.sum(x)


@case(X, True, other=(X, False))
def undef_call(x, flag):
    if flag:
        w = x
    z = np.sin(w)
    return np.sum(x)


@case(X, True, other=(X, False))
def undef_attr(x, flag):
    if flag:
        w = x
    n = w.shape
    return np.sum(x)


@case(X, True, other=(X, False))
def undef_alias(x, flag):
    if flag:
        w = x
    n = w
    return np.sum(x)


@case(1.0, [1.0, 2.0], other=(1.0, [1.0]))
def unpacked(x, p):
    a, b = p
    return x * 2


@case(1.0, np.array([1.0, 2.0]), other=(1.0, np.array([1.0, 2.0, 3.0])))
def unpacked_array(x, p):
    a, b = p
    return x * 2


@case(X)
def attr(x):
    z = x.nothing
    return np.sum(x)


@case(1.0)
def fattr(x):
    z = x.nothing
    return x


@case(1.0)
def callfloat(x):
    z = x(3)
    return x


@case(1.0)
def strplus(x):
    z = "a" + x
    return x * 2


@case(1.0)
def strplus_lit(x):
    z = "a" + 1
    return x * 2


@case(1.0, 2, other=(1.0, -2))
def rng_neg(x, n):
    z = np.zeros(n)
    return x * 2


@case(1.0, "abc", other=(1.0, "a"))
def stridx(x, s):
    z = s[2]
    return x * 2


@case(1.0, 0.5, other=(1.0, 0.0))
def power0(x, y):
    z = y**-1
    return x * 2


@case(1.0, 0.5, other=(1.0, float("nan")))
def intnan(x, y):
    z = int(y)
    return x * 2


@case(X, np.array([0, 1]), other=(X, np.array([0, 5])))
def fancy(x, i):
    z = x[i]
    return np.sum(x)


@case(X, np.array([True, False, True]), other=(X, np.array([True, False])))
def mask(x, m):
    z = x[m]
    return np.sum(x)


@case(X, Y, other=(X, X))
def dead_where(x, y):
    if x.shape == y.shape:
        pass
    z = np.concatenate([x, y])
    return np.sum(x)


@case(1.0, 2.0, other=(1.0, 0.0))
def in_helper(x, y):
    def h(a, b):
        return a * 2, a / b

    u, v = h(x, y)
    return u


@case(1.0, 2.0, other=(1.0, 0.0))
def lists(x, y):
    l = [x, x / y]
    return l[0] * 2


@case(X, 2.0, other=(X, 0.0))
def comp(x, y):
    l = [1.0 / y for k in range(3)]
    return np.sum(x)


@case(1.0, 2.0, other=(1.0, 0.0))
def nested_if(x, y):
    if x > 0:
        z = x / y
    return x * 2


@case(X, 1, other=(X, 9))
def aug(x, i):
    w = np.zeros(3)
    w[i] += 1
    return np.sum(x)


@case(X, 2.0, other=(X, 0.0))
def before_effect(x, y):
    x[0] = 5.0
    z = 1.0 / y
    x[1] = 7.0
    return np.sum(x)


@case(1.0, [1.0], other=(1.0, []))
def popped(x, l):
    l2 = list(l)
    l2.pop()
    return x * 2


@case(1.0, {"a": 1}, other=(1.0, {}))
def dictget(x, d):
    z = d["a"]
    return x * 2


@case(1.0, "3", other=(1.0, "q"))
def floatof(x, s):
    z = float(s)
    return x * 2


@case(X, X, other=(X, Y))
def dotted(x, y):
    np.dot(x, y)
    return np.sum(x)


@case(X, X, other=(X, Y))
def stacked(x, y):
    np.stack([x, y])
    return np.sum(x)


@case(X, X, other=(X, Y))
def an_array_of_arrays(x, y):
    np.array([x, y])
    return np.sum(x)


@case(X, X, other=(X, Y))
def the_sum_of_a_list(x, y):
    np.sum([x, y], axis=0)
    return np.sum(x)


@case(X, [1.0, 2.0], other=(X, [1.0]))
def an_array_of_lists(x, y):
    np.asarray([y, [3.0, 4.0]])
    return np.sum(x)


@case(X, 3, other=(X, 4))
def helper_raises(x, n):
    def inner(v):
        if n > 3:
            raise RuntimeError("too many")
        return v * 2

    inner(x)
    return np.sum(x)


@case(X, 2, other=(X, 0))
def in_loop(x, n):
    s = 0.0
    for k in range(3):
        z = k // n
        s += x[k]
    return s


@case(1.0, 2.0, other=(1.0, 0.0))
def chain(x, y):
    a = 1 / y
    b = a + 1
    c = b * 2
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def cond_expr(x, y):
    z = 1 / y if x > 0 else 2.0
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def and_expr(x, y):
    z = x > 0 and 1 / y > 2
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def fstr(x, y):
    z = f"{1 / y}"
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def listcomp(x, y):
    z = [1 / (y * k) for k in range(1, 3)]
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def lam(x, y):
    f = lambda t: t / y
    f(x)
    return x * 2


@case(1.0, 2.0, other=(1.0, 0.0))
def lam_unread(x, y):
    f = lambda t: t / y
    return x * 2


@case(X, True, other=(X, False))
def with_undef(x, flag):
    if flag:
        w = 1.0
    y = x * w
    return np.sum(x)


@case(X, 2, other=(X, 0))
def loop_var_after(x, n):
    for i in range(n):
        s = x[i]
    return np.sum(x) + s * 0


@case(X, 2, other=(X, 0))
def loop_var_after_returned(x, n):
    for i in range(n):
        s = x[i] * 2
    return s


@case(X, True, other=(X, False))
def undef_returned(x, flag):
    if flag:
        w = np.sum(x)
    return w


@case(X, True, other=(X, False))
def undef_in_loop(x, flag):
    if flag:
        w = 1.0
    s = 0.0
    for i in range(3):
        s = s + x[i]
        t = w + s
    return s


@case(1.0, True, other=(1.0, False))
def undef_while_read(x, flag):
    if flag:
        lim = 3.0
    while x < lim:
        x = x * 2
    return x


@case(1.0, 3, other=(1.0, 0))
def accum(x, n):
    for i in range(n):
        if i == 0:
            s = x
        else:
            s = s * x
    return s


@case(1.0, 1.0, other=(1.0, -3.0))
def frompow(x, y):
    z = math.pow(y, 0.5)
    return x * 2


@case(X, (3, 1), other=(X, (2, 2)))
def resh(x, shp):
    np.reshape(x, shp)
    return np.sum(x)


@case(X, 0, other=(X, 3))
def axis(x, ax):
    np.sum(x, axis=ax)
    return np.sum(x)


@case(1.0, 5, other=(1.0, -5))
def fact(x, n):
    math.factorial(n)
    return x * 2


@case(1.0, [1.0, 2.0], other=(1.0, []))
def maxlist(x, l):
    m = max(l)
    return x * 2


@case(1.0, [3, 1], other=(1.0, ["a", 1]))
def sortlist(x, l):
    m = sorted(l)
    return x * 2
