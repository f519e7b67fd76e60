"""What a text or a tape takes for granted of its arguments -> the test for it.

>>> check = Check.length("p", 2)
>>> check.fails({"p": [1.0, 2.0]}), check.fails({"p": [1.0]})
(False, True)
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MethodType
from typing import Final, Self

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.axis_lengths import Dim, Term
from yota_ast.runtime.general.argument_tests import are_floats
from yota_ast.support.public_names import is_importable
from yota_ast.syntax.names import shown_name
from yota_ast.syntax.value_literals import key_text, literal_text, shown_key, shown_text
from yota_ast.syntax.value_paths import evaluated

WANTED: Final = "__wanted__"
"""What a check calls a function or a class; the text by its name."""
FLOATS: Final = "__are_floats__"
"""What a check calls the helper that knows numbers and arrays of floats."""


_MOST: Final = 4
"""Of fewer items of a list each is asked for itself."""
_PLACE: Final = re.compile(r"(.+)\[(\d+)\]")


def _rows(texts: Iterable[str], lengths: Mapping[str, int]) -> dict[str, list[str]]:
    """The lists of which all items are among some parts of arguments, and the items.
    lengths: how many items each list has.

    >>> _rows(["p[0]", "q", "p[1]", "p[2]", "p[3]", "r[0]"], {"p": 4, "r": 9})
    {'p': ['p[0]', 'p[1]', 'p[2]', 'p[3]']}
    >>> _rows(["p[0]", "p[1]", "p[2]", "p[3]"], {"p": 5})
    {}
    """
    held: dict[str, list[str]] = {}
    for text in texts:
        if (found := _PLACE.fullmatch(text)) is not None:
            held.setdefault(found[1], []).append(text)
    return {
        name: items
        for name, items in held.items()
        if len(items) >= _MOST
        and {*items} == {f"{name}[{k}]" for k in range(lengths.get(name, 0))}
    }


def _has_a_place(value: object) -> bool:
    """Whether a text can name a function or a class, also one that is in a file."""
    in_script = getattr(value, "__module__", "") == "__main__"
    return is_importable(value) and not in_script


def _shares_its_name(cls: type) -> bool:
    """Whether a class is derived from one of its name, or one of its name from it: then
    its name does not tell it. Other texts need not know the class to run."""
    name, found = cls.__name__, [*cls.__mro__[1:]]
    waiting = [cls]
    while waiting:
        derived: list[type] = type.__subclasses__(waiting.pop())
        found += derived
        waiting += derived
    return any(other.__name__ == name for other in found)


def _of_name(text: str, made: type) -> str:
    """The test that an object is of no class of a name."""
    return f"type({text}).__name__ != {literal_text(str(made.__name__))}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(shown_name, names))


def _is_no(text: str, kind: str) -> str:
    """The part of a test that says that something is no container of a kind. A list
    and a tuple serve alike."""
    cls = "dict" if kind == "dict" else "(list, tuple)"
    return f"not isinstance({text}, {cls}) or " if kind else ""


@dataclass(frozen=True, slots=True)
class Check:
    """What a text assumes of its arguments: raises ValueError where `test` is true.

    test: Python text over the parameters ("x.ndim != 2"). message: what is assumed.
    depth: of how an argument is made up, how deep in it the part is; None: another.
    wanted: the function or class that is called WANTED in the test. part: what the test
    says the class of, or that it has no values of its own for `own`. attribute: it asks
    for an attribute, of which the shape of an argument tells nothing. sized: objects of
    the class have a known number of items. made: the class that is told by its name.
    numbers_at: the places that hold numbers, where it asks for nothing else. picks: the
    places that hold numbers which pick items. kinds: it asks which arguments are
    arrays, and of which shapes and floats, or numbers. arrays: those that it asks it
    of. counted: a container, how many items it has, its kind.
    """

    test: str
    message: str
    depth: int | None = field(default=None, compare=False, repr=False)
    wanted: object = field(default=None, compare=False, repr=False)
    part: str = field(default="", compare=False, repr=False)
    own: tuple[str, ...] = field(default=(), compare=False, repr=False)
    attribute: bool = field(default=False, compare=False, repr=False)
    sized: bool = field(default=False, compare=False, repr=False)
    made: type | None = field(default=None, compare=False, repr=False)
    numbers_at: tuple[str, ...] = field(default=(), compare=False, repr=False)
    picks: tuple[str, ...] = field(default=(), compare=False, repr=False)
    kinds: bool = field(default=False, compare=False, repr=False)
    arrays: tuple[str, ...] = field(default=(), compare=False, repr=False)
    counted: tuple[str, int, str] | None = field(
        default=None, compare=False, repr=False
    )

    def fails(self, values: Mapping[str, object]) -> bool:
        """Whether it does not hold of these arguments."""
        # The test is the compiler's own text, the same as in the function it prints.
        outer = {"np": np, WANTED: self.wanted, FLOATS: are_floats}
        return bool(evaluated(self.test, values, outer))

    @property
    def told(self) -> str:
        """The message, with keys as people read them."""
        return shown_text(self.message)

    @property
    def is_of_kind(self) -> bool:
        """Whether it asks what something is, before all that is asked of it then."""
        kind = self.test.startswith("not isinstance(") and " or " not in self.test
        return kind or self.test.endswith(" is None")

    @property
    def is_of_value(self) -> bool:
        """Whether it asks for a value, such as a tag, that tells which items there
        are."""
        return " = " in self.message and ".shape[" not in self.test

    @property
    def about(self) -> str:
        """What is compared: `len(p)` of `len(p) != 2`."""
        return self.test.partition(" != ")[0].rpartition(" or ")[2]

    @classmethod
    def function(cls, text: str, fn: object) -> tuple[Self, ...]:
        """That a function is the one with this name; nothing of one that has none.

        >>> Check.function("f", abs)
        (Check(test='f is not __wanted__', message='made for f = abs'),)
        """
        known = getattr(fn, "__qualname__", None)
        if type(known) is not str:
            return ()
        message = f"made for {text} = {shown_name(known)}"
        if _has_a_place(fn):
            return (cls(f"{text} is not {WANTED}", message, wanted=fn),)
        test = f'getattr({text}, "__qualname__", None) != {literal_text(known)}'
        return (cls(test, message),)

    @classmethod
    def same(cls, text: str, fn: object) -> Self:
        """That a function is this one; of the methods of an object, one that equals."""
        operator = "!=" if isinstance(fn, MethodType) else "is not"
        named = getattr(fn, "__qualname__", type(fn).__name__)
        message = f"made for {text} = {shown_name(named)}"
        return cls(f"{text} {operator} {WANTED}", message, wanted=fn)

    @classmethod
    def length(cls, text: str, count: int, depth: int = 0, kind: str = "") -> Self:
        """That a container of a kind has so many items.

        >>> Check.length("p", 1)
        Check(test='len(p) != 1', message='made for p of 1 item')
        >>> Check.length("p", 2, kind="dict").test
        'not isinstance(p, dict) or len(p) != 2'
        """
        items = "item" if count == 1 else "items"
        message = f"made for {text} of {count} {items}"
        test = f"{_is_no(text, kind)}len({text}) != {count}"
        return cls(test, message, depth, counted=(text, count, kind))

    @classmethod
    def keys(cls, text: str, keys: Sequence[object], depth: int = 0) -> Self:
        """That a dict has these keys, in this order.

        >>> Check.keys("p", ["a", "b"]).message
        "made for p of 'a', 'b'"
        """
        listed, shown = (", ".join(map(way, keys)) for way in (key_text, shown_key))
        test = f"{_is_no(text, 'dict')}list({text}) != [{listed}]"
        return cls(test, f"made for {text} of {shown}", depth)

    @classmethod
    def key(cls, text: str, key: object, depth: int, *, there: bool) -> Self:
        """That a dict has a key, or has not.

        >>> Check.key("p", "W", 0, there=True).test
        "not isinstance(p, dict) or 'W' not in p"
        """
        within = f"{key_text(key)} {'not in' if there else 'in'} {text}"
        with_it = "with" if there else "without"
        message = f"made for {text} {with_it} {shown_key(key)}"
        return cls(f"{_is_no(text, 'dict')}{within}", message, depth)

    @classmethod
    def axis_length(cls, text: str, size: int) -> Self:
        """That a length is `size`; `n - 1` is none for 0 and for 1."""
        if not size and " - " in text:
            return cls(f"{text} > 0", f"made for {text} <= 0")
        return cls(f"{text} != {size}", f"made for {text} = {size}")

    @classmethod
    def equal(cls, text: str, value: object) -> Self:
        """That a value is equal to a literal.

        >>> Check.equal("mode", "fast")
        Check(test="mode != 'fast'", message="made for mode = 'fast'")
        """
        shown = key_text(value)
        return cls(f"{text} != {shown}", f"made for {text} = {shown}")

    @classmethod
    def of_class(cls, text: str, made: type, depth: int = 0) -> Self:
        """That an object is of a class."""
        found = cls(
            _of_name(text, made),
            f"made for {text}: {shown_name(made.__name__)}",
            depth, part=text, sized=issubclass(made, tuple), made=made,
        )  # fmt: skip
        named = _has_a_place(made) and _shares_its_name(made)
        return found.by_identity if named else found

    @property
    def by_identity(self) -> Self:
        """The same, but that a class is told by which it is: another of its name is
        another class."""
        if self.made is None:
            return self
        rest = self.test.removeprefix(_of_name(self.part, self.made))
        test = f"type({self.part}) is not {WANTED}{rest}"
        return replace(self, test=test, wanted=self.made, made=None)

    @classmethod
    def present(cls, text: str, depth: int | None = None) -> Self:
        """That something is not None."""
        return cls(f"{text} is None", f"made for {text} that is not None", depth)

    @classmethod
    def number(cls, text: str, types: Sequence[str] = ()) -> Self:
        """That an argument is a real number and no array; of one of some types.

        >>> Check.number("x").test
        'hasattr(x, "__len__")'
        """
        message = f"made for a number {text}"
        if not types:
            return cls(
                f'hasattr({text}, "__len__")', message, numbers_at=(text,), kinds=True
            )
        allowed = ", ".join(map(key_text, types))
        test = f"!= {allowed}" if len(types) == 1 else f"not in ({allowed})"
        return cls(f"type({text}).__name__ {test}", f"{message}, {' or '.join(types)}")

    @classmethod
    def indices(cls, texts: Sequence[str], types: str = "bool") -> Self:
        """That arguments are numbers that pick items: None is an axis, a bool a mask.

        >>> Check.indices(["k"]).test
        'k is None or isinstance(k, bool) or hasattr(k, "__len__")'
        """
        told = cls.numbers(texts)
        tests = [
            f"{t} is None or isinstance({t}, {types}) or {cls.number(t).test}"
            for t in texts
        ]
        return cls(" or ".join(tests), told.message, picks=tuple(texts), kinds=True)

    @classmethod
    def numbers(
        cls, texts: Sequence[str], lengths: Mapping[str, int] | None = None
    ) -> Self:
        """That arguments are numbers and no arrays; `*p` are all items of a list.
        lengths: how many items lists have, of which all may be asked at once.

        >>> Check.numbers(["x", "y"]).test
        'hasattr(x, "__len__") or hasattr(y, "__len__")'
        >>> Check.numbers(["*p"]).test
        'any(hasattr(v, "__len__") for v in p)'
        >>> Check.numbers(["*p[0]", "*p[1]", "*p[2]", "*p[3]"], {"p": 4}).test
        'any(hasattr(v, "__len__") for row in p for v in row)'
        """
        if len(texts) == 1 and not texts[0].startswith("*"):
            return cls.number(texts[0])
        lists = [text.removeprefix("*") for text in texts if text.startswith("*")]
        rows = _rows(lists, lengths or {})
        taken = {item for items in rows.values() for item in items}
        lists = [text for text in lists if text not in taken]
        alone = [text for text in texts if not text.startswith("*")]
        tests = [cls.number(t).test for t in alone]
        tests += [f'any(hasattr(v, "__len__") for v in {held})' for held in lists]
        tests += [
            f'any(hasattr(v, "__len__") for row in {held} for v in row)'
            for held in rows
        ]
        shown = [*alone, *(f"*{held}" for held in lists)]
        shown += [f"in the items of {held}" for held in rows]
        message = f"made for numbers {', '.join(shown)}"
        return cls(" or ".join(tests), message, numbers_at=tuple(texts), kinds=True)

    @classmethod
    def ordered(cls, checks: Iterable[Self]) -> tuple[Self, ...]:
        """The checks joined, first those of how the arguments are made up: what holds
        others stands before these.

        >>> deep = Check.length("p[0]", 2, 1)
        >>> found = Check.ordered([Check("x > 1", "small"), deep, Check.length("p", 2)])
        >>> [c.test for c in found]
        ['len(p) != 2', 'len(p[0]) != 2', 'x > 1']
        """
        found = cls.joined(checks)
        said = {f"len({c.part})" for c in found if c.sized}
        said |= {c.about.replace("list(", "len(") for c in found if "list(" in c.about}
        made_up = [c for c in found if c.depth is not None and c.about not in said]
        lengths = {c.counted[0]: c.counted[1] for c in found if c.counted}
        made_up = cls._of_each_item(cls._with_own(made_up), lengths)
        made_up.sort(key=lambda c: (c.depth or 0, not c.is_of_kind))
        others = [
            cls.numbers(c.numbers_at, lengths) if len(c.numbers_at) > 1 else c
            for c in found
            if c.depth is None
        ]
        others.sort(key=lambda c: (not c.is_of_kind, not c.is_of_value))
        return (*made_up, *others)

    @classmethod
    def not_own(cls, text: str, names: tuple[str, ...], depth: int = 0) -> Self:
        """That an object has no values of its own in the place of its class's.

        >>> Check.not_own("m", ("gain",))
        Check(test="'gain' in m.__dict__", message='made for m with its gain')
        >>> Check.not_own("m", ("gain", "step")).test
        "{'gain', 'step'} & m.__dict__.keys()"
        """
        listed = ", ".join(map(key_text, names))
        test = f"{listed} in {text}.__dict__"
        if len(names) > 1:
            test = f"{{{listed}}} & {text}.__dict__.keys()"
        message = f"made for {text} with its {_listed(names)}"
        return cls(test, message, depth, part=text, own=names, attribute=True)

    @classmethod
    def has(cls, text: str, name: str, depth: int, *, there: bool) -> Self:
        """That an object has an attribute, or has not."""
        test = f"{'not ' if there else ''}hasattr({text}, {key_text(name)})"
        with_it = "with" if there else "without"
        message = f"made for {text} {with_it} {shown_name(name)}"
        return cls(test, message, depth, attribute=True)

    @classmethod
    def of_one_class(cls, checks: Iterable[Self]) -> Iterator[Self]:
        """The checks, those in a row that parts are of one class as one.

        >>> checks = [Check.of_class("m.a", int, 1), Check.of_class("m.b", int, 1)]
        >>> [c.message for c in Check.of_one_class(checks)]
        ['made for m.a, m.b: int']
        """
        for key, alike in groupby(checks, lambda c: (c.made, c.depth, c.wanted)):
            group = tuple(alike)
            made = key[0]
            plain = made is not None and not any(c.attribute for c in group)
            if not plain or len(group) < 2:
                yield from group
                continue
            message = f"made for {', '.join(c.part for c in group)}: "
            yield replace(
                group[0],
                test=" or ".join(c.test for c in group),
                message=message + shown_name(made.__name__),
            )

    @classmethod
    def in_blocks(cls, checks: Iterable[Self]) -> Iterator[tuple[Self, ...]]:
        """The checks, those as one in a row that ask what the arguments are: their
        classes and items, arrays and numbers. The others compare values, and each names
        what is wrong.

        >>> one, two = Check.number("x"), Check.equal("mode", "fast")
        >>> blocks = Check.in_blocks([Check.length("p", 2), one, two])
        >>> [[c.message for c in block] for block in blocks]
        [['made for p of 2 items', 'made for a number x'], ["made for mode = 'fast'"]]
        """
        for what, group in groupby(checks, lambda c: c.kinds or c.depth is not None):
            if what:
                yield tuple(group)
            else:
                yield from ((check,) for check in group)

    def is_part_of(self, other: Check) -> bool:
        """Whether another check asks this of the same object, and more."""
        same = bool(self.part) and self.part == other.part
        return same and other.test.startswith(f"{self.test} or ")

    @classmethod
    def _with_own(cls, checks: Sequence[Self]) -> list[Self]:
        """The checks with those of own values as a part of those of the classes.

        >>> checks = [Check.not_own("m", ("gain",)), Check.of_class("m", int)]
        >>> both = Check._with_own(checks)
        >>> both[0].message, Check._with_own([checks[1], *both]) == both
        ('made for m: int with its gain', True)
        """
        checks = [c for c in checks if not any(map(c.is_part_of, checks))]
        own = {c.part: c for c in checks if c.own}
        found = []
        for check in checks:
            more = own.pop(check.part, None) if not check.own else None
            if more is not None:
                found.append(
                    replace(
                        check,
                        test=f"{check.test} or {more.test}",
                        message=f"{check.message} with its {_listed(more.own)}",
                        attribute=True,
                    )
                )
            elif not check.own:
                found.append(check)
        return [*found, *own.values()]

    @classmethod
    def _of_each_item(
        cls, checks: Sequence[Self], lengths: Mapping[str, int]
    ) -> list[Self]:
        """The checks, those that each item of a list has as many items as one.

        >>> checks = [Check.length(f"p[{k}]", 2, 1, "list") for k in range(4)]
        >>> [found] = Check._of_each_item(checks, {"p": 4})
        >>> found.test
        'any(not isinstance(row, (list, tuple)) or len(row) != 2 for row in p)'
        >>> len(Check._of_each_item(checks, {"p": 5}))
        4
        """
        groups: dict[tuple[int, str], dict[str, Self]] = {}
        for check in checks:
            if check.counted is not None:
                text, count, kind = check.counted
                groups.setdefault((count, kind), {})[text] = check
        made: dict[Self, Self | None] = {}
        for (count, kind), alike in groups.items():
            for held, items in _rows(alike, lengths).items():
                test = f"{_is_no('row', kind)}len(row) != {count}"
                of = "item" if count == 1 else "items"
                message = f"made for each item of {held} of {count} {of}"
                one = cls(f"any({test} for row in {held})", message)
                first, *others = (alike[item] for item in items)
                made |= dict.fromkeys(others)
                made[first] = replace(one, depth=first.depth)
        return [f for c in checks if (f := made.get(c, c)) is not None]

    @classmethod
    def joined(cls, checks: Iterable[Self]) -> tuple[Self, ...]:
        """The checks, each once; those of plain numbers as one.

        >>> [c.message for c in Check.joined(map(Check.number, "xyx"))]
        ['made for numbers x, y']
        >>> both = Check.numbers(["x", "y"])
        >>> [c.message for c in Check.joined([Check.number("y"), both])]
        ['made for numbers x, y']
        >>> [c.message for c in Check.joined([Check.indices(["y"]), both])]
        ['made for a number y', 'made for a number x']
        """
        found = tuple(dict.fromkeys(checks))
        plain = [c for c in found if c.numbers_at]
        told = {text for c in found for text in c.picks}
        if len(plain) < 2 and told.isdisjoint(t for c in plain for t in c.numbers_at):
            return found
        longest = sorted(plain, key=lambda c: -len(c.numbers_at))
        texts = dict.fromkeys(t for c in longest for t in c.numbers_at)
        rest = [text for text in texts if text not in told]
        both = [cls.numbers(rest)] if rest else []
        each = (both if c in plain else [c] for c in found)
        return tuple(dict.fromkeys(c for some in each for c in some))


def rests_on(dim: Dim, known: Container[str]) -> bool:
    """Whether a length is made of lengths that are known, by their names.

    >>> from yota_ast.ir.axis_lengths import axis_dim, part
    >>> n = axis_dim("n", 3)
    >>> half = part(n, 2)
    >>> str(half), rests_on(half, {"n"}), rests_on(half, {"k"})
    ('(n // 2)', True, False)
    """

    def rests(term: Term) -> bool:
        if term.name in known:
            return True
        if term.factors is not None:
            return all(map(rests, term.factors))
        if term.part is None:
            return False
        whole, by = term.part
        return rests_on(whole, known) and (isinstance(by, int) or rests(by))

    return bool(dim.terms) and all(rests(term) for term, _ in dim.terms)
