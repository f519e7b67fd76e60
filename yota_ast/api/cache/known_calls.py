"""A call that has been answered -> whether its answer serves another call.

The test is made when the call is first repeated, and made anew where what is outside
is the same though other objects stand for it.

>>> from types import SimpleNamespace as Entry
>>> entry = Entry(
...     function=Entry(fn=abs),
...     version=BOOK.version,
...     undecided=(),
...     is_current=True,
...     dependencies=Dependencies((), frozenset()),
... )
>>> known = Known(entry, ("x",), 1, (), None)
>>> known.matches(2.0), known.renewed(2.0), known.matches(3.0), known.matches(3)
(False, True, True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

from yota_ast.api.cache.call_forms import holds_objects, kinds_of
from yota_ast.api.cache.call_guards import Guard
from yota_ast.api.cache.dependencies import Dependencies, shape_of
from yota_ast.api.cache.variadic_calls import Spread
from yota_ast.rules.notation.rule import BOOK  # noqa: F401  in the examples

MISFITS: Final = (LookupError, AttributeError, ValueError, TypeError)
"""What a test may raise of arguments that it is not for."""
_RENEWALS: Final = 8


class Known:
    """A call that has been answered: by which generated code, and while what holds.

    entry: the entry of the cache. names: of the parameters, those given by name last.
    positional: how many are not. spread: those that are `*args` and `**kwargs`.
    cells: the contents of the cells that are constants, by their places. told: what
    else the caller wants to find again. matches: whether the code is the right one
    still, for other arguments; may raise one of MISFITS.
    """

    __slots__ = (
        "_renewals", "_unchanged", "cells", "entry", "fn", "matches", "names",
        "positional", "spread", "told",
    )  # fmt: skip

    def __init__(
        self, entry: Any, names: tuple[str, ...], positional: int,
        cells: tuple[tuple[int, object], ...], told: Any,
        spread: Spread | None = None,
    ) -> None:  # fmt: skip
        self.entry, self.told, self.spread = entry, told, spread
        self.names, self.positional, self.cells = names, positional, cells
        self.fn: Callable[..., Any] = entry.function.fn
        self.matches: Callable[..., bool] = _never
        self._unchanged: Callable[[], bool] = _never
        self._renewals = 0

    def run(self, values: Sequence[Any]) -> Any:
        """What the generated code gives for values of all parameters."""
        count = self.positional
        if count == len(values):
            return self.fn(*values)
        if self.spread is None:
            named = dict(zip(self.names[count:], values[count:], strict=True))
            return self.fn(*values[:count], **named)
        args, kwargs = self.spread.given(self.names, count, values)
        return self.fn(*args, **kwargs)

    def renewed(self, *values: object) -> bool:
        """Whether it matches arguments of its kinds, where what is outside is as it was
        though by other objects: those are looked for from now on."""
        if self._unchanged() or self._renewals >= _RENEWALS:
            return False
        self._renewals += 1
        dependencies: Dependencies = self.entry.dependencies
        guard = Guard(self.entry.version, dependencies.renewed)
        if not self.entry.is_current:
            return False
        self._unchanged = guard.unchanged
        unasked = [c for c in self.entry.undecided if not self.entry.asks(c)]
        same = self._same_shape if holds_objects(kinds_of(values)) else None
        self.matches = guard.of(self.names, values, unasked, same)
        return self.matches(*values)

    def _same_shape(self, *values: object) -> bool:
        """Whether the objects among arguments hold what those of the entry held."""
        named = dict(zip(self.names, values, strict=True))
        found = shape_of(named, self.entry.dependencies.names)
        return bool(found == self.entry.shape)

    def has_cells(self, f: FunctionType) -> bool:
        """Whether the cells of a function hold the constants."""
        closure = f.__closure__ or ()
        try:
            for place, content in self.cells:
                if closure[place].cell_contents is not content:
                    return False
        except ValueError:
            return False
        return True


def _never(*_values: object) -> bool:
    return False
