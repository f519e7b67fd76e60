"""Every refusal: its whole text, where it points, and that all are listed."""

import ast
import re
from pathlib import Path

import pytest

import yota_ast as ya
from yota_ast.errors import MAX_LINES, InternalError, YotaError

from . import arrays, calls, derivatives, language  # noqa: F401  enter their cases
from .cases import CASES

HERE = Path(__file__).parent
TEXTS = HERE.parent / "golden" / "refusals"


def refusal(case):
    """The error of a case."""
    with pytest.raises(YotaError) as caught:
        if case.ask is not None:
            case.ask(case.fn, case.args)
        else:
            ya.simplegrad(case.fn, *(case.args if case.known else ()))
    assert not isinstance(caught.value, InternalError)
    return caught.value


def shown(case, error):
    """The text, with lines counted from that of the function's name."""
    first = next(
        k
        for k, line in enumerate(case.fn.__code__.co_filename and lines_of(case), 1)
        if line.startswith(f"def {case.name}(")
    )

    def relative(found):
        number = int(found[2]) - first + 1
        inside = number >= 1
        return f"{Path(found[1]).name}:{number if inside else 'N'}"

    return re.sub(r"(/\S*?\.py):(\d+)", relative, str(error)) + "\n"


def lines_of(case):
    return Path(case.fn.__code__.co_filename).read_text(encoding="utf-8").split("\n")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_whole_text(case, golden):
    error = refusal(case)
    text = shown(case, error)
    assert error.filename is not None
    assert error.lineno is not None
    assert error.col_offset is not None
    assert "^" in text
    assert error.remedy
    assert len(text.splitlines()) <= MAX_LINES
    golden(TEXTS / f"{case.name}.txt", text)
