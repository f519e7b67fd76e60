"""The places of arguments: those of a rule are those of the function.

A rule that has an argument at another place than its function has it would take one
argument for another where it is given without its name.
"""

from __future__ import annotations

import importlib
from inspect import Parameter, signature

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.rules.notation.rule import BOOK

BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
NUMPY = "numpy numpy.linalg numpy.fft numpy.polynomial.polynomial math builtins".split()
SCIPY = (
    "scipy.special scipy.linalg scipy.integrate scipy.signal scipy.fft scipy.stats "
    "scipy.fftpack "
    "scipy.interpolate scipy.ndimage scipy.spatial.distance"
).split()
BY_THEIR_NUMBER = ("numpy.arange", "numpy.where")
"""What an argument means depends on how many there are; a rule for each number."""


def misplaced(module):
    """The functions of a module with a rule whose arguments are in another order."""
    found = []
    home = importlib.import_module(module)
    for name in dir(home):
        fn = getattr(home, name)
        try:
            rules = BOOK.rules_of(fn) if callable(fn) else ()
            own = signature(fn).parameters if rules else {}
        except (TypeError, ValueError):  # not to be had of what is written in C
            continue
        order = [p.name for p in own.values() if p.kind in BY_PLACE]
        for rule in rules:
            places = [
                p.name for p in rule.signature.parameters.values() if p.kind in BY_PLACE
            ]
            pairs = zip(places, order, strict=False)
            if any(a != b and a in own for a, b in pairs):
                found.append(f"{module}.{name}")
    return found


@pytest.mark.parametrize("module", NUMPY)
def test_of_numpy(module):
    assert [n for n in misplaced(module) if n not in BY_THEIR_NUMBER] == []


@pytest.mark.parametrize("module", SCIPY)
def test_of_scipy(module):
    pytest.importorskip(module)
    ya.grad(np.sum, np.ones(2))  # the rules of what is imported are read now
    BOOK._open_for(importlib.import_module("scipy.linalg").inv)
    assert misplaced(module) == []


def overwriting(a):
    from scipy import linalg

    x = (1.0 * a).T
    return np.sum(linalg.inv(x, True)) * x[0, 0] ** 2


def overwriting_for_the_determinant(a):
    from scipy import linalg

    x = (1.0 * a).T
    return linalg.det(x, True) * x[0, 1] ** 2


@pytest.mark.parametrize("f", [overwriting, overwriting_for_the_determinant])
def test_overwriting_by_place_is_as_by_name(f):
    pytest.importorskip("scipy")
    a = np.array([[4.0, 2.0, 0.3], [0.3, 5.0, 1.0], [0.2, 0.1, 3.0]])
    with pytest.raises(ya.UnsupportedCall, match="reads an array later that this call"):
        ya.grad(f, a)


def with_the_default(a):
    from scipy import linalg

    return np.sum(linalg.inv(a, False)) + linalg.det(a, False, True)


def test_what_repeats_a_default_is_right():
    pytest.importorskip("scipy")
    a = np.array([[4.0, 2.0, 0.3], [0.3, 5.0, 1.0], [0.2, 0.1, 3.0]])
    assert ya.gradcheck(with_the_default, a)
