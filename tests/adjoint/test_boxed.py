"""Arrays without axes for numbers: adding to one adjoint changes no other."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

BOXES = {
    "full_like": lambda b: np.full_like(b, b),
    "array": np.array,
    "asarray": lambda b: np.asarray(b, dtype=float),
    "sum where": lambda b: np.sum(b, where=True),
    "max": np.max,
    "min": np.min,
    "nanmax": np.nanmax,
    "quantile": lambda b: np.quantile(b, 0.5),
    "cumsum": lambda b: np.cumsum(b)[0],
    "convolve": lambda b: np.convolve(b, 2.0)[0],
    "tile": lambda b: np.tile(b, 1)[0],
    "repeat": lambda b: np.repeat(b, 2)[1],
    "where": lambda b: np.where(b > 0, b, 0.0),
    "reshape": lambda b: np.reshape(b, ()),
    "squeeze": np.squeeze,
    "copy": np.copy,
    "real": np.real,
    "median": np.median,
    "full": lambda b: np.full((), b),
    "mean": np.mean,
    "clip": lambda b: np.clip(b, 0.0, 9.0),
}


def added_up(a):
    terms = []
    for _ in range(3):
        terms.append(a)  # noqa: PERF401
    return a + sum(terms)


def newton(c):
    x = 1.0
    while abs(x * x - c) > 1e-12:
        x = x - (x * x - c) / (2 * x)
    return x


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("name", BOXES)
def test_an_adjoint_from_a_function(name, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    box = BOXES[name]
    _, g = ya.grad(lambda a: box(added_up(a)), 0.7)
    expected = 8.0 if name == "convolve" else 4.0
    assert g[0] == expected


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("f", "slope"), [(added_up, 4.0), (newton, 0.5 / 0.7**0.5)])
def test_a_seed_without_axes(f, slope, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    seed = np.array(2.0)
    for made in (ya.simplegrad(f), ya.simplegrad(f, 0.7)):
        assert made(0.7, seed=seed)[1] == pytest.approx(2 * slope, rel=1e-12)
        assert seed == 2.0
    assert ya.grad(f, 0.7, seed=seed)[1][0] == pytest.approx(2 * slope, rel=1e-12)
    assert seed == 2.0


def chosen_after_a_branch(x, a, n):
    found = False
    if n:
        q = a * x.max()
        found = True
    if found:
        a = q + a
    r = a**2
    return np.array(np.where(a, r, a))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_an_adjoint_that_np_where_gives_is_not_added_to(passes, monkeypatch):
    """It is an array without axes, which another adjoint may be as well."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([-0.9, 0.05, 0.7])
    assert ya.gradcheck(chosen_after_a_branch, x, 0.7, 3)


def turned_on(q, lengths):
    place, angle = np.zeros(2), 0.0
    for k in range(len(q)):
        angle += q[k]
        place = place + lengths[k] * np.array([np.cos(angle), np.sin(angle)])
    return place @ place


@pytest.mark.parametrize("passes", ["all", "none"])
def test_items_of_the_adjoint_of_a_new_array_are_numbers(passes, monkeypatch):
    """The angle may be an array without axes; its adjoint comes of an array."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for q in (np.array([0.3, 0.4, -1.0]), np.array([0.3, 0.4, -1.0], np.float32)):
        assert ya.gradcheck(turned_on, q.astype(float), np.array([1.0, 2.0, 0.5]))
        assert "[()]" not in ya.simplegrad(turned_on, q, np.ones(3)).source
