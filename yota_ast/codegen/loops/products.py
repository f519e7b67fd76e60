"""Products of stacks of matrices, `np.einsum` and `np.tensordot` -> loops.

    t1 = A @ B

becomes, of two stacks of matrices,

    t1 = np.empty((len(A), A.shape[1], B.shape[2]))
    for i in range(len(A)):
        t1[i] = A[i] @ B[i]
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from yota_ast.codegen.loops.draft import INT, Draft
from yota_ast.codegen.loops.elements import (
    Array,
    Axis,
    Elements,
    is_array,
    number,
    zero_of,
)
from yota_ast.codegen.numba_source.number_arithmetic import (
    refuse_narrow,
    refuse_unsigned_sum,
)
from yota_ast.codegen.plan.statement_plan import Let, Move, Stmt
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops.registry import info

Contraction = tuple[list[str], str, list[Array]]
"""The labels of the axes of operands, those of the result, and the operands."""


class Products:
    """Makes the loops of products that BLAS has no call for."""

    def __init__(self, draft: Draft, elements: Elements) -> None:
        self.draft = draft
        self.elements = elements

    # ------------------------------------------------------------ stacks

    def stacked(self, target: Var, op: Apply) -> list[Stmt]:
        """Return the product of stacks of matrices, a call of BLAS for each."""
        dtype = op.out.fact.dtype
        if op.fn is np.dot or dtype is None or op.kwargs or len(op.args) != 2:
            self.draft.refuse("a product of stacks of matrices with options")
        names = [self.elements.name(a) for a in op.args]
        parts = [self.elements.named(name) for name in names]
        if any(p.rank < 2 for p in parts):
            return self.with_vector(target, op, names, parts)
        if parts[1].rank == 2:
            return self.with_matrix(target, op, names, parts)
        stacks = [Array(p.axes[:-2], p.at) for p in parts]
        axes = self.elements.together(stacks)
        counters = self.draft.counters(len(axes))
        pages: list[Atom] = []
        for name, stack in zip(names, stacks, strict=True):
            matrix = Fact("array", name.fact.dtype, name.fact.shape[-2:])  # type: ignore[index]
            place = self.place(stack, axes, counters)
            pages.append(self.draft.item(name, place, matrix) if place else name)
        page = Fact("array", dtype, (None, None))
        product = self.draft.operate(operator.matmul, *pages, fact=page)
        ends = [a.length for a in axes]
        empty = self.draft.empty(
            target, [*ends, parts[0].axes[-2].length, parts[1].axes[-1].length], dtype
        )
        body = self.draft.write(target, counters, product)
        return [empty, *self.draft.loops(counters, ends, [body])]

    def with_matrix(
        self, target: Var, op: Apply, names: list[Var], parts: list[Array]
    ) -> list[Stmt]:
        """Return the product of a stack and one matrix: of all rows at once."""
        lengths = [axis.length for axis in parts[0].axes]
        fact = Fact("array", op.out.fact.dtype, (None, None))
        dense = self.draft.call(np.ascontiguousarray, names[0], fact=names[0].fact)
        shape = self.draft.tuple_of([self.count(lengths[:-1]), lengths[-1]])
        rows = self.draft.let(self.draft.var(fact), np.reshape, dense, shape)
        flat = self.draft.let(
            self.draft.var(fact), operator.matmul, rows, names[1], form="operator"
        )
        ends = [*lengths[:-1], parts[1].axes[-1].length]
        made = Apply(target, np.reshape, (flat, self.draft.tuple_of(ends)))
        return [Let((target,), made)]

    def with_vector(
        self, target: Var, op: Apply, names: list[Var], parts: list[Array]
    ) -> list[Stmt]:
        """Return the product of a stack of matrices and a vector."""
        dtype = op.out.fact.dtype
        assert dtype is not None
        k = 0 if parts[0].rank > 1 else 1
        stack = parts[k]
        counters = self.draft.counters(stack.rank - 2)
        matrix = Fact("array", dtype, (None, None))
        page = self.draft.item(names[k], counters, matrix)
        args = (page, names[1]) if k == 0 else (names[0], page)
        value = self.draft.operate(
            operator.matmul, *args, fact=Fact("array", dtype, (None,))
        )
        axes = [*stack.axes[:-2], stack.axes[-2 if k == 0 else -1]]
        ends = [axis.length for axis in axes]
        body = self.draft.write(target, counters, value)
        empty = self.draft.empty(target, ends, dtype)
        return [empty, *self.draft.loops(counters, ends[:-1], [body])]

    def place(
        self, part: Array, axes: tuple[Axis, ...], index: Sequence[Atom]
    ) -> list[Atom]:
        """Return the index of one of several arrays that are broadcast."""
        skipped = len(axes) - part.rank
        return [
            Const(0)
            if axis.is_unit and not axes[skipped + k].is_unit
            else index[skipped + k]
            for k, axis in enumerate(part.axes)
        ]

    # ------------------------------------------------------------ contractions

    def contracted(self, target: Var, op: Apply) -> list[Stmt]:
        """Return the array that sums of products of elements are."""
        labels, result, parts = self.taken_apart(op)
        dtype = op.out.fact.dtype
        if dtype is None:
            self.draft.refuse(f"`np.{op.fn.__name__}` of unknown numbers")
        lengths = self.lengths(labels, parts)
        is_even = all(
            axis.is_unit == lengths[k].is_unit
            for names, part in zip(labels, parts, strict=True)
            for k, axis in zip(names, part.axes, strict=True)
        )
        if is_product(labels, result) and is_even and is_of_blas(op):
            return self.by_blas(target, op, labels, result, lengths)
        counters = self.counters(result, labels)
        outer = [counters[k] for k in result]
        fact = number(op.out.fact)
        total, body = self.summed(fact, labels, result, parts, counters, lengths)
        body.append(self.draft.write(target, outer, total))
        ends = [lengths[k].length for k in result]
        return [
            self.draft.empty(target, ends, dtype),
            *self.draft.loops(outer, ends, body),
        ]

    def by_blas(
        self, target: Var, op: Apply, labels: Sequence[str], result: str,
        lengths: dict[str, Axis],
    ) -> list[Stmt]:  # fmt: skip
        """Return a contraction of two operands as a product of two matrices."""
        first, second = labels
        gone = "".join(k for k in first if k in second)
        own = ["".join(k for k in names if k not in gone) for names in labels]
        given = op.args[1:] if op.fn is np.einsum else op.args[:2]
        left = self.as_matrix(given[0], first, (own[0], gone), lengths)
        right = self.as_matrix(given[1], second, (gone, own[1]), lengths)
        fact = op.out.fact
        flat = self.draft.let(
            self.draft.var(Fact("array", fact.dtype, (None, None))),
            operator.matmul, left, right, form="operator",
        )  # fmt: skip
        order = "".join(own)
        shape = self.draft.tuple_of([lengths[k].length for k in order])
        if order == result:
            return [Let((target,), Apply(target, np.reshape, (flat, shape)))]
        whole = self.draft.let(self.draft.var(fact), np.reshape, flat, shape)
        axes = self.draft.tuple_of([Const(order.index(k)) for k in result])
        turned = self.draft.call(np.transpose, whole, axes, fact=fact)
        copied = Apply(target, np.ascontiguousarray, (turned,))
        return [Let((target,), copied)]

    def as_matrix(
        self, atom: Atom, names: str, sides: tuple[str, str], lengths: dict[str, Axis]
    ) -> Var:
        """Return an operand with its axes put together to those of a matrix."""
        owner = self.elements.name(atom)
        order = "".join(sides)
        turned: Var = owner
        if order != names:
            axes = self.draft.tuple_of([Const(names.index(k)) for k in order])
            turned = self.draft.call(np.transpose, owner, axes, fact=owner.fact)
        dense = self.draft.call(np.ascontiguousarray, turned, fact=owner.fact)
        ends = [self.count([lengths[k].length for k in side]) for side in sides]
        matrix = self.draft.var(Fact("array", owner.fact.dtype, (None, None)))
        shape = self.draft.tuple_of(ends)
        return self.draft.let(matrix, np.reshape, dense, shape)

    def count(self, lengths: Sequence[Atom]) -> Atom:
        """Return the product of lengths."""
        found: Atom = Const(1)
        for length in lengths:
            found = (
                length
                if found == Const(1)
                else self.draft.operate(operator.mul, found, length, fact=INT)
            )
        return found

    def number(self, op: Apply) -> Var:
        """Return the number that a sum of products of elements is."""
        labels, result, parts = self.taken_apart(op)
        if result:
            self.draft.refuse(f"`np.{op.fn.__name__}`, whose result is no number")
        lengths = self.lengths(labels, parts)
        counters = self.counters(result, labels)
        fact = number(op.out.fact)
        total, body = self.summed(fact, labels, result, parts, counters, lengths)
        self.draft.before += body
        assert isinstance(total, Var)
        return total

    def counters(self, result: str, labels: Sequence[str]) -> dict[str, Var]:
        """Return a counter for each label, those of the result first."""
        letters = [*dict.fromkeys((*result, *"".join(labels)))]
        return dict(zip(letters, self.draft.counters(len(letters)), strict=True))

    def summed(
        self, fact: Fact, labels: Sequence[str], result: str, parts: Sequence[Array],
        counters: dict[str, Var], lengths: dict[str, Axis],
    ) -> tuple[Atom, list[Stmt]]:  # fmt: skip
        """Return an element of the result, and what computes it."""
        product: Atom | None = None
        for names, part in zip(labels, parts, strict=True):
            at = tuple(
                Const(0) if axis.is_unit and not lengths[k].is_unit else counters[k]
                for k, axis in zip(names, part.axes, strict=True)
            )
            item = part.at(at)
            product = (
                item
                if product is None
                else self.draft.operate(operator.mul, product, item)
            )
        assert product is not None
        gone = [k for k in counters if k not in result]
        if not gone:
            return product, []
        total = self.draft.var(fact)
        added = Apply(
            total, operator.add, (total, product), form="augmented",
            origin=self.draft.origin,
        )  # fmt: skip
        ends = [lengths[k].length for k in gone]
        loops = self.draft.loops(
            [counters[k] for k in gone], ends, [Let((total,), added)]
        )
        return total, [Move(((total, zero_of(fact)),)), *loops]

    def lengths(self, labels: Sequence[str], parts: Sequence[Array]) -> dict[str, Axis]:
        """Return the axis of each label, and test that the lengths fit."""
        found: dict[str, list[Axis]] = {}
        for names, part in zip(labels, parts, strict=True):
            for k, axis in zip(names, part.axes, strict=True):
                found.setdefault(k, []).append(axis)
        return {k: self.elements.common(axes) for k, axes in found.items()}

    def taken_apart(self, op: Apply) -> Contraction:
        """Return the labels and the operands of a call."""
        refuse_narrow(self.draft, op.out.fact.dtype)
        refuse_unsigned_sum(self.draft, op.out.fact.dtype)
        if op.fn is np.einsum:
            return self.of_einsum(op)
        parts = [self.elements.array(a) for a in op.args[:2]]
        axes = op.args[2] if len(op.args) > 2 else dict(op.kwargs).get("axes", Const(2))
        if info(op.fn).in_loops == "product":  # of vectors and matrices
            axes = Const(1)
        ranks = [p.rank for p in parts]
        pairs = _paired(axes.value if isinstance(axes, Const) else None, ranks[0])
        if pairs is None:
            self.draft.refuse("`np.tensordot` along axes that are computed")
        letters = "abcdefghijklmnopqrstuvwxyz"
        first = letters[: ranks[0]]
        second = [*letters[ranks[0] : sum(ranks)]]
        for one, other in zip(*pairs, strict=True):
            second[other % ranks[1]] = first[one % ranks[0]]
        other_labels = "".join(second)
        shared = set(first) & set(other_labels)
        result = "".join(k for k in first + other_labels if k not in shared)
        return [first, other_labels], result, parts

    def of_einsum(self, op: Apply) -> Contraction:
        """Return the labels and the operands of `np.einsum`."""
        text = op.args[0].value if isinstance(op.args[0], Const) else None
        options = [k for k, _ in op.kwargs if k != "optimize"]
        if not isinstance(text, str) or "." in text or options:
            self.draft.refuse("`np.einsum` with options")
        given, arrow, result = text.replace(" ", "").partition("->")
        labels = given.split(",")
        parts = [self.elements.array(a) for a in op.args[1:]]
        if not arrow:
            letters = sorted({*given} - {","})
            result = "".join(k for k in letters if given.count(k) == 1)
        if [len(names) for names in labels] != [p.rank for p in parts]:
            self.draft.refuse("`np.einsum` of arrays of other ranks")
        return labels, result, parts


def is_of_blas(op: Apply) -> bool:
    """Say whether BLAS multiplies such numbers: floats of one dtype, or complex ones.

    >>> from yota_ast.ir.abstract_values import array_fact
    >>> x, k = Var("x", array_fact(float, (2,))), Var("k", array_fact(int, (2,)))
    >>> [is_of_blas(Apply(Var("y"), np.dot, args)) for args in [(x, x), (k, k), (k, x)]]
    [True, False, False]
    """
    dtypes = {fact_of_atom(a).dtype for a in op.args if is_array(a)} - {None}
    return len(dtypes) <= 1 and all(d.kind in "fc" for d in dtypes if d is not None)


def is_product(labels: Sequence[str], result: str) -> bool:
    """Say whether a contraction is a product of two matrices.

    >>> is_product(["ij", "kj"], "ik"), is_product(["bij", "bjk"], "bik")
    (True, False)
    """
    if len(labels) != 2 or any(len({*names}) != len(names) for names in labels):
        return False
    shared = {*labels[0]} & {*labels[1]}
    alone = {*labels[0]} ^ {*labels[1]}
    return not shared & {*result} and alone == {*result}


def _paired(axes: object, rank: int) -> tuple[list[int], list[int]] | None:
    """Return the axes that `np.tensordot` sums over, those of each operand.

    >>> _paired(1, 3), _paired(((0,), (1,)), 2)
    (([2], [0]), ([0], [1]))
    """
    if type(axes) is int:
        return [*range(rank - axes, rank)], [*range(axes)]
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        return None
    one, other = ([k] if isinstance(k, int) else list(k) for k in axes)
    return one, other


def is_number(op: Apply) -> bool:
    """Say whether a contraction gives a number."""
    return info(op.fn).in_loops == "contraction" and not is_array(op.out)
