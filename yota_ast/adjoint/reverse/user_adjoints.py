"""What a rule of the user's says an adjoint is -> the same, where it has the shape of
its argument.

The project's own rules are tested, those of a program are not: an adjoint of another
shape would be spread over its argument without a word. Where the facts decide, it is
refused; else the text checks.
"""

from __future__ import annotations

from yota_ast.adjoint.reverse.contributions import fact_of_end
from yota_ast.errors import Location, RuleError
from yota_ast.ir.abstract_values import Shape
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.builder import Builder
from yota_ast.rules.notation.rule import Rule
from yota_ast.runtime import checked

_SHAPED = ("array", "real", "scalar", "float", "int", "complex", "unknown")


def of_its_shape(
    builder: Builder, rule: Rule, parameter: str, value: Atom, target: Var
) -> Atom:
    """The adjoint of an argument, checked if the rule is a program's own."""
    if rule.chapter:
        return value
    name = getattr(rule.fns[0], "__name__", rule.name)
    shapes = other_shape(value, target)
    if shapes is not None:
        adjoint = rule.adjoints[parameter]
        raise RuleError(
            f"the rule of `{name}` gives an adjoint of shape {shapes[0]} for"
            f" `{parameter}`, but `{parameter}` has shape {shapes[1]}",
            at=_place(rule, adjoint) or builder.origin.location,
            remedy=f"`{adjoint}` must have the shape of `{parameter}`: where "
            "the function sums, its adjoint repeats; where it "
            "repeats, its adjoint sums.",
        )
    return surely_shaped(
        builder, value, target, f"the rule of {name}, adjoint of {parameter}"
    )


def other_shape(value: Atom, target: Var) -> tuple[str, str] | None:
    """The shapes of an adjoint and of its argument, where these certainly differ."""
    given, wanted = fact_of_end(value).shape, target.fact.shape
    if target.fact.kind not in _SHAPED or not _differ(given, wanted):
        return None
    return _text(given), _text(wanted)


def surely_shaped(builder: Builder, value: Atom, target: Var, who: str) -> Atom:
    """The adjoint of an argument: the text checks its shape, if that is unknown."""
    given, wanted = fact_of_end(value).shape, target.fact.shape
    known = given is not None and given == wanted
    known = known and not (isinstance(given, tuple) and None in given)
    if known or target.fact.kind not in _SHAPED:
        return value
    return builder.apply(checked, value, target, Const(who))


def _place(rule: Rule, adjoint: str) -> Location | None:
    return next(
        (s.location for s in rule.statements if s.target == adjoint), rule.location
    )


def _differ(p: Shape, q: Shape) -> bool:
    """Whether two shapes differ, whatever the arguments."""
    if not isinstance(p, tuple) or not isinstance(q, tuple):
        return False
    return len(p) != len(q) or any(map(_unlike, p, q))


def _unlike(p: Dim | None, q: Dim | None) -> bool:
    """Whether two lengths differ: in the example at least."""
    if p is None or q is None or p.size is None or q.size is None:
        return False
    return p.size != q.size


def _text(shape: Shape) -> str:
    """A shape, as NumPy writes it."""
    assert isinstance(shape, tuple)
    sizes = [
        "?" if d is None else str(d if d.example is None else d.example) for d in shape
    ]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"
