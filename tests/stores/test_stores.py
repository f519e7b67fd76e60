"""Each way of writing into an array, in each setting: right, or refused as listed."""

import copy

import hypothesis
import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .checking import verdict
from .odd_snippets import ODD
from .settings import SETTINGS
from .snippets import CHAPTERS

SOMEWHERE = {
    "views view_method": "view has no rule",  # but in an arm that is not run
    "views choice": "changed since",
    "views choice_other": "changed since",
    "views unpack_split": "an unknown number of items",
    "objects nested_function": "is used as a value",
}
"""What is refused in some settings."""
ODD_REFUSED = frozenset(
    """
    reshape_F flags
    rng_out setflags byteswap memoryview data_attr
    nditer comp_rows comp_write
    sorted_rows reversed_rows zip_star ifexp_write
    out_tuple_two out_divmod scipy_overwrite
    meshgrid
    write_finally
    object_arr struct_arr masked
    power_at
    """.split()
)
"""The odd ways that are refused, at the latest when the text runs."""
NAMES = [(chapter, name) for chapter, all_ in CHAPTERS.items() for name in all_]
LONG = hypothesis.settings.get_current_profile_name() == "fuzz"  # `make fuzz-tests`
ALWAYS = ("plain", "loop", "caller")


def tried(number):
    """The settings and passes in which the snippet of a number is tried: by turns."""
    if LONG:
        return [(s, p) for s in SETTINGS for p in ("all", "none")]
    others = [s for s in SETTINGS if s not in ALWAYS]
    some = [(s, "all") for s in (*ALWAYS, others[number % len(others)])]
    return [*some, (SETTINGS[number % len(SETTINGS)], "none")]


TRIED = [
    (chapter, name, setting, passes)
    for number, (chapter, name) in enumerate(NAMES)
    for setting, passes in tried(number)
]


@pytest.mark.part(16)
@pytest.mark.parametrize(("chapter", "name", "setting", "passes"), TRIED)
def test_store(chapter, name, setting, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    whole = f"{chapter} {name}"
    found = verdict(CHAPTERS[chapter][name], setting, whole)
    if whole in SOMEWHERE and found.startswith("refused"):
        assert SOMEWHERE[whole] in found
    else:
        assert found == "right"


@pytest.mark.parametrize(("chapter", "name"), NAMES if LONG else NAMES[::2])
def test_store_in_general_text(chapter, name):
    found = verdict(CHAPTERS[chapter][name], "caller", name, general=True)
    assert found == "right" or found.startswith("refused")


@pytest.mark.part(4)
@pytest.mark.parametrize("setting", ["plain", "loop"])
@pytest.mark.parametrize("name", ODD)
def test_odd_store(name, setting):
    found = verdict(ODD[name], setting, name)
    wanted = "refused" if name in ODD_REFUSED else "right"
    assert found.startswith(wanted), found


@pytest.mark.part(2)
@pytest.mark.parametrize("name", ODD)
def test_odd_store_into_the_arguments(name):
    found = verdict(ODD[name], "caller", name)
    assert found.startswith(("right", "refused")), found


def scaled(x, c):
    y = np.sin(x)
    x *= c
    x += y
    return np.sum(x * x) * y


def swapped_by_names(x, c):
    z = x
    x *= c
    return np.sum(x) + np.sum(z)


@pytest.mark.parametrize("x", [0.7, np.array([0.5, 0.8]), np.float64(0.4)])
def test_general_text_scales_what_may_be_an_array(x):
    gradient = ya.simplegrad(scaled)
    mine, theirs = copy.copy(x), copy.copy(x)
    expected = scaled(theirs, 0.9)
    seed = 1.0 if np.ndim(expected) == 0 else np.ones_like(expected)
    value, dx, dc = gradient(mine, 0.9, seed=seed)
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_array_equal(mine, theirs)
    for h, d in ((1e-6, dx), (1e-6, dc)):
        ends = []
        for step in (h, -h):
            moved = x + step if d is dx else copy.copy(x)
            ends.append(np.sum(scaled(moved, 0.9 + (step if d is dc else 0.0))))
        np.testing.assert_allclose(np.sum(d), (ends[0] - ends[1]) / (2 * h), rtol=1e-6)


def test_general_text_refuses_other_names_of_what_may_be_scaled():
    with pytest.raises(UnsupportedSyntax, match="has changed since"):
        ya.simplegrad(swapped_by_names)
