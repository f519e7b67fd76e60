"""Programs of engineers: their gradients are right, and read as an expert's."""

import ast

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

pytest.importorskip("scipy")
from .engineering import CASES

BY_NAME = {fn.__name__: (fn, args) for fn, args in CASES}
HELPERS = {
    "rk4": ["_lotka", "_lotka_reverse"],
    "kepler": ["divided"],
}


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("name", BY_NAME)
def test_the_gradient(name, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(*BY_NAME[name])


@pytest.mark.parametrize("name", BY_NAME)
def test_which_helpers_the_text_calls(name):
    tree = ast.parse(text_of(name))
    functions = [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    assert functions[1:] == HELPERS.get(name, [])


def steps(xs, W, h):
    for x in xs:
        h = np.tanh(W @ x) * h
    return np.sum(h)


def test_what_a_loop_hands_on_has_the_lengths_of_the_example():
    xs, W = np.ones((3, 2)), np.ones((4, 2))
    d_steps = ya.simplegrad(steps, xs, W, np.ones(4))
    assert 'getattr(h, "shape", 0) != (W.shape[0],)' in d_steps.source
    assert "unbroadcast" not in d_steps.source
    with pytest.raises(ValueError, match="W \\(k, m\\), h \\(k,\\)"):
        d_steps(xs, W, np.ones(1))
    check(steps, (xs, W, np.array([0.3])))  # a text of its own


def parts(x, w):
    return np.sum(x[:3] * x[1:4] * w)


def test_a_part_of_an_axis_is_as_long_as_it_says():
    d_parts = ya.simplegrad(parts, np.arange(6.0), np.ones(3))
    assert "x.shape[0] < 4" in d_parts.source
    assert d_parts(np.arange(4.0), np.ones(3))[0] == 8.0
    with pytest.raises(ValueError, match="made for"):
        d_parts(np.arange(2.0), np.ones(1))
    check(parts, (np.arange(2.0), np.array([0.5])))


def windows(x, n):
    y = x.copy()
    for i in range(1, n):
        y[i:] = y[i:] - x[i - 1] * x[i:]
        y[: n - i] += x[: n - i] * y[: n - i]
        y[i + 1 :] *= y[i + 1 :]
    return np.sum(y)


def other_windows(x, n):
    y = x.copy()
    for i in range(1, n):
        y[i:] = y[i:] * x[i - 1 : n - 1]
    return np.sum(y)


def test_slices_of_the_same_ends_have_one_length():
    x = np.array([0.3, 0.5, -0.4, 0.8])
    assert "unbroadcast" not in check(windows, (x, 4))
    assert "unbroadcast" in check(other_windows, (x, 4))
    check(windows, (x[:1], 1))


def saved_copies(text):
    """What the forward sweep copies beside what the function does itself."""
    return [line for line in text.splitlines() if "_old" in line and ".copy()" in line]


@pytest.mark.parametrize("name", ["heat", "burgers", "hmm"])
def test_what_is_made_anew_in_each_iteration_is_kept_without_a_copy(name):
    assert saved_copies(text_of(name)) == []


def view_of_new(u, n):
    for _ in range(n):
        new = u.copy()
        part = new[1:]
        u = np.sin(part)
        part *= u
        u = np.append(u, new[0] ** 2) * new
    return np.sum(u**2)


def new_outside(u, n):
    for i in range(n):
        w = np.zeros_like(u)
        for k in range(len(u)):
            v = w[: k + 1] ** 2
            w[k] = np.sin(u[k] * np.sum(np.cos(w)) + np.sum(v))
            w[0] += 0.1 * u[k]
        u = u + w * w
    return np.sum(u)


def exchanged(u, n):
    old, new = u.copy(), u * 0.5
    for _ in range(n):
        new[1:] = old[1:] * old[:-1] + new[:-1] ** 2
        old, new = new, old
    return np.sum(old * new)


def perhaps_new(u, n):
    for i in range(n):
        w = u if i % 2 else u.copy()
        t = np.sin(u)
        w[1:] += t[:-1] * u[:-1]
        u = w * np.cos(u)
    return np.sum(u**2)


def kept_new(u, n):
    rows = []
    for i in range(n):
        new = u * 1.5
        rows.append(new)
        u = np.exp(-new) * u
        new[0] = u[1] * new[0]
    return np.sum(np.array(rows) ** 2) + np.sum(u)


def carried_new(u, n):
    last = u.copy()
    for _ in range(n):
        new = last * u
        last = last + new**2
        new[1:] *= new[:-1]
        u = new
        last[0] = u[0] * last[1]
    return np.sum(last * u)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn", [view_of_new, new_outside, exchanged, perhaps_new, kept_new, carried_new]
)
def test_what_is_written_where_it_is_made_in_a_loop(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (np.array([0.3, 0.7, -0.4, 0.2]), 2))


def text_of(name):
    fn, args = BY_NAME[name]
    return ya.simplegrad(fn, *args).source


def test_what_broadcasts_by_itself_is_not_spread_first():
    assert "broadcast_to" not in text_of("nbody")
