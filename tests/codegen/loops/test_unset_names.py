"""Numba reads a name without a value in silence: such a function is refused."""

import inspect

import numpy as np
import pytest

import yota_ast as ya


def after_a_loop(x, n):
    for i in range(n):
        y = x[i] * 2
    return y * x[0]


def after_a_branch(x, n):
    if n > 2:
        y = x[0] * 3
    return y + x[1]


def within_a_loop(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0.5:
            y = x[i]
        s += y * x[i]
    return s


def after_an_inner_loop(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            y = x[j] * x[i]
        s += y
    return s


def after_a_while(x, n):
    k = 0
    while k < n:
        y = x[k]
        k += 1
    return y**2


READS = {
    after_a_loop: "return y * x[0]",
    after_a_branch: "return y + x[1]",
    within_a_loop: "s += y * x[i]",
    after_an_inner_loop: "s += y",
    after_a_while: "return y**2",
}


def assigned_in_both_arms(x, n):
    if n > 2:
        y = x[0] * 3
    else:
        y = x[1]
    return y + x[1]


def assigned_before(x, n):
    y = x[0]
    for i in range(n):
        y = x[i] * y
    return y


@pytest.mark.parametrize("f", READS, ids=lambda f: f.__name__)
def test_a_name_that_may_have_no_value_is_refused(f):
    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.simplegrad(f, np.ones(4), 4, wrt="x", backend="numba")
    lines, first = inspect.getsourcelines(f)
    at = next(k for k, line in enumerate(lines) if line.strip() == READS[f])
    column = lines[at].index(READS[f])
    assert str(caught.value) == (
        f"{__file__}:{first + at}:{column + 1}: no loops are made of `y`, which may "
        f"have no value where it is read\n"
        f"    {READS[f]}\n"
        f"    {'^' * len(READS[f])}\n"
        "Assign a value to `y` first.\n"
        "Leave out backend='numba'."
    )


@pytest.mark.parametrize("f", [assigned_in_both_arms, assigned_before])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_a_name_with_a_value_is_none_of_them(f, n):
    x = np.array([0.3, 0.9, 0.2, 0.7])
    loops = ya.simplegrad(f, x, 4, wrt="x", backend="numba")
    for one, other in zip(loops(x, n), ya.simplegrad(f, x, 4, wrt="x")(x, n)):
        np.testing.assert_allclose(one, other, rtol=1e-12)
