"""Every operation of the tables in every mode, and every function of the lists at
first order forward and at second order: right, or refused as `refused.txt` says.

`make test` tries a part, `make fuzz-tests` all of it.
"""

from pathlib import Path

import hypothesis
import numpy as np
import pytest

import yota_ast as ya

from ..rules.coverage_lists import use
from .case import made
from .cases import CELLS, LISTED, SLICE, TABLE
from .modes import MODES, outcome
from .refused import read, written

LONG = hypothesis.settings.get_current_profile_name() == "fuzz"  # `make fuzz-tests`
PATH = Path(__file__).parent / "refused.txt"
REFUSED = read(PATH.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def seen(request):
    """Take what becomes of each cell; written into the file at the end, if asked to."""
    found = {}
    yield found
    if request.config.getoption("--rewrite-golden"):
        there = {str(cell) for cell in CELLS}
        left = {k: v for k, v in REFUSED.items() if k in there and k not in found}
        refused = left | {k: v for k, v in found.items() if v}
        text = written(refused, len(CELLS))
        PATH.write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.part(8)
@pytest.mark.fuzz
@pytest.mark.parametrize("cell", CELLS if LONG else SLICE, ids=str)
def test_cell(cell, seen, request):
    message = outcome(cell.case, cell.mode)
    seen[str(cell)] = message
    if not request.config.getoption("--rewrite-golden"):
        assert message == REFUSED.get(str(cell), "")


def test_the_file_is_as_it_is_written():
    """Its counts are right, and it tells of no cell that there is not."""
    assert written(REFUSED, len(CELLS)) == PATH.read_text(encoding="utf-8")
    assert {*REFUSED} <= {str(cell) for cell in CELLS}


def test_the_tables_are_whole():
    assert len(TABLE) >= 2321
    assert len(LISTED) >= 2100
    assert len({str(cell) for cell in CELLS}) == len(CELLS)
    assert {id(cell.case) for cell in SLICE} >= {id(case) for case in TABLE}


# ---------------------------------------------------------------- wrong numbers


CURVED = made(use("np.sin(x) * y", x=np.linspace(0.1, 1.0, 3), y=2.0))


def scaled(x):
    return tuple(map(scaled, x)) if isinstance(x, tuple) else 1.001 * x


def off(transform):
    """The transform, its numbers a little off."""
    return lambda f: lambda *args: scaled(transform(f)(*args))


@pytest.mark.parametrize("mode", MODES)
def test_what_is_right(mode):
    assert not outcome(CURVED, mode)


@pytest.mark.parametrize(("mode", "name"), [("forward", "jvp"), ("second", "hvp")])
def test_a_wrong_number_is_found(mode, name, monkeypatch):
    def tangent_off(f):
        def made(*args):
            value, tangent = right(f)(*args)
            return value, scaled(tangent)

        return made

    right = getattr(ya, name)
    wrong = tangent_off if name == "jvp" else off(right)
    monkeypatch.setattr(ya, name, wrong)
    with pytest.raises(AssertionError, match="not"):
        outcome(CURVED, mode)


@pytest.mark.parametrize("mode", ["reverse", "nested"])
def test_a_wrong_gradient_is_found(mode, monkeypatch):
    right = ya.grad

    def grad(*args, **options):
        value, g = right(*args, **options)
        return value, {name: scaled(g[name]) for name in options["wrt"]}

    monkeypatch.setattr(ya, "grad", grad)
    with pytest.raises(AssertionError, match="not"):
        outcome(CURVED, mode)


@pytest.mark.parametrize("mode", ["general", "elsewhere"])
def test_wrong_code_is_found(mode, monkeypatch):
    right = ya.simplegrad

    class Off:
        def __init__(self, function):
            self.function = function

        def fn(self, *args, **options):
            value, *slopes = self.function.fn(*args, **options)
            return value, *map(scaled, slopes)

    monkeypatch.setattr(ya, "simplegrad", lambda *a, **k: Off(right(*a, **k)))
    with pytest.raises(AssertionError, match="not"):
        outcome(CURVED, mode)
