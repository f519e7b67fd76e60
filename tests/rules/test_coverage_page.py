"""The page of the docs on coverage is that of the rules as they are."""

import sys
from pathlib import Path

import numpy as np
import pytest

from yota_ast.tools.cli.coverage import (
    Entry,
    by_library,
    entries,
    families,
    followed,
    found,
)

from ..table.cases import OF_LISTS, right_in
from ..table.refused import read
from .coverage_lists import DIFFERENTIABLE, ZERO
from .coverage_page import page
from .scipy_lists import CHECKS
from .test_coverage_lists import REFUSED

REFUSED_CELLS = Path(__file__).parents[1] / "table" / "refused.txt"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
pytest.importorskip("scipy")


@pytest.mark.skipif(
    np.__version__.split(".")[:2] != ["2", "4"] or sys.version_info >= (3, 12),
    reason="the page is that of the functions of NumPy 2.4 and Python 3.11",
)
def test_the_page_is_current(golden):
    golden(PAGE, page(REFUSED, list(_orders())))


def _orders():
    """Of each list: its name, how many functions there are, and how many are right in
    reverse mode, forward and at second order."""
    refused = read(REFUSED_CELLS.read_text(encoding="utf-8"))
    for title, listing, uses in (
        ("NumPy, differentiable", "numpy", DIFFERENTIABLE),
        ("NumPy, derivative zero", "zero", ZERO),
        ("SciPy", "scipy", CHECKS),
    ):
        first = sum(all(u.text not in REFUSED for u in each) for each in uses.values())
        others = (right_in(mode, listing, refused) for mode in OF_LISTS)
        yield title, len(uses), first, *others


def test_every_function_with_a_rule_is_listed_once():
    names = [entry.name for entry in entries()]
    assert len(names) == len(set(names))
    for name in ("np.sum", "np.add.reduce", "math.exp", "abs", "operator.matmul",
                 "scipy.special.gamma", "scipy.stats.norm.logpdf", "np.linalg.svd",
                 "scipy.optimize.brentq", "np.random.normal"):  # fmt: skip
        assert name in names
    assert not any("._" in name or name.startswith("yota_ast") for name in names)
    listed = [e.name for group in by_library(entries()).values() for e in group]
    assert sorted(listed) == sorted(names)


def test_what_the_lists_name_is_in_the_table_or_followed():
    """All that is a function."""
    missing = []
    for name in (*DIFFERENTIABLE, *ZERO):
        name = name.partition("(")[0].replace("ufunc", "add")
        known = (name, f"np.{name}", f"np.linalg.{name}", f"np.fft.{name}")
        if not any(found(n) for n in known) and not any(map(followed, known)):
            missing.append(name)
    assert set(missing) <= NO_FUNCTIONS, missing


NO_FUNCTIONS = {
    "r_", "c_", "x[int,slice]", "x[fancy]", "x[bool]", "y[i]=v", "y[i]+=v", "x @ y",
    "row_stack",  # an alias that NumPy gives up
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("np.sum", ["np.sum"]),
        ("numpy.sum", ["np.sum"]),
        ("sum", ["sum", "np.sum"]),
        ("np.abs", ["np.absolute"]),
        ("add.reduce", ["np.add.reduce"]),
        ("special.gamma", ["scipy.special.gamma"]),
        ("norm", ["np.linalg.norm", "scipy.linalg.norm"]),
        ("np.nothing", []),
    ],
)
def test_names(asked, names):
    assert [entry.name for entry in found(asked)] == names


def test_what_an_entry_says():
    [clip] = found("np.clip")
    assert clip.gradient == ("x", "lo", "hi", "min", "max")
    assert clip.keywords == ("a_min", "a_max", "min", "max")
    [argmax] = found("np.argmax")
    assert (argmax.gradient, argmax.settings) == ((), ("axis", "keepdims"))
    assert found("np.abs")[0].aliases == ("np.abs",)


def test_distributions_stand_on_one_line():
    of_one = [e for e in entries() if e.name.startswith("scipy.stats.norm.")]
    [first, *_] = families(of_one)
    assert isinstance(first.entry, Entry)
    assert first.methods[:2] == ("cdf", "logcdf")


def test_what_is_followed():
    assert followed("map")
    assert followed("np.vectorize")
    assert not followed("np.sum")
    assert followed("np.put")
    assert not followed("np.busday_count")
