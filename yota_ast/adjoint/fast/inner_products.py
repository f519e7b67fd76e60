"""Both sweeps -> the same, sums of all elements of products as inner products.

    val = np.sum(v * v)          val = np.vdot(v, v)
    val = np.mean(e**2)          val = np.vdot(e, e) / np.size(e)
    val = np.mean(t)             val = np.sum(t) / np.size(t)

The product is not stored, and `np.vdot` does not look for other kinds of arrays first,
which takes longer than to add up a thousand elements. `np.mean` adds up numbers of half
precision in single precision: the entry tests that there are none.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.fast.block_schedule import Axes, Pair
from yota_ast.adjoint.fast.element_ops import dims_of, is_array
from yota_ast.adjoint.fast.fitting_operands import Sources
from yota_ast.adjoint.fast.written_roots import WrittenRoots
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, map_blocks, of_ops, only, walk
from yota_ast.syntax.names import is_weak

Both = tuple[Block, Block, tuple[Check, ...]]
_HALF = 2


def with_inner_products(
    ahead: Block,
    back: Block,
    ends: Iterable[Atom],
    infer: Infer,
    names: Names,
    *,
    texts: Mapping[str, str],
    equal: Iterable[Pair],
) -> Both:
    """Both sweeps, and what the entry tests; ends: what is read behind them; texts: how
    arguments are spelled, by the names of their variables; equal: lengths."""
    axes = Axes()
    axes.join(equal)
    ops = [*walk(ahead), *walk(back)]
    read = [a for op in ops for a in (*atoms_of(op), *ends_of(op))]
    writer = _Writer(
        infer,
        names,
        WrittenRoots((*ahead, *back), PointsTo(ahead, back)),
        {op.out.name: op for op in only(ops, Apply)},
        Counter(a.name for a in (*read, *ends) if isinstance(a, Var)),
        Sources.of(ops, texts),
        axes,
    )
    ahead, back = writer.block(ahead), writer.block(back)
    return ahead, back, tuple(dict.fromkeys(writer.checks))


def with_methods_of_arrays(block: Block) -> Block:
    """A sweep that calls methods of arrays: `np.sum` looks for other kinds of arrays
    first."""
    return of_ops(block, tuple(map(_with_method, block)))


def _with_method(op: Op) -> Op:
    if not isinstance(op, Apply):
        return map_blocks(op, with_methods_of_arrays)
    name = _method_of(op.fn)
    if op.form != "call" or not name or not op.args or not is_array(op.args[0]):
        return op
    return replace(op, form="method", spelling=name)


def _method_of(fn: object) -> str:
    """The method of arrays that a reduction of NumPy calls; "" of another function."""
    name = getattr(fn, "__name__", "")
    is_one = name in ("sum", "max", "min", "prod") and fn is getattr(np, name)
    return name if is_one else ""


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes sums anew. made: by their names, the ops that make values; reads: how
    often these are read."""

    infer: Infer
    names: Names
    written: WrittenRoots
    made: Mapping[str, Apply]
    reads: Counter[str]
    sources: Sources
    axes: Axes
    checks: list[Check] = field(default_factory=list)

    def block(self, block: Block) -> Block:
        """A block, and the blocks within it."""
        return of_ops(block, tuple(o for op in block for o in self._op(op)))

    def _op(self, op: Op) -> Sequence[Op]:
        if not isinstance(op, Apply):
            return (map_blocks(op, self.block),)
        sums = op.fn is np.sum or op.fn is np.mean
        if not sums or len(op.args) != 1 or op.kwargs or op.form == "augmented":
            return (op,)
        array = op.args[0]
        if not self._is_of_floats(array) or not op.out.fact.is_floating:
            return (op,)
        assert isinstance(array, Var)
        if array.fact.dtype is None or array.fact.dtype.itemsize <= _HALF:
            return (op,)
        pair = self._factors(array)
        if op.fn is np.sum:
            return (op,) if pair is None else (self._product(op, op.out, pair),)
        return self._mean(op, array, pair)

    def _mean(
        self, op: Apply, array: Var, pair: tuple[Var, Var] | None
    ) -> Sequence[Op]:
        """The ops of a mean."""
        leaves = self.sources.leaves(array)
        if leaves is None:
            return (op,)
        self.checks.append(self._is_wide([v for v in leaves if dims_of(v)]))
        builder = Builder(self.infer, self.names, op.origin)
        total = builder.var(op.out.fact)
        if pair is None:
            builder.ops.append(
                replace(op, out=total, fn=np.sum, form="call", spelling="")
            )
        else:
            builder.ops.append(self._product(op, total, pair))
        size = builder.attribute("size", array if pair is None else pair[0])
        last = Apply(
            op.out, operator.truediv, (total, size), form="operator", origin=op.origin
        )
        return (*builder.ops, last)

    def _is_wide(self, arrays: Sequence[Var]) -> Check:
        texts = sorted(self.sources.given[v.name] for v in arrays)
        sizes = ", ".join(f"{text}.itemsize" for text in texts)
        one = len(texts) == 1
        return Check(
            f"{sizes if one else f'max({sizes})'} <= {_HALF}",
            f"made for {', '.join(texts)} of more than half precision",
        )

    def _product(self, op: Apply, out: Var, pair: tuple[Var, Var]) -> Apply:
        return Apply(out, np.vdot, pair, origin=op.origin)

    def _factors(self, array: Atom) -> tuple[Var, Var] | None:
        """Two arrays of which an array is the product, that nothing else reads."""
        made = self.made.get(array.name) if isinstance(array, Var) else None
        if made is None or self.reads[made.out.name] != 1 or made.form != "operator":
            return None
        if not is_weak(made.out.hint):
            return None
        one, other = (*made.args, *made.args)[:2]
        if made.fn is operator.pow:
            square = isinstance(other, Const) and other.value == 2 and not other.is_live
            other = one if square else other
        elif made.fn is not operator.mul:
            return None
        if not (isinstance(one, Var) and isinstance(other, Var)):
            return None
        dims = [[self.axes.of(d) for d in dims_of(a)] for a in (one, other, array)]
        alike = dims[0] == dims[1] == dims[2]
        steady = self._is_steady(one) and self._is_steady(other)
        return (one, other) if alike and steady else None

    def _is_steady(self, var: Var) -> bool:
        """Whether a variable is an array of floats that nothing writes."""
        return self._is_of_floats(var) and not self.written.may_hold(var)

    def _is_of_floats(self, atom: Atom) -> bool:
        known = atom.fact if isinstance(atom, Var) else None
        return known is not None and is_array(atom) and known.is_floating
