"""Rules as text, one parameter at a time -> the same records as decorated ones.

>>> def cube(x):
...     return x * x * x
>>> diffrule("cube(x: float)", "x", "3 * x * x * dy")
<rule cube(x): y = cube(x)>
>>> [f"{s.target} = {s.text}" for s in BOOK.rules_of(cube)[0].statements]
['dx = 3 * x * x * dy']
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from types import FrameType
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.errors import Location, RuleError
from yota_ast.ops import Sharing
from yota_ast.rules.notation.book import BOOK
from yota_ast.rules.notation.match_types import same_types
from yota_ast.rules.notation.parse import (
    Options,
    Source,
    build,
    filled_in,
    read_types,
    renamed,
)
from yota_ast.rules.notation.pattern import Reader
from yota_ast.rules.notation.rule import rule
from yota_ast.rules.notation.rule_records import Fn, Namespace, Rule
from yota_ast.support.tracebacks import calling_frame, public

DIFF_PHS: Final = {"y", "dy", "t", "u", "v", "w", "x", "i", "j", "k"}
"""The placeholders of rules given as strings; so is every name that begins with `_`."""

_TYPED: Final = re.compile(r"\s*([\w.]+)\s*\((.*)\)\s*", re.DOTALL)
_KEYWORDS: Final = "_kwargs"


@public
def diffrule(
    pattern: str | Fn | None = None,
    var: str | None = None,
    expr: str | None = None,
    **options: Any,
) -> Any:
    """State a derivative: as a decorator, or as strings for one parameter.

    `diffrule("logistic(x: Number)", "x", "logistic(x) * (1 - logistic(x)) * dy")`. The
    pattern is a call, or an operator, of placeholders (`DIFF_PHS`), which may have
    types. The expression gives the adjoint of `var`; y is the result and dy its
    cotangent. All other names are looked up in the caller's module.

    The decorator reads a function, which is never run. Its parameters are those of the
    call, and then `*, dy`. Its first statement is the call. The others give the adjoint
    `dx` of each parameter `x`. Annotations restrict the rule to types. An adjoint has
    to have the shape of its parameter, which is checked.

    alias: whose memory the result has: "fresh", "view", "same" or "maybe".

    Raises RuleError, at the rule's own line, for every fault of the rule.
    """
    if not isinstance(pattern, str):
        return public(rule(**options)) if pattern is None else rule(pattern)
    if var is None or expr is None:
        raise RuleError("diffrule takes a pattern, a placeholder and an expression")
    frame, alias = calling_frame(), options.pop("alias", None)
    if options:
        raise RuleError(f"a rule given as text takes no option `{next(iter(options))}`")
    return _add(pattern, var, expr, frame, passes_keywords=False, alias=alias)


@public
def diffrule_kw(pattern: str, var: str, expr: str) -> Rule:
    """State a rule as strings; the call in `expr` gets the keywords of the user's call.

    With `diffrule_kw("conv(x, w)", "w", "conv_dw(dy, x)")`, the adjoint for `conv(x, w,
    pad=1)` is `conv_dw(dy, x, pad=1)`. Raises RuleError as `diffrule` does.
    """
    return _add(pattern, var, expr, calling_frame(), passes_keywords=True)


@public
def nodiff(pattern: str, var: str) -> Rule:
    """State that a parameter has no derivative: `nodiff("f(x, i)", "i")`.

    An active value may then reach the parameter. Its adjoint gets nothing from there.
    Raises RuleError if the pattern is not one, or has no such placeholder.
    """
    return _add(pattern, var, None, calling_frame(), passes_keywords=False)


# ---------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern taken apart; `renames`: placeholders that keywords rename."""

    node: ast.expr
    parameters: tuple[Parameter, ...]
    annotations: Mapping[str, ast.expr]
    renames: Mapping[str, str]


def _add(
    pattern: str,
    var: str,
    expr: str | None,
    frame: FrameType,
    *,
    passes_keywords: bool,
    alias: Sharing | None = None,
) -> Rule:
    at = _place(frame)
    parsed = _parse_pattern(pattern, at)
    body = [] if expr is None else [_parse_expression(expr, at)]
    if passes_keywords:
        parsed = _with_keywords(parsed)
        body = [_pass_keywords(body[0])]
    reader = Reader(_namespace(frame, [parsed.node, *body]), at.filename, (), at)
    _check_placeholders(reader, parsed, var, body)
    target = parsed.renames.get(var, var)
    statements = [
        ast.Assign([ast.Name(f"d{target}", ast.Store())], _renamed(e, parsed.renames))
        for e in body
    ]
    types = {n: read_types(reader, a) for n, a in parsed.annotations.items()}
    source = Source(
        name=_name_of(parsed),
        signature=Signature(list(parsed.parameters)),
        types=types,
        pattern=parsed.node,
        result="y",
        body=tuple(statements),
        node=None,
    )
    zero = (target,) if expr is None else ()
    made = build(reader, source, Options(zero=zero, partial=True, alias=alias))
    made = _accumulated(made)
    BOOK.add(made)
    return made


def _parse_pattern(text: str, at: Location) -> _Pattern:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return _parse_typed(text, at)
    counter = iter(range(1, 100))
    parameters: list[Parameter] = []
    renames: dict[str, str] = {}
    for part in _operands(node):
        keyword = part.arg if isinstance(part, ast.keyword) else None
        name = part.value if isinstance(part, (ast.keyword, ast.Starred)) else part
        if not isinstance(name, ast.Name):
            shown = ast.unparse(part)
            raise RuleError(f"`{shown}` in the pattern is not a placeholder", at=at)
        if name.id == "_":
            name.id = f"_{next(counter)}"
        kind: Any = Parameter.POSITIONAL_OR_KEYWORD
        if isinstance(part, ast.Starred):
            kind = Parameter.VAR_POSITIONAL
        elif keyword is not None:
            kind = Parameter.KEYWORD_ONLY
            renames[name.id] = keyword
            name.id = keyword
        parameters.append(Parameter(name.id, kind))
    return _Pattern(node, _distinct(parameters, at), {}, renames)


def _operands(node: ast.expr) -> list[ast.AST]:
    match node:
        case ast.Call():
            return [*node.args, *node.keywords]
        case ast.BinOp(left, _, right):
            return [left, right]
        case ast.UnaryOp(_, operand):
            return [operand]
        case ast.Compare(left, _, rights):
            return [left, *rights]
        case ast.Subscript(value, index):
            return [value, index]
        case ast.Attribute(value):
            return [value]
    return []


def _distinct(parameters: Sequence[Parameter], at: Location) -> tuple[Parameter, ...]:
    names = [p.name for p in parameters]
    for name in names:
        if names.count(name) > 1:
            raise RuleError(f"the pattern has `{name}` twice", at=at)
    return tuple(parameters)


def _parse_typed(text: str, at: Location) -> _Pattern:
    """A call whose placeholders have types: read as the head of a function."""
    found = _TYPED.fullmatch(text)
    head = _parameters_of(found[2]) if found is not None else None
    if found is None or head is None:
        raise RuleError(f"the pattern `{text}` is not valid Python", at=at)
    callee, a = ast.parse(found[1], mode="eval").body, head
    positional = [*a.posonlyargs, *a.args]
    for k, arg in enumerate(positional):
        if arg.arg == "_":
            arg.arg = f"_{k + 1}"
    parameters = [Parameter(x.arg, Parameter.POSITIONAL_OR_KEYWORD) for x in positional]
    operands: list[ast.expr] = [ast.Name(x.arg, ast.Load()) for x in positional]
    if a.vararg is not None:
        parameters.append(Parameter(a.vararg.arg, Parameter.VAR_POSITIONAL))
        operands.append(ast.Starred(ast.Name(a.vararg.arg, ast.Load()), ast.Load()))
    parameters += [Parameter(x.arg, Parameter.KEYWORD_ONLY) for x in a.kwonlyargs]
    keywords = [ast.keyword(x.arg, ast.Name(x.arg, ast.Load())) for x in a.kwonlyargs]
    every = [*positional, *a.kwonlyargs]
    annotations = {x.arg: x.annotation for x in every if x.annotation is not None}
    renames = {x.arg: x.arg for x in a.kwonlyargs}
    node = ast.Call(callee, operands, keywords)
    return _Pattern(node, _distinct(parameters, at), annotations, renames)


def _parameters_of(text: str) -> ast.arguments | None:
    try:
        definition = ast.parse(f"def f({text}): ...").body[0]
    except SyntaxError:
        return None
    return definition.args if isinstance(definition, ast.FunctionDef) else None


def _parse_expression(text: str, at: Location) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise RuleError(f"the expression `{text}` is not valid Python", at=at) from None


# ---------------------------------------------------------------- keywords


def _with_keywords(pattern: _Pattern) -> _Pattern:
    if not isinstance(pattern.node, ast.Call):
        return pattern
    passed = ast.keyword(None, ast.Name(_KEYWORDS, ast.Load()))
    node = ast.Call(
        pattern.node.func, pattern.node.args, [*pattern.node.keywords, passed]
    )
    extra = Parameter(_KEYWORDS, Parameter.VAR_KEYWORD)
    return replace(pattern, node=node, parameters=(*pattern.parameters, extra))


def _pass_keywords(node: ast.expr) -> ast.expr:
    """The outermost calls of an expression, with the primal call's keywords."""

    class Pass(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            passed = ast.keyword(None, ast.Name(_KEYWORDS, ast.Load()))
            return ast.Call(node.func, node.args, [*node.keywords, passed])

    changed: ast.expr = Pass().visit(node)
    return changed


# ---------------------------------------------------------------- names


def _place(frame: FrameType) -> Location:
    filename, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(filename, line, frame.f_globals).rstrip("\n")
    start = len(text) - len(text.lstrip())
    return Location(filename, line, start, len(text) if text else None, text)


def _namespace(frame: FrameType, nodes: Sequence[ast.AST]) -> Namespace:
    """The names used, from the caller's locals; all others live from its module."""
    names = {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}
    here = frame.f_locals if frame.f_locals is not frame.f_globals else {}
    captured = {name: here[name] for name in sorted(names) if name in here}
    return Namespace(captured, frame.f_globals)


def _check_placeholders(
    reader: Reader, pattern: _Pattern, var: str, body: Sequence[ast.expr]
) -> None:
    """Only placeholders stand for parameters, and no other placeholder is used."""
    originals = {new: old for old, new in pattern.renames.items()}
    names = {originals.get(p.name, p.name) for p in pattern.parameters}
    for name in sorted(names - set(pattern.renames)):
        if name in ("y", "dy") or not (name in DIFF_PHS or name.startswith("_")):
            shown = " ".join(sorted(DIFF_PHS - {"y", "dy"}))
            raise reader.error(
                None,
                f"`{name}` in the pattern is not a placeholder",
                f"Placeholders are {shown}, and names that begin with `_`.",
            )
    if var not in names:
        raise reader.error(None, f"the pattern has no placeholder `{var}`")
    for expr in body:
        used = {n.id for n in ast.walk(expr) if isinstance(n, ast.Name)}
        for name in sorted(used & DIFF_PHS - names - {"y", "dy"}):
            raise reader.error(None, f"the pattern has no placeholder `{name}`")


def _renamed(node: ast.expr, names: Mapping[str, str]) -> ast.expr:
    class Rename(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Name(names.get(node.id, node.id), node.ctx)

    changed: ast.expr = Rename().visit(node)
    return ast.fix_missing_locations(changed)


def _name_of(pattern: _Pattern) -> str:
    return ast.unparse(ast.fix_missing_locations(pattern.node))


def _accumulated(made: Rule) -> Rule:
    """Together with what was said before of the same calls.

    What has no derivative has none with keywords either, and what only says so needs no
    rule beside that with keywords; an adjoint that was stated without keywords is not
    used where there are some.
    """
    with_keywords = None
    for known in BOOK.rules_of(made.fns[0]):
        if same_types(known, made):
            made = filled_in(renamed(made, known.parameters), known)
        elif _same_but_for_keywords(known, made):
            if made.keywords:
                made = replace(made, zero=made.zero | _zero_by_place(known, made))
                if not known.statements:
                    BOOK.remove(known)
            else:
                zero = known.zero | _zero_by_place(made, known)
                with_keywords = replace(known, zero=zero)
                BOOK.add(with_keywords)
    return made if made.statements or with_keywords is None else with_keywords


def _same_but_for_keywords(a: Rule, b: Rule) -> bool:
    def places(rule: Rule) -> list[object]:
        kept = [p for p in rule.parameters if p != rule.keywords]
        return [(rule.signature.parameters[p].kind, rule.types.get(p)) for p in kept]

    return bool(a.keywords) != bool(b.keywords) and places(a) == places(b)


def _zero_by_place(source: Rule, target: Rule) -> frozenset[str]:
    """The parameters of `target` whose place in `source` has no derivative."""
    pairs = zip(source.parameters, target.parameters, strict=False)
    free = (source.keywords, target.keywords)
    return frozenset(
        b for a, b in pairs if a in source.zero and a not in free and b not in free
    )
