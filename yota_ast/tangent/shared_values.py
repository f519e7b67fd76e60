"""Values and tangents -> the same, each function of a value computed once.

The tangent of `np.sin(x)` reads `np.cos(x)`. Where the function itself computes that
later, it is computed where the tangent needs it, and both read it.

    ds = dx * np.cos(x)         ->      c = np.cos(x)
    c = np.cos(x)                       ds = dx * c

>>> import numpy as np
>>> from yota_ast.ir.nodes import Origin
>>> x, c, t, d = map(Var, ("x", "c", "t", "d"))
>>> ops = (
...     Apply(t, np.cos, (x,), origin=Origin(reverse=True)),
...     Apply(d, operator.mul, (Var("dx"), t), origin=Origin(reverse=True)),
...     Apply(c, np.cos, (x,)),
... )
>>> [(op.out.name, [a.name for a in op.args]) for op in with_shared(Block(ops), "xc")]
[('c', ['x']), ('d', ['dx', 'c'])]
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Iterator

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.kept_views import Sharing, sharing_of
from yota_ast.adjoint.rewrites.common_values import likeness
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, map_blocks
from yota_ast.ir.renaming import Substitution
from yota_ast.ops.arithmetic_costs import is_arithmetic


def with_shared(block: Block, own: Iterable[str]) -> Block:
    """The block, in which no tangent computes what a value of the same block is; own:
    the function's own variables."""
    sharing = sharing_of(block)
    return _Shared(sharing, sharing.written(*block), frozenset(own)).block(block)


@dataclass(frozen=True, slots=True)
class _Shared:
    """written: the memory that some op writes into. equal: by the name of a value, that
    of the first that is computed the same way. own: the function's variables, which no
    rewrite changes, as it may change what else is read."""

    sharing: Sharing
    written: frozenset[str]
    own: frozenset[str]
    equal: dict[str, str] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """The same of a block within."""
        later = dict(self._found_later(block))
        values = {id(value) for value in later.values()}
        ops = [
            _first_as(op, later[id(op)]) if id(op) in later else op
            for op in block
            if id(op) not in values
        ]
        made = Block(tuple(map_blocks(op, self.block) for op in ops))
        firsts = [op for op in block if isinstance(op, Apply) and id(op) in later]
        out = {op.out.name: later[id(op)].out for op in firsts}
        return Substitution(out).block(made) if out else made

    def _found_later(self, block: Block) -> Iterator[tuple[int, Apply]]:
        """The tangents' ops, by identity, each with the function's that is the same."""
        firsts: dict[Hashable, Apply] = {}
        for op in block:
            if not isinstance(op, Apply) or not self._is_pure(op):
                continue
            key = self._key(op)
            first = firsts.setdefault(key, op)
            self.equal[op.out.name] = self.equal.get(first.out.name, first.out.name)
            ours = first.origin.reverse and not op.origin.reverse
            ours = ours and self.own.issuperset(v.name for v in _read(first))
            if ours and _is_called(op) and first.out.fact == op.out.fact:
                yield id(first), op
                firsts[key] = op

    def _is_pure(self, op: Apply) -> bool:
        """Whether an op computes the same wherever it stands."""
        if op.effect or op.form == "augmented" or not is_arithmetic(op.fn):
            return False
        return self.written.isdisjoint(self.sharing.memory(*_variables(op)))

    def _key(self, op: Apply) -> Hashable:
        """What ops that compute the same have in common."""
        same = {v.name: replace(v, name=self.equal[v.name]) for v in _variables(op)
                if v.name in self.equal}  # fmt: skip
        known = Substitution(same).op(op)
        assert isinstance(known, Apply)
        return likeness(known.fn, known.args, known.kwargs)


def _first_as(first: Op, value: Apply) -> Apply:
    """The op of a tangent, as that of the function."""
    assert isinstance(first, Apply)
    return replace(value, args=first.args, kwargs=first.kwargs)


def _is_called(op: Apply) -> bool:
    """Whether an op calls a function: it costs little to use an operator again."""
    return getattr(op.fn, "__module__", "") != operator.add.__module__


def _read(op: Apply) -> tuple[Var, ...]:
    return tuple(a for a in atoms_of(op) if isinstance(a, Var))


def _variables(op: Apply) -> tuple[Var, ...]:
    return (op.out, *_read(op))
