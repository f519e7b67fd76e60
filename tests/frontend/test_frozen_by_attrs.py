"""Frozen classes of attrs, made within the differentiated function."""

import math

import numpy as np
import pytest

import yota_ast as ya

attrs = pytest.importorskip("attrs")
attr = pytest.importorskip("attr")


@attr.s(frozen=True)
class Ellipse:
    a = attr.ib()
    b = attr.ib(default=2.0)

    @b.validator
    def _positive(self, attribute, value):
        if value <= 0:
            raise ValueError(f"{attribute.name} is not positive")

    def area(self):
        return math.pi * self.a * self.b

    def changed(self):
        self.a = 1.0


@attrs.frozen
class Disk:
    radius: float = attrs.field(converter=float)
    twice: float = attrs.field(
        default=attrs.Factory(lambda self: 2 * self.radius, takes_self=True)
    )
    notes: list = attrs.field(factory=list)
    name: str = attrs.field(default="disk", kw_only=True)

    def area(self):
        return math.pi * self.radius * self.twice if self.name == "disk" else 0.0


@attrs.frozen
class Whole:
    a: int = attrs.field(converter=int)

    def area(self):
        return 2.0 * self.a


@attrs.frozen
class Weighted:
    x: float
    weights: object = np.array([1.0, 2.0])

    def area(self):
        return np.sum(self.x * self.weights)


@pytest.mark.parametrize(
    ("make", "slope"),
    [
        (lambda x: Ellipse(x).area(), 2 * math.pi),
        (lambda x: Ellipse(1.5, b=x).area(), 1.5 * math.pi),
        (lambda x: Disk(x).area(), 12 * math.pi),
        (lambda x: Disk(2.0, x).area(), 2 * math.pi),
        (lambda x: Disk(x, name="none").area() + x, 1.0),
    ],
)
def test_made(make, slope):
    value, g = ya.grad(make, 3.0)
    assert value == make(3.0)
    assert math.isclose(g["x"], slope)
    assert math.isclose(ya.simplegrad(make)(3.0)[1], slope)


def test_a_converter_is_called():
    def made(x):
        return Whole(x).area() + x

    value, g = ya.grad(made, 3.7)
    assert (value, g["x"]) == (made(3.7), 1.0)


def test_a_validator_raises():
    def made(x):
        return Ellipse(1.0, x).area()

    with pytest.raises(ValueError, match="b is not positive"):
        ya.simplegrad(made)(-1.0)


def test_what_is_written_later_is_refused():
    def made(x):
        one = Ellipse(x)
        try:
            one.changed()
        except AttributeError:
            return 2 * x
        return one.area()

    assert made(1.0) == 2.0
    with pytest.raises(ya.UnsupportedSyntax, match="of a frozen object"):
        ya.grad(made, 1.0)


def test_a_default_that_is_an_array():
    def made(x):
        return Weighted(x).area()

    assert ya.grad(made, 2.0)[1]["x"] == 3.0
