"""A rule's adjoint statement and the atoms its names stand for -> ops.

In: an expression over placeholders (`dy * (1 - y * y)`) and what they are bound to.
Out: the ops of that expression, added to a builder, and the atom of its value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import MethodDescriptorType, ModuleType
from typing import Any, TypeGuard

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.nonsmooth.nonzero_values import Makers, never_zero
from yota_ast.adjoint.reverse.signed_counts import signed_atom
from yota_ast.errors import InternalError
from yota_ast.ir.abstract_values import Fact, slice_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Adding, literal
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply, Form
from yota_ast.ops import info
from yota_ast.ops.spellings import ATTRIBUTES, BY_NODE, UFUNC_OF
from yota_ast.runtime import signed
from yota_ast.support.public_names import public_path
from yota_ast.syntax import Node
from yota_ast.syntax.value_paths import attribute_text

Value = Atom | tuple[Atom, ...]


@dataclass(slots=True)
class Template:
    """The names of one use of a rule: placeholders and locals, and all the others."""

    names: dict[str, Value]
    resolve: Callable[[str], object]
    builder: Adding
    numpy: bool = False
    """Whether the primal is NumPy's: where it divides by 0 without raising, so does the
    reverse, though its numbers be Python's."""
    made_by: Makers = field(default=lambda _: None)

    def atom(self, node: Node) -> Atom:
        """The value of an expression as one atom."""
        value = self.value(node)
        if isinstance(value, tuple):
            return self._build(build_tuple, value)
        return value

    def value(self, node: Node) -> Value:
        """The value of an expression: an atom, or the atoms of a `*args` parameter."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise InternalError(f"a rule was let through with {type(node).__name__}")
        result: Value = method(node)
        return result

    def _name(self, node: Node) -> Value:
        if node.id in self.names:
            return self.names[node.id]
        return Const(self.resolve(node.id), node.id)

    def _constant(self, node: Node) -> Atom:
        return literal(node.value)

    def _binop(self, node: Node) -> Atom:
        left, right = self.atom(node.left), self.atom(node.right)
        fn = BY_NODE[type(node.op).__name__].fn
        if _are_ints(left, right):
            return literal(fn(left.value, right.value))  # type: ignore[union-attr]
        divides = info(fn).arithmetic in ("quotient", "floor")
        if self.numpy and divides and self._may_raise(left, right):
            fn = UFUNC_OF[fn]
        return self.builder.apply(fn, left, right)

    def _may_raise(self, left: Atom, right: Atom) -> bool:
        """Whether a quotient may be one of Python's numbers by 0."""
        if not (_may_be_python(left) and _may_be_python(right)):
            return False

        def made_by(name: str) -> Apply | None:
            return self.builder.made.get(name) or self.made_by(name)

        return not never_zero(right, made_by)

    def _unaryop(self, node: Node) -> Atom:
        operand = self.atom(node.operand)
        if _is_fixed(operand) and type(node.op).__name__ == "USub":
            return literal(-operand.value)  # type: ignore[operator]
        return self.builder.apply(BY_NODE[type(node.op).__name__].fn, operand)

    def _compare(self, node: Node) -> Atom:
        assert len(node.ops) == 1, "rules/parse.py lets no chained comparison through"
        left, right = self.atom(node.left), self.atom(node.comparators[0])
        return self.builder.apply(BY_NODE[type(node.ops[0]).__name__].fn, left, right)

    def _tuple(self, node: Node) -> Atom:
        return self._build(build_tuple, self._items(node.elts))

    def _list(self, node: Node) -> Atom:
        return self._build(build_list, self._items(node.elts))

    def _build(self, fn: Callable[..., object], items: tuple[Atom, ...]) -> Atom:
        if fn is build_tuple and all(map(_is_fixed, items)):
            return Const(tuple(a.value for a in items if isinstance(a, Const)))
        parts = tuple(map(fact_of_atom, items))
        known = Fact("list", items=parts, cls=list)
        if fn is build_tuple:
            known = Fact("tuple", items=parts, cls=tuple)
        return self.builder.apply(fn, *items, form="build", fact=known)

    def _items(self, nodes: list[Node]) -> tuple[Atom, ...]:
        items: list[Atom] = []
        for node in nodes:
            if type(node).__name__ == "Starred":
                value = self.value(node.value)
                assert isinstance(value, tuple), "see rules/called.py"
                items += value
            else:
                items.append(self.atom(node))
        return tuple(items)

    def _slice(self, node: Node) -> Atom:
        parts = [literal(None) if p is None else self.atom(p)
                 for p in (node.lower, node.upper, node.step)]  # fmt: skip
        if all(map(_is_fixed, parts)):
            return Const(slice(*(p.value for p in parts if isinstance(p, Const))))
        return self.builder.apply(build_slice, *parts, form="build", fact=slice_fact())

    def _subscript(self, node: Node) -> Atom:
        value = self.value(node.value)
        if isinstance(value, tuple):
            index = self.atom(node.slice)
            if isinstance(index, Const) and isinstance(index.value, int):
                return value[index.value]
            value = self._build(build_tuple, value)
        index = self.atom(node.slice)
        return self.builder.apply(operator.getitem, value, index)

    def _attribute(self, node: Node) -> Atom:
        value = self.atom(node.value)
        if isinstance(value, Const) and _is_known(value.value):
            text = attribute_text(str(value.text), node.attr)
            return Const(getattr(value.value, node.attr), text)
        if node.attr in ATTRIBUTES:
            return self.builder.attribute(node.attr, value)
        return self.builder.apply(
            getattr, value, literal(node.attr), form="attribute", spelling=node.attr
        )

    def _call(self, node: Node) -> Atom:
        args = self._items(node.args)
        kwargs = self._keywords(node.keywords)
        fn = self._path(node.func)
        if fn is not None and fn.value is signed:
            return signed_atom(self.builder, *args)
        if fn is not None:
            called: Any = fn.value
            own = isinstance(called, MethodDescriptorType)  # `SuperLU.solve(lu, b)`
            name = called.__name__ if own else ""
            form: Form | None = "method" if own else None
            return self.builder.apply(
                called, *args, kwargs=kwargs, form=form, spelling=name
            )
        if type(node.func).__name__ != "Attribute":
            model = self.atom(node.func)
            if isinstance(model, Var) and model.fact.kind == "model":
                return self.builder.apply(operator.call, model, *args, kwargs=kwargs)
            raise InternalError("a rule was let through that calls a value")
        receiver = self.atom(node.func.value)
        return self.builder.method(node.func.attr, receiver, *args, kwargs=kwargs)

    def _path(self, node: Node) -> Const | None:
        """The function that a dotted path names."""
        if type(node).__name__ == "Name" and node.id not in self.names:
            return Const(self.resolve(node.id), node.id)
        if type(node).__name__ != "Attribute":
            return None
        owner = self._path(node.value)
        if owner is None:
            return None
        text = attribute_text(str(owner.text), node.attr)
        return Const(getattr(owner.value, node.attr), text)

    def _keywords(self, nodes: list[Node]) -> tuple[tuple[str, Atom], ...]:
        given: list[tuple[str, Atom]] = []
        for k in nodes:
            if k.arg is not None:
                given.append((k.arg, self.atom(k.value)))
                continue
            # **kwargs of the primal call: pairs of atoms
            value: Any = self.value(k.value)
            if isinstance(value, tuple):
                given += [pair for pair in value if isinstance(pair, tuple)]
        return tuple(given)


def _are_ints(left: Atom, right: Atom) -> bool:
    """Whether both are written down: the order of a derivative, and one more."""
    return all(_is_fixed(a) and type(a.value) is int for a in (left, right))


def _is_fixed(atom: Atom) -> TypeGuard[Const]:
    """Whether an atom may be computed with: what is read live may change."""
    return isinstance(atom, Const) and not atom.is_live


def _may_be_python(atom: Atom) -> bool:
    """Whether a value may be a number of Python's, which raises where NumPy's warns."""
    if isinstance(atom, Const):
        return isinstance(atom.value, (int, float))
    return atom.fact.is_python or (atom.fact.kind == "scalar" and not atom.fact.dtype)


def _is_known(value: object) -> bool:
    """Whether attributes of a value may be a rule's names: `stats.norm.pdf`."""
    return isinstance(value, (ModuleType, type)) or public_path(value) is not None


def names_read(node: Node) -> set[str]:
    """The names that an expression reads."""
    if type(node).__name__ == "Name":
        return {node.id}
    found: set[str] = set()
    for name in node._fields:
        value = getattr(node, name)
        for child in value if isinstance(value, list) else [value]:
            if hasattr(child, "_fields"):
                found |= names_read(child)
    return found
