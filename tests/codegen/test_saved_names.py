"""The names of saved values stand in one module: `syntax/saved_names.py`."""

import re

import numpy as np
import pytest

from yota_ast.api.traced_tapes import gradient_source
from yota_ast.ir.abstract_values import fact_of
from yota_ast.syntax import saved_names


def overwritten(x):
    h = np.tanh(x)
    h[0] = h[1] * h[0]
    return np.sum(h * h)


def looped(x):
    h = x
    for _ in range(3):
        h = np.tanh(h * x)
    return np.sum(h)


def counted(x):
    while np.sum(x) > 3.0:
        x = 0.5 * x
    return np.sum(x)


def entered(x):
    h = x
    while np.sum(h) > 3.0:
        if h[0] > 1.0:
            h = h * h[0] * 0.1
        h = h * np.cos(h) * 0.5
    return np.sum(h)


def summed(x):
    if len(x) < 2:
        return np.tanh(x[0])
    half = summed(x[1:])
    return half * half * summed(x[:1])


def excepted(x):
    try:
        y = x[0] * x[5]
    except IndexError:
        y = x[0] * x[0]
    return y


CASES = {
    saved_names.before_write("h"): overwritten, saved_names.at_entry("h"): entered,
    saved_names.of_call("half"): summed, saved_names.INNER: summed,
    saved_names.SAVED: looped, saved_names.TRIPS: counted,
    saved_names.CAUGHT: excepted,
}  # fmt: skip


def words(fn):
    """The names in the gradient of `fn`, made anew."""
    facts = {"x": fact_of(np.ones(6), "x")}
    return set(re.findall(r"\w+", gradient_source(fn, wrt="x", facts=facts)))


@pytest.mark.parametrize(("name", "fn"), CASES.items(), ids=CASES)
def test_a_name_stands_in_one_module(name, fn, monkeypatch):
    assert name in words(fn)
    for each in ("SAVED", "INNER", "TRIPS", "CAUGHT"):
        monkeypatch.setattr(saved_names, each, f"other_{each.lower()}")
    for each in ("at_entry", "before_write", "of_call"):
        monkeypatch.setattr(saved_names, each, lambda hint: hint and f"other_{hint}")
    assert name not in words(fn)
