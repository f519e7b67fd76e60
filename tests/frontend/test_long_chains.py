"""A function of many lines, each of which reads the one before twice: what is found of
each line is found once, without deep recursion."""

import operator

import numpy as np

import yota_ast as ya
from yota_ast.adjoint.reverse.seed_parameter import leans_on_ranks
from yota_ast.frontend.tables import data_alone
from yota_ast.ir.abstract_values import FLOAT, Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply, Block
from yota_ast.ir.tape import Parameter, Tape
from yota_ast.nesting.call_inference import infer

VECTOR = Fact("array", np.dtype(float), (Dim("n"),))


def doubled(x):
    a = x + np.sin(x)
    b = a + np.sin(a)
    c = b + np.sin(b)
    d = c + np.sin(c)
    e = d + np.sin(d)
    f = e + np.sin(e)
    g = f + np.sin(f)
    h = g + np.sin(g)
    return np.sum(h + np.sin(h))


def test_each_value_is_asked_a_few_times_whether_it_comes_of_a_table(monkeypatch):
    found = data_alone.DataAlone.is_constant_of_run
    calls = []

    def counted(self, value):
        calls.append(value)
        return found(self, value)

    monkeypatch.setattr(data_alone.DataAlone, "is_constant_of_run", counted)
    ya.simplegrad(doubled, np.ones(3))
    assert 0 < len(calls) < 150


def chain(length, last, *more):
    """A tape of a vector that takes the sine again and again, and then `last`."""
    x, value = Var("x", VECTOR), Var("value", FLOAT)
    names = [Var(f"v{k}", VECTOR) for k in range(length)]
    ops = [Apply(v, np.sin, (a,)) for v, a in zip(names, [x, *names], strict=False)]
    end = Apply(value, last, (names[-1], *more))
    return Tape("f", (Parameter(x),), Block((*ops, end)), value)


def test_ranks_of_a_long_chain_are_found_without_recursion():
    assert not leans_on_ranks(chain(3000, np.sum), infer)
    assert leans_on_ranks(chain(3000, operator.getitem, Const(0)), infer)
