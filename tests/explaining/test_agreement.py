"""`explain` says what the compiler says, of what is refused and of what is not."""

import pytest

import yota_ast as ya
from tests.golden.functions import GENERAL, GOLDEN
from tests.refusals import test_refusals
from tests.refusals.cases import CASES


@pytest.mark.part(3)
@pytest.mark.parametrize("case", [c for c in CASES if c.ask is None], ids=str)
def test_refusals_are_those_of_the_compiler(case):
    expected = test_refusals.refusal(case)
    found = ya.explain(case.fn, *(case.args if case.known else ()))
    assert not found
    first = found.refusals[0]
    assert (first.reason, first.remedy) == (expected.reason, expected.remedy)
    assert (type(first), first.at) == (type(expected), expected.at)
    text = " ".join(line.strip("! \n") for line in str(found).splitlines())
    assert " ".join(expected.reason.split()) in " ".join(text.split())


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case.fn.__name__)
def test_what_has_a_golden_text_is_supported(case):
    found = ya.explain(case.fn, *case.args, wrt=case.wrt)
    assert found, str(found)
    assert found.whole
    assert "supported" in str(found).splitlines()[0]


@pytest.mark.parametrize("case", GENERAL, ids=lambda case: case.fn.__name__)
def test_and_without_facts(case):
    assert ya.explain(case.fn, wrt=case.wrt)
