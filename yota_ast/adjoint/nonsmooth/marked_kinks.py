"""The cotangent of a function with kinks -> the same, marked for its own derivative.

At 0 `norm(x)` has a first derivative by convention, and no second one. The code of a
gradient does not tell that: where it is to be differentiated again, the cotangent is
handed through `rooted(dy, y)` in it, of which the derivative refuses such points.

>>> marking()
False
>>> with marked():
...     marking()
True
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeGuard

from yota_ast.adjoint.nonsmooth.masked_cotangents import Mask, masked
from yota_ast.adjoint.nonsmooth.nonzero_values import Makers, never_zero
from yota_ast.adjoint.reverse.rule_statements import Template, Value
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Block, Op, walk
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape
from yota_ast.ops import info
from yota_ast.rules.notation.rule import BOOK, Bound, Rule, Statement
from yota_ast.runtime import replace_grad, valued
from yota_ast.runtime.general import kink_marks

_MARKING: Final = ContextVar("marking", default=False)
_KEEPING_VALUES: Final = ContextVar("keeping_values", default=True)


def marking() -> bool:
    """Return whether cotangents are marked where they meet a kink."""
    return _MARKING.get()


def keeps_values() -> bool:
    """Return whether what is marked has the values of what is not, to the last bit."""
    return _KEEPING_VALUES.get()


@contextmanager
def marked(*, on: bool = True, values: bool = True) -> Iterator[None]:
    """Mark them in what is made meanwhile, or not; values: it keeps its values, which
    nobody reads where the derivative of a gradient alone is asked for."""
    before, kept = _MARKING.set(on), _KEEPING_VALUES.set(values)
    try:
        yield
    finally:
        _MARKING.reset(before)
        _KEEPING_VALUES.reset(kept)


def has_kinks(tape: Tape) -> bool:
    """Return whether a tape calls functions with kinks, or replaces adjoints: its
    gradient code then differs where it is differentiated again."""
    blocks = (tape.block, *(f.block for f in tape.functions))
    return any(
        isinstance(op, Apply) and _may_have_kinks(op) for b in blocks for op in walk(b)
    )


def _may_have_kinks(op: Apply) -> bool:
    rules = BOOK.rules_of(op.fn)
    if op.fn is replace_grad:
        return True
    return any(r.root or r.bend or r.parts for r in rules) and not _is_smooth(op)


def _is_smooth(op: Apply) -> bool:
    """Return whether an op is a power of which the exponent is a whole number."""
    power = info(op.fn).arithmetic == "power" and len(op.args) == 2
    if not power or not isinstance(op.args[1], Const):
        return False
    n = op.args[1].value
    return type(n) in (int, float) and float(n).is_integer()  # type: ignore[arg-type]


def kink_of(
    builder: Builder,
    op: Apply,
    bound: Bound,
    given: Mapping[str, Value],
    wanted: AbstractSet[str],
    *,
    made_by: Makers,
    masks: Sequence[Mask] = (),
) -> Atom | None:
    """Return what is 0 where an op is at a kink, or None if it never is.

    given: what the parameters and the result of the rule stand for. wanted: the
    parameters that vary. masks: those under which the cotangent is: what they leave out
    meets no kink.
    """
    text = bound.rule.root or bound.rule.bend
    if text.startswith("power_root"):
        text = _POWER_ROOTS.get(frozenset(wanted), "")
    if not text or _is_smooth(op) or _is_away(given, text, made_by):
        return None
    resolve = functools.partial(_named, bound.rule)
    at = Template(dict(given), resolve, builder).atom(
        _expression(bound.rule, text).expr
    )
    return masked(builder, masks, at, Const(1))


def _is_away(given: Mapping[str, Value], text: str, made_by: Makers) -> bool:
    """Return whether a kink is certainly not met: `sqrt(1 + x**2)` is never 0. The kink
    of a power is where its base is 0."""
    at = given.get("u" if text in _POWER_ROOTS.values() else text)
    return isinstance(at, Var | Const) and never_zero(at, made_by)


_POWER_ROOTS: Final = {
    frozenset("u"): "power_root(u, v)",
    frozenset("uv"): "power_root_of_both(u, v)",
}


def _named(rule: Rule, name: str) -> object:
    """Return what a name in the expression of a kink stands for: a helper too."""
    return getattr(kink_marks, name, None) or rule.resolve(name)


@functools.lru_cache(64)
def _expression(rule: Rule, text: str) -> Statement:
    return Statement(rule.result, text)


def _hands_on(op: Op) -> TypeGuard[Apply]:
    """Return whether an op gives its first argument, for the sake of its derivative."""
    marks = isinstance(op, Apply) and info(op.fn).marks
    return marks or (isinstance(op, Apply) and op.fn in (valued, replace_grad))


class _Unmarked(Substitution):
    """Puts cotangents in the places of what marks them. saved: the variables that loops
    save; a constant is none, and its mark stays."""

    def __init__(self, saved: AbstractSet[str]) -> None:
        super().__init__({})
        self.saved = saved

    def block(self, block: Block) -> Block:
        """Return a block without marks."""
        ops: list[Op] = []
        for op in block:
            if not _hands_on(op):
                ops.append(self.op(op))
                continue
            bare = self.atom(op.args[0])
            if isinstance(bare, Const) and op.out.name in self.saved:
                ops.append(self.op(op))
            else:
                self.made[op.out.name] = bare
        return Block(tuple(ops))


Atoms = tuple[Atom, ...]


def without_marks(
    blocks: Sequence[Block], atoms: Sequence[Atom]
) -> tuple[tuple[Block, ...], Atoms]:
    """Return blocks, and what they end with, of what is differentiated no more."""
    ops = [op for block in blocks for op in walk(block)]
    if marking() or not any(map(_hands_on, ops)):
        return tuple(blocks), tuple(atoms)
    saved = {v.name for op in ops if is_loop(op) for v in op.saved}
    worker = _Unmarked(saved)
    found = tuple(worker.block(block) for block in blocks)
    return found, tuple(worker.atom(a) for a in atoms)
