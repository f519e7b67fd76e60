"""Objects that pose as functions, arrays or containers: refused, or read at each call.

`isinstance` believes what an object says of its class; hash and `==` may be those of
what it stands for.
"""

from unittest import mock

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, 2.0])


class Proxy:
    """All is that of the inside, but calls, products and items."""

    def __init__(self, inside):
        self.__wrapped__ = inside

    __class__ = property(lambda self: type(self.__wrapped__))

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)

    def __eq__(self, other):
        return self.__wrapped__ == other

    def __hash__(self):
        return hash(self.__wrapped__)

    def __call__(self, *args):
        return 3 * self.__wrapped__(*args)

    def __mul__(self, other):
        return 5 * self.__wrapped__ * other

    def __getitem__(self, key):
        return 7.0 * self.__wrapped__[key]


def square(x):
    return np.sum(x * x)


tripled, sine = Proxy(square), Proxy(np.sin)
RATES, WEIGHTS = Proxy({"k": 2.0}), Proxy(np.array([1.0, 4.0]))


class Spring:
    energy = Proxy(square)


def calls(x):
    return tripled(x)


def calls_a_primitive(x):
    return np.sum(sine(x))


def calls_an_argument(x, f):
    return f(x)


def by_items(x, rates=RATES):
    return rates["k"] * np.sum(x)


def by_items_of_a_global(x):
    return RATES["k"] * np.sum(x)


def by_products(x):
    return np.sum(WEIGHTS * x)


def by_numbers(x):
    return np.sum(np.asarray(WEIGHTS.__wrapped__) * x)


@pytest.mark.parametrize(
    ("fn", "name"), [(calls, "tripled"), (calls_a_primitive, "sine")]
)
def test_a_function_that_another_stands_for(fn, name):
    ya.grad(square, X)  # which a cache may hold, under what equals the proxy
    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.grad(fn, X)
    assert caught.value.reason == (
        f"`{name}` is a Proxy, which wraps a function and may change what it computes"
    )
    assert caught.value.remedy == f"Use the function itself: `{name}.__wrapped__`."


def test_it_is_not_differentiated_itself():
    ya.grad(square, X)
    for transform in (ya.grad, ya.simplegrad, ya.gradcheck):
        with pytest.raises(ya.SourceUnavailable, match="`square` is a Proxy, which"):
            transform(tripled, X)
    with pytest.raises(ya.YotaError):
        ya.grad(calls_an_argument, X, tripled, wrt="x")


def test_as_a_method():
    with pytest.raises(ya.YotaError, match="is a Proxy, which wraps a function"):
        ya.grad(lambda x: Spring.energy(x), X)


def test_mocks():
    with pytest.raises(ya.SourceUnavailable, match="is a Mock, which wraps a function"):
        ya.grad(mock.Mock(spec=square), X)
    with pytest.raises(ya.SourceUnavailable, match="was made by `exec`"):
        ya.grad(mock.create_autospec(square), X)


@pytest.mark.parametrize("fn", [by_items, by_items_of_a_global])
def test_what_is_read_of_it_is_a_constant(fn):
    val, g = ya.grad(fn, X)
    assert val == fn(X) == 14.0 * 2.5
    assert g["x"].tolist() == [14.0, 14.0]


def test_its_arithmetic_is_its_own():
    with pytest.raises(ya.UnsupportedSyntax, match="with an array of another library"):
        ya.grad(by_products, X)
    assert ya.grad(by_numbers, X)[1]["x"].tolist() == [1.0, 4.0]


# ---------------------------------------------------------------- poses and containers

POSES = (
    list, dict, tuple, set, slice, float, str, type(np), type, type(square), np.ndarray,
)  # fmt: skip
HELD = None


def posing(cls):
    """An object that says it is of a class, and has nothing of that."""
    return type("Posing", (), {"__class__": property(lambda self: cls)})()


class Closed(list):
    """A list that is not gone through."""

    def __iter__(self):
        raise TypeError("closed")


class Shut(dict):
    """A dict that does not say what it holds."""

    def items(self):
        raise AttributeError("shut")

    values = keys = items


class Sizeless(list):
    def __len__(self):
        raise TypeError("no length")


class Other(list):
    """A list that is gone through as another one."""

    def __iter__(self):
        return iter([9.0, 8.0, 7.0])


class OtherPair(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter([9.0, 8.0, 7.0])


class OtherDict(dict):
    def items(self):
        return [("b", 5.0)]

    def values(self):
        return [5.0]


def told_of(x, o):
    return np.sum(x) * (1.0 if o is None else 2.0)


def told_by_class(x, o):
    return np.sum(x) * (1.0 if isinstance(o, list) else 2.0)


def told_of_global(x):
    return np.sum(x) * (1.0 if HELD is None else 2.0)


def gone_through(x, o):
    total = 0.0
    for item in o:
        total = total + item
    return np.sum(x) * total


def by_place(x, o):
    return np.sum(x) * o[0] * len(o)


def by_values(x, o):
    return np.sum(x) * sum(o.values()) + sum(v for _, v in o.items())


ODD = [*map(posing, POSES), Closed(), Shut(), Sizeless()]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_what_poses_and_does_not_iterate(odd, monkeypatch):
    """No method of it is called that the function does not call."""
    monkeypatch.setattr(f"{__name__}.HELD", odd)

    def by_default(x, o=odd):
        return told_of(x, o)

    for fn, args in (
        (told_of, (odd,)),
        (told_by_class, (odd,)),
        (told_of_global, ()),
        (by_default, ()),
        (lambda x: told_of(x, odd), ()),
        (lambda x, rows: told_of(x, rows[1]), ([2.0, odd],)),
    ):
        val, g = ya.grad(fn, X, *args)
        assert val == fn(X, *args)
        assert g["x"].tolist() == [val / np.sum(X)] * 2


@pytest.mark.parametrize(
    ("fn", "odd"),
    [
        (fn, odd)
        for fn in (gone_through, by_place)
        for odd in (Other([1.0, 2.0]), OtherPair([1.0, 2.0]))
    ]
    + [(by_values, OtherDict(a=1.0, b=2.0))],
)
def test_what_is_gone_through_its_own_way(fn, odd):
    val, g = ya.grad(fn, X, odd)
    assert val == fn(X, odd)
    more = fn(X + np.array([1.0, 0.0]), odd)
    np.testing.assert_allclose(g["x"], [more - val] * 2)
    with pytest.raises(ya.YotaError) as refused:
        ya.grad(fn, X, odd, wrt="o")
    assert str(refused.value) == (
        "wrt: 'o' is an object of a class that hides its items, which is not "
        "differentiated\nGive its numbers: np.asarray(o)."
    )


def test_what_raises_when_it_is_gone_through_does_so():
    with pytest.raises(TypeError, match="closed"):
        ya.grad(gone_through, X, Closed([1.0]))
