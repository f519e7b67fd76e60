"""One op and the tangents of its operands -> the tangent of its result, by its rule.

No rule states a tangent. That of an elementwise rule is its adjoint statement with the
tangent in the place of the cotangent; where the function is linear in an operand, it is
the function of the tangent; of everything else the adjoint statements are transposed:
they are linear in the cotangent, and the reverse sweep over them, from the tangents on,
is the tangent (Christianson, "Reverse accumulation and implicit functions", 1998, uses
the same identity of inner products).
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.nonsmooth.marked_kinks import kink_of, marking
from yota_ast.adjoint.nonsmooth.real_sizes import Powers, for_real_powers
from yota_ast.adjoint.nonsmooth.roots_of_squares import away_from_zero, is_norm
from yota_ast.adjoint.nonsmooth.stable_adjoints import at_once, under_one_more
from yota_ast.adjoint.reverse.contributions import (
    ZERO,
    adjoint_fact,
    fact_of_end,
)
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.adjoint.reverse.inlined_helpers import Follow, following
from yota_ast.adjoint.reverse.primitive_adjoints import needed_statements, no_rule
from yota_ast.adjoint.reverse.rule_statements import Template, Value, names_read
from yota_ast.adjoint.sweeps import transposed
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.abstract_values import CONTAINERS, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder, Kwargs
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, Op
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape
from yota_ast.ops import info
from yota_ast.ops.dtypes.result_dtypes import gives_reals, holds_whole
from yota_ast.rules.notation.rule import BOOK, Bound, may_be_complex
from yota_ast.runtime import bent_along, expand, held, rooted, unbroadcast, where_zero
from yota_ast.syntax.names import GENERATED
from yota_ast.tangent.complex_tangents import tangent_fact
from yota_ast.tangent.stationary_points import Stationary
from yota_ast.tangent.tangent_steps import of_numpy, shaped_as_adjoint, zero

Tangent = Callable[[Atom], Atom | None]
"""The tangent of an atom, None where it is constant."""


OF_SQUARES = "helpers.squares"
"""The chapter of the rules of squares of moduli, which are real."""


@dataclass(slots=True)
class Differential:
    """The tangent of one op, built by `builder`."""

    op: Apply
    tangent: Tangent
    builder: Builder
    follow: Follow
    stationary: Stationary
    powers: Powers

    def value(self) -> Atom:
        """The tangent of the result. Raises NoRule where there is none."""
        op, location = self.op, self.op.origin.location
        bound = BOOK.choose(op.fn, op.args, op.kwargs, location)
        if bound is None:
            raise no_rule(op, location)
        if self.stationary.leaves_out(self.builder, op):
            self._leave_out()
        made = self.builder.made
        whole = at_once(made, op)
        dz = None if whole is None else self.tangent(whole.z)
        if whole is not None and dz is not None:
            return self._spread(whole.tangent(self.builder, dz))
        wanted = self._wanted(bound)
        if bound.rule.tangent is not None:
            return self._stated(bound, bound.rule.tangent, wanted, op.out)
        masked = self.stationary.of_product(self.builder, op, self.tangent)
        if masked is not None:
            return self._spread(masked)
        together = self._together(bound, wanted)
        if together:
            total = self._called(bound, together)
            return self._spread(total) if bound.rule.elementwise else total
        if self.op.out.fact.kind in CONTAINERS:
            return self._structure(bound, wanted)
        parts = []
        below = under_one_more(made, op)
        dz = None if below is None else self.tangent(below.z)
        if below is not None and dz is not None:
            parts.append(below.tangent(self.builder, dz))
            wanted -= {p for p in wanted if bound.arguments[p] is op.args[1]}
        parts += [self._part(bound, p) for p in bound.rule.parameters if p in wanted]
        total = self._sum(parts) if parts else ZERO  # it has turned out not to vary
        total = for_real_powers(self.builder, op, total, self.powers)
        return self._at_kinks(bound, self._spread(total), wanted)

    def _leave_out(self) -> None:
        """Take the tangent of what an op leaves out for 0."""
        x, tangent = self.op.args[0], self.tangent
        d = tangent(x)
        if d is None:
            return
        absent = self.builder.apply(np.isnan, x)
        kept = self.builder.apply(np.where, absent, Const(0.0), d)
        self.tangent = lambda atom: kept if atom == x else tangent(atom)

    def item(self, key: object, out: Var) -> Atom | None:
        """The tangent of one item of the result, where the rule states that alone."""
        op = self.op
        bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
        if bound is None or not isinstance(key, int):
            return None
        fn = bound.rule.parts.get(key)
        if fn is None:
            return None
        return self._stated(bound, fn, self._wanted(bound), out)

    def _stated(
        self, bound: Bound, fn: Callable[..., object], wanted: set[str], out: Var
    ) -> Atom:
        """The tangent by the function that the rule states for it: it is given what it
        names, of the arguments, their tangents and the result."""
        if any(isinstance(given, tuple) for given in bound.arguments.values()):
            return self._of_all(bound, fn)
        taken = inspect.signature(fn).parameters
        args: list[Atom] = []
        along = []
        for name, given in bound.arguments.items():
            assert not isinstance(given, tuple)
            if name in taken:
                args.append(given)
            if name in wanted and f"d{name}" in taken:
                d = self.tangent(given)
                assert d is not None
                along.append((f"d{name}", d))
        if bound.rule.result in taken:
            args.append(self.op.out)
        known = tangent_fact(out)
        return self.builder.apply(fn, *args, kwargs=tuple(along), fact=known)

    def _of_all(self, bound: Bound, fn: Callable[..., object]) -> Atom:
        """The same of a rule with `*rest`: of all arguments as one tuple, the result,
        and the tuple of the tangents, 0 where there is none."""
        build, out = self.builder.apply, self.op.out
        given = [a for v in bound.arguments.values() for a in _atoms(v)]
        along = [self.tangent(a) or Const(0.0) for a in given]
        items = build(build_tuple, *given, form="build")
        changes = build(build_tuple, *along, form="build")
        return build(fn, items, out, changes, fact=tangent_fact(out))

    def _at_kinks(self, bound: Bound, total: Atom, wanted: set[str]) -> Atom:
        """The tangent, that of the gradient's own code as it is on one side of a kink:
        there what is 0 by convention does not tell whether more depends on it."""
        names: dict[str, Value] = {**bound.arguments, bound.rule.result: self.op.out}
        if marking():
            return self._marked(bound, total, names, wanted)
        if bound.rule.root == bound.rule.result and self._is_generated():
            if bound.rule.seminorm and self._plain(bound, frozenset(wanted)):
                beside = self._called(bound, wanted)
                return self.builder.apply(
                    where_zero,
                    self.op.out,
                    beside,
                    total,
                    fact=tangent_fact(self.op.out),
                )
        return total

    def _marked(
        self, bound: Bound, total: Atom, names: Mapping[str, Value], wanted: set[str]
    ) -> Atom:
        """The tangent, marked where it may be at a kink."""
        builder = self.builder
        made_by = builder.made.get
        at = kink_of(builder, self.op, bound, names, wanted, made_by=made_by)
        if at is None:
            return total
        if bound.rule.root:
            return builder.apply(rooted, total, at)
        moving = self.tangent(at)
        assert moving is not None
        return builder.apply(bent_along, total, at, moving)

    def _is_generated(self) -> bool:
        """Whether an op belongs to a gradient that this package has made."""
        place = self.op.origin.place
        return place is not None and (place.filename or "").startswith(GENERATED)

    def _structure(self, bound: Bound, wanted: set[str]) -> Atom:
        """The tangent of several results, in their structure."""
        known = self.op.out.fact
        if known.items is None:
            raise self._no_tangent(bound)
        parts = [
            self._transposed(bound, p) for p in bound.rule.parameters if p in wanted
        ]
        if len(parts) == 1:
            return parts[0]
        items: list[Atom] = []
        for k, inner in enumerate(known.items):
            taken = [
                self.builder.apply(operator.getitem, part, Const(k))
                for part in parts
                if inner.holds_floats
            ]
            items.append(self._sum(taken) if taken else Const(None))
        build = build_tuple if known.kind == "tuple" else build_list
        return self.builder.apply(build, *items, form="build")

    def _sum(self, parts: Sequence[Atom]) -> Atom:
        total, *rest = parts
        for part in rest:
            total = self.builder.apply(operator.add, total, part)
        return total

    def _no_tangent(self, bound: Bound) -> UnsupportedCall:
        return UnsupportedCall(
            f"{bound.rule.name} has no tangent",
            at=self.op.origin.location,
            remedy="Use reverse mode (`grad`), which handles it.",
        )

    # ------------------------------------------------------------ which way

    def _wanted(self, bound: Bound) -> set[str]:
        """The parameters along which there is a tangent."""
        wanted = set()
        for name, value in bound.arguments.items():
            if bound.rule.has_no_slope(name, value) or not self._varies(value):
                continue
            if name not in bound.rule.adjoints:
                why = bound.rule.refused.get(name, "")
                at = self.op.origin.location
                raise no_rule(self.op, at, parameter=name, why=why)
            wanted.add(name)
        return wanted

    def _varies(self, value: Value) -> bool:
        return any(self.tangent(a) is not None for a in _atoms(value))

    def _together(self, bound: Bound, wanted: set[str]) -> frozenset[str]:
        """The operands of all of which the result is one linear function, as
        `np.where(c, u, v)` and `np.concatenate` are, and not of each alone, as `u * v`
        is; none where some of those wanted are not among them."""
        rule = bound.rule
        names = rule.jointly
        if not names:
            reads = {p: self._reads(bound, p) for p in rule.linear}
            if all(not reads[p] & (rule.linear - {p}) for p in rule.linear):
                names = rule.linear
        names = names & bound.arguments.keys()
        if not wanted <= names or rule.effect or not self._plain(bound, names):
            return frozenset()
        return names

    def _plain(self, bound: Bound, names: frozenset[str]) -> bool:
        """Whether tangents can be put in the places of some parameters: no operand
        stands for others too, each is a variable or a number, and nothing beside is
        added to the result."""
        given = {n: _atoms(a) for n, a in bound.arguments.items()}
        own = {a for n in names for a in given[n]}
        others = [a for n, atoms in given.items() if n not in names for a in atoms]
        others += [a for _, a in bound.keywords]
        initial = bound.arguments.get("initial")
        settled = not isinstance(initial, Var) and (
            initial is None or isinstance(initial, tuple) or not _is_number(initial)
        )
        return settled and all(
            a not in others if isinstance(a, Var) else _is_number(a) or a.value is None
            for a in own
        )

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
        if alone and self._plain(bound, frozenset({parameter})):
            return self._called(bound, {parameter})
        if parameter in rule.each and isinstance(given, tuple):
            return self._of_each(given)
        return self._transposed(bound, parameter)

    def _of_each(self, given: tuple[Atom, ...]) -> Atom:
        """The sum over the items that vary, each with its tangent in its place."""
        first = self.op.args.index(given[0])
        parts = []
        for k, item in enumerate(given, first):
            d = self.tangent(item)
            if d is not None:
                args = (*self.op.args[:k], d, *self.op.args[k + 1 :])
                parts.append(self._again(args, self.op.kwargs))
        return self._sum(parts)

    def _complex(self) -> bool:
        """Whether complex numbers may be about: then adjoint and tangent differ."""
        known = (fact_of_end(a) for a in (*self.op.args, self.op.out))
        return any(map(may_be_complex, known))

    # ------------------------------------------------------------ the function itself

    def _called(self, bound: Bound, names: set[str] | frozenset[str]) -> Atom:
        """The function, with the tangents in the places of some parameters, and zeros
        in those of what does not vary: 0 where they are spread over the others."""
        changed: dict[str, Atom] = {}
        still: dict[int, Atom] = {}
        for name in sorted(names):
            given = bound.arguments[name]
            for atom in _atoms(given):
                if isinstance(atom, Var):
                    changed[atom.name] = self._or_zero(atom)
                elif _is_number(atom):
                    spread = bound.rule.elementwise
                    still[id(atom)] = Const(0.0) if spread else zero(self.builder, atom)

        def place(atom: Atom) -> Atom:
            if isinstance(atom, Var):
                return changed.get(atom.name, atom)
            return still.get(id(atom), atom)

        args, out = [place(a) for a in self.op.args], self.op.out
        if self.op.form in ("method", "attribute", "subscript"):
            args[0] = of_numpy(self.builder, args[0], self.op.args[0])
        smaller = bound.rule.elementwise and bool(still)
        kwargs = tuple((k, place(a)) for k, a in self.op.kwargs)
        d = self._again(args, kwargs, smaller=smaller)
        if info(self.op.fn).fill == "given" and out.fact.dtype is None:
            return self.builder.apply(held, d, out)
        return d

    def _again(
        self, args: Sequence[Atom], kwargs: Kwargs, *, smaller: bool = False
    ) -> Atom:
        """The function of other arguments; smaller: which may be of fewer axes."""
        op, known = self.op, tangent_fact(self.op.out)
        if holds_whole(op.out.fact) and holds_whole(
            self.builder.infer(op.fn, args, kwargs)
        ):
            return zero(self.builder, op.out)  # it would cut the tangent off
        form = "operator" if op.form == "augmented" else op.form
        if smaller and known.kind == "array":
            known = known.with_shape(self.builder.infer(op.fn, args, kwargs).shape)
        return self.builder.apply(
            op.fn, *args, kwargs=kwargs, form=form, spelling=op.spelling, fact=known
        )

    def _or_zero(self, atom: Var) -> Atom:
        d = self.tangent(atom)
        return zero(self.builder, atom) if d is None else d

    # ------------------------------------------------------------ the adjoint statement

    def _statement(self, bound: Bound, parameter: str, dy: Atom) -> Atom:
        """The adjoint statement of a parameter, `dy` in the place of the cotangent."""
        rule = bound.rule
        names: dict[str, Value] = dict(bound.arguments)
        result: Atom = self.op.out
        if is_norm(self.stationary.vanishing, self.op):
            u = away_from_zero(self.builder, self.op.args[0])
            result = away_from_zero(self.builder, result)
            names = {n: u if a is self.op.args[0] else a for n, a in names.items()}
        guard = (
            self.stationary.guard(self.builder, self.op, dy)
            if rule.elementwise
            else None
        )
        dy = dy if guard is None else guard.d
        names |= {rule.result: result, rule.cotangent: dy}
        if rule.keywords is not None:
            names[rule.keywords] = bound.keywords  # type: ignore[assignment]
        for name in bound.converted:
            given = bound.arguments[name]
            assert not isinstance(given, tuple)
            names[name] = self.builder.apply(np.asarray, given)
        if parameter in bound.converted and self.op.out.fact.kind not in CONTAINERS:
            names[rule.cotangent] = self.builder.apply(np.asarray, dy)
        template = Template(names, rule.resolve, self.builder)
        value: Value = Const(0.0)
        for statement in needed_statements(rule, {parameter}):
            before = len(self.builder.ops)
            value = template.value(statement.expr)
            if guard is not None:
                guard.on(self.builder, before)
            template.names[statement.target] = value
        value = template.names[rule.adjoints[parameter]]
        value = value if guard is None else guard.times_rest(self.builder, value)
        assert not isinstance(value, tuple)
        return value

    def _transposed(self, bound: Bound, parameter: str) -> Atom:
        """The reverse sweep over the adjoint statements of a parameter, from its
        tangent on: what reaches the cotangent is the tangent of the result."""
        given, outer = bound.arguments[parameter], self.builder
        scratch = self.builder = outer.nested()
        known = adjoint_fact(self.op.out)
        if known == UNKNOWN and bound.rule.complex == "written":
            known = Fact("real", np.dtype(complex))  # as far as is known
        dy = scratch.var(known, None, "dy")
        dx = self._statement(bound, parameter, dy)
        if bound.rule.elementwise and isinstance(dx, Var):
            assert not isinstance(given, tuple)
            dx = scratch.apply(unbroadcast, dx, given)
        ends = self._ends(given, dx, converted=parameter in bound.converted)
        self.builder = outer
        if not isinstance(dx, Var):
            return zero(outer, self.op.out)
        block, ends = self._with_sources(scratch.block(), dy, ends)
        self._refuse_parts(block, bound)
        ops, total = transposed(block, dy, ends, outer.infer, outer.names)
        if total is None:
            return zero(outer, self.op.out)
        if self.op.out.fact.kind == "model":
            ops = self._of_model(ops, dy)
        for op in Substitution({dy.name: self.op.out}).block(ops):
            self._add(op)
        real = _is_real(self.op) or bound.rule.chapter == OF_SQUARES
        if may_be_complex(fact_of_end(total)) and real:
            return self.builder.apply(np.real, total)
        return total

    def _of_model(self, ops: Block, dy: Var) -> Block:
        """The ops, which may read the shape of the adjoint of an object."""
        shaped = shaped_as_adjoint(self.builder, self.op.out)
        if shaped is None:
            return ops
        return Substitution({dy.name: shaped}).block(ops)

    def _with_sources(
        self, block: Block, dy: Var, ends: list[tuple[Var, Atom]]
    ) -> tuple[Block, list[tuple[Var, Atom]]]:
        """The adjoint statements, with the sources of helpers that have no rule."""
        out = Var(self.builder.names.fresh("%"))
        last = Apply(out, build_tuple, tuple(end for end, _ in ends), form="build")
        tape = Tape("", (Parameter(dy),), Block((*block, last)), out)
        tape = following(tape, [dy], flows_through, self.follow, self.builder.names)
        *ops, last_op = tape.block
        assert isinstance(last_op, Apply)
        found = [
            (end, d)
            for end, (_, d) in zip(last_op.args, ends, strict=True)
            if isinstance(end, Var)
        ]
        return Block(tuple(ops)), found

    def _refuse_parts(self, block: Block, bound: Bound) -> None:
        """Items of what is not known to be an array or a container have no adjoint."""
        for op in block:
            if not isinstance(op, Apply) or op.fn is not operator.getitem:
                continue
            if op.args[1] == Const(()):  # of an array without axes, its number
                continue
            if fact_of_end(op.args[0]).kind == "unknown":
                raise self._no_tangent(bound)

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
        if out.fact.is_scalar or out.fact.kind in (*CONTAINERS, "model"):
            return value
        given, wanted = fact_of_end(value).shape, out.fact.shape
        if given is not None and given == wanted and _is_known(given):
            return value
        return self.builder.apply(expand, value, out, fact=adjoint_fact(out))


def _is_real(op: Apply) -> bool:
    """Whether the result of an op is a real number, or an array of them."""
    known = op.out.fact
    return gives_reals(op.fn) or (known.is_numeric and not may_be_complex(known))


def _atoms(value: Value) -> tuple[Atom, ...]:
    """The arguments of a parameter."""
    return value if isinstance(value, tuple) else (value,)


def _is_known(shape: object) -> bool:
    return isinstance(shape, str) or (
        isinstance(shape, tuple) and all(d is not None for d in shape)
    )


def _is_number(atom: Atom) -> bool:
    """Whether a constant is a number: no setting, like None or an axis of a method."""
    return isinstance(atom, Const) and isinstance(
        atom.value, (float, int, complex, np.number, np.ndarray)
    )
