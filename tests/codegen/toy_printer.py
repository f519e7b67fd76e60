"""Program of numbers in a straight line -> C.

A second printer, to show where one begins: `named_plan` gives statements and names, and
the registry of operations says what each function computes. Nothing else is read.
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain

from yota_ast.codegen.plan.named_plan import named_plan
from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.statement_plan import Let, Move, Plan
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.ir.tape import Program
from yota_ast.ops.registry import info
from yota_ast.ops.spellings import as_ufunc

SIGNS = {"sum": "+", "difference": "-", "product": "*", "quotient": "/"}
OF_C = {"exp", "sin", "cos", "tanh", "sqrt", "log"}


class NotInCError(Exception):
    """What this printer cannot print."""


def function(program: Program) -> str:
    """A C function that writes the value and the gradient into memory."""
    plan, names = named_plan(program, frozenset({"double", "value", "out"}))
    write = partial(expression, plan=plan, names=names)
    params = ", ".join(f"double {names.of(p)}" for p in plan.params)
    ends = enumerate((plan.exit.value, *plan.exit.results))
    lines = chain(statements(plan, names), (f"out[{k}] = {write(a)};" for k, a in ends))
    body = "".join(f"    {line}\n" for line in lines)
    return f"void {program.name}({params}, double *out)\n{{\n{body}}}\n"


def statements(plan: Plan, names: Names) -> Iterator[str]:
    """One for each value that has a name."""
    known: set[str] = set()
    for stmt in (*plan.forward, *plan.reverse):
        match stmt:
            case Let((target,), Apply() as op):
                pairs = [(target, operation(op, plan, names))]
            case Move(pairs=moved):
                pairs = [(v, expression(a, plan, names)) for v, a in moved]
            case _:
                raise NotInCError("branches and loops are not printed")
        for target, text in pairs:
            name = names.of(target)
            if name != text:
                yield f"{'' if name in known else 'double '}{name} = {text};"
            known.add(name)


def expression(atom: Atom, plan: Plan, names: Names) -> str:
    """A name, a number, or what is nested there."""
    if isinstance(atom, Const):
        return repr(float(atom.value))
    nested = plan.nested.get(atom.name)
    if nested is None:
        return names.of(atom)
    if not isinstance(nested, Apply):
        raise NotInCError("branches and loops are not printed")
    return operation(nested, plan, names)


def operation(op: Apply, plan: Plan, names: Names) -> str:
    """A call, or operands and their sign, in parentheses."""
    args = [expression(a, plan, names) for a in op.args]
    name = getattr(as_ufunc(op.fn), "__name__", "")
    arithmetic = info(op.fn).arithmetic
    if arithmetic in SIGNS and len(args) == 2:
        return f"({args[0]} {SIGNS[arithmetic]} {args[1]})"
    if arithmetic == "negative":
        return f"(-{args[0]})"
    if arithmetic == "power":
        return f"pow({args[0]}, {args[1]})"
    if name in OF_C and not op.kwargs:
        return f"{name}({args[0]})"
    raise NotInCError(f"{name} has no form in C here")
