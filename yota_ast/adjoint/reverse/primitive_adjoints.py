"""The reverse of one primitive, by its rule."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.nonsmooth.masked_cotangents import Mask, masked, unmasked
from yota_ast.adjoint.nonsmooth.real_sizes import for_real_powers
from yota_ast.adjoint.nonsmooth.smooth_squares import without_root
from yota_ast.adjoint.nonsmooth.stable_adjoints import under_one_more
from yota_ast.adjoint.reverse.contributions import Scope, adjoint_fact, fact_of_end
from yota_ast.adjoint.reverse.rule_skeleton import rule_skeleton
from yota_ast.adjoint.reverse.rule_statements import Template, Value, names_read
from yota_ast.adjoint.reverse.select_adjoints import of_choices
from yota_ast.adjoint.reverse.sweep_state import ReverseBase
from yota_ast.adjoint.reverse.user_adjoints import of_its_shape
from yota_ast.adjoint.rewrites.einsum_rewrites import as_product
from yota_ast.adjoint.unread_vectors import without_vectors
from yota_ast.errors import Location, NoRule, UnsupportedSyntax
from yota_ast.ir.abstract_values import CONTAINERS, FLOAT, MIXED, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.rules.notation.rule import BOOK, Bound, Rule, Statement, may_be_complex
from yota_ast.runtime import real_like, unbroadcast
from yota_ast.support.helper_functions import is_helper
from yota_ast.support.public_names import plain_name


class ByRules(ReverseBase):
    """The part of the sweep that reads the rules."""

    __slots__ = ()

    def _items(self, items: Iterable[Atom], dy: Atom, scope: Scope, rule: Rule) -> None:
        """The adjoint of a `*args` parameter goes to the arguments."""
        name = rule.varargs or ""
        for k, item in enumerate(items):
            if isinstance(item, Var) and item in self.active:
                fact = adjoint_fact(item)
                if fact.is_scalar:
                    fact = Fact("scalar", fact.dtype, ())
                known = fact if rule.chapter else None
                part: Atom = scope.builder.apply(
                    operator.getitem, dy, Const(k), fact=known
                )
                part = of_its_shape(scope.builder, rule, name, part, item)
                scope.add(item, part)

    def _by_rule(self, op: Apply, dy: Atom, scope: Scope) -> None:
        location = op.origin.location
        op = as_product(without_root(op, self.made.get))
        bound = BOOK.choose(op.fn, op.args, op.kwargs, location)
        if bound is None:
            raise self._without_rule(op)
        self._refuse_gaps(op, bound)
        self._refuse_mixture(op)
        dy = for_real_powers(scope.builder, op, dy, self.powers, back=True)
        if op.fn in (np.select, np.choose):
            chosen = of_choices(scope.builder, self.made, op, scope.full(dy, op.out))
            if chosen is not None:
                for target, d in chosen:
                    if target in self.active:
                        scope.add(target, d)
                return
        beside = self.singular.through(scope.builder, op, dy)
        if beside is not None:
            scope.add(beside[0], unspread(scope.builder, beside[1], beside[0]))
            return
        wanted = {p for p in bound.rule.adjoints if self._wants(bound.arguments[p])}
        below = under_one_more(self.made, op)
        if below is not None and below.z in self.active:
            d = below.adjoint(scope.builder, dy)
            scope.add(below.z, unspread(scope.builder, d, below.z))
            wanted -= {p for p in wanted if bound.arguments[p] is op.args[1]}
        masks, inner = self._cotangent(op, bound.rule, dy, scope)
        reading = self.singular.reading(
            scope.builder, op, bound.rule, dict(bound.arguments), inner, masks
        )
        loose = inner != dy or scope.is_loose(dy, op.out) or reading.is_spread
        if marking():
            reading = reading.marked(
                scope.builder, op, bound, masks, wanted, self.made.get
            )
        names = reading.names
        names |= {bound.rule.result: reading.result, bound.rule.cotangent: reading.d}
        names |= self._as_given(bound, scope)
        template = Template(
            names, bound.rule.resolve, scope.builder, _is_numpy(op), self.made.get
        )
        sums: dict[str, tuple[Var, Atom]] = {}
        ops = scope.builder.ops
        for statement in needed_statements(bound.rule, wanted):
            before = len(ops)
            value = template.value(statement.expr)
            reading.guarded(scope.builder, before)
            without_vectors(scope.builder, bound.arguments)
            template.names[statement.target] = value
            for p in bound.rule.adjoints:
                if p in wanted and bound.rule.adjoints[p] == statement.target:
                    value = reading.whole(scope.builder, value, bound.arguments[p])
                    if not isinstance(value, tuple):
                        value = masked(scope.builder, masks, value)
                    new, before = len(ops) > before, len(ops)  # for one argument alone
                    self._distribute(
                        bound, p, value, sums, op, scope, new=new, loose=loose
                    )
        for target, total in sums.values():
            scope.add(target, total)

    def _as_given(self, bound: Bound, scope: Scope) -> dict[str, Value]:
        """What some names of a rule stand for, that are not the arguments as such."""
        found: dict[str, Value] = {}
        if bound.rule.keywords is not None:
            found[bound.rule.keywords] = bound.keywords  # type: ignore[assignment]
        if bound.rule.elementwise:
            found |= self._as_floats(bound, scope)
        for name in bound.converted:
            given = bound.arguments[name]
            assert not isinstance(given, tuple)
            found[name] = scope.builder.apply(np.asarray, given)
        return found

    def _as_floats(self, bound: Bound, scope: Scope) -> dict[str, Value]:
        """Integers of so few digits that what an adjoint makes of them is cut off."""
        found: dict[str, Value] = {}
        for name in bound.rule.adjoints:
            value = bound.arguments[name]
            if not isinstance(value, Var) or not _is_narrow(value.fact):
                continue
            if value.fact.kind == "scalar":
                found[name] = scope.builder.apply(float, value, fact=FLOAT)
            else:
                to = Const(float, "float")
                found[name] = scope.builder.method("astype", value, to)
        return found

    def _distribute(
        self,
        bound: Bound,
        name: str,
        value: Value,
        sums: dict[str, tuple[Var, Atom]],
        op: Apply,
        scope: Scope,
        *,
        new: bool,
        loose: bool,
    ) -> None:
        """The adjoint of a parameter goes to its argument; those of one argument given
        twice are added first: `x * x` gives `2 * dy * x`. new: whether an op has just
        been added for it, which may be called by its name. loose: whether the cotangent
        may have another shape than the value."""
        target = bound.arguments[name]
        if isinstance(target, tuple):
            assert not isinstance(value, tuple)
            self._items(target, value, scope, bound.rule)
        elif isinstance(target, Var) and not isinstance(value, tuple):
            known = fact_of_end(value)
            if target.fact.is_scalar and known.is_scalar and known.kind == "array":
                # Sums of numbers must not be written into an array without axes.
                number = Fact("scalar", known.dtype if known.is_complex else None, ())
                value = scope.builder.apply(
                    operator.getitem, value, Const(()), fact=number
                )
            if bound.rule.elementwise:
                value = _perhaps_real(op, value, target, scope.builder)
                wanted = self._is_as_wanted(value, target, scope.builder, new=new)
                if not wanted and (loose or not _has_shape_of(op, target)):
                    value = unspread(scope.builder, value, target)
            else:
                value = of_its_shape(scope.builder, bound.rule, name, value, target)
                value = self._shaped(value, target, op, scope)
            if target.name in sums:
                before = sums[target.name][1]
                value = scope.added(target, before, value)
            sums[target.name] = (target, value)

    def _is_as_wanted(self, d: Value, x: Var, builder: Builder, *, new: bool) -> bool:
        """Whether a cotangent is that of a float as it stands: the value of the op that
        was just added, or one that gets no name here."""
        if not self.ranked or not isinstance(d, Var):
            return False
        if d.fact.kind != "float" or x.fact.kind != "float":
            return False
        last = builder.ops[-1] if new else None
        made = isinstance(last, Apply) and last.out is d
        if not made and (new or x.hint is not None):
            return False
        self.rests_on_ranks = True
        return True

    def _shaped(self, value: Atom, target: Var, op: Apply, scope: Scope) -> Atom:
        """An adjoint that has the shape of its variable, whatever was inferred of
        it, and its type, where all that it is made of is of double precision."""
        known = adjoint_fact(target)
        if not isinstance(value, Var) or known.kind != "array" or known.shape is None:
            return value
        if value.fact.kind not in ("array", "real", "unknown"):
            return value
        double = known.dtype == np.float64 and value.fact.dtype is None
        if not double or not all(map(_is_double, (*op.args, op.out))):
            known = value.fact.with_shape(known.shape)
        elif value.fact.dtype is not None:
            known = replace(known, dtype=value.fact.dtype)
        return scope.builder.refine(value, known)

    def _cotangent(
        self, op: Apply, rule: Rule, dy: Atom, scope: Scope
    ) -> tuple[tuple[Mask, ...], Atom]:
        """The cotangent that a rule is given, and the masks that were taken off it."""
        if not rule.elementwise:
            held = op.out.fact.kind in CONTAINERS
            alike = info(op.fn).zero_for_zeros and not held
            return (), dy if alike else scope.full(dy, op.out)
        return unmasked(scope.builder, dy)

    def _without_rule(self, op: Apply) -> NoRule:
        """The error for an op without a rule; of an attribute of what a call gives,
        that of the call, if it has none either."""
        owner = op.args[0] if op.fn is getattr else None
        maker = self.made.get(owner.name) if isinstance(owner, Var) else None
        if isinstance(maker, Apply):
            place = maker.origin.location
            if BOOK.choose(maker.fn, maker.args, maker.kwargs, place) is None:
                return no_rule(maker, place)
        return no_rule(op, op.origin.location)

    def _wants(self, value: Value) -> bool:
        if isinstance(value, tuple):
            return any(a in self.active for a in value)
        return value in self.active

    def _refuse_gaps(self, op: Apply, bound: Bound) -> None:
        """An active value in a parameter with neither a rule nor `nodiff`."""
        for name, value in bound.arguments.items():
            stated = name in bound.rule.adjoints
            stated = stated or bound.rule.has_no_slope(name, value)
            if not stated and self._wants(value):
                why = bound.rule.refused.get(name, "")
                raise no_rule(op, op.origin.location, parameter=name, why=why)

    def _refuse_mixture(self, op: Apply) -> None:
        """An item of what is not a container in every case: what its adjoint is made
        of differs from one run to the next."""
        if op.fn is not operator.getitem or fact_of_end(op.args[0]) != MIXED:
            return
        raise UnsupportedSyntax(
            "the derivative goes through an item of a value that is a "
            "container in some cases only",
            at=op.origin.location,
            remedy="Use one structure in every case, or a variable for each.",
        )


def _perhaps_real(op: Apply, d: Atom, x: Var, builder: Builder) -> Atom:
    """The cotangent of an operand, where nothing is known of that or of another: its
    real part where the operand is real, or turns out to be."""
    if not isinstance(d, Var) or d.fact.is_complex or not may_be_complex(d.fact):
        return d
    others = (fact_of_atom(a) for a in op.args if a != x)
    if not any(map(may_be_complex, others)):
        return d
    if x.fact == UNKNOWN:
        return builder.apply(real_like, d, x)
    return builder.apply(np.real, d) if not may_be_complex(x.fact) else d


def _is_narrow(known: Fact) -> bool:
    """Whether a value holds integers of NumPy's of less than 32 bits."""
    if known.kind not in ("array", "scalar") or known.dtype is None:
        return False
    return known.dtype.kind in "iu" and known.dtype.itemsize < 4


def _is_numpy(op: Apply) -> bool:
    """Whether an op computes as NumPy does, which does not raise where it divides by
    0."""
    if op.out.fact.is_python or getattr(op.fn, "__module__", "") == "math":
        return False
    kinds = [a.fact.kind for a in op.args if isinstance(a, Var)]
    return isinstance(op.fn, np.ufunc) or bool({"array", "scalar"} & {*kinds})


def _is_double(atom: Atom) -> bool:
    """Whether a value is real, and no array of single precision."""
    if isinstance(atom, Const):
        return not isinstance(atom.value, (complex, np.ndarray))
    if atom.fact.kind in ("tuple", "list") and atom.fact.items is not None:
        return all(_is_double(Var("", f)) for f in atom.fact.items)
    if atom.fact.kind in ("array", "scalar"):
        return atom.fact.dtype in (np.float64, np.int64, np.bool_)
    return atom.fact.kind in ("float", "int", "bool", "none", "str")


def needed_statements(rule: Rule, wanted: Iterable[str]) -> tuple[Statement, ...]:
    """The statements of a rule that the adjoints of some parameters rest on."""
    return _needed_statements(rule, frozenset(wanted))


@functools.lru_cache(4096)
def _needed_statements(rule: Rule, wanted: frozenset[str]) -> tuple[Statement, ...]:
    """The same, for the few rules that most ops of a function have."""
    targets = {rule.adjoints[p] for p in wanted}
    needed: list[Statement] = []
    for statement in reversed(rule.statements):
        if statement.target in targets:
            needed.append(statement)
            targets |= names_read(statement.expr)
    return tuple(reversed(needed))


def _has_shape_of(op: Apply, x: Var) -> bool:
    """Whether the value of an elementwise op is an array of the shape of an operand:
    all others are numbers."""
    others = (a for a in op.args if a != x)
    arrays = x.fact.kind == op.out.fact.kind == "array" and not op.kwargs
    return arrays and all(fact_of_atom(a).is_scalar for a in others)


def unspread(builder: Builder, d: Atom, x: Var) -> Var:
    """The cotangent summed to the shape of an operand; one of lists is an array."""
    listed = x.fact.kind in ("list", "tuple")
    return builder.apply(unbroadcast, d, builder.apply(np.asarray, x) if listed else x)


def no_rule(
    op: Apply, at: Location | None, parameter: str = "", why: str = ""
) -> NoRule:
    """The error for a function on the path of a derivative that has no rule."""
    called = getattr(op.fn, "__name__", "")
    name = plain_name(op.fn, "")
    name = name or f"an object of {type(op.fn).__name__}"
    if name == "__call__":
        name = f"an object of {op.fn.__qualname__.partition('.')[0]}"
    what, remedy = f"{name} has no rule", rule_skeleton(op)
    if is_helper(op.fn):
        what = f"`{name}`, a step of this derivative, has no derivative of its own"
        remedy = "Use reverse mode (`grad`), and no second derivative."
    if parameter:
        what = f"the rules of {name} give no derivative with respect to {parameter}"
        what += f": {why}" if why else ""
    error = NoRule(what, at=at, remedy=remedy)
    error.called = called
    return error
