"""Second and third derivatives at special points: against closed forms, by every way to
a second derivative."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.linalg

import yota_ast as ya

rng = np.random.default_rng(11)


def along(f, x, v, h=1e-3):
    """The slope of f at x along v: exact, but for rounding, of polynomials of degree
    four."""
    return (8 * (f(x + h * v) - f(x - h * v)) - f(x + 2 * h * v) + f(x - 2 * h * v)) / (
        12 * h
    )


def gradient(f):
    return lambda x: ya.grad(f, x)[1][0]


def nested(f, v):
    """The product of the Hessian and v, as the gradient of a gradient."""

    def slope(x):
        return np.sum(ya.grad(f, x)[1][0] * v)

    return gradient(slope)


def same(got, want, tol=1e-9):
    assert np.shape(got) == np.shape(want)
    scale = max(1.0, np.max(np.abs(want), initial=0))
    np.testing.assert_allclose(got, want, rtol=0, atol=tol * scale)


# ---------------------------------------------------------------- determinants


def minors(A):
    """The second derivatives of the determinant: signed minors."""
    n = len(A)
    found = np.zeros((n, n, n, n))
    for i, j, k, m in itertools.product(range(n), repeat=4):
        if i != k and j != m:
            kept = np.delete(np.delete(A, [i, k], 0), [j, m], 1)
            sign = (-1) ** (i + j + k + m) * (1 if (k > i) == (m > j) else -1)
            found[i, j, k, m] = sign * (np.linalg.det(kept) if n > 2 else 1)
    return found


def det(A):
    return np.linalg.det(A)


def det_of_scipy(A):
    return scipy.linalg.det(A)


MATRICES = {
    "a number": np.array([[2.0]]),
    "zero": np.zeros((1, 1)),
    "identity": np.eye(3),
    "zeros": np.zeros((3, 3)),
    "regular": rng.normal(size=(4, 4)),
    "of rank 1": np.outer([1.0, 2.0, -1.0], [0.5, 3.0, 1.0]),
    "of rank 2": np.arange(16.0).reshape(4, 4),
    "nearly the identity": np.eye(3) + 1e-9 * rng.normal(size=(3, 3)),
    "orthogonal": np.linalg.qr(rng.normal(size=(3, 3)))[0],
    "none": np.zeros((0, 0)),
}


@pytest.mark.parametrize("f", [det, det_of_scipy])
@pytest.mark.parametrize("A", MATRICES.values(), ids=MATRICES)
def test_determinant(f, A):
    want = minors(A)
    same(ya.hessian(f)(A), want)
    v = rng.normal(size=A.shape)
    same(ya.hvp(f)(A, v), np.einsum("ijkm,km", want, v))
    same(nested(f, v)(A), np.einsum("ijkm,km", want, v))


@pytest.mark.parametrize("A", MATRICES.values(), ids=MATRICES)
def test_third_derivative_of_a_determinant(A):
    def penalty(A):
        return np.sum(ya.grad(det, A)[1][0] ** 2)

    v = rng.normal(size=A.shape)
    same(ya.hvp(penalty)(A, v), along(gradient(penalty), A, v), 1e-7)


def test_determinants_of_a_stack_and_of_complex_matrices():
    def squares(A):
        return np.sum(np.linalg.det(A) ** 2)

    A = rng.normal(size=(2, 3, 3))
    A[0], A[1, 0] = np.eye(3), A[1, 1]
    v = rng.normal(size=A.shape)
    same(ya.hvp(squares)(A, v), along(gradient(squares), A, v), 1e-8)

    def of_complex(A):
        return np.abs(np.linalg.det(A * (1 + 2j) + np.eye(3) * 1j)) ** 2

    for f in (of_complex, lambda A: np.real(np.linalg.det(A * (1 + 2j)))):
        same(ya.jvp(f)(A[1], v[1])[1], along(f, A[1], v[1]), 1e-8)
        same(ya.hvp(f)(A[1], v[1]), along(gradient(f), A[1], v[1]), 1e-8)


# ---------------------------------------------------------------- products

FACTORS = {
    "one zero": np.array([2.0, 0.0, 3.0]),
    "two zeros": np.array([0.0, 5.0, 0.0, 2.0]),
    "zeros": np.zeros(3),
    "a row": np.array([[1.0, 0.0], [2.0, 0.0]]),
    "nothing": np.zeros(0),
    "no rows and columns": np.zeros((0, 0)),
}


def product(x):
    return np.prod(x)


def products(x):
    return np.sum(np.prod(x, axis=0) ** 2 + np.prod(x, axis=-1))


@pytest.mark.parametrize("f", [product, products])
@pytest.mark.parametrize("x", FACTORS.values(), ids=FACTORS)
def test_product(f, x):
    def penalty(x):
        return np.sum(ya.grad(f, x)[1][0] ** 3)

    v = rng.normal(size=x.shape)
    for each in (f, penalty):
        want = along(gradient(each), x, v)
        same(ya.hvp(each)(x, v), want, 1e-6)
        same(nested(each, v)(x), want, 1e-6)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("picked", [[], [1], [0, 1, 1]])
def test_product_of_picked_columns(axis, picked):
    def f(x):
        return np.sum(np.prod(x[:, picked], axis=axis) ** 3) + np.sum(x**3)

    x, v = rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    same(ya.hvp(f)(x, v), along(gradient(f), x, v), 1e-6)


# ---------------------------------------------------------------- squares of roots


WEIGHTS = np.array([2.0, -1.0, 0.5, 3.0])


def by_name(x):
    n = np.linalg.norm(x)
    return 3.0 * n**2


def by_two_names(x):
    a = np.linalg.norm(x)
    b = np.linalg.norm(x)
    return a * b


def of_rows(x):
    return np.sum(np.linalg.norm(x.reshape(2, 2), axis=1) ** 2 * WEIGHTS[:2])


def of_columns(x):
    n = np.linalg.norm(x.reshape(2, 2), axis=0, keepdims=True, ord=2)
    return np.sum(WEIGHTS[:2] * np.square(n))


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        r = abs(x[k])
        if k > 1:
            total += r**2
        else:
            total += 2.0 * r * r
    return total


def of_distances(x):
    p = x.reshape(2, 2)
    d = np.linalg.norm(p[:, None] - p[None], axis=-1)
    return np.sum(d**2)


def huber(x):
    n = np.linalg.norm(x)
    return np.where(n < 1.0, n**2, 2.0 * n - 1.0)


def of_a_deviation(x):
    m = x.reshape(2, 2)
    return np.sum(np.std(m, axis=1, ddof=1, keepdims=True) ** 2) + np.std(x) ** 2.0


ROWS = np.kron(np.diag(WEIGHTS[:2]), np.eye(2))
COLUMNS = np.kron(np.eye(2), np.diag(WEIGHTS[:2]))
SPREAD = np.kron(np.eye(2), np.eye(2) - 0.5)
PAIR = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.eye(2))
FOURIER = 4 * np.eye(4)

SQUARES = {  # the function, and half its Hessian, which is the same everywhere
    "norm": (lambda x: np.linalg.norm(x) ** 2, np.eye(4)),
    "norm by ord": (lambda x: np.linalg.norm(x, 2) ** 2.0, np.eye(4)),
    "norm of a matrix": (lambda x: np.linalg.norm(x.reshape(2, 2)) ** 2, np.eye(4)),
    "frobenius": (lambda x: np.linalg.norm(x.reshape(2, 2), "fro") ** 2, np.eye(4)),
    "matrix norm": (
        lambda x: np.linalg.matrix_norm(x.reshape(2, 2)) ** 2,
        np.eye(4),
    ),
    "vector norm": (
        lambda x: np.linalg.vector_norm(x.reshape(2, 2)) ** 2,
        np.eye(4),
    ),
    "norm of scipy": (lambda x: scipy.linalg.norm(x) ** 2, np.eye(4)),
    "by a name": (by_name, 3 * np.eye(4)),
    "by two names": (by_two_names, np.eye(4)),
    "rows": (of_rows, ROWS),
    "columns": (of_columns, COLUMNS),
    "abs": (lambda x: np.sum(np.abs(x) ** 2 * WEIGHTS), np.diag(WEIGHTS)),
    "fabs, power": (lambda x: np.sum(np.power(np.fabs(x), 2)), np.eye(4)),
    "builtin abs, pow": (lambda x: np.sum(pow(abs(x), 2)), np.eye(4)),
    "a loop": (in_a_loop, np.diag([2.0, 2.0, 1.0, 1.0])),
    "spectrum": (lambda x: np.sum(np.abs(np.fft.fft(x)) ** 2), FOURIER),
    "complex": (lambda x: np.sum(np.absolute(x * (1 + 2j)) ** 2), 5 * np.eye(4)),
    "hypot": (lambda x: np.hypot(x[0], x[1]) ** 2, np.diag([1.0, 1.0, 0.0, 0.0])),
    "hypot of math": (
        lambda x: math.hypot(x[0], x[1], x[3]) ** 2,
        np.diag([1.0, 1.0, 0.0, 1.0]),
    ),
    "dist": (lambda x: math.dist(x[:2], x[2:]) ** 2, PAIR),
    "distances": (of_distances, 2 * PAIR),
    "std": (lambda x: np.std(x) ** 2, (np.eye(4) - 0.25) / 4),
    "std by axis": (of_a_deviation, SPREAD + (np.eye(4) - 0.25) / 4),
    "sqrt": (lambda x: np.sum(np.sqrt(x * x) ** 2), np.eye(4)),
    "sqrt of a sum": (lambda x: np.sqrt(np.sum(x**2)) ** 2, np.eye(4)),
    "sqrt of var": (lambda x: np.sqrt(np.var(x)) ** 2, (np.eye(4) - 0.25) / 4),
    "dot of numbers": (lambda x: np.dot(abs(x[0]), abs(x[0])), np.diag([1.0, 0, 0, 0])),
    "huber": (huber, np.eye(4)),
}
POINTS = {
    "zeros": np.zeros(4),
    "ones": np.full(4, 0.25),
    "some": np.array([0.0, 0.3, -0.2, 0.0]),
}


KINK = "no second derivative is known where a root, a norm or a deviation is 0"
BEND = "no second derivative is known where abs is taken of 0"
# Where the rank of x is not known, or the square is written in another way.
OTHERS = ("norm by ord", "a loop", "dot of numbers")


def right_or_refused(call, want):
    """The number, or the refusal of the generated code."""
    try:
        got = call()
    except ValueError as error:
        name, _, message = str(error).partition(": ")
        assert message in (KINK, BEND)
        assert name.endswith(("_grad", "_jvp"))
    else:
        same(got, want)


@pytest.mark.part(4)
@pytest.mark.parametrize("passes", ["", "none"])
@pytest.mark.parametrize("x", POINTS.values(), ids=POINTS)
@pytest.mark.parametrize("name", SQUARES)
def test_square_of_a_root(name, x, passes, monkeypatch):
    f, half = SQUARES[name]
    if passes:
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v = np.array([0.3, -1.0, 0.7, 2.0])

    def turned(x):
        return f(x * 1.0)

    value, g = ya.grad(turned, x)
    assert value == turned(x)
    same(g[0], 2 * half @ x)
    same(ya.jvp(turned)(x, v)[1], v @ (2 * half @ x))
    if name in OTHERS:
        right_or_refused(lambda: ya.hvp(turned)(x, v), 2 * half @ v)
        right_or_refused(lambda: nested(turned, v)(x), 2 * half @ v)
        return
    same(ya.hvp(turned)(x, v), 2 * half @ v)
    same(ya.hessian(turned)(x), 2 * half)
    same(nested(turned, v)(x), 2 * half @ v)


def cube_and_fourth(x):
    n = np.linalg.norm(x)
    return n**3 + n**4


def of_each(x):
    a = np.abs(x)
    return np.sum(a**3 + np.abs(x * 1j) ** 4.0)


def of_each_row(x):
    return np.sum(np.linalg.norm(x.reshape(4, 1), axis=1) ** 3)


@pytest.mark.parametrize("x", POINTS.values(), ids=POINTS)
def test_higher_power_of_a_root(x):
    v, n = np.array([0.3, -1.0, 0.7, 2.0]), np.linalg.norm(x)
    outer = np.outer(x, x)
    cube = 3 * n * np.eye(4) + (3 * outer / n if n else 0)
    for f, want in (
        (cube_and_fourth, cube + 4 * n * n * np.eye(4) + 8 * outer),
        (of_each, np.diag(6 * np.abs(x) + 12 * x**2)),
        (of_each_row, np.diag(6 * np.abs(x))),
    ):
        same(ya.hvp(f)(x, v), want @ v)
        same(ya.hessian(f)(x), want)
        same(nested(f, v)(x), want @ v)


def test_squares_of_distances():
    from scipy.spatial.distance import cdist

    def total(x):
        return np.sum(cdist(x.reshape(2, 1), np.ones((1, 1))) ** 2)

    x, v = np.ones(2), np.array([1.0, 3.0])
    same(ya.hvp(total)(x, v), 2 * v)
    same(nested(total, v)(x), 2 * v)


def test_second_tangent_of_a_square():
    def along_v(x):
        return ya.jvp(bump)(x, np.ones(2))[1]

    def bump(x):
        return np.exp(-(np.linalg.norm(x) ** 2))

    same(ya.jvp(along_v)(np.zeros(2), np.array([1.0, 2.0]))[1], -6.0)


# ---------------------------------------------------------------- kinks

KINKS = {
    "norm": (lambda x: np.linalg.norm(x), np.zeros(3)),
    "norms of rows": (
        lambda x: np.sum(np.linalg.norm(x.reshape(3, 1), axis=1)),
        np.array([1.0, 0.0, 2.0]),
    ),
    "bump": (lambda x: np.exp(-np.linalg.norm(x - 1.0)), np.ones(3)),
    "two factors": (
        lambda x: (3.0 * np.linalg.norm(x)) * np.linalg.norm(2.0 * x),
        np.zeros(3),
    ),
    "vector norm": (lambda x: np.linalg.vector_norm(x, ord=3), np.zeros(3)),
    "hypot": (lambda x: np.hypot(x[0], x[1]), np.array([0.0, 0.0, 1.0])),
    "hypot of math": (lambda x: math.hypot(x[0], x[1], x[2]), np.zeros(3)),
    "sqrt": (lambda x: np.sum(np.sqrt(x)), np.array([0.0, 1.0, 2.0])),
    "sqrt of a square": (lambda x: np.sqrt(np.sum(x**2)), np.zeros(3)),
    "power": (lambda x: np.sum(x**1.5), np.array([0.0, 1.0, 2.0])),
    "cbrt": (lambda x: np.sum(np.cbrt(x)), np.array([0.0, 1.0, 2.0])),
    "std": (lambda x: np.std(x), np.ones(3)),
    "nanstd": (lambda x: np.nanstd(x), np.ones(3)),
    "modulus": (lambda x: np.sum(np.abs(x * (1 + 1j))), np.array([0.0, 1.0, 2.0])),
    "arctan2": (lambda x: np.arctan2(x[0], x[1]), np.array([0.0, 0.0, 1.0])),
    "cosine of abs": (lambda x: np.sum(np.cos(np.abs(x))), np.array([0.0, 1.0, 2.0])),
}


OF_ABS = [KINKS[name][0] for name in ("modulus", "cosine of abs")]


@pytest.mark.parametrize("passes", ["", "none"])
@pytest.mark.parametrize(("f", "x"), KINKS.values(), ids=KINKS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_second_derivative_at_a_kink(f, x, passes, monkeypatch):
    if passes:
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v = np.array([0.3, -1.0, 0.7])

    def slope(x):
        return ya.grad(f, x)[1][0] @ v

    for call, name in (
        (lambda: ya.hvp(f)(x, v), "lambda_grad_jvp"),
        (lambda: ya.hessian(f)(x), "lambda_grad_jvp"),
        (lambda: ya.jvp(slope)(x, v), "slope_jvp"),
        (lambda: ya.grad(slope, x), "slope_grad"),
    ):
        with pytest.raises(ValueError, match="no second derivative") as caught:
            call()
        assert str(caught.value) == f"{name}: {BEND if f in OF_ABS else KINK}"


def near_others(x):
    d = np.linalg.norm(x.reshape(3, 1, 1) - x.reshape(1, 3, 1), axis=-1)
    return np.sum(np.where(d > 0, np.exp(-d), 0.0))


STRAIGHT = {  # what has its second derivative beside kinks, or none that counts
    "abs": (lambda x: np.sum(np.abs(x)), np.zeros((3, 3))),
    "weighed": (lambda x: np.sum(np.abs(x)) * 3.0 + x[1] ** 2, np.diag([0, 2.0, 0])),
    "cube": (lambda x: np.linalg.norm(x[:1]) ** 3, np.zeros((3, 3))),
    "relu": (lambda x: np.sum(np.maximum(x, 0.0)), np.zeros((3, 3))),
    "largest": (lambda x: np.max(x * 2.0), np.zeros((3, 3))),
    "power": (
        lambda x: np.sum(x**2.5) + np.sum(x**0),
        np.diag([0, 3.75, 3.75 * 2**0.5]),
    ),
}


@pytest.mark.parametrize(("f", "want"), STRAIGHT.values(), ids=STRAIGHT)
def test_second_derivative_beside_a_kink(f, want):
    x = np.array([0.0, 1.0, 2.0])
    same(ya.hessian(f)(x), want)


def test_what_is_masked_has_no_kink():
    x, v = np.array([0.0, 1.0, 2.5]), np.array([0.3, -1.0, 0.7])
    same(ya.hvp(near_others)(x, v), along(gradient(near_others), x, v), 1e-7)


# ---------------------------------------------------------------- equal eigenvalues

TURN = np.linalg.qr(rng.normal(size=(3, 3)))[0]
WITH_EQUALS = {
    "identity": np.eye(3),
    "two": np.diag([1.0, 1.0, 2.0]),
    "two but for rounding": TURN @ np.diag([1.0, 2.0, 2.0]) @ TURN.T,
    "distinct": np.diag([1.0, 2.0, 3.0]) + 0.1,
}


def cubes(A):
    return np.sum(np.linalg.eigvalsh(A + A.T) ** 3)


def cubes_of_pair(A):
    w, v = np.linalg.eigh(A + A.T)
    return np.sum(w**3)


def cubes_of_scipy(A):
    return np.sum(scipy.linalg.eigvalsh(A + A.T) ** 3)


def cubes_of_upper(A):
    return np.sum(scipy.linalg.eigh(A + A.T, lower=False, eigvals_only=True) ** 3)


@pytest.mark.parametrize("passes", ["", "none"])
@pytest.mark.parametrize("A", WITH_EQUALS.values(), ids=WITH_EQUALS)
@pytest.mark.parametrize("f", [cubes, cubes_of_pair, cubes_of_scipy, cubes_of_upper])
def test_function_of_eigenvalues(f, A, passes, monkeypatch):
    if passes:
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v = rng.normal(size=A.shape)
    s, ds = A + A.T, v + v.T
    same(ya.jvp(f)(A, v)[1], np.sum(3 * s @ s * ds))
    same(ya.hvp(f)(A, v), 6 * (s @ ds + ds @ s))
    same(np.einsum("ijkm,km", ya.hessian(f)(A), v), 6 * (s @ ds + ds @ s))


SINGULAR = {
    "identity": np.eye(3),
    "tall": np.eye(3)[:, :2],
    "wide of rank 1": np.outer([1.0, 2.0], [1.0, -1.0, 0.5]),
    "zeros": np.zeros((2, 2)),
    "distinct": rng.normal(size=(3, 2)),
}


def fourths(A):
    return np.sum(np.linalg.svdvals(A) ** 4)


def fourths_of_triple(A):
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return np.sum(s**4)


def fourths_of_scipy(A):
    return np.sum(scipy.linalg.svd(A, compute_uv=False) ** 4)


@pytest.mark.parametrize("A", SINGULAR.values(), ids=SINGULAR)
@pytest.mark.parametrize("f", [fourths, fourths_of_triple, fourths_of_scipy])
def test_function_of_singular_values(f, A):
    v = rng.normal(size=A.shape)
    same(ya.hvp(f)(A, v), 4 * (v @ A.T @ A + A @ v.T @ A + A @ A.T @ v))


def test_eigenvalues_of_stacks_and_of_complex_matrices():
    stack = np.stack([np.eye(3), np.diag([1.0, 2.0, 2.0])])
    v = rng.normal(size=stack.shape)

    def squares(A):
        return np.sum(np.linalg.eigvalsh(A + np.swapaxes(A, -1, -2)) ** 2)

    same(ya.hvp(squares)(stack, v), 4 * (v + np.swapaxes(v, -1, -2)))
    same(ya.hvp(lambda A: np.sum(np.linalg.svdvals(A) ** 2))(stack, v), 2 * v)
    z = v[0] + 1j * v[1]
    h = z + z.conj().T

    def of_hermitian(a):
        return np.sum(np.linalg.eigvalsh(np.eye(3) + a * h) ** 3)

    same(ya.hvp(of_hermitian)(0.0, 1.0), 6 * np.real(np.trace(h @ h)))


EQUAL = (
    "no derivative is known here: eigenvalues or singular values are equal, or singular"
    " values are 0"
)


def nuclear(A):
    return np.sum(np.linalg.svdvals(A))


def weighed(A):
    return np.sum(np.linalg.eigvalsh(A) * np.array([1.0, 2.0, 3.0]))


def by_eig(A):
    return np.sum(np.real(np.linalg.eigvals(A) ** 3))


@pytest.mark.parametrize("transform", [ya.jvp, ya.hvp])
def test_a_matrix_with_too_few_eigenvectors(transform):
    with pytest.raises(np.linalg.LinAlgError) as caught:
        transform(by_eig)(np.array([[1.0, 1.0], [0.0, 1.0]]), np.eye(2))
    name = "by_eig_jvp" if transform is ya.jvp else "by_eig_grad_jvp"
    assert str(caught.value) == (
        f"{name}: no derivative is known here: a matrix has fewer eigenvectors than"
        " rows"
    )


def test_a_helper_in_place_names_the_function():
    def nuclear_norm(A):
        return np.linalg.norm(A, "nuc")

    with pytest.raises(np.linalg.LinAlgError) as caught:
        ya.hvp(nuclear_norm)(np.eye(2), np.ones((2, 2)))
    assert str(caught.value).startswith("nuclear_norm_grad_jvp: the gradient needs")


@pytest.mark.parametrize(
    ("f", "A"),
    [(nuclear, np.diag([1.0, 2.0, 0.0])), (weighed, np.eye(3)), (by_eig, np.eye(3))],
)
def test_no_second_derivative_of_equal_values(f, A):
    with pytest.raises(np.linalg.LinAlgError) as caught:
        ya.hvp(f)(A, rng.normal(size=A.shape))
    assert str(caught.value) == f"{f.__name__}_grad_jvp: {EQUAL}"


def test_vectors_of_equal_eigenvalues_have_no_tangent():
    def squared(A):
        w, v = np.linalg.eigh(A)
        return (v * w**2) @ v.T

    A, v = np.diag([1.0, 2.0, 3.0]), rng.normal(size=(3, 3))
    v = v + v.T
    same(ya.jvp(squared)(A, v)[1], A @ v + v @ A)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        ya.jvp(squared)(np.eye(3), v)
    assert str(caught.value) == (
        "squared_jvp: vectors of equal eigenvalues, which may be turned in the space"
        " that they span, have no tangent"
    )


# ---------------------------------------------------------------- powers at 0

EXPONENTS = [0, 1, 2, 3, 0.0, 1.0, 2.0, 3.0]


def power(x, p):
    return x**p


def power_of_math(x, p):
    return math.pow(x, p)


def power_of_numpy(x, p):
    return np.power(x, p)


@pytest.mark.parametrize("passes", ["", "none"])
@pytest.mark.parametrize("n", EXPONENTS, ids=repr)
def test_power_at_0(n, passes, monkeypatch):
    if passes:
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
    want = 2.0 if n == 2 else 0.0
    for f in (power, power_of_math, power_of_numpy, lambda x, p: x**n):
        assert ya.hessian(f)(0.0, n) == ya.hvp(f)(0.0, 1.0, n) == want
        assert (
            ya.jvp(lambda x: ya.jvp(lambda x: f(x, n))(x, 1.0)[1])(0.0, 1.0)[1] == want
        )
    x, v = np.array([0.0, 2.0]), np.array([1.0, 3.0])
    curve = np.array([want, n * (n - 1) * 2.0 ** (n - 2)])
    for p in (n, np.array([n, n])):

        def total(x):
            return np.sum(x**p)

        same(ya.hessian(total)(x), np.diag(curve))
        same(nested(total, v)(x), curve * v)


def test_powers_with_exponents_of_an_array():
    def polynomial(x):
        return np.sum(np.array([1.0, 2.0, 3.0, 4.0]) * x ** np.arange(4))

    assert ya.hessian(polynomial)(0.0) == ya.hvp(polynomial)(0.0, 1.0) == 6.0

    def slope(x):
        return ya.grad(polynomial, x)[1][0]

    assert ya.grad(slope, 0.0)[1][0] == 6.0
    assert ya.hvp(slope)(0.0, 1.0) == 24.0


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0])
def test_second_derivative_in_an_exponent_at_base_0(p):
    assert ya.hessian(lambda p: 0.0**p)(p) == 0.0
    want = 2.0**p * math.log(2.0) ** 2
    same(ya.hessian(lambda p: np.sum(np.array([0.0, 2.0]) ** p))(p), want)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_second_derivatives_in_base_and_exponent():
    def both(z):
        return z[0] ** z[1]

    same(ya.hessian(both)(np.array([0.0, 2.0])), np.array([[2.0, 0.0], [0.0, 0.0]]))
    for p in (0.0, 0.5, 1.0):
        with pytest.raises(ValueError, match="no second derivative") as caught:
            ya.hessian(both)(np.array([0.0, p]))
        assert str(caught.value) == f"both_grad_jvp: {KINK}"
