"""What is known of a value that is one of two -> the lengths that are taken for equal.

In: what is known of an array before a loop and after an iteration, or in the two arms
of a branch.  Out: what is known of the array that is handed on; the text checks when it
begins that the lengths are equal that are so in the example.
"""

from __future__ import annotations

from yota_ast.analysis.steady_shapes import steadied, steady
from yota_ast.frontend.components import Component, Components
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.facts.joined_facts import join


class JoinedLengths(Component):
    """Lengths that are called by one name from where values are joined."""

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.equal: dict[tuple[Dim, Dim], None] = {}  # what the text checks

    def handed_on(self, before: Fact, after: Fact) -> Fact:
        """What is known of what an iteration gets: from before, or from the last."""
        lengths = steady(before, after) if self.settings.assuming else []
        return self._joined(before, after, lengths)

    def of_arms(self, one: Fact, other: Fact) -> Fact:
        """What is known of what a branch hands on. One arm has a length that is written
        in the program, as `np.zeros(3)` has, and the other that of an argument: they
        are equal in the example."""
        lengths = steady(one, other) if self.settings.assuming else []
        if not all(_is_written(p) != _is_written(q) for p, q in lengths):
            return join(one, other)
        if not all(_is_axis(p) or _is_axis(q) for p, q in lengths):
            return join(one, other)
        return self._joined(one, other, lengths)

    def _joined(self, one: Fact, other: Fact, lengths: list[tuple[Dim, Dim]]) -> Fact:
        if lengths and isinstance(other.shape, tuple):
            self.equal.update(dict.fromkeys(lengths))
            other = other.with_shape(steadied(one, other))
        return join(one, other)


def _is_written(dim: Dim) -> bool:
    """Whether a length is a literal."""
    return not dim.base


def _is_axis(dim: Dim) -> bool:
    """Whether a length is that of an axis of an argument, and no sum."""
    return bool(dim.base) and not (dim.offset or len(dim.terms) > 1 or "@" in dim.base)
