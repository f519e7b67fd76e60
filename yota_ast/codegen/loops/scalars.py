"""The expression of a number -> the same for loops under Numba.

A sum, mean or product of arrays in it is computed ahead, in loops of its own. Numbers
of Python raise under Numba what they raise in Python: by the helpers `quotient` and
`math_value`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.loops.elements import is_array, with_numbers
from yota_ast.codegen.loops.lists import Lists, is_list
from yota_ast.codegen.loops.reductions import Reductions
from yota_ast.codegen.numba_source.number_arithmetic import as_numpy, in_python
from yota_ast.codegen.number_items import with_numbers_for_items
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply, If, Outlined
from yota_ast.ops.registry import info
from yota_ast.runtime import picked as picked_of_any
from yota_ast.runtime.general.number_errors import (
    floored,
    math_value,
    picked,
    quotient,
    remainder,
)

_IMPLIED: Final[Mapping[Any, Sequence[Any]]] = {
    np.linalg.svd: [(("full_matrices", Const(False)),)],
}
"""The options that calls may have."""
_ORDERS: Final = (Const("C"), Const("K"))
_LITERALS: Final = (bool, int, float, str, type(None))


class Scalars:
    """Rewrites the expressions of numbers. reductions: those of arrays to numbers.

    callees: by the functions that the program defines, what these read of modules.
    wide: the integers that may have more than 64 bits.
    """

    def __init__(
        self, draft: Draft, callees: Mapping[str, Sequence[Const]] | None = None,
        wide: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.draft = draft
        self.wide = wide
        self.callees = callees or {}
        self.reductions: Reductions | None = None
        self.lists: Lists | None = None

    def __call__(self, atom: Atom) -> Atom:
        """Return the expression of a number."""
        if isinstance(atom, Const):
            return self.const(atom)
        op = self.draft.nested_op(atom)
        if op is None:
            return atom
        return self.choice(op) if isinstance(op, If) else self.operation(op)

    def const(self, const: Const) -> Atom:
        """Return a literal, or the parameter for what has a name outside."""
        if const.text is None and type(const.value) in _LITERALS:
            return const
        if callable(const.value):
            return const
        return self.draft.from_outside(const)

    def choice(self, op: If) -> Atom:
        """Return an expression with a condition, which computes one of its arms."""
        ahead: list[Any] = []
        merge = op.merges[0]
        test = self(op.test)
        with self.draft.within(ahead):
            then, orelse = (
                self(a) if isinstance(a, (Var, Const)) else a
                for a in (merge.then, merge.orelse)
            )
        if ahead:
            self.draft.refuse("an array in one arm of an expression")
        out = self.draft.var(op.merges[0].out.fact)
        merges = (replace(merge, out=out, then=then, orelse=orelse),)
        return self.draft.nest(replace(op, test=test, merges=merges), out)

    def operation(self, op: Apply) -> Atom:
        """Return a call or an operator."""
        assert self.reductions is not None
        op = with_numbers_for_items(op)
        if op.fn is operator.getitem and is_list(op.args[0]):
            return self.of_list(op)
        if op.fn is operator.getitem:
            item = self.of_call(op)
            if item is not None:
                return item
        definition = self.reductions.elements.defined(op)
        if definition is not None:
            return self(definition)
        found = self.reductions.of(op)
        if found is not None:
            return found
        if isinstance(op.fn, Outlined):
            return self.draft.again(self.called(op))
        if op.fn is build_list:
            return self.of_list(op)
        if op.fn is picked_of_any:
            dy, items, y = op.args
            listed = self.draft.nested_op(items)
            if not isinstance(listed, Apply) or listed.fn is not build_tuple:
                self.draft.refuse("`min` or `max` of a sequence")
            given = self.draft.tuple_of([self(a) for a in listed.args])
            return self.draft.call(picked, self(dy), given, self(y), fact=op.out.fact)
        if op.fn is np.where and len(op.args) == 3:
            test, then, orelse = map(self, op.args)
            return self.draft.choice(test, then, orelse, op.out.fact)
        fn = _RENAMED.get(op.fn, op.fn)
        how = info(fn).in_loops
        if how == "arrays":
            return self.whole(op)
        if how not in ("elements", "numbers") or (op.kwargs and op.form != "attribute"):
            self.draft.refuse(f"`{getattr(op.fn, '__name__', op.fn)}`")
        if how == "elements" and any(map(self.is_container, op.args)):
            self.draft.refuse("a list in place of an array")
        self.check_integers(op)
        args = tuple(self(a) for a in op.args)
        if info(fn).arithmetic in ("floor", "remainder") and not _is_number(args[1]):
            rounded = floored if info(fn).arithmetic == "floor" else remainder
            return self.draft.call(rounded, *args, fact=op.out.fact)
        op = replace(op, fn=fn, args=args)
        checked = in_python(self.draft, op, args, self.wide)
        if checked is not None:
            return checked
        plain = op.out.fact.kind != "scalar"
        numbers = (fn, [*args]) if plain else as_numpy(self.draft, op, args)
        made = with_numbers(self.draft, op, numbers, op.out.fact)
        return self.checked(op, made, args)

    def of_list(self, op: Apply) -> Var:
        """Return a list, or an item or part of one."""
        assert self.lists is not None
        if op.fn is build_list:
            return self.lists.built(op)
        return self.draft.again(self.lists.item(op))

    def called(self, op: Apply) -> Apply:
        """Return a call of a function that the program defines."""
        assert self.reductions is not None
        if op.kwargs:
            self.draft.refuse(f"`{op.fn.__name__}` with keywords")
        name = self.reductions.elements.name
        args = tuple(name(a) if is_array(a) else self(a) for a in op.args)
        read = self.callees.get(op.fn.__name__, ())
        return replace(op, args=(*args, *map(self.draft.from_outside, read)))

    def whole(self, op: Apply) -> Atom:
        """Return the number that a function of named arrays gives."""
        return self.draft.again(self.call_of_arrays(op))

    def call_of_arrays(self, op: Apply) -> Apply:
        """Return a call of what Numba has, of named arrays and numbers."""
        assert self.reductions is not None
        name = self.reductions.elements.name
        args = tuple(name(a) if is_array(a) else self(a) for a in op.args)
        if info(op.fn).typed_in_loops and "dtype" in dict(op.kwargs):
            dtype = dtype_argument(self.draft, op, len(args))
            return replace(op, args=args, kwargs=tuple(("dtype", d) for d in dtype))
        if op.kwargs and op.kwargs not in _IMPLIED.get(op.fn, ()):
            self.draft.refuse(f"`{op.fn.__name__}` with options")
        return replace(op, args=args)

    def of_call(self, op: Apply) -> Atom | None:
        """Return an item of what a function gives several of, `slogdet(A)[1]`."""
        owner, inner = op.args[0], self.draft.nested_op(op.args[0])
        if not isinstance(op.args[1], Const):
            return None
        if isinstance(owner, Var) and is_named_tuple(self.draft, owner):
            return self.item_of_tuple(owner, op)
        if not isinstance(inner, Apply):
            return None
        if info(inner.fn).in_loops != "arrays" or inner.out.fact.kind != "tuple":
            return None
        owner = self.draft.again(self.call_of_arrays(inner))
        return self.draft.again(replace(op, args=(owner, op.args[1])))

    def item_of_tuple(self, owner: Var, op: Apply) -> Atom:
        """Return an item of a tuple that has a name, as `t1[0]` of a shape."""
        items = self.draft.tuples.get(owner.name)
        place = op.args[1]
        if items is not None and isinstance(place, Const):
            return self(items[place.value])  # type: ignore[call-overload]
        return self.draft.again(op)

    def is_container(self, atom: Atom) -> bool:
        """Say whether a value is a list or tuple, and no shape of an array."""
        if fact_of_atom(atom).kind not in ("list", "tuple", "dict"):
            return False
        op = self.draft.nested_op(atom)
        return not isinstance(op, Apply) or op.fn is not np.shape

    def check_integers(self, op: Apply) -> None:
        """Refuse what 64 bits may not hold, or what divides integers by 0."""
        arithmetic = info(op.fn).arithmetic
        last = op.args[-1] if op.args else Const(0)
        known = last.value if isinstance(last, Const) else None
        whole = fact_of_atom(op.args[0]).kind in ("int", "bool") if op.args else False
        fraction = fact_of_atom(last).kind == "float"
        if arithmetic == "power" and whole and not fraction and known not in (2, 3):
            self.draft.refuse("a power of an integer, which may have more than 64 bits")
        if arithmetic in ("left shift", "right shift"):
            self.draft.refuse("shifted integers, which may have more than 64 bits")

    def checked(self, op: Apply, made: Var, args: tuple[Atom, ...]) -> Var:
        """Return a value that raises as Python does, where a number of it may."""
        if op.out.fact.kind != "float" or op.origin.reverse:
            return made
        arithmetic = info(op.fn).arithmetic
        if arithmetic == "quotient":
            if isinstance(args[1], Const) and args[1].value:
                return made
            return self.draft.call(quotient, *args, fact=op.out.fact)
        module = getattr(op.fn, "__module__", "")
        if arithmetic == "power" or (module == "math" and info(op.fn).elementwise):
            if isinstance(args[-1], Const) and args[-1].value in (2, 3, 4):
                return made
            return self.draft.call(math_value, made, args[0], fact=op.out.fact)
        return made


def dtype_argument(draft: Draft, op: Apply, place: int) -> tuple[Atom, ...]:
    """Return the dtype that a call names, at a place or by its keyword, if it does.

    >>> from yota_ast.ir.abstract_values import Fact
    >>> y = Var("y", Fact("array", np.dtype("f4"), (None,)))
    >>> op = Apply(y, np.zeros, (Var("n"),), (("dtype", Const("f4")),))
    >>> dtype_argument(Draft({}), op, 1) == (Const(np.float32),)
    True
    """
    named = dict(op.kwargs)
    given = (
        *op.args[place:],
        *(named.pop(k) for k in ("dtype", "order") if k in named),
    )
    stated, orders = given[:1], given[1:]
    if "dtype" not in dict(op.kwargs) and len(op.args) == place:
        stated, orders = (), given
    if named or len(orders) > 1 or any(a not in _ORDERS for a in orders):
        draft.refuse(f"`np.{op.fn.__name__}` with options")
    dtype = op.out.fact.dtype
    if not stated or stated == (Const(None),):
        return ()
    if dtype is None or dtype.kind not in "fbiuc" or not dtype.isnative:
        draft.refuse(f"`np.{op.fn.__name__}` of such numbers")
    return (Const(dtype.type),)


def is_named_tuple(draft: Draft, atom: Atom) -> bool:
    """Say whether a value is a tuple of numbers that has a name, as a shape."""
    fact = fact_of_atom(atom)
    if fact.kind != "tuple" or draft.nested_op(atom) is not None:
        return False
    return isinstance(atom, Var) and all(
        item.is_scalar and item.is_numeric for item in fact.items or ()
    )


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, Const) and bool(atom.value)


def _renamed() -> dict[Callable[..., Any], Callable[..., Any]]:
    from yota_ast.runtime import divided

    return {divided: operator.truediv}


_RENAMED: Final = _renamed()
