"""More of the table of operations: signals, transforms, factors, statistics, grids."""

from __future__ import annotations

from typing import Any

import numpy as np

KNOTS = np.array([0.0, 0.5, 1.2, 2.0])
NAN = np.array([[1.0, np.nan, 3.0, 0.3], [2.0, 0.5, np.nan, -1.2]])
TWO = np.array([[[True]], [[False]], [[True]]])

_MASKED = """np.{f}(x, where=x > -30.0)|np.{f}(x, axis=-1, where=[True, True, False, True])
    np.{f}(x, axis=0, dtype=float)|np.{f}(x, (0, 2), keepdims=True, where=x > -30.0)"""
_STARTED = "np.{f}(x, initial=1.5)|np.{f}(x, axis=1, initial=0.5, where=x > 0.1)"
_REDUCE = """np.add.reduce(x)|np.add.reduce(x, axis=None, initial=2.0)|np.multiply.reduce(x)
    np.multiply.reduce(x, axis=-1, keepdims=True)|np.maximum.reduce(x, 1)
    np.minimum.reduce(x, axis=1, initial=0.5)|np.fmax.reduce(x)|np.fmin.reduce(x, axis=1)
    np.logaddexp.reduce(x)|np.logaddexp2.reduce(x, axis=1)|np.hypot.reduce(x, axis=1)
    np.subtract.reduce(x)|np.divide.reduce(x, axis=1)|np.add.accumulate(x)
    np.multiply.accumulate(x, 1)|np.subtract.accumulate(x, axis=1)
    np.logaddexp.accumulate(x)|np.maximum.accumulate(x)|np.minimum.accumulate(x, axis=1)
    np.fmax.accumulate(x)|np.fmin.accumulate(x)|np.add.reduceat(x, [0, 3, 1])
    np.multiply.reduceat(x, [0, 2])|np.maximum.reduceat(x, [0, 2, 1])
    np.minimum.reduceat(x, [0, 2], axis=1)|np.add.reduce(x, axis=0, where=x > 0.1)"""
_PADS = """np.pad(x, 1, mode='edge')|np.pad(x, (2, 1), 'reflect')|np.pad(x, 5, 'symmetric')
    np.pad(x, ((1, 2), (0, 1)), 'wrap')|np.pad(x, 2, 'reflect', reflect_type='odd')
    np.pad(x, 2, 'mean')|np.pad(x, 2, 'median', stat_length=3)|np.pad(x, 1, 'maximum')
    np.pad(x, 2, 'minimum', stat_length=(1, 2))|np.pad(x, 2, 'linear_ramp')
    np.pad(x, 2, 'linear_ramp', end_values=(3.0, -1.0))"""
_FFT = """np.fft.fft(x)|np.fft.fft(x, 4)|np.fft.fft(x, n=9, norm='ortho')|np.fft.ifft(x, axis=0)
    np.fft.ifft(x, n=4, norm='forward')|np.fft.rfft(x)|np.fft.rfft(x, n=4)
    np.fft.rfft(x, 9, 0, 'ortho')|np.fft.ihfft(x)|np.fft.ihfft(x, n=5)|np.fft.fft2(x)
    np.fft.ifft2(x, s=(3, 5))|np.fft.fftn(x)|np.fft.fftn(x, axes=(1,))|np.fft.ifftn(x)
    np.fft.rfft2(x)|np.fft.rfftn(x, s=(3, 5), axes=(0, 1))|np.fft.fftshift(x)
    np.fft.ifftshift(x, axes=0)|np.fft.irfft(x)|np.fft.hfft(x)|np.fft.irfft2(x)"""
_FFT_COMPLEX = """np.fft.fft(x)|np.fft.ifft(x, 7)|np.fft.irfft(x)|np.fft.irfft(x, n=5, axis=0)
    np.fft.hfft(x)|np.fft.hfft(x, 5)|np.fft.irfft2(x, s=(3, 5))|np.fft.irfftn(x)
    np.fft.fftn(x)|np.fft.ifft2(x)|np.fft.fftshift(x)"""
_CUMULATIVE = """np.cumulative_sum(x, axis=0)|np.cumulative_prod(x, axis=-1)
    np.cumulative_sum(x, axis=1, include_initial=True)|np.cumsum(x, 0, dtype=float)
    np.cumulative_prod(x, axis=0, include_initial=True)|np.cumprod(x, dtype=float)
    np.nancumsum(x, 1, dtype=float)|np.nancumprod(x, axis=0, dtype=float)"""
_CLIPS = (
    "np.clip(x, min=-0.5)|np.clip(x, max=0.5)|np.clip(x, min=-0.5, max=0.5)|np.i0(x)"
)


def masked_ops() -> list[Any]:
    from .operations import SPREAD, _texts, op, positive

    ops = []
    x = SPREAD(3, 3, 4)
    for f in "sum mean var std prod max min".split():
        for name in (f, f"nan{f}"):
            domain = positive(3, 3, 4) if f == "prod" else x
            blocks = [] if f in ("max", "min") else [_MASKED]
            blocks += [_STARTED] if f in ("sum", "prod", "max", "min") else []
            texts = [t for b in blocks for t in _texts(b.replace("{f}", name))]
            ops += [op(t, x=domain) for t in texts]
    for f in ("var", "std", "nanvar", "nanstd"):
        ops.append(op(f"np.{f}(x, 0, ddof=1, mean=m)", x=x, m=positive(1, 3, 4)))
    ops += [op(t, x=positive(4, 4)) for t in _texts(_REDUCE)]
    ops += [
        op("np.nanmean(x, 1, where=c)", x=NAN, c=np.array([True, True, True, True]))
    ]
    ops += [op("np.sum(x, initial=i, where=c)", x=x, i=positive, c=TWO)]
    return ops


def signal_ops() -> list[Any]:
    from .operations import Domain, _texts, op, positive, real

    wide, rising = Domain(-1.4, 3.4), Domain(0.2, 3.0)
    both = "np.{f}(u, v)|np.{f}(u, v, 'full')|np.{f}(u, v, mode='same')|np.{f}(u, v, 'valid')"
    convolutions = [
        op(t, u=real(n), v=real(m))
        for f in ("convolve", "correlate")
        for t in _texts(both.replace("{f}", f))
        for n, m in ((6, 3), (3, 6), (5, 4))
    ]
    return [
        *convolutions,
        op("np.interp(x, p, f)", x=Domain(0.1, 1.9)(5), p=KNOTS, f=real(4)),
        op(
            "np.interp(x, p, f, left=l, right=r)",
            x=wide(7),
            p=KNOTS,
            f=real(4),
            l=real,
            r=real,
        ),
        op("np.interp(x, p, f, period=3.0)", x=wide(7), p=KNOTS, f=real(4)),
        op("np.interp(x, p, f)", x=Domain(0.6, 1.1), p=KNOTS, f=real(4)),
        op("np.diff(x, prepend=a, append=b)", x=real(4), a=real, b=real(2)),
        op("np.diff(x, n=2, axis=0, prepend=a)", x=real(4, 3), a=real(1, 3)),
        op("np.diff(x, append=a)", x=real(4), a=real),
        op("np.ediff1d(x, a, b)", x=real(4), a=real, b=real(2)),
        op("np.ediff1d(x)", x=real(2, 3)),
        op("np.gradient(u)", u=real(5)),
        op("np.gradient(u)", u=real(4, 5)),
        op("np.gradient(u, 0.5, edge_order=2)", u=real(5)),
        op("np.gradient(u, x, edge_order=2)", u=real(5), x=rising(5)),
        op("np.gradient(u, h, x)", u=real(4, 5), h=positive, x=rising(5)),
        op("np.gradient(u, h, axis=0)", u=real(4, 5), h=positive),
        *(op(t, x=real(3, 4)) for t in _texts(_CUMULATIVE)),
        *(op(t, x=real(3, 2)) for t in _texts(_CLIPS)),
    ]


def transform_ops() -> list[Any]:
    from .operations import _texts, complex_, op, real

    ops = [op(t, x=real(4, 6)) for t in _texts(_FFT)]
    return ops + [op(t, x=complex_(4, 6)) for t in _texts(_FFT_COMPLEX)]


def factor_ops() -> list[Any]:
    from .operations import Matrix, _texts, op, real

    square, stack, tall, wide = (
        Matrix((3, 3)),
        Matrix((2, 3, 3)),
        real(5, 3),
        real(3, 5),
    )
    each = """np.linalg.eigvalsh(x)|np.linalg.eigvalsh(x, 'U')|np.linalg.svdvals(x)
        np.linalg.svd(x, compute_uv=False)|np.linalg.svd(x)|np.linalg.cond(x)
        np.linalg.cond(x, 1)|np.linalg.cond(x, -2)|np.linalg.cond(x, 'fro')
        np.linalg.matrix_power(x, 3)|np.linalg.matrix_power(x, -2)|np.linalg.qr(x)
        np.linalg.matrix_power(x, 0)|np.linalg.qr(x, mode='r')|np.linalg.eigh(x)
        np.linalg.matrix_norm(x)|np.linalg.matrix_norm(x, ord=1, keepdims=True)
        np.linalg.diagonal(x, offset=1)|np.linalg.trace(x)"""
    norms = """np.linalg.vector_norm(x)|np.linalg.vector_norm(x, axis=0, ord=1)
        np.linalg.vector_norm(x, axis=(0, 1), keepdims=True, ord=3)"""
    three = (real(2, 3), real(3, 4), real(4, 2))
    return [
        *(op(t, x=m) for t in _texts(each) for m in (square, stack)),
        *(op(t, x=tall) for t in _texts(norms)),
        op("np.linalg.eig(x)", x=np.diag([3.0, 2.0, 1.0]) + 0.1),
        op("np.linalg.eigvals(x)", x=square),
        op("np.linalg.svd(x, full_matrices=False)", x=tall),
        op("np.linalg.svd(x, full_matrices=False)", x=wide),
        op("np.linalg.qr(x)", x=tall),
        op("np.linalg.qr(x)", x=wide),
        op("np.linalg.qr(x, 'complete')", x=square),
        op("np.linalg.qr(x, 'complete')", x=tall),
        op("np.linalg.cholesky(x)", x=Matrix((3, 3), definite=True)),
        op("np.linalg.cholesky(x, upper=True)", x=Matrix((3, 3), definite=True)),
        op("np.linalg.lstsq(a, b)", a=tall, b=real(5)),
        op("np.linalg.lstsq(a, b)", a=tall, b=real(5, 2)),
        op("np.linalg.lstsq(a, b)", a=wide, b=real(3)),
        op("np.linalg.pinv(x, rcond=1e-12)", x=real(2, 5, 3)),
        op("np.linalg.multi_dot(x)", x=three),
        op("np.linalg.multi_dot([u, v])", u=real(3), v=real(3, 2)),
        op("np.linalg.vecdot(u, v)", u=real(2, 3), v=real(3)),
        op("np.vecdot(u, v, axis=0)", u=real(3, 2), v=real(3, 2)),
        op("np.matvec(u, v)", u=real(4, 2, 3), v=real(3)),
        op("np.vecmat(u, v)", u=real(5, 2), v=real(2, 3)),
        op("np.cross(u, v, axis=-1)", u=real(4, 3), v=real(3)),
        op("np.cross(u, v, axis=0)", u=real(3, 4), v=real(3, 4)),
        op("np.cross(u, v, 0, 0, -1)", u=real(3, 4), v=real(3)),
        op("np.linalg.cross(u, v)", u=real(4, 3), v=real(4, 3)),
        op("np.linalg.tensorsolve(a, b)", a=real(2, 3, 6), b=real(2, 3)),
        op("np.linalg.tensorsolve(a, b, axes=(1,))", a=real(2, 6, 3), b=real(2, 3)),
        op("np.linalg.tensorinv(x)", x=real(2, 3, 6)),
        op("np.linalg.tensorinv(x, ind=1)", x=real(6, 2, 3)),
        op("np.einsum(u, [0, 1], v, [1, 2], [0, 2])", u=real(2, 3), v=real(3, 4)),
        op("np.einsum(u, [0, 1], v, [1, 2])", u=real(2, 3), v=real(3, 4)),
        op("np.einsum('ij,jk', u, v, optimize=True)", u=real(2, 3), v=real(3, 4)),
    ]


def statistics_ops() -> list[Any]:
    from .operations import SPREAD, _texts, op, positive, real

    weighted = """np.histogram(x, bins=4, weights=w)|np.histogram(x, 3, density=True)
        np.histogram(x, 4, (-50.0, 50.0), weights=w)
        np.histogram(x, bins=4, weights=w, density=True)"""
    covs = """np.cov(x)|np.cov(x, rowvar=False)|np.cov(x, bias=True)|np.cov(x, ddof=0)
        np.cov(x, fweights=[1, 2, 1, 1, 3, 1])|np.corrcoef(x)|np.corrcoef(x, rowvar=False)"""
    return [
        *(op(t, x=real(3, 6)) for t in _texts(covs)),
        op("np.cov(u, v)", u=real(6), v=real(6)),
        op("np.cov(u, v, rowvar=False)", u=real(6, 2), v=real(6)),
        op("np.cov(x, aweights=w)", x=real(3, 6), w=positive(6)),
        op("np.corrcoef(u, v)", u=real(6), v=real(6)),
        *(op(t, x=SPREAD(8), w=positive(8)) for t in _texts(weighted) if "w" in t),
        op("np.histogram(x, 3, density=True)", x=SPREAD(8)),
        op(
            "np.histogram(x, b, weights=w)",
            x=SPREAD(8),
            b=np.linspace(-50, 50, 4),
            w=real(8),
        ),
        op("np.bincount(i, w)", i=np.array([0, 2, 2, 1]), w=real(4)),
        op(
            "np.bincount(i, weights=w, minlength=6)",
            i=np.array([0, 2, 2, 1]),
            w=real(4),
        ),
        op("np.average(x, 0, w, returned=True)", x=real(3, 2), w=positive(3)),
        op("np.average(x, 1, returned=True)", x=real(3, 2)),
    ]


def polynomial_ops() -> list[Any]:
    from .operations import Matrix, op, positive, real

    return [
        op("np.polyval(p, x)", p=real(4), x=real(5)),
        op("np.polyval(p, x)", p=real(4), x=real),
        op("np.polynomial.polynomial.polyval(x, p)", x=real(2, 2), p=real(4)),
        op("np.vander(x)", x=real(4)),
        op("np.vander(x, 3, increasing=True)", x=real(4)),
        op("np.polyfit(x, y, 2)", x=real(6), y=real(6)),
        op("np.polyfit(x, y, 1, w=w)", x=real(6), y=real(6, 2), w=positive(6)),
        op("np.polyadd(u, v)", u=real(4), v=real(2)),
        op("np.polysub(u, v)", u=real(2), v=real(4)),
        op("np.polymul(u, v)", u=real(4), v=real(2)),
        op("np.polydiv(u, v)", u=real(5), v=positive(3)),
        op("np.polyder(p)", p=real(5)),
        op("np.polyder(p, 3)", p=real(5)),
        op("np.polyint(p)", p=real(4)),
        op("np.polyint(p, 2, k)", p=real(4), k=real(2)),
        op("np.polyint(p, m=2, k=k)", p=real(4), k=real),
        op("np.poly(x)", x=real(4)),
        op("np.poly(x)", x=Matrix((3, 3))),
        op("np.roots(p)", p=real(4)),
    ]


def assembled_ops() -> list[Any]:
    from .operations import INDEX, _texts, above_one, op, positive, real

    ends = """np.linspace(a, b, 5, dtype=float)|np.linspace(a, b, 5, retstep=True)
        np.logspace(a, b, 5)|np.logspace(a, b, num=4, endpoint=False, base=2.0)"""
    shaped = """np.delete(x, 1)|np.delete(x, [0, 2], axis=-1)|np.delete(x, slice(0, 2), axis=1)
        np.insert(x, 1, 5.0)|np.insert(x, [0, 2], 1.0, axis=1)|np.resize(x, (5, 6))
        np.resize(x, 7)|np.unstack(x)|np.unstack(x, axis=1)|np.block(x)
        np.take(x, [0, 5, 50], mode='wrap')|np.take(x, [[-7, 1], [3, 9]], 1, mode='clip')
        x.compress([True, False], axis=0)|np.require(x)|np.array(x, copy=None)
        np.array(x, order='F')|np.asarray(x, order='C')|np.asarray(x, like=x)|x.astype(float, copy=False)
        np.reshape(x, (4, 6), order='F')|x.reshape((6, 4), order='F')|np.ravel(x, 'F')
        x.flatten('F')|np.full_like(x, 2.0, shape=(4,))"""
    two = {"u": real(2, 3), "v": real(2, 3)}
    joins = """np.block([u, v])|np.block([[u, v], [v, u]])|np.broadcast_arrays(u, v)|np.atleast_1d(u, 1.0)
        np.atleast_2d(u, v)|np.atleast_3d(u, v, v)|np.concatenate([u, v], axis=1, dtype=float)
        np.stack([u, v], dtype=float)|np.vstack([u, v], dtype=float)
        np.hstack([u, v], dtype=float)|np.choose([[0, 1, 1], [1, 1, 0]], [u, v])"""
    return [
        *(op(t, x=real(2, 3, 4)) for t in _texts(shaped)),
        *(op(t, **two) for t in _texts(joins)),
        *(op(t, x=real(4, 3)) for t in _texts(_PADS)),
        *(op(t, a=real, b=real) for t in _texts(ends)),
        op("np.pad(x, 2, 'empty')", x=real(4)),
        op("np.broadcast_arrays(u, v)", u=real(2, 3), v=real(3)),
        op("np.ix_(u, v)", u=real(2), v=real(3)),
        op("np.atleast_2d(u, v, w)", u=real(2, 3), v=real(3), w=real),
        op("np.block([u, 1.0])", u=real(3)),
        op("np.pad(x, 1, constant_values=v)", x=real(3, 2), v=real),
        op("np.pad(x, 1, constant_values=(u, v))", x=real(3, 2), u=real, v=real),
        op("np.pad(x, 2, 'linear_ramp', end_values=v)", x=real(3), v=real),
        op("np.linspace(a, b, 4, axis=-1)", a=real(2), b=real(2)),
        op("np.logspace(a, b, 4, base=c)", a=real, b=real, c=positive),
        op("np.geomspace(a, b, 5)", a=positive, b=above_one),
        op("np.geomspace(a, b, 4)", a=positive(2), b=above_one(2)),
        op("np.meshgrid(u, v)", u=real(3), v=real(2)),
        op("np.meshgrid(u, v, u, indexing='ij', sparse=True)", u=real(3), v=real(2)),
        op("np.meshgrid(u, v, copy=False)", u=real(3), v=real(2)),
        op("np.insert(x, 1, v, axis=1)", x=real(3, 2), v=real(3)),
        op("np.insert(x, [0, 3], v)", x=real(4), v=real(2)),
        op("np.insert(x, -1, v)", x=real(4), v=real),
        op("np.trim_zeros(x)", x=real(3)),
        op("np.choose(i, (u, v, 1.0))", i=INDEX, u=real(3), v=real(2, 3)),
        op(
            "np.choose(i, [u, v], mode='wrap')",
            i=np.array([0, 3, 5]),
            u=real(3),
            v=real,
        ),
        op("np.fromiter(x, float)", x=[real, real]),
        op("np.full_like(x, v, shape=(4,))", x=np.zeros(2, np.int8), v=real),
        op("np.unravel_index(i, (2, 3))", i=INDEX),
    ]


def more_helper_ops() -> list[Any]:
    from .operations import Domain, complex_, op, real

    d, x = real(5), Domain(0.1, 1.9)(5)
    fft = [
        op(f"rt.{f}(d, x{more})", d=complex_(4, 5), x=np.ones((4, 6), z))
        for f, z in (("unfft", complex), ("unifft", complex), ("unrfft", float))
        for more in ((", norm='ortho'", "") if f != "unrfft" else (", n=8",))
    ]
    for f, z in (("unfftn", complex), ("unifftn", complex), ("unrfftn", float)):
        fft.append(
            op(
                f"rt.{f}(d, x)",
                d=complex_(4, 6 if z is complex else 4),
                x=np.ones((4, 6), z),
            )
        )
    return [
        *fft,
        op("rt.unirfft(d, x)", d=real(4, 6), x=np.ones((4, 4), complex)),
        op("rt.unirfftn(d, x)", d=real(4, 6), x=np.ones((4, 4), complex)),
        op("rt.i0_slope(x)", x=real(3)),
        op("rt.i0_slope(x, 2)", x=real(3)),
        op("rt.interp_slope(x, p, f)", x=x, p=[0, 1, 2, 5], f=[1, 2, 0, 3]),
        op("rt.uninterp_values(d, x, p)", d=d, x=np.arange(5), p=[0, 1, 3, 5]),
        op("rt.ungradient(d, f, (0.5,))", d=d, f=real(5)),
        op("rt.ungradient(d, f, ())", d=(real(4, 5), real(4, 5)), f=real(4, 5)),
        op("rt.without_first(d, 1, True)", d=real(2, 3)),
        op("rt.undiff_between(d, x, 2, 0, 1.0, None)", d=d, x=real(6)),
        op("rt.unconvolve_left(d, u, v)", d=real(8), u=real(6), v=real(3)),
        op("rt.unconvolve_right(d, u, v, 'same')", d=real(6), u=real(6), v=real(3)),
        op("rt.uncorrelate_left(d, u, v)", d=real(4), u=real(6), v=real(3)),
        op("rt.uncorrelate_right(d, u, v, 'full')", d=real(8), u=real(3), v=real(6)),
        op("rt.unpolyval(d, p, x)", d=d, p=real(4), x=real(5)),
        op("rt.unpolymul(d, u, v)", d=real(5), u=real(4), v=real(2)),
        op("rt.tail(d, x)", d=d, x=real(3)),
        op("rt.unpolyder(d, p)", d=real(4), p=real(5)),
        op("rt.undelete(d, x, [0, 2])", d=real(3), x=real(5)),
        op("rt.uninsert(d, x, 1, v)", d=real(5), x=real(4), v=real),
        op("rt.unresize(d, x)", d=real(5, 2), x=real(4)),
        op("rt.unpad_picked(d, x, 1, 'edge', 'even')", d=real(6), x=real(4)),
        op("rt.unlinspace(d, a, b, 5)", d=d, a=real, b=real),
        op(
            "rt.unsum_where(d, x, 1, False, w)",
            d=real(2),
            x=real(2, 3),
            w=np.eye(2, 3) > 0,
        ),
        op(
            "rt.unfollow(d, x, y)",
            d=real(4),
            x=np.array([1, 3, 2, 3], "i1"),
            y=np.array([1, 3, 3, 3], "i1"),
        ),
        op("rt.without_dtype(d, None)", d=d),
        op("rt.held(d, x)", d=real(4), x=np.array([1, 2], "i1")),
        op("rt.held(d, x, 1)", d=real(4), x=np.array([1, 2], "i1")),
        op("rt.like(d, x)", d=real(5), x=real(5)),
        op("rt.like(d, x)", d=real(), x=real(5)),
        op(
            "rt.uneigh(a, b, w, v)",
            a=real(3),
            b=real(3, 3),
            w=np.array([1, 2, 4], "i1"),
            v=np.eye(3, dtype="i1"),
        ),
        op("rt.uneigvalsh(d, x)", d=real(2), x=np.array([[2, 1], [1, 5]])),
        op("rt.unsvdvals(d, x)", d=real(2), x=np.array([[2, 1], [1, 5], [0, 1]])),
        op("rt.unlower(d, y)", d=real(2, 2), y=np.array([[2, 0], [1, 5]])),
        op("rt.unlower(d, y, True)", d=real(2, 2), y=np.array([[2, 1], [0, 5]])),
        op("rt.unmatrix_power(d, x, 3)", d=real(2, 2), x=np.array([[2, 1], [1, 5]])),
        op("rt.unmatrix_power(d, x, -2)", d=real(2, 2), x=np.array([[2, 1], [1, 5]])),
        *(
            op(
                f"rt.{name}(d, x, y)",
                d=real(2, 2),
                x=np.array([[2, 1], [1, 1]]),
                y=np.array([[1, -1], [-1, 2]]),
            )
            for name in ("unpinv", "unpinv_cut")
        ),
        op(
            "rt.unnorm(d, x, y, 1, 1)",
            d=real(1),
            x=np.array([[3, 4]], "i1"),
            y=np.array([7], "i1"),
        ),
        op("rt.uncond(d, x, y)", d=real(), x=np.array([[2, 0], [0, 1]]), y=np.array(2)),
        op("rt.unvander(d, x)", d=real(3, 3), x=np.array([1, 2, 3], "i1")),
        op(
            "rt.unsign(d, x, y)",
            d=complex_(3),
            x=np.array([1, 2, 2]),
            y=np.array([1, 1, 1]),
        ),
    ]


def numpy_ops() -> list[Any]:
    """All of them."""
    return [
        *masked_ops(),
        *signal_ops(),
        *transform_ops(),
        *factor_ops(),
        *statistics_ops(),
        *polynomial_ops(),
        *assembled_ops(),
        *more_helper_ops(),
    ]
