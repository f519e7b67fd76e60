"""Gradients of whole functions against differences, with and without the passes."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import PASSES, check
from .programs import CASES

NAMES = [str(c) for c in CASES]
CONTAINERS = (list, tuple, dict)
GENERAL = [c for c in CASES if not any(isinstance(a, CONTAINERS) for a in c.args)]
NEEDS_FACTS = {"rolling"}  # whether `y[0]` is a view of y decides


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_gradient(case, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(case.fn, case.args, **case.options)


# The general text of the others is refused.
WITHOUT_FACTS = [
    case
    for case in GENERAL
    if str(case) not in NEEDS_FACTS and str(case) != "int_array_wrt"
]


def test_general_code_refuses_whole_numbers_that_have_a_gradient():
    (case,) = [case for case in GENERAL if str(case) == "int_array_wrt"]
    gradient = ya.simplegrad(case.fn, **case.options)
    with pytest.raises(ValueError, match="made for numbers or arrays of floats n, x"):
        gradient(*case.args)


@pytest.mark.parametrize("n", [np.uint8(200), np.int32(2), np.bool_(True)])
def test_general_code_refuses_numbers_of_few_digits_that_have_a_gradient(n):
    gradient = ya.simplegrad(lambda x: x * x * 0.5).fn
    assert gradient(200)[1] == gradient(np.int64(200))[1] == 200.0
    with pytest.raises(ValueError, match="made for a number or an array of floats x"):
        gradient(n)


def test_general_code_refuses_complex_numbers_that_have_no_gradient():
    def weighted(x, w, c):
        return np.sum(w * x) * c

    gradient = ya.simplegrad(weighted, wrt="x").fn
    x, w = np.ones(2), np.array([1, 2])
    assert np.array_equal(gradient(x, w, 2)[1], [2.0, 4.0])
    for given in [(x, w + 1j, 2), (x, w, 2j), (x, [1j, 2.0], np.complex64(2.0))]:
        with pytest.raises(
            ValueError,
            match=r"^weighted_grad: made for a number .* x; real numbers w, c$",
        ):
            gradient(*given)


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("case", WITHOUT_FACTS, ids=str)
def test_gradient_by_the_general_text(case, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(case.fn, case.args, general=True, **case.options)
