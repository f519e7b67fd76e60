"""isinstance, type, hasattr, getattr and the like -> values."""

from __future__ import annotations

import inspect
import itertools
import operator
import types
from collections.abc import Iterator, Sequence
from typing import Any, Final, NoReturn

from yota_ast.frontend.calls.value_assumptions import NO_NUMBERS, ValueAssumptions
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.expressions.attribute_getters import taken
from yota_ast.frontend.expressions.folding import (
    class_of_function,
    classes_in,
    has_method,
    is_instance,
    type_of,
)
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import (
    finds_otherwise,
    gives,
    modelled,
    runs_code,
)
from yota_ast.frontend.heap.identity import Identity
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Bound,
    Closure,
    Either,
    MethodOf,
    Partial,
    Ref,
    Super,
    TupleValue,
    Value,
    candidates,
    is_user_class,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    BOOL,
    UNKNOWN,
    Fact,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.syntax.value_paths import class_text

Args = Sequence[Value]


Kwargs = Sequence[tuple[str, Value]]


ITERATORS: Final[tuple[type, ...]] = (
    map, zip, filter, enumerate, reversed, types.GeneratorType, type(iter([])),
    type(iter(())), itertools.chain,
)  # fmt: skip
"""Some of the classes that an iterator may be of; there are others."""


_KNOWN_CHECKS: Final = ("abc", "typing", "typing_extensions", "enum")
"""The modules of classes of classes that say as is known here what is of them."""


def _says_itself(cls: object) -> bool:
    """Whether a class, or what stands for one, says in Python what its objects are."""
    return _in_python(inspect.getattr_static(type(cls), "__instancecheck__", None))


def _in_python(check: object) -> bool:
    """Whether a check is a function of Python's, of which no more is known here."""
    inside = getattr(check, "__func__", check)
    known = getattr(inside, "__module__", None) in _KNOWN_CHECKS
    return isinstance(inside, types.FunctionType) and not known


class TypeQuestions(Component):
    """Questions about types and attributes."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    identity = uses(Identity)
    kinds = uses(ValueKinds)
    object_attributes = uses(ObjectAttributes)
    known_items = uses(KnownItems)

    def builtin_isinstance(self, args: Args, kwargs: Kwargs) -> Value | None:
        """isinstance(x, T): known from facts."""
        value, classes = args
        types = self.known_classes(classes)
        if types is None:
            self.position.refuse_call(
                "the classes given to isinstance are unknown",
                "Name the classes.",
            )
        if isinstance(value, Const):
            return Const(isinstance(value.value, types))
        if any(map(_says_itself, classes_in(types))):
            return self.is_of_any(value, classes)
        for cls in classes_in(types):
            self.check_subclasses_of(type(cls))
        if self.language.is_iterator(value):
            return Const(self.is_iterator_of(types))
        made = class_of_function(value, self.operations.fact)
        if made is not None:
            return Const(issubclass(made, types))
        answer = is_instance(self.operations.fact(value), types)
        if answer is False and self.identity.is_guessed(value):
            if any(map(is_user_class, classes_in(types))):
                answer = None  # it is asked for
            else:
                self.note_guess(value, types)
        if answer is not None:
            if isinstance(None, types):
                self.assumptions.tell_present(value)
            asked = (bool, *classes_in(types))
            self.assumptions.tell_type(value, lambda cls: issubclass(cls, types), asked)
            self.choice.tell_class(value)
            return Const(answer)
        return self.operations.apply(
            isinstance,
            (self.language.atom(value), self.language.atom(classes)),
            fact=BOOL,
        )

    def is_of_any(self, value: Value, classes: Value) -> Value | None:
        """isinstance(x, T), where a T says itself what is of it: each is asked."""
        items = (
            self.language.items_of(classes)
            if self.known_items.is_tuple(classes)
            else None
        )
        if items is None:
            return self.is_of_what_says_itself(value, classes)
        for i, item in enumerate(items, 1):
            answer = self.builtin_isinstance((value, item), ())
            if answer != Const(False):
                if isinstance(answer, Var) and i < len(items):
                    self.position.refuse_call(
                        "isinstance is given several classes, and one of them answers "
                        "by values that only the run knows",
                        "Ask for each class alone, joined by `or`.",
                    )
                return answer
        return Const(False)

    def is_of_what_says_itself(self, value: Value, asked: Value) -> Value:
        """isinstance(x, T) of a T whose class has `__instancecheck__`."""
        wanted = self.known_classes(asked)
        if type_of(self.operations.fact(value)) is wanted:
            return Const(True)
        cls, name = type(wanted), "__instancecheck__"
        check = inspect.getattr_static(cls, name)
        method = self.object_attributes.class_attribute(check, asked, cls, name)
        truth = self.language.truth(self.language.call(method, (value,)))
        return Const(truth) if isinstance(truth, bool) else truth

    def check_subclasses_of(self, meta: type) -> None:
        """Refuse a class of classes that says itself what is derived of them."""
        name = "__subclasscheck__"
        if _in_python(inspect.getattr_static(meta, name, None)):
            self.object_attributes.refuse_descriptor(name, meta)

    def note_guess(self, value: Value, types: Any) -> None:
        """Note of what classes an argument is taken not to be."""
        for cls in classes_in(types) if isinstance(value, Var) else ():
            if cls in NO_NUMBERS:
                continue  # that is checked where the text starts
            if isinstance(value, Var) and isinstance(cls, type):
                self.assumptions.not_of[value.name, cls] = value

    def is_iterator_of(self, types: Any) -> bool:
        """Whether an iterator is of one of some classes, whichever iterator it is."""
        if all(issubclass(cls, types) for cls in ITERATORS):
            return True
        of_iterators = any(issubclass(cls, Iterator) for cls in classes_in(types))
        if of_iterators or any(issubclass(cls, types) for cls in ITERATORS):
            self.language.refuse_as_list()
        return False

    def builtin_issubclass(self, args: Args, kwargs: Kwargs) -> Value | None:
        """issubclass(type(x), T) of classes that are known."""
        known = [self.known_classes(a) for a in args]
        try:
            return None if None in known else Const(issubclass(*known))
        except TypeError:  # the text raises it when it runs
            return None

    def known_classes(self, value: Value) -> Any:
        """The classes that isinstance is given."""
        if isinstance(value, Const):
            return value.value
        if isinstance(value, TupleValue):
            parts = [self.known_classes(v) for v in value.items]
            return None if None in parts else tuple(parts)
        return None

    def builtin_type(self, args: Args, kwargs: Kwargs) -> Value | None:
        """type(x)."""
        if len(args) != 1:
            return None
        value = args[0]
        fact = self.operations.fact
        cls = class_of_function(value, fact)
        if cls is None:
            if isinstance(value, Const):
                cls = type(value.value)
            else:
                cls = type_of(fact(value))
        if cls is None:
            return self.operations.apply(
                type, (self.language.atom(value),), fact=Fact("callable")
            )
        cls = modelled(cls)
        self.assumptions.tell_type(value, lambda cls: cls)
        self.choice.tell_class(value)
        return Const(cls, class_text(cls), cls.__module__)

    def builtin_init(self, args: Args, kwargs: Kwargs) -> Value | None:
        """super().__init__(), where no base has one of its own."""
        return NULL if len(args) == 1 and not kwargs else None

    def builtin_callable(self, args: Args, kwargs: Kwargs) -> Value | None:
        """callable(f)."""
        if isinstance(args[0], Const):
            return Const(callable(args[0].value))
        if isinstance(args[0], MethodOf):
            if has_method(self.operations.fact(args[0].owner), args[0].name):
                return Const(True)
            return self.operations.apply(
                callable, (self.language.atom(args[0]),), fact=BOOL
            )
        if isinstance(args[0], (Closure, Bound, Partial)):
            return Const(True)
        if isinstance(args[0], Either) and not self.choice.is_chosen(args[0]):
            return self.choice.identity(operator.is_not, args[0], NULL)
        cls = self.choice.class_of(args[0])
        if cls is not None:  # not by getattr: the class itself may be called
            self.choice.tell_class(args[0])
            return Const(any("__call__" in vars(base) for base in cls.__mro__))
        if self.operations.fact(args[0]).is_numeric:
            self.assumptions.tell_uncalled(args[0])
            return Const(False)
        return self.operations.apply(
            callable, (self.language.atom(args[0]),), fact=BOOL
        )

    def builtin_hasattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """hasattr(x, name)."""
        name = self.assumptions.known_value(self.assumptions.as_given(args[1]))
        if name is None or not isinstance(name.value, str):
            return None
        if self.runs_getter(args[0], name.value):
            return Const(taken(self, args[0], name.value) is not None)
        there = self.has(args[0], name.value)
        if there is not None:
            return there
        return self.operations.apply(
            hasattr, (self.language.atom(args[0]), name), fact=BOOL
        )

    def runs_getter(self, owner: Value, name: str) -> bool:
        """Whether an attribute of an object is known by running its getter."""
        if isinstance(owner, Argument) and owner.example is None:
            return False
        return runs_code(self.choice.class_of(owner), name)

    def has(self, owner: Value, name: str) -> Value | None:
        """Whether an attribute is there, where facts tell."""
        if isinstance(owner, Const):
            return Const(hasattr(owner.value, name))
        if isinstance(owner, Super):
            return Const(
                any(name in vars(c) for c in self.object_attributes.bases_after(owner))
            )
        if self.choice.is_chosen(owner):
            answers = [self.has(one, name) for one in candidates(owner)]
            return answers[0] if all(a == answers[0] for a in answers) else None
        made = owner if isinstance(owner, Ref) and self.kinds.is_object(owner) else None
        own = None if made is None else self.cells.heap[made.cell].cls
        if own is not None and modelled(own) is not own:
            return Const(hasattr(modelled(own), name))
        if made is not None and name in self.cells.heap[made.cell].items:
            self.object_attributes.surely_there(made, name)
            return Const(True)
        if isinstance(owner, Argument) and owner.example is not None:
            there = hasattr(owner.example, name)
            self.structures.tell_attribute(owner, name, there=there)
            return Const(there)
        cls = type_of(self.operations.fact(owner))
        if cls is None or hasattr(cls, "__getattr__") or finds_otherwise(cls):
            return None
        if isinstance(owner, Argument) and self.choice.class_of(owner) is cls:
            return None  # it may have fields of its own
        if isinstance(owner, Ref) and owner.cell in self.structures.opened_from:
            argument = self.structures.opened_from[owner.cell]
            self.structures.tell_attribute(argument, name, there=gives(cls, name))
        self.assumptions.tell_type(owner, lambda cls: gives(cls, name))
        return Const(gives(cls, name))

    def builtin_getattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """getattr(x, name[, default])."""
        name = self.assumptions.known_value(self.assumptions.as_given(args[1]))
        if name is None or not isinstance(name.value, str):
            self.position.refuse_call(
                "the name given to getattr is not a literal",
                "Write the name as a literal, or the attribute itself.",
            )
        if len(args) == 3 and self.runs_getter(args[0], name.value):
            value = taken(self, args[0], name.value)
            return args[2] if value is None else value
        if len(args) == 3:
            there = self.has(args[0], name.value)
            if isinstance(there, Const) and there.value is False:
                return args[2]
            if there is None and self.operations.fact(args[0]).kind == "real":
                atoms = (self.language.atom(args[0]), name, self.language.atom(args[2]))
                return self.operations.apply(getattr, atoms, fact=UNKNOWN)
        return self.language.attribute(args[0], name.value)

    def builtin_setattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """setattr(x, name, value)."""
        self.assign_attribute(args[0], self.name_to_set(args[1]), args[2])
        return NULL

    def plain_setattr(self, args: Args, kwargs: Kwargs) -> Value | None:
        """object.__setattr__(x, name, value), also where x is frozen."""
        self.set_attribute(args[0], self.name_to_set(args[1]), args[2])
        return NULL

    def name_to_set(self, value: Value) -> str:
        """The name that setattr is given."""
        name = self.assumptions.known_value(self.assumptions.as_given(value))
        if name is None or not isinstance(name.value, str):
            self.position.refuse_call(
                "the name given to setattr is not a literal",
                "Write the name as a literal, or the attribute itself.",
            )
        return name.value

    def builtin_delattr(self, args: Args, kwargs: Kwargs) -> NoReturn:
        """delattr(x, name)."""
        self.position.refuse_call(
            "a call deletes an attribute", "Give it another value, such as None."
        )

    @extensible
    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value, whatever the class says of it."""
        raise NotImplementedError

    @extensible
    def own_setter(self, cls: type | None) -> Value | None:
        """The function by which a class sets fields; see instances.py."""
        raise NotImplementedError

    @extensible
    def assign_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value; see instances.py."""
        raise NotImplementedError
