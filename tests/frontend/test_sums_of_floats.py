"""`sum` of floats: from Python 3.12 on it keeps what each addition loses, so that the
text calls it, and does not add one after the other."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def of_a_list(x, a):
    z = [x, a] + [x * a] * 2
    return sum(z) * x


def of_a_generator(x, a):
    return sum(x * i * a for i in range(5))


def with_a_start(x, a):
    return sum((x, a, 1.5), start=x * a)


def of_two(x, a):
    return sum([x, a])


def with_one_of_numpys(x, a):
    return sum([np.sin(x), a, x, x * a])


def of_any_number(xs, c):
    return sum([v * v for v in xs], c)


@pytest.mark.parametrize(
    "f", [of_a_list, of_a_generator, with_a_start, of_two, with_one_of_numpys]
)
def test_gradients_of_a_text_that_calls_it(f, monkeypatch):
    monkeypatch.setattr(
        "yota_ast.frontend.library.builtin_reductions.COMPENSATES", True
    )
    text = ya.simplegrad(f, 1.1, 0.37)
    h = 1e-6
    for x in (1.1, 0.7, 2.3):
        value, dx, da = text(x, 0.37)
        assert value == f(x, 0.37)
        slopes = (
            (f(x + h, 0.37) - f(x - h, 0.37)) / (2 * h),
            (f(x, 0.37 + h) - f(x, 0.37 - h)) / (2 * h),
        )
        assert (dx, da) == pytest.approx(slopes, rel=1e-7)


def test_the_value_is_that_of_this_python():
    for x in (1.1, 0.7, 2.3, 0.3):
        check(of_a_list, x, 0.37)
        check(of_a_generator, x, 0.37)
        check(with_a_start, x, 0.37)


def test_the_text_calls_it(monkeypatch):
    monkeypatch.setattr(
        "yota_ast.frontend.library.builtin_reductions.COMPENSATES", True
    )
    assert "sum((x, a, 1.5), " in ya.simplegrad(with_a_start, 1.1, 0.37).source


def test_the_tangent_of_a_sum_begins_with_that_of_its_start():
    """It began with the start itself."""
    report = ya.gradcheck(of_any_number, np.array([1.0, 2.0, 3.0]), 2.0)
    assert report, str(report)
    assert "forward differs" not in str(report)
