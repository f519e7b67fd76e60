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
EMITTING = tuple(
    f"emitting.{name}"
    for name in "text fixed notes parts header composing project saving".split()
)
LAYERS = (
    (
        "version",
        "errors",
        "failures",
        "kept",
        "names",
        "libraries",
        "literals",
        "paths",
        "syntax",
        "runtime",
        "facts",
        "stops",
        "garbage",
        "transform",
        "roomy",
        "passes",
        "records",
        "escaping",
        "writing",
        "signatures",
        "fitting",
        "habits",
    ),
    (
        "checks",
        "tape",
        "walking",
        "conditions",
        "renaming",
        "build",
        "listing",
        "moments",
        "ops",
        "playing",
        "presence",
        "verify",
        "solvers",
        "complexes",
    ),
    (
        "rules.records",
        "rules.display",
        "rules.pattern",
        "rules.called",
        "rules.parse",
        "rules.match",
        "rules.bind",
        "rules.inference",
        "rules.memo",
        "rules.book",
        "rules.rule",
    ),
    ("rules",),
    ("frontend", "adjoint", "codegen"),
    ("tangent",),
    ("leaves", "devices", "raveling", "unraveling", "updating", "objects"),
    (
        "annotations",
        "asked",
        "callee",
        "transform_code",
        "travelling",
        "dependencies",
        "glance",
        "inferring",
        "kinds",
        "looking",
        "seeds",
        "telling",
    ),
    (
        "cache",
        "guessing",
        "pipeline",
        "nesting",
        "nested_arguments",
        "nested_choices",
        "nested_facts",
        "nested_functions",
        "nested_structures",
        "nested_tapes",
        *EMITTING,
    ),
    ("viewing", "keeping"),
    ("api",),
    ("transforms",),
    ("jacobians",),
    ("checking", "explanation", "explaining", "coverage", "targets", "like"),
    ("emitting",),
    ("decorator",),
    ("commands", "cli", "__main__", ""),
)
PACKAGES = (
    "syntax", "ops", "rules", "frontend", "adjoint", "codegen", "tangent", "viewing"
)  # fmt: skip
# These do not import one another though they share a row.
APART = ("frontend", "adjoint", "codegen")
# All that the first may import of the second.
ONLY = {
    ("frontend", "rules"): (),
    ("codegen", "rules"): (),
    ("adjoint", "rules"): ("rules.rule",),
    ("tangent", "rules"): ("rules.rule",),
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
    "syntax.quoting",
    "ops.registry",
    "rules.rule",
    "rules.ufuncs",
    "frontend.lower",
    "frontend.source",
    "adjoint.reverse",
    "codegen.emit",
    "viewing.page",
)


@pytest.fixture
def tree(tmp_path):
    """A package with an empty module in every layer, and a way to write into it."""
    package = tmp_path / "yota_ast"

    def write(module: str, text: str = "") -> Path:
        path = package.joinpath(*module.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        for directory in (package, path.parent):
            (directory / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
        return package

    names = (name for layer in LAYERS for name in layer)
    flat = (n for n in names if n and n.partition(".")[0] not in PACKAGES)
    for module in (*flat, *INSIDE):
        write(module)
    return write


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("tape", "from . import errors, syntax"),
        ("tape", "from .errors import YotaError"),
        ("syntax", "import gast\nwith quiet():\n    import astor"),
        ("rules.ufuncs", "from .rule import rule\nfrom ..tape import Apply"),
        ("frontend.lower", "from yota_ast.frontend.source import read"),
        ("frontend.lower", "from . import source"),
        ("adjoint.reverse", "from ..rules.rule import book"),
        ("adjoint.reverse", "from ..rules import rule"),
        ("api", "from .rules import ufuncs\nimport yota_ast.objects"),
        ("cli", "from . import __version__, api"),
        ("__init__", "from .api import grad"),
        ("frontend.__init__", "from . import lower"),
        ("tape", "import numpy as np\nfrom collections import abc"),
    ],
)
def test_allowed(tree, module, text):
    assert violations(tree(module, text)) == []


@pytest.mark.parametrize(
    ("module", "text", "reason"),
    [
        ("errors", "from .tape import Tape", "upward"),
        ("tape", "import yota_ast.api", "upward"),
        ("tape", "from . import api", "upward"),
        ("tape", "from yota_ast import grad", "upward"),
        ("tape", "def f():\n    from .rules.rule import book", "upward"),
        ("tape", "if TYPE_CHECKING:\n    from .cli import main", "upward"),
        ("rules.rule", "from . import ufuncs", "upward"),
        ("rules.ufuncs", "from ..frontend import lower", "upward"),
        ("frontend.lower", "from ..adjoint.reverse import reverse", "apart"),
        ("codegen.emit", "from ..frontend import lower", "apart"),
        ("codegen.emit", "from ..rules.rule import book", "may import nothing"),
        ("frontend.lower", "from yota_ast.rules import rule", "may import nothing"),
        ("adjoint.reverse", "from ..rules.ufuncs import exp", "may import rules.rule"),
        ("adjoint.reverse", "from ..rules import exp", "may import rules.rule"),
        ("frontend.__init__", "from ..api import grad", "upward"),
        ("helpers", "", "no row"),
        ("frontend.lower", "import gast", "gast is for syntax"),
        ("api", "from astor.code_gen import to_source", "astor is for syntax"),
    ],
)
def test_refused(tree, module, text, reason):
    [found] = violations(tree(module, text))
    line = text.count("\n") + 1
    assert f"{module.rpartition('.')[2]}.py:{line}: " in found
    assert reason in found
