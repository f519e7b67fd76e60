"""Records made quickly are those that dataclasses would make."""

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from yota_ast._speed.fast_dataclasses import dataclass, field, maker, replace
from yota_ast.ir.abstract_values import FLOAT, Fact, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply, Origin, new_var, with_hint

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
    with pytest.raises(TypeError):
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


def _classes(decorate: Callable[..., Any], **options: bool) -> tuple[type, ...]:
    """A class, one that inherits from it, one that finishes what it is given."""

    @decorate(**options)
    class Point:
        """A point."""

        x: float
        y: float = 0.0
        tags: list[str] = field(default_factory=list)
        note: str = field(default="", repr=False, compare=False)

    @decorate(**options)
    class Named(Point):
        name: str = "a"

    @decorate(**options)
    class Sum:
        terms: tuple[float, ...]
        total: float = field(init=False)
        count: int = field(default=0, init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", sum(self.terms))

    @decorate(**options)
    class Alone:
        value: object

        def __hash__(self) -> int:
            return 7

    return Point, Named, Sum, Alone


OPTIONS = [
    {"frozen": frozen, "slots": slots, "eq": eq}
    for frozen in (False, True)
    for slots in (False, True)
    for eq in (False, True)
]


def _seen(act: Callable[[], object]) -> object:
    try:
        return act()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_each_does_what_one_of_dataclasses_does(options: dict[str, bool]) -> None:
    ours = _classes(dataclass, **options)
    theirs = _classes(dataclasses.dataclass, **options)
    told = []
    for point, named, total, alone in (ours, theirs):
        nan = float("nan")
        p, q = point(1.0), point(1.0, note="other")
        n = named(1.0, 2.0, ["b"], name="c")
        t = total((1.0,)), total((1.0,))  # both there, so that none has the other's id
        told.append([
            repr(p), repr(n), repr(total((1.0, 2.0))), repr(alone(alone(3))),
            p == q, p != q, p == named(1.0), n == copy.deepcopy(n), p == 1,
            p.tags is q.tags, q.note, n.tags, n.name,
            hash(alone([])),
            # Python 3.13 compares fields, which are not the same for being one object
            sys.version_info >= (3, 13) or alone(nan) == alone(nan),
            sys.version_info >= (3, 13) or (x := alone(nan)) == x,
            _seen(lambda p=p: hash(p) == hash(q)),
            _seen(lambda t=t: hash(t[0]) == hash(t[1])),
            _seen(lambda point=point: point()),
            _seen(lambda p=p: setattr(p, "x", 2.0)), p.x,
            _seen(lambda p=p: delattr(p, "x")), hasattr(p, "x"),
            total((1.0, 2.0)).total, total(()).count, hasattr(p, "__dict__"),
            point.__match_args__, named.__match_args__, point.__doc__,
            point.__init__.__qualname__, point.__init__.__annotations__,
            [f.name for f in dataclasses.fields(named)],
        ])  # fmt: skip
    one, other = ([str(t).replace("test_records.", "") for t in each] for each in told)
    assert one == other


def test_one_that_holds_itself_can_be_shown() -> None:
    held: list[object] = []

    @dataclass(slots=True)
    class Holder:
        of: list[object]

    holder = Holder(held)
    held.append(holder)
    assert repr(holder).endswith("Holder(of=[...])")


def test_they_are_copied_and_pickled() -> None:
    x = Var("x", FLOAT, "x")
    assert copy.copy(x) == copy.deepcopy(x) == pickle.loads(pickle.dumps(x)) == x


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_replacing_does_what_that_of_dataclasses_does(options: dict[str, bool]) -> None:
    told = []
    for decorate, change in (
        (dataclass, replace),
        (dataclasses.dataclass, dataclasses.replace),
    ):
        point, named, total, _ = _classes(decorate, **options)
        p, n = point(1.0, 2.0, ["a"], note="b"), named(1.0, name="c")
        told.append([
            repr(change(p)), repr(change(p, y=3.0, x=4.0)), change(p, y=3.0).note,
            change(p).tags is p.tags, repr(change(n, name="d")),
            type(change(n)) is named,
            repr(change(total((1.0, 2.0)), terms=(5.0,))),
            type(_seen(lambda p=p: change(p, z=1))),
        ])  # fmt: skip
    assert told[0] == told[1]


def test_a_maker_makes_what_a_call_of_the_class_makes() -> None:
    made = new_var("x", FLOAT)
    assert made == Var("x", FLOAT)
    assert made.__class__ is Var
    assert (made.fact, made.hint) == (FLOAT, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "y"  # type: ignore[misc]
    assert maker(Const)(2).key() == Const(2).key()
    assert pickle.loads(pickle.dumps(made)) == copy.copy(made) == made
    with pytest.raises(TypeError):
        new_var()  # type: ignore[call-arg]


def test_a_replacer_replaces_the_fields_it_is_made_for() -> None:
    x = Var("x", FLOAT, "x")
    other = with_hint(x, None)
    assert (other.__class__, other.name, other.fact, other.hint) == (
        Var,
        "x",
        FLOAT,
        None,
    )
    assert x.hint == "x"


def test_a_maker_of_a_class_with_factories_is_the_class() -> None:
    assert maker(Tags) is Tags
    assert maker(Tags)().tags == []


@dataclass(frozen=True, slots=True)
class Tags:
    tags: list[str] = field(default_factory=list)
