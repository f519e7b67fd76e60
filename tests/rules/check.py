"""A rule tried by itself: its statements run in Python, against finite differences.

In: an operation of the table.  Out: the adjoints that its rule gives, and how far
<dy, J v> is from <dx, v> for a random direction v.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ops.spellings import BY_NODE
from yota_ast.rules import BOOK
from yota_ast.rules.notation.rule_records import Bound
from yota_ast.runtime import broadcast, unbroadcast

from ..operations import NAMES, Op

BUILD = {ast.Tuple: build_tuple, ast.List: build_list}


@dataclass
class Call:
    """The outermost operation of an expression, its operands computed."""

    fn: Any
    args: list[Atom]
    kwargs: list[tuple[str, Atom]]
    values: dict[str, Any]  # by variable
    built: dict[str, Any]  # the nodes of lists and tuples that the text builds

    @property
    def bound(self) -> Bound | None:
        return BOOK.choose(self.fn, self.args, self.kwargs, None)

    @property
    def fact(self) -> Fact:
        return BOOK.infer(self.fn, self.args, self.kwargs)

    def value_of(self, atom: Atom) -> Any:
        return self.values[atom.name] if isinstance(atom, Var) else atom.value

    def run(self) -> Any:
        args = [self.value_of(a) for a in self.args]
        return self.fn(*args, **{k: self.value_of(a) for k, a in self.kwargs})


def call_of(op: Op, values: dict[str, Any]) -> Call:
    """The operation as the lowering would present it."""
    node = ast.parse(op.text, mode="eval").body
    call = Call(None, [], [], dict(values), {})
    facts = {k: _fact(v, k) for k, v in values.items()}

    def atom(part: ast.AST) -> Atom:
        if isinstance(part, ast.Name) and part.id in values:
            return Var(part.id, facts[part.id])
        names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
        if names & set(values):
            return _inner(part)
        return Const(_literal(part, {}))

    def _inner(part: ast.AST) -> Atom:
        """A part that is computed from the arguments: a variable of its own."""
        name = f"t{len(call.values)}"
        value = call.values[name] = _literal(part, values)
        fact = _fact(value, name)
        if type(part) in BUILD:
            call.built[name] = part
            inner = [atom(e) for e in part.elts]  # type: ignore[attr-defined]
            items = tuple(
                a.fact if isinstance(a, Var) else fact_of(a.value) for a in inner
            )
            fact = Fact("tuple" if isinstance(value, tuple) else "list", items=items)
        return Var(name, fact)

    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            owner = func.value if isinstance(func, ast.Attribute) else None
            if isinstance(owner, ast.Name) and owner.id in values:
                call.fn = getattr(type(values[owner.id]), func.attr)  # type: ignore[attr-defined]
                call.args = [atom(owner)]
            else:
                call.fn = _literal(func, {})
            call.args += [atom(a) for a in args]
            call.kwargs = [(str(k.arg), atom(k.value)) for k in keywords]
        case ast.BinOp(left, operator, right):
            call.fn, call.args = (
                BY_NODE[type(operator).__name__].fn,
                [atom(left), atom(right)],
            )
        case ast.UnaryOp(operator, operand):
            call.fn, call.args = BY_NODE[type(operator).__name__].fn, [atom(operand)]
        case ast.Compare(left, [ast.In()], [right]):
            import operator as o

            call.fn, call.args = o.contains, [atom(right), atom(left)]
        case ast.Compare(left, [operator], [right]):
            call.fn, call.args = (
                BY_NODE[type(operator).__name__].fn,
                [atom(left), atom(right)],
            )
        case ast.Subscript(value, index):
            import operator as o

            call.fn, call.args = o.getitem, [atom(value), atom(index)]
        case _:
            raise AssertionError(op.text)
    return call


def _literal(part: ast.AST, values: dict[str, Any]) -> Any:
    if isinstance(part, ast.Slice):
        ends = (part.lower, part.upper, part.step)
        return slice(*(None if e is None else _literal(e, values) for e in ends))
    if isinstance(part, ast.Tuple):
        return tuple(_literal(e, values) for e in part.elts)
    expression = ast.fix_missing_locations(ast.Expression(part))  # type: ignore[arg-type]
    return eval(compile(expression, "<part>", "eval"), {**NAMES, **values})


def _fact(value: Any, name: str) -> Fact:
    return (
        Fact("other", cls=slice) if isinstance(value, slice) else fact_of(value, name)
    )


# ---------------------------------------------------------------- running a rule


def adjoints(call: Call, y: Any, dy: Any) -> dict[str, Any]:
    """Variable -> its adjoint, summed over the places where it stands."""
    bound = call.bound
    assert bound is not None, f"no rule for {call.fn}"
    rule = bound.rule
    names: dict[str, Any] = {}
    for p, argument in bound.arguments.items():
        atoms = argument if isinstance(argument, tuple) else (argument,)
        given = [call.value_of(a) for a in atoms]
        names[p] = tuple(given) if isinstance(argument, tuple) else given[0]
        if p in bound.converted:
            names[p] = np.asarray(names[p])
    names |= {rule.result: y, rule.cotangent: dy}
    for s in rule.statements:
        if _is_needed(s, bound):
            scope = _Scope(rule, names)
            names[s.target] = eval(s.text, {"__builtins__": {}}, scope)
    found: dict[str, Any] = {}
    for p, target in rule.adjoints.items():
        argument = bound.arguments[p]
        if isinstance(argument, tuple):
            for atom, d in zip(argument, names.get(target, ()), strict=False):
                _accumulate(found, call, atom, d, elementwise=rule.elementwise)
        elif target in names:
            _accumulate(
                found, call, argument, names[target], elementwise=rule.elementwise
            )
    return found


def _is_needed(s: Any, bound: Bound) -> bool:
    inverse = {t: p for p, t in bound.rule.adjoints.items()}
    if s.target not in inverse:
        return True
    argument = bound.arguments[inverse[s.target]]
    return isinstance(argument, tuple | Var)


class _Scope(dict):
    def __init__(self, rule: Any, names: dict[str, Any]) -> None:
        super().__init__(names)
        self.rule = rule

    def __missing__(self, name: str) -> Any:
        return self.rule.resolve(name)


def _accumulate(
    found: dict[str, Any], call: Call, atom: Atom, d: Any, *, elementwise: bool
) -> None:
    if not isinstance(atom, Var):
        return
    if elementwise:
        d = unbroadcast(d, call.values[atom.name])
    found[atom.name] = d if atom.name not in found else found[atom.name] + d


# ---------------------------------------------------------------- structures


def leaves(value: Any) -> list[Any]:
    """The float arrays and floats of a structure."""
    if isinstance(value, list | tuple):
        return [leaf for v in value for leaf in leaves(v)]
    if isinstance(value, float | complex | np.floating | np.complexfloating):
        return [value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return [value]
    return []


def mapped(value: Any, f: Any) -> Any:
    """The structure with f of its leaves; other parts stay."""
    if isinstance(value, tuple) and type(value) is not tuple:
        return tuple(mapped(v, f) for v in value)
    if isinstance(value, list | tuple):
        return type(value)(mapped(v, f) for v in value)
    return f(value) if leaves(value) else value


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """A direction: random numbers of the shape, dtype and kind of each leaf."""

    def one(x: Any) -> Any:
        d: Any = rng.normal(size=np.shape(x))
        if np.iscomplexobj(x):
            d = d + 1j * rng.normal(size=np.shape(x))
        if isinstance(x, float | complex) and not isinstance(x, np.generic):
            return np.asarray(d).item()
        return (
            np.asarray(d).astype(x.dtype)[()] if np.ndim(x) == 0 else d.astype(x.dtype)
        )

    return mapped(value, one)


def added(value: Any, direction: Any, h: float) -> Any:
    """value + h * direction, leaf by leaf."""
    if isinstance(value, list | tuple):
        return type(value)(
            added(a, b, h) for a, b in zip(value, direction, strict=True)
        )
    if not leaves(value):
        return value
    moved = value + h * direction
    return np.asarray(moved) if isinstance(value, np.ndarray) else moved


def turned(value: Any, like: Any) -> Any:
    """A decomposition whose vectors point where those of one nearby do."""
    if isinstance(value, list | tuple):
        return [turned(a, b) for a, b in zip(value, like, strict=True)]
    if np.ndim(value) < 2:
        return value
    columns = np.sum(np.real(np.conj(value) * like), axis=-2, keepdims=True)
    rows = np.sum(np.real(np.conj(value) * like), axis=-1, keepdims=True)
    near = max((columns, rows), key=lambda d: float(np.min(np.abs(d), initial=1.0)))
    return value * np.where(near < 0, -1.0, 1.0)


def inner(a: Any, b: Any) -> float:
    """Re <a, b> over all leaves."""
    if isinstance(a, list | tuple) or isinstance(b, list | tuple):
        return math.fsum(inner(p, q) for p, q in zip(a, b, strict=True))
    if a is None or not (leaves(a) and leaves(b)):
        return 0.0
    assert np.shape(a) == np.shape(b), (np.shape(a), np.shape(b))
    return float(np.sum(np.real(np.conj(a) * b)))


# ---------------------------------------------------------------- the check


def directional(op: Op, values: dict[str, Any], v: dict[str, Any], dy: Any) -> float:
    """<dy, J v> by central differences of fourth order."""
    fn = op.fn

    # LAPACK gives a vector or its negative: which it is, is another on each machine.
    vectors = any(t in op.text for t in ("eigh(", "svd(", "qr(", "schur("))
    here = fn(**values) if vectors else None

    def at(h: float) -> float:
        moved = {k: added(x, v[k], h) for k, x in values.items()}
        value = fn(**moved)
        return inner(dy, turned(value, here) if vectors else value)

    # Near a jump, of a whole part or a remainder, only small steps stay on one side.
    jumps = any(t in op.text for t in ("//", "%", "mod", "floor", "remainder"))
    h = 1e-6 if jumps else 1e-3
    near, far = (at(h) - at(-h)) / (2 * h), (at(2 * h) - at(-2 * h)) / (4 * h)
    return (4 * near - far) / 3


def relative_error(op: Op, values: dict[str, Any], seed: int = 1) -> float:
    """How far the rule is from the differences, relative to what is added up."""
    rng = np.random.default_rng(seed)
    call = call_of(op, values)
    y = call.run()
    dy = random_like(y, rng)
    if not leaves(dy):
        return 0.0
    v = {k: random_like(x, rng) for k, x in values.items()}
    if op.symmetric:
        v = {k: x + np.swapaxes(x, -1, -2) for k, x in v.items()}
    v = {k: x for k, x in v.items() if leaves(x)}
    expected = directional(op, values, {**values, **v}, dy)
    # Sub-expressions of the text are linear in the arguments: their directions are
    # those of the arguments.
    got = 0.0
    scale = 1e-12
    found = _to_arguments(call, values, adjoints(call, y, dy))
    for k, d in found.items():
        if k in v:
            part = inner(d, v[k])
            got += part
            scale += float(sum(np.sum(np.abs(a)) for a in leaves(d)))
    return abs(got - expected) / max(abs(expected), scale)


def _to_arguments(
    call: Call, values: dict[str, Any], found: dict[str, Any]
) -> dict[str, Any]:
    """Adjoints of lists that the text builds, handed on to what they are built of."""
    result = {k: d for k, d in found.items() if k in values}
    for name, d in found.items():
        if name in call.built:
            _distribute(call.built[name], d, values, result)
    return result


def _distribute(
    node: Any, d: Any, values: dict[str, Any], result: dict[str, Any]
) -> None:
    for element, part in zip(node.elts, d, strict=True):
        if isinstance(element, ast.List | ast.Tuple):
            _distribute(element, part, values, result)
        elif isinstance(element, ast.Name) and element.id in values:
            k = element.id
            result[k] = part if k not in result else result[k] + part


__all__ = ["Call", "adjoints", "broadcast", "call_of", "leaves", "relative_error"]
