"""Tape and arguments asked for -> the gradient program: the pipeline of the adjoint.

activity, reverse, tidy, keep, in place: each a function of blocks to blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..build import Builder, Infer, Names
from ..facts import FLOAT
from ..passes import enabled
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    For,
    If,
    Op,
    Origin,
    Parameter,
    Program,
    Read,
    Tape,
    Try,
    Undefined,
    Var,
    While,
    atoms_of,
    walk,
)
from .activity import Activity, activity
from .assumptions import checks_of
from .dead import ends_of, without_dead
from .inplace import in_place
from .keep import keep
from .knowledge import with_helpers
from .results import Argument, Results, argument
from .reverse import Reverse, flows_through, names_within, with_flags
from .rewrite import Assumptions
from .scope import Scope
from .tidy import tidy


def gradient(tape: Tape, wrt: Sequence[str] | None, infer: Infer) -> Program:
    """The program of the value and its gradients with respect to the parameters named.

    wrt None: every parameter that holds floats and that the result depends on, or, where
    nothing is known of the parameters, every one on a differentiable path to it.
    """
    infer = with_helpers(infer)
    names = Names()
    for var in variables(tape):
        names.reserve(var.name)
    tape = replace(tape, block=with_flags(tape.block, names))
    arguments = [argument(p, tape.block) for p in _asked(tape, wrt)]
    leaves = [v for a in arguments for _, v in a.leaves]
    active = activity(tape, leaves, flows_through)
    if wrt is None:
        arguments = [a for a in arguments if _kept(a, active)]
    seed = seed_of(tape, names)
    reverse, adjoints, assumed = _sweep(tape, arguments, active, seed, infer, names)
    return _program(tape, arguments, reverse, adjoints, seed, assumed, infer, names)


def _asked(tape: Tape, wrt: Sequence[str] | None) -> list[Parameter]:
    if wrt is None:
        return [p for p in tape.params if p.var.fact.holds_floats and not _optional(p)]
    by_name = {p.var.name: p for p in tape.params}
    return [by_name[name] for name in wrt]


def _optional(param: Parameter) -> bool:
    """Whether nothing is known of a parameter but that it may be None."""
    none = param.default is not None and param.default.value is None
    return none and param.var.fact.kind == "unknown"


def _kept(arg: Argument, active: Activity) -> bool:
    """A parameter of which nothing is known counts where the result depends on it."""
    if arg.shape.kind in ("real", "unknown"):
        return any(v in active for _, v in arg.leaves)
    return True


def seed_of(tape: Tape, names: Names) -> Parameter:
    """The last parameter of a gradient but for `**kwargs`: the cotangent of the value.

    Without a default it cannot follow a parameter with one: it is keyword-only then.
    """
    fact = tape.result.fact if isinstance(tape.result, Var) else FLOAT
    name = names.fresh("seed")
    scalar = fact.is_scalar or fact.kind in ("real", "unknown")
    known = FLOAT if fact.is_scalar else replace(fact, dtype=None)
    default = Const(1.0) if scalar else None
    bare = default is None and any(p.default is not None for p in tape.params)
    return Parameter(
        Var(name, known, "seed"), "keyword" if bare else "positional", default
    )


def _sweep(
    tape: Tape,
    arguments: Sequence[Argument],
    active: Activity,
    seed: Parameter,
    infer: Infer,
    names: Names,
) -> tuple[Block, dict[str, Atom], Assumptions]:
    """The raw reverse sweep, tidied, and the adjoint of each leaf."""
    builder = Builder(infer, names)
    scope = Scope(builder, names_within(tape.block))
    if isinstance(tape.result, Var) and tape.result in active:
        scope.add(tape.result, _seed_value(tape.result, seed.var, builder))
    Reverse(active).block(tape.block, scope)
    ends = {
        v.name: d
        for a in arguments
        for _, v in a.leaves
        if (d := scope.adjoints.get(v.name)) is not None
    }
    if not enabled("tidy"):
        return without_dead(builder.block(), ends.values()), ends, Assumptions()
    return tidy(tape.block, builder.block(), ends, infer, names)


def _seed_value(result: Var, seed: Var, builder: Builder) -> Atom:
    """The cotangent as the reverse sweep starts from it: memory of its own."""
    if result.fact.kind != "array" or result.fact.is_scalar:
        return seed
    dtype = builder.apply(
        getattr, result, Const("dtype"), form="attribute", spelling="dtype"
    )
    return builder.method("astype", seed, dtype)


def _program(
    tape: Tape,
    arguments: Sequence[Argument],
    reverse: Block,
    adjoints: dict[str, Atom],
    seed: Parameter,
    assumed: Assumptions,
    infer: Infer,
    names: Names,
) -> Program:
    ahead, back = keep(tape.block, reverse, infer, names)
    owned: frozenset[str] = frozenset()
    if enabled("inplace"):
        back, owned = in_place(back, adjoints.values(), infer, names)
    builder = Builder(infer, names, Origin(reverse=True))
    results = Results(builder, makers_of(back), owned)
    values = tuple(results.of(a, adjoints) for a in arguments)
    back = without_dead(Block((*back.ops, *builder.ops)), values)
    ahead = without_dead(ahead, (tape.result, *reads_of(back), *values))
    last = sum(p.kind != "kwargs" for p in tape.params)
    params = (*tape.params[:last], seed, *tape.params[last:])
    return Program(
        name=f"{tape.name}_grad", params=params, forward=ahead, reverse=back,
        value=tape.result, results=values,
        doc=_doc(tape, arguments), checks=checks_of(tape, assumed),
        module=tape.module, fn=tape.fn, used=tape.used,
    )  # fmt: skip


def _doc(tape: Tape, arguments: Sequence[Argument]) -> str:
    of = ", ".join(a.param.var.name for a in arguments)
    if not arguments:
        return f"Value of {tape.name}."
    gradients = "gradient" if len(arguments) == 1 else "gradients"
    return f"Value of {tape.name} and its {gradients} with respect to {of}."


def makers_of(block: Block) -> dict[str, Apply]:
    """The primitive ops of a block, by the variable they make."""
    return {op.out.name: op for op in walk(block) if isinstance(op, Apply)}


def variables(tape: Tape) -> list[Var]:
    """Every variable of a tape."""
    found = [p.var for p in tape.params]
    for op in walk(tape.block):
        if isinstance(op, (For, While)):
            found += [v for c in op.carries for v in (c.inside, c.out)]
            found += op.targets if isinstance(op, For) else ()
        elif isinstance(op, (If, Try)):
            found += [m.out for m in op.merges]
        elif isinstance(op, (Apply, Read)) or hasattr(op, "out"):
            found.append(op.out)
    return found


def reads_of(block: Block) -> list[Atom]:
    """Every atom that a block and the blocks within read."""
    found: list[Atom] = []
    for op in walk(block):
        found += _atoms(op)
    return found


def _atoms(op: Op) -> list[Atom]:
    return [a for a in (*atoms_of(op), *ends_of(op)) if not isinstance(a, Undefined)]

