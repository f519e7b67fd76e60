"""Loops over rows of numbers that are given, and the adjoints of the rows."""

import math

import numpy as np
import pytest

import yota_ast as ya


def beam(sections, load, E):
    total = 0.0
    for s, q in zip(sections, load):
        inertia = s["w"] * s["h"] ** 3
        total += q**2 / (E * inertia) + max(0.0, q * s["h"] - 1.0)
    return total


def edges(rows, x):
    total = 0.0
    for a, (b, c) in enumerate(rows):
        total += b * c**2 * x[a]
    return total


def lists(rows, k):
    total = 0.0
    for row in rows:
        total += np.sin(row[0] * k) * row[1]
    return total


def flash(T, P, z, coef):
    total = 0.0
    for zi, (a, b, c) in zip(z, coef):
        K = math.exp(a - b / (T + c)) / P
        total += zi * (K - 1) / (1 + 0.4 * (K - 1))
    return total**2


SECTIONS = [{"w": 0.1 + 0.1 * i, "h": 0.5 + 0.2 * i} for i in range(4)]
PAIRS = [(0.3, 1.2), (0.5, 0.7), (1.1, 0.4)]
X = np.array([0.4, 1.3, 0.8])
CASES = [
    (beam, (SECTIONS, [1.0, 2.0, 3.0, 1.5], 2.0)),
    (beam, (SECTIONS, [1.0, 2.0], 2.0)),
    (beam, (SECTIONS, np.array([1.0, 2.0, 3.0, 1.5]), 2.0)),
    (edges, (PAIRS, X)),
    (edges, (tuple(PAIRS), X)),
    (lists, ([list(p) for p in PAIRS], 0.8)),
    (lists, ([[1, 2.0], [2, 0.5], [3, 0.25]], 0.8)),
]


@pytest.mark.parametrize(("fn", "args"), CASES)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_rows_have_their_gradients(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(fn, *args)
    value, g = ya.grad(fn, *args)
    assert value == fn(*args)
    assert type(g[0]) is type(args[0])
    for row, d in zip(args[0], g[0], strict=True):
        assert type(d) is type(row)
        numbers = list(d.values()) if isinstance(d, dict) else list(d)
        assert len(numbers) == len(row)
        assert {type(n) for n in numbers} <= {float, type(None)}


def test_zeros_and_floats_need_no_helper():
    source = ya.simplegrad(beam, SECTIONS, [1.0] * 4, 2.0, wrt=["sections"]).source
    assert 'dsections = [{"w": 0.0, "h": 0.0} for _ in sections]' in source
    assert "in_form_of" not in source
    assert "sections[0]" not in source.partition("# forward")[2]
    pairs = ya.simplegrad(edges, PAIRS, X).source
    assert "zeros_in_lists" not in pairs
    assert "in_form_of" not in pairs


def test_a_number_with_a_name_is_saved_beside_the_items_of_a_row():
    coef = [(9.1, 2700.0, -50.0), (9.3, 3100.0, -48.0), (9.5, 3600.0, -53.0)]
    args = (350.0, 1.2, [0.3, 0.3, 0.4], coef)
    source = ya.simplegrad(flash, *args, wrt=["T", "P"]).source
    assert "for zi, a, b, c, K in saved[::-1]:" in source
    assert ya.gradcheck(flash, *args)


def test_numbers_of_numpy_become_floats():
    load = np.array([1.0, 2.0, 3.0, 1.5])
    _, g = ya.grad(beam, SECTIONS, load, 2.0, wrt=["sections"])
    assert {type(n) for d in g[0] for n in d.values()} == {float}


def test_other_rows_are_refused_at_the_entry():
    made = ya.simplegrad(beam, SECTIONS, [1.0] * 4, 2.0, wrt=["sections"])
    with pytest.raises(ValueError, match="beam_grad: made for"):
        made.fn([{**s, "r": 1.0} for s in SECTIONS], [1.0] * 4, 2.0)
    with pytest.raises(ValueError, match="beam_grad: made for"):
        made.fn(SECTIONS[:3], [1.0] * 4, 2.0)


def begun_in_one_arm(X, a, n):
    s = a
    s += X[0][1] if X[0][1] > 0 else X[1][0]
    s += X[n][1] * X[n - 1][2]
    for i in range(2):
        s = s * 0.5 + X[i][1]
    if s > 0.3:
        s += X[2][0]
    else:
        s -= X[n][1]
    return s


@pytest.mark.parametrize("a", [-0.258, 3.0])
def test_zeros_that_one_arm_hands_on_are_there_in_the_other(a):
    X = [[-0.835, 0.86, 0.589], [0.433, 0.168, -0.95], [0.153, 0.492, -0.834]]
    found = ya.simplegrad(begun_in_one_arm, X, a, 1, wrt=["X"]).fn(X, a, 1)[1]
    for i, row in enumerate(X):
        for j, v in enumerate(row):
            ends = []
            for h in (1e-6, -1e-6):
                row[j] = v + h
                ends.append(begun_in_one_arm(X, a, 1))
            row[j] = v
            assert found[i][j] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-8)
