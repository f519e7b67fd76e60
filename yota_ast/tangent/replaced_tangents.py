"""The tangent through `replace_grad(x, fn)`: the transpose of a linear `fn`.

What reverse mode does with adjoints is linear in them, and forward mode is its
transpose: of `fn(d) = 0.1 * d` that is `0.1 * dx`, of `d[::-1]` it is `dx[::-1]`. A
function that is not linear, as one that clips, has none.

>>> import operator
>>> import numpy as np
>>> from yota_ast.ir.atoms import Const
>>> from yota_ast.ir.nodes import Block
>>> d, y = Var("d"), Var("y")
>>> is_linear(Block((Apply(y, operator.mul, (d, Const(0.1))),)), d, y)
True
>>> is_linear(Block((Apply(y, np.clip, (d, Const(-1), Const(1))),)), d, y)
False
>>> is_linear(Block((Apply(y, operator.add, (d, Const(1.0))),)), d, y)
False
"""

from __future__ import annotations

from collections.abc import Mapping

from yota_ast.adjoint.replaced_adjoints import function_given, inlined
from yota_ast.adjoint.reverse.primitive_adjoints import needed_statements
from yota_ast.adjoint.reverse.rule_statements import names_read
from yota_ast.adjoint.sweeps import transposed
from yota_ast.errors import UnsupportedCall
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.builder import Builder
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import Apply, Block
from yota_ast.rules.notation.rule import BOOK, Bound
from yota_ast.tangent.tangent_steps import zero


def replaced_tangent(
    op: Apply, functions: Mapping[str, Function], dx: Atom, builder: Builder
) -> Atom:
    """The tangent of what has another adjoint. Raises UnsupportedCall for a function
    that is not linear."""
    x = op.args[0]
    assert isinstance(x, Var)
    d = builder.var(dx.fact if isinstance(dx, Var) else x.fact, None, "d")
    function, given = function_given(op, builder.made, functions, d)
    inner = builder.nested()
    result = inlined(function, given, inner)
    block = inner.block()
    if not is_linear(block, d, result):
        raise UnsupportedCall(
            f"`{function.title}`, given to `replace_grad`, is not linear, so forward "
            "mode has no tangent that belongs to it",
            at=op.origin.location,
            remedy="Use reverse mode (`grad`), or a linear one: lambda d: 0.1 * d.",
        )
    assert isinstance(result, Var)
    ends = [(result, dx)]
    back, total = transposed(block, d, ends, builder.infer, builder.names)
    builder.ops += back.ops
    return zero(builder, op.out) if total is None else total


def is_linear(block: Block, given: Var, result: Atom) -> bool:
    """Whether a result is a linear function of a variable, as the rules say."""
    varying = {given.name}
    for op in block:
        reads = isinstance(op, Apply) and any(
            isinstance(a, Var) and a.name in varying
            for a in (*op.args, *(a for _, a in op.kwargs))
        )
        if not isinstance(op, Apply):
            if bound_by(op):
                return False
        elif reads and not _is_linear(op, varying):
            return False
        elif reads:
            varying.add(op.out.name)
    return isinstance(result, Var) and result.name in varying


def _is_linear(op: Apply, varying: set[str]) -> bool:
    bound = BOOK.choose(op.fn, op.args, op.kwargs, op.origin.location)
    if bound is None or op.effect:
        return False
    rule = bound.rule
    moving = {p for p in bound.arguments if _varies(bound, p, varying)}
    if not moving or not moving <= rule.linear | rule.jointly:
        return False
    together = rule.jointly or rule.linear
    added = all(
        not _reads(bound, p) & (together - {p}) for p in together & rule.adjoints.keys()
    )
    if not added:  # a product: linear in each factor alone
        return len(moving) == 1
    # A sum: a summand that does not vary is one that must be 0.
    return moving == together & bound.arguments.keys()


def _varies(bound: Bound, parameter: str, varying: set[str]) -> bool:
    value = bound.arguments[parameter]
    atoms = value if isinstance(value, tuple) else (value,)
    found = [isinstance(a, Var) and a.name in varying for a in atoms]
    return any(found)


def _reads(bound: Bound, parameter: str) -> set[str]:
    names: set[str] = set()
    for statement in needed_statements(bound.rule, {parameter}):
        names |= names_read(statement.expr)
    return names
