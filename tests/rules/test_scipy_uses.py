"""Solvers and objects of SciPy in all the ways in which they are written."""

import pytest

pytest.importorskip("scipy")

from .covering import outcome
from .scipy_uses import USES


@pytest.mark.parametrize("one", USES, ids=[str(k) for k in range(len(USES))])
def test_use(one):
    verdict, why = outcome(one)
    assert verdict == "right", (one.text, why)
