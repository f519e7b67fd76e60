"""`append` and `pop` of lists: each is reversed by the other, in the same time however
long the list is."""

# ruff: noqa: PERF401  lists that grow in loops are what is tested

import sys

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

X, Y = np.array([0.3, 0.7, 1.1]), np.array([0.5, -0.2, 0.4, 0.9, 0.1, 0.6])


def chain(x, n):
    out = [x]
    for _ in range(n):
        out.append(np.tanh(out[-1] * x))
    return np.sum(out[-1])


def first_and_last(x, n):
    out = [x, 2 * x]
    for _ in range(n):
        out.append(np.sin(out[-1]) * out[0] + out[-2])
    return np.sum(out[-1] * out[1])


def sums(y, n):
    out = [y[0]]
    for i in range(1, n):
        out.append(0.5 * out[i - 1] + y[i])
    return out[-1] * out[0]


def conditional(x, n):
    out = [x]
    for i in range(n):
        if i % 2:
            out.append(out[-1] * x)
        out.append(np.sin(out[-1]))
    return np.sum(out[-1] * out[-2])


def stack(y, n):
    st = []
    for i in range(n):
        st.append(y[i] * y[i])
    s = 0.0
    while st:
        s += st.pop() * s + 1.0
    return s


def polish(y, n):
    st = [y[0]]
    for i in range(1, n):
        st.append(y[i] * st[-1])
        if i % 3 == 2:
            a = st.pop()
            b = st.pop()
            st.append(a * b + a)
    return st[-1] + len(st)


def popped_and_kept(y, n):
    st = [y[0], y[1]]
    s = 0.0
    for i in range(n):
        st.append(y[i] * y[i])
        t = st.pop()
        s += t * st[-1]
        st.append(t)
    return s + st[0] * st[-1]


def two_lists(y, n):
    a, b = [], []
    for i in range(n):
        a.append(y[i] ** 2)
    while a:
        t = a.pop()
        b.append(t * y[0])
    s = 0.0
    while len(b) > 1:
        s = s * 0.5 + b.pop()
    return s + b[0]


def aliased(y, n):
    st = []
    other = st
    for i in range(n):
        st.append(y[i] * y[i])
    s = other.pop() * st[-1]
    return s + st.pop() * other[0]


def arrays_kept(x, n):
    out, kept = [x], [x * 2]
    for _ in range(n):
        out.append(np.sin(out[-1]))
        kept.append(out[-1])
        out.append(out[-1] * kept[-1])
    return np.sum(out[-1] * kept[1])


def whole(x, n):
    out = [x]
    for _ in range(n):
        out.append(np.sin(out[-1]))
    return np.sum(np.array(out) ** 2)


def pairs(y, n):
    st = [(y[0], y[1])]
    for i in range(n):
        a, b = st[-1]
        st.append((a * b, np.sin(b) + y[i]))
    return st[-1][0] + st[1][1]


def both_summed(y, n):
    """Each sum hands its list a list of adjoints, into which the reverse writes."""
    squares = [v**2 for v in sorted(y)]
    last = [0.0]
    for k in range(n - 2):
        last.append(squares[k])
        squares[0] = last[-1]
    return sum(squares) + sum(last)


CASES = {
    fn.__name__: (fn, (x, n))
    for x, n, fns in (
        (X, 4, [chain, first_and_last, conditional, arrays_kept, whole]),
        (
            Y,
            5,
            [
                sums,
                stack,
                polish,
                popped_and_kept,
                two_lists,
                aliased,
                pairs,
                both_summed,
            ],
        ),
    )
    for fn in fns
}


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_is_right(name):
    fn, args = CASES[name]
    check(fn, args, wrt=[0])


@pytest.mark.parametrize("name", ["sums", "polish"])
def test_it_is_differentiated_again(name):
    fn, (x, n) = CASES[name]
    v, h = np.cos(np.arange(len(x))), 1e-5
    moved = [ya.grad(fn, x + t * v, n, wrt=0)[1][0] for t in (h, -h)]
    expected = (moved[0] - moved[1]) / (2 * h)
    np.testing.assert_allclose(ya.hvp(fn)(x, v, n), expected, rtol=1e-6, atol=1e-7)
    value, tangent = ya.jvp(fn, wrt=0)(x, n, v)
    assert value == fn(x, n)
    assert tangent == pytest.approx(ya.grad(fn, x, n, wrt=0)[1][0] @ v)


@pytest.mark.parametrize("name", CASES)
def test_other_lengths_than_that_of_the_example(name):
    fn, (x, n) = CASES[name]
    made = ya.simplegrad(fn, x, n, wrt=[0]).fn
    for m in (3, 6):
        np.testing.assert_allclose(made(x, m)[1], ya.grad(fn, x, m, wrt=0)[1][0])


def test_the_text_is_a_sweep_as_by_hand():
    text = ya.simplegrad(chain, X, 4, wrt=["x"]).source
    assert " = dout.pop()" in text
    assert "dout[-1] += " in text
    assert "dst.append(" in ya.simplegrad(stack, Y, 5, wrt=["y"]).source


@pytest.mark.parametrize("fn", [chain, sums, stack])
def test_work_grows_with_the_list_alone(fn):
    y = np.linspace(0.1, 0.9, 4000)
    x = y[:2] if fn is chain else y
    made = ya.simplegrad(fn, x, 10, wrt=[0]).fn
    assert _calls(made, x, 800) <= 2.2 * _calls(made, x, 400)


def _calls(made, x, n):
    """How many functions written in C are called."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event == "c_call"
        return note

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        made(x, n)
    finally:
        sys.setprofile(before)
    return count


def items_that_pass(y, n):
    return sum(t * t for t in y[:n] if t > 0.3)


def test_what_a_condition_appended_is_popped():
    check(items_that_pass, (Y, 6), wrt=[0])
    text = ya.simplegrad(items_that_pass, Y, 6, wrt=["y"]).source
    assert ".pop()" in text
    assert "[:-1]" not in text
