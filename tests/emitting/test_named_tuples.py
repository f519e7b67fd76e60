"""A NamedTuple as a parameter of a file: its gradient is a NamedTuple, too."""

from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import gradient_source
from yota_ast.ir.abstract_values import fact_of
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
def model(imported):
    return imported("rated", MODEL)


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


EXCHANGED = """\
from typing import NamedTuple


class Exchanged(NamedTuple):
    a: float
    b: float


Exchanged.a, Exchanged.b = Exchanged.b, Exchanged.a


class Renamed(NamedTuple):
    a: float
    b: float


Renamed._fields = ("b", "a")


class Third(NamedTuple):
    a: float
    b: float


Third.b = Third.a


def by_item(p):
    return p[0] ** 2 + 3 * p[1]


def by_field(p):
    return p.a**2 + 3 * p.b


def inside(p):
    q = type(p)(p[0], 2 * p[1])
    return q.a**2 * q[1]
"""


@pytest.fixture(params=["Exchanged", "Renamed", "Third"])
def odd(request, imported):
    module = imported("exchanged", EXCHANGED)
    return module, getattr(module, request.param)(2.0, 5.0)


@pytest.mark.parametrize("name", ["by_item", "by_field", "inside"])
def test_a_class_of_which_the_fields_are_others(odd, name):
    fn, p = getattr(odd[0], name), odd[1]

    def moved(k, by):
        return type(p)(*(x + by * (k == j) for j, x in enumerate(tuple(p))))

    slopes = [(fn(moved(k, 1e-6)) - fn(moved(k, -1e-6))) / 2e-6 for k in range(2)]
    scope = {"__name__": "alone"}
    exec(gradient_source(fn, facts={"p": fact_of(p)}), scope)
    for value, d in (ya.value_and_grad(fn)(p), scope[f"{name}_grad"](p)):
        assert value == fn(p)
        assert tuple(d) == pytest.approx(slopes)
    for k in range(2):
        along = type(p)(*(float(k == j) for j in range(2)))
        assert ya.jvp(fn)(p, along) == pytest.approx((fn(p), slopes[k]))
