"""Methods of Python's signs, called by name; names that a module does not have."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

V = np.array([1.0, 2.0, 3.0])


def of_an_array(x):
    more = x.__getitem__(0) * x.__add__(3.0)[1] + abs(x[0].__neg__())
    return -x.__len__() * np.sum(x) + more + np.sum(x.__matmul__(x).__rsub__(1.0))


def of_a_number(x):
    return x.__mul__(x) + (3.0).__add__(x) + x.__rsub__(2.0) + x.__rtruediv__(5)


def of_containers(x):
    xs = [x, 2 * x, x * x]
    xs.__setitem__(1, x**3)
    table = {"a": x}
    more = 2 if table.__contains__("a") else 1
    return xs.__len__() * xs.__getitem__(1) * table.__getitem__("a") * more


def of_builtins(x):
    it = iter([x, 2 * x])
    return it.__next__() * it.__next__() * (x + 2.9).__round__() * (-x).__abs__()


def in_place(x):
    y = x.copy()
    y.__setitem__(0, x[1] * x[2])
    return np.sum(y * x) + x.__gt__(1.0).sum() * x[0]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (of_an_array, V),
        (of_a_number, 0.7),
        (of_containers, 0.7),
        (of_builtins, 0.7),
        (in_place, V),
    ],
)
def test_of_signs(f, x):
    assert ya.gradcheck(f, x)


def test_of_an_array_as_an_expert_writes_it():
    def f(x):
        return x.__len__() * x.__mul__(x).sum()

    assert "val = len(x) * (x * x).sum()" in ya.simplegrad(f, V).source


def of_none(x):
    return (1).__add__(x)


def test_what_python_leaves_to_the_other_operand_has_no_rule():
    assert of_none(0.7) is NotImplemented
    with pytest.raises(ya.NoRule, match="__add__ has no rule"):
        ya.grad(of_none, 0.7)


def returned(x):
    if x[0] < 0:
        return np.NaN  # noqa: NPY201  as programs for NumPy 1 have it
    return x[0] * x[1]


def stored(x):
    y = x.copy()
    if x[0] < 0:
        y[y < 0] += np.ENDLESS
    return np.sum(y * x)


def unpacked(x):
    if x[0] < 0:
        a, b = np.NOTHING, np.ENDLESS
    else:
        a, b = x[0], x[1]
    return a * b


def appended(x):
    out = []
    for v in x:
        if v < 0:
            out.append(np.NOTHING)
        else:
            out.append(v * v)
    return np.sum(np.array(out))


def _helper(v):
    if v < 0:
        return np.multiplied([v])
    return v * 3


def called(x):
    return _helper(x[0]) * _helper(x[1])


def chosen(x):
    return np.sum(x * (x[0] if x[0] > 0 else np.made(1)))


@pytest.mark.parametrize("f", [returned, stored, unpacked, appended, called, chosen])
def test_an_arm_that_reads_what_a_module_lacks_raises_as_python_does(f):
    assert ya.gradcheck(f, V)
    gradient = ya.simplegrad(f, V)
    with pytest.raises(AttributeError) as told:
        f(-V)
    with pytest.raises(AttributeError) as raised:
        gradient(-V)
    assert str(raised.value) == str(told.value)
    assert "the value is None" not in gradient.source
