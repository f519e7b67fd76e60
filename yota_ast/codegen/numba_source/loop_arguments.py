"""Arguments -> what the function in Python tests of them, and what the loops are given.

if x.dtype != np.float64:
    raise ValueError("loss_grad: made for x of float64")
return _loss_grad(x, float(c), float(seed))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from yota_ast.codegen.loops.elements import is_array
from yota_ast.codegen.numba_source.integer_sizes import COUNTS
from yota_ast.codegen.plan.statement_plan import Let, Stmt
from yota_ast.codegen.printers import statement_lines
from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.function_head import refusal
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Read
from yota_ast.ir.tape import Program


def seed_check(program: Program, write: Expressions) -> list[str]:
    """Return the test of the rank of a cotangent, as the readable function does."""
    seeds = [p.var for p in program.params if p.var.hint == program.seed]
    if not seeds or not is_array(seeds[0]):
        return []
    name = write.text(seeds[0])
    test = f'getattr({name}, "ndim", 0) != {seeds[0].fact.rank}'
    told = f"{program.name}: {name} must have the shape of the value"
    return [*statement_lines.header(f"if {test}", 1), *refusal(told)]


def handed(
    var: Var, constants: Mapping[str, Const], write: Expressions, seed: str
) -> str:
    """Return what the loops are given for a variable: floats as such, since powers of
    integers are others."""
    const = constants.get(var.name)
    text = write.text(var) if const is None else write.text(const)
    fact = var.fact
    if var.hint == seed and is_array(var) and fact.dtype is not None:
        kind = write.world.function(fact.dtype.type)
        return f"{text}.astype({kind}, copy=False)"
    if not is_float(var):
        return text
    return f"{write.world.builtin('float')}({text})"


def is_float(var: Var) -> bool:
    """Say whether the loops are given a float of 64 bits."""
    fact = var.fact
    known = fact.dtype is not None and fact.dtype == np.float64
    is_known = fact.kind == "float" or (fact.is_scalar and known)
    return is_known or (fact.kind == "real" and fact.is_scalar)


def spelled(reads: Sequence[Stmt], write: Expressions) -> dict[str, str]:
    """Return what is read of objects as the user writes it: `m.w`."""
    found: dict[str, str] = {}
    for stmt in reads:
        if isinstance(stmt, Let) and isinstance(stmt.value, Read):
            root = write.text(stmt.value.root)
            found[stmt.value.out.name] = write.world.path(root, stmt.value.path)
    return found


def dtype_checks(
    title: str, given: Sequence[Var], spelled: Mapping[str, str], write: Expressions
) -> list[str]:
    """Return the tests of what arrays hold: the loops are made for that alone."""
    kinds: dict[np.dtype[Any], list[str]] = {}
    for var in given:
        if is_array(var):
            if var.fact.dtype is None:
                raise UnsupportedCall(
                    f"the numbers in `{write.text(var)}` are unknown",
                    remedy="Give example arguments.",
                )
            text = spelled.get(var.name) or write.text(var)
            kinds.setdefault(var.fact.dtype, []).append(text)
    found = _precision_check(title, [v for v in given if is_float(v)], spelled, write)
    for dtype, names in kinds.items():
        kind = write.world.function(dtype.type)
        same = " == ".join([*(f"{name}.dtype" for name in names), kind])
        test = f"not {same}" if len(names) > 1 else f"{names[0]}.dtype != {kind}"
        told = f"{title}: made for {', '.join(names)} of {dtype.name}"
        found += statement_lines.header(f"if {test}", 1)
        found += refusal(told)
    return found


def size_check(
    title: str, counted: Sequence[Var | Const], spelled: Mapping[str, str],
    write: Expressions,
) -> list[str]:  # fmt: skip
    """Return the test that integers which the loops compute with are small."""
    names = [
        (isinstance(a, Var) and spelled.get(a.name)) or write.text(a) for a in counted
    ]
    if not names:
        return []
    size = write.world.builtin("abs")
    test = f"{size}({names[0]})"
    if len(names) > 1:
        every = ", ".join(f"{size}({name})" for name in names)
        test = f"{write.world.builtin('max')}({every})"
    told = f"{title}: made for {', '.join(names)} below 2**{COUNTS}"
    return [*statement_lines.header(f"if {test} >= 2**{COUNTS}", 1), *refusal(told)]


def _precision_check(
    title: str, given: Sequence[Var], spelled: Mapping[str, str], write: Expressions
) -> list[str]:
    """Return the test that numbers have no fewer bits than the loops compute with."""
    names = [spelled.get(v.name) or write.text(v) for v in given]
    if not names:
        return []
    bits = write.world.builtin("getattr")
    test = f'{bits}({names[0]}, "itemsize", 8) != 8'
    if len(names) > 1:
        every = ", ".join(names)
        test = f'any({bits}(v, "itemsize", 8) != 8 for v in ({every}))'
    told = f"{title}: made for {', '.join(names)} of 64 bits"
    return [*statement_lines.header(f"if {test}", 1), *refusal(told)]
