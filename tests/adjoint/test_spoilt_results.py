"""What is 0 times infinite in a function: no mask keeps its gradient from that, and one
keeps it where a function is finite."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check
from .test_fewer_statements import reverse_of

Y = np.array([0.0, 1.0, 0.0, 2.0])
P = np.array([0.3, 0.7, 0.2, 0.9])
Q = np.array([1.4, 0.6, 2.1, 0.8])


def entropy(p, y):
    return -np.sum(y * np.log(p))


def of_quotients(p, q, y):
    return np.sum(y * np.log(p / (p + q)))


def risks(p, y):
    total = np.cumsum(p[::-1])[::-1]
    return -np.sum(y * (p - np.log(total)))


def of_parts(p, y):
    return np.sum(y @ (p / (1 - p)) ** 2)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (entropy, (P, Y)),
        (of_quotients, (P, Q, Y)),
        (risks, (P, Y)),
        (of_parts, (P, Y)),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_no_mask(f, args, monkeypatch):
    assert "np.where" not in reverse_of(f, *args, wrt="p")
    check(f, args)
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    check(f, args)


def bell(s, w, x):
    return np.sum(w * np.exp(-(((x - 1.0) / s) ** 2)))


def squashed(s, w, x):
    return np.sum(w * np.tanh(x / s))


def roots(s, w, x):
    return np.sum(w * np.sqrt(s) * x)


def selected(s, w, x):
    return np.sum(np.where(w > 0.0, np.log(x / s), 0.0))


@pytest.mark.parametrize("f", [bell, squashed, roots, selected])
@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_mask_where_the_function_is_finite(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    s, x = np.array([0.0, 0.8, 1.1]), np.array([2.0, 3.0, 1.5])
    w = np.array([0.0, 1.0, 0.5])
    with np.errstate(divide="ignore"):
        value, (ds,) = (
            ya.grad(f, s, w, x, wrt=["s"])[0],
            [ya.grad(f, s, w, x, wrt=["s"])[1]["s"]],
        )
    assert np.isfinite(value)
    assert ds[0] == 0.0
    assert np.isfinite(ds).all()
    rest = ya.grad(f, s[1:], w[1:], x[1:], wrt=["s"])[1]["s"]
    np.testing.assert_allclose(ds[1:], rest, rtol=1e-14)


def test_one_mask_for_all_factors():
    source = reverse_of(bell, P, Y, Q, wrt="s")
    assert source.count(" == 0") == 2
