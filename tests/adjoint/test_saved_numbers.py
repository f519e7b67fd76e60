"""Numbers that spare statements are saved: a loop of numbers computes little again."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(4)


def filtered(p, y):
    q, r, a = np.exp(p[0]), np.exp(p[1]), np.tanh(p[2])
    m, v, total = 0.0, 1.0, 0.0
    for yt in y:
        m, v = a * m, a * a * v + q
        s = v + r
        e = yt - m
        k = v / s
        total -= 0.5 * (np.log(s) + e * e / s)
        m, v = m + k * e, (1 - k) * v
    return total


def charged(p, y):
    charge, voltage, misfit = 1.0, 0.0, 0.0
    for i, seen in zip(y, y[::-1]):
        charge -= 0.1 * i / p[0]
        voltage += 0.1 * (i / p[1] - voltage / p[2])
        shown = 3.2 + charge - np.exp(-charge)
        misfit += (shown - i * p[0] - voltage - seen) ** 2
    return misfit / len(y)


def decayed(p, y):
    decay = 1.0
    total = 0.0
    for yt in y:
        decay = decay * p[0]
        total += decay * np.sin(yt)
    return total


def in_arms(p, y):
    state, total = 0.3, 0.0
    for yt in y:
        rate = p[0] * state + yt
        gain = np.tanh(rate)
        if gain > 0:
            step = rate * gain
            total += step * step * p[1]
        else:
            total -= gain
        state = state + 0.1 * gain * rate
    return total + state


def spread(p, y):
    healthy, ill, total = 9.0, 1.0, 0.0
    for yt in y:
        new = p[0] * healthy * ill / (healthy + ill)
        healthy, ill = healthy - new, ill + new - p[1] * ill
        total += new - yt * np.log(new)
    return total


@pytest.mark.parametrize("passes", ["all", "none", "-again"])
@pytest.mark.parametrize("fn", [filtered, charged, decayed, in_arms, spread])
def test_loops_of_numbers(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    p = RNG.uniform(0.5, 1.5, 3)
    gradient = ya.simplegrad(fn, p, RNG.normal(size=5)).fn
    for n in (5, 1, 0):
        y = RNG.normal(size=n)
        if n or fn is not charged:
            check(fn, (p, y))
            np.testing.assert_array_equal(gradient(p, y)[1], ya.grad(fn, p, y)[1]["p"])


@pytest.mark.parametrize(("fn", "saved"), [(filtered, 7), (charged, 5)])
def test_the_loop_stays_as_it_was_written(fn, saved):
    """What is saved stands behind the items, which the header names."""
    source = ya.simplegrad(fn, np.ones(3), np.ones(4)).source
    ahead, back = source.split("# reverse")
    assert "enumerate(" in ahead
    kept = source.partition("saved.append((")[2].partition("))")[0]
    assert kept.count(",") == saved - 1
    assert " = y[" not in back


def test_one_product_is_computed_again():
    source = ya.simplegrad(decayed, np.ones(3), np.ones(4)).source
    assert "decay = decay_in * p[0]" in source


def test_a_number_that_spares_one_statement_is_saved():
    source = ya.simplegrad(spread, np.ones(3), np.ones(4)).source
    assert source.count("        new = ") == 1
    assert "new" in source.partition("saved.append((")[2].partition("))")[0]
