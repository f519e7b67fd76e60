"""Functions of modules that import all names of another."""

import importlib.util

import numpy as np

import yota_ast as ya

# Python compiles `np.exp(x)` otherwise where it sees the import below.
MODULE = """
from math import *

def f(x):
    return np.exp(x) * sqrt(2)

def g(x):
    return x

import numpy as np
"""


def test_a_star_import_stands_in_the_module(tmp_path):
    file = tmp_path / "stars.py"
    file.write_text(MODULE)
    spec = importlib.util.spec_from_file_location("stars", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    value, gradient = ya.grad(module.f, 0.5)
    assert gradient["x"] == value == np.exp(0.5) * np.sqrt(2)
