"""What one arm of a branch gives is added in that arm."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

POS = np.random.default_rng(1).normal(size=(5, 3))
X = np.array([0.3, -1.0, 2.0, 0.7, 1.1])


def near_ones(pos, reach):
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i):
            d = pos[i] - pos[j]
            r2 = d @ d
            if r2 > reach**2:
                continue
            energy += (reach**2 - r2) ** 2
    return energy


def not_added_up(pos, reach):
    energy = 0.0
    for i in range(1, len(pos)):
        d = pos[i] - pos[i - 1]
        r = np.sqrt(d @ d + 0.1)
        if r < reach:
            energy += np.log(r) * reach
    return np.sin(energy)


def with_a_state(x, w):
    v, total = 0.0, 0.0
    for i in range(1, len(x)):
        depth = x[i] - w * x[i - 1]
        if depth > 0.0:
            v = 0.9 * v + depth**2
            total += v * w
    return total


def of_two_places(x, w):
    total = 0.0
    for i in range(1, len(x)):
        s = x[i] * x[i - 1]
        if s > w:
            y = s * s
            total += y
        else:
            total -= w
    return total**2


def nested(x, w):
    total = 0.0
    for i in range(1, len(x)):
        s = x[i] * x[i - 1]
        if s > -2.5:
            if s > 1.0:
                continue
            total += np.sin(w * s)
    return np.exp(total)


LONGER = [
    (near_ones, (POS, 1.9)),
    (not_added_up, (POS, 1.9)),
    (of_two_places, (X, 0.4)),
    (nested, (X, 0.4)),
]


@pytest.mark.parametrize("passes", ["all", "none", "-vectors", "-branches", "-fused"])
@pytest.mark.parametrize(("f", "args"), [*LONGER, (with_a_state, (X, 0.4))])
def test_gradients(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, args)
    array, rest = args[0], args[1:]
    v = np.linspace(0.3, 1.0, array.size).reshape(array.shape)
    second = ya.hvp(f)(array, v, *rest)
    near, far = (ya.grad(f)(array + h * v, *rest) for h in (1e-5, -1e-5))
    np.testing.assert_allclose(second, (near - far) / 2e-5, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("f", "args"), LONGER)
def test_no_arm_gives_zero(f, args, monkeypatch):
    source = ya.simplegrad(f, *args).source
    monkeypatch.setenv("YOTA_AST_PASSES", "-branches")
    other = ya.simplegrad(f, *args).source
    assert source.count(" = 0.0\n") < other.count(" = 0.0\n"), source
    assert len(source.splitlines()) < len(other.splitlines())


def test_what_the_other_arm_would_multiply_is_infinite():
    def f(x, w):
        total = 0.0
        for i in range(1, len(x)):
            s = x[i - 1] / x[i]
            if abs(s) < 3.0:
                total += s**2 * w
        return total

    with np.errstate(all="ignore"):
        gradient = ya.grad(f, np.array([1.0, 2.0, 0.0, 4.0]), 0.4)[1][0]
    np.testing.assert_allclose(gradient, [0.2, -0.1, 0.0, 0.0], atol=1e-15)


# ------------------------------------------------------------ which stay


def read_elsewhere(x, w):
    x, total = x.copy(), 0.0
    for i in range(1, len(x)):
        s = np.sin(x[i] * w)
        if s > 0.1:
            total += s**2
        x[i - 1] = total
    return total + x[0]


def of_functions(pos, reach):
    total = 0.0
    for i in range(1, len(pos)):
        m = np.outer(pos[i], pos[i - 1])
        s = np.sum(m @ m)
        if s > reach:
            continue
        total += s**2
    return total


def into_one_array(x, w):
    y, total = x.copy(), 0.0
    for i in range(1, len(x)):
        s = y[i] * w
        if s > 0.1:
            y[i] = s**2
        y[i - 1] += y[i]
        total += y[i - 1] * s
    return total


def of_both_arms(x, w):
    total = 0.0
    for i in range(1, len(x)):
        a, b = x[i] * w, x[i - 1] * w
        if a > b:
            total += a**2
        else:
            total += b**3
    return total


@pytest.mark.parametrize("passes", ["all", "-branches", "-inplace", "-zeroing"])
@pytest.mark.parametrize(
    "f", [read_elsewhere, of_functions, into_one_array, of_both_arms]
)
def test_others(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    args = (POS, 1.9) if f is of_functions else (X.copy(), 0.4)
    check(f, args)
