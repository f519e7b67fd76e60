"""What may be a view and is written in one arm of a branch alone: where it is not
written, it need not be one."""

import numpy as np
import pytest

import yota_ast as ya

NUMBER, ARRAY = 1.5, np.array([0.5, 1.5])


def selected(x):
    return np.select((x < 1, x >= 1), (x * 2, x**2)) * 2  # an array, or a number


def scaled(x, scale):
    y = selected(x)
    a = np.asarray(y, np.float64)
    if scale > 1:
        a *= scale
    return np.sum(np.float64(a)) * np.sum(y)


def scaled_within(x, scale):
    y = selected(x)
    a = np.asarray(y, np.float64)
    if scale > 1:
        if scale > 1.5:
            a *= scale
        else:
            a += 1.0
    return np.sum(a) * np.sum(y) + np.sum(a**2)


def scaled_often(x, scale):
    y = selected(x)
    a = np.asarray(y, np.float64)
    if scale > 1:
        a *= scale
    if scale > 1.2:
        a += 1.0
    if scale > 1.5:
        a *= 2.0
    return np.sum(a) * np.sum(y) + np.sum(a**2)


FUNCTIONS = [scaled, scaled_within, scaled_often]


def slope(f, x, scale, h=1e-6):
    return (f(x + h, scale) - f(x - h, scale)) / (2 * h)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_where_it_is_not_written_it_may_be_a_copy(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    made = ya.simplegrad(f, wrt="x")
    for x in (NUMBER, np.array(NUMBER), ARRAY):
        value, dx = made(x, 0.5)
        assert value == f(x, 0.5)
        assert np.sum(dx) == pytest.approx(slope(f, x, 0.5), rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("scale", [1.1, 1.3, 2.0])
def test_where_it_is_written_it_has_to_be_a_view(f, scale):
    made = ya.simplegrad(f, wrt="x")
    value, dx = made(ARRAY, scale)
    assert value == f(ARRAY, scale)
    assert np.sum(dx) == pytest.approx(slope(f, ARRAY, scale), rel=1e-6)
    with pytest.raises(ValueError, match="made for `a` as a view of `y`"):
        made(NUMBER, scale)
    val, g = ya.grad(f, NUMBER, scale, wrt="x")  # makes another text
    assert val == f(NUMBER, scale)
    assert g["x"] == pytest.approx(slope(f, NUMBER, scale), rel=1e-6)


def other_view(x, scale):
    y = selected(x)
    a = np.asarray(y, np.float64)
    b = np.ravel(y)
    if scale > 1:
        a *= scale
    elif scale < -1:
        b *= 3.0
    return np.sum(a) * np.sum(y) + np.sum(a**2)


@pytest.mark.parametrize("scale", [0.5, 2.0, -2.0])
def test_writes_by_other_ways_are_told_of(scale):
    made = ya.simplegrad(other_view, wrt="x")
    value, dx = made(ARRAY, scale)
    assert value == other_view(ARRAY, scale)
    assert np.sum(dx) == pytest.approx(slope(other_view, ARRAY, scale), rel=1e-6)
    if scale < -1:
        with pytest.raises(ValueError, match="as a view of"):
            made(NUMBER, scale)
