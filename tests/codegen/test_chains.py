"""`a < b < c` is printed as it was written, and `elif` in what was inlined too."""

import math

import numpy as np
import pytest

import yota_ast as ya

SAID = "t is out of range"


def pressure(t):
    if 235.0 <= t < 273.15:
        p = t * 2
    elif 273.15 <= t <= 460.0:
        p = t * t
    elif 460 < t < 500 != t + 1:
        p = math.sin(t)
    else:
        raise ValueError(SAID)
    return p * 3


def inlined(t):
    y = pressure(t) + 1
    return y * t if 0 < t <= 700 and y > 0 else y


def twice(x):
    s = 0.0
    for v in x:
        if -1 < v < 1 and v != 0.25:
            s += v * v
    return s


def test_chains_are_printed_as_chains():
    text = ya.simplegrad(inlined, 300.0).source
    assert "235.0 <= t < 273.15" in text
    assert "273.15 <= t <= 460.0" in text
    assert "elif 460 < t < 500 != t + 1:" in text
    assert text.count("if 0 < t <= 700 and y > 0") == 3  # one in a comment
    assert "if -1 < v < 1 and v != 0.25:" in ya.simplegrad(twice, np.ones(2)).source


def test_what_was_inlined_keeps_its_elif():
    forward = ya.simplegrad(inlined, 300.0).source.partition("# reverse")[0]
    assert "elif" in forward


@pytest.mark.parametrize("passes", ["all", "none"])
def test_they_mean_the_same(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for t, slope in [(250.0, 6 * 500.0 + 1), (300.0, 810001.0)]:
        assert ya.grad(inlined, t)[1]["t"] == pytest.approx(slope, rel=1e-3)
    with pytest.raises(ValueError, match=SAID):
        ya.simplegrad(inlined, 300.0)(900.0)
    _, g = ya.grad(twice, np.array([0.5, 3.0, 0.25, -0.5]))
    assert g["x"].tolist() == [1.0, 0.0, 0.0, -1.0]
