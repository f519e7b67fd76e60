"""Views of what NumPy hands on as it is, where that has no name."""

import numpy as np
import pytest

import yota_ast as ya


def slice_of_itself(a):
    f = np.full(6, np.sin(a))
    w = np.asarray(f)[3:]
    f[4] = 2.0
    return w


def transposed(a):
    f = np.full(6, np.sin(a))
    w = np.asanyarray(f).T
    f[4] = 2.0
    return w[3:]


def written_through(a):
    f = np.full(6, np.sin(a))
    w = np.atleast_1d(f)[3:]
    w[1] = 2.0
    return f[3:]


def read_before(a):
    f = np.full(6, np.sin(a))
    w = np.asarray(f)[3:]
    s = w.sum()
    f[4] = 2.0
    return s * w


def of_what_is_new(a):
    f = np.full(6, np.sin(a))
    w = np.asarray(f * 2.0)[3:]
    f[4] = 2.0
    w[0] = a
    return w * f[:3]


@pytest.mark.parametrize(
    "fn", [slice_of_itself, transposed, written_through, read_before, of_what_is_new]
)
def test_a_write_is_seen_in_both(fn):
    value, _ = ya.grad(fn, 0.88, seed=np.array([0.3, 0.5, -0.7]))
    assert np.array_equal(value, fn(0.88))
    report = ya.gradcheck(fn, 0.88)
    assert report, str(report)


def in_a_loop(a):
    f, w = np.full(6, np.sin(a)), np.zeros(3)
    for _ in range(3):
        w = np.asarray(f)[3:]
    f[4] = 2.0
    return w


def in_one_arm(a):
    f, w = np.full(6, np.sin(a)), np.zeros(3)
    if a > 0:
        w = np.asarray(f)[3:]
    f[4] = 2.0
    return w


@pytest.mark.parametrize("fn", [in_a_loop, in_one_arm])
def test_what_may_be_one_or_the_other_is_refused(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="may share memory"):
        ya.grad(fn, 0.88, seed=np.ones(3))
