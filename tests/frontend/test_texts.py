"""Texts that a function makes of what it computes with."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check


class Plain:
    def __init__(self, x):
        self.x = x


class Speaking(Plain):
    def __repr__(self):
        return f"Speaking({self.x})"


def attest(condition, message):
    if not condition:
        raise ValueError(message)


def of_a_plain_object(x):
    made = Plain(x * x)
    attest(np.all(made.x > 0.01), f'"{made}" holds {made!r}, not {made.x}')
    return np.sum(made.x * x)


def of_an_object_with_a_text(x):
    made = Speaking(x * x)
    attest(np.all(made.x > 0.01), f"{made} is too small")
    return np.sum(made.x * x)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_an_object_that_has_no_text_is_called_by_its_class(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(of_a_plain_object, (np.array([0.4, 0.6]),))
    name = "<tests.frontend.test_texts.Plain object>"
    with pytest.raises(ValueError, match=f'"{name}" holds {name}, not '):
        ya.grad(of_a_plain_object, np.array([0.0, 1.0]))


def test_an_object_with_a_text_of_its_own_is_refused():
    with pytest.raises(ya.UnsupportedSyntax, match="is passed on as a whole"):
        ya.grad(of_an_object_with_a_text, np.array([0.4, 0.6]))
