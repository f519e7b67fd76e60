"""What random programs have found in loops, late."""

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
