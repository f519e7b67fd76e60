"""Functions that write into arrays: their arguments, views, by `out=` and the like."""

import numpy as np

r = np.random.default_rng(0)
X = r.uniform(0.3, 1.2, size=4)


def writes(x):
    x[0] = 1.0
    return np.sum(x**2)


def scale(x):
    y = x
    x *= 2.0
    return np.sum(np.exp(y) * x)


def normalize(p):
    p /= np.sum(p)
    return np.sum(p**3)


def reads_old(x):
    a = np.sin(x)
    s = np.sum(x * a)
    x += a
    return s * np.sum(x**2)


def two(x, z):
    x[1:] *= z[1:]
    return np.sum(x * z)


def loop(x):
    for i in range(1, len(x)):
        x[i] = x[i] * np.tanh(x[i - 1])
    return np.sum(x)


def loop2(x, n):
    for i in range(n):
        x *= np.cos(x)
    return np.sum(x)


def br(x, c):
    if c > 0:
        x *= c
    else:
        x[0] = c * x[1]
    return np.sum(np.exp(x))


def helper(a, k):
    a = np.asarray(a)
    a *= k
    return a


def conv(x):
    y = helper(x, 3.0)
    return np.sum(x * np.sin(y))


def conv2(x):
    y = np.asarray(x)
    z = np.atleast_1d(y)
    z[0] = np.exp(x[1])
    return np.sum(x * y * z)


def view1(x):
    y = x * 2
    v = y[1:3]
    v[:] = np.sin(x[0])
    return np.sum(y * y)


def view2(x):
    y = x.reshape(2, 2) * 1.5
    row = y[0]
    row[1:] = x[3] ** 2
    row *= x[0]
    return np.sum(np.exp(y)) + np.sum(row)


def view3(x):
    y = x * 2
    v = y[1:]
    v[0] = x[0] * x[1]
    w = y[::-1]
    w[0] *= x[2]
    return np.sum(y**2) + np.sum(v * v) + np.sum(w)


def view4(x):
    y = x.reshape(2, 2).copy()
    t = y.T
    t[0, 1] = x[0] * x[2]
    t[0] *= 2.0
    return np.sum(y**2 * np.array([[1.0, 2.0], [3.0, 4.0]]))


def maybe(x):
    y = np.exp(x)
    z = y.reshape(2, 2)
    z[0] *= x[0]
    return np.sum(z**2)


def param_view(x):
    v = x[1:]
    v *= x[0]
    return np.sum(np.exp(x)) * np.sum(v)


def rebind(x):
    x = x[1:]
    x[0] = x[1] * 2
    return np.sum(x**2)


def ravel(x):
    y = x.reshape(2, 2)
    y[0, 0] = np.cos(y[1, 1])
    y = y.ravel()
    y *= y
    return np.sum(y)


def loopview(x):
    y = x.reshape(2, 2) * 1.0
    for i in range(2):
        row = y[i]
        row[0] = row[1] * x[i]
        row *= 1.5
    return np.sum(y**2)


def setret(x):
    x[...] = np.exp(x)
    return x


def whileloop(x):
    while np.sum(x) > 1.0:
        x *= 0.5
        x[0] = x[1] ** 2
    return np.sum(x**2)


def f_out(x):
    y = np.empty_like(x)
    np.square(x, out=y)
    np.multiply(y, x, out=y)
    return np.sum(y)


def f_out_self(x):
    y = x - np.mean(x)
    np.square(y, out=y)
    return np.sum(y * x)


def f_out_arg(x):
    np.exp(x, x)
    return np.sum(x**2)


def f_where(x, z):
    q = np.divide(x, z, out=np.ones_like(x), where=z != 0)
    return np.sum(q**2)


def f_where2(x):
    y = x * 2
    np.log(y, out=y, where=y > 1.0)
    return np.sum(y**2)


def f_where_scalar(s, z):
    q = np.divide(s, z, out=np.ones_like(s), where=z != 0)
    q = np.minimum(q, 5.0, out=q)
    return q * 2


def f_copyto(x):
    y = np.zeros(4)
    np.copyto(y, x * x)
    np.copyto(y, 3.0 * x, where=x > 0.6)
    return np.sum(y**2)


def f_addat(x):
    y = np.zeros(3)
    np.add.at(y, np.array([0, 1, 1, 2]), x)
    np.subtract.at(y, [0, 0], x[:2] * x[0])
    return np.sum(y**3)


def f_fill(x):
    y = x * x
    y.fill(x[1])
    y[2] = 3.0 * x[0]
    return np.sum(y**2)


def f_put(x):
    y = x * x
    np.put(y, [0, 2], x[1] * 3)
    y.put(1, x[3])
    return np.sum(y**2)


def f_place(x):
    y = x * x
    np.place(y, x > 0.6, x[0] * 2)
    np.putmask(y, x < 0.4, x[1])
    return np.sum(y**2)


def f_filld(x):
    y = x.reshape(2, 2) * 3
    np.fill_diagonal(y, x[0] ** 2)
    return np.sum(y**2)


def f_nan(x):
    y = np.log(x)
    np.nan_to_num(y, copy=False)
    return np.sum(y)


def f_outnone(x, out=None):
    if out is None:
        out = np.empty_like(x)
    np.add(x, 1, out=out)
    out = np.clip(out, 0.1, 1.5, out=out)
    return np.cumsum(out)[-1]


def f_rep(x):
    y = x * 2
    y[[0, 0]] = x[1:3] ** 2
    return np.sum(y**2)


def f_rep_add(x):
    y = x * 2
    y[[0, 0]] += x[1:3] ** 2
    return np.sum(y**2)


def f_rep_mul(x):
    y = x * 2
    y[[0, 0]] *= x[1:3]
    return np.sum(y**2)


def f_loop_out(x, n):
    y = x.copy()
    t = np.empty_like(x)
    for i in range(n):
        np.sin(y, out=t)
        np.multiply(t, x, out=y)
    return np.sum(y)


def f_swap(x, k):
    y = x * x
    p = np.argmax(y)
    y[[k, p]] = y[[p, k]]
    return y[0] * y[1] + y[2] ** 2


def f_int(x):
    y = np.zeros(3, dtype=int)
    y[0] = x[0] * 10
    return np.sum(y * x[:3])


def mixture(zs, ms):
    k = 0.0
    for i in range(len(zs)):
        k += zs[i] * ms[i] ** 2
    return k


CASES = [
    (writes, (X,)),
    (scale, (X,)),
    (normalize, (X,)),
    (reads_old, (X,)),
    (two, (X, r.normal(size=4))),
    (loop, (X,)),
    (loop2, (X, 3)),
    (br, (X, 0.7)),
    (conv, (X,)),
    (conv2, (X,)),
    (view1, (X,)),
    (view2, (X,)),
    (view3, (X,)),
    (view4, (X,)),
    (maybe, (X,)),
    (param_view, (X,)),
    (rebind, (X,)),
    (ravel, (X,)),
    (loopview, (X,)),
    (setret, (X,)),
    (whileloop, (X,)),
    (f_out, (X,)),
    (f_out_self, (X,)),
    (f_out_arg, (X,)),
    (f_where, (X, np.array([1, 0, 2, 1]))),
    (f_where2, (X,)),
    (f_where_scalar, (0.4, 0.7)),
    (f_copyto, (X,)),
    (f_addat, (X,)),
    (f_fill, (X,)),
    (f_put, (X,)),
    (f_place, (X,)),
    (f_filld, (X,)),
    (f_nan, (X,)),
    (f_outnone, (X,)),
    (f_rep, (X,)),
    (f_rep_add, (X,)),
    (f_rep_mul, (X,)),
    (f_loop_out, (X, 3)),
    (f_swap, (X, 1)),
    (f_int, (X,)),
]
