"""Parameters on one axis, and back."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya


class Pair(NamedTuple):
    w: np.ndarray
    b: float


PARAMS = {
    "w": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "b": 3.0,
    "n": 3,
    "name": "first",
    "q": Pair(np.ones(2, np.float32), 2.0),
    "l": [1.0, 2.0],
    "m": [(1.0, np.float32(2)), np.array(3.0), np.float64(4.0)],
    3: None,
    "kind": Pair,
}


def loss(p):
    numbers = p["l"][0] ** 3 + p["m"][0][0] * p["m"][1] * p["n"]
    return np.sum(p["w"] ** 2) * p["b"] + np.sum(p["q"].w) * p["q"].b + numbers


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        pairs = zip(a, b, strict=True)
        return type(a) is type(b) and all(same(x, y) for x, y in pairs)
    if isinstance(a, (np.ndarray, np.generic)):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def test_there_and_back():
    flat, unravel = ya.ravel(PARAMS)
    assert flat.tolist() == [1, 2, 3, 4, 3, 1, 1, 2, 1, 2, 1, 2, 3, 4]
    assert flat.dtype == float
    assert same(unravel(flat), PARAMS)


def test_what_comes_back_has_memory_of_its_own():
    for params in (np.ones(2), [np.ones(2)], {"w": np.ones((2, 2))}, np.array(1.0)):
        flat, unravel = ya.ravel(params)
        back = unravel(flat)
        inner = next(iter(back.values())) if isinstance(back, dict) else back
        assert not np.shares_memory(inner[0] if isinstance(back, list) else inner, flat)
        assert not np.shares_memory(flat, ya.ravel(flat)[0])


def test_it_is_differentiated_and_pickles():
    flat, unravel = ya.ravel(PARAMS)
    value, g = ya.value_and_grad(lambda z: loss(unravel(z)))(flat)
    expected, by_name = ya.grad(loss, PARAMS)
    assert value == expected
    np.testing.assert_allclose(g, ya.ravel(by_name["p"])[0])
    again = pickle.loads(pickle.dumps(unravel))
    assert same(again(flat), PARAMS)


def test_names_of_classes_do_not_hide_what_the_text_reads():
    class np_(NamedTuple):  # noqa: N801  it is to be had
        x: float

    np_.__name__ = "np"
    flat, unravel = ya.ravel(np_(2.0))
    assert type(unravel(3 * flat)) is np_


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"n": 3},
         ("YotaError: ravel: there are no floats in the parameters\n"
         "Write integers that should vary as floats: 1.0.")),
        ({"z": 1j},
         ("YotaError: ravel: the parameters are complex\n"
         "Give their real and imaginary parts.")),
        ([type("Net", (), {})()],
         ("YotaError: an object of class Net cannot become part of a vector\n"
         "Give arrays, numbers, or tuples, lists and dicts of them.")),
    ],
)  # fmt: skip
def test_refused(params, text):
    with pytest.raises(ya.YotaError) as caught:
        ya.ravel(params)
    assert caught.value.diagnostic == text


def test_another_length_is_refused():
    with pytest.raises(ValueError, match=r"^unravel: made for a vector of 2 numbers$"):
        ya.ravel([1.0, 2.0])[1](np.ones(3))
