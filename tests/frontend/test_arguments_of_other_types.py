"""What was decided by the type of an argument is checked where the text begins."""

import math

import pytest

import yota_ast as ya


def of_texts(x, s):
    return x if isinstance(s, str) else 3 * x


def of_containers(x, s):
    return x if isinstance(s, (list, tuple)) else 3 * x * (1 + isinstance(s, dict))


def of_functions(x, s):
    return x if callable(s) else 3 * x


def of_flags(x, s):
    return x if isinstance(s, bool) or s is True else 3 * x


def of_types(x, s):
    return x if type(s) is str else 3 * x


def of_words(x, s):
    return x if s == "sin" else 3 * x


FUNCTIONS = [of_texts, of_containers, of_functions, of_flags, of_types, of_words]
GIVEN = ["sin", "cos", [1.0], (1.0,), {}, math.sin, True, 2.0]


@pytest.mark.parametrize("example", [None, 2.0, 1, True, "sin"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_another_type_takes_no_other_branch(fn, example):
    if example is None:
        text = ya.simplegrad(fn, wrt="x")
    else:
        text = ya.simplegrad(fn, 2.0, example, wrt="x")
    for s in GIVEN:
        try:
            found = text(2.0, s)[0]
        except ValueError:
            continue
        assert found == fn(2.0, s)


def test_the_text_says_what_it_was_made_for():
    text = ya.simplegrad(of_texts, wrt="x")
    assert text(2.0, 1.0) == (6.0, 3.0)
    with pytest.raises(ValueError, match="made for s that is a number or an array"):
        text(2.0, "sin")
    with pytest.raises(ValueError, match="made for s that is not a function"):
        ya.simplegrad(of_functions, wrt="x")(2.0, math.sin)


def without_the_attribute(x):
    try:
        return x.magnitude * 2
    except AttributeError:
        return x * 3


def test_no_number_has_the_attribute():
    assert ya.simplegrad(without_the_attribute)(2.0) == (6.0, 3.0)
    assert ya.grad(without_the_attribute, 2.0)[0] == 6.0
