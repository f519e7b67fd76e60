"""A text tells which function an argument's field or item holds."""

from __future__ import annotations

import functools

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


@pytest.mark.parametrize(
    "fn", [lambda x: x[0], functools.partial(np.sum, axis=0)], ids=["lambda", "partial"]
)
@pytest.mark.parametrize(
    ("f", "holding", "at"),
    [
        (by_field, Holder, "o.f"),
        (by_item, lambda f: (f, 2.0), "o[0]"),
        (by_key, lambda f: {"f": f, "w": 2.0}, "o['f']"),
    ],
)
def test_a_function_that_its_name_does_not_tell_is_refused(fn, f, holding, at):
    with pytest.raises(ya.UnsupportedCall) as error:
        ya.simplegrad(f, X, holding(fn))
    assert error.value.diagnostic == (
        f"UnsupportedCall: `{at}` is a function without an importable name:"
        " generated code cannot tell it from other functions\n"
        "Bind it with functools.partial, or call `grad`."
    )
    for held in (holding(fn), holding(half)):
        assert ya.grad(f, X, held)[0] == f(X, held)
    bound = ya.simplegrad(functools.partial(f, o=holding(fn)), X)
    assert bound(X)[0] == f(X, holding(fn))


class Model(Holder):
    def __call__(self, x):
        return self.f(x) * self.w


def test_what_a_method_is_bound_to_may_hold_any():
    one, other = Model(lambda x: x[0]), Model(lambda x: x[2])
    for model in (one, other):
        assert ya.simplegrad(model, X)(X)[0] == model(X)
