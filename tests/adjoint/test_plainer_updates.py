"""Adjoints that are updated as a person would write it: sums of what is picked,
halves, parts turned round; and where the text stays as it was."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import PASSES, check

V = np.array([0.3, -1.0, 2.0, 0.7])


def reverse_of(f, *args, **options):
    source = ya.simplegrad(f, *args, **options).source
    return source.partition("# reverse\n")[2].partition("\n\n    return")[0]


# ------------------------------------------------------------------- picked


def least_of_three(v):
    total = 0.0
    for k in range(1, len(v)):
        a, b = v[k - 1], v[k]
        c = a * b
        total += min(a, b, c) * np.sin(a) + b
    return total


@pytest.mark.parametrize("passes", PASSES)
def test_what_is_picked_is_a_number(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for v in (V, V[:1], V.astype(np.float32)):
        check(least_of_three, (v,))


def test_what_is_picked_is_one_sum_with_the_rest():
    assert "dv[k] += seed + t4 + dc * a\n" in reverse_of(least_of_three, V)
