"""Sparse matrices whose entries depend on the arguments: programs of those who solve
partial differential equations, in every mode, against differences."""

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import sparse
from scipy.sparse.linalg import factorized, splu, spsolve

import yota_ast as ya

N = 5
LAPLACIAN = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(N, N)).tocsr()
SLOPES = sparse.diags([-1.0, 1.0], [0, 1], shape=(N - 1, N)).tocsr()
ROWS = np.array([0, 1, 2, 3, 4, 0, 2])
COLS = np.array([0, 1, 2, 3, 4, 1, 1])
WEIGHTS = np.array([1.3, 1.9, 1.1, 1.6, 1.4, 0.7, 0.4])
FIELD = np.array([0.8, 0.3, 0.9, 0.5, 0.6])
STATE = np.array([0.2, 0.9, 0.4, 0.7, 0.1])
COLUMNS = np.outer(STATE, [1.0, 0.5]) + 0.1


def implicit_heat(rate, u):
    A = (sparse.eye(N) - 0.1 * rate * LAPLACIAN).tocsc()
    for _ in range(3):
        u = spsolve(A, u)
    return np.sum(u**2)


def explicit_heat(rate, u):
    A = sparse.eye(N) + rate * LAPLACIAN  # of a diagonal that is 0 at rate = 0.5
    for _ in range(2):
        u = A @ u
    return np.sum(u**2)


def heat_of_a_changing_rate(rate, u):
    for k in range(3):
        A = sparse.eye(N) - 0.1 * rate * (1 + k) * LAPLACIAN
        u = spsolve(A.tocsc(), u) + 0.1 * (A @ u)
    return np.sum(u**2)


def nonlinear_heat(field, u):
    for _ in range(3):
        A = sparse.eye(N) - 0.1 * (sparse.diags(field * u) @ LAPLACIAN)
        u = spsolve(A.tocsc(), u)
    return np.sum(u**2)


def poisson(field, b):
    K = SLOPES.T @ sparse.diags(field[1:]) @ SLOPES + sparse.eye(N)
    return np.sum(spsolve(K.tocsc(), b) ** 2)


def rates_that_are_zero(field, u):
    rates = field * np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    A = sparse.eye(N) - sparse.diags(rates) @ LAPLACIAN
    return np.sum(spsolve(A.tocsc(), u) ** 2)


def tridiagonal(below, on, above, b):
    A = sparse.diags([below, on + 2.0, above], [-1, 0, 1], format="csc")
    return np.sum(spsolve(A, b) ** 3)


def of_numbers(a, b):
    A = sparse.diags([a, b, a], [-1, 0, 1], shape=(N, N))
    return np.sum((A @ STATE) ** 2)


def assembled(weights, b):
    A = sparse.coo_matrix((weights, (ROWS, COLS)), shape=(N, N)).tocsc()
    return np.sum(spsolve(A, b) ** 2)


def finite_elements(field):
    local = np.array([[1.0, -1.0], [-1.0, 1.0]])
    data = np.concatenate([field[k] * local.ravel() for k in range(N - 1)])
    rows = np.concatenate([[k, k, k + 1, k + 1] for k in range(N - 1)])
    cols = np.concatenate([[k, k + 1, k, k + 1] for k in range(N - 1)])
    K = sparse.csr_matrix((data, (rows, cols)), shape=(N, N)) + sparse.eye(N)
    return STATE @ spsolve(K.tocsc(), STATE)


def graph_laplacian(weights):
    W = sparse.coo_matrix((weights, (ROWS, COLS)), shape=(N, N))
    W = W + W.T
    A = sparse.diags(W @ np.ones(N)) - W
    return np.sum((A @ STATE) ** 2)


def by_rows(weights, x):
    of_ones = sparse.csr_matrix((np.ones(7), (ROWS, COLS)), shape=(N, N))
    A = sparse.csr_matrix((weights, of_ones.indices, of_ones.indptr), shape=(N, N))
    B = sparse.csc_matrix((weights, of_ones.indices, of_ones.indptr), shape=(N, N))
    return np.sum((A @ x) ** 2) + np.sum((B.T @ x) ** 3)


def of_an_array(x):
    A = sparse.csr_matrix(np.outer(x, x) + np.eye(N))
    return np.sum((A @ x) ** 2)


def factors(weights, b):
    lu = splu(sparse.csc_matrix((weights, (ROWS, COLS)), shape=(N, N)))
    for _ in range(3):
        b = lu.solve(b) + 0.1 * b
    return np.sum(b**2) + np.sum(lu.solve(b, "T"))


def columns(weights, x):
    A = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
    return np.sum((A @ x) ** 2) + np.sum((x.T @ A) ** 2)


def systems(weights, b):
    A = sparse.csc_matrix((weights, (ROWS, COLS)), shape=(N, N))
    return np.sum(spsolve(A, b) ** 2) + np.sum(splu(A).solve(b) ** 3)


def as_arrays(weights):
    A = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
    parts = np.sum(A.diagonal() ** 3) + np.sum(A.diagonal(1) ** 2)
    return np.sum(A.toarray() ** 2) + parts + np.sum(A.diagonal(-1) ** 2)


def of_the_newer_kind(weights, x):
    A = sparse.csr_array((weights, (ROWS, COLS)), shape=(N, N))
    return np.sum(((2 * A) @ x) ** 2) + np.sum((x @ A) ** 2)


def products_by_a_star(c, x):
    A = (c * LAPLACIAN + sparse.eye(N)) * 2.0
    return np.sum((A * x) ** 2) + np.sum((x * A) ** 2)


def by_dot(weights, x):
    A = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
    return np.sum(A.dot(x) ** 2) + np.sum(A.T.dot(x) ** 3) + x @ (A @ x)


def products_of_both(a, b, x):
    A = a * LAPLACIAN + b * sparse.eye(N)
    return np.sum((A @ A @ x) ** 2) + np.sum(A.T @ (A @ x)) + np.sum((A - A.T / b) @ x)


def in_an_arm(c, x):
    A = c * LAPLACIAN
    if c > 0:
        A = A + sparse.eye(N)
    else:
        A = sparse.eye(N) - A
    return np.sum((A @ x) ** 2)


def in_a_list(field, x):
    for A in [k * sparse.diags(field) + LAPLACIAN for k in range(3)]:
        x = A @ x
    return np.sum(x**2)


def as_a_sum(weights, x):
    A = sum(weights[k] * LAPLACIAN for k in range(3))
    return np.sum((A @ x) ** 2)


def under_two_names(weights, x):
    A = B = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
    A += sparse.eye(N)
    return np.sum((A @ x) ** 2) + np.sum((B @ x) ** 3)


def written_behind_it(weights, x):
    data = 1.0 * weights
    A = sparse.coo_matrix((data, (ROWS, COLS)), shape=(N, N))
    y = A @ x
    data *= 2.0
    return np.sum(y**2) + np.sum(data)


def sums(weights):
    A = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
    rows, cols = np.asarray(A.sum(axis=1)).ravel(), A.sum(axis=0).A1
    newer = sparse.csr_array((weights, (ROWS, COLS)), shape=(N, N))
    both = newer.sum(axis=0) ** 2 + newer.sum(axis=1) ** 3
    return A.sum() ** 2 + np.sum(rows**2) + np.sum(cols**3) + np.sum(both)


def elementwise(weights, x):
    A = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
    B = A.multiply(x[:, None]) + A.multiply(A) + A.multiply(2.0 + x[0])
    return np.sum((B @ x) ** 2) + np.sum(A.multiply(LAPLACIAN) @ x)


def by_stored_diagonals(weights, x):
    stored = np.array([weights[:N], weights[2:]])
    A = sparse.spdiags(stored, [0, 1], N, N)
    B = sparse.dia_matrix((stored, [0, -1]), shape=(N, N))
    return np.sum((A @ x) ** 2) + np.sum((B @ x) ** 3)


def factorized_once(weights, b):
    solve = factorized(sparse.csc_matrix((weights, (ROWS, COLS)), shape=(N, N)))
    constant = factorized((sparse.eye(N) - LAPLACIAN).tocsc())
    return np.sum(constant(solve(solve(b))) ** 2)


def one_column(weights, b):
    A = sparse.csc_matrix((weights, (ROWS, COLS)), shape=(N, N))
    return np.sum(spsolve(A, b[:, None]) ** 2) + np.sum((A @ b[:, None]) ** 3)


def asked_what_it_is(weights, x):
    A = sparse.csc_matrix((weights, (ROWS, COLS)), shape=(N, N))
    if sparse.issparse(A) and A.format == "csc" and A.ndim == 2 and A.nnz > 2:
        return np.sum((A @ x) ** 2) * A.shape[0]
    return 0.0


class Stepper:
    def __init__(self, field):
        self.A = sparse.eye(N) - 0.1 * (sparse.diags(field) @ LAPLACIAN)
        self.lu = splu(self.A.tocsc())

    def step(self, u):
        return self.lu.solve(u)


def of_an_object(field, u):
    stepper = Stepper(field)
    for _ in range(3):
        u = stepper.step(u)
    return np.sum(u**2) + np.sum(stepper.A @ u)


PROGRAMS = [
    (implicit_heat, 0.7, STATE), (explicit_heat, 0.5, STATE),
    (heat_of_a_changing_rate, 0.7, STATE), (nonlinear_heat, FIELD, STATE),
    (poisson, FIELD, STATE), (rates_that_are_zero, FIELD, STATE),
    (tridiagonal, FIELD[1:], FIELD, STATE[1:], STATE), (of_numbers, 0.3, 0.9),
    (assembled, WEIGHTS, STATE), (finite_elements, FIELD), (graph_laplacian, WEIGHTS),
    (by_rows, WEIGHTS, STATE), (of_an_array, FIELD), (factors, WEIGHTS, STATE),
    (columns, WEIGHTS, COLUMNS), (systems, WEIGHTS, COLUMNS), (as_arrays, WEIGHTS),
    (of_the_newer_kind, WEIGHTS, STATE), (products_by_a_star, 0.7, STATE),
    (by_dot, WEIGHTS, STATE), (products_of_both, 0.3, 0.4, STATE),
    (in_an_arm, 0.4, STATE), (in_an_arm, -0.4, STATE), (in_a_list, FIELD, STATE),
    (as_a_sum, WEIGHTS, STATE), (under_two_names, WEIGHTS, STATE),
    (sums, WEIGHTS), (elementwise, WEIGHTS, STATE),
    (by_stored_diagonals, WEIGHTS, STATE), (factorized_once, WEIGHTS, STATE),
    (one_column, WEIGHTS, STATE), (asked_what_it_is, WEIGHTS, STATE),
    (written_behind_it, WEIGHTS, STATE), (of_an_object, FIELD, STATE),
]  # fmt: skip
NAMES = [fn.__name__ for fn, *_ in PROGRAMS]


def slopes(f, args, k, h=1e-6):
    """The slopes of f in one of its arguments, by differences."""
    x = np.asarray(args[k], float)
    made = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * h
            given = moved if x.shape else float(moved)
            ends.append(f(*args[:k], given, *args[k + 1 :]))
        made[place] = (ends[0] - ends[1]) / (2 * h)
    return made


@pytest.mark.parametrize(("fn", "args"), [(f, a) for f, *a in PROGRAMS], ids=NAMES)
def test_programs(fn, args):
    value, gradients = ya.grad(fn, *args)
    assert value == fn(*args)
    for k in range(len(args)):
        expected = slopes(fn, args, k)
        np.testing.assert_allclose(gradients[k], expected, rtol=1e-6, atol=1e-8)
    along = [np.cos(1.0 + np.asarray(a))[()] for a in args]
    along = [v if np.ndim(v) else float(v) for v in along]
    total = sum(np.sum(gradients[k] * v) for k, v in enumerate(along))
    assert np.isclose(ya.jvp(fn)(*args, *along)[1], total, rtol=1e-10)
    rest = args[1:]
    curve = ya.hvp(fn)(args[0], along[0], *rest)
    ends = [
        np.asarray(ya.grad(fn, args[0] + h * along[0], *rest)[1][0])
        for h in (1e-5, -1e-5)
    ]
    np.testing.assert_allclose(curve, (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("fn", "args"), [(f, a) for f, *a in PROGRAMS], ids=NAMES)
def test_code_for_other_arguments(fn, args, passes, monkeypatch):
    others = [1.1 * a + 0.03 for a in args]
    expected = ya.grad(fn, *others)[1]
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for fast in (False, True):
        found = ya.simplegrad(fn, *args, fast=fast)(*others)
        for k in range(len(args)):
            np.testing.assert_allclose(found[k + 1], expected[k], rtol=1e-9, atol=1e-12)


def test_the_code_is_that_of_an_expert():
    source = ya.simplegrad(implicit_heat, 0.7, STATE).source
    assert "A = (sparse.eye(N) - 0.1 * rate * LAPLACIAN).tocsc()" in source
    assert "du = sparse.linalg.spsolve(A.T, du)" in source
    assert "ddata -= du[rows] * u[cols]" in source
    assert "drate = -0.1 * np.vdot(ddata, values)" in source
    assert "of_vector" not in source


def test_what_its_memory_is_written_behind_is_refused():
    def changed(weights, x):
        data = 1.0 * weights
        A = sparse.coo_matrix((data, (ROWS, COLS)), shape=(N, N))
        data[0] = 5.0
        return np.sum(A @ x)

    with pytest.raises(ya.UnsupportedSyntax, match="`A` may share memory"):
        ya.grad(changed, WEIGHTS, STATE)


def test_scaling_in_place_is_refused():
    def scaled(weights, x):
        A = B = sparse.csr_matrix((weights, (ROWS, COLS)), shape=(N, N))
        A *= 2.0
        return np.sum(B @ x)

    with pytest.raises(ya.UnsupportedCall, match=r"Make a new matrix: A = A \* c"):
        ya.grad(scaled, WEIGHTS, STATE)


def test_directions_at_once():
    """Places that are arrays of a module are no slices."""
    curve = ya.hessian(explicit_heat, wrt="u")(0.4, STATE)
    assert np.allclose(curve, curve.T)
    curve = ya.hessian(columns)(WEIGHTS, COLUMNS)
    assert np.allclose(curve, curve.T)


def reads_its_data(A):
    return np.sum(A.data**2)


def reads_an_entry(A):
    return A[0, 0]


def writes_an_entry(A):
    A[0, 0] = 3.0
    return A.sum()


def takes_its_absolute_values(A):
    return abs(A).sum()


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (reads_its_data, "`data` of a csr_matrix is not supported"),
        (reads_an_entry, "csr_matrix"),
        (writes_an_entry, "this item of a csr_matrix cannot be assigned"),
        (takes_its_absolute_values, "csr_matrix"),
        (lambda A: A, "csr_matrix, made in the function, is passed on or returned"),
    ],
)
def test_what_has_no_model_is_refused(fn, words):
    with pytest.raises((ya.UnsupportedCall, ya.UnsupportedSyntax), match=words):
        ya.grad(lambda w: fn(sparse.csr_matrix((w, (ROWS, COLS)))), WEIGHTS)


FAR, NEAR = np.array([0, 1, 2], np.int32), np.array([0, 1, 2], np.int32)
ELSEWHERE = sparse.csr_matrix(
    (np.array([2.0, 3.0, 4.0]), ([32768, 1, 2], [0, 1, 2])), shape=(2**17, 2**17)
)
OF_BYTES = np.array([255, 0, 3], np.uint8), np.array([0, 1, 3], np.uint8)


def products_of_a_large_matrix(d):
    A = sparse.csr_matrix((d, (FAR, NEAR)), shape=ELSEWHERE.shape)
    return A.multiply(ELSEWHERE).sum()


def diagonal_by_places_of_8_bits(d):
    A = sparse.csr_matrix((d, OF_BYTES), shape=(256, 256))
    return np.sum((A.diagonal(1) + 1.0) ** 2)


@pytest.mark.parametrize(
    ("fn", "wanted"),
    [
        (products_of_a_large_matrix, [0.0, 3.0, 4.0]),
        (diagonal_by_places_of_8_bits, [0.0, 6.0, 0.0]),
    ],
)
def test_places_are_told_apart_however_few_bits_they_have(fn, wanted):
    d = np.arange(1.0, 4.0)
    np.testing.assert_allclose(ya.grad(fn, d)[1][0], wanted)
    slopes = [ya.jvp(fn)(d, e)[1] for e in np.eye(3)]
    np.testing.assert_allclose(slopes, wanted)


AT, X = (np.array([0, 1, 2]), np.array([0, 2, 1])), np.array([1.0, 2.0, 3.0])


def matrix_of(d):
    return sparse.csr_matrix((d, AT), shape=(3, 3))


def product_that_is_returned(d):
    return matrix_of(d) @ X


def solution_that_is_returned(d):
    return spsolve(matrix_of(d).tocsc(), X)


def sum_that_is_returned(d):
    return matrix_of(d).sum()


def product_that_an_arm_returns(d):
    if d[0] > 0:
        return matrix_of(d) @ X
    return d * 2


def product_in_an_arm(d):
    y = d
    for k in range(3):
        if k > 1:
            y = matrix_of(y) @ X
        else:
            y = y * y
    return y


def product_before_an_arm(d):
    y = matrix_of(d) @ X
    if d[1] > 0:
        y = y * 2
    return y


def product_that_is_written(d):
    y = matrix_of(d) @ X
    z = y
    z *= d
    y[0] = d[1]
    return y * z


@pytest.mark.parametrize(
    "fn",
    [
        product_that_is_returned,
        solution_that_is_returned,
        sum_that_is_returned,
        product_that_an_arm_returns,
        product_in_an_arm,
        product_before_an_arm,
        product_that_is_written,
    ],
)
def test_what_becomes_of_a_value(fn):
    """It has the name that the function gives it, and memory that may be written."""
    d = np.array([1.0, 2.0, 3.0])
    columns = [(fn(d + h) - fn(d - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    slopes = [ya.jvp(fn)(d, e)[1] for e in np.eye(3)]
    np.testing.assert_allclose(slopes, columns, atol=1e-7)
    value = fn(d)
    found = ya.jacobian(fn)(d) if np.ndim(value) else ya.grad(fn, d)[1][0]
    np.testing.assert_allclose(found.T, columns, atol=1e-7)
    np.testing.assert_array_equal(ya.grad(fn, d, seed=np.ones_like(value))[0], value)
