"""Objects in lists and tuples from outside: their fields as they are, and watched."""

import types

import numpy as np
import pytest

import yota_ast as ya


class Layer:
    def __init__(self, act, flag, w):
        self.act = act
        self.flag = flag
        self.w = w


PAIR = (Layer(np.sin, False, 2.0), Layer(np.cos, True, 3.0))
LAYERS = [Layer(np.sin, False, 2.0)]
NET = types.SimpleNamespace(layers=[Layer(np.sin, False, 2.0)])


def of_a_tuple(x):
    return x * x if PAIR[0].flag else x


def of_a_list(x):
    return x * x if not LAYERS[0].flag else x


def of_a_name(x):
    last = PAIR[-1]
    flag = last.flag
    if flag:
        return x * last.w
    return x


def of_a_field(x):
    return x * x * NET.layers[0].w if NET.layers[0].flag is False else x


def of_a_function(x):
    return PAIR[0].act(x) * PAIR[1].act(x)


def of_all(x):
    for layer in LAYERS:
        x = layer.act(x) * layer.w if not layer.flag else x
    return x


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f", [of_a_tuple, of_a_list, of_a_name, of_a_field, of_a_function, of_all]
)
def test_gradients(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, dx = ya.simplegrad(f, 1.3)(1.3)
    assert val == f(1.3)
    assert abs(dx - (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6) < 1e-6


def asks_for_a_field(x):
    return x * x if hasattr(NET, "extra") else x


def asks_with_a_default(x):
    return x * getattr(NET, "scale", 1.0)


def catches(x):
    try:
        return x * NET.shift
    except AttributeError:
        return x * x


def over_all_fields(x):
    for name, value in NET.__dict__.items():
        if name == "scale":
            x = x * value
    return x


@pytest.mark.parametrize(
    "f",
    [of_a_tuple, of_a_list, of_a_field, of_all, asks_for_a_field, asks_with_a_default,
     catches, over_all_fields],
)  # fmt: skip
def test_a_gradient_is_made_anew_where_they_have_changed(f, monkeypatch):
    try:
        assert ya.grad(f, 1.3)[0] == f(1.3)
    except (ya.UnsupportedCall, ya.UnsupportedSyntax):
        assert f is catches
    for layer in (PAIR[0], LAYERS[0], NET.layers[0]):
        monkeypatch.setattr(layer, "flag", True)
        monkeypatch.setattr(layer, "act", np.cos)
    for name, value in (("extra", 1), ("scale", 5.0), ("shift", 2.0)):
        monkeypatch.setattr(NET, name, value, raising=False)
    val, g = ya.grad(f, 1.3)
    assert val == f(1.3)
    assert abs(g[0] - (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6) < 1e-6
