"""`"torch" in str(type(x))`: the text of a class of Python or NumPy is known."""

import numpy as np
import pytest

import yota_ast as ya


def by_the_text(x):
    if "torch" in str(type(x)):
        return x.detach().cpu()
    if "ndarray" in str(type(x)):
        return np.sum(x**2)
    return x**3


def by_what_is_found(x):
    if repr(type(x)).find("float64") >= 0:
        return x**2
    if str(type(x)).startswith("<class 'float"):
        return x**3
    return np.sum(x)


def by_a_printed_class(x):
    return np.sum(x) * len(f"{type(x)}") + 0.0 * len(str(np.float64))


def in_one_arm(x):
    if np.sum(x) > 0:
        k = 2 if "list" in str(type(x)) else 3
    else:
        k = len(str(type(x)))
    return np.sum(x) ** k


CLASSES = [2.0, np.float64(2.0), np.array([1.0, 2.0])]


@pytest.mark.parametrize("x", CLASSES, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize(
    "fn", [by_the_text, by_what_is_found, by_a_printed_class, in_one_arm]
)
def test_each_class_has_its_text(fn, x):
    val, _ = ya.grad(fn, x)
    assert val == fn(x)
    assert ya.gradcheck(fn, x)


def test_no_test_of_the_text_is_left():
    assert "str(" not in ya.simplegrad(by_the_text, 2.0).source
    assert "torch" not in ya.simplegrad(by_the_text, np.ones(2)).source


class Named(type):
    """A class of classes that say what they like."""

    def __repr__(cls):
        return "torch"


class Odd(metaclass=Named):
    pass


def of_another_class(x, odd=Odd):
    return x * 2.0 if "torch" in str(odd) else x**2


def test_a_class_may_have_another_text():
    assert ya.grad(of_another_class, 3.0)[1][0] == 2.0
