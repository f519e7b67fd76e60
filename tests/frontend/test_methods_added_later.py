"""Special methods and properties that a class is given after a text was made: another
text is right."""

import pytest

import yota_ast as ya


def made_class():
    class Base:
        def __rmul__(self, x):
            return x * self.a

        def __add__(self, x):
            return self.a + x

        def __len__(self):
            return 2

    class Body(Base):
        count = 0

        def __init__(self, a):
            self.a = a

    return Body


def sets(o, x):
    o.a = x * 2
    return o.a * x


def sets_anew(o, x):
    o.z = x * 2
    return o.z * x


def asks(o, x):
    return x if o else 2 * x


def multiplies(o, x):
    return x * o


def adds_in_place(o, x):
    total = o
    total += x
    return total * x


def calls(o, x):
    return x if callable(o) else 2 * x


def length(o, x):
    return len(o) * x


def makes(o, x):
    return type(o)(x).a * x


def doubled(o, name, value):
    object.__setattr__(o, name, 2 * value)


ADDED = [
    (sets, "a", property(lambda o: 9.0, lambda o, v: None)),
    (sets, "__setattr__", doubled),
    (sets_anew, "__setattr__", doubled),
    (sets_anew, "z", property(lambda o: 5.0, lambda o, v: None)),
    (asks, "__bool__", lambda o: False),
    (asks, "__len__", lambda o: 0),
    (multiplies, "__rmul__", lambda o, x: 77.0),
    (adds_in_place, "__iadd__", lambda o, x: 55.0),
    (adds_in_place, "__add__", lambda o, x: 66.0),
    (calls, "__call__", lambda o: 1.0),
    (length, "__len__", lambda o: 5),
    (makes, "a", property(lambda o: 9.0, lambda o, v: None)),
    (makes, "__setattr__", doubled),
]


@pytest.mark.parametrize(("fn", "name", "method"), ADDED)
def test_what_is_added_later(fn, name, method):
    cls = made_class()
    text = ya.simplegrad(fn, cls(1.5), 0.7, wrt="x")
    assert text(cls(1.5), 0.7)[0] == fn(cls(1.5), 0.7)
    assert ya.grad(fn, cls(1.5), 0.7, wrt="x")[0] == fn(cls(1.5), 0.7)
    cls.count += 1
    cls.note = "nothing that is computed with"
    assert text(cls(1.5), 0.7)[0] == fn(cls(1.5), 0.7)
    setattr(cls, name, method)
    with pytest.raises(ValueError, match="make it again"):
        text(cls(1.5), 0.7)
    try:
        value = ya.grad(fn, cls(1.5), 0.7, wrt="x")[0]
    except ya.YotaError:
        return
    assert value == fn(cls(1.5), 0.7)
