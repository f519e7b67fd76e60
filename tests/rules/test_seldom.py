"""Arguments that are seldom given: right, or refused, and never a wrong number.

Each of these had a wrong gradient, which calls with random arguments have found.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import yota_ast as ya

RNG = np.random.default_rng(5)
PAIRS = RNG.random((2, 2)), RNG.random((2, 2))
# What NumPy says of vectors of two is not the matter here.
pytestmark = pytest.mark.filterwarnings("ignore:Arrays of 2-dim:DeprecationWarning")


def crosses_pairs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(np.cross([1.0, 2.0], [3.0, 4.0]))
        except ValueError:
            return False


of_pairs = pytest.mark.skipif(
    not crosses_pairs(),
    reason="cross products of vectors of two, which NumPy 2.5 no longer has",
)


def crossed(u, v):
    return np.sum(np.cos(np.cross(u, v)))


@pytest.mark.parametrize(
    ("u", "v"),
    [
        pytest.param(*PAIRS, marks=of_pairs),
        pytest.param(RNG.random(2), RNG.random(2), marks=of_pairs),
        pytest.param(RNG.random((2, 2, 2)), RNG.random((2, 2, 2)), marks=of_pairs),
        pytest.param(RNG.random((4, 2)), RNG.random(2), marks=of_pairs),
        (RNG.random((5, 3)), RNG.random(3)),
    ],
)
def test_cross_products_of_pairs_and_of_vectors_of_three(u, v):
    assert ya.grad(crossed, u, v)[0] == crossed(u, v)
    assert ya.gradcheck(crossed, u, v)


def triangle(a, b, c):
    return abs(np.cross(b - a, c - a)) / 2


@of_pairs
def test_the_text_of_a_cross_product_of_pairs():
    text = ya.simplegrad(triangle, *RNG.random((3, 2))).source
    assert "t3 = t1[0] * t2[1] - t1[1] * t2[0]" in text
    assert "made for b.shape[0] = 2" in text


def squared(a, b):
    return np.sum(np.cross(a, b) ** 2)


@of_pairs
def test_cross_products_one_after_the_other():
    for n in (2, 3, 2):
        a, b = RNG.random((2, n))
        assert ya.gradcheck(squared, a, b)


def of_lists(a, b, c, d):
    return np.cross([a, b], [c, d]) ** 2


@of_pairs
def test_cross_products_of_lists_of_two():
    assert ya.gradcheck(of_lists, 0.1, 0.2, 0.3, 0.4)


@pytest.mark.skipif(crosses_pairs(), reason="that NumPy 2.5 refuses vectors of two")
def test_pairs_are_refused_where_numpy_refuses_them():
    with pytest.raises(ValueError, match=r"must be .* 3-dimensional vectors"):
        ya.grad(crossed, *PAIRS)


@of_pairs
def test_vectors_of_unknown_length_are_no_pairs():
    """The text made without examples asks how long they are."""
    text = ya.simplegrad(squared)
    a, b = RNG.random((2, 2, 3))
    np.testing.assert_allclose(text(a, b)[1], ya.grad(squared, a, b)[1][0])
    with pytest.raises(ValueError, match="cross product needs vectors of length 3"):
        text(*PAIRS)


def polynomial(p, x):
    return np.sum(np.cos(np.polyval(p, x)))


@pytest.mark.parametrize("shape", [(2,), (4, 2), ()])
def test_coefficients_that_are_rows(shape):
    p, x = RNG.random((3, 2)), np.asarray(RNG.random(shape))
    assert ya.grad(polynomial, p, x)[0] == polynomial(p, x)
    assert ya.gradcheck(polynomial, p, x)


def polynomial_of_a_list(a, b, c, x):
    return np.sum(np.cos(np.polyval(p=[a, b, c], x=x)))


def test_coefficients_that_are_a_list_of_arrays():
    assert ya.gradcheck(polynomial_of_a_list, *RNG.random((4, 2)))


@pytest.mark.parametrize("wrt", ["p", "x"])
def test_rows_of_an_unknown_rank_are_refused(wrt):
    """The slope in x was a wrong number: np.polyder is for one polynomial too."""
    text = ya.simplegrad(polynomial, wrt=wrt)
    with pytest.raises(ValueError, match="needs one polynomial, not rows of them"):
        text(RNG.random((3, 2)), RNG.random(2))
    p, x = RNG.random(3), RNG.random(2)
    wanted = ya.grad(polynomial, p, x, wrt=[wrt])[1][wrt]
    np.testing.assert_allclose(text(p, x)[1], wanted)


def test_the_coefficients_of_one_polynomial_are_not_checked():
    text = ya.simplegrad(polynomial, RNG.random(3), RNG.random(2)).source
    assert "np.ndim(p)" not in text


def mesh(x, y):
    u, v = np.ix_(x, y)
    return np.sum(np.sin(u * v) + u)


def test_an_open_mesh_of_floats():
    assert ya.gradcheck(mesh, RNG.random(2), RNG.random(3))


def part_by_index(x):
    return np.sum(x[np.ix_([0, 2], [1, 0])] ** 2)


def test_an_open_mesh_of_indices():
    assert ya.gradcheck(part_by_index, RNG.random((3, 2)))


def assembled(k):
    whole = np.zeros((4, 4))
    for nodes in ([0, 1], [1, 3], [3, 2]):
        whole[np.ix_(nodes, nodes)] += k
    return np.sum(whole**2 * np.arange(16.0).reshape(4, 4))


def test_a_matrix_assembled_of_parts():
    assert ya.gradcheck(assembled, RNG.random((2, 2)))


def mesh_of_a_list(x):
    return np.sum(np.ix_([x[0], x[1]], [1, 2])[0] ** 2)


def test_an_open_mesh_of_a_list_of_floats_is_refused():
    with pytest.raises(ya.NoRule, match="it is for arrays, not lists"):
        ya.grad(mesh_of_a_list, RNG.random(2))


def several(x, y):
    return np.sum(np.linalg.multi_dot((x, y)) ** 2)


def test_stacks_in_multi_dot_are_refused():
    with pytest.raises(ValueError, match="multi_dot needs matrices or vectors"):
        ya.grad(several, RNG.random((2, 2, 2)), RNG.random((2, 2, 2)))


class TestOfSciPy:
    @pytest.fixture(autouse=True)
    def scipy(self):
        pytest.importorskip("scipy")

    def test_zeta_below_one(self):
        def f(x):
            from scipy import special

            return special.zeta(x) + special.zetac(x) ** 2

        for x in (0.05, 0.4, 0.95, 1.3, 4.0):
            assert ya.gradcheck(f, x)
        with pytest.raises(ValueError, match="the gradient of zeta is known for"):
            ya.grad(f, -0.4)

    def test_no_smoothing(self):
        def f(x):
            from scipy import ndimage

            plain = ndimage.gaussian_filter(x, 0)
            return np.sum(plain**3 + ndimage.gaussian_filter(x, [0, 1.0]) ** 2)

        assert ya.gradcheck(f, RNG.random((4, 5)))

    @pytest.mark.parametrize("seed", range(4))
    def test_logarithms_that_turn_complex(self, seed):
        """Of eigenvalues of both signs, on either side of the cut."""

        def f(x):
            from scipy import linalg

            z = linalg.logm(x)
            return np.sum(np.real(z) * np.cos(x)) + np.sum(np.imag(z) ** 2 * x)

        x = np.random.default_rng(seed).normal(size=(3, 3)) * 2
        assert ya.gradcheck(f, x)
        assert ya.gradcheck(f, -x @ x.T - np.diag([0.3, 0.2, 0.4]))

    def test_polar_of_wide_matrices(self):
        def f(x):
            from scipy import linalg

            return np.sum(linalg.polar(x)[0] ** 3)

        assert ya.gradcheck(f, RNG.random((3, 2)))
        with pytest.raises(ValueError, match="polar needs a matrix of full column"):
            ya.grad(f, RNG.random((2, 3)))

    @pytest.mark.parametrize("solver", ["solve_continuous_are", "solve_discrete_are"])
    def test_riccati_equations_of_numbers(self, solver):
        def f(a, b, q, r):
            from scipy import linalg

            return np.sum(getattr(linalg, solver)(a, b, q, r) ** 2)

        assert ya.gradcheck(f, 0.4, 0.7, 1.5, 0.8)
        assert ya.gradcheck(f, *(np.full((1, 1), n) for n in (0.4, 0.7, 1.5, 0.8)))

    def test_responses_of_several_filters(self):
        def f(b):
            from scipy import signal

            return np.sum(np.abs(signal.freqz(b, 1, 4)[1]))

        with pytest.raises(ValueError, match="coefficients along one axis"):
            ya.grad(f, np.ones((3, 1)))


class TestCorrelatedDraws:
    COV = np.array([[2.0, 1.0], [1.0, 3.0]])

    def test_the_mean_moves_each_draw(self):
        def drawn(mean, kind):
            rng = getattr(np.random, kind)(3)
            return np.sum(rng.multivariate_normal(mean, self.COV, (2, 2)) ** 3)

        assert ya.gradcheck(lambda m: drawn(m, "RandomState"), RNG.random(2))
        assert ya.gradcheck(lambda m: drawn([m, m * m], "default_rng"), 0.4)


def of_spacings(d):
    return np.sum(np.fft.fftfreq(2, d) * np.array([1.0, 2.0]))


def of_real_spacings(d):
    return np.sum(np.fft.rfftfreq(3, d) * np.array([1.0, 2.0]))


@pytest.mark.parametrize("f", [of_spacings, of_real_spacings])
def test_frequencies_of_an_array_of_spacings(f):
    assert ya.gradcheck(f, np.array([0.3, 0.7]))
    assert ya.gradcheck(f, 0.3)


def polynomial_of_unknown(a, b, x):
    return np.polyval([a, b, a], x) + np.sum(np.polyder([a, b, a])) * x


def test_a_list_of_coefficients_without_examples():
    """`np.polyder([a, b])` was refused where nothing is known of a and b."""
    text = ya.simplegrad(polynomial_of_unknown)
    wanted = ya.grad(polynomial_of_unknown, 1.0, 2.0, 3.0)[1]
    assert text(1.0, 2.0, 3.0)[1:] == tuple(wanted)
    with pytest.raises(ValueError, match="needs one polynomial, not rows of them"):
        text(np.ones(2), np.ones(2), 3.0)
