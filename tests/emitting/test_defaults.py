"""Defaults that are no literals: the texts import what they are, where it is read."""

import pickle

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.directional import tangent_source
from yota_ast.api.traced_tapes import gradient_source
from yota_ast.ir.abstract_values import FLOAT, fact_of

from .test_everything import alone

MODEL = """\
import enum
import functools
from types import SimpleNamespace

import numpy as np


class Kind(enum.Enum):
    SQUARE = "square"
    CUBE = "cube"


class Order(enum.IntEnum):
    TWO = 2


WEIGHTS = np.linspace(0.5, 1.5, 200)
TABLE = {"rate": 1.5}
SETTINGS = SimpleNamespace(kind=Kind.CUBE)


def square(t):
    return t * t


def member(x, kind=Kind.SQUARE):
    return x * x if kind is Kind.SQUARE else x**3


def keyword(x, *, kind=SETTINGS.kind):
    return x * x if kind is Kind.SQUARE else x**3


def whole(x, order=Order.TWO):
    return x * x if order == Order.TWO else x


def array(x, weights=WEIGHTS):
    return x * np.sum(weights)


def looked_up(x, table=TABLE):
    return x * table["rate"]


def spelled_out(x, table={"rate": [1.5, -2.0], 3: None}):
    return x * table["rate"][0]


def counted(x, steps=range(2, 5)):
    for k in steps:
        x = x * k
    return x


def called(x, f=square):
    return f(x) + 1.0
"""
NAMES = (
    "member", "keyword", "whole", "array", "looked_up", "spelled_out", "counted",
    "called",
)  # fmt: skip


@pytest.fixture
def model(imported):
    return imported("defaulted", MODEL)


def test_files_alone(model, tmp_path):
    jobs = []
    for name in NAMES:
        df = ya.simplegrad(getattr(model, name), 1.25, wrt="x")
        path = df.save(tmp_path / f"{name}_grad.py")
        jobs.append((str(path), df.__name__, pickle.dumps(((1.25,), {})), {}))
    for name, (status, got) in zip(NAMES, alone(tmp_path, jobs)):
        value, g = ya.grad(getattr(model, name), 1.25)
        assert (name, status, got) == (name, "done", (value, g["x"]))


@pytest.mark.parametrize("name", [n for n in NAMES if n != "called"])
def test_what_is_printed(model, name):
    fn = getattr(model, name)
    gradient = {"__name__": "alone"}
    exec(gradient_source(fn, wrt="x", facts={"x": FLOAT}), gradient)
    tangent = {"__name__": "alone"}
    exec(tangent_source(fn, wrt="x", facts={"x": FLOAT}), tangent)
    value, g = ya.grad(fn, 1.25)
    assert gradient[f"{name}_grad"](1.25) == (value, g["x"])
    assert tangent[f"{name}_jvp"](1.25, dx=2.0) == (value, 2 * g["x"])


def test_a_name_that_stands_for_something_else_by_now(model):
    model.TABLE = None
    assert ya.grad(model.looked_up, 2.0)[0] == 3.0
    assert "table=table_2" in ya.simplegrad(model.looked_up, 2.0).source


def test_they_are_called_what_the_signature_calls_them(model):
    df = ya.simplegrad(model.member, 2.0, wrt="x")
    assert "def member_grad(x, kind=Kind.SQUARE, seed=1.0):" in df.source
    assert df(2.0) == (4.0, 4.0)
    weighted = ya.simplegrad(model.array, 2.0, wrt="x")
    assert weighted(2.0)[1] == np.sum(model.WEIGHTS)


def powered(x, k=2.0):
    return np.sum(x**k)


def test_a_float_says_what_it_is():
    """Without a word about `k` the code is that for a number, and says so."""
    source = gradient_source(powered, facts={"x": fact_of(np.ones(3), "x")})
    assert "_are_floats" not in source
    assert '"powered_grad: made for x (n,), floats; a number k"' in source
    dpowered = ya.simplegrad(powered)
    x = np.array([1.0, 2.0])
    value, dx, dk = dpowered(x)
    assert (value, type(dk)) == (5.0, float)
    np.testing.assert_array_equal(dx, 2 * x)
    with pytest.raises(ValueError, match="made for a number k"):
        dpowered(x, x)
    assert ya.grad(powered, x, x)[0] == 5.0
