"""Fast text of loops over arrays: copies made once, parts named before the loop."""

import copy

import numpy as np
import pytest

import yota_ast as ya

from .checking import leaves
from .test_fast import compare

U = np.sin(np.arange(9.0))
TABLE = np.cos(np.arange(24.0)).reshape(8, 3)


def joined(u, k, n):
    for _ in range(n):
        inner = u[1:-1] + k * (u[2:] - u[:-2])
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def copied(u, k, n):
    for _ in range(n):
        t = k * (u[2:] + u[:-2])
        u = u.copy()
        u[2:] = u[2:] - t
    return np.sum(u**3)


def of_rows(u, k, n):
    for i in range(n):
        for _ in range(i):
            mid = (u[1:-1, ::-1] + u[2:]) * k
            u = u.copy()
            u[1:-1] = mid
    return np.sum(u * u)


def until(u, k, n):
    while np.sum(u * u) > 1.0 and n > 0:
        mid = k * (0.5 * u[1:-1] + 0.3 * u[2:])
        u = u.copy()
        u[1:-1] = mid
        n = n - 1
    return np.sum(u * u)


ONCE = [(joined, U), (copied, U), (of_rows, TABLE), (until, U)]


def kept_in_list(u, k, n):
    kept = [u]
    for _ in range(n):
        mid = k * u[1:-1]
        u = u.copy()
        u[1:-1] = mid
        kept.append(u)
    return np.sum(kept[0] * kept[-1]) + np.sum(kept[len(kept) // 2])


def part_kept(u, k, n):
    kept = []
    for _ in range(n):
        kept.append(u[2:4])
        mid = k * u[1:-1]
        u = u.copy()
        u[1:-1] = mid
    return np.sum(u) + sum(np.sum(part * part) for part in kept)


def read_behind(u, k, n):
    total = 0.0
    for _ in range(n):
        old = u[1:-1]
        u = u.copy()
        u[1:-1] = k * old
        total = total + np.sum(u[1:-1] * old)
    return total


def handed_on_too(u, k, n):
    before = u
    for _ in range(n):
        before = u
        mid = k * u[1:-1]
        u = u.copy()
        u[1:-1] = mid
    return np.sum(u * before)


def copy_read_too(u, k, n):
    for _ in range(n):
        v = u.copy()
        mid = k * v[1:-1] * u[2:]
        v[1:-1] = mid
        u = v
    return np.sum(u * u)


def saved_for_the_reverse(u, k, n):
    total = 0.0
    for _ in range(n):
        mid = k * (u[2:] - u[:-2])
        u = u.copy()
        u[1:-1] = mid
        total = total + np.sum(np.sin(u) + u * u)
    return total


def handed_on_twice(u, k, n):
    v = u
    for _ in range(n):
        mid = k * (u[2:] - v[:-2])
        u = u.copy()
        u[1:-1] = mid
        v = u
    return np.sum(u * v)


def written_behind(u, k, n):
    for _ in range(n):
        mid = k * (u[2:] - u[:-2])
        u = u.copy()
        u[1:-1] = mid
    u += 1.0
    return np.sum(u * u)


def chosen(u, k, n):
    for i in range(n):
        mid = np.cos(k * u[1:-1])
        v = u.copy()
        v[1:-1] = mid
        if i % 2:
            u = v
    return np.sum(u * u)


EACH_TIME = [
    kept_in_list,
    part_kept,
    read_behind,
    handed_on_too,
    chosen,
    saved_for_the_reverse,
    written_behind,
]
ALL = [*(fn for fn, _ in ONCE[:2]), *EACH_TIME, copy_read_too, handed_on_twice]


def in_loops(source):
    """The lines of loops."""
    return [line for line in source.splitlines() if line.startswith(" " * 8)]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(("fn", "u"), ONCE)
def test_a_copy_is_made_once(fn, u, dtype):
    u = u.astype(dtype)
    made = compare(fn, (u, 0.7, 3), {})
    copies = [line for line in made.source.splitlines() if line.endswith(".copy()")]
    depths = [len(line) - len(line.lstrip()) for line in copies]
    if dtype == "f8" or fn is joined:
        assert depths == [8 if fn is of_rows else 4]
    readable = ya.simplegrad(fn, u, 0.7, 3)
    for other in (u[::-1], np.asfortranarray(u), u[:2], np.repeat(u, 2, axis=0)[::2]):
        for trips in (0, 1, 4):
            args = other.copy() if other is u else other, 0.7, trips
            found = made(*copy.deepcopy(args))
            pairs = zip(leaves(found), leaves(readable(*args)), strict=True)
            for one, wanted in pairs:
                np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("passes", ["none", "fast-joins", "-tidy", "-again"])
@pytest.mark.parametrize("fn", ALL)
def test_with_other_passes(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    compare(fn, (U, 0.7, 3), {})


@pytest.mark.parametrize("fn", EACH_TIME)
def test_what_is_held_elsewhere_is_copied_each_time(fn):
    made = compare(fn, (U, 0.7, 3), {})
    assert any(".copy()" in line for line in in_loops(made.source))
    for trips in (0, 1, 3):
        u, v = U.copy(), U.copy()
        fn(u, 0.7, max(trips, fn is chosen))
        made(v, 0.7, max(trips, fn is chosen))
        np.testing.assert_allclose(u, v)


def test_the_argument_stays_as_it_is():
    u = U.copy()
    ya.simplegrad(joined, u, 0.7, 3, fast=True)(u, 0.7, 3)
    assert (u == U).all()


# ---------------------------------------------------------------- parts


def in_place(u0, c, n):
    u = u0.copy()
    for _ in range(n):
        u[1:-1] -= c * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def several(u0, v, n):
    u = u0.copy()
    for i in range(n):
        if i % 2:
            u[::2] = np.sin(u[::2]) + np.sum(v[1:])
        for _ in range(2):
            v = v * 0.9
            u[1:] += v[1:] * u[:-1]
    return np.sum(u * v)


def of_lists(x, n):
    kept = [x, 2.0 * x]
    for _ in range(n):
        kept.append(np.sum(np.stack(kept[-2:]), axis=0) * x[1:].sum())
    return np.sum(kept[-1])


@pytest.mark.parametrize(
    ("fn", "args"), [(in_place, (U, 0.1, 3)), (several, (U, U[::-1], 4))]
)
def test_parts_are_named_before_loops(fn, args, monkeypatch):
    made = compare(fn, args, {})
    assert "u_part" in made.source
    compare(fn, (*args[:-1], 0), {})
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-views")
    assert "u_part" not in compare(fn, args, {}).source


def test_parts_of_lists_are_copies():
    assert "kept_part" not in compare(of_lists, (U, 3), {}).source


def test_a_name_that_is_taken():
    def taken(u0, u_part, n):
        u = u0.copy()
        for _ in range(n):
            u[1:] += u_part[:-1] * u[:-1]
        return np.sum(u)

    compare(taken, (U, U + 1.0, 3), {})


def test_lines_stay_within_their_width():
    def long(u_of_the_first, c, n):
        u_of_the_first = u_of_the_first.copy()
        for _ in range(n):
            c = c * u_of_the_first[1:] + u_of_the_first[:-1] * u_of_the_first[1:] + 1
        return np.sum(c)

    made = compare(long, (U, U[1:], 3), {})
    assert max(map(len, made.source.splitlines())) <= 88


def test_arrays_whose_parts_are_no_views_are_refused():
    dask = pytest.importorskip("dask.array")
    made = ya.simplegrad(in_place, U, 0.1, 3, fast=True)
    with pytest.raises(ValueError, match="whose parts are views"):
        made(dask.from_array(U), 0.1, 3)
