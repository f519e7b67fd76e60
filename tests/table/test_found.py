"""What the table has found: each was wrong, or was refused for no reason."""

import numpy as np
import pytest
from scipy import linalg, special
from scipy.spatial import distance

import yota_ast as ya

W, V, TWO = np.ones((4, 6)), np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0])


def of_parts(x):
    return np.sum(TWO * x[:2] ** 2)


def reshaped(x, n):
    return np.sum(W * x.reshape(n, 6) ** 3)


def filled(x, n):
    return np.sum(V * np.full(n, x) ** 3)


def appended(x, a):
    return np.sum(np.append(x, a) ** 3 * np.arange(1.0, 6.0))


def joined(x, a):
    return np.sum(np.concatenate([x[:1], x, [a]], axis=None) ** 3)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (of_parts, (V,)),
        (reshaped, (np.linspace(0.1, 1.0, 24), 4)),
        (filled, (0.7, 3)),
        (appended, (np.array([0.1, 0.2, 0.3, 0.4]), 2.0)),
        (joined, (V, 2.0)),
    ],
)
def test_nested_lengths_that_no_argument_has(f, args):
    """Arrays beside them, of lengths that are not those of arguments; parts of several
    shapes."""

    def slope(x, *rest):
        return np.sum(ya.value_and_grad(f)(x, *rest)[1])

    _, g = ya.grad(slope, *args, wrt=[0])
    product = ya.hvp(f)(args[0], np.ones(np.shape(args[0])), *args[1:])
    np.testing.assert_allclose(g[0], product)
    assert ya.gradcheck(slope, *args)


def quotient(u, v):
    return np.polydiv(u, v)


def unique(u):
    return np.unique(u, True, True, True)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (quotient, (np.array([1.0, 3.0, 2.0, 0.5]), np.array([2.0, 1.0]))),
        (unique, (np.array([3.0, 1.0, 3.0]),)),
    ],
)
def test_several_results_where_no_rank_is_known(f, args):
    """Their seed was compared as if they were one array."""
    value = f(*args)
    seed = tuple(np.ones(np.shape(v)) for v in value)
    found = ya.simplegrad(f).fn(*args, seed=seed)
    _, g = ya.grad(f, *args, seed=seed)
    for k, d in enumerate(found[1:]):
        np.testing.assert_allclose(d, g[k])


def energy(z):
    return np.sum(np.abs(z) ** 4)


def test_a_real_function_of_complex_numbers_needs_no_seed():
    z, v = np.array([1 + 2j, 0.3j]), np.array([0.5, 1 - 1j])
    slope = 4 * np.abs(z) ** 2 * z
    np.testing.assert_allclose(ya.grad(energy, z)[1][0], slope)
    np.testing.assert_allclose(ya.value_and_grad(energy)(z)[1], slope)
    product = 4 * np.abs(z) ** 2 * v + 8 * np.real(np.conj(z) * v) * z
    np.testing.assert_allclose(ya.hvp(energy)(z, v), product)
    with pytest.raises(ya.ShapeError, match="a seed is needed"):
        ya.grad(lambda z: np.sum(z * z), z)


def test_a_value_that_may_be_complex_needs_one():
    with pytest.raises(ya.ShapeError) as caught:
        ya.grad(lambda z: z[0] if np.abs(z[0]) > 0 else 1.0, np.array([1j]))
    assert caught.value.diagnostic == (
        "ShapeError: lambda takes or gives complex numbers: a seed is needed\n"
        "Pass `seed=1.0`, or another cotangent of the value."
    )


def test_the_tangent_of_a_large_exponential():
    """It was nan: the blocks of a larger matrix overflowed."""

    def f(x):
        return linalg.expm_frechet(x, x)

    x = np.array([[24.0, -6.0, -7.0], [-6.0, 4.0, 0.5], [-7.0, 0.5, 6.0]])
    v, h = np.arange(9.0).reshape(3, 3) / 10, 1e-5
    change = (f(x + h * v)[1] - f(x - h * v)[1]) / (2 * h)
    np.testing.assert_allclose(ya.jvp(f)(x, v)[1][1], change, rtol=1e-6)


def test_distances_of_pairs_have_tangents():
    def f(x):
        return np.sum(distance.pdist(x) ** 3)

    x = np.array([[0.0, 1.0], [2.0, 0.5], [1.0, 3.0]])
    v = np.array([[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]])
    assert ya.jvp(f)(x, v)[1] == pytest.approx(np.sum(ya.grad(f, x)[1][0] * v))
    ends = [ya.grad(f, x + h * v)[1][0] for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(
        ya.hvp(f)(x, v), (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("name", ["jn", "yn", "in", "kn"])
def test_slopes_of_spherical_functions(name, n):
    fn = getattr(special, f"spherical_{name}")

    def f(x):
        return np.sum(fn(n, x))

    x, h = np.array([0.7, 2.5]), 1e-5
    change = (fn(n, x + h, True) - fn(n, x - h, True)) / (2 * h)
    np.testing.assert_allclose(ya.hvp(f)(x, np.ones(2)), change, rtol=1e-7)


def test_the_second_derivative_of_a_spherical_function_at_0():
    assert ya.hvp(lambda x: special.spherical_jn(0, x))(0.0, 1.0) == pytest.approx(
        -1 / 3
    )


def test_a_slope_of_the_gamma_function_is_for_real_numbers():
    """SciPy has no polygamma of complex ones, and said so at the call."""

    def slope(z):
        _, d = ya.value_and_grad(reciprocal)(z)
        return np.sum(np.abs(d))

    def reciprocal(z):
        return np.sum(np.abs(special.rgamma(z)))

    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.grad(slope, np.array([0.5 + 1j]))
    assert caught.value.reason == (
        "the rule of `rgamma_slope` is for real numbers: `x` is complex"
    )


MATRIX = np.array([[1.0, 2.0, 0.3], [-2.0, 1.5, 0.2], [0.4, 0.5, 6.0]])


def inverted(x):
    return np.sum(np.abs(np.linalg.inv(np.emath.sqrt(x))) ** 2)


def on_the_diagonal(x):
    w = np.emath.sqrt(x)
    return np.sum(np.imag(np.diagonal(w @ w)) ** 3)


def solved(x):
    _, v = np.linalg.eig(x)
    return np.sum(np.abs(np.linalg.solve(v, v * (1 + x))) ** 2)


def of_vectors(x):
    _, v = np.linalg.eig(x)
    return np.sum(np.abs(v) ** 4)


@pytest.mark.parametrize("f", [inverted, on_the_diagonal, solved, of_vectors])
@pytest.mark.parametrize("x", [MATRIX, np.abs(MATRIX)], ids=["complex", "real"])
def test_what_may_be_complex_is_not_taken_for_real(f, x):
    """Of roots and eigenvectors the numbers decide; functions of them were taken for
    real, and tangents were not conjugated."""
    v, u, h = (
        np.arange(9.0).reshape(3, 3) / 9,
        np.cos(np.arange(9.0)).reshape(3, 3),
        1e-5,
    )
    slope = ya.grad(f, x)[1][0]
    assert ya.jvp(f)(x, v)[1] == pytest.approx(
        (f(x + h * v) - f(x - h * v)) / (2 * h), rel=1e-6, abs=1e-8
    )
    assert np.sum(slope * v) == pytest.approx(ya.jvp(f)(x, v)[1], abs=1e-10)
    ends = [np.sum(ya.grad(f, x + s * v)[1][0] * u) for s in (h, -h)]
    product = np.sum(ya.hvp(f)(x, v) * u)
    assert product == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-7)
    assert product == pytest.approx(np.sum(ya.hvp(f)(x, u) * v), abs=1e-10)


def squared(z):
    return (z * z).real


def test_code_made_for_a_complex_number_asks_for_one():
    function = ya.simplegrad(squared, 1 + 2j).fn
    assert function(1 + 2j) == (-3.0, 2 - 4j)
    with pytest.raises(ValueError, match="made for") as caught:
        function(3.0)
    assert str(caught.value) == "squared_grad: made for a complex number z"
