"""The text of any program does what its ops do, one after the other."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random import Random

from tests.codegen.random_programs import LOG, Draw
from tests.codegen.running import compiled, played, reformatted
from yota_ast.codegen.emit import emit

seeds = st.integers(0, 2**32).map(Random)


def outcome(function, *args):
    """Return what a call returns and the trace of its effects."""
    LOG.clear()
    return [int(v) for v in function(*args)], list(LOG)


@pytest.mark.fuzz
@given(st.integers(0, 2**32))
@example(4272)  # an `elif`
@example(55524)  # an `or` that is no expression: its test has an effect
@example(20868)  # a copy that is read on one way out of a loop, not on the other
@example(44)  # a parallel copy at the end of an iteration that breaks
def test_text_runs_as_its_ops_do(seed):
    program = Draw(Random(seed)).program()
    function = compiled(emit(program))
    for args in ((1, 2, 3), (0, -1, 5)):
        expected = outcome(lambda *a: played(program, *a), *args)  # noqa: B023
        assert outcome(function, *args) == expected


def test_formatter_changes_nothing():
    texts = [emit(Draw(Random(seed)).program()).source for seed in range(60)]
    text = "\n\n".join(
        text.replace("def drawn", f"def drawn_{i}") for i, text in enumerate(texts)
    )
    assert reformatted(text) == text
