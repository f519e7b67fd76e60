"""What the caller gives is never written into, whatever a function hands on.

A tangent goes through the same functions as its value. Where one of them gives the
array itself, or a view of it, nothing may be added to that in place.
"""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from yota_ast import ops

from ..operations import NAMES, op

HANDING_ON = [
    "np.einsum('ij->ij', a)", "np.einsum('ij->ji', a).T", "np.einsum('ij', a)",
    "np.float64(a)", "np.asarray(a)", "np.asanyarray(a)", "np.ascontiguousarray(a)",
    "np.asarray_chkfinite(a)", "np.array(a, copy=None)", "np.array(a, copy=False)",
    "a.astype(float, copy=False)", "a.astype(np.float64, copy=False)", "a.conj()",
    "a.conjugate()", "np.conj(a)", "np.real(a)", "a.real", "+a", "np.positive(a)",
    "np.broadcast_arrays(a, b)[0]", "np.require(a)", "np.ravel(a).reshape(3, 3)",
    "a.reshape(3, 3)", "np.squeeze(a)", "np.atleast_2d(a)", "np.atleast_1d(a)",
    "np.broadcast_to(a, (3, 3))", "np.real_if_close(a)", "np.resize(a, (3, 3))",
    "np.linalg.matrix_power(a, 1)", "np.trim_zeros(np.ravel(a)).reshape(3, 3)",
    "np.split(a, 1)[0]", "np.unstack(a[None])[0]", "np.rot90(a, 4)", "np.flip(a)",
    "np.diff(a, 0)", "np.array_split(a, 1)[0]",
    "np.meshgrid(a[0], a[1], copy=False)[0]",
    "np.transpose(a)", "np.swapaxes(a, 0, 1)", "np.moveaxis(a, 0, 1)", "a[...]",
    "a[:]", "max([a], key=len)", "[a][0]", "np.nan_to_num(a)", "np.triu(a, -3)",
]  # fmt: skip
A = np.arange(1.0, 10).reshape(3, 3) / 7
B = np.linspace(-1.0, 2.0, 9).reshape(3, 3)


def added_to(c, a, b):
    """A sum that begins with what is handed on."""
    c = c + b * b
    c = c + 2.0 * b
    return np.sum(a * a * b) + np.sum(c * c * a)


NAMES["added_to"] = added_to


def program(text):
    return op(f"added_to({text}, a, b)", a=A, b=B).fn


def slope(f, at, step=1e-5):
    return (f(at + step) - f(at - step)) / (2 * step)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("text", HANDING_ON)
def test_tangents_are_left_as_they_are(text, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    f = program(text)
    a, b, da, db = A.copy(), B.copy(), np.cos(A), np.sin(B)
    _, got = ya.jvp(f)(a, b, da, db)
    wanted = slope(lambda t: f(A + t * np.cos(A), B + t * np.sin(B)), 0.0)
    assert got == pytest.approx(wanted, rel=1e-7)
    for array, whole in ((a, A), (b, B), (da, np.cos(A)), (db, np.sin(B))):
        np.testing.assert_array_equal(array, whole)


@pytest.mark.parametrize("text", HANDING_ON)
def test_second_derivatives(text):
    f = program(text)
    a, v = A.copy(), np.cos(A)
    got = ya.hvp(f)(a, v, B)
    wanted = slope(lambda t: ya.grad(f, A + t * v, B)[1]["a"], 0.0)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(a, A)
    np.testing.assert_array_equal(v, np.cos(A))


# ---------------------------------------------------------------- rules of one's own


def mirrored(x):
    return x[::-1].copy()


def passed_on(x):
    return x.copy()


def folded(x):
    return x.reshape(-1, 2).copy()


def squashed(x):
    return np.tanh(x)


@pytest.fixture(autouse=True)
def rules(book):
    @ya.diffrule
    def _(x, *, dy):
        y = mirrored(x)
        dx = dy[::-1]

    @ya.diffrule
    def _(x, *, dy):
        y = passed_on(x)
        dx = dy

    @ya.diffrule
    def _(x, *, dy):
        y = folded(x)
        dx = np.ravel(dy)

    @ya.diffrule(alias="fresh")
    def _(x, *, dy):
        y = squashed(x)
        dx = dy * (1 - y * y)


@pytest.mark.parametrize("own", [mirrored, passed_on, folded, squashed])
@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_adjoint_of_a_rule_may_be_a_view(own, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def f(a, b):
        c = np.ravel(own(a))
        d = c + b
        return np.sum(d * d * b) + np.sum(np.sin(a) * b)

    a, b = np.linspace(0.1, 0.9, 4), np.linspace(1.0, 2.0, 4)
    _, g = ya.grad(f, a, b)
    for name, k in (("a", 0), ("b", 1)):
        for e in np.eye(4):
            steps = [(0, e), (e, 0)][1 - k]
            wanted = slope(lambda t: f(a + t * steps[0], b + t * steps[1]), 0.0)
            assert g[name] @ e == pytest.approx(wanted, rel=1e-7)


def test_a_result_that_may_be_the_argument_is_not_written_into():
    def held(x):
        return x

    ya.primitive(held)
    ya.diffrule("held(x)", "x", "held(dy)")

    def f(x):
        y = held(x)
        z = y * 2.0
        return np.sum(z * x)

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(ya.grad(f, x)[1][0], 4 * x)
    np.testing.assert_allclose(ya.hvp(f)(x, np.ones(2)), [4.0, 4.0])


def test_a_rule_as_text_may_say_that_its_results_are_fresh():
    def doubled(x):
        return 2.0 * x

    names = {"doubled": doubled, "ya": ya}
    exec('ya.diffrule("doubled(x)", "x", "2.0 * dy", alias="fresh")', names)
    assert ops.info(doubled).memory == "fresh"
    exec('ya.nodiff("doubled(x)", "x")', names)
    with pytest.raises(ya.RuleError) as refused:
        ya.diffrule("np.sin(x)", "x", "dy", aliases="fresh")
    assert refused.value.reason == "a rule given as text takes no option `aliases`"


def test_a_memory_that_there_is_not():
    with pytest.raises(ya.RuleError) as refused:

        @ya.diffrule(alias="copy")
        def _(x, *, dy):
            y = mirrored(x)
            dx = dy[::-1]

    assert refused.value.reason == (
        "alias= must be one of 'fresh', 'view', 'same', 'maybe', not 'copy'"
    )
