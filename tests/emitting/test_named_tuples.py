"""A NamedTuple as a parameter of a file: its gradient is a NamedTuple, too."""

import importlib
import sys
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.grad import gradient_source
from yota_ast.tools.cli.like import parse_like

MODEL = """\
from collections import namedtuple
from typing import NamedTuple

import numpy as np


class Rates(NamedTuple):
    w: np.ndarray
    b: float
    n: int = 2


class Both(NamedTuple):
    rates: Rates
    k: float


Line = namedtuple("Line", "w b")


def annotated(p: Rates, x: np.ndarray):
    return np.sum(p.w * x) * p.b**p.n


def unpacked(p: Rates, x: np.ndarray):
    w, b, n = p
    return np.sum(w * x) * b**n


def nested(p: Both, x: np.ndarray):
    return np.sum(p.rates.w * x) * p.rates.b * p.k


def plain(p, x: np.ndarray):
    return np.sum(p.w * x) * p.b
"""
X = np.array([0.5, 2.0])


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "rated.py").write_text(MODEL, encoding="utf-8")
    yield importlib.import_module("rated")
    del sys.modules["rated"]


def argument(model, name):
    rates = model.Rates(np.array([1.0, -2.0]), 3.0)
    if name == "plain":
        return model.Line(np.array([1.0, -2.0]), 3.0)
    return model.Both(rates, 0.5) if name == "nested" else rates


CASES = [
    ("annotated", None),
    ("annotated", "p=Rates"),
    ("annotated", "p=Rates(w=float[n], b=float, n=int)"),
    ("unpacked", None),
    ("nested", None),
    ("nested", "p=Both(rates=Rates(w=float[n]))"),
    ("plain", "p=Line"),
    ("plain", "p=Line(w=float[n], b=float)"),
]


@pytest.mark.parametrize(("name", "like"), CASES)
def test_its_gradient_keeps_the_type(model, name, like):
    fn, p = getattr(model, name), argument(model, name)
    facts = {} if like is None else parse_like(like, lambda name: getattr(model, name))
    scope = {"__name__": "alone"}
    exec(gradient_source(fn, facts=facts), scope)
    value, dp, dx = scope[f"{name}_grad"](p, X)
    known, g = ya.grad(fn, p, X)
    assert (value, type(dp)) == (known, type(p))
    assert repr(dp) == repr(g["p"])
    np.testing.assert_array_equal(dx, g["x"])
    with pytest.raises(ValueError, match=f"{name}_grad: made for p"):
        scope[f"{name}_grad"]({"w": X}, X)


def test_fields_are_read_by_name(model):
    source = gradient_source(model.nested)
    assert "    p_rates_w, p_rates_b = p.rates.w, p.rates.b\n" in source
    assert "rates=p.rates._replace(w=dp_rates_w, b=float(dp_rates_b), n=None)" in source
    assert "p[" not in source


@pytest.mark.parametrize("name", ["unpacked", "plain"])
def test_a_plain_tuple_is_another_argument(model, name):
    p = argument(model, name)
    made = ya.simplegrad(getattr(model, name), p, X)
    assert type(made(p, X)[1]) is type(p)
    with pytest.raises(ValueError, match="made for p: " + type(p).__name__):
        made(tuple(p), X)


class Scaled(NamedTuple):
    w: np.ndarray
    b: float


class Doubled(Scaled):
    @property
    def w(self):
        return 2.0 * self[0]


def test_a_field_that_a_subclass_says_otherwise():
    """There the field is not the item: the items are read by position."""

    def total(p):
        return np.sum(p[0] * p.w) * p.b

    p = Doubled(np.array([1.0, -2.0]), 3.0)
    value, dp = ya.value_and_grad(total)(p)
    assert (value, type(dp)) == (total(p), Doubled)
    np.testing.assert_allclose(dp[0], 4.0 * p[0] * p.b)
    assert "p[0]" in ya.simplegrad(total, p).source


def test_without_examples(model):
    _, dp, _ = ya.simplegrad(model.annotated)(argument(model, "annotated"), X)
    assert type(dp) is model.Rates
    assert dp.n is None
