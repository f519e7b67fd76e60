"""The length of an axis: by its name, in the example, and of `x[:stop]`.

>>> taken = up_to(Dim("x.shape[0]", 0, 5), 3)
>>> str(taken), taken.size, stopped(taken.base)
('min(x.shape[0], 3)', 3, ('x.shape[0]', 3))
>>> stopped("x.shape[0]")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class NamedLength:
    """A length that is unknown, but for its name: axes of one name are equally long,
    and not of length 1. more: how much longer than the name it is."""

    name: str
    more: int = 0


Size = int | NamedLength | None
"""The length of an axis in the example, a name for it, or nothing."""


@dataclass(frozen=True, slots=True)
class Term:
    """A number of which integers are sums of multiples, by its name.

    least, most: its bounds. part: of which number it is which part, `n // 2`. factors:
    the terms of which it is the product. natural: a number that is not below 0 where
    the bounds hold, the step of a range.
    """

    name: str
    size: Size = None
    least: Dim | None = None
    most: Dim | None = None
    part: tuple[Dim, int | Term] | None = None
    factors: tuple[Term, Term] | None = None
    natural: Term | None = None


Terms = tuple[tuple[Term, int], ...]
"""The terms of a sum, and how often each is there."""


@dataclass(frozen=True, slots=True)
class Dim:
    """The length of an axis: text over the arguments, and the example's length.

    `base` is the text of an argument's axis ("x.shape[0]") or "" for a literal;
    `offset` is added to it. A slice may leave fewer than nothing: lengths are
    `max(base + offset, 0)`. Two dims are equal where base and offset are. Integers are
    told by dims as well, which may be below 0.
    """

    base: str
    offset: int = 0
    size: Size = None  # in the example; None: not known, 1 is possible
    terms: Terms = ()  # what the base is a sum of; (): one of which no more is known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and (self.base, self.offset) == (
            other.base,
            other.offset,
        )

    def __hash__(self) -> int:
        return hash((self.base, self.offset))

    def __str__(self) -> str:
        if not self.base:
            return str(self.offset)
        if not self.offset:
            return self.base
        sign = "+" if self.offset > 0 else "-"
        return f"{self.base} {sign} {abs(self.offset)}"

    @property
    def example(self) -> int | None:
        """The length in the example, if there is one: a name is none."""
        return self.size if isinstance(self.size, int) else None

    @property
    def is_unit(self) -> bool:
        """Whether the length is 1 whatever the arguments."""
        return not self.base and self.offset == 1

    def shifted(self, by: int) -> Dim:
        """The dim `by` longer (shorter where negative)."""
        if not self.base:
            return literal_dim(max(self.offset + by, 0))
        return Dim(self.base, self.offset + by, _shifted(self.size, by), self.terms)


def _shifted(size: Size, by: int) -> Size:
    if isinstance(size, NamedLength):
        return NamedLength(size.name, size.more + by)
    return None if size is None else max(size + by, 0)


def literal_dim(n: int) -> Dim:
    """The dim of a length that is written in the program."""
    return Dim("", n, n)


UNIT: Final = literal_dim(1)
ZERO: Final = literal_dim(0)
COUNTER: Final = "@"
"""What an integer is called that has no name yet."""
SHARED: Final = Dim("@")
"""The length of the arrays of a tuple that are as long as one another."""


def axis_dim(text: str, size: Size = None) -> Dim:
    """The length of an axis of an argument, which is not below 0."""
    return Dim(text, 0, size, ((Term(text, size, least=ZERO), 1),))


def counter_dim(
    least: Dim | None, most: Dim | None, natural: Term | None = None
) -> Dim:
    """An integer between bounds, to which `named_apart` gives a name."""
    term = Term(COUNTER, None, least, most, natural=natural)
    return Dim(COUNTER, 0, None, ((term, 1),))


def called(dim: Dim | None, name: str) -> Dim:
    """An integer by its name; dim: what is known of one that has none yet."""
    if dim is None:
        return Dim(name)
    terms = tuple((replace(term, name=name), k) for term, k in dim.terms)
    return Dim(name, dim.offset, dim.size, terms)


def sizes_of_names(names: Iterable[str]) -> dict[str, NamedLength]:
    """What stands for the lengths of axes that have a name, where it is there twice.

    Axes of one length in an example are taken for equal, and the text checks it. A name
    that is there once says nothing.

    >>> list(sizes_of_names(["n", "d", "n"]))
    ['n']
    """
    often = [name for name, count in Counter(names).items() if count > 1]
    return {name: NamedLength(name) for name in often}


def up_to(axis: Dim, stop: int) -> Dim:
    """The length of `x[:stop]`."""
    if axis.base.startswith("@"):  # which cannot be computed where the text begins
        return Dim(f"@{axis}[:{stop}:]")
    size = axis.size
    if size is not None:  # what has a name is taken for long enough
        size = stop if isinstance(size, NamedLength) else min(size, stop)
    return Dim(f"min({axis}, {stop})", 0, size)


def stopped(base: str) -> tuple[str, int] | None:
    """The axis and the stop of such a length, by its name."""
    axis, _, stop = base.removeprefix("min(").rpartition(", ")
    if not (axis and base.startswith("min(")):
        return None
    return axis, int(stop.removesuffix(")"))
