"""An array with two names, or a view, that loops and branches write by either one."""

import numpy as np
import pytest

import yota_ast as ya
from tests.frontend.every_mode import check_every_mode

P, V = np.array([0.3, 0.7, 0.4]), np.array([0.5, -0.2, 0.9])


def named_again_in_a_loop(x):
    y = np.tan(x * 0.5)
    z = np.asarray(y)
    for i in range(3):
        z[i] *= x[1]
    return np.sum(y * y) + np.sum(np.sin(z) * x)


def augmented_in_a_loop(x):
    y = np.tan(x * 0.5)
    z = np.asarray(y)
    for _ in range(2):
        y *= x[0]
    return np.sum(z * y * y)


def written_before_an_arm(x):
    y = np.tan(x * 0.5)
    z = np.asarray(y)
    y[:] = x * x[1]
    if x[0] > 0.1:
        z[::-1] *= z
    return np.sum(y * y) + np.sum(np.exp(z))


def written_after_an_arm(x):
    y = np.tan(x * 0.5)
    z = np.asarray(y)
    if x[0] > 0.1:
        z[::-1] *= z
    z[0] = x[2]
    return np.sum(y * y * x)


def named_anew_in_a_loop(x):
    y = np.tan(x * 0.5)
    z = np.asarray(y)
    for i in range(3):
        y[i] *= x[0]
        if i == 1:
            z = x * x[2]
        z[i] *= 2
    return np.sum(z * y)


def view_named_again(x):
    y = np.tan(x * 0.5)
    v = y[1:]
    z = np.asarray(v)
    for i in range(2):
        z[i] *= x[0]
        if i > 0:
            v *= 2
    return np.sum(z * v) * np.sum(y * x)


def view_alone_read_after_an_arm(x):
    y = np.exp(x)
    v = y[:]
    if x[0] > 0:
        np.tanh(x * x[1], out=y)
    for _ in range(3):
        v -= x
    return np.sum(v * v)


def view_alone_read_after_a_loop(x):
    y = np.exp(x)
    v = y[1:]
    for i in range(3):
        if x[0] * i > 0.5:
            break
        v -= x[:2]
    return np.sum(v * v)


def base_augmented_beside_its_view(x):
    y = np.exp(x)
    v = y[:]
    for i in range(3):
        y -= np.where(x > 0.5, v, x)
        if i > 1:
            continue
        if x[0] > 0.1:
            v *= x[0]
    return np.sum(v * v)


def of_a_helper(x):
    def halved(q):
        r = np.asarray(q)
        for i in range(2):
            r[i] = q[i] * 0.5
        return q

    y = x * x
    return np.sum(halved(y) * y)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn",
    [
        named_again_in_a_loop, augmented_in_a_loop, written_before_an_arm,
        written_after_an_arm, named_anew_in_a_loop, view_named_again,
        view_alone_read_after_an_arm, view_alone_read_after_a_loop,
        base_augmented_beside_its_view, of_a_helper,
    ],
)  # fmt: skip
def test_each_name_sees_what_is_written_by_another(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(fn, P, V)


def test_an_array_that_may_have_either_of_two_names_is_refused():
    def fn(x):
        y, z = np.exp(x), np.sin(x)
        for _ in range(2):
            z[0] *= x[1]
            if x[0] > 0.1:
                y = z
        return np.sum(y * z)

    with pytest.raises(ya.UnsupportedSyntax) as refused:
        ya.grad(fn, P)
    assert refused.value.reason == (
        "`y` may share memory with an array that has changed since then"
    )
