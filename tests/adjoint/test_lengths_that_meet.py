"""A text that was made for arrays longer than one element is asked of one of one."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import PASSES, check

V = np.array([0.3, 1.2, -0.5, 2.0])
A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])


def apart(v):
    return float(np.sum((v - np.unique([1, 2, 3, 4.0])) ** 2))


def counted(v):
    return float(np.sum(np.sin(v) * np.bincount([0, 1, 2, 3])))


def chosen(v):
    return float(np.sum(np.where(np.unique([1, 2, 3, 4.0]) > 2, v, 0.0)))


def in_loop(v):
    u, s = np.unique([1, 2, 3, 4.0]), v * 1
    for _ in range(2):
        s = s * u
    return float(s.sum())


def of_slice(v):
    return float(np.sum(v[:3] * np.unique([1, 2, 3.0])))


@pytest.mark.parametrize("fn", [apart, counted, chosen, in_loop, of_slice])
def test_axis_that_may_be_stretched(fn):
    text = ya.simplegrad(fn, V)
    np.testing.assert_allclose(text(V)[1], ya.grad(fn, V)[1]["v"])
    one = V[:1]
    with pytest.raises(ValueError, match=r"made for v \(n,\)"):
        text(one)
    made = ya.simplegrad(fn, one)(one)[1]
    np.testing.assert_allclose(made, ya.grad(fn, one)[1]["v"])
    assert ya.gradcheck(fn, one)


def rows(a):
    return float(np.mean(a * np.unique([1, 2, 3.0])))


def test_message_says_which_axis():
    text = ya.simplegrad(rows, A)
    np.testing.assert_allclose(text(A[:1])[1], [[1 / 3, 2 / 3, 1]])
    with pytest.raises(ValueError, match=r"made for a \(n, m\), m > 1"):
        text(A[:, :1])


def known(v):
    w = np.sin(v)
    return float(np.sum(v * w + w * 2))


def test_lengths_that_are_known_are_not_asked_for():
    assert "== 1" not in ya.simplegrad(known, V).source
    assert ya.simplegrad(known, V)(V[:1])[1] == ya.grad(known, V[:1])[1]["v"]


def tree(S, K, d, n=4):
    """An option in a tree: two arrays grow shorter together."""
    V = np.maximum(K - S, 0)
    for _ in range(n):
        S = S[:-1] * d
        V = 0.9 * V[:-1] + 0.1 * V[1:]
        V = np.maximum(V, K - S)
    return V[0]


def test_arrays_that_grow_shorter_together_need_no_helper(monkeypatch):
    S = np.array([1.4, 1.2, 1.0, 0.8, 0.6])
    for passes in PASSES:
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        check(tree, (S, 1.1, 0.95))
    monkeypatch.undo()
    text = ya.simplegrad(tree, S, 1.1, 0.95)
    assert "unbroadcast" not in text.source
    with pytest.raises(IndexError):  # as the function has it
        text(S[:4], 1.1, 0.95)
    assert ya.gradcheck(tree, S[:1], 1.1, 0.95, 0)


def apart_in_time(x, k):
    """`q` is as long as `p` was: the product spreads it in the last iteration alone."""
    p, q, s = x * k, x * 1.0, 0.0
    for _ in range(3):
        s = s + np.sum(p * q[: len(p)])
        q = p
        p = p[:-1] * k if len(p) > 1 else p * k
    return s


def spread_at_the_end(x, k):
    """One array grows shorter, until it is spread over the other."""
    p, q, s = x * k, x * 1.0, 0.0
    for i in range(3):
        p = p[:-1] * k
        q = q if i else q[:-1]
        if i == 0 or len(p) == 1:
            s = s + np.sum(p * q)
    return s


def of_all_iterations(x, k):
    """The arrays of a list are as long as each other in no two iterations."""
    p, q, kept = x * k, x * 1.0, []
    for _ in range(3):
        kept.append(p)
        p, q = p[1:] * q[1:], q[:-1]
    return np.sum(kept[0]) * np.sum(kept[2]) + np.sum(kept[0] * np.sum(kept[1]) + q[0])


@pytest.mark.parametrize("fn", [apart_in_time, spread_at_the_end, of_all_iterations])
def test_arrays_that_do_not_are_told_apart(fn, monkeypatch):
    for passes in ("all", "none"):
        monkeypatch.setenv("YOTA_AST_PASSES", passes)
        check(fn, (V, 0.7))
