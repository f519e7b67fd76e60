"""The examples in the docstrings of the package hold."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import yota_ast

MODULES = [
    found.name
    for found in pkgutil.walk_packages(yota_ast.__path__, "yota_ast.")
    if not found.name.endswith("__main__")
]


class Finder(doctest.DocTestFinder):
    """Finds the examples of functions behind decorators too."""

    def _from_module(self, module, found):
        return super()._from_module(module, inspect.unwrap(found))


def test_examples_behind_decorators_are_found():
    module = importlib.import_module("yota_ast.api.grad")
    assert "yota_ast.api.grad.grad" in {
        t.name for t in Finder().find(module) if t.examples
    }


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    module, runner = importlib.import_module(name), doctest.DocTestRunner()
    for test in Finder().find(module):
        # A rule that an example states is read when it is asked for, by its globals.
        runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0
