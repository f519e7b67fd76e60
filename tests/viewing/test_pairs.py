"""Lines of a text and the lines of the user's that they stem from."""

import linecache
import re

import numpy as np
import pytest

from tests.viewing.shown import (
    FUNCTIONS,
    LIKE,
    local,
    lstm,
    nested,
    network,
    power,
    view_of,
)
from yota_ast.api.grad import simplegrad
from yota_ast.api.traced_tapes import gradient_source, gradient_view
from yota_ast.tools.cli.like import parse_like
from yota_ast.tools.report.line_pairs import HEADINGS
from yota_ast.tools.report.page import page
from yota_ast.tools.report.view import View


def origins(view):
    """The user's lines that each line of the text stems from, without indentation."""
    found = {}
    for line in view.lines:
        texts = [linecache.getline(s.filename, s.lineno).strip() for s in line.spots]
        found.setdefault(line.line.text.strip(), []).append(texts)
    return found


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_line_stems_from_a_line(function):
    view = view_of(function)
    bare = [
        line.line.text
        for line in view.lines
        if not line.spots
        and line.line.part not in ("import", "helper")
        and line.line.text.strip() not in ("", *HEADINGS)
    ]
    assert bare == []
    assert all(view.ids[s] for line in view.lines for s in line.spots)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_op_of_the_tape_stands_on_a_line_that_is_shown(function):
    view = view_of(function)
    spots = [s for row in view.rows for s in view.spots(row.op)]
    assert spots
    assert all(view.ids[s] for s in spots)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_lines_are_those_of_the_text(function):
    view = view_of(function)
    assert "\n".join(line.line.text for line in view.lines) + "\n" == view.source
    assert any(line.line.part == "reverse" for line in view.lines)


def test_the_text_is_the_one_that_is_run_or_printed():
    gradient = simplegrad(
        network, *[np.ones(s) for s in ((2, 3), (3, 4), 4, (4, 5), 5)]
    )
    assert View(*gradient.viewer.args).source == gradient.source
    for function, like in LIKE.items():
        printed = gradient_source(function, facts=parse_like(like))
        assert view_of(function).source == printed


def test_forward_and_reverse_of_one_line():
    found = origins(view_of(network))
    assert found["val = np.sum(y_2**2)"] == [["return np.sum(y**2)"]]
    both = ["return np.tanh(x @ W + b)", "return np.sum(y**2)"]
    assert found["t1 = (2 * seed) * y_2 * (1 - y_2 * y_2)"] == [both]
    assert found["return val, dx, dW1, db1, dW2, db2"] == [["return np.sum(y**2)"]]
    check = 'or getattr(W1, "ndim", 0) != 2'
    assert found[check] == [["def network(x, W1, b1, W2, b2):"]]


def test_what_hands_on_the_value_stems_from_the_return():
    assert origins(view_of(nested))["return total, dx"] == [["return total"]]


def test_each_call_of_a_helper_is_shown_where_it_is_called():
    view = view_of(network)
    root = view.primal.root
    inlined = [
        (k, f.name, f.spot(f.first).chain)
        for k in root.inlined
        for f in root.inlined[k]
    ]
    assert [name for _, name, _ in inlined] == ["dense", "dense"]
    assert inlined[0][2] != inlined[1][2]
    by_spot = {
        spot: line.line.text.strip()
        for line in view.lines
        for spot in line.spots
        if spot.chain and line.line.part == "forward"
    }
    assert len({s.chain for s in by_spot}) == 2


def test_what_is_inlined_into_an_expression_has_its_own_line():
    found = origins(view_of(lstm))
    [stems] = found["i = 1.0 / (1.0 + np.exp(-gates[:n]))"]
    assert stems == ["return 1.0 / (1.0 + np.exp(-x))", "i = sigmoid(gates[:n])"]
    assert found["# h, c = cell(x, h, c, W, U, b)"] == 2 * [
        ["h, c = cell(x, h, c, W, U, b)"]
    ]
    assert found["saved = []"] == [["for x in xs:"]]


def test_lambdas_and_local_functions():
    view = view_of(local)
    names = [f.name for f, _ in view.functions]
    assert sorted(names) == ["lambda", "local", "squared"]


def test_a_function_that_calls_itself_is_shown_once():
    view = view_of(power)
    assert [f.name for f, _ in view.functions] == ["power"]
    heads = [x for x in view.lines if x.line.text.startswith("def ")]
    assert len(heads) > 1
    assert {spot.lineno for x in heads for spot in x.spots} == {view.primal.root.first}


def test_statements_of_several_lines():
    def long(x):
        y = np.sin(
            x  # the argument
        )
        return np.sum(
            y
            * 2.0
        )  # fmt: skip

    view = gradient_view(long)
    assert {len(numbers) for numbers in view.ids.values()} == {1, 3, 4}
    spots = {s for line in view.lines for s in line.spots}
    assert sorted(len(view.ids[s]) for s in spots) == [1, 3, 4]


def test_a_function_without_source_has_a_text_alone():
    view = View(*simplegrad(np.sum, np.ones(3)).viewer.args)
    assert view.primal.root is None
    assert view.functions == ()
    assert 'id="primal"' in page(view)


def test_quotes_stem_from_what_they_quote():
    for function in (network, lstm):
        for line in view_of(function).lines:
            quoted = re.fullmatch(r"\s*# (.*)", line.line.text)
            if quoted and line.spots and line.line.part in ("forward", "reverse"):
                spot = line.spots[0]
                assert (
                    linecache.getline(spot.filename, spot.lineno).strip() == quoted[1]
                )
