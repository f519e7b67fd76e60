"""Helpers that are said to make new memory never hand on what they get."""

import functools
import inspect

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import seed_for
from tests.adjoint.test_operations import CONTAINERS, REAL
from yota_ast import runtime
from yota_ast.sharing import FRESH_HELPERS


def arrays(value):
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return []
    return [a for item in value for a in arrays(item)]


def watched(name, fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        out = fn(*args, **kwargs)
        given, made = arrays([args, kwargs]), arrays(out)
        assert not any(np.shares_memory(a, b) for a in given for b in made), name
        assert all(a.flags.writeable for a in made), name
        return out

    return inner


def is_plain(o):
    return "rt." not in str(o) and not isinstance(
        o.fn(*o.sample().values()), CONTAINERS
    )


@pytest.mark.parametrize("o", [o for o in REAL if is_plain(o)], ids=str)
def test_operation(o):
    args = list(o.sample().values())
    function = ya.simplegrad(o.fn, *args)
    names = function.fn.__globals__
    for name in FRESH_HELPERS & set(names):
        names[name] = watched(name, names[name])
    given = inspect.signature(function.fn).parameters
    seed = seed_for(o.fn(*args), np.random.default_rng(0))
    function(*args, **({"seed": seed} if "seed" in given else {}))


def test_all_of_them_are_helpers():
    assert set(runtime.__all__) >= FRESH_HELPERS
