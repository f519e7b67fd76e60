"""Products with sparse matrices that are constant; of others: test_varying_matrices."""

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import integrate, sparse
from scipy.sparse import linalg as splinalg
from scipy.sparse.linalg import spsolve

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

DENSE = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 4.0]])
A = sparse.csr_matrix(DENSE)
B = sparse.coo_array(DENSE)
X = np.array([1.0, 2.0, 3.0])


def of_a_global(x):
    return np.sum((A @ x) ** 2)


def from_the_left(x):
    return np.sum((x @ B) ** 2)


def by_dot(x):
    return np.sum(A.dot(x) ** 2)


def transposed(x):
    return np.sum((A.T @ x) ** 2)


def of_an_argument(A, x):
    return x @ (A @ x) + np.sum(A.T.tocsc() @ np.outer(x, x))


def scaled(A, x):
    return np.sum((2 * A + A) @ x)


def in_a_loop(A, x):
    for _ in range(3):
        x = np.tanh(0.1 * (A @ x))
    return np.sum(x)


def solved(x):
    return np.sum(spsolve(A.tocsc(), x) ** 2)


def solved_by_path(x):
    return np.sum(splinalg.spsolve(A.tocsc(), x) ** 2)


def as_an_array(A, x):
    return np.sum(A.toarray() * x)


FUNCTIONS = [
    of_a_global, from_the_left, by_dot, transposed, of_an_argument, scaled, in_a_loop,
    solved, solved_by_path, as_an_array,
]  # fmt: skip
GIVEN_MATRICES = [fn for fn in FUNCTIONS if fn.__code__.co_varnames[0] == "A"]


@pytest.mark.parametrize(
    ("fn", "kind"),
    [
        *((fn, "csr_matrix") for fn in FUNCTIONS),
        *((fn, kind) for fn in GIVEN_MATRICES for kind in ("csc_array", "dia_array")),
    ],
)
def test_gradients(fn, kind):
    matrix = getattr(sparse, kind)(DENSE)
    args = (matrix, X) if fn in GIVEN_MATRICES else (X,)
    val, g = ya.grad(fn, *args)
    assert val == fn(*args)
    h = 1e-6
    slopes = [
        (fn(*args[:-1], X + h * e) - fn(*args[:-1], X - h * e)) / (2 * h)
        for e in np.eye(3)
    ]
    np.testing.assert_allclose(g["x"], slopes, rtol=1e-6)
    assert isinstance(g["x"], np.ndarray)


def star(A, x):
    return np.sum(A * x)


def summed(A, x):
    return np.sum(A.sum(axis=0) * x)


def halved(A, x):
    A /= 2.0
    return np.sum(A @ x)


@pytest.mark.parametrize(("fn", "matrix"), [(star, B), (summed, A), (halved, A.copy())])
def test_what_is_no_product_is_refused(fn, matrix):
    with pytest.raises(UnsupportedCall, match="sparse"):
        ya.grad(fn, matrix, X)


def test_a_star_of_a_matrix_is_a_product():
    assert list(ya.grad(star, A, X)[1]["x"]) == list(DENSE.sum(axis=0))
    assert "A * x" in ya.simplegrad(star, A, X).source


def squared(y):
    return np.sum(y**2)


def powers(matrices, n, v):
    return powers(matrices, n - 1, matrices[0] @ v) if n else v


def of_lists(n):
    places, values = [], []
    for i in range(n):
        places.append(i)
        values.append(2.0 + i)
    return sparse.coo_matrix((values, (places, places[::-1])), shape=(n, n)).tocsr()


def by_entry(n):
    made = sparse.lil_matrix((n, n))
    for i in range(n):
        made[i, i] = 2.0
        if i:
            made[i, i - 1] = -1.0 / (i + 1)
        made[i, 0] += 0.5
    return made


def by_rows():
    made = sparse.dok_matrix((3, 3))
    made[0, :] = 1.0
    made[1, [0, 2]] = [3.0, 4.0]
    return made.tocsc()


def by_diagonals():
    made = sparse.lil_array((3, 3))
    made.setdiag(np.full(3, 2.0))
    made.setdiag(-1.0, k=1)
    made /= 4.0
    return made.tocsr()


def by_two_names():
    made = sparse.lil_matrix((3, 3))
    other = made
    made[1, 1] = 2.0
    return other.tocsr()


def fill(made, i):
    made[i, i] = 1.0 + i


def by_a_helper():
    made = sparse.lil_matrix((3, 3))
    fill(made, 2)
    for i in range(3):
        fill(made, i)
    return made.tocsr()


def in_an_arm(positive):
    made = sparse.lil_matrix((3, 3))
    if positive:
        made[1, 1] = 2.0
    else:
        made.setdiag(3.0)
    return made.tocsr()


MADE_INSIDE = {
    "diags": lambda x: squared(
        sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(3, 3)) @ x
    ),
    "diags of lists": lambda x: squared(sparse.diags([[1.0, 2.0, 3.0]], [0]) @ x),
    "eye": lambda x: squared(2 * sparse.eye(3) @ x),
    "eye_array": lambda x: squared(sparse.eye_array(3) @ x),
    "identity": lambda x: squared(x @ sparse.identity(3)),
    "csr_matrix": lambda x: squared(sparse.csr_matrix(np.eye(3) * 2) @ x),
    "by entries": lambda x: squared(
        sparse.csr_matrix(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3)).T @ x
    ),
    "kron": lambda x: squared(sparse.kron(sparse.eye(1), np.ones((3, 3))) @ x),
    "vstack": lambda x: squared(sparse.vstack([sparse.eye(3), sparse.eye(3)]) @ x),
    "spdiags": lambda x: squared(sparse.spdiags(np.ones((1, 3)), [0], 3, 3) @ x),
    "block_diag": lambda x: squared(sparse.block_diag([sparse.eye(1), np.eye(2)]) @ x),
    "of its length": lambda x: squared(
        sparse.diags([2.0], [0], shape=(len(x), len(x))) @ x
    ),
    "a sum": lambda x: squared((sparse.eye(3) + sparse.eye(3)) @ x),
    "a number of the length": lambda x: squared(
        (sparse.eye(3) - 0.1 * sparse.identity(3) / (1.0 / len(x)) ** 2) @ x
    ),
    "random": lambda x: squared(sparse.random(3, 3, 0.6, rng=1) @ x),
    "by lists that grow": lambda x: squared(of_lists(3) @ x),
    "its diagonal": lambda x: squared(
        sparse.diags([[1.0, 2.0, 3.0]], [0]).diagonal() * x
    ),
    "entry by entry": lambda x: squared(by_entry(3).tocsr() @ x),
    "rows and blocks": lambda x: squared(by_rows() @ x),
    "diagonals in place": lambda x: squared(by_diagonals() @ x),
    "of another name": lambda x: squared(by_two_names() @ x),
    "by a helper": lambda x: squared(by_a_helper() @ x),
    "in an arm": lambda x: squared(in_an_arm(x[0] > 0) @ x),
    "by a recursion": lambda x: squared(powers([sparse.eye(3).tocsr() * 2], 2, x)),
    "factors": lambda x: squared(splinalg.splu(sparse.csc_matrix(DENSE)).solve(x)),
    "factors, transposed": lambda x: squared(
        splinalg.splu(sparse.csc_matrix(DENSE)).solve(x, "T")
    ),
    "in a loop": lambda x: sum((sparse.eye(3, k=k) @ x)[0] ** 2 for k in range(3)),
}


def test_the_text_is_the_user_s():
    assert "A @ x" in ya.simplegrad(of_an_argument, A, X).source
    assert "A.T @ " in ya.simplegrad(of_a_global, X).source


@pytest.mark.parametrize("name", MADE_INSIDE)
def test_a_matrix_that_is_made_inside(name):
    fn = MADE_INSIDE[name]
    slopes = [(fn(X + e) - fn(X - e)) / 2e-4 for e in 1e-4 * np.eye(3)]
    assert np.allclose(ya.grad(fn, X)[1][0], slopes, rtol=1e-7)
    assert np.isclose(ya.jvp(fn)(X, np.ones(3))[1], sum(slopes), rtol=1e-7)
    assert ya.hvp(fn)(X, np.ones(3)).shape == (3,)


def with_the_argument_in_an_entry(x):
    made = sparse.lil_matrix((3, 3))
    other = made
    made[0, 1] = x[0]
    return np.sum(other.tocsr() @ np.ones(3))


def with_the_argument_in_its_diagonal(x):
    made = sparse.lil_matrix((3, 3))
    made.setdiag(x)
    return np.sum(made.tocsr() @ np.ones(3))


def read_again_from_it(x):
    return np.sum(A.multiply(np.outer(x, x)).diagonal())


def through_a_solver(x):
    rates = sparse.eye(3).tocsr() * x[0]
    found = integrate.solve_ivp(lambda t, y: rates @ y, (0, 0.1), np.ones(3))
    return np.sum(found.y[:, -1])


@pytest.mark.parametrize(
    "fn",
    [
        through_a_solver, with_the_argument_in_an_entry,
        with_the_argument_in_its_diagonal, read_again_from_it,
    ],
)  # fmt: skip
def test_a_matrix_of_what_varies_is_refused(fn):
    with pytest.raises(UnsupportedCall, match="depends on the arguments"):
        ya.grad(fn, X)
    with pytest.raises(UnsupportedCall, match="depends on the arguments"):
        ya.jvp(fn)(X, X)


def changed_after_a_product(x):
    made, total = sparse.lil_matrix((3, 3)), 0.0
    for i in range(3):
        made[i, i] = 2.0
        total += np.sum(made @ x)
    return total


def test_a_product_with_what_is_changed_is_refused():
    with pytest.raises(UnsupportedCall, match="entry by entry"):
        ya.grad(changed_after_a_product, X)


def of_memory_that_is_written(x, at):
    data = np.ones(3)
    made = sparse.coo_matrix((data, (range(3), [1, 2, 0])), shape=(3, 3))
    y = np.sum((made @ x) ** 2)
    data[at] = 2.0
    return y


def of_an_argument_that_is_written(data, x):
    made = sparse.coo_matrix((data, (range(3), [1, 2, 0])), shape=(3, 3))
    y = np.sum((made @ x) ** 2)
    data *= 2.0
    return y


@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_entries_are_those_of_the_product(passes, monkeypatch):
    """A `coo_matrix` shares the memory of its entries."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert list(ya.grad(of_memory_that_is_written, X, 0)[1][0]) == list(2 * X)
    _, gradients = ya.grad(of_an_argument_that_is_written, np.ones(3), X)
    assert list(gradients["x"]) == list(2 * X)
    assert list(gradients["data"]) == list(2 * X[[1, 2, 0]] ** 2)


class Backend:
    """A library of arrays, of which sparse matrices are one kind."""

    def tocsr(self, a):
        return sparse.csr_array(a)

    def inv(self, a):
        return np.linalg.inv(a)


def test_a_class_with_a_method_of_sparse_matrices_is_none():
    backend = Backend()
    _, grad = ya.grad(lambda a: backend.inv(a)[0, 0], np.eye(2) * 2)
    assert grad[0][0, 0] == -0.25


def by_kind(m, x):
    if sparse.isspmatrix(x):
        return [item for item in x if sparse.issparse(item)]
    return np.sum((m @ x) ** 2) if sparse.issparse(m) else np.sum(m[0] * x**3)


def test_whether_a_matrix_is_sparse_is_known():
    for m in (A, B):
        assert list(ya.grad(by_kind, m, X)[1]["x"]) == list(2 * DENSE.T @ (DENSE @ X))
    assert list(ya.grad(by_kind, DENSE, X)[1]["x"]) == list(3 * DENSE[0] * X**2)
    assert "isinstance" not in ya.simplegrad(by_kind, DENSE, X).source
