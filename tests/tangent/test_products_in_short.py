"""Products with Hessians compute nothing twice, and write their results in place."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import directional
from yota_ast.api.cache.compiled_gradients import Cache

U = np.array([[0.3, -0.7, 0.2], [0.5, 0.1, -0.4]])
A, Q = np.array([[0.4, -0.2], [0.3, 0.5]]), np.array([[2.0, 0.4], [0.4, 1.0]])
B, STACK = np.array([0.3, -0.8]), np.stack([Q, Q + 0.2])


def smoothed(u, eps):
    """A root, marked for its own derivative, and slices that share an array."""
    gx, gy = u[:, 1:] - u[:, :-1], u[1:, :] - u[:-1, :]
    return 0.5 * np.sum(u**2) + np.sum(np.sqrt(gx**2 + eps)) + np.sum(np.abs(gy) ** 1.5)


def powered(u, k):
    return np.sum((u * u + 1) ** k) + np.sum(np.sqrt(u * u + k))


def solved(A, b):
    return np.sum(np.linalg.solve(A + Q, b) ** 2)


def solved_right(b, A):
    return np.sum(np.exp(np.linalg.solve(A + Q, b)))


def both_sides(A, b):
    x = np.linalg.solve(A + Q, np.sin(A) @ b)
    return np.sum(x**3)


def walked(A, x):
    cost = 0.0
    for _ in range(4):
        x = np.tanh(A @ x)
        cost = cost + np.sum(np.abs(x) ** 3)
    return cost


CASES = [
    (smoothed, U, 0.3), (powered, U, 1.7), (solved, A, B),
    (solved, A, Q), (solved, A, STACK), (solved, STACK, B), (solved_right, B, A),
    (solved_right, B, STACK), (both_sides, A, B), (both_sides, A, Q), (walked, A, B),
]  # fmt: skip


def product_of(monkeypatch, f, x, v, *rest):
    monkeypatch.setattr(directional, "_CACHE", cache := Cache())
    found = ya.hvp(f)(x, v, *rest)
    ((entry,),) = cache.entries.values()
    return found, entry.function.source


def by_differences(f, x, v, *rest, h=1e-5):
    above, below = (ya.grad(f)(x + k * v, *rest) for k in (h, -h))
    return (above - below) / (2 * h)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_products_are_right(case, passes, monkeypatch):
    if passes == "none":
        monkeypatch.setenv("YOTA_AST_PASSES", "none")
    f, x, *rest = case
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    before = x.copy(), v.copy()
    found, _ = product_of(monkeypatch, f, x, v, *rest)
    wanted = by_differences(f, x, v, *rest)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)
    assert np.array_equal(x, before[0])
    assert np.array_equal(v, before[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_floats_stay_small(dtype, monkeypatch):
    args = (A.astype(dtype), np.ones_like(A, dtype), B.astype(dtype))
    found, _ = product_of(monkeypatch, walked, *args)
    assert found.dtype == dtype


def test_values_at_kinks_that_nobody_reads_are_not_made(monkeypatch):
    """The gradient's own values are those of code without marks: a product reads
    neither."""
    _, source = product_of(monkeypatch, smoothed, U, np.ones_like(U), 0.3)
    body = source.partition("# forward")[2].partition("return")[0]
    assert body.count("np.sqrt(") == 1
    assert "stored(" not in source
    assert ".copy()" in body


@pytest.mark.parametrize("b", [B, Q])
def test_systems_are_solved_as_by_hand(b, monkeypatch):
    _, source = product_of(monkeypatch, both_sides, A, np.ones_like(A), b)
    assert "unbroadcast" not in source
    assert "along_solve" not in source
    _, source = product_of(monkeypatch, solved, STACK, np.ones_like(STACK), B)
    assert "def along_solve" in source


def test_outer_products_of_a_loop_are_one_product(monkeypatch):
    _, source = product_of(monkeypatch, walked, A, np.ones_like(A), B)
    assert "np.outer" not in source
    for steps in (0, 1):  # no rows, and one

        def some(A, x, n=steps):
            for _ in range(n):
                x = np.tanh(A @ x)
            return np.sum(x**3)

        v = np.ones_like(A)
        found, _ = product_of(monkeypatch, some, A, v, B)
        np.testing.assert_allclose(found, by_differences(some, A, v, B), atol=1e-7)


def test_sums_of_the_function_itself_stay_as_they_are():
    """Its value is that of the function, to the last bit, also where it adds up outer
    products in a loop, or leaves that by an error."""

    def gathered(X, w):
        M = np.zeros((3, 3))
        for x in X:
            M = M + np.outer(x, x * w)
        return np.sum(M * M)

    def tried(X, w):
        M = np.zeros((3, 3))
        try:
            for k in range(10):
                M = M + np.outer(X[k], X[k] * w)
        except IndexError:
            M = 2 * M
        return np.sum(M * M)

    X, w, h = np.random.default_rng(0).normal(size=(7, 3)), 0.3, 1e-6
    for f in (gathered, tried):
        value, change = ya.jvp(f, wrt="w")(X, w, 1.0)
        assert value == f(X, w)
        wanted = (f(X, w + h) - f(X, w - h)) / (2 * h)
        np.testing.assert_allclose(change, wanted, rtol=1e-6)
        v = np.ones_like(X)
        found = ya.hvp(f)(X, v, w)
        np.testing.assert_allclose(found, by_differences(f, X, v, w), rtol=1e-6)


def test_marks_are_given_what_they_read(monkeypatch):
    """A mark that refuses a point does not ask how the point moves."""

    def powers(u, k):
        return np.sum(u**k)

    k = np.array([1.5, 2.0, 3.0])
    found, source = product_of(monkeypatch, powers, np.abs(U), np.ones_like(U), k)
    wanted = k * (k - 1) * np.abs(U) ** (k - 2)
    np.testing.assert_allclose(found, wanted)
    assert "along_rooted" in source
    assert "0 * d" not in source
    u = np.array([0.0, 0.0, 0.5])
    with pytest.raises(ValueError, match="no second derivative is known"):
        ya.hvp(powers)(u, np.ones(3), k)
    found = ya.hvp(powers)(u, np.ones(3), np.array([2.0, 3.0, 1.5]))
    np.testing.assert_allclose(found, [2.0, 0.0, 0.75 * 0.5**-0.5])
