"""Functions and the facts of their arguments -> the gradients compiled for them.

An entry is used again only where everything it was made from is as it was: the code of
the function and of what it inlines, the globals, cells, defaults and class attributes
that these read, the rules, the kinds, dtypes and ranks of the arguments and of the
fields read, and the lengths that the text takes for granted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.api.cache.dependencies import Dependencies, shape_of
from yota_ast.api.cache.fast_calls import FastCalls
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.tape import Program, Tape
from yota_ast.rules.notation.rule import BOOK
from yota_ast.support.passes import running

Fn = Callable[..., object]
Key = tuple[Hashable, ...]
OF_ONE_FUNCTION: Final = 64
FUNCTIONS: Final = 512


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for: facts and values by parameter, wrt, other options; captured:
    the cells that are parameters."""

    facts: Mapping[str, Fact]
    values: Mapping[str, object]
    wrt: tuple[str, ...]
    options: tuple[Hashable, ...] = ()
    captured: frozenset[str] = frozenset()


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
        shape = _shape(query, parts["tape"], parts["dependencies"])
        return Entry(made=_made(query), shape=shape, **parts)

    def serves(self, query: Query) -> bool:
        """Whether the text holds for these arguments, now."""
        return (
            self.made == _made(query)
            and self.is_current
            and self.shape == _shape(query, self.tape, self.dependencies)
            and not any(fails(c, self.with_outside(query)) for c in self.undecided)
        )

    @property
    def is_current(self) -> bool:
        """Whether all that is outside is as it was: rules, passes, what is read."""
        same = self.version == BOOK.version and self.made[-1] == running()
        return same and self.dependencies.hold

    def with_outside(self, query: Query) -> Mapping[str, object]:
        """The arguments, and what the function writes outside, by their names."""
        return {**query.values, **self.tape.outside}

    def asks(self, check: Check) -> bool:
        """Whether the generated code asks first of all what a check asks."""
        return self.message_of(check) in self._code.co_consts

    @property
    def _code(self) -> CodeType:
        code: CodeType = self.function.fn.__code__
        return code

    def message_of(self, check: Check) -> str:
        """What the generated code says where a check fails."""
        return f"{self.program.name}: {check.message}"

    def is_unfit(self, error: ValueError) -> bool:
        """Whether the generated code has refused its arguments, before it has done
        anything."""
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None or trace.tb_frame.f_code is not self._code:
            return False
        return str(error) in map(self.message_of, self.undecided)

    @property
    def undecided(self) -> Iterator[Check]:
        """The checks that may fail of arguments of the same shape."""
        for check in self.program.checks:
            if check.depth is None or check.attribute:
                yield check


def _made(query: Query) -> tuple[object, ...]:
    return (query.facts, query.wrt, query.options, running())


def _shape(query: Query, tape: Tape, dependencies: Dependencies) -> Hashable:
    """That of the objects among the arguments, and of those that are written outside:
    how long lists are that grow does not count."""
    values = {**query.values, **tape.outside}
    return shape_of(values, dependencies.names, tape.growing)


def fails(check: Check, values: Mapping[str, object]) -> bool:
    """Whether what a text takes for granted of its arguments does not hold."""
    try:
        return check.fails(values)
    except (AttributeError, LookupError, TypeError):
        return True


@dataclass(slots=True)
class Cache:
    """The entries of all functions; safe to use from several threads."""

    entries: dict[Key, tuple[Entry, ...]] = field(default_factory=dict)
    of_code: dict[Hashable, dict[Key, None]] = field(default_factory=dict)
    """The keys of the functions of one code, the oldest first."""
    fast: FastCalls = field(default_factory=FastCalls)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, fn: Fn, query: Query, without: Sequence[Entry] = ()) -> Entry | None:
        """An entry that serves, if there is one; `without` those that turned out not
        to."""
        for entry in self.entries.get(key_of(fn, query.captured), ()):
            if not any(entry is w for w in without) and entry.serves(query):
                return entry
        return None

    def add(self, fn: Fn, entry: Entry, captured: frozenset[str] = frozenset()) -> None:
        """Keep an entry, the newest first; the oldest go where there are too many, of
        one function, of the functions of one code, or of all."""
        key = key_of(fn, captured)
        with self.lock:
            before = self._taken(key)
            kept = [e for e in before if e.version == entry.version]
            kept = [entry, *kept[: OF_ONE_FUNCTION - 1]]
            self.entries[key] = tuple(kept)
            dropped = [e for e in before if not any(e is k for k in kept)]
            alike = self.of_code.setdefault(key[0], {})
            alike[key] = None
            while len(alike) > OF_ONE_FUNCTION:
                dropped += self._taken(next(iter(alike)))
            while len(self.entries) > FUNCTIONS:
                dropped += self._taken(next(iter(self.entries)))
        self.fast.drop(dropped)
        for each in dropped:
            each.function.dropped()

    def _taken(self, key: Key) -> tuple[Entry, ...]:
        """The entries of a function, which are kept no longer."""
        alike = self.of_code.get(key[0], {})
        alike.pop(key, None)
        if not alike:
            self.of_code.pop(key[0], None)
        return self.entries.pop(key, ())


def key_of(fn: Fn, captured: frozenset[str] = frozenset()) -> Key:
    """What identifies a function: its code, and the scopes that it runs in; of cells
    that are parameters, not what they hold."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return (Const(fn),)
    cells = zip(code.co_freevars, getattr(fn, "__closure__", None) or (), strict=False)
    held = (None if name in captured else Const(_content(c)) for name, c in cells)
    return (code, Const(getattr(fn, "__globals__", None)), *held)


def _content(cell: object) -> object:
    try:
        return cell.cell_contents  # type: ignore[attr-defined]
    except ValueError:
        return None
