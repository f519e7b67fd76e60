"""What numerical users of SciPy differentiate through, with the uses of each check.

`CHECKS["gamma (a)"]` are programs over named arguments, as in `coverage_lists`; the
names are those of the list by which tools are compared: 208 checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from scipy import (
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    special,
    stats,
)
from scipy.spatial import distance

from ..operations import Domain, Matrix, above_one, number, positive, real, unit
from .coverage_lists import DEFINITE, SQUARE, Use

SCIPY = {
    "scipy": scipy,
    "fft": fft,
    "integrate": integrate,
    "interpolate": interpolate,
    "linalg": linalg,
    "ndimage": ndimage,
    "optimize": optimize,
    "signal": signal,
    "special": special,
    "stats": stats,
    "distance": distance,
}
fraction = Domain(0.1, 0.9)
beyond = Domain(2.5, 5.0)
small = Domain(-0.15, 0.15)
SYMMETRIC = "(x + x.T) / 2"


def use(text: str, **arguments: Any) -> Use:
    return Use(text, tuple(arguments.items()), tuple(SCIPY.items()))


def roughly(text: str, **arguments: Any) -> Use:
    """A use of a minimiser, which finds half the digits: a larger step sees it."""
    return Use(text, tuple(arguments.items()), tuple(SCIPY.items()), 2e-2, 2e-5)


def _special() -> dict[str, list[Use]]:
    domains: dict[Any, str] = {
        real: """erf erfc erfcx erfi expit log_expit log_ndtr ndtr i0 i0e i1 i1e j0 j1
            expi dawsn sinc exprel exp10 softplus cosm1""",
        positive: """gamma gammaln loggamma digamma psi rgamma y0 y1 k0 k1 k0e k1e exp1
            spence entr factorial erfcinv""",
        fraction: "erfinv logit ndtri ellipk ellipe",
    }
    found = {
        name: [
            use(f"special.{name}(x)", x=domain(3, 2)),
            use(f"np.sum(special.{name}(x * y))", x=domain, y=np.ones(2)),
        ]
        for domain, names in domains.items()
        for name in names.split()
    }
    ones: dict[str, tuple[str, Any]] = {
        "expn": ("special.expn(3, x)", positive(3)),
        "zeta": ("special.zeta(x)", beyond(3)),
        "lambertw": ("np.real(special.lambertw(x))", positive(3)),
        "wofz": ("np.real(special.wofz(x + 0.3j))", real(3)),
        "polygamma": ("special.polygamma(2, x)", positive(3)),
        "multigammaln": ("special.multigammaln(x, 3)", beyond),
        "betainc (x)": ("special.betainc(1.5, 2.5, x)", fraction(3)),
        "gammainc (x)": ("special.gammainc(1.5, x)", positive(3)),
        "gammainc (a)": ("special.gammainc(x, 1.5)", positive(3)),
        "gammaincc (x)": ("special.gammaincc(1.5, x)", positive(3)),
        "gammaincc (a)": ("special.gammaincc(x, 1.5)", positive(3)),
        "gammasgn": ("special.gammasgn(x) * x", real(3)),
        "jn / jv": ("special.jn(2, x) + special.jv(1.5, x)", positive(3)),
        "yn / yv": ("special.yn(2, x) + special.yv(1.5, x)", positive(3)),
        "iv": ("special.iv(1.5, x)", positive(3)),
        "ive": ("special.ive(1.5, x)", positive(3)),
        "kv": ("special.kv(1.5, x)", positive(3)),
        "logsumexp": ("special.logsumexp(x)", real(3, 4)),
        "softmax": ("special.softmax(x, axis=1)", real(3, 4)),
        "log_softmax": ("special.log_softmax(x, axis=1)", real(3, 4)),
        "hyp1f1": ("special.hyp1f1(0.7, 1.5, x)", real(3)),
        "hyp2f1": ("special.hyp2f1(0.7, 1.2, 2.1, x)", unit(3)),
        "eval_legendre": ("special.eval_legendre(4, x)", unit(3)),
        "fresnel": ("special.fresnel(x)[0] * special.fresnel(x)[1]", real(3)),
        "sici": ("special.sici(x)[0] * special.sici(x)[1]", positive(3)),
    }
    found |= {name: [use(text, x=domain)] for name, (text, domain) in ones.items()}
    twos: dict[str, tuple[str, Any, Any]] = {
        "beta": ("special.beta(u, v)", positive(3), positive(2, 3)),
        "betaln": ("special.betaln(u, v)", positive(3), positive(2, 3)),
        "betainc (a,b)": ("special.betainc(u, v, 0.3)", positive(3), positive(3)),
        "logsumexp axis,b": (
            "special.logsumexp(u, axis=1, b=v)", real(3, 4), positive(3, 4)
        ),
        "xlogy": ("special.xlogy(u, v)", positive(3), positive(3)),
        "xlog1py": ("special.xlog1py(u, v)", positive(3), positive(3)),
        "rel_entr": ("special.rel_entr(u, v)", positive(3), positive(3)),
        "kl_div": ("special.kl_div(u, v)", positive(3), positive(3)),
        "boxcox": ("special.boxcox(u, v)", positive(3), positive(3)),
        "huber": ("special.huber(u, v)", positive(3), real(3)),
        "pseudo_huber": ("special.pseudo_huber(u, v)", positive(3), real(3)),
        "poch": ("special.poch(u, v)", positive(3), positive(3)),
        "binom": ("special.binom(u, v)", beyond(3), positive(3)),
        "comb": ("special.comb(u, v)", beyond(3), positive(3)),
        "owens_t": ("special.owens_t(u, v)", real(3), real(3)),
    }  # fmt: skip
    for name, (text, u, v) in twos.items():
        found[name] = [use(text, u=u, v=v)]
    return found


def _linalg() -> dict[str, list[Use]]:
    a, b, s = SQUARE, real(3), DEFINITE
    cho = "c = linalg.cho_factor(a{})\nreturn linalg.cho_solve(c, b)"
    return {
        "solve_triangular": [
            use("linalg.solve_triangular(a, b)", a=s, b=b),
            use("linalg.solve_triangular(a, b, 'T', lower=True)", a=s, b=real(3, 2)),
        ],
        "solve": [
            use("linalg.solve(a, b)", a=a, b=b),
            use("linalg.solve(a @ a.T, b, assume_a='pos')", a=a, b=real(3, 2)),
        ],
        "inv": [use("linalg.inv(x)", x=a)],
        "det": [use("linalg.det(x)", x=a)],
        "cholesky": [
            use("linalg.cholesky(x @ x.T, lower=True)", x=a),
            use("linalg.cholesky(x @ x.T)", x=a),
        ],
        "cho_solve": [use("linalg.cho_solve((a, True), b)", a=s, b=b)],
        "cho_factor": [
            use(cho.format(" @ a.T"), a=a, b=b),
            use(cho.format(" @ a.T, lower=True"), a=a, b=real(3, 2)),
        ],
        "lu": [use("p, l, u = linalg.lu(x)\nreturn np.sum(l**2) + np.sum(u**3)", x=a)],
        "lu_factor/lu_solve": [
            use("linalg.lu_solve(linalg.lu_factor(a), b)", a=a, b=b),
        ],
        "qr": [
            use("q, r = linalg.qr(x)\nreturn np.sum(q**3) + np.sum(r**2)", x=a),
            use("_, r = linalg.qr(x)\nreturn np.sum(r**3)", x=real(5, 3)),
            use(
                "q, r = linalg.qr(x, mode='economic')\n"
                "return np.sum(q**3) + np.sum(r**2)",
                x=real(5, 3),
            ),
        ],
        "svd": [
            use("linalg.svd(x, compute_uv=False)", x=real(4, 3)),
            use(
                "u, s, v = linalg.svd(x, full_matrices=False)\n"
                "return np.sum((u**2) @ (v**2)) + np.sum(s**3)",
                x=real(4, 3),
            ),
            use("linalg.svdvals(x)", x=real(4, 3)),
        ],
        "eigh": [
            use(f"linalg.eigh({SYMMETRIC}, eigvals_only=True)", x=a),
            use(f"w, v = linalg.eigh({SYMMETRIC})\nreturn w + np.sum(v**4)", x=a),
            use(f"linalg.eigvalsh({SYMMETRIC})", x=a),
        ],
        "expm": [use("linalg.expm(x)", x=a)],
        "logm": [use("linalg.logm(x)", x=s)],
        "sqrtm": [use("linalg.sqrtm(x)", x=s)],
        "schur": [
            use(
                f"t, z = linalg.schur({SYMMETRIC})\n"
                "return np.sum(np.diag(t)**3) + np.sum(z**4)",
                x=a,
            ),
            use("t, z = linalg.schur(x)\nreturn np.sum(t**2 * np.cosh(t))",
                x=np.array([[3.0, 0.4, 0.2], [0.1, 1.0, 0.3], [0.2, 0.5, -2.0]])),
        ],
        "polar": [use("u, p = linalg.polar(x)\nreturn np.sum(u * p)", x=a)],
        "pinv": [use("linalg.pinv(x)", x=real(4, 3))],
        "lstsq": [use("linalg.lstsq(a, b)[0]", a=real(4, 3), b=real(4))],
        "solve_sylvester": [
            use("linalg.solve_sylvester(a, b, q)", a=s, b=s, q=real(3, 3))
        ],
        "solve_banded": [
            use("linalg.solve_banded((1, 1), a, b)", a=positive(3, 5), b=real(5))
        ],
        "solve_continuous_lyapunov": [
            use("linalg.solve_continuous_lyapunov(a, q)", a=s, q=real(3, 3))
        ],
        "pinvh": [use("linalg.pinvh(x, lower=False)", x=s)],
        "solve_continuous_are": [
            use("linalg.solve_continuous_are(a, b, np.eye(3), r * np.eye(2))",
                a=real(3, 3), b=real(3, 2), r=1.5)
        ],
        "solve_discrete_are": [
            use("linalg.solve_discrete_are(a, b, np.eye(3), r * np.eye(2))",
                a=real(3, 3), b=real(3, 2), r=1.5)
        ],
        "toeplitz": [use("linalg.toeplitz(u, v)", u=real(3), v=real(4))],
        "circulant": [use("linalg.circulant(x)", x=real(3))],
        "block_diag": [use("linalg.block_diag(u, v)", u=real(2, 3), v=real(2))],
        "norm": [
            use("linalg.norm(x)", x=a),
            use("linalg.norm(x, 2)", x=a),
            use("linalg.norm(x, 1)", x=a),
            use("linalg.norm(x, np.inf)", x=a),
            use("linalg.norm(x, 'nuc')", x=a),
            use("linalg.norm(x, 3)", x=real(4)),
        ],
        "kron/expm_frechet": [
            use("linalg.expm_frechet(u, v, compute_expm=False)", u=a, v=a),
            use("linalg.expm_frechet(u, v)[1]", u=a, v=a),
        ],
    }  # fmt: skip


def _signal() -> dict[str, list[Use]]:
    u, v = real(7), real(3)
    return {
        "convolve 1-D": [use("signal.convolve(u, v)", u=u, v=v)],
        "convolve mode=same": [
            use("signal.convolve(u, v, mode='same')", u=u, v=v),
            use("signal.convolve(u, v, mode='valid')", u=u, v=v),
        ],
        "correlate": [
            use("signal.correlate(u, v)", u=u, v=v),
            use("signal.correlate(u, v, mode='valid')", u=u, v=v),
        ],
        "fftconvolve": [use("signal.fftconvolve(u, v)", u=u, v=v)],
        "convolve2d": [
            use("signal.convolve2d(u, v, mode='same')", u=real(4, 5), v=real(2, 3))
        ],
        "lfilter": [
            use(
                "signal.lfilter(b, a, x)", b=real(3), a=np.array([1.0, 0.3, -0.2]), x=u
            ),
            use("signal.lfilter(u, v, x)", u=real(3), v=positive(2), x=real(6)),
        ],
        "detrend": [use("signal.detrend(x)", x=u)],
        "freqz": [
            use(
                "w, h = signal.freqz(b, a, 6)\nreturn np.sum(np.abs(h) ** 2 * w)",
                b=real(3),
                a=positive(2),
            )
        ],
        "hilbert": [use("np.abs(signal.hilbert(x))", x=u)],
        "resample": [use("signal.resample(x, 5)", x=u)],
        "savgol_filter": [use("signal.savgol_filter(x, 5, 2)", x=u)],
    }


def _stats() -> dict[str, list[Use]]:
    found: dict[str, list[Use]] = {}
    shapes = {
        "norm": ("", real), "t": ("2.5, ", real), "gamma": ("1.7, ", positive),
        "beta": ("1.7, 2.2, ", fraction), "chi2": ("2.5, ", positive),
        "expon": ("", positive), "laplace": ("", real), "logistic": ("", real),
        "cauchy": ("", real), "uniform": ("-3.0, 7.0, ", real),
        "pareto": ("1.7, ", above_one), "lognorm": ("0.8, ", positive),
        "weibull_min": ("1.7, ", positive), "gumbel_r": ("", real),
    }  # fmt: skip
    for name, (given, domain) in shapes.items():
        methods = ["logpdf", "pdf", "cdf"]
        if name == "norm":
            methods += ["logcdf", "sf", "logsf", "ppf"]
        if name == "t":
            methods += ["logcdf"]
        given = given.removesuffix(", ")
        for method in methods:
            x = fraction(3) if method == "ppf" else domain(3)
            call = f"x, {given}" if given else "x"
            found[f"{name}.{method} (x)"] = [
                use(f"stats.{name}.{method}({call})", x=x),
                use(f"stats.{name}({given}).{method}(x)", x=x),
            ]
    one = {
        "vonmises.logpdf (x)": ("stats.vonmises.logpdf(x, 1.3)", real(3)),
        "truncnorm.logpdf (x)": ("stats.truncnorm.logpdf(x, -1.5, 2.5)", fraction(3)),
        "gamma.logpdf (a)": ("stats.gamma.logpdf(1.3, x)", positive(3)),
        "poisson.logpmf (mu)": ("stats.poisson.logpmf(2, x)", positive(3)),
        "binom.logpmf (p)": ("stats.binom.logpmf(2, 5, x)", fraction(3)),
        "bernoulli.logpmf (p)": ("stats.bernoulli.logpmf(1, x)", fraction(3)),
        "nbinom.logpmf (p)": ("stats.nbinom.logpmf(2, 4.0, x)", fraction(3)),
        "geom.logpmf (p)": ("stats.geom.logpmf(3, x)", fraction(3)),
        "dirichlet.logpdf (x)": (
            "stats.dirichlet.logpdf(x, np.array([2.1, 0.7, 1.3]))",
            Domain(0.1, 0.4)(2),
        ),
        "dirichlet.logpdf (alpha)": (
            "stats.dirichlet.logpdf(np.array([0.2, 0.5, 0.3]), x)",
            positive(3),
        ),
        "multivariate_normal.logpdf (x)": (
            "stats.multivariate_normal.logpdf(x, np.zeros(3), np.eye(3) * 2)",
            real(2, 3),
        ),
        "multivariate_normal.logpdf (mean)": (
            "stats.multivariate_normal.logpdf(np.ones(3), x, np.eye(3) * 2)",
            real(3),
        ),
        "multivariate_normal.logpdf (cov)": (
            "stats.multivariate_normal.logpdf(np.ones(3), None, x @ x.T)",
            SQUARE,
        ),
        "zscore": ("stats.zscore(x)", real(5)),
        "gmean": ("stats.gmean(x)", positive(5)),
        "skew": ("stats.skew(x)", real(5)),
        "kurtosis": ("stats.kurtosis(x)", real(5)),
        "entropy": ("stats.entropy(x)", positive(5)),
    }
    found |= {name: [use(text, x=x)] for name, (text, x) in one.items()}
    found["multivariate_normal.logpdf (cov)"].append(
        use(
            "stats.multivariate_normal(u, c @ c.T).logpdf(v)",
            u=real(3),
            c=SQUARE,
            v=real(3),
        )
    )
    held = "stats.multivariate_normal(u, c @ c.T)"
    found["multivariate_normal.logpdf (cov)"].append(
        use(f"{held}.mean + {held}.cov @ u", u=real(3), c=SQUARE)
    )
    found["norm.logpdf (loc,scale)"] = [
        use("stats.norm.logpdf(0.4, u, v)", u=real(3), v=positive(2, 3)),
        use("stats.norm(loc=u, scale=v).logpdf(0.4)", u=real(3), v=positive(3)),
    ]
    found["beta.logpdf (a,b)"] = [
        use("stats.beta.logpdf(0.4, u, v)", u=positive(3), v=positive(3))
    ]
    found["gaussian_kde"] = [
        use("stats.gaussian_kde(x)(np.linspace(-1, 1, 4))", x=real(6)),
        use("stats.gaussian_kde(d).logpdf(x)", x=real(3), d=np.linspace(-2, 2, 6)),
        use("stats.gaussian_kde(x, 0.4).evaluate(u)", x=real(2, 6), u=real(2, 3)),
    ]
    return found


def _integrate() -> dict[str, list[Use]]:
    spring = "def f({}, k, c):\n|    return np.array([y[1], -k * y[0] - c * y[1] ** 2])"
    grid = "np.linspace(0, 1, 4)"
    tight = "rtol=1e-10, atol=1e-11"
    bell = "def f(t):\n|    return np.exp(-p * t**2)\n"
    return {
        "odeint": [
            use(
                spring.format("y, t") + f"\ny = integrate.odeint(f, y0, {grid},"
                f" args=(k, c), {tight})\nreturn np.sum(y**2)",
                y0=real(2), k=positive, c=positive,
            ),
            use(
                f"integrate.odeint(lambda y, t: -k @ y, y0, {grid}, {tight})",
                y0=real(2), k=Matrix((2, 2), definite=True),
            ),
        ],
        "solve_ivp": [
            use(
                spring.format("t, y") + "\nsol = integrate.solve_ivp(f, (0, 1), y0,"
                f" args=(k, c), {tight})\nreturn np.sum(sol.y[:, -1] ** 2)",
                y0=real(2), k=positive, c=positive,
            ),
            use(
                "sol = integrate.solve_ivp(lambda t, y: -k @ y, (0.0, 1.0), y0,"
                f" t_eval={grid}, method='DOP853', {tight})\nreturn sol.y",
                y0=real(2), k=Matrix((2, 2), definite=True),
            ),
        ],
        "trapezoid": [use("integrate.trapezoid(u, x)", u=real(5), x=positive(5))],
        "simpson": [
            use("integrate.simpson(x, dx=0.1)", x=real(5)),
            use("integrate.simpson(u, x=np.cumsum(x))", u=real(5), x=positive(5)),
            use("integrate.simpson(u, x=np.cumsum(x))", u=real(6), x=positive(6)),
        ],
        "cumulative_trapezoid": [
            use(
                "integrate.cumulative_trapezoid(u, x, initial=0)",
                u=real(5), x=positive(5),
            ),
        ],
        "quad": [
            use(
                "integrate.quad(lambda t, p, q: np.exp(-p * t**2) + q * t, a, b,"
                " args=(p, q))[0]",
                p=positive, q=number, a=unit, b=above_one,
            ),
            use(bell + "return integrate.quad(f, 0, np.inf)[0]", p=positive),
            use(bell.replace("p *", "p[0] * p[1] *")
                + "return integrate.quad(f, 0, u)[0]", p=positive(2), u=above_one),
        ],
    }  # fmt: skip


def _optimize() -> dict[str, list[Use]]:
    tight = "xtol=1e-14, rtol=1e-14"
    cubic = "def f(x, p, q):\n|    return x**3 + p * x - q\n"
    scalar = [
        f"return optimize.brentq(f, -9, 9, args=(p, q), {tight})",
        f"return optimize.bisect(f, -9, 9, args=(p, q), {tight})",
        "return optimize.newton(f, 1.0, args=(p, q), tol=1e-13)",
        "return optimize.root_scalar(f, bracket=[-9, 9], args=(p, q), xtol=1e-14).root",
    ]
    system = (
        "def f(x):\n|    return np.array([x[0] ** 2 + p[0] * x[1] - 2,"
        " np.exp(x[1]) + p[1] * x[0] - 3])\n"
    )
    bowl = (
        "def f(x):\n|    return np.sum((x - p) ** 4) + np.sum((x - q) ** 2)"
        " + x[0] * x[1]\n"
    )
    slope = (
        "def g(x):\n|    return 4 * (x - p) ** 3 + 2 * (x - q)"
        " + np.array([x[1], x[0]])\n"
    )
    # Near the model: else SciPy ends too far from the minimum for differences.
    decay = np.array([2.0, 1.5, 1.12, 0.83, 0.61, 0.46])
    model = (
        "def f(t, a, b):\n|    return np.exp(-a * t) * b\n"
        "def g(t, a, b):\n|    return np.stack([-t * b * np.exp(-a * t),"
        " np.exp(-a * t)], axis=1)\n"
    )
    return {
        "brentq/root (implicit)": [
            *(use(cubic + text, p=positive, q=positive) for text in scalar),
            use(
                f"optimize.brentq(lambda x: np.cos(p * x) - x, 0, 2, {tight})", p=unit
            ),
            use(
                system + "return optimize.root(f, np.array([1.0, 0.5]), tol=1e-13).x",
                p=positive(2),
            ),
        ],
        "fsolve (implicit)": [
            use(
                system + "return optimize.fsolve(f, [1.0, 0.5], xtol=1e-13)",
                p=positive(2),
            ),
            use(
                "optimize.fixed_point(lambda x: np.cos(p * x), q, xtol=1e-13)",
                p=fraction(2), q=np.array([0.5, 0.6]),
            ),
        ],
        "minimize (implicit)": [
            roughly(
                bowl + "return optimize.minimize(f, np.zeros(2), tol=1e-9).x",
                p=real(2), q=real(2),
            ),
            roughly(
                bowl + slope + "return optimize.minimize(f, np.zeros(2), jac=g,"
                " method='BFGS', options={'gtol': 1e-12}).x",
                p=real(2), q=real(2),
            ),
            use(
                bowl + "return optimize.minimize(f, np.zeros(2), tol=1e-9).fun",
                p=real(2), q=real(2),
            ),
            roughly(
                "optimize.minimize_scalar(lambda x: np.cosh(x - p) + x**2 * q).x",
                p=positive, q=positive,
            ),
            use(
                model + "return optimize.least_squares(lambda x: f(t, *x) - y,"
                " [1.0, 1.0], jac=lambda x: g(t, *x), xtol=1e-15, ftol=1e-15,"
                " gtol=1e-15).x",
                t=np.linspace(0, 2, 6), y=decay,
            ),
            use(
                model + "c, v = optimize.curve_fit(f, t, y, [1.0, 1.0], jac=g,"
                " xtol=1e-15, ftol=1e-15, gtol=1e-15)\nreturn c",
                t=np.linspace(0, 2, 6), y=decay,
            ),
        ],
    }  # fmt: skip


def _others() -> dict[str, list[Use]]:
    grid, points = np.linspace(0, 2, 6), Domain(0.05, 1.95)(4)
    spline = "interpolate.CubicSpline(t, y{})(x)"
    found = {
        "interp1d": [
            use("interpolate.interp1d(t, y)(x)", t=grid, y=real(6), x=points),
            use(
                "f = interpolate.interp1d(t, y, kind='cubic')\nreturn f(x)",
                t=grid, y=real(6), x=points,
            ),
        ],
        "CubicSpline": [
            use(spline.format(""), t=grid, y=real(6), x=points),
            use(spline.format(", bc_type='natural'"), t=grid, y=real(6), x=points),
            use(
                "f = interpolate.CubicSpline(t, y)\nreturn f(x, 1) + f.integrate(0, 1)",
                t=grid, y=real(6), x=points,
            ),
        ],
    }  # fmt: skip
    for name in ("dct", "idct", "dst"):
        found[name] = [
            use(f"fft.{name}(x)", x=real(5)),
            use(f"fft.{name}(x, norm='ortho')", x=real(5)),
        ]
    found["fft"] = [use("np.abs(fft.fft(x))", x=real(5))]
    found["rfft"] = [use("np.abs(fft.rfft(x))", x=real(5))]
    found["cdist"] = [
        use(f"distance.cdist(u, v{metric})", u=real(3, 2), v=real(4, 2))
        for metric in ("", ", 'sqeuclidean'", ", 'cityblock'", ", 'cosine'")
    ]
    found["pdist"] = [use("distance.pdist(x)", x=real(4, 2))]
    found["gaussian_filter"] = [
        use(f"ndimage.gaussian_filter({call})", x=domain)
        for call, domain in [
            ("x, 1.0", real(9)),
            ("x, sigma=0.7, mode='nearest'", real(7, 6)),
            ("x, (0.7, 1.2), mode='constant'", real(7, 6)),
            ("x, 1.0, mode='wrap'", real(9)),
            ("x, 1.0, order=1, mode='mirror'", real(9)),
        ]
    ]
    inside = Domain(0.1, 3.9)(2, 3)
    found["map_coordinates"] = [
        use("ndimage.map_coordinates(u, x, order=1)", u=real(5, 5), x=inside),
        use("ndimage.map_coordinates(u, x)", u=real(5, 5), x=inside),
    ]
    return found


CHECKS: dict[str, list[Use]] = {
    **_special(), **_linalg(), **_signal(), **_stats(), **_integrate(),
    **_optimize(), **_others(),
}  # fmt: skip
