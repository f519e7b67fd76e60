"""A signature, abstract values of arguments -> parameters, and what they stand for."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.attributes import fact_of_annotation
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Node,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.context_decorators import own_signature
from yota_ast.frontend.source.default_constants import (
    default_constant,
    written_defaults,
)
from yota_ast.frontend.source.wrappers import Filling, Given, filled, written
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import UNKNOWN, Fact, counted_apart, real_fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.facts.annotations import plain_fact
from yota_ast.ir.functions import Parameter
from yota_ast.support.captured_data import captured_in, with_captured
from yota_ast.syntax import print_expr

KINDS: Final = {
    inspect.Parameter.POSITIONAL_ONLY: "positional-only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "args",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "kwargs",
}


class FunctionParameters(Component):
    """The parameters of the function that is lowered."""

    position = uses(Position)
    cells = uses(Cells)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    items_and_truth = uses(ItemsAndTruth)
    argument_parts = uses(ArgumentParts)
    inlining = uses(Inlining)
    user_calls = uses(UserCalls)

    def parameters(
        self,
        fn: types.FunctionType,
        facts: Mapping[str, Fact],
        examples: Mapping[str, object],
        told: inspect.Signature | None,
    ) -> tuple[list[Parameter], dict[str, Value]]:
        """The parameters, and what the names of the function stand for at first."""
        own = own_signature(fn)
        captured = captured_in(told)
        if captured:
            return self.described(with_captured(own, captured), fn, facts, examples)
        if told is None or told.parameters.keys() == own.parameters.keys():
            return self.described(own, fn, facts, examples)
        params, given = self.described(told, written(fn), facts, examples)
        return params, self.filled(fn, filled(own, told), given)

    def described(
        self,
        signature: inspect.Signature,
        fn: types.FunctionType,
        facts: Mapping[str, Fact],
        examples: Mapping[str, object],
    ) -> tuple[list[Parameter], dict[str, Value]]:
        """The parameters of a signature, and what stands for them; fn: the function in
        whose text they are written."""
        node = self.inlining.definition(fn).tree
        defaults = written_defaults(node.args)
        annotations = {
            p.id: print_expr(p.annotation)
            for p in _parameter_nodes(node.args)
            if getattr(p, "annotation", None) is not None
        }
        params: list[Parameter] = []
        variables: dict[str, Value] = {}
        for name, slot in signature.parameters.items():
            fact = facts.get(name) or self.assumed(slot, fn)
            if slot.kind is slot.VAR_POSITIONAL and name not in facts:
                fact = Fact("tuple")
            if slot.kind is slot.VAR_KEYWORD and name not in facts:
                fact = Fact("dict")
            default = None
            if slot.default is not slot.empty:
                default = default_constant(slot, defaults.get(name), fn)
            var = Var(name, counted_apart(fact, name), name)
            self.structures.paths[name] = (var, ())
            self.argument_parts.remember_argument(var, name)
            kind = KINDS[slot.kind]
            params.append(Parameter(var, kind, default, annotations.get(name, "")))
            example = examples.get(name)
            if name not in examples and slot.default is not slot.empty:
                self.assumptions.sample(var, (), fact, slot.default)
            value = self.argument_parts.argument(var, (), fact, example)
            if slot.kind is slot.VAR_KEYWORD and isinstance(value, Argument):
                # The dict is made by the call: changing it changes nothing outside.
                items = {
                    k: self.items_and_truth.item_of_argument(value, k)
                    for k in fact.keys or ()
                }
                made = self.cells.new_cell(Cell("dict", items, dict))
                self.structures.opened_from[made.cell] = value
                value = made
            variables[name] = value
        return params, variables

    def filled(
        self,
        fn: types.FunctionType,
        filling: Mapping[str, Filling],
        given: Mapping[str, Value],
    ) -> dict[str, Value]:
        """What the parameters of a wrapper are, by what it is given."""
        found: dict[str, Value] = {}
        for name, slot in own_signature(fn).parameters.items():
            part = filling.get(name)
            if part is None:
                found[name] = self.user_calls.default_of(slot.default, name)
            elif isinstance(part, Given):
                found[name] = given[part.name]
            elif isinstance(part, tuple):
                found[name] = self.gathered(part, given)
            else:
                found[name] = self.gathered_by_name(part, given)
        return found

    def gathered(self, parts: Sequence[Given], given: Mapping[str, Value]) -> Value:
        """The tuple that `*args` of a wrapper is."""
        if len(parts) == 1 and parts[0].spread:
            return given[parts[0].name]
        items: list[Value] = []
        for part in parts:
            value = given[part.name]
            items += (
                self.known_items.known_items(value, self.position.node)
                if part.spread
                else [value]
            )
        return TupleValue(tuple(items))

    def gathered_by_name(
        self, parts: Mapping[str, Given], given: Mapping[str, Value]
    ) -> Value:
        """The dict that `**kwargs` of a wrapper is."""
        items: dict[Any, Value] = {}
        for name, part in parts.items():
            value = given[part.name]
            if not part.spread:
                items[name] = value
            elif len(parts) == 1 or not isinstance(value, Ref):
                return value
            else:
                items |= self.cells.heap[value.cell].items
        return self.cells.new_cell(Cell("dict", items, dict))

    def assumed(self, slot: inspect.Parameter, fn: Callable[..., object]) -> Fact:
        """The fact of a parameter of which nothing is said but in the signature."""
        if slot.annotation is not slot.empty:
            annotation = slot.annotation
            if isinstance(annotation, str):
                annotation = fn.__globals__.get(annotation, annotation)
            fact = fact_of_annotation(annotation, slot.name)
            if fact.kind != "real":
                return fact
        if slot.default is None:
            return UNKNOWN
        plain = plain_fact(type(slot.default))
        member = plain is None and isinstance(slot.default, (str, int))  # of an enum
        return UNKNOWN if member else plain or real_fact(slot.name)


def _parameter_nodes(args: Node) -> list[Node]:
    found = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [p for p in found if p is not None]
