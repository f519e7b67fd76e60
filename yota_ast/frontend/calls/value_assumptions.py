"""What lowering takes for granted of values that it cannot do without: strings that
select behaviour, lengths of what is taken apart.

A value of the example, or of a default, stands for the parameter, and the text checks
at its entry that the argument is the same.  Of a module's global the text does so too.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any, Final, assert_never

import numpy as np

from yota_ast.errors import (
    Location,
    YotaError,
)
from yota_ast.frontend.components import Component, Components, extensible, uses
from yota_ast.frontend.expressions.fixed_lengths import whole_numbers_of
from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    SliceValue,
    Value,
    is_literal_value,
    literal,
)
from yota_ast.frontend.interpret.augmented_targets import changed_in_place
from yota_ast.frontend.source.decorator_refusals import (
    is_of_library,
    refused_at_user,
    told_of_wrapper,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.real_numbers import RealNumbers
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    BOOL,
    NUMBERS,
    UNKNOWN,
    Fact,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.entry_tests import Check, rests_on
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    Block,
    Compound,
    If,
    Op,
    Raise,
    Simple,
    Store,
    walk,
)
from yota_ast.support.file_owners import is_users
from yota_ast.syntax.names import shown_name
from yota_ast.syntax.value_literals import literal_text, shown_key
from yota_ast.syntax.value_paths import PathStep, path_text

SELECTING: Final[Mapping[str, type]] = {"str": str, "bool": bool, "int": int}
"""Kinds of values that select behaviour, by their exact types."""
MOST_ITEMS: Final = 32
TYPES_OF_NUMBERS: Final = (float, int, np.float64, np.float32, bool)
"""What an argument that is a number may be."""
NO_NUMBERS: Final = (str, list, tuple, dict)
"""What it may be by mistake, or in programs that take both."""
_MISTAKEN: Final = ("real", "int", "bool", "str")
"""The kinds of arguments that may be another by mistake."""
Place = tuple[str, int, str]
"""A file, a line, the name of a function that is called there."""


class ValueAssumptions(Component):
    """Values of parameters and globals that the text is made for."""

    position = uses(Position)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    operations = uses(Operations)
    real_numbers = uses(RealNumbers)
    structures = uses(ArgumentStructures)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.fixed = self.settings.fixed
        """The parameters whose strings, booleans and integers are taken as they are in
        the example, and lengths too; None: what can be done for all values is."""
        self.present: set[str] = set()  # what is there, as was asked: not None
        self.told: dict[str, tuple[str, ...]] = {}  # what was asked for its kind, types
        self.excluded: dict[str, dict[type, None]] = {}  # what it must not be for that
        self.changed_items: list[str] = []  # of lists: `xs[i] += e`
        self.samples: dict[tuple[str, tuple[PathStep, ...]], tuple[str, object]] = {}
        self.typed = False  # whether the types of arguments are as in the example
        self.ranked = False  # the text is made for the ranks of its arguments
        self.not_of: dict[tuple[str, type], Var] = {}  # classes that they are not of
        self.frozen: dict[tuple[str, str], Const] = {}  # and of globals
        self.given_up: dict[str, YotaError] = {}  # what raises in the text, and why
        self.wrappers: list[tuple[object, Callable[[], Location] | None]] = []
        """The functions at hand that may be a decorator's wrappers."""

    @contextlib.contextmanager
    def told_of_wrapper(self, fn: object) -> Iterator[None]:
        """While a wrapper is lowered: a refusal in it names the user's line."""
        if not is_of_library(fn) or not is_users(
            (place := self.position.location()).filename
        ):
            yield
            return
        self.wrappers.append((fn, lambda: place))
        try:
            with refused_at_user(fn, lambda: place):
                yield
        finally:
            self.wrappers.pop()

    def take_as_fixed(self, name: str) -> None:
        """Take what is brought from outside as it is in the example, too."""
        if self.fixed is not None:
            self.fixed |= {name}

    def depend_on_types(self) -> None:
        """Note that the text is made for the dtypes of its arguments."""
        self.typed = True

    def depend_on_ranks(self) -> None:
        """Note that the text is made for the ranks of its arguments."""
        self.ranked = True

    def restore_given_up(self, given_up: Mapping[str, YotaError]) -> None:
        """Forget what was given up since."""
        self.given_up = dict(given_up)

    def sample(
        self, root: Var, path: tuple[PathStep, ...], fact: Fact, example: object
    ) -> None:
        """Note what value a parameter, or a part of one, has in the example."""
        if type(example) is SELECTING.get(fact.kind):
            self.samples[root.name, path] = (path_text(root.name, path), example)

    def as_given(self, value: Value) -> Value:
        """The literal that a parameter or global is in the example; else the value."""
        if isinstance(value, Var) and value.name not in self.notes.known:
            root, path = self.structures.paths.get(value.name, (value, ()))
            sample = self.samples.get((root.name, path))
            if sample is not None:
                self.notes.known[value.name] = sample[1]
                return self.taken(*sample)
        if isinstance(value, Const) and value.text and not literal(value):
            if type(value.value) in (str, bool) and value.home:
                return self._frozen(value)
        return self.known_value(value) or value

    def flags(
        self, operands: Sequence[Value], known: Sequence[Const | None]
    ) -> list[Const | None]:
        """The literals that operands are, where the text is made for the integers that
        select behaviour: those of classes and modules too, `mode & Flags.FAST`."""
        pairs = list(zip(operands, known, strict=True))
        if self.fixed is None or not all(k or _is_flag(v) for v, k in pairs):
            return [k for _, k in pairs]
        return [k or self._frozen(v) for v, k in pairs]

    def as_index(self, value: Value) -> Value:
        """The literal that a global or a field of a class is, or what is computed of
        such, where it says which item of a container is meant, or which items."""
        if isinstance(value, SliceValue):
            ends = [*map(self.as_index, (value.start, value.stop, value.step))]
            known = [end.value for end in ends if isinstance(end, Const)]
            plain = len(known) == len(ends) and all(map(is_literal_value, known))
            return Const(slice(*known)) if plain else SliceValue(*ends)
        if isinstance(value, Var) and value.name in self.notes.of_modules:
            found, parts = self.notes.of_modules[value.name]
            for part in parts:
                self._frozen(part)
            return Const(found)
        return self._frozen(value) if _is_flag(value) else value

    def note_of_modules(
        self, out: Value, fn: Callable[..., Any], operands: Sequence[Value]
    ) -> None:
        """Note what whole numbers of modules come to, `N - 1`."""
        values: list[Any] = []
        parts: list[Const] = []
        for each in operands:
            if isinstance(each, Var) and each.name in self.notes.of_modules:
                value, more = self.notes.of_modules[each.name]
                parts += more
            elif isinstance(each, Const) and type(each.value) is int:
                value = each.value
                parts += [each] if _is_flag(each) else []
                if each.text and not each.home:  # of a function around
                    return
            else:
                return
            values.append(value)
        if parts and isinstance(out, Var):
            self.notes.of_modules[out.name] = fn(*values), tuple(parts)

    def _frozen(self, value: Value) -> Const:
        """The literal that a global is now: the text checks it."""
        assert isinstance(value, Const)
        assert value.text is not None
        self.frozen[value.home, value.text] = value
        return Const(value.value)

    @extensible
    def known_value(self, value: Value) -> Const | None:
        """The literal that a value is: written, or proved by facts."""
        raise NotImplementedError

    def taken(self, text: str, value: object) -> Const:
        """A value as the example has it: the text checks it."""
        self.structures.checks[text] = Check.equal(text, value)
        return Const(value)

    def length_of(self, value: Value, axis: int = 0) -> int | None:
        """How long an axis of an array is, in the example: the text checks it."""
        if not isinstance(value, Var) or not value.fact.is_numeric:
            return None
        shape = value.fact.shape
        dim = shape[axis] if isinstance(shape, tuple) and shape else None
        return None if dim is None else self.length_shown(dim)

    def length_shown(self, dim: Dim, most: float = MOST_ITEMS) -> int | None:
        """A length, as it is in the example: the text checks it."""
        if not dim.base:
            return dim.offset
        size = dim.example
        if size is None or size > most or dim.base.startswith("@"):
            return None
        if not rests_on(dim, self.structures.checks):
            self.structures.checks[str(dim)] = Check.axis_length(str(dim), size)
        return size

    def tell(self, value: object) -> None:
        """Note that the kind or rank of a value has decided something."""
        if isinstance(value, Var) and value.fact.is_numeric:
            self.told.setdefault(value.name, ())

    def tell_type(
        self,
        value: object,
        answer: Callable[[type], object],
        among: tuple[object, ...] = (bool,),
    ) -> None:
        """Note that an answer about the type of a value has decided something: of
        numbers, the types with the same answer. among: other classes that were asked
        about."""
        self.tell(value)
        if answer(complex) != answer(float):
            self.check_real(value)
        cls = type_of(value.fact) if isinstance(value, Var) else None
        if isinstance(value, Var) and value.fact.kind in _MISTAKEN:
            said = answer(cls or float)
            asked: tuple[type, ...] = NO_NUMBERS
            if value.fact.kind == "str":
                asked = (*NO_NUMBERS, *TYPES_OF_NUMBERS)
            other = [t for t in asked if answer(t) != said]
            self.excluded.setdefault(value.name, {}).update(dict.fromkeys(other))
        if not isinstance(value, Var) or cls is None or not value.fact.is_scalar:
            return
        types = dict.fromkeys((cls, *TYPES_OF_NUMBERS))
        same = [t.__name__ for t in types if answer(t) == answer(cls)]
        if len(same) < len(types) or any(_may_pass(c, cls, answer) for c in among):
            before = self.told[value.name]
            self.told[value.name] = tuple(t for t in same if t in (before or same))

    def check_real(self, value: object) -> None:
        """Have the text check that a number is real which may come of a power of a
        negative one."""
        if not isinstance(value, Var) or value.fact.kind != "float":
            return
        if not self.real_numbers.may_be_power(value):
            return
        if self.position.tries:
            self.position.refuse(
                "within a `try` the class of a number is asked, which is complex if it"
                " is a power of a negative one",
                "Ask for the class outside of it, or first for the sign of the number.",
            )
        test = Apply(self.variables.var(BOOL), np.iscomplexobj, (value,))
        what = "made for real numbers, but a power of a negative one is complex"
        for op in self.raising(test, what):
            self.blocks.emit(op)

    def tell_uncalled(self, value: object) -> None:
        """Note that it has decided something that a number is no function."""
        if isinstance(value, Var):
            self.excluded.setdefault(value.name, {})[FunctionType] = None

    def tell_present(self, *values: Value) -> None:
        """Note that it has decided something whether a value is None."""
        self.present.update(v.name for v in values if isinstance(v, Var))
        for value in values:
            if isinstance(value, Argument):
                self.structures.tell_not_none(value)

    def none_checks(self, things: Mapping[str, Var]) -> None:
        """Check that what is taken not to be None is not: of what branches and loops
        hand on, each value that it may be."""
        handed = [
            pair for op in walk(Block(tuple(self.blocks.ops))) for pair in handed_on(op)
        ]
        before = -1
        while before != len(self.present):
            before = len(self.present)
            for sources, outs in handed:
                if any(out.name in self.present for out in outs):
                    self.tell_present(*(s for s in sources if isinstance(s, Var)))
        for text, var in things.items():
            if var.name in self.present and var.fact.kind != "none":
                check = Check.present(text)
                self.structures.checks[check.test] = check

    def number_checks(self, things: Mapping[str, Var]) -> None:
        """Check that numbers are none of arrays, and arrays of the rank they have,
        where that has decided something: of those that were asked about, and of all
        where what is made of them was."""
        own = {v.name for v in things.values()}
        typed = any(types for name, types in self.told.items() if name not in own)
        whole = whole_numbers_of(Block(tuple(self.blocks.ops)), self.told, things)
        for text, var in things.items():
            asked = var.name in self.told or not own.issuperset(self.told)
            if asked and var.fact.kind == "array":
                self.depend_on_ranks()
            types = self.told.get(var.name, ())
            cls = type_of(var.fact) if typed and var.fact.is_scalar else None
            if cls is not None:
                types = (cls.__name__,)
            if (asked and (types or var.fact.kind in NUMBERS)) or var.name in whole:
                check = Check.number(text, types)
                self.structures.checks[check.test] = check

    def unlike_checks(self, things: Mapping[str, Var]) -> None:
        """Check that what is taken for a number or an array, or for a text, is one,
        where what it is has decided something."""
        for text, var in things.items():
            others = self.excluded.get(var.name, {})
            names = [t.__name__ for t in NO_NUMBERS if t in others]
            if FunctionType in others:
                test, what = f"callable({text})", f"{text} that is not a function"
                self.structures.checks[test] = Check(test, f"made for {what}")
            if others and var.fact.kind == "str":
                test, what = f"not isinstance({text}, str)", f"a text {text}"
            elif names:
                listed = names[0] if len(names) == 1 else f"({', '.join(names)})"
                test = f"isinstance({text}, {listed})"
                what = f"{text} that is a number or an array"
            else:
                continue
            self.structures.checks[test] = Check(test, f"made for {what}")

    def change_checks(
        self,
        things: Mapping[str, Var],
        result: Iterable[str],
        functions: Iterable[Function],
    ) -> None:
        """Check that numbers are no arrays, and arrays without axes no numbers, where
        what changes an array in place has another name, or is the caller's; functions:
        those that are called."""
        for f in functions:
            if any(
                isinstance(o, Apply) and o.form == "augmented" for o in walk(f.block)
            ):
                end = [f.result.name] if isinstance(f.result, Var) else []
                for names in changed_in_place(f.block, end, [p.name for p in f.params]):
                    self.told.update({n: self.told.get(n, ()) for n in names})
        own = {var.name: text for text, var in things.items()}
        ops = Block(tuple(self.blocks.ops))
        for names in changed_in_place(ops, tuple(result), own, self.changed_items):
            mine = [name for name in own if name in names]
            for text, var in things.items():
                known = var.fact
                if var.name not in names or not known.is_scalar:
                    continue
                if known.kind == "array":
                    test = f'not hasattr({text}, "__len__")'
                    self.structures.checks[test] = Check(
                        test, f"made for an array {text}"
                    )
                elif known.is_number:
                    check = Check.number(text)
                    self.structures.checks[check.test] = check
            if not mine:
                self.told.update({n: self.told.get(n, ()) for n in names})

    def type_checks(self, things: Iterable[tuple[str, Fact]]) -> None:
        """Check the types of arrays, where they have decided something."""
        for text, fact in things:
            if self.typed and fact.kind == "array" and fact.dtype is not None:
                name = str(fact.dtype)
                self.structures.checks[f"{text}.dtype"] = Check(
                    f"{text}.dtype != {literal_text(name)}",
                    f"made for {text} of {name}",
                    kinds=True,
                )

    def mask_checks(self, things: Mapping[str, Var]) -> None:
        """Check that masks and slices are such where they are an index: an array of
        numbers may name an item twice."""
        checks: dict[str, Check] = {}
        for text, v in things.items():
            if v.fact.kind == "array" and v.fact.dtype == np.bool_:
                test, what = f"{text}.dtype != bool", "mask"
            elif v.fact.cls is slice:
                test, what = f"not isinstance({text}, slice)", "slice"
            else:
                continue
            checks[v.name] = Check(test, f"made for a {what} {text}", kinds=True)
        for name in self._indices() if checks else ():
            if name in checks:
                self.structures.checks[checks[name].test] = checks[name]

    def _indices(self) -> Iterator[str]:
        """The variables that are an index, a part of one, or what a mask is made of."""
        made: dict[str, Apply] = {}
        pending: list[object] = []
        for op in walk(Block(tuple(self.blocks.ops))):
            match op:
                case Apply():
                    made[op.out.name] = op
                    pending += op.args[1:] if op.fn is operator.getitem else ()
                case Store():
                    pending.append(op.index)
                case Simple() | Compound():
                    pass
                case _:
                    assert_never(op)
        while pending:
            atom = pending.pop()
            if isinstance(atom, Var):
                yield atom.name
                by = made.pop(atom.name, None)
                if by is not None and _is_of_masks(atom.fact):
                    pending += by.args

    def give_up(self, refusal: YotaError, name: str) -> None:
        """Raise in the text where control comes to what cannot be lowered."""
        fn, called_at = self.wrappers[-1]
        refusal = told_of_wrapper(fn, called_at, refusal)
        line = f"line {refusal.lineno}" if refusal.lineno else "a line"
        message = f"{name}_grad: {line} is not handled: {refusal.reason}"
        message = message.partition("\n")[0]
        self.given_up[message] = refusal
        error = self.operations.apply(ValueError, (Const(message),), fact=UNKNOWN)
        self.blocks.emit(Raise(error, self.position.origin))
        self.blocks.end_block()

    def check_not_avoided(self, fn: object) -> None:
        """Refuse a call that is known to have no derivative."""
        name = getattr(fn, "__name__", "")
        found = self.settings.avoided.get(place_of(self.position.origin.location, name))
        if found is not None:
            raise found

    def global_checks(self) -> list[Op]:
        """The ops that check the globals which are taken as they are."""
        ops: list[Op] = []
        for const in self.frozen.values():
            test = self.variables.var(BOOL)
            what = f"made for {const.text} = {shown_key(const.value)}"
            args = (const, Const(const.value))
            by = Apply(test, operator.ne, args, form="operator", origin=NOWHERE)
            ops += self.raising(by, what)
        for const in self.structures.sized.values():
            ops += self._size_check(const)
        for (_, _, key), const in self.structures.keyed.items():
            ops += self._key_check(const, key)
        return ops

    def _size_check(self, const: Const) -> list[Op]:
        """The ops that check that a container of a module has the items, or the keys,
        that it has now."""
        items: Any = const.value
        of: Callable[..., Any] = len
        known, shown = Const(len(items)), f"len({const.text}) = {len(items)}"
        if isinstance(items, Mapping) and all(map(is_literal_value, items)):
            of, known = tuple, Const(tuple(items))
            shown = f"{const.text} of {', '.join(map(shown_key, items))}"
        made, test = self.variables.var(UNKNOWN), self.variables.var(BOOL)
        first = Apply(made, of, (const,), spelling=of.__name__, origin=NOWHERE)
        by = Apply(test, operator.ne, (made, known), form="operator", origin=NOWHERE)
        return [first, *self.raising(by, f"made for {shown}")]

    def _key_check(self, const: Const, key: object) -> list[Op]:
        """The ops that check that a dict of a module has a key, or has not."""
        held: Any = const.value
        there, test = key in held, self.variables.var(BOOL)
        args = (const, Const(key))
        by = Apply(test, operator.contains, args, form="operator", origin=NOWHERE)
        ops: list[Op] = []
        if there:
            ops, test = [by], self.variables.var(BOOL)
            by = Apply(test, operator.not_, (by.out,), form="operator", origin=NOWHERE)
        what = f"{const.text} {'with' if there else 'without'} {shown_key(key)}"
        return [*ops, *self.raising(by, f"made for {what}")]

    def class_checks(self, things: Mapping[str, Var]) -> list[Op]:
        """The ops that check that arguments are of none of the classes that they are
        taken not to be of."""
        ops: list[Op] = []
        texts = {var.name: text for text, var in things.items()}
        for (name, cls), var in self.not_of.items():
            args = (var, Const(cls, cls.__name__, cls.__module__))
            by = Apply(self.variables.var(BOOL), isinstance, args, origin=NOWHERE)
            called = shown_name(cls.__name__)
            what = f"made for {texts.get(name, name)} that is not a {called}"
            ops += self.raising(by, what)
        return ops

    def raising(self, test: Apply, what: str) -> list[Op]:
        """The ops of a check, which raises where a test is true."""
        error, message = (
            self.variables.var(UNKNOWN),
            f"{self.position.title}_grad: {what}",
        )
        raised = Apply(error, ValueError, (Const(message),), spelling="ValueError")
        then = Block((raised, Raise(error, NOWHERE)))
        return [test, If(test.out, then, Block(()), (), "if", NOWHERE)]


def _may_pass(other: object, cls: type, answer: Callable[[type], object]) -> bool:
    """Whether the text would take an object of another class for a number, with another
    answer."""
    if not isinstance(other, type) or any("__len__" in vars(c) for c in other.__mro__):
        return False
    return other not in TYPES_OF_NUMBERS and answer(other) != answer(cls)


def _is_of_masks(fact: Fact) -> bool:
    """Whether a value is a mask, or may hold one or a slice."""
    return fact.kind == "tuple" or fact.dtype == np.bool_


def _is_flag(value: Value) -> bool:
    """Whether a value is an integer or a string of a module or a class."""
    if not isinstance(value, Const) or not value.text:
        return False
    return bool(value.home) and type(value.value) in (int, bool, str)


def place_of(at: Location | None, name: str) -> Place:
    """What tells the calls of a function in one statement from others."""
    return ("", 0, name) if at is None else (at.filename, at.lineno, name)
