"""Strings in containers and objects that say what else is in them: `simplegrad` takes
them from the example, and its text checks them."""

import copy

import numpy as np
import pytest

import yota_ast as ya


class Figure:
    def __init__(self, kind, **sizes):
        self.kind = kind
        self.__dict__.update(sizes)


def price(parts, rate):
    total = 0.0
    for part in parts:
        if part["kind"] == "paid":
            total = total + part["sum"] * rate
        elif part["kind"] == "due":
            total = total + part["later"] / (1.0 + rate) ** 2
        else:
            total = total - part["gift"]
    return total


def area(figures):
    total = 0.0
    for figure in figures:
        if figure.kind == "disc":
            total = total + np.pi * figure.radius**2
        else:
            total = total + figure.width * figure.height
    return total


def value(node):
    if node["op"] == "sum":
        return value(node["left"]) + value(node["right"])
    if node["op"] == "product":
        return value(node["left"]) * value(node["right"])
    return node["number"]


PARTS = [
    {"kind": "paid", "sum": 3.0}, {"kind": "due", "later": 2.0},
    {"kind": "given", "gift": 0.5},
]  # fmt: skip
TAG = r"made for parts\[0\]\['kind'\] = 'paid'"
LEAF, OTHER = {"op": "leaf", "number": 2.0}, {"op": "leaf", "number": 3.0}
DISC, BOX = Figure("disc", radius=2.0), Figure("box", width=1.0, height=3.0)
CALLS = {
    "dicts": (price, (PARTS, 0.04)),
    "objects": (area, ([DISC, BOX],)),
    "trees": (value, ({"op": "product", "left": LEAF, "right": OTHER},)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_it_gives_what_grad_gives(name):
    function, args = CALLS[name]
    expected, g = ya.grad(function, *args)
    found, *gradients = ya.simplegrad(function, *args)(*args)
    assert found == expected == function(*args)
    assert gradients == list(g)


def test_other_numbers_with_the_same_tags():
    made, parts = ya.simplegrad(price, PARTS, 0.04), copy.deepcopy(PARTS)
    parts[0]["sum"] = 7.0
    assert made(parts, 0.1)[0] == price(parts, 0.1)
    assert made(parts, 0.1)[2] == ya.grad(price, parts, 0.1)[1]["rate"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([dict(PARTS[0], kind="due"), *PARTS[1:]], TAG), (PARTS[::-1], TAG),
        (PARTS[:2], "made for parts of 3 items"),
    ],
)  # fmt: skip
def test_other_tags_are_refused_by_the_text(parts, message):
    made = ya.simplegrad(price, PARTS, 0.04)
    for call in (made, made.fn):
        with pytest.raises(ValueError, match=f"price_grad: {message}"):
            call(parts, 0.04)
