"""Large functions that are called often: functions of the text, not copies in it."""

import importlib
import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def series(x, a):
    s = x * a
    s = s + 0.1 * math.sin(s + 1.0) * a + 0.01 * s * s
    s = s + 0.1 * math.sin(s + 2.0) * a + 0.02 * s * s
    s = s + 0.1 * math.sin(s + 3.0) * a + 0.03 * s * s
    s = s + 0.1 * math.sin(s + 4.0) * a + 0.04 * s * s
    s = s + 0.1 * math.sin(s + 5.0) * a + 0.05 * s * s
    s = s + 0.1 * math.sin(s + 6.0) * a + 0.06 * s * s
    s = s + 0.1 * math.sin(s + 7.0) * a + 0.07 * s * s
    s = s + 0.1 * math.sin(s + 8.0) * a + 0.08 * s * s
    s = s + 0.1 * math.sin(s + 9.0) * a + 0.09 * s * s
    if s > 1.0:
        s = math.log(s) + 1.0
    return s * a


def four(x, a):
    y = series(x, a) + series(x * 0.5, 0.3)
    return y * series(y * 0.1, 0.7) + series(y, a)


def pairs(x, a):
    y = four(x, a) + four(x * 0.9, a) + four(x, 0.5)
    return y + four(y * 0.01, a) + four(a, x) * four(0.2, a)


def closures(x, a):
    def residual(t):
        return pairs(t, a) - x

    return residual(x * 0.1) * residual(0.3) + residual(a)


def adds_to(out, x):
    out.append(pairs(x, 0.5))
    out.append(pairs(x * 0.5, x))
    return len(out)


def lists(x):
    out = []
    for _ in range(4):
        adds_to(out, x)
    return sum(out)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [pairs, closures])
def test_gradient_by_way_of_outlined_functions(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (0.4, 0.6))
    source = ya.simplegrad(fn, 0.4, 0.6).source
    assert "_reverse(" in source
    assert source.count("# s = s + 0.1 * math.sin(s + 9.0)") < 60


def test_what_changes_its_arguments_stays_inlined():
    check(lists, (0.4,))


def small(x):
    return math.sin(x) * x


def often(x):
    for _ in range(2):
        x = small(x) + small(x * 0.5) + small(x * 0.3) + small(x * 0.1)
    return small(x) + small(2.0 * x) + small(3.0 * x)


def test_what_is_small_stays_inlined():
    assert "_small" not in ya.simplegrad(often, 0.4).source
    assert np.isfinite(ya.grad(often, 0.4)[0])


def applied(g, x):
    s = x
    for _ in range(3):
        s = g(s, 0.5)
    return s


def other(x, a):
    return series(x * 1.5, a) - math.cos(x)


def of_functions(x):
    return applied(series, x) + applied(other, x) * applied(series, 0.3)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_functions_that_are_given_tell_calls_apart(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(of_functions, (0.4,))


def test_no_copy_is_left_of_what_is_outlined():
    """The first calls too are calls: lowering begins again where copies were made."""
    text = ya.simplegrad(pairs, 0.4, 0.3).source
    assert text.count("math.sin(s + 5.0)") + text.count("math.sin(s_2 + 5.0)") <= 2
    assert "_series_forward(" in text


def of_a_local_function(x, a):
    def local(t):
        s = t * a
        for _ in range(3):
            s = s + 0.1 * math.sin(s + 1.0) * a + 0.01 * s * s
            s = s + 0.1 * math.sin(s + 2.0) * a + 0.02 * s * s
            s = s + 0.1 * math.sin(s + 3.0) * a + 0.03 * s * s
            s = s + 0.1 * math.sin(s + 4.0) * a + 0.04 * s * s
            s = s + 0.1 * math.sin(s + 5.0) * a + 0.05 * s * s
            s = s + 0.1 * math.sin(s + 6.0) * a + 0.06 * s * s
        return s

    y = local(x) * local(0.5 * x) + local(a)
    y = local(0.1 * y) + local(0.2 * y) * local(0.3)
    return y + local(0.1 * y) + local(0.2 * y) * local(0.3) * local(0.4 * y)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_lowering_ends_where_a_local_function_is_called_often(passes, monkeypatch):
    """Its tree is another one each time that lowering begins again."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(of_a_local_function, (0.4, 0.3))
    source = ya.simplegrad(of_a_local_function, 0.4, 0.3).source
    assert source.count("math.sin(s + 5.0)") <= 2


def test_passes_over_a_loop_are_no_copies():
    """A loop's body is lowered until what it carries is settled: it is one copy."""

    def one(x, n):
        prev, s = 0.0, x
        for k in range(n):
            for _ in range(2):
                prev, s = s, series(s, 0.1) + prev * k
        return s

    assert "_series" not in ya.simplegrad(one, 0.4, 3, wrt="x").source


SCALE = 2.0


def scaled(x, n):
    if n <= 0:
        return x * SCALE
    return math.sin(scaled(x, n - 1) * x)


def within_another_scale(x, n):
    global SCALE
    SCALE = 3.0
    y = scaled(x, n) + scaled(x * 0.5, n + 1)
    SCALE = 2.0
    return y


def of_two_scales(x, n):
    return within_another_scale(x, n) * scaled(x, n) + within_another_scale(0.3, n)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_function_for_each_value_of_a_global(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(of_two_scales, (0.4, 3))
    assert SCALE == 2.0
    source = ya.simplegrad(of_two_scales, 0.4, 3).source
    assert "_scaled_2_reverse(" in source
    assert "_scaled_3" not in source


def made(c):
    """Functions of one code, which differ in what they hold."""

    def recursive(x, n):
        if n <= 0:
            return x * c
        return math.sin(recursive(x, n - 1)) * c

    def large(s):
        s = s + 0.1 * math.sin(s + 1.0) * c + 0.01 * s * s
        s = s + 0.1 * math.sin(s + 2.0) * c + 0.02 * s * s
        s = s + 0.1 * math.sin(s + 3.0) * c + 0.03 * s * s
        s = s + 0.1 * math.sin(s + 4.0) * c + 0.04 * s * s
        s = s + 0.1 * math.sin(s + 5.0) * c + 0.05 * s * s
        s = s + 0.1 * math.sin(s + 6.0) * c + 0.06 * s * s
        s = s + 0.1 * math.sin(s + 7.0) * c + 0.07 * s * s
        return s + 0.1 * math.sin(s + 8.0) * c + 0.08 * s * s

    return recursive, large


FIRST, LARGE = made(2.0)
SECOND, LARGER = made(3.0)


def of_one_recursive_code(x, n):
    return FIRST(x, n) * SECOND(x, n + 1) + SECOND(0.5 * x, n)


def of_one_large_code(x, n):
    y = LARGE(x) + LARGER(x * 0.1) + LARGE(x * 0.2) + LARGER(x * 0.3) + LARGE(x * 0.4)
    y = y + LARGER(x * 0.4) + LARGE(x * 0.3) + LARGER(x * 0.2) + LARGE(x * 0.1)
    return y * LARGE(0.1 * x) + LARGER(0.2 * x) * LARGE(0.3) + LARGER(0.1 * x) * n


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [of_one_recursive_code, of_one_large_code])
def test_functions_of_one_factory_are_told_apart(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (0.4, 3))
    source = ya.simplegrad(fn, 0.4, 3).source
    assert len([x for x in source.splitlines() if x.startswith("def _")]) >= 4


ALIKE = """
import numpy as np

RATE = {rate}


def recursive(x, n):
    if n <= 0:
        return x * RATE
    return np.sin(recursive(x, n - 1)) * RATE
"""


def test_functions_that_are_alike_in_two_files_are_told_apart(tmp_path, monkeypatch):
    for name, rate in (("alike_one", 1.5), ("alike_two", 0.5)):
        (tmp_path / f"{name}.py").write_text(ALIKE.format(rate=rate))
    monkeypatch.syspath_prepend(tmp_path)
    one = importlib.import_module("alike_one").recursive
    two = importlib.import_module("alike_two").recursive
    assert one.__code__ == two.__code__

    def both(x, n):
        return np.sum(one(x, n) * two(x, n))

    check(both, (np.array([0.4, 0.6]), 3))
