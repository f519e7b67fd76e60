"""A root of a number that a clip holds at the edge: 0 is its tangent, and adjoint."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 0.8])
ALONG = np.array([1.0, 0.5])


def of_clip(x):
    return np.sqrt(np.clip(x[0] - x[1], 0.0, 1.0)) * 2 + x[0]


def of_maximum(x):
    return np.maximum(x[0] - x[1], 0.0) ** 0.3 + x[0]


def of_where(x):
    return np.sqrt(np.where(x[0] > x[1], x[0] - x[1], 0.0)) + x[0]


def of_arcsine(x):
    return np.arcsin(np.clip(x[0] + x[1] + 1, 0.0, 1.0)) + x[0]


def in_an_item(x):
    q = np.zeros(2)
    q[0] = np.sign(x[0]) * np.sqrt(np.clip(x[0] - x[1] - 1, -1.0, 3.0) + 1.0)
    q[1] = x[0]
    return np.sum(q)


def in_a_loop(x):
    total = x[0]
    for k in range(3):
        total = total + k * np.sqrt(np.clip(x[0] - x[1], 0.0, 1.0))
    return total


def root(v):
    return np.sqrt(np.maximum(v, 0.0))


def in_a_helper(x):
    return root(x[0] - x[1]) + x[0]


def in_an_arm(x):
    if x[0] < x[1]:
        y = np.sqrt(np.clip(x[0] - x[1], 0.0, 1.0))
    else:
        y = x[1]
    return y + x[0]


FUNCTIONS = [
    of_clip, of_maximum, of_where, of_arcsine, in_an_item, in_a_loop, in_a_helper,
    in_an_arm,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
@pytest.mark.parametrize("f", FUNCTIONS)
def test_at_the_edge(f):
    _, found = ya.jvp(f)(X, ALONG)
    assert found == ya.grad(f, X)[1]["x"] @ ALONG == 1


@pytest.mark.parametrize("f", FUNCTIONS)
def test_off_the_edge(f):
    x, step = np.array([0.8, 0.3]), 1e-6
    if f is of_arcsine:
        x = np.array([-0.8, -0.5])
    _, found = ya.jvp(f)(x, ALONG)
    ends = [f(x + h * ALONG) for h in (step, -step)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


def times_a_number(v, z, dt):
    above = np.maximum(v, 0.0)
    return np.sum(np.sqrt(above * dt) * z)


def over_a_number(v, z, dt):
    return np.sum(np.sqrt(-np.minimum(v, 0.0) / dt) * z)


def in_steps(v, z, dt):
    """What a step hands on is held at the edge by the next."""
    for k in range(2):
        above = np.maximum(v, 0.0)
        v = v + k * np.sqrt(above * dt) * z - dt * above
    return np.sum(v)


def chosen_in_steps(v, z, dt):
    for _ in range(2):
        v = v + np.where(v > 0, np.sqrt(np.where(v > 0, v, 0.0)), z) * dt
    return np.sum(v)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f", [times_a_number, over_a_number, in_steps, chosen_in_steps]
)
def test_arrays_that_are_held_at_the_edge(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v, z, step = np.array([-0.9, 0.5, -1.7]), np.array([0.2, 0.4, -0.3]), 1e-6
    _, found = ya.jvp(f, wrt="v")(v, z, 0.5, np.ones(3))
    assert found == pytest.approx(ya.grad(f, v, z, 0.5)[1]["v"].sum())
    ends = [f(v + h, z, 0.5) for h in (step, -step)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)
