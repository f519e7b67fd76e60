"""Numbers that may be None: what is computed from them is known, for arithmetic on None
raises; and they are None where the program says."""

from dataclasses import dataclass

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import COMPLEX, FLOAT, INT, NONE, NUMBER, array_fact
from yota_ast.ir.facts.joined_facts import join
from yota_ast.ir.facts.optional_values import raises_on_none

X = np.array([0.3, 0.5, 0.9, 0.4])


def secant(a):
    p0 = p1 = None
    x = 1.0
    for _ in range(6):
        f = x * x - a
        slope = (f - p1) / (x - p0) if p0 is not None else 2 * x
        p0, p1 = x, f
        x = x - f / slope
    return x


def history(a):
    p1 = p2 = p3 = None
    p0 = 1.5
    for k in range(9):
        stuck = False
        if p1 is not None and p2 is not None:
            stuck = p0 == p2 and p1 == p0
            if not stuck and p3 is not None:
                stuck = p3 == p0
        if stuck:
            break
        if k == 20:
            p0 = p1 + (p0 - p1) * 0.5
        f = p0 * p0 - a
        p = p0 - f / (2 * p0)
        p0, p1, p2, p3 = p, p0, p1, p2
    return p0 + p2 * 0.1


def bracketed(x):
    low = high = None
    p = 2.0
    for _ in range(12):
        f = p * p - x
        if f < 0.0:
            low = p
        else:
            high = p
        p = p - 0.2 * f
        if low is not None and high is not None and not low < p < high:
            p = 0.5 * (low + high)
    return p * (low if low is not None else high)


def least(x):
    best = None
    for v in x:
        y = np.sin(v) * v
        if best is None or y < best:
            best = y
    return best * 2.0


def least_in_while(x):
    best, k = None, 0
    while k < len(x):
        if best is None:
            best = x[k] ** 2
        elif x[k] ** 2 < best:
            best = x[k] ** 2
        k += 1
    return best


def differences(x):
    previous, total = None, 0.0
    for v in x:
        if previous is not None:
            total += (v - previous) ** 2
        previous = v
    return total


def differences_of_the_rest(x):
    previous, total = None, 0.0
    for v in x:
        if previous is None:
            previous = v
            continue
        total += np.exp(v * previous)
        previous = v
    return total


def never_told(x):
    found = None
    for v in x:
        if v > 0.8:
            found = v**3
    if found is None:
        raise ValueError("nothing found")
    return found * x[0]


def replaced_inside(x, scale=None):
    if x > 1.0:
        scale = x * x
    return x * 3.0 if scale is None else x * scale


def none_on_a_path(x):
    def root(v):
        return None if v < 0.4 else v**0.5

    total = 0.0
    for v in x:
        r = root(v)
        if r is None:
            total += v * v
        else:
            total += r * v
    return total


def in_a_tuple(x):
    pair = (None, 1.0)
    for v in x:
        first, second = pair
        pair = (v * second, first * 0.5 if first is not None else v)
    return pair[0] * pair[1]


def in_a_dict(x):
    state = {"previous": None, "sum": 0.0}
    for v in x:
        if state["previous"] is not None:
            state["sum"] += v * state["previous"]
        state["previous"] = v * v
    return state["sum"] + state["previous"]


@dataclass
class Memory:
    last: float | None = None
    total: float = 0.0

    def see(self, v):
        if self.last is not None:
            self.total += (v - self.last) ** 2
        self.last = v


def in_an_attribute(x):
    memory = Memory()
    for v in x:
        memory.see(v)
    return memory.total * memory.last


def array_at_last(x):
    a = None
    for k in range(4):
        if a is None:
            a = np.zeros_like(x)
        a[k % 2] += x[k % 3] ** 2
    return np.sum(a)


def array_or_none(x):
    previous, total = None, 0.0
    for k in range(3):
        y = x * (k + 1.0)
        if previous is not None:
            total += np.sum(previous * y)
        previous = y**2
    return total


def float_then_array(x):
    s = None
    for k in range(3):
        s = 2.0 if s is None else s * x
    return np.sum(s)


def counted(x):
    at = None
    for k in range(len(x)):
        if at is None or x[k] > x[at]:
            at = k
    return x[at] ** 2 * (at + 1)


def compared(x):
    mark, total = None, 0.0
    for v in x:
        if mark == v or mark is None:
            total += v
        mark = v * 1.0
        total += v * mark
    return total


def kept(x):
    seen, total = None, 0.0
    for v in x:
        seen_before = seen
        seen = v if seen is None else seen * v
        if seen_before:
            total += np.maximum(seen_before, 0.2) * np.tan(seen)
    return total


AT = [
    (secant, 2.0), (history, 2.0), (bracketed, 2.5), (least, X),
    (least_in_while, X), (differences, X), (differences_of_the_rest, X),
    (never_told, X), (replaced_inside, 0.5), (replaced_inside, 1.5),
    (none_on_a_path, X), (in_a_tuple, X), (in_a_dict, X), (in_an_attribute, X),
    (array_at_last, X), (array_or_none, X), (float_then_array, X), (counted, X),
    (compared, X), (kept, X),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize(("fn", "x"), AT)
def test_right_where_a_number_may_be_none(fn, x, second, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f = (lambda v: fn(v * 1.0 if second else v)) if second else fn
    report = ya.gradcheck(f, x)
    assert report, str(report)
    value, _ = ya.grad(f, x)
    assert np.array_equal(value, fn(x))


@pytest.mark.parametrize("fn", [secant, history, differences, in_a_dict])
def test_what_is_computed_from_them_needs_no_helpers(fn):
    text = ya.simplegrad(fn, 2.0 if fn in (secant, history) else X).source
    for helper in ("unbroadcast(", "expand(", " like(", "np.conj", "np.shape(seed)"):
        assert helper not in text, text


def test_none_raises_what_python_raises():
    gradient = ya.simplegrad(never_told, X)
    with pytest.raises(ValueError, match="nothing found"):
        gradient(X * 0.1)


def test_what_is_known_of_a_number_or_none():
    may = join(NONE, FLOAT)
    assert may.present == FLOAT
    assert may.is_immutable
    assert not may.may_be_array
    assert may.holds_floats
    assert not join(INT, NONE).holds_floats
    assert join(may, NONE) == may == join(NONE, may) == join(may, FLOAT)
    assert join(may, INT).present == NUMBER
    assert join(may, COMPLEX).present is None
    assert join(may, array_fact("f8", (None,))).present is None


@pytest.mark.parametrize(
    "fn", [np.equal, np.logical_or, np.frompyfunc(id, 1, 1), print]
)
def test_functions_that_take_none(fn):
    assert not raises_on_none(fn)
