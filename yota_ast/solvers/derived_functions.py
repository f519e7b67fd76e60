"""Functions that solvers are given -> their derivatives, as functions of the text.

Of `_f(x, p)` the text may need `_f_slopes(x, p)`, the derivatives of its value, and
`_f_pullback(x, p, dval)`, the adjoints of x and p for a cotangent of its value. Where a
function is a few operations on numbers, its derivative is written out in place.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.nonsmooth.real_sizes import Powers
from yota_ast.adjoint.results.gradient_results import argument, with_reads
from yota_ast.adjoint.reverse.contributions import Scope, adjoint_fact
from yota_ast.adjoint.reverse.differentiable_arguments import flows_through
from yota_ast.adjoint.reverse.item_positions import with_indices
from yota_ast.adjoint.reverse.mirrored_blocks import with_flags
from yota_ast.adjoint.reverse.outlined_sweeps import parameters
from yota_ast.adjoint.reverse.reverse_sweep import Reverse
from yota_ast.adjoint.reverse.sweep_state import ReverseBase
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.adjoint.sweeps import Request, Sweeps, makers_of, sweeps
from yota_ast.analysis.activity import activity
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import bound_by, free_in
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.functions import Function, Parameter
from yota_ast.ir.nodes import Apply, Block, Closed, Op, Outlined, walk
from yota_ast.ir.tape import Program, Tape
from yota_ast.solvers.solver_adjoints import reverse_solver

FEW = 24
"""How many operations are written out in place."""
ONE = Const(1.0)


@dataclass(frozen=True, slots=True)
class Derivative:
    """A function of the text that gives adjoints.

    needs: the parameters of the function that it is given; then, unless it is of the
    value 1, the cotangent. facts: of what it gives.
    """

    name: str
    needs: tuple[int, ...]
    unit: bool
    facts: tuple[Fact, ...]


def _with_result(f: Function, names: Names) -> tuple[Block, Var]:
    """The body of a function, and the variable that it gives; of a constant too."""
    if isinstance(f.result, Var):
        return f.block, f.result
    out = Var(names.fresh("%"), fact_of(f.result.value))
    return Block(
        (*f.block, Apply(out, operator.pos, (f.result,), form="operator"))
    ), out


@dataclass(slots=True)
class Derived:
    """The derivatives of the functions of one text, made where they are asked for."""

    functions: Mapping[str, Function]
    infer: Infer
    programs: dict[str, Program] = field(default_factory=dict)
    known: dict[tuple[str, tuple[int, ...], bool], Derivative] = field(
        default_factory=dict
    )
    sweeps: list[Sweeps] = field(default_factory=list)

    def reverse(self, op: Apply, within: ReverseBase, scope: Scope) -> None:
        """Add the adjoints of what a solver's function reads."""
        reverse_solver(op, self, within, scope)

    # ------------------------------------------------------------ functions of the text

    def of(self, name: str, asked: tuple[int, ...], *, unit: bool) -> Derivative:
        """The function that gives the adjoints of some parameters."""
        key = (name, asked, unit)
        if key not in self.known:
            self.known[key] = self._made(self.functions[name], asked, unit=unit)
        return self.known[key]

    def _made(self, f: Function, asked: tuple[int, ...], *, unit: bool) -> Derivative:
        self._check(f)
        names = Names()
        for var in (*f.params, *(v for op in walk(f.block) for v in bound_by(op))):
            names.reserve(var.name)
        params = tuple(Parameter(p) for p in f.params)
        block, result = _with_result(f, names)
        tape = Tape(f.title, params, with_flags(block, names), result)
        wanted = [params[i] for i in asked]
        tape = with_reads(tape, wanted, names)
        hint = f"d{result.hint or 'val'}"
        cotangent = Var(names.fresh(hint), adjoint_fact(result), hint)
        arguments = tuple(argument(p, tape.block) for p in wanted)
        request = Request(
            arguments, None, self.infer, names,
            cotangents=((result, ONE if unit else cotangent),), derived=self, bare=True,
        )  # fmt: skip
        active = activity(tape, request.leaves, request.through)
        block = with_indices(tape.block, active, self.infer, names)
        done = sweeps(replace(tape, block=block), request)
        self.sweeps.append(done)
        ahead = without_dead(done.ahead, [*_reads(done.back), *done.values])
        read = {v.name for v in free_in(Block((*ahead, *done.back)), *done.values)}
        needs = tuple(i for i, p in enumerate(f.params) if p.name in read)
        given = [f.params[i] for i in needs]
        name = self._name(f, asked, unit=unit)
        forward, reverse = ahead, done.back
        if not any(op.origin.text for op in walk(done.back)):
            forward, reverse = Block((*ahead, *done.back)), Block()
        self.programs[name] = Program(
            name=name,
            params=parameters([*given, *([] if unit else [cotangent])]),
            forward=forward, reverse=reverse,
            value=done.values[0], results=done.values[1:],
            doc=_doc(f, asked, unit=unit),
        )  # fmt: skip
        facts = tuple(bare_fact(f.params[i]) for i in asked)
        return Derivative(name, needs, unit, facts)

    def _check(self, f: Function) -> None:
        """Refuse a function that calls functions of the text itself."""
        called = [op for op in walk(f.block) if isinstance(op, Apply)]
        for op in called:
            if isinstance(op.fn, Outlined):
                raise UnsupportedSyntax(
                    f"`{f.title}`, given to a solver, calls a function that "
                    "calls itself",
                    at=op.origin.location,
                    remedy="Write the recursion as a loop.",
                )

    def _name(self, f: Function, asked: tuple[int, ...], *, unit: bool) -> str:
        stem = f"{f.name}_{'slopes' if unit else 'pullback'}"
        if unit and len(asked) == 1:
            param = f.params[asked[0]]
            stem = f"{f.name}_d{param.hint or param.name}"
        name, number = stem, 1
        while name in self.programs or name in self.functions:
            number += 1
            name = f"{stem}_{number}"
        return name

    # ------------------------------------------------------------ in place

    def in_place(
        self, f: Function, given: Sequence[Atom], builder: Builder
    ) -> tuple[list[Var], list[Apply], Atom] | None:
        """The ops of a function of a few operations, in new variables, and its result;
        None where it is called instead."""
        ops = list(f.block)
        if len(ops) > FEW or not all(map(_is_plain, ops)):
            return None
        fresh = {p.name: Var(builder.names.fresh(p.name), p.fact) for p in f.params}
        made: list[Apply] = []
        for op in ops:
            assert isinstance(op, Apply)
            args = tuple(_renamed(a, fresh) for a in op.args)
            kwargs = tuple((k, _renamed(a, fresh)) for k, a in op.kwargs)
            out = Var(builder.names.fresh(op.out.name), op.out.fact)
            fresh[op.out.name] = out
            made.append(
                replace(op, out=out, args=args, kwargs=kwargs, origin=builder.origin)
            )
        params = [fresh[p.name] for p in f.params]
        return params, made, _renamed(f.result, fresh)

    def value(self, f: Function, given: Sequence[Atom], builder: Builder) -> Atom:
        """The value of a function."""
        found = self.in_place(f, given, builder)
        if found is None:
            fact = f.result.fact if isinstance(f.result, Var) else None
            return builder.apply(Outlined(f.name), *given, fact=fact)
        params, made, result = found
        self._add(made, params, given, builder)
        return _at(result, params, given)

    def adjoints(
        self,
        f: Function,
        given: Sequence[Atom],
        asked: Sequence[int],
        seed: Atom,
        builder: Builder,
    ) -> list[Atom] | None:
        """The adjoints of some parameters, written out in place; None where the
        function is none of a few operations."""
        found = self.in_place(f, given, builder)
        if found is None:
            return None
        params, made, result = found
        block = Block(tuple(made))
        function = Function(f.name, tuple(params), block, result)
        active = activity(function, [params[i] for i in asked], flows_through)
        block = with_indices(block, active, builder.infer, builder.names)
        inner = builder.nested()
        inner.ops += block.ops
        inner.made.update(makers_of(block))
        scope = Scope(inner, frozenset())
        if isinstance(result, Var) and result in active:
            scope.add(result, seed)
        powers = Powers(block)
        reverse = Reverse(active, made=makers_of(block), powers=powers, derived=self)
        reverse.block(block, scope)
        self._add(inner.ops, params, given, builder)
        found_ = [scope.adjoints.get(params[i].name, Const(0.0)) for i in asked]
        return [_at(a, params, given) for a in found_]

    def _add(
        self,
        ops: Sequence[Op],
        params: Sequence[Var],
        given: Sequence[Atom],
        builder: Builder,
    ) -> None:
        """Add ops, of which parameters are what is given."""
        for op in ops:
            assert isinstance(op, Apply)
            args = tuple(_at(a, params, given) for a in op.args)
            kwargs = tuple((k, _at(a, params, given)) for k, a in op.kwargs)
            op = replace(op, args=args, kwargs=kwargs, origin=builder.origin)
            builder.ops.append(op)
            builder.made[op.out.name] = op


def bare_fact(var: Var) -> Fact:
    """What is known of an adjoint that such a function gives."""
    return Fact("scalar", None, ()) if var.fact.is_scalar else adjoint_fact(var)


def _is_plain(op: Op) -> bool:
    if not isinstance(op, Apply) or op.effect:
        return False
    return not isinstance(op.fn, (Outlined, Closed)) and not any(
        isinstance(a, Var) and a.fact.kind == "callable" for a in op.args
    )


def _renamed(atom: Atom, fresh: Mapping[str, Var]) -> Atom:
    return fresh[atom.name] if isinstance(atom, Var) else atom


def _at(atom: Atom, params: Sequence[Var], given: Sequence[Atom]) -> Atom:
    """An atom, or what is given for it."""
    if isinstance(atom, Var) and atom in params:
        return given[params.index(atom)]
    return atom


def _reads(block: Block) -> list[Var]:
    return list(free_in(block))


def _doc(f: Function, asked: Sequence[int], *, unit: bool) -> str:
    of = ", ".join(f.params[i].hint or f.params[i].name for i in asked)
    if unit:
        return f"Derivative{'s' if len(asked) > 1 else ''} of {f.title} in {of}."
    return f"Adjoint{'s' if len(asked) > 1 else ''} of {of} in {f.title}."
