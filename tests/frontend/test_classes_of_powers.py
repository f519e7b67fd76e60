"""The class of a power of one of Python's numbers, which is complex if that is
negative: the gradient is right, or raises."""

import operator

import numpy as np
import pytest

import yota_ast as ya


def of_power(x):
    return 3 * x if isinstance(x**0.5, float) else 5 * x


def of_called_power(x):
    return 3 * x if isinstance(pow(x, 0.5), float) else 5 * x


def of_operator(x):
    return 3 * x if isinstance(operator.ipow(x, 0.5), complex) else 5 * x


def of_product(x):
    r = 2 * x**0.5 + 1
    return 3 * x if type(r) is float else 5 * x


def of_item(x):
    r = [x**0.5]
    for _ in range(1):
        r[0] = r[0] * 2
    return 3 * x if isinstance(r[0], float) else 5 * x


def of_sum(x):
    r = sum([x**0.5, 1.0])
    return 3 * x if hasattr(r, "is_integer") else 5 * x


def of_pattern(x):
    match x**0.5:
        case float():
            return 3 * x
        case _:
            return 5 * x


def of_carried(x):
    r, s = x, 0.0
    for _ in range(3):
        if isinstance(r, float):
            s = s + x
        r = r**0.5
    return s


def of_merged(x):
    r = x
    if x < 0:
        r = x**0.5
    return 3 * x if isinstance(r, float) else 5 * x


def classed(q):
    s = 3.0 if isinstance(q, float) else 5.0
    for k in range(3):
        q = q + k
    return s


def of_called(x):
    parts = [classed(x), classed(2 * x), classed(3 * x), classed(x**0.5)]
    return parts[3] * x


def of_complex(x):
    return 5 * x if np.iscomplexobj(x**0.5) else 3 * x


def of_real(x):
    return 3 * x if np.isrealobj(x**0.5) else 5 * x


ALL = [
    of_power, of_called_power, of_operator, of_product, of_item, of_sum, of_pattern,
    of_carried, of_merged, of_called, of_complex, of_real,
]  # fmt: skip


def found_or_raised(fn, *args):
    """What a function gives; None if it raises for a complex power."""
    try:
        return fn(*args)
    except ValueError as error:
        if "a power of a negative one is complex" not in str(error):
            raise
        return None


@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_the_gradient_is_right_or_raises(fn):
    """All are linear in x on either side."""
    made = ya.simplegrad(fn, 4.0)
    for slope in (lambda x: made(x)[1], ya.grad(fn), lambda x: ya.jvp(fn)(x, 1.0)[1]):
        assert found_or_raised(slope, 4.0) == fn(4.0) / 4.0
        assert found_or_raised(slope, -4.0) in (None, fn(-4.0) / -4.0)


def test_what_is_surely_real_is_not_checked():
    def of_a_size(x):
        size, square, double = abs(x**0.5), x**2.0, 2 * x
        known = isinstance(size, float), isinstance(square, float)
        return 3 * x if all(known) and isinstance(double, float) else 5 * x

    made = ya.simplegrad(of_a_size, 4.0)
    assert made(-4.0)[1] == 3.0
    assert "iscomplexobj" not in made.source


def test_within_a_try_it_is_refused():
    def caught(x):
        r = x**0.5
        try:
            return 3 * x if isinstance(r, float) else 5 * x
        except ValueError:
            return 7 * x

    with pytest.raises(ya.UnsupportedSyntax, match="within a `try` the class"):
        ya.simplegrad(caught, 4.0)
