"""Constants that two modules call by one name, and what is computed of them."""

import importlib
import sys

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check
from yota_ast.cli import main

TEXT = """
import numpy as np

POWER = {power}
TURNS = {turns}


class Table(dict):
    def __getattr__(self, name):
        return self[name]


TABLE = Table(m={power} + 1.0)


class config:
    rate = {power}

    class deep:
        rate = {turns}.5


def of_powers(x, table=None):
    table = TABLE if table is None else table
    return np.sum(x ** POWER) + np.sum(np.power(x, table.m)) + x[0] ** TABLE["m"]


def of_rates(x):
    return np.sum(np.sin(x * config.rate)) + np.sum(x * config.deep.rate)


def of_turns(x):
    y = x
    for i in range(1, TURNS):
        y = y * x[i] + i * y * y
    return np.sum(y)
"""
BOTH = """
import numpy as np
import first_of_two
import second_of_two


class config:
    rate = 0.25
    table = {"a": 0.75}

    class deep:
        rate = 1.25


class other:
    rate = 0.5
    table = {"a": 1.5}


def powers(x):
    return first_of_two.of_powers(x) * second_of_two.of_powers(x)


def turns(x):
    return first_of_two.of_turns(x) * second_of_two.of_turns(x)


def rates(x):
    own = np.sum(x * x * config.rate) * config.deep.rate
    return first_of_two.of_rates(x) * second_of_two.of_rates(x) + own


def made(config):
    def inner(x):
        return np.sum(np.sin(x * config.rate)) + np.sum(x * config.table["a"])

    return inner


INNER = made(other)


def cells(x):
    return INNER(x) * np.sum(x * config.rate) * config.table["a"]
"""
NAMES = ("first_of_two", "second_of_two", "both_of_two")


@pytest.fixture
def both(tmp_path, monkeypatch):
    texts = (TEXT.format(power=2.5, turns=3), TEXT.format(power=3.5, turns=4), BOTH)
    for name, text in zip(NAMES, texts, strict=True):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("both_of_two")
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("name", ["powers", "turns", "rates", "cells"])
def test_each_constant_is_that_of_its_module(both, name, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(getattr(both, name), (np.array([0.4, 0.3, 0.7, 0.5]),))


def test_exponents_and_bounds_are_called_as_the_constants(both):
    x = np.array([0.4, 0.3, 0.7, 0.5])
    source = ya.simplegrad(both.powers, x).source
    assert "x ** (POWER - 1)" in source
    assert "x ** (POWER_2 - 1)" in source
    assert '(TABLE_2["m"] - 1)' in source


@pytest.mark.parametrize("name", ["powers", "turns", "rates"])
def test_a_file_reads_them_through_their_modules(both, name, tmp_path):
    target = tmp_path / "both_of_two_grad.py"
    assert main(["emit", f"both_of_two:{name}", "-o", str(target)]) == 0
    found = importlib.import_module("both_of_two_grad")
    x = np.array([0.4, 0.3, 0.7, 0.5])
    try:
        value, dx = getattr(found, f"{name}_grad")(x)
    finally:
        sys.modules.pop("both_of_two_grad", None)
    expected, grads = ya.grad(getattr(both, name), x)
    assert value == expected
    np.testing.assert_allclose(dx, grads["x"], rtol=1e-14)
