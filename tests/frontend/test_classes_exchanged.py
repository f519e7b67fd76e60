"""What is noticed after a gradient was made: another class, other special methods."""

import abc

import pytest

import yota_ast as ya


def classes():
    class Base:
        k = 2.0

        def __init__(self, a=1.5):
            self.a = a

        def area(self, x):
            return self.a * x

        def __len__(self):
            return 2

        def __add__(self, other):
            return other * 2

        def __getitem__(self, k):
            return 2.0

        def __iter__(self):
            return iter([1.0, 2.0])

        def __contains__(self, value):
            return True

    class Other(Base):
        def area(self, x):
            return self.a * x * 100

    class Abstract(abc.ABC):  # noqa: B024
        pass

    return Base, Other, Abstract


def changes():
    cls, other, abstract = classes()
    one = cls()

    def set_to(name, value):
        return lambda: setattr(cls, name, value)

    return [
        (lambda x: one.area(x), lambda: setattr(one, "__class__", other)),
        (lambda x: len(one) * x, set_to("__len__", lambda self: 9)),
        (lambda x: one + x, set_to("__add__", lambda self, y: y * 3)),
        (lambda x: one[0] * x, set_to("__getitem__", lambda self, k: 5.0)),
        (lambda x: sum(one) * x, set_to("__iter__", lambda self: iter([5.0]))),
        (
            lambda x: x if 1.0 in cls() else x * x,
            set_to("__contains__", lambda self, y: False),
        ),
        (
            lambda x: cls().a * x,
            set_to("__init__", lambda self: setattr(self, "a", 9.0)),
        ),
        (
            lambda x: x * x if isinstance(one, abstract) else x,
            lambda: abstract.register(cls),
        ),
    ]


@pytest.mark.parametrize("number", range(8))
def test_noticed(number):
    fn, change = changes()[number]

    def of(x):
        return fn(x)

    before, text = ya.grad(of, 0.5)[0], ya.simplegrad(of, 0.5)
    assert text(0.5)[0] == before == of(0.5)
    change()
    assert of(0.5) != before
    assert ya.grad(of, 0.5)[0] == of(0.5)
    with pytest.raises(ValueError, match="has changed since this"):
        text(0.5)


def test_another_class_registered_elsewhere():
    cls, _, abstract = classes()
    one = cls()

    def of(x):
        return x * x if isinstance(one, abstract) else x

    text = ya.simplegrad(of, 0.5)
    classes()[2].register(cls)
    assert text(0.5) == (0.5, 1.0)
    assert text(0.7) == (0.7, 1.0)
