"""Tape and the arguments that vary -> the program of the value and its tangent.

The text has a parameter for the tangent of each, after those of the function: `dx` for
`x`. It returns the value and the tangent of the value, which has its structure.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.gradient import (
    asked_for,
    callers_of,
    kept,
    variables,
    with_errors,
)
from yota_ast.adjoint.inplace.collected_products import collected
from yota_ast.adjoint.inplace.inplace_adjoints import in_place
from yota_ast.adjoint.nonsmooth.comparisons_alone import told, with_told
from yota_ast.adjoint.nonsmooth.direct_values import has_marks, with_direct_values
from yota_ast.adjoint.nonsmooth.marked_kinks import marked, marking, without_marks
from yota_ast.adjoint.nonsmooth.real_sizes import Powers
from yota_ast.adjoint.results.entry_checks import checks_of
from yota_ast.adjoint.results.gradient_results import argument, with_reads
from yota_ast.adjoint.results.untracked_values import refuse_lost
from yota_ast.adjoint.reverse.contributions import adjoint_fact
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.adjoint.reverse.inlined_helpers import Follow, Noted, following
from yota_ast.adjoint.reverse.item_positions import with_indices
from yota_ast.adjoint.reverse.outlined_adjoints import (
    Pair,
    Pairs,
    pairs_of,
    results_of,
    through_pairs,
)
from yota_ast.adjoint.reverse.outlined_sweeps import Settled, helpers, parameters
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.rewrites.helper_values import with_helpers
from yota_ast.adjoint.rewrites.tidy import tidy_beside
from yota_ast.adjoint.saving.values_of_entries import without_entries
from yota_ast.adjoint.shared_functions import with_shared_functions
from yota_ast.analysis.activity import Activity, activity
from yota_ast.analysis.dtypes import FloatsByFacts
from yota_ast.analysis.overwritten_memory import writes_to
from yota_ast.analysis.raising_statements import errors_in
from yota_ast.analysis.shift_invariance import invariant_maxima
from yota_ast.analysis.unit_axes import note_lengths
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import bound_by, undefined_in
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, If, Origin, Raise, only, walk
from yota_ast.ir.tape import Program, Tape
from yota_ast.solvers.derived_functions import Derived
from yota_ast.solvers.flow_times import refuse_inner_times
from yota_ast.support.passes import enabled
from yota_ast.syntax.names import RESERVED
from yota_ast.tangent.complex_tangents import Own
from yota_ast.tangent.outlined_tangents import TANGENT
from yota_ast.tangent.shared_values import with_shared
from yota_ast.tangent.stationary_points import Stationary
from yota_ast.tangent.tangent_steps import items_read, whole
from yota_ast.tangent.tangent_sweep import Tangents
from yota_ast.tangent.undefined_tangents import with_undefined
from yota_ast.tangent.written_operands import WrittenOperands


def tangent(
    tape: Tape, wrt: Sequence[str] | None, infer: Infer, follow: Follow,
    part: int | None = None,
) -> Program:  # fmt: skip
    """The program of a tape's value, and of its tangent along those of `wrt`; None:
    along every parameter of which the value depends.

    part: of a value that is a tuple the item whose tangent is asked for alone, without
    the value: None stands for that, where the tuple is built at the end.

    Raises NoRule, UnsupportedSyntax where a value on the way has no tangent.
    """
    infer, names = with_helpers(infer), Names()
    for var in variables(tape):
        names.reserve(var.name)
    whole_tape, tape = tape, of_part(tape, part)
    alone_asked = tape is not whole_tape
    tape, errors = with_errors(tape)
    asked = asked_for(tape, wrt)
    tape = with_reads(tape, asked, names)
    arguments = [argument(p, tape.block) for p in asked]
    leaves = [v for a in arguments for _, v in a.leaves]
    leaves += [v for a in arguments for v in a.wholes]
    noted = Noted(follow)
    tape = following(tape, leaves, flows_through, noted, names)
    pairs = pairs_of(tape, leaves, flows_through)
    through = through_pairs(pairs, flows_through)
    refuse_lost(tape, leaves, through)
    active = activity(tape, leaves, through)
    alone = told(tape.block, tape.result, tape.functions, arguments, through)
    if wrt is None:
        arguments = [a for a in arguments if kept(a, active)]
        asked = [a.param for a in arguments]
    tape = replace(tape, block=with_indices(tape.block, active, infer, names))
    active = activity(tape, leaves, through)
    active = with_undefined(tape.block, active)
    given = {p.var.name: _parameter(p, tape, names) for p in asked}
    derived = Derived({f.name: f for f in tape.functions}, infer)
    ends = [tape.result.name] if isinstance(tape.result, Var) else []
    refuse_inner_times(tape.block, ends, active)
    shown = Const(None) if alone_asked else tape.result
    read = (shown, *writes_to(tape.block, callers_of(tape)), *errors)
    to = _Context(pairs, derived, noted, infer)
    sweep = _Sweep(tape, active, asked, given, (tape.result,), read, to, names, True)
    block, (end, value, *_), assumed = sweep.made()
    functions = _functions(to, assumed)
    assumed.shapes |= noted.used or tape.ranked
    note_lengths(assumed, tape.block)
    for each in derived.sweeps:
        assumed.update(each.assumed)
    program = Program(
        name=f"{tape.name}_jvp", params=_with(tape.params, tuple(given.values())),
        forward=block, reverse=Block(), value=value, results=(end,),
        doc=_doc(tape, given),
        checks=(*checks_of(tape, assumed, given), *tape.checks),
        module=tape.module, fn=tape.fn, used=tape.used,
    )  # fmt: skip
    called = helpers(program, tape, Settled(), {**derived.programs, **functions})
    program = with_shared_functions(replace(program, helpers=called))
    return replace(program, told=alone, doc=with_told(program, alone))


def of_part(tape: Tape, part: int | None) -> Tape:
    """The tape with an item of its value for value, where the value is a tuple that it
    builds outside branches and loops; else the tape itself."""
    if part is None:
        return tape
    for op in only(tape.block, Apply):
        if op.out == tape.result and op.fn is build_tuple:
            return replace(tape, result=op.args[part])
    return tape


Swept = tuple[Block, dict[str, Atom], Assumptions]


@dataclass(frozen=True, slots=True)
class _Context:
    """What the tangents of a tape and of its functions have in common."""

    pairs: Pairs
    derived: Derived
    noted: Noted
    infer: Infer


def _functions(to: _Context, assumed: Assumptions) -> dict[str, Program]:
    """The programs of the functions that give tangents, by name; what they take for
    granted is noted."""
    made: dict[str, Program] = {}
    for pair in {p.function.name: p for p in to.pairs.values()}.values():
        program, more = _function(pair, to)
        made[program.name] = program
        assumed.update(more)
    return made


def _function(pair: Pair, to: _Context) -> tuple[Program, Assumptions]:
    """The program of a function's results and their tangents."""
    f, names = pair.function, Names()
    for var in (*f.params, *(v for op in walk(f.block) for v in bound_by(op))):
        names.reserve(var.name)
    params = tuple(Parameter(p) for p in f.params)
    asked = [params[i] for i in pair.asked]
    tape = with_reads(Tape(f.title, params, f.block, f.result), asked, names)
    arguments = [argument(p, tape.block) for p in asked]
    leaves = [v for a in arguments for _, v in a.leaves]
    leaves += [v for a in arguments for v in a.wholes]
    through = through_pairs(to.pairs, flows_through)
    tape = following(tape, leaves, through, to.noted, names)
    refuse_lost(tape, leaves, through)
    active = activity(tape, leaves, through)
    tape = replace(tape, block=with_indices(tape.block, active, to.infer, names))
    active = with_undefined(tape.block, activity(tape, leaves, through))
    given = {p.var.name: _parameter(p, tape, names) for p in asked}
    results = results_of(replace(f, block=tape.block))
    ends = tuple(results[k] for k in pair.reached)
    refuse_inner_times(
        tape.block, [r.name for r in results if isinstance(r, Var)], active
    )
    read = (*results, *errors_in(tape.block, results))
    sweep = _Sweep(tape, active, asked, given, ends, read, to, names)
    block, found, assumed = sweep.made()
    tangents, values = found[: len(ends)], found[len(ends) :][: len(results)]
    along = ", ".join(d.var.name for d in given.values())
    program = Program(
        name=f.name + TANGENT,
        params=parameters((*f.params, *(d.var for d in given.values()))),
        forward=block, reverse=Block(),
        value=values[0], results=(*values[1:], *tangents),
        doc=f"Value of {f.title} and its tangent along {along}.",
    )  # fmt: skip
    return program, assumed


@dataclass(frozen=True, slots=True)
class _Sweep:
    """What the block of a tape and its tangent is made of.

    asked, given: the parameters that vary, and those that are their tangents. ends: the
    values whose tangents are asked for. read: the value, and what is written for the
    caller.
    """

    tape: Tape
    active: Activity
    asked: Sequence[Parameter]
    given: Mapping[str, Parameter]
    ends: tuple[Atom, ...]
    read: tuple[Atom, ...]
    to: _Context
    names: Names
    checks: bool = False
    """Whether the tangents are those that a user gives, and may not fit."""

    def made(self) -> tuple[Block, tuple[Atom, ...], Assumptions]:
        """The block tidied and written in place; the tangents of the values, and what
        is read."""
        infer, names = self.to.infer, self.names
        block, ends, assumed = self._tidied(*self._raw())
        if marking() and has_marks(block):
            with marked(on=False):
                raw = self._raw()
            direct, others, assumed_too = self._tidied(*raw)
            assumed.update(assumed_too)
            block, ends = with_direct_values(
                (block, ends), (direct, others), infer, names
            )
        end = tuple(ends.values())
        if enabled("inplace"):
            own = frozenset(v.name for v in variables(self.tape))
            if enabled("collect") and not marking():
                block = collected(block, end, infer, names, Block(), primal=own)
            block, _ = in_place(block, end, infer, names, primal=own, growing=True)
        return block, end, assumed

    def _tidied(self, block: Block, ends: Sequence[Atom]) -> Swept:
        """The block tidied, and what is read after it."""
        (block,), every = without_marks([block], [*ends, *self.read])
        numbered = {str(k): atom for k, atom in enumerate(every)}
        (block,), numbered = without_entries([block], numbered)
        every = tuple(numbered.values())
        ends, read = every[: len(ends)], every[len(ends) :]
        block, assumed = without_dead(block, every), Assumptions()
        if enabled("tidy"):
            block = with_shared(block, (v.name for v in variables(self.tape)))
            block, ends, assumed = tidy_beside(
                block, ends, read, self.to.infer, self.names
            )
        named = {str(k): atom for k, atom in enumerate([*ends, *read])}
        return block, named, assumed

    def _raw(self) -> tuple[Block, list[Atom]]:
        """The block, and the tangents of the values."""
        tape, given, active = self.tape, self.given, self.active
        moving = frozenset(d.var.name for d in given.values())
        if enabled("tidy"):  # no tangent of what nothing depends on
            maxima = invariant_maxima(tape.block, tape.result)
            idle = {name for name, equal in maxima.items() if not equal}
            active = replace(active, names=active.names - idle)
        asked = frozenset(p.var.name for p in self.asked)
        builder = Builder(self.to.infer, self.names)
        worker = Tangents(
            replace(active, names=active.names | asked),  # the leaves vary with it
            self.to.noted,
            {name: d.var for name, d in given.items()},
            self.to.derived,
            partial(tangent, follow=self.to.noted),
            FloatsByFacts(tape.block),
            Stationary(tape.block, active.__contains__, moving),
            items=items_read(tape),
            undefined=undefined_in(tape.block),
            powers=Powers(tape.block, builder.made),
            operands=WrittenOperands.of(tape.block),
            own=Own({v.name for v in variables(tape)}),
            pairs=self.to.pairs,
        )
        if self.checks:
            _check(tape, self.asked, given, builder)
        for p in self.asked:
            worker.known[p.var.name] = whole(builder, given[p.var.name].var, p.var.fact)
        worker.block(tape.block, builder)
        builder.origin = Origin(reverse=True)
        found = [worker.end(end, builder) for end in self.ends]
        ends = [_called(builder, d) for d in found if not isinstance(d, Undefined)]
        return builder.block(), ends


def _called(builder: Builder, end: Atom) -> Atom:
    """The tangent that is returned, called `dval` if it has no name."""
    for k, op in enumerate(builder.ops):
        if isinstance(op, Apply) and op.out == end and op.out.hint is None:
            named = replace(op.out, hint="dval")
            builder.ops[k] = replace(op, out=named)
            return named
    return end


def _parameter(param: Parameter, tape: Tape, names: Names) -> Parameter:
    """The parameter that is the tangent of another."""
    taken = RESERVED.union(v.name for v in variables(tape))
    name, n = f"d{param.var.name}", 2
    while name in taken:
        name, n = f"d{param.var.name}_{n}", n + 1
    names.reserve(name)
    known = adjoint_fact(param.var)
    if param.var.fact.kind == "object":
        known = Fact("dict")
    return Parameter(Var(name, known, name))


def _with(
    params: tuple[Parameter, ...], tangents: tuple[Parameter, ...]
) -> tuple[Parameter, ...]:
    """The parameters of the text: those of the function, and then the tangents."""
    ahead = tuple(p for p in params if p.kind != "kwargs")
    named = any(p.kind in ("args", "keyword") for p in ahead)
    if named or any(p.default is not None for p in ahead):
        tangents = tuple(replace(p, kind="keyword") for p in tangents)
    return (*ahead, *tangents, *params[len(ahead) :])


def _check(
    tape: Tape, asked: Sequence[Parameter], given: Mapping[str, Parameter], to: Builder
) -> None:
    """A tangent has the shape of its argument: another would be spread silently."""
    for p in asked:
        if p.var.fact.kind not in ("array", "real", "unknown"):
            continue
        d = given[p.var.name].var
        shapes = [to.apply(np.shape, v) for v in (d, p.var)]
        differ = to.apply(operator.ne, *shapes)
        inner = to.nested()
        message = f"{tape.name}_jvp: {d.name} must have the shape of {p.var.name}"
        inner.ops.append(Raise(inner.apply(ValueError, Const(message))))
        to.ops.append(If(differ, inner.block(), Block()))


def _doc(tape: Tape, given: dict[str, Parameter]) -> str:
    along = ", ".join(d.var.name for d in given.values())
    branches = f"\n\n{tape.recorded}" if tape.recorded else ""
    return f"Value of {tape.name} and its tangent along {along}." + branches
