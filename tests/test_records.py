"""Records made quickly are those that dataclasses would make."""

import dataclasses
import inspect

import pytest

from yota_ast.facts import FLOAT, Dim, Fact, array_fact
from yota_ast.records import replace
from yota_ast.tape import Apply, Const, Origin, Var

QUICK = [Var, Const, Apply, Origin, Fact, Dim]


@pytest.mark.parametrize("cls", QUICK)
def test_the_fields_and_defaults_stay(cls: type) -> None:
    taken = inspect.signature(cls).parameters
    fields = [f for f in dataclasses.fields(cls) if f.init]
    assert [f.name for f in fields] == list(taken)
    for f in fields:
        missing = f.default is dataclasses.MISSING
        assert taken[f.name].default is (taken[f.name].empty if missing else f.default)


def test_they_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Var("x").name = "y"  # type: ignore[misc]


def test_replacing_gives_a_new_record_of_the_same_class() -> None:
    x = Var("x", FLOAT, "x")
    y = replace(x, name="y")
    assert (y.name, y.fact, y.hint, x.name) == ("y", FLOAT, "x", "x")
    with pytest.raises(KeyError):
        replace(x, nothing=1)  # type: ignore[call-arg]


def test_a_changed_fact_is_another_though_its_hash_was_asked_for() -> None:
    fact = array_fact("f8", (Dim("x.shape[0]"),))
    assert hash(fact) == hash(array_fact("f8", (Dim("x.shape[0]"),)))
    other = replace(fact, shape=())
    assert other != fact
    assert hash(other) == hash(array_fact("f8", ()))


def test_a_changed_constant_is_another_though_its_key_was_asked_for() -> None:
    one = Const(1)
    assert one.key() != replace(one, value=2).key()
    assert Const(1) == one != Const(1.0)
