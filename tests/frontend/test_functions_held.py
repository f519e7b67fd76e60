"""A text tells which function an argument's field or item holds."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, 1.0, 2.5])


def third(x):
    return x.sum() / 3


def half(x):
    return x.sum() / 2


class Holder:
    def __init__(self, f, w=3.0):
        self.f, self.w = f, w


def by_field(x, o):
    return o.f(x) * o.w


def by_item(x, o):
    return o[0](x) * o[1]


def by_key(x, o):
    return o["f"](x) * o["w"]


@pytest.mark.parametrize(
    ("f", "made", "other", "message"),
    [
        (by_field, Holder(third), Holder(half), "by_field_grad: made for o.f = third"),
        (by_item, (third, 2.0), (half, 2.0), "by_item_grad: made for o[0] = third"),
        (
            by_key,
            {"f": third, "w": 2.0},
            {"f": half, "w": 2.0},
            "by_key_grad: made for o['f'] = third",
        ),
        (by_field, Holder(np.sum), Holder(half), "by_field_grad: made for o.f = sum"),
    ],
)
def test_another_function_is_refused(f, made, other, message):
    text = ya.simplegrad(f, X, made)
    assert text(X, made)[0] == f(X, made)
    with pytest.raises(ValueError, match="made for") as caught:
        text(X, other)
    assert str(caught.value) == message
    assert ya.grad(f, X, other)[0] == f(X, other)
