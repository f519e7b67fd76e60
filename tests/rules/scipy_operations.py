"""The table of operations of SciPy, in the notation of `tests/operations.py`."""

import numpy as np
from scipy import (
    fft,
    fftpack,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    spatial,
    special,
    stats,
)
from scipy.linalg import blas, lapack
from scipy.spatial import distance
from scipy.spatial.transform import Rotation

from yota_ast.runtime.scipy import filter_adjoints as rt_filters
from yota_ast.runtime.scipy import image_adjoints as rt_images
from yota_ast.runtime.scipy import matrix_adjoints as rt_matrices
from yota_ast.runtime.scipy import neighbour_adjoints as rt_neighbours
from yota_ast.runtime.scipy import spectrum_adjoints as rt_spectra

from ..operations import (
    NAMES,
    Domain,
    Matrix,
    _texts,
    above_one,
    complex_,
    complex_unit,
    op,
    positive,
    real,
    unit,
)

NAMES.update(
    fft=fft,
    fftpack=fftpack,
    integrate=integrate,
    signal=signal,
    distance=distance,
    rt_filters=rt_filters,
    rt_images=rt_images,
    rt_matrices=rt_matrices,
    rt_neighbours=rt_neighbours,
    rt_spectra=rt_spectra,
    spatial=spatial,
    blas=blas,
    lapack=lapack,
    linalg=linalg,
    optimize=optimize,
    special=special,
    stats=stats,
)
fraction = Domain(0.1, 0.9)
wide = Domain(0.3, 9.0, signed=True)
large = Domain(26.0, 60.0)
beyond = Domain(2.5, 5.0)
below = Domain(-60.0, -2.5)
negative = Domain(-2.7, -2.3)

UNARY = {
    real: """special.erf(x)|special.erfc(x)|special.erfcx(x)|special.erfi(x)
        special.ndtr(x)|special.log_ndtr(x)|special.dawsn(x)|special.wofz(x)
        special.fresnel(x)|special.owens_t(x, 0.7)|special.owens_t(0.7, x)
        special.expit(x)|special.log_expit(x)|special.softplus(x)|special.exprel(x)
        special.exp10(x)|special.exp2(x)|special.expm1(x)|special.cbrt(x)
        special.cosm1(x)|special.rgamma(x)|special.i0(x)
        special.i0e(x)|special.i1(x)|special.i1e(x)|special.j0(x)|special.j1(x)
        special.expi(x)|special.airy(x)
        special.wrightomega(x)|special.gammasgn(x)
        special.hyp0f1(1.5, x)|special.hyp1f1(0.7, 1.5, x)|special.jn(2, x)
        special.spherical_jn(2, x)|special.spherical_in(2, x)
        special.spherical_jn(0, x, True)|special.spherical_jn(3, x, derivative=True)
        special.spherical_in(0, x, True)|special.spherical_in(2, x, True)
        special.eval_legendre(4, x)|special.eval_chebyt(4, x)|special.eval_chebyu(4, x)
        special.eval_hermite(4, x)|special.eval_hermitenorm(4, x)
        special.eval_laguerre(4, x)|special.eval_genlaguerre(4, 0.5, x)
        special.eval_gegenbauer(4, 0.7, x)|special.eval_jacobi(4, 0.5, 0.2, x)
        special.eval_legendre(0, x)|special.eval_hermite(0, x)|special.eval_laguerre(0, x)
        special.ellipkinc(x, 0.4)|special.ellipeinc(x, 0.4)
        special.ellipkinc(x, 0.0)|special.huber(1.0, x)|special.pseudo_huber(0.7, x)""",
    wide: """special.ellipkinc(x, -0.7)|special.ellipeinc(x, 0.7)
        special.j1(x)|special.i0e(x)|special.i1e(x)|special.jv(3, x)|special.iv(2, x)
        special.ive(2, x)|special.log_ndtr(x)|special.exprel(x)""",
    large: """special.erfcx(x)|special.dawsn(x)|special.wofz(x)|special.k0e(x)
        special.i0e(x)""",
    beyond: """special.gamma(x)|special.sici(x)|special.shichi(x)|special.lambertw(x)
        special.jve(1.5, x)|special.multigammaln(x, 3)|special.zeta(x)|special.zetac(x)
        special.spence(x)|special.comb(x, 1.5)|special.comb(x, 2, repetition=True)""",
    below: "special.ndtri_exp(x)|special.log_ndtr(x)|special.ellipk(x)",
    negative: "special.gamma(x)|special.gammaln(x)|special.digamma(x)|special.rgamma(x)",
    positive: """special.gamma(x)|special.gammaln(x)|special.loggamma(x)
        special.digamma(x)|special.psi(x)|special.polygamma(2, x)
        special.factorial(x)|special.y0(x)|special.y1(x)
        special.k0(x)|special.k1(x)|special.k0e(x)|special.k1e(x)|special.exp1(x)
        special.expn(3, x)|special.expn(1, x)|special.expn(0, x)|special.spence(x)
        special.entr(x)|special.log1p(x)|special.zeta(2.5, x)|special.jv(1.5, x)|special.yn(2, x)|special.yv(1.5, x)
        special.iv(1.5, x)|special.ive(1.5, x)|special.kn(2, x)|special.kv(1.5, x)
        special.spherical_yn(2, x)|special.spherical_kn(2, x)
        special.spherical_yn(0, x, True)|special.spherical_yn(2, x, True)
        special.spherical_kn(0, x, True)|special.spherical_kn(2, x, True)
        special.kve(1.5, x)|special.hankel1(1.5, x)|special.hankel2(1.5, x)
        special.struve(1.5, x)|special.hyperu(0.7, 1.5, x)|special.ellipkm1(x)
        special.boxcox(x, 0.0)|special.boxcox(x, 0.3)|special.boxcox1p(x, 0.3)
        special.gammainc(1.5, x)|special.gammaincc(1.5, x)|special.gammainc(x, 0.8)
        special.gammaincc(x, 0.8)|special.erfcinv(x)""",
    unit: "special.lpmv(1, 3, x)|special.lpmv(0, 0.5, x)|special.erfinv(x)|special.hyp2f1(0.7, 1.2, 2.1, x)",
    fraction: """special.logit(x)|special.ndtri(x)|special.betainc(1.5, 2.5, x)
        special.betaincc(1.5, 2.5, x)|special.betaincinv(1.5, 2.5, x)|special.ellipk(x)
        special.ellipe(x)|special.gammaincinv(1.5, x)
        special.gammainccinv(1.5, x)|special.hyp2f1(-0.7, 1.2, 2.1, x)""",
}
BINARY = {
    (positive, positive): """special.xlogy(u, v)|special.xlog1py(u, v)
        special.rel_entr(u, v)|special.kl_div(u, v)|special.boxcox(u, v)
        special.boxcox1p(u, v)|special.inv_boxcox(u, v)|special.inv_boxcox1p(u, v)
        special.agm(u, v)|special.beta(u, v)|special.betaln(u, v)|special.poch(u, v)
        special.gammainc(u, v)|special.gammaincc(u, v)
        special.huber(u, v)|special.pseudo_huber(u, v)|special.voigt_profile(u, v, 0.3)
        special.voigt_profile(u, 0.3, v)|special.betainc(u, v, 0.3)
        special.betaincc(u, v, 0.3)|special.betaincinv(u, v, 0.3)""",
    (positive, fraction): """special.gammaincinv(u, v)|special.gammainccinv(u, v)
        special.betainc(u, 2.5, v)|special.betaincinv(2.5, u, v)""",
    (real, fraction): "special.ellipkinc(u, v)|special.ellipeinc(u, v)",
    (beyond, positive): """special.binom(u, v)|special.comb(u, v)|special.zeta(u, v)
        special.pseudo_huber(u, v)""",
    (
        positive,
        beyond,
    ): "special.comb(u, v)|special.poch(u, v)|special.pseudo_huber(u, v)",
    (real, real): "special.owens_t(u, v)",
}
COMPLEX = {
    complex_: """special.erf(x)|special.erfc(x)|special.erfcx(x)|special.erfi(x)
        special.dawsn(x)|special.wofz(x)|special.gamma(x)|special.loggamma(x)
        special.rgamma(x)|special.fresnel(x)|special.expi(x)|special.exp1(x)
        special.sici(x)|special.shichi(x)|special.spence(x)|special.lambertw(x)
        special.jv(1.5, x)|special.yv(1.5, x)|special.iv(1.5, x)|special.kv(1.5, x)
        special.kve(1.5, x)|special.hankel1(1.5, x)|special.airy(x)|special.ndtr(x)
        special.hyp0f1(1.5, x)|special.hyp1f1(0.7, 1.5, x)|special.xlogy(x, x)
        special.expm1(x)|special.log1p(x)|special.xlog1py(x, x)""",
    complex_unit: "special.hyp2f1(0.7, 1.2, 2.1, x)",
}
SUMS = [
    op(text, x=real(3, 4))
    for f in ("logsumexp", "softmax", "log_softmax")
    for text in (
        f"special.{f}(x)",
        f"special.{f}(x, axis=0)",
        f"special.{f}(x, -1)",
        f"special.{f}(x, axis=(0, 1))",
    )
] + [
    op("special.logsumexp(x, axis=1, keepdims=True)", x=real(3, 4)),
    op("special.logsumexp(x, keepdims=True)", x=real(3, 4)),
    op("special.logsumexp(x, b=w)", x=real(3, 4), w=positive(3, 4)),
    op("special.logsumexp(x, axis=1, b=w)", x=real(3, 4), w=positive(4)),
    op("special.logsumexp(x, axis=0, b=w)", x=real(3, 4), w=positive(3, 1)),
    op("special.logsumexp(x)", x=np.array([0.5, -np.inf])),
]


def elementwise_ops():
    ops = [op(t, x=d(3, 2)) for d, block in UNARY.items() for t in _texts(block)]
    ops += [op(t, x=d(3, 2)) for d, block in COMPLEX.items() for t in _texts(block)]
    for (a, b), block in BINARY.items():
        ops += [op(t, u=a(3, 2), v=b(2)) for t in _texts(block)]
    return ops


# ---------------------------------------------------------------- distributions

# A z with a density, and shape parameters.
SHAPES = {
    "norm": (real, {}),
    "cauchy": (real, {}),
    "laplace": (real, {}),
    "logistic": (real, {}),
    "gumbel_r": (real, {}),
    "gumbel_l": (real, {}),
    "uniform": (fraction, {}),
    "expon": (positive, {}),
    "halfnorm": (positive, {}),
    "halfcauchy": (positive, {}),
    "rayleigh": (positive, {}),
    "maxwell": (positive, {}),
    "t": (real, {"df": positive}),
    "vonmises": (real, {"kappa": positive}),
    "truncnorm": (fraction, {"a": Domain(-2, -1), "b": above_one}),
    "gamma": (positive, {"a": positive}),
    "invgamma": (positive, {"a": positive}),
    "chi2": (positive, {"df": positive}),
    "beta": (fraction, {"a": positive, "b": positive}),
    "f": (positive, {"dfn": positive, "dfd": positive}),
    "invgauss": (positive, {"mu": positive}),
    "pareto": (above_one, {"b": positive}),
    "lognorm": (positive, {"s": positive}),
    "weibull_min": (positive, {"c": positive}),
}
WITHOUT_SHAPE = ("vonmises", "truncnorm")  # the derivative of `cdf` in the shapes


def distribution_ops():
    ops = []
    for name, (domain, shapes) in SHAPES.items():
        given = "".join(f", {s}" for s in shapes)
        shape = {s: d(2) for s, d in shapes.items()}
        for method in ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf"):
            if name == "vonmises" and method in ("ppf", "isf"):
                continue
            text, args = given, dict(shape)
            if "pdf" not in method and name in WITHOUT_SHAPE:
                text, args = (", -1.5, 2.5" if name == "truncnorm" else ", 1.3"), {}
            if name == "pareto" and method not in ("ppf", "isf"):
                z = Domain(4.0, 8.0)
            else:
                z = domain
            one = fraction if method in ("ppf", "isf") else z
            first = Domain(one.low, one.high, one.signed and name != "vonmises")
            call = f"stats.{name}.{method}(x{text}, "
            ops.append(op(f"{call}0.1, 1.3)", x=first(3, 2), **args))
            where = dict(u=Domain(-0.2, 0.05)(2), v=Domain(1.1, 1.6)(3, 1))
            ops.append(op(f"{call}u, v)", x=first(3, 2), **args, **where))
    return ops


DISCRETE = [
    op(f"stats.{name}.{method}({k}, {given})", **domains)
    for method in ("logpmf", "pmf")
    for name, k, given, domains in [
        ("poisson", "np.arange(3)", "u", {"u": positive(2, 3)}),
        ("bernoulli", "np.arange(2)", "u", {"u": fraction(3, 2)}),
        ("geom", "np.arange(1, 4)", "u", {"u": fraction(3)}),
        ("binom", "np.arange(4)", "3, u", {"u": fraction(2, 4)}),
        ("nbinom", "np.arange(4)", "v, u", {"u": fraction(2, 4), "v": positive(4)}),
    ]
]

# ---------------------------------------------------------------- linear algebra

A, S = Matrix((4, 4)), Matrix((3, 3), definite=True)
P = Matrix((4, 4), definite=True)
FACTOR = linalg.cho_factor(S.sample(np.random.default_rng(1)))
LINALG = [
    op(text, symmetric=symmetric, **domains)
    for symmetric, texts, domains in [
        (
            False,
            "linalg.solve(a, b)|linalg.solve(a, b, assume_a='gen')",
            {"a": A, "b": real(4)},
        ),
        (False, "linalg.solve(a, b)", {"a": A, "b": real(4, 2)}),
        (
            False,
            """linalg.solve_triangular(a, b)|linalg.solve_triangular(a, b, lower=True)
            linalg.solve_triangular(a, b, 1)|linalg.solve_triangular(a, b, 'T', True)
            linalg.solve_triangular(a, b, unit_diagonal=True)""",
            {"a": S, "b": real(3)},
        ),
        (False, "linalg.solve_triangular(a, b, trans=1)", {"a": S, "b": real(3, 2)}),
        (
            False,
            """linalg.inv(x)|linalg.det(x)|linalg.pinv(x)|linalg.expm(x)|linalg.norm(x)
            linalg.norm(x, 2)|linalg.norm(x, 1, axis=0)|linalg.lu(x)|linalg.lu_factor(x)
            linalg.polar(x)|rt_matrices.unexpm(x, x)
            linalg.expm_frechet(x, x, compute_expm=False)""",
            {"x": A},
        ),
        (False, "linalg.expm(x)", {"x": Matrix((2, 3, 3))}),
        (False, "linalg.pinv(x)|linalg.pinv(x, rtol=1e-9)", {"x": real(5, 3)}),
        (False, "linalg.polar(x)", {"x": real(5, 3)}),
        (False, "linalg.logm(x)|linalg.sqrtm(x)", {"x": S}),
        (True, "linalg.cholesky(x)|linalg.cholesky(x, lower=True)", {"x": S}),
        (False, "linalg.lstsq(a, b)", {"a": real(5, 3), "b": real(5)}),
        (False, "linalg.lstsq(a, b)", {"a": real(5, 3), "b": real(5, 2)}),
        (
            False,
            "linalg.solve_banded((1, 2), ab, b)",
            {"ab": positive(4, 5), "b": real(5)},
        ),
        (
            False,
            "linalg.solve_banded((2, 0), ab, b)",
            {"ab": positive(3, 5), "b": real(5, 2)},
        ),
        (False, "linalg.solve_sylvester(a, b, q)", {"a": S, "b": A, "q": real(3, 4)}),
        (
            False,
            "linalg.solve_continuous_lyapunov(a, q)|linalg.solve_discrete_lyapunov(a, q)",
            {"a": S, "q": real(3, 3)},
        ),
        (
            False,
            "linalg.pinvh(x)|linalg.pinvh(x, lower=False)|linalg.pinvh(x, rtol=1e-9)",
            {"x": S},
        ),
        (
            True,
            "linalg.solve_continuous_are(a, b, q, r)|linalg.solve_discrete_are(a, b, q, r)",
            {"a": A, "b": A, "q": P, "r": P},
        ),
        (False, "linalg.lstsq(a, b)", {"a": A, "b": real(4)}),
        (False, "linalg.toeplitz(x)|linalg.circulant(x)", {"x": real(4)}),
        (False, "linalg.toeplitz(x, r)", {"x": real(4), "r": real(3)}),
        (False, "linalg.block_diag(x, r)", {"x": real(2, 3), "r": real(2)}),
        (False, "linalg.block_diag(x, r, x)", {"x": real(2, 3), "r": real(2)}),
        (False, "linalg.cho_solve((c, False), b)", {"c": S, "b": real(3, 2)}),
        (False, "linalg.cho_solve((c, True), b)", {"c": S, "b": real(3)}),
        (
            False,
            "linalg.lu_solve((c, p), b)",
            {"c": S, "p": np.array([2, 1, 2]), "b": real(3)},
        ),
        (
            False,
            "linalg.lu_solve((c, p), b, trans=1)",
            {"c": S, "p": np.array([2, 1, 2]), "b": real(3, 2)},
        ),
    ]
    for text in _texts(texts)
]

LINALG += [
    op(text, **domains)
    for texts, domains in [
        (
            """blas.ddot(x, v)|blas.dnrm2(x)|blas.dasum(x)
            blas.dgemv(u, a, x)|blas.dgemv(2.0, a, x, trans=1)
            blas.dsymv(u, a, x)|blas.dsymv(1.0, a, x, lower=1)""",
            {"u": real(), "x": real(4), "v": real(4), "a": A},
        ),
        (
            """blas.dgemm(u, a, b)|blas.dgemm(u, a, b, trans_a=1, trans_b=True)
            blas.dgemm(1.0, a, b, trans_b=1)|blas.dgemm(1.0, a, b, u, a)
            blas.dsyrk(u, a)|blas.dsyrk(1.0, a, trans=1, lower=1)
            blas.dsymm(u, a, b)|blas.dsymm(1.0, a, b, lower=True)
            blas.dtrmm(u, a, b)|blas.dtrmm(1.0, a, b, lower=1, trans_a=1)""",
            {"u": real(), "a": A, "b": P},
        ),
    ]
    for text in _texts(texts)
]

# ---------------------------------------------------------------- signals and the rest

MODES = ("", ", 'same'", ", mode='valid'")
SIGNALS = [
    op(f"signal.{f}(u, v{mode})", u=real(*n), v=real(*m))
    for f in ("convolve", "correlate", "fftconvolve", "convolve2d", "correlate2d")
    for mode in MODES
    for n, m in (((7,), (4,)), ((3,), (6,)), ((5, 4), (2, 3)))
    if "2d" not in f or len(n) == 2
]
TRANSFORMS = (
    [
        op(f"fftpack.{f}(x, {kind}{norm})", x=real(2, 5))
        for f in ("dct", "idct", "dst", "idst")
        for kind, norm in ((1, ""), (2, ", axis=0"), (3, ", norm='ortho'"), (4, ""))
    ]
    + [
        op(f"fftpack.{f}(x)", x=real(n))
        for f in ("hilbert", "ihilbert")
        for n in (4, 5)
    ]
    + [
        op(f"fftpack.{f}(x{how})", x=domain)
        for f in ("fft", "ifft")
        for how in ("", ", 5", ", axis=0")
        for domain in (real(3, 4), complex_(3, 4))
    ]
    + [
        op(f"fftpack.{f}(x{how})", x=domain)
        for f in ("fft2", "ifft2", "fftn", "ifftn")
        for how in ("", ", (2, 3)", ", axes=(0,)")
        for domain in (real(3, 4), complex_(3, 4))
    ]
    + [
        op(f"fft.{f}(x, {kind}{norm})", x=real(2, 5))
        for f in ("dct", "idct", "dst", "idst")
        for kind in (1, 2, 3, 4)
        for norm in ("", ", norm='ortho'", ", axis=0", ", norm='forward'")
    ]
    + [
        op(f"fft.{f}(x{norm})", x=domain)
        for f in ("fft", "ifft", "rfft", "irfft")
        for norm in ("", ", norm='ortho'", ", axis=0", ", norm='forward'")
        for domain in (real(3, 5), complex_(3, 4))
        if not (f == "rfft" and domain.complex)
    ]
    + [
        op(f"fft.{f}(x{how})", x=domain)
        for f in "hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split()
        for how in (
            ("", ", n=5, norm='ortho'")
            if "hfft" in f
            else ("", ", s=(3, 5), axes=(0, 1)", ", norm='forward'")
        )
        for domain in (real(3, 4), complex_(3, 4))
        if not (f in ("ihfft", "rfft2", "rfftn") and domain.complex)
    ]
)
spline = interpolate.splrep(np.arange(8.0) / 4, np.sin(np.arange(8.0) / 4))
surface = interpolate.bisplrep(
    *np.mgrid[0:2:7j, 0:2:8j], np.sin(np.arange(56.0) / 9).reshape(7, 8)
)
facets = interpolate.bisplrep(
    *np.mgrid[0:2:7j, 0:2:8j], np.sin(np.arange(56.0) / 9).reshape(7, 8), kx=1, ky=1
)
low, band = signal.butter(2, 0.3), signal.butter(2, [0.2, 0.5], "band", output="sos")
NAMES.update(
    low=low,
    band=band,
    interpolate=interpolate,
    spline=spline,
    surface=surface,
    facets=facets,
)
OTHERS = [
    op(text, **domains)
    for texts, domains in [
        (
            """signal.filtfilt(low[0], low[1], x)|signal.sosfilt(band, x)
            signal.filtfilt(low[0], low[1], x, padtype='even', padlen=3)
            signal.filtfilt(low[0], low[1], x, padtype='constant')
            signal.filtfilt(low[0], low[1], x, 0, None)|signal.sosfilt(band, x, axis=0)
            signal.filtfilt(low[0], 1.0, x, padlen=0)|signal.sosfiltfilt(band, x)
            signal.sosfiltfilt(band, x, -1, 'even', 4)""",
            {"x": real(2, 18)},
        ),
        (
            "signal.lfilter(b, a, x)|signal.lfilter(b, a, x, axis=0)",
            {"b": real(3), "a": positive(2), "x": real(3, 5)},
        ),
        ("signal.lfilter(b, a, x)", {"b": real(2), "a": positive(7), "x": real(5)}),
        (
            "signal.freqz(b, a, 5)|signal.freqz(b, a, [0.1, 0.3], fs=2.0)",
            {"b": real(3), "a": positive(2)},
        ),
        ("rt_filters.waves_back(t, c)", {"t": real(3), "c": real(2)}),
        ("signal.chirp(x, 1.5, 2.0, 0.5, 'lin', 30)", {"x": real(2, 3)}),
        (
            "signal.chirp(x, u, t, v, phi=w)",
            {"x": positive(5), "u": real, "t": positive, "v": real, "w": real},
        ),
        (
            """signal.detrend(x)|signal.detrend(x, 0, 'constant')|signal.hilbert(x)
            signal.hilbert(x, axis=0)|signal.hilbert(x, 3)|signal.hilbert(x, 9, axis=0)|signal.resample(x, 4)|signal.resample(x, 9, axis=1)
            signal.savgol_filter(x, 3, 1)|signal.savgol_filter(x, 3, 2, axis=0)
            signal.savgol_filter(x, 3, 1, mode='nearest')|fft.fftshift(x)
            signal.resample_poly(x, 3, 2)|signal.resample_poly(x, 2, 3, axis=1)
            fft.ifftshift(x, axes=1)|integrate.trapezoid(x)|integrate.simpson(x)
            integrate.simpson(x, axis=0)|integrate.cumulative_trapezoid(x)
            integrate.cumulative_trapezoid(x, axis=0, initial=0)""",
            {"x": real(4, 6)},
        ),
        (
            """integrate.trapezoid(x, t)|integrate.simpson(x, x=np.arange(4.0) ** 2)
            integrate.cumulative_trapezoid(x, t)""",
            {"x": real(3, 4), "t": positive(4)},
        ),
        (
            """integrate.trapezoid(x, dx=t)|integrate.simpson(x, dx=t)
            integrate.cumulative_trapezoid(x, dx=t)""",
            {"x": real(3, 4), "t": positive()},
        ),
        ("fft.fftfreq(5, d)|fft.rfftfreq(6, d=d)", {"d": positive()}),
        ("fft.next_fast_len(n)|special.factorial2(n)", {"n": 7}),
        (
            """interpolate.splev(x, spline)|interpolate.splev(x, spline, 1)
            interpolate.splev(x, spline, ext=1)""",
            {"x": positive(2, 3)},
        ),
        ("interpolate.bisplev(u, v, surface)", {"u": fraction(1), "v": fraction()}),
        (
            """interpolate.bisplev(u, v, surface)|interpolate.bisplev(u, v, facets)
            interpolate.bisplev(u, v, surface, 1, 0)""",
            {"u": fraction(), "v": fraction()},
        ),
        (
            """distance.cdist(u, v)|distance.cdist(u, v, 'sqeuclidean')
            distance.cdist(u, v, metric='cityblock')""",
            {"u": real(3, 2), "v": real(4, 2)},
        ),
        (
            "distance.pdist(x)|distance.pdist(x, 'sqeuclidean')|distance.pdist(x, 'cityblock')",
            {"x": real(4, 2)},
        ),
        (
            """distance.euclidean(u, v)|distance.sqeuclidean(u, v)
            distance.minkowski(u, v)|distance.minkowski(u, v, 3)
            distance.minkowski(u, v, p=1.5)|distance.cityblock(u, v)
            distance.chebyshev(u, v)|distance.canberra(u, v)|distance.braycurtis(u, v)
            distance.cosine(u, v)|distance.correlation(u, v)""",
            {"u": real(4), "v": real(4)},
        ),
        (
            "distance.seuclidean(u, v, V)",
            {"u": real(4), "v": real(4), "V": positive(4)},
        ),
        (
            "distance.mahalanobis(u, v, x)",
            {"u": real(3), "v": real(3), "x": S},
        ),
        (
            """distance.jensenshannon(u, v)|distance.jensenshannon(u, v, axis=-1)""",
            {"u": positive(4), "v": positive(4)},
        ),
        (
            """distance.jensenshannon(u, v)|distance.jensenshannon(u, v, axis=1)""",
            {"u": positive(4, 3), "v": positive(4, 3)},
        ),
    ]
    for text in _texts(texts)
]

SAMPLES = [
    op(text, symmetric="cov" in domains and "v" not in domains, **domains)
    for texts, domains in [
        (
            """stats.zscore(x)|stats.zscore(x, 1, 1)|stats.zscore(x, axis=None)
            stats.rankdata(x)|stats.rankdata(x, axis=1)
            stats.gmean(x)|stats.gmean(x, axis=1)|stats.gmean(x, None)|stats.hmean(x)
            stats.hmean(x, 1)|stats.skew(x)|stats.skew(x, axis=1)|stats.kurtosis(x)
            stats.kurtosis(x, axis=1, fisher=False)|stats.entropy(x)|stats.skew(x, None)
            stats.entropy(x, base=2.0, axis=1)|stats.kurtosis(x, axis=None)
            stats.pmean(x, 3)|stats.pmean(x, -1.5, axis=1)|stats.pmean(x, 2, axis=None)
            stats.sem(x)|stats.sem(x, 1, 0)|stats.sem(x, axis=None, ddof=2)
            stats.variation(x)|stats.variation(x, axis=1, ddof=1)
            stats.variation(x, None)|optimize.rosen(x)""",
            {"x": positive(4, 5)},
        ),
        ("optimize.rosen(x)", {"x": real(5)}),
        ("x[optimize.linear_sum_assignment(x)]", {"x": real(3, 4)}),
        (
            """stats.norm._pdf(x)|stats.norm._logpdf(x)|stats.norm._cdf(x)
            stats.norm._sf(x)|stats.norm._logcdf(x)|stats.norm._logsf(x)""",
            {"x": real(3)},
        ),
        ("stats.norm._ppf(q)|stats.norm._isf(q)", {"q": fraction(3)}),
        (
            """stats.poisson.cdf(np.arange(3), u)|stats.poisson.sf(np.arange(3), u)
            stats.poisson.cdf(np.array([0.5, 1.0, 4.0]), u, 1)""",
            {"u": positive(2, 3)},
        ),
        (
            """stats.linregress(x, v)|stats.linregress(x, v, alternative='less')
            stats.pearsonr(x, v)|stats.pearsonr(x, v, alternative='greater')
            stats.ttest_ind(x, v)|stats.ttest_1samp(x, 0.3)|signal.medfilt(x, 3)
            stats.iqr(x)
            signal.welch(x, nperseg=4)|signal.csd(x, v, nperseg=5, scaling='spectrum')
            signal.csd(v, x, nperseg=4, return_onesided=False, detrend=False)""",
            {"x": real(9), "v": real(9)},
        ),
        (
            """signal.welch(x, 2.0, nperseg=5, nfft=8, axis=0, detrend='linear')
            rt_spectra.uncsd_left(u, x, v, nperseg=4, axis=0)
            rt_spectra.uncsd_right(u, x, v, nperseg=4, axis=0)""",
            {"x": real(7, 2), "v": real(7, 2), "u": real(3, 2)},
        ),
        ("stats.entropy(p, q)", {"p": positive(4, 3), "q": positive(4, 3)}),
        ("stats.entropy(p, q, axis=1)", {"p": positive(4, 3), "q": positive(4, 3)}),
        ("stats.dirichlet.logpdf(np.array([0.2, 0.5, 0.3]), a)", {"a": positive(3)}),
        ("stats.dirichlet.pdf(np.array([0.2, 0.5]), a)", {"a": positive(3)}),
        (
            "stats.dirichlet.logpdf(x, np.array([2.1, 0.7, 1.3]))",
            {"x": Domain(0.1, 0.4)(2)},
        ),
        (
            """stats.multivariate_normal.logpdf(x, m)
            stats.multivariate_normal.logpdf(x, m, 2.5)
            stats.multivariate_normal.pdf(x, m, np.array([1.0, 2.0, 3.0]))""",
            {"x": real(4, 3), "m": real(3)},
        ),
        (
            "stats.multivariate_normal.logpdf(x, np.zeros(3), v)",
            {"x": real(4, 3), "v": positive(3)},
        ),
        (
            "stats.multivariate_normal.logpdf(x, np.ones(3), v)",
            {"x": real(4, 3), "v": positive()},
        ),
        ("stats.multivariate_normal.logpdf(np.ones(3), None, cov)", {"cov": S}),
        ("stats.multivariate_normal.pdf(np.ones((2, 3)), cov=cov)", {"cov": S}),
    ]
    for text in _texts(texts)
]

FACTORS = [
    op(text, **domains)
    for texts, domains in [
        (
            """linalg.eigh(x, lower=False)|linalg.eigvalsh(x)
            linalg.eigh(x, eigvals_only=True)|linalg.eigvalsh(x, lower=False)
            linalg.schur(x)|linalg.qr(x)|linalg.svdvals(x)|linalg.svd(x)
            linalg.svd(x, compute_uv=False)|linalg.svd(x, full_matrices=False)
            linalg.expm_frechet(x, x)""",
            {"x": S},
        ),
        ("linalg.eigvals(x)", {"x": np.diag([3.0, 2.0, 1.0]) + 0.1}),
        (
            "linalg.qr(x)|linalg.qr(x, mode='economic')|linalg.svdvals(x)",
            {"x": real(5, 3)},
        ),
        ("linalg.svd(x, full_matrices=False)", {"x": real(5, 3)}),
        ("linalg.qr(x, mode='economic')", {"x": real(3, 5)}),
        (
            """linalg.solve(a, b, assume_a='pos')|linalg.solve(a, b, assume_a='sym')
            linalg.solve(a, b, lower=True, assume_a='pos')""",
            {"a": S, "b": real(3)},
        ),
        ("linalg.solve(a, b, assume_a='pos')", {"a": S, "b": real(3, 2)}),
        (
            "linalg.schur(x)",
            {"x": np.array([[3.0, 0.4, 0.2], [0.1, 1.0, 0.3], [0.2, 0.5, -2.0]])},
        ),
    ]
    for text in _texts(texts)
]
inner, wider = Domain(0.1, 2.9), Domain(-2.0, 5.0)
IMAGES = [
    op(text, **domains)
    for texts, domains in [
        (
            """ndimage.gaussian_filter(x, 0.8)|ndimage.gaussian_filter(x, [0.6, 1.2])
            ndimage.gaussian_filter(x, 1.0, 1)|ndimage.gaussian_filter(x, 1.0, [0, 2])
            ndimage.gaussian_filter(x, 1.0, mode='nearest', truncate=3.0)
            ndimage.gaussian_filter(x, 1.0, mode=['wrap', 'constant'])""",
            {"x": real(5, 4)},
        ),
        (
            """ndimage.gaussian_filter1d(x, 0.8)|ndimage.uniform_filter1d(x, 2, 0)
            ndimage.gaussian_filter1d(x, 0.9, 0, 1, mode='mirror', truncate=3.0)
            ndimage.uniform_filter1d(x, 3, mode='wrap', origin=-1)
            ndimage.uniform_filter(x, [1, 3], origin=[0, 1])|ndimage.sobel(x, 0)
            ndimage.uniform_filter(x, mode=['nearest', 'constant'])
            ndimage.zoom(x, 1.7)|ndimage.zoom(x, [0.5, 2.0], order=1, mode='reflect')
            ndimage.zoom(x, [1, 1.3], mode='reflect')|ndimage.zoom(x, 1)
            ndimage.zoom(x, 2, None, 2, 'nearest', 0.0, False, grid_mode=True)
            ndimage.sobel(x, mode='constant')|ndimage.laplace(x)
            ndimage.laplace(x, mode='wrap')|ndimage.correlate1d(x, [1.0, -2.0, 0.5])
            ndimage.correlate1d(x, [0.3, 0.4], 0, mode='nearest', origin=-1)
            ndimage.convolve1d(x, [0.3, 0.4, 0.5, 0.6], mode='mirror', origin=1)""",
            {"x": real(5, 6)},
        ),
        (
            "|".join(
                f"ndimage.{name}(x, w{more})"
                for name in ("correlate", "convolve")
                for more in (
                    "",
                    ", mode='mirror'",
                    ", mode='constant', origin=[1, -1]",
                    ", mode='nearest'",
                    ", mode='wrap'",
                    ", mode='grid-mirror'",
                    ", mode='grid-wrap', origin=-1",
                    ", mode='grid-constant'",
                )
            ),
            {"x": real(5, 4), "w": real(3, 4)},
        ),
        (
            """ndimage.maximum_filter(x, 3)|ndimage.minimum_filter(x, (2, 3), mode='wrap')
            ndimage.median_filter(x, 3, origin=(0, 1))|ndimage.rank_filter(x, -2, 2)
            ndimage.percentile_filter(x, 30, footprint=np.eye(3), mode='constant')
            ndimage.gaussian_filter(x, 0.8, mode='constant', cval=2.0)
            ndimage.correlate(x, np.eye(3), mode='constant', cval=-1.0)
            ndimage.convolve(x, np.tri(2), mode='constant', cval=0.5, origin=-1)
            ndimage.grey_erosion(x, 4, mode='nearest')|ndimage.grey_dilation(x, (2, 3))
            ndimage.grey_dilation(x, footprint=np.tri(3), mode='mirror', origin=1)
            rt_images.picked(x, x, x, 3)|rt_images.unpicked(x, x, x, 3)""",
            {"x": real(5, 4)},
        ),
        ("ndimage.convolve(x, w)", {"x": real(7), "w": real(2)}),
        (
            """ndimage.map_coordinates(x, at)|ndimage.map_coordinates(x, at, order=1)
            ndimage.map_coordinates(x, at, prefilter=False)
            ndimage.map_coordinates(x, at, order=0)|ndimage.map_coordinates(x, at, order=2)
            ndimage.map_coordinates(x, at, order=2, prefilter=False)""",
            {"x": real(5, 4), "at": inner(2, 3, 2)},
        ),
        ("ndimage.map_coordinates(x, at)", {"x": real(4, 4), "at": wider(2, 9)}),
    ]
    for text in _texts(texts)
]
POINTS = [
    op(f"integrate.simpson(u, x=x{axis})", u=u, x=x)
    for u, x, axis in [
        (real(5), positive(5), ""),
        (real(6), positive(6), ""),
        (real(3), positive(3), ""),
        (real(2), positive(2), ""),
        (real(4), positive(4), ""),
        (real(3, 6), positive(6), ""),
        (real(3, 6), positive(3, 6), ""),
        (real(5, 2), positive(5), ", axis=0"),
    ]
] + [
    op("distance.cdist(u, v, 'cosine')", u=real(3, 2), v=real(4, 2)),
    op("distance.pdist(x, 'cosine')", x=real(4, 3)),
    op("distance.squareform(x)", x=real(6)),
    op("distance.squareform(x, checks=False)", x=real(4, 4)),
]

# Objects with derivatives: tested in whole programs.
knots = np.linspace(0, 2, 6)
curve = interpolate.CubicSpline(knots, np.sin(knots))
line = interpolate.interp1d(knots, np.sin(knots))
kernel = stats.gaussian_kde(np.sin(knots))
fitted = interpolate.UnivariateSpline(knots, np.sin(knots))
basis = interpolate.make_interp_spline(knots, np.sin(knots))
turned = Rotation.from_rotvec([0.1, 0.2, 0.3])
near = spatial.KDTree(np.outer(knots, [1.0, 0.3]) ** 2)
several = Rotation.from_rotvec(np.eye(3))
waves = np.outer(np.sin(knots), np.cos(knots))
surface = interpolate.RectBivariateSpline(knots, knots, waves)
grid = interpolate.RegularGridInterpolator((knots, knots), waves)
NAMES.update(
    knots=knots,
    Rotation=Rotation,
    turned=turned,
    curve=curve,
    line=line,
    kernel=kernel,
    ndimage=ndimage,
    optimize=optimize,
)
MODELS = [
    op(text, **domains)
    for texts, domains in [
        (
            """interpolate.CubicSpline(knots, x)|interpolate.PchipInterpolator(knots, x)
            interpolate.Akima1DInterpolator(knots, x)|interpolate.interp1d(knots, x)
            interpolate.UnivariateSpline(knots, x)
            interpolate.InterpolatedUnivariateSpline(knots, x)
            stats.gaussian_kde(x)|stats.gaussian_kde(x, 0.3)""",
            {"x": real(6)},
        ),
        (
            """interpolate.PPoly.__call__(f, x)|interpolate.PPoly.derivative(f)
            interpolate.PPoly.integrate(f, 0.1, x)""",
            {"x": fraction(), "f": curve},
        ),
        ("interpolate.interp1d.__call__(f, x)", {"x": fraction(3), "f": line}),
        (
            "interpolate.UnivariateSpline.__call__(f, x)",
            {"x": fraction(3), "f": fitted},
        ),
        ("interpolate.BSpline.__call__(f, x)", {"x": fraction(3), "f": basis}),
        (
            """interpolate.RectBivariateSpline(knots, knots, x)
            interpolate.RegularGridInterpolator((knots, knots), x)""",
            {"x": real(6, 6)},
        ),
        (
            """interpolate.BivariateSpline.__call__(f, x, x, 0, 0, False)
            interpolate.BivariateSpline.ev(f, x, x)""",
            {"x": fraction(3), "f": surface},
        ),
        (
            "interpolate.RegularGridInterpolator.__call__(f, (x, x))",
            {"x": fraction(3), "f": grid},
        ),
        (
            "interpolate.RegularGridInterpolator.__call__(f, x)",
            {"x": fraction(3, 2), "f": grid},
        ),
        (
            """Rotation.from_rotvec(x)|Rotation.from_euler('xyz', x)
            Rotation.from_quat(x)|Rotation.from_matrix(x)|Rotation.as_rotvec(f)
            Rotation.as_quat(f)|Rotation.as_matrix(f)|Rotation.as_euler(f, 'xyz')
            Rotation.inv(f)|Rotation.magnitude(f)|Rotation.apply(f, x)
            Rotation.__mul__(f, f)|Rotation.__pow__(f, 2)|Rotation.__getitem__(fs, 1)""",
            {"x": real(3), "f": turned, "fs": several},
        ),
        (
            """spatial.KDTree(x)|spatial.cKDTree(x)|spatial.KDTree.query(near, x)
            rt_neighbours.points_of(near)
            spatial.KDTree.query_ball_point(near, x, 0.5)
            spatial.KDTree.query_pairs(near, 0.5)""",
            {"x": real(6, 2), "near": near},
        ),
        (
            "stats.gaussian_kde.evaluate(f, x)|stats.gaussian_kde.logpdf(f, x)",
            {"x": fraction(3), "f": kernel},
        ),
    ]
    for text in _texts(texts)
]

# What is tested by itself: factors with a flag beside, and fitted models.
APART = [
    op("linalg.cho_factor(x)", x=S),
    op("lapack.dpotrf(x)", x=S),
    op("lapack.dpotri(x)", x=S),
    op("lapack.dtrtri(x)", x=S),
    op("lapack.dsyev(x)", x=S),
    op("lapack.dgetrf(x)", x=S),
    op("lapack.dpotrs(x, v)", x=S, v=real(3)),
    op("lapack.dtrtrs(x, v)", x=S, v=real(3)),
    op("lapack.dgesv(x, v)", x=S, v=real(3)),
    op("lapack.dgetrs(x, np.arange(3), v)", x=S, v=real(3)),
    op("optimize.linear_sum_assignment(x)", x=real(3, 4)),
    *MODELS,
]
OPERATIONS = [*elementwise_ops(), *SUMS, *distribution_ops(), *DISCRETE, *LINALG]
OPERATIONS += [*SIGNALS, *TRANSFORMS, *OTHERS, *SAMPLES, *FACTORS, *IMAGES, *POINTS]
