"""A compiled derivative, and calls -> the matrix of derivatives.

The directions stand on axis 0 of one array, as the examples of `vmap` do, and all other
arguments are shared: one call gives the derivatives along many. Where the code has no
batched form, it is called once for each direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from yota_ast._speed.deep_calls import roomy
from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast._speed.garbage_collector import kept_off
from yota_ast.adjoint.rewrites.helper_values import with_helpers
from yota_ast.api.cache.answers import run_gradient, run_text
from yota_ast.api.cache.compiled_gradients import Entry
from yota_ast.api.call_target import Call
from yota_ast.api.directional import tangents_of
from yota_ast.api.seeds import refuse_complex, seed_options
from yota_ast.api.values.given_tangents import varying
from yota_ast.api.values.leaves import copied
from yota_ast.api.values.raveling import Array, Layout
from yota_ast.api.values.restoring import writes
from yota_ast.api.values.stacked_structures import rows_of, stacked_units
from yota_ast.batching.batched_directions import (
    Lengths,
    lengths_of_each,
    most_numbers,
    of_directions,
)
from yota_ast.codegen.compile import GeneratedFunction
from yota_ast.errors import YotaError
from yota_ast.ir.abstract_values import gone_through_once
from yota_ast.ir.tape import Program
from yota_ast.nesting.call_inference import infer
from yota_ast.pipeline import compiled

MOST: Final = 2**20
"""How many numbers the largest array of a block of directions has: 8 MB of floats. All
directions at once would need the memory of one as often as there are directions, and
arrays that do not fit a cache are no faster."""


@dataclass(frozen=True, slots=True)
class Sweeps:
    """A compiled derivative and the calls that it is run for: one for each sweep.

    values: the arguments. along: where the numbers stand that the directions are units
    of.
    """

    entry: Entry
    calls: Iterator[Call]
    values: Mapping[str, object]
    along: Layout

    def columns(
        self, name: str, of: Layout, part: int | None = None
    ) -> tuple[Array, str]:
        """The tangents along each number of an argument, by columns, and the code; of:
        where the numbers of the value stand, or those of an item of it."""
        (moved,) = tangents_of(self.entry)
        x = self.values[name]

        def item(found: Any) -> Any:
            return found if part is None else found[part]

        def one(place: int) -> Array:
            d = varying(name, x, self._unit(place, 1.0))
            found = _run(self.entry.function, next(self.calls), {moved: d})
            return of.flat(item(found[1]))

        def many(batch: Batch, places: range) -> Array:
            like = varying(name, x, self._unit(places[0], 1.0))
            d = stacked_units(like, self.along, places, 1.0)
            found = _run(batch.function, next(self.calls), {moved: d})
            return rows_of(of, item(found), len(places))

        batch = self._batch(moved)
        if batch is not None:
            blocks = [many(batch, places) for places in self._blocks(batch)]
            return np.concatenate(blocks).T, batch.function.source
        found = np.array([*map(one, range(self.along.size))])
        return found.reshape(self.along.size, of.size).T, self.entry.function.source

    def rows(self, columns: Sequence[Layout], unit: Any) -> tuple[list[Array], str]:
        """The gradients for each number of the value with a unit for cotangent, by
        rows, and the code; columns: where the numbers of the arguments stand."""
        entry, program = self.entry, self.entry.program

        def one(place: int) -> list[Array]:
            seed = self._unit(place, unit)
            _, gradients = run_gradient(entry, next(self.calls), seed)
            return [c.flat(d) for c, d in zip(columns, gradients, strict=True)]

        def many(batch: Batch, places: range) -> list[Array]:
            given = seed_options(program, self._unit(places[0], unit))
            like = given[program.seed]
            given = {program.seed: stacked_units(like, self.along, places, unit)}
            call = next(self.calls)
            found = run_text(entry, batch.function.fn, call, given)
            gradients = found if len(program.results) > 1 else (found,)
            for name, gradient in zip(program.wrt, gradients, strict=True):
                refuse_complex(program.name, name, self.values[name], gradient)
            parts = zip(columns, gradients, strict=True)
            return [rows_of(c, d, len(places)) for c, d in parts]

        batch = self._batch(program.seed) if self._takes(unit) else None
        if batch is not None:
            blocks = [many(batch, places) for places in self._blocks(batch)]
            joined = map(np.concatenate, zip(*blocks, strict=True))
            return [*joined], batch.function.source
        found = zip(*map(one, range(self.along.size)), strict=True)
        return [*map(np.array, found)], entry.function.source

    def _unit(self, place: int, unit: Any) -> Any:
        """The structure that is a unit in one place, and zero elsewhere."""
        flat = np.zeros(self.along.size, type(unit))
        flat[place] = unit
        return self.along.filled(flat)

    def _takes(self, unit: Any) -> bool:
        """Whether the code takes such a cotangent: else a sweep says why not."""
        try:
            return bool(seed_options(self.entry.program, self._unit(0, unit)))
        except YotaError:
            return False

    def _blocks(self, batch: Batch) -> Iterator[range]:
        """The places of the directions, by blocks that go together."""
        shapes = (v.shape for v in self.values.values() if isinstance(v, np.ndarray))
        longest = max((n for shape in shapes for n in shape), default=1)
        numbers = most_numbers(batch.each, self.values, longest)
        step = max(MOST // max(numbers, 1), 1)
        for start in range(0, self.along.size, step):
            yield range(start, min(start + step, self.along.size))

    def _batch(self, name: str) -> Batch | None:
        """The code for many directions, where there are several."""
        return batch_for(self.entry, name) if self.along.size > 1 else None


def copies(entry: Entry, call: Call) -> Iterator[Call]:
    """The call, as often as it is wanted: of copies of the arguments, if the function
    may write into them."""
    written = writes(entry.tape)
    while True:
        yield copy_of(call) if written else call


def copy_of(call: Call) -> Call:
    """The call of copies of the arguments, as the plain function gets them."""
    args, kwargs = copied((call.args, call.kwargs))
    return replace(call, args=args, kwargs=kwargs)


def _run(function: GeneratedFunction, call: Call, given: Mapping[str, Any]) -> Any:
    return function.fn(*call.args, **call.kwargs, **given)


# ---------------------------------------------------------------- many directions


@dataclass(frozen=True, slots=True)
class Batch:
    """The code for many directions; each: the lengths of what it computes for one."""

    function: GeneratedFunction
    each: frozenset[Lengths]


def batch_for(entry: Entry, name: str) -> Batch | None:
    """The code of a compiled derivative for many directions, which are a parameter of
    it; None where it has no batched form."""
    function = entry.function
    if function not in _MADE:
        made = _MADE[function] = _batch(entry.program, name)
        if made is not None:
            function.beside.append(made.function)
    return _MADE[function]


@roomy
def _batch(program: Program, name: str) -> Batch | None:
    if not program.results:
        return None
    try:
        with kept_off(), gone_through_once():
            made = of_directions(program, name, with_helpers(infer))
            return Batch(compiled(made), lengths_of_each(made, name))
    except YotaError:
        return None


_MADE: Final = WeakKeyDictionary[GeneratedFunction, Batch | None]()
