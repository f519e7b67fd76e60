"""Short adjoints that one statement reads: written there, and where they keep names."""

import numpy as np

import yota_ast as ya

from .checking import check
from .test_fewer_statements import both

X, V = np.linspace(0.5, 2.0, 4), np.array([0.3, -1.0, 2.0, 0.7])
S = np.array([[2.0, 0.3], [0.1, 1.5]])


def smooth(x, a, b):
    scale = np.exp(a)
    shift = np.exp(2 * b)
    z = scale * x + shift
    step = z * x
    return np.sum(x - step)


def test_an_adjoint_that_is_read_once_is_written_there(monkeypatch):
    args = (X, 0.3, 0.2)
    made, plain = both(smooth, *args, name="single", monkeypatch=monkeypatch)
    assert "    dscale = " in plain
    assert "    dstep = -dx" not in made
    assert "dscale" not in made
    assert made.count("\n") < plain.count("\n")
    check(smooth, args)


def by_a_product(x, w):
    h = x @ w
    y = np.tanh(h)
    return np.sum(y @ w)


def test_what_a_product_of_matrices_makes_keeps_its_name():
    assert "    dy = " in ya.simplegrad(by_a_product, S, S).source
    check(by_a_product, (S, S))


def of_layers(x, W, b):
    z = x @ W + b
    return np.mean(np.tanh(z) ** 2)


def test_what_is_returned_has_the_name_of_its_argument():
    source = ya.simplegrad(of_layers, S, S + 0.5, S[0]).source
    assert source.endswith("return val, dx, dW, db\n")
    check(of_layers, (S, S + 0.5, S[0]))


def layer_norm(x, gamma):
    mean = x.mean(axis=1, keepdims=True)
    std = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    y = x + (x - mean) / std * gamma
    return np.sum(y**3)


def test_sums_that_begin_with_another_adjoint_are_one_statement():
    source = ya.simplegrad(layer_norm, S, S[0]).source
    assert source.count("    dx = ") == 1
    assert "dx += " not in source
    check(layer_norm, (S, S[0]))


def pairs(x, y):
    r2 = np.sum((x[:2] - y[:2]) ** 2, axis=1)
    return np.sum(np.exp(-r2))


def test_the_sign_of_what_is_given_axes_stands_in_front():
    source = ya.simplegrad(pairs, np.outer(V, X), S).source
    assert "dr2" not in source
    check(pairs, (np.outer(V, X)[:2, :2], S))


def returned(x, w):
    return np.sum(x) * w


def test_what_is_returned_keeps_its_name():
    source = ya.simplegrad(returned, X, 0.5).source
    assert "    dw = seed * np.sum(x)\n" in source or "    dw = seed * t1\n" in source
    assert "float(dw)" in source


def overwritten_between(p, n):
    a, b = p
    for _ in range(n):
        b = a * b
        a = a - 0.1 * b
    return a


def test_an_adjoint_is_read_before_what_it_reads_changes(monkeypatch):
    args = (np.array([0.7, 1.3]), 4)
    both(overwritten_between, *args, name="single", monkeypatch=monkeypatch)
    check(overwritten_between, args, wrt=[0])


def three(p, x):
    a, b, c = p
    return np.sum(np.sin(a * x) * b + c * np.exp(-(x**2) * a))


def test_all_items_of_a_list_have_names_or_none():
    source = ya.simplegrad(three, V[:3], X, wrt="p").source
    items = source.partition("dp = np.array([")[2].partition("])")[0]
    named = [name in items.split(", ") for name in ("da", "db", "dc")]
    assert all(named) or not any(named)
    check(three, (V[:3], X), wrt=[0])
