"""The components that an interpreter is made of."""

import ast
import importlib
import inspect
import pkgutil
import textwrap

import pytest

from yota_ast import frontend
from yota_ast.frontend.calls.helper_inlining import HelperInlining
from yota_ast.frontend.components import (
    Component,
    Extensible,
    compose,
    extends,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.interpret.composition import ORDER
from yota_ast.frontend.state.settings import Settings

SETTINGS = Settings(callable, print)


def every_component():
    """The classes of the package that are components."""
    for found in pkgutil.walk_packages(frontend.__path__, "yota_ast.frontend."):
        for cls in vars(importlib.import_module(found.name)).values():
            if isinstance(cls, type) and issubclass(cls, Component):
                if cls.__module__ == found.name and cls is not Component:
                    yield cls


def test_each_component_has_its_place():
    assert {*every_component()} == {*ORDER, HelperInlining}
    assert len({*ORDER}) == len(ORDER)


def is_declared_only(method):
    """Whether a method says only what another component will do."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(method))).body
    return ast.unparse(tree.body[-1]) == "raise NotImplementedError"


def test_what_is_declared_is_provided():
    points = {p for cls in ORDER for p in vars(cls).values() if type(p) is Extensible}
    made = {e.point for cls in ORDER for e in cls.extensions if not e.rest}
    declared = {p for p in points if is_declared_only(inspect.unwrap(p.first))}
    assert {p.name for p in declared - made} == set()


def test_no_definition_hides_another():
    """What is provided stands below all that extends it, and is provided once."""
    met = set()
    for cls in ORDER:
        for extension in cls.extensions:
            hides = extension.point in met and not extension.rest
            assert not hides, (cls.__name__, extension.point.name)
            met.add(extension.point)


def test_what_is_extended_is_used_nowhere_else():
    """A point with definitions above it is reached by the component that has it."""
    parts = compose(ORDER, SETTINGS)
    for cls in ORDER:
        for extension in cls.extensions:
            point = extension.point
            outermost = getattr(parts[point.owner], point.name)
            assert getattr(parts[cls], point.name, outermost) is outermost


class Low(Component):
    def __init__(self, parts):
        super().__init__(parts)
        self.seen = []

    @extensible
    def note(self, thing, *, twice=False):
        self.seen.append(thing)

    @extensible
    def shown(self):
        raise NotImplementedError


class Middle(Component):
    low = uses(Low)

    @extends(Low.note)
    def note(self, rest, thing, *, twice=False):
        rest(thing)
        if twice:
            rest(thing)

    @provides(Low.shown)
    def shown(self):
        return ", ".join(self.low.seen)


class High(Component):
    low = uses(Low)

    @extends(Low.note)
    def note(self, rest, thing, *, twice=False):
        rest(thing.upper(), twice=twice)


def test_the_later_goes_first():
    low = compose((Low, Middle, High), SETTINGS)[Low]
    low.note("a", twice=True)
    assert low.shown() == "A, A"
    low = compose((Low, High, Middle), SETTINGS)[Low]
    low.note("a", twice=True)
    assert low.shown() == "A, A"


def test_each_interpreter_has_parts_of_its_own():
    one, other = (compose((Low, Middle), SETTINGS) for _ in range(2))
    one[Low].note("a")
    assert (one[Middle].shown(), other[Middle].shown()) == ("a", "")
    assert Low.of(one[Middle]) is one[Low]


def test_a_component_stands_behind_those_it_uses():
    with pytest.raises(KeyError):
        compose((Middle, Low), SETTINGS)
