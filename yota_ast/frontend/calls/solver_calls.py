"""Calls of SciPy's solvers, which are given functions of the user's.

`brentq(f, a, b, args=(p,))` stays one op. Of f, which may be made inside the function
that is lowered, the tape gets a `Function` of its own; what f reads of its surroundings
becomes further parameters, which the function that the solver is given holds.
"""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.calls.solved_functions import (
    Own,
    defines,
    hints_of,
    is_among,
    is_like,
    is_pair,
    nowhere,
    swallowing,
    unquoted,
)
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.desugar.applied_functions import AppliedFunctions
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Closure,
    Node,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.finished_blocks import Renamer, pruned
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.source.numba_functions import python_of
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Snapshot
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    BOOL,
    FLOAT,
    INT,
    STR,
    Fact,
    anonymous,
    array_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import literal_dim
from yota_ast.ir.block_queries import free_in, with_origins
from yota_ast.ir.functions import Function, Parameter
from yota_ast.ir.nodes import Apply, Block, Closed, Op, walk
from yota_ast.ir.tape import Tape
from yota_ast.solvers.solver_functions import (
    Solver,
    signature_of,
    solution_class,
    solver_of,
)
from yota_ast.syntax.names import identifier
from yota_ast.syntax.value_literals import Keys

FUNCTION: Final = Fact("callable", cls=Closed)
NUMBER: Final = Fact("scalar", np.dtype(np.float64), ())
KINDS: Final = {"bool": BOOL, "int": INT, "str": STR, "value": NUMBER}
POINTS: Final = {"float": FLOAT, "number": Fact("real", np.dtype(np.float64), ())}
Slope = Callable[[Tape, tuple[str, ...]], Callable[..., object]]


class SolverCalls(Component):
    """Calls of functions of functions that are solved, integrated, minimised."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    states = uses(ArrayStates)
    records = uses(InliningRecords)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    kinds = uses(ValueKinds)
    generalisation = uses(Generalisation)
    outlining = uses(Outlining)
    applied = uses(AppliedFunctions)

    def call_solver(self, fn: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The value of such a call; None where it is none, or an op like any other."""
        solver = solver_of(fn)
        if solver is None:
            return None
        try:
            bound = signature_of(fn).bind(*args, **dict(kwargs))
        except TypeError as error:
            self.position.refuse_call(
                f"the arguments do not fit: {error}", "Correct the call."
            )
        given: dict[str, Value] = dict(bound.arguments)
        rest: Mapping[str, Value] = given.pop(swallowing(fn), {})  # type: ignore[assignment]
        f = given[solver.function]
        others = [v for k, v in given.items() if k != solver.function]
        if isinstance(f, Const) and all(map(self.language.floatless, others)):
            return None
        self.check_options(fn, solver, given)
        extra = self.extra_of(solver, given)
        if not all(map(self.is_handed_on, extra)):
            self.hold(solver, given, extra)
            f, extra = given[solver.function], ()
        own = self.own_of(solver, f, given, extra)
        made = self.operand(solver, f, own, given)
        given[solver.function] = made
        for name in solver.also:
            if name in given and self.is_called(given[name]):
                also = self.made_function(given[name], own, name)
                given[name] = self.closed(*also, own)
        fact = self.solution(solver, f, made, given)
        return self.solved(fn, fact, len(args), given, rest)

    # ------------------------------------------------------------ the op

    def solved(
        self,
        fn: Any,
        fact: Fact,
        positional: int,
        given: Mapping[str, Value],
        rest: Mapping[str, Value],
    ) -> Value:
        """The op, and its result."""
        names = list(given)
        atoms = {name: self.language.atom(v) for name, v in given.items()}
        ahead = names[:positional]
        named = [(n, atoms[n]) for n in names if n not in ahead]
        named += [(n, self.language.atom(v)) for n, v in rest.items()]
        return self.operations.apply(fn, [atoms[n] for n in ahead], named, fact=fact)

    def value_of(self, made: Var) -> Fact:
        """What is known of the value of a function of the tape."""
        fn = next(op.fn for op in reversed(self.blocks.ops) if defines(op, made))
        assert isinstance(fn, Closed)
        result = self.generalisation.functions[fn.name].result
        known = anonymous(self.operations.fact(result))
        return NUMBER if known.is_scalar else known

    def solution(
        self, solver: Solver, f: Value, made: Var, given: Mapping[str, Value]
    ) -> Fact:
        """What is known of the result of a solver."""
        if solver.kind == "integral":
            whole = FLOAT if solver.function == "func" else self.value_of(made)
            return Fact("tuple", items=(whole, FLOAT), cls=tuple)
        if solver.kind == "fit":
            count = literal_dim(self.count_of_parameters(f, given))
            found = [array_fact(np.float64, (count,) * rank) for rank in (1, 2)]
            return Fact("tuple", items=tuple(found), cls=tuple)
        known = {"times": array_fact(np.float64, (None,))}
        known["array"] = array_fact(np.float64, None)
        if solver.kind == "flow":
            lengths = self.like_array(given["y0"]).shape
            assert isinstance(lengths, tuple)
            ahead = solver.point.startswith("time")
            main = array_fact(
                np.float64, (*lengths, None) if ahead else (None, *lengths)
            )
        else:
            main = self.unknown(solver, given)
        if not solver.result:
            return main
        fields = {solver.result: main}
        fields |= {k: (KINDS | known)[kind] for k, kind in solver.fields.items()}
        cls = solution_class()
        return Fact("dict", items=tuple(fields.values()), keys=Keys(fields), cls=cls)

    # ------------------------------------------------------------ arguments

    def check_options(
        self, fn: Any, solver: Solver, given: Mapping[str, Value]
    ) -> None:
        """Refuse an option with a value of which nothing is known here."""
        for name, allowed in solver.only.items():
            if name not in given:
                continue
            value = given[name]
            known = (
                value
                if isinstance(value, Const)
                else self.assumptions.known_value(value)
            )
            if known is None or not is_among(known.value, allowed):
                self.refuse_option(fn, name)
        for name in solver.also:  # True: the function gives its slope as well
            if solver.kind != "minimum" and given.get(name) == Const(True):
                self.refuse_option(fn, name)

    def refuse_option(self, fn: Any, name: str) -> NoReturn:
        """Refuse what an option asks for."""
        self.position.refuse_call(
            f"the result of `{fn.__name__}` has no known derivative with `{name}`",
            f"Leave `{name}` out.",
        )

    def extra_of(self, solver: Solver, given: dict[str, Value]) -> tuple[Value, ...]:
        """The items of `args=(p, q)`; what is unpacked is a tuple afterwards."""
        extra = given.get("args")
        if extra is None or extra == Const(None):
            return ()
        fact = self.operations.fact(extra)
        is_tuple = fact.kind in ("tuple", "unknown", "real")
        if not (solver.unpacks or is_tuple):
            return (extra,)
        items = self.language.items_of(extra)
        if items is None:
            self.position.refuse_call(
                "the number of `args` of a solver is unknown",
                "Write them as a tuple: args=(p, q).",
            )
        if not is_tuple:
            given["args"] = TupleValue(tuple(items))
        return tuple(items)

    def is_handed_on(self, value: Value) -> bool:
        """Whether an item of `args` is an argument of the function of the text."""
        fact = self.operations.fact(value)
        return fact.is_numeric or fact.kind in ("str", "none")

    def is_called(self, value: Value) -> bool:
        """Whether a value is a function, or an object with a method `__call__`."""
        if self.operations.fact(value).kind == "callable":
            return True
        return self.kinds.special_method(value, "__call__") is not None

    def hold(
        self, solver: Solver, given: dict[str, Value], extra: tuple[Value, ...]
    ) -> None:
        """Have the functions hold `args` as a closure holds them, for one is a list, a
        dict or an object: `f(t, y, cs)` becomes `f(t, y)`."""
        functions = (solver.function, *solver.also)
        known = [n for n in functions if n in given and self.is_called(given[n])]
        count = len(self.point(solver, given[solver.function], given))
        for name in known:
            names = self.names_taken_by(given[name])[count:]
            if len(names) < len(extra):  # `*args`
                given[name] = self.applied.holding(given[name], count, extra)
                continue
            held = tuple(zip(names, extra, strict=False))
            given[name] = Partial(given[name], (), held)
        del given["args"]

    def own_of(
        self,
        solver: Solver,
        f: Value,
        given: Mapping[str, Value],
        extra: tuple[Value, ...],
    ) -> Own:
        """What the solver calls its function with."""
        facts = [*self.point(solver, f, given), *map(self.own_fact, extra)]
        names = self.names_taken_by(f)
        names += [f"t{k + 1}" for k in range(len(names), len(facts))]
        if len(set(names[: len(facts)])) < len(facts):
            names = [f"t{k + 1}" for k in range(len(facts))]
        return Own(tuple(names[: len(facts)]), tuple(facts))

    def own_fact(self, value: Value) -> Fact:
        """What is known of an argument that is handed on."""
        fact = self.operations.fact(value)
        return replace(anonymous(fact), length=None)

    def point(self, solver: Solver, f: Value, given: Mapping[str, Value]) -> list[Fact]:
        """What is known of the arguments in front of `args`."""
        if solver.kind == "flow":
            state, time = self.like_array(given["y0"]), FLOAT
            ahead = solver.point.startswith("time")
            return [time, state] if ahead else [state, time]
        if solver.kind == "fit":
            count = self.count_of_parameters(f, given)
            x = self.own_fact(given["xdata"])
            if x.kind in ("float", "int"):
                x = array_fact(np.float64, ())
            return [x, *[NUMBER] * count]
        return [self.unknown(solver, given)]

    def unknown(self, solver: Solver, given: Mapping[str, Value]) -> Fact:
        """What is known of the unknown, as the solver hands it to its function."""
        if solver.point in POINTS:
            return POINTS[solver.point]
        start = given[solver.point]
        if solver.keeps_numbers and self.operations.fact(start).is_scalar:
            return POINTS["number"]
        return self.like_array(start)

    def like_array(self, start: Value) -> Fact:
        """The fact of the vector of floats that a solver makes of its start."""
        fact = self.operations.fact(start)
        if fact.kind in ("list", "tuple"):
            items = self.language.items_of(start)
            if items is not None:
                return array_fact(np.float64, (literal_dim(len(items)),))
        if fact.is_scalar:
            return array_fact(np.float64, (literal_dim(1),))
        if fact.kind != "array" or fact.rank != 1:
            self.position.refuse_call(
                "the start of a solver may not be a vector",
                "Give an example argument, or start from a vector: x.ravel().",
            )
        kind = "" if fact.dtype is None else fact.dtype.kind
        wide = kind in "iub" or fact.dtype == np.float64
        return array_fact(np.float64 if wide and kind else None, anonymous(fact).shape)

    def count_of_parameters(self, f: Value, given: Mapping[str, Value]) -> int:
        """How many parameters a model has that is fitted."""
        start = given.get("p0")
        items = None if start is None else self.language.items_of(start)
        if items is not None:
            return len(items)
        if start is not None and start != Const(None):
            length = self.assumptions.length_of(start)
            if length is not None:
                return length
        names = self.names_taken_by(f)
        if len(names) < 2:
            self.position.refuse_call(
                "the number of fitted parameters is unknown",
                "Give the start as a list: p0=[1.0, 0.5].",
            )
        return len(names) - 1

    def names_taken_by(self, f: Value) -> list[str]:
        """The names of the positional parameters of a function, where known."""
        if isinstance(f, Closure):
            arguments: Node = f.node.args
            return [a.id for a in (*arguments.posonlyargs, *arguments.args)]
        if isinstance(f, Bound):
            return self.names_taken_by(f.function)[1:]
        if isinstance(f, Partial):
            inner = self.names_taken_by(f.function)[len(f.args) :]
            return [n for n in inner if n not in dict(f.kwargs)]
        plain = python_of(f.value) or f.value if isinstance(f, Const) else None
        if isinstance(plain, types.FunctionType):
            kinds = (inspect.Parameter.POSITIONAL_ONLY,
                     inspect.Parameter.POSITIONAL_OR_KEYWORD)  # fmt: skip
            slots = inspect.signature(plain).parameters.items()
            return [name for name, slot in slots if slot.kind in kinds]
        method = self.kinds.special_method(f, "__call__")
        return [] if method is None else self.names_taken_by(method)[1:]

    # ------------------------------------------------------------ functions

    def operand(
        self, solver: Solver, f: Value, own: Own, given: Mapping[str, Value]
    ) -> Var:
        """The function that the solver is given; of what is minimal, with its slope."""
        function, held = self.made_function(f, own, solver.function)
        if solver.kind not in ("minimum", "residuals", "fit"):
            return self.closed(function, held, own)
        slope, more = self.slope(solver, f, own, given)
        every = tuple(dict.fromkeys((*held, *more)))
        at = [every.index(v) for v in more]
        front = len(slope.params) - len(more)
        made = Closed(slope.name, (), (*range(front), *(-1 - k for k in at)))
        return self.closed(function, held, own, every, made)

    def closed(
        self,
        function: Function,
        held: tuple[Var, ...],
        own: Own,
        every: tuple[Var, ...] = (),
        slope: Closed | None = None,
    ) -> Var:
        """The op that makes a function which holds variables."""
        every = every or held
        front = range(len(own.names))
        takes = (*front, *(-1 - every.index(v) for v in held))
        fn = Closed(function.name, own.names, takes, slope=slope)
        return self.operations.apply(
            fn, [self.language.fresh(v) for v in every], fact=FUNCTION
        )

    def made_function(
        self, f: Value, own: Own, stem: str
    ) -> tuple[Function, tuple[Var, ...]]:
        """A function of the tape that does what `f` does, and what it reads besides."""

        def body(args: Sequence[Var]) -> Value:
            value = self.language.call(f, args)
            if isinstance(value, Ref) and self.cells.heap[value.cell].kind == "list":
                return self.array_of(value)
            return value

        name = f.name if isinstance(f, Closure) else getattr(
            getattr(f, "value", None), "__name__", stem
        )  # fmt: skip
        return self.function_of(body, own, stem if "<" in name else name)

    def slope(
        self, solver: Solver, f: Value, own: Own, given: Mapping[str, Value]
    ) -> tuple[Function, tuple[Var, ...]]:
        """The gradient of what is minimal, in the unknown, and what it reads."""
        if solver.kind == "fit":
            count = len(own.names) - 1
            shape = (literal_dim(count),)
            of = Own(("theta",), (array_fact(np.float64, shape),))

            def body(args: Sequence[Var]) -> Value:
                parts = [
                    self.language.subscript(args[0], Const(k)) for k in range(count)
                ]
                value = self.language.call(f, (given["xdata"], *parts))
                return self.half_squares(self.language.operate(
                    operator.sub, value, self.array_of(given["ydata"])
                ))  # fmt: skip
        else:
            of = own

            def body(args: Sequence[Var]) -> Value:
                value = self.language.call(f, args)
                if solver.kind == "residuals":
                    return self.half_squares(self.array_of(value))
                if is_pair(given):
                    value = self.language.subscript(value, Const(0))
                if self.operations.fact(value).rank:  # one element, for SciPy
                    return self.applied.numpy_call("sum", value)
                return value

        known = set(self.generalisation.functions)
        objective, held = self.function_of(body, of, solver.function)
        if objective.name not in known:
            del self.generalisation.functions[objective.name]
        params = objective.params
        tape = Tape(
            objective.title, tuple(map(Parameter, params)), objective.block,
            objective.result, module=self.position.frame.scope.module,
            functions=self.generalisation.functions_of(objective.block),
        )  # fmt: skip
        made: Any = self.settings.slope_of(tape, (params[0].name,))
        facts = (*of.facts, *(anonymous(v.fact) for v in held))
        names = tuple(p.hint or p.name for p in params)

        def gradient(args: Sequence[Var]) -> Value:
            return self.language.subscript(
                self.language.call(Const(made, made.__name__), args), Const(1)
            )

        slope, more = self.function_of(
            gradient, Own(names, facts), f"{objective.title}_slope"
        )
        assert not more, "what it reads of its surroundings it is given"
        return slope, held

    def half_squares(self, value: Value) -> Value:
        """Half the sum of squares."""
        total = self.applied.numpy_call("sum", self.applied.numpy_call("square", value))
        return self.language.operate(operator.mul, Const(0.5), total)

    def array_of(self, value: Value) -> Value:
        """np.asarray of a list, a number or an array."""
        if isinstance(value, Var) and value.fact.kind == "array":
            return value
        return self.applied.numpy_call("asarray", value)

    def function_of(
        self, body: Callable[[Sequence[Var]], Value], own: Own, title: str,
        given_to: str = "a solver", *, pure: bool = True,
    ) -> tuple[Function, tuple[Var, ...]]:  # fmt: skip
        """A function of the tape, and the variables around that it reads.

        given_to: what is given the function, for refusals. pure: it is called again, so
        that it must not print, draw or write.
        """
        before = self.snapshots.snapshot()
        who = f"`{title}`, given to {given_to},"
        first = self.cells.cells_made + 1
        with (
            self.position.in_function(),
            self.states.sealing(who),
            self.blocks.block() as ops,
            self.blocks.apart(),
        ):
            params = [
                self.variables.var(f, n)
                for n, f in zip(own.names, own.facts, strict=True)
            ]
            for var in params:
                self.outlining.remember_parameter(var)
            value = body(params)
            result = self.language.atom(value)
        if self.blocks.ended:
            self.position.refuse_call(
                f"a function given to {given_to} never returns",
                "Return a number or an array on at least one path.",
            )
        self.check_apart_from(who, before)
        if pure:
            self.check_pure(who, ops)
        self.snapshots.restore(before)
        needed = frozenset({result.name} if isinstance(result, Var) else ())
        call = self.position.origin.statement
        block = unquoted(pruned(Block(tuple(ops)), needed), call)
        return self.kept_function(params, block, result, title, first)

    def kept_function(
        self, params: list[Var], block: Block, result: Atom, title: str, first: int
    ) -> tuple[Function, tuple[Var, ...]]:
        """The function of some ops, one that is like it if there is one, and what it
        reads of what is around it. first: the number of its first cell."""
        names = {p.name for p in params}
        held = tuple(v for v in free_in(block, result) if v.name not in names)
        hints = dict(self.notes.hints) | hints_of(params, held, self.notes.hints)
        renamer = Renamer((), first, hints)
        new = tuple(renamer.var(v) for v in (*params, *held))
        inner = with_origins(renamer.block(block), nowhere)
        result = renamer.atom(result)
        for known in self.generalisation.functions.values():
            if is_like(known, new, inner, result):
                return known, held
        scope = replace(self.position.frame.scope, name=title)
        made = Function(
            self.outlining.outline_name(scope), new, renamer.block(block), result,
            identifier(title), uncertain=True,
        )  # fmt: skip
        self.generalisation.functions[made.name] = made
        return made, held

    def check_apart_from(self, who: str, before: Snapshot) -> None:
        """Refuse a function that changes what was there before it."""
        changed = any(
            self.cells.heap.get(n) is not cell for n, cell in before.heap.items()
        )
        current = before.current.items()
        written = any(self.states.current.get(r, r) != s for r, s in current)
        if changed or written or self.records.rebound != before.globals:
            self.position.refuse_call(
                f"{who} changes something outside itself",
                "Let it return what it computes, and nothing else.",
            )

    def check_pure(self, who: str, ops: Sequence[Op]) -> None:
        """Refuse a function that does more than give a value."""
        block = Block(tuple(ops))
        if any(isinstance(op, Apply) and op.effect for op in walk(block)):
            self.position.refuse_call(
                f"{who} prints, writes or draws random numbers: the reverse sweep "
                "calls it again",
                "Let it return what it computes, and nothing else.",
            )
