"""All spellings of a function give the same, for arrays and for numbers."""

from __future__ import annotations

import ast
import operator

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ops.spellings import (
    ATTRIBUTES,
    BINARY,
    BUILTIN_METHODS,
    COMPARING,
    CONVERSIONS,
    IDENTITY,
    METHODS,
    NEEDED_METHODS,
    OPERATORS,
    SET_METHODS,
    UFUNC_OF,
    UNARY,
    USUAL_NAMES,
    WRITING_METHODS,
)

RNG = np.random.default_rng(1)
FLOATS = [RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3)).astype("f4"), 2.5]
WHOLE = [RNG.integers(1, 4, (3, 3)), np.array([[1, 0, 2]]), 3]
OF_WHOLE = ("BitAnd", "BitOr", "BitXor", "LShift", "RShift", "Invert")


def operands(op):
    of_floats = op.node not in OF_WHOLE
    given = [*WHOLE, *(FLOATS if of_floats else [])]
    if op.node == "MatMult":
        given = [v for v in given if np.shape(v) == (3, 3)]
    if op in UNARY:
        return [(v,) for v in given]
    return [(u, v) for u in given for v in given]


def same(one, other):
    assert np.array_equal(one, other, equal_nan=True)
    assert np.result_type(one) == np.result_type(other)


@pytest.mark.parametrize("op", [*BINARY, *UNARY, *COMPARING], ids=lambda op: op.node)
def test_an_operator(op):
    with np.errstate(all="ignore"):
        for values in operands(op):
            wanted = op.fn(*values)
            arrays = any(isinstance(v, np.ndarray) for v in values)
            names = dict(zip("uv", values, strict=False))
            text = f"u {op.sign} v" if len(values) == 2 else f"{op.sign} u"
            same(eval(text, names), wanted)
            assert f"{op.node}()" in ast.dump(ast.parse(text))
            if arrays:
                same(op.ufunc(*values), wanted)
            if isinstance(values[0], np.ndarray):
                same(getattr(values[0], op.method)(*values[1:]), wanted)
            if len(values) == 2 and isinstance(values[1], np.ndarray):
                same(getattr(values[1], op.reflected)(values[0]), wanted)


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.node)
def test_an_operator_in_place(op):
    for u, v in operands(op):
        if 0 in np.ravel(v):
            continue
        try:
            wanted = np.array(u)
            with np.errstate(all="ignore"):
                wanted = op.in_place(wanted, v)
        except (TypeError, ValueError):  # a result of another type or shape
            continue
        with np.errstate(all="ignore"):
            same(op.fn(np.array(u), v).astype(wanted.dtype), wanted)


@pytest.mark.parametrize("fn", UFUNC_OF, ids=lambda fn: fn.__name__)
def test_the_ufunc_of_a_function(fn):
    for values in [(3, 2), (7, 3)]:
        given = values[: UFUNC_OF[fn].nin]
        if fn is not operator.matmul:
            same(UFUNC_OF[fn](*given), fn(*given))


def test_each_operator_once():
    for field in ("node", "fn", "in_place"):
        found = [getattr(op, field) for op in OPERATORS]
        given = [f for f in found if f is not None]
        assert len(given) == len(set(given))
    assert {op.fn for op in IDENTITY} == {operator.is_, operator.is_not}


CALLS = {
    **{name: [(), (0,)] for name in METHODS},
    "choose": [([np.arange(3.0), np.ones((3, 3)), 5.0],)],
    "clip": [(-0.5, 0.5), (None, 0.1)],
    "conj": [()],
    "conjugate": [()],
    "diagonal": [(), (1,), (0, 1, 0)],
    "dot": [(np.ones((3, 2)),), (np.arange(3.0),)],
    "nonzero": [()],
    "ravel": [(), ("F",)],
    "repeat": [(2,), ([1, 0, 2], 1)],
    "round": [(), (1,)],
    "searchsorted": [(0.3,), (np.array([0.1, 0.7]), "right")],
    "squeeze": [()],
    "swapaxes": [(0, 1)],
    "take": [(2,), ([1, 0], 1)],
    "trace": [(), (1,)],
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_the_function_takes(name):
    for args in CALLS[name]:
        x = np.sort(RNG.normal(size=5)) if name == "searchsorted" else FLOATS[0]
        x = np.array([2, 0, 1]) if name == "choose" else x
        wanted, given = getattr(x, name)(*args), METHODS[name](x, *args)
        for one, other in zip(np.atleast_1d(wanted), np.atleast_1d(given), strict=True):
            same(one, other)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute(name):
    for x in (FLOATS[0], FLOATS[0] + 1j, WHOLE[1]):
        assert np.array_equal(getattr(x, name), ATTRIBUTES[name](x))


@pytest.mark.parametrize(("fn", "name"), BUILTIN_METHODS.items())
def test_a_special_method_of_a_builtin(fn, name):
    given = {
        "__bool__": True,
        "__complex__": 1j,
        "__float__": 1.5,
        "__iter__": iter(()),
    }
    value = given.get(name, 2)
    cls = type("Own", (), {name: lambda self, *args: value})
    assert fn(cls(), 1) == value if fn is divmod else fn(cls()) == value
    if fn in NEEDED_METHODS:
        with pytest.raises(TypeError):
            fn(object())


@pytest.mark.parametrize(
    "value", [1.5, 2, True, np.float64(2.5), np.array([1.5, 2.0]), [1.0], (1,), {1: 2}]
)
@pytest.mark.parametrize(("fn", "name"), NEEDED_METHODS.items())
def test_a_needed_method_is_the_builtin(fn, name, value):
    if hasattr(value, name):
        assert np.array_equal(getattr(value, name)(), fn(value))
    else:
        with pytest.raises(TypeError):
            fn(value)


def test_methods_that_write():
    for cls in (list, dict, set, np.ndarray):
        own = {n for n in dir(cls) if n.startswith("__i") and hasattr(operator, n)}
        own -= {"__index__", "__invert__", "__inv__", "__init__", "__init_subclass__"}
        assert own <= WRITING_METHODS
    assert {"__setitem__", "__delitem__", "__imatmul__"} <= WRITING_METHODS
    assert all(hasattr(operator, name) for name in WRITING_METHODS)


def test_methods_of_sets():
    a, b = {1, 2}, {2, 3}
    for fn, name in SET_METHODS.items():
        assert getattr(a, name)(b) == fn(a, b)


def test_conversions_of_texts():
    for number, fn in CONVERSIONS.items():
        text = f"{{x!{chr(number)}}}"
        assert ast.parse(f"f'{text}'").body[0].value.values[0].conversion == number
        assert text.format(x="ä") == fn("ä")


def test_usual_names():
    for name, usual in USUAL_NAMES.items():
        assert getattr(np, name) is getattr(np, usual)


FIRST = np.array([True, False, False])
ONES = np.ones(3)


def squared(x):
    return x * x


def test_a_method_whose_arguments_differ_in_a_rule(book):
    @ya.diffrule
    def _(x, *, dy):
        y = squared(x)
        dx = np.outer(2 * x * dy, ONES).compress(FIRST, 1).sum(axis=1)

    x, v = np.array([1.0, 2.0]), np.array([1.0, 0.5])
    assert np.array_equal(ya.grad(lambda x: np.sum(squared(x)), x)[1]["x"], 2 * x)
    assert np.array_equal(ya.hvp(lambda x: np.sum(squared(x)))(x, v), 2 * v)


def above(x):
    return x.clip(0.1) * x.dot(x)


def test_a_method_is_played_as_it_is_written():
    x = np.array([0.05, 0.3])
    value, tape = ya.trace(above, x)
    assert np.array_equal(value, above(x))
    assert np.array_equal(tape.play(x), above(x))
