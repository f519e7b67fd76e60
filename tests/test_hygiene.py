"""What the repository's files must not hold, and what importing must not import."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = ("yota_ast", "codegen_templates")
FOLDERS = (*PACKAGE, "tests", "examples", "benchmarks", "docs", ".ci")
# A folder of one machine, at the beginning of a path.
MACHINE_PATH = re.compile(r"(?<![\w.~/-])/(?:work|root|tmp|home|Users)(?![\w.])")
DATE = re.compile(
    r"\b(?:19|20)\d\d[-/.](?:0[1-9]|1[0-2])[-/.](?:0[1-9]|[12]\d|3[01])\b"
)
OPTIONAL = ("cupy", "numba", "rich", "pygments", "dask", "jax", "matplotlib")


def texts(folders: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Yield the text files in the folders of the repository."""
    for folder in folders:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                try:
                    yield path, path.read_text(encoding="utf-8")
                except UnicodeDecodeError:  # a picture or an archive
                    continue


def at_top() -> Iterator[tuple[Path, str]]:
    """Yield the text files at the top of the repository that have a suffix."""
    for path in sorted(REPOSITORY.iterdir()):
        if path.suffix in {".md", ".toml"} or path.name in {"Makefile", "LICENSE"}:
            yield path, path.read_text(encoding="utf-8")


def hits(pattern: re.Pattern[str], files: Iterator[tuple[Path, str]]) -> list[str]:
    return [
        f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}"
        for path, text in files
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_path_of_one_machine():
    assert hits(MACHINE_PATH, texts(FOLDERS)) == []
    assert hits(MACHINE_PATH, at_top()) == []


def test_no_date_in_the_package():
    assert hits(DATE, texts(PACKAGE)) == []


@pytest.mark.parametrize("folder", ["work", "root", "tmp", "home"])
def test_the_pattern_finds_machine_paths(folder):
    for text in (f'open("/{folder}/x")', f"cd /{folder}", f"see `/{folder}/a/b.py`"):
        assert MACHINE_PATH.search(text)
    for text in (f"a/{folder}/x", f"/{folder}er", f"https://x.org/{folder}/"):
        assert not MACHINE_PATH.search(text)


def test_the_pattern_finds_dates():
    assert DATE.search("made 2031" + "-02-28")
    assert not DATE.search("2031-13-01, 1.2.3, sha 20310228")


def said_by(program, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, path],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_imports_nothing_optional_and_warns_of_nothing(tmp_path):
    program = (
        "import sys, warnings\n"
        "warnings.simplefilter('error')\n"
        "import yota_ast\n"
        f"print(*[name for name in {OPTIONAL} if name in sys.modules])"
    )
    assert said_by(program, tmp_path) == []


SLOW = (
    "numpy.random", "pathlib", "importlib.resources", "tempfile", "secrets",
    "concurrent.futures", "yota_ast.tangent.tangent_program",
)  # fmt: skip
"""What takes long to be imported, and a compile does not need."""
SQUARE = "def square(x):\n    return x * x\n"


def test_a_gradient_imports_nothing_slow_that_numpy_has_not(tmp_path):
    program = (
        f"import sys, numpy\n{SQUARE}"
        f"before = {{name for name in {SLOW} if name in sys.modules}}\n"
        "import yota_ast\n"
        "yota_ast.grad(square, 2.0)\n"
        f"print(*[n for n in {SLOW} if n in sys.modules and n not in before])"
    )
    assert said_by(program, tmp_path) == []


def test_the_decorator_loads_neither_the_compiler_nor_numpy(tmp_path):
    program = (
        "import sys\n"
        "import yota_ast as ya\n"
        f"@ya.differentiable\n{SQUARE}"
        f"@ya.differentiable(wrt=['x'], emitted='square_grad.py')\n{SQUARE}"
        "assert square(3.0) == 9.0\n"
        "slow = 'yota_ast.api.grad yota_ast.pipeline numpy inspect pathlib'.split()\n"
        "print(*[name for name in slow if name in sys.modules])\n"
        "own = [n for n, m in sys.modules.items()\n"
        "       if n.startswith('yota_ast') and not hasattr(m, '__path__')]\n"
        "assert len(own) < 8, own\n"
    )
    assert said_by(program, tmp_path) == []


def test_the_rules_of_random_numbers_come_with_them(tmp_path):
    program = (
        f"import numpy as np\nimport yota_ast\n{SQUARE}"
        "def drawn(x):\n"
        "    return x * np.random.default_rng(0).normal(2.0, 0.0)\n"
        "yota_ast.grad(square, 2.0)\n"
        "value, gradient = yota_ast.grad(drawn, 3.0)\n"
        "print(value, gradient['x'])"
    )
    assert said_by(program, tmp_path) == ["6.0", "2.0"]
