"""Operators and builtins."""

from functools import partial

import numpy as np

from ..table import MATRIX, VECTOR, construct, form

enter = partial(construct, "operators & builtins")

enter(
    "+ - * / ** unary -",
    form("y = (-x + a) * x ** 2 / (a - 3.0 * x) ** 3 - 2.0 ** x + x ** a", a=0.7),
    form("y = np.sum((-x + a) * x ** 2 / (a + 3.0 * x) ** 3 - 2.0 ** x)", VECTOR,
         a=0.7),
)  # fmt: skip
enter(
    "broadcasting in / and **",
    form("y = np.sum(x / w + w ** x + (x[:, None] / w) ** 2)", VECTOR, w=VECTOR[:1]),
    form("y = np.sum(x / x[0] + x[:, :1] ** x)", MATRIX),
)
enter(
    "@ (matmul)",
    form("y = np.sum((x @ x.T) @ x) + x[0] @ x[1]", MATRIX),
    form("y = x @ x * (np.outer(x, x) @ x)[0]", VECTOR),
)
enter(
    "// and %",
    form("y = x % a * x + x // a * x * x", a=0.7),
    form("y = np.sum(x % a * x + x // a * x + a % x)", VECTOR, a=0.37),
    form("""
        y = 0.0
        for i in range(5):
            y = y * x + x * (i % 2) + i // 2
    """),
)  # fmt: skip
enter(
    "unary +",
    form("y = +x * +(x * x)"),
    form("""
        z = +x
        z *= 2.0
        y = np.sum(z * x)
    """, VECTOR),
)  # fmt: skip
enter(
    "~ & | on masks",
    form("""
        mask = (x > 0.8) & ~(x > 1.2) | (x < 0.7)
        y = np.sum(x[mask] ** 2) + np.sum(np.where(~mask, x, x * x))
    """, VECTOR),
)  # fmt: skip
enter(
    "comparison result used as a number",
    form("y = (x > a) * x + (x < a) * x * x + 2.0 * (x != a)", a=0.7),
    form("y = np.sum((x > 1.0) * x * x) + np.sum(x > 1.0) * x[0]", VECTOR),
)
enter(
    "builtin abs / pow / sum / max",
    form(
        """
        y = abs(-x) * pow(x, 3) + sum([x, a]) * max(x, a) + min(x, a, 2.0)
        y = y + max([x, a]) * sum((x, a), x)
    """,
        a=0.7,
    ),
    form("y = sum(abs(x)) * max(x) + min(x[0], x[1]) + sum(pow(x, 2))", VECTOR),
)
enter(
    "float() / int() / round() conversions",
    form("""
        k = int(x * 2.0)
        y = float(k) * x + round(2.6) * x * x + int("3") + float(n) * x
        y = y + round(x, 1) * x + bool(n) * x
    """, n=2),
    form("""
        n = int(len(x) / 2)
        y = np.sum(x[:n] ** 2) * float(n) + x[int(np.sum(x) + 0.5) % 2]
    """, VECTOR),
)  # fmt: skip
enter(
    "float(active scalar)",
    form("y = float(x) * x + float(x * a)", a=0.7),
    form("y = float(np.sum(x * x)) * float(x[0])", VECTOR),
)
enter(
    "math.exp on an active scalar",
    form("y = math.exp(-x) * math.sin(x * a) + math.sqrt(x) * math.pi", a=0.7),
    form("y = math.log(x[0] * x[1]) * math.hypot(x[2], x[3]) + math.fsum(x)", VECTOR),
)
enter(
    "array methods x.sum() x.reshape x.T x.dot",
    form("""
        z = x.reshape(3, 2).T
        y = (z * x).sum() * x.mean() + x.dot(x.T).sum(axis=0)[1] + x.max()
        y = y + x.ravel()[2] + x.flatten()[1] * x.copy().std() + x.T[0] @ x[:, 1]
    """, MATRIX),
    form("y = x.prod() * x.cumsum()[2] + x.clip(0.7, 1.2).sum() + x.astype(float)[0]",
         VECTOR),
    form("""
        z = x * a
        z.shape = -1
        z[1:] *= z[:-1]
        z.shape = (2, -1)
        y = np.sum(z[0] * z[1])
    """, MATRIX, a=0.7),
)  # fmt: skip
enter(
    "np.where",
    form("y = np.sum(np.where(x > 1.0, x * x, np.sqrt(x)) * x)", VECTOR),
    form("y = np.where(x > a, x * x, a) * x", a=0.7),
)
enter(
    "len / shape / ndim in arithmetic",
    form("""
        n, k = x.shape
        y = np.sum(x) / len(x) * x.ndim + x[0, 0] * n * k / x.size
        y = y + np.sum(x) / x.shape[1]
    """, MATRIX),
    form("y = np.sum(x * x) / (len(x) - 1) + x[len(x) // 2]", VECTOR),
)  # fmt: skip
enter(
    "ufunc out=",
    form("""
        z = np.empty_like(x)
        np.multiply(x, x, out=z)
        w = np.exp(z, out=z)
        np.add(w, x, z)
        y = np.sum(z * w)
    """, VECTOR),
)  # fmt: skip
enter(
    "np.add.at",
    form("""
        z = np.zeros(3)
        np.add.at(z, [0, 2, 2, 1], x * x)
        np.subtract.at(z, [1, 1], x[:2])
        y = np.sum(z * z)
    """, VECTOR),
)  # fmt: skip
enter(
    "scipy.special function",
    form("y = special.gammaln(x) * special.erf(x)", setup="from scipy import special"),
    form("""
        from scipy.special import expit, logsumexp

        y = np.sum(expit(x) * x) * logsumexp(x)
    """, VECTOR),
)  # fmt: skip

beyond = partial(construct, "operators & builtins", listed=False)

beyond(
    "divmod, complex numbers inside",
    form("""
        q, r = divmod(x, a)
        z = complex(x, a) * 1j
        y = q * x + r * x + abs(z) * z.real + (z * z.conjugate()).imag
    """, a=0.4),
)  # fmt: skip
beyond(
    "fill, copyto, put, place, putmask, fill_diagonal",
    form("""
        z = np.empty(4)
        z.fill(x[0])
        np.copyto(z, x * x, where=x > 1.0)
        np.put(z, [0, 1], x[2:] * x[:2])
        np.putmask(z, z > 1.5, x)
        np.place(z, z < 0.3, x[:1])
        y = np.sum(z * z)
    """, VECTOR),
    form("""
        z = np.outer(x, x)
        np.fill_diagonal(z, x[1])
        y = np.sum(z * z)
    """, VECTOR),
)  # fmt: skip
beyond(
    "an integer array truncates what is stored",
    form("""
        z = np.zeros(4, dtype=int)
        z[1] = 2.9
        z[2] = x[0] * 3.0
        y = np.sum(z * x)
    """, VECTOR),
)  # fmt: skip
beyond(
    "np.vectorize",
    form("y = np.sum(step(x) * x)", VECTOR, setup="""
        @np.vectorize
        def step(u):
            if u > 1.0:
                return u * u
            return u
    """),
)  # fmt: skip
beyond(
    "isinstance, hasattr, callable, type",
    form("""
        if isinstance(x, (int, float)):
            y = x * x
        elif isinstance(x, np.ndarray):
            y = np.sum(x)
        else:
            y = 0.0
        y = y * 2.0 if hasattr(x, "real") and callable(math.sin) else y
        if type(n) is int:
            y = y * n
    """, n=2),
    form("""
        z = np.asarray(x, dtype=float)
        y = np.sum(z * z) if np.ndim(z) and not np.isscalar(x) else z * z
    """, VECTOR),
)  # fmt: skip

ONES = np.ones(2)
