"""The examples in the docstrings of the package hold."""

import doctest
import importlib
import pkgutil

import pytest

import yota_ast

MODULES = [
    found.name
    for found in pkgutil.walk_packages(yota_ast.__path__, "yota_ast.")
    if not found.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
