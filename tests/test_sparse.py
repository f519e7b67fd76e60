"""Products with sparse matrices, which are constant; nothing else is followed."""

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import sparse
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


@pytest.mark.parametrize("fn", [star, summed])
def test_what_is_no_product_is_refused(fn):
    with pytest.raises(UnsupportedCall, match="sparse"):
        ya.grad(fn, A, X)


def squared(y):
    return np.sum(y**2)


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


def made_of_the_argument(x):
    return np.sum(sparse.diags(x) @ np.ones(3))


def test_a_matrix_of_what_varies_is_refused():
    with pytest.raises(UnsupportedCall, match="this one depends on"):
        ya.grad(made_of_the_argument, X)


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
