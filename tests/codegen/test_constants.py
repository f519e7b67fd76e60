"""What is computed of literals is assigned once, under the user's name, where it is
long; short values stay where they are read."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.codegen.plan.long_constants import with_named_constants
from yota_ast.ir.abstract_values import FLOAT
from yota_ast.ir.verify import verify
from yota_ast.pipeline import Request, differentiated


def region(tau, p):
    tau2 = tau * tau
    tau3 = tau * tau2
    tau6 = tau3 * tau3
    return p * tau6 + tau3 * p * p + tau2 * tau6


def regions(T, p):
    if T > 300.0:
        if p > 1.0:
            tau = 540.0 / 1073.15 - 0.5
            y = region(tau, p) * T * p
        else:
            y = p * p
        y = y * T
    else:
        tau = 300.0 / 1073.15
        y = region(tau, p) * T
    return y * y


def guarded(T, p):
    if p > 1e3:
        rate = 1386.0 / 273.15 - 1.222
        return T * p * rate + rate * p
    rate = 1386.0 / 273.15 - 1.222
    for _ in range(3):
        half = rate / 2.0 + 0.25
        p = p * half + T * half
    return p


def tried(T, p):
    try:
        slope = 1386.0 / 273.15 - 1.222
        y = math.log(p) * slope
        y = y + slope * T
    except ValueError:
        y = T * 2.0
    return y


def short(T, p):
    third = 1.0 / 3.0
    a = T**third * (-2.5) + p**third
    return a * (third - 1.0) + third * p


def once(T, p):
    tau = 540.0 / 1073.15 - 0.5
    tau2 = tau * tau
    return T + p + tau2 * 2.0


def of_complex(T, p):
    turn = 1.5j * 2.25 + 0.125
    z = T * turn + p * turn * turn
    return (z * z).real


def inline_arms(T, p):
    tau = 540.0 / 1073.15 - 0.5
    a = T * tau if T > p else p * tau * tau
    return a * a


def rational(p):
    q = p - 0.5
    r = q * q
    return (39.625 * r + 220.75) * q / (54.5 * r + 0.125)


def nothing_else(T, p):
    q = 0.9 - 0.5
    r = q * q
    return (39.625 * r + 220.75) * q / (54.5 * r + 0.125)


def of_a_call(T, p):
    return rational(0.9) * T + rational(p)


def powers(T, p):
    x = 1.25
    for _ in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13):
        x = x * x / 1.5
    return T * x + p * p * x


ALL = (
    regions, guarded, tried, short, once, of_complex, inline_arms, powers,
    nothing_else, of_a_call,
)  # fmt: skip
AT = ((330.0, 2.0), (330.0, 0.5), (250.0, 2.0), (250.0, 2e3), (1.0, 0.25))


@pytest.mark.parametrize("passes", ["all", "none", "guards"])
@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_the_value_is_that_of_the_function(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    gradient = ya.simplegrad(fn, 330.0, 2.0)
    for at in AT:
        val, *slopes = gradient(*at)
        assert val == fn(*at)
        for k, slope in enumerate(slopes):
            h = 1e-5 * at[k]
            ends = (fn(*at[:k], at[k] + s, *at[k + 1 :]) for s in (h, -h))
            assert slope == pytest.approx(np.subtract(*ends) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_the_program_with_assignments_is_sound(fn):
    facts = {"T": FLOAT, "p": FLOAT}
    program = differentiated(Request(fn, facts, {"T": 330.0, "p": 2.0}), None)[1]
    named = with_named_constants(program)
    verify(named)
    assert (named == program) is (fn is short)


def test_a_name_is_assigned_once_in_the_arm_that_reads_it():
    lines = ya.simplegrad(regions, 330.0, 2.0).source.split("\n")
    found = [line for line in lines if "540.0 / 1073.15" in line]
    assert found == ["            tau = 540.0 / 1073.15 - 0.5"]
    assert sum("tau2 = tau * tau" in line for line in lines) == 1
    assert sum(line.strip().startswith("tau6") for line in lines) == 2


def test_a_value_that_a_loop_reads_is_assigned_before_it():
    text = ya.simplegrad(guarded, 330.0, 2.0).source
    assert text.index("half = rate / 2.0 + 0.25") < text.index("for _ in")
    assert text.count("half = ") == 1
    assert "saved" not in text


def test_nothing_is_assigned_within_a_try():
    lines = ya.simplegrad(tried, 330.0, 2.0).source.split("\n")
    assert "    slope = 1386.0 / 273.15 - 1.222" in lines


def test_short_values_are_written_where_they_are_read():
    text = ya.simplegrad(short, 330.0, 2.0).source
    assert "third" not in text.replace("third * p", "").partition("# reverse")[0]


def test_what_stands_in_one_place_has_no_line_of_its_own():
    text = ya.simplegrad(once, 330.0, 2.0).source
    assert "val = T + p + tau * tau * 2.0" in text


def test_no_comment_stands_above_the_assignments():
    text = ya.simplegrad(once, 330.0, 2.0).source
    assert "#" not in text.replace("# forward", "")


def test_a_spelling_that_grows_without_end_is_a_number():
    text = ya.simplegrad(powers, 330.0, 2.0).source
    assert len(text) < 9000
