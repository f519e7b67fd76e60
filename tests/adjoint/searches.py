"""Loops that search, and loops that only look like it: what the user is to be told.

Each case names the arguments that act in the loop through comparisons alone.
"""

import math

import numpy as np

CASES = {}


def case(told, *args):
    """Enter a function, the arguments to be told of, and a call."""

    def enter(function):
        CASES[function.__name__] = (function, told.split(), args)
        return function

    return enter


def root(c):
    low, high = 0.0, 10.0
    for _ in range(60):
        mid = 0.5 * (low + high)
        if mid * mid - c > 0.0:
            high = mid
        else:
            low = mid
    return mid


@case("c", 2.0)
def with_sign(c):
    a, b = 0.0, 3.0

    def g(t):
        return t**3 - c

    for i in range(50):
        m = (a + b) / 2
        if np.sign(g(m)) == np.sign(g(a)):
            a = m
        else:
            b = m
    return m


@case("c", 2.0)
def product_sign(c):
    a, b = 0.0, 3.0
    fa = a**2 - c
    while b - a > 1e-10:
        m = (a + b) / 2
        fm = m**2 - c
        if fa * fm <= 0:
            b = m
        else:
            a, fa = m, fm
    return 0.5 * (a + b)


@case("c", 2.0)
def ternary(c):
    a, b = 0.0, 3.0
    for _ in range(40):
        m = 0.5 * (a + b)
        up = m * m < c
        a = m if up else a
        b = b if up else m
    return a + b


@case("c", 2.0)
def npwhere(c):
    a, b = 0.0, 3.0
    for _ in range(40):
        m = 0.5 * (a + b)
        a = np.where(m * m < c, m, a)
        b = np.where(m * m < c, b, m)
    return np.sum(a)


@case("c", 2.0)
def flag(c):
    a, b, done = 0.0, 3.0, False
    n = 0
    while not done:
        m = 0.5 * (a + b)
        left = m * m > c
        if left:
            b = m
        if not left:
            a = m
        n += 1
        done = n >= 40
    return a


@case("c", np.array([2.0, 3.0]))
def vectorised(c):
    lo, hi = np.zeros(2), np.full(2, 3.0)
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        up = mid * mid > c
        hi = np.where(up, mid, hi)
        lo = np.where(up, lo, mid)
    return np.sum(lo)


@case("c", np.array([2.0, 3.0]))
def masked(c):
    lo, hi = np.zeros(2), np.full(2, 3.0)
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        up = mid * mid > c
        hi[up] = mid[up]
        lo[~up] = mid[~up]
    return np.sum(lo)


@case("c", 0.3)
def golden(c):
    r = (math.sqrt(5) - 1) / 2
    a, b = -1.0, 2.0
    x1, x2 = b - r * (b - a), a + r * (b - a)
    f1, f2 = (x1 - c) ** 2, (x2 - c) ** 2
    while b - a > 1e-8:
        if f1 > f2:
            a, x1, f1 = x1, x2, f2
            x2 = a + r * (b - a)
            f2 = (x2 - c) ** 2
        else:
            b, x2, f2 = x2, x1, f1
            x1 = b - r * (b - a)
            f1 = (x1 - c) ** 2
    return 0.5 * (a + b)


@case("c", 2.0)
def linear(c):
    x = 0.0
    while x * x < c:
        x += 0.01
    return x


@case("c", 2.0)
def gridfor(c):
    for x in np.linspace(0.0, 3.0, 301):
        if x * x > c:
            break
    return x


@case("c", 2.0)
def gridargmin(c):
    best, arg = np.inf, 0.0
    for x in np.linspace(0.0, 3.0, 301):
        e = abs(x * x - c)
        if e < best:
            best, arg = e, x
    return arg


@case("c", 2.0)
def returning(c):
    x = 0.0
    for k in range(1000):
        if x * x > c:
            return x
        x = x + 0.01
    return 0.0


@case("c", 2.0)
def times(c):
    lo, hi = 0.0, 3.0
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > c:
            hi = mid
        else:
            lo = mid
    return lo * c


@case("c", 2.0)
def bracket_of_c(c):
    lo, hi = 0.0, max(1.0, c)
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > c:
            hi = mid
        else:
            lo = mid
    return lo


@case("c", 2.0)
def recursive(c):
    def go(lo, hi):
        if hi - lo < 1e-9:
            return lo
        mid = 0.5 * (lo + hi)
        if mid * mid > c:
            return go(lo, mid)
        return go(mid, hi)

    return go(0.0, 3.0)


def recursive_search(c, lo, hi):
    mid = 0.5 * (lo + hi)
    if hi - lo < 1e-9:
        return mid
    return (
        recursive_search(c, lo, mid) if mid * mid > c else recursive_search(c, mid, hi)
    )


@case("c", 2.0)
def recursive_square(c):
    return recursive_search(c, 0.0, 3.0) ** 2


@case("c", 2.0)
def recursive_product(c):
    return recursive_search(c, 0.0, 3.0) * c


class Model:
    def __init__(self):
        self.c, self.k = 2.0, 3.0


@case("m.c", Model())
def of_object(m):
    lo, hi = 0.0, 3.0
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > m.c:
            hi = mid
        else:
            lo = mid
    return lo * m.k


@case("p['c']", {"c": 2.0, "k": 3.0})
def of_dict(p):
    lo, hi = 0.0, 3.0
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > p["c"]:
            hi = mid
        else:
            lo = mid
    return lo * p["k"]


@case("p[0]", [2.0, 3.0])
def of_list(p):
    lo, hi = 0.0, 3.0
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > p[0]:
            hi = mid
        else:
            lo = mid
    return lo * p[1]


@case("p[0]", np.array([2.0, 3.0]))
def of_array(p):
    lo, hi = 0.0, 3.0
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > p[0]:
            hi = mid
        else:
            lo = mid
    return lo * p[1]


@case("p[0]", np.array([2.0, 3.0]))
def of_array2(p):
    c, k = p
    lo, hi = 0.0, 3.0
    for _ in range(50):
        mid = 0.5 * (lo + hi)
        if mid * mid > c:
            hi = mid
        else:
            lo = mid
    return lo * k


@case("c xs", 2.0, np.array([0.0, 1.0, 2.5, 4.0]), np.array([1.0, 2.0, 3.0, 5.0]))
def binary_search(c, xs, ys):
    lo, hi = 0, len(xs) - 1
    while hi - lo > 1:
        m = (lo + hi) // 2
        if xs[m] > c:
            hi = m
        else:
            lo = m
    return ys[lo] * 2.0


@case("c", 2.3)
def rounding(c):
    y = 1.0
    for _ in range(5):
        y = y + np.floor(c * y)
    return y


@case("c", 2.3)
def searchsorted_loop(c):
    g = np.linspace(0, 1, 11)
    lo = 0.0
    w = 1.0
    for _ in range(6):
        v = (lo + w * g) ** 2 - c
        k = np.searchsorted(v, 0.0)
        lo = lo + w * g[max(k - 1, 0)]
        w = w / 10
    return lo


@case("c", 2.3)
def argmin_loop(c):
    lo, w = 0.0, 1.0
    for _ in range(6):
        g = lo + w * np.linspace(0, 3, 11)
        k = np.argmin((g**2 - c) ** 2)
        lo = g[max(k - 1, 0)]
        w = w / 5
    return lo


@case("T", 1.0, 2.0)
def euler(y, T):
    t = 0.0
    while t < T:
        y = y - 0.01 * y
        t += 0.01
    return y


@case("c", 2.0, 0.0, 3.0)
def bracket_args(c, lo, hi):
    for _ in range(50):
        mid = (lo + hi) / 2
        if mid**2 > c:
            hi = mid
        else:
            lo = mid
    return lo


@case("c", 2.0, 0.01)
def linear_step(c, step):
    x = 0.0
    while x * x < c:
        x += step
    return x


@case("c", 2.0, 0.01)
def linear_step_for(c, step):
    x = 0.0
    for _ in range(10000):
        if x * x - c > 0:
            break
        x += step
    return x


@case("c", 2.0, 1e-10)
def bis_tol(c, tol):
    a, b = 0.0, 3.0
    while abs(b - a) > tol:
        m = (a + b) / 2
        if m**2 > c:
            b = m
        else:
            a = m
    return a


@case("c", 2.0, 1e-10)
def bis_tol2(c, tol):
    a, b = 0.0, 3.0
    for _ in range(100):
        m = (a + b) / 2
        r = m**2 - c
        if abs(r) < tol:
            return m
        if r > 0:
            b = m
        else:
            a = m
    return 0.0


@case("c", 2.0)
def signdescent(c):
    x, h = 1.0, 0.5
    for _ in range(60):
        if x * x > c:
            x = x - h
        else:
            x = x + h
        h = h / 2
    return x


@case("p", 0.3)
def bernoulli(p):
    rng = np.random.default_rng(0)
    s = 0.0
    for u in rng.random(100):
        if u < p:
            s += 1.0
    return s / 100


@case("c", 2.0)
def nested(c):
    s = 0.0
    for k in range(3):
        a, b = 0.0, 3.0
        for _ in range(40):
            m = 0.5 * (a + b)
            if m * m + k > c + k:
                b = m
            else:
                a = m
        s += a
    return s


@case("c", 2.0)
def whiletrue(c):
    a, b = 0.0, 3.0
    while True:
        m = 0.5 * (a + b)
        if b - a < 1e-10:
            break
        if m * m > c:
            b = m
        else:
            a = m
    return m


@case("c", 2.0)
def helperloop(c):
    def step(a, b):
        m = 0.5 * (a + b)
        return (a, m) if m * m > c else (m, b)

    s = (0.0, 3.0)
    for _ in range(40):
        s = step(*s)
    return s[0]


@case("c", 2.0)
def inlist(c):
    br = [0.0, 3.0]
    for _ in range(40):
        m = 0.5 * (br[0] + br[1])
        br[1 if m * m > c else 0] = m
    return br[0]


@case("c", 2.0)
def inarray(c):
    br = np.array([0.0, 3.0])
    for _ in range(40):
        m = br.mean()
        if m * m > c:
            br[1] = m
        else:
            br[0] = m
    return br[0]


@case("c", 2.0)
def trig(c):
    a, b = 0.0, 3.0
    n = 0
    while n < 40:
        m = 0.5 * (a + b)
        s = math.copysign(1.0, m * m - c)
        a, b = (m, b) if s < 0 else (a, m)
        n += 1
    return math.sin(a)


@case("", 2.0, 1e-9)
def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


@case("", 2.0, 1e-9)
def newton_for(x, tol):
    y = x
    for _ in range(50):
        new = 0.5 * (y + x / y)
        if abs(new - y) < tol * abs(y):
            break
        y = new
    return y


@case("", 2.0, 1e-9)
def newton_err(x, tol):
    y, err = x, 1.0
    while err > tol:
        new = 0.5 * (y + x / y)
        err = abs(new - y)
        y = new
    return y


@case("", 2.0)
def step_no_loop(x):
    return np.floor(x) + (1.0 if x > 1 else 2.0)


@case("", np.array([1.0, -2.0, 3.0]), 0.5)
def threshold(xs, thr):
    s = 0.0
    for v in xs:
        if v > thr:
            s += v
    return s


@case("", np.array([1.0, -2.0, 3.0]), 0.5)
def threshold_i(xs, thr):
    s = 0.0
    for i in range(len(xs)):
        if xs[i] > thr:
            s += xs[i]
    return s


@case("", np.array([1.0, -2.0, 3.0]))
def biggest(xs):
    b = xs[0]
    for i in range(1, len(xs)):
        b = max(b, xs[i])
    return b


@case("", 7.3)
def reduce(x):
    while x > np.pi:
        x = x - 2 * np.pi
    return np.sin(x)


@case("", 7.3)
def halve(x):
    n = 0
    while x > 1.0:
        x = x / 2
        n += 1
    return np.log(x) + n * np.log(2.0)


@case("", np.array([1.0, 2.0]))
def linesearch(x):
    t = 1.0
    g = 2 * x
    while np.sum((x - t * g) ** 2) > np.sum(x**2) - 1e-4 * t * np.sum(g * g):
        t = t * 0.5
    return np.sum((x - t * g) ** 2)


@case("", np.array([1.0, 2.0]))
def linesearch_for(x):
    t = 1.0
    g = 2 * x
    for _ in range(20):
        if np.sum((x - t * g) ** 2) < np.sum(x**2) - 1e-4 * t * np.sum(g * g):
            break
        t = t * 0.5
    return np.sum((x - t * g) ** 2)


@case("", np.array([1.0, 2.0]), 1.5, 0.1)
def clip_norm(gs, cap, lr):
    s = 0.0
    for g in gs:
        n = abs(g)
        if n > cap:
            g = g * cap / n
        s += lr * g
    return s


@case("", 1.0, 1e-6)
def adaptive(y, tol):
    t, h = 0.0, 0.1
    while t < 1.0:
        full = y - h * y
        half = y - 0.5 * h * y
        half = half - 0.5 * h * half
        err = abs(full - half)
        if err < tol:
            t = t + h
            y = half
            h = h * 1.5
        else:
            h = h * 0.5
    return y


@case("", 2.0, 3.0)
def invariant(x, a):
    s = 0.0
    for i in range(5):
        if a > 2.0:
            s += x * i
        else:
            s -= x
    return s


@case("", np.array([[1.0, 2.0], [3.0, 1.0]]))
def sort(A):
    a = A[0].copy()
    for i in range(2):
        for j in range(1):
            if a[j] > a[j + 1]:
                t = a[j]
                a[j] = a[j + 1]
                a[j + 1] = t
    return a[0] * 2


@case("", 0.5, np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 4.0]))
def interp(c, xs, ys):
    k = 0
    while k < len(xs) - 2 and xs[k + 1] < c:
        k += 1
    w = (c - xs[k]) / (xs[k + 1] - xs[k])
    return ys[k] * (1 - w) + ys[k + 1] * w


@case("", np.eye(2) * 2, np.ones(2), 1e-10)
def cg(A, b, tol):
    x = np.zeros(2)
    r = b - A @ x
    p = r
    rs = r @ r
    for _ in range(10):
        Ap = A @ p
        al = rs / (p @ Ap)
        x = x + al * p
        r = r - al * Ap
        new = r @ r
        if np.sqrt(new) < tol:
            break
        p = r + new / rs * p
        rs = new
    return np.sum(x)


@case("", 0.3, 0.5)
def mandel(a, b):
    z = 0.0 + a
    for k in range(20):
        z = z * z + b
        if abs(z) > 2.0:
            break
    return z


@case("", 8.0, 0.5)
def counted(x, tol):
    while x > tol:
        x = 0.5 * x
    return x


@case("", np.array([0.3, 1.2]), 0.9, 1.0)
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


@case("", 2.0)
def secant(c):
    a, b = 1.0, 2.0
    fa, fb = a * a - c, b * b - c
    for _ in range(8):
        if fb == fa:
            break
        n = b - fb * (b - a) / (fb - fa)
        a, fa = b, fb
        b = n
        fb = b * b - c
    return b


@case("", 2.0)
def regula(c):
    a, b = 1.0, 2.0
    for _ in range(30):
        fa, fb = a * a - c, b * b - c
        m = b - fb * (b - a) / (fb - fa)
        if (m * m - c) * fa > 0:
            a = m
        else:
            b = m
    return m


@case("", 0.4, 1.0)
def collatz(x, lim):
    n = 0
    y = x
    while y < lim and n < 10:
        y = y * 2
        n += 1
    return y


@case("", 1.3, 0.7)
def formula_by_size(x, a):
    for _ in range(3):
        x = x * x if x > a else np.sin(x)
    return x


@case("", 1.3, 0.7)
def indicator(x, a):
    for _ in range(3):
        x = (x > a) * x + (x < a) * x * x
    return x


@case("c", np.array([2.0, 3.0]), np.zeros(2), np.full(2, 3.0))
def brackets_of_the_caller(c, low, high):
    low, high = low.copy(), high.copy()
    for _ in range(50):
        mid = 0.5 * (low + high)
        above = mid * mid > c
        high[above] = mid[above]
        low[~above] = mid[~above]
    return np.sum(low)
