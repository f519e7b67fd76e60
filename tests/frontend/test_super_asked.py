"""What super() is asked for and may not have: classes that are to be mixed."""

import pytest

import yota_ast as ya


class Base:
    def __init__(self, x):
        self.x = x
        after = getattr(super(), "after", None)
        if after is not None:
            after()

    def area(self):
        return self.x**2


class Mixed:
    def after(self):
        self.x = 3 * self.x


class Both(Base, Mixed):
    pass


class Asking(Base):
    def area(self):
        if hasattr(super(), "volume"):
            return super().volume()
        if hasattr(super(), "area"):
            return 2 * super().area()
        return 0.0


class Trying(Base):
    def area(self):
        try:
            return super().volume()
        except AttributeError:
            return self.x**3


@pytest.mark.parametrize(
    ("cls", "value", "slope"),
    [
        (Base, 4.0, 4.0),
        (Both, 36.0, 36.0),
        (Asking, 8.0, 8.0),
        (Trying, 8.0, 12.0),
    ],
)
def test_asked(cls, value, slope):
    def made(x):
        return cls(x).area()

    assert made(2.0) == value
    assert ya.grad(made, 2.0)[0] == value
    assert ya.grad(made, 2.0)[1]["x"] == slope
    assert ya.simplegrad(made)(2.0) == (value, slope)
