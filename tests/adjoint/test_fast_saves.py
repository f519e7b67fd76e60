"""What loops of fast text save."""

import tracemalloc

import numpy as np
import pytest

import yota_ast as ya

from .test_fast import compare
from .test_fast_joins import U, heat

X = np.sin(np.arange(40.0)).reshape(8, 5)
W = np.linspace(0.5, 1.5, 5)


def of_rows(x, w):
    total = 0.0
    for row in x:
        t = row * w
        total = total + np.sum(np.tanh(t) * np.exp(t))
    return total


def widened(x, w, n):
    total = 0.0
    for _ in range(n):
        x = 0.5 * x
        t = x[:, None] * w
        total = total + np.sum(t * t * t)
    return total


def written(u, n):
    for k in range(n):
        t = u * u + 1.0
        u = u + t * t * t
        t[k] = 7.0
        u = u * t
    return np.sum(u)


def written_in_place(u, n):
    u = u * 1.0
    for _ in range(n):
        t = 0.1 * u[1:] + 0.2 * u[:-1]
        u[1:] += t * t
    return np.sum(u * u)


def left_early(u, n):
    for _ in range(n):
        t = u + 0.5 * u * u
        if np.sum(t) > 30.0:
            break
        u = t * t * 0.1 + u
    return np.sum(u)


CASES = [
    (heat, (U, 0.2, 3)),
    (of_rows, (X, W)),
    (widened, (X[:, 0], W, 3)),
    (written, (U, 3)),
    (written_in_place, (U, 3)),
    (left_early, (U, 9)),
]


@pytest.mark.parametrize("passes", ["all", "-fast-saves", "fast-saves,again,once"])
@pytest.mark.parametrize(("fn", "args"), CASES)
def test_gradients_are_right(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    compare(fn, args, {})


def test_what_is_computed_last_is_saved():
    source = compare(heat, (U, 0.2, 3), {}).source
    assert "saved.append(t1)" in source
    assert "dk += np.vdot(du_part, t1)" in source


def peak(gradient, args):
    """The memory that a call takes, in bytes."""
    gradient(*args)
    tracemalloc.start()
    gradient(*args)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return taken


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (heat, (np.linspace(0.0, 1.0, 5000), 0.2, 50)),
        (of_rows, (np.ones((100, 3000)), np.ones(3000))),
        (widened, (np.ones(100), np.ones(50), 50)),
    ],
)
def test_no_more_memory_is_taken(fn, args, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-blocks")
    texts = [ya.simplegrad(fn, *args, fast=fast).fn for fast in (False, True)]
    readable, fast = (peak(text, args) for text in texts)
    assert fast <= 1.02 * readable
