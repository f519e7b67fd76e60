"""Functions that call themselves: over numbers, arrays, lists, objects and trees."""

import math

import numpy as np


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def fib(x, n):
    if n < 2:
        return x * n
    return fib(x, n - 1) * 0.5 + math.sin(fib(x, n - 2))


def outer_fib(x, n):
    y = fib(x * 2, n)
    return y * y + fib(x, 3)


def total(a):
    if len(a) == 0:
        return 0.0
    return np.sin(a[0]) + total(a[1:])


def tree(a):
    n = len(a)
    if n == 1:
        return a[0] ** 2
    k = n // 2
    left = tree(a[:k])
    right = tree(a[k:])
    return left * right + math.cos(left)


def is_even(x, n):
    if n == 0:
        return x
    return is_odd(x * 1.1, n - 1) + x


def is_odd(x, n):
    if n == 0:
        return x * x
    return math.sin(is_even(x, n - 1))


def tail(x, acc, n):
    if n == 0:
        return acc
    return tail(x, acc * x + math.sin(x), n - 1)


def newton(x, a, k=0):
    if k > 40 or abs(x * x - a) < 1e-12:
        return x
    return newton(0.5 * (x + a / x), a, k + 1)


def closure(x, w, n):
    scale = math.exp(w)

    def step(y, k):
        if k == 0:
            return y
        return step(y * scale + w * math.sin(y), k - 1)

    z = step(x, n)
    return z * scale


def loopy(x, n):
    if n <= 0:
        return x
    s = 0.0
    for i in range(n):
        s = s + loopy(x * (0.5 + 0.1 * i), i) * x
    return s


def branchy(x, n):
    if n == 0:
        y = x
    elif x > 1.0:
        y = branchy(x / 2, n - 1) * x
    else:
        y = x + branchy(x + 0.7, n - 1) ** 2
    return y * 1.01


def pair(x, n):
    if n == 0:
        return x, x * x
    a, b = pair(x * 0.9, n - 1)
    return a + b, a * b * 0.5


def use_pair(x, n):
    a, b = pair(x, n)
    return a * b


class Poly:
    def __init__(self, c):
        self.c = c

    def value(self, x, k):
        if k == len(self.c):
            return 0.0
        return self.c[k] + x * self.value(x, k + 1)


def poly(p, x):
    return p.value(x, 0) ** 2


class Node:
    def __init__(self, w, left=None, right=None):
        self.w, self.left, self.right = w, left, right

    def total(self, x):
        t = math.tanh(self.w * x)
        if self.left is not None:
            t = t + self.left.total(x)
        if self.right is not None:
            t = t * self.right.total(x)
        return t


def walk(node, x):
    return node.total(x)


def sumlist(xs):
    if not xs:
        return 0.0
    return xs[0] ** 2 + sumlist(xs[1:])


def fft(x):
    n = len(x)
    if n == 1:
        return x
    even = fft(x[::2])
    odd = fft(x[1::2])
    f = np.cos(2 * np.pi * np.arange(n // 2) / n)
    return np.concatenate([even + f * odd, even - f * odd])


def fftloss(x):
    return np.sum(fft(x) ** 2)


def matpow(A, n):
    if n == 0:
        return np.eye(len(A))
    if n % 2:
        return A @ matpow(A, n - 1)
    B = matpow(A, n // 2)
    return B @ B


def matloss(A, n):
    return np.sum(np.sin(matpow(A, n)))


def simpson(f, a, b, depth):
    m = 0.5 * (a + b)
    whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
    if depth == 0:
        return whole
    return simpson(f, a, m, depth - 1) + simpson(f, m, b, depth - 1)


def quad(w, a, b):
    return simpson(lambda t: math.sin(w * t) * t, a, b, 3)


def horner(c, x, k):
    if k == len(c):
        return 0.0
    return c[k] + x * horner(c, x, k + 1)


def local_array(x, n):
    if n == 0:
        return x
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = math.sin(x[i]) * n
    z = local_array(y, n - 1)
    return z * y


def use_local(x, n):
    return np.sum(local_array(x, n))


def cube(t, n):
    if n <= 1:
        return t
    return t * cube(t * 0.9, n - 1)


def scan(x, n):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = cube(x[i], n)
    return np.sum(out**2)


def writes_result(x, n):
    z = local_array(x * 2.0, n)
    z[1:] *= 2.0
    return np.sum(z * z)


def early(x, k):
    for i in range(3):
        if x > 2.0:
            return x * k
        x = x + 0.4
        if i == k:
            return early(x, k - 1) * x
    return x


def whiles(x, n):
    s = 0.0
    while n > 0:
        n = n - 1
        s = s + whiles(x * 0.5, n) * x + x
    return s


def dictres(x, n):
    if n == 0:
        return {"a": x, "b": 1.0}
    r = dictres(x * 0.8, n - 1)
    return {"a": r["a"] * x, "b": r["b"] + r["a"]}


def use_dict(x, n):
    r = dictres(x, n)
    return r["a"] + r["b"]


def listres(x, n):
    if n == 0:
        return [x, x * x]
    a, b = listres(x * 0.8, n - 1)
    return [a + b, b * x]


def use_list(x, n):
    r = listres(x, n)
    return r[0] * r[1]


def kw(x, *, n=3, scale=2.0):
    if n == 0:
        return x
    return kw(x * scale, n=n - 1, scale=scale * 0.9)


def use_kw(x, s):
    return kw(x, scale=s) + kw(x, n=2)


def nested(x, n):
    def inner(y, k):
        if k == 0:
            return y * x
        return inner(math.sin(y), k - 1) + y

    if n == 0:
        return inner(x, 2)
    return nested(x * 0.9, n - 1) * inner(x, n)


def a3(x, n):
    return x if n <= 0 else b3(x * 1.1, n - 1) + 1.0


def b3(x, n):
    return x * x if n <= 0 else c3(math.sin(x), n - 1)


def c3(x, n):
    return x**3 if n <= 0 else a3(x, n - 1) * b3(x, n - 2)


def three(x, n):
    return a3(x, n) + b3(x, n) * c3(x, n)


def boolop(x, n):
    ok = n > 0 and boolop(x, n - 1) > 0.1
    return x * 2 if ok else x * x


def none_acc(x, n, acc=None):
    if acc is None:
        acc = x * 2.0
    if n == 0:
        return acc
    return none_acc(x, n - 1, acc * x + 1.0)


def flag(x, n, up=True):
    if n == 0:
        return x
    if up:
        return flag(x * 1.5, n - 1, False) + x
    return flag(x * x, n - 1, True)


def int_start(x, n, p=1):
    if n == 0:
        return p
    return int_start(x, n - 1, p * x)


def tries(x, n):
    if n == 0:
        return x
    try:
        y = math.sqrt(tries(x - 0.5, n - 1))
    except ValueError:
        y = x * 3.0
    return y * x


def comp(x, n):
    if n == 0:
        return x
    return sum([comp(x * k, n - 1) for k in range(1, 4)]) * x


def merge_sort(a):
    n = len(a)
    if n <= 1:
        return a
    l, r = merge_sort(a[: n // 2]), merge_sort(a[n // 2 :])
    out = np.empty(n)
    i = j = 0
    for k in range(n):
        if j >= len(r) or (i < len(l) and l[i] <= r[j]):
            out[k] = l[i]
            i += 1
        else:
            out[k] = r[j]
            j += 1
    return out


def sorted_loss(a):
    s = merge_sort(a)
    return np.sum(s * np.arange(len(s))) + s[0] ** 2


def hanoi_like(x, y, n):
    if n == 0:
        return x * y
    return hanoi_like(y, x, n - 1) + hanoi_like(x * y, x + y, n - 1)


def row(A, i):
    if i == len(A):
        return np.zeros(A.shape[1])
    return A[i] * np.sin(row(A, i + 1) + 1.0) + A[i]


def rows(A):
    return np.sum(row(A, 0) ** 2)


def matrix_arg(A, x, n):
    if n == 0:
        return x
    y = np.tanh(A @ x)
    return matrix_arg(A, y, n - 1)


def rnn(A, x, n):
    return np.sum(matrix_arg(A, x, n) ** 2)


def trees(node, x):
    if isinstance(node, tuple):
        op, l, r = node
        a, b = trees(l, x), trees(r, x)
        return a * b if op == "*" else a + b
    if node == "x":
        return x
    return node


def expr(x):
    return trees(("*", ("+", "x", 2.0), ("*", "x", ("+", "x", 1.0))), x)


def in_branch(x, n):
    if x > 0.5:
        y = cube(x, n)
    else:
        y = x
    for k in range(2):
        if k == 1:
            y = y + cube(y * 0.1, n) * k
    return y * y


def f32(x, n):
    if n == 0:
        return x
    return f32(np.sin(x), n - 1) * np.float32(0.5)


def use32(x, n):
    return np.sum(f32(x, n))


WEIGHTS = np.array([1.0, 2.0])


def default_arr(x, w=WEIGHTS):
    if len(x) < 2:
        return np.sum(x)
    return np.sum(x[:2] * w) * default_arr(x[1:])


def grow(x, n):
    if n == 0:
        return x
    return np.exp(0.1 * grow(x, n - 1))


def spoils_fresh(x, n):
    s = 0.0
    for k in range(3):
        y = x * k
        y[k] = 2.0
        z = grow(y, n)
        s = s + np.sum(z)
    return s


def asserts(x, n):
    assert x > 0, "positive"
    if n == 0:
        return x
    return asserts(x * 0.5, n - 1) + x * x


V = np.array([0.3, 0.7, 1.1, 0.2])
M = np.array([[0.1, 0.5, 0.3], [0.7, 0.2, 0.9], [0.4, 0.8, 0.6]])
TREE = Node(0.5, Node(0.2), Node(0.7, Node(0.1)))


def ratio(m):
    if m == 0:
        return -0.5
    k = m - 1
    return -(1 + ratio(k) * weight(k)) / length(m)


def weight(k):
    return -(k + 2) * (k + 1) / (2 * length(k))


def length(n):
    if n == 0:
        return 2
    if n == 1:
        return np.sqrt(19) / 2
    return np.sqrt(n * (n + 1) + 3 - ratio(n - 1) ** 2 - weight(n - 2) ** 2)


def three_of_each_other(x, n):
    return x * length(n) + x * x * ratio(n - 1)


def ups(x, n):
    return x if n == 0 else downs(x, n - 1) * x


def downs(x, n):  # has no way out of its own
    return np.sin(ups(x, n)) + 1


def ups_and_downs(x, n):
    return downs(x, n) + ups(x, n)


def widened(x, y, n):
    """Each call is given a wider array for x."""
    if n == 0:
        return x * 2
    z = widened(x + y, y, n - 1)
    return z * x


def exchanged(x, y, n):
    if n == 0:
        return x * y
    return exchanged(y, x + y, n - 1)


PROGRAMS = [
    (three_of_each_other, (1.3, 4)),
    (ups_and_downs, (1.3, 3)),
    (power, (1.3, 11)),
    (fib, (0.7, 6)),
    (outer_fib, (0.7, 5)),
    (total, (V,)),
    (tree, (np.array([0.4, 1.2, 0.3, 0.5, 0.9]),)),
    (is_even, (0.4, 6)),
    (tail, (0.8, 1.0, 5)),
    (newton, (1.0, 2.0)),
    (closure, (0.5, 0.3, 5)),
    (loopy, (0.9, 4)),
    (branchy, (0.8, 5)),
    (use_pair, (0.9, 5)),
    (sumlist, ([1.0, 2.0, 3.0, 4.0, 5.0],)),
    (fftloss, (np.arange(16.0),)),
    (matloss, (M, 6)),
    (quad, (1.3, 0.1, 2.0)),
    (horner, ([1.0, 2.0, 0.5, 0.3, 0.7], 0.7, 0)),
    (use_local, (V, 3)),
    (scan, (V, 5)),
    (writes_result, (V, 3)),
    (early, (0.9, 2)),
    (whiles, (0.8, 4)),
    (use_dict, (0.7, 5)),
    (use_list, (0.7, 5)),
    (use_kw, (0.4, 1.2)),
    (nested, (0.6, 4)),
    (three, (0.5, 7)),
    (boolop, (0.5, 5)),
    (none_acc, (0.8, 5)),
    (flag, (0.7, 6)),
    (int_start, (0.7, 5)),
    (tries, (1.2, 5)),
    (asserts, (0.9, 5)),
    (comp, (0.4, 4)),
    (sorted_loss, (np.array([0.3, -0.7, 1.1, 0.2, 0.9]),)),
    (hanoi_like, (0.4, 0.6, 5)),
    (rows, (M,)),
    (rnn, (M, V[:3], 6)),
    (expr, (0.7,)),
    (in_branch, (0.8, 5)),
    (use32, (V.astype(np.float32), 5)),
    (default_arr, (V,)),
    (spoils_fresh, (V, 5)),
]
OF_OTHER_SHAPES = [
    (widened, (np.array([[0.3], [0.6]]), np.array([0.4, 0.5, 0.7]), 3)),
    (widened, (np.array([0.4, 0.5, 0.7]), np.array([[0.3], [0.6]]), 3)),
    (widened, (0.6, np.array([0.4, 0.5, 0.7]), 3)),
    (exchanged, (np.array([0.4, 0.5]), 0.6, 3)),
    (exchanged, (0.6, np.array([0.4, 0.5]), 3)),
]
OBJECTS = [
    (poly, (Poly([1.0, 2.0, 0.5, 0.1, 0.2]), 0.7)),
    (walk, (TREE, 0.9)),
]
