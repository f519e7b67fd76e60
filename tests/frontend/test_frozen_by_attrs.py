"""Classes of attrs whose fields are frozen, or converted and validated when they are
set, made within the differentiated function."""

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


@attrs.define
class Spring:
    stiffness: float = attrs.field(converter=float)
    power: int = attrs.field(default=2, validator=attrs.validators.in_([2, 3]))
    seen: list = attrs.field(factory=list)
    doubled: float = attrs.field(init=False)

    def __attrs_post_init__(self):
        self.doubled = 2 * self.stiffness

    def energy(self, x):
        self.seen.append(x)
        return self.stiffness * x**self.power + self.doubled * sum(self.seen)


@attrs.define
class Stiffer(Spring):
    more: float = attrs.field(default=1.5, kw_only=True)


def energies(x):
    spring, total = Spring(x, power=3), 0.0
    for k in range(3):
        spring.stiffness = spring.stiffness * x
        total = total + spring.energy(k + x)
    if x > 1:
        spring.power = 2
    stiffer = Stiffer(2, more=x)
    return total + spring.energy(x) * stiffer.more * stiffer.doubled


def test_fields_that_are_converted_when_they_are_set():
    value, g = ya.grad(energies, 1.7)
    slope = (energies(1.7 + 1e-6) - energies(1.7 - 1e-6)) / 2e-6
    assert value == energies(1.7)
    assert math.isclose(g["x"], slope, rel_tol=1e-7)
    assert math.isclose(ya.jvp(energies)(1.7, 1.0)[1], slope, rel_tol=1e-7)


def test_a_validator_raises_where_a_field_is_set():
    def made(x):
        spring = Spring(x)
        if x > 0:
            spring.power = 4
        return spring.energy(x)

    gradient = ya.simplegrad(made, -1.0)
    assert gradient(-1.0)[0] == made(-1.0)
    with pytest.raises(ValueError, match="power"):
        gradient(1.0)
