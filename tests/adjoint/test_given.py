"""Rules of a program's own: an adjoint of another shape is never spread in silence."""

from numbers import Number  # noqa: F401  read by a rule

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import RuleError
from yota_ast.rules.notation.rule import BOOK


def soft(x):
    return x * 2


def hard(x):
    return x * 2


def opaque(x):
    return np.asarray(x) * 2


def slope(dy, x):
    """Of which nothing is known where it is called."""
    return eval("dy.sum(axis=0)" if len(x) == 2 else "2 * dy")


def totals(dy):
    return [np.sum(d) for d in dy]


def joined(*xs):
    return np.stack(xs)


@pytest.fixture(autouse=True)
def _rules_taken_out():
    before = list(BOOK)
    yield
    for rule in BOOK:
        if rule not in before:
            BOOK.remove(rule)


W = np.arange(3.0)


def test_an_adjoint_of_another_rank_is_refused_at_the_rule():
    ya.diffrule("soft(x: np.ndarray)", "x", "np.sum(dy)")
    with pytest.raises(RuleError, match=r"gives an adjoint of shape \(\) for `x`") as e:
        ya.grad(lambda x: np.sum(soft(x) * W), np.ones(3))
    assert "np.sum(dy)" in e.value.excerpt
    assert "must have the shape" in e.value.remedy


def test_an_adjoint_of_other_lengths_is_refused():
    ya.diffrule("soft(x: np.ndarray)", "x", "dy[1:]")
    with pytest.raises(
        RuleError, match=r"shape \(2,\) for `x`, but `x` has shape \(3,\)"
    ):
        ya.grad(lambda x: np.sum(soft(x) * W), np.ones(3))


def test_general_text_checks_what_the_facts_leave_open():
    ya.diffrule("soft(x)", "x", "np.sum(dy)")
    dloss = ya.simplegrad(lambda x: np.sum(soft(x) * W))
    with pytest.raises(ValueError, match=r"the rule of soft, adjoint of x: \(\) inst"):
        dloss(np.ones(3))


def test_what_an_unknown_function_gives_is_checked_when_it_runs():
    ya.diffrule("opaque(x: np.ndarray)", "x", "slope(dy, x)")
    _, g = ya.grad(lambda x: np.sum(opaque(x)), np.ones((3, 2)))
    assert np.array_equal(g[0], np.full((3, 2), 2.0))
    assert "checked(" in g.source
    with pytest.raises(ValueError, match="the rule of opaque"):
        ya.grad(lambda x: np.sum(opaque(x)), np.ones((2, 2)))


def test_a_checked_gradient_is_differentiated_again():
    ya.diffrule("opaque(x: np.ndarray)", "x", "slope(dy, x)")
    ya.diffrule("slope(u, x)", "u", "2 * dy")
    ya.nodiff("slope(u, x)", "x")
    x = np.ones((3, 2))
    dloss = ya.simplegrad(lambda x: np.sum(opaque(x) ** 2), x)
    assert "checked(" in dloss.source
    _, g = ya.grad(lambda x: np.sum(dloss.fn(x)[1]), x)
    assert np.array_equal(g[0], np.full((3, 2), 8.0))


def test_what_is_proved_is_not_checked():
    ya.diffrule("hard(x: np.ndarray)", "x", "2 * dy")
    _, g = ya.grad(lambda x: np.sum(hard(x) * W), np.ones(3))
    assert np.array_equal(g[0], 2 * W)
    assert "checked" not in g.source


def test_items_of_a_starred_parameter_are_checked():
    @ya.diffrule
    def _(*xs, dy):
        y = joined(*xs)
        dxs = totals(dy)

    with pytest.raises(ValueError, match=r"the rule of joined, adjoint of xs: \(\)"):
        ya.grad(lambda x: np.sum(joined(x, 2 * x)), np.ones(3))


def test_a_rule_of_numbers_that_sums_is_broadcast_element_by_element():
    ya.diffrule("soft(x: Number)", "x", "2 * np.sum(dy)")
    _, g = ya.grad(lambda x: np.sum(ya.broadcast(soft, x) * W), np.ones(3))
    assert np.array_equal(g[0], 2 * W)
