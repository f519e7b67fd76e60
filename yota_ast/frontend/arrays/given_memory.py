"""`overwrite_a=True` of SciPy -> the call without it, of an array nobody reads later.

SciPy may then write into the memory of its argument, or may not: what is left there is
of no use. The text computes what the call gives, in new memory. That is right where
nobody reads the array later, by any name, which is asked of the ops when all are there:
till then a marker stands behind the call.

>>> from yota_ast.ir.abstract_values import array_fact
>>> a, y = Var("a", array_fact("f8", (None,))), Var("y")
>>> mark = Apply(Var("m"), given_up, (a,))
>>> read_when_given_up(Block((mark,)), y) is None
True
>>> read_when_given_up(Block((mark, Apply(y, abs, (a,)))), y) == mark
True
>>> len(without_marks(Block((mark,))))
0
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.errors import UnsupportedCall
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.interpret.finished_blocks import read_by
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import NONE
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.nodes import Apply, Block, If, Op, blocks_of, map_blocks, walk
from yota_ast.ops import info
from yota_ast.support import public_names

PREFIX: Final = "overwrite_"


def given_up(array: object) -> None:
    """Stand behind a call that may have written into an array."""


def without_overwriting(
    lowering: Component, fn: Any, args: Args, kwargs: Kwargs
) -> Value | None:
    """The value of a call that lets SciPy overwrite arguments; None if it is none."""
    args, kwargs = _flags_by_name(fn, args, kwargs)
    asked = {k: v for k, v in kwargs if k.startswith(PREFIX)}
    if not asked or not public_names.is_of_scipy(fn):
        return None
    rest = tuple((k, v) for k, v in kwargs if k not in asked)
    name, module = public_names.spelled(fn)
    given = _by_parameter(fn, args, rest)
    made = Language.of(lowering).call(Const(fn, name, module), args, rest)
    for flag, value in asked.items():
        known = ValueAssumptions.of(lowering).known_value(value)
        if known is not None and not known.value:
            continue
        array = given.get(flag.removeprefix(PREFIX))
        if array is None or (isinstance(array, Const) and not _is_number(array)):
            Position.of(lowering).refuse_call(
                f"`{flag}` may overwrite an array that is not known here",
                f"Leave `{flag}` out.",
            )
        atom = Language.of(lowering).atom(array)
        if isinstance(atom, Var):
            Operations.of(lowering).apply(given_up, (atom,), fact=NONE)
    return made


def _flags_by_name(fn: Any, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """The arguments of a call, where those from the first flag on have their names:
    `inv(a, True)` is `inv(a, overwrite_a=True)`."""
    if len(args) < 2 or not public_names.home_of(fn).startswith("scipy.linalg"):
        return args, kwargs
    names = _parameters(fn)[: len(args)]
    first = next((k for k, name in enumerate(names) if name.startswith(PREFIX)), None)
    if first is None or len(names) < len(args):
        return args, kwargs
    named = zip(names[first:], args[first:], strict=True)
    return args[:first], (*named, *kwargs)


def _is_number(value: Const) -> bool:
    return isinstance(value.value, (int, float, complex))


def _by_parameter(fn: Any, args: Args, kwargs: Kwargs) -> dict[str, Value]:
    """What a call gives, by the names of the parameters."""
    return dict(zip(_parameters(fn), args, strict=False)) | dict(kwargs)


def _parameters(fn: Any) -> list[str]:
    """The names of the parameters of a function: those of a routine of Fortran stand in
    the first line of what it says of itself."""
    try:
        return list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        told = re.search(r"\((.*)\)", str(fn.__doc__).partition("\n")[0])
        return re.findall(r"\w+", told[1]) if told else []


# ---------------------------------------------------------------- when all is lowered


def unmarked(block: Block, result: object, arguments: Iterable[Var] = ()) -> Block:
    """The block of a function without the markers; refused where an array is read
    later. arguments: see `read_when_given_up`."""
    if not any(map(_is_mark, walk(block))):
        return block
    found = read_when_given_up(block, result, arguments)
    if found is not None:
        raise UnsupportedCall(
            "the function reads an array later that this call may overwrite",
            at=found.origin.place,
            remedy=f"Give a copy of it, or leave `{PREFIX}...=` out.",
        )
    return without_marks(block)


def without_marks(block: Block) -> Block:
    """The block without the markers."""
    kept = (op for op in block if not _is_mark(op))
    return Block(tuple(map_blocks(op, without_marks) for op in kept))


def read_when_given_up(
    block: Block, result: object, arguments: Iterable[Var] = ()
) -> Apply | None:
    """The first marker of an array that may be read later. arguments: of a function
    that is called in several places, which may read them later."""
    memory = Memory(block)
    held = {root for v in arguments for root in memory.points.memory(v)}
    results = result if isinstance(result, tuple) else (result,)
    steps = list(_steps(block, (), 0))
    for k, (op, arms, loops) in enumerate(steps):
        if not isinstance(op, Apply) or not _is_mark(op):
            continue
        var = op.args[0]
        assert isinstance(var, Var)
        later = [
            a
            for other, elsewhere, _ in steps[k + 1 :]
            if not _are_apart(arms, elsewhere) and not _tells(other)
            for a in read_by(other)
        ]
        mine = memory.points.memory(var)
        again = loops > (memory.depth(var.name) if var.name in memory.vars else 0)
        read = (
            memory.points.memory(a) for a in (*later, *results) if isinstance(a, Var)
        )
        if again or mine & held or any(mine & other for other in read):
            return op
    return None


@dataclass(frozen=True, slots=True)
class _Arm:
    """The arm of a branch."""

    branch: int
    arm: int


def _steps(
    block: Block, arms: tuple[_Arm, ...], loops: int
) -> Iterator[tuple[Op, tuple[_Arm, ...], int]]:
    """The ops in the order of their ends, the arms around each, and how many loops.
    What an op hands on stands behind its blocks, and so does the op."""
    for op in block:
        for k, inner in enumerate(blocks_of(op)):
            around = (*arms, _Arm(id(op), k)) if isinstance(op, If) else arms
            yield from _steps(inner, around, loops + is_loop(op))
        yield op, arms, loops


def _are_apart(one: tuple[_Arm, ...], other: tuple[_Arm, ...]) -> bool:
    """Whether two places are in two arms of one branch."""
    return any(a.branch == b.branch and a != b for a in one for b in other)


def _is_mark(op: Op) -> bool:
    return isinstance(op, Apply) and op.fn is given_up


def _tells(op: Op) -> bool:
    """Whether an op reads nothing but what kind of array it is."""
    return _is_mark(op) or (isinstance(op, Apply) and info(op.fn).tells)
