"""Functions of which loops are made: `x` is a vector of floats, `c` a float."""

import math

import numpy as np

PARAM = np.array([0.3, 0.5, 0.7])
RATE = 0.7


class Settings:
    RATE = 1.3


def shifted_in_place(x, c):
    y = x.copy()
    y[1:] = y[:-1] * c
    y[:-1] += y[1:]
    return np.sum(y**2)


def reversed_in_place(x, c):
    y = x * c
    y[::-1] = y
    return np.sum(y * x)


def own_element_spread(x, c):
    y = x.copy()
    y[:] = y[0] * c
    y[1:] += y[1]
    return np.sum(y**2)


def written_view(x, c):
    y = x.copy()
    v = y[1:3]
    v *= c
    return np.sum(y**2) + v[0]


def added_at(x, c):
    y = x.copy()
    np.add.at(y, np.array([0, 1, 0]), c * x[1:4])
    return np.sum(y**2)


def gathered(x, c):
    order = np.array([2, 0, 2, -1])
    return np.sum(x[order] ** 2) * c


def masked(x, c):
    m = x > 0.5
    y = x.copy()
    y[m] = c
    y[~m] *= 2 * c
    return np.sum(y**2) + np.sum(x[m] ** 3)


def along_axes(x, c):
    m = np.outer(x, x)
    n = m - np.mean(m, axis=0, keepdims=True)
    return np.sum(np.max(n, axis=1) * c) + np.sum(np.sum(m, axis=0) ** 2)


def rows_and_columns(x, c):
    m = np.outer(x, x[:3])
    m[:, 0] += c
    m[1] = m[0] * m[2]
    return np.sum(m[:, 1:] ** 2) + m[-1, -1]


def swapped_rows(x, c):
    m = np.outer(x, x)
    m[[0, 2]] = m[[2, 0]]
    return np.sum(m[0] * c) + m[1, 2]


def pivoted_rows(x, c):
    m = np.outer(x, x * c) + np.eye(len(x))
    for k in range(2):
        p = k + np.argmax(np.abs(m[k:, k]))
        m[[k, p]] = m[[p, k]]
        m[k + 1 :] -= np.outer(m[k + 1 :, k] / m[k, k], m[k])
    return np.sum(m * m)


def no_iterations(x, c):
    s = 0.0
    for i in range(0):
        s += x[i]
    for i in range(len(x) - 1, -1, -2):
        s += x[i] * c**i
    return s


def broadcast(x, c):
    z = x[:, None] * x[None, :] + x[:, None]
    return np.sum(z[:-1, 1:] * c)


def of_modules(x, c):
    h = np.zeros(3)
    for t in range(len(x)):
        h = np.tanh(h * c + x[t] * PARAM)
    return np.sum(h) * RATE + c * Settings.RATE


def left_by_break(x, c):
    k = 0
    while c < 2 and k < 5:
        c = c * 1.3
        k += 1
        if k == 3:
            break
    return c * np.sum(x) + k


def solved(x, c):
    A = np.outer(x, x) + np.eye(len(x))
    return np.sum(np.linalg.solve(A, x) * c)


def joined(x, c):
    y = np.concatenate([x[:2] * c, x])
    return np.sum(y**2)


def exchanged(x, c):
    a, b = x.copy(), x * c
    for i in range(3):
        a, b = b, a
        a[i] += b[0]
    return np.sum(a * a * b)


def taken_apart(x, c):
    p, q = x[:2]
    return p * q * c + math.exp(p) * q


def pairs(x, c):
    n = len(x)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            D[i, j] = (x[i] - x[j]) ** 2
            D[j, i] = D[i, j]
    return np.sum(np.sqrt(D + c * c))


def over_items(x, c):
    s = 0.0
    for v in x:
        s += v * c if v > 0.4 else v * v
    for i, v in enumerate(x):
        s += i * v
    for v, w in zip(x[1:], x, strict=False):
        s -= v * w
    return s


def skipped(x, c):
    s = 0.0
    for i in range(len(x)):
        if x[i] < 0.3:
            continue
        s = s + c * x[i]
        if s > 5:
            return s * s
    return s


def softmax(x, c):
    w = np.exp(x - x.max())
    w /= w.sum()
    return -np.log(w[1]) * c


def rounded(x, c):
    return (c // 1) * np.sum(x) + (c % 0.4) + x[int(c * 2)] ** 2


def quotients(x, c):
    return 1 / (1 - 1 / c) + np.sum(1 / x) + math.log(c * c)


def rolled(x, c):
    return np.sum(np.roll(x, 1) * x) * c + np.sum(np.roll(x, -2)[1:])


def turned_view(x, c):
    m = np.outer(x, x)
    v = m.T
    v *= c
    return np.sum(m**2)


def stencil(x, c):
    u = x.copy()
    for _ in range(4):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def of_two_exits(x, c):
    if c > 1:
        return c * x[0]
    if np.sum(x) < 0:
        return 0.0
    return np.sum(np.exp(x)) * c


def listed_rows(x, c):
    rows = []
    for i in range(3):
        c = c * x[i]
        rows.append(np.tanh(x * c))
    m = np.stack(rows)
    return np.sum(m * m) * c


def listed_numbers(x, c):
    h = []
    for i in range(len(x)):
        c = c * x[i]
        h.append(c**2)
    return np.sum(np.array(h) ** 2)


def put_as_list(x, c):
    y = x.copy()
    y[:3] = [c, y[0] * c, 2.0]
    return np.sum(y**3)


def recurrent(x, c):
    W = np.outer(x[:3], x[:3])
    h = np.zeros(3)
    for t in range(len(x)):
        h = np.tanh(W @ h + c * x[t])
    return np.sum(h * h)


def triangles(x, c):
    m = np.outer(x, x)
    t = np.tril(m) * c + np.triu(m, 1) ** 2 - np.tril(m, -1)
    return np.sum(t * t) + np.trace(m) + np.sum(np.diag(m) ** 2)


def diagonals(x, c):
    m = np.diag(x * c)
    return np.sum((m + 1) ** 2)


def cut_and_padded(x, c):
    wide = np.pad(np.clip(x, 0.3, 0.8), (1, 2))
    return np.sum(wide[1:] * wide[:-1]) * c + np.sum(np.clip(x, None, c))


def spread(x, c):
    far = np.linalg.norm(x - c)
    return np.var(x) * far + np.std(x * c)


def log_sums(x, c):
    m = np.outer(x, x) * c
    top = np.max(m, axis=1, keepdims=True)
    lse = top[:, 0] + np.log(np.sum(np.exp(m - top), axis=1))
    return np.sum(lse)


def contractions(x, c):
    m, n = np.outer(x, x[:3]), np.outer(x[:2], x)
    t = np.einsum("ij,ki->jk", m, n)
    u = np.tensordot(n, m, 1)
    v = np.einsum("ij,kj->ki", m, m * c) + np.einsum("ij,j->i", m, x[:3])
    w = np.einsum("ij,ij->i", m, m)
    return np.sum(t * t) * c + np.sum(u) + np.einsum("ij,ij", m, m) + np.sum(v * w)


def stacks(x, c):
    a = x[:4].reshape(1, 2, 2) * np.ones((3, 1, 1))
    b = np.matmul(a, np.swapaxes(a, 1, 2))
    return np.sum(b * c) + np.sum((a @ np.array([c, 1.0])) ** 2)


def turned(x, c):
    m = np.outer(x, x[:2])
    t = np.transpose(m) @ np.flip(m, 0)
    e = np.expand_dims(x, 0) * c
    return np.sum(t) + np.sum(np.broadcast_to(e, (2, 6))[:, : len(x)] ** 2)


def differences(x, c):
    return np.sum(np.diff(x, 2) ** 2) * c


def stepped(x, c):
    parts = np.stack([x * c, x**2, np.exp(x)])
    rows = np.vstack([x, parts]) - np.array([x, x, x, x])
    return np.sum(rows * rows) + np.sum(parts[1])


def picked_least(x, c):
    s = 0.0
    for i in range(1, len(x)):
        s += min(x[i], x[i - 1], c) * max(x[i], 0.5)
    return s


def by_a_tuple(x, c):
    n = len(x) // 2
    where = n, n - 1
    m = np.outer(x, x)
    m[where] = c
    i, j = np.triu_indices(len(x), 1)
    return m[where] * np.sum(m) + np.sum((x[i] - x[j]) ** 2)


def log_determinant(x, c):
    A = np.outer(x, x) + c * np.eye(len(x))
    sign, logdet = np.linalg.slogdet(A)
    return logdet * sign + np.sum(np.linalg.inv(A) * c)


def narrow(x, c):
    y = (x * c).astype(np.float32)
    return np.sum(y * y)


def runs(x, c):
    total = np.cumsum(np.exp(x * c)[::-1])[::-1]
    return np.sum(np.log(total) * x)


def ties_share(x, c):
    return np.max(np.maximum(x, 0.5) * c) + np.min(np.minimum(x, 0.4))


def powers(x, c):
    return np.sum(np.abs(x) ** c) + np.sum(x**3) + abs(c) ** x[0]


def layers(x, c):
    W = np.outer(x[:3], x[:3])
    h = np.outer(x, x[:3])
    for _ in range(3):
        h = np.tanh(h @ W * c)
        W = W * c
    return np.sum(h * h)


def of_dtypes(x, c):
    a = np.zeros(x.shape, dtype=x.dtype) + np.empty_like(x, shape=x.shape).size
    b = np.full(len(x), 2.0, x.dtype) * np.ones([2, len(x)], np.float64)
    d = np.ndarray((len(x), 2), dtype=np.float64)
    d[:] = c
    return np.sum(a * x) + np.sum(b * np.eye(2, len(x), dtype=x.dtype)) + np.sum(d)


def of_shapes(x, c):
    m = np.outer(x, x)
    shape = m.shape
    s = 0.0
    for i in range(shape[0]):
        for j in range(shape[1] - 1):
            s += m[i, j] * c
    return s + np.sum(len(x)) * c


def written_turned(x, c):
    y = x * c
    z = np.flip(y)
    z[0] = x[1]
    m = np.outer(x, x)
    np.flip(m, 1)[0, :2] *= c
    return np.sum(y**2) + np.sum(np.flip(m) * m)


def written_reshaped(x, c):
    y = x * c
    z = np.reshape(y, (1, len(x)))
    z[0, :1] = x[1]
    z[0] *= c
    np.ravel(np.outer(x, x))[0] = c
    return np.sum(y**2)


def stored_with_new_axes(x, c):
    m = np.outer(x, x)
    for i in range(2):
        m[i : i + 1, :, None] = c * x[:, None]
        m[None, i + 1, i:] += x[i:]
    return np.sum(m**2)


def picked_rows(x, c):
    m = np.outer(x, x)
    t = np.minimum(m[:, 1][:, None], m[2])
    for k in range(2):
        t[:] = (
            np.minimum(t[:], np.add.outer(t[:, k], t[k, :])) + np.exp(m[k, 2:][:2])[0]
        )
    return np.sum(t) * c


def rows_written_out(x, c):
    m = np.array([[c, x[0]], [1.0, 2 * x[1]]])
    n = np.array([(x[2], c), (x[3], 1.0)])
    return np.sum((m @ n) ** 2) + np.sum(np.diag([x[0], c, x[1]]) ** 2)


def to_whole_numbers(x, c):
    d = x * 7
    return np.sum((d - c * np.round(d)) ** 2) + np.sum(np.round(x * 3) * x)


def crossed(x, c):
    a, b = x[:3], c * x[1:4]
    return np.sum(np.cross(a, b) ** 2) + np.cross(b, a * a)[1]


def differences_between(x, c):
    m = np.outer(x, x)
    steps = np.floor(m * 7)
    rows = np.diff(steps, axis=0, append=steps[-2:])
    columns = np.diff(steps, prepend=1.0, append=steps[:, :1])
    twice = np.diff(steps[0], 2, prepend=steps[0, :1], append=steps[0, :2])
    stepped = np.sum(rows * m) + np.sum(twice) * c + np.sum(columns[:, 1:] * m)
    return np.sum(np.diff(m, axis=0) ** 2) + stepped


def deviations(x, c):
    m = np.outer(x, x * x)
    spread = np.std(x, ddof=1) + np.sum(np.var(m, axis=0, ddof=1))
    return spread * c + np.sum(np.std(m, axis=1))


def over_pairs(x, c):
    m = np.outer(x, x)
    total = 0.0
    for i, (row, v) in enumerate(zip(m, x)):
        total += row[0] * v * c + i * row[1]
    for k, row in enumerate(m):
        total += row[0] * k * c
    return total


def fused_with_writes(x, c):
    """What an expression reads is written before its value is read."""
    y = x * 2.0
    a = y * c
    y[1:] = a[:-1] + 1.0
    b = y + c
    d = b * 3.0
    b[0] = 2.0
    e = np.tanh(y) * y
    y *= c
    return np.sum(a * d) + np.sum(e * e) + np.sum(b + y)


def fused_in_loops(x, c):
    h, s, k = x * c, 0.0, 1.0
    for i in range(3):
        t = h * k
        k = k + c
        u = t + x
        h = u[::-1] * c
        m = np.outer(x, x)
        r = h + i
        m = m * r + r[:, None]
        s += np.sum(m) * k + np.max(r * x)
    return s + np.sum(h)


def contracted_with_units(x, c):
    a = np.reshape(np.outer(x, x), (3, 2, 1, 6)) * c
    b = np.outer(x, x[:4])
    t = a @ b
    return np.sum(t * t) + np.sum(np.einsum("ijkl,lm->mijk", a, b) ** 2)
