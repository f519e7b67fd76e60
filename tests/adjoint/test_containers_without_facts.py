"""A container of which nothing is known but how it is read -> the structure of its
gradient: that of `grad`, which knows the container."""

import numpy as np
import pytest

import yota_ast as ya


class Layer:
    def __init__(self, W):
        self.W = W


def of_dict(p):
    return p["a"] * np.sum(p["W"] ** 2)


def of_dict_in_dict(p):
    return p["in"]["a"] * p["in"]["b"] + p["out"] ** 2


def of_object_in_dict(p):
    return p["layer"].W * p["scale"]


def of_dict_in_object(layer):
    return layer.W["k"] * layer.W["b"]


V = np.array([1.0, 2.0])
CASES = [
    (of_dict, {"a": 0.5, "W": V}),
    (of_dict_in_dict, {"in": {"a": 2.0, "b": 3.0}, "out": 0.5}),
    (of_object_in_dict, {"layer": Layer(2.0), "scale": 3.0}),
    (of_dict_in_object, Layer({"k": 2.0, "b": 3.0})),
]


@pytest.mark.parametrize(("f", "p"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_gradient_is_that_of_grad(f, p):
    general, d = ya.simplegrad(f).fn(p), ya.grad(f, p)[1][0]
    assert general[0] == f(p)
    np.testing.assert_equal(general[1], d)


def test_items_by_number_and_by_name_are_found_by_their_path():
    def mixed(p):
        return p.first["a"] * p.first["b"] * p.second

    p = Layer(None)
    p.first, p.second = {"a": 2.0, "b": 3.0}, 5.0
    _, d = ya.simplegrad(mixed).fn(p)
    assert d == {("first", "a"): 15.0, ("first", "b"): 10.0, ("second",): 6.0}
