"""How fast slopes vanish is found once for each value, inside loops too."""

import math

import yota_ast as ya
from yota_ast.adjoint.nonsmooth import vanishing_slopes


def nested_products(x, n):
    s = x
    for _ in range(n):
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
    return math.sqrt(s * s + 1.0)


def test_each_value_of_a_loop_is_looked_at_a_few_times(monkeypatch):
    found = vanishing_slopes.Vanishing._found
    calls = []

    def counted(self, var, depth):
        calls.append(var.name)
        return found(self, var, depth)

    monkeypatch.setattr(vanishing_slopes.Vanishing, "_found", counted)
    ya.simplegrad(nested_products, 0.3, 2)
    assert 0 < len(calls) < 200
