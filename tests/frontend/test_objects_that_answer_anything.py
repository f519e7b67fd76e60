"""Objects of which the class answers to every attribute in a way of its own."""

import pytest

import yota_ast as ya


class Three:
    def __init__(self, a):
        object.__setattr__(self, "a", a)

    def __getattribute__(self, name):
        return 3.0


class Itself:
    def __init__(self, a):
        pass

    def __getattribute__(self, name):
        return self


class Raising:
    def __init__(self, a):
        pass

    def __getattribute__(self, name):
        raise AttributeError(name)


class InASlot:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    def __getattribute__(self, name):
        return 5.0


class OfAnotherClass:
    def __init__(self, a):
        self.a = a

    @property
    def __class__(self):
        return float


class AllButSpecial:
    k = 2.0

    def __init__(self, a):
        self.a = a

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return found if name[:2] == "__" else 7.0


CLASSES = [Three, Itself, Raising, InASlot, OfAnotherClass, AllButSpecial]


def reads(x, o):
    return x * o.a


def reads_of_the_class(x, o):
    return x * o.k


def passes(x, o):
    return x * 2.0


def has(x, o):
    return x if hasattr(o, "b") else 2 * x


def is_float(x, o):
    return x if isinstance(o, float) else 2 * x


def calls(x, o):
    return x * o.go()


def writes(x, o):
    o.k = x
    return x * o.k


def of_a_list(x, o):
    return x * [o, 2.0][1]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    "fn",
    [reads, reads_of_the_class, passes, has, is_float, calls, writes, of_a_list],
)
def test_right_or_refused(fn, cls):
    try:
        wanted = fn(0.7, cls(1.5))
    except (TypeError, AttributeError):
        wanted = None
    for ask in (
        lambda: ya.grad(fn, 0.7, cls(1.5), wrt="x")[0],
        lambda: ya.simplegrad(fn, 0.7, cls(1.5), wrt="x")(0.7, cls(1.5))[0],
        lambda: ya.simplegrad(fn, wrt="x")(0.7, cls(1.5))[0],
        lambda: ya.jvp(fn)(0.7, cls(1.5), 1.0, None)[0],
        lambda: ya.trace(fn, 0.7, cls(1.5))[0],
    ):
        try:
            found = ask()
        except (
            ya.errors.UnsupportedCall,
            ya.errors.UnsupportedSyntax,
            ya.errors.NoRule,
        ):
            pass
        except (TypeError, AttributeError, ValueError):
            assert wanted is None or cls is AllButSpecial
        else:
            if wanted is not None and isinstance(wanted, float):
                assert found == wanted


def test_nothing_is_taken_from_such_a_class():
    assert ya.grad(reads, 0.7, Three(1.5), wrt="x")[1]["x"] == 3.0
    assert ya.grad(has, 0.7, Three(1.5), wrt="x")[1]["x"] == 1.0
    assert ya.grad(is_float, 0.7, OfAnotherClass(1.5), wrt="x")[1]["x"] == 1.0
