"""What a forward sweep keeps, against what the text holds where it runs."""

import sys

import numpy as np
import pytest

from tests.viewing.shown import LIKE, branching, filled, lstm, nested, network, power
from yota_ast.api.grad import simplegrad
from yota_ast.api.traced_tapes import gradient_view
from yota_ast.tools.cli.like import parse_like
from yota_ast.tools.report.page import page
from yota_ast.tools.report.saved_memory import total
from yota_ast.tools.report.view import View

RNG = np.random.default_rng(7)
ARGUMENTS = {
    lstm: [RNG.random(s) for s in ((6, 5), (4,), (16, 5), (16, 4), (16,))],
    network: [RNG.random(s) for s in ((2, 3), (3, 4), (4,), (4, 5), (5,))],
    nested: [RNG.random(4), 3],
    filled: [RNG.random(9), 9],
}


def held(function, arguments, line):
    """The local variables of a text on coming to one of its lines."""
    found = {}
    code = function.fn.__code__

    def trace(frame, event, _):
        if frame.f_code is code and event == "line" and not found:
            if frame.f_lineno >= line:
                found.update(frame.f_locals)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return found


def numbers(value):
    """The bytes of all in lists and tuples, each array that owns its memory once."""
    if isinstance(value, (list, tuple)):
        return sum(map(numbers, value))
    return value.nbytes if isinstance(value, np.ndarray) and value.base is None else 0


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda f: f.__name__)
def test_bytes_are_those_of_the_values(function):
    arguments = ARGUMENTS[function]
    gradient = simplegrad(function, *arguments)
    view = View(*gradient.viewer.args)
    reverse = next(
        x.number for x in view.lines if x.line.part == "reverse" and x.line.origins
    )
    values = held(gradient, arguments, reverse)
    assert view.kept
    for kept in view.kept:
        if kept.line.line.stack is None:
            for value in kept.values:
                if not value.note and not value.size.symbols:
                    assert np.asarray(values[value.name]).nbytes == value.size.count


@pytest.mark.parametrize(
    ("function", "turns"), [(lstm, [6]), (nested, [9, 3]), (filled, [8])]
)
def test_turns_of_loops_are_counted(function, turns):
    view = View(*simplegrad(function, *ARGUMENTS[function]).viewer.args)
    assert [k.turns for k in view.kept if k.line.line.stack] in (turns, [])
    lists = [k for k in view.kept if k.line.line.stack]
    assert all(k.size.count == k.turns * k.once.count for k in lists)


def test_what_a_loop_saves(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-collect")  # which reads x off xs
    gradient = simplegrad(lstm, *ARGUMENTS[lstm], wrt=["W", "U", "b"])
    [kept] = [k for k in View(*gradient.viewer.args).kept if k.line.line.stack]
    assert kept.once.symbols == ()
    known = {v.name: v.size.count for v in kept.values}
    assert (known["gates"], known["h"], known["x"]) == (16 * 8, 4 * 8, 0)
    assert [known[name] for name in "ifog"] == 4 * [4 * 8]
    assert [v.note for v in kept.values if v.name == "x"] == ["view of xs"]
    assert (kept.turns, kept.often) == (6, "xs.shape[0]")


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        (lambda x, n: x[:n], (4, 6)),
        (lambda x, n: x[n:, ::2], (3, 3)),
        (lambda x, n: x[n - 1, 1 : n + 1], (4,)),
        (lambda x, n: x[: 2 * n], (7, 6)),  # fewer than that
        (lambda x, n: x[: min(n, len(x) - 5)], (2, 6)),
        (lambda x, n: x[..., None, -n:], (7, 1, 4)),
        (lambda x, n: x[x.shape[1] // 2 :, : n % 3], (4, 1)),
    ],
)
def test_lengths_of_parts_are_those_of_the_example(part, shape):
    def f(x, n):
        y = np.exp(part(x, n))
        return np.sum(y * np.sin(y))

    x = np.arange(42.0).reshape(7, 6) / 42
    view = View(*simplegrad(f, x, 4, wrt="x").viewer.args)
    [y] = [v for k in view.kept for v in k.values if v.name == "y"]
    assert np.exp(part(x, 4)).shape == shape
    assert y.shape == str(shape).replace("'", "")
    assert y.size.count == 8 * np.prod(shape)


def test_the_sum_of_what_is_kept_is_what_is_held():
    arguments = ARGUMENTS[network]
    gradient = simplegrad(network, *arguments)
    view = View(*gradient.viewer.args)
    assert {v.name for k in view.kept for v in k.values} == {"y", "y_2"}
    assert total(view.kept).count == (2 * 4 + 2 * 5) * 8


def test_arms_that_make_one_name_count_once():
    view = View(*simplegrad(branching, np.ones(7), 2.0).viewer.args)
    made = [v.size.count for k in view.kept for v in k.values if v.name == "y"]
    assert made == [56, 56, 56]
    others = {v.name: v.size.count for k in view.kept for v in k.values}
    assert total(view.kept).count == sum(others.values())


def test_what_a_function_that_calls_itself_hands_on_is_a_symbol():
    view = View(*simplegrad(power, 2.0, 3).viewer.args)
    [kept] = view.kept
    assert [(v.name, str(v.size)) for v in kept.values] == [("saved", "all in saved")]


def test_nothing_is_kept_of_a_linear_function():
    view = View(*simplegrad(lambda x: np.sum(3.0 * x), np.ones(4)).viewer.args)
    assert view.kept == ()
    assert "Nothing" in page(view)


def test_arguments_are_not_counted():
    def f(x):
        y = x.T
        return np.sum(np.sin(y) * y)

    view = View(*simplegrad(f, np.ones((2, 3))).viewer.args)
    notes = {v.name: v.note for k in view.kept for v in k.values}
    assert notes.get("y", "view of x") == "view of x"


def test_lengths_that_are_not_known_are_symbols():
    def f(x):
        y = np.exp(x)
        return np.sum(y * y)

    known = gradient_view(f, facts=parse_like("x=float32[n,3]"))
    assert str(known.size) == "12 * x.shape[0] B"
    general = gradient_view(f)
    assert "y" in str(general.size)


def test_named_lengths_are_symbols():
    def f(x, n):
        y = np.exp(x[:n])
        return np.sum(y * y)

    view = gradient_view(f, facts=parse_like("x=float[rows, 3], n=int"), wrt="x")
    values = {v.name: v for k in view.kept for v in k.values}
    assert values["y"].shape == "(y.shape[0], 3)"
    assert str(values["y"].size) == "24 * y.shape[0] B"


def test_a_loop_over_a_named_length_has_no_number_of_turns():
    like = LIKE[lstm].replace("[6,5]", "[time,5]")
    view = gradient_view(lstm, facts=parse_like(like), wrt=["W"])
    [kept] = [k for k in view.kept if k.line.line.stack]
    assert (kept.turns, kept.often) == (None, "xs.shape[0]")
    assert str(kept.size).startswith("xs.shape[0] * ")


@pytest.mark.parametrize("n", [4, 9])
def test_lengths_are_those_of_this_example(n):
    """Facts of equal lengths are the same, whatever the numbers: what was inferred for
    one example serves the next."""
    view = View(*simplegrad(filled, RNG.random(n), n).viewer.args)
    sizes = {v.name: v.size.count for k in view.kept for v in k.values if not v.note}
    assert sizes["y"] == 8 * n
