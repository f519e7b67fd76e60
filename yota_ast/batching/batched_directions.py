"""A derivative along one direction -> the program of a batch of directions.

In: the program of a tangent or of a gradient, and its parameter that is the direction
or the cotangent. Out: a program that takes an array of directions for it, and returns
the derivatives alone. All directions share the other arguments, so that what does not
depend on the direction is computed once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.batching.batched_program import of_examples
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.builder import Infer
from yota_ast.ir.nodes import walk
from yota_ast.ir.tape import Program
from yota_ast.syntax.value_paths import evaluated

Lengths = tuple[Dim | None, ...]


def of_directions(program: Program, name: str, infer: Infer) -> Program:
    """The program of many directions at once: they stand on axis 0 of a parameter, or
    of each array in it. It returns the results without the value, and is called as the
    program is, for errors say that name.

    Raises UnsupportedCall at the first op that has no batched form.
    """
    first, *others = program.results
    alone = replace(program, value=first, results=tuple(others))
    made = of_examples(alone, {name: 0}, infer, directions=True)
    of = program.name.removesuffix("_grad" if program.seed else "_jvp")
    doc = f"Derivatives of {of} for each direction in {name}."
    return replace(made, doc=doc)


def lengths_of_each(program: Program, name: str) -> frozenset[Lengths]:
    """The lengths of the axes of what such a program computes for each direction."""
    (given,) = (p.var.fact for p in program.params if p.var.name == name)
    while given.items:
        given = given.items[0]
    assert isinstance(given.shape, tuple)
    size, *_ = given.shape
    return frozenset(
        var.fact.shape[1:]
        for block in program.sweeps
        for op in walk(block)
        for var in bound_by(op)
        if isinstance(var.fact.shape, tuple) and var.fact.shape[:1] == (size,)
    )


def most_numbers(
    each: frozenset[Lengths], values: Mapping[str, object], longest: int
) -> int:
    """How many numbers the largest of some arrays has; values: the arguments; longest:
    how long an axis is of which no length is known.

    >>> import numpy as np
    >>> n, m = Dim("x.shape[0]"), Dim("x.shape[0]", -1)
    >>> most_numbers(frozenset({(n,), (n, m), (None,)}), {"x": np.ones(4)}, 9)
    12
    """
    counts = (_counts(lengths, values, longest) for lengths in each)
    return max((math.prod(count) for count in counts), default=1)


def _counts(
    lengths: Lengths, values: Mapping[str, object], longest: int
) -> Iterator[int]:
    for dim in lengths:
        if dim is None or dim.base.startswith("@"):
            yield longest
            continue
        try:
            yield max(int(evaluated(str(dim), values)), 0)
        except (AttributeError, LookupError, NameError, TypeError):
            yield longest
