"""Factorizations, eigenvalues, powers and least squares undone, stacks included."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import restored, unbroadcast
from yota_ast.runtime.numpy.complex_parts import real_like
from yota_ast.runtime.numpy.system_adjoints import outer_last, unnorm, unpinv

Array = Any
Axis = Any


def turned(x: Array) -> Array:
    """The conjugate transpose of each matrix."""
    return np.conj(np.swapaxes(x, -1, -2))


def gaps(w: Array) -> Array:
    """`1 / (w[j] - w[i])`; 0 where two are equal but for rounding."""
    d = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    same = are_small(d, w)
    return np.where(same, 0, 1 / (d + same))


def are_small(d: Array, w: Array) -> Array:
    """Whether in each matrix `d` values are 0 but for rounding, beside the largest of
    `w`: what is divided by them would keep no more than a third of its digits."""
    size = np.expand_dims(np.max(np.abs(w), axis=-1, initial=0), (-1, -2))
    return np.abs(d) <= np.finfo((w * 1.0).dtype).eps ** (2 / 3) * size


def refuse_where(undetermined: Any, *adjoints: Array) -> None:
    """Refuse adjoints that are not 0 where vectors are not determined."""
    if any(np.any(d * undetermined) for d in adjoints):
        raise np.linalg.LinAlgError(
            "the gradient needs eigenvectors or singular vectors of equal values,"
            " which are not unique"
        )


def have_equals(w: Array) -> Array:
    """Which values are equal to another but for rounding, as a row of columns."""
    return np.sum(gaps(w) == 0, axis=-2, keepdims=True) > 1


def turns_within(v: Array, dv: Array) -> Array:
    """Where the adjoint of vectors asks for more than the space that they span."""
    k = turned(v) @ dv
    size = np.max(np.abs(k), initial=0)
    return np.abs(k - turned(k)) > np.sqrt(np.finfo((k * 1.0).dtype).eps) * size


def refuse_phase(k: Array) -> None:
    """Refuse the adjoint of complex vectors, by those times it, of which a factor
    `exp(i t)` would change the value: which they have is said nowhere."""
    phase = np.imag(np.diagonal(k, axis1=-2, axis2=-1))
    size = np.max(np.abs(k), initial=0)
    if np.any(np.abs(phase) > np.sqrt(np.finfo((size * 1.0).dtype).eps) * size):
        raise np.linalg.LinAlgError(
            "the gradient needs the phase of complex eigenvectors or singular"
            " vectors, which is arbitrary: use a result without it, such as"
            " v @ v.conj().T"
        )


def diagonals(w: Array) -> Array:
    """Matrices with the vectors `w` on their diagonals."""
    return np.expand_dims(w, -1) * np.eye(np.shape(w)[-1], dtype=w.dtype, like=w)


def one_triangle(s: Array, uplo: str = "L") -> Array:
    """The adjoint of the triangle that is read, from that of a Hermitian matrix."""
    both = s + turned(s)
    half = np.tril(both, -1) if uplo in ("L", "l") else np.triu(both, 1)
    return half + np.tril(np.triu(np.real(s)))


def both_triangles(s: Array, uplo: str = "L") -> Array:
    """The Hermitian matrix of one triangle, the diagonal made real: what
    `one_triangle` is the adjoint of."""
    half = np.tril(s, -1) if uplo in ("L", "l") else np.triu(s, 1)
    return half + turned(half) + np.tril(np.triu(np.real(s)))


# ---------------------------------------------------------------- eigenvalues


def uneigh(dw: Array, dv: Array, w: Array, v: Array, uplo: str = "L") -> Array:
    """The adjoint of `x` in `w, v = eigh(x, uplo)`: of the triangle that is read.

    dv: None where only the eigenvalues are read.

    Raises:
        LinAlgError: eigenvalues are equal of which the vectors are read, or the phase
            of complex vectors counts.

    """
    inner = diagonals(dw)
    if dv is not None:
        k = turned(v) @ dv
        refuse_where(have_equals(w), dv, np.expand_dims(dw, -2))
        if np.iscomplexobj(v):
            refuse_phase(k)
        inner = inner + gaps(w) * k
    return one_triangle(v @ inner @ turned(v), uplo)


def uneigvalsh(dw: Array, x: Array, uplo: Any = "L") -> Array:
    """The adjoint of `x` in `eigvalsh(x, uplo)`."""
    v = np.linalg.eigh(x, uplo)[1]
    return one_triangle((v * np.expand_dims(dw, -2)) @ turned(v), uplo)


def uneig(dw: Array, dv: Array, x: Array, w: Array, v: Array) -> Array:
    """The adjoint of `x` in `w, v = eig(x)`, of simple eigenvalues.

    LAPACK makes the largest entry of a complex eigenvector real. dv: None where only
    the eigenvalues are read.

    Raises:
        LinAlgError: eigenvalues are equal of which the vectors are read.

    """
    back, inner = turned(v), diagonals(dw)
    if dv is not None:
        refuse_where(have_equals(w), dv, np.expand_dims(dw, -2))
        k = back @ dv
        size = np.diagonal(k, axis1=-2, axis2=-1)
        if np.iscomplexobj(v):
            phase = np.imag(size) * ((np.imag(w) != 0) | np.iscomplexobj(x))
            largest = np.expand_dims(np.argmax(np.abs(v) * (np.imag(v) == 0), -2), -2)
            real = np.arange(np.shape(v)[-2], like=v)[:, np.newaxis] == largest
            turn = np.expand_dims(phase, -2) * real / np.where(real, v, 1)
            k = k - 1j * (back @ turn)
        k = k - (back @ v) * np.expand_dims(np.real(size), -2)
        inner = inner + np.conj(gaps(w)) * k
    return real_like(np.linalg.solve(back, inner @ back), x)


def eigenvectors(x: Array, w: Array) -> Array:
    """The eigenvectors of `x` in the order of its eigenvalues `w`."""
    found, v = np.linalg.eig(x)
    if np.any(have_equals(w)):
        most = np.finfo((np.abs(w) * 1.0).dtype).eps ** (-2 / 3)
        if np.any(np.linalg.cond(v) > most):
            raise np.linalg.LinAlgError(
                "no derivative is known here: a matrix has fewer eigenvectors than rows"
            )
    if not np.array_equal(found, w):
        far = np.abs(np.expand_dims(w, -1) - np.expand_dims(found, -2))
        order = np.expand_dims(np.argmin(far, -1), -2)
        if np.any(np.diff(np.sort(order)) == 0):
            raise np.linalg.LinAlgError(
                "no derivative is known here: eigenvalues are equal"
            )
        v = np.take_along_axis(v, np.broadcast_to(order, v.shape), -1)
    return v


def uneigvals(dw: Array, x: Array, w: Array) -> Array:
    """The adjoint of `x` in `w = eigvals(x)`, of simple eigenvalues."""
    back = turned(eigenvectors(x, w))
    return real_like(np.linalg.solve(back, np.expand_dims(dw, -1) * back), x)


# ---------------------------------------------------------------- singular values


def unsvd(du: Array, ds: Array, dvh: Array, u: Array, s: Array, vh: Array) -> Array:
    """The adjoint of `x` in `u, s, vh = svd(x)`, of distinct singular values.

    du, dvh: None where only the singular values are read.

    Raises:
        LinAlgError: singular values are equal, or 0, of which the vectors are read; or
            of the columns beyond those of a reduced factor more counts than the space
            that they span; or the phase of complex vectors counts.

    """
    n = np.shape(s)[-1]
    v = turned(vh)
    u1, u2, v1, v2 = u[..., :n], u[..., n:], v[..., :n], v[..., n:]
    if du is None or dvh is None:
        return (u1 * np.expand_dims(ds * (s != 0), -2)) @ turned(v1)
    dv, row = turned(dvh), np.expand_dims(s, -2)
    du1, du2, dv1, dv2 = du[..., :n], du[..., n:], dv[..., :n], dv[..., n:]
    zero = are_small(row, s)
    refuse_where(have_equals(s) | zero, du1, dv1, np.expand_dims(ds, -2))
    refuse_where(1.0, turns_within(u2, du2), turns_within(v2, dv2))
    inverse, gap = np.where(zero, 0, 1 / (row + zero)), gaps(s)
    # What turns both vectors alike, and what turns them against each other.
    a, b = turned(u1) @ du1, turned(v1) @ dv1
    both, apart = a + b, np.where(gap == 0, 0, a - b)
    total = row + np.swapaxes(row, -1, -2)
    inner = gap * (both - turned(both)) + (apart - turned(apart)) / (total + (gap == 0))
    inner = inner / 2 + diagonals(ds)
    if np.iscomplexobj(u):  # the phase of a pair of vectors
        refuse_phase(both)
        phase = np.imag(np.diagonal(a, axis1=-2, axis2=-1))
        inner = inner + 1j * diagonals(phase * inverse[..., 0, :])
    left = (du1 - u1 @ a - u2 @ (turned(du2) @ u1)) * inverse
    right = (dv1 - v1 @ b - v2 @ (turned(dv2) @ v1)) * inverse
    return (u1 @ inner + left) @ turned(v1) + u1 @ turned(right)


def unsvdvals(ds: Array, x: Array) -> Array:
    """The adjoint of `x` in its singular values; those that are 0 are at a kink."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return (u * np.expand_dims(ds * (s != 0), -2)) @ vh


def uncond(dy: Array, x: Array, y: Array, p: Any = None) -> Array:
    """The adjoint of `x` in `y = cond(x, p)`."""
    d = np.expand_dims(np.zeros_like(y) + dy, (-1, -2))
    y = np.expand_dims(y, (-1, -2))
    if p in (None, 2, -2):
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        one = np.zeros_like(s)
        one[..., 0] += 1
        one[..., -1] -= 1
        shares = one / s if p != -2 else -one / s
        return d * y * ((u * np.expand_dims(shares, -2)) @ vh)
    inverse = np.linalg.inv(x)
    first = np.linalg.norm(x, p, (-2, -1), True)
    second = np.linalg.norm(inverse, p, (-2, -1), True)
    back = unnorm(d * first, inverse, second, p, (-2, -1), True)
    t = np.swapaxes(inverse, -1, -2)
    return unnorm(d * second, x, first, p, (-2, -1), True) - t @ back @ t


# ---------------------------------------------------------------- other factors


def unqr(dq: Array, dr: Array, x: Array, q: Array, r: Array) -> Array:
    """The adjoint of `x` in `q, r = qr(x)`, of full rank.

    Roberts and Roberts 2020, QR and LQ decomposition matrix backpropagation.
    """
    m, n = np.shape(x)[-2:]
    k = min(m, n)
    if np.shape(q)[-1] != k:
        dq = uncompleted(dq, q, k)
        q, r, dr = q[..., :k], r[..., :k, :], dr[..., :k, :]
    r1, dr1 = r[..., :k], dr[..., :k]
    if n > m:
        dq = dq + x[..., k:] @ turned(dr[..., k:])
    inner = r1 @ turned(dr1) - turned(dq) @ q
    low = np.tril(inner, -1)
    inner = (
        low + turned(low) + np.real(inner) * np.eye(k, dtype=np.real(r).dtype, like=r)
    )
    d = turned(np.linalg.solve(r1, turned(dq + q @ inner)))
    return d if n <= m else np.concatenate((d, q @ dr[..., k:]), -1)


def uncompleted(dq: Array, q: Array, n: int) -> Array:
    """The adjoint of the first `n` columns of a complete `q`, which give the others.

    LAPACK makes `q` of reflections: `q = 1 - v t v1.T`, where the triangle `v1` is the
    upper part of v. So the others are `s @ z` above `1 - low @ z`, where `s = 1 - top`
    and `z` solves `s.T @ z = low.T`, singular where a column needs no reflection.
    Ballard and others 2015, Reconstructing Householder vectors from tall-skinny QR.
    """
    top, low = q[..., :n, :n], q[..., n:, :n]
    s = np.eye(n, dtype=np.real(q).dtype, like=q) - top
    inverse = np.linalg.pinv(s)
    z = turned(low @ inverse)
    above, below = dq[..., :n, n:], dq[..., n:, n:]
    w = turned(inverse @ (turned(s) @ above - turned(low) @ below))
    zt = turned(z)
    d = np.concatenate((z @ w - above @ zt, w - below @ zt), -2)
    return dq[..., :n] + d


def unqr_of_r(dr: Array, x: Array) -> Array:
    """The adjoint of `x` in `qr(x, mode="r")`."""
    q, r = np.linalg.qr(x)
    return unqr(np.zeros_like(q), dr, x, q, r)


def unlower(dy: Array, y: Array, upper: bool = False) -> Array:
    """The adjoint of `x` in `y = cholesky(x, upper=upper)`: of the triangle read."""
    if upper:
        return np.swapaxes(
            unlower(np.swapaxes(dy, -1, -2), np.swapaxes(y, -1, -2)), -1, -2
        )
    yt = np.swapaxes(y, -1, -2)
    p = np.tril(yt @ dy)
    p = p - np.eye(np.shape(y)[-1], dtype=y.dtype, like=y) * p / 2
    s = np.linalg.solve(
        yt, np.swapaxes(np.linalg.solve(yt, np.swapaxes(p, -1, -2)), -1, -2)
    )
    return one_triangle(s)


def unfactor(dy: Array, y: Array, lower: bool) -> Array:
    """The adjoint of `x` in `y = cholesky(x, lower)`: of the triangle that is read.

    What `y` and `dy` hold outside the triangle does not count.
    """
    return unlower(dy, np.tril(y) if lower else np.triu(y), not lower)


def uncho_factor(dy: Array, y: Array, lower: bool) -> Array:
    """The adjoint of `x` in `y, lower = cho_factor(x, lower)`, which leaves what stands
    outside the triangle as it is."""
    rest = np.triu(dy, 1) if lower else np.tril(dy, -1)
    return unfactor(dy, y, lower) + rest


def uncho_solve(w: Array, factor: Any, y: Array) -> Any:
    """The adjoint of the factor in `y = cho_solve(factor, b)`, by that of `b`."""
    c, lower = factor
    s = outer_last(w, y, y)
    s = -(s + np.swapaxes(s, -1, -2))
    return np.tril(s @ np.tril(c)) if lower else np.triu(np.triu(c) @ s), 0.0


# ---------------------------------------------------------------- least squares


def unpinv_cut(dy: Array, x: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = pinv(x, rcond)`."""
    if np.any(np.linalg.matrix_rank(y) != np.linalg.matrix_rank(x)):
        raise ValueError("no gradient where pinv cuts off values that are not 0")
    return unpinv(dy, x, y)


def unlstsq(dy: Any, a: Array, b: Array, y: Any) -> Any:
    """The adjoints of `a` and `b` in `x, residuals, rank, s = lstsq(a, b)`.

    Golub and Pereyra 1973, for matrices of constant rank.
    """
    x, residuals, rank, s = y
    if np.any(s[rank:] > np.finfo(s.dtype).eps * max(np.shape(a)) * s[:1]):
        raise ValueError("no gradient where lstsq cuts off values that are not 0")
    a = a + 0 * np.sum(s)  # in the precision of `s`, which may be that of `b`
    u, values, vh = np.linalg.svd(a, full_matrices=False)
    inverse = (vh[:rank].T / values[:rank]) @ u[:, :rank].T
    da, db = unprojected(dy[0], a, b, x, inverse)
    da = da + (u * dy[3]) @ vh
    if np.size(residuals):
        error = 2 * dy[1] * (b - a @ x)
        da, db = da - outer_last(error, x, b), db + error
    return da, db


def unsolution(dx: Array, a: Array, b: Array, x: Array) -> Any:
    """The adjoints of `a` and `b` in `x = lstsq(a, b)[0]`."""
    cut_off = np.finfo(float).eps * max(np.shape(a))  # as lstsq does
    inverse = np.linalg.pinv(np.reshape(a, np.shape(a)).astype(x.dtype), cut_off)
    return unprojected(dx, a, b, x, inverse)


def unprojected(dx: Array, a: Array, b: Array, x: Array, inverse: Array) -> Any:
    """The adjoints of `a` and `b` in `x = inverse @ b`, where inverse is `pinv(a)`."""
    w, rest = inverse.T @ dx, b - a @ x
    da = outer_last(rest, inverse @ w, b) - outer_last(w, x, b)
    return da + outer_last(inverse.T @ x, dx - a.T @ w, b), w


# ---------------------------------------------------------------- powers, products


def unmatrix_power(dy: Array, x: Array, n: int) -> Array:
    """The adjoint of `x` in `matrix_power(x, n)`."""
    base = turned(np.linalg.inv(x)) if n < 0 else turned(x)
    one = np.zeros_like(base) + np.eye(np.shape(x)[-1], dtype=base.dtype, like=base)
    total, left = np.zeros_like(base), one
    for k in range(abs(n)):
        total = total + left @ dy @ np.linalg.matrix_power(base, abs(n) - 1 - k)
        left = left @ base
    return -base @ total @ base if n < 0 else total


def unmulti_dot(dy: Array, arrays: Any) -> list[Array]:
    """The adjoints of the arrays of `multi_dot(arrays)`."""
    matrices = list(arrays)
    if any(np.ndim(a) > 2 for a in matrices):
        raise ValueError("the gradient of multi_dot needs matrices or vectors")
    first, last = matrices[0], matrices[-1]
    matrices[0] = np.reshape(first, (-1, np.shape(first)[-1]))
    matrices[-1] = np.reshape(last, (len(last), -1))
    d = np.reshape(dy, (len(matrices[0]), np.shape(matrices[-1])[-1]))
    adjoints = []
    for k in range(len(matrices)):
        left, right = d, matrices[k + 1 :]
        for a in matrices[:k]:
            left = turned(a) @ left
        for a in right[::-1]:
            left = left @ turned(a)
        adjoints.append(np.reshape(left, np.shape(arrays[k])))
    return adjoints


def remulti_dot(dz: Any, dy: Array, arrays: Any) -> Any:
    """The adjoints of `dy` and of the arrays in `unmulti_dot(dy, arrays)`."""
    ddy, adjoints = 0.0, [np.zeros_like(a) for a in arrays]
    for k in range(len(arrays)):
        given = [*arrays[:k], dz[k], *arrays[k + 1 :]]
        ddy = ddy + np.linalg.multi_dot(given)
        for j, d in enumerate(unmulti_dot(dy, given)):
            if j != k:
                adjoints[j] = adjoints[j] + real_like(d, arrays[j])
    return ddy, adjoints


def unvecdot(dy: Array, u: Array, v: Array, axis: int = -1) -> Array:
    """The adjoint of `v` in `vecdot(u, v, axis=axis)`."""
    u = np.moveaxis(u, axis, -1)
    d = np.expand_dims(dy, -1) * u
    other = np.moveaxis(v, axis, -1)
    return np.moveaxis(real_like(unbroadcast(d, other), v), -1, axis)


def uncross(
    dy: Array, u: Array, v: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1
) -> Any:
    """The adjoints of `u` and `v` in `cross(u, v, axisa, axisb, axisc)`."""
    a = np.moveaxis(u, axisa, -1)
    b = np.moveaxis(v, axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("the gradient of a cross product needs vectors of length 3")
    d = np.moveaxis(dy, axisc, -1)
    du, dv = unbroadcast(np.cross(b, d), a), unbroadcast(np.cross(d, a), b)
    return np.moveaxis(du, -1, axisa), np.moveaxis(dv, -1, axisb)


def untensorsolve(dy: Array, a: Array, b: Array, y: Array, axes: Any = None) -> Any:
    """The adjoints of `a` and `b` in `y = tensorsolve(a, b, axes)`."""
    last = [] if axes is None else list(axes)
    order = [k for k in range(np.ndim(a)) if k not in last] + last
    n = np.size(b)
    matrix = np.transpose(a, order).reshape(n, n)
    w = np.linalg.solve(matrix.T, np.reshape(dy, -1))
    da = -np.outer(w, np.reshape(y, -1)).reshape([np.shape(a)[k] for k in order])
    return np.transpose(da, np.argsort(order).tolist()), np.reshape(w, np.shape(b))


def untensorinv(dy: Array, x: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = tensorinv(x, ind)`."""
    n = int(np.sqrt(np.size(y)))
    t = np.reshape(y, (n, n)).T
    return np.reshape(-t @ np.reshape(dy, (n, n)) @ t, np.shape(x))


def unvector_norm(
    dy: Array, x: Array, y: Array, axis: Axis, keepdims: bool, order: Any = 2
) -> Array:
    """The adjoint of `x` in `y = vector_norm(x, axis=axis, ord=order)`."""
    axes = tuple(range(np.ndim(x))) if axis is None else axis
    if np.ndim(axes) == 0:
        return unnorm(dy, x, y, order, axes, keepdims)
    d, y = restored(dy, axes, keepdims), restored(y, axes, keepdims)
    z = np.moveaxis(x, axes, range(-len(axes), 0))
    kept = z.shape[: z.ndim - len(axes)]
    d, y = np.reshape(d, (*kept, 1)), np.reshape(y, (*kept, 1))
    dz = unnorm(d, z.reshape(*kept, -1), y, order, -1, True)
    return np.moveaxis(dz.reshape(z.shape), range(-len(axes), 0), axes)


def uncross_along(
    dy: Array,
    u: Array,
    v: Array,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: Axis = None,
) -> Any:
    """The adjoints of `u` and `v` in `cross`, where `axis` overrides the others."""
    if axis is None:
        return uncross(dy, u, v, axisa, axisb, axisc)
    return uncross(dy, u, v, axis, axis, axis)
