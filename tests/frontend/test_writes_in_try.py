"""Arrays and lists that a `try` makes and fills: no handler sees them half done."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

X = np.array([0.7, 1.3, 2.1])


def numbers(seq):
    try:
        items = [float(e) for e in seq]
    except ValueError:
        raise ValueError("no numbers") from None
    else:
        return np.sum(np.asarray(items) ** 2)


def filled(seq):
    try:
        y = np.zeros(len(seq))
        for k in range(len(seq)):
            for j in range(k + 1):
                y[k] += seq[j] ** 2
    except ValueError:
        raise ValueError("no numbers") from None
    return np.sum(y**2)


def outer(seq):
    y = np.zeros(len(seq))
    try:
        for k in range(len(seq) + 1):
            y[k] = seq[k] ** 3
    except IndexError:
        pass
    return np.sum(y**2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [numbers, filled])
def test_gradients(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(f, X)
    assert val == f(X)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        slope = (f(X + step) - f(X - step)) / 2e-6
        assert g[0][k] == pytest.approx(slope, rel=1e-7)


def test_what_stands_outside_is_not_written_in_a_loop_of_the_try():
    with pytest.raises(UnsupportedSyntax, match="inside `try`"):
        ya.grad(outer, X)
