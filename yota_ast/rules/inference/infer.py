"""Facts of arguments -> the fact of a result, by running NumPy on stand-ins.

Only functions of Python and NumPy themselves run, on arrays of one element; a user's
function never does.

>>> import operator
>>> from yota_ast.ir.abstract_values import FLOAT, array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = array_fact("f4", (Dim("x.shape[0]", 0, 5),))
>>> elementwise_fact(np.exp, [Var("x", x)]), elementwise_fact(np.exp, [Const(2.0)])
(ndarray[float32, 1], float64)
>>> elementwise_fact(operator.mul, [Const(2.0), Var("s", FLOAT)])
float
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from yota_ast.ir.abstract_values import (
    EITHER_BOOL,
    FLOAT,
    INT,
    NOTHING,
    NUMBER,
    STR,
    UNKNOWN,
    VOID,
    Fact,
    Kind,
    Shape,
    array_fact,
    fact_of,
    int_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim, more, part, product, total
from yota_ast.ir.facts.joined_facts import element_of, where_present
from yota_ast.ops.dtypes.result_dtypes import unless_it_rises
from yota_ast.rules.inference.dims import broadcast, taken_for_natural
from yota_ast.rules.notation.bind import is_array_like
from yota_ast.rules.notation.display_names import is_library
from yota_ast.rules.notation.rule_records import Bound, Fn, Rule
from yota_ast.support.helper_functions import is_helper

Keywords = Sequence[tuple[str, Atom]]
COMPLEX_DTYPE: Final = np.dtype(complex)
_OF_NUMBERS: Final = frozenset(
    getattr(operator, name)
    for name in "add sub mul truediv floordiv mod pow neg pos".split()
)
_PARTNERS: Final[dict[Any, tuple[str, ...]]] = {
    operator.add: ("str", "unknown"),
    operator.mul: ("int", "bool"),
    operator.mod: (),
}
"""What a string may be combined with by an operator, that a string comes out."""
_VALUES: Final = (0.5, 1.5)  # in the domain of every function, one or the other


def may_be_complex(fact: Fact) -> bool:
    """Whether a value is complex, or the array of a list, or nothing at all is known.

    Arrays of unknown dtype, and `real` values, are real: what may be complex has a
    complex dtype, or is unknown altogether.
    """
    fact = where_present(fact)
    if fact.kind in ("list", "tuple"):
        inner = fact.items if fact.items is not None else (fact.element or UNKNOWN,)
        return any(map(may_be_complex, inner))
    return fact.is_complex or (fact.dtype is None and fact.kind == "unknown")


# ---------------------------------------------------------------- stand-ins


def as_array_fact(fact: Fact) -> Fact:
    """A list or tuple of numbers as the array that NumPy makes of it."""
    if fact.kind not in ("list", "tuple") or not is_array_like(fact):
        return fact
    if fact.items is None:
        return _of_many(fact)
    length = Dim("", len(fact.items), len(fact.items))
    items = [as_array_fact(f) for f in fact.items]
    if not items:
        return array_fact("f8", (length,))
    shapes = [f.shape for f in items]
    inner: Shape = shapes[0]
    if any(s != inner for s in shapes):
        inner = (
            broadcast(shapes) if all(f.rank == items[0].rank for f in items) else None
        )
    dtype = COMPLEX_DTYPE if any(f.is_complex for f in items) else None
    if not any(_is_uncertain(f) for f in items):
        with suppress(Exception):
            dtype = np.array([_item(stand_in(f)) for f in items]).dtype
    if not isinstance(inner, tuple):
        return Fact("array", dtype)
    return Fact("array", dtype, (length, *inner))


def _of_many(fact: Fact) -> Fact:
    """The array of a list of unknown length; an empty one gives an array of one axis,
    of float64."""
    each = as_array_fact(element_of(fact))
    if not each.is_numeric:
        return Fact("array")
    dtype = None
    with suppress(TypeError):
        dtype = None if _is_uncertain(each) else np.array(_item(stand_in(each))).dtype
    if each.is_complex:
        dtype = dtype or COMPLEX_DTYPE
    elif not fact.least and dtype != np.float64:
        dtype = None
    if not isinstance(each.shape, tuple):
        return Fact("array", dtype)
    if each.shape and not (fact.least or _surely_some(fact.length)):
        return Fact("array", dtype)
    return Fact("array", dtype, (fact.length, *each.shape))


def _surely_some(length: Dim | None) -> bool:
    """Say whether a list is not empty, by the example where it has to be."""
    return length is not None and taken_for_natural(length.shifted(-1))


def _item(value: Any) -> Any:
    return value.reshape(-1)[0] if isinstance(value, np.ndarray) else value


def stand_in(fact: Fact, value: float = 0.5) -> Any:
    """A value of which the fact holds, all its axes of length 1."""
    match fact.kind:
        case "float":
            return value
        case "int":
            return 1
        case "bool":
            return True
        case "complex":
            return complex(value, 0.25)
        case "none":
            return None
        case "scalar":
            return _cast(value, fact.dtype)
        case "real" if fact.is_scalar:
            return value if fact.dtype is None else _cast(value, fact.dtype)
        case "array" | "real":
            rank = 1 if fact.rank is None else fact.rank
            return np.full((1,) * rank, _cast(value, fact.dtype))
        case "tuple" | "list" if fact.items is not None:
            items = [stand_in(f, value) for f in fact.items]
            return tuple(items) if fact.kind == "tuple" else items
    raise TypeError(fact)


def _cast(value: float, dtype: np.dtype[Any] | None) -> Any:
    dtype = np.dtype(np.float64) if dtype is None else dtype
    return np.array(value if dtype.kind in "fc" else 1).astype(dtype)[()]


def _is_uncertain(fact: Fact) -> bool:
    return fact.kind == "real" or (
        fact.dtype is None and fact.kind in ("array", "scalar")
    )


# ---------------------------------------------------------------- results


def fact_of_result(value: object, shape: Shape, *, uncertain: bool) -> Fact:
    """The fact of what stand-ins gave, with the shape that the real operands give."""
    if isinstance(value, tuple):
        items = tuple(fact_of_result(v, shape, uncertain=uncertain) for v in value)
        return Fact("tuple", items=items, cls=type(value))
    if isinstance(value, (bool, np.bool)) and shape == ():
        return EITHER_BOOL if uncertain else fact_of(value)
    if isinstance(value, (np.generic, np.ndarray)):
        dtype = value.dtype
        if uncertain and dtype.kind in "fc":
            dtype = None if dtype.kind == "f" else COMPLEX_DTYPE
        if shape == () and isinstance(value, np.ndarray) and not uncertain:
            return array_fact(dtype, ())
        return numeric_fact(dtype, shape, uncertain=uncertain)
    if uncertain and isinstance(value, (int, float, complex)):
        dtype = COMPLEX_DTYPE if isinstance(value, complex) else None
        return Fact("real", dtype, shape)
    return fact_of(value)


def numeric_fact(dtype: Any, shape: Shape, *, uncertain: bool = False) -> Fact:
    """An array, or where it has no axes a NumPy scalar, or whichever it may be."""
    if isinstance(shape, tuple) and shape:
        return array_fact(dtype, shape)
    dtype = None if dtype is None else np.dtype(dtype)
    if shape == ():
        return Fact("real" if uncertain and dtype is None else "scalar", dtype, ())
    return Fact("real", dtype, shape)


def evaluate(fn: Fn, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Fn on stand-ins, without warnings."""
    with np.errstate(all="ignore"):
        return fn(*args, **kwargs)


Operand = Const | Fact | tuple[Kind, np.dtype | None, int | None]


def _operand(atom: Atom, fact: Fact) -> Operand:
    """A literal itself; of everything else what tells its stand-in."""
    if isinstance(atom, Const) and isinstance(atom.value, (int, float, complex)):
        return atom
    return (fact.kind, fact.dtype, fact.rank) if fact.is_numeric else fact


def _value_of(operand: Operand, value: float) -> Any:
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, tuple):
        kind, dtype, rank = operand
        operand = Fact(kind, dtype, None if rank is None else (None,) * rank)
    return stand_in(operand, value)


@lru_cache(4096)
def _evaluated(
    fn: Fn, given: tuple[Operand, ...], names: tuple[str, ...], value: float
) -> Any:
    """What a function gives of operands; names: of the last of them."""
    values = [_value_of(operand, value) for operand in given]
    first = len(values) - len(names)
    return evaluate(fn, values[:first], dict(zip(names, values[first:], strict=True)))


def elementwise_fact(fn: Fn, args: Sequence[Atom], kwargs: Keywords = ()) -> Fact:
    """The fact of an elementwise function of Python or NumPy."""
    atoms = [*args, *(a for _, a in kwargs)]
    facts = [as_array_fact(fact_of_atom(a)) for a in atoms]
    if _is_void(fn, facts):
        numbers = all(f.is_number or f.kind in ("none", "nothing") for f in facts)
        return NOTHING if numbers else VOID
    shape = broadcast([f.shape for f in facts if f.is_numeric])
    if fn in (operator.pow, pow) and _is_power_of_ints(args, facts):
        return NUMBER
    given = tuple(map(_operand, atoms, facts))
    names = tuple([name for name, _ in kwargs])
    for value in _VALUES:
        with suppress(ValueError, OverflowError, ZeroDivisionError):
            result = _evaluated(fn, given, names, value)
            if getattr(fn, "__module__", "") == "math":
                return fact_of(result)
            if isinstance(result, np.ndarray) and shape == ():  # np.where of numbers
                return array_fact(result.dtype, ())
            pairs = zip(atoms, facts, strict=True)
            if type(result) is float and any(
                f.kind == "bool" and isinstance(a, Var) for a, f in pairs
            ):
                return Fact("scalar", None, ())  # a comparison may give NumPy's bool
            uncertain = any(map(_is_uncertain, facts))
            known = fact_of_result(result, shape, uncertain=uncertain)
            numbers = all(f.is_number for f in facts if f.is_numeric)
            loose = numbers and known == Fact("real", shape=())
            return NUMBER if loose else known
    return UNKNOWN


def _is_void(fn: Fn, facts: Sequence[Fact]) -> bool:
    """Whether an operand is None, or comes of an operator that had one."""
    if VOID in facts or NOTHING in facts:
        return True
    return fn in _OF_NUMBERS and any(f.kind == "none" for f in facts)


def _is_power_of_ints(args: Sequence[Atom], facts: Sequence[Fact]) -> bool:
    """`2 ** n` is an int or a float by the sign of n."""
    ints = all(f.kind in ("int", "bool") for f in facts)
    return ints and not isinstance(args[-1], Const)


# ---------------------------------------------------------------- rules without `fact`

_RANKS: Final = range(1, 4)


def default_fact(fn: Fn, bound: Bound, args: Sequence[Atom], kwargs: Keywords) -> Fact:
    """What a rule lets conclude that has no function for facts."""
    rule = bound.rule
    if not (rule.chapter and (is_helper(fn) or is_library(fn))):
        return _of_users_function(bound)
    if rule.effect:
        return UNKNOWN
    if rule.adjoints and getattr(fn, "__module__", "") == "math":
        # Whatever is known of the arguments.
        second = {math.modf: FLOAT, math.frexp: INT}.get(fn)
        if second is None:
            return FLOAT
        return Fact("tuple", items=(FLOAT, second), cls=tuple)
    if rule.elementwise:
        return elementwise_fact(fn, args, kwargs)
    return evaluated_fact(fn, args, kwargs)


def fact_of_strings(fn: Fn, args: Sequence[Atom]) -> Fact:
    """What an operator gives that no rule fits: a string, or something unknown.

    >>> text = Var("text", STR)
    >>> fact_of_strings(operator.add, [text, Const("->")])
    str
    >>> fact_of_strings(operator.mul, [Const("-"), Var("n", INT)])
    str
    """
    if fn not in _PARTNERS or len(args) != 2:
        return UNKNOWN
    one, other = (fact_of_atom(a).kind for a in args)
    if one == "str" and (fn is operator.mod or other in _PARTNERS[fn]):
        return STR
    return STR if other == "str" and one in _PARTNERS[fn] else UNKNOWN


def evaluated_fact(fn: Fn, args: Sequence[Atom], kwargs: Keywords = ()) -> Fact:
    """Rank and dtype from stand-ins; nothing is known of lengths."""
    atoms = [*args, *(a for _, a in kwargs)]
    facts = [as_array_fact(fact_of_atom(a)) for a in atoms]
    if any(f.is_numeric and f.rank is None for f in facts):
        return _of_any_rank(fn, args, kwargs)
    uncertain = any(map(_is_uncertain, facts))
    given = [_constant_or_stand_in(a) for a in args]
    result = evaluate(fn, given, {k: _constant_or_stand_in(a) for k, a in kwargs})
    found = _without_lengths(result, uncertain=uncertain)
    return unless_it_rises(found, fn)


def _of_any_rank(fn: Fn, args: Sequence[Atom], kwargs: Keywords) -> Fact:
    """A tuple where it is one, of so many items, of operands of each rank."""
    found: set[tuple[type, int]] = set()
    for rank in _RANKS:
        with suppress(Exception):  # a matrix is wanted, and this is none
            given = [_constant_or_stand_in(a, rank) for a in args]
            named = {k: _constant_or_stand_in(a, rank) for k, a in kwargs}
            result = evaluate(fn, given, named)
            found.add((type(result), len(result) if isinstance(result, tuple) else 0))
    cls, count = found.pop() if len(found) == 1 else (object, 0)
    return Fact("tuple", items=(UNKNOWN,) * count, cls=cls) if count else UNKNOWN


def _constant_or_stand_in(atom: Atom, rank: int | None = None) -> Any:
    """What stands for an operand; rank: that of an array of which none is known."""
    if isinstance(atom, Const):
        return atom.value
    fact = as_array_fact(atom.fact)
    if rank is not None and fact.is_numeric and fact.rank is None:
        return np.full((1,) * rank, _cast(0.5, fact.dtype))[()]
    return stand_in(atom.fact)


def _without_lengths(result: object, *, uncertain: bool) -> Fact:
    if isinstance(result, tuple):
        items = tuple(_without_lengths(r, uncertain=uncertain) for r in result)
        return Fact("tuple", items=items, cls=type(result))
    if isinstance(result, list):  # how long depends on the operands
        return Fact("list", cls=list)
    rank = getattr(result, "ndim", 0)
    return fact_of_result(result, (None,) * rank, uncertain=uncertain)


def _of_users_function(bound: Bound) -> Fact:
    """Of a user's function with a rule: a number or an array, or nothing known.

    A number or an array where the rule computes with the cotangent; where it is
    elementwise, the shape too.
    """
    rule = bound.rule
    atoms = [a for v in bound.arguments.values() for a in _flat(v)]
    facts = [fact_of_atom(a) for a in atoms]
    if any(map(may_be_complex, facts)) or not _is_computed_with(rule):
        return UNKNOWN
    if rule.elementwise:
        return Fact("real", None, broadcast([f.shape for f in facts if f.is_numeric]))
    return Fact("real")


def _flat(argument: Atom | tuple[Atom, ...]) -> tuple[Atom, ...]:
    return argument if isinstance(argument, tuple) else (argument,)


@cache
def _is_computed_with(rule: Rule) -> bool:
    """Whether the cotangent is an operand, or an argument, in some statement."""
    for s in rule.statements:
        for node in ast.walk(ast.parse(s.text, mode="eval")):
            operands: list[ast.expr] = []
            if isinstance(node, ast.BinOp):
                operands = [node.left, node.right]
            elif isinstance(node, ast.UnaryOp):
                operands = [node.operand]
            elif isinstance(node, ast.Call):
                operands = node.args
            if any(
                isinstance(o, ast.Name) and o.id == rule.cotangent for o in operands
            ):
                return True
    return bool(rule.statements) and all(
        s.text == rule.cotangent for s in rule.statements
    )


def integer_of(value: object) -> Dim | int | None:
    """Return what is known of a value of the program: a literal as it is, for it may
    be below 0."""
    if isinstance(value, Var):
        return value.fact.length
    if not isinstance(value, Const) or value.is_live:
        return None
    return value.value if type(value.value) is int else None


def lengthened(known: Fact, fn: Fn, args: Sequence[Atom]) -> Fact:
    """An int that is computed from others that are known: `len(x) - 1`."""
    if known.kind == "int" and fn is operator.neg and isinstance(args[0], Var):
        length = args[0].fact.length
        negated = None if length is None else total([(length, -1)])
        return known if negated is None else int_fact(negated)
    if known.kind != "int" or len(args) != 2:
        return known
    a, b = map(integer_of, args)
    if a is None or b is None:
        return known
    found = _of_integers(fn, a, b)
    return known if found is None else int_fact(found)


def _of_integers(fn: Fn, a: Dim | int, b: Dim | int) -> Dim | None:
    """A sum, a difference, a multiple or a part; None of another number."""
    if fn is operator.floordiv:
        return part(a, b) if isinstance(a, Dim) else None
    if fn is operator.mul:
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, int):
            return None
        return total([(a, b)]) if isinstance(b, int) else product(a, b)
    sign = {operator.add: 1, operator.sub: -1}.get(fn)
    if sign is None:
        return None
    if isinstance(b, int):
        return more(a, sign * b) if isinstance(a, Dim) else None
    if isinstance(a, Dim):
        return total([(a, 1), (b, sign)])
    negated = total([(b, sign)])
    return None if negated is None else more(negated, a)
