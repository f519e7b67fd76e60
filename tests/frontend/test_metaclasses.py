"""Classes of a class of the user's make their objects as others do, unless that says
how they are called."""

from abc import ABCMeta, abstractmethod

import pytest

import yota_ast as ya


class Named(type):
    def __new__(mcs, name, bases, fields):
        fields.setdefault("label", name.lower())
        return super().__new__(mcs, name, bases, fields)


class Whole(ABCMeta):
    def __init__(cls, *args):
        super().__init__(*args)
        cls.made = []


class Both(Named, Whole):
    pass


class Law(metaclass=ABCMeta):
    def __init__(self, scale=2.0):
        self.scale = scale

    @abstractmethod
    def of(self, x): ...


class Square(Law, metaclass=Both):
    def __init__(self, scale):
        super().__init__(scale)
        self.power = 2 if self.label == "square" else 3

    def of(self, x):
        return self.scale * x**self.power


class Single(type):
    def __call__(cls, *args):
        return super().__call__(*args, 3.0)


class Only(metaclass=Single):
    def __init__(self, scale, more):
        self.scale = scale * more


def test_objects_are_made_as_usual():
    value, grad = ya.grad(lambda x, s: Square(s).of(x), 3.0, 0.5)
    assert (value, grad[0], grad[1]) == (4.5, 3.0, 9.0)


def test_a_class_that_says_how_its_classes_are_called_is_refused():
    with pytest.raises(ya.YotaError, match=r"test_metaclasses\.py"):
        ya.grad(lambda s: Only(s).scale * 2, 0.5)
