"""What is set to 0 in an array that a loop goes over is read by the loop, in forward
mode too, where the function's own statements stand among those of the tangent."""

import numpy as np
import pytest

import yota_ast as ya

TEXT = """
def f(a, y):
    y = y * 2
    s = 0.0
{body}
    return s * s
"""
BODIES = {
    "plain": """\
    y[1] = 0.0
    for q in y:
        s += q * a""",
    "in a comprehension": """\
    y[1] = 0.0
    s = np.sum(np.array([q * a for q in y]))""",
    "in an arm": """\
    if a > 0:
        y[1] = 0.0
    for q in y:
        s += q * a""",
    "in a loop": """\
    for k in range(2):
        y[k] = 0.0
        for q in y:
            s += q * a""",
    "beside another": """\
    y[1] = 0.0
    for k, (p, q) in enumerate(zip(y, y)):
        s += p * q * a * k""",
    "rows": """\
    y = np.outer(y, y)
    y[1] = 0.0
    for row in y:
        for q in row:
            s += q * a""",
    "as a condition": """\
    y[1] = 0.0
    s = a if y[1] else 2 * a""",
}
Y, H = np.array([-0.5, 0.3, -0.8]), 1e-6


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("passes", ["all", "none", "-zeroing"])
def test_right(monkeypatch, body, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f = ya.from_source(TEXT.format(body=body), {"np": np})["f"]

    def slope(a):
        return (f(a + H, Y) - f(a - H, Y)) / (2 * H)

    for a in (0.3, -0.4):
        assert ya.jvp(f)(a, Y, 1.0, None)[1] == pytest.approx(slope(a), abs=1e-6)
        assert ya.grad(f, a, Y, wrt=["a"])[1][0] == pytest.approx(slope(a), abs=1e-6)
        second = (ya.grad(f, a + H, Y)[1][0] - ya.grad(f, a - H, Y)[1][0]) / (2 * H)
        assert ya.hvp(f)(a, 1.0, Y) == pytest.approx(second, abs=1e-5)
