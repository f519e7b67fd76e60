"""Names that have no value where the function reads them: the error is Python's own."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

POINTS = [(1.5, 2.0), (0.5, 2.0), (1.5, 0.5), (0.5, 0.5)]


@pytest.fixture(autouse=True, params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def copied(a, b):
    if a > 1:
        y = a
    t = y
    return b * a


def copied_in_an_arm(a, b):
    if a > 1:
        y = a
    if b > 1:
        t = 3.0 * b
    else:
        t = y
    return b * t


def copied_before_an_arm(a, b):
    if a > 1:
        y = a
    t = y
    if b > 1:
        t = 3.0
    return b * t


def copied_in_a_loop(a, b):
    for _ in range(2):
        if a > 1:
            y = a
        t = y
        if b > 1:
            t = 3.0
    return b * t


def read_first_in_a_loop(a, b):
    for _ in range(2):
        t = R
        R = a
        b = b * R
    return b * t


def read_in_an_arm_of_a_loop(a, b):
    for _ in range(2):
        if b > 1:
            t = R
        R = a
        b = b * R
        t = b
    return b * t


def chosen_in_a_loop(a, b):
    for _ in range(2):
        t = R if a > 1 else b
        R = a
        b = b * R
    return b * t


def computed_in_an_arm_of_a_loop(a, b):
    for k in range(3):
        if k > b - 1:
            a = a * y
        y = math.sin(a)
    return a * b


def may_be_none(a, b):
    for k in range(3):
        if k > b - 1:
            a = a * (y or 1.0)
        y = math.sin(a) if a > 1 else None
    return a * b


def over_pairs(a, b):
    for _ in range(2):
        t = (b, R)
        for _, R in [(a, 0.3), (b, 0.5)]:
            a = a * R
    return a * t[0]


def in_a_list(a, b):
    for _ in range(2):
        t = [b, R]
        R = a
        a = a * t[1]
    return a


def in_a_tuple(a, b):
    if a > 1:
        y = a
    t = (y, b)
    return b * t[1]


def in_a_dict(a, b):
    if a > 1:
        y = a
    t = {"u": y, "v": b}
    return t["v"] * a


def appended(a, b):
    xs = [b]
    if a > 1:
        y = a
    xs.append(y)
    return xs[0] * a


def as_item(a, b):
    d = {"u": b}
    if a > 1:
        y = a
    d["v"] = y
    return d["u"] * a


def augmented(a, b):
    if a > 1:
        y = a
    y += b
    return b * a


def in_an_f_string(a, b):
    if a > 1:
        y = a
    t = f"{b} {y}"
    return a * b


def in_a_helper(a, b):
    def second(u, v):
        if u > 1:
            y = u
        t = [y, v]
        return t[1]

    return second(a, b) * a


def given_to_a_helper(a, b):
    def first(u, v):
        return v

    if a > 1:
        y = a
    return first(y, b) * a


def in_a_comprehension(a, b):
    if a > 1:
        y = a
    t = [y for _ in range(3)]
    return b * a


def in_a_closure(a, b):
    if a > 1:
        y = a

    def held():
        return y

    t = held()
    return b * a


def compared(a, b):
    if a > 1:
        y = a
    y == b  # noqa: B015
    return b * a


def caught(a, b):
    if a > 1:
        y = a
    try:
        t = y
    except NameError:
        t = b
    return b * t


def after_no_iteration(a, b):
    while b > 1:
        y = a
        b = b - 1
    t = y
    return b * a


def an_array(a, b):
    if a > 1:
        y = np.array([a, b])
    z = np.array([1.0, 2.0])
    for _ in range(2):
        if b > 1:
            z = y
    return b * z[0]


def a_tuple(a, b):
    if a > 1:
        y = (a, b)
    t = y
    return b * a


def a_list(a, b):
    if a > 1:
        y = [a, b]
    t = y
    return b * a


def an_empty_list(a, b):
    if a > 1:
        y = []
    t = y
    return b * a


def a_dict(a, b):
    if a > 1:
        y = {"u": a}
    t = y
    return b * a


def none_or_nothing(a, b):
    if a > 1:
        y = a if b > 1 else None
    t = y
    return b * 3 if t is None else b * t


def a_function(a, b):
    if a > 1:

        def y(x):
            return x * 2

    return b * y(a)


def a_function_within_two_arms(a, b):
    if b > 1:
        if a > 1:

            def y(x):
                return x * 2

    return b * y(a)


class Held:
    def __init__(self, w):
        self.w = w


def an_object(a, b):
    if a > 1:
        o = Held(a)
    t = o
    return b * a


def read_of_an_object(a, b):
    if a > 1:
        o = Held(a)
    return b * o.w


FUNCTIONS = [
    copied, copied_in_an_arm, copied_before_an_arm, copied_in_a_loop,
    read_first_in_a_loop, read_in_an_arm_of_a_loop, chosen_in_a_loop,
    computed_in_an_arm_of_a_loop, may_be_none, over_pairs, in_a_list, in_a_tuple,
    in_a_dict, appended, as_item, augmented, in_an_f_string, in_a_helper,
    given_to_a_helper, in_a_comprehension, in_a_closure, compared, caught,
    after_no_iteration, an_array, a_tuple, a_list, an_empty_list, a_dict,
    none_or_nothing, a_function, a_function_within_two_arms, an_object,
    read_of_an_object,
]  # fmt: skip


def modes(fn):
    """What gives the value of a function, and its derivative with respect to a."""

    def source(a, b):
        text = ya.simplegrad(fn, 1.5, 2.0)
        space = {}
        exec(text.source, space)
        value, da, _ = space[f"{fn.__name__}_grad"](a, b)
        return value, da

    def reverse(a, b):
        value, grads = ya.grad(fn, a, b)
        return value, grads["a"]

    def forward(a, b):
        return ya.jvp(fn, wrt="a")(a, b, 1.0)

    return source, reverse, forward


@pytest.mark.filterwarnings("ignore::yota_ast.errors.DerivativeWarning")
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_it_raises_where_the_function_does(fn):
    raised = 0
    for a, b in POINTS:
        try:
            value = fn(a, b)
        except NameError:
            raised += 1
            for mode in (*modes(fn), ya.hessian(fn, wrt="a")):
                with pytest.raises(UnboundLocalError):
                    mode(a, b)
            continue
        slope = (fn(a + 1e-6, b) - fn(a - 1e-6, b)) / 2e-6
        curve = (fn(a + 1e-4, b) - 2 * value + fn(a - 1e-4, b)) / 1e-8
        for mode in modes(fn):
            assert mode(a, b) == pytest.approx((value, slope), rel=1e-6, abs=1e-8)
        assert ya.hessian(fn, wrt="a")(a, b) == pytest.approx(curve, rel=1e-4, abs=1e-5)
    assert raised or fn is caught


def never_assigned(a, b):
    for _ in range(2):
        for _, R in [(a, 0.3), (b, R)]:  # noqa: B020
            a = a * R
    return a


def deleted_in_a_loop(a, b):
    y = a
    for _ in range(2):
        b = b * y
        del y
    return b


def deleted(a, b):
    y = a
    del y
    return b * y


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (never_assigned, "`R` is read before a value is assigned to it"),
        (deleted_in_a_loop, "`y` is deleted in a loop, and may be read afterwards"),
        (deleted, "`y` is read before a value is assigned to it"),
    ],
)
def test_what_always_raises_is_refused(fn, reason):
    with pytest.raises(NameError):
        fn(1.5, 2.0)
    with pytest.raises(UnsupportedSyntax, match=reason):
        ya.grad(fn, 1.5, 2.0)


def surely_assigned(a, b):
    for k in range(2):
        y = a * k
    t = (y, b)
    while True:
        z = b * t[0]
        if z > 1:
            break
        b = b + 1
    u = [z, t[1]]
    if b > 1:
        v = a
    else:
        raise ValueError(b)
    w = {"v": v}
    return u[0] * w["v"]


def test_what_surely_has_a_value_is_not_tested():
    source = ya.simplegrad(surely_assigned, 1.5, 2.0).source
    assert not any(test in source for test in ("None", "Unbound", "(y,)", "= ..."))
    assert ya.grad(surely_assigned, 1.5, 2.0)[0] == surely_assigned(1.5, 2.0)
