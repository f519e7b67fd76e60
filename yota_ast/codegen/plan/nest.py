"""Program -> which ops are printed within the expressions that use them.

Never three-address code: an op without a name of the user's that is used once is part
of the expression that uses it, as long as nothing between could change what it reads.
Cheap reads (`x.T`, `x.shape`, `x[i]`, `len(x)`) are repeated rather than named.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias, assert_never

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo, Roots, is_augmented, written_by
from yota_ast.codegen.plan.repeated_values import (
    REPEATED,
    Cheap,
    expression_of,
    value_name,
)
from yota_ast.codegen.plan.single_adjoints import single_adjoints
from yota_ast.codegen.plan.statement_effects import Changes, Done, Named, written
from yota_ast.codegen.plan.statement_plan import form_of, parts_of
from yota_ast.codegen.plan.unify import Same
from yota_ast.codegen.plan.unpacking import unpackings
from yota_ast.codegen.plan.uses import Numbered, Place, Use, Uses
from yota_ast.ir.abstract_values import NUMBERS, Fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.conditions import right_of
from yota_ast.ir.nodes import (
    Apply,
    Compound,
    If,
    Op,
    Simple,
    atoms_of,
    defined_by,
    walk,
)
from yota_ast.ir.tape import Guard, Program
from yota_ast.ops import info
from yota_ast.support.passes import enabled
from yota_ast.syntax.names import is_weak

_REPEATED_IN: Final = ("arg", "test", "iterable", "stop", "result")
"""The kinds of use in which a cheap value is printed."""
End: TypeAlias = tuple[int, bool]
"""The index of the statement in which a use ends, and whether it is deep in it."""
_FORCED_LEAVES: Final = 10
_LONGEST: Final = 60
_LONGEST_REVERSE: Final = 12
_LONGEST_JOINED: Final = 14
_LONGEST_ADDED: Final = 24
_LONGEST_SUM: Final = 300
"""How many variables and constants an expression within another may read: one of
the user's, one of the reverse sweep, a sum of the terms that a variable takes there,
all that this adds to a variable, a sum that stands in one line of the user's."""


class Survey:
    """What is known of a program before anything nests: it is the same whatever is
    forced, so that the rounds of a text share it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.uses = Uses(program)
        blocks = self.uses.blocks
        named: Named = {}
        changing: Changes = {}
        guards = (guard.block for guard in program.guards)
        self.points = PointsTo(program.forward, *guards, program.reverse)
        self.same = Same(blocks[0].ops)
        self.done = [Done.by(block.ops, named, changing) for block in blocks]
        self.unpackings = unpackings(self.uses)
        self.cheap = Cheap(self.uses)
        self.size = _sizes(self.uses)
        self.joined = self._joined() if enabled("joined") else {}
        self.single = frozenset[str]()
        if enabled("single"):
            self.single = single_adjoints(self.uses, self.size, self.joined)

    def _joined(self) -> dict[str, int]:
        """Return the first terms of sums that a variable of one name takes one after
        another, and how much they read: `dw = a` and `dw += b` are `dw = a + b` where
        nothing else reads the first, and both are short.

        A first term has memory of its own, to which nothing else refers: then the sum
        may be in memory of its own as well.
        """
        found: dict[str, int] = {}
        for block in self.uses.blocks:
            for op in block.ops:
                if not isinstance(op, Apply) or not op.origin.reverse or op.effect:
                    continue
                start = op.args[0] if op.args else None
                before = found.get(start.name, 0) if isinstance(start, Var) else 0
                total = self.size[op.out.name] + max(before - 1, 0)
                user = self._adds_alone(op, found.keys())
                if user is None or (is_augmented(op) and not before):
                    continue
                if total + self.size[user.out.name] - 1 <= _LONGEST_JOINED:
                    found[op.out.name] = total
        return found

    def _adds_alone(self, op: Apply, joined: AbstractSet[str]) -> Apply | None:
        """Return the sum under the same name that alone reads the result of an op.
        joined: first terms, which nothing but their sums refers to."""
        out, uses = op.out, self.uses.of(op.out)
        user = uses[0].op if len(uses) == 1 else None
        if not isinstance(user, Apply) or user.fn not in (operator.add, operator.sub):
            return None
        if user.out.hint != out.hint or is_weak(out.hint) or user.args[0] != out:
            return None
        if info(op.fn).copies or self.points.memory(out) - joined - {out.name}:
            return None
        starts = [a.name for a in op.args[:1] if isinstance(a, Var)]
        goes_on = op.form == "augmented" and not joined.isdisjoint(starts)
        if out.fact.kind == "real" and op.form != "operator" and not goes_on:
            return None
        sums = _is_plain_sum(out.fact) and _is_plain_sum(user.out.fact)
        return user if sums else None


class Nesting:
    """The decisions. `nested` has the ops by the names of their variables.

    forced: variables printed in the copy at the end of a body or an arm that is their
    only use (`a, b = b, a + b`), because no one name serves both.
    """

    def __init__(self, survey: Survey, forced: frozenset[str] = frozenset()) -> None:
        self.uses = uses = survey.uses
        self.forced = forced
        self.nested: dict[str, Apply | If] = {}
        self.repeated: set[str] = set()  # printed more than once
        self.deep: set[str] = set()  # printed within a block of that statement
        self.position: dict[str, int] = {}  # of the statement that a nested op is in
        program = survey.program
        self.fast = program.plain is not None  # what is computed twice takes time
        self.bare = not program.results and not program.reverse
        self.kept = frozenset(() if self.bare else _names(program.value))
        self.points, self.done = survey.points, survey.done
        self.unpackings, self.cheap = survey.unpackings, survey.cheap
        self.unpacked = self.unpackings.targets
        self.size, self.joined = survey.size, survey.joined
        self.single = survey.single
        self._block(uses.blocks[0], expression=False)

    def _block(self, block: Numbered, *, expression: bool) -> None:
        """Decide for a block, last op first; `expression`: it is to become one."""
        for i in range(len(block.ops) - 1, -1, -1):
            op = block.ops[i]
            match op:
                case Apply():
                    self._consider(op, block, i, expression=expression)
                case If():
                    self._branch(op, (*block.outer, (block.number, i)))
                    if self._is_value(op):
                        self._consider(op, block, i, expression=expression)
                case Compound() | Guard():
                    self._within((*block.outer, (block.number, i)))
                case Simple():
                    pass
                case _:
                    assert_never(op)

    def _within(self, place: Place) -> None:
        """Decide for the blocks of the op at a place."""
        for position in range(3):
            number = self.uses.inner.get((place, position))
            if number is not None:
                self._block(self.uses.blocks[number], expression=False)

    def _branch(self, op: If, place: Place) -> None:
        arms = [self.uses.block_of(place, k) for k in (0, 1)]
        expression = op.form != "if" and len(op.merges) == 1
        for arm in arms:
            self._block(arm, expression=expression)
        if expression and not self._is_value(op):
            for inner in (*walk(op.then), *walk(op.orelse)):
                for var in defined_by(inner):
                    self.nested.pop(var.name, None)
            for arm in arms:
                self._block(arm, expression=False)

    def _is_value(self, op: If) -> bool:
        """Say whether a branch is one expression: its arms have nested away."""
        return is_expression(op, self.nested)

    def _consider(
        self, op: Apply | If, block: Numbered, index: int, *, expression: bool
    ) -> None:
        out = op.out if isinstance(op, Apply) else op.merges[0].out
        forced = out.name in self.forced
        weak = is_weak(out.hint) or out.name in self.joined
        written = weak or out.name in self.single
        if not forced and (not written or out.name in self.kept):
            return
        uses = self._uses(out)
        if not uses or out.name in self.unpacked:
            return
        if len(uses) != 1 if forced else self._is_long(op, uses):
            return
        used_here = len(uses) == 1 and self._is_nestable(op, uses[0], block, expression)
        if used_here and self._is_repeated(uses[0]):
            index = isinstance(op, Apply) and op.fn in (build_tuple, build_slice)
            used_here = index or out.fact.kind == "int"
        if used_here and self._same_sweep(block, index, uses[0]):
            end = self._end(block, uses[0])
            if self._may_move(op, block, index, end):
                self.nested[out.name] = without_start(op, self.joined)
                self.position[out.name] = end[0]
                return
        if weak and len(uses) <= REPEATED and all(u.kind in _REPEATED_IN for u in uses):
            ends = [self._end(block, use) for use in uses]
            moving = self._repeatable(op, block, index)
            if len({*ends}) < len(ends) and not self.cheap.is_plain(op):
                return
            if not moving or not all(
                self._may_move(each, block, index - k, end)
                for k, each in enumerate(moving)
                for end in ends
            ):
                return
            self.nested[out.name] = op
            self.position[out.name] = max(last for last, _ in ends)
            if any(deep for _, deep in ends):
                self.deep.add(out.name)
            if len(uses) > 1 or self._is_repeated(uses[0]):
                inner = (o for each in moving for o in right_of(each))
                self.repeated |= {value_name(o) for o in (*moving, *inner)}

    def _repeatable(
        self, op: Apply | If, block: Numbered, index: int
    ) -> tuple[Apply | If, ...]:
        """Return the ops that are printed wherever a cheap op is used, it and those in
        front of it that it begins with; none for one that is not cheap."""
        if isinstance(op, Apply):
            short = not self.fast and self.cheap.is_short(op, block)
            short = short and enabled("numbers")
            return (op,) if short or self.cheap.is_read(op) else ()
        left = self.cheap.condition(op, block.ops, index)
        return () if left is None else (op, *left)

    def _is_repeated(self, use: Use) -> bool:
        """Say whether a use is within a read that is printed more than once."""
        return isinstance(use.op, Apply) and use.op.out.name in self.repeated

    def _uses(self, out: Var) -> list[Use]:
        """Return the uses, the second reading of `a` in `a and b` left out."""
        uses = self.uses.of(out)
        if len(uses) <= 1:
            return uses
        short = [
            u.op
            for u in uses
            if u.kind == "test"
            and isinstance(u.op, If)
            and u.op.form in ("and", "chain", "or")
            and self._is_value(u.op)
            and form_of(u.op) == u.op.form
        ]
        return [u for u in uses if u.kind != "merge" or u.op not in short]

    def _is_nestable(
        self,
        op: Apply | If,
        use: Use,
        block: Numbered,
        expression: bool,
    ) -> bool:
        """Say whether a use is of a kind in which an expression can be printed."""
        if not use.is_directly_in(block.number) or use.kind in ("saved", "target"):
            return False
        forced = value_name(op) in self.forced and not _has_effect(op)
        if use.kind in ("value", "init"):
            return forced or (use.kind == "value" and self.bare)
        if use.kind in ("merge", "next"):
            within = expression and use.kind == "merge"
            return within or (forced and self._is_short(op))
        return True

    def _same_sweep(self, block: Numbered, index: int, use: Use) -> bool:
        if block.number != 0 or self.uses.forward == len(block.ops):
            return True
        return (index < self.uses.forward) == (use.index_in(0) < self.uses.forward)

    def _is_short(self, op: Apply | If) -> bool:
        return self.size[value_name(op)] <= _FORCED_LEAVES

    def _is_long(self, op: Apply | If, uses: Sequence[Use]) -> bool:
        user = uses[0].op if len(uses) == 1 else None
        return self.size[value_name(op)] > _longest(op, user)

    # ------------------------------------------------------------ moving

    def _end(self, block: Numbered, use: Use) -> End:
        """Return the index of the statement a use ends in; whether it is deep in it."""
        number, at = use.place[-1]
        if number != block.number:
            return use.index_in(block.number), True
        if at < len(block.ops):
            out = value_name(block.ops[at])
            if out in self.nested:
                return max(at, self.position[out]), out in self.deep
        return at, False

    def _may_move(self, op: Apply | If, block: Numbered, index: int, end: End) -> bool:
        """Say whether an op still gives the same at the place of its use."""
        last, deep = end
        if last < 0:  # read outside the block: after a `with`, in the `else` of a try
            return False
        if last + deep <= index + 1:  # there is nothing between
            return True
        effect = _has_effect(without_start(op, self.joined))
        if block.strict or effect:
            between = block.ops[index + 1 : last + deep]
            return self._precedes(op, between, block, last)
        done, span = self.done[block.number], (index + 1, last + deep)
        leaves = self._leaves(op, [])
        changes = [c for c in done.changes_within(*span) if not self._is_joined(c)]
        read: Roots = frozenset()
        if changes:
            mutable = (v for v in leaves if not v.fact.is_immutable)
            read = read.union(*map(self.points.memory, mutable))
        effects: list[Op] = []
        for change in changes if read else ():
            drawn = isinstance(change, Apply) and change.effect
            target = None if drawn else written_by(change)
            if target is None:
                effects.append(change)
            elif self.points.memory(target) & read:
                return False
        if not self._precedes(op, effects, block, last):
            return False
        again = [
            var
            for hint in {v.hint for v in leaves if not is_weak(v.hint)}
            for var in done.assigned_within(hint, *span)
            if var.name not in self.nested
        ]
        return not again or {v.name for v in again} <= {v.name for v in leaves}

    def _is_joined(self, change: Op | Guard) -> bool:
        """Say whether what adds to a first term is within a sum, and writes nothing."""
        if not isinstance(change, Apply) or change.out.name not in self.nested:
            return False
        return not _has_effect(without_start(change, self.joined))

    def _precedes(
        self, op: Apply | If, others: Sequence[Op | Guard], block: Numbered, last: int
    ) -> bool:
        """Say whether `op`, moved to the statement `last`, still comes before all of
        the others."""
        if not others:
            return True
        if last >= len(block.ops):
            return False
        names = [value_name(other) for other in others]
        if not all(n in self.nested and self.position[n] >= last for n in names):
            return False
        within = [n for n in names if self.position[n] == last]
        if not within:
            return True
        user = block.ops[last]
        atoms = (user.test,) if isinstance(user, Guard) else atoms_of(user)
        order: dict[str, int] = {}
        self._order(atoms, order)
        mine = order.get(value_name(op), len(order))
        return all(mine < order.get(n, -1) for n in within)

    def _order(self, atoms: Iterable[object], found: dict[str, int]) -> None:
        """Number the variables in the order in which expressions make them first."""
        for atom in atoms:
            if isinstance(atom, Var):
                inner = self.nested.get(atom.name)
                if inner is not None:
                    self._order(parts_of(inner), found)
                found.setdefault(atom.name, len(found))

    def _leaves(self, op: Apply | If, found: list[Var]) -> list[Var]:
        """Return `found`, with what the expression of an op reads added."""
        for part in parts_of(op):
            if isinstance(part, Var):
                inner = self.nested.get(part.name)
                if inner is None:
                    # What stands before it in the block is not decided yet: it may
                    # be nested too, and then it moves along, which is checked then.
                    found.append(part)
                else:
                    self._leaves(inner, found)
        return found


def _sizes(uses: Uses) -> dict[str, int]:
    """Return how much values read if all they use once is printed within them, but for
    what is too long for that."""
    found: dict[str, int] = {}
    made: dict[str, Apply | If] = {}
    for block in reversed(uses.blocks):  # arms before the branch that they belong to
        for each in block.ops:
            op = expression_of(each)
            if op is not None and (name := value_name(op)):
                total = 0
                for part in parts_of(op):
                    once = _once(part, uses)
                    size = found.get(once, 1)
                    # Least of all, for most are shorter than any bound.
                    if size > _LONGEST_REVERSE and size > _longest(made[once], op):
                        size = 1
                    total += size
                found[name] = total
                made[name] = op
    return found


def _longest(op: Apply | If, user: Op | Guard | None) -> int:
    """Return how much an op may read that is printed within another one. A tuple has
    no name, however long: its items have lines of their own."""
    if isinstance(op, Apply) and op.fn is build_tuple:
        return sys.maxsize
    if op.origin.reverse:
        added = isinstance(user, Apply) and user.form == "augmented"
        return _LONGEST_ADDED if added else _LONGEST_REVERSE
    place = op.origin.place
    own = user is not None and place is not None and user.origin.place == place
    return _LONGEST_SUM if own and _is_sum(op) and _is_sum(user) else _LONGEST


def without_start(op: Apply | If, within: Container[str]) -> Apply | If:
    """Return an op; no `+=` where what it adds to stands in it, or it in a sum."""
    if not isinstance(op, Apply) or op.form != "augmented" or not op.origin.reverse:
        return op
    start = op.args[0]
    joins = isinstance(start, Var) and start.name in within
    return replace(op, form="operator") if joins or op.out.name in within else op


def _is_plain_sum(known: Fact) -> bool:
    """Whether a sum of such is of the same kind in place and in new memory: of arrays
    without axes, which operators give none of, it is a number."""
    if known.kind == "array":
        return bool(known.rank)
    return known.kind in NUMBERS or (known.kind == "real" and known.is_scalar)


def _is_sum(op: Op | Guard | None) -> bool:
    return isinstance(op, Apply) and op.fn in (operator.add, operator.sub)


def _once(part: object, uses: Uses) -> str:
    """Return the name of what is no variable of the user's and read once, else ""."""
    if not isinstance(part, Var) or not is_weak(part.hint) or len(uses.of(part)) != 1:
        return ""
    return part.name


def is_expression(op: If, nested: dict[str, Apply | If]) -> bool:
    """Say whether a branch prints as one expression."""
    if op.form == "if" or len(op.merges) != 1:
        return False
    return all(
        var.name in nested
        for arm in (op.then, op.orelse)
        for inner in arm
        for var in (defined_by(inner) or (Var(""),))
    )


def _has_effect(op: Apply | If) -> bool:
    if isinstance(op, Apply):
        return op.effect or is_augmented(op)
    return any(True for _ in written(_inside(op)))


def _inside(op: If) -> Iterator[Op]:
    yield from walk(op.then)
    yield from walk(op.orelse)


def _names(atom: object) -> Iterator[str]:
    if isinstance(atom, Var):
        yield atom.name
