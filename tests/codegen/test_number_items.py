"""`x.item()` and `x.tolist()`: the same numbers by every back end."""

import numpy as np
import pytest

import yota_ast as ya

X, K = np.array([0.9, -0.2, 0.55, 0.4]), np.array([1, 0, 3])


def of_an_item(x, k):
    return x[k[0].item()] ** 2


def of_a_sum(x, k):
    return x[np.sum(k[:2]).item()] * x.sum().item()


def of_a_list(x, k):
    s = 0.0
    for i in k.tolist():
        s += x[i] ** 2
    return s


def of_a_mask(x, k):
    return x[0] ** 2 if (k > 0)[0].item() else x[1]


FUNCTIONS = [of_an_item, of_a_sum, of_a_list, of_a_mask]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_numba(f, monkeypatch):
    numba = pytest.importorskip("numba", reason="no Numba: `x.item()` in loops")
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    same(f, ya.simplegrad(f, X, K, wrt="x", backend="numba"))


@pytest.mark.parametrize("f", FUNCTIONS[:3], ids=lambda f: f.__name__)
def test_jax(f):
    jax = pytest.importorskip("jax", reason="no JAX: `x.item()` of its arrays")
    with jax.enable_x64(True):
        same(f, ya.simplegrad(f, X, K, wrt="x", backend="jax"))


def same(f, gradient):
    readable = ya.simplegrad(f, X, K, wrt="x")
    for k in (K, K[::-1]):
        for one, other in zip(gradient(X, k), readable(X, k), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def listed(k):
    return sum(v**2 for v in k.tolist()) * 1.5


def test_a_list_of_whole_numbers_has_a_slope_or_is_refused():
    """It had the slope 0."""
    _, tangent = ya.jvp(listed)(np.array([1, 2, 3]), np.array([1.0, 0.0, 1.0]))
    assert tangent == 12.0
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(listed, np.array([1, 2, 3]), wrt="k")
    assert (
        caught.value.reason == "the derivative goes through an integer in a container"
    )
