"""Arguments of a call, and what its answer rests on -> the test for another call.

One expression asks all that may have changed: the types, dtypes, ranks and axes of
length 1 of the arguments, which of them are one array, what the generated code takes
for granted of them, and the outside values, rules and settings.

>>> from yota_ast.api.cache.dependencies import Dependencies
>>> guard = Guard(BOOK.version, Dependencies((), frozenset()))
>>> matches = guard.of(("x", "k"), (np.ones((3, 1)), 2), [Check("k > 3", "made for 3")])
>>> matches(np.ones((5, 1)), 3), matches(np.ones((5, 1)), 4), matches(np.ones(5), 3)
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from yota_ast.api.cache.call_forms import is_simple, kinds_of
from yota_ast.api.cache.dependencies import Dependencies
from yota_ast.api.cache.fast_guard import ABSENT, outside_test
from yota_ast.ir.entry_tests import FLOATS, WANTED, Check
from yota_ast.rules.notation.rule import BOOK
from yota_ast.runtime.general.argument_tests import are_floats
from yota_ast.support.passes import setting_test
from yota_ast.syntax.value_paths import attribute_text, axis_text, evaluated


class Guard:
    """The test of what is outside, and with it that of the arguments.

    version: of the rules. watched: what the generated code rests on.
    """

    def __init__(self, version: int, watched: Dependencies) -> None:
        self._watched, self._version = watched, version
        test, things = self._outside("_")
        self._found = evaluated(f"lambda: {test}", {}, things)

    def unchanged(self) -> bool:
        """Whether what is outside is the very thing that it was."""
        try:
            return bool(self._found())
        except ABSENT:
            return False

    def of(
        self, names: Sequence[str], values: Sequence[object], checks: Iterable[Check],
        same_shape: Callable[..., bool] | None = None,
    ) -> Callable[..., bool]:  # fmt: skip
        """Return the test of arguments like some; names: those of the parameters.

        same_shape: whether what objects among them hold is alike.
        """
        prefix = "_"
        while any(name.startswith(prefix) for name in names):
            prefix += "_"
        outside, things = self._outside(prefix)
        terms = [*_terms(names, values, prefix, things)]
        if same_shape is not None:
            things[f"{prefix}shape"] = same_shape
            terms.append(f"{prefix}shape({', '.join(names)})")
        terms += _tests(names, checks, prefix, things)
        text = f"lambda {', '.join(names)}: {' and '.join([*terms, outside])}"
        found: Callable[..., bool] = evaluated(text, {}, things)
        return found

    def _outside(self, prefix: str) -> tuple[str, dict[str, object]]:
        test, things = outside_test(self._watched, prefix)
        setting, more = setting_test(prefix)
        own = {f"{prefix}book": BOOK, f"{prefix}version": self._version}
        rules = f"{prefix}book.version == {prefix}version"
        return f"{rules} and {setting} and {test}", {**things, **more, **own}


def _terms(
    names: Sequence[str], values: Sequence[Any], prefix: str, things: dict[str, object]
) -> Iterator[str]:
    """The tests of the types and shapes of arguments."""
    things |= {f"{prefix}type": type, f"{prefix}kinds_of": kinds_of}
    if not all(map(is_simple, values)):
        things[f"{prefix}kinds"] = kinds_of(values)
        yield f"{prefix}kinds_of(({', '.join(names)},)) == {prefix}kinds"
        return
    arrays: list[tuple[str, object]] = []
    for k, (name, value) in enumerate(zip(names, values, strict=True)):
        things[f"{prefix}class{k}"] = type(value)
        yield f"{prefix}type({name}) is {prefix}class{k}"
        if type(value) is np.ndarray:
            things[f"{prefix}dtype{k}"] = value.dtype
            same = "is" if value.dtype.isnative else "=="
            yield f"{attribute_text(name, 'dtype')} {same} {prefix}dtype{k}"
            yield from _axes(name, value.shape)
            for other, known in arrays:
                yield f"{name} is {'' if value is known else 'not '}{other}"
            arrays.append((name, value))


def _axes(name: str, shape: tuple[int, ...]) -> Iterator[str]:
    """The tests of the rank, and of the axes of length 1."""
    yield f"{attribute_text(name, 'ndim')} == {len(shape)}"
    if shape and 1 not in shape:
        yield f"1 not in {attribute_text(name, 'shape')}"
    elif shape:
        for k, n in enumerate(shape):
            yield f"{axis_text(name, k)} {'==' if n == 1 else '!='} 1"


def _tests(
    names: Sequence[str],
    checks: Iterable[Check],
    prefix: str,
    things: dict[str, object],
) -> Iterator[str]:
    """The tests that no check fails; what is wanted has one name in all checks."""
    things |= {"np": np, FLOATS: are_floats}
    for k, check in enumerate(checks):
        if check.wanted is None:
            yield f"not ({check.test})"
        else:
            outer = {"np": np, WANTED: check.wanted, FLOATS: are_floats}
            given = ", ".join(names)
            fails = evaluated(f"lambda {given}: {check.test}", {}, outer)
            things[f"{prefix}fails{k}"] = fails
            yield f"not {prefix}fails{k}({given})"
