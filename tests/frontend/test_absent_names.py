"""Attributes that numbers and arrays lack, and modules that are not loaded."""

import sys

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([1.0, 2.0])


def scaled_by_unit(x):
    try:
        unit = x.unit
    except AttributeError:
        unit = 3.0
    return np.sum(x**2) * unit


def magnitude(x):
    try:
        y = x.magnitude()
    except AttributeError:
        y = x
    return 3.0 * np.sum(y**2)


def _is_frame(x):
    try:
        frames = sys.modules["a_module_that_is_not_there"]
    except KeyError:
        return False
    return isinstance(x, (frames.DataFrame, frames.Series))


def of_a_frame(x):
    return np.sum(x) if _is_frame(x) else 3.0 * np.sum(x**2)


def of_numpy(x):
    module = sys.modules["numpy"]
    return 3.0 * module.sum(x**2) if isinstance(x, (module.ndarray, float)) else x


@pytest.mark.parametrize("f", [scaled_by_unit, magnitude, of_a_frame, of_numpy])
@pytest.mark.parametrize("x", [X, 2.0])
def test_gradients(f, x):
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert np.allclose(g[0], 6 * x)


def with_the_last(x, last):
    total = 0.0
    for k in range(len(x)):
        try:
            terms = [previous]
            total += x[k] * last
        except NameError:
            total += x[k] ** 2
        previous = x[k]
    return total


def with_the_last_of_any(x, last):
    total = 0.0
    for k in range(len(x)):
        try:
            z = previous
            total += x[k] * last
        except Exception:
            total += x[k] ** 2
        previous = x[k]
    return total


@pytest.mark.parametrize("f", [with_the_last, with_the_last_of_any])
def test_whether_a_name_has_a_value_is_not_asked_in_a_loop(f):
    with pytest.raises(ya.UnsupportedSyntax, match="`previous` is read before a value"):
        ya.simplegrad(f, X, 2.0)


def told_of_the_unit(x):
    try:
        unit = x.unit
    except AttributeError as error:
        print(error)
        unit = 3.0
    return np.sum(x**2) * unit


def raised_again(x):
    try:
        unit = x.unit
    except AttributeError:
        if np.sum(x) > 100.0:
            raise
        unit = 3.0
    return np.sum(x**2) * unit


@pytest.mark.parametrize("f", [told_of_the_unit, raised_again])
def test_the_text_says_what_python_does(f):
    source = ya.simplegrad(f, X).source
    assert (
        "raise AttributeError(\"'ndarray' object has no attribute 'unit'\")" in source
    )


def test_of_a_try_that_surely_raises_the_text_has_the_handler():
    source = ya.simplegrad(scaled_by_unit, X).source
    forward = source.partition("# forward\n")[2].partition("# reverse")[0]
    assert forward == "    val = np.sum(x**2) * 3.0\n\n    "


def left_by_the_handler(b, c):
    for k in range(3):
        try:
            len(b)
        except (TypeError, ValueError):
            c = c * b
            if k == 1:
                break
        else:
            c = 0.0
        finally:
            b = b * 1.5
    return b * c


def caught_further_out(b, c):
    try:
        try:
            len(b)
        except ValueError:
            pass
    except TypeError:
        c = c * b
    return b * c


def names_change_places_first(b, c):
    try:
        b, c = c, b
        len(b)
    except TypeError:
        return b


def a_name_goes_first(b, c):
    t = b
    try:
        del t
        len(b)
    except TypeError:
        t = c
    return b * t


def a_list_grows_first(b, c):
    xs = [b]
    try:
        xs.append(c)
        len(b)
    except TypeError:
        b = b * xs[-1]
    return b


def a_dict_is_turned_first(b, c):
    d = {"b": b, "c": c}
    try:
        d["b"] = d.pop("b")
        len(b)
    except TypeError:
        first = next(iter(d.values()))
    return first * first


def an_outer_name_changes_first(b, c):
    def change():
        nonlocal b
        b = c
        len(b)

    try:
        change()
    except TypeError:
        pass
    return b * b


def an_iterator_moves_first(b, c):
    it = iter((b, c))
    try:
        next(it)
        len(b)
    except TypeError:
        b = next(it)
    return b * b


FOLLOWED = [
    names_change_places_first,
    a_name_goes_first,
    a_dict_is_turned_first,
    a_list_grows_first,
]
REFUSED = {
    an_outer_name_changes_first: "`b` is read after a `try` that may have raised",
    an_iterator_moves_first: "the body of `try` changes",
}


@pytest.mark.parametrize("f", FOLLOWED)
def test_what_a_body_changes_before_it_raises(f):
    check(f, 0.9, 2.0)


@pytest.mark.parametrize(("f", "why"), REFUSED.items())
def test_what_a_body_changes_before_it_raises_is_refused(f, why):
    with pytest.raises(ya.UnsupportedSyntax, match=why):
        ya.simplegrad(f, 0.9, 2.0)


@pytest.mark.parametrize("f", [left_by_the_handler, caught_further_out])
def test_the_handler_of_what_surely_raises_is_reversed(f):
    check(f, 0.9, 2.0)


def test_without_a_try_it_is_refused():
    with pytest.raises(ya.YotaError, match="unit"):
        ya.grad(lambda x: np.sum(x.unit()), X)


def test_an_argument_of_another_kind_is_another_text():
    with pytest.raises(ValueError, match="made for a number"):
        ya.simplegrad(magnitude, 2.0)(X)


SCALE = 2.5
WEIGHTS = np.array([1.5, 0.5])


def of_units(value):
    try:
        return value.magnitude
    except AttributeError:
        return value


def of_a_literal(x):
    scale = 2.5
    try:
        scale = scale.simplified
    except AttributeError:
        pass
    return scale * np.sum(x)


def of_constants(x):
    y = of_units(3) * of_units(SCALE) * len(of_units("abc")) * of_units(np.pi)
    return y * np.sum(of_units(WEIGHTS) * of_units(x)) * of_units(WEIGHTS[0])


def of_functions(x):
    return np.sum(of_units(of_units)(x) * of_units(np.sin)(x))


def of_containers(x):
    total = np.sum(x)
    for value in [(1, 2), [x, 3.0], {"a": x}, np.shape(x)]:
        try:
            total = total * value.magnitude
        except AttributeError:
            total = total * len(value)
    return total


def of_constants_in_a_loop(x):
    total = 0.0
    for q in x:
        scale = 2
        try:
            scale = scale.simplified
        except (TypeError, AttributeError):
            scale = 3 * scale
        total += scale * q * q
    return total


def of_constants_in_an_arm(x):
    y = x * x
    if y[0] > 0.5:
        try:
            y = SCALE.rescale(2.0) * y
        except AttributeError:
            y = SCALE * y
    return np.sum(y)


@pytest.mark.parametrize("passes", ["none", "all"])
@pytest.mark.parametrize(
    "f",
    [of_a_literal, of_constants, of_functions, of_containers, of_constants_in_a_loop,
     of_constants_in_an_arm],
)  # fmt: skip
def test_constants_and_containers_without_the_attribute(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, X)


def test_a_handler_that_does_not_fit_leaves_the_error():
    def f(x):
        try:
            scale = SCALE.simplified
        except ValueError:
            scale = 1.0
        return np.sum(x) * scale

    with pytest.raises(AttributeError, match="'float' object has no attribute"):
        ya.grad(f, X)


def _of_its_kind(x, kind="a_module_not_yet_there"):
    if kind not in sys.modules:
        return x * 2.0
    return x * 3.0


def by_loaded(x):
    return np.sum(_of_its_kind(x))


def test_what_others_import_says_nothing(monkeypatch):
    text = ya.simplegrad(by_loaded, X)
    np.testing.assert_array_equal(text(X)[1], [2.0, 2.0])
    monkeypatch.setitem(sys.modules, "another_module", sys)
    np.testing.assert_array_equal(text(X)[1], [2.0, 2.0])
    monkeypatch.setitem(sys.modules, "a_module_not_yet_there", sys)
    with pytest.raises(
        ValueError, match="a_module_not_yet_there has changed since this"
    ):
        text(X)
    np.testing.assert_array_equal(ya.grad(by_loaded, X)[1][0], [3.0, 3.0])
    monkeypatch.delitem(sys.modules, "a_module_not_yet_there")
    np.testing.assert_array_equal(ya.grad(by_loaded, X)[1][0], [2.0, 2.0])
