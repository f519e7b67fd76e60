"""Joins of the ends of an array, in fast text writes into a copy of it."""

import copy

import numpy as np
import pytest

import yota_ast as ya

from .checking import leaves
from .test_fast import compare

U = np.sin(np.arange(8.0))
TABLE = np.cos(np.arange(24.0)).reshape(8, 3)


def heat(u, k, n):
    for _ in range(n):
        inner = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def head(u, k):
    u = np.concatenate([u[:2], k * np.sin(u[2:])])
    return np.sum(u * u * u)


def tail(u):
    v = np.concatenate((u[1:] * u[:-1], u[-1:]))
    return np.sum(v * u)


def of_rows(u, n):
    for _ in range(n):
        u = np.concatenate((u[:1], np.sin(u[2:]) + u[:-2], u[-1:]))
    return np.sum(u * u)


def nested(u, k, n):
    for i in range(n):
        for _ in range(i):
            u = np.concatenate((u[:1], k * u[1:-1], u[-1:]))
    return np.sum(u * u)


def reversed_middle(u):
    return np.sum(np.concatenate((u[:1], u[1:-1][::-1], u[-1:])) * u)


def middle_itself(u, n):
    for _ in range(n):
        u = np.concatenate((u[:1], u[1:-1], u[-1:])) * 0.5
    return np.sum(u**3)


def steps_into_array(u, k, n):
    kept = []
    for _ in range(n):
        u = np.concatenate((u[:1], np.tanh(k * u[1:-1]), u[-1:]))
        kept.append(u)
    return np.sum(kept[0] * kept[1]) + np.sum(u)


def array_as_value(u, k):
    return np.concatenate((u[:1], k * u[1:-1], u[-1:]))


def while_loop(u, k):
    while np.sum(u * u) > 2.0:
        u = np.concatenate((u[:1], 0.5 * k * u[1:-1], u[-1:]))
        k = k * 0.9
    return np.sum(u * u) * k


def step(u, k):
    return np.concatenate((u[:1], u[1:-1] + k * (u[2:] - u[:-2]), u[-1:]))


def part(u, k):
    w = u[2:]
    for _ in range(3):
        w = step(w, k)
    return np.sum(w * w) + np.sum(u)


def made_here(x, k):
    u = np.sin(x) * k
    for _ in range(3):
        u = step(u, k)
    return np.sum(u * u)


def of_items(p, n):
    u = p["u"]
    for _ in range(n):
        u = step(u, p["k"])
    return np.sum(u * u)


def left_early(u, k, n):
    for _ in range(n):
        u = step(u, k)
        if np.sum(u * u) > 3.0:
            break
    return np.sum(u * u)


WRITTEN = [
    (heat, (U, 0.2, 3)),
    (head, (U, 0.7)),
    (tail, (U,)),
    (of_rows, (TABLE, 2)),
    (nested, (U, 0.9, 4)),
    (reversed_middle, (U,)),
    (array_as_value, (U, 0.5)),
    (part, (U, 0.3)),
    (made_here, (U, 0.3)),
    (of_items, ({"u": U, "k": 0.2}, 3)),
    (left_early, (U, 0.9, 6)),
]


def written_later(u, k):
    v = np.concatenate((u[:1], k * u[1:-1], u[-1:]))
    v[0] *= 3.0
    u[2] = v[1]
    return np.sum(v * u)


def other_ends(u, v):
    return np.sum(np.concatenate((u[:1], u[1:-1], v[-1:])) * u)


def shifted(u):
    return np.sum(np.concatenate((u[:1], u[:-2], u[-1:])) * u)


def longer(u, n):
    for _ in range(n):
        u = np.concatenate((u[:1], u, u[-1:]))
    return np.sum(u * u)


def ends_swapped(u):
    return np.sum(np.concatenate((u[-1:], u[1:-1], u[:1])) * u)


def of_whole_numbers(u, x):
    v = np.concatenate((u[:1], x * u[1:-1], u[-1:]))
    return np.sum(v * v)


def changed_type(u, w, n):
    for _ in range(n):
        u = np.concatenate((u[:1], u[1:-1] * w[1:-1], u[-1:])) * w
    return np.sum(u)


OTHERS = [
    (written_later, (U, 0.5)),
    (other_ends, (U, 2 * U)),
    (longer, (U, 2)),
    (ends_swapped, (U,)),
    (of_whole_numbers, (np.arange(8), 0.5)),
    (steps_into_array, (U, 0.5, 3)),
    (while_loop, (U, 0.9)),
    (middle_itself, (U, 2)),
    (shifted, (U,)),
    (changed_type, (U, U + 1, 2)),
]


def is_written(source):
    """Whether a text has a copy where the function has a join."""
    return ".copy()\n" in source.partition("# reverse")[0]


@pytest.mark.parametrize("passes", ["all", "-fast-joins", "fast-joins"])
@pytest.mark.parametrize(("fn", "args"), WRITTEN + OTHERS)
def test_joins_are_right(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    compare(fn, args, {})


@pytest.mark.parametrize(("fn", "args"), WRITTEN)
def test_joins_are_written(fn, args):
    source = compare(fn, args, {}).source
    assert is_written(source), source
    code = [line for line in source.split("\n") if "# " not in line]
    assert not any("concatenate" in line for line in code)


@pytest.mark.parametrize(("fn", "args"), [OTHERS[k] for k in (0, 1, 2, 3, 4)])
def test_other_joins_stay(fn, args):
    source = compare(fn, args, {}).source
    code = [line for line in source.split("\n") if "# " not in line]
    assert any("concatenate" in line for line in code), source


def both(fn, args, given):
    """What the readable and the fast text give."""
    texts = [ya.simplegrad(fn, *args, fast=fast) for fast in (False, True)]
    return [[*leaves(f(*copy.deepcopy(given)))] for f in texts]


@pytest.mark.parametrize("length", [2, 3, 4, 20])
@pytest.mark.parametrize("dtype", ["f8", "f4", ">f8"])
@pytest.mark.parametrize(("fn", "args"), [WRITTEN[0], WRITTEN[1], WRITTEN[4]])
def test_text_serves_other_arrays(fn, args, length, dtype):
    given = (np.sin(np.arange(float(length))).astype(dtype), *args[1:])
    for one, other in zip(*both(fn, args, given), strict=True):
        assert getattr(one, "dtype", float) == getattr(other, "dtype", float)
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(other, one, rtol=1e-4)


@pytest.mark.parametrize("length", [0, 1])
def test_arrays_that_are_too_short_are_refused(length):
    fast = ya.simplegrad(heat, *WRITTEN[0][1], fast=True)
    with pytest.raises(ValueError, match=r"made for u.shape\[0\] >= 2"):
        fast(U[:length], 0.2, 3)


def test_numbers_of_more_precision_are_refused():
    fast = ya.simplegrad(heat, *WRITTEN[0][1], fast=True)
    for k in (np.float64(0.2), np.int64(2)):
        with pytest.raises(ValueError, match="made for k of no more precision than u"):
            fast(U.astype("f4"), k, 3)
    for one, other in zip(*both(heat, WRITTEN[0][1], (U, np.float64(0.2), 3))):
        np.testing.assert_allclose(other, one)


def test_whole_numbers_of_numpy_are_refused_beside_single_precision():
    fast = ya.simplegrad(heat, U, 2, 3, wrt="u", fast=True)
    assert is_written(fast.source)
    assert fast(U.astype("f4"), 2, 3)[1].dtype == np.float32
    with pytest.raises(ValueError, match="made for k of no more precision than u"):
        fast(U.astype("f4"), np.int64(2), 3)


def test_arguments_stay_as_they_are():
    fast = ya.simplegrad(heat, *WRITTEN[0][1], fast=True)
    given = U.copy()
    value, du, _ = fast(given, 0.2, 0)
    np.testing.assert_equal(given, U)
    assert not np.shares_memory(du, given)
    assert value == pytest.approx(np.sum(U * U))
