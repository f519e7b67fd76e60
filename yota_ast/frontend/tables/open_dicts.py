"""Reading methods of a dict whose keys are unknown -> ops of the tape.

The generated code holds such a dict as a whole: a loop over a table has set its items.
What is differentiated in it is refused, by adjoint/results/untracked_values.py.

>>> from yota_ast.ir.abstract_values import INT, NONE
>>> known = Fact("dict", cls=dict, element=INT)
>>> fact_of_method("values", known, NONE).element == INT
True
"""

from __future__ import annotations

from typing import Final

from yota_ast.frontend.calls.solver_calls import Solving
from yota_ast.frontend.heap.lowered_values import NULL, Ref, Value
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.library.value_methods import Method
from yota_ast.ir.abstract_values import (
    NONE,
    UNKNOWN,
    Fact,
    anonymous,
    element_of,
    join,
)
from yota_ast.ir.atoms import Var

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


class OpenDicts(Solving):
    """Dicts that the generated code holds as a whole."""

    def method_of_container(
        self, owner: Value, name: str, args: Args, kwargs: Kwargs
    ) -> Value:
        """A method of a container: those that read such a dict are ops."""
        whole = self.heap[owner.cell].var if isinstance(owner, Ref) else None
        if name in READS and whole is not None and whole.fact.kind == "dict":
            return self.read_open_dict(whole, name, args)
        return super().method_of_container(owner, name, args, kwargs)

    def read_open_dict(self, owner: Var, name: str, args: Args) -> Value:
        """d.items() of a dict whose keys are unknown."""
        default = self.fact(args[1]) if len(args) > 1 else NONE
        fact = fact_of_method(name, owner.fact, default)
        atoms = (self.fresh(owner), *map(self.atom, args))
        return self.apply(Method(name), atoms, form="method", spelling=name, fact=fact)

    def dict_get(self, owner: Value, key: Value, default: Value = NULL) -> Value:
        """d.get(key, default): of a key that no tests find, as the dict is now."""
        known = self.known_value(self.as_index(key)) is not None
        if known or not isinstance(owner, Ref) or not self.may_be_held(owner, key):
            return super().dict_get(owner, key, default)
        found = self.item_by_key(owner, key, default)
        if found is not None:
            return found
        whole = self.atom_of_cell(owner)
        assert isinstance(whole, Var)
        return self.read_open_dict(whole, "get", (key, default))
