"""What one mask picks of arrays is equally long: no helper undoes broadcasting then.
What two masks pick is not, nor what one picks before and after it is written."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X, A = np.array([0.5, 1.5, 2.0, 0.7]), np.array([1.2, 0.4, -0.8, 0.9])


def roots(x, a):
    x = x.copy()
    for _ in range(3):
        wrong = np.abs(x**2 - a) > 1e-3
        x[wrong] -= (x[wrong] ** 2 - a[wrong]) / (2.0 * x[wrong] + 3.0)
    return np.sum(x**3)


def of_rows(x, a):
    x, a = np.outer(x, a), np.outer(a, x)
    rows = x[:, 0] > 0.5
    return np.sum(np.sin(x[rows]) * a[rows])


def of_a_matrix(x, a):
    x, a = np.outer(x, a), np.outer(a, x)
    high = x > 0.5
    x[high] = x[high] * a[high]
    return np.sum(x**2)


def in_a_branch(x, a):
    m = x > 1.0 if a[0] > 0 else a > 0.5
    return np.sum(x[m] * a[m])


@pytest.mark.parametrize("f", [roots, of_rows, of_a_matrix, in_a_branch])
def test_no_helper_is_needed(f):
    assert "unbroadcast" not in ya.simplegrad(f, X, A).source
    check(f, (X, A))
    check(f, (np.minimum(X, 0.4), A))


def two_masks(x, a):
    one, both = x > 1.7, a > 0.5
    return np.sum(x[one] * np.sin(a[both]))


def two_functions(x, a):
    def picked(values, least):
        m = values > least
        return np.sin(values[m]) * values[m]

    return np.sum(picked(x, 1.7) * picked(a, 0.5))


def written(x, a):
    m = x > 1.2
    before = x[m]
    m[1] = False
    return np.sum(before * np.sin(a[m]))


def written_by_a_view(x, a):
    m = x > 1.2
    head = m[:2]
    before = x[m]
    head[1] = False
    return np.sum(before * np.sin(a[m]))


def written_by_an_operator(x, a):
    m = x > 1.2
    before = x[m]
    m &= x > 1.7
    return np.sum(before * np.sin(a[m]))


def written_in_a_branch(x, a):
    m = x > 1.2
    before = x[m]
    if a[0] > 0:
        m[1] = False
    return np.sum(before * np.sin(a[m]))


def of_the_iteration_before(x, a):
    m = x > 1.7
    before = x[m]
    total = 0.0
    for _ in range(2):
        m = a > 0.5
        total = total + np.sum(before * np.sin(a[m]))
        before = x[m] * 0.5
    return total


def handed_on(x, a):
    m = x > 1.7
    total = 0.0
    for k in range(3):
        before = x[m]
        m = a > 0.5 * k - 0.07
        if k < 2:
            total = total + np.sum(before[:1] * np.sin(a[m]))
    return total


def kept_in_a_list(x, a):
    masks = [x > 1.7, a > 0.5]
    return np.sum(x[masks[0]] * np.sin(a[masks[1]]))


def sums_of_a_mask(x, a):
    m = x > 1.2
    n = np.sum(m) + 0.5
    return np.sum(x[m] * n) + np.sum(a[: m.sum()] * x[m]) + np.sum(m * a)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        two_masks, two_functions, written, written_by_a_view, written_by_an_operator,
        written_in_a_branch, of_the_iteration_before, handed_on, kept_in_a_list,
        sums_of_a_mask,
    ],
)  # fmt: skip
def test_what_masks_pick_may_be_of_other_lengths(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    made = ya.simplegrad(f, X, A)
    assert made.fn(X, A)[0] == f(X, A)
    check(f, (X, A))


@pytest.mark.parametrize("f", [roots, of_rows, of_a_matrix, two_masks, written])
def test_products_with_a_hessian(f):
    d = np.array([0.3, -0.2, 0.5, 0.1])
    gradient = ya.simplegrad(f, X, A, wrt="x").fn
    ahead, behind = (gradient(X + h * d, A)[1] for h in (1e-6, -1e-6))
    found = ya.hvp(f)(X, d, A)
    np.testing.assert_allclose(found, (ahead - behind) / 2e-6, atol=1e-6)
