"""The package -> what breaks the rules of its design, and sizes that may only fall.

    python .ci/check_design.py [--write]

The rules: a folder has at most 20 modules; no two modules share a name, but for the
chapters of `rules/`; no module imports itself in a circle, be it later, within a
function; a file has at most 500 lines without its imports, a function 60; a class has
at most 40 methods and 3 base classes; what asks for several kinds of operations is a
`match` that ends in `assert_never`; two dtypes are compared by `same_dtype`, for NumPy
takes None, a dtype that is not known, for float64. In the frontend, inherited methods
count as well,
a class has at most 3 ancestors, and an object's attributes are assigned by its own
class alone. What broke a rule when it was made stands in
`design.json` with its size, which may only fall; `--write` takes smaller sizes over.
The number of syntax nodes, docstrings left out, is printed.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "yota_ast"
RECORD = ROOT / ".ci" / "design.json"
LIMITS = {
    "folder": 20, "name": 1, "circle": 1, "file": 500, "function": 60, "methods": 40,
    "bases": 3, "dispatches": 0, "ancestors": 3, "inherited": 40, "foreign": 0,
    "shared": 1, "dtypes": 0,
}  # fmt: skip
"""The largest size that needs no entry in the record."""
OPS = frozenset("Apply Read Store If Try For While With Raise".split())
AT_RUN_TIME = frozenset({"api", "runtime", "tools"})
"""Folders in which each array has a dtype that is known."""
Sizes = dict[str, int]
Graph = dict[str, set[str]]
Trees = dict[str, ast.Module]


def modules(package: Path) -> dict[str, Path]:
    """Return the files of a package by the dotted names within it."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts).removesuffix("__init__").removesuffix(".")] = path
    return found


def sizes(package: Path) -> Sizes:
    """Return how large each thing is that a rule speaks of, as `rule name`."""
    known = modules(package)
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in known.items()}
    found: Sizes = {}
    plain = [n for n, path in known.items() if path.name != "__init__.py"]
    for folder, count in Counter(n.rpartition(".")[0] for n in plain).items():
        found[f"folder {folder or '.'}"] = count
    own = [n.rpartition(".")[2] for n in plain if not n.startswith("rules.")]
    found |= {f"name {name}": count for name, count in Counter(own).items()}
    for circle in circles(imports(trees)):
        found[f"circle {' '.join(sorted(circle))}"] = len(circle)
    for name, path in known.items():
        found[f"file {name or '.'}"] = lines_of(trees[name], path.read_text("utf-8"))
        found |= dict(of_definitions(name, trees[name]))
        if count := dispatches(trees[name]):
            found[f"dispatches {name}"] = count
        if name.split(".")[0] not in AT_RUN_TIME:
            if count := dtypes_compared(trees[name]):
                found[f"dtypes {name}"] = count
    frontend = {n: t for n, t in trees.items() if n.startswith("frontend")}
    return found | of_classes(frontend) | of_assignments(frontend)


def lines_of(tree: ast.Module, text: str) -> int:
    """Return how many lines a file has without its imports."""
    taken = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    spent = sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in taken)
    return text.count("\n") - spent


def of_definitions(module: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the sizes of the functions and classes of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield f"function {module}.{node.name}", lines
        elif isinstance(node, ast.ClassDef):
            methods = sum(isinstance(n, ast.FunctionDef) for n in node.body)
            yield f"methods {module}.{node.name}", methods
            yield f"bases {module}.{node.name}", len(node.bases)


def of_classes(trees: Trees) -> Sizes:
    """Return how many ancestors each class has, and how many methods in all."""
    known = classes_of(trees)
    found: Sizes = {}
    for name, cls in known.items():
        above = ancestors(name, known)
        methods = [n for c in (cls, *above) for n in c.body]
        found[f"ancestors {name}"] = len(above)
        count = sum(isinstance(n, ast.FunctionDef) for n in methods)
        found[f"inherited {name}"] = count
    return found


def classes_of(trees: Trees) -> dict[str, ast.ClassDef]:
    """Return the classes of some modules, by module and name."""
    return {
        f"{module}.{node.name}": node
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def ancestors(name: str, known: dict[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """Return the classes that one inherits from, those of other packages left out."""
    found: dict[str, ast.ClassDef] = {}
    pending = [known[name]]
    while pending:
        bases = {ast.unparse(base).partition("[")[0] for base in pending.pop().bases}
        for other, cls in known.items():
            if cls.name in bases and other not in found and other != name:
                found[other] = cls
                pending.append(cls)
    return list(found.values())


def of_assignments(trees: Trees) -> Sizes:
    """Return how many attributes each module assigns of objects of other classes, and
    by how many classes of one line of descent each attribute is assigned."""
    found: Sizes = {}
    for name, tree in trees.items():
        owners = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        ]
        plain = {getattr(owner, "id", "") for owner in owners}
        if plain - {"self", "cls"}:
            found[f"foreign {name}"] = sum(
                getattr(owner, "id", "") not in ("self", "cls") for owner in owners
            )
    known = classes_of(trees)
    assigned = {name: attributes_assigned(cls) for name, cls in known.items()}
    for name, cls in known.items():
        for base in ancestors(name, known):
            other = next(n for n, c in known.items() if c is base)
            for attribute in assigned[name] & assigned[other]:
                found[f"shared {name} {cls.name}.{attribute}"] = 2
    return found


def attributes_assigned(cls: ast.ClassDef) -> set[str]:
    """Return the attributes of its objects that a class assigns."""
    return {
        node.attr
        for node in ast.walk(cls)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        and getattr(node.value, "id", "") == "self"
    }  # fmt: skip


def dispatches(tree: ast.Module) -> int:
    """Return how many functions ask by `isinstance` for several kinds of operations.

    A `match` counts where it names several kinds and does not end in `assert_never`.
    """
    return sum(
        len(kinds_asked(node)) > 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    )


def kinds_asked(function: ast.FunctionDef) -> set[str]:
    """Return the kinds of operations that a function tells apart by hand."""
    found = set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            found |= {getattr(n, "id", "") for n in ast.walk(node.args[1])}
        elif isinstance(node, ast.Match) and "assert_never" not in ast.unparse(node):
            classes = [n for n in ast.walk(node) if isinstance(n, ast.MatchClass)]
            found |= {getattr(n.cls, "id", "") for n in classes}
    return found & OPS


def dtypes_compared(tree: ast.Module) -> int:
    """Return how many comparisons have a dtype on both sides, which may be None."""
    compared = [n for n in ast.walk(tree) if isinstance(n, ast.Compare)]
    equal = [n for n in compared if isinstance(n.ops[0], (ast.Eq, ast.NotEq))]
    return sum(all(map(is_dtype, (n.left, *n.comparators))) for n in equal)


def is_dtype(node: ast.AST) -> bool:
    """Say whether an expression is a dtype, or None."""
    text = ast.unparse(node)
    return text.endswith(".dtype") or text.startswith("np.dtype(")


def imports(trees: dict[str, ast.Module]) -> Graph:
    """Return which modules each one imports; what is for type checkers left out."""
    graph: Graph = defaultdict(set)
    for name, tree in trees.items():
        for node in executed(tree):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            top, _, inside = node.module.partition(".")
            if top == PACKAGE.name:
                subs = [f"{inside}.{a.name}".lstrip(".") for a in node.names]
                graph[name] |= {s if s in trees else inside for s in subs} - {name}
    return graph


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those under `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from executed(child)


def circles(graph: Graph) -> list[set[str]]:
    """Return the sets of modules of which each imports each, by way of others."""
    reached = {name: reach(graph, name) for name in graph}
    mutual = {
        frozenset(m for m in seen if name in reached.get(m, ()))
        for name, seen in reached.items()
    }
    return [set(circle) for circle in mutual if len(circle) > 1]


def reach(graph: Graph, start: str) -> set[str]:
    """Return the modules that one imports, and those that these import, and so on."""
    seen, pending = set[str](), [start]
    while pending:
        for name in graph.get(pending.pop(), ()):
            if name not in seen:
                seen.add(name)
                pending.append(name)
    return seen


def syntax_nodes(package: Path) -> dict[str, int]:
    """Return the syntax nodes of the frontend and of the rest, docstrings left out."""
    found = Counter[str]()
    for name, path in modules(package).items():
        part = "frontend" if name.startswith("frontend") else "the rest"
        tree = ast.parse(path.read_text("utf-8"))
        count = sum(1 for _ in ast.walk(tree))
        texts = [
            n
            for n in ast.walk(tree)
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
        ]
        found[part] += count - 2 * len(texts)
    return dict(found)


def main(arguments: list[str]) -> int:
    """Print what is too large, and return whether anything is."""
    allowed: Sizes = json.loads(RECORD.read_text("utf-8"))
    large = {k: n for k, n in sizes(PACKAGE).items() if n > LIMITS[k.split()[0]]}
    worse = {k: n for k, n in large.items() if n > allowed.get(k, 0)}
    if "--write" in arguments and not worse:
        RECORD.write_text(f"{json.dumps(large, indent=1, sort_keys=True)}\n", "utf-8")
    for name, size in sorted(worse.items()):
        before = allowed.get(name, LIMITS[name.split()[0]])
        print(f"{name}: {size}, which may be {before} at most")
    print(f"{len(large)} exceptions; syntax nodes: {syntax_nodes(PACKAGE)}")
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
