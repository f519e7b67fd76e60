"""One op and the tangents of its operands -> the tangent of its result, by its rule.

No rule states a tangent. That of an elementwise rule is its adjoint statement with the
tangent in the place of the cotangent; where the function is linear in an operand, it is
the function of the tangent; of everything else the adjoint statements are transposed:
they are linear in the cotangent, and the reverse sweep over them, from the tangents on,
is the tangent (Christianson, "Reverse accumulation and implicit functions", 1998, uses
the same identity of inner products).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..adjoint.activity import activity
from ..adjoint.instantiate import Template, Value, names_read
from ..adjoint.reverse import (
    Reverse,
    flows_through,
    names_within,
    needed_statements,
    no_rule,
)
from ..adjoint.scope import CONTAINERS, Scope, adjoint_fact, fact_of_end
from ..adjoint.sweeps import makers_of
from ..build import Builder
from ..errors import UnsupportedCall
from ..rules.rule import BOOK, Bound
from ..runtime import expand
from ..tape import Apply, Atom, Block, Const, Op, Tape, Var
from .places import with_names, zero

Tangent = Callable[[Atom], Atom | None]
"""The tangent of an atom, None where it is constant."""


@dataclass(slots=True)
class Differential:
    """The tangent of one op, built by `builder`."""

    op: Apply
    tangent: Tangent
    builder: Builder

    def value(self) -> Atom:
        """The tangent of the result. Raises NoRule where there is none."""
        op, location = self.op, self.op.origin.location
        bound = BOOK.choose(op.fn, op.args, op.kwargs, location)
        if bound is None:
            raise no_rule(op, location)
        wanted = self._wanted(bound)
        if self.op.out.fact.kind in CONTAINERS:
            return self._structure(bound, wanted)
        if self._together(bound, wanted):
            return self._called(bound, bound.rule.linear)
        parts = [self._part(bound, p) for p in bound.rule.parameters if p in wanted]
        total = parts[0]
        for part in parts[1:]:
            total = self.builder.apply(operator.add, total, part)
        return self._spread(total)

    def _structure(self, bound: Bound, wanted: set[str]) -> Atom:
        """The tangent of several results, in their structure."""
        if len(wanted) != 1 or self.op.out.fact.items is None:
            name = bound.rule.name
            raise UnsupportedCall(
                f"the results of {name} have no tangent along several arguments",
                at=self.op.origin.location,
                remedy="Use reverse mode (`grad`), which handles it.",
            )
        return self._transposed(bound, *wanted)

    # ------------------------------------------------------------ which way

    def _wanted(self, bound: Bound) -> set[str]:
        """The parameters along which there is a tangent."""
        wanted = set()
        for name, value in bound.arguments.items():
            if name in bound.rule.zero or not self._varies(value):
                continue
            if name not in bound.rule.adjoints:
                why = bound.rule.refused.get(name, "")
                at = self.op.origin.location
                raise no_rule(self.op, at, parameter=name, why=why)
            wanted.add(name)
        return wanted

    def _varies(self, value: Value) -> bool:
        atoms = value if isinstance(value, tuple) else (value,)
        return any(self.tangent(a) is not None for a in atoms)

    def _together(self, bound: Bound, wanted: set[str]) -> bool:
        """Whether the result is one linear function of all its linear operands, as
        `np.where(c, u, v)` and `np.concatenate` are, and not of each alone, as `u * v`
        is."""
        rule = bound.rule
        linear = rule.linear
        if not wanted <= linear or rule.effect or not self._plain(bound):
            return False
        reads = {p: self._reads(bound, p) for p in linear}
        return all(not reads[p] & (linear - {p}) for p in linear)

    def _plain(self, bound: Bound) -> bool:
        """Whether no operand of the call stands for two parameters, so that tangents
        can be put in their places, and nothing beside is added to the result."""
        variables = [
            a.name for a in (*self.op.args, *(v for _, v in self.op.kwargs))
            if isinstance(a, Var)
        ]  # fmt: skip
        initial = bound.arguments.get("initial")
        settled = not isinstance(initial, Var) and (
            initial is None or isinstance(initial, tuple) or not _is_number(initial)
        )
        return len(set(variables)) == len(variables) and settled

    def _reads(self, bound: Bound, parameter: str) -> set[str]:
        names: set[str] = set()
        for statement in needed_statements(bound.rule, {parameter}):
            names |= names_read(statement.expr)
        return names

    def _part(self, bound: Bound, parameter: str) -> Atom:
        """What the tangent of one parameter adds."""
        rule, given = bound.rule, bound.arguments[parameter]
        if rule.elementwise and not isinstance(given, tuple) and not self._complex():
            d = self.tangent(given)
            assert d is not None
            return self._statement(bound, parameter, d)
        alone = parameter in rule.linear and not rule.elementwise and not rule.effect
        if alone and self._plain(bound):
            return self._called(bound, {parameter})
        return self._transposed(bound, parameter)

    def _complex(self) -> bool:
        """Whether complex numbers may be about: then adjoint and tangent differ."""
        known = [fact_of_end(a) for a in (*self.op.args, self.op.out)]
        return any(
            f.kind == "complex" or (f.dtype is not None and f.dtype.kind == "c")
            for f in known
        )

    # ------------------------------------------------------------ the function itself

    def _called(self, bound: Bound, names: set[str] | frozenset[str]) -> Atom:
        """The function, with the tangents in the places of some parameters, and zeros
        in those of numbers."""
        changed: dict[str, Atom] = {}
        numbers: set[int] = set()
        for name in sorted(names):
            given = bound.arguments[name]
            for atom in given if isinstance(given, tuple) else (given,):
                if isinstance(atom, Var):
                    changed[atom.name] = self._or_zero(atom)
                elif _is_number(atom):
                    numbers.add(id(atom))

        def place(atom: Atom) -> Atom:
            if isinstance(atom, Var):
                return changed.get(atom.name, atom)
            return Const(0.0) if id(atom) in numbers else atom

        op = self.op
        args = [place(a) for a in op.args]
        kwargs = tuple((k, place(a)) for k, a in op.kwargs)
        form = "operator" if op.form == "augmented" else op.form
        return self.builder.apply(
            op.fn, *args, kwargs=kwargs, form=form, spelling=op.spelling,
            fact=adjoint_fact(op.out),
        )  # fmt: skip

    def _or_zero(self, atom: Var) -> Atom:
        d = self.tangent(atom)
        return zero(self.builder, atom) if d is None else d

    # ------------------------------------------------------------ the adjoint statement

    def _statement(self, bound: Bound, parameter: str, dy: Atom) -> Atom:
        """The adjoint statement of a parameter, `dy` in the place of the cotangent."""
        rule = bound.rule
        names: dict[str, Value] = dict(bound.arguments)
        names |= {rule.result: self.op.out, rule.cotangent: dy}
        if rule.keywords is not None:
            names[rule.keywords] = bound.keywords  # type: ignore[assignment]
        for name in bound.converted:
            given = bound.arguments[name]
            assert not isinstance(given, tuple)
            names[name] = self.builder.apply(np.asarray, given)
        if parameter in bound.converted:
            names[rule.cotangent] = self.builder.apply(np.asarray, dy)
        template = Template(names, rule.resolve, self.builder)
        value: Value = Const(0.0)
        for statement in needed_statements(rule, {parameter}):
            value = template.value(statement.expr)
            template.names[statement.target] = value
        value = template.names[rule.adjoints[parameter]]
        assert not isinstance(value, tuple)
        return value

    def _transposed(self, bound: Bound, parameter: str) -> Atom:
        """The reverse sweep over the adjoint statements of a parameter, from its
        tangent on: what reaches the cotangent is the tangent of the result."""
        given, outer = bound.arguments[parameter], self.builder
        scratch = self.builder = outer.nested()
        dy = scratch.var(adjoint_fact(self.op.out), None, "dy")
        dx = self._statement(bound, parameter, dy)
        ends = self._ends(given, dx, converted=parameter in bound.converted)
        self.builder = outer
        if not isinstance(dx, Var):
            return zero(outer, self.op.out)
        block = scratch.block()
        whole = Tape("", (), block, ends[0][0])
        active = activity(whole, [dy], flows_through)
        for end, _ in ends[1:]:
            other = replace(whole, result=end)
            names = active.names | activity(other, [dy], flows_through).names
            active = replace(active, names=names)
        back = outer.nested()
        scope = Scope(back, names_within(block))
        for end, d in ends:
            if end in active:
                scope.add(end, d)
        Reverse(active, made=makers_of(block)).block(block, scope)
        self._refuse_parts(block, bound)
        total = scope.pop(dy)
        if total is None:
            return zero(outer, self.op.out)
        known = {dy.name: self.op.out}
        for op in (*block, *back.block()):
            self._add(with_names(op, known))
        return total

    def _refuse_parts(self, block: Block, bound: Bound) -> None:
        """Items of what is not known to be an array or a container have no adjoint."""
        for op in block:
            if not isinstance(op, Apply) or op.fn is not operator.getitem:
                continue
            if fact_of_end(op.args[0]).kind == "unknown":
                raise UnsupportedCall(
                    f"{bound.rule.name} has no tangent",
                    at=self.op.origin.location,
                    remedy="Use reverse mode (`grad`), which handles it.",
                )

    def _add(self, op: Op) -> None:
        if isinstance(op, Apply):
            op = replace(op, origin=self.builder.origin)
            self.builder.made[op.out.name] = op
        self.builder.ops.append(op)

    def _ends(
        self, given: Value, dx: Atom, *, converted: bool
    ) -> list[tuple[Var, Atom]]:
        """The adjoints of the arguments of a parameter, and the tangents they meet."""
        if not isinstance(dx, Var):
            return []
        if not isinstance(given, tuple):
            d = self.tangent(given)
            assert d is not None
            if converted:
                d = self.builder.apply(np.asarray, d)
            return [(dx, d)]
        ends = []
        for k, item in enumerate(given):
            d = self.tangent(item)
            if d is not None and isinstance(item, Var):
                part = self.builder.apply(
                    operator.getitem, dx, Const(k), fact=adjoint_fact(item)
                )
                ends.append((part, d))
        return ends

    # ------------------------------------------------------------ shapes

    def _spread(self, value: Atom) -> Atom:
        """A tangent of the shape of the result: that of `u` in `u + v` may be
        smaller."""
        out = self.op.out
        if out.fact.is_scalar or out.fact.kind in ("tuple", "list", "dict"):
            return value
        given, wanted = fact_of_end(value).shape, out.fact.shape
        if given is not None and given == wanted and _is_known(given):
            return value
        return self.builder.apply(expand, value, out, fact=adjoint_fact(out))


def _is_known(shape: object) -> bool:
    return isinstance(shape, str) or (
        isinstance(shape, tuple) and all(d is not None for d in shape)
    )


def _is_number(atom: Atom) -> bool:
    """Whether a constant is a number: no setting, like None or an axis of a method."""
    return isinstance(atom, Const) and isinstance(
        atom.value, float | int | complex | np.number | np.ndarray
    )
