"""set.remove, and the names of modules that are looked up in sets."""

import math

import numpy as np
import pytest

import yota_ast as ya


def each_kind_once(x):
    left, total = {"a", "b"}, 0.0
    for kind in ["a", "b", "a"]:
        if kind in left:
            left.remove(kind)
            total = total + x
    return total * x


def modules_by_name(x):
    found = [np, math]
    names, unique = {m.__name__ for m in found}, []
    for module in [*found, np]:
        if (name := module.__name__) in names:
            unique.append(module)
            names.remove(name)
    (first, _) = unique
    return first.sum(x * x) * len(unique)


def what_is_not_there(x):
    kinds = {"a"}
    try:
        kinds.remove("b")
    except KeyError:
        x = 3 * x
    return x * x


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [each_kind_once, modules_by_name, what_is_not_there])
def test_what_is_left_of_a_set(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, g = ya.grad(f, 2.0)
    assert value == f(2.0)
    assert g[0] == pytest.approx((f(2.001) - f(1.999)) / 0.002)
