"""Functions that call themselves are functions of their own in the tape."""

import math

import numpy as np
import pytest

from tests.frontend.lowering import check, tape_of
from tests.frontend.test_lower_refusals import shortened
from yota_ast.errors import YotaError


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def test_the_call_is_one_op_and_the_body_a_function():
    tape = check(power, (1.5, 4), (1.5, 11))
    assert [f.name for f in tape.functions] == ["_power"]
    listing = str(tape)
    assert "%3 = _power(%1, %2)" in listing
    assert "Function _power" in listing


def total(a):
    if len(a) == 0:
        return 0.0
    return a[0] + total(a[1:])


def test_what_is_known_of_arguments_and_result_is_joined():
    check(total, (np.ones(3),), (np.arange(5.0),))
    tape = tape_of(total, np.ones(3))
    (function,) = tape.functions
    assert str(function.params[0].fact) == "ndarray[float64, 1]"
    assert function.result.fact.kind == "real"


def closure(x, w, n):
    scale = math.exp(w)

    def step(y, k):
        return y if k == 0 else step(y * scale + w, k - 1)

    return step(x, n) * scale


def test_what_a_closure_reads_becomes_a_parameter():
    tape = check(closure, (0.5, 0.25, 5))
    (function,) = tape.functions
    assert [v.name for v in function.params] == ["y", "k", "scale", "w"]


def ping(x, n):
    return x if n <= 0 else pong(x * 1.5, n - 1)


def pong(x, n):
    return x * x if n <= 0 else ping(x + 1.0, n - 2) + pong(x, n - 1)


def both(x, n):
    return ping(x, n) + pong(x, n)


def test_functions_that_call_one_another():
    check(both, (0.5, 5), (0.5, 0), (0.5, 9))


def scaled(x, n, factor=2.0, *, flip=False):
    if n == 0:
        return -x if flip else x
    return scaled(x * factor, n - 1, factor, flip=flip)


def two_ways(x, n):
    return scaled(x, n) + scaled(x, n, flip=True)


def test_the_same_at_all_calls_stays_a_constant():
    tape = check(two_ways, (0.5, 5))
    assert [f.name for f in tape.functions] == ["_scaled", "_scaled_2"]
    assert [len(f.params) for f in tape.functions] == [2, 2]


def one_for_all(x, n):
    return power(x, n) + power(x * 2.0, n)


def test_one_function_serves_calls_of_which_the_same_is_known():
    check(one_for_all, (0.5, 5))
    tape = tape_of(one_for_all, 0.5, 5)
    assert len(tape.functions) == 1


def followed(x, y=None):
    return followed(x, 2.0) if y is None else x * y


def nested(x):
    return value_of(("*", ("+", "x", 2.0), ("*", "x", ("+", "x", 1.0))), x)


def value_of(node, x):
    if isinstance(node, tuple):
        op, left, right = node
        a, b = value_of(left, x), value_of(right, x)
        return a * b if op == "*" else a + b
    return x if node == "x" else node


def test_what_facts_show_to_end_is_followed():
    assert not check(followed, (0.5,)).functions
    assert not check(nested, (0.5,)).functions


def noisy(x, n):
    print("depth", n)
    return x if n == 0 else noisy(x, n - 1)


def test_effects_happen_once_and_in_order(capsys):
    tape = tape_of(noisy, 0.5, 4)
    capsys.readouterr()
    tape.play(0.5, 4)
    assert capsys.readouterr().out == "".join(f"depth {n}\n" for n in range(4, -1, -1))


def endless(x):
    return x + endless(x * 0.5)


def filled(x, out, n):
    if n > 0:
        out[n] = x * n
        filled(x * x, out, n - 1)
    return out


def listed(x, acc, n):
    if n > 0:
        acc.append(x * n)
        listed(x * x, acc, n - 1)


def fills(x, n):
    return filled(x, np.zeros(n + 1), n)


def lists(x, n):
    acc = []
    listed(x, acc, n)
    return sum(acc)


def composed(f, n):
    if n == 0:
        return f
    g = composed(f, n - 1)
    return lambda t: f(g(t))


def composes(x, n):
    return composed(math.sin, n)(x)


class Sum:
    def __init__(self):
        self.value = 0.0

    def add(self, x, n):
        self.value = self.value + x
        if n > 0:
            self.add(x * 0.5, n - 1)


def counts(x, n):
    s = Sum()
    s.add(x, n)
    return s.value


REFUSALS = [
    (
        endless,
        (0.5,),
        """UnsupportedCall: `endless` calls itself on every path
    def endless(x):
    ^^^^^^^^^^^^^^^
Return without a call on one path.""",
    ),
    (
        fills,
        (0.5, 5),
        """UnsupportedSyntax: the function writes into `out`, which may be an array \
from outside
    out[n] = x * n
    ^^^^^^^^^^^^^^
  in filled, called from LINE
Write into a copy: np.array(...).""",
    ),
    (
        lists,
        (0.5, 5),
        """UnsupportedCall: `listed` calls itself, and changes a list that it did not \
make
    listed(x, acc, n)
    ^^^^^^^^^^^^^^^^^
Return the new value instead.""",
    ),
    (
        counts,
        (0.5, 5),
        """UnsupportedCall: `add` calls itself, and changes an object that it did not \
make
    s.add(x, n)
    ^^^^^^^^^^^
Return the new value instead.""",
    ),
    (
        composes,
        (0.5, 5),
        """UnsupportedCall: `composed` calls itself, and returns values of different \
structures
    return composed(math.sin, n)(x)
           ^^^^^^^^^^^^^^^^^^^^^
Return the same number of arrays or numbers on every path.""",
    ),
]


@pytest.mark.parametrize(
    ("fn", "args", "expected"), REFUSALS, ids=lambda p: getattr(p, "__name__", "")
)
def test_refusal_says_where_and_what_to_do(fn, args, expected):
    with pytest.raises(YotaError) as caught:
        tape_of(fn, *args)
    assert shortened(caught.value) == expected
