"""Arguments that no line of a text asks about: a text that was made here is right of
them, or says that it is for others."""

import types

import numpy as np
import pytest

import yota_ast as ya


class Tenfold(float):
    def __mul__(self, other):
        return float(self) * float(other) * 10

    __rmul__ = __mul__


class TenfoldInt(int):
    def __mul__(self, other):
        return int(self) * other * 10

    __rmul__ = __mul__


class Named(float):
    """A float in all but its name."""


class TenfoldArray(np.ndarray):
    def __mul__(self, other):
        return np.asarray(self) * other * 10

    __rmul__ = __mul__


class Shifted(list):
    def __getitem__(self, index):
        return 10 * super().__getitem__(index)


def times(x, k):
    return np.sum(x * k) + 1.0


def times_item(x, k):
    return x * k[0] + 1.0


def times_field(x, k):
    return x * k.a + 1.0


def as_item(k):
    return [k]


def as_field(k):
    return types.SimpleNamespace(a=k)


def plainly(k):
    return k


WAYS = [(times, plainly), (times_item, as_item), (times_field, as_field)]


@pytest.mark.parametrize("example", [2.0, 2, np.float64(2.0)])
@pytest.mark.parametrize(("fn", "held"), WAYS)
def test_numbers_with_operators_of_their_own(fn, held, example):
    text = ya.simplegrad(fn, 0.5, held(example), wrt="x")
    assert text(0.5, held(3.0)) == (2.5, 3.0)
    assert text(0.5, held(Named(3.0))) == (2.5, 3.0)
    for number in (Tenfold(3.0), TenfoldInt(3)):
        with pytest.raises(
            ValueError, match=r"`k.* Tenfold.*, which defines operators"
        ):
            text(0.5, held(number))
    own = ya.simplegrad(fn, 0.5, held(Tenfold(2.0)), wrt="x")
    assert own(0.5, held(Tenfold(3.0))) == (16.0, 30.0)


@pytest.mark.parametrize("example", [None, np.ones(2)])
def test_arrays_with_operators_of_their_own(example):
    given = () if example is None else (0.5, example)
    text = ya.simplegrad(times, *given, wrt="x")
    for other in (
        np.ones(2).view(TenfoldArray),
        np.ma.masked_array([1.0, 2.0], [1, 0]),
    ):
        with pytest.raises(ValueError, match="operators of its own"):
            text(0.5, other)


def test_lists_with_items_of_their_own():
    text = ya.simplegrad(times_item, 0.5, [2.0], wrt="x")
    with pytest.raises(ValueError, match="operators of its own"):
        text(0.5, Shifted([2.0]))


def test_a_number_without_a_sign():
    def negative(x, k):
        return -k * x

    text = ya.simplegrad(negative, 0.5, 2.0, wrt="x")
    assert text(0.5, np.float32(2.0)) == (-1.0, -2.0)
    with pytest.raises(ValueError, match="made for float `k`, but a uint8 has no sign"):
        text(0.5, np.uint8(2))


def product(x, v):
    return x * np.sum(np.outer(v, v))


def kept(x, v):
    t = np.zeros_like(v)
    t[0] = v[0] * v[0]
    return x * np.sum(t)


def repeated(x, v):
    w = v + 0.0
    w += x
    return w.sum()


def asked(x, v):
    return 2 * x if v is None else 3 * x


@pytest.mark.parametrize("fn", [product, kept])
def test_gradients_that_are_cut_off(fn):
    """What is stored in an array made like one of whole numbers is whole."""
    v = np.array([1.0, 2.0, 3.0])
    text = ya.simplegrad(fn, 0.7, v, wrt=["x", "v"])
    text(0.7, v)
    with pytest.raises(ValueError, match=r"floats; a number x$"):
        text(0.7, v.astype(int))
    one = ya.simplegrad(lambda x: 0.7 * x * np.ones(3).sum(), np.array(0.5))
    with pytest.raises(ValueError, match=r"made for x \(\), floats"):
        one(np.int64(2))


def test_gradients_of_another_shape():
    v = np.array([1.0, 2.0, 3.0])
    for fn, given in ((repeated, (v, v)), (asked, (0.7, v))):
        text = ya.simplegrad(fn, 0.7, v if fn is repeated else 2.0, wrt=["x", "v"])
        with pytest.raises(ValueError, match=r"made for .*a? ?numbers?"):
            text(*given)


def added_to(x, v):
    v += x
    return v.sum()


def test_arrays_without_axes():
    text = ya.simplegrad(added_to, np.array(0.5), np.ones(3))
    assert text(np.array(0.5), np.ones(3))[1] == 3.0
    with pytest.raises(ValueError, match="added_to_grad: made for x "):
        text(np.ones(3), np.ones(3))


def test_fewer_digits():
    text = ya.simplegrad(summed, np.float32(0.5), [1.0, 2.0])
    assert text(np.float32(0.5), [1.0, 2.0])[1] == 3.0
    with pytest.raises(ValueError, match="less precision in `x`"):
        text(0.7, [1.0, 2.1])


def summed(x, v):
    return x * sum(v)


def test_gradients_are_of_the_kind_of_the_argument():
    text = ya.simplegrad(summed, 0.5, [1.0, 2.0])
    assert (
        repr(text(np.float64(0.5), (1.0, 2.0))[1:]) == "(np.float64(3.0), (0.5, 0.5))"
    )
    dx, dv = text(np.float32(0.5), [1.0, 2.0])[1:]
    assert (type(dx), type(dv)) == (np.float32, list)
    with pytest.raises(
        ValueError, match=r"^summed_grad: made for v of 2 items; numbers x, \*v$"
    ):
        text(0.5, np.array([1.0, 2.0]))
    dx = ya.simplegrad(lambda x: np.sin(x) * x, np.array(0.5))(np.array(0.5))[1]
    assert (type(dx), dx.shape, dx.dtype) == (np.ndarray, (), float)


def by_type(x, k):
    return x * k if isinstance(k, int) else x / 2


def test_bools_of_numpy_share_the_name():
    text = ya.simplegrad(by_type, 0.5, 2, wrt="x")
    assert text(0.5, True) == (0.5, 1.0)
    with pytest.raises(ValueError, match=r"give bool\(k\)"):
        text(0.5, np.bool_(1))


def test_complex_seeds_and_numbers_among_the_rest():
    def total(*xs, **more):
        return sum(xs) * more["k"]

    text = ya.simplegrad(total, 1.0, 2.0, k=3.0)
    assert text(1.0, 2.0, k=3.0)[0] == 9.0
    for args, k in (((1.0, 2j), 3.0), ((1.0, 2.0), 3j)):
        with pytest.raises(ValueError, match="is complex"):
            text(*args, k=k)


class One:
    class Body:
        rate = 2.0

        def __init__(self, mass):
            self.mass = mass

        def drift(self, x):
            return self.mass * x * 2.0

        def __mul__(self, x):
            return self.mass * x * 2.0


class Other:
    class Body:
        rate = 5.0

        def __init__(self, mass):
            self.mass = mass

        def drift(self, x):
            return self.mass * x * 5.0

        def __mul__(self, x):
            return self.mass * x * 5.0


def by_method(body, x):
    return body.drift(x)


def by_constant(body, x):
    return body.rate * x


def by_operator(body, x):
    return body * x


def by_class(body, x):
    return x * (2 if isinstance(body, One.Body) else 3)


def by_part(body, x):
    return by_method(body.inner, x)


def by_item(body, x):
    return sum(each.drift(x) for each in body)


HOLDERS = {by_part: lambda b: types.SimpleNamespace(inner=b), by_item: lambda b: [b]}


@pytest.mark.parametrize(
    "fn", [by_method, by_constant, by_operator, by_class, by_part, by_item]
)
def test_another_class_of_the_same_name(fn):
    held = HOLDERS.get(fn, plainly)
    mine, other = (held(cls(1.5)) for cls in (One.Body, Other.Body))
    text = ya.simplegrad(fn, mine, 0.7, wrt="x")
    tape = ya.trace(fn, mine, 0.7)[1]
    assert text(mine, 0.7)[0] == ya.play(tape, mine, 0.7) == fn(mine, 0.7)
    with pytest.raises(ValueError, match=r"Body.*, but another one is given"):
        text(other, 0.7)
    with pytest.raises(ValueError, match="Body"):
        ya.play(tape, other, 0.7)
    for each in (mine, other):
        assert ya.grad(fn, each, 0.7, wrt="x")[0] == fn(each, 0.7)
