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


def test_the_text_is_the_user_s():
    assert "A @ x" in ya.simplegrad(of_an_argument, A, X).source
    assert "A.T @ " in ya.simplegrad(of_a_global, X).source
