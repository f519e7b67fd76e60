"""`replace_grad(x, fn)` -> the ops of `fn`, of the adjoint that passes there.

`fn` is a `Function` of the tape, which the op holds as a `Closed`. Its ops stand in the
reverse sweep as those of a helper of the user's stand in the forward sweep.

>>> import operator
>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.nodes import Block
>>> d, e, dy = Var("d", FLOAT), Var("e", FLOAT), Var("dy", FLOAT)
>>> f = Function("_f", (d,), Block((Apply(e, operator.neg, (d,)),)), e)
>>> builder = Builder(lambda fn, args, kwargs: FLOAT, Names())
>>> inlined(f, (dy,), builder).name, builder.ops[0].args
('%', (dy::float,))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.reverse.contributions import Scope, named
from yota_ast.adjoint.reverse.user_adjoints import other_shape, surely_shaped
from yota_ast.errors import ShapeError
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.builder import Builder, Names
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import Apply, Closed, Op, Origin
from yota_ast.ir.renaming import Substitution


class _Placed(Substitution):
    """New variables for those of a function, at the place of the reverse sweep."""

    def __init__(self, given: Mapping[str, Atom], names: Names, at: Origin) -> None:
        super().__init__(given)
        self.names, self.at = names, at

    def var(self, var: Var) -> Atom:
        """What stands for a variable: what is given, or a new one."""
        if var.name not in self.made:
            name = self.names.fresh(var.hint or "%")
            self.made[var.name] = Var(name, var.fact, var.hint)
        made: Atom = self.made[var.name]
        return made

    def op(self, op: Op) -> Op:
        """An op of the reverse sweep."""
        return replace(super().op(op), origin=self.at)


def inlined(function: Function, given: Sequence[Atom], builder: Builder) -> Atom:
    """Add the ops of a function of what it is given; give its result."""
    params = (p.name for p in function.params)
    made = dict(zip(params, given, strict=True))
    placed = _Placed(made, builder.names, builder.origin)
    for op in placed.block(function.block):
        builder.ops.append(op)
        if isinstance(op, Apply):
            builder.made[op.out.name] = op
    result: Atom = placed.atom(function.result)
    return result


def function_given(
    op: Apply, made: Mapping[str, Apply], functions: Mapping[str, Function], d: Atom
) -> tuple[Function, tuple[Atom, ...]]:
    """The function that an op is given for adjoints, and its arguments for one."""
    fn = op.args[1]
    assert isinstance(fn, Var)
    maker = made[fn.name]
    assert isinstance(maker.fn, Closed)
    return functions[maker.fn.name], maker.fn.given((d,), maker.args)


def replaced(
    op: Apply,
    made: Mapping[str, Apply],
    functions: Mapping[str, Function],
    dy: Atom,
    scope: Scope,
) -> None:
    """Add what the function makes of an adjoint to that of the operand."""
    x = op.args[0]
    assert isinstance(x, Var)
    builder = scope.builder
    function, given = function_given(op, made, functions, scope.full(dy, op.out))
    d = named(builder, inlined(function, given, builder), op.out)
    shapes = other_shape(d, x)
    if shapes is not None:
        raise ShapeError(
            f"`{function.title}`, given to `replace_grad`, makes an adjoint of shape "
            f"{shapes[0]} of one of shape {shapes[1]}",
            at=op.origin.location,
            remedy="Return an adjoint of the same shape.",
        )
    scope.add(x, surely_shaped(builder, d, x, "replace_grad"))
