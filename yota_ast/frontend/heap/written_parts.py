"""A part of an argument that is written -> what may be it, or hold it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.heap.lowered_values import (
    Argument,
)
from yota_ast.frontend.interpret.finished_blocks import read_by
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Block, walk

MOST_SINGLY: Final = 8


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """What is written: an array, or an argument that is taken apart."""

    text: str
    var: Var | None
    argument: Argument | None = None

    @property
    def example(self) -> object:
        """The object that it is in the example; None of an array."""
        return None if self.argument is None else self.argument.example

    def test_against(self, value: object) -> Callable[..., object] | None:
        """What tells whether it is a value from outside; None where it cannot be."""
        if self.argument is not None:
            return operator.is_ if type(value) is type(self.example) else None
        if isinstance(value, np.ndarray):
            return np.shares_memory
        vague = self.var is not None and self.var.fact.kind == "real"
        return operator.is_ if vague and isinstance(value, (list, dict)) else None


def are_items(value: object, found: Sequence[tuple[str, object]]) -> bool:
    """Whether many things found are items of a list or a dict, or that itself."""
    if len(found) <= MOST_SINGLY or not isinstance(value, (list, tuple, dict)):
        return False
    items = value.values() if isinstance(value, dict) else value
    known = {id(value), *map(id, items)}
    return all(id(each) in known for _, each in found)


def names_in(block: Block, result: object) -> frozenset[str]:
    """The names of what ops read, and of what is returned."""
    read = {a.name for op in walk(block) for a in read_by(op) if isinstance(a, Var)}
    return frozenset(read | ({result.name} if isinstance(result, Var) else set()))
