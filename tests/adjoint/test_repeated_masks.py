"""A comparison that an index makes twice is made once."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

X = np.array([0.5, -1.0, 2.0, 0.7, 3.0])
W = np.linspace(0.2, 1.0, 5)


def powers(x, w):
    r = x * w
    r[r > 0] = r[r > 0] ** -1.5
    return np.sum(r * w)


def powers_in_a_loop(x, w):
    for _ in range(3):
        r = x * w
        r[r > 0] = w[r > 0] * r[r > 0] ** 0.5
        x = np.sin(r)
    return np.sum(x * x)


def changed_between(x, w):
    r = x * w
    r[r > 0] -= 1.0
    r[r > 0] *= w[r > 0]
    return np.sum(r * r)


def changed_elsewhere(x, w):
    r = x * w
    part = r[1:]
    t = r[r > 0]
    part[0] = 4.0
    r[r > 0] = 2.0
    return np.sum(r * w) + np.sum(t * t)


def masks_that_are_written(x, w):
    masks = [x > 0, x > 0]
    masks[0][0] = False
    return np.sum(w[masks[0]] * x[masks[0]]) + np.sum(w[masks[1]])


EVERY = [
    powers,
    powers_in_a_loop,
    changed_between,
    changed_elsewhere,
    masks_that_are_written,
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", EVERY)
def test_values(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X, W))
    if fn is not changed_elsewhere:
        check(fn, (X[:1], W[:1]))


def test_one_mask_serves_both_places():
    text = ya.simplegrad(powers, X, W).source
    assert text.count("r > 0") == text.count("# r[r > 0] = r[r > 0] ** -1.5") * 2 + 1
    assert "dr[t1] = -1.5 * dr[t1] * (t3 / t2)\n" in text


def test_what_is_written_between_is_compared_again():
    text = ya.simplegrad(changed_elsewhere, X, W).source
    forward = text.partition("# forward")[2].partition("# reverse")[0]
    assert forward.count("r > 0") == 2


def test_other_types():
    made = ya.simplegrad(powers, X, W)
    narrow = made(X.astype("f4"), W.astype("f4"))
    for one, other in zip(made(X, W), narrow, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    assert made(X[:0], W[:0])[0] == 0.0
