"""What comparing numbers of either kind gives: a bool, or one of NumPy's."""

import numpy as np
import pytest

import yota_ast as ya


def asked_for_its_class(x):
    y = x
    for _ in range(2):
        c = np.abs(y) < 1
        y = y * 2 if isinstance(c, bool) else np.where(c, y * 3, y)
    return y


def asked_for_its_type(x):
    y = x
    for _ in range(2):
        c = np.abs(y) < 1
        y = y * (2 if type(c) is bool else 3)
        y = np.where(c, y * 3, y)
    return y


def asked_for_a_method(x):
    y = x
    for _ in range(2):
        c = y < 1
        y = np.where(c, y * 3, y) if hasattr(c, "all") else y * 2
    return y


def times_all(y, c):
    try:
        y = y * 2 * c.all()
    except AttributeError:
        y = y * 5
    return np.where(c, y * 3, y)


def a_method_that_a_bool_has_not(x):
    y = x
    for _ in range(2):
        y = times_all(y, y < 1)
    return y


def a_method_of_a_numpy_bool(x):
    y = x
    for _ in range(2):
        y = times_all(y, np.abs(y) < 1)
    return y


def until_all_have_converged(x):
    y, done = x * 1.5, np.zeros(np.shape(x), dtype=bool)
    for _ in range(20):
        new = 0.5 * (y + x / y)
        now = ~done & (np.abs(new - y) < 1e-9)
        done = done | now
        y = np.where(done, y, new)
        if done.all():
            break
    return y


def a_test_in_the_body(x):
    for i in range(3):
        c = np.abs(x) < i
        if c.all():
            x = x * 2
    return x


CASES = [
    asked_for_its_class, asked_for_its_type, asked_for_a_method,
    a_method_that_a_bool_has_not, a_method_of_a_numpy_bool, until_all_have_converged,
    a_test_in_the_body,
]  # fmt: skip
NUMBERS = [0.3, np.float64(0.7), np.array(0.4), np.array([0.2, 3.0])]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("x", NUMBERS, ids=["float", "float64", "0-d", "1-d"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_value_and_the_gradient(f, x, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    expected = f(x)
    seed = np.ones_like(expected)
    value = ya.grad(f, x, seed=seed[()])[0]
    assert np.array_equal(value, expected)
    found = ya.gradcheck(f, x)
    assert found, str(found)


def test_what_compares_pythons_numbers_is_a_bool():
    def f(x: float):
        c = x < 1.0
        return x * 2 if isinstance(c, bool) else x * 3

    assert ya.grad(f, 0.3)[1]["x"] == 2
    assert "\n    val = x * 2\n" in ya.simplegrad(f, 0.3).source


LETTERS = "ABCDEFG"


def test_a_letter_of_a_text():
    def f(x):
        zone = LETTERS[int(x)]
        return x * 2 if zone.lower() >= "c" else x * 3

    for x in (0.3, 4.3):
        assert ya.grad(f, x)[0] == f(x)
        assert ya.gradcheck(f, x)
