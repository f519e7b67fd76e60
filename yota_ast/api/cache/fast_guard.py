"""Dependencies -> a function that tells within a microsecond that nothing has changed.

It compares by identity alone: where it says no, `Dependencies.hold` decides.

>>> SCALE = 2.0
>>> def scaled(x):
...     return SCALE * x
>>> scaled.__globals__["SCALE"] = 2.0
>>> unchanged = glance(Dependencies.of([scaled]))
>>> unchanged()
True
>>> scaled.__globals__["SCALE"] = 3.0
>>> unchanged()
False
"""

from __future__ import annotations

import abc
import operator
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from yota_ast.api.cache.dependencies import (
    MISSING,
    Attribute,
    Cell,
    Dependencies,
    Methods,
    Registry,
    Watch,
)
from yota_ast.syntax.names import is_plain
from yota_ast.syntax.value_paths import attribute_text, evaluated

ABSENT: Final = (KeyError, AttributeError, ValueError)
"""What a test raises where something is there no more."""
Term = tuple[str, tuple[object, ...]]
"""A test, with `{0}` for the first of some things, and these."""


def glance(watched: Dependencies) -> Callable[[], bool]:
    """Return what tells whether everything is the very thing that it was."""
    test, things = outside_test(watched)
    found = evaluated(f"lambda: {test}", {}, things)

    def unchanged() -> bool:
        try:
            return bool(found())
        except ABSENT:
            return False

    return unchanged


def outside_test(
    watched: Dependencies, prefix: str = "_"
) -> tuple[str, dict[str, object]]:
    """Return the test that all is the very thing that it was, and what the names in it
    stand for, which begin with the prefix; it may raise one of ABSENT."""
    terms = ["True"]
    things: dict[str, object] = {
        f"{prefix}as_it_was": _as_it_was, f"{prefix}same": _same
    }  # fmt: skip
    for test, given in _distinct(watched):
        names = [f"{prefix}{len(things) + k}" for k in range(len(given))]
        things.update(zip(names, given, strict=True))
        terms.append(
            test.format(*names, as_it_was=f"{prefix}as_it_was", same=f"{prefix}same")
        )
    return " and ".join(terms), things


def _distinct(watched: Dependencies) -> Iterator[Term]:
    """The tests, each once."""
    met = set[tuple[object, ...]]()
    for watch in watched.watches:
        for test, given in _terms(watch):
            key = (test, *map(id, given))
            if key not in met:
                met.add(key)
                yield test, given


def _terms(watch: Watch) -> Iterator[Term]:
    scope, name, value = watch.scope, watch.name, watch.value
    if isinstance(scope, Cell):
        if value is MISSING:
            yield "False", ()
        yield "{0}.cell_contents is {1}", (scope.cell, value)
    elif isinstance(scope, Registry):
        yield "{0}() == {1}", (abc.get_cache_token, abc.get_cache_token())
    elif isinstance(scope, Methods):
        yield "len({0}) == {1}", (scope.held, len(scope.held))
        return
    elif isinstance(scope, Attribute):
        if is_plain(name):
            yield f"{attribute_text('{0}', name)} is {{1}}", (scope.owner, value)
        else:
            yield "getattr({0}, {1}) is {2}", (scope.owner, name, value)
    elif value is MISSING:
        yield "{1} not in {0}", (scope, name)
    else:
        yield "{0}[{2}] is {1}", (scope, value, name)
    if watch.content is not None:
        yield from _contents(value)


def _contents(value: Any) -> Iterator[Term]:
    """The tests of what a container holds."""
    if value is sys.modules:  # those that count are watched one by one
        return
    if isinstance(value, dict):
        yield "{as_it_was}({0}, {1})", (value, tuple(value))
        yield "{as_it_was}({0}.values(), {1})", (value, tuple(value.values()))
    elif isinstance(value, list):
        yield "{as_it_was}({0}, {1})", (value, tuple(value))
    elif isinstance(value, set):
        yield "{same}({0}, {1})", (value, tuple(value))
    if isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _contents(item)


def _same(found: Collection[object], known: tuple[object, ...]) -> bool:
    """Whether a set holds the very things that it held."""
    return len(found) == len(known) and {*map(id, found)} == {*map(id, known)}


def _as_it_was(found: Collection[object], known: tuple[object, ...]) -> bool:
    return len(found) == len(known) and all(map(operator.is_, found, known))
