"""Reading items and parts of arrays."""

from functools import partial

from ..table import MATRIX, VECTOR, construct, form

enter = partial(construct, "indexing")

enter(
    "x[i], x[-1]",
    form("y = x[0] * x[-1] * x[k]", VECTOR, k=2),
    form("y = x[0, 1] * x[-1, k] + np.sum(x[1] * x[0])", MATRIX, k=2),
)
enter(
    "slice with step / newaxis / ellipsis",
    form("y = np.sum(x[::2] * x[1::2]) + np.sum(x[::-1] * x)", VECTOR),
    form("y = np.sum(x[:, None] * x[np.newaxis, :] * x[..., None])", VECTOR),
    form("y = np.sum(x[..., 1] * x[:, ::2].sum(axis=1)) + x[0, ..., 2]", MATRIX),
)
enter(
    "integer-array index with repeats",
    form("y = np.sum(x[[0, 2, 2, -1]] ** 2 * x[np.array([1, 1, 0, 3])])", VECTOR),
    form("y = np.sum(x[[0, 1, 0], [2, 2, 2]] * x[:, [1, 1]].sum())", MATRIX),
)
enter(
    "boolean mask index",
    form("y = np.sum(x[x > 1.0] ** 2) * np.prod(x[x <= 1.0])", VECTOR),
    form("""
        keep = np.array([True, False])
        y = np.sum(x[keep] ** 2) + np.sum(x[x > 0.6] ** 3)
    """, MATRIX),
)  # fmt: skip
enter(
    "index by a computed (argmax) index",
    form("y = x[np.argmax(x)] * x[np.argmin(x)] + x[np.argsort(x)[1]] ** 2", VECTOR),
    form("""
        i, j = np.unravel_index(np.argmax(x), x.shape)
        y = x[i, j] * x[0, 0]
    """, MATRIX),
)  # fmt: skip
enter(
    "slice object / variable bounds x[a:b]",
    form("""
        part = slice(1, None)
        y = np.sum(x[lo:hi] ** 2) * np.sum(x[part]) + np.sum(x[slice(lo, hi)])
    """, VECTOR, lo=1, hi=3),
    form("""
        y = 0.0
        for i in range(1, len(x)):
            y = y + np.sum(x[:i] * x[i]) * np.sum(x[i:])
    """, VECTOR),
)  # fmt: skip
