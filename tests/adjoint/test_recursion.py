"""Gradients of functions that call themselves: pairs of a forward and a reverse."""

import inspect

import numpy as np
import pytest

import yota_ast as ya
from tests.frontend.lowering import same
from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.interpreter import play, play_program
from yota_ast.ir.verify import verify
from yota_ast.pipeline import Request, gradient_program, lowered

from .checking import check
from .recursive_programs import (
    OBJECTS,
    OF_OTHER_SHAPES,
    PROGRAMS,
    TREE,
    Poly,
    V,
    fftloss,
    grow,
    horner,
    power,
    walk,
)


def name_of(value):
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=name_of)
def test_gradient_of_a_function_that_calls_itself(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("fn", "args"), OF_OTHER_SHAPES, ids=name_of)
def test_calls_with_arguments_of_other_shapes(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), [*PROGRAMS, *OBJECTS], ids=name_of)
def test_tape_and_program_are_sound_and_play(fn, args):
    bound = inspect.signature(fn).bind(*args)
    bound.apply_defaults()
    examples = dict(bound.arguments)
    facts = {name: fact_of(value, name) for name, value in examples.items()}
    tape = lowered(Request(fn, facts, examples))
    verify(tape)
    assert same(play(tape, *args), fn(*args))
    program = gradient_program(tape, None, examples)
    verify(program)
    value, *gradients = play_program(program, *args)
    assert same(value, fn(*args))
    printed = ya.simplegrad(fn, *args)(*args)[1:]
    assert str(tuple(gradients)) == str(tuple(printed))


def test_methods_that_call_themselves():
    p, h = Poly([1.0, 2.0, 0.5, 0.1, 0.2]), 1e-6
    _, g = ya.grad(squared_value, p, 0.7)
    for k in range(5):
        p.c[k] += h
        above = squared_value(p, 0.7)
        p.c[k] -= 2 * h
        below = squared_value(p, 0.7)
        p.c[k] += h
        assert np.isclose(g[0]["c", k], (above - below) / (2 * h))
    _, g = ya.grad(walk, TREE, 0.9)
    assert set(g[0]) == {("w",), ("left", "w"), ("right", "w"), ("right", "left", "w")}


def squared_value(p, x):
    return p.value(x, 0) ** 2


def by_position(p, x):
    s = 0.0
    for k in range(len(p.c)):
        s = s * x + p.c[k]
    return s


def test_a_field_that_is_a_list_has_gradients_item_by_item():
    _, g = ya.grad(by_position, Poly([1.0, 2.0, 0.5]), 0.7)
    expected = {("c", 0): 0.7**2, ("c", 1): 0.7, ("c", 2): 1.0}
    assert g[0].keys() == expected.keys()
    assert all(np.isclose(g[0][k], v) for k, v in expected.items())


def test_the_forward_saves_what_the_reverse_cannot_compute():
    source = ya.simplegrad(power, 1.3, 11).source
    assert "return val, (half, saved_half)" in source
    assert "_power_reverse(x, n // 2, saved_half, dhalf)" in source


def linear(x, n):
    if n == 0:
        return 2.0 * x
    return 3.0 * linear(x, n - 1)


def test_where_nothing_is_saved_there_is_no_forward_but_the_function():
    source = ya.simplegrad(linear, 0.5, 9).source
    assert "_linear(x, n - 1)" in source
    assert "_forward" not in source


def depth(n):
    return 0 if n <= 0 else 1 + depth(n - 2)


def scaled(x, n):
    return x * depth(n)


def test_a_call_that_no_derivative_passes_is_not_reversed():
    source = ya.simplegrad(scaled, 0.5, 9).source
    assert "_depth(n)" in source
    assert "_reverse" not in source
    check(scaled, (0.5, 9))


def spoils(x, n):
    z = grow(x * 1.0, n)
    z[0] = 5.0
    return np.sum(z * x)


def spoils_later(x, n):
    s = 0.0
    y = x * 1.0
    for k in range(3):
        z = grow(y, n) * 1.0
        y[k] = 2.0
        s = s + np.sum(z)
    return s


@pytest.mark.parametrize("fn", [spoils, spoils_later])
def test_a_write_into_what_is_saved_is_refused(fn):
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(fn, V, 6)
    assert "changes after the call" in str(caught.value)


def test_one_text_serves_every_depth():
    dpower = ya.simplegrad(power, 1.3, 11)
    for n in range(1, 40):
        val, dx = dpower(1.01, n)
        assert val == power(1.01, n)
        assert np.isclose(dx, n * 1.01 ** (n - 1))
    dloss = ya.simplegrad(fftloss, np.arange(16.0))
    _, dx = dloss(np.arange(32.0))
    assert np.allclose(dx, ya.grad(fftloss, np.arange(32.0))[1][0])


def test_lists_have_lists_of_gradients():
    _, g = ya.grad(horner, [1.0, 2.0, 0.5, 0.3, 0.7], 0.5, 0)
    assert np.allclose(g[0], [0.5**k for k in range(5)])


def branches(x, n):
    if n == 0:
        return x
    found = [branches(x * (k + 1.0), n - 1) for k in range(n)]
    return np.sin(x) * sum(found)


def appends(x, n):
    if n == 0:
        return x
    found = []
    for k in range(n):
        found.append(appends(x * (k + 1.0), n - 1))
        found[k] = found[k] * x
    return np.cos(x) * sum(found)


@pytest.mark.parametrize("fn", [branches, appends])
def test_a_list_of_results_may_grow_where_nothing_is_known_of_them(fn):
    gradient = ya.simplegrad(fn)
    for x in (0.7, V):
        val, dx, *_ = gradient(x, 3, seed=np.ones_like(x))
        assert same(val, fn(x, 3))
        slope = np.imag(fn(x + 1e-30j, 3)) / 1e-30
        assert np.allclose(dx, slope, rtol=1e-12)


def results_written(x, n):
    if n == 0:
        return x * 1.0
    found = [results_written(x * (k + 1.0), n - 1) for k in range(n)]
    found[0] += x
    return np.sin(x) * sum(found)


def test_a_result_that_is_written_through_a_list_is_refused():
    with pytest.raises(ya.YotaError, match="written"):
        ya.simplegrad(results_written)


def in_a_context(x, n):
    with np.errstate(divide="ignore"):
        r = np.where(x > 0, np.sin(x), 0.0)
    y = r * r * np.sum(r)
    return y if n == 0 else in_a_context(y + x, n - 1) * r


@pytest.mark.parametrize("x", [0.3, np.array([0.2, 0.4])], ids=["float", "array"])
def test_what_a_context_defines_is_handed_to_the_reverse(x):
    found = ya.gradcheck(in_a_context, x, 2)
    assert found, str(found)


def rising(v, n):
    return v if n == 0 else v * rising(v + 1, n - 1)


def rising_and_counted(v, n):
    if n == 0:
        return v, 1
    p, count = rising_and_counted(v + 1, n - 1)
    return p * v, count + v


def of_a_whole_number(a, x):
    p, count = rising_and_counted(a, 2)
    return rising(a, 3) * rising(x[0], 2) + p * count


def of_whole_numbers_in_a_list(a, n):
    items = []
    for i in range(n):
        items.append(a * i)  # noqa: PERF401
    return a if n == 0 else sum(items) + of_whole_numbers_in_a_list(a * 2, n - 1)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_whole_number_asked_for_goes_through_calls(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([0.4, 0.9])
    exact = ya.grad(of_a_whole_number, 2.0, x)
    found = ya.grad(of_a_whole_number, 2, x, wrt=["a", "x"])
    assert found[0] == exact[0]
    assert np.isclose(found[1]["a"], exact[1]["a"])
    assert np.allclose(found[1]["x"], exact[1]["x"])
    with pytest.raises(ya.YotaError, match="goes through an integer in a container"):
        ya.grad(of_whole_numbers_in_a_list, 2, 3, wrt=["a"])
