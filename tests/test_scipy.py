"""SciPy as an extra: whole functions through it, refusals, accuracy, lazy import."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

import scipy.special as sc
from scipy import integrate, linalg, signal, special, stats
from scipy.spatial import distance
from scipy.special import erf

import yota_ast as ya
from yota_ast.runtime.scipy import special_slopes as slopes

RNG = np.random.default_rng(3)
SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.7], [0.5, -0.7, 2.0]])
MATRIX, VECTOR = RNG.normal(size=(3, 3)), RNG.normal(size=3)
POINTS = np.array([0.4, 1.3, 2.1])


def normal_log_likelihood(x, m, s):
    return np.sum(stats.norm.logpdf(x, m, s))


def voigt(x, s, g):
    z = (x + 1j * g) / (s * np.sqrt(2))
    return np.sum(np.real(special.wofz(z))) / (s * np.sqrt(2 * np.pi))


def gamma_log_density(x, a, s):
    return np.sum((a - 1) * np.log(x) - x / s - special.gammaln(a) - a * np.log(s))


def drum_mode(r, t):
    return np.sum(special.jn(2, r * 5.1356) * np.cos(2 * t))


def error_function_step(x, w):
    return np.sum(0.5 * (1 + erf(x / w)))


def debye(x):
    return np.sum(sc.zeta(4.0, x)) + np.sum(sc.spence(1 - np.exp(-x)))


def beta_binomial(k, n, a, b):
    return np.sum(special.betaln(k + a, n - k + b) - special.betaln(a, b))


def survival(x, a, s):
    return np.sum(stats.gamma.logsf(x, a, scale=s))


def entropy(p):
    return np.sum(special.entr(p / np.sum(p)))


def cross_entropy(w, x):
    return -np.sum(special.log_softmax(w @ x, axis=0)[0])


def probit(x, w):
    return np.sum(special.log_ndtr(x @ w))


def lambert(x):
    return np.sum(special.lambertw(x).real)


def pendulum(g, m):
    return 4 * special.ellipk(m) / np.sqrt(g)


def orders(x):
    total = 0.0
    for k in range(3):
        total = total + special.jv(k, x) * special.iv(k, x)
    return total


def gaussian_process(k, y):
    c = linalg.cho_factor(k + k.T, lower=True)
    return 0.5 * (y @ linalg.cho_solve(c, y)) + np.sum(np.log(np.diag(c[0])))


def propagator(a, b):
    return b @ linalg.expm(a) @ b


def filtered(b, a, x):
    return np.sum(signal.lfilter(b, a, signal.convolve(x, b, "same")) ** 2)


def energy(x):
    return integrate.simpson(np.sin(x) ** 2, dx=0.1) + np.sum(
        distance.pdist(x[:, None])
    )


def least_squares(a, b):
    x, residues, _, s = linalg.lstsq(a, b)
    return np.sum(x**2) + np.sum(residues) + s[0]


FORMULAS = [
    (normal_log_likelihood, POINTS, 0.3, 1.7),
    (voigt, POINTS, 0.7, 0.3),
    (gamma_log_density, POINTS, 1.7, 0.8),
    (drum_mode, POINTS, 0.3),
    (error_function_step, POINTS, 1.7),
    (debye, POINTS),
    (beta_binomial, POINTS, 7.0, 1.7, 0.9),
    (survival, POINTS, 1.7, 0.9),
    (entropy, POINTS),
    (cross_entropy, MATRIX, VECTOR),
    (probit, MATRIX, VECTOR),
    (lambert, POINTS),
    (pendulum, 1.3, 0.3),
    (orders, 0.7),
    (gaussian_process, SPD, VECTOR),
    (propagator, MATRIX, VECTOR),
    (filtered, POINTS, POINTS[::-1].copy(), RNG.normal(size=6)),
    (energy, RNG.normal(size=7)),
    (least_squares, RNG.normal(size=(5, 3)), RNG.normal(size=5)),
]


@pytest.mark.parametrize("case", FORMULAS, ids=lambda case: case[0].__name__)
def test_formulas(case):
    f, *args = case
    value, g = ya.grad(f, *args)
    assert value == f(*args)
    rng = np.random.default_rng(1)
    for k, x in enumerate(args):
        v = rng.normal(size=np.shape(x))

        def at(h, k=k, x=x, v=v):
            return f(*args[:k], x + h * v, *args[k + 1 :])

        expected = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3
        assert np.sum(g[k] * v) == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_the_text_imports_what_it_calls():
    source = ya.grad(survival, POINTS, 1.7, 0.9)[1].source
    assert source.startswith("import numpy as np\nfrom scipy import special, stats\n")
    assert "stats.gamma.logsf(" in source


def test_a_parameter_called_like_a_module():
    def f(special, stats):
        return np.sum(sc.gammainc(special, stats))

    _, g = ya.grad(f, POINTS, 0.5)
    assert "special as scipy_special" in g.source
    h = 1e-5
    expected = (sc.gammainc(POINTS + h, 0.5) - sc.gammainc(POINTS - h, 0.5)) / (2 * h)
    np.testing.assert_allclose(g[0], expected, rtol=1e-8)


def test_an_order_is_refused_with_the_reason():
    def f(v, x):
        return special.jv(v, x)

    with pytest.raises(
        ya.NoRule, match="no accurate formula for the derivative in the"
    ):
        ya.grad(f, 1.5, 2.0)
    assert ya.grad(f, 1.5, 2.0, wrt="x")[1]["x"] == pytest.approx(special.jvp(1.5, 2.0))


def test_nothing_of_scipy_is_imported_before_it_is_used():
    program = (
        "import sys, numpy as np, yota_ast as ya\n"
        "from yota_ast.rules import BOOK\n"
        "list(BOOK); BOOK.primitives()\n"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


# ---------------------------------------------------------------- singular points

SINGULAR = [
    (special.xlogy, (0.0, 0.0), (-math.inf, 0.0)),
    (special.xlogy, (0.0, 2.0), (np.log(2.0), 0.0)),
    (special.xlog1py, (0.0, -1.0), (-math.inf, 0.0)),
    (special.rel_entr, (0.0, 0.0), (math.nan, 0.0)),
    (special.kl_div, (0.0, 0.0), (math.nan, 1.0)),
    (special.exprel, (0.0,), (0.5,)),
    (special.spence, (1.0,), (-1.0,)),
    (special.rgamma, (-2.0,), (2.0,)),
    (special.rgamma, (0.0,), (1.0,)),
    (special.ellipk, (0.0,), (np.pi / 8,)),
    (special.ellipe, (0.0,), (-np.pi / 8,)),
    (special.boxcox, (2.0, 0.0), (0.5, np.log(2.0) ** 2 / 2)),
    (special.log_ndtr, (-1e4,), (1e4,)),
    (special.expit, (800.0,), (0.0,)),
    (special.softplus, (800.0,), (1.0,)),
    (special.i1, (0.0,), (0.5,)),
    (special.j1, (0.0,), (0.5,)),
    (special.gammainc, (1.5, 0.0), (0.0, 0.0)),
    (special.eval_legendre, (3, 1.0), (None, 6.0)),
    (special.pseudo_huber, (1.0, 0.0), (0.0, 0.0)),
]


@pytest.mark.parametrize(("fn", "at", "slopes"), SINGULAR)
def test_singular_points(fn, at, slopes):
    from .operations import NAMES, op
    from .rules.check import adjoints, call_of

    NAMES["special"] = special
    names = "uvw"[: len(at)]
    values = dict(zip(names, at))
    one = op(f"special.{fn.__name__}({', '.join(names)})", **values)
    call = call_of(one, values)
    found = adjoints(call, call.run(), 1.0) if None not in slopes else None
    if found is None:
        one = op(f"special.{fn.__name__}({at[0]}, v)", v=at[1])
        call = call_of(one, {"v": at[1]})
        found = adjoints(call, call.run(), 1.0)
    for name, slope in zip(names, slopes):
        if slope is not None:
            assert found[name] == pytest.approx(slope, rel=1e-6, nan_ok=True), name


# ---------------------------------------------------------------- accuracy


def test_accuracy_in_orders_and_shapes():
    mp = pytest.importorskip("mpmath")
    with mp.workdps(30):

        def slope(f, x):
            return float(mp.diff(f, mp.mpf(x), h=mp.mpf(10) ** -9))

        for a in (0.01, 0.5, 1, 2.5, 30, 1e3):
            for x in (a / 5, a, a + 2 * a**0.5):
                got = slopes.gammainc_order_slope(a, x)
                ref = slope(lambda t, x=x: mp.gammainc(t, 0, x, regularized=True), a)
                assert got == pytest.approx(ref, rel=1e-9)
        for a, b in ((0.02, 0.7), (2.5, 1), (1, 40), (30, 4), (3e2, 1e3)):
            for x in (a / (a + b) / 2, a / (a + b)):
                got = slopes.betainc_order_slope(a, b, x)
                of_a = slope(lambda t: mp.betainc(t, b, 0, x, regularized=True), a)
                of_b = slope(lambda t: mp.betainc(a, t, 0, x, regularized=True), b)
                assert got == pytest.approx((of_a, of_b), rel=1e-9)
        for x in (1.01, 2, 20):
            for q in (0.05, 1, 50):
                ref = slope(lambda t, q=q: mp.zeta(t, q), x)
                assert slopes.zeta_slope(x, q) == pytest.approx(ref, rel=1e-11)


@pytest.mark.parametrize("df", [0.3, 1.0, 7.0, 300.0])
@pytest.mark.parametrize("z", [-40.0, -2.0, -1e-3, 0.0, 0.5, 1.7, 9.0])
def test_accuracy_of_students_t(df, z):
    mp = pytest.importorskip("mpmath")
    with mp.workdps(30):

        def cdf(v):
            u = mp.mpf(z) ** 2 / (v + mp.mpf(z) ** 2)
            part = mp.betainc(mp.mpf(1) / 2, v / 2, 0, u, regularized=True)
            return (1 + mp.sign(z) * part) / 2

        ref = float(mp.diff(cdf, mp.mpf(df), h=mp.mpf(10) ** -9))
    assert slopes.t_cdf_slope(z, df) == pytest.approx(ref, rel=1e-8, abs=1e-14)


# ---------------------------------------------------------------- second derivatives

SECOND = [
    ("exprel_slope", (0.3,)),
    ("exprel_slope", (2.5,)),
    ("spence_slope", (1.0,)),
    ("spence_slope", (0.4,)),
    ("erfcx_slope", (0.7, 0.4)),
    ("dawsn_slope", (0.7, 0.4)),
    ("rgamma_slope", (0.7, 0.4)),
    ("beta_density", (1.3, 2.1, 0.4)),
    ("gamma_density", (1.3, 0.4)),
]


@pytest.mark.parametrize(("name", "at"), SECOND)
def test_second_derivatives(name, at):
    from .operations import NAMES, op
    from .rules.check import relative_error

    NAMES["slopes"], NAMES["special"] = slopes, special
    special.erf(0.0)
    ya.grad(error_function_step, POINTS, 1.7)  # opens the chapter
    values = {k: np.array([x]) for k, x in zip("uvw", at)}
    one = op(f"slopes.{name}({', '.join(values)})", **values)
    assert relative_error(one, values) < (1e-2 if at == (1.0,) else 1e-6)


def mixture(m, s, w, x):
    c = -0.5 * ((x[:, None] - m) / s) ** 2 - np.log(s) + w - sc.logsumexp(w)
    return np.sum(sc.logsumexp(c, axis=1))


def test_sums_of_exponentials_leave_no_shape_in_doubt():
    m, s, w = (np.array(v) for v in ([0.1, 1.2], [0.5, 0.7], [0.3, -0.2]))
    x = np.array([0.2, 0.9, 1.5])
    source = ya.simplegrad(mixture, m, s, w, x).source
    assert "def like" not in source
    assert "unbroadcast(" not in source
    assert ya.gradcheck(mixture, m, s, w, x)


def test_an_old_scipy_is_refused_by_its_version(monkeypatch):
    import scipy

    from yota_ast.rules.notation.book import Book

    book = Book()
    book.add_chapter("scipy.special", "yota_ast.rules.scipy.special")
    monkeypatch.setattr(scipy, "__version__", "1.14.1")
    with pytest.raises(ya.YotaError, match=r"1\.14\.1, and its rules are for 1\.15"):
        book.open_chapters()
    monkeypatch.setattr(scipy, "__version__", "2.0.0rc1")
    book.open_chapters()


CLEARED = """\
import linecache
from scipy import stats
import yota_ast as ya

def f(x):
    return stats.norm.logpdf(x) + stats.gamma.cdf(x, 2.0)

ya.grad(lambda x: stats.norm.cdf(x), 0.5)
linecache.clearcache()
print(ya.grad(f, 0.5)[1][0])
"""


def test_rules_that_are_in_no_file_are_had_when_linecache_is_cleared(tmp_path):
    path = tmp_path / "cleared.py"
    path.write_text(CLEARED)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, path]
    run = subprocess.run(command, env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    slope = stats.gamma.pdf(0.5, 2.0) - 0.5
    assert float(run.stdout) == pytest.approx(slope, rel=1e-12)
