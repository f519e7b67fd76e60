"""`s += e` of what may be an array without axes, where another name is read later."""

import numpy as np
import pytest

import yota_ast as ya
from tests.frontend.every_mode import check_every_mode

P, V = np.array([0.3, 0.7, 0.4]), np.array([0.5, -0.2, 0.9])


def chosen(x, up):
    s = np.sum(x * x)
    if x[0] > up:
        s = np.where(x[1] > x[2], x[1] * x[0], s)
    return s


def plain(x):
    s = chosen(x, 1)
    t = s
    t *= x[0]
    return s * t


def in_an_arm(x):
    s = chosen(x, 1)
    t = s
    if x[1] > 0.1:
        t += x[0]
    return s * t


def in_a_loop(x):
    s, r = chosen(x, 1), x[0]
    for _ in range(3):
        t = s
        t *= r
        s, r = s + t, s
    return s * t


def swapped_in_a_loop(x):
    s, r = chosen(x, 1), x[0]
    for i in range(3):
        s += r
        if i > 0:
            r = s
        else:
            s, r = r, s
    return s * r


def in_a_helper(x):
    def raised(q):
        q += x[1]
        return q

    s = chosen(x, 1)
    return raised(s) * s


def after_an_overwrite(x):
    y = x * x
    y[0] = chosen(x, 1)
    s = chosen(y, 1)
    t = s
    t -= y[0]
    return s * t


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn",
    [plain, in_an_arm, in_a_loop, swapped_in_a_loop, in_a_helper, after_an_overwrite],
)
def test_a_number_is_left_as_it_is(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(fn, P, V)


def test_the_text_tests_that_it_is_a_number():
    source = ya.grad(plain, P)[1].source
    assert "if not np.isscalar(s_2):" in source
    assert 'raise ValueError("made for `s` as a number")' in source


def array_without_axes(x):
    s = chosen(x, 0)
    t = s
    t *= x[0]
    return s * t


def test_an_array_with_two_names_is_refused():
    with pytest.raises(ya.UnsupportedSyntax) as refused:
        ya.grad(array_without_axes, np.array([0.3, 0.7, 0.4]))
    assert refused.value.reason == (
        "`s` may share memory with an array that has changed since then"
    )


def test_without_an_example_it_is_refused():
    def fn(x, w):
        s = w
        s *= x
        return np.sum(s * w)

    with pytest.raises(ya.UnsupportedSyntax):
        ya.simplegrad(fn)


def in_what_a_handler_would_catch(x, z):
    """The handler would take what the test raises for an error of the function's."""
    try:
        s = z
        try:
            s = x @ chosen  # it is no array: a ValueError
            if (0, 2):  # noqa: F634
                pass
        except ValueError:
            s -= x[1:] @ [x, x] @ x
    except ValueError:
        pass
    other = z
    return other  # noqa: RET504


def test_no_number_is_guessed_where_a_handler_would_catch_the_test():
    x, z = np.array([0.9, 0.1, 0.6]), np.array(0.3)
    with pytest.raises(ya.UnsupportedSyntax, match="may share memory with an array"):
        ya.simplegrad(in_what_a_handler_would_catch, x, z)
