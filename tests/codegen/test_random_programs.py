"""The text of any program does what its ops do, one after the other."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.random_programs import LOG, Draw
from tests.codegen.running import compiled, played, reformatted
from yota_ast.codegen.printers.function_source import emit


def outcome(function, *args):
    """Return what a call returns or raises, and the trace of its effects."""
    LOG.clear()
    try:
        values = function(*args)
    except ValueError as error:
        return str(error), list(LOG)
    return [int(v) for v in values], list(LOG)


@pytest.mark.fuzz
@given(st.integers(0, 2**32))
def test_text_runs_as_its_ops_do(seed):
    program = Draw(Random(seed)).program()
    function = compiled(emit(program))
    for args in ((1, 2, 3), (0, -1, 5)):
        expected = outcome(lambda *a: played(program, *a), *args)
        assert outcome(function, *args) == expected


def test_formatter_changes_nothing():
    texts = [emit(Draw(Random(seed)).program()).source for seed in range(60)]
    text = "\n\n".join(
        text.replace("def drawn", f"def drawn_{i}") for i, text in enumerate(texts)
    )
    assert reformatted(text) == text
