"""Reading methods of a dict whose keys are unknown -> ops of the tape.

The generated code holds such a dict as a whole: a loop over a table has set its items.
What is differentiated in it is refused, by adjoint/results/untracked_values.py.

>>> from yota_ast.ir.abstract_values import INT, NONE
>>> known = Fact("dict", cls=dict, element=INT)
>>> fact_of_method("values", known, NONE).element == INT
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from yota_ast.frontend.arrays.array_stores import ArrayStores
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extends, uses
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import NULL, Ref, Value
from yota_ast.frontend.library.dict_methods import DictMethods
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.library.value_methods import Method, ValueMethods
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import NONE, UNKNOWN, Fact, anonymous
from yota_ast.ir.atoms import Var
from yota_ast.ir.facts.joined_facts import element_of, join

READS: Final = ("get", "items", "keys", "values")
_VIEWS: Final = {name: type(getattr({}, name)()) for name in READS[1:]}


def fact_of_method(name: str, known: Fact, default: Fact) -> Fact:
    """Return what is known of `d.get(k, default)`, `d.items()`, `d.keys()` or
    `d.values()`."""
    value = element_of(known)
    if name == "get":
        return anonymous(join(value, default))
    pair = Fact("tuple", items=(UNKNOWN, value), cls=tuple)
    items = {"items": pair, "keys": UNKNOWN, "values": value}
    return Fact("other", cls=_VIEWS[name], element=anonymous(items[name]))


class OpenDicts(Component):
    """Dicts that the generated code holds as a whole."""

    language = uses(Language)
    cells = uses(Cells)
    operations = uses(Operations)
    keyed_items = uses(KeyedItems)
    assumptions = uses(ValueAssumptions)
    atoms = uses(Atoms)
    array_stores = uses(ArrayStores)

    @extends(ValueMethods.method_of_container)
    def method_of_container(
        self,
        rest: Callable[..., Value],
        owner: Value,
        name: str,
        args: Args,
        kwargs: Kwargs,
    ) -> Value:
        """A method of a container: those that read such a dict are ops."""
        whole = self.cells.heap[owner.cell].var if isinstance(owner, Ref) else None
        if name in READS and whole is not None and whole.fact.kind == "dict":
            return self.read_open_dict(whole, name, args)
        return rest(owner, name, args, kwargs)

    def read_open_dict(self, owner: Var, name: str, args: Args) -> Value:
        """d.items() of a dict whose keys are unknown."""
        default = self.operations.fact(args[1]) if len(args) > 1 else NONE
        fact = fact_of_method(name, owner.fact, default)
        atoms = (self.language.fresh(owner), *map(self.language.atom, args))
        return self.operations.apply(
            Method(name), atoms, form="method", spelling=name, fact=fact
        )

    @extends(DictMethods.dict_get)
    def dict_get(
        self,
        rest: Callable[..., Value],
        owner: Value,
        key: Value,
        default: Value = NULL,
    ) -> Value:
        """d.get(key, default): of a key that no tests find, as the dict is now."""
        known = self.assumptions.known_value(self.assumptions.as_index(key)) is not None
        if (
            known
            or not isinstance(owner, Ref)
            or not self.array_stores.may_be_held(owner, key)
        ):
            return rest(owner, key, default)
        found = self.keyed_items.item_by_key(owner, key, default)
        if found is not None:
            return found
        whole = self.atoms.atom_of_cell(owner)
        assert isinstance(whole, Var)
        return self.read_open_dict(whole, "get", (key, default))
