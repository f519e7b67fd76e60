"""A function and the arguments of a call -> its values nearby, undisturbed.

Each run has copies of the arguments, begins with the random numbers with which the
first began if it draws any, and what it prints goes nowhere. A function that still
gives another value each time is refused: there is no slope to compare with.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import os
import random
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.api.call_target import Call, Callee
from yota_ast.api.values.updating import Path, walk_path
from yota_ast.errors import YotaError
from yota_ast.tools.gradcheck.difference_slopes import Function
from yota_ast.tools.gradcheck.value_parts import (
    inner,
    moved,
    replaced,
    same_bits,
    stays_real,
    widened,
)

T = TypeVar("T")
Directions = Mapping[tuple[str, Path], Any]
"""A direction for each leaf that moves, by argument and path."""
TINY = 1e-30


@dataclass(frozen=True, slots=True)
class Draws:
    """The state of the shared random generators."""

    numpy: Any = field(default_factory=np.random.get_state)
    python: Any = field(default_factory=random.getstate)

    def put(self) -> None:
        """Make it the state again."""
        np.random.set_state(self.numpy)  # noqa: NPY002
        random.setstate(self.python)

    @property
    def used(self) -> bool:
        """Whether numbers have been drawn since."""
        now = np.random.get_state()  # noqa: NPY002
        same = all(np.array_equal(a, b) for a, b in zip(now, self.numpy, strict=True))
        return not same or random.getstate() != self.python


@dataclass(slots=True)
class Runs:
    """The runs of one function with the arguments of one call, or near them."""

    callee: Callee
    call: Call
    draws: Draws = field(default_factory=Draws)
    drew: bool = False
    wide: tuple[tuple[str, Path], ...] = ()
    """The leaves that are given in double precision where others move."""

    def copied(self) -> Call:
        """The call with arguments of its own, what a method is bound to included."""
        return self._copy(self.call)

    def _copy(self, value: T) -> T:
        given = (*self.call.args, *self.call.kwargs.values())
        # A library that is an argument, `xp=np`, is none that can be copied.
        modules = {id(m): m for m in given if isinstance(m, ModuleType)}
        try:
            return copy.deepcopy(value, modules)
        except Exception as error:
            reason = f"gradcheck: the arguments cannot be copied ({error})"
            raise YotaError(reason, remedy="Pass what copy.deepcopy takes.") from error

    def value(self) -> Any:
        """The function's value, of a first run, which prints what it prints.

        Raises YotaError for a function that gives another when it is run again.
        """
        self.draws.put()
        value = self.run(self.copied().values)
        self.drew = self.draws.used
        with self.quiet(), self.anew():
            other = self.run(self.copied().values)
        if not same_bits(value, other):
            name = getattr(self.callee.fn, "__name__", "f")
            raise YotaError(
                f"gradcheck: {name} gives another value each time it is run with the "
                "same arguments",
                remedy="If it draws random numbers, give it the generator as an "
                "argument: each run gets a copy of it.",
            )
        return value

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Print nowhere."""
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),  # of callbacks, by SciPy's C code
        ):
            yield

    @contextlib.contextmanager
    def anew(self) -> Iterator[None]:
        """Begin with the same random numbers, of which a function that draws none
        leaves all; do not warn."""
        if self.drew:
            self.draws.put()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield

    def run(self, values: Mapping[str, Any]) -> Any:
        """The function's value for the values of all its parameters."""
        given = inspect.BoundArguments(self.call.own, OrderedDict(values))
        return self.callee.fn(*given.args, **given.kwargs)

    # ------------------------------------------------------------ near the arguments

    def at(self, along: Directions, step: complex) -> Any:
        """The value where the arguments are moved."""
        values = self._copy(dict(self.call.values))
        for name, path in self.wide:
            leaf = widened(walk_path(values[name], path)[-1])
            values[name] = replaced(values[name], path, leaf)
        for (name, path), d in along.items():
            leaf = walk_path(values[name], path)[-1]
            values[name] = replaced(values[name], path, moved(leaf, d, step))
        return self.run(values)

    def along(
        self, directions: Directions, dy: Any, measure: Callable[[Function], T]
    ) -> T:
        """What `measure` finds of <dy, f> as a function of the step, which is nan where
        f is not available."""
        with self.quiet():
            found = measure(self._function(directions, dy))
            if self.drew or not self.draws.used:
                return found
            self.drew = True  # as it did not at the arguments themselves
            return measure(self._function(directions, dy))

    def _function(self, directions: Directions, dy: Any) -> Function:
        known: dict[float, float] = {}

        def at(step: float) -> float:
            if step not in known:
                with self.anew():
                    try:
                        value = self.at(directions, step)
                        real = stays_real(dy, value)
                        known[step] = inner(dy, value) if real else float("nan")
                    except Exception:  # noqa: BLE001  f is not defined there
                        known[step] = float("nan")
            return known[step]

        return at

    def complex_step(self, directions: Directions, dy: Any) -> float | None:
        """The slope by a step along the imaginary axis; None where f takes none.

        Of a function that is not analytic (abs, real, conj) it is not the slope.
        """
        with self.quiet(), self.anew():
            warnings.simplefilter("error")
            try:
                value = self.at(directions, 1j * TINY)
                found = inner(dy, _imaginary(value)) / TINY
            except Exception:  # noqa: BLE001  f takes no complex numbers
                return None
        return found if np.isfinite(found) else None


def _imaginary(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _imaginary(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_imaginary(v) for v in value]
    return np.imag(value) if np.asarray(value).dtype.kind in "biufc" else value
