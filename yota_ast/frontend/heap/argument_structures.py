"""What lowering takes for granted of how an argument is made up: how many items a part
of it has, under which keys, whether it is None, its class and its attributes.

In: a part of an argument that has decided something.  Out: checks at the entry of the
text that the part is made up alike.  What has decided nothing is not checked: `p["W"]`
says nothing of the other keys.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from yota_ast.errors import Location
from yota_ast.frontend.components import (
    Component,
    Components,
    extends,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Either,
    Node,
    OneOf,
    Ref,
    Value,
    candidates,
    is_literal_value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import (
    Fact,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.syntax.value_literals import key_text
from yota_ast.syntax.value_paths import PathStep, path_text

_PLAIN: Final = {"list": list, "tuple": tuple, "dict": dict, "str": str}
"""The kinds of parts that are told by isinstance."""


class ArgumentStructures(Component):
    """How the arguments are made up that the text is made for."""

    operations = uses(Operations)
    choice = uses(ObjectChoice)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.brought_at: dict[str, Location | None] = {}
        """What the text calls what is written outside, and where that is."""
        self.paths: dict[str, tuple[Var, tuple[PathStep, ...]]] = {}
        self.called: dict[str, set[str]] = {}
        """What each local name has stood for: names of variables, "" for others."""
        self.checks: dict[str, Check] = {}  # what is taken for granted of arguments
        self.opened_from: dict[int, Argument] = {}  # of cells: whose parts they are
        self.sized: dict[tuple[str, str], Const] = {}  # containers taken item by item
        self.keyed: dict[tuple[str, str, object], Const] = {}  # dicts asked for a key

    def note_name(self, name: str, value: Value) -> None:
        """Note that a local name stands for a value."""
        stands_for = value.name if isinstance(value, Var) else ""
        self.called.setdefault(name, set()).add(stands_for)

    def own_names(self) -> dict[str, str]:
        """What the function calls the parts of arguments, `W, b = params`, by the names
        of their variables: names that stand for nothing else."""
        found: dict[str, str] = {}
        taken = {root.name for root, _ in self.paths.values()}
        for name, values in self.called.items():
            if len(values) == 1 and name not in taken:
                (var,) = values
                if self.paths.get(var, (None, ()))[1]:
                    found.setdefault(var, name)
        return found

    @extensible
    def names_held(self, node: Node) -> Value | None:
        """Which names are fields of an object; see object_fields.py."""
        raise NotImplementedError

    @provides(ObjectChoice.tell_length)
    def tell_length(self, value: Value) -> None:
        """Note that it has decided something how many items a container has."""
        if not isinstance(value, Argument):
            return
        if not value.path and value.root.name not in self.brought_at:
            return  # an argument itself is always checked
        if value.fact.kind in ("list", "tuple", "dict"):
            text, count = text_of(value), len(value.fact.items or ())
            check = Check.length(text, count, len(value.path), value.fact.kind)
            self.checks.setdefault(f"{text} of", check)

    def tell_items(self, value: Value) -> None:
        """Note that the number of items of a module's container, or its keys, have
        decided something: the text checks them, and reads each item when it runs."""
        if isinstance(value, Const) and value.home and value.text:
            self.sized[value.home, value.text] = value

    def tell_entry(self, value: Value, key: object) -> None:
        """Note that it has decided something whether a module's dict or set has a
        key."""
        if isinstance(value, Const) and value.home and value.text:
            held = isinstance(value.value, (dict, set, frozenset))
            if held and is_literal_value(key):
                self.keyed[value.home, value.text, key] = value
            else:
                self.tell_items(value)

    @extends(Cells.items_in_order)
    def items_in_order(
        self, rest: Callable[..., Mapping[Any, Value]], cell: int
    ) -> Mapping[Any, Value]:
        """Those items of a cell where their order matters."""
        if cell in self.opened_from:
            self.choice.tell_keys(self.opened_from[cell])
        return rest(cell)

    @provides(ObjectChoice.tell_keys)
    def tell_keys(self, value: Value) -> None:
        """Note that the keys of a dict have decided something, in their order."""
        if not isinstance(value, Argument) or value.fact.keys is None:
            return
        keys = value.fact.keys
        if not keys:
            self.choice.tell_length(value)
            return
        text = text_of(value)
        self.checks[f"{text} of"] = Check.keys(text, keys, len(value.path))
        for key in keys:
            self.checks.pop(f"{text} in {key_text(key)}", None)

    def tell_key(self, value: Argument | Ref, key: object) -> None:
        """Note that it has decided something whether a dict has a key."""
        if isinstance(value, Ref):
            if value.cell not in self.opened_from:
                return
            value = self.opened_from[value.cell]
        if value.fact.keys is None:
            return
        text, there = text_of(value), key in (value.fact.keys or ())
        known = self.checks.get(f"{text} of")
        if known is None or not known.about.startswith("list"):
            check = Check.key(text, key, len(value.path), there=there)
            self.checks[f"{text} in {key_text(key)}"] = check

    @provides(ObjectChoice.tell_class)
    def tell_class(self, value: Value) -> None:
        """Note that the class of a part, or the kind of a container, has decided
        something."""
        if isinstance(value, Argument):
            self.tell_kind(text_of(value), value.fact, len(value.path))
        elif isinstance(value, (Either, OneOf)):
            for each in candidates(value):
                self.choice.tell_class(each)
        elif isinstance(value, Var) and value.fact.kind == "str":
            root, path = self.paths.get(value.name, (None, ()))
            if root is not None:
                self.tell_kind(path_text(root.name, path), value.fact, len(path))

    def tell_kind(self, text: str, fact: Fact, depth: int) -> None:
        """Note the class of what a text stands for."""
        plain = _PLAIN.get(fact.kind)
        if plain is not None and fact.cls in (None, plain):
            test = f"not isinstance({text}, {plain.__name__})"
            message = f"made for a {plain.__name__} {text}"
            self.checks[f"{text} is a"] = Check(test, message, depth)
        elif fact.cls is not None and (plain is not None or depth):
            # That of an argument which is an object is always checked.
            self.checks[f"{text} is a"] = Check.of_class(text, fact.cls, depth)

    def tell_attribute(self, value: Value, name: str, *, there: bool) -> None:
        """Note that it has decided something whether an object has an attribute."""
        cls = self.operations.fact(value).cls
        if not isinstance(value, Argument) or value.fact.kind != "object":
            self.choice.tell_class(value)
            return
        found: Any = inspect.getattr_static(cls, name, None)
        if there and found is not None and not inspect.isdatadescriptor(found):
            self.choice.tell_class(value)
            return
        check = Check.has(text_of(value), name, len(value.path), there=there)
        self.checks[check.test] = check

    def tell_none(self, root: Var, path: tuple[PathStep, ...]) -> None:
        """Note that a part is None."""
        if path:
            text = path_text(root.name, path)
            test = f"{text} is not None"
            self.checks[test] = Check(test, f"made for {text}=None", len(path))

    def tell_not_none(self, value: Argument) -> None:
        """Note that it has decided something that a part is not None."""
        if value.fact.kind == "object":
            self.choice.tell_class(value)
        else:
            check = Check.present(text_of(value), len(value.path))
            self.checks[check.test] = check

    def tell_own(self, value: Argument, cls: type, name: str, found: Any) -> None:
        """Note that an object has no value of its own in the place of one of its class:
        another object of the class may."""
        if not cls.__dictoffset__ or inspect.isdatadescriptor(found):
            return
        text = text_of(value)
        before = self.checks.get(f"{text} own")
        names = () if before is None else before.own
        if name not in names:
            check = Check.not_own(text, (*names, name), len(value.path))
            self.checks[f"{text} own"] = check


def told(text: str, brought: Mapping[str, str]) -> str:
    """Return what the user calls what is written, by what generated code calls it;
    brought: what the user calls what is written outside.

    >>> told("NEST_p['q']", {"NEST_p": "NEST['p']"}), told("x", {})
    ("NEST['p']['q']", 'x')
    """
    name, rest = _apart(text)
    return brought.get(name, name) + rest


def called(text: str, brought: Mapping[str, str]) -> str:
    """Return the same in a sentence, which says what is an argument."""
    given = "" if _apart(text)[0] in brought else "the argument "
    return f"{given}`{told(text, brought)}`"


def _apart(text: str) -> tuple[str, str]:
    """The name that a text begins with, and the rest."""
    name = re.match(r"\w*", text)
    assert name is not None
    return name[0], text[name.end() :]


def text_of(argument: Argument) -> str:
    """An argument, or a part of one, as the text calls it."""
    return path_text(argument.root.name, argument.path)
