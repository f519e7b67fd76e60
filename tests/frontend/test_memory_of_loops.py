"""What random programs have found in loops, late."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax


def written_in_the_next(x, w, K):
    for _ in K["c"]:
        x[w > -0.4] = w[w > -0.4]
        x = K["b"]
    return np.sum(x)


def test_a_part_of_an_argument_that_the_next_iteration_writes():
    """It was taken for memory that the loop makes: the gradient of w was 0."""
    w = np.array([0.1, -0.5, 0.3])
    with pytest.raises(UnsupportedSyntax, match="may share memory"):
        ya.grad(written_in_the_next, w + 1, w, {"b": w * 2, "c": np.ones((3, 2))})


@pytest.mark.parametrize("passes", ["all", "none"])
def test_two_masks_are_counted_where_both_hold(passes, monkeypatch):
    """`np.vdot` of masks says whether there is such a place at all."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def least(p):
        return np.min(np.nan_to_num(np.full(3, p)))

    assert ya.grad(least, 0.3)[1]["p"] == pytest.approx(1.0)


def test_a_comprehension_over_one_of_two():
    def items(a):
        return list(2.0 if a else np.ones(2))

    text = ya.simplegrad(items, 0.4).source
    assert "for v in (2.0 if a else np.ones(2))]" in text


def earlier_value(a, b):
    before = b
    for _ in range(2):
        if a > 0.0:
            b = math.sqrt(b)
    return before * 1.0 + 0.0 * b


def earlier_in_a_while(a, b):
    before, n = b, 0
    while n < 3:
        n += 1
        if n == 2:
            continue
        b = math.sqrt(b) if a > 0.0 else b
    return before * b


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [earlier_value, earlier_in_a_while])
@pytest.mark.parametrize("a", [1.0, -1.0])
def test_a_number_in_the_place_of_an_array_writes_none(f, a, passes, monkeypatch):
    """Its other names stand for what it was: they stood for what it is."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for made in (ya.simplegrad(f), ya.simplegrad(f, a, 0.5)):
        value, *_, db = made(a, 0.5)
        assert value == f(a, 0.5)
        slope = (f(a, 0.5 + 1e-6) - f(a, 0.5 - 1e-6)) / 2e-6
        assert db == pytest.approx(slope, rel=1e-6)
