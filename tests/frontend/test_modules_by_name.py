"""`importlib.import_module` of a name that is known."""

import importlib

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

BACKENDS = {"plain": "numpy", "other": "math"}
ACTIVE = "plain"


class Lazy:
    """Its attributes are those of the module that is active."""

    def __getattr__(self, name):
        return getattr(importlib.import_module(BACKENDS[ACTIVE]), name)


lazy = Lazy()


def by_name(x):
    m = importlib.import_module("numpy")
    return m.sum(m.sin(x))


def by_table(x):
    return lazy.sum(lazy.sin(x) * lazy.pi) / lazy.pi


@pytest.mark.parametrize("f", [by_name, by_table])
def test_the_module_is_that_of_the_name(f):
    x = np.array([0.3, 1.2])
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert np.allclose(g[0], np.cos(x))


def test_a_name_that_is_not_known_is_refused():
    def f(x):
        name = "num" + str(x)
        return importlib.import_module(name).sin(x)

    with pytest.raises(UnsupportedCall, match="name of the module"):
        ya.grad(f, 1.0)


class LazyByImport:
    """Reads what is active by an import of its own."""

    def __getattr__(self, name):
        from tests.frontend.test_modules_by_name import ACTIVE, BACKENDS

        return getattr(importlib.import_module(BACKENDS[ACTIVE]), name)


lazier = LazyByImport()


def test_names_that_a_function_imports():
    def f(x):
        return lazier.sum(lazier.sin(x))

    x = np.array([0.3, 1.2])
    assert np.allclose(ya.grad(f, x)[1][0], np.cos(x))
