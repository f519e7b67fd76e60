"""Lengths of axes that have a name and no number."""

import numpy as np

from yota_ast.files.saved_files import like_text
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.axis_lengths import Dim, sizes_of_names, up_to
from yota_ast.tools.cli.command_arguments import drawn
from yota_ast.tools.cli.like import parse_like

SIZES = sizes_of_names(["n", "d", "n", "d"])
N, D = Dim("x.shape[0]", 0, SIZES["n"]), Dim("y.shape[0]", 0, SIZES["d"])


def test_two_names_are_no_lengths_that_differ_by_a_number():
    parts = {n.shifted(by).size for n in (N, D) for by in range(-3, 4)}
    assert len(parts) == 14
    assert N.shifted(2).shifted(-2).size == N.size


def test_a_name_is_no_length():
    assert N.example is None
    assert N.shifted(-1).example is None
    assert up_to(N, 3).example == 3


def test_a_length_with_a_name_is_drawn_as_any_other():
    fact = array_fact("f8", (N, N))
    assert drawn(fact, np.random.default_rng(0)).shape == (3, 3)


def test_a_name_is_written_down_as_no_number():
    facts = parse_like("a=float[n,3], b=float[n]")
    assert like_text(facts) is None
    assert (
        like_text({"c": array_fact("f8", (Dim("c.shape[0]", 0, 3),))}) == "c=float[3]"
    )
