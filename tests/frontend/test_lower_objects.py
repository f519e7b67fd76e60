"""Classes, dataclasses, NamedTuples, objects as arguments."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

from tests.frontend.lowering import check

r = np.random.default_rng(0)


class Dense:
    def __init__(s, W, b):
        s.W = W
        s.b = b

    def __call__(self, x):
        return x @ self.W + self.b


class Net:
    def __init__(s, a, b, c):
        s.first = a
        s.last = b
        s.scale = c

    def forward(self, x):
        h = np.tanh(self.first(x))
        return self.scale * self.last(h)


class Pt(NamedTuple):
    a: float
    b: float = 2.0

    def norm(self):
        return self.a * self.a + self.b


@dataclass
class DC:
    w: float
    c: list = field(default_factory=list)

    def __post_init__(self):
        self.z = self.w * 2

    @property
    def prop(self):
        return self.w + self.z

    def __add__(self, o):
        return DC(self.w + (o.w if isinstance(o, DC) else o))

    __radd__ = __add__

    def __neg__(self):
        return DC(-self.w)

    @staticmethod
    def st(x):
        return x * 5

    @classmethod
    def make(cls, x):
        return cls(x * 3)

    def __call__(self, x):
        return self.w * x


class Sub(DC):
    def __post_init__(self):
        super().__post_init__()
        self.z = self.z + 1

    @property
    def prop(self):
        return super().prop * 2


def loss(m, x, target):
    e = m.forward(x) - target
    return np.mean(e**2)


def classes(x):
    p = Pt(x)
    a, b = p
    o = DC(x) + 1.0
    o2 = 2.0 + DC.make(x)
    o.w += x
    s = Sub(x)
    n = -s
    return (
        p.norm()
        + a * b
        + o.prop
        + o2(x)
        + DC.st(x)
        + s.prop
        + n.w
        + p._replace(a=3.0).a
    )


def record(p, x):
    return p.norm() * p.b + p[0] * x + p._replace(a=x).a + p._asdict()["b"]


def matdc(d, x):
    return d(x) + d.prop + d.w


def annot(d: DC, x):
    return d(x) + d.w


net = Net(
    Dense(r.normal(size=(3, 5)), r.normal(size=5)),
    Dense(r.normal(size=(5, 2)), r.normal(size=2)),
    2.0,
)


class Root:
    def __init__(self):
        super().__init__()
        self.power = 3.0


class Kept(Root):
    def __init__(self, x):
        self.x = x
        super(Root, self).__init__()

    def __call__(self):
        return self.x**2


class Direct:
    def __init__(self, x):
        object.__init__(self)
        self.x = x


class Cooperative(Root):
    def __init__(self, x, **rest):
        super().__init__(**rest)
        self.x = x**self.power


def begun_by_object(x):
    return Root().power * x + Kept(x)() + Direct(x).x + Cooperative(x).x


CASES = [
    (begun_by_object, False, [(1.5,)]),
    (loss, True, [(net, r.normal(size=(4, 3)), r.normal(size=(4, 2)))]),
    (classes, False, [(1.5,)]),
    (record, True, [(Pt(2.0, 0.7), 1.5)]),
    (matdc, True, [(DC(2.0), 1.5)]),
    (annot, False, [(DC(2.0), 1.5)]),
]


@pytest.mark.parametrize(
    ("fn", "only_known", "cases"), CASES, ids=lambda p: getattr(p, "__name__", None)
)
def test_tape_does_what_the_function_does(fn, only_known, cases):
    check(fn, *cases, known=(True,) if only_known else (True, False))
