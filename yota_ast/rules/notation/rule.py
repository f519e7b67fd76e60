"""The notation of rules -> checked `Rule` records in the `BOOK`.

A rule is a function whose body is the primal statement, then the adjoint statements.

>>> @rule
... def hypotenuse(u, v, *, dy):
...     y = math.hypot(u, v)
...     du = dy * u / y
...     dv = dy * v / y
"""

from __future__ import annotations

import ast
import inspect
import linecache
import math  # noqa: F401  the doctest
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import CodeType
from typing import Any, Final, overload

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import InternalError, Location, RuleError
from yota_ast.ir.abstract_values import Fact
from yota_ast.ops.record import Memory
from yota_ast.rules.inference.infer import may_be_complex
from yota_ast.rules.notation.book import BOOK, Book, Primitives
from yota_ast.rules.notation.parse import Options, Source, build, read_types
from yota_ast.rules.notation.pattern import Reader, function_of, root_of
from yota_ast.rules.notation.rule_records import (
    Bound,
    Complex,
    Fn,
    Namespace,
    Rule,
    Stated,
    Statement,
    Unread,
)
from yota_ast.support.tracebacks import public

__all__ = [
    "BOOK",
    "PRIMITIVES",
    "Book",
    "Bound",
    "Rule",
    "Statement",
    "elementwise",
    "may_be_complex",
    "primitive",
    "rule",
    "settings",
]

PRIMITIVES: Final = Primitives()
_RULES: Final = __name__.rsplit(".", 2)[0]
_PACKAGE: Final = _RULES + "."
Types = tuple[type, ...]


def settings(*names: str) -> dict[str, str]:
    """Parameters that are settings as a rule, refused where they are variables."""
    return dict.fromkeys(names, "it is a setting, not a variable")


@overload
def rule(fn: Fn, /) -> Rule: ...
@overload
def rule(
    *,
    also: Iterable[Fn] = ...,
    zero: Iterable[str] = ...,
    linear: Iterable[str] = ...,
    jointly: Iterable[str] = ...,
    each: Iterable[str] = ...,
    sequences: Iterable[str] = ...,
    alias: Memory = ...,
    complex: Complex = ...,
    effect: bool = ...,
    elementwise: bool = ...,
    square: Fn | None = ...,
    power: Fn | None = ...,
    root: str = ...,
    seminorm: bool = ...,
    bend: str = ...,
    tangent: Fn | None = ...,
    parts: Mapping[int, Fn] = ...,
    fact: Callable[..., Fact] | None = ...,
    only: Mapping[str, tuple[object, ...]] = ...,
    refused: Mapping[str, str] = ...,
) -> Callable[[Fn], Rule]: ...
def rule(
    fn: Fn | None = None, /, **options: Any
) -> Rule | Unread | Callable[[Fn], Rule | Unread]:
    """Register a rule: the decorated function is read, never called.

    Its parameters are what callers may write, then `*, dy`. also: functions that share
    the rule. zero: parameters without a derivative, where that does not follow from a
    default of None, True, False or a string. The other options: see `Rule`.
    RuleError, at the rule's own line, for whatever is wrong with it.
    """
    if fn is not None:
        return _register(fn, options)
    return lambda fn: _register(fn, options)


@overload
def elementwise(fn: Fn, /) -> Rule: ...
@overload
def elementwise(
    *,
    also: Iterable[Fn] = ...,
    zero: Iterable[str] = ...,
    linear: Iterable[str] = ...,
    alias: Memory = ...,
    complex: Complex = ...,
    square: Fn | None = ...,
    power: Fn | None = ...,
    root: str = ...,
    seminorm: bool = ...,
    bend: str = ...,
    tangent: Fn | None = ...,
    refused: Mapping[str, str] = ...,
    only: Mapping[str, tuple[object, ...]] = ...,
    fact: Callable[..., Fact] | None = ...,
) -> Callable[[Fn], Rule]: ...
def elementwise(
    fn: Fn | None = None, /, **options: Any
) -> Rule | Unread | Callable[[Fn], Rule | Unread]:
    """A rule of a function that broadcasts its parameters: the compiler undoes that."""
    options["elementwise"] = True
    if fn is not None:
        return _register(fn, options)
    return lambda fn: _register(fn, options)


@public
def primitive(fn: Fn) -> Fn:
    """Keep calls of `fn` as one operation instead of inlining it, and return `fn`.

    It may be used as a decorator. `fn` needs a rule if an active value reaches it.
    """
    BOOK.add_primitive(fn)
    return fn


def _register(fn: Fn, options: dict[str, Any]) -> Rule | Unread:
    served = _served(fn)
    if served is None:
        made = read_function(fn, options)
        BOOK.add(made)
        return made
    fns = (served, *options.get("also", ()))
    unread = Unread(fns, lambda: _read_as(fns, fn, options), _stated(options))
    BOOK.add_unread(unread)
    return unread


# ---------------------------------------------------------------- rules of chapters


def _stated(options: Mapping[str, Any]) -> Stated:
    """The properties that the options of a rule of a chapter state."""
    return Stated(
        memory=options.get("alias"),
        elementwise=options.get("elementwise", False),
        linear=frozenset(options.get("linear", ())),
        effect=options.get("effect", False),
    )


def _served(fn: Any) -> Fn | None:
    """The function that a rule of a chapter is about, from its first statement alone.

    None where that does not say it, and for rules of others, which are checked where
    they stand.
    """
    if not inspect.isfunction(fn) or not (fn.__module__ or "").startswith(_PACKAGE):
        return None
    code = fn.__code__
    if fn.__qualname__ != fn.__name__ or code.co_freevars:
        return None
    lines = linecache.getlines(code.co_filename, fn.__globals__)
    _written[code.co_filename] = lines
    reader = Reader(_namespace(fn), code.co_filename, lines)
    pattern = _first_pattern(code, lines)
    if pattern is None:
        return None
    parameters = code.co_varnames[: code.co_argcount]
    types: dict[str, Types] = {}
    if isinstance(pattern, ast.Call):
        # The class of whose method it is a call, maybe; no other is needed here.
        owner = root_of(pattern.func)
        name = owner.id if isinstance(owner, ast.Name) else ""
        if name in parameters and name in fn.__annotations__:
            annotation = ast.Constant(fn.__annotations__[name])
            types[name] = read_types(reader, annotation)
    return function_of(reader, pattern, parameters, types)


def _first_pattern(code: CodeType, lines: Sequence[str]) -> ast.expr | None:
    """The right side of the first statement, which may go on for some lines.

    Of a call on one line the callee alone: some hundred rules are met at import.
    """
    # What does something: the `def` itself, then the statements.
    known = (n for *_, n in code.co_lines() if n is not None)
    numbers = (n for n in known if n != code.co_firstlineno)
    early = next(numbers, len(lines) + 1)
    call = _CALL.fullmatch(lines[early - 1]) if early <= len(lines) else None
    if call is not None:
        return ast.Call(_path(call[1]), [], [])
    first = min((early, *numbers))
    for last in range(first, first + _LONGEST):
        with suppress(SyntaxError):
            tree = ast.parse("".join(lines[first - 1 : last]).lstrip())
            match tree.body:
                case [ast.Assign([ast.Name()], pattern)]:
                    return pattern
    return None


def _path(dotted: str) -> ast.expr:
    """The tree of `np.linalg.norm`."""
    first, *attributes = dotted.split(".")
    node: ast.expr = ast.Name(first)
    for name in attributes:
        node = ast.Attribute(node, name)
    return node


_LONGEST: Final = 40  # lines of a primal statement
_CALL: Final = re.compile(r"\s+\w+ = ([a-zA-Z_][\w.]*)\([^()#'\"]*\)\n?")


def _read_as(fns: tuple[Fn, ...], fn: Fn, options: dict[str, Any]) -> Rule:
    """The rule of a function, which serves the functions that it was held to serve."""
    made = read_function(fn, options)
    if made.fns != fns:
        raise InternalError(f"`{made.name}` is registered for {fns[0]!r}")
    return made


# ---------------------------------------------------------------- reading


def read_function(fn: Any, options: dict[str, Any]) -> Rule:
    """The rule that a function's source states."""
    if not inspect.isfunction(fn):
        raise RuleError(f"a rule is a function, not `{fn!r}`")
    module = fn.__module__ or ""
    own = module.startswith(_PACKAGE)
    node, lines = _definition(fn)
    reader = Reader(_namespace(fn), fn.__code__.co_filename, lines)
    pattern, result, body = _body(reader, node)
    cotangent = f"d{result}"
    signature = inspect.signature(fn)
    has_cotangent = cotangent in signature.parameters
    parameters = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in signature.parameters.values()
        if p.name != cotangent
    ]
    types = _types(fn, reader, node)
    source = Source(
        name=node.name,
        signature=inspect.Signature(parameters),
        types={p.name: types.get(p.name, ()) for p in parameters},
        pattern=pattern,
        result=result,
        body=tuple(body),
        node=node,
        has_cotangent=has_cotangent,
    )
    tuples = {k: tuple(v) for k, v in options.items() if k in _TUPLES}
    given = Options(**{**options, **tuples}, check_calls=not own)
    chapter = module.removeprefix(_PACKAGE) if own else ""
    return build(reader, source, given, chapter)


_TUPLES: Final = ("also", "zero", "linear", "jointly", "each", "sequences")


def _body(
    reader: Reader, node: ast.FunctionDef
) -> tuple[ast.expr, str, Sequence[ast.stmt]]:
    """The pattern, the name of its result, and the statements that follow."""
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    match body:
        case [ast.Assign([ast.Name(result)], pattern), *rest]:
            return pattern, result, rest
    at: ast.AST = body[0] if body else node
    raise reader.error(
        at, "a rule begins with its primal statement, such as `y = np.exp(x)`"
    )


def _types(fn: Any, reader: Reader, node: ast.FunctionDef) -> dict[str, Types]:
    """The classes of the parameters.

    An annotation may name what the place where the rule stands has as a local.
    """
    if not any(a.annotation for a in _arguments(node)):
        return {}
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_RULES):
        frame = frame.f_back
    local: dict[str, Any] = {}
    if frame is not None and frame.f_globals is fn.__globals__:
        local = dict(frame.f_locals)
    namespace = Namespace({**local, **reader.namespace.captured}, fn.__globals__)
    reading = replace(reader, namespace=namespace)
    return {a.arg: read_types(reading, a.annotation) for a in _arguments(node)}


def _arguments(node: ast.FunctionDef) -> list[ast.arg]:
    a = node.args
    found = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    return found + [x for x in (a.vararg, a.kwarg) if x is not None]


def _namespace(fn: Any) -> Namespace:
    captured = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return Namespace(captured, fn.__globals__)


_parsed: dict[str, tuple[list[str], dict[tuple[int, str], ast.FunctionDef]]] = {}
_written: dict[str, list[str]] = {}
"""The lines of chapters as they were imported: a file may be another by the time that a
rule is read, and `linecache.clearcache` forgets those of a text that is no file."""


def _definition(fn: Any) -> tuple[ast.FunctionDef, list[str]]:
    """The `def` statement of a function, and the lines of its file."""
    filename = fn.__code__.co_filename
    lines = _written.get(filename) or linecache.getlines(filename, fn.__globals__)
    first: int = fn.__code__.co_firstlineno
    if filename in _written:
        node = _top_level(lines, first, fn.__name__)
        if node is not None:
            return node, lines
    known = _parsed.get(filename)
    if known is None or known[0] is not lines:
        known = (lines, _definitions(lines))
        _parsed[filename] = known
    node = known[1].get((first, fn.__name__))
    if node is None:
        raise RuleError(
            f"the source of the rule `{fn.__name__}` is not available",
            at=Location(filename, first, 0),
            remedy='Give it as text: diffrule("f(x)", "x", "dy * ...").',
        )
    return node, lines


def _top_level(lines: Sequence[str], first: int, name: str) -> ast.FunctionDef | None:
    """The `def` of a chapter that begins on a line: it alone is parsed, for of most
    chapters a program meets a rule or two."""
    last = first
    while last <= len(lines) and not lines[last - 1].startswith("def "):
        last += 1
    last += 1
    while last <= len(lines) and lines[last - 1][:1] in (" ", "\n", "#", ")"):
        last += 1
    with suppress(SyntaxError):
        match ast.parse("".join(lines[first - 1 : last - 1])).body:
            case [ast.FunctionDef() as node] if node.name == name:
                ast.increment_lineno(node, first - 1)
                return node
    return None


def _definitions(lines: Sequence[str]) -> dict[tuple[int, str], ast.FunctionDef]:
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return {}
    found = {}
    for node in _statements(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[first, node.name] = node
    return found


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """The statements of a module, with those inside others; no expressions."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, inner, ())
