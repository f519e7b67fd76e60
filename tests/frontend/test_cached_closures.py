"""Functions that are put under lru_cache where they are defined."""

import functools

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.5, 2.0, -1.0, 3.0])


def recursion(x):
    @functools.cache
    def basis(i, k):
        if k == 0:
            return 1.0 if i == 1 else 0.0
        return x[i] * basis(i, k - 1) + (1 - x[i]) * basis(i + 1, k - 1)

    return sum(basis(i, 2) for i in range(2))


def kept_as_it_was(x):
    scale = 1.0

    @functools.lru_cache(maxsize=16)
    def item(i):
        return x[i] * scale

    first = item(0)
    scale = 5.0
    return first + item(0) * item(1)


def written_into(x):
    @functools.lru_cache
    def times(k):
        return x * k

    times(2)[0] = 7.0
    return np.sum(times(2) ** 2)


def in_a_loop(x):
    @functools.cache
    def square(i):
        return x[i] ** 2

    total = 0.0
    for k in range(len(x)):
        total += square(k) * square(0)
    return total


@pytest.mark.parametrize("fn", [recursion, kept_as_it_was, written_into, in_a_loop])
def test_what_is_cached_is_what_python_caches(fn):
    check(fn, X)


@functools.cache
def drawn(x):
    return np.random.normal() * x  # noqa: NPY002


def draws_once(x):
    return sum(drawn(x[0]) for _ in range(len(x)))


def in_a_branch(x):
    y = drawn(x[0]) if x[1] > 0 else 0.0
    return y + drawn(x[0])


def test_a_cached_draw_in_a_loop_is_refused():
    with pytest.raises(ya.UnsupportedCall) as found:
        ya.grad(draws_once, X)
    line = draws_once.__code__.co_firstlineno + 1
    assert str(found.value) == (
        f"{__file__}:{line}:16: `drawn` prints or draws, and its cached value is read "
        "in a loop\n"
        "    return sum(drawn(x[0]) for _ in range(len(x)))\n"
        "               ^^^^^^^^^^^\n"
        "Call it before the loop, and use its value there."
    )


def test_a_cached_draw_of_a_branch_is_refused():
    with pytest.raises(ya.UnsupportedCall) as found:
        ya.grad(in_a_branch, X)
    line = in_a_branch.__code__.co_firstlineno + 2
    assert str(found.value) == (
        f"{__file__}:{line}:16: the object changes after the value of `drawn` was "
        "cached\n"
        "    return y + drawn(x[0])\n"
        "               ^^^^^^^^^^^\n"
        "Use a plain property, or assign the value to a name."
    )
