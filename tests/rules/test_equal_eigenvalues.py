"""Vectors of equal eigenvalues and singular values: right where the function has a
derivative that they tell, else refused when the gradient runs."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

REFUSED = (
    "the gradient needs eigenvectors or singular vectors of equal values, which are not"
    " unique"
)
rng = np.random.default_rng(7)
SQUARE = rng.normal(size=(3, 3))
WIDE = rng.normal(size=(1, 3))
TALL = rng.normal(size=(4, 2))
TURN = np.linalg.qr(SQUARE)[0]
TWICE = TURN @ np.diag([1.0, 2.0, 2.0]) @ TURN.T  # equal but for rounding
LOW = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0])


def squared(A):
    w, v = np.linalg.eigh(A)
    return (v * w**2) @ v.T


def by_inverse(A):
    w, v = np.linalg.eigh(A)
    return (v * np.log(w)) @ np.linalg.inv(v)


def one_vector(A):
    w, v = np.linalg.eigh(A)
    return v[:, 0] * 1.0


def values(A):
    w, v = np.linalg.eigh(A)
    return np.sum(w**2)


def by_eig(A):
    w, v = np.linalg.eig(A)
    return np.real((v * w**2) @ np.linalg.inv(v))


def null_vectors(A):
    u, s, vh = np.linalg.svd(A)
    return vh[1:].T * 1.0


def null_projection(A):
    u, s, vh = np.linalg.svd(A)
    n = vh[len(s) :].T
    return n @ n.T


def turn_of(A):
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return u @ vh


def cubed(A):
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return (u * s**3) @ vh


def rebuilt(A):
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return (u * s) @ vh


def first_part(A):
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return s[0] * np.outer(u[:, 0], vh[0])


def size(A):
    u, s, vh = np.linalg.svd(A, full_matrices=False)
    return np.sum(s)


@pytest.mark.parametrize(
    ("f", "A"),
    [
        (squared, np.diag([1.0, 2.0, 3.0])),
        (one_vector, np.diag([1.0, 2.0, 2.0])),
        (by_inverse, np.diag([1.0, 2.0, 3.0])),
        (values, np.eye(3)),
        (null_vectors, rng.normal(size=(2, 3))[:1, :2]),
        (null_projection, WIDE),
        (turn_of, SQUARE),
        (turn_of, TALL),
        (turn_of, SQUARE + 1j * SQUARE[::-1]),
        (cubed, SQUARE),
        (cubed, np.diag([2.0, 1.0, 0.0])),
        (first_part, LOW),
        (rebuilt, TALL),
        (size, TURN),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_right(f, A):
    assert ya.gradcheck(f, A)


@pytest.mark.parametrize(
    ("f", "A"),
    [
        (squared, np.eye(3)),
        (squared, TWICE),
        (by_inverse, np.eye(3)),
        (one_vector, np.diag([2.0, 2.0, 3.0])),
        (by_eig, np.diag([1.0, 2.0, 2.0])),
        (null_vectors, WIDE),
        (turn_of, np.eye(3)),
        (cubed, TURN),
        (rebuilt, LOW),
        (rebuilt, np.diag([2.0, 0.0, 0.0])),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_refused(f, A):
    with pytest.raises(ValueError, match="the gradient needs") as caught:
        ya.simplegrad(f, A)(A, np.ones(np.shape(f(A))))
    assert str(caught.value) == f"{f.__name__}_grad: {REFUSED}"


HERMITIAN = SQUARE @ SQUARE.T + 1j * (SQUARE - SQUARE.T)
PHASE = (
    "the gradient needs the phase of complex eigenvectors or singular vectors, which is"
    " arbitrary: use a result without it, such as v @ v.conj().T"
)


def sizes_of_vectors(A):
    w, v = np.linalg.eigh(A)
    return np.abs(v)


def vectors(A):
    return np.linalg.eigh(A)[1] * 1.0


def left_vectors(A):
    return np.linalg.svd(A)[0] * 1.0


def vectors_of_any(A):
    """Of which LAPACK makes the largest entry real."""
    w, v = np.linalg.eig(A)
    return v * w


@pytest.mark.parametrize("f", [sizes_of_vectors, turn_of, rebuilt])
def test_what_is_the_same_in_any_phase(f):
    assert ya.gradcheck(f, HERMITIAN)


@pytest.mark.parametrize("f", [vectors, left_vectors])
def test_a_phase_is_refused(f):
    with pytest.raises(ValueError, match="the gradient needs the phase") as caught:
        ya.simplegrad(f, HERMITIAN)(HERMITIAN, np.ones((3, 3)))
    assert str(caught.value) == f"{f.__name__}_grad: {PHASE}"


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_the_phase_of_eigenvectors_of_any_matrix(seed):
    A = np.random.default_rng(seed).normal(size=(4, 4))
    assert np.iscomplexobj(np.linalg.eig(A)[0])
    assert ya.gradcheck(vectors_of_any, A)


def eigenvalues_of_any(A):
    return np.linalg.eigvals(A) * 1.0


@pytest.mark.parametrize("f", [vectors_of_any, eigenvalues_of_any])
def test_complex_matrices_in_either_mode(f):
    A = SQUARE + 1j * SQUARE[::-1] ** 2
    found = ya.gradcheck(f, A)
    assert found
    assert found.rows[0].forward >= 6
