"""Calls of SciPy's solvers and objects in all the ways in which they are written."""

import numpy as np

from ..operations import Domain, Matrix, positive, real
from .scipy_lists import fraction, roughly, use

tight = "xtol=1e-14, rtol=1e-14"
USES = [
    use(
        f"def f(x, p):\n|    return x - p\nargs = (p,)\nreturn optimize.brentq(f, -9, 9, args, {tight})",
        p=positive,
    ),
    use(
        f"def f(x, p):\n|    return x**3 - p\nreturn optimize.brentq(f, -9, 9, args=p, {tight})",
        p=positive,
    ),
    use(
        "opts = dict(xtol=1e-14, rtol=1e-14)\nreturn optimize.brentq(lambda x: x**3 - p, -9, 9, **opts)",
        p=positive,
    ),
    use(
        f"lo, hi = 0.0, 9.0\nreturn optimize.brentq(lambda x: x**3 - p, lo, hi, {tight})",
        p=positive,
    ),
    use(f"optimize.brentq(lambda x: x**3 - p, 0.0, p + 3, {tight})", p=positive),
    use("optimize.newton(lambda x: x**3 - p, p, tol=1e-14)", p=positive),
    use(
        "optimize.newton(lambda x: x**3 - p, np.array([1.0, 2.0]), tol=1e-14)",
        p=positive(2),
    ),
    use(
        "optimize.newton(lambda x: x**3 - p, p + 1, fprime=lambda x: 3 * x**2, fprime2=lambda x: 6 * x, tol=1e-14)",
        p=positive(3),
    ),
    use(
        "optimize.root_scalar(lambda x: x**3 - p, x0=1.0, fprime=lambda x: 3 * x**2, method='newton', xtol=1e-14).root",
        p=positive,
    ),
    use(
        "sol = optimize.root_scalar(lambda x: x**3 - p, bracket=(0, 9), method='brentq', xtol=1e-14)\nreturn sol.root if sol.converged else p",
        p=positive,
    ),
    use(
        "sol = optimize.root_scalar(lambda x: x**3 - p, bracket=(0, 9), method='brentq', xtol=1e-14)\nreturn sol['root']",
        p=positive,
    ),
    use(
        "optimize.root(lambda x: x**3 - p, np.ones(3), method='lm', tol=1e-14).x",
        p=positive(3),
    ),
    use(
        "optimize.root(lambda x: x**3 - p, np.ones(3), method='krylov', tol=1e-13).x",
        p=positive(3),
    ),
    use(
        "optimize.root(lambda x: [x[0]**3 - p, x[0] * x[1] - 1], [1.0, 1.0], tol=1e-14).x",
        p=positive,
    ),
    use(
        "optimize.root(lambda x: (x[0]**3 - p, x[0] * x[1] - 1), [1.0, 1.0], tol=1e-14).x",
        p=positive,
    ),
    use("optimize.root(lambda x: x**3 - p, 1.0, tol=1e-14).x[0]", p=positive),
    use("optimize.fsolve(lambda x: x**3 - p, 1.0, xtol=1e-14)[0]", p=positive),
    use(
        "x, = optimize.fsolve(lambda x: x**3 - p, 1.0, xtol=1e-14)\nreturn x",
        p=positive,
    ),
    use(
        "a, b = optimize.fsolve(lambda v: [v[0] * v[1] - p, v[0] - v[1] - 1], (1.0, 1.0), xtol=1e-14)\nreturn a * b + a",
        p=positive,
    ),
    use(
        "def f(v):\n|    a, b = v\n|    return a * b - p, a - b - 1\nreturn optimize.fsolve(f, (1.0, 1.0), xtol=1e-14)",
        p=positive,
    ),
    use(
        "optimize.fsolve(lambda x: A @ x - b, b, xtol=1e-14)",
        A=Matrix((3, 3), definite=True),
        b=real(3),
    ),
    use(
        "optimize.fsolve(lambda x, A, b: A @ x - b, b, args=(A, b), fprime=lambda x, A, b: A, xtol=1e-14)",
        A=Matrix((3, 3), definite=True),
        b=real(3),
    ),
    use(
        "optimize.fixed_point(lambda x, p: np.cos(p * x), [0.5, 0.6], args=(p,), xtol=1e-14)",
        p=fraction(2),
    ),
    use(
        "optimize.fixed_point(lambda x: np.cos(p * x), 0.5, method='iteration', xtol=1e-14, maxiter=5000)",
        p=fraction,
    ),
    use(
        "integrate.quad(lambda t: np.exp(-p * t) * np.cos(w * t), 0, np.inf)[0]",
        p=positive,
        w=real,
    ),
    use("val, err = integrate.quad(np.sin, a, b)\nreturn val", a=real, b=real),
    use("integrate.quad(lambda t: p * t ** n, 0.0, 1.0)[0]", p=positive, n=3),
    use("integrate.quad(lambda t: np.abs(t - p), 0.0, 2.0, points=[p])[0]", p=positive),
    use("integrate.quad(lambda t: np.sum(np.exp(-p * t)), 0.0, 2.0)[0]", p=positive(4)),
    use(
        "def f(t):\n|    if t < 0.5:\n|        return p * t\n|    return q * t**2\nreturn integrate.quad(f, 0.0, 1.0, points=[0.5])[0]",
        p=positive,
        q=positive,
    ),
    use(
        "sum(integrate.quad(lambda t, k: p**k * t, 0.0, 1.0, args=(k,))[0] for k in range(3))",
        p=positive,
    ),
    use(
        "np.array([integrate.quad(lambda t: np.exp(-p * t), 0.0, b)[0] for b in x])",
        p=positive,
        x=positive(3),
    ),
    use(
        "np.vectorize(lambda b: integrate.quad(lambda t: np.exp(-p * t), 0.0, b)[0])(x)",
        p=positive,
        x=positive(3),
    ),
    use(
        "integrate.odeint(lambda y, t: -k * y, y0, np.linspace(0, 1, 4), rtol=1e-11, atol=1e-12)",
        k=positive,
        y0=2.0,
    ),
    use(
        "integrate.odeint(lambda y, t, k: [y[1], -k * y[0]], [1.0, v], np.linspace(0, 1, 4), args=(k,), rtol=1e-11, atol=1e-12)[-1]",
        k=positive,
        v=positive,
    ),
    use(
        "def f(y, t):\n|    a, b = y\n|    return b, -k * a\nreturn integrate.odeint(f, (1.0, v), [0.0, 1.0], rtol=1e-11, atol=1e-12)[-1]",
        k=positive,
        v=positive,
    ),
    use(
        "sol = integrate.solve_ivp(lambda t, y: [y[1], -k * y[0]], [0, 2], [1.0, v], t_eval=[0.5, 1.0, 2.0], rtol=1e-11, atol=1e-12)\nreturn sol.y[0] * sol.t",
        k=positive,
        v=positive,
    ),
    use(
        "sol = integrate.solve_ivp(lambda t, y: -k * y * np.sin(t), (0, 2), [v], method='Radau', t_eval=np.array([1.0, 2.0]), rtol=1e-10, atol=1e-11)\nreturn sol.y[0]",
        k=positive,
        v=positive,
    ),
    use(
        "sol = integrate.solve_ivp(lambda t, y: -k * y, (2.0, 0.0), [v], rtol=1e-10, atol=1e-11)\nreturn sol.y[0, -1]",
        k=positive,
        v=positive,
    ),
    use(
        "sol = integrate.solve_ivp(lambda t, y: A @ y, (0.0, 1.0), y0, args=(), rtol=1e-10, atol=1e-11)\nif not sol.success:\n|    raise ValueError('no')\nreturn sol.y[:, -1]",
        A=real(3, 3),
        y0=real(3),
    ),
    roughly(
        "optimize.minimize(lambda x: (x[0] - p)**2 + (x[1] - x[0])**4 + x[1]**2, [0.0, 0.0], method='BFGS').x",
        p=positive,
    ),
    roughly(
        "optimize.minimize(lambda x, p: np.sum((x - p)**2 + x**4), np.zeros(2), args=(p,), tol=1e-10).x",
        p=positive(2),
    ),
    roughly(
        "optimize.minimize(lambda x: (np.sum((x - p)**2 + x**4), 2 * (x - p) + 4 * x**3), np.zeros(2), jac=True, tol=1e-12).x",
        p=positive(2),
    ),
    roughly(
        "optimize.minimize_scalar(lambda x: (x - p)**2 + x**4, bracket=(0, 1)).x",
        p=positive,
    ),
    roughly(
        "res = optimize.minimize_scalar(lambda x: (x - p)**2 + x**4)\nreturn res.fun * res.x",
        p=positive,
    ),
    roughly(
        "optimize.fmin_bfgs(lambda x: np.sum((x - p)**2 + x**4), np.zeros(2), gtol=1e-10, disp=0)",
        p=positive(2),
    ),
    roughly(
        "popt, pcov = optimize.curve_fit(lambda x, a, b: a * np.exp(-b * x), xdata=t, ydata=y, p0=(1.0, 0.5), xtol=1e-15, ftol=1e-15, gtol=1e-15)\nreturn popt[0] * popt[1]",
        t=np.linspace(0, 2, 6),
        y=positive(6),
    ),
    roughly(
        "a, b = optimize.curve_fit(lambda x, a, b: a * x + b, t, y)[0]\nreturn a * b",
        t=np.linspace(0, 2, 6),
        y=positive(6),
    ),
    use(
        "r = optimize.least_squares(lambda x, y: np.array([x[0] * y[0] - 1, x[1] - y[1], x[0] + x[1]]), np.ones(2), args=(y,), xtol=1e-15, ftol=1e-15, gtol=1e-15, jac=lambda x, y: np.array([[y[0], 0.0], [0.0, 1.0], [1.0, 1.0]]))\nreturn r.x",
        y=positive(2),
    ),
    use(
        "f = interpolate.interp1d(t, y, kind='quadratic', fill_value='extrapolate')\nreturn f(x)",
        t=np.linspace(0, 2, 6),
        y=real(6),
        x=Domain(-0.5, 2.5)(4),
    ),
    use(
        "f = interpolate.interp1d(t, y, bounds_error=False, fill_value=0.0)\nreturn f(x)",
        t=np.linspace(0, 2, 6),
        y=real(6),
        x=Domain(-0.5, 2.5)(4),
    ),
    use(
        "f = interpolate.interp1d(t, y, axis=0)\nreturn f(x)",
        t=np.linspace(0, 2, 6),
        y=real(6, 2),
        x=Domain(0.1, 1.9)(4),
    ),
    use(
        "f = interpolate.CubicSpline(t, y)\nreturn f(x)",
        t=np.linspace(0, 2, 6),
        y=real(6, 2),
        x=Domain(0.1, 1.9)(4),
    ),
    use(
        "f = interpolate.CubicSpline(t, y, bc_type='clamped')\nreturn f(x).sum() + f.derivative()(x).sum() + f(0.5)",
        t=np.linspace(0, 2, 6),
        y=real(6),
        x=Domain(0.1, 1.9)(4),
    ),
    use(
        "interpolate.PchipInterpolator(t, y)(x)",
        t=np.linspace(0, 2, 6),
        y=np.sin(np.arange(6)),
        x=Domain(0.1, 1.9)(4),
    ),
    use(
        "interpolate.Akima1DInterpolator(t, y)(x)",
        t=np.linspace(0, 2, 6),
        y=np.sin(np.arange(6)),
        x=Domain(0.1, 1.9)(4),
    ),
    use(
        "fs = [interpolate.CubicSpline(t, y), interpolate.CubicSpline(t, y**2)]\nreturn fs[0](x) + fs[1](x)",
        t=np.linspace(0, 2, 6),
        y=real(6),
        x=Domain(0.1, 1.9)(4),
    ),
    use(
        "f = interpolate.CubicSpline(t, y)\ndef g(v):\n|    return f(v) ** 2\nreturn integrate.quad(lambda s: float(f(s)) * p, 0.0, 1.0)[0] + np.sum(g(x))",
        t=np.linspace(0, 2, 6),
        y=real(6),
        x=Domain(0.1, 1.9)(4),
        p=positive,
    ),
    use(
        "f = interpolate.CubicSpline(t, y)\nreturn optimize.brentq(lambda s: f(s) - p, 0.0, 2.0, xtol=1e-14)",
        t=np.linspace(0, 2, 6),
        y=np.linspace(0, 2, 6) ** 2,
        p=positive,
    ),
    use(
        "stats.gaussian_kde(x).pdf(u) * stats.gaussian_kde(x, bw_method='silverman')(u)",
        x=real(6),
        u=real(3),
    ),
    use(
        "d = stats.gamma(a, scale=s)\nreturn d.cdf(x) * d.pdf(x) + d.sf(x)",
        a=positive,
        s=positive,
        x=positive(3),
    ),
    use(
        "dists = [stats.norm(m, 1.0), stats.expon(scale=m)]\nreturn sum(np.sum(d.logpdf(x)) for d in dists)",
        m=positive,
        x=positive(3),
    ),
    use("stats.poisson(m).logpmf(np.array([1, 2, 3]))", m=positive),
]
