"""Real arguments into complex arithmetic: their gradients are real and right."""

import numpy as np
import pytest
from scipy import special

import yota_ast as ya


def swr(r):
    z = r + 2j * r * r
    g = (z - 50) / (z + 50)
    return (1 + abs(g)) / (1 - abs(g))


def low_pass(x, w):
    z = 1 / (1j * w * x + 1.0)
    return np.abs(z)


def square_of_parts(x):
    c = complex(x, 2.0)
    return (c * c).real


def complex_exponent(x):
    y = x ** (0.5 + 1j)
    return y.real


def angle_and_part(x):
    y = np.exp(1j * x)
    return y.imag + np.angle(y * x)


def rotated(r, n):
    z = r
    for i in range(n):
        z = z * (1 + 1j) * r
    return abs(z)


def reflection(z0, zl):
    z0 = np.array(z0, dtype=complex)
    zl = np.array(zl, dtype=complex)
    g = (zl - z0) / (zl + z0)
    return (1 + np.abs(g)) / (1 - np.abs(g))


def reflections(z0, zl):
    z0 = np.asarray(z0, dtype=complex)
    zl = np.asarray(zl, dtype=complex) + 3j
    g = (zl - z0) / (zl + z0)
    return np.sum((1 + np.abs(g)) / (1 - np.abs(g)))


def one_arm(x, flag):
    if flag:
        z = x * 1j
    else:
        z = x
    y = z * x + 1
    return abs(y)


def stored(x):
    z = np.zeros(3, dtype=complex)
    z[0] = x
    z[1] = x * 1j
    z[2] = x**2
    return np.sum(np.abs(z * z + 1))


def gathered(x):
    z = np.array([x, x * 1j, 2.0])
    return np.sum(np.abs(z * z + 1))


def in_place(v):
    z = v.astype(complex)
    z *= 1j
    z += v
    return np.sum(np.abs(z) ** 2) + np.sum(z.imag)


def products(v, w):
    A = v * 1j
    return np.abs(np.dot(A, w)) + np.abs(np.vdot(A, w)) + np.abs(np.sum(np.outer(A, w)))


def joined(v):
    z = np.concatenate([v, v * 1j])
    return np.sum(np.abs(z + 1))


def stacked(v):
    z = np.stack([v, v * 1j]).T @ np.array([1.0, 2j])
    return np.sum(np.abs(z + 1))


def chosen(v, w):
    z = np.where(v > 1.5, v, w * 1j)
    return np.sum(np.abs(z + 1))


def complex_base(x):
    z = (1 + 2j) ** x
    return z.real * z.imag


def summed(x):
    s = 0
    for k in range(3):
        s += np.exp(1j * k * x) * x
    return s.real


def reduced(v):
    return (
        np.abs(np.mean(v * 1j + 1))
        + np.abs(np.prod(v + 1j))
        + np.abs(np.cumsum(v * 1j)[-1] + 2)
    )


def solved(v, w):
    return np.sum(np.abs(np.linalg.solve(np.outer(v, w) + np.eye(3) * 1j, w)))


def einsum(v, w):
    return np.sum(np.abs(np.einsum("i,j->ij", v, w * 1j) + 1))


def listed(x, y):
    a = [x, x * 1j]
    return abs(sum(a) + y)


def overwritten(v):
    z = 1j * np.ones(3)
    z[1:] = v[1:]
    z[0] += v[0]
    return np.sum(np.abs(z) ** 2 * np.arange(1, 4.0)) + np.sum((z * z).real)


def chosen_number(x, y):
    z = x if x > 0 else y * 1j
    return abs(z * z + 1j * y)


def ufuncs(x, y):
    return np.abs(
        np.hypot(x, y) * 1j + np.divide(x, 1j * y) - np.power(x, 2j) + np.maximum(x, y)
    )


pytestmark = pytest.mark.filterwarnings("error")
X = np.array([1.0, 2.0, 3.0])
W = np.array([0.5, 1.5, 2.5])
CASES = [
    (swr, 30.0), (low_pass, 2.0, 3.0), (square_of_parts, 2.0), (complex_exponent, 2.0),
    (angle_and_part, 1.2), (rotated, 0.7, 3), (reflection, 50.0, 70.0),
    (reflections, 50.0, 70.0), (reflections, X, W), (one_arm, 1.5, True),
    (one_arm, 1.5, False), (stored, 1.3), (gathered, 1.3), (in_place, X),
    (products, X, W), (joined, X), (stacked, X), (chosen, X, W), (complex_base, 0.7),
    (summed, 0.7), (reduced, X), (solved, X, W), (einsum, X, W), (listed, 0.7, 0.3),
    (overwritten, X), (chosen_number, 0.7, 0.3), (chosen_number, -0.7, 0.3),
    (ufuncs, 0.7, 0.3),
]  # fmt: skip


def difference(f, args, k, step=1e-6):
    """The slope of f along a direction of one argument, and that direction."""
    direction = np.random.default_rng(k).random(np.shape(args[k]))
    ends = []
    for sign in (1, -1):
        moved = list(args)
        moved[k] = args[k] + sign * step * direction
        if isinstance(args[k], float):
            moved[k] = float(moved[k])
        ends.append(f(*moved))
    return (ends[0] - ends[1]) / (2 * step), direction


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("known", [True, False], ids=["facts", "general"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__)
def test_real_gradients(case, known, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f, *args = case
    floats = [k for k, a in enumerate(args) if isinstance(a, float | np.ndarray)]
    names = f.__code__.co_varnames
    df = ya.simplegrad(f, *(args if known else ()), wrt=[names[k] for k in floats])
    val, *gradients = df(*args)
    assert val == f(*args)
    for k, g in zip(floats, gradients, strict=True):
        assert np.shape(g) == np.shape(args[k])
        assert not np.iscomplexobj(g)
        slope, direction = difference(f, args, k)
        assert np.allclose(np.sum(direction * g), slope, rtol=1e-5)


@pytest.mark.parametrize("z", [0.3 - 1.2j, np.complex128(0.3 - 1.2j), X + 0.5j])
def test_gradients_in_a_complex_number(z):
    """Of Re <seed, f>; a number of Python's gets one of Python's, both parts of it."""

    def f(z):
        return z * z * (1j + np.abs(z) ** 2)

    seed = np.full(np.shape(z), 0.7 + 0.2j)[()]
    _, g = ya.grad(f, z, seed=seed)
    assert type(g["z"]) is type(z)
    for way in (1, 1j):
        h = 1e-6 * way
        slope = (np.conj(seed) * (f(z + h) - f(z - h))).real / 2e-6
        assert np.allclose(np.real(np.conj(g["z"]) * way), slope)


def phased(x, n):
    return x * np.real(special.digamma(1.0 + 2j * n))


def test_a_refusal_of_complex_numbers_is_where_they_are_differentiated():
    assert ya.grad(phased, 1.5, 0.7, wrt="x")[1][0] == phased(1.0, 0.7)
    assert ya.jvp(phased, wrt="x")(1.5, 0.7, 1.0)[1] == phased(1.0, 0.7)
    with pytest.raises(ya.UnsupportedCall, match="is for real numbers"):
        ya.grad(phased, 1.5, 0.7)


def product_of_products(a, b):
    c = a @ b
    d = c * 2j
    e = d @ b
    return np.sum(e.real * e.imag)


def test_no_adjoint_is_conjugated_twice():
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3)) for _ in "ab")
    gradient = ya.simplegrad(product_of_products, a, b)
    assert gradient.source.count("np.conj(") == 4
    value, da, db = gradient(a, b)
    assert value == product_of_products(a, b)
    change = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    for k, d in enumerate((da, db)):
        ends = []
        for step in (1e-6, -1e-6):
            given = [a, b]
            given[k] = given[k] + step * change
            ends.append(product_of_products(*given))
        slope = (ends[0] - ends[1]) / 2e-6
        assert np.isclose(np.vdot(d, change).real, slope, rtol=1e-6)
