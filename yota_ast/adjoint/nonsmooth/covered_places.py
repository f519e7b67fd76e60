"""A cotangent along one axis -> the places that it surely reaches, from where to where.

`ang` and `om` are parts of a vector. Where the adjoints of both are put into its own,
each at a literal slice, the adjoint of a part that they cover needs no mask: nothing of
it is left out.

>>> covers(((6, 9), (0, 3), (3, 6)), 9), covers(((0, 3), (4, 9)), 9)
(True, False)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.reverse.contributions import fact_of_end as fact
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import stopped
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import unbroadcast, unconcatenate, ungetitem

Spans = tuple[tuple[int, int], ...]
"""From where to where, the end not among them."""
EVERYWHERE: Spans = ((0, 2**63),)


def covers(spans: Spans, length: int) -> bool:
    """Whether spans make up so many places."""
    end = 0
    for start, stop in sorted(spans):
        if start > end:
            break
        end = max(end, stop)
    return end >= length


def longest(known: Fact) -> int | None:
    """How long a vector is at most, as the program writes it."""
    if known.kind != "array" or not isinstance(known.shape, tuple):
        return None
    if len(known.shape) != 1 or known.shape[0] is None:
        return None
    length = known.shape[0]
    cut = stopped(length.base)
    if cut is not None:
        return max(cut[1] + length.offset, 0)
    return None if length.base else length.offset


@dataclass(slots=True)
class Covered:
    """Goes back from a cotangent. made: the op of each variable. is_masked: whether a
    cotangent may leave something out."""

    made: Mapping[str, Apply]
    is_masked: Callable[[Atom], bool]
    known: dict[str, Spans] = field(default_factory=dict)

    def wholly(self, d: Atom) -> bool:
        """Whether a cotangent surely reaches each element of a vector."""
        length = longest(fact(d))
        return length is not None and covers(self._spans(d), length)

    def _spans(self, d: Atom) -> Spans:
        op = self.made.get(d.name) if isinstance(d, Var) else None
        if op is None or not self.is_masked(d):
            return EVERYWHERE
        if op.out.name not in self.known:
            self.known[op.out.name] = self._of_op(op)
        return self.known[op.out.name]

    def _of_op(self, op: Apply) -> Spans:
        if op.fn in (operator.add, operator.sub):
            spans = {*self._spans(op.args[0]), *self._spans(op.args[1])}
            return tuple(sorted(spans))
        if op.fn is operator.mul:
            masked = [a for a in op.args if self.is_masked(a)]
            return self._spans(masked[0]) if len(masked) == 1 else ()
        if op.fn is ungetitem:
            return self._placed(op)
        if op.fn is unbroadcast:
            same = longest(fact(op.args[0])) == longest(fact(op.out))
            return self._spans(op.args[0]) if same else ()
        return self._part(op) if op.fn is operator.getitem else ()

    def _placed(self, op: Apply) -> Spans:
        """Of what is put at a literal slice, or at one place."""
        d, x, index = op.args
        span = _span(index, longest(fact(x)))
        if span is None:
            return ()
        if fact(index).kind == "int":
            return () if self.is_masked(d) else (span,)
        start, stop = span
        return tuple((p + start, min(q + start, stop)) for p, q in self._spans(d))

    def _part(self, op: Apply) -> Spans:
        """Of a literal slice, or of one of several vectors that were joined."""
        whole, index = op.args
        made = self.made.get(whole.name) if isinstance(whole, Var) else None
        if made is not None and made.fn is unconcatenate:
            span, whole = self._joined(made, index), made.args[0]
        else:
            span = _span(index, longest(fact(whole)))
        if span is None:
            return ()
        start, stop = span
        cut = ((max(p, start), min(q, stop)) for p, q in self._spans(whole))
        return tuple((p - start, q - start) for p, q in cut if p < q)

    def _joined(self, made: Apply, key: Atom) -> tuple[int, int] | None:
        """Where one of several vectors stands among them, if all are as long as the
        program writes it."""
        items = fact(made.args[1]).items or ()
        lengths = [longest(item) for item in items]
        known = [n for n in lengths if n is not None]
        if len(known) < len(lengths) or sum(known) != longest(fact(made.args[0])):
            return None
        k = key.value if isinstance(key, Const) else None
        if type(k) is not int or not 0 <= k < len(known):
            return None
        return sum(known[:k]), sum(known[: k + 1])


def _span(index: Atom, length: int | None) -> tuple[int, int] | None:
    """The places that a literal index names, counted from the front."""
    value = index.value if isinstance(index, Const) else None
    if type(value) is int and value >= 0:
        return value, value + 1
    if not isinstance(value, slice) or value.step is not None or length is None:
        return None
    start, stop = value.start or 0, length if value.stop is None else value.stop
    if type(start) is not int or type(stop) is not int or min(start, stop) < 0:
        return None
    return start, min(stop, length)
