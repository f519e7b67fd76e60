"""An argument, a path into it -> what stands for that part."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import (
    Component,
    Components,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Ref,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    Fact,
    real_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import (
    Origin,
    Read,
)
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_paths import (
    FieldKey,
    PathStep,
    key_of_item,
    path_name,
    path_text,
)


class ArgumentParts(Component):
    """Parts of arguments, as they are read."""

    language = uses(Language)
    position = uses(Position)
    variables = uses(Variables)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.reads: dict[tuple[object, ...], Read] = {}
        self.held: dict[str, tuple[str, object]] = {}  # functions in arguments
        self.brought: dict[int, Const] = {}  # defaults, what methods and partials bind
        self.owned_cells: dict[tuple[str, tuple[PathStep, ...]], Ref] = {}

    def loaded(self, name: object) -> Value:
        """sys.modules[name], of the modules that are loaded now."""
        module = sys.modules.get(str(name))
        if module is None:
            return self.operations.failing(KeyError, str(name))
        return Const(module, identifier(str(name).rpartition(".")[2]), str(name))

    # ------------------------------------------------------------ arguments

    def read(
        self, root: Var, path: tuple[PathStep, ...], fact: Fact | None = None
    ) -> Var:
        """A field of an argument, read once, at the top of the text."""
        key = (root.name, path)
        if key not in self.reads:
            text = path_text(root.name, path)
            known = real_fact(text) if fact is None else fact
            # A pass over a loop that is given up gives back the numbers of its
            # variables; what is read of an argument outlives it.
            hint = path_name(root.name, path)
            out = self.variables.var_called(f"%r{len(self.reads)}", known, hint)
            self.reads[key] = Read(out, root, path, Origin(self.position.location()))
            self.structures.paths[out.name] = (root, path)
            self.remember_argument(out, text)
        return self.reads[key].out

    @extensible
    def remember_argument(self, var: Var, text: str) -> None:
        """Note that a variable's memory is the caller's; see array_writes.py."""
        raise NotImplementedError

    def argument(
        self, root: Var, path: tuple[PathStep, ...], fact: Fact, example: object
    ) -> Value:
        """The value of an argument, or of a part of one."""
        if fact.kind == "none":
            self.structures.tell_none(root, path)
            return NULL
        self.assumptions.sample(root, path, fact, example)
        if fact.kind == "callable" and example is not None:
            if not path:
                return Const(example, root.name)
            self.function_held(root, path, example)
            return Const(example)
        container = fact.kind in ("tuple", "list", "dict") and fact.items is not None
        owned = self.owned_part(root, path, example) if self.owned_cells else None
        if owned is not None:
            return owned
        if container or fact.kind == "object":
            return Argument(root, path, fact, example)
        var = root if not path else self.read(root, path, fact)
        return (
            self.assumptions.as_given(var)
            if root.name in (self.assumptions.fixed or ())
            else var
        )

    @extensible
    def owned_part(
        self, root: Var, path: tuple[PathStep, ...], example: object
    ) -> Ref | Var | None:
        """What is written, by one of its names; see outside_writes.py."""
        raise NotImplementedError

    @extensible
    def bring(self, found: Const) -> None:
        """Note a default, or what a method or an object from outside holds."""
        self.brought[id(found.value)] = found

    @extensible
    def note_borne(self, text: str, fn: object) -> None:
        """Note what a method or a partial in an argument binds."""
        raise NotImplementedError

    @extensible
    def check_whole(self, value: Argument) -> None:
        """Refuse to hand on what holds something written; see outside_writes.py."""
        raise NotImplementedError

    def function_held(self, root: Var, path: tuple[PathStep, ...], fn: object) -> None:
        """Have the text check which function an argument holds."""
        text = path_text(root.name, path)
        self.held[text] = root.name, fn
        if isinstance(fn, (types.MethodType, functools.partial)):
            self.note_borne(text, fn)
        for check in Check.function(text, fn):
            self.structures.checks[text] = check

    @provides(ItemsAndTruth.item_of_argument)
    def item_of_argument(self, argument: Argument, key: object) -> Value:
        """argument[key], of a container of known items."""
        fact, keys = argument.fact, argument.fact.keys
        position: Any = keys.index(key) if keys is not None else key
        items = fact.items or ()
        if isinstance(position, int) and position < 0:
            position += len(items)
        named = key if keys is not None else key_of_item(fact.cls, position)
        if type(named) is FieldKey:
            self.choice.tell_class(argument)
        path = (*argument.path, _item(named))
        example: Any = argument.example
        part = None if example is None else example[key]
        return self.argument(argument.root, path, items[position], part)

    @provides(Atoms.atom_of_argument)
    def atom_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's, as a whole: as it is now, where a part
        of it is written."""
        inside = len(value.path)
        self.check_whole(value)
        for root, path in self.owned_cells:
            if root == value.root.name and path[:inside] == value.path != path:
                return self.language.atom(self.opened(value, deep=False))
        return self.place_of_argument(value)

    @extensible
    def opened(self, value: Value, *, deep: bool = True) -> Value:
        """A container or object of the caller's, as one of its parts."""
        raise NotImplementedError

    def place_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's itself."""
        if not value.path:
            return value.root
        return self.read(value.root, value.path, value.fact)


def _item(key: object) -> PathStep:
    return ("item", key)
