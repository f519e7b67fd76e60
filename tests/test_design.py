"""What `make lint` holds of the design can fail."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def design():
    spec = importlib.util.spec_from_file_location(
        "check_design", ROOT / ".ci" / "check_design.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FILES = {
    "__init__.py": "",
    "ir/__init__.py": "",
    "ir/tape.py": "def f():\n    from yota_ast.ir.printer import g\n",
    "ir/printer.py": "from yota_ast.ir.tape import f\n",
    "ops/__init__.py": "",
    "ops/tape.py": "class A(B, C, D, E):\n" + "    def f(self): ...\n" * 41,
    "rules/__init__.py": "",
    "rules/tape.py": "x = 1\n" * 501,
    "frontend/__init__.py": "",
    "frontend/layers.py": "class A:\n    def f(self): self.x = 1\n"
    + "    def g(self): ...\n" * 38
    + "class B(A):\n    def h(self, a): a.y = 1; a.z += 1\n"
    "class C(B):\n    def f(self): self.x = 2\n"
    "class D(C): ...\nclass E(D): ...\n",
    "asking.py": "def h(op):\n    return isinstance(op, (If, For))\n",
    "comparing.py": "same = a.dtype == b.dtype, a.fact.dtype != np.dtype(float)\n"
    "fits = a.dtype == np.float64, a.dtype is None\n",
    "matching.py": "def h(op):\n    match op:\n        case If(): return 1\n"
    "        case For(): return 2\n",
    "matched.py": "def h(op):\n    match op:\n        case If(): return 1\n"
    "        case For(): return 2\n        case _: assert_never(op)\n",
    "long.py": "def k():\n" + "    x = 1\n" * 60,
    **{f"many/m{k}.py": "" for k in range(21)},
}


def test_what_is_found(design, tmp_path):
    package = tmp_path / "yota_ast"
    for name, text in FILES.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    found = design.sizes(package)
    limits = design.LIMITS
    assert {k: n for k, n in found.items() if n > limits[k.split()[0]]} == {
        "folder many": 21,
        "name tape": 2,
        "circle ir.printer ir.tape": 2,
        "file rules.tape": 501,
        "function long.k": 61,
        "methods ops.tape.A": 41,
        "bases ops.tape.A": 4,
        "inherited frontend.layers.C": 41,
        "inherited frontend.layers.D": 41,
        "inherited frontend.layers.E": 41,
        "ancestors frontend.layers.E": 4,
        "foreign frontend.layers": 2,
        "shared frontend.layers.C C.x": 2,
        "dispatches asking": 1,
        "dispatches matching": 1,
        "dtypes comparing": 2,
    }
