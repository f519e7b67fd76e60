"""Variables of the user's that are called like the seed of the gradient."""

import numpy as np
import pytest

import yota_ast as ya


def local_seed(x):
    seed = x * 2.0
    return np.sum(seed**3)


def local_after_parameter(x, seed):
    seed_2 = x * seed
    return np.sum(seed_2**2)


def items_of_parameter(x, seed):
    a, b, c = seed
    return np.sum(x * a) * b * c


def rebound_in_a_loop(x, n):
    seed = x
    for _ in range(n):
        seed = seed * x
    return np.sum(seed)


X = np.array([1.5, -2.0])
CASES = [
    (local_seed, (X,)),
    (local_after_parameter, (X, 3.0)),
    (items_of_parameter, (X, (1.0, 2.0, 3.0))),
    (rebound_in_a_loop, (X, 3)),
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradient(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, *rest = args
    value, g = ya.grad(f, *args)
    assert value == f(*args)
    for k in range(2):
        h = np.zeros(2)
        h[k] = 1e-6
        slope = (f(x + h, *rest) - f(x - h, *rest)) / 2e-6
        assert g["x"][k] == pytest.approx(slope, rel=1e-7)


def test_the_seed_keeps_its_name():
    df = ya.simplegrad(local_seed, X)
    assert df(X, seed=2.0)[1] == pytest.approx(2 * df(X)[1])
    assert "seed_2 = x * 2.0" in df.source


def test_it_stands_behind_defaults_of_parameters_without_a_name_by_its_own():
    def scaled(x, k=2.0, /):
        return x * k

    made = ya.simplegrad(scaled, np.ones(2))
    assert "(x, k=2.0, /, *, seed):" in made.source
    assert made(np.ones(2), seed=np.array([1.0, 3.0]))[1].tolist() == [2.0, 6.0]
