"""Data in an order drawn at random: each slope goes to where its number came from."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(7)
WEIGHTS = np.array([1.0, 3.0, -2.0, 5.0])


def of_a_generator(v):
    return float(np.random.default_rng(0).permutation(v * v) @ WEIGHTS)


def of_the_module(v):
    np.random.seed(3)  # noqa: NPY002
    return float(np.random.permutation(v) @ WEIGHTS)  # noqa: NPY002


def of_a_state(v):
    return float(np.random.RandomState(1).permutation([v[0], 2 * v[1]])[0])


def of_rows(v):
    rows = np.outer(v, v)
    return float(np.random.RandomState(1).permutation(rows)[0] @ WEIGHTS)


def of_a_global(v):
    return float(np.sum(RNG.permutation(v) ** 2))


def of_a_length(v, n):
    rng = np.random.default_rng(0)
    return float(v[rng.permutation(n)] @ v[rng.permutation(np.arange(4))] * v[0])


V = np.array([0.3, 1.2, -0.5, 2.0])


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (of_a_generator, (V,)),
        (of_the_module, (V,)),
        (of_a_state, (V,)),
        (of_rows, (V,)),
        (of_a_length, (V, 4)),
    ],
)
def test_gradients_are_right(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, *args)


def test_of_a_generator_that_goes_on():
    _, gradient = ya.grad(of_a_global, V)
    assert np.array_equal(gradient["v"], 2 * V)


def test_what_may_be_a_number_of_items_is_refused():
    with pytest.raises(ya.NoRule, match="data or a number of items"):
        ya.simplegrad(of_the_module)


@pytest.mark.parametrize("n", [0, 1, 2, 9, 70])
@pytest.mark.parametrize("drawing", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("dtype", [float, np.int8, complex, np.float32])
def test_what_is_drawn_is_the_same_for_the_same_length(n, drawing, dtype):
    for x in (np.arange(n).astype(dtype), np.arange(2 * n).reshape(n, 2).astype(dtype)):
        one, other = drawing(5), drawing(5)
        assert np.array_equal(one.permutation(x), x[other.permutation(len(x))])
        assert one.random() == other.random()
