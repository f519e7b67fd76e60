"""`warnings` in what is differentiated: called as the function calls them."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import yota_ast as ya


def silent(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = x**0.5
        return np.where(x < 0, 2 * x, root)


def warned(x, n):
    def square(a):
        if a < 0:
            warnings.warn("negative", RuntimeWarning, stacklevel=2)
        return a * a

    total = 0.0
    for k in range(n):
        total += square(x[k])
    return total


def test_filters_are_set_by_the_names_that_users_know():
    text = ya.simplegrad(lambda x: np.sum(silent(x))).source
    assert (
        text.count('simplefilter("ignore")\n') == 2
    )  # the reverse sweep is silent, too
    assert "# warnings" not in text
    assert "_add_filter" not in text


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_filter_is_no_reason_for_nan(passes, monkeypatch):
    """The function may be run again where a slope of what is not chosen is nan."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.grad(silent, np.float64(-1.0))[1]["x"] == 2.0
    assert ya.grad(silent, np.float64(4.0))[1]["x"] == 0.25


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_warning_is_given_once(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([1.0, -2.0])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        value, g = ya.grad(warned, x, 2)
    assert [str(w.message) for w in seen] == ["negative"]
    assert value == 5.0
    assert g["x"].tolist() == [2.0, -4.0]


def warned_with_a_formatted_text(x):
    text = "too {direction}"
    y = np.interp(x[0], [0.0, 1.0], [2.0, 3.0])
    if y > 2.0:
        warnings.warn(text.format(direction="large"), RuntimeWarning, stacklevel=2)
    return y * x[1]


def test_a_text_that_is_formatted_holds_no_numbers():
    x = np.array([0.5, 1.5])
    with pytest.warns(RuntimeWarning, match="too large"):
        value, dx = ya.grad(warned_with_a_formatted_text, x)
    assert value == 2.5 * 1.5
    np.testing.assert_allclose(dx[0], [1.5, 2.5])


def outer_frames():
    frame, n = inspect.currentframe(), 0
    while frame is not None and frame.f_globals["__name__"] == __name__:
        frame, n = frame.f_back, n + 1
    return n


def warned_at_the_caller(x):
    if x[0] > 0:
        warnings.warn("positive", RuntimeWarning, stacklevel=outer_frames())
    return x[0] * x[1]


def test_which_frame_a_warning_is_for_is_not_looked_for():
    x = np.array([0.5, 1.5])
    with pytest.warns(RuntimeWarning, match="positive"):
        value, dx = ya.grad(warned_at_the_caller, x)
    assert value == 0.75
    np.testing.assert_allclose(dx[0], [1.5, 0.5])


def counts_its_warnings(x):
    n = 0

    def counted():
        nonlocal n
        n += 1
        return 2

    warnings.warn("said", stacklevel=counted())
    return x * (1 + n)


def test_a_stack_level_that_looks_at_no_frames_is_computed():
    with pytest.warns(UserWarning, match="said"):
        value, g = ya.grad(counts_its_warnings, 2.0)
    assert (value, g["x"]) == (4.0, 2.0)
