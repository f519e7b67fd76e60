"""Every refusal: its whole text, where it points, and that all are listed."""

import re
from functools import cache
from pathlib import Path

import pytest

import yota_ast as ya
from yota_ast.errors import MAX_LINES, InternalError, YotaError

from . import arrays, calls, derivatives, language  # noqa: F401  enter their cases
from .cases import CASES
from .page import page
from .reasons import matches, reasons
from .unreached import UNREACHED

HERE = Path(__file__).parent
TEXTS = HERE.parent / "golden" / "refusals"
PAGE = HERE.parents[1] / "docs" / "refusals.md"
REASONS = tuple(reasons())


@cache
def refusal(case):
    """The error of a case."""
    with pytest.raises(YotaError) as caught:
        ya.simplegrad(case.fn, *(case.args if case.known else ()))
    assert not isinstance(caught.value, InternalError)
    return caught.value


def text_of(case):
    """The message; paths without folders, lines counted from that of the function."""
    path = Path(case.fn.__code__.co_filename)
    lines = path.read_text(encoding="utf-8").split("\n")
    first = lines.index(next(s for s in lines if s.startswith(f"def {case.name}(")))

    def short(found):
        line = int(found[2]) - first
        here = found[1].endswith(path.name) and line >= 1
        return f"{Path(found[1]).name}:{line if here else 'N'}"

    return re.sub(r"(/\S*?\.py):(\d+)", short, str(refusal(case))) + "\n"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_whole_text(case, golden):
    error, text = refusal(case), text_of(case)
    assert error.filename is not None
    assert error.lineno is not None
    assert error.col_offset is not None
    assert "^" in text
    assert error.remedy
    assert len(text.splitlines()) <= MAX_LINES
    golden(TEXTS / f"{case.name}.txt", text)


def test_no_text_is_left_of_a_case_that_is_gone():
    assert {p.stem for p in TEXTS.glob("*.txt")} == {c.name for c in CASES}


def test_the_page_is_current(golden):
    golden(PAGE, page(CASES, {c.name: text_of(c) for c in CASES}))


@pytest.mark.parametrize("reason", dict.fromkeys(text for _, text in REASONS))
def test_each_reason_in_the_code_is_reached(reason):
    """A reason without a program: add one here, or, where none is known, the reason to
    `unreached.py`."""
    given = [refusal(case).reason for case in CASES]
    reached = any(matches(reason, g) for g in given)
    assert reached != (reason in UNREACHED), "reached after all: take it off the list"


def test_what_is_listed_as_unreached_is_in_the_code():
    assert set(UNREACHED) <= {text for _, text in REASONS}
