"""The package's own source: nothing but a few functions makes source of a value.

`literals.py` writes a value down, `paths.py` a name behind a dot and a key in brackets.
What else formats a value into a text says so here, with the reason why none of that
text is ever run.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "yota_ast"
WRITERS = {"literals.py", "paths.py", "syntax/strings.py"}
"""The modules in which values become text."""
RUNS = {
    "annotations.py": "an annotation, of the user's module",
    "codegen/compile.py": "the generated source",
    "commands/arguments.py": "--args, typed by the user",
    "emitting/standing.py": "a file that is checked, and not run",
    "emitting/testing.py": "--args, typed by the user",
    "frontend/files.py": "the user's module, compiled to be compared",
    "frontend/source.py": "a lambda, compiled to be compared",
    "guessing.py": "the generated source, with notes in it",
    "paths.py": "the tests and paths that the compiler has made",
    "records.py": "the methods of the compiler's own records",
    "rules/parse.py": "an annotation of a rule",
    "rules/scipy_stats.py": "rules, of the names of distributions written here",
}
"""Where Python is asked to run or to compile a text, and what that is."""
SHOWN = {
    "emitting/parts.py": "texts that are hashed",
    "explanation.py": "what `explain` prints",
    "frontend/cached.py": "whether two values are nan",
    "frontend/compiled.py": "constants of code that are compared",
    "frontend/sameness.py": "constants of code that are compared",
    "listing.py": "the listing of a tape",
    "codegen/constants.py": "the length of a text",
    "objects.py": "how a gradient prints",
    "asked.py": "how an argument of `wrt` prints",
    "rules/bind.py": "a message",
    "rules/display.py": "a table of names",
    "rules/scipy_stats.py": "rules, of names written here",
    "transform.py": "how a transform prints",
    "viewing/graph.py": "a drawing",
    "decorator.py": "how a decorated function prints",
    "like.py": "a message",
}
"""Where `repr` is for people, or to compare: the text is never read as Python."""
JOINED = {
    "__init__.py", "adjoint/comparisons.py", "adjoint/scope.py", "build.py",
    "facts.py", "frontend/applied.py", "frontend/expressions.py",
    "frontend/lending.py", "frontend/outlines.py", "rules/inference/subscripts.py",
}  # fmt: skip
"""Where names of variables of the tape, or of axes, have parts: no Python."""
BY_HAND = {
    "adjoint/assumptions.py": "a slice by a position",
    "codegen/assignments.py": "texts of the printer",
    "codegen/compile.py": "the name of a virtual module",
    "codegen/expressions.py": "texts of the printer, and positions",
    "codegen/globals.py": "texts of the printer",
    "codegen/linking.py": "the names of dtypes of NumPy's own",
    "codegen/statements.py": "texts of the printer",
    "syntax/statements.py": "a docstring, its quotes escaped",
    "emitting/composing.py": "literals",
    "emitting/notes.py": "annotations",
    "libraries.py": "the path of a method, which is looked up",
    "records.py": "the names of fields of the compiler's own records",
    "rules/scipy_stats.py": "rules, of names written here",
    "checks.py": "literals",
    "frontend/applied.py": "the names of types of Python's own",
    "frontend/folding.py": "names that are compared",
    "frontend/statements.py": "the path of a module, which is imported",
    "listing.py": "the listing of a tape",
    "ops/registry.py": "names that are looked up",
    "objects.py": "how a gradient prints",
    "updating.py": "a message",
}
"""Where something stands behind a dot or a bracket that is no name and no key."""
PEOPLE = (
    "cli.py", "commands/", "coverage.py", "dependencies.py", "emitting/", "escaping.py",
    "targets.py", "transforms.py", "verify.py", "viewing/", "writing.py",
    "rules/display.py", "checking/", "rules/parse.py", "rules/pattern.py",
    "frontend/refusals.py", "frontend/attributes.py", "frontend/choosing.py",
    "frontend/arrays.py", "frontend/methods.py", "frontend/instances.py",
    "playing.py", "records.py", "frontend/numpys.py", "frontend/writers.py",
)  # fmt: skip
"""Modules whose formatted texts are messages, reports and files of another kind."""


def modules() -> list[str]:
    return sorted(str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py"))


def nodes_of(source: str) -> Iterator[tuple[ast.AST, bool]]:
    """Every node, and whether it is within a message or a `__repr__`."""

    def visit(node: ast.AST, told: bool) -> Iterator[tuple[ast.AST, bool]]:
        told = told or _is_message(node)
        yield node, told
        for child in ast.iter_child_nodes(node):
            yield from visit(child, told)

    return visit(ast.parse(source), told=False)


def _is_message(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__repr__", "__str__", "_repr")
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name.startswith(("refuse", "without_", "failing")) or name.endswith("Error")


def runs(source: str) -> list[int]:
    """The lines on which Python is asked to run or to compile a text."""
    return [
        node.lineno
        for node, _ in nodes_of(source)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("eval", "exec", "compile", "__import__")
    ]


def shows(source: str) -> list[int]:
    """The lines that write a value as it shows itself, outside of messages."""
    found = []
    for node, told in nodes_of(source):
        if told:
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("repr", "ascii"):
                found.append(node.lineno)
        if isinstance(node, ast.Call) and any(_is_repr(arg) for arg in node.args):
            found.append(node.lineno)
        if isinstance(node, ast.FormattedValue) and node.conversion in (114, 97):
            found.append(node.lineno)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
                found.append(node.lineno)
    return sorted(set(found))


def _is_repr(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "repr"


def places(source: str) -> list[int]:
    """The lines that put a value behind a dot, a bracket or a quote."""
    found = []
    for node, told in nodes_of(source):
        if told or not isinstance(node, ast.JoinedStr):
            continue
        before = ""
        for k, part in enumerate(node.values):
            if isinstance(part, ast.Constant):
                before = part.value
            elif before.endswith(("[", '"', "'")) or (before == "." and k > 1):
                found.append(node.lineno)
            elif before.endswith(".") and len(before) > 1 and before[-2].isalnum():
                found.append(node.lineno)
            if not isinstance(part, ast.Constant):
                before = ""
    return sorted(set(found))


def parses(source: str) -> list[int]:
    """The lines that read a text as Python which they have just formatted."""
    readers = ("quote", "quote_expr", "parse", "parse_expr", "parse_to_print")
    return [
        node.lineno
        for node, _ in nodes_of(source)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in readers
        and any(isinstance(a, (ast.JoinedStr, ast.BinOp)) for a in node.args)
    ]


def lines_of(find, module: str) -> list[int]:
    return find((PACKAGE / module).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("find", "allowed"),
    [
        (runs, RUNS.keys() | {"failures.py"}),
        (shows, WRITERS | SHOWN.keys()),
        (places, WRITERS | BY_HAND.keys() | JOINED),
        (parses, {"rules/parse.py", "rules/text.py", "emitting/composing.py",
                  "emitting/testing.py", "commands/arguments.py"}),
    ],
    ids=["runs", "shows", "places", "parses"],
)  # fmt: skip
def test_nothing_else_makes_source_of_a_value(find, allowed):
    found = {
        f"yota_ast/{module}:{line}"
        for module in modules()
        if module not in allowed
        and (find in (runs, parses) or not module.startswith(PEOPLE))
        for line in lines_of(find, module)
    }
    assert not found, (
        "a value becomes text: write it by literals.py, a name or a key by paths.py"
        f"\n{sorted(found)}"
    )


@pytest.mark.parametrize("module", sorted(RUNS))
def test_what_runs_a_text_is_still_there(module):
    assert lines_of(runs, module)


@pytest.mark.parametrize(
    ("find", "source"),
    [
        (runs, "def f(name):\n    return eval(name)\n"),
        (shows, "def f(key):\n    return f'd[{key!r}]'\n"),
        (shows, "def f(key):\n    return 'd[%r]' % key\n"),
        (shows, "def f(keys):\n    return ', '.join(map(repr, keys))\n"),
        (places, "def f(owner, name):\n    return f'{owner}.{name}'\n"),
        (places, "def f(key):\n    return f'd[{key}]'\n"),
        (places, "def f(cls):\n    return f'type(x).__name__ != \"{cls.__name__}\"'\n"),
        (parses, "def f(name):\n    return parse_expr(f'{name} + 1')\n"),
    ],
)
def test_the_test_itself(find, source):
    assert find(source)
    assert not find("def f(x):\n    raise ValueError(f'no {x!r} in [{x}], a.{x}')\n")
