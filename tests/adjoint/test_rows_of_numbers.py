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
