"""Which fields the generated `__init__` sets, and what asdict and astuple convert."""

from dataclasses import InitVar, asdict, astuple, dataclass, field
from typing import NamedTuple

import pytest

from .checking import check


@dataclass
class Plain:
    a: float = 1.0


class AfterAdded(Plain):
    def __post_init__(self):
        self.a = self.a * 10


@dataclass(init=False)
class WithoutInit(Plain):
    a: float = 5.0


@dataclass
class After:
    a: float

    def __post_init__(self):
        self.a = self.a * 2


class AfterSaidOtherwise(After):
    def __post_init__(self):
        self.a = self.a * 10


@dataclass
class Scaled:
    a: float
    scale: InitVar[float] = 3.0
    by: float = 2.0

    def __post_init__(self, scale=7.0):  # noqa: RUF033
        self.a = self.a * scale


@dataclass
class NotGiven:
    a: float = field(default=1.0, init=False)
    b: float = 2.0


class NotGivenBelow(NotGiven):
    a = 5.0


@dataclass(slots=True)
class NotGivenSlot:
    a: float = field(default=1.0, init=False)


class SetByAProperty(Plain):
    @property
    def a(self):
        return self._a * 3

    @a.setter
    def a(self, value):
        self._a = value * 2


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: AfterAdded(x).a,
        lambda x: WithoutInit().a * WithoutInit(x).a,
        lambda x: After(x).a * AfterSaidOtherwise(x).a,
        lambda x: Scaled(x).a * Scaled(x, 5.0).a * Scaled(x, by=x, scale=x).by,
        lambda x: NotGiven(x).a * NotGiven(x).b * NotGivenBelow().a,
        lambda x: NotGivenSlot().a * x,
        lambda x: SetByAProperty(x).a,
    ],
)
def test_what_is_set(fn):
    def made(x):
        return fn(x)

    check(made, 0.7)


@dataclass
class Holder:
    items: object
    other: object = None


class Pair(NamedTuple):
    first: float
    second: Plain


OUTSIDE = Holder([Plain(2.0), [3.0]])


def in_a_list(x):
    found = asdict(Holder([Plain(x)]))["items"][0]
    return found["a"] if isinstance(found, dict) else 7 * x


def in_containers(x):
    held = Holder({"k": Plain(x), "l": [Plain(2 * x)]}, Pair(x, Plain(3 * x)))
    found, row = asdict(held), astuple(held)
    numbers = found["items"]["l"][0]["a"] * found["other"].second["a"]
    return numbers * row[0]["k"][0] * row[1].second[0]


def one_list_twice(x):
    row = [x]
    found = asdict(Holder([row, row], row))
    found["items"][0].append(5.0)
    found["other"].append(7.0)
    return sum(found["items"][1]) + 3 * sum(found["other"]) + 5 * sum(row)


def one_object_twice(x):
    one = Plain(x)
    found = asdict(Holder([one, one]))
    found["items"][0]["a"] = 7.0
    return found["items"][1]["a"]


def of_a_global(x):
    found = asdict(OUTSIDE)["items"]
    return found[0]["a"] * found[1][0] * x


@pytest.mark.parametrize(
    "fn", [in_a_list, in_containers, one_list_twice, one_object_twice, of_a_global]
)
def test_what_is_converted(fn):
    check(fn, 0.7)
