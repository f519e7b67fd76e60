"""The helpers that generated text may call: NumPy only, each self-contained.

In general text a helper stands for what depends on ranks, kinds and settings; where
facts decide, the text has the specific form instead (`db = dz.sum(axis=0)`).  A helper
is copied into the text with those it calls.  `un<op>` undoes `op` for a cotangent,
which is its first argument.

>>> unbroadcast(np.ones((2, 3)), np.zeros((1, 3)))
array([[2., 2., 2.]])
>>> unbroadcast(np.ones((2, 3)), 1.5)
6.0
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Axis = Any
Array = Any

# ---------------------------------------------------------------- broadcasting


def unbroadcast(d: Array, x: Array) -> Array:
    """`d` summed over the axes that broadcasting gave to `x`."""
    shape = np.shape(x)
    if np.shape(d) == shape:
        return d
    lead = np.ndim(d) - len(shape)
    if lead < 0:  # float(x) of an array of one element
        return np.reshape(d, shape)
    axes = [k for k, n in enumerate(shape, lead) if n == 1 and d.shape[k] != 1]
    d = d.sum(axis=(*range(lead), *axes)).reshape(shape)
    return d if hasattr(x, "dtype") else d.item()


def unsum(dy: Array, x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """`dy` repeated over the axes that a reduction of `x` took away."""
    return np.zeros_like(x) + restored(dy, axis, keepdims)


def restored(y: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """`y`, the result of a reduction, with the reduced axes back at length 1."""
    if axis is None or keepdims or np.ndim(y) == 0:
        return y
    return np.expand_dims(y, axis)


def expand(d: Array, x: Array) -> Array:
    """`d` repeated to the shape of `x`, in memory of its own."""
    return np.zeros_like(x) + d


def like(d: Array, x: Array) -> Array:
    """The gradient `d` with the shape, dtype and kind of `x`, in memory of its own."""
    if not hasattr(x, "dtype"):
        return float(d)
    dtype = x.dtype if x.dtype.kind in "fc" else np.float64
    if np.iscomplexobj(d) and dtype.kind != "c":
        d = np.real(d)
    d = np.array(np.broadcast_to(d, x.shape), dtype)
    return d if isinstance(x, np.ndarray) else d[()]


def count(x: Array, axis: Axis = None, ddof: int = 0) -> Any:
    """How many elements of `x` a reduction over `axis` puts together, less `ddof`; at
    least 1."""
    shape = np.shape(x)
    axes = range(len(shape)) if axis is None else axis
    axes = axes if hasattr(axes, "__iter__") else (axes,)
    return max(math.prod([shape[k] for k in axes]) - ddof, 1)


def broadcast(f: Any, *arrays: Array) -> Array:
    """`f`, a function of numbers, on each element of arrays that broadcast together.

    The result is a float64 array, of numbers a NumPy scalar.
    """
    return np.vectorize(f, otypes=[float])(*arrays)[()]


# ---------------------------------------------------------------- products


def unmatmul_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `u @ v`, whatever the ranks."""
    if np.ndim(v) == 1:
        du = np.expand_dims(dy, -1) * v
    elif np.ndim(u) == 1:
        du = (np.expand_dims(dy, -2) @ np.swapaxes(v, -1, -2)).reshape(-1, len(u))
        return du.sum(axis=0)
    else:
        du = dy @ np.swapaxes(v, -1, -2)
    return unbroadcast(du, u)


def unmatmul_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `u @ v`, whatever the ranks."""
    if np.ndim(u) == 1:
        dv = u.reshape(-1, 1) * np.expand_dims(dy, -2) if np.ndim(v) > 1 else u * dy
    elif np.ndim(v) == 1:
        dv = np.swapaxes(u, -1, -2) @ np.expand_dims(dy, -1)
        return dv.reshape(-1, len(v)).sum(axis=0)
    else:
        dv = np.swapaxes(u, -1, -2) @ dy
    return unbroadcast(dv, v)


def undot_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `np.dot(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(dy * np.asarray(v), u)
    if np.ndim(v) == 1:
        return np.expand_dims(dy, -1) * v
    n = np.ndim(v) - 1
    axes = range(np.ndim(dy) - n, np.ndim(dy))
    return np.tensordot(dy, v, (list(axes), [*range(n - 1), n]))


def undot_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `np.dot(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(dy * np.asarray(u), v)
    axes = list(range(np.ndim(u) - 1))
    dv = np.tensordot(u, dy, (axes, axes))
    return dv if np.ndim(v) == 1 else np.moveaxis(dv, 0, -2)


def uninner_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `np.inner(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(dy * np.asarray(v), u)
    n = np.ndim(v) - 1
    axes = range(np.ndim(dy) - n, np.ndim(dy))
    return np.tensordot(dy, v, (list(axes), list(range(n))))


def uninner_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `np.inner(u, v)`, whatever the ranks."""
    if np.ndim(u) == 0 or np.ndim(v) == 0:
        return unbroadcast(dy * np.asarray(u), v)
    axes = list(range(np.ndim(u) - 1))
    return np.tensordot(dy, u, (axes, axes))


def contracted_axes(u: Array, v: Array, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of `u` and `v`, from 0, over which `tensordot` sums."""
    if not hasattr(axes, "__len__"):
        return list(range(np.ndim(u) - axes, np.ndim(u))), list(range(axes))
    p, q = np.atleast_1d(axes[0]), np.atleast_1d(axes[1])
    return [int(k) % np.ndim(u) for k in p], [int(k) % np.ndim(v) for k in q]


def untensordot_left(dy: Array, u: Array, v: Array, axes: Any = 2) -> Array:
    """The adjoint of `u` in `tensordot(u, v, axes)`."""
    p, q = contracted_axes(u, v, axes)
    kept = [k for k in range(np.ndim(u)) if k not in p]
    rest = [k for k in range(np.ndim(v)) if k not in q]
    du = np.tensordot(dy, v, (list(range(len(kept), np.ndim(dy))), rest))
    order = [*kept, *(p[k] for k in np.argsort(q))]
    return np.transpose(du, np.argsort(order))


def untensordot_right(dy: Array, u: Array, v: Array, axes: Any = 2) -> Array:
    """The adjoint of `v` in `tensordot(u, v, axes)`."""
    p, q = contracted_axes(u, v, axes)
    kept = [k for k in range(np.ndim(u)) if k not in p]
    rest = [k for k in range(np.ndim(v)) if k not in q]
    dv = np.tensordot(u, dy, (kept, list(range(len(kept)))))
    order = [*(q[k] for k in np.argsort(p)), *rest]
    return np.transpose(dv, np.argsort(order))


def spelled_out(subscripts: str, ranks: Any) -> tuple[list[str], str]:
    """The labels of operands and result of an einsum, with no ellipsis left.

    >>> spelled_out("...i,i", [3, 1])
    (['ABi', 'i'], 'AB')
    """
    given, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = given.split(",")
    free = [chr(c) for c in range(65, 91) if chr(c) not in subscripts]
    dots = [max(n - len(s.replace("...", "")), 0) for s, n in zip(inputs, ranks)]
    every = "".join(free[: max(dots)])
    for k, labels in enumerate(inputs):
        inputs[k] = labels.replace("...", every[len(every) - dots[k] :])
    if not arrow:
        once = [c for c in sorted(set(given)) if c.isalpha() and given.count(c) == 1]
        output = "..." + "".join(once)
    return inputs, output.replace("...", every)


def uneinsum(dy: Array, subscripts: str, operands: Any) -> list[Array]:
    """The adjoints of the operands of `einsum(subscripts, *operands)`."""
    inputs, output = spelled_out(subscripts, [np.ndim(x) for x in operands])
    adjoints = []
    for k, labels in enumerate(inputs):
        x = np.asarray(operands[k])
        others = [*inputs[:k], *inputs[k + 1 :], output]
        arrays = [conjugate(a) for a in (*operands[:k], *operands[k + 1 :])] + [dy]
        single = "".join(dict.fromkeys(labels))
        for c in single:  # ones for what was summed, or met axes of length 1
            n = x.shape[labels.index(c)]
            met = [np.shape(a)[s.index(c)] for s, a in zip(others, arrays) if c in s]
            if n not in met:
                others.append(c)
                arrays.append(np.ones_like(x, shape=n))
        d = np.einsum(",".join(others) + "->" + single, *arrays)
        dx = np.zeros_like(x, dtype=np.result_type(x, d, np.float16))
        diagonal = np.einsum(labels + "->" + single, dx)  # all of it, or a view
        diagonal[...] = unbroadcast(d, diagonal)
        adjoints.append(real_like(dx, x))
    return adjoints


def unkron_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `kron(u, v)`."""
    blocks, v = kron_blocks(dy, u, v)
    axes = tuple(range(1, blocks.ndim, 2))
    return np.sum(blocks * v, axis=axes).reshape(np.shape(u))


def unkron_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `kron(u, v)`."""
    blocks, u = kron_blocks(dy, v, u, first=1)
    axes = tuple(range(0, blocks.ndim, 2))
    return np.sum(blocks * u, axis=axes).reshape(np.shape(v))


def kron_blocks(dy: Array, x: Array, other: Array, first: int = 0) -> Any:
    """`dy` with its axes taken apart, those of `x` at `first`, 2 + first, ...; and the
    other operand laid along the axes between."""
    rank = max(np.ndim(x), np.ndim(other))
    shape = [0] * (2 * rank)
    shape[first::2] = (1,) * (rank - np.ndim(x)) + np.shape(x)
    shape[1 - first :: 2] = (1,) * (rank - np.ndim(other)) + np.shape(other)
    along = list(shape)
    along[first::2] = [1] * rank
    return np.reshape(dy, shape), np.reshape(other, along)


# ---------------------------------------------------------------- linear algebra


def unnorm(
    dy: Array,
    x: Array,
    y: Array,
    ord: Any = None,  # noqa: A002  the name that NumPy gives it
    axis: Axis = None,
    keepdims: bool = False,
) -> Array:
    """The adjoint of `x` in `y = norm(x, ord, axis, keepdims)`; 0 where `y` is 0."""
    x = np.asarray(x)
    if axis is None:
        axes = tuple(range(x.ndim))
        dy, y = np.reshape(dy, (1,) * x.ndim), np.reshape(y, (1,) * x.ndim)
    else:
        axes = (axis,) if np.ndim(axis) == 0 else tuple(axis)
        dy, y = restored(dy, axis, keepdims), restored(y, axis, keepdims)
    inverse = 1 / (y + (y == 0))
    if ord in (None, "fro") or (ord == 2 and len(axes) == 1):
        return dy * (x * inverse)
    size = np.abs(x)
    if len(axes) == 2:
        return unmatrix_norm(dy, x, y, ord, axes)
    if ord in (np.inf, -np.inf):
        return unmax(dy, size, y, axes, True) * np.sign(x)
    if ord == 0:
        return 0 * dy * x
    if ord == 1:
        return dy * np.sign(x)
    ratio = np.where(size == 0, 1, size) * inverse
    return dy * np.sign(x) * ratio ** (ord - 1)


def unmatrix_norm(dy: Array, x: Array, y: Array, ord: Any, axes: Any) -> Array:  # noqa: A002
    """The adjoint of `x` in the matrix norms of order 1, -1, 2, -2, inf, -inf, nuc."""
    if ord in (1, -1, np.inf, -np.inf):
        summed = axes[0] if ord in (1, -1) else axes[1]
        sums = np.sum(np.abs(x), axis=summed, keepdims=True)
        return unmax(dy, sums, y, axes, True) * np.sign(x)
    z = np.moveaxis(x, axes, (-2, -1))
    u, s, vh = np.linalg.svd(z, full_matrices=False)
    if ord == "nuc":
        weights = (s > s[..., :1] * 1e-15).astype(s.dtype)
    else:
        k = 0 if ord == 2 else -1
        weights = np.zeros_like(s)
        weights[..., k] = s[..., k] > 0
    dz = (u * weights[..., np.newaxis, :]) @ vh
    return dy * np.moveaxis(dz, (-2, -1), axes)


def unsolve(dy: Array, a: Array, b: Array) -> Array:
    """`solve(a.T, dy)` for `y = solve(a, b)`: the adjoint of `b`, stacks included."""
    transposed = np.swapaxes(a, -1, -2)
    if np.ndim(b) == 1:
        return np.linalg.solve(transposed, np.expand_dims(dy, -1))[..., 0]
    return np.linalg.solve(transposed, dy)


def outer_last(w: Array, y: Array, b: Array) -> Array:
    """`w @ y.T`, of vectors their outer product, for the right side `b` of a system."""
    if np.ndim(b) == 1:
        return np.expand_dims(w, -1) * np.expand_dims(y, -2)
    return w @ np.swapaxes(y, -1, -2)


def cofactors(x: Array) -> Array:
    """`det(x) * inv(x).T`, of singular matrices too."""
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    others = prod_of_others(s, -1) * np.expand_dims(sign, -1)
    if np.iscomplexobj(x):
        u, vh = np.conj(u), np.conj(vh)
    return (u * np.expand_dims(others, -2)) @ vh


def unpinv(dy: Array, x: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = pinv(x)`."""
    xt, yt, dt = (np.swapaxes(z, -1, -2) for z in (x, y, dy))
    left = np.eye(np.shape(x)[-2], dtype=y.dtype) - x @ y
    right = np.eye(np.shape(x)[-1], dtype=y.dtype) - y @ x
    return -yt @ dy @ yt + left @ dt @ y @ yt + yt @ y @ dt @ right


def uncholesky(dy: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = cholesky(x)`, symmetric."""
    yt = np.swapaxes(y, -1, -2)
    p = np.tril(yt @ dy)
    p = p - np.eye(np.shape(y)[-1], dtype=y.dtype) * p / 2
    s = np.linalg.solve(yt, np.swapaxes(np.linalg.solve(yt, np.swapaxes(p, -1, -2)), -1, -2))
    return (s + np.swapaxes(s, -1, -2)) / 2


# ---------------------------------------------------------------- indexing


def ungetitem(dy: Array, x: Array, index: Any) -> Array:
    """Zeros like `x` with `dy` added at `index`, once for each time it is repeated."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    np.add.at(dx, index, dy)
    return dx


def unset(d: Array, index: Any) -> Array:
    """The adjoint `d` of an array, as it was before the array was stored to at `index`."""
    d = d.copy()
    d[index] = 0
    return d


# ---------------------------------------------------------------- singular points


def power_slope(u: Array, v: Array) -> Array:
    """`v * u ** (v - 1)`, the slope of `u ** v` in `u`: 0 where `v` is 0."""
    if np.ndim(v) == 0:
        return v * u ** (v - 1) if v != 0 else 0.0 * u
    return v * u ** np.where(v == 0, 1, v - 1)


def log_or_zero(u: Array) -> Array:
    """`log(u)`; 0 where `u` is 0, nan where it is negative."""
    if np.iscomplexobj(u):
        return np.log(u + (u == 0))
    if not hasattr(u, "dtype"):
        return math.log(u) if u > 0 else u if u == 0 else math.nan
    return np.where(u < 0, np.nan, np.log(np.where(u > 0, u, 1)))


# ---------------------------------------------------------------- singular slopes


def sinc_slope(x: Array) -> Array:
    """The slope of `sinc(x) = sin(pi x) / (pi x)`, near 0 by its series."""
    t = math.pi * x
    near = np.abs(t) < 0.5
    s = np.where(near, 1, t)
    q = t * t
    # The sum of (-1)**k 2k t**(2k - 1) / (2k + 1)!, to the last bit for |t| < 0.5.
    series = 1 - q / 88 * (1 - q / 130 * (1 - q / 180))
    series = -t / 3 * (1 - q / 10 * (1 - q / 28 * (1 - q / 54 * series)))
    return math.pi * np.where(near, series, (np.cos(s) - np.sin(s) / s) / s)


def sinc_curvature(x: Array) -> Array:
    """The slope of `sinc_slope`."""
    t = math.pi * x
    near = np.abs(t) < 0.5
    s = np.where(near, 1, t)
    q = t * t
    # The sum of (-1)**k 2k (2k - 1) t**(2k - 2) / (2k + 1)!.
    series = 1 - q * 9 / 616 * (1 - q * 11 / 1170 * (1 - q * 13 / 1980))
    series = -(1 - q * 3 / 10 * (1 - q * 5 / 84 * (1 - q * 7 / 270 * series))) / 3
    far = (2 * np.sin(s) / s - 2 * np.cos(s) - s * np.sin(s)) / (s * s)
    return math.pi**2 * np.where(near, series, far)


# ---------------------------------------------------------------- complex numbers


def real_like(d: Array, x: Array) -> Array:
    """The real part of `d` where `x` is real."""
    return d if np.iscomplexobj(x) else np.real(d)


def conjugate(x: Array) -> Array:
    """`conj(x)`; a real `x` itself."""
    return np.conj(x) if np.iscomplexobj(x) else x


def unimag(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `imag(x)`: 0 for a real one."""
    return 1j * dy if np.iscomplexobj(x) else 0 * dy


def unangle(dy: Array, x: Array, deg: bool = False) -> Array:
    """The adjoint of `x` in `angle(x)`: 0 for a real one, and at 0."""
    if not np.iscomplexobj(x):
        return 0 * dy
    r = np.abs(x)
    s = r + (r == 0)
    return (180 / math.pi if deg else 1) * 1j * dy * (x / s) / s


# ---------------------------------------------------------------- sequences


def unrepeat_sequence(dy: Any, u: Any) -> list[Any]:
    """The adjoints of the items of `u` in `u * n`, the sequence repeated."""
    return [sum(dy[k :: len(u)]) for k in range(len(u))]


def picked(dy: Any, items: Any, y: Any) -> list[Any]:
    """The adjoints of `items` where the first that is `y` was picked."""
    first = list(items).index(y)
    return [dy if k == first else 0.0 for k in range(len(items))]


def picked_products(dy: Any, x: Any) -> list[Any]:
    """The adjoints of the factors of `math.prod(x)`."""
    return [dy * math.prod(x[:k]) * math.prod(x[k + 1 :]) for k in range(len(x))]


def unsum_sequence(dy: Any, x: Any) -> list[Any]:
    """The adjoints of the items of `sum(x)`."""
    return [unbroadcast(dy, item) for item in x]


def unhypot(dy: Any, coordinates: Any, y: Any) -> list[Any]:
    """The adjoints of the arguments of `math.hypot`; 0 at the origin."""
    return [dy * (x / (y + (y == 0))) for x in coordinates]


def undist(dy: Any, p: Any, q: Any, y: Any) -> list[Any]:
    """The adjoints of the coordinates `p` of `math.dist(p, q)`; 0 at distance 0."""
    return [dy * ((a - b) / (y + (y == 0))) for a, b in zip(p, q, strict=True)]


# ---------------------------------------------------------------- special functions


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma, the slope of `lgamma`.

    Recurrence up to x >= 16 + n, then the asymptotic series (DLMF 5.11.2, 5.15.8); for
    n = 0 and negative x by reflection (DLMF 5.5.4). Relative error below 1e-13 away
    from the zeros.
    """
    if n == 0 and x < 0:
        return polygamma(0, 1 - x) - math.pi / math.tan(math.pi * x)
    sign = (-1) ** (n + 1)
    total = 0.0
    while x < 16 + n:
        total += sign * math.factorial(n) / x ** (n + 1)
        x += 1
    head = math.log(x) if n == 0 else sign * math.factorial(n - 1) / x**n
    total += head + sign * math.factorial(n) / (2 * x ** (n + 1))
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
    for k, b in enumerate(bernoulli, 1):
        term = b * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total += sign * term / x ** (2 * k + n)
    return total


# ---------------------------------------------------------------- reductions


def unmax(
    dy: Array, x: Array, y: Array, axis: Axis = None, keepdims: bool = False
) -> Array:
    """The adjoint of `x` in `y = max(x)` or `min(x)`: ties share evenly."""
    x = np.asarray(x)
    y = restored(y, axis, keepdims)
    hit = (x == y) | ((x != x) & (y != y))
    ties = np.maximum(np.sum(hit, axis=axis, keepdims=True, dtype=x.dtype), 1)
    return np.where(hit, restored(dy, axis, keepdims) / ties, 0)


def count_valid(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements over `axis` are no nan; at least 1."""
    n = np.sum(~np.isnan(x), axis=axis, keepdims=keepdims, dtype=np.asarray(x).dtype)
    return np.maximum(n, 1)


def prod_of_others(x: Array, axis: Axis = None) -> Array:
    """For each element of `x` the product of all others over `axis`, without division."""
    x = np.asarray(x)
    axes = range(x.ndim) if axis is None else np.atleast_1d(axis)
    last = tuple(range(x.ndim - len(axes), x.ndim))
    z = np.moveaxis(x, tuple(axes), last)
    flat = z.reshape(*z.shape[: x.ndim - len(axes)], math.prod(z.shape[x.ndim - len(axes) :]))
    ones = np.ones_like(flat[..., :1])
    left = np.cumprod(np.concatenate((ones, flat[..., :-1]), -1), -1)
    flipped = flat[..., ::-1]
    right = np.cumprod(np.concatenate((ones, flipped[..., :-1]), -1), -1)[..., ::-1]
    return np.moveaxis((left * right).reshape(z.shape), last, tuple(axes))


def average_weights(x: Array, axis: Axis, weights: Array) -> Array:
    """The weights of `average`, one for each element of `x`."""
    if weights is None:
        return np.ones_like(x)
    if np.shape(weights) == np.shape(x):
        return np.asarray(weights)
    axes = [k % np.ndim(x) for k in np.atleast_1d(axis)]
    shape = [n if k in axes else 1 for k, n in enumerate(np.shape(x))]
    ordered = np.transpose(weights, np.argsort(axes))
    return np.broadcast_to(ordered.reshape(shape), np.shape(x))


def average_shares(x: Array, axis: Axis, weights: Array) -> Array:
    """The share of each element of `x` in `average`."""
    w = average_weights(x, axis, weights)
    return w / np.sum(w, axis=axis, keepdims=True)


def unweight(d: Array, x: Array, axis: Axis, weights: Array) -> Array:
    """The adjoint of the weights of `average`, `d` for each element and before scaling."""
    d = d / np.sum(average_weights(x, axis, weights), axis=axis, keepdims=True)
    if np.shape(weights) == np.shape(x):
        return d
    axes = [k % np.ndim(x) for k in np.atleast_1d(axis)]
    d = d.sum(axis=tuple(k for k in range(np.ndim(x)) if k not in axes))
    return np.transpose(d, np.argsort(np.argsort(axes)))


def uncumsum(dy: Array, x: Array, axis: Axis = None) -> Array:
    """The adjoint of `x` in `cumsum(x, axis)`: sums from the other end."""
    k = 0 if axis is None else axis
    dx = np.flip(np.cumsum(np.flip(dy, k), k), k)
    return dx.reshape(np.shape(x))


def uncumprod(dy: Array, x: Array, axis: Axis = None) -> Array:
    """The adjoint of `x` in `cumprod(x, axis)`, zeros among them included."""
    z = np.reshape(x, -1) if axis is None else np.moveaxis(x, axis, 0)
    d = dy if axis is None else np.moveaxis(dy, axis, 0)
    if np.all(z != 0):
        dz = np.flip(np.cumsum(np.flip(d * np.cumprod(z, 0), 0), 0), 0) / z
    else:
        dz = np.array(d, copy=True)
        for k in range(len(z) - 2, -1, -1):
            dz[k] += z[k + 1] * dz[k + 1]
        before = np.concatenate((np.ones_like(z[:1]), z[:-1]))
        dz = dz * np.cumprod(before, 0)
    return dz.reshape(np.shape(x)) if axis is None else np.moveaxis(dz, 0, axis)


def undiff(dy: Array, x: Array, n: int = 1, axis: int = -1) -> Array:
    """The adjoint of `x` in `diff(x, n, axis)`."""
    d = np.moveaxis(dy, axis, 0)
    for _ in range(n):
        zero = np.zeros_like(d, shape=(1, *d.shape[1:]))
        d = np.concatenate((zero, d)) - np.concatenate((d, zero))
    return np.moveaxis(d, 0, axis)


def untrapezoid(dy: Array, u: Array, x: Array, h: Array, axis: int = -1) -> Any:
    """The adjoints of `u`, `x` and the spacing `h` in `trapezoid`; None for no `x`."""
    u = np.moveaxis(np.asarray(u), axis, -1)
    d = np.expand_dims(dy, -1)
    if x is None:
        steps = h
    elif np.ndim(x) == 1:
        steps = np.diff(x)
    else:
        steps = np.diff(np.moveaxis(np.asarray(x), axis, -1))
    mean = (u[..., 1:] + u[..., :-1]) / 2
    du = np.zeros_like(u, dtype=np.result_type(u, d))
    du[..., 1:] += d * steps / 2
    du[..., :-1] += d * steps / 2
    du = np.moveaxis(du, -1, axis)
    if x is None:
        return du, None, unbroadcast(d * mean, h)
    dx = undiff(unbroadcast(d * mean, steps), x, 1, -1)
    return du, dx if np.ndim(x) == 1 else np.moveaxis(dx, -1, axis), None


def untrace(
    dy: Array, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Array:
    """The adjoint of `x` in `trace(x, offset, axis1, axis2)`."""
    n = np.diagonal(x, offset, axis1, axis2).shape[-1]
    d = restored(dy, -1) * np.ones(n, dtype=np.asarray(x).dtype)
    return undiagonal(d, x, offset, axis1, axis2)


# ---------------------------------------------------------------- order and type


def untranspose(dy: Array, axes: Any = None) -> Array:
    """The adjoint of `x` in `transpose(x, axes)`."""
    if axes is None or axes == () or axes == (None,):
        return np.transpose(dy)
    if np.ndim(axes) == 2 or (np.ndim(axes) == 1 and hasattr(axes[0], "__len__")):
        axes = axes[0]  # x.transpose((1, 0))
    return np.transpose(dy, np.argsort([k % np.ndim(dy) for k in axes]))


def unroll_axis(dy: Array, axis: int, start: int = 0) -> Array:
    """The adjoint of `x` in `rollaxis(x, axis, start)`."""
    n = np.ndim(dy)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(dy, start - 1 if start > axis else start, axis)


def uncast(dy: Array, x: Array, dtype: Any) -> Array:
    """The adjoint of `x` in `x.astype(dtype)`: 0 for a dtype of whole numbers."""
    if np.dtype(dtype).kind not in "fc":
        return np.zeros_like(x, dtype=np.result_type(x, np.float16))
    return np.asarray(dy).astype(np.result_type(x, np.float16))


# ---------------------------------------------------------------- picking


def ungetitem_of_sequence(dy: Any, x: Any, index: Any) -> list[Any]:
    """The adjoint of the list or tuple `x` in `x[index]`: zeros but for what was read."""
    dx = [np.zeros_like(v) if np.ndim(v) else 0.0 for v in x]
    dx[index] = dy
    return dx


def untake(dy: Array, x: Array, indices: Any, axis: Axis = None) -> Array:
    """The adjoint of `x` in `take(x, indices, axis)`, repeated indices included."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    if axis is None:
        np.add.at(dx.reshape(-1), indices, dy)
    else:
        np.add.at(dx, (slice(None),) * (axis % np.ndim(x)) + (indices,), dy)
    return dx


def untake_along_axis(dy: Array, x: Array, indices: Array, axis: Axis = -1) -> Array:
    """The adjoint of `x` in `take_along_axis(x, indices, axis)`."""
    if axis is None:
        return untake(dy, x, indices)
    grid = list(np.indices(np.shape(indices), sparse=True))
    grid[axis] = indices
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    np.add.at(dx, tuple(grid), dy)
    return dx


def unselect(dy: Array, conditions: Any, choices: Any, default: Any) -> Any:
    """The adjoints of the choices, and of the default, of `select`."""
    left = np.ones(np.shape(dy), dtype=bool)
    adjoints = []
    for condition, choice in zip(conditions, choices, strict=True):
        adjoints.append(unbroadcast(np.where(left & condition, dy, 0), choice))
        left = left & ~np.asarray(condition)
    return adjoints, unbroadcast(np.where(left, dy, 0), default)


def undiag(dy: Array, x: Array, k: int = 0) -> Array:
    """The adjoint of `x` in `diag(x, k)`."""
    return np.diag(dy, k) if np.ndim(x) == 1 else undiagonal(dy, x, k)


def undiagonal(
    dy: Array, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Array:
    """The adjoint of `x` in `diagonal(x, offset, axis1, axis2)`."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    z = np.moveaxis(dx, (axis1, axis2), (-2, -1))
    k = np.arange(np.shape(dy)[-1])
    z[..., k + max(-offset, 0), k + max(offset, 0)] = dy
    return dx


# ---------------------------------------------------------------- joining


def like_sequence(parts: list[Array], arrays: Any) -> Any:
    """The parts, stacked if `arrays` is an array."""
    return np.stack(parts) if hasattr(arrays, "dtype") else parts


def unconcatenate(dy: Array, arrays: Any, axis: Axis = 0) -> Any:
    """The adjoints of the arrays of `concatenate(arrays, axis)`."""
    if axis is None:
        cuts = np.cumsum([np.size(a) for a in arrays])[:-1]
        flat = np.split(dy, cuts)
        parts = [p.reshape(np.shape(a)) for p, a in zip(flat, arrays)]
    else:
        cuts = np.cumsum([np.shape(a)[axis] for a in arrays])[:-1]
        parts = np.split(dy, cuts, axis)
    return like_sequence(parts, arrays)


def unstack(dy: Array, arrays: Any, axis: int = 0) -> Any:
    """The adjoints of the arrays of `stack(arrays, axis)`."""
    return like_sequence(list(np.moveaxis(dy, axis, 0)), arrays)


def unjoin(dy: Array, arrays: Any, raised: Any, axis: int) -> Any:
    """The adjoints of arrays that were concatenated after they got more axes."""
    parts = unconcatenate(dy, list(raised), axis)
    return like_sequence([np.reshape(p, np.shape(a)) for p, a in zip(parts, arrays)], arrays)


def unvstack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `vstack(arrays)`."""
    return unjoin(dy, arrays, [np.atleast_2d(a) for a in arrays], 0)


def unhstack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `hstack(arrays)`."""
    return unjoin(dy, arrays, [np.atleast_1d(a) for a in arrays], min(np.ndim(dy) - 1, 1))


def undstack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `dstack(arrays)`."""
    return unjoin(dy, arrays, [np.atleast_3d(a) for a in arrays], 2)


def uncolumn_stack(dy: Array, arrays: Any) -> Any:
    """The adjoints of the arrays of `column_stack(arrays)`."""
    columns = [a if np.ndim(a) > 1 else np.reshape(a, (-1, 1)) for a in arrays]
    return unjoin(dy, arrays, columns, 1)


def unappend(dy: Array, x: Array, values: Array, axis: Axis = None) -> list[Array]:
    """The adjoints of `x` and `values` in `append(x, values, axis)`."""
    return unconcatenate(dy, (x, values), axis)


def untile(dy: Array, x: Array, reps: Any) -> Array:
    """The adjoint of `x` in `tile(x, reps)`."""
    reps = np.atleast_1d(reps)
    rank = max(len(reps), np.ndim(x))
    shape = (1,) * (rank - np.ndim(x)) + np.shape(x)
    times = (1,) * (rank - len(reps)) + tuple(int(n) for n in reps)
    blocks = [n for pair in zip(times, shape) for n in pair]
    return dy.reshape(blocks).sum(axis=tuple(range(0, 2 * rank, 2))).reshape(np.shape(x))


def unrepeat(dy: Array, x: Array, repeats: Any, axis: Axis = None) -> Array:
    """The adjoint of `x` in `repeat(x, repeats, axis)`."""
    k = 0 if axis is None else axis
    n = np.size(x) if axis is None else np.shape(x)[axis]
    d = np.moveaxis(dy, k, 0)
    dx = np.zeros_like(d, shape=(n, *d.shape[1:]))
    np.add.at(dx, np.repeat(np.arange(n), repeats), d)
    return dx.reshape(np.shape(x)) if axis is None else np.moveaxis(dx, 0, k)


def unpad(dy: Array, x: Array, pad_width: Any) -> Array:
    """The adjoint of `x` in `pad(x, pad_width)`: what lies inside."""
    if isinstance(pad_width, dict):
        pad_width = [pad_width.get(k, pad_width.get(k - np.ndim(x), 0)) for k in range(np.ndim(x))]
        pad_width = [(w, w) if np.ndim(w) == 0 else w for w in pad_width]
    before = np.broadcast_to(pad_width, (np.ndim(x), 2))[:, 0]
    return dy[tuple(slice(b, b + n) for b, n in zip(before, np.shape(x)))]


# ---------------------------------------------------------------- creation


def uncast_array(dy: Array, x: Any, dtype: Any = None) -> Array:
    """The adjoint of `x` in `np.array(x, dtype)`: 0 for a dtype of whole numbers."""
    if dtype is None or np.dtype(dtype).kind in "fc":
        return np.reshape(dy, np.shape(x))
    return np.zeros_like(x, dtype=np.result_type(dy, np.float16))


def unlinspace(
    dy: Array, start: Array, stop: Array, num: int = 50, endpoint: bool = True
) -> Any:
    """The adjoints of `start` and `stop` in `linspace(start, stop, num, endpoint)`."""
    share = np.arange(num) / max(num - 1 if endpoint else num, 1)
    share = np.asarray(share, dtype=dy.dtype).reshape(-1, *(1,) * (np.ndim(dy) - 1))
    dstop = np.sum(dy * share, axis=0)
    return unbroadcast(np.sum(dy, axis=0) - dstop, start), unbroadcast(dstop, stop)


# ---------------------------------------------------------------- markers


def stop_gradient(x: Array) -> Array:
    """`x` itself, of which no derivative is taken."""
    return x


def unhistogram(dy: Array, x: Array, bins: Any = 10, range: Any = None) -> Any:  # noqa: A002
    """The adjoints of `x` and `bins` in `histogram(x, bins, range)`, whose edges lie
    between the least and the greatest element, or are given."""
    dx = np.zeros_like(x, dtype=np.result_type(x, np.float16))
    if np.ndim(bins) > 0:
        return dx, dy[1]
    if range is None:
        share = np.linspace(0, 1, bins + 1, dtype=dy[1].dtype)
        dx = unmax(np.sum(dy[1] * share), x, np.max(x))
        dx = dx + unmax(np.sum(dy[1] * (1 - share)), x, np.min(x))
    return dx, 0.0
