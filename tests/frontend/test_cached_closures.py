"""Functions that are put under lru_cache where they are defined."""

import functools
import inspect

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


def kept_outside(x):
    return drawn(x[0]) * x[1]


def after_a_branch(x):
    @functools.cache
    def noise(k):
        return np.random.normal() * x[k]  # noqa: NPY002

    y = noise(0) if x[1] > 0 else 0.0
    return y + noise(0)


def perhaps_alike(x):
    @functools.cache
    def shown(v):
        print(v)
        return v * v

    return shown(x[0]) + shown(x[1])


@pytest.mark.parametrize(
    ("f", "at", "reason", "remedy"),
    [
        (
            draws_once,
            "drawn(x[0])",
            "`drawn` prints or draws, and its cached value is read in a loop",
            "Call it before the loop, and use its value there.",
        ),
        (
            kept_outside,
            "drawn(x[0])",
            "`drawn` draws random numbers, and keeps them from one call to the next",
            "Draw without the cache.",
        ),
        (
            after_a_branch,
            "noise(0)",
            "`noise` prints or draws, and its cached value is read after a branch",
            "Call it before the branch, and use its value there.",
        ),
        (
            perhaps_alike,
            "shown(x[1])",
            (
                "`shown` prints or draws, and its cached value is read for an argument "
                "that may be the same"
            ),
            "Call it once, and use its value there.",
        ),
    ],
)
def test_a_cached_draw_is_refused(f, at, reason, remedy):
    with pytest.raises(ya.UnsupportedCall) as found:
        ya.grad(f, X)
    rows, first = inspect.getsourcelines(f)
    row = max(k for k, text in enumerate(rows) if at in text)
    place = rows[row].rindex(at)
    line = rows[row].rstrip()
    assert str(found.value) == (
        f"{__file__}:{first + row}:{place + 1}: {reason}\n"
        f"{line}\n{' ' * place}{'^' * len(at)}\n{remedy}"
    )


def drawn_for_each(x):
    @functools.cache
    def noise(k):
        return np.random.normal() * x[k]  # noqa: NPY002

    return noise(0) + noise(0) * noise(1)


def test_draws_for_constants_are_those_of_python():
    np.random.seed(3)  # noqa: NPY002
    value = drawn_for_each(X)
    np.random.seed(3)  # noqa: NPY002
    assert ya.grad(drawn_for_each, X)[0] == value
