"""Constants that two modules call by one name, and what is computed of them."""

import importlib
import sys

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check
from yota_ast.tools.cli.main import main

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


PHYSICS = """
import numpy as np
from {other} import units as physics

RATE, POWER, LIMIT = {rate}, {rate} - 1.0, {limit}
TABLE, WEIGHTS, PLACES = {{"a": {rate}}}, np.array([1.0, 2.0, {rate}]), [0, {place}]


class Settings:
    factor = {limit}

    def __init__(self, rate):
        self.rate = rate
"""
MODEL = """
import numpy as np

from . import physics
from . import physics as shared
from .physics import LIMIT, Settings


class TooLarge(ValueError):
    pass


def scaled(x):
    return x * physics.RATE


def model(x):
    if np.sum(x) > LIMIT:
        raise TooLarge("too large")
    y = scaled(x) * Settings.factor + Settings(shared.RATE).rate
    z = np.sum(np.sin(y * physics.RATE)) + np.sum(x ** shared.POWER)
    z = z + np.sum(x * physics.TABLE["a"]) * physics.WEIGHTS[2]
    return z + np.sum(x * shared.WEIGHTS) + np.sum(x[physics.PLACES])
"""
TOP = """
import numpy as np

from gases import physics
from gases.model import model
from liquids.model import model as other


def both(x):
    return model(x) * other(x) + np.sum(x * physics.RATE)
"""


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Two packages with modules of one name, in which it is another module's too."""
    (tmp_path / "gases").mkdir()
    (tmp_path / "liquids").mkdir()
    given = ("gases", "liquids", 2.5, 9.0, 1), ("liquids", "gases", 3.5, 8.0, 2)
    for name, other, rate, limit, place in given:
        text = PHYSICS.format(other=other, rate=rate, limit=limit, place=place)
        (tmp_path / name / "units.py").write_text(f"RATE, POWER = {rate}, {limit}")
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / name / "physics.py").write_text(text)
        (tmp_path / name / "model.py").write_text(MODEL)
    (tmp_path / "of_packages.py").write_text(TOP)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("of_packages")
    for name in [*sys.modules]:
        if name.partition(".")[0] in ("gases", "liquids", "of_packages"):
            del sys.modules[name]


@pytest.mark.parametrize("passes", ["all", "none"])
def test_modules_of_one_name_in_two_packages(packages, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([0.4, 0.3, 0.7])
    check(packages.both, (x,))
    for scale in (7.0, 6.1):  # both raise, or the second alone
        with pytest.raises(ValueError, match="too large") as theirs:
            packages.both(x * scale)
        with pytest.raises(ValueError, match="too large") as ours:
            ya.grad(packages.both, x * scale)
        assert ours.type is theirs.type


def test_a_file_reads_modules_of_one_name(packages, tmp_path):
    target = tmp_path / "of_packages_grad.py"
    assert main(["emit", "of_packages:both", "-o", str(target)]) == 0
    found = importlib.import_module("of_packages_grad")
    sys.modules.pop("of_packages_grad")
    x = np.array([0.4, 0.3, 0.7])
    value, dx = found.both_grad(x)
    expected, grads = ya.grad(packages.both, x)
    assert value == expected
    np.testing.assert_allclose(dx, grads["x"], rtol=1e-14)
    assert "from liquids import physics as physics_2" in target.read_text()
