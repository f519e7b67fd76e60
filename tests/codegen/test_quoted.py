"""Comments quote statements as they were written, over however many lines."""

import math

import yota_ast as ya


def laid_out(first, second, third):
    return (
        math.exp(first * second) * math.sin(second * third)
        + math.exp(second * third)
        + math.cos(first) * math.sin(first)
    )


def test_no_parentheses_that_only_a_layout_has():
    text = ya.simplegrad(laid_out, 0.1, 0.2, 0.3).source
    assert "# return math.exp(first * second) * math.sin(second * third) + " in text
