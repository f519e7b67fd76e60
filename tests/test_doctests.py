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
    module, runner = importlib.import_module(name), doctest.DocTestRunner()
    for test in doctest.DocTestFinder().find(module):
        # A rule that an example states is read when it is asked for, by its globals.
        runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0
