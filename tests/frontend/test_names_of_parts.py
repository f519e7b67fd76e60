"""Parts of arguments are called as the function calls them."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.directional import tangent_source
from yota_ast.ir.abstract_values import fact_of

W, B = np.array([[0.3, -0.2], [0.1, 0.5], [0.7, -0.4]]), np.array([0.2, -0.1])
X = np.array([[0.5, 0.1, -0.3], [1.0, -0.7, 0.2]])


class Model:
    def __init__(self, weight, bias):
        self.weight, self.bias = weight, bias


def unpacked(params, x):
    w, b = params
    return np.sum(np.tanh(x @ w + b))


def one_by_one(params, x):
    w = params[0]
    b = params[1]
    return np.sum(np.tanh(x @ w + b))


def by_key(params, x):
    w, b = params["weight"], params["bias"]
    return np.sum(np.tanh(x @ w + b))


def by_field(model, x):
    w, b = model.weight, model.bias
    return np.sum(np.tanh(x @ w + b))


def in_a_helper(params, x):
    return np.sum(np.tanh(layer(params, x)))


def layer(params, x):
    w, b = params
    return x @ w + b


def rebound(params, x):
    w, b = params
    w = 2.0 * w
    return np.sum(np.tanh(x @ w + b))


def as_the_argument(params, x):
    params, b = params
    return np.sum(np.tanh(x @ params + b))


def two_names(params, x):
    w, b = params
    u = params[0]
    return np.sum(np.tanh(x @ w + b) * (x @ u))


def one_name_for_both(params, x):
    p = params[0]
    h = x @ p
    p = params[1]
    return np.sum(np.tanh(h + p))


def name_of_a_loop(params, x):
    h = x.T
    for w in params:
        h = h * np.sum(w)
    return np.sum(np.tanh(h))


def name_of_a_short_loop(params, x):
    h = x
    for w, b in [params]:
        h = h @ w + b
    return np.sum(np.tanh(h))


def name_of_a_comprehension(params, x):
    return np.sum(np.tanh(x)) * sum([np.sum(w**2) for w in params])


def a_part_alone(params, x):
    w = params[0]
    return np.sum(np.tanh(x @ w))


PAIR = (W, B)
NAMED = [
    (unpacked, PAIR, "    w, b = params\n"),
    (one_by_one, PAIR, "    w, b = params\n"),
    (by_key, {"weight": W, "bias": B}, '    w, b = params["weight"], params["bias"]\n'),
    (by_field, Model(W, B), "    w, b = model.weight, model.bias\n"),
    (in_a_helper, PAIR, "    w, b = params\n"),
    (two_names, PAIR, "    w, b = params\n"),
    (rebound, PAIR, "    params_0, b = params\n"),
    (as_the_argument, PAIR, "    params_0, b = params\n"),
    (one_name_for_both, PAIR, "    params_0, params_1 = params\n"),
    (name_of_a_loop, PAIR, "    params_0, params_1 = params\n"),
    (name_of_a_short_loop, PAIR, "    params_0, params_1 = params\n"),
    (name_of_a_comprehension, PAIR, "    params_0, params_1 = params\n"),
    (a_part_alone, PAIR, "    params_1, w = params[1], params[0]\n"),
]


@pytest.mark.parametrize(("f", "given", "line"), NAMED)
def test_the_name(f, given, line):
    assert line in ya.simplegrad(f, given, X).source


@pytest.mark.parametrize(("f", "given", "line"), NAMED)
def test_the_gradient(f, given, line):
    value, (dparams, dx) = ya.grad(f, given, X)
    assert value == f(given, X)
    change = np.cos(np.arange(X.size)).reshape(X.shape)
    h = 1e-6
    slope = (f(given, X + h * change) - f(given, X - h * change)) / (2 * h)
    assert np.sum(dx * change) == pytest.approx(slope, rel=1e-6)
    if isinstance(given, tuple):
        up, down = ((W + s * h, B + s * h) for s in (1, -1))
        slope = (f(up, X) - f(down, X)) / (2 * h)
        found = sum(np.sum(d) for d in dparams)
        assert found == pytest.approx(slope, rel=1e-6)


def test_another_number_of_items_is_refused():
    df = ya.simplegrad(unpacked, PAIR, X)
    with pytest.raises(ValueError, match="made for params of 2 items"):
        df((W, B, B), X)


def test_forward_mode_calls_them_so_too():
    facts = {"params": fact_of(PAIR), "x": fact_of(X)}
    source = tangent_source(unpacked, wrt="params", facts=facts)
    assert "    w, b = params\n" in source
