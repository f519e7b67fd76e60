"""The package's source -> its tables of functions: file -> names of the tables.

A table is a collection, bound at the top of a module or a class, of at least two
functions of libraries or their names: `np.sin`, `operator.add`, "reshape".
"""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import operator
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from yota_ast import runtime

PACKAGE = Path(__file__).resolve().parents[2] / "yota_ast"
HOMES = ("ops", "rules", "runtime")
"""Where properties of functions are stated."""
LIBRARIES = ("np", "math", "cmath", "operator", "runtime", "rt", "copy", "bisect")
NAMES = {
    name
    for library in (np, np.ndarray, np.linalg, np.fft, math, cmath, operator, runtime)
    for name in dir(library)
    if not name.startswith("_") and callable(getattr(library, name))
} - set(dir(builtins))
"""The names of functions, but for Python's types, which are kinds of facts."""


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
            if len(set(_functions(node.value, own))) > 1:
                yield ast.unparse(target)


def _functions(value: ast.expr, own: set[str]) -> Iterator[str]:
    """The functions that an expression names, if it is a collection."""
    collections = ast.Tuple | ast.List | ast.Set | ast.Dict
    if not any(isinstance(n, collections) or _is_split(n) for n in ast.walk(value)):
        return
    for node in ast.walk(value):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in LIBRARIES and node.attr in NAMES:
                yield ast.unparse(node)
        elif isinstance(node, ast.Name) and node.id in own:
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            named = [w for w in words if w in NAMES]
            if 2 * len(named) > len(words):
                yield from named


def _is_split(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and isinstance(node.func.value, ast.Constant)
    )
