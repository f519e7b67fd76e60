"""The sweeps of a gradient -> the same, made for speed: the passes in order."""

from __future__ import annotations

from collections.abc import Sequence

from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.fast.block_loops import in_blocks
from yota_ast.adjoint.fast.cheaper_functions import with_cheaper_functions
from yota_ast.adjoint.fast.copies_before_loops import with_copies_before
from yota_ast.adjoint.fast.fitting_operands import fitting_operands
from yota_ast.adjoint.fast.inner_products import (
    Both,
    with_inner_products,
    with_methods_of_arrays,
)
from yota_ast.adjoint.fast.product_sums import with_products
from yota_ast.adjoint.fast.written_joins import Written, with_written_joins
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.shape_assumptions import arguments_of
from yota_ast.analysis.points_to import written_by
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import ends_of, is_loop
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import Block, Op, atoms_of, blocks_of, walk
from yota_ast.ir.tape import Fitting, Tape
from yota_ast.support.passes import enabled


def before_adjoints(tape: Tape, names: Names) -> Written:
    """A tape of which fast adjoints are made, what the entry then tests, and which
    arguments are like what loops hand on."""
    if not enabled("fast-joins"):
        return tape, (), {}
    return with_written_joins(tape, names)


def made_fast(
    ahead: Block,
    back: Block,
    ends: Sequence[Atom],
    infer: Infer,
    names: Names,
    assumed: Assumptions,
    *,
    tape: Tape,
) -> Both:
    """Both sweeps, and what the entry tests; ends: what is read behind them; assumed:
    what they take for granted of the arguments, to which more may be added."""
    checks: tuple[Check, ...] = ()
    if enabled("fast-joins"):
        ahead, back = with_copies_before(ahead, back, infer, names)
    if enabled("fast-functions"):
        ahead, back = with_cheaper_functions(ahead, back, infer, names)
    if enabled("fast-totals"):
        ahead, back, checks = with_inner_products(
            ahead, back, ends, infer, names, texts=_texts(tape), equal=assumed.equal
        )
        assumed.shapes |= bool(checks)
        ahead = without_dead(ahead, (*ends, *_read(back)))
    if enabled("fast-sums"):
        ahead, back = with_products(ahead, back, infer, names, assumed)
        back = without_dead(back, ends)
        ahead = without_dead(ahead, (*ends, *_read(back)))
    if enabled("fast-blocks"):
        ahead, back = in_blocks(ahead, back, ends, infer, names, assumed)
    if enabled("fast-totals"):
        ahead, back = map(with_methods_of_arrays, (ahead, back))
    return ahead, back, checks


def fitting_of(tape: Tape, assumed: Assumptions, *sweeps: Block) -> Fitting | None:
    """The results that may be written into memory of their operands; assumed: what the
    sweeps take for granted of the arguments, to which more is added."""
    if not enabled("fast-memory"):
        return None
    found = fitting_operands(sweeps, _texts(tape), assumed.equal)
    assumed.shapes |= found is not None
    return found


def _texts(tape: Tape) -> dict[str, str]:
    """How arguments and fields are spelled, by the names of their variables."""
    return {var.name: text for text, var in arguments_of(tape)}


def checks_of_views(tape: Tape, *sweeps: Block) -> tuple[Check, ...]:
    """That arrays are such whose parts are views, if loops write into arrays: the text
    names parts before loops. Those of Dask are not."""
    loops = [op for block in sweeps for op in walk(block) if is_loop(op)]
    if not enabled("fast-views") or not any(map(_writes_by_parts, loops)):
        return ()
    arrays = [text for text, v in arguments_of(tape) if v.fact.kind == "array"]
    told = "made for {} as an array whose parts are views"
    return tuple(Check(f'not hasattr({t}, "strides")', told.format(t)) for t in arrays)


def _writes_by_parts(loop: Op) -> bool:
    """Whether a loop writes into an array, and takes parts of some by slices."""
    inner = [op for block in blocks_of(loop) for op in walk(block)]
    written = (written_by(op) for op in inner)
    writes = any(isinstance(v, Var) and v.fact.kind == "array" for v in written)
    return writes and any(_has_slices(a) for op in inner for a in atoms_of(op))


def _has_slices(atom: Atom | Undefined) -> bool:
    value = atom.value if isinstance(atom, Const) else None
    items = value if isinstance(value, tuple) else (value,)
    return any(isinstance(item, slice) and item != slice(None) for item in items)


def _read(block: Block) -> list[Atom | Undefined]:
    return [a for op in walk(block) for a in (*atoms_of(op), *ends_of(op))]
