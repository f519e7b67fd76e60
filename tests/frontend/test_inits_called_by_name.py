"""The `__init__` that `dataclass` wrote, called by a class that has its own, sets the
fields of the base. `o.__getattribute__(name)` is `getattr(o, name)`."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.6, 1.3])


@dataclass
class Ellipse:
    major: float
    minor: float = 2.0

    def area(self):
        return self.major * self.minor


class Circle(Ellipse):
    def __init__(self, radius):
        super().__init__(radius, minor=radius)
        self.radius = radius


class Flat(Ellipse):
    def __init__(self, major):
        super().__init__(major)
        self.minor = self.minor / major


@dataclass
class Polygon:
    sides: list = field(default_factory=list)
    scale: float = field(init=False, default=3.0)

    def __post_init__(self):
        self.sides.append(self.scale)


@dataclass
class Rectangle(Polygon):
    short: float = 1.0

    def __init__(self, short, long):
        super().__init__()
        self.short = short
        self.sides.append(short * long)


@dataclass(frozen=True)
class Point:
    x: float


class Named(Point):
    def __init__(self, x):
        super().__init__(x * x)


class Checked:
    def __init__(self, rate, gain):
        self.rate, self.gain = rate, gain
        for name in ["rate", "gain"]:
            if self.__getattribute__(name) is None:
                raise ValueError(name)

    def output(self):
        return object.__getattribute__(self, "rate") * self.gain


def of_a_base(x):
    return Circle(x[0]).area() * Flat(x[1]).area() + Flat(x[0]).minor


def of_a_list(x):
    r = Rectangle(x[0], x[1])
    return r.sides[0] * r.sides[1] * r.short


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total += Circle(x[0] * k).area() * x[1]
    return total


def in_an_arm(x):
    shape = Circle(x[0]) if x[0] > 0.1 else Flat(x[1])
    return shape.area() * x[1]


def area_of(radius):
    return Circle(radius).area()


def in_a_helper(x):
    return area_of(x[0]) * area_of(x[1])


def again(x):
    e = Ellipse(x[0], x[1])
    before = e.area()
    e.__init__(x[1] * x[1])
    return before * e.area()


def of_a_frozen_base(x):
    return Named(x[0]).x * x[1]


def by_the_name_of_a_field(x):
    return Checked(x[0], x[1]).output() * x[1]


FUNCTIONS = [
    of_a_base, of_a_list, in_a_loop, in_an_arm, in_a_helper, again, of_a_frozen_base,
    by_the_name_of_a_field,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
def test_right(f):
    assert ya.gradcheck(f, X)
    along, step = np.array([1.0, -0.5]), 1e-6
    _, found = ya.jvp(f)(X, along)
    ends = [f(X + h * along) for h in (step, -step)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


def test_what_is_missing_is_named():
    class Missing(Ellipse):
        def __init__(self):
            super().__init__()

    with pytest.raises(ya.UnsupportedCall, match="gets no value for `major`"):
        ya.grad(lambda x: Missing().area() * x, 2.0)
