"""Every check of SciPy on the list: right, or refused for a reason."""

import pytest

pytest.importorskip("scipy")

from .covering import outcome
from .scipy_lists import CHECKS

REFUSED: dict[str, str] = {}
"""What is refused, and a word of the reason."""


@pytest.mark.parametrize(("name", "uses"), CHECKS.items(), ids=list(CHECKS))
def test_check(name, uses):
    for one in uses:
        verdict, why = outcome(one)
        if one.text in REFUSED:
            assert verdict == "refused", one.text
            assert REFUSED[one.text] in why, why
        else:
            assert verdict == "right", (one.text, why)


def test_the_list_is_whole():
    assert len(CHECKS) == 212
    right = sum(all(u.text not in REFUSED for u in uses) for uses in CHECKS.values())
    assert right == 212
