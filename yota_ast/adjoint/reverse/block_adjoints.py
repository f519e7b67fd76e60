"""The reverse of branches and loops: the adjoints that their bodies change are merged
and carried as the values were."""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast.adjoint.inplace.zero_assignments import same_index
from yota_ast.adjoint.loops.zero_carries import found_zero
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.adjoint.reverse.appended_items import growths, shared_adjoint
from yota_ast.adjoint.reverse.contributions import (
    ZERO,
    LoopScope,
    Scope,
    settle_kinds,
    settled_fact,
    value_of,
)
from yota_ast.adjoint.reverse.mirrored_blocks import (
    Backwards,
    backwards,
    each_leaf,
    filters,
    loop_key,
    names_within,
    never_ends,
)
from yota_ast.adjoint.reverse.store_adjoints import Stores
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import Fact, anonymous
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.nodes import Apply, Block, Carry, For, If, Merge, Try, While, With
from yota_ast.runtime import expand
from yota_ast.support.passes import enabled


class Blocks(Stores):
    """The part of the sweep that enters inner blocks."""

    __slots__ = ()

    # ------------------------------------------------------------ branches

    def _with(self, op: With, scope: Scope) -> None:
        """The body is reversed within the same context: its warnings are not wanted."""
        outer, inner = scope.builder, scope.builder.nested()
        scope.builder = inner
        self.block(op.body, scope)
        scope.builder = outer
        if inner.ops:
            body = Block((*filters(op.body, outer.names), *inner.block()))
            outer.ops.append(With(op.context, body, backwards(op.origin)))

    def _try(self, op: Try, scope: Scope) -> None:
        """A try is a branch on whether its body raised; its first merge tells."""
        flag = op.merges[0].out
        completed = Block((*op.body.ops, *op.orelse.ops))
        merges = tuple(Merge(m.out, m.orelse, m.then) for m in op.merges)
        self._if(If(flag, op.handler, completed, merges, origin=op.origin), scope)

    def _if(self, op: If, scope: Scope) -> None:
        for block, other, side in (
            (op.then, op.orelse, "orelse"),
            (op.orelse, op.then, "then"),
        ):
            if never_ends(block):
                self._only(op, other, side, scope)
                return
        merges = [
            leaf for m in op.merges if m.out in self.active for leaf in each_leaf(m)
        ]
        reached = [(m, scope.pop(m.out)) for m in merges]
        if all(d is None for _, d in reached):
            return
        arms = []
        for block, side in ((op.then, "then"), (op.orelse, "orelse")):
            builder = scope.builder.nested()
            arm = Scope(builder, names_within(block), scope)
            for merge, d in reached:
                source = getattr(merge, side)
                if d is not None and isinstance(source, Var) and source in self.active:
                    arm.hand_on(source, d, merge.out)
            self.block(block, arm)
            arms.append(arm)
        self._join(op, arms[0], arms[1], scope)

    def _only(self, op: If, block: Block, side: str, scope: Scope) -> None:
        """A branch of which one arm raises: where the reverse runs, the other one
        ran."""
        scope.defined |= names_within(block)
        for merge in (
            leaf for m in op.merges if m.out in self.active for leaf in each_leaf(m)
        ):
            d, source = scope.pop(merge.out), getattr(merge, side)
            if d is not None and isinstance(source, Var) and source in self.active:
                scope.hand_on(source, d, merge.out)
        self.block(block, scope)

    def _join(self, op: If, then: Scope, orelse: Scope, scope: Scope) -> None:
        """The adjoints that the arms changed merge; the `If` of the reverse is
        added."""
        origin = backwards(op.origin)
        touched = {**then.entered, **orelse.entered}
        merges = []
        for name, var in touched.items():
            sides = []
            for arm in (then, orelse):
                if name not in arm.adjoints:
                    prior = scope.get(var)
                    arm.builder.origin = origin
                    arm.adjoints[name] = arm.zero(var) if prior is None else prior
                sides.append(arm.adjoints[name])
            if sides[0] == sides[1]:
                scope.adjoints[name] = sides[0]
                continue
            known = settled_fact(scope.fact(var), sides)
            out = scope.joined(var, sides, known, f"d{name}")
            merges.append(Merge(out, sides[0], sides[1]))
            scope.adjoints[name] = out
        scope.builder.ops.append(
            If(op.test, then.builder.block(), orelse.builder.block(), tuple(merges),
               origin=origin)
        )  # fmt: skip

    # ------------------------------------------------------------ loops

    def _loop(self, op: For | While, scope: Scope) -> None:
        self._take_items(op, scope)
        carries = [
            leaf
            for c in op.carries
            if c.out in self.active or c.inside in self.active
            for leaf in each_leaf(c)
            if leaf.next not in self.grown
        ]
        reached = [(c, scope.pop(c.out)) for c in carries]
        if all(d is None for _, d in reached) and not any(
            c.next in self.grown for c in op.carries
        ):
            return
        self._refuse_iterable(op)
        origin = backwards(op.origin)
        builder = scope.builder.nested()
        defined = names_within(op.body) | {c.inside.name for c in op.carries}
        if isinstance(op, For):
            defined |= {t.name for t in op.targets}
        body = LoopScope(builder, defined, scope)
        entering = self._enter(reached, body, scope)
        self.block(op.body, body)
        left = [(*entered, body.pop(entered[0].inside)) for entered in entering]
        unreached = [c for c, d in reached if d is None]
        zeros = self._found_zero([e for e in left if e[0] in unreached], body)
        back, joined = [], []
        for c, init, inside, after in left:
            if inside.name in zeros:
                continue
            builder.origin = origin
            following = body.zero(c.inside) if after is None else after
            if inside.name not in scope.loose:
                following = body.full(following, c.inside)
            out = body.joined(c.inside, (inside,), inside.fact, f"d{c.out.name}")
            back.append(Carry(out, init, inside, following))
            joined.append(c)
        sums = settle_kinds((*back, *body.carries()))
        block = Block((*zeros.values(), *builder.block()))
        scope.builder.ops.append(
            For((), Const(Backwards(loop_key(op))), block, sums, origin=origin)
        )
        for name, settled in zip(body.carried, sums[len(back) :], strict=True):
            scope.adjoints[name] = settled.out
        for c, settled in zip(joined, sums, strict=False):
            if isinstance(c.init, Var) and c.init in self.active:
                scope.hand_on(c.init, settled.out, c.inside)

    def _found_zero(
        self, left: Sequence[tuple[Carry, Atom, Var, Atom | None]], body: LoopScope
    ) -> dict[str, Apply]:
        """Of adjoints that are 0 behind a loop, and of which each iteration leaves
        something: those that stay 0, and what makes them in an iteration."""
        if marking() or not enabled("zeroing"):
            return {}
        carried = {
            inside.name: after
            for c, _, inside, after in left
            if inside.fact.kind == "array" and inside.name not in body.loose
            if isinstance(c.next, Var) and c.next.fact.kind == "array"
        }
        zero = found_zero(
            carried, body.builder.ops, lambda a, b: same_index(a, b, self.made)
        )
        made = dict[str, Apply]()
        for c, _, inside, _ in left:
            if inside.name in zero and isinstance(c.next, Var):
                like = value_of(body.builder, c.next)
                made[inside.name] = Apply(
                    inside, expand, (ZERO, like), origin=body.builder.origin
                )
        return made

    def _take_items(self, op: For | While, scope: Scope) -> None:
        """Of lists that grow by an item an iteration, the adjoint stays whole."""
        for g in growths(op, self.made, lambda v: v in self.active):
            d = scope.pop(g.carry.out)
            if d is None:
                continue
            d = scope.full(d, g.carry.out)
            if g.index is None and shared_adjoint(d, scope.builder.made) is None:
                scope.add(g.carry.out, d)
                continue
            self.grown[g.store.out] = g, d
            if isinstance(g.carry.init, Var) and g.carry.init in self.active:
                scope.add(g.carry.init, d)

    def _enter(
        self, reached: list[tuple[Carry, Atom | None]], body: LoopScope, scope: Scope
    ) -> list[tuple[Carry, Atom, Var]]:
        """The carried adjoints as an iteration, from the last on, finds them."""
        entering = []
        for c, d in reached:
            init = scope.zero(c.out) if d is None else d
            inside_fact = anonymous(body.fact(c.inside))
            known = _with_shape_of(c.next, inside_fact)
            inside = body.joined(c.inside, (init,), known, f"d{c.inside.name}")
            entering.append((c, init, inside))
        for c, _, inside in entering:
            if isinstance(c.next, Var) and c.next in self.active:
                body.hand_on(c.next, inside, c.inside)
        return entering

    def _refuse_iterable(self, op: For | While) -> None:
        if isinstance(op, For) and op.iterable in self.active:
            if fact_of_atom(op.iterable).kind == "dict":
                return  # its keys have no derivative
            raise UnsupportedSyntax(
                "this loop over a differentiated value is not supported",
                at=op.origin.location,
                remedy="Loop over `range(len(x))` and read `x[i]`.",
            )


def _with_shape_of(end: Atom | Undefined, known: Fact) -> Fact:
    """What is known of an adjoint that comes from the iteration after: it has the shape
    of what this one hands on, which may be another than that it was given."""
    if not isinstance(end, Var) or not end.fact.kind == known.kind == "array":
        return known
    shape, same = end.fact.shape, known.shape
    if isinstance(shape, tuple) and isinstance(same, tuple) and len(shape) == len(same):
        return known.with_shape(shape)
    return known
