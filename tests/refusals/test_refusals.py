"""Every refusal: its whole text, where it points, and that all are listed."""

import re
from functools import cache
from pathlib import Path

import pytest

import yota_ast as ya
from yota_ast.errors import MAX_LINES, InternalError, YotaError

from . import (  # noqa: F401  enter their cases
    arrays,
    calls,
    containers,
    derivatives,
    language,
    loops,
    nesting,
    recursion,
    schedules,
    solvers,
    sources,
)
from .cases import CASES
from .page import page, titles
from .reasons import matches, reasons

HERE = Path(__file__).parent
TEXTS = HERE.parent / "golden" / "refusals"
WORKS = (HERE / "works.md").read_text(encoding="utf-8")
PAGE = HERE.parents[1] / "docs" / "refusals.md"


@cache
def refusal(case):
    """The error of a case; None where the program is refused no more."""
    try:
        case.asked(case.fn)
    except YotaError as error:
        return error
    return None


def text_of(case):
    """The message; paths without folders, lines counted from that of the function."""
    path = Path(case.fn.__code__.co_filename)
    lines = path.read_text(encoding="utf-8").split("\n")
    first = lines.index(next(s for s in lines if s.startswith(f"def {case.name}(")))

    def short(found):
        line = int(found[2]) - first
        here = found[1].endswith(path.name) and line >= 1
        return f"{Path(found[1]).name}:{line if here else 'N'}"

    return re.sub(r"(/\S*?\.py):(\d+)", short, refusal(case).diagnostic) + "\n"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_whole_text(case, golden):
    error, text = refusal(case), text_of(case)
    assert error is not None, "refused no more: take it off the list"
    assert not isinstance(error, InternalError)
    if case.ask is None or error.at is not None:
        assert error.filename is not None
        assert error.lineno is not None
        assert error.col_offset is not None
        assert error.lineno > 1  # where the file begins is no place
        assert "^" in text
    assert error.remedy
    assert len(text.splitlines()) <= MAX_LINES
    golden(TEXTS / f"{case.name}.txt", text)


@pytest.mark.parametrize("case", [c for c in CASES if c.works is not None], ids=str)
def test_the_remedy_works(case):
    assert case.asked(case.works)
    if case.known and case.ask is None:
        found = ya.gradcheck(case.works, *case.args)
        assert found, str(found)


def test_no_text_is_left_of_a_case_that_is_gone():
    assert {p.stem for p in TEXTS.glob("*.txt")} == {c.name for c in CASES}


def test_each_part_has_refusals():
    assert {case.group for case in CASES} == set(titles(WORKS))


def test_the_page_is_current(golden):
    left = [case for case in CASES if refusal(case) is not None]
    golden(PAGE, page(WORKS, left, {c.name: text_of(c) for c in left}))


def test_every_reason_is_that_of_a_program_here():
    errors = [refusal(case) for case in CASES]
    given = [error.reason for error in errors if error is not None]
    missing = {
        f"{place}: {reason}"
        for place, reason in reasons()
        if not any(matches(reason, g) for g in given)
    }
    assert not missing, "write a program that is refused for it"
