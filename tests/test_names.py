import builtins
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yota_ast.syntax.names import RESERVED, NamePool, adjoint_name, identifier


def test_fresh():
    pool = NamePool(["x", "h"])
    assert [pool.fresh(h) for h in ("x", "x", "h_2", "h_2", "y")] == [
        "x_2",
        "x_3",
        "h_2",
        "h_3",
        "y",
    ]


def test_an_index_at_the_end_is_no_count():
    pool = NamePool(["layers_2", "W1"])
    assert pool.fresh("layers_2") == "layers_2_2"
    assert pool.fresh("W1") == "W1_2"


def test_keywords_and_builtins_are_never_given():
    pool = NamePool()
    assert pool.fresh(adjoint_name("el")) == "del_2"
    assert pool.fresh("lambda") == "lambda_2"
    assert pool.fresh("sum") == "sum_2"
    assert "match" in pool
    names = {*keyword.kwlist, *dir(builtins)} - {"note_that_data_ran"}  # of a test
    assert {n for n in names if n not in RESERVED and n[0] != "_"} <= {"get_ipython"}


def test_numbered():
    pool = NamePool(["t2"])
    assert [pool.numbered("t") for _ in range(3)] == ["t1", "t3", "t4"]
    pool.reserve(["t5"])
    assert pool.numbered("t") == "t6"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("m.first.W", "m_first_W"),
        ("params['W']", "params_W"),
        ('params["two words"]', "params_two_words"),
        ("layers[0].b", "layers_0_b"),
        ("0", "_0"),
        ("x_", "x_"),
        ("_x", "_x"),
        ("ß.é", "ß_é"),
        ("", "_"),
        ("[-1]", "_1"),
    ],
)
def test_identifier(path, name):
    assert identifier(path) == name


@given(st.lists(st.text(max_size=6)), st.lists(st.text(max_size=6), max_size=20))
def test_names_never_clash(reserved, hints):
    pool = NamePool(reserved)
    given_out = [pool.fresh(hint) for hint in hints]
    assert len(set(given_out)) == len(given_out)
    assert not set(given_out) & {*reserved, *RESERVED}
    assert all(name.isidentifier() for name in given_out)
