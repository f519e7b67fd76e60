"""Imports within the package point downward only.

The rows of `LAYERS` go from the bottom to the top. A module may import what stands
in a lower row or in its own, except for what `APART` and `ONLY` say.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "yota_ast"

# A name stands for a module, or for a package with all that is in it; the longest
# name that fits counts. "" is the package itself.
LAYERS = (
    (
        "errors",
        "version",
        "support",
        "syntax",
        "_speed",
        "runtime",
        "ir.facts.annotations",
        "ir.facts.joined_facts",
        "ir.abstract_values",
        "ir.axis_lengths",
    ),
    ("ir", "ops", "solvers.solver_functions"),
    ("rules.notation", "rules.inference"),
    ("rules", "rules.notation.elementwise_rules", "rules.notation.rule_text"),
    ("frontend", "analysis", "solvers", "adjoint", "codegen"),
    ("tangent", "batching", "recording", "solvers.solver_tangents"),
    ("api.values",),
    ("api", "nesting.call_inference"),
    (
        "pipeline",
        "nesting",
        "files",
        "api.requests",
        "api.recorded_traces",
        "api.cache.answers",
        "api.cache.compiled_gradients",
        "api.cache.alias_speculation",
        "api.batched_calls",
    ),
    ("tools.report", "api.cache.invalidation", "api.cache.fast_products"),
    ("api.grad", "api.traced_tapes"),
    ("api.directional",),
    ("api.direction_sweeps", "api.jacobians", "api.batches"),
    (
        "tools.gradcheck",
        "tools.explain",
        "tools.cli.coverage",
        "tools.cli.like",
        "tools.cli.targets",
    ),
    ("tools.emit",),
    ("api.decorator",),
    ("tools", "__main__", ""),
)
# These do not import one another though they share a row.
APART = ("frontend", "adjoint", "codegen")
# All that the first may import of the second.
ONLY = {
    ("frontend", "rules"): (),
    ("codegen", "rules"): (),
    ("analysis", "rules"): ("rules.notation.rule",),
    ("solvers", "rules"): ("rules.notation.rule",),
    ("adjoint", "rules"): ("rules.notation.rule",),
    ("tangent", "rules"): ("rules.notation.rule",),
    ("batching", "rules"): (),
}
# Who may import a library that the rest is not to know.
RESERVED = {"gast": ("syntax",), "astor": ("syntax",)}


def covers(name: str, module: str) -> bool:
    """Say whether `module` is the one called `name`, or inside it."""
    return module == name or (name != "" and module.startswith(name + "."))


def layer_of(module: str) -> tuple[int, str] | None:
    """Return the rank of a module and the name in `LAYERS` it has it from."""
    found = [
        (len(name), rank, name)
        for rank, layer in enumerate(LAYERS)
        for name in layer
        if covers(name, module)
    ]
    return max(found)[1:] if found else None


def objection(module: str, imported: str) -> str | None:
    """Return why `module` must not import `imported`, both of the package."""
    above, below = layer_of(module), layer_of(imported)
    for name, layer in ((module, above), (imported, below)):
        if layer is None:
            return f"{name} stands in no row of LAYERS"
    if above[0] < below[0]:
        return "the import points upward"
    if above[1] != below[1] and {above[1], below[1]} <= set(APART):
        return "the two are to stay apart"
    for (importer, package), allowed in ONLY.items():
        if (
            covers(importer, module)
            and covers(package, imported)
            and not any(covers(name, imported) for name in allowed)
        ):
            return f"of {package} it may import {', '.join(allowed) or 'nothing'}"
    return None


def modules(package: Path) -> dict[str, Path]:
    """Return the files of the package by module name, "" for the package itself."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts).removesuffix("__init__").removesuffix(".")] = path
    return found


def absolute_imports(path: Path, module: str, root: str) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of everything that a file imports, lazily or not."""
    parts = [root, *module.split(".")] if module else [root]
    package = parts if path.name == "__init__.py" else parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = [*above, *([node.module] if node.module else [])]
            for alias in node.names:
                yield node.lineno, ".".join([*base, alias.name])


def violations(package: Path) -> list[str]:
    """Return ``file:line: reason`` for each import that breaks the order."""
    known, found = modules(package), []
    for module, path in known.items():
        if layer_of(module) is None:
            found.append(f"{path.name}:1: {module} stands in no row of LAYERS")
        for line, name in absolute_imports(path, module, package.name):
            top, _, rest = name.partition(".")
            if top == package.name:
                # What is no module is a name in the module before the last dot.
                imported = rest if rest in known else rest.rpartition(".")[0]
                reason = objection(module, imported)
            else:
                keepers = RESERVED.get(top, (module,))
                allowed = any(covers(keeper, module) for keeper in keepers)
                reason = None if allowed else f"{top} is for {', '.join(keepers)}"
            if reason:
                where = path.relative_to(package)
                found.append(f"{where}:{line}: {name}: {reason}")
    return found


def test_imports_point_downward():
    assert violations(PACKAGE) == []


INSIDE = (
    "__main__",
    "errors",
    "pipeline",
    "support.passes",
    "ir.tape",
    "syntax.quoting",
    "ops.registry",
    "rules.notation.rule",
    "rules.numpy.ufuncs",
    "frontend.interpret.lower",
    "frontend.source.definitions",
    "adjoint.sweeps",
    "codegen.compile",
    "api.grad",
    "tools.cli.main",
)


@pytest.fixture
def tree(tmp_path):
    """A package with a few empty modules in every layer, and a way to write into it."""
    package = tmp_path / "yota_ast"

    def write(module: str, text: str = "") -> Path:
        path = package.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        for directory in path.parents[: len(module.split("."))]:
            (directory / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
        return package

    for module in INSIDE:
        write(module)
    return write


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("ir.tape", "from .. import errors, syntax"),
        ("ir.tape", "from ..errors import YotaError"),
        ("syntax", "import gast\nwith quiet():\n    import astor"),
        (
            "rules.numpy.ufuncs",
            "from ..notation.rule import rule\nfrom ...ir.tape import Apply",
        ),
        (
            "frontend.interpret.lower",
            "from yota_ast.frontend.source.definitions import read",
        ),
        ("frontend.interpret.lower", "from ..source import definitions"),
        ("adjoint.sweeps", "from ..rules.notation.rule import book"),
        ("adjoint.sweeps", "from ..rules.notation import rule"),
        ("api.grad", "from ..rules.numpy import ufuncs\nimport yota_ast.pipeline"),
        ("tools.cli.main", "from ... import __version__, api"),
        ("__init__", "from .api.grad import grad"),
        ("frontend.__init__", "from .interpret import lower"),
        ("ir.tape", "import numpy as np\nfrom collections import abc"),
    ],
)
def test_allowed(tree, module, text):
    assert violations(tree(module, text)) == []


@pytest.mark.parametrize(
    ("module", "text", "reason"),
    [
        ("errors", "from .ir.tape import Tape", "upward"),
        ("ir.tape", "import yota_ast.api.grad", "upward"),
        ("ir.tape", "from .. import api", "upward"),
        ("ir.tape", "from yota_ast import grad", "upward"),
        ("ir.tape", "def f():\n    from ..rules.notation.rule import book", "upward"),
        ("ir.tape", "if TYPE_CHECKING:\n    from ..tools.cli import main", "upward"),
        ("rules.notation.rule", "from ..numpy import ufuncs", "upward"),
        (
            "rules.numpy.ufuncs",
            "from ...frontend.interpret import lower",
            "upward",
        ),
        ("frontend.interpret.lower", "from ...adjoint.sweeps import sweeps", "apart"),
        ("codegen.compile", "from ..frontend.interpret import lower", "apart"),
        (
            "codegen.compile",
            "from ..rules.notation.rule import book",
            "may import nothing",
        ),
        (
            "frontend.interpret.lower",
            "from yota_ast.rules import rule",
            "may import nothing",
        ),
        (
            "adjoint.sweeps",
            "from ..rules.numpy.ufuncs import exp",
            "may import rules.notation.rule",
        ),
        (
            "adjoint.sweeps",
            "from ..rules import exp",
            "may import rules.notation.rule",
        ),
        ("frontend.__init__", "from ..api.grad import grad", "upward"),
        ("helpers", "", "no row"),
        ("frontend.interpret.lower", "import gast", "gast is for syntax"),
        ("api.grad", "from astor.code_gen import to_source", "astor is for syntax"),
    ],
)
def test_refused(tree, module, text, reason):
    [found] = violations(tree(module, text))
    line = text.count("\n") + 1
    assert f"{module.rpartition('.')[2]}.py:{line}: " in found
    assert reason in found
