"""Tape and activity -> the ops of the reverse sweep, by rules alone.

Nothing here knows of text, of what must be saved, or of writing in place: every op is
functional and says plainly what the rule says. A block of the reverse reads the
variables of the forward block that it mirrors directly, at whatever depth; `keep`
decides how they get there. The loop over the iterations backwards runs over
`Const(Backwards(loop))`, which `keep` replaces.
"""

from __future__ import annotations

import operator
from typing import assert_never

from yota_ast.adjoint.replaced_adjoints import replaced
from yota_ast.adjoint.reverse.appended_items import appended
from yota_ast.adjoint.reverse.block_adjoints import Blocks
from yota_ast.adjoint.reverse.contributions import (
    Item,
    Scope,
    adjoint_fact,
    fact_of_end,
    items_of,
    named,
)
from yota_ast.adjoint.reverse.differentiable_arguments import (
    is_computed,
    is_item,
    is_named,
    is_open,
    is_position,
)
from yota_ast.adjoint.reverse.mirrored_blocks import backwards
from yota_ast.adjoint.reverse.outlined_adjoints import Pair, results_of
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import FLOAT, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_dict, build_list, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Closed,
    For,
    If,
    Outlined,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    only,
)
from yota_ast.runtime import added_item, replace_grad
from yota_ast.solvers.flow_times import refuse_inner_times
from yota_ast.solvers.solver_operands import is_solved
from yota_ast.support.value_classes import is_record
from yota_ast.syntax.value_paths import PathStep


class Reverse(Blocks):
    """The reverse sweep over the blocks of one tape."""

    __slots__ = ()

    def block(self, block: Block, scope: Scope) -> None:
        """Reverse the ops of a block, last first, into the scope's builder."""
        if scope.parent is None:
            refuse_inner_times(block, scope.adjoints, self.active)
        for read in only(block if scope.parent is None else (), Read):
            if items_of(read.out) is not None:
                self.containers[read.root.name, read.path] = read.out
        for op in reversed(block.ops):
            scope.builder.origin = backwards(op.origin)
            match op:
                case Apply():
                    self._apply(op, scope)
                case If():
                    self._if(op, scope)
                case For() | While():
                    self._loop(op, scope)
                case Store():
                    self._store(op, scope)
                case With():
                    self._with(op, scope)
                case Try():
                    self._try(op, scope)
                case Read() | Raise():
                    pass
                case _:
                    assert_never(op)
        self._reads(block, scope)

    def _reads(self, block: Block, scope: Scope) -> None:
        """Hand on what has reached containers to the parts that are read of them: from
        the outermost inwards, after all that may use a container whole."""
        reads = [op for op in block.ops if isinstance(op, Read)]
        known = dict[Var, dict[object, Item]]()
        for op in sorted(reads, key=lambda op: len(op.path)):
            at, steps = self._whole_of(op)
            for _, key in steps:
                if at not in known:
                    known[at] = {item.key: item for item in items_of(at) or ()}
                inner = known[at]
                if key not in inner:
                    break
                at = inner[key]
            else:
                self._hand_on(at, op.out, scope)

    def _hand_on(self, at: Var, to: Var, scope: Scope) -> None:
        """Add the adjoint of an item of a container to that of its read."""
        inner, parts = items_of(at), items_of(to)
        if inner is not None and parts is not None:
            for item, part in zip(inner, parts, strict=True):
                self._hand_on(item, part, scope)
            return
        d = scope.pop(at)
        if d is not None:
            scope.add(to, d)

    def _whole_of(self, op: Read) -> tuple[Var, tuple[PathStep, ...]]:
        """The container that a leaf is of, and the way to it from there."""
        for n in range(len(op.path) - 1, 0, -1):
            whole = self.containers.get((op.root.name, op.path[:n]))
            if whole is not None:
                return whole, op.path[n:]
        return op.root, op.path

    # ------------------------------------------------------------ one primitive

    def _apply(self, op: Apply, scope: Scope) -> None:
        if op.out not in self.active:
            return
        if op.fn in (build_tuple, build_list, build_dict) or is_record(op.fn):
            self._build(op, scope)
            return
        if isinstance(op.fn, Outlined):
            self._outlined(op, self.pairs[op.fn.name], scope)
            return
        if isinstance(op.fn, Closed):
            return  # the adjoints go to what it holds
        if is_solved(op):
            assert self.derived is not None
            self.derived.reverse(op, self, scope)
            return
        dy = scope.pop(op.out)
        if dy is None or op.out.name in self.idle:
            return
        if op.fn is replace_grad:
            assert self.derived is not None
            replaced(op, self.made, self.derived.functions, dy, scope)
            return
        way = self._way_from_open(op, scope)
        if way is not None:
            self._open_item(op, way, dy, scope)
        elif is_item(op) and is_open(op.args[0]):
            self._open_item(op, (op.args[0], op.args[1]), dy, scope)
        elif (is_item(op) and not is_computed(op)) or is_named(op):
            container, key = op.args
            assert isinstance(container, Var)
            scope.add(self._position(container, key, op), dy)
        else:
            self._by_rule(op, dy, scope)

    def _way_from_open(self, op: Apply, scope: Scope) -> tuple[Atom, Atom] | None:
        """The opened list that an op reads an item of, perhaps an item of its items,
        and the way there: one key, or several."""
        keys, found = list[Atom](), None
        each: Apply | None = op
        while each is not None and is_item(each):
            whole, key = each.args
            if not is_position(key):
                break
            keys.insert(0, key)
            assert isinstance(whole, Var)
            if whole.name in self.opened:  # a key of a dict is no way to within
                found = whole, tuple(keys if whole.fact.kind != "dict" else keys[:1])
                if whole.fact.kind == "dict" and len(keys) > 1:
                    return None
            each = self.made.get(whole.name)
        if found is None:
            return None
        whole, way = found
        if len(way) == 1:
            return whole, way[0]
        known = Fact("tuple", items=tuple(map(fact_of_end, way)), cls=tuple)
        return whole, scope.builder.apply(build_tuple, *way, form="build", fact=known)

    def _open_item(
        self, op: Apply, way: tuple[Atom, Atom], dy: Atom, scope: Scope
    ) -> None:
        """An item of a list of unknown length: added to the list of adjoints; way: the
        list, and the key."""
        container, key = way
        assert isinstance(container, Var)
        d, dy = scope.get(container), scope.full(dy, op.out)
        made = appended(container, d, key, dy, scope.builder)
        if made is None:
            d = scope.full(scope.zero(container) if d is None else d, container)
            known = adjoint_fact(container)
            made = scope.builder.apply(added_item, d, key, dy, fact=known)
        scope.adjoints[container.name] = named(scope.builder, made, container)

    def _build(self, op: Apply, scope: Scope) -> None:
        """The adjoints of the items of a container are those of what it is built of."""
        items = op.args[1::2] if op.fn is build_dict else op.args
        places = items_of(op.out)
        if places is None:
            self._build_open(op, scope)
            return
        for item, place in zip(items, places, strict=True):
            d = scope.pop(place)
            if d is not None and isinstance(item, Var) and item in self.active:
                scope.add(item, d)

    def _build_open(self, op: Apply, scope: Scope) -> None:
        """The same of a list that is read at computed positions."""
        d = scope.pop(op.out)
        for k, item in enumerate(op.args):
            if d is not None and isinstance(item, Var) and item in self.active:
                part = _taken(scope, d, k, adjoint_fact(item))
                scope.add(item, part)

    def _outlined(self, op: Apply, pair: Pair, scope: Scope) -> None:
        """The call of an outlined function is reversed by a call of its reverse."""
        several = pair.saves or results_of(pair.function) != (pair.function.result,)
        results = (several and items_of(op.out)) or (op.out,)
        popped = [scope.pop(r) for r in results]
        if all(d is None for d in popped):
            return
        cotangents: list[Atom] = []
        for k in pair.reached:
            d = popped[k]
            d = scope.zero(results[k]) if d is None else scope.full(d, results[k])
            python = results[k].fact.is_python and adjoint_fact(results[k]) == FLOAT
            if python and fact_of_end(d) != FLOAT:
                d = scope.builder.apply(float, d)
            cotangents.append(d)
        given = [op.args[i] for i in pair.needs]
        given += [self.saved[op.out.name]] if pair.saves else []
        facts = tuple(
            _of_argument(op.args[i], pair.function.params[i]) for i in pair.asked
        )
        single = len(facts) == 1
        fact = facts[0] if single else Fact("tuple", items=facts, cls=Outlined)
        whole = scope.builder.apply(pair.reverse, *given, *cotangents, fact=fact)
        for k, i in enumerate(pair.asked):
            arg = op.args[i]
            if isinstance(arg, Var) and arg in self.active:
                scope.add(arg, whole if single else _taken(scope, whole, k, facts[k]))

    def _position(self, container: Var, key: Atom, op: Apply) -> Item:
        items = items_of(container)
        if items is not None and isinstance(key, Const):
            keys = container.fact.keys
            if keys is not None and key.value in keys:
                return items[keys.index(key.value)]
            if keys is None and isinstance(key.value, int):
                return items[key.value]
        raise UnsupportedSyntax(
            "the derivative goes through an item of a container of unknown structure",
            at=op.origin.location,
            remedy="Use an array, or a container of known length and a literal key.",
        )


def _of_argument(arg: Atom, param: Var) -> Fact:
    """What is known of the adjoint that a call gives for an argument: it is of the kind
    of the parameter, and of the shape of the argument. The shape of the parameter goes
    by names, which mean another one in a function that calls itself."""
    known = adjoint_fact(param)
    if known.kind not in ("real", "array") or known.shape is None:
        return known
    shape = arg.fact.shape if isinstance(arg, Var) else None
    if known.kind == "real":
        return known.with_shape(shape or None)
    fits = isinstance(shape, tuple) and len(shape) == known.rank
    unknown = None if known.rank is None else (None,) * known.rank
    return known.with_shape(shape if fits else unknown)


def _taken(scope: Scope, whole: Atom, at: int, fact: Fact) -> Var:
    """One of several results."""
    return scope.builder.apply(operator.getitem, whole, Const(at), fact=fact)
