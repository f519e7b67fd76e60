"""A function's source -> the annotations of its gradient, and the imports they need.

Those of the parameters are the user's own texts; what is returned, and the seed, are
annotated where all parameters and the value are. Where an annotation needs an import of
its own, the text has `from __future__ import annotations`: none of it is evaluated, and
nothing is imported for them at run time.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final

from yota_ast import syntax
from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.printers.function_head import NONE, Annotations
from yota_ast.errors import YotaError
from yota_ast.frontend.source.definitions import locate
from yota_ast.ir.functions import Parameter
from yota_ast.ir.tape import Program

ANY: Final = "Any"
_FLOATS: Final = ("float", "np.float64", "np.floating", "numpy.float64")
_EXACT: Final = ("int", "bool")
_OF_INTEGERS: Final = ("Int", "UInt", "Bool", "Int32", "Int64")
OF_AN_OBJECT: Final = "dict[Any, Any]"


@dataclass(frozen=True, slots=True)
class Notes:
    """The annotations, and the statements that import what they name."""

    typed: Annotations = NONE
    imports: tuple[str, ...] = ()


def annotations_of(fn: Callable[..., Any], program: Program) -> Notes:
    """Return the annotations of the gradient of `fn`; none where it has none."""
    try:
        tree = locate(fn).tree
    except YotaError:
        return Notes()
    if not isinstance(tree, syntax.nodes.FunctionDef):
        return Notes()
    finder = _Finder(fn)
    args = tree.args
    slots = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    found = {a.id: finder.text(a.annotation) for a in slots if a is not None}
    value = finder.text(tree.returns)
    known = {name: text for name, text in found.items() if text}
    owner = [s.id for s in slots if s is not None][:1] if _is_method(fn) else []
    if not value or found.keys() - known.keys() - {*owner}:
        if "from typing import Any" not in finder.statements:
            known = {name: text for name, text in known.items() if text != ANY}
        return finder.notes(known)
    seed = next((p for p in program.params if p.var.name == program.seed), None)
    if seed is not None:
        known[program.seed] = _of_seed(value, seed)
    returned = [value or ANY]
    returned += [_of_gradient(n, known, program) for n in program.wrt]
    whole = f"tuple[{', '.join(returned)}]" if program.wrt else returned[0]
    if len(whole) > syntax.line_width() - len(") -> :"):
        whole = f"tuple[{ANY}, ...]"
    if any(_mentions(text, ANY) for text in (*known.values(), whole)):
        finder.statements["from typing import Any"] = None
    return finder.notes(known, whole)


def _is_method(fn: Callable[..., Any]) -> bool:
    """Whether a function stands in a class: nobody says of what type `self` is."""
    owner = str(getattr(fn, "__qualname__", "")).rpartition(".")[0]
    return bool(owner) and not owner.endswith("<locals>")


def _of_seed(value: str, seed: Parameter) -> str:
    if not value or value == ANY:
        return ANY
    if seed.default is None:
        return value
    if value in _FLOATS or value in _EXACT:
        return "float"
    return f"{value} | float"


def _of_gradient(name: str, known: Mapping[str, str], program: Program) -> str:
    param = next(p for p in program.params if p.var.name == name)
    if param.var.fact.kind == "object":
        return OF_AN_OBJECT
    if param.kind in ("args", "kwargs"):
        return ANY
    text = known.get(name, ANY)
    if text in _EXACT:
        return "float"
    return ANY if text.partition("[")[0].rpartition(".")[2] in _OF_INTEGERS else text


def _mentions(text: str, name: str) -> bool:
    tree = ast.parse(text, mode="eval")
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(tree))


class _Finder:
    """Texts of annotations; collects the imports of the names in them."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.module = str(getattr(fn, "__module__", "") or "")
        self.scope: Mapping[str, object] = getattr(fn, "__globals__", {})
        self.statements: dict[str, None] = {}
        code: Any = getattr(fn, "__code__")  # noqa: B009
        lines = linecache.getlines(code.co_filename, dict(self.scope))
        self.bindings = _bindings("".join(lines), self.module)

    def text(self, node: Any) -> str:
        """Return an annotation as text; `Any` where a name in it is not available."""
        if node is None:
            return ""
        if isinstance(node, syntax.nodes.Constant) and isinstance(node.value, str):
            try:
                node = syntax.parse_expr(node.value)
            except SyntaxError:
                return ANY
        if isinstance(node, syntax.nodes.Constant) and node.value is None:
            return "None"
        needed: list[str] = []
        for name in _names(node):
            statement = self.import_of(name)
            if statement is None:
                return ANY
            needed.append(statement)
        self.statements.update((s, None) for s in needed if s)
        return syntax.print_expr(node)

    def notes(self, known: Mapping[str, str], whole: str = "") -> Notes:
        """Return annotations, and the imports that they need."""
        return Notes(Annotations(known, whole), tuple(self.statements))

    def import_of(self, name: str) -> str | None:
        """Return the statement that imports a name, "" if it needs none."""
        if name in self.bindings:
            return self.bindings[name]
        value = self.scope.get(name)
        if isinstance(value, ModuleType):
            alias = "" if value.__name__ == name else f" as {name}"
            return f"import {value.__name__}{alias}"
        if name in self.scope and self.module != "__main__":
            found = vars(sys.modules.get(self.module, sys))
            if name in found:
                return f"from {self.module} import {name}"
        return "" if hasattr(builtins, name) else None


def _names(node: Any) -> Iterator[str]:
    """Yield the names that an annotation reads; those in strings are left out."""
    seen: dict[str, None] = {}
    for part in syntax.nodes.walk(node):
        if isinstance(part, syntax.nodes.Name):
            seen[part.id] = None
    yield from seen


@cache
def _bindings(text: str, module: str) -> Mapping[str, str]:
    """Return what the import statements of a file bind: name -> absolute statement."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    package = str(getattr(sys.modules.get(module), "__package__", None) or "")
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                alias = f" as {a.asname}" if a.asname else ""
                found[a.asname or a.name.partition(".")[0]] = f"import {a.name}{alias}"
        elif isinstance(node, ast.ImportFrom):
            place = "." * node.level + (node.module or "")
            if node.level:
                try:
                    place = importlib.util.resolve_name(place, package)
                except ImportError:
                    continue
            for a in node.names:
                alias = f" as {a.asname}" if a.asname else ""
                found[a.asname or a.name] = f"from {place} import {a.name}{alias}"
    return found
