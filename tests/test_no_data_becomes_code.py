"""The package's own source: nothing but a few functions makes source of a value.

`literals.py` writes a value down, `paths.py` a name behind a dot and a key in brackets.
What else formats a value into a text says so here, with the reason why none of that
text is ever run.
"""

import ast
import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "yota_ast"
WRITERS = {
    "syntax/value_literals.py",
    "syntax/value_paths.py",
    "syntax/string_literals.py",
}
"""The modules in which values become text."""
RUNS = {
    "ir/facts/annotations.py": "an annotation, of the user's module",
    "codegen/compile.py": "the generated source",
    "api/executed_source.py": "a text that the user wants to be run",
    "tools/cli/command_arguments.py": "--args, typed by the user",
    "tools/emit/stand_in_modules.py": "a file that is checked, and not run",
    "tools/emit/gradient_tests.py": "--args, typed by the user",
    "frontend/source/source_files.py": "the user's module, compiled to be compared",
    "frontend/source/definitions.py": "a lambda, compiled to be compared",
    "api/cache/alias_speculation.py": "the generated source, with notes in it",
    "syntax/value_paths.py": "the tests and paths that the compiler has made",
    "_speed/fast_dataclasses.py": "the methods of the compiler's own records",
    "rules/notation/parse.py": "an annotation of a rule",
    "rules/scipy/stats.py": "rules, of the names of distributions written here",
}
"""Where Python is asked to run or to compile a text, and what that is."""
SHOWN = {
    "files/hashed_parts.py": "texts that are hashed",
    "tools/explain/explained_lines.py": "what `explain` prints",
    "frontend/library/cached_functions.py": "whether two values are nan",
    "frontend/source/numba_functions.py": "constants of code that are compared",
    "frontend/source/same_code.py": "constants of code that are compared",
    "ir/tape_printer.py": "the listing of a tape",
    "codegen/plan/long_constants.py": "the length of a text",
    "api/values/structured_gradients.py": "how a gradient prints",
    "api/wrt.py": "how an argument of `wrt` prints",
    "rules/notation/bind.py": "a message",
    "rules/notation/display_names.py": "a table of names",
    "rules/scipy/stats.py": "rules, of names written here",
    "support/transform.py": "how a transform prints",
    "tools/report/graph.py": "a drawing",
    "api/decorator.py": "how a decorated function prints",
    "tools/cli/like.py": "a message",
}
"""Where `repr` is for people, or to compare: the text is never read as Python."""
JOINED = {
    "__init__.py",
    "adjoint/nonsmooth/comparisons_alone.py",
    "adjoint/reverse/contributions.py",
    "ir/builder.py",
    "ir/abstract_values.py",
    "frontend/desugar/applied_functions.py",
    "frontend/expressions/comprehensions.py",
    "frontend/heap/materialisation.py",
    "frontend/calls/outlining.py",
    "rules/inference/slice_lengths.py",
}
"""Where names of variables of the tape, or of axes, have parts: no Python."""
BY_HAND = {
    "rules/__init__.py": "the names of modules of rules",
    "adjoint/rewrites/shape_assumptions.py": "a slice by a position",
    "codegen/printers/assignments.py": "texts of the printer",
    "codegen/printers/expression_source.py": "texts of the printer, and positions",
    "codegen/printers/global_names.py": "texts of the printer",
    "codegen/printers/live_names.py": "the names of dtypes of NumPy's own",
    "codegen/printers/statement_source.py": "texts of the printer",
    "codegen/generated_files.py": "the name of a virtual module",
    "syntax/statement_layout.py": "a docstring, its quotes escaped",
    "files/composing.py": "literals",
    "files/gradient_annotations.py": "annotations",
    "support/public_names.py": "the path of a method, which is looked up",
    "_speed/fast_dataclasses.py": "the names of fields of the compiler's own records",
    "rules/scipy/stats.py": "rules, of names written here",
    "ir/entry_tests.py": "literals",
    "frontend/desugar/applied_models.py": "the names of types of Python's own",
    "frontend/expressions/folding.py": "names that are compared",
    "frontend/interpret/statements.py": "the path of a module, which is imported",
    "ir/tape_printer.py": "the listing of a tape",
    "ops/registry.py": "names that are looked up",
    "api/values/structured_gradients.py": "how a gradient prints",
    "api/values/updating.py": "a message",
}
"""Where something stands behind a dot or a bracket that is no name and no key."""
PEOPLE = (
    "tools/cli/main.py",
    "tools/cli/",
    "tools/cli/coverage.py",
    "api/cache/dependencies.py",
    "files/",
    "tools/emit/",
    "support/escaping.py",
    "tools/cli/targets.py",
    "api/directional.py",
    "ir/verify.py",
    "tools/report/",
    "support/whole_files.py",
    "rules/notation/display_names.py",
    "tools/gradcheck/",
    "rules/notation/parse.py",
    "rules/notation/pattern.py",
    "frontend/source/source_refusals.py",
    "frontend/calls/unknown_fields.py",
    "frontend/expressions/object_attributes.py",
    "frontend/heap/object_choice.py",
    "frontend/arrays/array_stores.py",
    "frontend/library/value_methods.py",
    "frontend/heap/instances.py",
    "ir/interpreter.py",
    "_speed/fast_dataclasses.py",
    "frontend/desugar/numpy_calls.py",
    "frontend/arrays/writing_calls.py",
)
"""Modules whose formatted texts are messages, reports and files of another kind."""


def modules() -> list[str]:
    return sorted(str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.py"))


Nodes = Sequence[tuple[ast.AST, bool]]


def nodes_of(source: str) -> Nodes:
    """Every node, and whether it is within a message or a `__repr__`."""
    found: list[tuple[ast.AST, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while waiting:
        node, told = waiting.pop()
        told = told or _is_message(node)
        found.append((node, told))
        waiting += [(child, told) for child in ast.iter_child_nodes(node)]
    return found


def _is_message(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        return True
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__repr__", "__str__", "_repr")
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name.startswith(("refuse", "without_", "failing")) or name.endswith("Error")


def runs(nodes: Nodes) -> list[int]:
    """The lines on which Python is asked to run or to compile a text."""
    return [
        node.lineno
        for node, _ in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("eval", "exec", "compile", "__import__")
    ]


def shows(nodes: Nodes) -> list[int]:
    """The lines that write a value as it shows itself, outside of messages."""
    found = []
    for node, told in nodes:
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


def places(nodes: Nodes) -> list[int]:
    """The lines that put a value behind a dot, a bracket or a quote."""
    found = []
    for node, told in nodes:
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


def parses(nodes: Nodes) -> list[int]:
    """The lines that read a text as Python which they have just formatted."""
    readers = ("quote", "quote_expr", "parse", "parse_expr", "parse_to_print")
    return [
        node.lineno
        for node, _ in nodes
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in readers
        and any(isinstance(a, (ast.JoinedStr, ast.BinOp)) for a in node.args)
    ]


FINDERS = (runs, shows, places, parses)


@functools.cache
def lines_in(module: str) -> dict[Callable[[Nodes], list[int]], list[int]]:
    """What each of them finds in a module, which is read once."""
    nodes = nodes_of((PACKAGE / module).read_text(encoding="utf-8"))
    return {find: find(nodes) for find in FINDERS}


@pytest.mark.parametrize(
    ("find", "allowed"),
    [
        (runs, RUNS.keys() | {"support/user_failures.py"}),
        (shows, WRITERS | SHOWN.keys()),
        (places, WRITERS | BY_HAND.keys() | JOINED),
        (
            parses,
            {
                "rules/notation/parse.py",
                "rules/notation/rule_text.py",
                "files/composing.py",
                "tools/emit/gradient_tests.py",
                "tools/cli/command_arguments.py",
            },
        ),
    ],
    ids=["runs", "shows", "places", "parses"],
)
def test_nothing_else_makes_source_of_a_value(find, allowed):
    found = {
        f"yota_ast/{module}:{line}"
        for module in modules()
        if module not in allowed
        and (find in (runs, parses) or not module.startswith(PEOPLE))
        for line in lines_in(module)[find]
    }
    assert not found, (
        "a value becomes text: write it by value_literals.py,"
        " a name or a key by value_paths.py"
        f"\n{sorted(found)}"
    )


@pytest.mark.parametrize("module", sorted(RUNS))
def test_what_runs_a_text_is_still_there(module):
    assert lines_in(module)[runs]


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
    assert find(nodes_of(source))
    message = "def f(x):\n    raise ValueError(f'no {x!r} in [{x}], a.{x}')\n"
    assert not find(nodes_of(message))
