"""Functions and the facts of their arguments -> the gradients compiled for them.

An entry is used again only where everything it was made from is as it was: the code of
the function, the globals and cells that it read, the rules, the kinds, dtypes and ranks
of the arguments and of the fields read, and the lengths that the text takes for granted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .codegen.compile import GeneratedFunction
from .facts import Fact, fact_of
from .rules.rule import BOOK
from .tape import Check, Const, Program, Read, Tape

Fn = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Entry:
    """One compiled gradient and what it holds for."""

    facts: Mapping[str, Fact]
    wrt: tuple[str, ...] | None
    options: tuple[object, ...]
    version: int
    tape: Tape
    program: Program
    function: GeneratedFunction

    def serves(
        self,
        facts: Mapping[str, Fact],
        values: Mapping[str, object],
        wrt: tuple[str, ...] | None,
        options: tuple[object, ...],
    ) -> bool:
        """Whether the text holds for these arguments, now."""
        return (
            self.version == BOOK.version
            and self.wrt == wrt
            and self.options == options
            and self.facts == facts
            and unchanged(self.tape)
            and all(_same_field(op, values) for op in self.tape.block if isinstance(op, Read))
            and not any(_fails(c, values) for c in self.program.checks)
        )


def unchanged(tape: Tape) -> bool:
    """Whether the globals, cells and functions that a tape was made from are the same."""
    return all(getattr(u, "is_current", lambda: True)() for u in tape.used)


def _same_field(op: Read, values: Mapping[str, object]) -> bool:
    value = values.get(op.root.name)
    for kind, step in op.path:
        try:
            value = getattr(value, str(step)) if kind == "attr" else value[step]  # type: ignore[index]
        except (AttributeError, LookupError, TypeError):
            return False
    found = fact_of(value, "")
    known = op.out.fact
    same_kind = (found.kind, found.dtype, found.rank) == (known.kind, known.dtype, known.rank)
    return same_kind and _units(found) == _units(known)


def _units(fact: Fact) -> tuple[bool, ...]:
    shape = fact.shape if isinstance(fact.shape, tuple) else ()
    return tuple(d is not None and d.size == 1 for d in shape)


def _fails(check: Check, values: Mapping[str, object]) -> bool:
    try:
        return bool(eval(check.test, {}, dict(values)))  # noqa: S307  our own text
    except (AttributeError, IndexError, TypeError):
        return True


@dataclass(slots=True)
class Cache:
    """The entries of all functions; safe to use from several threads."""

    entries: dict[object, list[Entry]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    limit: int = 64  # of one function

    def find(
        self,
        fn: Fn,
        facts: Mapping[str, Fact],
        values: Mapping[str, object],
        wrt: tuple[str, ...] | None,
        options: tuple[object, ...],
    ) -> Entry | None:
        """An entry that serves, if there is one."""
        for entry in self.entries.get(key_of(fn), ()):
            if entry.serves(facts, values, wrt, options):
                return entry
        return None

    def add(self, fn: Fn, entry: Entry) -> None:
        """Keep an entry, the newest first."""
        with self.lock:
            kept = self.entries.get(key_of(fn), [])
            self.entries[key_of(fn)] = [entry, *kept][: self.limit]


def key_of(fn: Fn) -> object:
    """What identifies a function: its code, and where that is shared, its own values."""
    bound = getattr(fn, "__self__", None)
    function = getattr(fn, "__func__", fn)
    code = getattr(function, "__code__", function)
    cells = tuple(Const(_content(c)) for c in getattr(function, "__closure__", None) or ())
    defaults = tuple(Const(d) for d in getattr(function, "__defaults__", None) or ())
    return (code, cells, defaults, Const(bound))


def _content(cell: object) -> object:
    try:
        return cell.cell_contents  # type: ignore[attr-defined]
    except ValueError:
        return None
