"""One tape -> its two sweeps, and what they return: activity to results.

A function with guard clauses has several: one to each clause, one to the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.added_axes import with_axes_added
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.checkpoints.loop_marks import has_schedules
from yota_ast.adjoint.early_sums import with_early_sums
from yota_ast.adjoint.inplace.collected_products import collected
from yota_ast.adjoint.inplace.copy_adjoints import copies_of
from yota_ast.adjoint.inplace.copy_elision import with_copies_at_once
from yota_ast.adjoint.inplace.dense_literals import with_wholes
from yota_ast.adjoint.inplace.float_memory import with_floats
from yota_ast.adjoint.inplace.inplace_adjoints import in_place
from yota_ast.adjoint.inplace.named_parts import Parts, with_active_parts, with_parts
from yota_ast.adjoint.inplace.outer_sums import with_outer_products
from yota_ast.adjoint.inplace.replaced_zeros import without_replaced_zeros
from yota_ast.adjoint.nonsmooth.direct_values import has_marks, with_direct_values
from yota_ast.adjoint.nonsmooth.marked_kinks import keeps_values, marked, marking
from yota_ast.adjoint.nonsmooth.mask_products import with_mask_products
from yota_ast.adjoint.nonsmooth.real_sizes import Powers
from yota_ast.adjoint.nonsmooth.singularities import Singularities
from yota_ast.adjoint.plain_scalars import (
    with_zero_numbers,
    without_constant_carries,
)
from yota_ast.adjoint.results.gradient_results import Argument, Results
from yota_ast.adjoint.results.own_views import OwnViews
from yota_ast.adjoint.reverse.contributions import Scope
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.adjoint.reverse.item_positions import with_indices as with_items
from yota_ast.adjoint.reverse.mirrored_blocks import names_within
from yota_ast.adjoint.reverse.outlined_adjoints import (
    Forward,
    Pairs,
    check_untouched,
    through_pairs,
)
from yota_ast.adjoint.reverse.reverse_sweep import Reverse
from yota_ast.adjoint.reverse.seed_parameter import seed_check, seed_value
from yota_ast.adjoint.reverse.sweep_state import Derives
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.tidy import tidy
from yota_ast.adjoint.saving.index_rematerialisation import with_indices
from yota_ast.adjoint.saving.rebound_arrays import with_rebound, with_updates_again
from yota_ast.adjoint.saving.repeated_masks import with_masks_once
from yota_ast.adjoint.saving.saved_values import keep
from yota_ast.adjoint.saving.shapes_at_hand import with_likes
from yota_ast.adjoint.saving.unread_saves import without_unread_saves
from yota_ast.adjoint.saving.values_of_entries import without_entries
from yota_ast.adjoint.scattered_terms import with_scattered_last
from yota_ast.adjoint.sunk_exits import with_sunk_exits
from yota_ast.adjoint.unit_seed import with_unit, without_units
from yota_ast.adjoint.vectors.stored_cells import with_cells_at_once
from yota_ast.adjoint.vectors.stored_slices import with_slices_at_once
from yota_ast.analysis.activity import Activity, Through, activity
from yota_ast.analysis.dtypes import FloatsByFacts
from yota_ast.analysis.repeated_elements import repeating
from yota_ast.analysis.shift_invariance import Equal, invariant_maxima
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import is_loop, undefined_in
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, Origin, walk
from yota_ast.ir.tape import Tape
from yota_ast.support.passes import enabled
from yota_ast.syntax import saved_names


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of every sweep: gradients of these arguments, from this seed.

    Of an outlined function there is no seed but `cotangents`, which count wherever
    there are any: of each result, or item of the result, the variable that holds its
    cotangent. pairs: the functions that are called, and how they are reversed.
    derived: the derivatives of functions that solvers are given.
    whole: whether arrays that are arguments may hold whole numbers.
    bare: whether gradients of Python floats may be NumPy's numbers. unit: the seed is
    1, whatever is given. plain: what the
    result of an op depends on that calls nothing of the tape. opened: the lists that
    are of unknown length for this alone, see `opened_containers.py`. fast: the sweeps
    are made for speed. likes: arguments that have the shape and the type of what loops
    hand on.
    """

    arguments: tuple[Argument, ...]
    seed: Parameter | None
    infer: Infer
    names: Names
    pairs: Pairs = field(default_factory=dict)
    cotangents: tuple[tuple[Var, Atom], ...] = ()
    parts: Parts = field(default_factory=dict)
    whole: bool = False
    derived: Derives | None = None
    bare: bool = False
    unit: bool = False
    plain: Through = flows_through
    opened: frozenset[str] = frozenset()
    fast: bool = False
    likes: Mapping[str, Var] = field(default_factory=dict)

    @property
    def through(self) -> Through:
        """What the result of an op depends on differentiably."""
        return through_pairs(self.pairs, self.plain)

    @property
    def leaves(self) -> list[Var]:
        """The variables whose adjoints are wanted."""
        leaves = [v for a in self.arguments for _, v in a.leaves]
        return leaves + [v for a in self.arguments for v in a.wholes]


@dataclass(frozen=True, slots=True)
class Sweeps:
    """A forward sweep that keeps what the reverse reads, the reverse sweep, the
    gradients in order, and what is taken for granted of the arguments."""

    ahead: Block
    back: Block
    values: tuple[Atom, ...]
    assumed: Assumptions


def sweeps(tape: Tape, request: Request) -> Sweeps:
    """The sweeps of a tape."""
    if enabled("tidy"):
        block = with_masks_once(with_axes_added(tape.block), tape.result)
        tape = replace(tape, block=block)
    if not enabled("rebound"):
        return _sweeps(tape, request)
    ends = tape.result, *(target for target, _ in request.cotangents)
    block, stores = with_rebound(tape.block, ends, request.infer)
    done = _sweeps(replace(tape, block=block), request)
    read = *ends, *done.values
    return replace(done, ahead=with_updates_again(done.ahead, done.back, stores, read))


def _sweeps(tape: Tape, request: Request) -> Sweeps:
    infer, names = request.infer, request.names
    block, parts = with_parts(tape.block, request.parts, infer, names)
    tape, request = replace(tape, block=block), replace(request, parts=parts)
    nameless = saved_names.SAVED if request.seed is not None else saved_names.INNER
    forward = Forward(request.pairs, names, nameless)
    tape = replace(tape, block=forward.block(tape.block))
    tape, (reverse, adjoints, assumed) = _reverse_of_sunk(tape, request, forward.saved)
    function = request.seed is None
    scheduled = has_schedules(tape.block)
    vectors = enabled("inplace") and enabled("vectors")
    vectors = vectors and not (marking() or scheduled)
    reverse = _reading_less(tape, reverse, adjoints, request, assumed, vectors=vectors)
    swift = request.fast and not marking()
    ahead, back = keep(tape, reverse, infer, names, function=function, swift=swift)
    check_untouched(ahead, forward)
    owned: frozenset[str] = frozenset()
    collects = enabled("collect") and not marking() and not scheduled
    ahead, back = _summed(back, adjoints, request, ahead, collects=collects)
    if enabled("inplace"):
        back, owned = in_place(back, adjoints.values(), infer, names, ahead=ahead)
        if not marking():  # what is differentiated again has zeros
            back = without_replaced_zeros(back, ahead, infer, names, request.opened)
        back = with_wholes(
            back, infer, names, ahead, None if function else assumed, adjoints.values()
        )
    if vectors:
        back, adjoints = _with_vectors(back, adjoints, request, ahead, assumed)
    if enabled("inplace"):
        taken = None if function else assumed
        back = _at_once(back, adjoints, request, taken, collects=collects)
    if enabled("tidy"):
        back, adjoints = without_constant_carries(back, adjoints)
    if request.unit:
        back, adjoints = without_units(back, adjoints)
    back = with_floats(ahead, back, whole=request.whole)
    builder = Builder(infer, names, Origin(reverse=True))
    makers = makers_of(back)
    views = OwnViews(back, makers, owned, adjoints.values())
    results = Results(builder, makers, owned, back, views, request.bare)
    values = tuple(results.of(a, adjoints) for a in request.arguments)
    back = Block((*back.ops, *builder.ops))
    if enabled("inplace"):
        back = with_copies_at_once(back, values)
    if enabled("indices"):
        back = with_indices(back, names, ahead)
    if scheduled:
        # few programs have any
        from yota_ast.adjoint.checkpoints.checkpointed_loops import with_checkpoints

        ahead, back = with_checkpoints(ahead, back, infer, names)
    back = without_dead(_with_plain_zeros(back, request), values)
    if request.seed is not None and not request.cotangents:
        check = seed_check(tape, request.seed.var, Builder(infer, names))
        ahead = Block((*ahead.ops, *check))
    return Sweeps(ahead, back, values, assumed)


def _with_plain_zeros(back: Block, request: Request) -> Block:
    """The reverse sweep with plain zeros for numbers in lists."""
    if not enabled("tidy") or marking():
        return back
    return with_zero_numbers(back, request.infer, request.names)


def _reading_less(
    tape: Tape,
    reverse: Block,
    adjoints: Mapping[str, Atom],
    request: Request,
    assumed: Assumptions,
    *,
    vectors: bool,
) -> Block:
    """The raw reverse sweep, reading less of what the forward sweep's loops make."""
    if vectors and any(map(is_loop, walk(reverse))):
        # not where nothing loops
        from yota_ast.adjoint.windows.segment_loops import with_segments

        reverse = with_segments(
            tape, reverse, adjoints, request.infer, request.names, assumed
        )
    return with_likes(reverse, request.likes) if request.likes else reverse


def _summed(
    back: Block,
    adjoints: Mapping[str, Atom],
    request: Request,
    ahead: Block,
    *,
    collects: bool,
) -> tuple[Block, Block]:
    """Both sweeps, the reverse one with its sums early, with products of loops made at
    once, and with what goes back through indices added last."""
    ends, infer, names = adjoints.values(), request.infer, request.names
    if enabled("joined"):
        back = with_early_sums(back, ends)
    if enabled("inplace") and collects:
        back = collected(back, ends, infer, names, ahead, fast=request.fast)
        ahead, back = without_unread_saves(ahead, back)
    if enabled("inplace") and enabled("joined"):
        back = with_scattered_last(back, ends, infer, names)
    return ahead, back


def _with_vectors(
    back: Block,
    adjoints: dict[str, Atom],
    request: Request,
    ahead: Block,
    assumed: Assumptions,
) -> tuple[Block, dict[str, Atom]]:
    """The reverse sweep with loops as statements on whole arrays, and its results."""
    if not any(map(is_loop, walk(back))):
        return back, adjoints
    # as above
    from yota_ast.adjoint.vectors.loop_numbers import Known
    from yota_ast.adjoint.vectors.triangular_products import with_triangles
    from yota_ast.adjoint.vectors.vector_loops import with_vectors
    from yota_ast.adjoint.windows.sliding_loops import with_places
    from yota_ast.adjoint.windows.window_loops import with_windows

    for change in (with_vectors, with_triangles, with_windows, with_places):
        known = Known.of(ahead, back, assumed.equal)
        back, adjoints = change(
            back, adjoints, known, request.infer, request.names, assumed
        )
    return back, adjoints


def _at_once(
    back: Block,
    adjoints: Mapping[str, Atom],
    request: Request,
    assumed: Assumptions | None,
    *,
    collects: bool,
) -> Block:
    """The reverse sweep with sums of outer products, and cells and slices side by side,
    in one statement. assumed: what may be asked of arguments, if anything."""
    infer, names = request.infer, request.names
    if collects:
        back = with_outer_products(back, adjoints.values(), infer, names)
    if enabled("joined") and not marking():
        back = with_cells_at_once(back, infer, names)
        if assumed is not None:
            back = with_slices_at_once(back, infer, names, assumed)
    return back


Swept = tuple[Block, dict[str, Atom], Assumptions]


def _reverse_of_sunk(
    tape: Tape, request: Request, saved: Mapping[str, Var]
) -> tuple[Tape, Swept]:
    """The tape of the forward sweep and the reverse sweep, where what loops return
    early is computed behind them, if that needs no value that only they have."""
    if enabled("exits"):
        sunk = with_sunk_exits(tape, request.names)
        swept = _reverse(sunk.back, request, saved)
        if sunk.suffices(swept[0]):
            return _of_values(sunk.ahead, swept)
    return _of_values(tape, _reverse(tape, request, saved))


def _of_values(tape: Tape, swept: Swept) -> tuple[Tape, Swept]:
    """Both without what says how values depend on the entries of sparse matrices."""
    reverse, adjoints, assumed = swept
    (block, reverse), adjoints = without_entries([tape.block, reverse], adjoints)
    return replace(tape, block=block), (reverse, adjoints, assumed)


def _reverse(tape: Tape, request: Request, saved: Mapping[str, Var]) -> Swept:
    """The reverse sweep, tidied, and the adjoint of each leaf. What is marked for its
    own derivative has the values of what is not."""
    back, ends, assumed = _swept(tape, request, saved)
    if not (marking() and keeps_values() and has_marks(back)):
        return back, ends, assumed
    with marked(on=False):
        other, others, assumed_too = _swept(tape, request, saved)
    assumed.update(assumed_too)
    back, ends = with_direct_values(
        (back, ends), (other, others), request.infer, request.names
    )
    return back, ends, assumed


def _swept(tape: Tape, request: Request, saved: Mapping[str, Var]) -> Swept:
    """The raw reverse sweep, tidied, and the adjoint of each leaf."""
    active = activity(tape, request.leaves, request.through)
    builder = Builder(request.infer, request.names)
    scope = Scope(builder, names_within(tape.block), undefined=undefined_in(tape.block))
    result, seed = tape.result, request.seed
    given = seed is None or request.cotangents
    if not given and isinstance(result, Var) and result in active:
        assert seed is not None
        scope.add(result, seed_value(result, seed.var, builder))
    for target, cotangent in request.cotangents:
        scope.add(target, cotangent)
    made = makers_of(tape.block)
    if enabled("copies"):
        scope.copies, scope.copying = copies_of(made), True
    active = with_active_parts(active, tape.block, request.parts)
    repeats = repeating(tape.block)
    seeds = frozenset() if seed is None or given else frozenset([seed.var.name])
    idle = _idle(tape, function=seed is None)
    reverse = Reverse(
        active, repeats, made, request.pairs, saved, request.parts, request.derived,
        floats=FloatsByFacts(tape.block), ranked=enabled("tidy"), opened=request.opened,
        singular=Singularities(tape.block, active.__contains__, made, seeds),
        powers=Powers(tape.block, made), idle=frozenset(idle),
    )  # fmt: skip
    reverse.block(tape.block, scope)
    ends = {
        v.name: d
        for a in request.arguments
        for _, v in a.leaves
        if (d := scope.adjoints.get(v.name)) is not None
    }
    unit = seed.var if request.unit and seed is not None else None
    if not enabled("tidy"):
        back = without_dead(builder.block(), ends.values())
        back, ends = (back, ends) if unit is None else with_unit(back, ends, unit)
        return back, ends, Assumptions()
    back, ends, assumed = tidy(
        tape.block, builder.block(), ends, request.infer, request.names
    )
    if enabled("masks") and not marking() and not given:
        masked = with_mask_products(
            tape.block, back, tape.result, request.infer, request.names
        )
        if masked is not back:  # what stood within a selection stands in a product
            masked = without_dead(masked, ends.values())
            back, ends, more = tidy(
                tape.block, masked, ends, request.infer, request.names
            )
            assumed.update(more)
    if unit is not None:
        back, ends = with_unit(back, ends, unit)
    assumed.shapes |= reverse.rests_on_ranks
    for p, q in (pair for pairs in idle.values() for pair in pairs):
        assumed.add(p, q)
    return back, ends, assumed


def _idle(tape: Tape, *, function: bool) -> dict[str, tuple[Equal, ...]]:
    """The values through which nothing goes back, though they are active, each with the
    lengths that are equal then. function: no check of lengths stands at the entry."""
    found = invariant_maxima(tape.block, tape.result) if enabled("tidy") else {}
    return {name: equal for name, equal in found.items() if not (function and equal)}


def transposed(
    block: Block,
    given: Var,
    ends: Sequence[tuple[Var, Atom]],
    infer: Infer,
    names: Names,
) -> tuple[Block, Atom | None]:
    """Of a block that is linear in `given`: the ops of the sweep back, behind those of
    the block, and what then reaches `given`; None where nothing does.

    ends: variables of the block, and the cotangent of each.
    """
    block, parts = with_parts(block, {}, infer, names)
    tape = Tape("", (Parameter(given),), block, given)

    def active_in(tape: Tape) -> Activity:
        every = (replace(tape, result=end) for end, _ in ends)
        found = [activity(t, [given], flows_through).names for t in every]
        return Activity(frozenset().union(*found))

    active = active_in(tape)
    block = with_items(block, active, infer, names)
    active = active_in(replace(tape, block=block))
    scope = Scope(
        Builder(infer, names), names_within(block), undefined=undefined_in(block)
    )
    for end, cotangent in ends:
        if end in active:
            scope.add(end, cotangent)
    within = with_active_parts(active, block, parts)
    made = makers_of(block)
    reverse = Reverse(
        within,
        repeating(block),
        made,
        parts=parts,
        floats=FloatsByFacts(block),
        powers=Powers(block, made),
    )
    reverse.block(block, scope)
    total = scope.pop(given)
    if total is None:
        return Block(), None
    back = without_dead(scope.builder.block(), [total])
    ahead, back = keep(replace(tape, block=block), back, infer, names)
    return Block((*ahead, *back)), total


def makers_of(block: Block) -> dict[str, Apply]:
    """The primitive ops of a block, by the variable they make."""
    return {op.out.name: op for op in walk(block) if isinstance(op, Apply)}
