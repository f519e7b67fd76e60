"""The product with a Hessian is made of a gradient. What that takes for granted of its
arguments, the product asks once. What raised raises still."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import directional
from yota_ast.api.cache.compiled_gradients import Cache

X, Y = np.arange(6.0).reshape(3, 2) / 6, np.array([1.0, 0.0, 1.0])
W, S = np.array([0.3, -0.2]), np.array([[2.0, 0.3], [0.3, 1.0]])
B = np.ones((3, 1))


def logistic(w, b, X, y, lam):
    z = X @ w + b
    return np.sum(np.log1p(np.exp(z)) - y * z) + lam * np.sum(w**2)


def likelihood(w, S):
    K = S + np.outer(w, w)
    return np.log(np.linalg.det(K)) + w @ np.linalg.inv(K) @ w


def largest(w, X):
    m = np.max(X, axis=1, keepdims=True)
    return np.sum(w**3) + np.sum(np.log(np.sum(np.exp(X * w - m), axis=1)) + m[:, 0])


def masked(w, X, y):
    t = X @ w
    return np.sum(np.where(y > 0.5, t, 0.0) - np.exp(t))


class Model:
    def __init__(self, w, layers):
        self.w, self.layers = w, layers

    def loss(self, x):
        return sum(np.sum((x @ self.w * k) ** 2) for k in self.layers)


def of_model(x, model):
    return model.loss(x)


@pytest.fixture
def product(monkeypatch):
    """Make a product, and return it with the code of it."""

    def made(f, args, v, wrt=None):
        monkeypatch.setattr(directional, "_CACHE", cache := Cache())
        found = ya.hvp(f, wrt)(args[0], v, *args[1:])
        ((entry,),) = cache.entries.values()
        return found, entry.function

    return made


def by_differences(f, args, v, h=1e-5):
    x, *rest = args
    above, below = (ya.grad(f)(x + k * v, *rest) for k in (h, -h))
    return (above - below) / (2 * h)


CASES = {
    "lengths": (logistic, (W, 0.1, X, Y, 0.3)),
    "matrices": (likelihood, (W, S)),
    "items": (largest, (W, X)),
    "choices": (masked, (W, X, Y)),
    "objects": (of_model, (X, Model(W, [1.0, 2.0]))),
}


@pytest.mark.parametrize("name", CASES)
def test_entry_is_checked_once(name, product):
    f, args = CASES[name]
    v = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    found, made = product(f, args, v)
    np.testing.assert_allclose(found, by_differences(f, args, v), rtol=1e-6, atol=1e-8)
    head, _, rest = made.source.partition("# forward")
    assert "dtype.kind" in head
    assert "dtype.kind" not in rest
    tests = [
        line.strip() for line in head.splitlines() if " or " in line or "!=" in line
    ]
    assert len(tests) == len(set(tests))


@pytest.mark.parametrize("name", ["lengths", "matrices", "items", "choices"])
def test_nothing_is_computed_that_the_checks_exclude(name, product):
    f, args = CASES[name]
    _, made = product(f, args, np.ones_like(args[0]))
    body = made.source.partition("# forward")[2]
    lone = [t for t in body.splitlines() if t.startswith("    ") and "=" not in t]
    assert not any(w in t for t in lone for w in ("y * z", "det(", "m[:, 0]", "where("))


OTHERS = {
    "another length": (W, 0.1, X, Y[:2], 0.3),
    "an array for a number": (W, B, X, Y, 0.3),
    "whole numbers": (W, 0.1, X, Y.astype(int), 0.3),
    "a list": (W, 0.1, X, [1.0, 0.0, 1.0], 0.3),
    "no number": (W, 0.1, X, Y, None),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_arguments_are_refused_by_the_code_itself(what, product):
    """Also those of what the product itself does not read."""
    _, made = product(logistic, CASES["lengths"][1], W)
    (d,) = (n for n in made.__signature__.parameters if n.startswith("dw"))
    made(*CASES["lengths"][1], **{d: W})
    error = TypeError if what == "no number" else ValueError
    with pytest.raises(error, match=r"made for|NoneType"):
        made(*OTHERS[what], **{d: W})


def test_other_lengths_are_right_or_raise_as_the_function_does():
    """The lengths of the example say nothing of another call."""
    ya.hvp(masked)(W, W, X, Y)
    with pytest.raises(ValueError, match="broadcast"):
        ya.hvp(masked)(W, W, X, Y[:2])
    found = ya.hvp(masked)(W, W, X, Y[:1])
    np.testing.assert_allclose(found, ya.hvp(masked)(W, W, X, np.repeat(Y[:1], 3)))


@pytest.mark.parametrize("bad", [np.ones((2, 3)), np.zeros((2, 2))])
def test_matrices_that_are_singular_or_not_square_raise(bad):
    def inverse(w, S):
        return np.sum(w**2) * np.linalg.slogdet(S)[1] + w @ np.linalg.inv(S) @ w

    with pytest.raises(np.linalg.LinAlgError):
        ya.hvp(inverse)(W, W, bad)
