"""Tapes written by hand, for the tests of what works on tapes."""

import operator

import numpy as np

from yota_ast.ir.abstract_values import FLOAT, INT, array_fact
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, Carry, For, If, Merge, Store, While
from yota_ast.ir.store_changes import ADD
from yota_ast.ir.tape import Tape

VECTOR = array_fact("f8", (None,))


def variables(names, fact=VECTOR):
    """Variables called as listed: one for each word."""
    return [Var(name, fact, name) for name in names.split()]


def tape(params, ops, result, name="f"):
    return Tape(name, tuple(map(Parameter, params)), Block(tuple(ops)), result)


def iterative(factor=2.0):
    """for i in range(n): x = factor * x; return np.sum(x)."""
    x, x_in, x_next, x_out = variables("x x_in x_next x_out")
    n, i, trips, total = Var("n", INT), Var("i", INT), Var("trips"), Var("s", FLOAT)
    body = Apply(x_next, operator.mul, (Const(factor), x_in), form="operator")
    return tape(
        [x, n],
        [
            Apply(trips, range, (n,)),
            For((i,), trips, Block((body,)), (Carry(x_out, x, x_in, x_next),)),
            Apply(total, np.sum, (x_out,), form="method", spelling="sum"),
        ],
        total,
        "iterative",
    )


def root():
    """while abs(x * x - a) > 1e-12: x = 0.5 * (x + a / x); keeps each x."""
    a, x, x_in, x_next, x_out = variables("a x x_in x_next x_out", FLOAT)
    square, error, size, quotient, total = variables("sq e size q total", FLOAT)
    test, stack = Var("test"), Var("saved")
    cond = (
        Apply(square, operator.mul, (x_in, x_in)),
        Apply(error, operator.sub, (square, a)),
        Apply(size, abs, (error,)),
        Apply(test, operator.gt, (size, Const(1e-12))),
    )
    body = (
        Apply(quotient, operator.truediv, (a, x_in)),
        Apply(total, operator.add, (x_in, quotient)),
        Apply(x_next, operator.mul, (Const(0.5), total)),
    )
    carry = Carry(x_out, x, x_in, x_next)
    loop = While(Block(cond), test, Block(body), (carry,), stack=stack, saved=(x_in,))
    result = Var("pair")
    last = Apply(result, lambda *items: items, (x_out, stack))
    return tape([a, x], [loop, last], result, "root")


def rate():
    """if q > 0: rate = 2 * q; return rate."""
    q, double, merged = variables("q double rate", FLOAT)
    test = Var("test")
    branch = If(
        test,
        Block((Apply(double, operator.mul, (Const(2.0), q)),)),
        Block(),
        (Merge(merged, double, UNDEFINED),),
    )
    result = Var("result", FLOAT)
    return tape(
        [q],
        [
            Apply(test, operator.gt, (q, Const(0.0))),
            branch,
            Apply(result, operator.neg, (merged,)),
        ],
        result,
        "rate",
    )


def filled():
    """y = x.copy(); y[0] = a; y[1:] += a; return y."""
    x, y, y_2, y_3 = variables("x y y_2 y_3")
    a = Var("a", FLOAT)
    return tape(
        [x, a],
        [
            Apply(y, np.copy, (x,), form="method", spelling="copy"),
            Store(y_2, y, Const(0), a),
            Store(y_3, y_2, Const(slice(1, None)), a, ADD),
        ],
        y_3,
        "filled",
    )
