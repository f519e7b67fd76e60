"""One record an operation: what is stated, by whom, and what is unknown."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from yota_ast import ops
from yota_ast.errors import InternalError
from yota_ast.ops.record import OpInfo
from yota_ast.ops.registry import Path, Registry, named


def test_what_is_unknown_may_share():
    assert ops.info(lambda x: x) == OpInfo() == OpInfo(memory="maybe")
    assert ops.info([]) == OpInfo()  # no function, and not hashable


def test_a_rule_of_a_chapter_states_its_properties():
    assert ops.info(np.multiply).elementwise
    assert ops.info(np.multiply).linear == {"u", "v"}
    assert ops.info(np.expand_dims).memory == "view"


def test_functions_of_scipy_are_keyed_by_their_names():
    special = pytest.importorskip("scipy.special")
    made = Registry()
    made.state(Path("scipy.special", "erf"), elementwise=True)
    assert made.info(special.erf).elementwise
    assert not made.info(special.erfc).elementwise


def test_methods_of_all_distributions():
    stats = pytest.importorskip("scipy.stats")
    made = Registry()
    made.state(*named("scipy.stats", "*.logpdf"), memory="fresh")
    assert made.info(stats.norm.logpdf).memory == "fresh"
    assert made.info(stats.norm.rvs).memory == "maybe"


def test_a_property_is_stated_once():
    made = Registry()
    made.state(np.exp, memory="fresh")
    with pytest.raises(
        InternalError, match="`memory` of <ufunc 'exp'> is stated twice"
    ):
        made.state(np.exp, memory="view")


def test_a_rule_of_the_users_says_nothing_of_memory_unless_it_does(book):
    def mirrored(x):
        return x[::-1]

    def doubled(x):
        return 2 * x

    @ya.diffrule
    def _(x, *, dy):
        y = mirrored(x)
        dx = dy[::-1]

    @ya.diffrule(alias="fresh")
    def _(x, *, dy):
        y = doubled(x)
        dx = 2 * dy

    assert ops.info(mirrored).memory == "maybe"
    assert ops.info(doubled).memory == "fresh"
