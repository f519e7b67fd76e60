"""What is known of variables, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from yota_ast.frontend.components import Component, Components
from yota_ast.frontend.state.lowering_records import (
    Hint,
    Memory,
    Row,
)
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.nodes import (
    Apply,
)
from yota_ast.ops import sharing

T = TypeVar("T")


class Notes(Component):
    """What is known of each variable."""

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.hints: dict[str, Hint] = {}
        self.memory: dict[str, Memory] = {}
        self.views: dict[str, Apply] = {}  # the ops that took views
        self.ways: dict[str, tuple[Atom | Undefined, Atom | Undefined]] = {}
        # of merged arrays: what each is at the end of either arm
        self.known: dict[str, object] = {}  # values that facts prove: ranks
        self.built: dict[str, Apply] = {}  # ops that build containers, or take sets
        self.renewed: dict[str, Var] = {}  # views taken again: as they were first
        self.elements: dict[str, int] = {}  # items of arrays, by the loop over them
        self.asked: dict[str, Atom] = {}  # of what they are the ranks
        self.rows: dict[str, Row] = {}  # lists that were taken out of lists
        self.lent_rows: dict[
            str, tuple[Var, tuple[Atom, ...]]
        ] = {}  # of lists known by items
        # whole numbers computed of those of modules: what they are now, and of which
        self.of_modules: dict[str, tuple[int, tuple[Const, ...]]] = {}
        self.classes_called: dict[str, type] = {}  # of which they are, if of classes
        self.example_values: dict[str, object] = {}  # what comes of tables, there
        self.first_items: dict[str, object] = {}  # of what loops go over, likewise
        self.of_tables: dict[str, bool | None] = {}  # see data_alone.py
        self.born: dict[str, int] = {}  # in how many loops a variable was made
        self.seen_through: set[str] = set()  # those of which items are read elsewhere
        self.split: set[str] = set()  # built of lists that are known item by item still
        self.foreign: set[str] = set()  # results of calls that are not followed
        self.flats: set[str] = set()  # y.flat, of which a slice is a copy
        self.dense: set[str] = set()  # arrays that lie in memory without gaps
        self.multiplied: set[str] = set()  # whole numbers there that are products
        self.unset: set[str] = set()  # of names that may have no value
        self.real: set[str] = set()  # see real_numbers.py

    def forget(self, name: str) -> None:
        """Forget what was known of a variable that is no more."""
        notes: dict[str, Any]
        for notes in (
            self.hints, self.memory, self.views, self.ways, self.known, self.built,
            self.renewed, self.elements, self.asked, self.rows, self.lent_rows,
            self.of_modules, self.classes_called, self.example_values,
            self.first_items, self.of_tables,
        ):  # fmt: skip
            notes.pop(name, None)
        self.seen_through.discard(name)
        self.split.discard(name)
        self.foreign.discard(name)
        self.flats.discard(name)
        self.dense.discard(name)
        self.multiplied.discard(name)
        self.unset.discard(name)
        self.real.discard(name)
        if self.settings.watch is not None:
            self.settings.watch.lost.discard(name)

    def object_of(self, value: T, successors: Mapping[str, Var]) -> T | Var:
        """A value; of a variable that is another one's array, as `np.asarray(y)` is,
        the other as it is now. successors: the variables after writes."""
        now: T | Var = value
        while isinstance(now, Var):
            made = self.views.get(now.name)
            if now.name in successors:
                now = successors[now.name]
            elif made is not None and sharing(made) == "same" and _is_array(made):
                now = cast("Var", made.args[0])
            else:
                break
        return now

    def bases_of(self, var: Var, successors: Mapping[str, Var]) -> set[str]:
        """The names of the arrays of which a variable is a view, as they are now."""
        found, made = set[str](), self.views.get(var.name)
        while made is not None and isinstance(made.args[0], Var):
            base = made.args[0]
            while base.name in successors:
                base = successors[base.name]
            found.add(base.name)
            made = self.views.get(base.name)
        return found

    def is_one_view(self, one: object, two: object) -> bool:
        """Whether two variables are a view as it was taken, and taken again since."""
        if not isinstance(one, Var) or not isinstance(two, Var):
            return False
        first = self.renewed.get(one.name, one), self.renewed.get(two.name, two)
        return first[0] == first[1]

    def restore_hints(self, hints: dict[str, Hint]) -> None:
        """Call variables as they were called before."""
        self.hints = hints


def _is_array(made: Apply) -> bool:
    """Whether an op is given an array: `np.asarray` of a table makes one of it."""
    given = made.args[0]
    return isinstance(given, Var) and given.fact.kind == "array"
