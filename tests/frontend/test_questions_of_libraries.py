"""What libraries ask of modules, types and options before they compute."""

import math
import sys
import threading
import types

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode

P = np.array([0.3, 1.2, -0.7, 2.1])
V = np.array([0.4, -0.3, 0.2, 0.7])


def of_a_function(x):
    def square(t):
        return t * t

    total = x.sum
    if isinstance(square, str) or isinstance(total, (str, types.FunctionType)):
        return x[0]
    return np.sum(square(x)) * total()


def of_a_device(x):
    where = x.device
    if isinstance(where, str) and where == "xpu":
        return x[0]
    xp = x.__array_namespace__()
    return xp.sum(x * x)


def of_a_dtype(x, y=None):
    found = [a.dtype for a in (x, y) if a is not None]
    floats = [d for d in found if np.isdtype(d, ("real floating", "integral"))]
    if x.dtype in [np.float32, np.float64]:
        x = x.astype(np.result_type(*floats, np.dtype("float32")))
    return np.sum(x * x)


def of_the_namespace(x):
    known = np.__array_namespace_info__().dtypes(kind="real floating", device=None)
    return np.sum(x * x.astype(known["float64"])) if "float64" in known else x[0]


def of_a_module(x):
    xp = np if x[0] > 0 else None
    if xp is not None and isinstance(x, xp.ndarray):
        return xp.sum(x * x)
    return np.sum(x)


def of_two_modules(x):
    xp = np if x[0] > 0 else math
    return x[1] * xp.sin(x[2])


def _module(name):
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    return None if getattr(spec, "_initializing", False) else module


TABLES = frozenset(["numpy"])


def of_any_module(x):
    if any((m := _module(k)) and isinstance(x, m.matrix) for k in TABLES):
        return x[0]
    return np.sum(x * x)


KINDS = {"a", "b"}


def of_a_set(x, kind="a"):
    rows = [x[0], x[1]] if "a" in KINDS else [a for a in x if a > 0]
    return np.hypot(*rows) * x[2]


LOCAL = threading.local()
LOCAL.options = {"fast": False, "n": 3}


def of_an_option(x):
    rows = [a for a in x if a > 0] if LOCAL.options.copy()["fast"] else [x[0], x[1]]
    return np.hypot(*rows) * x[2]


def of_an_argument_in_a_try(x, dtype=None):
    def is_odd(dtype):
        return dtype is object

    try:
        if dtype is not None and np.isdtype(dtype, "integral"):
            x = x.copy()
            x = x.astype(dtype)
        else:
            x = np.asarray(x, dtype=dtype)
    except ValueError as error:
        raise ValueError(str(error).replace("a", "b") + f"{x}") from error
    return x[0] if is_odd(dtype) else np.sum(x * x)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn",
    [
        of_a_function, of_a_device, of_a_dtype, of_the_namespace, of_a_module,
        of_two_modules, of_any_module, of_a_set, of_an_option,
        of_an_argument_in_a_try,
    ],
)  # fmt: skip
def test_in_every_mode(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(fn, P, V)


def test_other_arguments_take_the_other_way():
    check_every_mode(of_a_module, -P, V)
    check_every_mode(of_two_modules, -P, V)


def of_kinds(x):
    t = x.dtype
    if t.kind in "iub" or t == "O" or np.issubdtype(t, np.integer):
        return x[0]
    if t != np.int64 and np.isdtype(t, ("real floating", "complex floating")):
        return np.sum(x * x)
    return x[1]


def of_one_type(x):
    return np.sum(x * x) if x.dtype == np.float64 else 2 * np.sum(x * x)


@pytest.mark.parametrize("fn", [of_a_dtype, of_kinds])
def test_all_types_of_floats_have_one_text(fn):
    grad = ya.simplegrad(fn, P)
    assert fn is of_a_dtype or "dtype" not in grad.source.split("# forward")[1]
    value, g = grad(P.astype(np.float32))
    assert value == fn(P.astype(np.float32))
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, 2 * P, rtol=1e-6)


def test_which_of_them_it_is_is_asked():
    grad = ya.simplegrad(of_one_type, P)
    np.testing.assert_allclose(grad(P)[1], 2 * P)
    np.testing.assert_allclose(grad(P.astype(np.float32))[1], 4 * P, rtol=1e-6)


def test_other_types_go_another_way():
    x = np.array([3, 1, 2])
    assert ya.grad(of_kinds, x, wrt=[])[0] == 3


def test_sets_and_options_are_checked_and_followed(monkeypatch):
    of_set, of_option = (ya.simplegrad(f, P) for f in (of_a_set, of_an_option))
    monkeypatch.setattr(f"{__name__}.KINDS", {"b"})
    with pytest.raises(ValueError, match="KINDS"):
        of_set(P)
    monkeypatch.setitem(LOCAL.options, "fast", True)
    with pytest.raises(ValueError, match="options"):
        of_option(P)


@pytest.mark.parametrize("write", [str, repr])
def test_numbers_are_followed_into_strings(write):
    def through_text(s):
        return float(write(float(s)).replace("z", "y"))

    with pytest.raises(ya.YotaError, match="the result depends on numbers in a string"):
        ya.grad(through_text, 0.5)


def test_a_name_that_a_function_inside_sets_is_unknown():
    def reset(x, kind=None):
        def choose():
            nonlocal kind
            kind = "other"

        y = x
        try:
            choose()
            if kind is None:
                y = x * 2
        except ValueError:
            y = x * 3
        return np.sum(y * y)

    try:
        _, g = ya.grad(reset, P)
    except ya.YotaError:
        return
    np.testing.assert_allclose(g[0], 2 * P)


def of_a_type_to_convert_to(x, flag=False):
    wanted = (np.float64, np.float32)
    dtype = None if x.dtype in wanted else wanted[0]
    if dtype is not None:
        dtype = np.dtype(dtype)
    if flag:
        dtype = np.dtype("f4")
    try:
        if dtype is not None and np.isdtype(dtype, "integral"):
            x = np.asarray(x)
            x = x.astype(dtype)
        else:
            x = np.asarray(x, dtype=dtype)
    except np.exceptions.ComplexWarning as error:
        raise ValueError(f"complex: {x}") from error
    return np.sum(x * x)


def of_one_of_two_types(x, flag=False):
    dtype = np.dtype("f8") if flag else None
    y = np.asarray(x, dtype=dtype)
    if dtype is not None and dtype.kind == "f" and not np.isdtype(dtype, "bool"):
        y = y * x.astype(dtype)
    return np.sum(y * y)


@pytest.mark.parametrize("fn", [of_a_type_to_convert_to, of_one_of_two_types])
@pytest.mark.parametrize("passes", ["all", "none"])
def test_types_that_a_branch_has_chosen(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(fn, P, V)
    for flag in (False, True):
        val, g = ya.grad(fn, P, flag, wrt=[0])
        assert val == fn(P, flag)
        squares = fn is of_a_type_to_convert_to or not flag
        expected = 2 * P if squares else 4 * P**3
        np.testing.assert_allclose(g[0], expected, rtol=1e-6)


def test_what_an_arm_assigns_last_is_not_assigned_where_it_raises():
    y = ya.grad(kept_where_an_arm_raises, P)
    assert y[0] == kept_where_an_arm_raises(P)
    np.testing.assert_allclose(y[1][0], [3.0, 0.0, 0.0, 0.0])
    assert ya.grad(kept_where_an_arm_raises, -P)[0] == kept_where_an_arm_raises(-P)


def kept_where_an_arm_raises(x):
    y = 3 * x[0]
    try:
        if x[1] > 0:
            y = x[2] * float([1.0][len(x)])
        else:
            y = x[1] * x[2]
    except IndexError:
        return y
    return y * y


def by_order(x):
    if x.dtype == np.dtype(">f8"):
        return np.sum(x * 2.0)
    return np.sum(x * x)


def test_types_of_floats_may_be_of_the_other_byte_order():
    for x in (np.array([1.0, 3.0]), np.array([1.0, 3.0], ">f8")):
        value, g = ya.grad(by_order, x)
        assert value == by_order(x)
        np.testing.assert_array_equal(
            g["x"], 2.0 if x.dtype.byteorder == ">" else 2 * x
        )
        np.testing.assert_array_equal(ya.simplegrad(by_order, np.ones(2))(x)[1], g["x"])
