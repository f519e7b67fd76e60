"""The package's source -> its tables of functions: file -> names of the tables.

A table is a collection, bound at the top of a module or a class, of at least two
functions of libraries or their names: `np.sin`, `operator.add`, "reshape". It says
something of functions, and that is to be said once, in `ops/`. Four things look alike
and are none:

- Dispatch: a mapping of functions to handlers, which are functions of the package. It
  says what a module does for a function, not what the function is.
- Rewrites: expressions, what they become, and functions that handle what is no pattern.
- Classes, and words that are kinds of facts ("array", "real"). They are about values.
- Names bound for brevity: `ADD, SUB = operator.add, operator.sub`.

Words count where most words of the collection are names of functions.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import copy
import functools
import itertools
import math
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np

from yota_ast import runtime
from yota_ast.ir import abstract_values

PACKAGE = Path(__file__).resolve().parents[2] / "yota_ast"
HOMES = ("ops", "rules", "runtime", "solvers")
"""Where properties of functions are stated; `solvers` states those of solvers."""
LIBRARIES = {
    "np": np, "math": math, "cmath": cmath, "operator": operator, "runtime": runtime,
    "rt": runtime, "copy": copy, "itertools": itertools, "functools": functools,
}  # fmt: skip


def _functions_of(library: object) -> set[str]:
    """The names of its functions; classes are none."""
    found = {n: getattr(library, n) for n in dir(library) if not n.startswith("_")}
    return {n for n, v in found.items() if callable(v) and not isinstance(v, type)}


COLLECTIONS = (ast.Tuple, ast.List, ast.Set, ast.Dict)
SAYING = ("spelled", "operators", "named")
"""What `ops` makes collections of functions with."""
NO_TABLES = ("Literal", "Fact", "rewrite", "computed")
"""What makes kinds and facts of words, and rewrites of expressions and functions."""
BUILTINS = _functions_of(builtins)
NAMES = BUILTINS.union(
    *map(_functions_of, (*LIBRARIES.values(), np.ndarray, np.linalg, np.fft))
)
KINDS = frozenset(get_args(abstract_values.Kind))


def tables(package: Path = PACKAGE) -> dict[str, tuple[str, ...]]:
    """The tables of each file outside the homes of such statements."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name.partition("/")[0] not in HOMES:
            here = tuple(in_source(path.read_text(encoding="utf-8")))
            if here:
                found[name] = here
    return found


def in_source(source: str) -> Iterator[str]:
    """The names of the tables of a module."""
    tree = ast.parse(source)
    own = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and "runtime" in (node.module or "")
        for alias in node.names
    }
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    for node in (s for body in (tree, *classes) for s in body.body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and _is_table(node.value, own):
                yield target.id


def _is_table(value: ast.expr, own: set[str]) -> bool:
    """Whether an expression is a collection of functions, or of their names."""
    if not any(isinstance(n, COLLECTIONS) or _is_split(n) for n in ast.walk(value)):
        return False
    nodes = list(_nodes(value))
    functions = {f for n in nodes for f in _functions(n, own)}
    words = {w for n in nodes for w in _words(n)}
    named = words & NAMES - KINDS
    return len(functions) > 1 or (len(named) > 1 and 2 * len(named) > len(words))


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of an expression, but for kinds, rewrites and functions with a
    handler."""
    if isinstance(node, ast.Subscript | ast.Call):
        called = node.value if isinstance(node, ast.Subscript) else node.func
        if isinstance(called, ast.Name) and called.id in NO_TABLES:
            return
    yield node
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        children = [
            n for k, v in pairs if k is None or not _is_handler(v) for n in (k, v) if n
        ]
    for child in children:
        yield from _nodes(child)


def _is_handler(value: ast.expr) -> bool:
    """Whether a value is a function of the package, one bound to something, or some."""
    if isinstance(value, ast.Tuple):
        return all(map(_is_handler, value.elts))
    if isinstance(value, ast.Call):
        return _is_handler(value.func)
    while isinstance(value, ast.Attribute):
        value = value.value
    if not isinstance(value, ast.Name) or value.id.isupper() or value.id == "Fact":
        return False
    return value.id not in LIBRARIES and not hasattr(builtins, value.id)


def _functions(node: ast.AST, own: set[str]) -> Iterator[str]:
    """The functions that a node names; `spelled("add sub")` names two."""
    if isinstance(node, ast.Name) and (node.id in own or node.id in BUILTINS):
        yield node.id
    elif isinstance(node, ast.Call) and _is_saying(node):
        yield from (w for n in ast.walk(node.args[-1]) for w in _words(n))
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        library = LIBRARIES.get(node.value.id)
        found = getattr(library, node.attr, None) if library is not None else None
        if callable(found) and not isinstance(found, type):
            yield ast.unparse(node)


def _words(node: ast.AST) -> list[str]:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value.split() if is_text else []


def _is_split(node: ast.AST) -> bool:
    """`"sin cos".split()`, and what `ops` makes of such words."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    of_text = isinstance(called, ast.Attribute) and called.attr == "split"
    return _is_saying(node) or (of_text and isinstance(called.value, ast.Constant))


def _is_saying(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in SAYING
