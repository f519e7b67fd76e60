"""Loops that cannot stay loops: one body for each item that the example has."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([1.0, 2.0, -3.0, 4.0])


def numbered(x):
    table = {}
    for i in range(len(x)):
        table[i] = x[i] ** 2
    return sum(table.values()) * table[1]


def by_text(x):
    table = {}
    for i, (a, b) in enumerate(zip(x, x[::-1])):
        table[f"k{i}"] = a * b
    return table["k0"] + table["k3"] * x[1]


def by_pairs(x):
    table = {}
    for i in range(len(x)):
        for k in range(1, len(x)):
            table[i, k] = x[i] * x[k]
    return table[0, 1] + table[2, 3] ** 2


def of_those_before(x):
    table = {0: x[0]}
    for i in range(1, len(x)):
        table[i] = table[i - 1] * x[i]
    return table[len(x) - 1]


@pytest.mark.parametrize("fn", [numbered, by_text, by_pairs, of_those_before])
def test_keys_are_known_where_the_length_is(fn):
    check(fn, X)


def in_a_set(x):
    met, total = set(), 0.0
    for i in range(len(x)):
        met.add(i % 3)
        total += len(met) * x[i] ** 2
    return total


def test_generated_code_checks_the_length():
    check(in_a_set, X)
    gradient = ya.simplegrad(in_a_set, X)
    with pytest.raises(ValueError, match=r"^in_a_set_grad: made for x.shape\[0\] = 4$"):
        gradient(np.ones(5))
    assert ya.grad(in_a_set, np.ones(5))[1]["x"].tolist() == [2, 4, 6, 6, 6]


def test_a_long_loop_is_refused():
    with pytest.raises(ya.UnsupportedSyntax) as found:
        ya.grad(in_a_set, np.ones(13))
    line = in_a_set.__code__.co_firstlineno + 3
    assert str(found.value) == (
        f"{__file__}:{line}:9: a computed key is not supported\n"
        "    met.add(i % 3)\n"
        "    ^^^^^^^^^^^^^^\n"
        "Use literal keys, or a list indexed by position."
    )


def by_whole_number(x, n):
    met = set()
    for i in range(n):
        met.add(2 * i)
    return x[0] * 2 * len(met) * x[n - 1]


def test_generated_code_checks_a_whole_number():
    gradient = ya.simplegrad(by_whole_number, X, 4)
    assert gradient(X, 4)[1].tolist() == [32, 0, 0, 8]
    with pytest.raises(ValueError, match=r"^by_whole_number_grad: made for n = 4$"):
        gradient(X, 3)


def in_three_loops(x):
    met = set()
    for i in range(len(x)):
        for j in range(len(x)):
            for k in range(len(x)):
                met.add((i, j, k))
    return len(met) * x[0]


def test_copies_of_nested_loops_are_few():
    check(in_three_loops, X[:3])
    with pytest.raises(ya.UnsupportedSyntax, match="a computed key is not supported"):
        ya.grad(in_three_loops, np.ones(12))
