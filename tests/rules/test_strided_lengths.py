"""How many every second item are, say: the lengths that facts tell, and the sweeps that
need no helper for them."""

import itertools

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check
from yota_ast.ir.axis_lengths import axis_dim
from yota_ast.rules.inference.slice_lengths import length_of_slice

RNG = np.random.default_rng(2)
LINE = RNG.normal(size=9)


@pytest.mark.parametrize("step", [2, 3, 4])
def test_lengths_are_those_of_ranges(step):
    ends = itertools.product((None, 0, 1, 3), (None, -1, -2, -4))
    for (start, stop), n in itertools.product(ends, range(9)):
        written = slice(start, stop, step)
        length = length_of_slice(axis_dim("n", n), written)
        assert length is not None
        assert length.example == len(range(n)[written]), (written, n)
        value = eval(length.base, {"n": n}) + length.offset
        assert max(value, 0) == len(range(n)[written]), (written, n, str(length))


def red_and_black(x, steps):
    x = x.copy()
    for _ in range(steps):
        x[1:-1:2] = 0.5 * (x[:-2:2] + x[2::2])
        x[2:-1:2] = 0.5 * (x[1:-2:2] + x[3::2])
    return np.sum(np.sin(x))


def halved(x):
    mean, gap = 0.5 * (x[::2] + x[1::2]), x[::2] - x[1::2]
    return np.sum(mean**3 * gap)


@pytest.mark.parametrize("passes", ["all", "none", "-tidy"])
def test_right(monkeypatch, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for n in (9, 8, 4):
        check(red_and_black, (LINE[:n], 3))
    check(halved, (LINE[:8],))


def test_no_helper_is_needed():
    source = ya.simplegrad(red_and_black, LINE, 3, wrt="x").source
    assert "saved" not in source
    assert "def un" not in source + ya.simplegrad(halved, LINE[:8]).source


def test_other_lengths():
    made = ya.simplegrad(red_and_black, LINE, 3, wrt="x").fn
    for n in (0, 1, 2, 3, 8, 12):
        x = RNG.normal(size=n)
        expected = ya.grad(red_and_black, x, 2, wrt="x")[1]["x"]
        np.testing.assert_allclose(made(x, 2)[1], expected, 1e-12)
