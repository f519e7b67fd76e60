"""A reverse sweep -> the same, with a list of None for zeros that are all replaced.

    dW = zeros_of(W)
    for x, i in saved[::-1]:
        dW[i] = np.outer(dz, x)

The forward loop ran over `range(len(W))`, or over the keys of a dict, and to its end:
there is an item for each, and `dW = [None] * len(W)` does.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Container, Mapping

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.inplace.owned_items import makes_items
from yota_ast.adjoint.saving.reading_reverse import BACKWARDS
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_list
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    Store,
    map_blocks,
    of_ops,
    only,
    walk,
    with_out,
)
from yota_ast.ir.store_changes import PUT


def without_replaced_zeros(
    back: Block, ahead: Block, infer: Infer, names: Names, exact: Container[str]
) -> Block:
    """The sweep without such zeros; ahead: the forward sweep. exact: the containers of
    which the least length is the length."""
    before = {op.out.name: op for op in only(walk(ahead), Apply)}
    reads = read_counts(back)
    loops = {op.stack.name: op for op in only(walk(ahead), For) if op.stack is not None}
    return _Replaced(loops, before, reads, exact, infer, names).block(back)


def _operand(op: Apply | None, fn: object) -> Atom | None:
    """What a function of one argument is called with."""
    one = op is not None and op.fn is fn and len(op.args) == 1
    return op.args[0] if one and op is not None else None


@dataclass(frozen=True, slots=True)
class _Replaced:
    loops: Mapping[str, For]
    before: Mapping[str, Apply]
    reads: Counter[str]
    exact: Container[str]
    infer: Infer
    names: Names

    def block(self, block: Block) -> Block:
        """A block without zeros that a loop in it replaces."""
        made = {op.out.name: op for op in only(block, Apply)}
        replaced = {
            carry.init.name
            for loop in only(block, For)
            for carry in loop.carries
            if isinstance(carry.init, Var) and self.is_replaced(loop, carry, made)
        }
        ops = list[Op]()
        for op in block:
            if isinstance(op, Apply) and op.out.name in replaced:
                ops += self.unset(op)
            else:
                ops.append(map_blocks(op, self.block))
        return of_ops(block, tuple(ops))

    def is_replaced(self, loop: For, carry: Carry, made: Mapping[str, Apply]) -> bool:
        """Whether a loop puts something in the place of each zero."""
        assert isinstance(carry.init, Var)
        zeros = made.get(carry.init.name)
        if zeros is None or not makes_items(zeros) or self.reads[zeros.out.name] != 1:
            return False
        keys = self.keys_of(loop, zeros.args[0], made)
        once = self.reads[carry.inside.name] == 1
        return once and any(
            isinstance(op, Store) and op.change == PUT and op.target == carry.inside
            and op.out == carry.next and op.index in keys
            for op in loop.body
        )  # fmt: skip

    def keys_of(
        self, loop: For, container: Atom, made: Mapping[str, Apply]
    ) -> tuple[Var, ...]:
        """The targets of a reverse loop that are each key of a container once."""
        if not isinstance(loop.iterable, Var) or loop.stop is not None:
            return ()
        source = made.get(loop.iterable.name)
        if source is not None and self.counts_down(source, container):
            return loop.targets
        if source is None or source.fn is not operator.getitem:
            return ()
        saved, index = source.args
        if not isinstance(saved, Var) or index != BACKWARDS:
            return ()
        if self.are_all(saved, container, made):
            return loop.targets
        ahead = self.loops.get(saved.name)
        if ahead is None or ahead.stop is not None:
            return ()
        if not self.are_all(ahead.iterable, container, self.before):
            return ()
        pairs = zip(loop.targets, ahead.saved, strict=True)
        return tuple(key for key, value in pairs if value in ahead.targets)

    def counts_down(self, op: Apply, container: Atom) -> bool:
        """Whether a range is that of the positions in a list, from the last."""
        if not isinstance(container, Var) or container.name not in self.exact:
            return False
        ends = Const(container.fact.least - 1), Const(-1), Const(-1)
        return op.fn is range and op.args == ends

    def are_all(self, keys: Atom, container: Atom, made: Mapping[str, Apply]) -> bool:
        """Whether a loop goes over all keys of a container: of a dict, or the
        positions in a list."""
        if not isinstance(keys, Var) or not isinstance(container, Var):
            return False
        if keys.fact.kind == "dict":
            return keys == container
        count = _operand(made.get(keys.name), range)
        if isinstance(count, Var):
            made = {**self.before, **made}
            return _operand(made.get(count.name), len) == container
        known = container.name in self.exact
        return known and count == Const(container.fact.least)

    def unset(self, zeros: Apply) -> tuple[Op, ...]:
        """The ops for a container with the same keys and nothing in it."""
        builder, container = Builder(self.infer, self.names), zeros.args[0]
        known = zeros.out.fact
        if known.kind == "dict":
            builder.apply(
                dict.fromkeys, Const(dict, "dict", "builtins"), container,
                form="method", spelling="fromkeys", fact=known,
            )  # fmt: skip
        else:
            none = builder.apply(build_list, Const(None), form="build")
            length = builder.apply(len, container)
            builder.apply(operator.mul, none, length, form="operator", fact=known)
        return (*builder.ops[:-1], with_out(builder.ops[-1], zeros.out))
