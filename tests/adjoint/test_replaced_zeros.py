"""Lists of adjoints that begin as zeros only where an item may stay one."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(5)
W = [rng.normal(size=(3, 3)) / 2 for _ in range(4)]
X = rng.normal(size=3)
P = {f"w{k}": w for k, w in enumerate(W * 5)}
NUMBERS = [0.5, -1.5, 2.0]


def over_items(W, x):
    for w in W:
        x = np.tanh(w @ x)
    return np.sum(x)


def by_index(W, x):
    for i in range(len(W)):
        x = np.tanh(W[i] @ x)
    return np.sum(x)


def by_key(W, x):
    for k in W:
        x = np.tanh(W[k] @ x)
    return np.sum(x)


def nothing_saved(W, x):
    s = 0.0
    for i in range(len(W)):
        s = s + W[i] * x[0]
    return s


def up_to_a_break(W, x):
    for i in range(len(W)):
        x = np.tanh(W[i] @ x)
        if x[0] > 0.1:
            break
    return np.sum(x)


def some(W, x):
    for i in range(1, len(W)):
        x = np.tanh(W[i] @ x)
    return np.sum(x)


def of_another(W, x):
    for i in range(len(x)):
        x = np.tanh(W[i] @ x)
    return np.sum(x)


def in_an_arm(W, x):
    for i in range(len(W)):
        if x[0] > 0.0:
            x = np.tanh(W[i] @ x)
        else:
            x = x + 1.0
    return np.sum(x)


def within_a_loop(W, x):
    for _ in range(2):
        for i in range(len(W)):
            x = np.tanh(W[i] @ x)
    return np.sum(x)


def one_more(W, x):
    for i in range(len(W)):
        x = np.tanh(W[i] @ x)
    return np.sum(W[0] @ x)


ALL = {
    "list": (over_items, (W * 5, X)),
    "index": (by_index, (W, X)),
    "tuple": (by_index, (tuple(W), X)),
    "dict": (by_key, (P, X)),
    "numbers": (nothing_saved, (NUMBERS, X)),
    "more": (one_more, (W, X)),
}
SOME = {
    "break": (up_to_a_break, (W, X)),
    "some": (some, (W, X)),
    "another": (of_another, (W, X)),
    "arm": (in_an_arm, (W, X)),
    "loop": (within_a_loop, (W, X)),
}


@pytest.mark.parametrize("name", [*ALL, *SOME])
def test_the_gradient_is_right(name):
    fn, args = {**ALL, **SOME}[name]
    check(fn, args)


@pytest.mark.parametrize("name", ALL)
def test_no_zeros_are_made_where_each_is_replaced(name):
    fn, args = ALL[name]
    text = ya.simplegrad(fn, *args).source
    unset = "dict.fromkeys(W)" if name == "dict" else "[None] * len(W)"
    assert f"dW = {unset}\n" in text
    assert "zeros_of" not in text
    assert "zeros_within" not in text


@pytest.mark.parametrize("name", SOME)
def test_zeros_are_made_where_one_may_stay(name):
    fn, args = SOME[name]
    text = ya.simplegrad(fn, *args).source
    assert "[None]" not in text
    assert "zeros" in text


def test_the_keys_keep_their_order():
    assert list(ya.grad(by_key, P, X)[1]["W"]) == list(P)


@pytest.mark.parametrize("name", ["list", "index", "numbers", "more"])
def test_it_is_differentiated_again(name):
    fn, (w, x) = ALL[name]
    v = ya.grad(fn, w, x)[1]["W"]
    near = [[a + t * b for a, b in zip(w, v, strict=True)] for t in (1e-5, -1e-5)]
    up, down = (ya.grad(fn, each, x)[1]["W"] for each in near)
    for product, a, b in zip(ya.hvp(fn)(w, v, x), up, down, strict=True):
        slope = (np.asarray(a) - b) / 2e-5
        np.testing.assert_allclose(product, slope, rtol=1e-6, atol=1e-7)
