"""What shares memory is guessed where only the run knows; a wrong guess is mended."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check
from yota_ast.api import grad
from yota_ast.api.cache.compiled_gradients import Cache


def as_array(a):
    return np.asarray(a, np.float64)


def as_float(a):
    if a.size > 5:
        return a * 1.0
    return np.sum(a)


def doubled(a):
    a = as_array(a)
    a *= 2.0
    return a


def several(x):
    p, q, r = as_float(x * 1.0), as_float(x * x), as_float(np.sin(x))
    s, t, u = as_float(np.tile(x, 6)), as_float(np.exp(x)), as_float(np.cos(x))
    y = np.sum(doubled(p)) * np.sum(doubled(q)) + np.sum(doubled(r))
    y = y * np.sum(doubled(s)) + np.sum(doubled(t)) - np.sum(doubled(u))
    return y + np.sum(p) * np.sum(q) - np.sum(r) + np.sum(s) * np.sum(t) + np.sum(u)


def same_names(x):
    v = as_float(x * 1.0)
    w = doubled(v)
    y = np.sum(w) + np.sum(v)
    v = as_float(np.tile(x, 6))
    return y * np.sum(doubled(v)) + np.sum(v)


def halved(x):
    p, q = as_float(x * 1.0), as_float(x * x)
    y = np.sum(doubled(p)) * np.sum(doubled(q))
    while y > 1.0:
        y = y / 2.0
    return y + np.sum(p) * np.sum(q)


def bounded(x):
    p, q = as_float(x * 1.0), as_float(x * x)
    y = np.sum(doubled(p)) * np.sum(doubled(q))
    if np.sum(p) > 7.0:
        raise ValueError("too large")
    return y + np.sum(p) * np.sum(q)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [several, same_names, halved, bounded])
@pytest.mark.parametrize("x", [[0.3, 0.5, 0.7], [0.4, 0.2, 0.9, 0.1]])
def test_the_gradient_whatever_is_guessed(fn, x, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (np.array(x),))


@pytest.fixture
def guesses(monkeypatch):
    """The messages of what each text that is made takes for granted."""
    made = []
    differentiated = grad.differentiated

    def noted(*args):
        tape, program = differentiated(*args)
        made.append([message for message, _ in tape.guesses])
        return tape, program

    monkeypatch.setattr(grad, "differentiated", noted)
    monkeypatch.setattr(grad, "_CACHE", Cache())
    return made


def test_all_guesses_that_a_call_proves_wrong_are_changed_together(guesses):
    ya.grad(several, np.array([0.3, 0.5, 0.7, 0.2, 0.1]))
    view, copy = "made for `a` as a view of `{}`", "made for a copy of `{}`, not a view"
    forms = {"v": view, "c": copy}
    assert guesses == [
        [forms[k].format(n) for k, n in zip(kinds, "pqrstu", strict=True)]
        for kinds in ("vvvvvv", "cccvcc")
    ]


def test_each_guess_has_a_message_of_its_own(guesses):
    ya.grad(same_names, np.array([0.3, 0.5, 0.7, 0.2, 0.1]))
    first, second = "made for `a` as a view of `v`", "made for `a` as a view of `v` (2)"
    assert guesses == [[first, second], ["made for a copy of `v`, not a view", first]]


def test_with_a_while_each_wrong_guess_is_changed_for_itself(guesses):
    """What follows a wrong guess is computed wrong: the loop might not end."""
    ya.grad(halved, np.array([0.3, 0.5, 0.7, 0.2, 0.1]))
    p, q = "made for `a` as a view of `p`", "made for `a` as a view of `q`"
    copies = [f"made for a copy of `{name}`, not a view" for name in "pq"]
    assert guesses == [[p, q], [copies[0], q], copies]


def test_what_raises_after_a_wrong_guess_is_no_matter(guesses):
    """Of numbers that are wrong, the function may refuse some."""
    x = np.array([1.0, 2.0, 1.0, 1.0, 1.0])
    ya.grad(bounded, x)
    assert len(guesses) == 2


def a_copy_or_a_view(A):
    B = A * 2.0
    y = B.ravel()
    B[0, 0] = 3.0 * A[1, 1]
    return y * y * A.ravel()


@pytest.mark.parametrize("orders", ["CFC", "FCF"])
def test_pullbacks_and_jacobians_are_made_again(orders):
    """Of each layout, whichever the first text was made for."""
    A = np.array([[0.6, 0.8], [0.1, -0.4]])
    for order in orders:
        a = np.array(A, order=order)
        wanted = ya.jacobian(a_copy_or_a_view, mode="forward")(a)
        found = ya.jacobian(a_copy_or_a_view, mode="reverse")(a)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
        value, pullback = ya.vjp(a_copy_or_a_view)(a)
        np.testing.assert_array_equal(value, a_copy_or_a_view(np.array(A, order=order)))
        np.testing.assert_allclose(pullback(np.ones(4)), wanted.sum(axis=0))
