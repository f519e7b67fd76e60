"""A tape whose facts name variables around it -> the same, in names of its own.

The length of an axis is named after an argument, `x.shape[0]`. The tape of a nested
call has other arguments: a length that is an axis of one of them is named after it, and
every other length is a name that is not printed.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.nodes import Block
>>> shape = (Dim("x.shape[0]", 0, 3), Dim("n", 1, 4))
>>> A, B = Var("A", array_fact("f8", shape)), Var("B", array_fact("f8", shape[:1]))
>>> f = Function("f", (A, B), Block(()), A)
>>> A, B = renamed(f, names_of(f.params)).params
>>> [str(dim) for dim in (*A.fact.shape, *B.fact.shape)]
['A.shape[0]', '@n + 1', 'A.shape[0]']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.axis_lengths import Dim, stopped, up_to
from yota_ast.ir.functions import Function
from yota_ast.ir.renaming import Substitution
from yota_ast.syntax.value_paths import attribute_text, axis_text


def renamed(function: Function, names: Mapping[str, str]) -> Function:
    """The function with facts in other names: its own, or those of the tape in which it
    is called."""
    facts = _Facts(names)
    return replace(
        function,
        params=tuple(map(facts.var, function.params)),
        block=facts.block(function.block),
        result=facts.atom(function.result),
    )


def names_of(params: Sequence[Var]) -> Mapping[str, str]:
    """What a name of a length, or of a shape, is called after the parameters."""
    found: dict[str, str] = {}
    for p in params:
        if isinstance(p.fact.shape, str):
            found.setdefault(p.fact.shape, attribute_text(p.name, "shape"))
        elif p.fact.shape is not None:
            for k, dim in enumerate(p.fact.shape):
                if dim is not None and dim.base and not dim.offset:
                    found.setdefault(dim.base, axis_text(p.name, k))
        elif p.fact.length is not None and not p.fact.length.offset:
            found.setdefault(p.fact.length.base, p.name)
    return found


class _Facts(Substitution):
    """Gives each variable a fact in other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__({})
        self.names = names

    def var(self, var: Var) -> Any:
        """The variable, with what is known of it in other names."""
        if var.name not in self.made:
            self.made[var.name] = replace(var, fact=self.fact(var.fact))
        return self.made[var.name]

    def fact(self, fact: Fact) -> Fact:
        """The same fact in other names."""
        changes: dict[str, Any] = {}
        if isinstance(fact.shape, str):
            changes["shape"] = self.name(fact.shape)
        elif fact.shape:
            changes["shape"] = tuple(map(self.dim, fact.shape))
        for own in ("length", "picked"):
            if getattr(fact, own) is not None:
                changes[own] = self.dim(getattr(fact, own))
        if fact.ends is not None:
            changes["ends"] = tuple(
                self.dim(e) if isinstance(e, Dim) else e for e in fact.ends
            )
        if fact.items is not None:
            changes["items"] = tuple(map(self.fact, fact.items))
        for inner in ("element", "present"):
            held = getattr(fact, inner)
            if held is not None:
                changes[inner] = self.fact(held)
        return replace(fact, **changes) if changes else fact

    def dim(self, dim: Dim | None) -> Dim | None:
        """The same length in another name. One that is not printed is not compared
        with others either: no test could ask whether they are equal."""
        if dim is None or not dim.base:
            return dim
        name = self.name(dim.base)
        return Dim(name, dim.offset, None if name.startswith("@") else dim.size)

    def name(self, name: str) -> str:
        """What a length or a shape is called."""
        known = self.names.get(name)
        if known is not None:
            return known
        part = stopped(name)
        if part is not None:
            axis, stop = part
            return str(up_to(Dim(self.name(axis)), stop))
        return name if name.startswith("@") else f"@{name}"
