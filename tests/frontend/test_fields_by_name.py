"""`__dict__` and `vars` of an object that is made here: fields by their names."""

import abc
import functools

import pytest

import yota_ast as ya


class Options:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)


class Result:
    def __init__(self, x):
        for name in ["price", "delta"]:
            self.__dict__[name] = None
        self.price = x * x
        if x > 1:
            vars(self)["delta"] = 2 * x


class Spring:
    stiffness = 3.0

    def __init__(self, x):
        self.x = x

    def with_fields_of(self, other, **more):
        self.__dict__.update(other.__dict__, **more)
        return self


class Guarded:
    @property
    def gain(self):
        return 2.0


def from_keywords(x):
    options = Options(u=x, v=2 * x)
    options.u = options.u + 1
    return options.u * options.v


def set_in_a_loop(x):
    result = Result(x)
    return result.price * result.delta


def read_by_a_name(x):
    spring = Spring(x)
    before = spring.__dict__["x"]
    spring.__dict__["x"] = before * x
    return spring.x * before


def over_what_the_class_has(x):
    spring = Spring(x)
    spring.__dict__["stiffness"] = x**3
    return spring.stiffness * Spring.stiffness


def of_another_object(x):
    one, other = Spring(x), Spring(3 * x)
    one.with_fields_of(other, y=x)
    other.x = 0.0
    return one.x * one.y


def what_is_not_there(x):
    spring = Spring(x)
    try:
        y = spring.__dict__["stiffness"]
    except KeyError:
        y = 5.0
    return y * x


class Leg:
    def __init__(self, x):
        self.spot = x


class Spread:
    def __init__(self, x):
        self.name, self._fee = "spread", 0.5 * x
        self.low, self.high = Leg(x), Leg(3 * x)

    def first(self):
        for leg in self.__dict__.values():
            if hasattr(leg, "spot"):
                return leg.spot
        raise AttributeError("none")


def run_through(x):
    spring, total = Spring(x * x), 0.0
    spring.y = 3 * x
    for name, value in vars(spring).items():
        total += len(name) * value
    for name in spring.__dict__:
        total += getattr(spring, name) ** 2
    return total + len(vars(spring)) + sum(spring.__dict__.values())


def left_before_the_end(x):
    return Spread(x).first() * x


def copied(x):
    spring = Spring(x)
    kept = dict(vars(spring))
    other = spring.__dict__.copy()
    spring.x = 5 * x
    kept["y"] = 2.0
    return kept["x"] * spring.x + kept["y"] * other["x"] + vars(spring).get("z", x)


def comprehended(x):
    spring = Spring(x)
    spring.y = x**3
    listed = [value + 1 for value in vars(spring).values()]
    doubled = {k: 2 * v for k, v in spring.__dict__.items() if k != "x"}
    return sum(listed) * doubled["y"] + sum(v for v in vars(spring).values())


def changed_over_a_list(x):
    spring = Spring(x)
    for name, value in list(vars(spring).items()):
        setattr(spring, name, value * value)
    return spring.x


def past_a_property(x):
    guarded = Guarded()
    guarded.__dict__["gain"] = x
    return guarded.gain * x


def set_once_by_name(x):
    spring = Spring(x)
    kept = spring.__dict__.setdefault("kept", {})
    if "twice" not in spring.__dict__:
        spring.__dict__["twice"] = kept["a"] = 2 * x
    return spring.twice * spring.__dict__.setdefault("kept", 3.0)["a"]


PROGRAMS = [
    from_keywords, set_in_a_loop, read_by_a_name, over_what_the_class_has,
    of_another_object, what_is_not_there, run_through, left_before_the_end, copied,
    comprehended, changed_over_a_list, past_a_property, set_once_by_name,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_fields_by_their_names(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, g = ya.grad(f, 2.0)
    assert value == f(2.0)
    assert g[0] == pytest.approx((f(2.001) - f(1.999)) / 0.002, rel=1e-5)


def kept_under_a_name(x):
    spring = Spring(x)
    fields = spring.__dict__
    spring.x = x * x
    return fields["x"]


def looked_at_later(x):
    spring = Spring(x)
    values = vars(spring).values()
    spring.x = x * x
    return sum(values)


def changed_while_run_over(x):
    spring = Spring(x)
    spring.y = x
    for value in vars(spring).values():
        spring.y = 3 * value
    return spring.y


def changed_in_a_comprehension(x):
    spring = Spring(x)
    spring.y = x
    return [setattr(spring, "y", 3 * v) or spring.y for v in vars(spring).values()][1]


class Cached:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def square(self):
        return self.x * self.x


def where_more_is_kept(x):
    cached = Cached(x)
    return cached.square + sum(vars(cached).values())


REFUSED = [
    kept_under_a_name, looked_at_later, changed_while_run_over,
    changed_in_a_comprehension, where_more_is_kept,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_what_is_no_field_or_is_kept_is_refused(f):
    with pytest.raises(ya.UnsupportedCall, match="`__dict__` of an object is not"):
        ya.grad(f, 2.0)


class Structure(abc.ABC):
    @abc.abstractmethod
    def gain(self): ...

    def total(self):
        return sum(self.__dict__.values()) * self.__dict__["x"] * self.gain()


class Frame(Structure):
    def __init__(self, x):
        self.x, self.y = x, 3 * x

    def gain(self):
        return 2.0


def test_the_text_for_a_class_of_an_abstract_one():
    """What `__dict__` of the class itself gives is another object each time."""

    def f(x):
        return Frame(x).total()

    assert ya.simplegrad(f, 2.0)(2.0) == (f(2.0), 32.0)
