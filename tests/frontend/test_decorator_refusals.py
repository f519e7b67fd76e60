"""Decorators of a library that are not followed -> refusals at the user's own lines."""

import importlib
import operator
import textwrap

import numpy as np
import pytest

import yota_ast as ya

LIBRARY = """
    import functools

    CALLS, MADE = [], eval("lambda x: sum(x)")


    def validated(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            global CALLS
            CALLS = [locals()]
            return f(*args, **kwargs)
        return wrapper


    def made(f):
        names = {"f": f}
        exec("def wrapper(*args): return f(*args)", names)
        return functools.update_wrapper(names["wrapper"], f)


    class Counted:
        def __init__(self, f):
            functools.update_wrapper(self, f)
            self.f = f

        def __call__(self, *args):
            global CALLS
            CALLS = [locals()]
            return self.f(*args)


    class Hidden(Counted):
        def __call__(self, *args):
            return MADE(*args)


    def own(x):
        global CALLS
        CALLS = [locals()]
        return x


    def timed(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(*args, **kwargs)
        return wrapper


    class Choosing:
        BY_NAME = {}

        def __init__(self):
            self.functions = {}

        def __call__(self, *args):
            global CALLS
            CALLS = [locals()]
            return self.functions[type(args[0])](*args)


    def choosing(cls):
        def decorate(f):
            found = Choosing.BY_NAME.setdefault(f.__qualname__, Choosing())
            found.functions[cls] = f
            return found
        return decorate


    def named(name):
        def decorate(f):
            names = {"inside": f}
            exec("def " + name + "(*args): return inside(*args)", names)
            return names[name]
        return decorate


    class Kept:
        def __init__(self, f):
            self.f = f

        def __call__(self, *args):
            raise TypeError("this is a method")

        def __get__(self, owner, cls):
            global CALLS
            CALLS = [owner]
            return functools.wraps(self.f)(functools.partial(self.f, owner))
"""
MODEL = """
    import numpy as np
    import checkinglib


    @checkinglib.validated
    def energy(x):
        return np.sum(x**2)


    @checkinglib.made
    def power(x):
        return np.sum(x**3)


    @checkinglib.timed
    @checkinglib.validated
    def twice(x):
        return np.sum(2 * x)


    @checkinglib.timed
    def followed(x):
        return np.sum(x**2)


    @checkinglib.Counted
    def counted(x):
        return np.sum(x**2)


    @checkinglib.Hidden
    def hidden(x):
        return np.sum(x**2)


    def uses_hidden(x):
        return hidden(x) + 1


    def counts(x):
        return counted(x) + 1


    def total(x):
        return energy(x) + 1


    def inside(x):
        return energy.__wrapped__(x) + power.__wrapped__(x)


    @checkinglib.choosing(np.ndarray)
    def power_of(x):
        return np.sum(x**2)


    @checkinglib.choosing(float)
    def power_of(x):
        return x**3


    def chooses(x):
        return power_of(2.0 * x)


    @checkinglib.named("alone")
    def alone(x):
        return np.sum(x**4)


    def calls_alone(x):
        return alone(x) + 1


    class Net:
        w = 3.0

        @checkinglib.Kept
        def forward(self, x):
            return np.sum(self.w * x)


    NET = Net()


    def applies(x):
        return NET.forward(x)
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "checkinglib.py").write_text(textwrap.dedent(LIBRARY))
    (tmp_path / "checkedmodel.py").write_text(textwrap.dedent(MODEL))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("checkinglib", "checkedmodel"):
        monkeypatch.delitem(importlib.sys.modules, name, raising=False)
    return importlib.import_module("checkedmodel")


X = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("name", "line", "inside"),
    [
        ("energy", 6, "energy.__wrapped__"),
        ("power", 11, "power.__wrapped__"),
        ("twice", 16, "twice.__wrapped__.__wrapped__"),
    ],
)
def test_the_function_itself(model, name, line, inside):
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(getattr(model, name), X)
    error = caught.value
    assert (error.filename, error.lineno) == (model.__file__, line)
    assert error.reason.startswith(f"a decorator of `{name}` is not followed: ")
    assert error.remedy == (f"Differentiate `{inside}`, the function inside.")
    _, g = ya.grad(operator.attrgetter(inside)(model), X)
    assert g[0].shape == X.shape


def test_a_call(model):
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(model.total, X)
    error = caught.value
    assert error.excerpt.strip() == "return energy(x) + 1"
    assert error.remedy == "Call `energy.__wrapped__`, the function inside."
    _, g = ya.grad(model.inside, X)
    np.testing.assert_allclose(g[0], 2 * X + 3 * X**2)


def test_a_decorator_that_is_followed(model):
    np.testing.assert_allclose(ya.grad(model.followed, X)[1][0], 2 * X)


def test_an_object_of_a_library_that_is_called(model):
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(model.counted, X)
    error = caught.value
    assert error.excerpt.strip() == "@checkinglib.Counted"
    assert error.reason.startswith("a decorator of `counted` is not followed: ")
    assert error.remedy == "Differentiate `counted.__wrapped__`, the function inside."
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(model.counts, X)
    assert caught.value.excerpt.strip() == "return counted(x) + 1"
    assert caught.value.remedy == "Call `counted.__wrapped__`, the function inside."


def test_a_function_of_the_users_that_calls_an_object(model):
    """What is said of the call stays, also where it is a source that is missing."""
    with pytest.raises(ya.SourceUnavailable) as caught:
        ya.grad(model.uses_hidden, X)
    assert caught.value.excerpt.strip() == "return hidden(x) + 1"
    assert caught.value.remedy == "Call `hidden.__wrapped__`, the function inside."


def test_a_function_of_a_library_itself(model):
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(model.checkinglib.own, X)
    assert caught.value.remedy == (
        "`own` belongs to a library. Write a function that computes the same, or "
        "state its derivative with `diffrule`."
    )


def test_a_dispatcher(model):
    """What it chooses among is named: `__wrapped__` would be the first of them."""
    for f, text, does in (
        (model.power_of, "", "Differentiate"),
        (model.chooses, "return power_of(2.0 * x)", "Call"),
    ):
        with pytest.raises(ya.SourceUnavailable) as caught:
            ya.grad(f, X)
        error = caught.value
        assert error.excerpt.strip() == text
        assert error.reason.startswith("`Choosing` chooses one of 2 functions")
        assert error.remedy.startswith(
            f"{does} the one for these arguments by a name of its own: "
        )
        for function in model.power_of.functions.values():
            line = function.__code__.co_firstlineno
            assert f"`power_of` at {model.__file__}:{line}" in error.remedy


def test_a_function_that_only_exec_holds(model):
    with pytest.raises(ya.SourceUnavailable) as caught:
        ya.grad(model.calls_alone, X)
    error = caught.value
    assert error.excerpt.strip() == "return alone(x) + 1"
    assert error.reason.startswith("a decorator of `alone` is not followed: ")
    line = model.alone.__globals__["inside"].__code__.co_firstlineno
    assert error.remedy == (
        "Call the function inside by a name of its own: `alone` at "
        f"{model.__file__}:{line}."
    )


def test_a_decorator_that_makes_methods_in_its_own_way(model):
    """Its `__get__` runs, and not its `__call__`."""
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(model.applies, X)
    error = caught.value
    assert error.excerpt.strip() == "return NET.forward(x)"
    assert error.reason.startswith("a decorator of `forward` is not followed: ")


@np.vectorize
def bent(x):
    return x * x + 1.0


def test_an_object_of_vectorize():
    with pytest.raises(ya.SourceUnavailable) as caught:
        ya.grad(bent)(1.5)
    assert caught.value.remedy == (
        "Differentiate a function that calls it: lambda x: bent(x)."
    )
    assert ya.grad(lambda x: bent(x))(1.5) == 3.0
