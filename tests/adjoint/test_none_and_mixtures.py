"""Values that are None, or a container in one case and a number in another.

An operator that is given None raises, unless the other operand is an array without
items: nothing goes back through it. An item of what is not always a container is
refused, for no text could say what its adjoint is made of.
"""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

M = np.array([2.0, 3.0])


def nothing_below_one(m, level=None):
    below = m < 1
    r = np.zeros_like(m)
    r[below] = 2 / m[below] ** 2 * (level * (1 + m[below]) - 1)
    above = np.invert(below)
    r[above] = 4 * (m[above] ** 2 - 1)
    return r.sum()


def powers_of_none(m, level=None):
    none = m[m < 1]
    return np.sum(m**2) + np.sum(np.exp(-(none**level)))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [nothing_below_one, powers_of_none])
def test_nothing_goes_back_through_none(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    report = ya.gradcheck(fn, M)
    assert report, str(report)
    assert np.array_equal(ya.grad(fn, M)[0], fn(M))


def test_none_raises_what_python_raises():
    gradient = ya.simplegrad(nothing_below_one, M)
    with pytest.raises(TypeError, match="NoneType"):
        gradient(np.array([0.5, 2.0]))


def wrapped_again_and_again(x):
    t = x
    for _ in range(3):
        t = (t, x)
    return t[1] * 2.0


def test_tuples_that_a_loop_wraps():
    value, grads = ya.grad(wrapped_again_and_again, 1.5)
    assert (value, grads["x"]) == (3.0, 2.0)


def one_of_two(x):
    p = [x, (x, x)]
    q = p[int(x > 1)]
    return (q if isinstance(q, float) else q[0]) * x


def best_of_all(xs):
    best = None
    for x in xs:
        if best is None or x > best["at"]:
            best = {"at": x}
    return best["at"]


def best_and_all(xs):
    best = None
    for x in xs:
        if best is None or x > best[0]:
            best = (x, xs * 2)
    return best[0] * best[1].sum()


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (one_of_two, 1.5),
        (best_of_all, M),
        (best_and_all, M),
    ],
)
def test_an_item_of_what_is_no_container_in_every_case_is_refused(fn, x):
    with pytest.raises(
        UnsupportedSyntax, match="a container in some cases only"
    ) as found:
        ya.grad(fn, x)
    assert found.value.lineno == fn.__code__.co_firstlineno + _last_line(fn)


def _last_line(fn):
    return max(line for _, _, line in fn.__code__.co_lines() if line) - (
        fn.__code__.co_firstlineno
    )


def number_in_every_case_that_works(x):
    p = [x, (x, x)]
    return p[int(x > 1)] * x


def best_of_numbers(xs):
    best = None
    for x in xs:
        if best is None or x > best[0]:
            best = (x, 2 * x)
    return best[0] * best[1]


@pytest.mark.parametrize(
    ("fn", "x"), [(number_in_every_case_that_works, 0.5), (best_of_numbers, M)]
)
def test_what_works_in_every_case_is_not_refused(fn, x):
    report = ya.gradcheck(fn, x)
    assert report, str(report)
