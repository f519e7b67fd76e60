"""The arm that `np.where` does not select makes no nan, and warns of nothing new."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check


def distance(x, w):
    r2 = np.sum(x * x, axis=1)
    pos = r2 > 0
    r = np.where(pos, np.sqrt(r2), 0.0)
    return np.sum(w * r)


def entropy(x, a):
    with np.errstate(all="ignore"):
        y = np.where(x > 0, a * x * np.log(x), 0.0)
        z = np.where(x > 0, 1.0 - np.exp(-1 / x), y)
    return np.sum(y * z)


def nested(x):
    with np.errstate(invalid="ignore"):
        low = np.where(x < -1, np.sqrt(-1 - x), 0.0)
        high = np.where(x > 1, np.sqrt(x - 1) ** 3, low)
    return np.sum(high * x)


def helped(x, y):
    with np.errstate(all="ignore"):
        ratio = quotient(x, y)
    return np.sum(np.where(y != 0, ratio, 0.0) ** 2)


def quotient(x, y):
    return np.arctan(x / y)


CASES = [
    (distance, (np.array([[1.0, 2], [0, 0], [3, 1]]), np.array([1.0, 2, 3]))),
    (entropy, (np.array([0.0, 0.5, 2]), np.array([1.0, 2, 3]))),
    (nested, (np.array([-2.0, -1, -0.5, 0, 1, 1.5]),)),
    (helped, (np.array([1.0, 2, 0]), np.array([0.0, 2, 3]))),
]


@pytest.mark.parametrize("passes", ["all", "none", "-tidy", "-inplace", "-again"])
@pytest.mark.parametrize(("function", "arguments"), CASES, ids=lambda c: str(c)[:20])
def test_the_unselected_arm_contributes_nothing(
    function, arguments, passes, monkeypatch
):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    _, *gradients = ya.simplegrad(function, *arguments)(*arguments)
    for k, gradient in enumerate(gradients):
        assert np.isfinite(gradient).all()
        for place in np.ndindex(gradient.shape):
            if abs(arguments[k][place]) in (0.0, 1.0):
                continue  # at the edge there are no differences to compare with
            ends = []
            for step in (1e-6, -1e-6):
                moved = [a.copy() for a in arguments]
                moved[k][place] += step
                ends.append(function(*moved))
            difference = (ends[0] - ends[1]) / 2e-6
            assert gradient[place] == pytest.approx(difference, rel=1e-6, abs=1e-7)


def test_the_mask_goes_on_the_way_out():
    x, w = CASES[0][1]
    line = "    dr2 = np.where(pos, seed * w / (2 * np.where(pos, t1, 1)), 0)\n"
    source = ya.simplegrad(distance, x, w).source
    assert line in source, source


def distance_of_two(u, v):
    d = (u**2 + v**2) ** 0.5
    a = np.where(u > 0, d, 1.0)
    b = np.where(u > 1, d * 2.0, 3.0)
    return np.sum(a * b)


def root_of_two(u, v):
    s = 2.0 * np.sqrt(u)
    return np.sum(np.where(u > 0, s, 1.0) * v + np.where(u > 0.5, -3.0 * s, u))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [distance_of_two, root_of_two])
def test_two_masks_on_one_value(f, passes, monkeypatch):
    """What neither arm selects contributes nothing, on the edge of a domain too."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    u, v = np.array([0.0, 0.3, 0.7, 2.0]), np.array([0.0, 0.2, 0.1, 0.5])
    with np.errstate(all="raise"):
        _, g = ya.grad(f, u, v)
    h = 1e-6 * np.eye(4)[1:]
    for k, e in enumerate(h, 1):
        difference = (f(u + e, v) - f(u - e, v)) / 2e-6
        assert g[0][k] == pytest.approx(difference, rel=1e-6)
    assert g[0][0] == (0.0 if f is distance_of_two else 1.0)


def test_masks_within_masks():
    def f(u, v):
        d = np.sqrt(u)
        a = np.where(v > 0.3, 1.0, np.where(u > 0, d, 2.0))
        b = np.where(v > 0.1, 2.0, np.where(u > 0, 2.0 * d, v))
        return np.sum(a * b)

    u, v = np.array([0.0, 0.3, 0.0, 2.0]), np.array([0.0, 0.2, 0.5, 0.05])
    with np.errstate(all="raise"):
        _, g = ya.grad(f, u, v)
    assert np.isfinite(g[0]).all()
    assert g[0][1] == pytest.approx(2.0 / (2 * np.sqrt(0.3)))


def limited(u, c):
    left, right = u - np.roll(u, 1), np.roll(u, -1) - u
    smaller = np.abs(left) < np.abs(right)
    slope = np.where(left * right > 0, np.where(smaller, left, right), 0.0)
    return np.sum(c * slope**3)


def shrunk(u, c):
    x = np.where(u > 0.4, u - c, np.where(u < -0.4, u + c, 0.0))
    return np.sum(x**3)


def opposite(u, c):
    return np.sum(np.where(u > 0.4, c * u, -u) ** 3 + np.where(u < 0.1, 2.0, -c))


@pytest.mark.parametrize("passes", ["all", "none", "-tidy"])
@pytest.mark.parametrize("f", [limited, shrunk, opposite])
def test_selections_within_selections(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    rng = np.random.default_rng(3)
    for n in (7, 1, 0):
        check(f, (rng.normal(size=n), rng.uniform(1, 2, n)))


def test_truth_values_are_joined_rather_than_selections():
    u = np.linspace(-1.0, 1.0, 7) ** 3
    for f, count in ((limited, 2), (opposite, 1)):
        source = ya.simplegrad(f, u, u, wrt="u").source.split("# reverse")[1]
        lines = [line for line in source.splitlines() if "#" not in line]
        assert "".join(lines).count("np.where") == count, source
    assert "t1 & ~smaller" in ya.simplegrad(limited, u, u, wrt="u").source
