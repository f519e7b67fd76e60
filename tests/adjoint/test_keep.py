"""What the reverse of loops keeps: right whatever passes run, and no more."""

import pytest

from .checking import PASSES, check
from .loop_programs import CASES

NAMES = [f"{fn.__name__}-{k}" for k, (fn, _) in enumerate(CASES)]


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(("fn", "args"), CASES, ids=NAMES)
def test_gradient(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("fn", "args"), CASES, ids=NAMES)
def test_gradient_by_the_general_text(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args, general=True)
