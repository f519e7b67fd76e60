"""Class methods through super(): the class stays the one they were called on."""

import pytest

from .checking import check


class Base:
    scale = 2.0

    def __init__(self, x):
        self.x = x

    @classmethod
    def scaled(cls, x):
        return cls.scale * x

    @classmethod
    def made(cls, fields):
        return cls(**fields)

    @staticmethod
    def tripled(x):
        return 3 * x

    def area(self):
        return self.scale * self.x**2

    @property
    def side(self):
        return self.x


class Derived(Base):
    scale = 5.0

    @classmethod
    def scaled(cls, x):
        return super().scaled(x)

    @classmethod
    def made(cls, fields):
        return super(Derived, cls).made(fields)  # noqa: UP008

    def of_an_object(self, x):
        return super().scaled(x)

    @classmethod
    def of_the_class(cls, x):
        own = super().area(cls(x)) + super().tripled(x) + super().scale * x
        return own * (1 if isinstance(super().side, property) else 7)


class Further(Derived):
    scale = 7.0

    @classmethod
    def scaled(cls, x):
        return 2 * super().scaled(x)


OBJECT = Further(3.0)


@pytest.mark.parametrize(
    "fn",
    [
        Derived.scaled,
        Further.scaled,
        lambda x: Derived.made({"x": x}).area(),
        lambda x: Further.made({"x": x}).area(),
        lambda x: Derived(x).of_an_object(x),
        lambda x: Further(x).of_an_object(x) * OBJECT.of_an_object(x),
        lambda x: OBJECT.scaled(x) * OBJECT.made({"x": x}).area(),
        Further.of_the_class,
    ],
)
def test_the_class_stays(fn):
    def of(x):
        return fn(x)

    check(of, 0.7)


def test_of_an_argument():
    def of(shape, x):
        return shape.of_an_object(x)

    check(of, OBJECT, 0.7)
