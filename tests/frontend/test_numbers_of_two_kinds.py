"""What is an int in one case and a float, or an item of an array, in another is a
number: no array, so that nothing can be written through another name for it."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import FLOAT, INT, NUMBER, fact_of
from yota_ast.ir.facts.joined_facts import join


def bracketed(x, n):
    """A root between two ends that are rebound, as `+=` and by other names."""
    left, right = 0, 4.0
    for _ in range(n):
        s = left
        s += (right - left) / 3
        if s * s * x > 2:
            right = s
        else:
            left = s
    return left * x + right


def swapped(x, y):
    small, large = x[0], 1
    if small > large:
        small, large = large, small
    old = small
    small *= y
    small += large
    return old * small + large


def whole_or_half(x, n):
    step = 2**n
    first = step
    step *= x
    return first * step


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        pytest.param(
            bracketed,
            (0.7, 12),
            marks=pytest.mark.filterwarnings("ignore:.* through comparisons alone"),
        ),
        (swapped, (np.array([0.5, 2.0]), 1.5)),
        (swapped, (np.array([2.5, 2.0]), 1.5)),
        (whole_or_half, (1.5, -2)),
    ],
)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_they_are_rebound_freely(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    report = ya.gradcheck(fn, *args)
    assert report, str(report)


def test_numbers_join_to_a_number():
    item = fact_of(np.float64(1.0))
    for other in (INT, item, fact_of(np.int64(1)), NUMBER):
        assert join(FLOAT, other) == NUMBER == join(other, FLOAT)
    assert not NUMBER.may_be_array
    assert join(FLOAT, fact_of(np.array(1.0))).may_be_array
    assert join(NUMBER, fact_of(np.array(1.0))).may_be_array


def perhaps_an_array(x, wide):
    y = x[0] if wide else x
    z = y
    y += 1.0
    return np.sum(z * y)


def test_what_may_be_an_array_is_written_through_every_name():
    x = np.array([1.0, 2.0])
    for wide in (True, False):
        assert ya.gradcheck(perhaps_an_array, x.copy(), wide)
        assert ya.grad(perhaps_an_array, x.copy(), wide)[0] == perhaps_an_array(
            x.copy(), wide
        )
