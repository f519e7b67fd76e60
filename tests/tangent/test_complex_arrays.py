"""Arrays that are complex and began as real ones: so do their tangents, and what is
written into both is complex."""

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.3, 1.2, -0.5, 2.0])
ALONG = np.array([0.4, -0.7, 0.9, 0.2])


def written(v):
    y = v + 0j
    y[0] = y[1] * 1j
    return float(np.abs(y - 2).sum())


def masked(v):
    y = v + 0j
    y[np.array([True, False, True, False])] *= 1j
    return float(np.abs(y - 2).sum())


def whole(v):
    y = v + 0j
    y[:] = y * 1j
    return float(np.abs(y - 2).sum())


def recurrence(v):
    y = v + 0j
    for k in range(1, 4):
        y[k] = y[k - 1] * 1j + v[k]
    return float(np.abs(y - 2).sum())


def carried(v):
    y = v
    for k in range(3):
        y = y * 1j if k else y + 0j
        y[k] = y[k] * 2j
    return float(np.abs(y - 2).sum())


def chosen(v):
    y = np.where(v > 0, v, 1j)
    y[0] = y[1] * 1j
    return float(np.abs(y - 2).sum())


def joined(v):
    y = np.append(v, 1j)
    y[0] -= y[1] * 1j
    return float(np.abs(y - 2).sum())


def inserted(v):
    y = np.insert(v + 0j, 1, 1j * v[0])
    return float(np.abs(y - 2).sum())


def filled(v):
    y = np.full(4, v[0] + 0j)
    y[0] = y[1] * 1j
    return float(np.abs(y - 2).sum())


def of_a_branch(v):
    y = v + 0j if v[0] > 0 else v * 1j
    y[0] = v[1] * 1j
    return float(np.abs(y - 2).sum())


def of_a_constant_that_may_turn(v, turned=False):
    z = np.array([1.0, 2.0, 0.5, 1.5])
    if turned:
        z = z * 1j
    y = z[::-1] * v + 0j
    y[0] = y[1] * 1j
    return float(np.abs(y - 2).sum())


def of_a_constant_that_turns_in_a_loop(v, turns=0):
    z = np.array([1.0, 2.0, 0.5, 1.5])
    for _ in range(turns):
        z = z * 1j
    y = z * v + 0j
    y[0] = y[1] * 1j
    return float(np.abs(y - 2).sum())


def roots(v):
    return float(np.abs(np.roots([1.0, v[0], 2.0]) + 0.3).sum())


PROGRAMS = [
    written, masked, whole, recurrence, carried, chosen, joined, inserted, filled,
    of_a_branch, roots, of_a_constant_that_may_turn, of_a_constant_that_turns_in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_tangents_are_right(f, passes, monkeypatch):
    more = (0,) if f.__defaults__ else ()  # which is no constant of the text
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, tangent = ya.jvp(f, wrt=[0])(V.copy(), *more, ALONG)
    h = 1e-6
    change = (f(V + h * ALONG, *more) - f(V - h * ALONG, *more)) / (2 * h)
    assert value == f(V, *more)
    assert tangent == pytest.approx(change, rel=1e-6)


def test_a_real_tangent_of_a_complex_argument():
    def f(z):
        z[0] = z[1] * 1j
        return np.abs(z - 2).sum()

    z = V + 1j
    _, tangent = ya.jvp(f)(z.copy(), ALONG)
    h = 1e-6
    change = (f(z + h * ALONG) - f(z - h * ALONG)) / (2 * h)
    assert tangent == pytest.approx(change, rel=1e-6)
