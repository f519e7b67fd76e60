"""Tape and arguments asked for -> the gradient program: the pipeline of the adjoint.

activity, reverse, tidy, keep, in place: each a function of blocks to blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.branches.longer_arms import with_longer_arms
from yota_ast.adjoint.branches.taken_branches import with_branches
from yota_ast.adjoint.first_stores import with_first_stores
from yota_ast.adjoint.inplace.named_parts import with_parts
from yota_ast.adjoint.loops.fused_loops import with_fused
from yota_ast.adjoint.loops.loop_methods import with_methods
from yota_ast.adjoint.nonsmooth.comparisons_alone import told, with_told
from yota_ast.adjoint.nonsmooth.marked_kinks import marking, without_marks
from yota_ast.adjoint.opened_containers import with_open
from yota_ast.adjoint.results.entry_checks import checks_of
from yota_ast.adjoint.results.gradient_results import Argument, argument, with_reads
from yota_ast.adjoint.results.untracked_values import (
    refuse_lost,
    refuse_whole_items,
    refuse_whole_objects,
)
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.adjoint.reverse.inlined_helpers import Follow, Noted, following
from yota_ast.adjoint.reverse.item_positions import with_indices
from yota_ast.adjoint.reverse.mirrored_blocks import with_flags
from yota_ast.adjoint.reverse.outlined_adjoints import through_pairs
from yota_ast.adjoint.reverse.outlined_sweeps import helpers, settled
from yota_ast.adjoint.reverse.seed_parameter import (
    beside_seed,
    first_of_pair,
    leans_on_ranks,
    needs_no_seed,
    seed_of,
    with_seed,
)
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.helper_values import with_helpers
from yota_ast.adjoint.saving.guard_clauses import Clause, assumed_by, placed, split
from yota_ast.adjoint.shared_functions import with_shared_functions
from yota_ast.adjoint.sweeps import Request, Sweeps, sweeps
from yota_ast.adjoint.vectors.neighbouring_stores import with_neighbours_joined
from yota_ast.analysis.activity import Activity, activity, remembering
from yota_ast.analysis.decided_dtypes import note_numbers, note_types
from yota_ast.analysis.overwritten_memory import writes_to
from yota_ast.analysis.raising_statements import errors_in, without_names
from yota_ast.ir.atoms import Atom, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by, ends_of
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    Block,
    Op,
    Read,
    atoms_of,
    walk,
)
from yota_ast.ir.tape import Fitting, Guard, Program, Tape
from yota_ast.solvers.derived_functions import Derived
from yota_ast.support.passes import enabled


def gradient(
    tape: Tape,
    wrt: Sequence[str] | None,
    infer: Infer,
    follow: Follow,
    *,
    unit: bool = False,
    aux: bool = False,
    fast: bool = False,
) -> Program:
    """The program of the value and its gradients with respect to the parameters named.

    wrt None: every parameter that holds floats and that the result depends on, or,
    where nothing is known of the parameters, every one on a differentiable path to it.
    unit: the cotangent of the value is 1, whatever the seed.
    aux: the value is a pair, and the cotangent is that of the first item.
    fast: the program is made for speed, see `adjoint/fast`; of a value that is a number
    for certain there is no seed.
    """
    infer = with_helpers(infer)
    names = Names()
    for var in variables(tape):
        names.reserve(var.name)
    tape, more, likes = _made_ready(tape, names) if fast else (tape, (), {})
    tape = beside_seed(tape, names)
    tape, errors = with_errors(replace(tape, block=with_flags(tape.block, names)))
    given = tape.params
    tape, asked, opened = taken_apart(tape, wrt, names)
    arguments, leaves = leaves_of(tape, asked)
    noted, plain = Noted(follow), remembering(flows_through)
    tape = following(tape, leaves, plain, noted, names)
    derived = Derived({f.name: f for f in tape.functions}, infer)
    done = settled(tape, leaves, infer, derived, plain=plain)
    through = through_pairs(done.pairs, plain)
    refuse_lost(tape, leaves, through)
    active = activity(tape, leaves, through)
    refuse_whole_items(tape.block, active)
    alone = told(tape.block, tape.result, tape.functions, arguments, through)
    tape = replace(tape, block=with_indices(tape.block, active, infer, names))
    if wrt is None:
        arguments = [a for a in arguments if kept(a, active)]
    result = first_of_pair(tape) if aux else tape.result
    seed = seed_of(replace(tape, result=result), [a.param for a in arguments], names)
    block, parts = with_parts(tape.block, {}, infer, names)
    tape = replace(tape, block=block, params=given)
    ends = ((result, seed.var),) if aux and isinstance(result, Var) else ()
    unit = unit or (fast and not aux and needs_no_seed(tape, seed))
    request = Request(
        tuple(arguments), seed, infer, names, done.pairs, parts=parts, derived=derived,
        plain=plain, unit=unit, cotangents=ends, opened=opened, fast=fast, likes=likes,
    )  # fmt: skip
    rest, clauses = clauses_apart(tape, request, aux=aux)
    own = sweeps(rest, request)
    own.assumed.shapes |= noted.used or tape.ranked
    others = (*done.sweeps, *derived.sweeps)
    program = _program(tape, request, rest, own, clauses, others, errors=errors)
    called = helpers(program, tape, done, derived.programs)
    checks = (*program.checks, *more)
    program = with_shared_functions(replace(program, helpers=called, checks=checks))
    return replace(program, told=alone, doc=with_told(program, alone), aux=aux)


def _made_ready(
    tape: Tape, names: Names
) -> tuple[Tape, tuple[Check, ...], Mapping[str, Var]]:
    from yota_ast.adjoint.fast.fast_passes import before_adjoints  # as above

    return before_adjoints(tape, names)


def leaves_of(
    tape: Tape, asked: Sequence[Parameter]
) -> tuple[list[Argument], list[Var]]:
    """The arguments that are asked for, and the variables that hold their floats."""
    arguments = [argument(p, tape.block) for p in asked]
    leaves = [v for a in arguments for _, v in a.leaves]
    return arguments, leaves + [v for a in arguments for v in a.wholes]


def clauses_apart(
    tape: Tape, request: Request, *, aux: bool
) -> tuple[Tape, tuple[Clause, ...]]:
    """The tape without its guard clauses, and these. A guard clause has a value of its
    own, to which a cotangent that is 1 does not belong."""
    if aux or request.unit or not enabled("guards"):
        return tape, ()
    return split(tape, request)


def taken_apart(
    tape: Tape, wrt: Sequence[str] | None, names: Names
) -> tuple[Tape, list[Parameter], frozenset[str]]:
    """The tape, which reads what it uses of the parameters asked for; these; and the
    lists that are of unknown length for it."""
    tape, opened = with_open(tape, names)
    asked = asked_for(tape, wrt)
    return with_reads(tape, asked, names), asked, opened


def asked_for(tape: Tape, wrt: Sequence[str] | None) -> list[Parameter]:
    """The parameters named, or those that may hold floats; none is an object that the
    tape reads numbers of by no field."""
    if wrt is None:
        own = (p for p in tape.params if p.outside is None)
        asked = [p for p in own if p.var.fact.holds_floats and not _optional(p)]
    else:
        by_name = {p.var.name: p for p in tape.params}
        asked = [by_name[name] for name in wrt]
    refuse_whole_objects(tape.block, [p.var for p in asked])
    return asked


def _optional(param: Parameter) -> bool:
    """Whether nothing is known of a parameter but that it may be None."""
    none = param.default is not None and param.default.value is None
    return none and param.var.fact.kind == "unknown"


def kept(arg: Argument, active: Activity) -> bool:
    """A parameter of which nothing is known counts where the result depends on it."""
    if arg.shape.kind in ("real", "unknown"):
        return any(v in active for _, v in arg.leaves)
    return True


def _program(
    tape: Tape,
    request: Request,
    rest: Tape,
    done: Sweeps,
    clauses: tuple[Clause, ...],
    others: tuple[Sweeps, ...],
    *,
    errors: tuple[Var, ...],
) -> Program:
    assert request.seed is not None
    written = writes_to(done.ahead, callers_of(tape))
    ends = (rest.result, *done.values, *written, *errors)
    (ahead, back), given = without_marks([done.ahead, done.back], ends)
    ahead = without_dead(ahead, (*given, *reads_of(back)))
    plain = Block((*ahead, *back)) if request.fast else None
    more: tuple[Check, ...] = ()
    if request.fast:
        from yota_ast.adjoint.fast import fast_passes  # where it is asked for

        if not clauses:
            ahead, back, more = fast_passes.made_fast(
                ahead, back, given, request.infer, request.names, done.assumed,
                tape=tape,
            )  # fmt: skip
        more += fast_passes.checks_of_views(tape, ahead, back)
    ahead, guards = placed(ahead, clauses)
    back = _with_longer_arms(back, given, request)
    ahead, back = _with_fused_loops(ahead, back, given, guards)
    value, *results = given[: 1 + len(done.values)]
    branched = _in_branches(back, results, request)
    choosing = None
    if branched is not back:
        choosing = _with_plain_steps(back, ahead, given, request)
    back = _with_plain_steps(branched, ahead, given, request)
    ahead = _with_plain_steps(ahead, ahead, (*given, *reads_of(back)), request)
    fitting = _fitting(tape, request, done.assumed, *() if clauses else (ahead, back))
    own = [*(c.done for c in clauses), done]
    assumed = assumed_by([*own, *others])
    note_numbers(assumed, tape, request, own, others)
    note_types(assumed, tape.block)
    assumed.shapes |= leans_on_ranks(tape, request.infer)
    named = tuple(a.param.var.name for a in request.arguments)
    seedless = request.fast and request.unit
    return Program(
        name=f"{tape.name}_grad",
        params=tape.params if seedless else with_seed(tape.params, request.seed),
        forward=ahead, reverse=back, value=value, results=tuple(results),
        doc=_doc(tape, request.arguments, fast=request.fast),
        checks=(*checks_of(tape, assumed, named), *more),
        module=tape.module, fn=tape.fn, used=tape.used, guards=guards,
        seed=request.seed.var.name,
        wrt=named,
        plain=plain, fitting=fitting,
        choosing=choosing,
        granted=assumed.granted,
        spread=assumed.spread,
    )  # fmt: skip


def _fitting(
    tape: Tape, request: Request, assumed: Assumptions, *sweeps: Block
) -> Fitting | None:
    """The results of fast code that may be written into memory of their operands; notes
    what that rests on."""
    if not request.fast:
        return None
    from yota_ast.adjoint.fast.fast_passes import fitting_of  # where it is asked for

    return fitting_of(tape, assumed, *sweeps)


def _with_plain_steps(
    block: Block, ahead: Block, ends: Sequence[Atom], request: Request
) -> Block:
    """A sweep that assigns what it adds to new zeros, that puts cells beside slices at
    once, and that sums by methods in loops; ends: what is read behind it."""
    if enabled("inplace") and enabled("zeroing") and not marking():
        block = with_first_stores(block, ahead, request.infer, request.names)
    if enabled("inplace") and enabled("joined") and not marking():
        block = with_neighbours_joined(block, ends, ahead, request.infer, request.names)
    return with_methods(block) if enabled("tidy") else block


def _with_fused_loops(
    ahead: Block, back: Block, given: Sequence[Atom], guards: Iterable[Guard]
) -> tuple[Block, Block]:
    """Both sweeps, loops that add up reversed within themselves."""
    if not enabled("fused") or marking() or not _is_number(given[0]):
        return ahead, back
    last = max((guard.before for guard in guards), default=0)
    ahead, back = with_fused(ahead, back, last)
    return ahead, without_dead(back, given)


def _with_longer_arms(back: Block, ends: Iterable[Atom], request: Request) -> Block:
    """The reverse sweep, where what one arm gives is added in it."""
    if not (enabled("inplace") and enabled("branches")) or marking():
        return back
    return with_longer_arms(back, ends, request.names)


def _in_branches(back: Block, results: Iterable[Atom], request: Request) -> Block:
    """The reverse sweep, where what one way of a choice adds stands in a branch."""
    if not (enabled("inplace") and enabled("branches")) or marking():
        return back
    return with_branches(back, results, request.names)


def _is_number(value: Atom) -> bool:
    """Whether a value is one for certain, or is taken for one."""
    known = fact_of_atom(value)
    return known.is_number or known.kind == "real"


def with_errors(tape: Tape) -> tuple[Tape, tuple[Var, ...]]:
    """Return a tape, and the results that nobody reads of ops that may raise, which are
    given no names."""
    read = (tape.result, *writes_to(tape.block, callers_of(tape)))
    errors = errors_in(tape.block, read, tape.granted.equal)
    block = without_names(tape.block, {v.name for v in errors})
    return replace(tape, block=block), errors


def callers_of(tape: Tape) -> list[Var]:
    """The variables whose memory is the caller's."""
    read = [op.out for op in walk(tape.block) if isinstance(op, Read)]
    return [*(p.var for p in tape.params), *read]


def _doc(tape: Tape, arguments: Sequence[Argument], *, fast: bool) -> str:
    of = ", ".join(a.param.var.name for a in arguments)
    gradients = "gradient" if len(arguments) == 1 else "gradients"
    told = f" and its {gradients} with respect to {of}" if arguments else ""
    rounded = "\n\nMade for speed: numbers may be rounded differently."
    branches = f"\n\n{tape.recorded}" if tape.recorded else ""
    return f"Value of {tape.name}{told}." + branches + (rounded if fast else "")


def variables(tape: Tape) -> list[Var]:
    """Every variable of a tape."""
    return [
        *(p.var for p in tape.params),
        *(var for op in walk(tape.block) for var in bound_by(op)),
    ]


def reads_of(block: Block) -> list[Atom]:
    """Every atom that a block and the blocks within read."""
    found: list[Atom] = []
    for op in walk(block):
        found += _atoms(op)
    return found


def _atoms(op: Op) -> list[Atom]:
    return [a for a in (*atoms_of(op), *ends_of(op)) if not isinstance(a, Undefined)]
