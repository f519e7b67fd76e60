"""Every entry of the lists of NumPy functions: right, or refused for a reason.

`DIFFERENTIABLE` and `ZERO` say how each is exercised; here all of it runs through
`ya.grad`, the value is that of the function bit for bit, and the gradient that of
central differences.
"""

import numpy as np
import pytest

from .coverage_lists import DIFFERENTIABLE, ZERO, use
from .covering import outcome

REFUSED = {
    "np.matmul(u, v, axes=[(0, 1), (0, 1), (0, 1)])": "axes",
    "c, v = np.polyfit(x, y, 1, cov=True)\nreturn np.sum(c) + np.sum(v**2)": "cov",
    "np.r_['-1', u, v]": "np.r_",
}
"""What is refused, and a word of the reason."""
ENTRIES = [*DIFFERENTIABLE.items(), *ZERO.items()]


@pytest.mark.part(3)
@pytest.mark.parametrize(("name", "uses"), ENTRIES, ids=[n for n, _ in ENTRIES])
def test_entry(name, uses):
    for one in uses:
        verdict, why = outcome(one)
        if one.text in REFUSED:
            assert verdict == "refused", one.text
            assert REFUSED[one.text] in why, why
        else:
            assert verdict == "right", (one.text, why)


def test_the_lists_are_whole():
    assert len(DIFFERENTIABLE) == 287
    assert len(ZERO) == 84
    right = sum(all(u.text not in REFUSED for u in e) for e in DIFFERENTIABLE.values())
    assert right >= 283


def test_a_wrong_gradient_is_found(monkeypatch):
    one = use("np.sum(x * np.sin(x))", x=np.linspace(0.1, 1.0, 4))
    assert outcome(one)[0] == "right"
    from . import covering

    grad = covering.ya.grad

    def off(*args, **kwargs):
        val, g = grad(*args, **kwargs)
        return val, {"x": g["x"] * 1.0001}

    monkeypatch.setattr(covering.ya, "grad", off)
    assert outcome(one)[0] == "wrong"
