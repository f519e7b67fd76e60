"""What a slice takes of an axis, by the bounds of counters: never another length."""

import itertools
import operator
import random
import re

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import INT, int_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim, axis_dim, called
from yota_ast.ir.facts.loop_counters import counter
from yota_ast.rules.inference.dims import noting
from yota_ast.rules.inference.infer import lengthened
from yota_ast.rules.inference.slice_lengths import sliced

OPERATORS = (operator.add, operator.sub, operator.mul, operator.floordiv)
LENGTHS = (0, 1, 2, 3, 5, 8)


class Program:
    """A few integers of a program: the facts of each, and its values in many runs."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.runs = list(itertools.product(LENGTHS, LENGTHS, (-2, 0, 1, 3)))
        dims = axis_dim("x.shape[0]", 4), axis_dim("w.shape[0]", 3), Dim("p", 0, 2)
        self.atoms = [Var(dim.base, int_fact(dim)) for dim in dims]
        self.values = [list(column) for column in zip(*self.runs, strict=True)]
        for k in range(self.random.randint(2, 7)):
            self.count(k) if self.random.random() < 0.4 else self.compute(k)

    def one(self):
        """One of the integers, or a literal, and its value in each run."""
        k = self.random.randrange(-2, len(self.atoms))
        if k < 0:
            literal = self.random.randint(-2, 3)
            return Const(literal), [literal] * len(self.values[0])
        return self.atoms[k], self.values[k]

    def compute(self, k):
        """A sum, a product or a part of two."""
        fn = self.random.choice(OPERATORS)
        (a, u), (b, v) = self.one(), self.one()
        known = lengthened(INT, fn, [a, b]).length
        if fn is operator.floordiv and 0 in v:
            return
        self.atoms.append(Var(f"t{k}", int_fact(known or Dim(f"@t{k}"))))
        self.values.append(list(map(fn, u, v)))

    def count(self, k):
        """A counter of a range: each run becomes one for each of its numbers."""
        ends = [self.one() for _ in range(self.random.randint(1, 2))]
        if len(ends) == 2 and self.random.random() < 0.5:
            ends.append(self.one())
            if 0 in ends[2][1]:
                ends.pop()
        known = counter([known_of(atom) for atom, _ in ends])
        name = f"@i{k}"
        steps = [list(range(*n))[:6] for n in zip(*(v for _, v in ends), strict=True)]
        self.atoms.append(Var(name, int_fact(called(known, name))))
        self.values = [
            [n for n, more in zip(column, steps, strict=True) for _ in more]
            for column in self.values
        ]
        self.values.append([n for more in steps for n in more])
        keep = sorted(self.random.sample(range(n := len(self.values[0])), min(n, 400)))
        self.values = [[column[j] for j in keep] for column in self.values]


def known_of(atom):
    return atom.value if isinstance(atom, Const) else atom.fact.length


def value_of(dim, names):
    """What a sum is in one run."""
    if not dim.terms:
        return (names[dim.base] if dim.base else 0) + dim.offset
    return dim.offset + sum(k * of_term(term, names) for term, k in dim.terms)


def of_term(term, names):
    if term.factors is not None:
        return of_term(term.factors[0], names) * of_term(term.factors[1], names)
    if term.part is not None:
        by = term.part[1]
        by = by if isinstance(by, int) else of_term(by, names)
        return value_of(term.part[0], names) // by
    return names[term.name]


def test_no_slice_has_another_length():
    claims = 0
    for seed in range(3000):
        program = Program(seed)
        (start, first), (stop, last) = program.one(), program.one()
        axis = program.atoms[program.random.randrange(2)]
        ends = map(known_of, (start, stop))
        with noting() as naturals:
            length = sliced(axis.fact.length, *ends)
        if length is None:
            continue
        claims += 1
        for run in zip(*program.values, first, last, strict=True):
            names = {
                a.fact.length.base: n for a, n in zip(program.atoms, run, strict=False)
                if len(a.fact.length.terms) <= 1 and not a.fact.length.offset
            }  # fmt: skip
            if any(value_of(number, names) < 0 for number, _ in naturals):
                continue
            taken = range(names[axis.name])[run[-2] : run[-1]]
            assert len(taken) == max(value_of(length, names), 0), seed
    assert claims > 300


# ---------------------------------------------------------------- what follows


def windows(x, w):
    k = w.shape[0]
    out = np.empty(x.shape[0] - k + 1)
    for i in range(x.shape[0] - k + 1):
        out[i] = np.sum(x[i : i + k] * w)
    return np.sum(out**2)


def pairs(x, w):
    s = 0.0
    for i in range(x.shape[0] // 2):
        s = s + np.prod(x[2 * i : 2 * i + 2] + w[:2])
    return s


def backwards(x, w):
    n, s = len(x), 0.0
    for i in range(n - 2, 0, -1):
        s = s + np.sum(np.array([1.0, -2.0, 1.0]) * x[i - 1 : i + 2] ** 2)
    return s * w[0]


def rest(x, w):
    n, s = len(x), 0.0
    for i in range(n):
        s = s + w[0] * np.sum(x[i:] * x[: n - i])
    return s


def padded(x, w):
    y = np.pad(x, 1, mode="edge")
    return np.sum((y[: x.shape[0]] + w[0] * y[1 : 1 + x.shape[0]]) ** 2)


def computed_counters(x, w):
    s, n = 0.0, x.shape[0]
    for i in range(1, n):
        k = i - 1
        k += 1
        s = s + np.sum(x[k - 1 : k + 1] * x[n - k - 1 : n - k + 1]) * w[1]
    return s


def frames(x, w):
    n, hop = w.size, w.size // 2
    s = 0.0
    for i in range((x.size - n) // hop + 1):
        s = s + np.sum((x[i * hop : i * hop + n] * w) ** 4)
    return s


@pytest.mark.parametrize(
    "f", [windows, pairs, backwards, rest, padded, computed_counters, frames]
)
def test_gradients_of_slices(f):
    x, w = np.linspace(0.3, 1.7, 9) ** 2, np.array([0.4, 0.9, 1.3])
    g = ya.simplegrad(f, x, w)
    assert "unbroadcast" not in g.source
    for n in (9, 8, 4, 3):
        x = np.linspace(0.3, 1.7, n) ** 2
        value, *slopes = g(x, w)
        assert value == f(x, w)
        for k, slope in enumerate(slopes):
            for j in range(len((x, w)[k])):
                ends = [f(*moved((x, w), k, j, by)) for by in (1e-6, -1e-6)]
                assert slope[j] == pytest.approx(
                    (ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7
                )


def moved(args, k, j, by):
    args = [a.copy() for a in args]
    args[k][j] += by
    return args


def shifted(x, w):
    k, s = w.shape[0], 0.0
    size = x.shape[0] - k + 1
    for i in range(k):
        s = s + w[i] * np.sum(x[i : i + size] ** 2 * np.arange(size))
    return s


def test_a_length_that_may_be_below_zero_is_checked():
    x, w = np.linspace(0.3, 1.7, 9), np.array([0.4, 0.9, 1.3])
    g = ya.simplegrad(shifted, x, w)
    assert "unbroadcast" not in g.source
    for n in (9, 4, 3, 2):  # of 2 elements the parts have none
        assert g(x[:n], w)[0] == shifted(x[:n], w)
    told = "made for x (n,), w (m,), x.shape[0] + 1 >= w.shape[0], floats"
    with pytest.raises(ValueError, match=f"^shifted_grad: {re.escape(told)}$"):
        g(x[:1], w)  # where `x[0:-1]` would be counted from the end
    _, along = ya.jvp(shifted, wrt="w")(x, w, w)
    assert along == pytest.approx(shifted(x, w))


STEPS, LINE = 5, np.arange(10.0)


def steps_of_the_module(x, w):
    s = 0.0
    for i in range(0, STEPS, 9):
        s = s + np.sum(x[0] * LINE[i : i + 6] * w)
    return s


def test_a_range_of_a_number_of_the_module_has_no_bounds(monkeypatch):
    """It may be bound anew: the second part has one element."""
    x, w = np.array([0.3]), np.arange(1.0, 7)
    g = ya.simplegrad(steps_of_the_module, x, w)
    monkeypatch.setitem(globals(), "STEPS", 10)
    value, dx, dw = g(x, w)
    assert value == steps_of_the_module(x, w)
    np.testing.assert_allclose(dx, [value / x[0]])
    np.testing.assert_allclose(dw, x[0] * (LINE[:6] + LINE[9]))


def hops(x, w, hop):
    s = 0.0
    for start in range(0, len(x) - len(w) + 1, hop):
        s = s + np.sum(np.abs(np.fft.rfft(x[start : start + len(w)] * w)) ** 2)
    return s


def test_a_step_that_may_be_below_zero_is_checked():
    x, w = np.linspace(0.3, 1.7, 9), np.array([0.4, 0.9, 1.3])
    g = ya.simplegrad(hops, x, w, 2)
    assert "unbroadcast" not in g.source
    for hop in (1, 2, 3, 20):
        assert g(x, w, hop)[0] == hops(x, w, hop)
    told = "made for x (n,), w (m,), hop >= 0, floats"
    with pytest.raises(ValueError, match=f"^hops_grad: {re.escape(told)}$"):
        g(x, w, -1)
