"""Arguments of classes that say how their fields are set or their items found, and
arguments of which a text does not know the class."""

import operator
from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.frontend.desugar import match_statements


class Doubling:
    def __init__(self, k):
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "n", 0)

    def __setattr__(self, name, value):
        super().__setattr__("n", self.n + 1)
        object.__setattr__(self, name, 2 * value)


class Closed:
    def __init__(self, k):
        object.__setattr__(self, "k", k)

    def __setattr__(self, name, value):
        raise AttributeError(name)


class ByFields:
    def __init__(self, k):
        self.k = k
        self.n = 2.0

    def __setattr__(self, name, value):
        self.__dict__[name] = 2 * value


def set_once(o, x):
    o.k = x
    return o.k * 3


def set_often(o, x):
    o.k += x
    setattr(o, "k", o.k * x)  # noqa: B010  as it is written
    if x > 0:
        o.new = x
    return o.k * o.n + o.new


def caught(o, x):
    try:
        o.k = x
    except AttributeError:
        return 5 * x
    return o.k


@pytest.mark.parametrize("made", [Doubling, ByFields], ids=lambda f: f.__name__)
@pytest.mark.parametrize("fn", [set_once, set_often], ids=lambda f: f.__name__)
def test_a_setter_of_ones_own_is_called(fn, made):
    kept, given = made(3.0), made(3.0)
    wanted = fn(kept, 0.7)
    slope = (fn(made(3.0), 0.7 + 1e-6) - fn(made(3.0), 0.7 - 1e-6)) / 2e-6
    value, g = ya.grad(fn, given, 0.7)
    assert (value, g["x"]) == (wanted, pytest.approx(slope))
    assert vars(given) == vars(kept)
    text = ya.simplegrad(fn, made(1.0), 0.7, wrt=["x"])
    given = made(3.0)
    assert text(given, 0.7)[0] == wanted
    assert vars(given) == vars(kept)
    assert ya.jvp(fn)(made(3.0), 0.7, None, 1.0)[0] == wanted


def test_a_setter_that_raises():
    value, g = ya.grad(caught, Closed(3.0), 0.7)
    assert (value, g["x"]) == (3.5, 5.0)


class Table(dict):
    def get(self, key, default=None):
        return 8.0

    def mean(self):
        return self["a"] / len(self)


class Rows(list):
    def append(self, row):
        list.append(self, row + 1)


class Weights(list):
    def mean(self):
        return sum(self) / len(self)


def got(o, x):
    return o.get("a") * x


def averaged(o, x):
    return o.mean() * x


def scaled(o, x):
    o[0] = x
    return o.mean() * o[0]


def counted(o, x):
    o.update(a=5)
    return o["a"] * x


def appended(o, x):
    o.append(x)
    return o[-1] * 3


def put(o, x):
    o["a"] = x
    return o["a"] * 3


@pytest.mark.parametrize(
    ("fn", "given"),
    [
        (got, Table(a=1.0)),
        (averaged, Table(a=1.0)),
        (averaged, Weights([1.0, 2.0])),
    ],
    ids=["got", "of_a_dict", "of_a_list"],
)
def test_methods_of_a_list_or_a_dict_of_the_users(fn, given):
    value, g = ya.grad(fn, given, 0.7)
    assert (value, g["x"]) == (fn(given, 0.7), pytest.approx(fn(given, 1.0)))


def test_a_list_of_the_users_that_is_written():
    value, g = ya.grad(scaled, Weights([1.0, 2.0]), 0.7)
    assert (value, g["x"]) == (pytest.approx(0.945), pytest.approx(1.7))


def test_a_counter_adds_what_it_is_updated_by():
    given = Counter(a=1)
    value, g = ya.grad(counted, given, 0.7)
    assert (value, g["x"], given) == (pytest.approx(4.2), 6, Counter(a=6))


@pytest.mark.parametrize(
    ("fn", "given"),
    [(appended, Rows([1.0])), (put, Table(a=1.0))],
    ids=["appended", "put"],
)
def test_a_class_that_says_how_items_are_put_is_refused(fn, given):
    with pytest.raises((ya.UnsupportedCall, ya.UnsupportedSyntax)):
        ya.grad(fn, given, 0.7)


class Shape:
    __match_args__ = ("a",)

    def __init__(self, a):
        self.a = a


class Round(Shape):
    pass


def of_a_class(o, x):
    return x * o.a if isinstance(o, Round) else x * x


def of_strings(o, x):
    return x * x if isinstance(o, str) else x


def of_fields(o, x):
    return x * x if isinstance(o.a, (list, tuple)) else x


def matched(o, x):
    match o:
        case Round(a=a):
            return x * a
        case Shape(a):
            return x * x * a


@pytest.mark.parametrize("fn", [of_a_class, matched], ids=lambda f: f.__name__)
@pytest.mark.parametrize("cls", [Shape, Round])
def test_a_class_that_is_not_known_is_asked_for(fn, cls):
    text = ya.simplegrad(fn, wrt=["x"])
    value, dx = text(cls(3.0), 0.7)
    assert value == fn(cls(3.0), 0.7)
    known = ya.grad(fn, cls(3.0), 0.7)[1]["x"]
    assert dx == pytest.approx(known)


def test_what_is_taken_for_a_number_is_checked():
    text = ya.simplegrad(of_strings, wrt=["x"])
    assert text(1.0, 0.7)[0] == 0.7
    with pytest.raises(ValueError, match="made for o that is a number or an array"):
        text("s", 0.7)
    text = ya.simplegrad(of_fields, wrt=["x"])
    assert text(Shape(1.0), 0.7)[0] == 0.7
    with pytest.raises(ValueError, match=r"made for o\.a that is a number or"):
        text(Shape([1.0]), 0.7)


def of_items(o, x):
    match o:
        case [a, b]:
            return x * a * b
        case {"a": a}:
            return x * a
    return x * x


def test_a_pattern_of_items_of_what_is_not_known(monkeypatch):
    monkeypatch.setattr(
        match_statements, "ARRAYS_ARE_SEQUENCES", True
    )  # with NumPy 2.5
    with pytest.raises(ya.UnsupportedSyntax, match="needs a tuple or list of known"):
        ya.simplegrad(of_items, wrt=["x"])
    monkeypatch.setattr(match_statements, "ARRAYS_ARE_SEQUENCES", False)
    text = ya.simplegrad(of_items, wrt=["x"])
    assert text(1.0, 0.7) == (0.7 * 0.7, 1.4)
    for given in ([2.0, 3.0], (2.0, 3.0), {"a": 2.0}):
        with pytest.raises(ValueError, match="made for o that is a number or an array"):
            text(given, 0.7)


def is_the_class(o, x):
    return x if o.a is Shape else x * x


def test_a_field_that_may_be_a_class_is_asked():
    text = ya.simplegrad(is_the_class, wrt=["x"])
    assert text(Shape(Shape), 0.7) == (0.7, 1.0)
    assert text(Shape(1.0), 0.7) == (0.7 * 0.7, 1.4)


class Pair(NamedTuple):
    a: float
    b: float = 2.0


class Scaled(Pair):
    @property
    def a(self):
        return self[0] * 10


def of_a_pair(p, x):
    return p.a * x + p.b


def test_a_named_tuple_of_another_class_may_say_another_thing():
    text = ya.simplegrad(of_a_pair, Pair(1.0), 0.7)
    assert text(Pair(3.0), 0.7)[0] == of_a_pair(Pair(3.0), 0.7)
    assert "len(" not in text.source
    with pytest.raises(ValueError, match=r"^of_a_pair_grad: made for p: Pair; "):
        text(Scaled(3.0), 0.7)
    assert ya.grad(of_a_pair, Scaled(3.0), 0.7)[0] == of_a_pair(Scaled(3.0), 0.7)


class Attribute:
    def __init__(self, k):
        self.k = k


class Delegating:
    def __init__(self, inside):
        self.inside = inside

    def __getattr__(self, name):
        return getattr(self.inside, name)


class Keyed:
    def __init__(self, **items):
        self.items = items

    def __getattr__(self, name):
        try:
            return self.items[name]
        except KeyError:
            raise AttributeError(name) from None


class Unread:
    __getattr__ = operator.methodcaller("__len__")


class Attributed(dict):
    rate = 3.0

    def __getattr__(self, name):
        return self[name]


def asked(o, x):
    return o.k * x * x


def asked_for_a_constant(o, x):
    return o.rate * x


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda: Delegating(Attribute(2.0)), ("inside", "k")),
        (lambda: Keyed(k=2.0), ("items", "k")),
    ],
    ids=["an object", "a dict"],
)
def test_what_getattr_finds(make, path):
    _, g = ya.grad(asked, make(), 3.0)
    assert g["o"] == {path: 9.0}
    assert g["x"] == 12.0
    text = ya.simplegrad(asked, make(), 3.0, wrt="x")
    assert text(make(), 3.0) == (18.0, 12.0)
    held = make()
    held.k = 5.0
    with pytest.raises(ValueError, match="made for o: "):
        text(held, 3.0)
    assert ya.grad(asked, held, 3.0)[1]["x"] == 30.0


def test_what_getattr_does_not_find():
    with pytest.raises(ya.UnsupportedCall, match="its `__getattr__` is not written"):
        ya.grad(asked, Unread(), 3.0)


@pytest.mark.parametrize(("fn", "name"), [(asked, "k"), (asked_for_a_constant, "rate")])
def test_attributes_of_a_dict(fn, name):
    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.grad(fn, Attributed(k=2.0), 3.0)
    assert caught.value.reason == (
        f"the attribute `{name}` of a dict, of class Attributed, is not followed"
    )
    assert caught.value.remedy.startswith("Read it as an item, by its key")


class Answering:
    def __init__(self, k):
        pass

    def __getattr__(self, name):
        return 13.0


@pytest.mark.parametrize("make", [lambda: Keyed(k=2.0), lambda: Answering(2.0)])
def test_what_a_class_gets_later_hides_what_getattr_finds(make, monkeypatch):
    text = ya.simplegrad(asked, make(), 3.0, wrt="x")
    ya.grad(asked, make(), 3.0)
    for k in (17.0, 18.0):
        monkeypatch.setattr(type(make()), "k", k, raising=False)
        with pytest.raises(ValueError, match="k has changed since this gradient was"):
            text(make(), 3.0)
        assert ya.grad(asked, make(), 3.0)[1]["x"] == 6 * k


class Grid:
    def __init__(self, k, shape, dtype):
        self.k, self.shape, self.dtype = k, shape, dtype


def on_a_grid(o, x):
    return o.k * o.shape[0] * x * x


@pytest.mark.parametrize("dtype", [float, np.float64, np.dtype(float), "f8"])
def test_an_object_with_a_shape_and_a_dtype_is_no_array(dtype):
    _, g = ya.grad(on_a_grid, Grid(2.0, (3,), dtype), 3.0)
    assert g["o"] == {("k",): 27.0}
    assert g["x"] == 36.0
    text = ya.simplegrad(on_a_grid, Grid(2.0, (3,), dtype), 3.0, wrt="x")
    assert text(Grid(5.0, (4,), dtype), 3.0) == (180.0, 120.0)
