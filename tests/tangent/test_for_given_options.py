"""What has no tangent for all options has one for those that are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import logm

import yota_ast as ya
from yota_ast.errors import NoRule, UnsupportedCall


def of_two(x: Any, k: Any) -> Any:
    return x * k


def by_method(x: Any, method: str = "a") -> Any:
    if method == "a":
        return x * 2.0
    if method == "b":
        return of_two(x)  # type: ignore[call-arg]
    return x * 3.0


def beyond(x: Any) -> Any:
    if x > 3:
        return signal.lombscargle(np.array([x, 2.0]), np.array([x, 1.0]), [1.0])[0]
    return x**2


def two_refusals(x: Any, method: str = "a") -> Any:
    if method == "b":
        return of_two(x)  # type: ignore[call-arg]
    return signal.lombscargle(np.array([x, 2.0]), np.array([x, 1.0]), [1.0])[0]


def test_each_option_by_its_own_text() -> None:
    for method, slope in (("a", 2.0), ("c", 3.0), ("a", 2.0)):
        assert ya.jvp(by_method)(1.0, method, 1.0, None) == (slope, slope)
    assert ya.jvp(by_method)(1.0, 1.0, method="c") == (3.0, 3.0)
    with pytest.raises(UnsupportedCall, match="gets no value for `k`"):
        ya.jvp(by_method)(1.0, "b", 1.0, None)


def test_a_branch_that_is_not_taken() -> None:
    assert ya.jvp(beyond)(1.0, 1.0) == (1.0, 2.0)
    with pytest.raises(NoRule, match="lombscargle has no rule"):
        ya.jvp(beyond)(4.0, 1.0)


def test_the_refusal_that_stands_in_the_way() -> None:
    with pytest.raises(NoRule, match="lombscargle has no rule"):
        ya.grad(two_refusals, 1.0)
    with pytest.raises(NoRule, match="lombscargle has no rule"):
        ya.jvp(two_refusals)(1.0, 1.0)


def test_a_step_of_a_derivative_has_none_of_its_own():
    def curve(y):
        return np.sum(logm(np.diag(y)))

    y = np.array([1.0, 2.0, 4.0])
    with pytest.raises(NoRule) as caught:
        ya.jvp(curve)(y, np.ones(3))
    line = curve.__code__.co_firstlineno + 1
    assert str(caught.value) == (
        f"{__file__}:{line}:9: `unlogm`, a step of this derivative, has no "
        "derivative of its own\n"
        "    return np.sum(logm(np.diag(y)))\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "Use reverse mode (`grad`), and no second derivative."
    )
    assert np.isfinite(ya.grad(curve, y)[1]["y"]).all()
