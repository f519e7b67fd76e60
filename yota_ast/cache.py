"""Functions and the facts of their arguments -> the gradients compiled for them.

An entry is used again only where everything it was made from is as it was: the code of
the function and of what it inlines, the globals, cells, defaults and class attributes
that these read, the rules, the kinds, dtypes and ranks of the arguments and of the
fields read, and the lengths that the text takes for granted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

from .checks import Check
from .codegen.compile import GeneratedFunction
from .dependencies import Dependencies, shape_of
from .facts import Fact
from .passes import running
from .records import dataclass, field
from .rules.rule import BOOK
from .tape import Const, Program, Tape

Fn = Callable[..., object]
OF_ONE_FUNCTION: Final = 64
FUNCTIONS: Final = 512


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for: facts and values by parameter, wrt, other options."""

    facts: Mapping[str, Fact]
    values: Mapping[str, object]
    wrt: tuple[str, ...]
    options: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One compiled gradient and what it holds for.

    made: for which facts, wrt, options and passes. shape: that of the objects among the
    arguments. version: of the book of rules.
    """

    made: tuple[object, ...]
    shape: Hashable
    dependencies: Dependencies
    version: int
    tape: Tape
    program: Program
    function: GeneratedFunction

    @staticmethod
    def made_for(query: Query, **parts: Any) -> Entry:
        """An entry for what was asked, of its other parts."""
        shape = shape_of(query.values, parts["dependencies"].names)
        return Entry(made=_made(query), shape=shape, **parts)

    def serves(self, query: Query) -> bool:
        """Whether the text holds for these arguments, now."""
        return (
            self.version == BOOK.version
            and self.made == _made(query)
            and self.dependencies.hold
            and self.shape == shape_of(query.values, self.dependencies.names)
            and not any(fails(c, query.values) for c in self.undecided)
        )

    @property
    def undecided(self) -> Iterator[Check]:
        """The checks that may fail of arguments of the same shape."""
        for check in self.program.checks:
            if check.depth is None or check.attribute:
                yield check


def _made(query: Query) -> tuple[object, ...]:
    return (query.facts, query.wrt, query.options, running())


def fails(check: Check, values: Mapping[str, object]) -> bool:
    """Whether what a text takes for granted of its arguments does not hold."""
    try:
        return check.fails(values)
    except (AttributeError, LookupError, TypeError):
        return True


@dataclass(slots=True)
class Cache:
    """The entries of all functions; safe to use from several threads."""

    entries: dict[Hashable, tuple[Entry, ...]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, fn: Fn, query: Query, without: Sequence[Entry] = ()) -> Entry | None:
        """An entry that serves, if there is one; `without` those that turned out not
        to."""
        for entry in self.entries.get(key_of(fn), ()):
            if not any(entry is w for w in without) and entry.serves(query):
                return entry
        return None

    def add(self, fn: Fn, entry: Entry) -> None:
        """Keep an entry, the newest first; the oldest go where there are too many."""
        key = key_of(fn)
        with self.lock:
            kept = [e for e in self.entries.pop(key, ()) if e.version == entry.version]
            self.entries[key] = (entry, *kept[: OF_ONE_FUNCTION - 1])
            while len(self.entries) > FUNCTIONS:
                del self.entries[next(iter(self.entries))]


def key_of(fn: Fn) -> Hashable:
    """What identifies a function: its code, and the scopes that it runs in."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return Const(fn)
    cells = tuple(Const(_content(c)) for c in getattr(fn, "__closure__", None) or ())
    return (code, Const(getattr(fn, "__globals__", None)), cells)


def _content(cell: object) -> object:
    try:
        return cell.cell_contents  # type: ignore[attr-defined]
    except ValueError:
        return None
