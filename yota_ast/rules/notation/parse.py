"""A rule's statements -> a checked `Rule`, or a `RuleError` at the line at fault."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import Parameter, Signature
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.errors import RuleError
from yota_ast.ir.abstract_values import Fact
from yota_ast.ops.record import Memory, Sharing
from yota_ast.rules.notation.called_functions import (
    calls_in,
    check_arity,
    check_callable,
)
from yota_ast.rules.notation.default_values import check_defaults
from yota_ast.rules.notation.pattern import Reader, read_pattern, root_of
from yota_ast.rules.notation.rule_records import Complex, Fn, Namespace, Rule, Statement

_ALLOWED: Final = (
    *(ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred),
    *(ast.Call, ast.keyword, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
)


@dataclass(frozen=True, slots=True)
class Options:
    """What a rule says beside its statements; see `Rule`."""

    also: tuple[Fn, ...] = ()
    zero: tuple[str, ...] = ()
    linear: tuple[str, ...] = ()
    jointly: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    sequences: tuple[str, ...] = ()
    alias: Memory | None = None
    complex: Complex = "no"
    effect: bool = False
    elementwise: bool = False
    square: Fn | None = None
    power: Fn | None = None
    root: str = ""
    seminorm: bool = False
    bend: str = ""
    tangent: Fn | None = None
    parts: Mapping[int, Fn] = field(default_factory=dict)
    fact: Callable[..., Fact] | None = None
    only: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False  # parameters may be left without adjoint (text forms)
    check_calls: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """The parts of a rule before they are checked."""

    name: str
    signature: Signature  # without the cotangent
    types: Mapping[str, tuple[type, ...]]
    pattern: ast.expr
    result: str
    body: tuple[ast.stmt, ...]
    node: ast.AST | None  # the whole rule
    has_cotangent: bool = True


def build(reader: Reader, source: Source, options: Options, chapter: str = "") -> Rule:
    """The rule, checked."""
    parameters = list(source.signature.parameters)
    fn = read_pattern(reader, source.pattern, parameters, source.types)
    statements = _statements(reader, source)
    adjoints = _adjoints(reader, source, statements)
    _check_uses(reader, source, statements, adjoints, options)
    placeholders = (*source.signature.parameters, source.result, f"d{source.result}")
    local = {*placeholders, *(target for target, _ in statements)}
    for _, expr in statements:
        check_callable(reader, expr, source.signature, local)
    zero = _zero(reader, source, adjoints, options)
    if options.check_calls:
        check_arity(reader, source.pattern, statement=False)
        for each in (fn, *options.also):
            check_defaults(reader, source.pattern, source.signature, each)
        for _, expr in statements:
            for call in calls_in(expr):
                check_arity(reader, call, statement=True)
    _check_options(reader, source, options)
    return Rule(
        name=ast.unparse(source.pattern) if source.name == "_" else source.name,
        fns=(fn, *options.also),
        signature=source.signature,
        primal=Statement(source.result, ast.unparse(source.pattern)),
        statements=tuple(
            Statement(target, ast.unparse(expr), reader.location(expr))
            for target, expr in statements
        ),
        adjoints=adjoints,
        zero=zero,
        namespace=reader.namespace,
        types={p: t for p, t in source.types.items() if t},
        linear=frozenset(options.linear),
        jointly=frozenset(options.jointly),
        each=frozenset(options.each),
        sequences=frozenset(options.sequences),
        elementwise=options.elementwise,
        alias=options.alias,
        complex=options.complex,
        effect=options.effect,
        square=options.square,
        power=options.power,
        root=options.root,
        seminorm=options.seminorm,
        bend=options.bend,
        tangent=options.tangent,
        parts=options.parts,
        fact=options.fact,
        only=options.only,
        refused=options.refused,
        location=reader.location(source.node),
        chapter=chapter,
    )


# ---------------------------------------------------------------- statements


def _statements(reader: Reader, source: Source) -> list[tuple[str, ast.expr]]:
    """The adjoint statements as target and expression; tuples are taken apart."""
    found: list[tuple[str, ast.expr]] = []
    for stmt in source.body:
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            raise reader.error(
                stmt,
                "a rule is a list of assignments: the pattern, then the adjoints",
            )
        for part in ast.walk(stmt.value):
            if not isinstance(part, _ALLOWED):
                raise _not_allowed(reader, part if hasattr(part, "lineno") else stmt)
            if isinstance(part, ast.Compare) and len(part.ops) > 1:
                raise reader.error(part, "a rule cannot contain a chained comparison")
        target = stmt.targets[0]
        if isinstance(target, ast.Name):
            found.append((target.id, stmt.value))
        elif isinstance(target, ast.Tuple) and all(
            isinstance(t, ast.Name) for t in target.elts
        ):
            found.extend(_taken_apart(target, stmt.value))
        else:
            raise reader.error(target, "a rule assigns to names only")
    return found


def _not_allowed(reader: Reader, node: ast.AST) -> RuleError:
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        return reader.error(
            node,
            "a rule cannot contain a conditional expression, `and` or `or`",
            "Use `np.where`, or call a function of your own that decides.",
        )
    return reader.error(node, f"a rule cannot contain {type(node).__name__}")


def _taken_apart(target: ast.Tuple, value: ast.expr) -> Iterable[tuple[str, ast.expr]]:
    names = [t.id for t in target.elts if isinstance(t, ast.Name)]
    if isinstance(value, ast.Tuple) and len(value.elts) == len(names):
        yield from zip(names, value.elts, strict=True)
        return
    whole = "_".join(names)
    yield whole, value
    for k, name in enumerate(names):
        item = ast.Subscript(ast.Name(whole, ast.Load()), ast.Constant(k), ast.Load())
        yield name, ast.copy_location(item, value)


def _adjoints(
    reader: Reader, source: Source, statements: Sequence[tuple[str, ast.expr]]
) -> dict[str, str]:
    """Parameter -> target; every other target must be read by a later statement."""
    targets = [target for target, _ in statements]
    names = {f"d{p}": p for p in source.signature.parameters}
    for k, (target, expr) in enumerate(statements):
        if target in targets[:k]:
            raise reader.error(expr, f"`{target}` is assigned twice")
        if target in source.signature.parameters or target == source.result:
            raise reader.error(expr, f"`{target}` is a placeholder: it has a value")
        read = any(target in _names(later) for _, later in statements[k + 1 :])
        if target not in names and not read:
            wanted = ", ".join(f"`{n}`" for n in names)
            raise reader.error(
                expr,
                f"`{target}` is not the adjoint of a parameter and is not used",
                f"The adjoints of this rule are {wanted}." if wanted else "",
            )
    return {names[t]: t for t in targets if t in names}


def _names(expr: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}


# ---------------------------------------------------------------- checks


def _check_uses(
    reader: Reader,
    source: Source,
    statements: Sequence[tuple[str, ast.expr]],
    adjoints: Mapping[str, str],
    options: Options,
) -> None:
    """All names are known; every adjoint is made from the cotangent."""
    cotangent = f"d{source.result}"
    if not source.has_cotangent and statements and not options.partial:
        raise reader.error(
            source.node, f"the rule does not take the cotangent: add `*, {cotangent}`"
        )
    known = {*source.signature.parameters, source.result, cotangent}
    carries = {cotangent}  # what depends on the cotangent
    for target, expr in statements:
        for node in ast.walk(expr):
            _check_names(reader, node, known)
        known.add(target)
        if _names(expr) & carries:
            carries.add(target)
        elif target in adjoints.values():
            raise reader.error(expr, f"`{target}` does not use `{cotangent}`")
    if source.has_cotangent and not statements and not options.zero:
        raise reader.error(source.node, "the rule has no adjoint statement")


def _check_names(reader: Reader, node: ast.AST, known: set[str]) -> None:
    if isinstance(node, ast.Name) and node.id not in known:
        reader.resolve(node)
    if isinstance(node, ast.Attribute):
        root = root_of(node)
        if isinstance(root, ast.Name) and root.id not in known:
            reader.resolve(node)


def _zero(
    reader: Reader, source: Source, adjoints: Mapping[str, str], options: Options
) -> frozenset[str]:
    """The parameters without a derivative: those said to be, and the settings."""
    zero = set(options.zero)
    refused = options.refused
    for p in source.signature.parameters.values():
        if p.name in adjoints:
            if p.name in zero:
                raise reader.error(
                    source.node, f"`{p.name}` is in zero= and has an adjoint"
                )
            continue
        if p.name in refused:
            continue
        default = None if p.kind is Parameter.VAR_KEYWORD else p.default
        setting = default is not Parameter.empty and (
            default is None or isinstance(default, (bool, str, type))
        )
        if setting:
            zero.add(p.name)
        elif p.name not in zero and not options.partial:
            raise reader.error(
                source.node,
                f"`{p.name}` has no adjoint statement",
                f'Add `d{p.name} = ...`, or zero=("{p.name}",) to the decorator.',
            )
    return frozenset(zero)


def _check_options(reader: Reader, source: Source, options: Options) -> None:
    if isinstance(options.alias, str) and options.alias not in get_args(Sharing):
        choices = ", ".join(map(repr, get_args(Sharing)))
        raise reader.error(
            source.node, f"alias= must be one of {choices}, not {options.alias!r}"
        )
    named = {"zero": options.zero, "linear": options.linear}
    named |= {"jointly": options.jointly, "each": options.each}
    named |= {"sequences": options.sequences, "only": tuple(options.only)}
    named |= {"refused": tuple(options.refused)}
    if options.fact is not None:
        named["fact"] = tuple(inspect.signature(options.fact).parameters)
    for option, names in named.items():
        for name in names:
            if name not in source.signature.parameters:
                raise reader.error(
                    source.node, f"{option}=: the rule has no parameter `{name}`"
                )


# ---------------------------------------------------------------- types


def read_types(reader: Reader, node: ast.expr | None) -> tuple[type, ...]:
    """The classes of an annotation; () where it restricts nothing."""
    if node is None:
        return ()
    try:
        return _classes(_evaluate(reader.namespace, node))
    except RuleTypeError:
        raise reader.error(node, f"`{ast.unparse(node)}` is not a type") from None


class RuleTypeError(Exception):
    """An annotation that is no class."""


def _evaluate(namespace: Namespace, node: ast.expr) -> object:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    names = {n: namespace.resolve(n) for n in _known_names(namespace, node)}
    expression = ast.fix_missing_locations(ast.Expression(node))
    try:
        return eval(compile(expression, "<annotation>", "eval"), {}, names)  # noqa: S307
    except Exception as why:
        raise RuleTypeError from why


def _known_names(namespace: Namespace, node: ast.expr) -> list[str]:
    found = []
    for name in sorted(_names(node)):
        try:
            namespace.resolve(name)
        except NameError:
            raise RuleTypeError from None
        found.append(name)
    return found


def _classes(annotation: Any) -> tuple[type, ...]:
    if annotation in (Any, object, Parameter.empty):
        return ()
    if annotation is None:
        return (type(None),)
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        parts = [_classes(part) for part in get_args(annotation)]
        return tuple(c for part in parts for c in part) if all(parts) else ()
    if isinstance(origin, type):
        return (origin,)
    if isinstance(annotation, type):
        return (annotation,)
    raise RuleTypeError


# ---------------------------------------------------------------- complex numbers


def conjugated(rule: Rule, real: frozenset[str]) -> Rule:
    """The rule for complex numbers: `dz = dy * conj(f'(z))` for holomorphic functions.

    An adjoint statement `dz = g(dy)` is linear in `dy` with the derivatives as its
    coefficients, so `conj(g(conj(dy)))` is the statement with all of them conjugated.
    real: the parameters that are real, which receive the real part.
    """
    names = {**rule.namespace.captured, "np": np}
    cotangent = rule.cotangent
    inverse = {target: p for p, target in rule.adjoints.items()}
    statements = []
    for s in rule.statements:
        text = s.text
        if rule.complex == "holomorphic":
            text = _with_complex_logs(_with_conjugate(text, cotangent), real)
        # The adjoint of a sequence is one: its helper sees to each item.
        p = inverse.get(s.target)
        if p is not None and p not in rule.sequences and p != rule.varargs:
            if p in real:
                text = f"np.real({text})"
            elif rule.complex == "holomorphic":
                text = f"np.conj({text})"
        statements.append(replace(s, text=text))
    return replace(
        rule,
        statements=tuple(statements),
        namespace=Namespace(names, rule.namespace.module),
        complex="written",
    )


def _with_conjugate(text: str, cotangent: str) -> str:
    class Conjugate(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            if node.id != cotangent:
                return node
            return ast.parse(f"np.conj({cotangent})", mode="eval").body

    return ast.unparse(Conjugate().visit(ast.parse(text, mode="eval").body))


def _with_complex_logs(text: str, real: Collection[str]) -> str:
    """A power of a negative number is complex where the exponent is, and its logarithm
    has an imaginary part.

    >>> _with_complex_logs("dy * y * log_or_zero(u)", {"u"})
    'dy * y * log_or_zero(u + 0j)'
    """
    for name in real:
        text = text.replace(f"log_or_zero({name})", f"log_or_zero({name} + 0j)")
    return text


# ---------------------------------------------------------------- two rules of a call


def renamed(rule: Rule, parameters: Sequence[str]) -> Rule:
    """The rule with other names for its parameters, in their order."""
    names = dict(zip(rule.parameters, parameters, strict=True))
    if all(old == new for old, new in names.items()):
        return rule
    both = {**names, **{f"d{old}": f"d{new}" for old, new in names.items()}}
    kept = rule.signature.parameters.values()
    return replace(
        rule,
        signature=Signature([p.replace(name=names[p.name]) for p in kept]),
        primal=replace(rule.primal, text=_with_names(rule.primal.text, names)),
        statements=tuple(
            replace(
                s, target=both.get(s.target, s.target), text=_with_names(s.text, both)
            )
            for s in rule.statements
        ),
        adjoints={names[p]: f"d{names[p]}" for p in rule.adjoints},
        zero=frozenset(names[p] for p in rule.zero),
        types={names[p]: t for p, t in rule.types.items()},
        root=_with_names(rule.root, both) if rule.root else "",
        bend=_with_names(rule.bend, both) if rule.bend else "",
        linear=frozenset(names[p] for p in rule.linear),
        jointly=frozenset(names[p] for p in rule.jointly),
        each=frozenset(names[p] for p in rule.each),
        sequences=frozenset(names[p] for p in rule.sequences),
    )


def _with_names(text: str, names: Mapping[str, str]) -> str:
    class Rename(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Name(names.get(node.id, node.id), node.ctx)

    return ast.unparse(Rename().visit(ast.parse(text, mode="eval").body))


def filled_in(rule: Rule, other: Rule) -> Rule:
    """The rule, with what `other` says of parameters of which it says nothing."""
    other = renamed(other, rule.parameters)
    if other.result != rule.result:
        return rule
    missing = rule.missing
    taken = [p for p in other.adjoints if p in missing]
    zero = rule.zero | (other.zero & missing)
    if not taken:
        return replace(rule, zero=zero, alias=rule.alias or other.alias)
    wanted = {other.adjoints[p] for p in taken}
    theirs = set(other.adjoints.values())
    added = [
        s for s in other.statements if s.target in wanted or s.target not in theirs
    ]
    free = set().union(*(_names(ast.parse(s.text, mode="eval").body) for s in added))
    captured = dict(other.namespace.captured)
    for name in sorted(free):
        with suppress(NameError):
            captured[name] = other.namespace.resolve(name)
    return replace(
        rule,
        alias=rule.alias or other.alias,
        statements=(*added, *rule.statements),
        adjoints={**{p: other.adjoints[p] for p in taken}, **rule.adjoints},
        zero=zero,
        namespace=Namespace(
            {**captured, **rule.namespace.captured}, rule.namespace.module
        ),
        elementwise=rule.elementwise or other.elementwise,
        fact=rule.fact or other.fact,
        complex=other.complex if other.complex == rule.complex else "no",
        chapter=other.chapter if other.chapter and rule.fns == other.fns else "",
    )
